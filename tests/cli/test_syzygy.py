"""test_syzygy.py - commands with Syzygy's files."""
import re

from tests.support.command import SYZYGY, TABLES, copy_files, run, truncated

KRK = "8/8/8/8/8/4k3/8/RK6 w - - 0 1"


def test_syzygy():
    answer = run("probe", "-t", SYZYGY, KRK).has(r"^White wins\.", "DTZ  23 or 24 plies to", "DTM  not known").quiet()
    answer.has(r"Ra4 +\? +\? +23\+", r"33\+ means 33 or 34 plies")
    assert re.search(r"^  winning.*\n.*Ra4", answer.out, re.M), "the best move comes first"


def test_a_clock_on_the_edge():
    run("probe", "-t", SYZYGY, "8/8/8/8/8/4k3/8/RK6 w - - 77 90").has("the 50-move rule saves Black")


def test_json():
    d = run("probe", "--json", "-t", SYZYGY, KRK).quiet().json()
    assert d["category"] == "win" and d["dtz"] == 23 and d["precise_dtz"] is None and d["dtm"] is None
    assert d["moves"][0]["uci"] == "a1a4" and d["moves"][0]["dtz"] == -22


def test_json_on_the_edge():
    d = run("probe", "--json", "-t", SYZYGY, "8/8/8/8/8/4k3/8/RK6 w - - 77 90").json()
    assert d["category"] == "syzygy-win" and d["moves"][0]["category"] == "syzygy-loss"


def test_exact():
    d = run("probe", "--json", "-t", SYZYGY, "8/8/8/8/8/2K5/7Q/k7 w").json()
    assert d["moves"][0]["checkmate"] and d["moves"][0]["precise_dtz"] == -1


def test_line():
    run("line", "-t", SYZYGY, KRK).has("# .*White mates in 12 moves")


def test_both_kinds_ours_answers():
    d = run("probe", "--json", "-t", SYZYGY, "-t", TABLES, KRK).json()
    assert d["precise_dtz"] == d["dtz"] == d["dtm"] == 23


def test_stats():
    run("stats", "-t", SYZYGY, "KRvK").has("not known: Syzygy").lacks(" 0 ")


def test_info():
    run("info", f"{SYZYGY}/KRvK.rtbz").has("wins rounded, losses rounded", "KRvK, 3 men")


def test_info_json():
    d = run("info", "--json", f"{SYZYGY}/KPvK.rtbw").json()
    assert d["format"] == "syzygy" and d["metric"] == "wdl" and d["stored"]["black"] and d["exact"]["wins"]


def test_info_of_a_folder():
    run("info", SYZYGY).has("^KPvK +wdl dtz", "12 tables of 6 materials")


def test_torn():
    copy_files("torn", "*", source=SYZYGY)
    truncated(f"{SYZYGY}/KRvK.rtbz", 4000, "torn/KRvK.rtbz")
    run("probe", "-t", "torn", KRK, code=1).has("^White wins", "DTZ  not known: damaged").says(
        "torn/KRvK.rtbz: is not complete", "verify --checksum torn/KRvK.rtbz"
    )
    run("info", "torn/KRvK.rtbz", code=1).says("KRvK.rtbz", "not complete")
