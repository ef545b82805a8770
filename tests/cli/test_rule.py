"""test_rule.py - `trebuchet rule`, and the rules in examples/rules/."""
import glob
import os
import re

import pytest

from tests.support.command import TABLES, TOP, read, run, write

RULES = os.path.join(TOP, "examples", "rules")
FILES = sorted(glob.glob(os.path.join(RULES, "*.lua")))
FIGURES = read(os.path.join(RULES, "figures.jsonl")).splitlines()
BAD = "return function() return nothere end\n"
ENDLESS = "return function() while true do end end\n"
ENDLESS_FILE = "while true do pcall(function() while true do end end) end\n"
BY_TURN = 'return function() if turn == "black" then return "not win", "by turn" end end\n'


def test_rule():
    run("rule", "-t", TABLES, "-q", f"{RULES}/square.lua", "KPvK").quiet().has(
        r"^KPvK: applies to 132,739 of 165,676 positions \(80\.1 %\), wrong 5,740 ",
        "^  win +49,746  wrong 2 .*: draw 2  - outside the square$",
    )


def test_always_right():
    run("rule", "-t", TABLES, "-q", f"{RULES}/lone-king.lua", "KQvK", "KBvK").has(
        "^  not win +28,056  always right  - a king alone$"
    ).lacks("wrong [1-9]")


def test_of_the_whole_of_each():
    run("rule", "-t", TABLES, "-q", "-n", "0", f"{RULES}/lone-king.lua", "KPvK").has("applies to 165,676 of 165,676")


def test_show():
    answer = run("rule", "-t", TABLES, "-q", "-n", "7", f"{RULES}/key-squares.lua", "KPvK")
    assert answer.count(" b - - 0 1  draw$") == 7


def test_turn():
    run("rule", "-t", TABLES, "-q", "--turn", "white", f"{RULES}/key-squares.lua", "KPvK").lacks("loss").has(
        "always right"
    )


def test_json():
    run("rule", "-t", TABLES, "--json", f"{RULES}/wrong-bishop.lua", "KBPvK").is_json_lines().has(
        '"silent":9368627,"complete":true,', '"wrong":0'
    )


def test_a_set_without_exceptions():
    run("rule", "-t", TABLES, "-q", f"{RULES}/kpvk.lua", "KPvK").has(
        r"^KPvK: applies to 165,676 of 165,676 positions \(100.0 %\), wrong 0 \(0 %\)$"
    )


def test_a_statement():
    run("rule", "-t", TABLES, "-q", f"{RULES}/right-corner.lua", "KBNvK").has(
        "^  false +9  - mate in the wrong corner$"
    )


def test_one_position():
    run("rule", "-t", TABLES, f"{RULES}/square.lua", "8/8/8/8/K7/8/P1k5/8", "b").has(
        r"^By the table of KPvK: loss\.$",
        r"^The rule says: draw - in the square, and nearer to the pawn\. It is wrong\.$",
    )


def test_one_position_colours_exchanged():
    run("rule", "-t", TABLES, f"{RULES}/square.lua", "8/p1K5/8/k7/8/8/8/8 w").has(
        r"^By the table of KPvK: loss\.$", "It is wrong"
    )


def test_silent():
    run("rule", "-t", TABLES, "--json", f"{RULES}/key-squares.lua", "8/8/8/8/K7/8/P1k5/8 b").is_json_lines().has(
        '"verdict":"loss","says":null,"ground":null,"right":null'
    )


def test_a_statement_of_one_position():
    run("rule", "-t", TABLES, f"{RULES}/right-corner.lua", "8/8/8/8/8/8/2N5/kBK5 b").has(
        r"^The rule says: false - mate in the wrong corner\.$"
    )


def test_a_position_without_a_table():
    run("rule", "-t", TABLES, f"{RULES}/square.lua", "8/8/8/8/K7/8/PPPP1k2/8 b", code=3)


def test_no_position():
    run("rule", "-t", TABLES, f"{RULES}/square.lua", "8/8/8/8/K7/8/P1k5 b", code=2)


def test_html():
    run("rule", "-t", TABLES, "-q", "--html", "errors.html", f"{RULES}/square.lua", "KPvK")
    page = read("errors.html")
    assert page.count("<figure>") == 8 and '<span class="d w">&#9818;' in page
    assert "</html>" in page.splitlines()[-1]


