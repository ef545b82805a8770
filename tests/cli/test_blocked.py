"""test_blocked.py - `trebuchet blocked`: kings among blocked pawns, and blocked-pawn tables in other commands."""
import os

import pytest

from tests.support.command import TABLES, copy_files, overwrite, run, write

import xml.dom.minidom

BOOK = "8/8/2p5/k1p1K3/p1P5/P7/8/8 w - - 0 1"
SMALL = "8/8/8/3pK3/2kP4/8/8/8 w - - 0 1"


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


@pytest.fixture(name="worse")
def fixture_worse(ranks):
    """Blocked-pawn tables, one of them damaged and another with a wrong name."""
    os.rename(ranks, "worse")
    overwrite("worse/d4-d5.exact.treb", 200, b"U")
    os.rename("worse/a3c4-a4c5c6.exact.treb", "worse/a3c4-a4c5.exact.treb")
    return "worse"


def test_by_goal():
    run("blocked", "--from", "c7,d6-d7", "--safe", BOOK).quiet().has(
        "Distance 16: White.s king takes a pawn on ply 17", "^    Kf5 +16", r"9\.Kxc6"
    )


def test_table():
    run(
        "blocked", "--from", "c7,d6-d7", "--safe", "--table", "--white-king", "e5-e6", "--black-king", "a5-a7,d8", BOOK
    ).has(r"^ e5  16  10   \*   2", "^ e6   -   9   -   7")


def test_tsv():
    squares = ["--white-king", "e5,c7", "--black-king", "a5,a7,b7"]
    answer = run("blocked", "--from", "c7,d6-d7", "--safe", "--tsv", *squares, BOOK)
    answer.has("^w\te5\ta5\t16$", "^w\te5\ta7\t-$", "^b\tc7\ta5\t1$").lacks("c7\tb7")
    assert answer.count("^[^#]") == 10, "one line a legal placement"


def test_exactly():
    run("blocked", "-t", TABLES, BOOK).quiet().has(
        "^White wins: (at most )?1[79] plies", "^    Kf5", "^  drawing", "^Best play"
    )


def test_check():
    run("blocked", "-t", TABLES, "-p", "0", "--check", BOOK).has(
        "^Checked: [0-9,]+ pawn structures, [0-9,]+ positions by the rules alone, [0-9,]+ of them with the tables: no error"
    )


def test_check_json():
    run("blocked", "-t", TABLES, "-p", "0", "--check", "--json", BOOK).is_json().says("^Checked: .* no error")


def test_check_of_a_goal():
    run("blocked", "--goal", "take", "--check", BOOK, code=2).says("only with --exact")


def test_squares():
    answer = run("blocked", "-p", "1", "-t", TABLES, "--squares", "--svg", "squares.svg", BOOK)
    answer.has(r"Mutual zugzwangs: 15\.", "e6 g6  :  a6")
    xml.dom.minidom.parse("squares.svg")


def test_svg():
    run("blocked", "--goal", "take", "--svg", "-", BOOK).has("^<svg", "</svg>").lacks("Distance")


def test_json():
    d = run("blocked", "-p", "1", "-t", TABLES, "--json", "--squares", BOOK).quiet().json()
    assert d["verdict"] == "white" and d["goal"] == "exact" and d["moves"][0]["san"] == "Kf5" and d["line"][0] == "Kf5"
    assert d["zugzwangs"]["d7"] == ["b7"] and len(d["groups"]) >= 8 and d["attacker"] == "white"


def test_trebuchet():
    run("blocked", "-t", TABLES, "--squares", "8/8/8/3pK3/2kP4/8/8/8 w - - 0 1").has(
        "^Black wins: 2 plies", "the side to move loses, whichever", "Ke5-Kc4|Kc4-Ke5"
    )


def test_a_square_as_goal():
    run("blocked", "--goal", "e3", "--attacker", "white", "8/8/8/8/p2k4/P7/8/3K4 w - - 0 1").has("No distance|Distance")


def test_open():
    run("blocked", "-t", ".", "-p", "0", "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1").has(
        "^Open: Black cannot win; whether White can is not known", "^  open: White wins or draws", "^    Ka2"
    )


def test_write():
    answer = run("blocked", "-p", "1", "-t", TABLES, "--write", "ranks", BOOK).has("^White wins: at most 17 plies")
    answer.says("^trebuchet blocked: wrote ranks/a3c4-a4c5c6.exact.treb: [0-9]+ placements are open")
    assert os.listdir("ranks") == ["a3c4-a4c5c6.exact.treb"]
    run("blocked", "-p", "0", "-t", TABLES, "--write", "ranks", BOOK).says("kept ranks/a3c4-a4c5c6")
    answer = run("blocked", "--goal", "take", "--from", "d6,c7,d7", "--safe", "--write", "ranks", BOOK)
    answer.says("a3c4-a4c5c6.take-d6c7d7-safe.treb")


