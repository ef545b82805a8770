"""test_folders.py - room on the disk, and folders that may not be written or read."""
import os
import re
import shutil

import pytest

from tests.support.command import TABLES, TOOL, TOP, copy_files, execute, read, run

# The rows of tables of up to five men: material, metric, bytes.
ROWS = [row.split()[:3] for row in read(os.path.join(TOP, "tables", "manifest.tsv")).splitlines()[1:]]
ROWS = [row for row in ROWS if len(row[0]) <= 6]

# ---- room ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("words,left_out", [([], "dtm50"), (["-m", "all5"], None)])
def test_estimate_of_all_tables(words, left_out):
    """Compared with the list that is kept of all 145 tables."""
    d = run("gen", "-e", "--json", "--men", "5", *words, "-t", "none").json()
    assert 0.9 < d["total"]["result_bytes"] / sum(int(size) for _, of, size in ROWS if of != left_out) < 1.1
    scratch = sum(t["scratch_bytes"] for t in d["tables"])
    assert d["total"]["scratch_bytes"] > scratch > d["total"]["result_bytes"]


@pytest.mark.parametrize("metric", ["wdl", "dtz", "dtc", "dtm"])
def test_estimate_of_one_metric(metric):
    """Without DTZ files the DTC files of tables without pawns have cells of their own: as many bytes as those."""
    d = run("gen", "-e", "--json", "-m", metric, "--men", "5", "-t", "none").json()
    own = {name: "dtz" if metric == "dtc" and "P" not in name else metric for name, _, _ in ROWS}
    kept = sum(int(size) for name, of, size in ROWS if of in ("wdl", own[name]))
    assert 0.9 < d["total"]["result_bytes"] / kept < 1.1


def test_estimate_of_export():
    answer = run("export", "-e", "--men", "5", "-s", "none")
    answer.has("^disk +about [0-9.]+ [MG]B, and [0-9.]+ [MG]B of scratch files while it runs$")


def test_no_room():
    """No disk has the room for 8 men. They are given the memory, so that it is not the reason."""
    words = ["-M", "1000000T"]
    answer = run("gen", "-e", *words, "-t", "none", "KQRBvKQRN")
    if not answer.count(r" of disk \("):
        pytest.skip("this machine has terabytes to spare")
    answer.has(
        r"^here +not possible now: it takes about [0-9.]+ TB of disk \([0-9.]+ TB, and [0-9.]+ [GT]B while it runs\), "
        "and [0-9.]+ [kMGT]?B are free in none$"
    )
    answer = run("gen", *words, "-t", "none", "KQRBvKQRN", code=1).silent()
    answer.says(
        "^trebuchet gen: this takes about .* of disk .* free in none: name another folder, .*--metric, .*--force"
    )
    answer = run("gen", "--json", *words, "-t", "none", "KQRBvKQRN", code=1)
    message = answer.fails_with("failed")["message"]
    assert len(message) >= 6 and answer.messages[0] == f"trebuchet gen: {message}"
    answer = run("export", *words, "-s", "none", "KQRBvKQRN", code=1)
    answer.says("^trebuchet export: this takes about .* of disk").lacks("--metric")
    assert not os.path.exists("none")


def test_force():
    run("gen", "-q", "--force", "-t", "forced", "KQvK").silent()


@pytest.mark.parametrize("name", ["new", "new/", "new//", "{}/new/"])
def test_a_folder_that_can_be_made(folder, name):
    run("gen", "-e", "-t", name.format(folder), "KQvK").has("^here +possible: ")
    assert not os.path.exists("new")


def test_scratch_files_of_an_earlier_run():
    run("gen", "-q", "--keep-scratch", "-m", "wdl", "-t", "kept", "KPvK")
    os.remove("kept/KPvK.wdl.treb")
    d = run("gen", "-e", "--json", "-m", "wdl", "-t", "kept", "KPvK").json()
    assert len(d["tables"]) > 4 and d["total"]["result_bytes"] > 0
    assert sum(t["scratch_bytes"] for t in d["tables"]) == 0
    shutil.rmtree("kept/.scratch")
    d = run("gen", "-e", "--json", "-m", "wdl", "-t", "kept", "KPvK").json()
    assert sum(t["scratch_bytes"] for t in d["tables"]) > 0


# ---- permissions ---------------------------------------------------------------------------------


