"""test_windows.py - Trebuchet for Windows under Wine: what the library asks of the system, all positions of some endings,
and the command beside the one of this system. The tests need what `.ci/deps windows` installs, and are skipped where
that is missing; the test of the command also needs the sources that it fetches."""
import filecmp
import glob
import os
import re
import shutil
import signal
import subprocess
import time
import zipfile

import pytest

from tests.probe.test_machines import tables_of_four_gigabytes
from tests.support.command import BUILD, SYZYGY, TABLES, TOOL, TOP

CC = shutil.which("x86_64-w64-mingw32-gcc-posix")
WINDOWS = os.path.join(BUILD, "windows")
EXE, ENGINE = (os.path.join(WINDOWS, "build", name) for name in ("trebuchet.exe", "trebuchet-uci.exe"))
WINE = [os.path.join(TOP, "tests", "support", "wine.sh"), BUILD]
pytestmark = [
    pytest.mark.full,
    pytest.mark.seconds(40),
    pytest.mark.skipif(
        not (CC and (shutil.which("wine64") or os.path.exists("/usr/lib/wine/wine64"))),
        reason=".ci/deps windows installs mingw-w64 and Wine",
    ),
    pytest.mark.skipif(not os.path.exists(EXE), reason="make windows BUILD=build/test: make test-full does it first"),
]
FLAGS = ["-std=c11", "-D_GNU_SOURCE", "-D_FILE_OFFSET_BITS=64", "-Wall", "-Wextra", "-Werror", "-O1", "-I.", "-Iinclude"]
CALLS = ["tests/core/system_calls.c", *sorted(glob.glob("core/system/system_*.c", root_dir=TOP)),
         *sorted(glob.glob("core/system/thread_*.c", root_dir=TOP))]
