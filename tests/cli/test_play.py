"""test_play.py - `trebuchet play`."""
import os

import pytest

from tests.support.command import TABLES, TOP, read, run, write

STRATEGIES = os.path.join(TOP, "examples", "strategies")
KR = os.path.join(STRATEGIES, "king-and-rook.lua")


def printed():
    """The strategy as the book prints it: it stalemates."""
    write("printed.lua", read(KR).replace(" and not stalemate end", " end"))


def strategy(material, advice):
    """Writes a strategy with one rule."""
    write("one.lua", f'return {{material = "{material}", rules = {{{{"it"}}}}, advice = {{it = {{{advice}}}}}}}\n')


@pytest.mark.full
@pytest.mark.seconds(5)
def test_play():
    answer = run("play", "-t", TABLES, "-q", "--games", "1000", KR).quiet()
    answer.has("^KRvK, White to move: wins all 21,959 won positions, in 33 moves at most$")
    answer.has("^KRvK, Black to move: wins all 25,260 won", "^  with best play at most 16 moves are needed")
    answer.has(" 14,589   66.4 %  squeeze", "1,000 games: 1,000 won.*all agree with the proof")
    assert run("play", "-t", TABLES, "-q", "-j", "1", KR).lines[:34] == answer.lines[:34]


def test_a_game():
    run("play", "-t", TABLES, KR, "8/8/8/8/3R4/8/2k5/K7 w").quiet().has(
        r"^   4\. Rb2 +Kd4 +squeeze$", r"^  31\. Rf8# +mate in 2$", "^mate after 31 moves$"
    )


def test_black_to_move_first():
    run("play", "-t", TABLES, KR, "8/8/8/8/3R4/8/2k5/K7 b").has(r"^   1. \.\.\. +K", "^mate after")


def test_json_a_game():
    run("play", "--json", "-t", TABLES, KR, "8/8/8/8/3R4/8/2k5/K7 w").is_json().has(
        '"uci":"d4b4","advice":"divide in 2"', '"end":"mate"'
    )


def test_json():
    run("play", "--json", "-q", "-t", TABLES, "-n", "1", KR).is_json().has(
        r'"won":21959,"wins":21959,"longest_moves":33,"can_end_in":\{"no advice":0,', '"best_longest_moves":16'
    )


def test_stalemates():
    printed()
    run("play", "-t", TABLES, "-q", "-n", "20", "printed.lua").has(
        "White to move: wins 21,944 of 21,959",
        "stalemate: in 15 positions with White to move; Black can reach one from 15$",
        r"^    8/8/8/8/8/8/3R4/k1K5 w - - 0 1 \(best 3\)$",
        "^  failures end in 15 positions; the most frequent ones:$",
        r"^ +1  8/8/8/8/8/8/3R4/k1K5 w - - 0 1  stalemate \(divide in 2\)$",
    )


def test_the_game_to_it():
    printed()
    run("play", "-t", TABLES, "printed.lua", "8/8/8/8/8/8/3R4/k1K5 w").has("^stalemate after 1 move$")


def test_two_bishops():
    run("play", "-t", TABLES, f"{STRATEGIES}/two-bishops.lua", "8/8/8/8/4k3/B7/8/K4B2 w").has(
        "#  +press$", "^mate after [1-5][0-9] moves$"
    )


def test_king_and_queen():
    run("play", "-t", TABLES, f"{STRATEGIES}/king-and-queen.lua", "8/8/8/8/3Q4/8/2k5/K7 b").has(
        "#  +mate in 2$", "^mate after [1-9] moves$"
    )


def test_no_advice():
    strategy("KQvK", "better = function() return mate end")
    run("play", "-t", TABLES, "-q", "one.lua").has(
        "^KQvK, White to move: wins 306 of 18,081", "no advice: in 17,775 positions", "failures end in 17,775 positions"
    )


def test_as_many_as_find_finds():
    run("find", "-q", "--count", "--turn", "white", "-t", TABLES, "KQvK", 'verdict == "win" and dtm == 1').has(
        " 306 of"
    )


