"""test_machines.py - the library on other machines: of 32 bits, and with the highest byte of a number first. The two files of
`make amalgamation` are built by Debian's cross compilers and run by qemu-user. `.ci/deps machines` installs both; a
machine whose compiler is missing is left out, and named."""
import functools
import os
import shutil
import subprocess

import pytest

from tests.support.command import BUILD, SYZYGY, TABLES, TOOL, TOP

MACHINES = {
    "i686": ("i686-linux-gnu-gcc", "qemu-i386"),
    "armhf": ("arm-linux-gnueabihf-gcc", "qemu-arm"),
    "s390x": ("s390x-linux-gnu-gcc", "qemu-s390x"),
}
SMALL = ["KPvK", "KQvK", "KRvK"]
pytestmark = [pytest.mark.full, pytest.mark.seconds(15)]


def do(*words, text=None, code=0):
    done = subprocess.run(words, cwd=TOP, input=text, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == code, f"{words}: {done.stdout}{done.stderr}"
    return done.stdout


@functools.lru_cache(maxsize=None)
def programs(compiler, *options):
    """all_positions and answers, with the library as one file; in a folder of this process of pytest."""
    two = os.path.join(BUILD, "amalgamation")
    folder = os.path.join(BUILD, "machines", os.environ.get("PYTEST_XDIST_WORKER", "one"), compiler)
    os.makedirs(folder, exist_ok=True)
    do("make", "-s", "PAGE=no", f"BUILD={BUILD}", "amalgamation")
    words = [compiler, *options, "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-I", two]
    library = os.path.join(folder, "trebuchet.o")
    do(*words, "-c", os.path.join(two, "trebuchet.c"), "-o", library)
    made = [os.path.join(folder, name) for name in ("all_positions", "answers")]
    for program in made:
        do(*words, f"tests/probe/{os.path.basename(program)}.c", library, "-o", program, "-lpthread")
    return made


def here():
    return [[program] for program in programs(os.environ.get("CC", "cc").split()[0])]


def there(name):
    """Both programs for another machine, with what runs them. Not every x86-64 runs programs for i686."""
    compiler, emulator = MACHINES[name]
    for needed in (compiler, emulator):
        if not shutil.which(needed):
            pytest.skip(f"{needed} is not installed: .ci/deps machines")
    return [[emulator, program] for program in programs(compiler, "-static")]


@pytest.fixture(scope="module", name="tables")
def tables_of_all_metrics(tmp_path_factory):
    """Tables of three men and KQvKR, with DTM50."""
    folder = str(tmp_path_factory.mktemp("tables"))
    do(TOOL, "gen", "-q", "-m", "all5", "-t", folder, *SMALL, "KQvKR")
    return folder


def ask(run, tables, share, four):
    """Positions of three men, of four men, all moves of some; and from the files of Syzygy. The larger `share`, the fewer."""
    positions, answers = run
    found = [
        do(*positions, str(share), *SMALL, text=tables + "\n"),
        do(*positions, "1999", four, text=tables + "\n"),
        do(*positions, str(share), "KPvK", text=SYZYGY + "\n"),
        do(*answers, str(900 if share == 1 else 3000), TABLES),
        do(*answers, "90", SYZYGY),
    ]
    assert sum(text.count(" positions") for text in found) == 5 and found[3].count("\n") >= 35
    return found


# TREB_MACHINES_SHARE=1 asks all positions of three men everywhere: three minutes.
@pytest.mark.parametrize("name, share, four", [("i686", 17, "KQvKR"), ("armhf", 41, "KQvK"), ("s390x", 17, "KQvKR/b")])
def test_same_answers(name, share, four, tables):
    share = int(os.environ.get("TREB_MACHINES_SHARE", share))
    assert ask(there(name), tables, share, four) == ask(here(), tables, share, four)


def tables_of_four_gigabytes(folder):
    """Two folders with KQvKR and what it needs. In the second the file has more than 4 GiB, most of which is not on the disk;
    with Black to move it gives the same answers."""
    program, small, large = (str(folder / name) for name in ("large_table", "small", "large"))
    do(os.environ.get("CC", "cc").split()[0], "-std=c11", "-D_GNU_SOURCE", "-O1", "-Wall", "-Wextra", "-Werror", "-I.", "-Iinclude",
       "tests/probe/large_table.c", "core/format/checksum.c", "core/system/system_posix.c", "-o", program)
    for name in (small, large):
        os.mkdir(name)
        for table in ("KQvK", "KRvK"):
            shutil.copy(os.path.join(TABLES, f"{table}.wdl.treb"), name)
    file = shutil.copy(os.path.join(TABLES, "KQvKR.wdl.treb"), small)
    do(program, file, os.path.join(large, "KQvKR.wdl.treb"))
    about = os.stat(os.path.join(large, "KQvKR.wdl.treb"))
    assert about.st_size > 1 << 32 and about.st_blocks * 512 < 100 << 20
    return small, large


def test_file_of_four_gigabytes(tmp_path):
    """A program of 32 bits cannot map it, and reads its pages; one of 64 bits maps it."""
    small, large = tables_of_four_gigabytes(tmp_path)
    native, other = here()[0], there("i686")[0]
    expected = do(*native, "997", "KQvKR/b", text=small + "\n")
    assert " 0 positions" not in expected
    for words in (native, other):
        assert do(*words, "997", "KQvKR/b", text=large + "\n") == expected
        assert "its checksum differs" in do(*words, "1", "KQvKR", text=large + "\n", code=1)

    syzygy = tmp_path / "syzygy"
    shutil.copytree(SYZYGY, syzygy)
    os.truncate(syzygy / "KQvK.rtbw", (5 << 30) + 16)
    assert "a program of 32 bits has no room for so large a file" in do(*other, "1", "KQvK", text=f"{syzygy}\n", code=1)
    assert " positions" in do(*other, "97", "KRvK", text=f"{syzygy}\n")
