"""test_probe_many.py - `trebuchet probe` with files: FEN, EPD and PGN in, TSV, JSON lines and PGN out."""
import os
import re
import subprocess

import pytest

from tests.support.command import TABLES, TOOL, read, run, write

ROOK = "8/5P1k/8/7K/8/8/8/8 w - - 0 1"
FENS = """# positions
8/5P1k/8/7K/8/8/8/8 w - - 0 1

"8/8/8/8/8/2K5/7Q/k7 w"
[FEN "7K/8/k1P5/7p/8/8/8/8 w - - 0 1"]
https://lichess.org/editor/8/8/8/4k3/8/8/3BN3/4K3_w_-_-_0_1?color=white
8/8/8/4k3/8/8/3BN3/4K3 w - - hmvc 50; id "KBN";
8/8/8/8/8/1k6/1q6/K7 w - -
7k/5Q2/6K1/8/8/8/8/8 b - -
"""
PGN = """[Event "A study"]
[White "M\\"ller"]
[FEN "8/5P1k/8/7K/8/8/8/8 w - - 0 1"]

1. f8=Q {hasty; [%clk 0:01]} (1. f8R Kg7) 1/2-1/2

[Event "No FEN"]

1. e4 e5 2. Ke3 Nc6 1-0

[Event "Reti"]
[FEN "7K/8/k1P5/7p/8/8/8/8 w - - 0 1"]

1.Kg7 h4 2.Kf6 Kb6 3.Ke5 h3 4.Kd6 h2 5.c7 h1Q 6.c8=Q
1/2-1/2
"""
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
BEYOND = f"{START}\n8/2R5/3P4/8/3r4/8/k3p3/4K3 w - -\n"
BAD = f"""x
8/5P1k/8/7K/8/8/8/8 w
8/8/8/8/8/8/8/Kk6 w
https://lichess.org/abcdefgh
{ROOK}
"""


def probe(text, *options, **more):
    """Probes a text as standard input."""
    return run("probe", "-t", TABLES, *options, stdin=text, **more)


def row(*cells):
    """A line of TSV that begins with these cells."""
    return "^" + "\t".join(re.escape(cell) for cell in cells)


ROOK_ROW = (ROOK, "win", "1", "1", "11", "f8=R")


# ---- positions ----------------------------------------------------------------------------------


