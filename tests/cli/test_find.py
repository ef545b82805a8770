"""test_find.py - `trebuchet find`."""
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
    assert answer.count("\t37$") == 23, "those of the rook"


def test_the_same_men_on_both_sides_black_to_move():
    run("find", "-t", TABLES, "-q", "--turn", "black", "--count", "KPvKP").has("^KPvKP +3,718,044 of 3,718,044 ")


def test_z_a_condition_that_is_not_the_same_for_both_colours():
    run("find", "-t", TABLES, "-q", "-z", "--count", "KPvKP", 'verdict == "loss" and zugzwang == "half"').has(
        "^KPvKP +106 of"
    )


def test_z_a_condition_that_is():
    run("find", "-t", TABLES, "-q", "-z", "--count", "KPvKP", 'zugzwang == "half"').has("^KPvKP +106 of")


def test_first_more_than_there_are():
    answer = run("find", "-t", TABLES, "-q", "-s", "-n", "9223372036854775807", "--tsv", "KQvK")
    assert len(answer.lines) > 40000


def test_count_first():
    answer = run("find", "-t", TABLES, "-q", "--count", "-n", "1", "-z", "KPvKP", "KPvK", "KPvK")
    answer.has_lines(2)


def test_sort_first():
    answer = run("find", "-t", TABLES, "-q", "-s", "-n", "3", "--tsv", "KBBvK")
    assert [line.split("\t")[6] for line in answer.lines[-3:]] == ["38"] * 3


def test_first():
    answer = run("find", "-t", TABLES, "-q", "-n", "5", "KRvK", "KQvK")
    answer.has_lines(5)


def test_sample():
    words = ["find", "-t", TABLES, "-q", "--sample", "20"]
    sample = run(*words, "KRvK", "KQvK").has_lines(20)
    assert run(*words, "-j", "1", "KRvK", "KQvK").out == sample.out
    assert run(*words, "--seed", "7", "KRvK", "KQvK").has_lines(20).out != sample.out


def test_men():
    answer = run("find", "-t", TABLES, "-q", "--men", "3", "--stalemate", "--count", "--tsv")
    answer.has_lines(6)


PUBLISHED = [tuple(line.split()) for line in read(os.path.join(DATA, "zugzwangs.tsv")).splitlines() if line[0] != "#"]
FOUR_MEN = "KBPvK KBvKP KNPvK KNvKP KPPvK KPvKP KRvKB KRvKN KRvKP KQvKR KBvKN"


@pytest.mark.full
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


def test_time():
    run("find", "-t", TABLES, "--time", "60", "--zugzwang", "--count", "KPvK").has("80 of 165,676")


def test_sort_sample():
    run("find", "-t", TABLES, "-s", "--sample", "3", "KPvK", code=2).says("cannot be used together").silent()


def test_no_table():
    run("find", "-t", TABLES, "-z", "KRPvKR", code=3).says("KRPvKR.wdl.treb is not installed").silent()


def test_no_tables_of_so_many_men():
    run("find", "-t", TABLES, "--men", "7", "-z", code=3).says("there are no tables of 7 men").silent()


def test_a_full_disk():
    with open("/dev/full", "wb") as full:
        run("find", "-t", TABLES, "-q", "KRvK", stdout=full, code=1).says("cannot write the output")
