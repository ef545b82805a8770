"""test_damaged.py - commands with damaged files."""
import os

import pytest

from tests.support.command import TABLES, copy_files, overwrite, run, truncated


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
