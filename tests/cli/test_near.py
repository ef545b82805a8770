"""test_near.py - `trebuchet near`."""
import re

from tests.support.command import TABLES, run


def test_near():
    run("near", "-t", TABLES, "8/8/8/3k4/8/3KP3/8/8 w").quiet().has(
        "^draw$",
        "^  1  Kd5-c5 +White wins  8/8/8/2k5/8/3KP3/8/8 w - - 0 1$",
        "^Better for Black: none within 4 moves of 2 men$",
    )


def test_the_nearest_first():
    answer = run("near", "-t", TABLES, "-n", "40", "--men", "3", "--moves", "5", "8/8/8/3k4/8/3KP3/8/8 w")
    moves = [int(n) for n in re.findall("^  ([1-5])  ", answer.out, re.M)]
    assert len(moves) == 40 and moves == sorted(moves)
    # Probing each of them says the same, and none is won by a capture.
    fens = re.findall(r"[^ \n]+ [wb] - - 0 1$", answer.out, re.M)[1:]
    values = run("probe", "-t", TABLES, "--output", "tsv", "-", stdin="\n".join(fens) + "\n")
    assert len(fens) == 40
    assert sum(1 for line in values.lines[1:] if re.search("(win|loss)", line)) == 40


def test_turn():
    answer = run("near", "-t", TABLES, "--turn", "black", "8/8/8/3k4/8/3KP3/8/8 w")
    assert not [line for line in answer.lines[1:] if " w - - 0 1" in line]


def test_json():
    run("near", "-t", TABLES, "--json", "8/8/8/3k4/8/3KP3/8/8 w").is_json().has(
        r'"result":"draw",.*"better_for_black":\[\]'
    )


def test_won_already():
    run("near", "-t", TABLES, "8/8/8/2k5/8/8/1Q6/K7 w").lacks("Better for White")


def test_more_men_than_any_table_has():
    run("near", "-t", TABLES, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", code=3).silent()


def test_the_other_side_to_move():
    run("near", "-t", TABLES, "-n", "1", "8/8/4k3/8/4K3/4P3/8/8 w").has(
        "^  0  the other side to move +White wins  8/8/4k3/8/4K3/4P3/8/8 b - - 0 1$"
    )


def test_no_position():
    run("near", "-t", TABLES, "x", code=2).silent()


def test_no_table():
    run("near", "-t", TABLES, "8/8/8/3k4/2r5/3KP3/3R4/8 w", code=3).says("KRPvKR.wdl.treb is not installed").silent()