ENDINGS = ["KPvK", "KQvK"]
# What both commands print, apart from times and sizes in memory. FOLDER stands for tables of 3 men.
PRINTS = [
    ["probe", "-t", "FOLDER", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"],
    ["probe", "-t", "FOLDER", "--json", "8/8/8/8/8/2k5/1p6/K7 w - - 0 1"],
    ["line", "-t", "FOLDER", "--metric", "dtm", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"],
    ["solve", "-q", "--time", "100", "8/8/4k3/4p3/4P3/4K3/8/8 w"],
    ["find", "-t", "FOLDER", "KPvK", "zugzwang and dtm and dtm > 20"],
    ["stats", "-t", "FOLDER", "--json", "KPvK"],
    ["info", "-t", "FOLDER", "--json", "KPvK"],
    ["verify", "-t", "FOLDER", "--full", "KPvK"],
    ["compare", SYZYGY, "FOLDER", "KQvK"],
    ["rule", "-q", "-t", "FOLDER", "examples/rules/square.lua", "KPvK"],
    ["play", "-q", "-t", "FOLDER", "--games", "100", "examples/strategies/king-and-rook.lua"],
    ["play", "-t", "FOLDER", "examples/strategies/king-and-rook.lua", "8/8/8/8/3R4/8/2k5/K7 w"],
    ["shift", "-t", "FOLDER", "--list", "8/8/8/3k4/8/3KP3/8/8 w"],
]


ENV = dict(os.environ, LC_ALL="C.UTF-8")


def do(*words, text=None, code=0):
    """Runs a program and expects an exit code. Returns what it prints, messages if it fails."""
    done = subprocess.run(words, cwd=TOP, env=ENV, input=text, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == code, f"{words}: {done.stdout}{done.stderr}"
    return (done.stdout if code == 0 else done.stderr).replace("\r\n", "\n")


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
    assert do(*WINE, there, in_wine(str(tmp_path / "windows files"))) == "right\n"


def test_all_positions(tmp_path):
    """trebuchet.dll answers as the library of this system does, from our files and from Syzygy's."""
    tables = tmp_path / "tables \u265a of three"
    tables.mkdir()
    for ending in ENDINGS + ["KRvK", "KBvK", "KNvK"]:
        for file in glob.glob(os.path.join(TABLES, f"{ending}.*.treb")):
            shutil.copy(file, tables)
    source, here, there = "tests/probe/all_positions.c", str(tmp_path / "positions"), str(tmp_path / "positions.exe")
    do(os.environ.get("CC", "cc").split()[0], *FLAGS, source, f"-L{BUILD}", "-ltrebuchet", f"-Wl,-rpath,{BUILD}", "-o", here)
    do(CC, *FLAGS, source, f"-L{WINDOWS}", "-ltrebuchet", "-o", there)
    shutil.copy(os.path.join(WINDOWS, "trebuchet.dll"), tmp_path)
    for places in ([str(tables)], [str(tmp_path), SYZYGY]):
        expected = do(here, "1", *ENDINGS, text=":".join(places) + "\n")
        assert expected.count(" positions") == len(ENDINGS)
        assert do(*WINE, there, "1", *ENDINGS, text=";".join(map(in_wine, places)) + "\n") == expected


def plain(text):
    """Without what differs from run to run."""
    return re.sub(r"[\d.]+ s\b|\d+:\d\d\b|[\d.]+ [MG]B", "-", text)


@pytest.mark.seconds(150)
def test_command(tmp_path):
    """trebuchet.exe makes the files that the command of this system makes, and prints what that prints."""
    here, there = str(tmp_path / "here"), str(tmp_path / "there \u265a")
    for words in (["gen", "-q", "-m", "all5", "-t"], ["export", "-q", "-s"]):
        do(TOOL, *words, here, "KPvK")
        do(*WINE, EXE, *words, in_wine(there), "KPvK")
    names = sorted(os.listdir(here))
    assert len(names) > 20 and sorted(os.listdir(there)) == names
    assert filecmp.cmpfiles(here, there, names, shallow=False)[0] == names
    for words in PRINTS:
        mine = do(TOOL, *[here if word == "FOLDER" else word for word in words])
        theirs = do(*WINE, EXE, *[here if word == "FOLDER" else word for word in words])
        assert plain(mine) != "" and plain(theirs) == plain(mine)
    do(*WINE, EXE, "serve", code=1)

    # Times differ, and nothing else; places are separated as in all programs for Windows; there are no servers.
    rows = [re.sub(r"[\d,.]+( [mnu]s)?", "-", do(*words, "bench", "-d", "0.02", "-p", "100", "-j", "1", "-t", here, "KQvK")) for words in ([TOOL], [*WINE, EXE])]
    assert "moves" in rows[0] and re.sub(" +", " ", rows[1]) == re.sub(" +", " ", rows[0])
    helped = do(*WINE, EXE, "--help")
    assert "(DIR;DIR...)" in helped and "server" not in helped
    refused = do(*WINE, EXE, "probe", "-t", "https://host/tables/", "8/8/8/3k4/8/3KP3/8/8 w", code=1)
    assert "tables on a web server are left out of this build" in refused


@pytest.mark.seconds(150)
def test_interrupted_and_little_memory(tmp_path):
    """Ctrl-C ends trebuchet.exe while it makes tables: files are whole, and the next run makes what is missing. With little
    memory it keeps solved positions on the disk."""
    there = str(tmp_path / "there")
    os.mkdir(there)
    for ending in ("KRRvK", "KRBvK", "KRNvK", "KRvK", "KQvK", "KPvK", "KBvK", "KNvK"):
        for metric in ("wdl", "dtm"):
            shutil.copy(os.path.join(TABLES, f"{ending}.{metric}.treb"), there)
    made = ["KQRvK.dtm.treb", "KQRvK.wdl.treb", "KRPvK.dtm.treb", "KRPvK.wdl.treb"]
    words = [*WINE, EXE, "gen", "-j", "1", "--keep-scratch", "--memory", "260MiB", "-m", "dtm,wdl", "-t", in_wine(there), "KRPvK"]
    with subprocess.Popen(words, cwd=TOP, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        while not os.path.exists(os.path.join(there, made[0])) and run.poll() is None:
            time.sleep(0.02)
        run.send_signal(signal.SIGINT)
        printed = run.communicate(timeout=600)
        assert run.returncode == 130, printed
    whole = [name for name in made if name in os.listdir(there)]
    assert made[0] in whole and made[2] not in whole and filecmp.cmpfiles(TABLES, there, whole, shallow=False)[0] == whole
    do(*words)
    assert filecmp.cmpfiles(TABLES, there, made, shallow=False)[0] == made
    assert any(name.endswith(".solved") for name in os.listdir(os.path.join(there, ".scratch")))


def test_file_of_four_gigabytes(tmp_path):
    """A program for Windows maps it. trebuchet.dll reads places behind 4 GiB."""
    small, large = tables_of_four_gigabytes(tmp_path)
    there = str(tmp_path / "positions.exe")
    do(CC, *FLAGS, "tests/probe/all_positions.c", f"-L{WINDOWS}", "-ltrebuchet", "-o", there)
    shutil.copy(os.path.join(WINDOWS, "trebuchet.dll"), tmp_path)
    answers = [do(*WINE, there, "997", "KQvKR/b", text=in_wine(folder) + "\n") for folder in (small, large)]
    assert answers[0] == answers[1] and " positions" in answers[0]


def test_engine_and_zip():
    """The engine in the zip answers, and the zip has all that its README names."""
    orders = f"setoption name TablesPath value {in_wine(TABLES)}\nposition fen 8/8/8/8/8/2k5/1p6/K7 b - - 0 1\ngo depth 4\nquit\n"
    assert re.search(r"^bestmove [a-h]\d[a-h]\d", do(*WINE, ENGINE, text=orders), re.M)
    with zipfile.ZipFile(os.path.join(BUILD, "trebuchet-windows.zip")) as packed:
        names = {name.split("/", 1)[1] for name in packed.namelist()}
        assert {"trebuchet.exe", "trebuchet-uci.exe", "trebuchet.dll", "libtrebuchet.dll.a", "trebuchet.h", "LICENSE", "README.txt",
                "rules/square.lua", "strategies/king-and-rook.lua", "licenses/libzstd.txt", "licenses/zlib.txt"} <= names
