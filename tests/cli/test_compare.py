"""test_compare.py - `trebuchet compare`."""
import glob
import os
import re
import signal

import pytest

from tests.support.command import DOCS, SYZYGY, TABLES, copy_files, overwrite, read, run, start, truncated, wait_for


@pytest.fixture(name="changed")
def fixture_changed(folder):
    """Syzygy's files with other bytes in one block, which stand for other values. The checksum is not looked at."""
    copy_files("changed", "K[RQ]vK.*", source=SYZYGY)
    overwrite("changed/KRvK.rtbz", 4000, b"\252\125")
    return "changed"


@pytest.fixture(name="whole")
def fixture_whole(folder):
    """All tables but those of KRvKN."""
    copy_files("whole", "*.treb", link=True)
    for path in glob.glob("whole/KRvKN.*"):
        os.remove(path)
    return "whole"


def test_compare():
    run("compare", SYZYGY, TABLES).quiet().has(
        "^KPvK +wdl +165,676 equal +0 rounded +0 different$",
        "^KRvK +dtz +2,823 equal +47,192 rounded +0 different$",
        "^4 materials, 8 tables: 4 equal, 4 equal except for rounding, 0 different, 0 not compared; 1,835,196 positions",
        "^[0-9]+ tables are only in B",
    ).lacks("only in A|KBvK|/")


def test_the_other_way_round():
    run("compare", "-M", "0", TABLES, SYZYGY, "KvKR").has("^KRvK +dtz +2,823 equal +47,192 rounded +0 different$")


def test_quiet():
    run("compare", "-q", SYZYGY, TABLES).quiet().silent()


def test_metric():
    run("compare", "-m", "dtm,dtc", TABLES, TABLES, "KPvK", "KvKQ").has("^KPvK +dtm", "^KQvK +dtc").lacks(
        "wdl|dtz|alone"
    )


def test_json():
    run("compare", "--json", "-m", "wdl,dtz", TABLES, TABLES, "KPvKP").is_json_lines().quiet().has(
        r'^\{"event":"table","material":"KPvKP","metric":"dtz","compared":true,"positions":3739937,"en_passant":21893,"equal":3739937,"rounded":0,"different":0,"unknown":0,"shown":\[\]\}$',
        r'^\{"event":"done","materials":1,"equal":2,"rounded":0,"different":0,"not_compared":0,"only_a":0,"only_b":0,"positions":3739937,"seconds":[0-9.]+\}$',
    )


def test_files():
    run("compare", f"{SYZYGY}/KRvK.rtbz", f"{TABLES}/KRvK.dtz.treb").has(
        "KRvK.rtbz: the other tables in its folder", "^KRvK +dtz +2,823 equal"
    ).lacks("wdl|only in")


def test_a_file_and_a_folder():
    answer = run("compare", "--json", TABLES, f"{SYZYGY}/KPvK.rtbw").is_json_lines().has_lines(2)
    answer.has('"material":"KPvK","metric":"wdl","compared":true,"positions":165676,')


def test_values_differ(changed):
    answer = run("compare", "-n", "3", changed, TABLES, code=1).quiet()
    answer.has("^KRvK +dtz .* rounded +[1-9][0-9,]* different", "^    [^ ]+ [wb] - - 0 1$", "1 different")
    answer.has("^        A: (win|loss) in [0-9]+", "^        B: (win|loss) in [0-9]+ pl")
    assert answer.count("^        A") == 3
    answer.has("^KQvK +dtz .* 0 different", "^KRvK +wdl .* 0 different")


def test_json_values_differ(changed):
    run("compare", "-n", "2", "--json", changed, TABLES, "KRvK", code=1).is_json_lines().has(
        r'"shown":\[\{"fen":"[^"]+ [wb] - - 0 1","a":\{"verdict":"(win|loss)","plies":[0-9]+,"rounded":(true|false)\},"b":\{"verdict":"(win|loss)","plies":[0-9]+,"rounded":false\}\},\{'
    )


def test_show(changed):
    run("compare", "-n", "0", changed, TABLES, "KRvK", code=1).has(" different$").lacks(" [wb] - - ")


def test_quiet_values_differ(changed):
    run("compare", "-q", changed, TABLES, code=1).has("^KRvK +dtz").lacks("KQvK|tables")


