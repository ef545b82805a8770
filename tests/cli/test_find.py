"""test_find.py - `trebuchet find`."""
import csv
import json
import os
import re

import pytest

from tests.support.command import DATA, DOCS, TABLES, read, run, write


def test_zugzwang_count():
    run("find", "-t", TABLES, "-z", "--count", "-q", "KPvKP", "KPvK", "KQvK").quiet().has(
        r"^KPvKP +121 of 3,718,044 positions\. In 15 the side to move loses; in 106 one side loses if it must move$",
        r"^KPvK +80 of 165,676 positions\. .* in 0 White and in 80 Black loses if it must move$",
        r"^KQvK +0 of 46,137 positions$",
    )


def test_find():
    answer = run("find", "-t", TABLES, "-z", "KPvK").says(r"^KPvK +80 of 165,676 positions\. .*\([0-9:]+\)$")
    answer.has_lines(80)
    assert answer.count(r"^[1-8KkP/]+ w - - 0 1$") == 80
    assert len(set(answer.lines)) == 80, "each only one way round"


def test_turn():
    run("find", "-t", TABLES, "-q", "-z", "--turn", "black", "KPvK").quiet().lacks(" w - -")


def test_the_trebuchet():
    answer = run("find", "-t", TABLES, "-q", "-z", "--tsv", "KPvKP", 'zugzwang == "full"')
    answer.has_lines(16)
    assert answer.count("\tloss\tfull\t") == 15


def test_only_move_epd():
    run("find", "-t", TABLES, "-q", "-o", "--epd", "KPvK", 'wp == "a7"').has(
        '^[^ ]+ [wb] - - bm [^;]+; c0 "draw";$'
    ).lacks("loss")


def test_longest():
    answer = (
        run("find", "-t", TABLES, "-q", "--longest", "--json", "KQvKR")
        .is_json_lines()
        .has(
            '"verdict":"win",.*"dtm_plies":69}',
            r'^\{"event":"material","material":"KQvKR","positions":2467122,"found":10,',
            r'^\{"event":"done","materials":1,"found":10,"stopped":false\}$',
        )
    )
    assert answer.count(r'dtm_plies":69}') == 10, "all are as long as stats says"


def test_longest_turn():
    answer = run("find", "-t", TABLES, "-q", "--longest", "--turn", "black", "--tsv", "KQvKR")
    assert answer.count("\t37\tKQvKR\tblack\t") == 23, "those of the rook"


def test_the_same_men_on_both_sides_black_to_move():
    run("find", "-t", TABLES, "-q", "--turn", "black", "--count", "KPvKP").has("^KPvKP +3,718,044 of 3,718,044 ")


def test_z_a_condition_that_is_not_the_same_for_both_colours():
    run("find", "-t", TABLES, "-q", "-z", "--count", "KPvKP", 'verdict == "loss" and zugzwang == "half"').has(
        "^KPvKP +106 of"
    )


def test_z_a_condition_that_is():
    run("find", "-t", TABLES, "-q", "-z", "--count", "KPvKP", 'zugzwang == "half"').has("^KPvKP +106 of")


def test_first_more_than_there_are():
    answer = run("find", "-t", TABLES, "-q", "-s", "-n", "9223372036854775807", "--columns", "fen", "KQvK")
    assert len(answer.lines) > 40000


def test_count_first():
    answer = run("find", "-t", TABLES, "-q", "--count", "-n", "1", "-z", "KPvKP", "KPvK", "KPvK")
    answer.has_lines(2)


def test_sort_first():
    answer = run("find", "-t", TABLES, "-q", "-s", "-n", "3", "--tsv", "KBBvK")
    assert [line.split("\t")[6] for line in answer.lines[-3:]] == ["38"] * 3


def test_first():
    answer = run("find", "-t", TABLES, "-q", "-n", "5", "--columns", "material", "KRvK", "KQvK")
    assert answer.lines == ["material"] + 5 * ["KRvK"] + 5 * ["KQvK"], "of each ending"
    assert len(run("find", "-t", TABLES, "-q", "-n", "2", "--men", "3").lines) == 10