def test_thrown_away():
    strategy("KQvK", "better = function() return wq == nil or distance(wq, bk) == 1 and distance(wq, wk) > 1 end")
    run("play", "-t", TABLES, "-q", "one.lua").has("win thrown away: in [0-9,]+ positions")


def test_circles():
    strategy("KQvK", 'better = function() return not stalemate and not attacked(wq, "black") and wq ~= nil end')
    run("play", "-t", TABLES, "-q", "one.lua").has(
        "circles: in [0-9,]+ positions", r"^ +[0-9,]+  [^ ]+ w - - 0 1  circles \(it\)$"
    )


def test_json_places():
    printed()
    d = run("play", "--json", "-q", "-n", "100", "-t", TABLES, "printed.lua").json()
    assert sum(p["positions"] for p in d["led_to"]) == d["white_to_move"]["won"] - d["white_to_move"][
        "wins"
    ] > 0 and 0 < d["places"] == len(d["led_to"])
    assert d["led_to"] == sorted(d["led_to"], key=lambda p: -p["positions"])


def test_to_another_ending():
    strategy(
        "KPvK",
        'better = function() return wp == nil or rank(wp) > rank(root.wp) end, us = function(m) return m.man == "p" end',
    )
    run("play", "-t", TABLES, "-q", "--games", "500", "one.lua").has(
        "all agree with the proof", "KPvK, White to move: wins 46,987 of 62,480", "stalemate: in 13"
    )


def test_it_asks_tables():
    strategy("KRvK", 'better = function() return verdict == "win" end')
    run("play", "-t", TABLES, "one.lua", code=2).says("cannot read the tables").silent()


def test_an_error_in_it():
    strategy("KRvK", "better = function() return nothere end")
    run("play", "-t", TABLES, "one.lua", code=2).says("one.lua:1: there is no name 'nothere'").silent()


def test_no_such_field():
    strategy("KRvK", "better = function() return true end, us = function(m) return m.color end")
    run("play", "-t", TABLES, "one.lua", code=2).says("a move has no 'color'")


def test_too_deep():
    strategy("KRvK", "better = function() return true end, depth = 16")
    run("play", "-t", TABLES, "one.lua", code=2).says("one.lua: it: 'depth' must be a number of plies from 1 to 15")


def test_the_wrong_side():
    strategy("KvKR", "better = function() return true end")
    run("play", "-t", TABLES, "one.lua", code=2).says('must be "KRvK"')


def test_pawns_on_both_sides():
    strategy("KPvKP", "better = function() return true end")
    run("play", "-t", TABLES, "one.lua", code=2).says("pawns on both sides")


def test_no_goal():
    strategy("KRvK", "holding = function() return true end")
    run("play", "-t", TABLES, "one.lua", code=2).says("it: 'better' must be a function, not nil")


def test_advice_that_is_not_there():
    write("one.lua", 'return {material = "KRvK", rules = {{"that"}}, advice = {}}\n')
    run("play", "-t", TABLES, "one.lua", code=2).says("a rule names 'that', which is not a piece of advice")


def test_a_rule():
    write("one.lua", "return function() end\n")
    run("play", "-t", TABLES, "one.lua", code=2).says("one.lua returns no table")


def test_time_ends_what_does_not():
    strategy("KRvK", "better = function() while true do end end")
    run("play", "-t", TABLES, "-q", "--time", "1", "one.lua", code=130).says(
        "stopped before there was a result"
    ).silent()


def test_another_ending():
    run("play", "-t", TABLES, KR, "8/8/8/8/3Q4/8/2k5/K7 w", code=2).says(
        "plays White in KRvK, and the position is another ending"
    )


def test_no_file():
    run("play", "-t", TABLES, "nowhere.lua", code=2).says("nowhere.lua")


def test_no_table():
    run("play", "-t", ".", KR, code=3).says("KRvK.wdl.treb is not installed")
