"""test_info.py - `trebuchet info`."""
from tests.support.command import TABLES, run, truncated, write


def test_info():
    run("info", f"{TABLES}/KPvK.dtz.treb").quiet().has("KPvK, 3 men", "DTZ: plies", "124,960 wins")


def test_by_name():
    run("info", "-t", TABLES, "KPvK.wdl").has("WDL")


def test_no_file():
    run("info", "-t", TABLES, "KPvK.xyz", code=3).says("no file").silent()


def test_foreign_file():
    write("KPvK.dtm.treb", "no table\n")
    run("info", "./KPvK.dtm.treb", code=1).says("KPvK.dtm.treb").silent()


def test_a_folder():
    answer = run("info", TABLES).quiet()
    answer.has("^KPvK +wdl dtz dtc dtm +[0-9.]+ kB$", ": [0-9]+ tables of [0-9]+ materials, ")
    d = run("info", "--json", TABLES).quiet().json()
    assert d["directories"] == [TABLES] and d["ranks"] == []
    assert len(d["tables"]) >= 35 and d["bytes"] > 1e6
    assert f"of {len(d['tables'])} materials" in answer.out


def test_json():
    d = run("info", "--json", f"{TABLES}/KPvK.dtz.treb").quiet().json()
    assert set(d) == set(
        "file material men metric bytes unpacked_bytes blocks block_bytes cells cells_per_byte cell_bytes codec codes "
        "stored counts longest".split()
    )
    code = next(iter(d["codes"].values()))
    assert code["order"][0] == "pawns" and code["count"] >= 1
    assert d["counts"]["white"]["win"] == 124960 and d["stored"]["white"] in (True, False)


def test_json_several():
    answer = run("info", "--json", "-t", TABLES, "KPvK.wdl", "KQvK.dtm").is_json_lines().has_lines(2)
    assert "longest" not in answer.lines[0]


def test_dtm50(mates):
    """The cells are of one side to move, and have the places of profiles."""
    d = run("info", "--json", "-t", mates, "KPvK.dtm50").json()
    dtm = run("info", "--json", "-t", mates, "KPvK.dtm").json()
    assert d["stored"] == dtm["stored"] and sorted(d["stored"].values()) == [False, True]
    assert d["codes"].keys() == {"places", "profiles"} and 1 < d["profiles"] < 256
    assert d["counts"] == dtm["counts"] and d["longest"] == dtm["longest"]
    fresh, last = d["delayed"]
    assert fresh == {"clock": "fresh", "count": 0}
    assert last["clock"] == "last" and last["count"] == 13080 and last["dtm50"] - last["dtm"] == 18
    answer = run("info", "-t", mates, "KPvK.dtm50").has("^  places of profiles in their classes$")
    answer.has(f"^  profiles  {d['profiles']};").has(f"^  classes   {d['profile_classes']} of positions")
    assert answer.count("^  code ") == 1
    answer.has("^  Mates that the 50-move rule delays$", "^ +0 at a clock of 0$")
    answer.has(f"^ +13,080 at the last clock at which they are won or lost, by 18 plies at most: {last['fen']}$")


def test_json_no_file():
    run("info", "--json", "-t", TABLES, "KPvK.xyz", "KPvK.wdl", code=3).is_json_lines().says("no file").has(
        r'^\{"file":"KPvK.xyz","error":\{"code":"no_table"', '"metric":"wdl"'
    )


def test_json_and_tsv():
    d = run("info", "--json", "--tsv", f"{TABLES}/KPvK.wdl.treb", code=2).json()
    assert d["error"]["code"] == "bad_request"


def test_truncated():
    truncated(f"{TABLES}/KPvK.wdl.treb", 1000, "KPvK.wdl.treb")
    run("info", "./KPvK.wdl.treb", code=1).says("KPvK.wdl.treb").silent()


def test_an_empty_folder(empty):
    answer = run("info", empty, code=3).says("there are no tables", "^Looked in: empty$").silent()
    answer.says("trebuchet gen|cannot be made")


def test_a_folder_of_blocked_pawn_tables(ranks):
    answer = run("info", ranks).has("^d4-d5.exact.treb$")
    answer.has("^ranks: 0 tables of 0 materials, 0 B; 3 blocked-pawn tables")