@pytest.mark.parametrize("words", ["KQvK KRvK", "--turn black KPvK", "-m dtz KRvK", "KBvK"])
def test_sort_by_the_headers(words):
    """With -n, what the headers say decides which positions are not looked at. Without it, all are."""
    words = ["find", "-t", TABLES, "-q", "--columns", "fen,dtz,dtm,material", "-s", *words.split()]
    metric = 1 if "dtz" in words else 2
    rows = [line.split("\t") for line in run(*words).lines[1:]]
    assert rows == sorted(rows, key=lambda row: -int(row[metric] or 0)), "the longest first"
    for n in (1, 3, 400):
        first = []
        for material in sorted({row[3] for row in rows}):
            first += [row for row in rows if row[3] == material][:n]
        found = [line.split("\t") for line in run(*words, "-n", str(n), "-j", str(1 + n % 2)).lines[1:]]
        assert found == sorted(found, key=lambda row: -int(row[metric] or 0))
        assert sorted(found) == sorted(first), "of each ending, the first of equal ones"


def test_sort_counts_all_that_match():
    run("find", "-t", TABLES, "-s", "-n", "2", "KQvK").says("^KQvK +46,137 of 46,137 positions").has_lines(2)
    run("find", "-t", TABLES, "-s", "-n", "2", "-z", "KPvK").says("^KPvK +80 of 165,676 positions.*80 Black loses")


SAMPLE = ["find", "-t", TABLES, "-q", "--sample"]


@pytest.mark.parametrize("condition", [[], ["wp and rank(wp) == 6"], ["passed ~= verdict"]])
def test_sample(condition):
    words = [*SAMPLE, "20", "KPvK", "KQvK", *condition]
    sample = run(*words).has_lines(20)
    assert len(set(sample.lines)) == 20, "each once"
    assert sample.lines != sorted(sample.lines), "in random order"
    assert run(*words, "-j", "1").out == run(*words, "-j", "3").out == sample.out
    assert run(*words, "--seed", "7").has_lines(20).out != sample.out


def test_sample_of_a_few():
    zugzwangs = run("find", "-t", TABLES, "-q", "-z", "KPvK")
    answer = run("find", "-t", TABLES, "--sample", "100", "-z", "KPvK").says("^80 positions drawn .*all there are")
    assert sorted(answer.lines) == sorted(zugzwangs.lines)
    assert answer.lines != zugzwangs.lines


def test_sample_as_in_the_table():
    rows = rows_of(run(*SAMPLE, "300", "--columns", "fen,material,turn,weight", "KPvK").lines)
    assert {row["material"] for row in rows} == {"KPvK"}
    assert {row["weight"] for row in rows} == {"2"}
    assert {row["turn"] for row in rows} == {"white", "black"}
    pawns = "".join(rank.replace("k", "") for row in rows for rank in row["fen"].split()[0].split("/") if "P" in rank)
    assert "P" in pawns and not any(file_of(row["fen"], "P") > 3 for row in rows)


def test_sample_mirrored():
    rows = rows_of(run(*SAMPLE, "300", "--mirror", "random", "--columns", "fen,material", "KPvK").lines)
    men = [row["material"] for row in rows]
    assert set(men) == {"KPvK", "KvKP"} and 100 < men.count("KPvK") < 200
    files = [file_of(row["fen"], "P" if row["material"] == "KPvK" else "p") for row in rows]
    assert set(files) == set(range(8))
    black = rows_of(run(*SAMPLE, "99", "--mirror", "random", "--turn", "black", "--columns", "turn,material", "KPvK").lines)
    assert {row["turn"] for row in black} == {"black"} and len({row["material"] for row in black}) == 2


