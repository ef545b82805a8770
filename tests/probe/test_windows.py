"""test_windows.py - the library for Windows under Wine: what it asks of the system, and all positions of some endings.
The tests need what `.ci/deps windows` installs, and are skipped where that is missing."""
import glob
import os
import shutil
import subprocess

import pytest

from tests.support.command import BUILD, SYZYGY, TABLES, TOP

CC = shutil.which("x86_64-w64-mingw32-gcc-posix")
WINE = shutil.which("wine64") or next(iter(glob.glob("/usr/lib/wine/wine64")), None)
pytestmark = [
    pytest.mark.full,
    pytest.mark.seconds(40),
    pytest.mark.skipif(not (CC and WINE), reason=".ci/deps windows installs mingw-w64 and Wine"),
]
FLAGS = ["-std=c11", "-D_GNU_SOURCE", "-D_FILE_OFFSET_BITS=64", "-Wall", "-Wextra", "-Werror", "-O1", "-I.", "-Iinclude"]
CALLS = ["tests/core/system_calls.c", *sorted(glob.glob("core/system/system_*.c", root_dir=TOP)),
         *sorted(glob.glob("core/system/thread_*.c", root_dir=TOP))]
ENDINGS = ["KPvK", "KQvK"]


def do(*words, text=None):
    """Runs a program. Wine keeps its settings in the build folder: making them takes longer than the tests."""
    env = dict(os.environ, WINEPREFIX=os.path.join(BUILD, "wine"), WINEDEBUG="-all", LC_ALL="C.UTF-8")
    done = subprocess.run(words, cwd=TOP, env=env, input=text, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    return done.stdout.replace("\r\n", "\n")


def in_wine(path):
    return "Z:" + path.replace("/", "\\")


def test_calls_of_the_system(tmp_path):
    """One program with the POSIX and with the Windows implementation: names, a file of 5 GiB, memory, threads."""
    here, there = str(tmp_path / "calls"), str(tmp_path / "calls.exe")
    for name in ("native", "windows files"):
        (tmp_path / name).mkdir()
    do(os.environ.get("CC", "cc").split()[0], *FLAGS, *CALLS, "-o", here, "-lpthread")
    assert do(here, str(tmp_path / "native")) == "right\n"
    do(CC, *FLAGS, "-static", *CALLS, "-o", there)
    assert do(WINE, there, in_wine(str(tmp_path / "windows files"))) == "right\n"


def test_all_positions(tmp_path):
    """trebuchet.dll answers as the library of this system does, from our files and from Syzygy's."""
    dll = os.path.join(BUILD, "windows")
    do("make", "-s", f"BUILD={BUILD}", "windows")
    assert os.path.exists(os.path.join(BUILD, "trebuchet-windows.zip"))
    tables = tmp_path / "tables \u265a of three"
    tables.mkdir()
    for ending in ENDINGS + ["KRvK", "KBvK", "KNvK"]:
        for file in glob.glob(os.path.join(TABLES, f"{ending}.*.treb")):
            shutil.copy(file, tables)
    source, here, there = "tests/probe/all_positions.c", str(tmp_path / "positions"), str(tmp_path / "positions.exe")
    do(os.environ.get("CC", "cc").split()[0], *FLAGS, source, f"-L{BUILD}", "-ltrebuchet", f"-Wl,-rpath,{BUILD}", "-o", here)
    do(CC, *FLAGS, source, f"-L{dll}", "-ltrebuchet", "-o", there)
    shutil.copy(os.path.join(dll, "trebuchet.dll"), tmp_path)
    for places in ([str(tables)], [str(tmp_path), SYZYGY]):
        expected = do(here, *ENDINGS, text=":".join(places) + "\n")
        assert expected.count(" positions") == len(ENDINGS)
        assert do(WINE, there, *ENDINGS, text=";".join(map(in_wine, places)) + "\n") == expected
