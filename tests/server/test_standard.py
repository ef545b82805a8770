"""test_standard.py - the routes of lila-tablebase: /standard, /standard/mainline, /monitor."""
from tests.support.command import run
from tests.support.server import CASTLING, FIVE, KBNK, MANY, UNDER, each


def test_answer(server):
    r = server.get(f"/standard?fen={UNDER}&dtc=always")
    r.header("content-type: application/json", r"access-control-allow-origin: \*", 'etag: "')
    r.header("cache-control: public, max-age=")
    d = r.json()
    assert (d["category"], d["dtz"], d["precise_dtz"], d["dtm"], d["dtc"]) == ("win", 1, 1, 11, 1)
    assert d["dtw"] is None and d["variant_win"] is False and d["insufficient_material"] is False
    first, second, third = d["moves"][:3]
    assert [first["uci"], second["uci"]] == ["f7f8r", "f7f8q"] and second["stalemate"]
    assert (first["category"], first["dtm"], first["dtc"]) == ("loss", -10, -5)
    assert first["zeroing"] and first["conversion"] and third["insufficient_material"]


def test_equals_the_command(server, made_tables):
    r = server.get(f"/standard?fen={UNDER}&dtc=always")
    assert r.text.strip("\n") == run("probe", "--json", "-t", made_tables, UNDER).out.strip("\n")


@each(
    "spelling",
    {
        "%20": UNDER.replace("_", "%20"),
        "plus": UNDER.replace("_", "+"),
        "%2F": UNDER.replace("/", "%2F"),
        "another parameter": UNDER + "&source=none",
        "two fields": UNDER[: -len("_-_-_0_1")],
        "castling and en passant that cannot be": "8/5P1k/8/7K/8/8/8/8_w_KQkq_e6_0_1",
    },
)
def test_spelling(server, spelling):
    assert server.get(f"/standard?fen={spelling}").body == server.get(f"/standard?fen={UNDER}").body


def test_impossible_castling_in_our_own_dialect(server):
    server.get("/v1/probe?fen=8/5P1k/8/7K/8/8/8/8_w_KQkq_e6_0_1", 400).fails_with("bad_position")


def test_clock(server):
    d = server.get(f"/standard?fen={KBNK}_60_90").json()
    assert d["category"] == "cursed-win" and d["dtz"] == 57 and d["moves"][0]["category"] == "blessed-loss"


def test_mate(server):
    d = server.get("/standard?fen=8/8/8/8/8/2K5/1Q6/k7_b").json()
    assert d["checkmate"] and d["category"] == "loss" and d["dtz"] == -1
    assert d["dtm"] is None and d["dtc"] is None and d["moves"] == []


@each("clock, category, after", {"99": (99, "win", "loss"), "100": (100, "cursed-win", "blessed-loss")})
def test_mate_at_clock(server, clock, category, after):
    d = server.get(f"/standard?fen=8/8/8/8/8/2K5/7Q/k7_w_-_-_{clock}_90").json()
    assert d["category"] == category and d["moves"][0]["checkmate"] and d["moves"][0]["category"] == after


def test_no_dtc(server):
    r = server.get(f"/standard?fen={KBNK}").header("cache-control: no-cache")
    d = r.json()
    assert d["dtc"] is None and d["dtz"] == 57 and d["dtm"] == 57


def test_no_table(server):
    d = server.get(f"/standard?fen={FIVE}").header("cache-control: no-cache").json()
    assert d["category"] == "unknown" and d["dtz"] is None and d["dtm"] is None and len(d["moves"]) > 3


def test_castling(server):
    d = server.get(f"/standard?fen={CASTLING}").header("cache-control: public, max-age=").json()
    assert d["category"] == "win" and d["dtz"] is None and all(m["dtm"] is not None for m in d["moves"])
    assert [m["uci"] for m in d["moves"] if m["san"] == "O-O"] == ["e1g1"]


