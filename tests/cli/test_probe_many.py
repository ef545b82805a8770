"""test_probe_many.py - `trebuchet probe` with files: FEN, EPD and PGN in, TSV, JSON lines and PGN out."""
import os
import pathlib
import random
import re
import shutil
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


ROOK_ROW = (ROOK, "win", "1", "1", "11", "11", "f8=R")


# ---- positions ----------------------------------------------------------------------------------


def test_fens():
    answer = probe(FENS, "-").quiet().has_lines(8)
    answer.has(
        row("fen", "verdict", "dtz", "dtc", "dtm", "dtm50", "best", "line", "id", "played", "judgement", "error"),
        row(*ROOK_ROW, "2", ""),
        row("8/8/8/8/8/2K5/7Q/k7 w - - 0 1", "win", "1", "1", "1", "1", "Qb2#", "4", ""),
        row("7K/8/k1P5/7p/8/8/8/8 w - - 0 1", "draw", "-", "-", "-", "-", "Kg7", "5", ""),
        row("8/8/8/4k3/8/8/3BN3/4K3 w - - 0 1", "win", "57", "57", "57", "57", "Kf2", "6", ""),
        row("8/8/8/4k3/8/8/3BN3/4K3 w - - 50 1", "cursed_win", "57", "57", "57", "-", "Kf2", "7", "KBN", ""),
        row("8/8/8/8/8/1k6/1q6/K7 w - - 0 1", "loss", "0", "0", "0", "0", "-", "8", ""),
        row("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "draw", "-", "-", "-", "-", "-", "9", ""),
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


LATE = """8/6k1/8/5K2/8/8/1P6/8 w - - 0 1
8/6k1/8/5K2/8/8/1P6/8 w - - 90 1
8/6k1/8/5K2/8/8/1P6/8 w - - 99 1
8/8/8/8/8/5k2/1PK5/8 w - - 99 1
8/6k1/8/5K2/8/1P6/8/8 b - - 94 1
"""


def test_mates_within_the_rule(mates):
    """They take as long as the line that is played for them. Without the table those that fit are known."""
    rows = [line.split("\t") for line in run("probe", "-t", mates, "-", stdin=LATE).lines[1:]]
    lines = [run("line", "--json", "-m", "dtm50", "-t", mates, row[0]).json() for row in rows]
    assert [row[5] for row in rows] == [str(line["plies"]) for line in lines]
    assert all(line["end"] == "mate" for line in lines)
    assert sum(int(row[5]) > int(row[4]) for row in rows) == 2
    without = [line.split("\t") for line in probe(LATE, "-").lines[1:]]
    assert [row[:5] for row in without] == [row[:5] for row in rows]
    fits = [int(row[0].split()[4]) + int(row[4]) <= 100 for row in rows]
    assert [row[5] for row in without] == [row[5] if fit else "?" for row, fit in zip(rows, fits)]
    spoilt = run("probe", "-t", mates, "-", stdin="8/6k1/8/5K2/8/8/1P6/8 b - - 100 1\n")
    spoilt.has(row("8/6k1/8/5K2/8/8/1P6/8 b - - 100 1", "blessed_loss", "2", "28", "46", "-"))


def test_mates_within_the_rule_with_a_rounded_dtz(mates, folder):
    """They are those that the exact DTZ gives, or not known."""
    shutil.copytree(mates, "rounded")
    os.remove("rounded/KPvK.dtz.treb")
    run("export", "-q", "--syzygy", "rounded", "KPvK")
    fens = [line.rsplit(" ", 2)[0] for line in run("find", "-q", "-t", mates, "--sample", "200", "--columns", "fen", "KPvK").lines[1:]]
    text = "".join(f"{fen} {83 + i % 13} 1\n" for i, fen in enumerate(fens))
    exact, rounded = (
        [line.split("\t")[5] for line in run("probe", "-t", name, "-", stdin=text).lines[1:]] for name in (mates, "rounded")
    )
    assert all(there in (here, "?") for here, there in zip(exact, rounded))
    assert 0 < rounded.count("?") < 50


def test_beyond_the_tables():
    """This is no error."""
    probe(BEYOND, "-").quiet().has_lines(3).has(row(START, "?", "?", "?", "?", "?", ""))
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
    assert [r[7] for r in rows] == [str(i) for i in range(1, 20001)], "in their order"
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
    answer.has(row("5Q2/7k/8/7K/8/8/8/8 b - - 0 1", "draw", "-", "-", "-", "-", ""))
    answer.has("\t5\t1\\.1\tf8=Q\tblunder\t", "^Ke3 Nc6\terror\t.*\t9\t2\t")


def test_games_as_json():
    d = probe(PGN, "--output", "jsonl", "-", code=2).has_lines(18).json_lines()
    assert [o["played"]["judgement"] for o in d if "played" in o].count("blunder") == 1
    assert d[1]["id"] == "1.1" and d[1]["played"]["san"] == "f8=Q"
    errors = [o["error"] for o in d if "error" in o]
    assert errors[0]["message"].startswith("line 9, move 2. Ke3")
    assert [error["code"] for error in errors] == ["bad_move"]


# ---- odd games ----------------------------------------------------------------------------------

DATA = pathlib.Path(__file__).parents[1]
ODD = DATA / "data" / "odd.pgn"
# Parts that games are made of, in any order.
PARTS = r"""[Event "a"]|[Event "b"]~|[FEN "8/8/8/8/8/2k5/8/K1R5 b - - 0 1"]~|[FEN ""]~|[FEN "x  y"]~|[FEN 8/8/8/8/8/2k5/8/K1R5 b]~
[FEN "4k3/8/8/8/8/8/8/1K5R w K - 0 1"]~|[White "A\\"]~|[White "B\\\" q"]~|[White ACPL "252"]~|[Black: "p"]~|[]~|[Result "1:0"]~
[Result "abandoned"]~|[Result "0-1"]|[Variant "Atomic"]~|[Variant "Chess960"]~|[SetUp "0"]~|[Event foo~|[Event "long~value"]~
[annotator "y"]~|{c}|{|}|{ x [Event "q"] }|{Draw}|{Draw; x}|{White wins, mate in 15}|{a   c}|{~%z~}|{ Trebuchet: x }|; rem {x}~
%esc~|~%esc~|(|(1. d4 {x} (1. c4))|)|( %q~%z)|$1|$4|$300|$70000|$0|$|1.|1...|1\u2026|12|0000|e4|e5|Nf3|Nc6|Kb3|Kb3+-|Rd1\u00b1
Kd3|Kb3N|N|TN|D|(D)|+=|=|\u2020|\u2603|e.p.|ch|--|Z0|1-0|1 - 0|1|-|0|1/2|1/2-1/2|\u00bd|\u00bd \u2013 \u00bd|0.5-0.5|0-0|O-O|*|1-0 ff|* e4
1/2-0|\ufeff|\u00a0|\u2003|\r|\r~|\t|\0|Sf3|\u041a\u04401|[|[x|[x "y"]|"|\\|Ke3|f3|e5 g4 Qh4#|!|?!|e4!?$5|a\u00a0b|~|~~| | """
PARTS = PARTS.replace("\n", "|").replace("~", "\n").encode("ascii").decode("unicode_escape").split("|")
PARTS += ["x" * 90, "\u00e9" * 50, f"[{'x' * 199} 1]", f"[{'x' * 200} 1]", f"[{'x' * 200}\"1\"]"]


def same_again(text):
    """What the command writes it reads again without changing a byte."""
    once = run("probe", "-t", TABLES, "--input", "pgn", "-", stdin=text, code=None)
    twice = run("probe", "-t", TABLES, "--input", "pgn", "-", stdin=once.out, code=None)
    assert once.code in (0, 2) and twice.code in (0, 2)
    assert twice.out == once.out, text
    return once


def test_odd_games():
    answer = same_again(ODD.read_text("utf-8")).says("game 22, line .*: the game is antichess, not chess")
    assert len(answer.messages) == 1
    assert answer.count(r"^\[Event ") == 22
    answer.has(
        r'^\[White ACPL "252"\]', r'^\[Black: "program"\]', r'^\[Annotator "A"\]', r'^\[Annotator "B"\]',
        r"2\. -- \{", r"Kb3 \$146", r"mate in 11; ff\} 1-0$", r"^1\. e4 e5 \*$", r"chess \} 1\. e3 b6 \*$"
    )
    assert answer.count(r'^\[Result "1/2-1/2"\]') == 3 and answer.count(r'^\[Result "1-0"\]') == 4


def test_a_result_that_is_not_understood():
    answer = probe('[Result "abandoned"]\n\n1. e4 1-0\n\n[Result "1-0"]\n\n1. e4 *', "-")
    answer.has(r'^\[Result "abandoned"\]', r'^\[Result "1-0"\]', r"^1\. e4 1-0$")


def test_two_positions_of_a_game():
    text = f'[Event "x"]\n[FEN "{ROOK}"]\n[FEN "{START}"]\n\n1. f8=R *'
    probe(text, "-").says("game 1, line 1: two tags FEN").has(r"1\. f8=R")


@pytest.mark.parametrize("path", sorted(DATA.rglob("*.pgn")), ids=lambda path: path.name)
def test_written_again(path):
    same_again(path.read_text("utf-8"))


@pytest.mark.parametrize("seed", range(6))
def test_odd_parts_written_again(seed):
    chance = random.Random(seed)
    games = []
    for _ in range(60):
        between = chance.choice([" ", " ", "\n", ""])
        games.append(between.join(chance.choices(PARTS, k=chance.randint(1, 14))))
    same_again('\n\n[Event "next"]\n'.join(games))


def test_chess960():
    """Rights of rooks and kings elsewhere than in chess are refused by name; those of chess are read."""
    rights = "1k1r4/8/8/8/8/8/8/RK5R w HA - 0 1"
    assert run("probe", "-t", TABLES, rights, code=3).says("Chess960")
    answer = probe(f'[Variant "Chess960"]\n[FEN "{rights}"]\n\n1. O-O *', "-", code=2).says("tag FEN: .*Chess960")
    answer.has("^1\\. O-O \\*$|\\} 1\\. O-O \\*$")
    chess = "4k2r/8/8/8/8/8/8/R3K3 w Ah - 0 1"
    text = f'[Variant "Chess960"]\n[FEN "{chess}"]\n\n1. e1a1 O-O *'
    assert re.search(r"1\. O-O-O .*O-O", probe(text, "-").quiet().out, re.DOTALL)


# A mate, a stalemate, and games that no table knows.
FULL = """1. f3 e5 2. g4 Qh4# 0-1

1. e3 a5 2. Qh5 Ra6 3. Qxa5 h5 4. h4 Rah6 5. Qxc7 f6 6. Qxd7+ Kf7 7. Qxb7 Qd3 8. Qxb8 Qh7 9. Qxc8 Kg6 10. Qe6 1/2-1/2

1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0

1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5
11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0
"""


def test_full_boards():
    """Positions that no table can know are looked at quickly in games: with the same results."""
    rows = [line.split("\t") for line in probe(FULL, "--output", "tsv", "-").lines[1:]]
    lines = [line.split("\t") for line in probe("\n".join(row[0] for row in rows), "-").lines[1:]]
    assert [row[:6] for row in rows] == [line[:6] for line in lines]
    assert [row[1] for row in rows].count("win") == 3 and [row[1] for row in rows].count("loss") == 4