def test_write_a_small_one():
    path = "ranks/d4-d5.exact.treb"
    answer = run("blocked", "-t", TABLES, "--write", "ranks", SMALL)
    answer.says(f"^trebuchet blocked: wrote {path}$").has("^Black wins: 2 plies")
    before, made = read_bytes(path), os.stat(path).st_mtime_ns
    run("blocked", "-t", TABLES, "--write", "ranks", SMALL).says("exists already")
    assert os.stat(path).st_mtime_ns == made
    mirrored = "8/8/8/4pK2/3kP3/8/8/8 w - - 0 1"
    run("blocked", "-t", TABLES, "--solve", "--write", "ranks", mirrored).says("blocked: wrote ranks/")
    assert read_bytes(path) == before


def test_from_a_file(ranks):
    run("blocked", "-t", ranks, BOOK).says("^trebuchet blocked: answered from ranks/a3c4-a4c5c6.exact.treb").has(
        "^White wins: at most 17 plies", "^    Kf5 +17", "Kxc6$", "^  trebuchet blocked --solve '8"
    )


def test_from_a_file_of_a_goal(ranks):
    run("blocked", "-t", ranks, "--from", "c7,d6-d7", "--safe", BOOK).says("^trebuchet blocked: answered from ").has(
        "^Distance 16"
    )


def test_another_goal(ranks):
    run("blocked", "-t", ranks, "--from", "c7", BOOK).quiet()


def test_tsv_from_a_file(ranks):
    goal = ["--from", "c7,d6-d7", "--safe", "--tsv", BOOK]
    known = run("blocked", "-t", ranks, *goal)
    assert run("blocked", "-t", ranks, "--solve", *goal).quiet().out == known.out


def test_json_from_a_file(ranks):
    d = run("blocked", "-t", ranks, "--json", "8/8/8/3pK3/2kP4/8/8/8 w - - 0 1").json()
    assert (
        d["file"] == "d4-d5.exact.treb"
        and d["verdict"] == "black"
        and d["line_end"] == "capture"
        and d["line_uci"][0] == d["moves"][0]["uci"]
    )


def test_something_open_in_the_file(ranks):
    run("blocked", "-t", ranks, "--tsv", "-p", "0", BOOK).lacks("blocked: answered from")


def test_probe_a_rank_file(ranks):
    run("probe", "-t", ranks, BOOK).quiet().has(
        "^White wins: at most 17 plies", "From ranks/a3c4-a4c5c6.exact.treb. The 50-move rule is ignored"
    )


def test_probe_mirrored(ranks):
    run("probe", "-t", ranks, "8/8/5p2/3K1p1k/5P1p/7P/8/8 w - - 0 1").has("^    Kc5")


def test_probe_colours_exchanged(ranks):
    run("probe", "-t", ranks, "8/8/p7/P1p5/K1P1k3/2P5/8/8 b - - 0 1").has("^Black wins", "^    Kf4")


def test_probe_tables_come_first(ranks):
    run("probe", "-t", ranks, "-t", TABLES, "8/8/8/3pK3/2kP4/8/8/8 w - - 0 1").has("DTM").lacks("blocked-pawn")


def test_probe_json_a_rank_file(ranks):
    d = run("probe", "--json", "-t", ranks, BOOK).json()
    assert (
        d["category"] == "maybe-win"
        and d["dtz"] is None
        and [m["san"] for m in d["moves"] if m["category"] == "maybe-loss"] == ["Kf5"]
    )


def test_probe_json_all_decided(ranks):
    d = run("probe", "--json", "-t", ranks, "8/8/8/3pK3/2kP4/8/8/8 w - - 0 1").json()
    assert (
        d["category"] == "maybe-loss"
        and d["dtc"] == -1
        and all(m["category"] == "maybe-win" and m["dtc"] == 1 for m in d["moves"])
    )


def test_line_a_rank_file(ranks):
    run("line", "-t", ranks, BOOK).has(
        r"^1\. Kf5", r"\{White wins; tables for the position after the capture", 'Result "1-0"'
    ).quiet()


def test_line_json_a_rank_file(ranks):
    run("line", "--json", "-t", ranks, BOOK).has('"rule":"none"', '"end":"unknown"', '"winner":"white"').quiet()


def test_line_a_rank_file_and_tables(ranks):
    run("line", "-t", ranks, "-t", TABLES, BOOK).has(r"^1\. Kf5")


def test_line_into_the_tables(ranks):
    copy_files("kpk", "KPvK.*", "K[QRBN]vK.*")
    run("line", "-t", ranks, "-t", "kpk", SMALL).has("Kxd4", r"#.*\{|Black mates in", 'Result "0-1"')


def test_probe_no_rank_file(ranks):
    run("probe", "-t", ranks, "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", code=3).says(
        "trebuchet blocked --write ranks '8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1'"
    ).has("^Not known")


def test_line_no_rank_file(ranks):
    run("line", "-t", ranks, "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", code=3).says("trebuchet blocked --write")