@pytest.mark.parametrize("weight", ["class", "board"])
def test_sample_shares(weight):
    """Draws and wins are as frequent as in the population: those that are listed, or those that stats counts."""
    words = ["--weight", weight, "--mirror", "random", "--columns", "wdl", "--seed", "11", "KPvK"]
    drawn = run(*SAMPLE, "20000", *words).lines[1:]
    if weight == "board":
        counts = json.loads(run("stats", "-t", TABLES, "--json", "KPvK").out)["counts"]
        won = sum(counts[side]["win"] + counts[side]["loss"] for side in counts)
        share = won / (won + sum(counts[side]["draw"] for side in counts))
    else:
        count = run("find", "-t", TABLES, "-q", "--count", "--tsv", "KPvK", 'verdict ~= "draw"').lines[1].split("\t")
        share = int(count[2]) / int(count[1])
    got = sum(value != "0" for value in drawn) / len(drawn)
    assert abs(got - share) < 4 * (share * (1 - share) / len(drawn)) ** 0.5


def test_sample_json():
    answer = run(*SAMPLE, "2", "--seed", "4", "--json", "KPvK", "KRvK").is_json_lines()
    answer.has(
        r'^\{"event":"sample","materials":\["KPvK","KRvK"\],"size":2,"seed":4,"weight":"class","mirror":"none",',
        r'"found":2,"all":false\}$',
        r'^\{"event":"done","materials":2,"found":2,"stopped":false\}$',
    )


@pytest.mark.parametrize(
    "words, message",
    [
        ("-s --sample 3", "cannot be used together"),
        ("--count --sample 3", "cannot be used together"),
        ("-n 3 --sample 3", "--sample N says how many"),
        ("--mirror random", "need --sample"),
        ("--weight board", "need --sample"),
        ("--sample 3 --mirror left", "--mirror takes none or random, not 'left'"),
        ("--sample 3 --weight all", "--weight takes class or board, not 'all'"),
        ("--columns fen --epd", "--columns and --signed need --tsv or --csv"),
        ("--columns fen,dtx", "there is no column 'dtx'; the columns are fen, verdict, "),
        ("--columns fen,fen", "'fen' is named twice"),
    ],
)
def test_options_that_contradict(words, message):
    run("find", "-t", TABLES, *words.split(), "KPvK", code=2).says(message).silent()


# ---- Rows ------------------------------------------------------------------------------------------------------------


def rows_of(lines, between="\t"):
    return list(csv.DictReader(lines, delimiter=between))


def file_of(fen, man):
    """The file of a man, 0 to 7."""
    rank = next(rank for rank in fen.split()[0].split("/") if man in rank)
    return sum(int(c) if c.isdigit() else 1 for c in rank.partition(man)[0])


@pytest.mark.parametrize("option, between", [("--tsv", "\t"), ("--csv", ",")])
def test_columns(option, between):
    words = ["find", "-t", TABLES, "-q", option, "--sample", "60", "KPvK", "KQvKR"]
    rows = rows_of(run(*words).lines, between)
    usual = "fen verdict zugzwang only_move dtz dtc dtm material turn cursed best_move".split()
    assert len(rows) == 60 and list(rows[0]) == usual
    for row in rows:
        assert row["turn"][0] == row["fen"].split()[1] and row["cursed"] == "false"
        assert (row["dtm"] == "") == (row["verdict"] == "draw")
    signed = rows_of(run(*words, "--signed").lines, between)
    assert [abs(int(row["dtm"] or 0)) for row in signed] == [int(row["dtm"] or 0) for row in rows]
    assert all(int(row["dtm"]) <= 0 for row in signed if row["verdict"] == "loss")
    assert all(int(row["dtm"]) > 0 for row in signed if row["verdict"] == "win")


