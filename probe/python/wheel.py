#!/usr/bin/env python3
"""wheel.py - makes a wheel of the module with the library inside: wheel.py LIBRARY OUT

LIBRARY is libtrebuchet.so.1, which must need nothing but the C library. The wheel's tag says which glibc it needs: the
newest version of those that the library's symbols name. Writes into the folder OUT, and prints the path."""
import base64
import glob
import hashlib
import os
import re
import subprocess
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
# What every manylinux system has of what a C library consists of (PEP 600).
SYSTEM = re.compile(r"lib(c|m|dl|rt|pthread)\.so\.\d+|ld-linux-[a-z0-9-]+\.so\.\d+")
# Libraries whose code is in the wheel, and where Debian has their licences.
INSIDE = {"zstd": "/usr/share/doc/libzstd-dev/copyright"}


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def objdump(option, library):
    return subprocess.run(["objdump", option, library], check=True, text=True, stdout=subprocess.PIPE).stdout


def platform_tag(library):
    """The tag that says where the library runs: manylinux_2_34_x86_64."""
    needed = re.findall(r"NEEDED\s+(\S+)", objdump("-p", library))
    strange = [name for name in needed if not SYSTEM.fullmatch(name)]
    if strange:
        sys.exit(f"wheel.py: {library} needs {', '.join(strange)}, which not every system has")
    versions = re.findall(r"\(?GLIBC_(\d+)\.(\d+)", objdump("-T", library))
    if not versions:
        sys.exit(f"wheel.py: {library} is not linked with glibc")
    machine = re.search(r"architecture: [^,\n]*", objdump("-f", library))[0].rsplit(" ", 1)[-1].split(":")[-1]
    names = {"x86-64": "x86_64", "i386": "i686"}
    major, minor = max((int(a), int(b)) for a, b in versions)
    return f"manylinux_{major}_{minor}_{names.get(machine, machine)}"


def metadata(version):
    project = read(HERE, "pyproject.toml")
    field = {key: re.search(rf'^{key} = "(.*)"$', project, re.M)[1] for key in ("description", "requires-python")}
    classifiers = re.findall(r'^ {4}"(.* :: .*)",$', project, re.M)
    return "\n".join([
        "Metadata-Version: 2.1", "Name: trebuchet", f"Version: {version}", f"Summary: {field['description']}",
        "License: MIT", *(f"Classifier: {name}" for name in classifiers),
        f"Requires-Python: {field['requires-python']}", 'Requires-Dist: chess; extra == "boards"',
        "Provides-Extra: boards", "Description-Content-Type: text/markdown", "", read(HERE, "README.md")])


def contents(library, version, tag):
    """The files of the wheel but for the list of them: name -> bytes."""
    info = f"trebuchet-{version}.dist-info"
    files = {}
    for path in sorted(glob.glob(os.path.join(HERE, "trebuchet", "*.py"))) + [os.path.join(HERE, "trebuchet", "py.typed")]:
        files["trebuchet/" + os.path.basename(path)] = read(path).encode()
    with open(library, "rb") as file:
        files["trebuchet/libtrebuchet.so.1"] = file.read()
    files[f"{info}/METADATA"] = metadata(version).encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: trebuchet\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{info}/LICENSE"] = read(TOP, "LICENSE").encode()
    for name, path in INSIDE.items():
        if os.path.exists(path):
            files[f"{info}/LICENSE.{name}"] = read(path).encode()
    return files


def main():
    library, out = sys.argv[1:]
    version = re.search(r'^__version__ = "(.*)"$', read(HERE, "trebuchet", "__init__.py"), re.M)[1]
    tag = "py3-none-" + platform_tag(library)
    files = contents(library, version, tag)
    record = f"trebuchet-{version}.dist-info/RECORD"
    rows = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(data)}\n")
    files[record] = ("".join(rows) + f"{record},,\n").encode()
    path = os.path.join(out, f"trebuchet-{version}-{tag}.whl")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # equal sources make equal wheels
            entry.external_attr = (0o755 if ".so" in name else 0o644) << 16
            wheel.writestr(entry, data, zipfile.ZIP_DEFLATED)
    print(path)


if __name__ == "__main__":
    main()
