"""test_repack.py - `trebuchet repack`: small WDL files, and that everything reads them."""
import glob
import os

import pytest

from tests.support.command import TABLES, copy_files, run, same_bytes, write


@pytest.fixture(name="small")
def fixture_small(folder):
    """Small WDL files of all endings, beside the other files."""
    run("repack", "-q", "-t", TABLES, "--to", "small").silent()
    for metric in ("dtz", "dtc", "dtm"):
        copy_files("small", f"*.{metric}.treb", link=True)
    return "small"


def test_repack():
    run("repack", "-t", TABLES, "--to", "small", "KvKQ", "KPvKP", "KRvKP").quiet().has(
        "^KQvK +4,[0-9]{3} -> +[0-9]{3} bytes, white to move$",
        "^KRvKP +182,[0-9]{3} -> +[0-9,]+ bytes, white to move$",
        "^3 files, [0-9]+ kB -> [0-9]+ kB$",
    )
    # Both sides of this ending are alike: its file has one anyway.
    assert same_bytes("small/KPvKP.wdl.treb", f"{TABLES}/KPvKP.wdl.treb")
    assert sorted(os.listdir("small")) == ["KPvKP.wdl.treb", "KQvK.wdl.treb", "KRvKP.wdl.treb"]
    run("info", "small/KRvKP.wdl.treb").has("stored +White to move; values for the other side follow")


def test_files_that_are_there_stay(folder):
    run("repack", "-q", "-t", TABLES, "--to", "small", "KQvK").silent()
    write("small/KRvK.wdl.treb", "mine")
    run("repack", "-t", TABLES, "-o", "small", "KQvK", "KRvK", "KPvK").has("^1 file, .*; 2 were there already$")
    run("repack", "--json", "-t", TABLES, "-o", "small", "KQvK", "KRvKN").is_json_lines().has(
        r'^\{"event":"table","material":"KRvKN","sides":"(white|black)","bytes_before":[0-9]+,"bytes":[0-9]+\}$',
        r'^\{"event":"done","tables":1,"there":1,"bytes_before":[0-9]+,"bytes":[0-9]+\}$',
    )


def test_a_small_file_stays_as_it_is():
    run("repack", "-q", "-t", TABLES, "-o", "small", "KRvKP")
    run("repack", "-t", "small", "-o", "again").has("^KRvKP .* white to move$")
    assert same_bytes("small/KRvKP.wdl.treb", "again/KRvKP.wdl.treb")


def test_refusals():
    run("repack", "-t", TABLES, code=2).says("--to DIR").silent()
    run("repack", "-t", TABLES, "-o", "small", "KQXvK", code=2).silent()
    run("repack", "-t", TABLES, "-o", "small", "KRPvKR", code=3).says("KRPvKR.wdl.treb is not installed").silent()
    run("gen", "-q", "--codec", "zstd", "-m", "wdl", "-t", "zstd", "KQvK")
    run("repack", "-t", "zstd", "-o", "small", "KQvK", code=1).says("codec symbols").silent()
    assert os.listdir("small") == []


@pytest.mark.seconds(20)
def test_every_position_has_the_same_values(small):
    run("compare", "-m", "wdl,dtz", TABLES, small, "KQvK", "KPvK", "KRvKN").has(" 0 different, 0 not compared; ")


@pytest.mark.seconds(10)
def test_small_files_are_verified(small):
    run("verify", "--full", "-t", small, "KPvK", "KQvKB").has("^KPvK +right", "^KQvKB +right")
    run("verify", "-t", small, "KRvKP").has("^KRvKP +right")


@pytest.mark.seconds(5)
def test_larger_tables_are_made_from_small_files(small):
    for path in glob.glob("small/KBPvK.*"):
        os.remove(path)
    run("gen", "-q", "-m", "wdl,dtz,dtm", "-t", small, "KBPvK")
    for metric in ("wdl", "dtz", "dtm"):
        assert same_bytes(f"small/KBPvK.{metric}.treb", f"{TABLES}/KBPvK.{metric}.treb")


@pytest.mark.parametrize("fen", ["8/8/8/4k3/8/8/4p3/K6R b - - 0 1", "8/8/8/4k3/8/8/4p3/K6R w - - 0 1"])
def test_the_same_moves(small, fen):
    assert run("probe", "-t", small, fen).out == run("probe", "-t", TABLES, fen).out
    assert run("line", "-t", small, fen).out == run("line", "-t", TABLES, fen).out


@pytest.mark.full
@pytest.mark.long
@pytest.mark.seconds(25)
def test_every_verdict(small):
    run("compare", "-m", "wdl", TABLES, small, "KQvKR", "KBvKP").has(" 0 different, 0 not compared; ")