def test_probe_not_blocked(ranks):
    run("probe", "-t", ranks, "rnbqkbnr/8/8/8/8/8/8/RNBQKBNR w - - 0 1", code=3).lacks("blocked")


def test_info_a_rank_file(ranks):
    run("info", "-t", ranks, "a3c4-a4c5c6.exact.treb").has(
        "KPPvKPPP, .*: White a3 c4, Black a4 c5 c6", "all but [0-9]+ placements"
    )


def test_info_json_a_rank_file(ranks):
    d = run("info", "--json", "-t", ranks, "a3c4-a4c5c6.exact.treb").json()
    assert (
        d["metric"] == ranks
        and d["pawns"] == {"white": ["a3", "c4"], "black": ["a4", "c5", "c6"]}
        and d["goal"] == "exact"
    )
    assert set(d) == set(
        "file material men metric bytes pawns goal squares safe upper_bounds open counts longest".split()
    )


def test_json_not_blocked():
    d = run("blocked", "--json", "8/8/8/8/3P4/8/8/K6k w - - 0 1", code=2).json()
    assert "not blocked" in d["error"]["message"]


def test_info_of_a_goal(ranks):
    run("info", "ranks/a3c4-a4c5c6.take-d6c7d7-safe.treb").has("from d6 c7 d7", "attacks no pawn")


def test_verify_rank_files(ranks):
    run("verify", "-t", ranks).has(
        "d4-d5.exact.treb right: .* 0 of them checked with the tables", "3 pawn files: 3 right"
    ).quiet()


def test_verify_by_the_tables(ranks):
    run("verify", "-t", ranks, "-t", TABLES, "d4-d5.exact.treb").has("right: .* [1-9][0-9,]* of them checked").lacks(
        "KPvK"
    )


def test_verify_json_log(ranks):
    run("verify", "-t", ranks, "--json-log").is_json_lines().has('"event":"ranks".*"ok":true')


def test_verify_damaged(worse):
    run("verify", "-t", worse, code=1).has(
        "d4-d5.exact.treb WRONG: .*damaged", "a3c4-a4c5.exact.treb WRONG: .*its name", "1 right, 2 wrong"
    )


def test_probe_damaged_ranks(worse):
    run("probe", "-t", worse, "8/8/8/3pK3/2kP4/8/8/8 w - - 0 1", code=1).says("d4-d5.exact.treb.*damaged").silent()


def test_damaged_ranks(worse):
    run("blocked", "-t", worse, "8/8/8/3pK3/2kP4/8/8/8 w - - 0 1").says("damaged.*; solving the position instead").has(
        "^Black wins"
    )


def test_write_into_a_file():
    write("afile", "")
    answer = run("blocked", "--write", "afile", "--goal", "take", BOOK, code=1)
    answer.says("cannot create the folder afile: Not a directory").silent()


def test_write_nowhere():
    run("blocked", "--write", "no/such", "--goal", "take", BOOK, code=1).says("cannot create the folder")


def test_write_not_blocked(ranks):
    run("blocked", "--write", ranks, "8/8/8/8/3P4/8/8/K6k w - - 0 1", code=2).says("not blocked")


def test_a_free_pawn():
    run("blocked", "8/8/8/8/3P4/8/8/K6k w - - 0 1", code=2).says("white pawn on d4 is not blocked").silent()


def test_a_capture():
    run("blocked", "8/8/2p5/2Pp4/2PP4/8/8/K6k w - - 0 1", code=2).says("c4 is not blocked: it can take on d5")


def test_a_piece():
    run("blocked", "8/8/8/3pr3/3P4/8/8/K6k w - - 0 1", code=2).says("black rook on e5").silent()


def test_pawn_on_the_first_rank():
    run("blocked", "8/8/8/8/8/8/p7/P6K w - - 0 1", code=2).silent()


def test_no_king():
    run("blocked", "8/8/8/3p4/3P4/8/8/K7 w - - 0 1", code=2).says("king").silent()


def test_king_in_check_out_of_turn():
    run("blocked", "8/8/8/3p4/2KP4/8/8/7k b - - 0 1", code=2).says("check").silent()


def test_bad_squares():
    run("blocked", "--goal", "z9", BOOK, code=2).says("squares such as")


def test_exact_and_goal():
    run("blocked", "--exact", "--goal", "take", BOOK, code=2).says("cannot be used together")


def test_from_with_a_square_as_goal():
    run("blocked", "--goal", "e4", "--from", "e5", BOOK, code=2).says("goal take")


def test_memory_wrong():
    run("blocked", "--memory", "x", BOOK, code=2).says("900M")


def test_too_little_memory():
    run("blocked", "--memory", "1k", BOOK, code=1).says("too little")


def test_svg_nowhere():
    run("blocked", "--goal", "take", "--svg", "no/such.svg", BOOK, code=1).says("cannot write")