def test_html_2():
    run("rule", "-t", TABLES, "-q", "--html", "-", f"{RULES}/opposition.lua", "KPvK").has("^<!doctype html>").lacks(
        r"applies to [0-9,]+ of [0-9,]+ positions \("
    )


def test_time():
    run("rule", "-t", TABLES, "-q", "--time", "60", f"{RULES}/opposition.lua", "KPvK").has("White has to give way")


def test_an_error_in_it():
    write("bad.lua", BAD)
    run("rule", "-t", TABLES, "bad.lua", "KPvK", code=2).says(
        "^trebuchet rule: bad.lua:1: there is no name 'nothere'"
    ).silent()


def test_time_ends_what_does_not():
    write("endless.lua", ENDLESS)
    run("rule", "-t", TABLES, "-q", "--time", "1", "endless.lua", "KPvK", "KQvK").says(
        "KPvK: stopped early", "KQvK: not tested"
    )


def test_time_ends_what_is_read_without_end():
    write("endless.lua", ENDLESS_FILE)
    run("rule", "-t", TABLES, "-q", "--time", "1", "endless.lua", "KPvK").says("KPvK: stopped early")


def test_time_one_position():
    write("endless.lua", ENDLESS_FILE)
    run("rule", "-t", TABLES, "--time", "1", "endless.lua", "8/8/8/8/K7/8/P1k5/8 b", code=130).says(
        "stopped before the rule gave an answer"
    ).silent()


def test_play_time_too():
    write("endless.lua", ENDLESS_FILE)
    run("play", "-t", TABLES, "-q", "--time", "1", "endless.lua", code=130).says("stopped before there was a result")


def test_html_json():
    write("bad.lua", BAD)
    run("rule", "-t", TABLES, "--html", "-", "--json", "bad.lua", "KPvK", code=2).says("standard output")


def test_html_an_error():
    write("bad.lua", BAD)
    write("kept.html", "old\n")
    run("rule", "-t", TABLES, "--html", "kept.html", "bad.lua", "KPvK", code=2)
    assert read("kept.html") == "old\n", "the page is as it was"


def test_turn_the_same_men_on_both_sides():
    write("turn.lua", BY_TURN)
    run("rule", "-t", TABLES, "-q", "--turn", "black", "turn.lua", "KNvKN").has("applies to 1,567,222 of 1,567,222")


def test_the_same_men_on_both_sides():
    write("turn.lua", BY_TURN)
    run("rule", "-t", TABLES, "-q", "turn.lua", "KNvKN").has("applies to 0 of 1,567,222")


def test_no_file():
    run("rule", "-t", TABLES, "nowhere.lua", "KPvK", code=2).says("nowhere.lua").silent()


def test_no_material():
    write("bad.lua", BAD)
    run("rule", "-t", TABLES, "bad.lua", code=2).says("name a material").silent()


def test_no_table():
    run("rule", "-t", TABLES, f"{RULES}/lucena.lua", "KRPvKR", code=3).says("KRPvKR.wdl.treb is not installed").silent()


def trials(path):
    """The materials that a rule is tried on."""
    return " ".join(re.findall("^-- On trial: (.*)", read(path), re.M)).split()


@pytest.mark.parametrize("path", FILES, ids=os.path.basename)
def test_figures(path):
    """What the server says of rules is right: there is a line for each, and those of small endings are computed again.
    `make rules` makes them."""
    name = f"rules/{os.path.basename(path)}"
    for material in trials(path):
        found = [line for line in FIGURES if f'{{"rule":"{name}","material":"{material}",' in line]
        assert len(found) == 1
        if material == "KPvK":
            answer = run(
                "rule", "-t", TABLES, "-q", "--json", "--show", "6", name, material, cwd=os.path.dirname(RULES)
            )
            assert answer.lines == found


@pytest.mark.parametrize("path", [p for p in FILES if not p.endswith("/lib.lua")], ids=os.path.basename)
def test_has_a_source_and_an_ending(path):
    assert trials(path)[0][0] == "K"
    assert re.search("[Bb]ook|[0-9]{4}|mated", read(path))
