"""test_export.py - `trebuchet export`."""
import glob
import os

import pytest

from tests.support.command import TABLES, copy_files, overwrite, run, same_bytes, truncated


@pytest.mark.seconds(5)
def test_export():
    run("export", "--syzygy", "exported", "KPvK").has("^KRvK +399,112 positions", "^5 tables, ").quiet()
    assert len(os.listdir("exported")) == 10 and len(glob.glob("exported/*.rtbw")) == 5
    run("export", "--syzygy", "exported", "KvKP").has("already")
    run("compare", "-m", "wdl,dtz", "exported", TABLES).has(" 0 different, 0 not compared")
    run("verify", "--full", "-t", "exported", "KPvK").has("^KPvK +right +165,676 positions .* rtbw,rtbz$")
    run("verify", "--checksum", "-t", "exported").quiet()
    run("probe", "-t", "exported", "8/8/8/8/8/2k5/1p6/1K6 w - - 0 1").quiet()
    os.remove("exported/KRvK.rtbz")
    run("export", "-q", "--syzygy", "exported", "KRvK").silent()
    run("export", "--json", "-x", "-s", "exact", "-j", "1", "KRvK")
    assert os.path.getsize("exported/KRvK.rtbz") > 0 and same_bytes("exported/KRvK.rtbw", "exact/KRvK.rtbw")
    run("export", "-M", "1k", "--syzygy", "exported", "KQvKR", code=1).says("needs .* of memory")
    run("export", "--syzygy", "exported", code=2).says("name a material").silent()


def test_exact_json():
    answer = run("export", "--json", "-x", "-s", "exact", "-j", "1", "KRvK").is_json_lines().quiet()
    answer.has(r'^\{"event":"table","material":"KRvK","positions":399112,.*"bytes":\{"wdl":[0-9]+,"dtz":[0-9]+\}\}$')
    answer.has(r'^\{"event":"done","tables":1,')
    # No distance is rounded.
    run("compare", "-m", "dtz", "exact", TABLES).has("^KRvK +dtz +50,015 equal +0 rounded +0 different$")


def test_estimate():
    run("export", "--estimate", "--syzygy", "nowhere", "KRPvKR").has("^tables +[0-9]+ to write", "^time +about [0-9]").quiet()
    assert not os.path.exists("nowhere")


FILES = ["rtbw", "rtbz"]


def test_finished_tables_are_read(folder):
    """What is needed of smaller endings comes from our verdicts, if these are there; else they are solved again."""
    run("export", "-q", "-s", "alone", "KPvK")
    for ending in FILES:
        os.rename(f"alone/KPvK.{ending}", f"KPvK.{ending}")
    steps = run("export", "-e", "--json", "-s", "alone", "-t", TABLES, "KPvK").json()["tables"]
    assert [step["material"] for step in steps if step["read"]] == ["KQvK", "KRvK", "KBvK", "KNvK"]
    run("repack", "-q", "-t", TABLES, "--to", "some", "KQvK", "KRvK")
    copy_files("some", "KBvK.wdl.treb")
    answer = run("export", "-e", "-s", "alone", "-t", "some", "KPvK")
    answer.has("^tables +1 to write; what is needed of 3 others is read from some$")
    for tables in (TABLES, "some"):
        run("export", "-q", "-s", "alone", "-t", tables, "KPvK").silent()
        for ending in FILES:
            assert same_bytes(f"alone/KPvK.{ending}", f"KPvK.{ending}")
            os.unlink(f"alone/KPvK.{ending}")


def test_damaged_tables_are_refused(folder):
    run("export", "-q", "-s", "alone", "KQvK", "KRvK", "KBvK", "KNvK")
    before = sorted(os.listdir("alone"))
    # This folder of tables is the default.
    copy_files("tables", "KNvK.wdl.treb", "KRvK.wdl.treb")
    overwrite("tables/KRvK.wdl.treb", os.path.getsize("tables/KRvK.wdl.treb") // 2, b"\377\0\377")
    run("export", "-q", "-s", "alone", "KPvK", code=1).says("KRvK.wdl.treb.* damaged").silent()
    truncated(f"{TABLES}/KRvK.wdl.treb", 1000, "tables/KRvK.wdl.treb")
    run("export", "-q", "-s", "alone", "KPvK", code=1).says("KRvK.wdl.treb: truncated").silent()
    run("export", "-s", "alone", "KRvK").has("already$")
    assert sorted(os.listdir("alone")) == before


def test_folders_of_tables_that_cannot_be_used(folder):
    run("export", "-q", "-s", "made", "-t", "nowhere", "KNvK", code=1).says("nowhere: cannot open: No such").silent()
    run("export", "-q", "-s", "made", "-t", "http://no.invalid", "KNvK", code=1).says("local files only").silent()
    assert not os.path.exists("made")


@pytest.mark.full
@pytest.mark.long
@pytest.mark.seconds(20)
def test_every_ending_alone(folder):
    run("export", "-q", "-s", "whole", "--men", "4")
    names = [path[6:-5] for path in glob.glob("whole/*.rtbw")]
    assert len(names) == 35
    for name in names:
        for ending in FILES:
            os.rename(f"whole/{name}.{ending}", f"{name}.{ending}")
        run("export", "-q", "-s", "whole", "-t", TABLES, name)
        assert all(same_bytes(f"whole/{name}.{ending}", f"{name}.{ending}") for ending in FILES)


def test_without_a_folder():
    run("export", "KQvK", code=2).says("--syzygy DIR").silent()
