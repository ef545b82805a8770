"""test_export.py - `trebuchet export`."""
import glob
import os

import pytest

from tests.support.command import TABLES, run, same_bytes, write


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
    run("export", "--estimate", "--syzygy", "nowhere", "KRPvKR").has("^tables +[0-9]+ to write").quiet()
    assert not os.path.exists("nowhere")


def test_without_a_folder():
    run("export", "KQvK", code=2).says("--syzygy DIR").silent()
