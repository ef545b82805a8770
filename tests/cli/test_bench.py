"""test_bench.py - `trebuchet bench`."""
import glob

from tests.support.command import TABLES, run


def test_bench():
    answer = run("bench", "-d", "0.02", "-p", "500", "-j", "2", "-t", TABLES, "KQvKR").quiet()
    answer.has("^ +wdl +[0-9]+ ns", "^ +moves")


def test_json():
    d = run("bench", "--json", "-d", "0.02", "-p", "200", "-t", TABLES, "KQvKR", "KPvK").json()
    assert d["probes"][0]["figures"]["wdl"]["single_ns"] > 0 and len(d["probes"]) == 2
    assert set(d) == {"threads", "cache", "positions", "probes"} and d["positions"] == 200
    assert set(d["probes"][1]["figures"]["dtm"]) == set(
        "single_ns threaded_ns per_second warm_misses uncached_ns uncached_blocks".split()
    )


def test_json_no_table():
    d = run("bench", "--json", "-d", "0.02", "-t", TABLES, "KRPvKRP", code=3).json()
    assert d["error"]["code"] == "no_table"


def test_gen_json(folder):
    d = run("bench", "--gen", "--json", "KQvK", env={"TMPDIR": folder}).json()
    assert [t["material"] for t in d["tables"]] == ["KQvK"] and d["tables"][0]["bytes"] == 25206 and d["threads"] > 0
    run("bench", "--gen", "KQvK", env={"TMPDIR": folder}).has("KQvK .* s ", "together")
    assert not glob.glob("trebuchet-bench-*")


def test_no_table():
    run("bench", "-d", "0.02", "-t", TABLES, "KRPvKRP", code=3)


def test_bad_duration():
    run("bench", "-d", "x", "-t", TABLES, code=2).silent()
