"""test_macos.py - what make does on macOS, by what it prints: no Mac is at hand. Nothing in it is GNU's alone."""
import os
import re
import subprocess

import pytest

from tests.support.command import BUILD, TOP

# What the compiler, the linker or other programs of macOS do not know.
FOREIGN = [r"-soname", r"--version-script", r"-z,defs", r"--as-needed", r"--exclude-libs", r"-Bstatic", r"\.so\b", r"objcopy", r"\bld -r",
           r"\binstall -D", r"\binstall .*-t ", r"\bnproc\b", r"systemd|sysusers|tmpfiles", r"(?<!-Xclang )-fopenmp", r"\bcp -[a-z]*[at]\b",
           r"\bsed -[a-z]*[ir]"]


def make(*words):
    done = subprocess.run(["make", "-C", TOP, "SYSTEM=macos", "ARCH=arm64", "PAGE=no", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.seconds(3)
def test_no_option_of_other_systems(folder):
    lines = make("-n", "--no-print-directory", f"BUILD={folder}/build", "PREFIX=/opt/trebuchet", "all", "engine", "install", "uninstall").splitlines()
    assert len(lines) > 300
    for pattern in FOREIGN:
        found = [line for line in lines if re.search(pattern, line)]
        assert not found, f"/{pattern}/ in: {found[0][:400]}"
    for name in ("libtrebuchet.1.dylib", "libfathom.1.dylib"):
        link, = [line for line in lines if f"-install_name,@rpath/{name}" in line]
        assert "-dynamiclib" in link and "-exported_symbols_list," in link and f"/{name} " in link
    text = "\n".join(lines)
    assert re.search(r"ln -sf libtrebuchet\.1\.dylib \S*/libtrebuchet\.dylib", text)
    assert re.search(r"install -m 755 \S*/libtrebuchet\.1\.dylib.* /opt/trebuchet/lib\n", text)
    assert "Libs: -L${libdir} -Wl,-rpath,${libdir} -ltrebuchet'" in text
    assert re.search(r"rm -f /opt/trebuchet/lib/libtrebuchet\.dylib", text)


def test_public_symbols(folder):
    """The lists of symbols are those of the libraries for Linux."""
    for symbols, library in (("probe/trebuchet.symbols", "libtrebuchet.so"), ("probe/fathom/fathom.symbols", "fathom/libfathom.so.1")):
        make("-s", f"BUILD={folder}", os.path.join(folder, symbols))
        with open(os.path.join(folder, symbols), encoding="utf-8") as file:
            patterns = [re.escape(line.strip()).replace(r"\*", ".*") for line in file]
        listed = subprocess.run(["nm", "-D", "--defined-only", os.path.join(BUILD, library)], capture_output=True, text=True, check=True).stdout
        names = {"_" + line.split()[2].split("@")[0] for line in listed.splitlines() if line.split()[1] != "A"}
        assert names and all(any(re.fullmatch(p, name) for p in patterns) for name in names)
        assert all(any(re.fullmatch(p, name) for name in names) for p in patterns)
