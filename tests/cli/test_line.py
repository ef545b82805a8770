"""test_line.py - `trebuchet line`."""
import re

import pytest

from tests.support.command import TABLES, copy_files, run

KBNK = "8/8/8/4k3/8/8/3BN3/4K3 w - - 0 1"
UNDER = "8/5P1k/8/7K/8/8/8/8 w - - 0 1"
# With this clock the shortest mate comes too late.
PUSH = "8/8/8/8/8/8/k1P5/4K3 w - - 90 1"


def test_line():
    answer = run("line", "-t", TABLES, KBNK).quiet()
    answer.has(r'^\[FEN "8/8/8/4k3/8/8/3BN3/4K3 w - - 0 1"\]', r'^\[SetUp "1"\]', r'^\[Result "1-0"\]')
    answer.has(r"# \{White mates in 29", "1-0$")
    assert answer.count("^.{81}") == 0
    moves = re.sub(r"\{[^}]*\}", "", answer.out.split("\n\n", 1)[1].replace("\n", " "))
    assert len(re.findall(r"[A-Za-h][A-Za-h0-9=x+#-]*[0-9QRBN][+#]?", moves)) == 57


@pytest.mark.parametrize("metric", ["dtm", "dtc", "dtz"])
def test_metric(metric):
    run("line", "-m", metric, "-t", TABLES, UNDER).has("#", r"^1\. f8=R")


def test_black_begins():
    run("line", "-t", TABLES, "8/8/8/8/8/2K5/7Q/1k6 b - - 0 7").has(r"^7\.\.\. Ka1")


def test_draw():
    run("line", "-t", TABLES, "7K/8/k1P5/7p/8/8/8/8 w").has("1/2-1/2", "draw")


def test_cursed():
    run("line", "-t", TABLES, "8/8/8/4k3/8/8/3BN3/4K3 w - - 60 90").has(r'^\[Result "1/2-1/2"\]', "50-move")


def test_cursed_without_the_rule():
    run("line", "--no-rule", "-t", TABLES, "8/8/8/4k3/8/8/3BN3/4K3 w - - 60 90").has(
        r'^\[Result "1-0"\]', "ignored"
    ).quiet()


def test_the_rule_lengthens_it():
    run("line", "--json", "-t", TABLES, PUSH).is_json_lines().quiet().has('"rule":"50"', '"end":"mate"')


def test_json():
    run("line", "--json", "--no-rule", "-t", TABLES, KBNK).is_json_lines().quiet().has(
        '"rule":"none"', '"plies":57', '"winner":"white"', '"dtm_plies":1[,}]'
    )


def test_json_no_table():
    run("line", "--json", "-t", ".", KBNK, code=3).says("KBNvK")


def test_checkmate():
    run("line", "-t", TABLES, "8/8/8/8/8/2K5/1Q6/k7 b").has("1-0$")


def test_no_table():
    run("line", "-t", ".", KBNK, code=3).says("KBNvK").silent()


def test_bad_fen():
    run("line", "-t", TABLES, "x", code=2).silent()


def test_json_of_a_line():
    d = run("line", "--json", "-t", TABLES, KBNK).quiet().json()
    assert set(d) == set("fen metric rule verdict winner end plies moves pgn".split())
    assert d["plies"] == 57 == len(d["moves"])
    assert d["pgn"] == run("line", "-t", TABLES, KBNK).out and d["winner"] == "white"


def test_json_no_table_as_an_error():
    copy_files("three", "K?vK.*.treb", link=True)
    d = run("line", "--json", "-t", "three", KBNK, code=3).json()
    assert d["error"]["code"] == "no_table" and "KBNvK" in d["error"]["message"]


def test_json_bad_fen():
    d = run("line", "--json", "x", code=2).json()
    assert d["error"]["code"] == "bad_fen"


def test_wrong_metric():
    run("line", "-m", "wdl", "-t", TABLES, KBNK, code=2).silent()