def test_castling_on_both_sides(server):
    d = server.get("/standard?fen=r3k3/8/8/8/8/8/8/4K2R_w_Kq").json()
    assert d["category"] == "unknown" and {m["category"] for m in d["moves"]} == {"unknown"}
    assert d["moves"][0]["dtz"] is None


def test_many_men(server):
    d = server.get(f"/standard?fen={MANY}").json()
    assert d["category"] == "unknown" and d["dtz"] is None and len(d["moves"]) > 40
    assert {m["category"] for m in d["moves"]} == {"unknown"}


@each(
    "query, code",
    {
        "no FEN": ("", "bad_request"),
        "empty FEN": ("?fen=", "bad_fen"),
        "bad FEN": ("?fen=nonsense", "bad_fen"),
        "impossible": ("?fen=8/8/8/8/8/2K5/1Q6/k7_w", "bad_position"),
        "FEN twice": (f"?fen={UNDER}&fen={UNDER}", "bad_request"),
        "escape": ("?fen=%zz", "bad_request"),
        "zero byte": ("?fen=8%00", "bad_request"),
        "not UTF-8": ("?fen=%ff%fe/8_w", "bad_fen"),
    },
)
def test_refused(server, query, code):
    server.get(f"/standard{query}", 400).fails_with(code)


def test_mainline(server):
    d = server.get(f"/standard/mainline?fen={KBNK}").json()
    assert (d["dtz"], d["precise_dtz"], d["winner"], len(d["mainline"])) == (57, 57, "w", 57)
    first, last = d["mainline"][0], d["mainline"][-1]
    assert set(first) == {"uci", "san", "dtz", "precise_dtz"} and first["dtz"] == -56
    assert last["san"].endswith("#") and last["dtz"] == -1


def test_mainline_too_late(server):
    d = server.get(f"/standard/mainline?fen={KBNK}_60_90").json()
    assert len(d["mainline"]) == 40 and d["winner"] is None


def test_mainline_draw(server):
    d = server.get("/standard/mainline?fen=7K/8/8/8/8/8/8/k7_w").json()
    assert d == {"dtz": 0, "precise_dtz": 0, "mainline": [], "winner": None}


def test_mainline_mate(server):
    d = server.get("/standard/mainline?fen=8/8/8/8/8/2K5/1Q6/k7_b").json()
    assert d["winner"] == "w" and d["mainline"] == []


@each(
    "fen, status, code, text",
    {
        "no table": (FIVE, 404, "no_table", "KRPvKR"),
        "castling": (CASTLING, 404, "castling", ""),
        "many men": (MANY, 404, "too_many_men", ""),
        "bad FEN": ("x", 400, "bad_fen", ""),
    },
)
def test_mainline_refused(server, fen, status, code, text):
    server.get(f"/standard/mainline?fen={fen}", status).fails_with(code).has(text)


def test_monitor(server):
    server.get("/monitor").has("^tablebase cache=[0-9]+u,")


# ---- blocked pawns: d2-d4 leads into a table in which the side to move loses ---------------------

INTO = "8/8/8/3pK3/2k5/8/3P4/8_w_-_-"


def test_into_blocked(server):
    d = server.get(f"/standard?fen={INTO}").json()
    assert d["category"] == "maybe-win" and [m["san"] for m in d["moves"] if m["category"] == "maybe-loss"] == ["d4"]


def test_into_blocked_probe(server):
    d = server.get(f"/v1/probe?fen={INTO}_6_9").header("cache-control: no-cache").json()
    assert d["verdict"] == "win"
    assert [(m["san"], m["dtz_plies"], m["dtc_plies"]) for m in d["moves"] if m["verdict"]] == [("d4", 1, 3)]
    assert d["blocked"] is None and d["unknown"][0]["metric"] == "wdl" and d["best"]["dtz"] == "d2d4"


def test_into_blocked_command(made_tables):
    a = run("probe", "-t", made_tables, f"{INTO}_0_1").has(r"^White wins\.", "^  winning")
    at = next(i for i, line in enumerate(a.lines) if line.startswith("  winning"))
    assert any(line.startswith("    d4 ") for line in a.lines[at : at + 2]), a