@pytest.fixture(name="as_user")
def fixture_as_user(folder):
    """Runs the command as a user who is not root: root may read and write everything."""
    words = [TOOL]
    if os.getuid() == 0:
        os.chmod(folder, 0o755)
        shutil.copy(TOOL, "trebuchet")
        os.chmod("trebuchet", 0o755)
        words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", os.path.join(folder, "trebuchet")]
        if execute(*words, "--version", code=None).code != 0:
            pytest.skip("only root can run the command here")
    return lambda *more, **options: execute(*words, *more, **options)


@pytest.fixture(name="locked")
def fixture_locked(folder):
    os.mkdir("locked", 0o555)
    return "locked"


@pytest.fixture(name="closed")
def fixture_closed(folder):
    copy_files("closed", "KRvK.*")
    os.chmod("closed", 0o700 if os.getuid() == 0 else 0)
    yield "closed"
    os.chmod("closed", 0o700)


@pytest.mark.parametrize("command, option", [("gen", "-t"), ("export", "-s")])
def test_a_folder_that_may_not_be_written(as_user, locked, command, option):
    answer = as_user(command, option, locked, "KQvK", code=1).silent()
    answer.says(f"^trebuchet {command}: cannot write into the folder locked: Permission denied$")
    answer = as_user(command, option, locked, "-e", "KQvK")
    answer.has("^here +not possible now: it needs to write into locked: Permission denied$")


def test_json_a_folder_that_may_not_be_written(as_user, locked):
    answer = as_user("gen", "--json", "-t", locked, "KQvK", code=1)
    assert answer.messages[0] == f"trebuchet gen: {answer.fails_with('failed')['message']}"


def test_a_folder_that_may_not_be_made(as_user, locked):
    answer = as_user("gen", "-t", f"{locked}/new", "KQvK", code=1)
    answer.says("^trebuchet gen: cannot create the folder locked/new: Permission denied$")


def test_blocked_a_folder_that_may_not_be_written(as_user, locked):
    words = ["blocked", "--write", locked, "--goal", "take", "8/8/8/3pK3/2kP4/8/8/8 w - - 0 1"]
    answer = as_user(*words, code=1)
    answer.says("^trebuchet blocked: cannot write into the folder locked: Permission denied$")


# What may not be read is not reported as missing.
READING = ["probe -t closed 8/8/8/8/8/2k5/1q6/K7_w", "serve --port 0 -t closed", "compare closed closed", "info closed"]


@pytest.mark.parametrize("words", READING, ids=lambda words: words.split()[0])
def test_a_folder_that_may_not_be_read(as_user, closed, words):
    answer = as_user(*words.split(), code=1).silent().lacks("explains how to make")
    answer.says(f"^trebuchet {words.split()[0]}: {closed}: cannot open: Permission denied$")
    answer.says(r"^Its owner must allow you to read it: 'ls -ld closed' shows who that is\.$")


@pytest.mark.parametrize("words", ["closed/KRvK.dtz.treb", "closed/x.treb", "-t closed KRvK.dtz"])
def test_info_of_what_may_not_be_read(as_user, closed, words):
    answer = as_user("info", *words.split(), code=1).silent().lacks("no file")
    answer.says(rf"^trebuchet info: {closed}/[KRvx.dtzreb]+: cannot open: Permission denied$", "'ls -ld closed' shows")


def test_verify_of_what_may_not_be_read(as_user, closed):
    answer = as_user("verify", f"{closed}/KRvK.dtz.treb", code=1).lacks("does not exist")
    answer.has("^KRvK +not checked: .*cannot open: Permission denied$")


def test_a_server_that_cannot_be_reached():
    """No port below 2 has a server. Alone it is an error, beside a folder a warning."""
    nowhere, position = "http://127.0.0.1:1/tables", "8/8/8/3k4/8/3K4/4R3/8 w - - 0 1"
    both = run("probe", "-t", nowhere, "-t", TABLES, position)
    both.has("White wins").says(r"warning: .*127\.0\.0\.1.*; the other folders are used")
    run("probe", "-t", nowhere, position, code=1).says(r"127\.0\.0\.1").lacks("other folders")


def test_there_is_a_list_of_tables():
    assert len(ROWS) == 5 * 145 and re.fullmatch("K[A-Zv]*", ROWS[0][0]) and os.path.isdir(TABLES)
