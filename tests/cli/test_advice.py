"""test_advice.py - the advice when a table is missing: it works here, and says its cost."""
import os
import re

import pytest

from tests.support.command import TOOL, copy_files, execute, run, write

EIGHT = "8/PPP4k/8/8/8/8/ppp4K/8 w - - 0 1"
FIVE = "8/8/8/3rk3/8/8/3RP3/4K3 w - - 0 1"
SIX = "8/8/8/3rk3/8/8/p2RP3/4K3 w - - 0 1"
COST = "about [0-9.]+ [MG]B of memory and [0-9.]+ [kMG]B of disk"


@pytest.fixture(name="four")
def fixture_four(folder):
    """A folder with tables of up to four men only."""
    return copy_files("four", "*.treb", link=True)


@pytest.fixture(name="three")
def fixture_three(folder):
    return copy_files("three", "K?vK.*.treb", link=True)


def making_krpvkr():
    """The advice for KRPvKR, which a small machine cannot make."""
    if run("gen", "--json", "--estimate", "-t", "four", "KRPvKR").json()["possible"]:
        return f"^'trebuchet gen --tables four KRPvKR' makes it: {COST}"
    return "^KRPvKR cannot be made here: "


def test_8_men(four):
    answer = run("probe", "-t", four, EIGHT, code=3).says("^trebuchet probe: KPPPvKPPP.wdl.treb is not installed$")
    answer.has(r"^Not known: this is KPPPvKPPP \(8 men\)").lacks("trebuchet gen")
    answer.says(
        r"^KPPPvKPPP cannot be made here: that takes [0-9.]+ [TP]B of memory, and [0-9.]+ [MG]B are available\.$"
    )


def test_5_men(four):
    answer = run("probe", "-t", four, FIVE, code=3).says("^trebuchet probe: KRPvKR.wdl.treb is not installed$")
    answer.has(r"^Not known: this is KRPvKR \(5 men\)").says(making_krpvkr())
    run("line", "-t", four, FIVE, code=3).says(making_krpvkr())
    run("stats", "-t", four, "KRPvKR", code=3).says(making_krpvkr())


def test_4_men(three):
    advice = rf"^'trebuchet gen --tables three KQvKR' makes it: {COST} \([0-9.]+ [kMG]B while it runs\)"
    run("stats", "-t", three, "KQvKR", code=3).says(advice)


def test_in_json(three):
    d = run("stats", "--json", "-t", three, "KQvKR", code=3).json()
    assert d["error"]["advice"].startswith("'trebuchet gen --tables three KQvKR' makes it: about")


def test_no_option_needed(three):
    run("stats", "KQvKR", code=3, env={"TREBUCHET_PATH": three}).says(f"^'trebuchet gen KQvKR' makes it: {COST}")


def test_advice_followed(three):
    """The command in the advice works, and makes only what is missing."""
    answer = run("stats", "-t", three, "KQvKR", code=3)
    command = re.search(r"^'trebuchet (gen [^']*)' makes it", answer.err, re.M)[1]
    run(*command.split()).has("^1 table, ")
    run("stats", "-n", "-t", three, "KQvKR").has("^KQvKR")


def test_6_men(four):
    answer = run("probe", "-t", four, SIX, code=3).says("^trebuchet probe: KRPvKRP.wdl.treb is not installed$")
    possible = f"'trebuchet gen --tables four KRPvKRP' makes it: {COST}"
    answer.says(f"^({possible}|KRPvKRP cannot be made here: that takes [0-9.]+ [GT]B of )")


def test_within_a_limit_of_memory(four):
    answer = execute("sh", "-c", 'ulimit -v 600000; exec "$1" stats -t four KRPvKR', "sh", TOOL, code=3)
    answer.says(r"^KRPvKR cannot be made here: that takes [0-9.]+ [MG]B of memory, and [0-9.]+ [MG]B are available\.$")
    answer.lacks("trebuchet gen")


@pytest.mark.skipif(os.getuid() == 0, reason="root may write into every folder")
def test_no_folder_can_be_written_to():
    os.mkdir("locked", 0o500)
    run("stats", "-t", "locked", "KRvK", code=3).says("^None of these folders is writable").lacks("trebuchet gen")


def test_no_tables_at_all():
    run("bench", code=3).says(f"^'trebuchet gen --men 4' makes all tables of up to 4 men: {COST}")
