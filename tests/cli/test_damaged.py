"""test_damaged.py - commands with damaged files."""
import os
import re
import socket

import pytest

from tests.support.command import SYZYGY, TABLES, copy_files, overwrite, read, run, start, truncated, write


@pytest.fixture(name="cut")
def fixture_cut(folder):
    """Tables of 3 men, of which one ends too early."""
    copy_files("bad", "K[QRBNP]vK.*")
    truncated(f"{TABLES}/KPvK.wdl.treb", 1000, "bad/KPvK.wdl.treb")
    return "bad"


@pytest.fixture(name="altered")
def fixture_altered(folder):
    """Tables of 3 men, of which one has other bytes in the middle of its blocks."""
    copy_files("bad", "K[QRBNP]vK.*")
    path = "bad/KPvK.dtm.treb"
    overwrite(path, os.path.getsize(path) // 3, b"\377\0\377")
    return "bad"


def test_probe_truncated(cut):
    run("probe", "-t", cut, "8/8/8/4k3/8/8/4P3/4K3 w", code=1).says("KPvK.wdl.treb").silent()


def test_json_truncated(cut):
    run("probe", "--json", "-t", cut, "8/8/8/4k3/8/8/4P3/4K3 w", code=1).says("KPvK.wdl.treb").is_json()


def test_line_truncated(cut):
    run("line", "-t", cut, "8/8/8/4k3/8/8/4P3/4K3 w", code=1).silent()


def test_stats_json_truncated(cut):
    d = run("stats", "--json", "-t", cut, "KPvK", code=1).says("KPvK.wdl.treb").json()
    assert d["longest"]


def test_info_json_truncated(cut):
    d = run("info", "--json", f"{cut}/KPvK.wdl.treb", code=1).json()
    assert d["error"]["code"] == "damaged"


def test_stats_truncated(cut):
    run("stats", "-t", cut, "KPvK", code=1).says("KPvK.wdl.treb")


def test_verify_truncated(cut):
    run("verify", "-t", cut, "KPvK", code=1).has("KPvK")


def test_the_others_still_answer(cut):
    run("probe", "-t", cut, "8/8/8/4k3/8/8/3Q4/4K3 w")


def test_verify_altered_block(altered):
    run("verify", "-t", altered, "KPvK", code=1).has("KPvK.dtm.treb")


def test_verify_all_one_is_bad(altered):
    run("verify", "-t", altered, code=1).has("^KQvK +right", "1 wrong|1 not checked")


def test_stats_altered_block_the_headers_are_whole(altered):
    run("stats", "-t", altered, "KPvK").has("DTM  White")


# ---- Names of tables that are no tables ----


def make_pipe(path):
    os.mkfifo(path)


def make_socket(path):
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(path)


def make_loop(path):
    os.symlink(os.path.basename(path), path)


def make_device(path):
    os.symlink("/dev/zero", path)


def make_empty(path):
    write(path, "")


ODD = {
    "pipe": (make_pipe, "is not a regular file"),
    "folder": (os.mkdir, "is a directory, not a file"),
    "socket": (make_socket, "is not a regular file"),
    "loop": (make_loop, "cannot open: Too many levels"),
    "device": (make_device, "is not a regular file"),
    "empty": (make_empty, "is empty"),
}
OURS = ["KRvK.wdl.treb", "KRvK.dtz.treb", "KRvK.dtm.treb"]
KRK = "8/8/8/8/8/2K5/1R6/3k4 b"


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("name", OURS + ["KRvK.rtbw", "KRvK.rtbz"])
def test_no_table(folder, kind, name):
    """No command waits for such a file: each that needs it names it, with an exit code."""
    make, what = ODD[kind]
    ours = name.endswith(".treb")
    if ours:
        copy_files("odd", "K[QR]vK.*", link=True)
    else:
        copy_files("odd", "K[QR]vK.*", source=SYZYGY)
    path = os.path.join("odd", name)
    os.unlink(path)
    make(path)
    said = f"{re.escape(path)}: {what}"
    patient = {"timeout": 60}
    run("probe", "-t", "odd", KRK, code=1, **patient).says(said, "verify --checksum")
    run("probe", "-t", "odd", "--json", KRK, code=1, **patient).says(said)
    run("info", "odd", code=1, **patient).says(said)
    if kind != "folder":
        run("info", path, code=1, **patient).says(said)
    run("verify", "-t", "odd", "--checksum", code=1, **patient).has(said)
    run("probe", "-t", "odd", "8/8/8/8/8/2K5/1Q6/3k4 b", **patient).quiet()


def test_odd_files_of_a_folder_are_all_named(folder):
    """By info, and by a command that goes through a whole ending."""
    copy_files("odd", "K[QRBNP]vK.*", link=True)
    for name in ("KPvK.dtz.treb", "KNvK.dtm.treb"):
        if os.path.exists(f"odd/{name}"):
            os.unlink(f"odd/{name}")
        os.mkfifo(f"odd/{name}")
    run("info", "odd", code=1, timeout=60).says("odd/KPvK.dtz.treb: is not", "odd/KNvK.dtm.treb: is not")
    run("find", "-t", "odd", "KPvK", "dtz > 20", code=1, timeout=60).says("odd/KPvK.dtz.treb: is not")


def test_gen_meets_a_pipe(folder):
    """A table takes the place of a pipe with its name."""
    copy_files("odd", "K[QRBN]vK.*", link=True)
    os.mkfifo("odd/KPvK.wdl.treb")
    run("gen", "KPvK", "-t", "odd", timeout=60).quiet()
    assert os.path.isfile("odd/KPvK.wdl.treb")


def test_probe_reads_a_pipe(folder):
    """What a user names may be a pipe: a text of positions."""
    os.mkfifo("positions")
    process = start("probe", "-t", TABLES, "positions", out="answers")
    write("positions", KRK + "\n")
    assert process.wait(60) == 0
    assert "KRvK" in read("answers") or "win" in read("answers") or "loss" in read("answers")