def test_columns_are_what_probe_says():
    """Moves, and what they lead to, against the moves that probe lists."""
    names = "fen,only_move,only_move_san,best_move,best_move_san,moves,winning,drawing,losing,wdl,dtz_rounded"
    rows = rows_of(run(*SAMPLE, "40", "--columns", names, "KPvKP", "not mate and not stalemate").lines)
    fens = "".join(row["fen"] + "\n" for row in rows)
    probes = run("probe", "-t", TABLES, "--output", "jsonl", "-", stdin=fens).lines
    assert len(rows) == 40
    for row, probe in zip(rows, map(json.loads, probes)):
        verdicts = [move["verdict"] for move in probe["moves"]]
        counts = [str(verdicts.count(verdict)) for verdict in ("win", "draw", "loss")]
        assert [row["winning"], row["drawing"], row["losing"]] == counts
        assert row["moves"] == str(len(verdicts)) and row["dtz_rounded"] == "false"
        assert row["wdl"] == {"win": "2", "draw": "0", "loss": "-2"}[probe["verdict"]]
        best = next(move for move in probe["moves"] if move["uci"] == row["best_move"])
        assert best["san"] == row["best_move_san"] and best["verdict"] == probe["verdict"]
        assert best.get("dtm_plies") == probe.get("dtm_plies")
        keep = [move for move in probe["moves"] if move["verdict"] == probe["verdict"]]
        only = keep[0] if len(keep) == 1 < len(verdicts) and probe["verdict"] != "loss" else {"uci": "", "san": ""}
        assert [row["only_move"], row["only_move_san"]] == [only["uci"], only["san"]]


def test_the_column_of_dtm50():
    """At a clock of 0 the 50-move rule delays no mate of four men."""
    rows = rows_of(run(*SAMPLE, "60", "--columns", "verdict,dtm,dtm50", "--signed", "KQvKR").lines)
    assert [row["dtm50"] for row in rows] == [row["dtm"] for row in rows]
    assert any(int(row["dtm50"] or 0) < 0 for row in rows)


def test_columns_that_are_always_filled():
    """The only move and the zugzwang are those that the filters find, also without the filters."""
    words = ["find", "-t", TABLES, "-q", "--columns", "fen,only_move", "KPvK"]
    filled = [line for line in run(*words, "rank(wp) == 7").lines[1:] if not line.endswith("\t")]
    assert filled == run(*words, "-o", "rank(wp) == 7").lines[1:]
    words = ["find", "-t", TABLES, "-q", "--columns", "fen,zugzwang", "--turn", "white", "KPvK"]
    filled = [line for line in run(*words).lines[1:] if not line.endswith("\t")]
    assert filled == run(*words, "-z").lines[1:]
    assert len(filled) == 80


def test_json_says_as_much_as_tsv():
    words = ["find", "-t", TABLES, "-q", "--sample", "30", "KPvKP"]
    lines = [json.loads(line) for line in run(*words, "--json").is_json_lines().lines[:30]]
    for row, line in zip(rows_of(run(*words, "--tsv").lines), lines):
        for name in ("fen", "verdict", "material", "turn", "best_move", "only_move"):
            assert line.get(name, "") == row[name]
        for name in ("dtz", "dtc", "dtm"):
            assert str(line.get(name + "_plies", "")) == row[name]
        assert line["cursed"] is False and line["event"] == "position"


@pytest.mark.parametrize("form", ["--epd", "--tsv", "--json", "--pgn"])
def test_rows_do_not_depend_on_threads(form):
    words = ["find", "-t", TABLES, "-q", form, "-u", "KPvK"]
    assert run(*words, "-j", "1").out == run(*words, "-j", "3").out != ""


# ---- Conditions ------------------------------------------------------------------------------------------------------


def test_a_condition_from_a_file(tmp_path):
    text = 'if wp ~= "a6" then return false end\n-- far\nlocal m = moves[1] return m.man == "k" and m.dtm and m.dtm > 9'
    path = tmp_path / "far.lua"
    write(path, text)
    found = run("find", "-t", TABLES, "-q", "KPvK", text)
    assert len(found.lines) > 0
    assert run("find", "-t", TABLES, "-q", "--condition", path, "KPvK").out == found.out
    assert run("find", "-t", TABLES, "-q", "--condition", "-", "KPvK", stdin=text).out == found.out
    run("find", "--condition", path, "KPvK", "check", code=2).says("and not both")
    run("find", "--condition", tmp_path / "none", "KPvK", code=1).says("cannot read the condition from .*none: No such")
    wrong = tmp_path / "wrong.lua"
    write(wrong, "return turn == 'white' and\n dtm > 3")
    run("find", "-t", TABLES, "--condition", wrong, "KPvK", "KQvK", code=2).says("wrong.lua:2: .*dtm and dtm > 60")


