"""test_stats.py - `trebuchet stats`."""
from tests.support.command import TABLES, run


def test_stats():
    run("stats", "-t", TABLES, "KPvK").quiet().has("124,960", "97,604", "163,328", "168,024", "DTM  White", "#####")


def test_colours_the_other_way():
    run("stats", "-n", "-t", TABLES, "KvKP").has("^KPvK")


def test_utf():
    run("stats", "-t", TABLES, "KRvK", env={"LC_ALL": "C.UTF-8"}).has("█")


def test_narrow():
    answer = run("stats", "-t", TABLES, "KRvK", env={"COLUMNS": "60"})
    bars = answer.lines[next(i for i, line in enumerate(answer.lines) if " wins by " in line) :]
    assert max(map(len, bars)) <= 60


def test_metric():
    run("stats", "-m", "dtz", "-t", TABLES, "KRvKP").has("Black wins by DTZ")


def test_no_wins():
    run("stats", "-t", TABLES, "KNvK").has("none")


def test_no_material():
    run("stats", "-t", TABLES, "KXvK", code=2).says("no ending called").silent()


def test_no_table():
    run("stats", "-t", TABLES, "KRPvKRP", code=3).silent()


def test_json():
    d = run("stats", "--json", "-t", TABLES, "KPvK").quiet().json()
    assert set(d) == set("material men children counts longest histograms".split()) and set(d["histograms"]) == {
        "dtm",
        "dtm50",
        "dtc",
        "dtz",
    }
    assert d["histograms"]["dtm50"] is None
    assert d["counts"]["white"]["win"] == 124960 and d["counts"]["black"]["loss"] == 97604
    assert sum(n for p, n in d["histograms"]["dtm"]["white"]["win"]) == 124960


def test_json_one_metric():
    d = run("stats", "--json", "-m", "dtz", "-t", TABLES, "KPvK").json()
    assert list(d["histograms"]) == ["dtz"]


def test_json_counts_alone():
    d = run("stats", "--json", "-n", "-t", TABLES, "KPvK").json()
    assert "histograms" not in d and d["longest"]


def test_json_no_table():
    d = run("stats", "--json", "-t", TABLES, "KRPvKRP", code=3).json()
    assert set(d) == {"error"} and d["error"]["code"] == "no_table" and "KRPvKRP.wdl.treb" in d["error"]["message"]


def test_json_that_metric_is_missing(some):
    d = run("stats", "--json", "-m", "dtm", "-t", some, "KBNvK", code=3).says("KBNvK.dtm.treb").json()
    assert d["histograms"]["dtm"] is None and d["counts"]["white"]["win"] > 0


def test_json_no_material():
    d = run("stats", "--json", "-t", TABLES, "KXvK", code=2).json()
    assert d["error"]["code"] == "bad_request"


def test_json_a_wrong_option():
    d = run("stats", "--no-such", "--json", "KPvK", code=2).json()
    assert "--no-such" in d["error"]["message"]


def test_json_no_folder():
    d = run("stats", "--json", "-t", "nowhere", "KPvK", code=1).json()
    assert d["error"]["code"] == "io"