def test_probe_of_the_first_difference(changed):
    text = run("compare", "-n", "1", changed, TABLES, "KRvK", code=1).out
    fen = re.search("^    ([^ ].*)", text, re.M)[1]
    plies = re.search("^ *B: [a-z]* in ([0-9]*) ", text, re.M)[1]
    run("probe", "-t", TABLES, fen).has(f"DTZ +{plies} pl")


def test_one_has_more(whole):
    run("compare", TABLES, whole, "KQvK", "KRvK").has("^2 materials, 8 tables: 8 equal")


def test_a_table_is_missing(whole):
    run("compare", "-q", TABLES, whole, "KRvKN", "KRvK", code=3).says(
        "KRvKN: A has wdl dtz dtc dtm, B has nothing that can be compared"
    ).silent()


def test_a_metric_is_missing():
    run("compare", "-m", "dtm", TABLES, SYZYGY, code=3).says("nothing to compare").silent()


def test_no_table_is_needed():
    run("compare", TABLES, SYZYGY, "KBvK", code=3).says("KBvK: A has nothing")


def test_json_an_empty_folder(empty):
    d = run("compare", "--json", empty, TABLES, code=3).json()
    assert d["error"]["code"] == "no_table"


def test_what_promotions_lead_to_is_missing():
    copy_files("pawns", "KPvK.*")
    run("compare", "-n", "2", "pawns", TABLES, code=1).has(
        "^KPvK +wdl .* 0 different$",
        "^KPvK +dtz .* 0 different +[0-9,]+ without an answer",
        r"A: no answer \(K[QRBN]vK.wdl.treb is not installed\)",
    )


def test_a_file_without_verdicts():
    copy_files("lonely", "KRvK.dtz.treb")
    run("compare", "lonely/KRvK.dtz.treb", TABLES, code=3).says("no WDL table of KRvK").silent()


def test_files_of_two_kinds():
    run("compare", f"{TABLES}/KRvK.dtz.treb", f"{SYZYGY}/KRvK.rtbw", code=2).says("not of the same").silent()


def test_what_is_no_table():
    run("compare", f"{DOCS}/syzygy.md", TABLES, code=2).says("syzygy.md").silent()


def test_what_is_not_there():
    run("compare", TABLES, "nowhere", code=1).says("nowhere").silent()


def test_one_folder():
    run("compare", TABLES, code=2).says("two").silent()


def test_no_material():
    run("compare", TABLES, TABLES, "KXvK", code=2).says("no ending called").silent()


def test_bad_metric():
    run("compare", "-m", "wdl,x", TABLES, TABLES, code=2).silent()


def test_a_torn_syzygy_file():
    copy_files("torn", "*", source=SYZYGY)
    truncated(f"{SYZYGY}/KRvK.rtbz", 4000, "torn/KRvK.rtbz")
    run("compare", "torn", TABLES, "KRvK", code=1).has(
        "^KRvK +dtz not compared: .*torn/KRvK.rtbz", "^KRvK +wdl .* 0 different"
    )


def test_a_torn_file(changed):
    copy_files(changed, "KQvK.rtbw", source=SYZYGY)
    truncated(f"{TABLES}/KQvK.wdl.treb", 300, f"{changed}/KQvK.wdl.treb")
    run("compare", "--json", changed, TABLES, "KQvK", code=1).is_json_lines().has(
        '"metric":"wdl","compared":false,"text":"[^"]*changed/KQvK.wdl.treb', '"not_compared":2,'
    )


def test_a_damaged_block():
    copy_files("blocks", "*.treb")
    overwrite("blocks/KRvKB.dtm.treb", 20000, b"\377\0\377")
    run("compare", "-n", "1", "blocks", TABLES, "KRvKB", code=1).has(
        "^KRvKB +dtm .* 0 different +[0-9,]+ without an answer", "blocks/KRvKB.dtm.treb", "^KRvKB +dtz .* 0 different$"
    )


def test_stopped():
    process = start("compare", "-j", "1", TABLES, TABLES)
    wait_for(lambda: read("out") + read("err") != "" or uses_processor(process), "it works", process=process)
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130


def uses_processor(process, ticks=5):
    """Whether a process has worked for some clock ticks: it has begun."""
    with open(f"/proc/{process.pid}/stat", encoding="utf-8") as file:
        return int(file.read().rsplit(")", 1)[1].split()[11]) >= ticks