def test_a_word_that_no_position_has():
    answer = run("find", "-t", TABLES, "KPvK", 'verdict == "won"', code=2).silent()
    answer.says('condition:1: verdict is never "won", but "win", "draw" or "loss"')


def test_colours_that_are_exchanged():
    answer = run("find", "-t", TABLES, "--count", "-q", "KvKP")
    answer.has("^KPvK +165,676")
    run("find", "-t", TABLES, "--count", "KvKP").says("KvKP is answered as KPvK, with colours exchanged")
    run("find", "-t", TABLES, "--count", "KPvK").lacks("exchanged")
    run("stats", "-t", TABLES, "KvKP").says("KvKP is answered as KPvK, with colours exchanged")


def test_men():
    answer = run("find", "-t", TABLES, "-q", "--men", "3", "--stalemate", "--count", "--tsv")
    answer.has_lines(6)


PUBLISHED = [tuple(line.split()) for line in read(os.path.join(DATA, "zugzwangs.tsv")).splitlines() if line[0] != "#"]
FOUR_MEN = "KBPvK KBvKP KNPvK KNvKP KPPvK KPvKP KRvKB KRvKN KRvKP KQvKR KBvKN"


@pytest.mark.full
@pytest.mark.long
@pytest.mark.seconds(8)
def test_zugzwangs_as_published():
    """Endings of three men, and those of four men that have zugzwangs, and two that have none, as others counted them.
    `make zugzwangs-check` counts all."""
    counted = []
    for words in (["--men", "3"], FOUR_MEN.split()):
        for line in run("find", "-t", TABLES, "-q", "-z", "--count", "--tsv", *words).lines[1:]:
            row = line.split("\t")
            white, black = row[0].split("v")
            same = white == black
            ways = [int(row[4]) + int(row[5]), 0] if same else [int(row[4]), int(row[5])]
            counted.append((row[0], row[2], row[3], *map(str, ways)))
    assert len(counted) == 16
    assert set(counted) - set(PUBLISHED) == set()


@pytest.mark.full
@pytest.mark.seconds(6)
def test_a_quiet_move_takes_a_ply_of_the_rule(folder):
    """KBBvKN has wins in exactly 100 plies. A quiet move to such a loss draws. What is right is what the columns say,
    which are the library's."""
    run("gen", "-q", "--effort", "fast", "-m", "wdl,dtz", "-t", ".", "KBBvKN")
    late = ["-t", ".", "-q", "--with-rule", "KBBvKN", 'turn == "white" and verdict == "win" and dtz >= 99']
    rows = run("find", "--tsv", "--columns", "fen,winning,moves", "-n", "400", *late).lines[1:]
    only = [row.split("\t")[0] for row in rows if row.split("\t")[1] == "1" and not row.endswith("\t1")]
    assert len(only) == 353
    assert run("find", "-o", "-n", "353", *late).lines == only
    cursed = """if not cursed or dtz ~= 101 or turn ~= "white" then return false end
                for _, m in ipairs(moves) do if m.verdict == "win" then return false end end return true"""
    run("find", "-t", ".", "-q", "--with-rule", "-n", "200", "KBBvKN", cursed).has_lines(200)
    os.remove("KBBvKN.dtz.treb")
    run("find", "-t", ".", "-o", "--with-rule", "KBBvKN", code=3).says("KBBvKN.dtz")
    run("find", "-t", ".", "-q", "--with-rule", "KBBvKN", "#moves > 60", code=3).says("KBBvKN.dtz")