def test_fens():
    answer = probe(FENS, "-").quiet().has_lines(8)
    answer.has(
        row("fen", "verdict", "dtz", "dtc", "dtm", "best", "line", "id", "played", "judgement", "error"),
        row(*ROOK_ROW, "2", ""),
        row("8/8/8/8/8/2K5/7Q/k7 w - - 0 1", "win", "1", "1", "1", "Qb2#", "4", ""),
        row("7K/8/k1P5/7p/8/8/8/8 w - - 0 1", "draw", "-", "-", "-", "Kg7", "5", ""),
        row("8/8/8/4k3/8/8/3BN3/4K3 w - - 0 1", "win", "57", "57", "57", "Kf2", "6", ""),
        row("8/8/8/4k3/8/8/3BN3/4K3 w - - 50 1", "cursed_win", "57", "57", "57", "Kf2", "7", "KBN", ""),
        row("8/8/8/8/8/1k6/1q6/K7 w - - 0 1", "loss", "0", "0", "0", "-", "8", ""),
        row("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "draw", "-", "-", "-", "-", "9", ""),
    )


def test_the_same_in_other_ways():
    tsv = probe(FENS, "-").out
    write("fens", FENS)
    assert run("probe", "-t", TABLES, "fens").out == tsv
    assert probe(FENS, "--input", "epd", "-").out == tsv
    assert probe(FENS, "-", env={"OMP_NUM_THREADS": "1"}).out == tsv


def test_json_lines():
    d = probe(FENS, "--output", "jsonl", "-").quiet().has_lines(7).json_lines()
    assert [o["line"] for o in d] == [2, 4, 5, 6, 7, 8, 9] and d[4]["id"] == "KBN" and "id" not in d[0]
    assert d[0]["best"]["dtm"] == "f7f8r" and d[0]["moves"][0]["san"] == "f8=R" and d[2]["verdict"] == "draw"


def test_json():
    probe(FENS, "--json", "-").has_lines(7)


def test_fens_as_pgn():
    answer = probe(FENS, "--output", "pgn", "-")
    assert answer.count(r"^\[Event ") == 7
    answer.has(r'^\[Event "KBN"\]', r'^\[FEN "8/5P1k/8/7K/8/8/8/8 w - - 0 1"\]', r"^\{White wins, mate in 6\} \*$")


def test_a_metric():
    probe(FENS, "-m", "dtz", "-").has(row(*ROOK_ROW, "2", ""))


def test_a_text_of_its_own():
    d = run("probe", "-t", TABLES, "--output", "jsonl", ROOK).has_lines(1).json_lines()
    assert d[0]["dtm_plies"] == 11


def test_no_text_at_all():
    probe("", "-").has_lines(1).quiet()


def test_beyond_the_tables():
    """This is no error."""
    probe(BEYOND, "-").quiet().has_lines(3).has(row(START, "?", "?", "?", "?", ""))
    d = probe(BEYOND, "--output", "jsonl", "-").has_lines(2).json_lines()
    assert d[0]["verdict"] is None and len(d[0]["unknown"]) > 0


def test_bad_lines():
    """Errors are reported, and the rest is answered."""
    answer = probe(BAD, "-", code=2).has_lines(6)
    answer.says("line 1: .*'x'", "line 3: .*side by side", "line 4: .*no FEN in it")
    answer.has("^x\terror\t", row(*ROOK_ROW, "5", ""))


def test_bad_lines_json():
    d = probe(BAD, "--output", "jsonl", "-", code=2).has_lines(5).json_lines()
    codes = [o["error"]["code"] if "error" in o else None for o in d]
    assert codes == ["bad_fen", None, "bad_position", "bad_fen", None] and d[0]["text"] == "x"


def test_bad_lines_pgn():
    answer = probe(BAD, "--output", "pgn", "-", code=2).has("^; line 1: ")
    assert answer.count(r"^\[Event ") == 2


def test_many_bad_lines():
    probe("x\n" * 100, "-", code=2).has_lines(101).says("80 more like these")


def test_files_that_cannot_be_read():
    run("probe", "-t", TABLES, "nowhere.pgn", code=1).says("cannot read nowhere.pgn: No such file")
    run("probe", "-t", TABLES, ".", code=1).says("cannot read .*: Is a directory")


def test_wrong_options():
    run("probe", "-t", TABLES, "--input", "x", "-", code=2).says("fen, epd or pgn")
    run("probe", "-t", TABLES, "--output", "x", "-", code=2).says("tsv, jsonl or pgn")


LONG = "".join(f"8/5P1k/8/7K/8/8/8/8 w - - {i % 90} {i + 1}\n" for i in range(20000))


def test_20000_lines():
    rows = [line.split("\t") for line in probe(LONG, "-").has_lines(20001).lines[1:]]
    assert [r[6] for r in rows] == [str(i) for i in range(1, 20001)], "in their order"
    assert {r[1] for r in rows} == {"win"}, "the clock counts"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk():
    with open("/dev/full", "wb") as full:
        probe(LONG, "-", stdout=full, code=1).says("cannot write")


def test_an_answer_at_once():
    """A line is answered as soon as it is there."""
    words = [TOOL, "probe", "-t", TABLES, "-"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as process:
        process.stdin.write("8/5P1k/8/7K/8/8/8/8 w\n")
        process.stdin.flush()
        process.stdout.readline()
        assert process.stdout.readline().split("\t")[0] == ROOK
        process.stdin.close()
        assert process.wait() == 0


# ---- games --------------------------------------------------------------------------------------


def test_games():
    answer = probe(PGN, "-", code=2).says(r"^trebuchet probe: game 2, line 9, move 2\. Ke3: no such move")
    answer.has(
        r'^\[White "M\\"ller"\]',
        r"^\{White wins, mate in 6\} 1\. f8=Q \$4 \{Stalemate; hasty; \[%clk 0:01\]\} \(1\. f8=R$",
        r"^\{White wins, mate in 6\}\) \(1\. f8R",
        r"\(1\. f8R Kg7\)",
        r"5\. c7 \{Draw\} 5\.\.\. h1=Q \{Draw\}",
    )
    assert "not read: Ke3 Nc6 } 1-0 " in answer.out.replace("\n", " "), "nothing is lost"
    assert answer.count(r"^\[Event ") == 3
    assert answer.count("^.{81}") == 0


def test_games_from_a_file():
    write("pgn", PGN)
    assert run("probe", "-t", TABLES, "pgn", code=2).out == probe(PGN, "-", code=2).out


def test_annotated_twice():
    """Games 1 and 3 stay as they are."""

    def kept(answer):
        return [line for line in answer.lines if "Trebuchet:" not in line and "not read" not in line]

    once = probe(PGN, "-", code=2)
    assert kept(probe(once.out, "-")) == kept(once)


def test_two_files():
    write("pgn", PGN)
    write("fens", FENS)
    run("probe", "-t", TABLES, "pgn", "fens", code=2).says("pgn: game 2").has("^fen\tverdict")
    assert read("pgn") == PGN


def test_games_as_tsv():
    answer = probe(PGN, "--output", "tsv", "-", code=2).has_lines(19)
    answer.has(row("5Q2/7k/8/7K/8/8/8/8 b - - 0 1", "draw", "-", "-", "-", ""))
    answer.has("\t5\t1\\.1\tf8=Q\tblunder\t", "^Ke3 Nc6\terror\t.*\t9\t2\t")


def test_games_as_json():
    d = probe(PGN, "--output", "jsonl", "-", code=2).has_lines(18).json_lines()
    assert [o["played"]["judgement"] for o in d if "played" in o].count("blunder") == 1
    assert d[1]["id"] == "1.1" and d[1]["played"]["san"] == "f8=Q"
    errors = [o["error"] for o in d if "error" in o]
    assert errors[0]["message"].startswith("line 9, move 2. Ke3")
    assert [error["code"] for error in errors] == ["bad_move"]