def test_zugzwangs_in_the_document():
    """docs/zugzwangs.md has the published counts of endings of three to five men, except for KQPPvK."""
    text = read(os.path.join(DOCS, "zugzwangs.md"))
    rows = re.findall(r"^\| (K[A-Zv]*) \| (\d*) \| (\d*) \| (\d*) \| (\d*) *\|$", text, re.M)
    told = [(*row[:4], row[4] or "0") for row in rows]
    for none in re.findall(r"^None: ((?:.|\n)*?)\.$", text, re.M):
        told += [(material, "0", "0", "0", "0") for material in none.replace("\n", " ").replace(" ", "").split(",")]
    assert len(told) == 145
    assert set(told) - set(PUBLISHED) == {("KQPPvK", "0", "0", "0", "0")}


def test_underpromotion_pgn():
    run("find", "-t", TABLES, "-q", "-u", "--pgn", "KPvK").has(r'^\[Result "1-0"\]$', "=[RNB]")


def test_unique_line():
    run("find", "-t", TABLES, "-q", "--unique-line", "--turn", "black", "KRvKN").has(" b - - 0 1$")


def test_cursed():
    run("find", "-t", TABLES, "-q", "--cursed", "--count", "KQvKR").has("^KQvKR +0 of")


def test_with_rule():
    run("find", "-t", TABLES, "-q", "--with-rule", "-z", "--count", "KPvK").has("^KPvK +80 of")


def test_find_and_probe():
    found = run("find", "-t", TABLES, "-q", "-z", "-n", "3", "KPvKP")
    assert run("probe", "-t", TABLES, "-", stdin=found.out).count("/8") == 3


def test_a_wrong_condition():
    run("find", "-t", TABLES, "KPvK", "verdict = 3", code=2).says("^trebuchet find: condition:1: ").silent()


def test_an_unknown_name():
    run("find", "-t", TABLES, "KPvK", 'verdct == "win"', code=2).says("no name 'verdct'").silent()


def test_no_material():
    run("find", "-t", TABLES, 'verdict == "win"', code=2).says("is not an ending such as KRPvKR").silent()


def test_a_condition_too_early():
    run("find", "-t", TABLES, "check", "KPvK", code=2).says("is not an ending such as KRPvKR").silent()


def test_time_ends_what_does_not():
    condition = "while true do end return true"
    run("find", "-t", TABLES, "-q", "--time", "1", "KPvK", condition, code=130, timeout=60).silent()


@pytest.mark.parametrize("words", ["--sample 1000000", "--sort -n 5", "-n 1000000", "--sort -j 1"])
def test_what_was_found_before_it_was_stopped(words):
    """A condition that takes long for each position."""
    condition = "for i = 1, 30000 do end return wk ~= 'a1'"
    words = ["--time", "1", *words.split(), "--columns", "fen,dtm"]
    answer = run("find", "-t", TABLES, *words, "KQvKR", condition, code=130)
    rows = rows_of(answer.lines)
    assert len(rows) == len({row["fen"] for row in rows}) > 0
    if "--sort" in words:
        assert rows == sorted(rows, key=lambda row: -int(row["dtm"] or 0))
    if "--sample" in words:
        answer.says(f"^{len(rows)} positions? drawn with seed 1, then stopped")


def test_time():
    run("find", "-t", TABLES, "--time", "60", "--zugzwang", "--count", "KPvK").has("80 of 165,676")


def test_no_table():
    run("find", "-t", TABLES, "-z", "KRPvKR", code=3).says("KRPvKR.wdl.treb is not installed").silent()
    run("find", "-t", TABLES, "KPvK", "KRPvKR", code=3).says("KRPvKR.wdl.treb is not installed").silent()
    run("find", "-t", TABLES, "--sample", "2", "KPvK", "KRPvKR", code=3).says("KRPvKR.wdl.treb is not").silent()


def test_no_tables_of_so_many_men():
    run("find", "-t", TABLES, "--men", "7", "-z", code=3).says("there are no tables of 7 men").silent()


def test_a_full_disk():
    with open("/dev/full", "wb") as full:
        run("find", "-t", TABLES, "-q", "KRvK", stdout=full, code=1).says("cannot write the output")
