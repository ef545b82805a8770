"""test_routes.py - Trebuchet's routes: probes, lines, blocked pawns, batches, games, and endings."""
import pytest

from tests.support.command import TABLES, run
from tests.support.server import CASTLING, FIVE, KBNK, MANY, TREB, UNDER, each

START = "8/5P1k/8/7K/8/8/8/8 w - - 0 1"


# ---- probes -------------------------------------------------------------------------------------


def test_probe(server):
    d = server.get(f"/v1/probe?fen={UNDER}").json()
    assert (d["fen"], d["turn"], d["men"], d["material"]) == (START, "white", 3, "KPvK")
    assert (d["verdict"], d["dtm_plies"], d["metric"], d["best"]["dtm"]) == ("win", 11, "dtm", "f7f8r")
    assert d["unknown"] == []
    assert d["moves"][0]["dtm_plies"] == 11 and d["moves"][0]["verdict"] == "win"
    assert d["moves"][1]["dtm_plies"] is None


@each(
    "text",
    {
        "in quotes": "%228/5P1k/8/7K/8/8/8/8%20w%22",
        "a tag of PGN": "%5BFEN+%228/5P1k/8/7K/8/8/8/8+w+-+-+0+1%22%5D",
        "EPD": "8/5P1k/8/7K/8/8/8/8+w+-+-+bm+f8%3DR%3B",
        "a link of Lichess": "https://lichess.org/analysis/8/5P1k/8/7K/8/8/8/8_w_-_-_0_1",
        "a link of syzygy-tables.info": "https://syzygy-tables.info/?fen=8/5P1k/8/7K/8/8/8/8_w_KQ_-_0_1",
    },
)
def test_probe_text(server, text):
    assert server.get(f"/v1/probe?fen={text}").json()["fen"] == START
    assert server.get(f"/standard?fen={text}").json()["category"] == "win"


def test_probe_link_without_position(server):
    r = server.get("/v1/probe?fen=https://lichess.org/abcdefgh", 400)
    r.fails_with("bad_fen").has("the link has no FEN")


def test_probe_clock(server):
    d = server.get(f"/v1/probe?fen={KBNK}_60_90&metric=dtz").json()
    assert d["verdict"] == "cursed_win" and d["verdict_clock_zero"] == "win"
    assert d["halfmove_clock"] == 60 and d["metric"] == "dtz"
    assert d["dtc_plies"] is None and d["best"]["dtc"] is None
    assert [u["code"] for u in d["unknown"]] == ["no_table"] and "KBNvK.dtc.treb" in d["unknown"][0]["message"]


def beyond(reply, code, moves):
    """Beyond the tables: all moves, and the reason why there is no verdict."""
    d = reply.json()
    assert d["verdict"] is None and d["verdict_clock_zero"] is None and len(d["moves"]) == moves, reply
    assert d["unknown"][0]["metric"] == "wdl" and d["unknown"][0]["code"] == code, reply
    return d


def test_probe_no_table(server):
    d = beyond(server.get(f"/v1/probe?fen={FIVE}").has("KRPvKR.wdl.treb"), "no_table", 6)
    assert d["material"] == "KRPvKR" and d["men"] == 5


def test_probe_castling_that_tables_settle(server):
    d = server.get(f"/v1/probe?fen={CASTLING}").json()
    assert d["verdict"] == "win" and "O-O" in [m["san"] for m in d["moves"]]


def test_probe_castling(server):
    beyond(server.get("/v1/probe?fen=r3k2r/8/8/8/8/8/8/R3K2R_w_KQkq"), "castling", 26)


def test_probe_many_men(server):
    d = server.get(f"/v1/probe?fen={MANY}").json()
    assert d["verdict"] is None and d["unknown"][0]["code"] == "too_many_men"
    assert d["material"] is None and len(d["moves"]) > 10


def test_probe_bad_metric(server):
    server.get(f"/v1/probe?fen={UNDER}&metric=wdl", 400).fails_with("bad_request")


def test_probe_bare_kings(server):
    d = server.get("/v1/probe?fen=7K/8/8/8/8/8/8/k7_w").json()
    assert d["state"] == "insufficient_material" and d["verdict"] == "draw" and d["material"] is None


# ---- lines --------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["dtm", "dtz"])
def test_line(server, metric):
    d = server.get(f"/v1/line?fen={KBNK}&metric={metric}").json()
    assert (d["metric"], d["plies"], d["end"], d["winner"]) == (metric, 57, "mate", "white")
    assert len(d["moves"]) == 57 and d["moves"][0]["dtm_plies"] == 57
    assert d["moves"][-1]["san"].endswith("#") and "1-0" in d["pgn"]


def test_line_no_dtc(server):
    server.get(f"/v1/line?fen={KBNK}&metric=dtc", 404).fails_with("no_table").has("KBNvK.dtc.treb")


def test_line_without_the_rule(server):
    server.get(f"/v1/line?fen={KBNK}&metric=dtm&rule=none").has('"rule":"none"', "rule is ignored")


def test_line_with_the_rule(server):
    server.get(f"/v1/line?fen={KBNK}&metric=dtm&rule=50").has('"rule":"50"')


@each(
    "query, text",
    {
        "bad metric": (f"?fen={KBNK}&metric=x", ""),
        "bad rule": (f"?fen={KBNK}&rule=75", "50 or none"),
        "no FEN": ("", ""),
    },
)
def test_line_refused(server, query, text):
    server.get(f"/v1/line{query}", 400).fails_with("bad_request").has(text)


# ---- blocked pawns ------------------------------------------------------------------------------


def test_blocked(server):
    r = server.get(f"/v1/blocked?fen={TREB}").header("content-type: application/json", 'etag: "')
    r.header("cache-control: no-cache", r"access-control-allow-origin: \*")
    d = r.json()
    assert (d["verdict"], d["plies"], d["attacker"], d["file"]) == ("black", 2, "black", "d4-d5.exact.treb")
    assert "e5" in d["double_zugzwangs"]["c4"] and d["groups"][0]["mark"] == "1"
    assert d["line"][-1] == "Kxd4" and d["line_end"] == "tables"
    server.get(f"/v1/blocked?fen={TREB}", 304, {"If-None-Match": r.value("etag")})


def test_blocked_attacker(server, made_tables):
    r = server.get(f"/v1/blocked?fen={TREB}&attacker=white")
    d = r.json()
    assert d["attacker"] == "white" and "c4" in d["double_zugzwangs"]["e5"]
    command = run("blocked", "-t", made_tables, "--json", "--squares", "--attacker", "white", TREB)
    assert r.text.strip("\n") == command.out.strip("\n")


def test_blocked_mirrored_and_colours_exchanged(server):
    d = server.get("/v1/blocked?fen=8/8/8/4pK2/3kP3/8/8/8_b_-_-_0_1").json()
    assert d["verdict"] == "white" and d["file"] == "d4-d5.exact.treb"


@each(
    "query, status, code, text",
    {
        "no file": ("?fen=8/8/8/2p5/2P5/8/8/K6k_w", 404, "no_table", r"c4-c5\.exact\.treb"),
        "a free pawn": ("?fen=8/8/8/8/2P5/8/8/K6k_w", 404, "not_blocked", "c4"),
        "a piece": (f"?fen={KBNK}", 404, "not_blocked", ""),
        "bad FEN": ("?fen=x", 400, "bad_fen", ""),
        "impossible": ("?fen=8/8/8/8/8/8/8/Kk6_w", 400, "bad_position", ""),
        "no FEN": ("", 400, "bad_request", ""),
        "no colour": (f"?fen={TREB}&attacker=red", 400, "bad_request", ""),
        "attacker twice": (f"?fen={TREB}&attacker=white&attacker=black", 400, "bad_request", ""),
    },
)
def test_blocked_refused(server, query, status, code, text):
    server.get(f"/v1/blocked{query}", status).fails_with(code).has(text)


# ---- several positions, games -------------------------------------------------------------------


def test_batch(server):
    answers = server.post("/v1/batch", {"fens": [UNDER, "x", FIVE, 7]}).json()["answers"]
    assert len(answers) == 4 and answers[0]["dtm_plies"] == 11 and len(answers[0]["moves"]) > 5
    assert [a.get("error", {}).get("code") for a in answers] == [None, "bad_fen", None, "bad_fen"]
    assert answers[2]["verdict"] is None and answers[1]["fen"] == "x" and answers[3]["fen"] == 7


def test_batch_no_moves(server):
    d = server.post("/v1/batch", {"fens": [UNDER], "moves": False, "metric": "dtz"}).json()["answers"][0]
    assert "moves" not in d and d["best"]["dtz"] == "f7f8r" and d["metric"] == "dtz"


def test_batch_empty(server):
    assert server.post("/v1/batch", '{"fens":[]}').json() == {"answers": []}


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{",
        "[]",
        '{"fens":1}',
        '{"fens":[],"moves":1}',
        '{"fens":[],"metric":"x"}',
        '{"fens":[],"fens":[]}',
    ],
)
def test_batch_refused(server, body):
    server.post("/v1/batch", body, 400).fails_with("bad_request")


def test_batch_of_1000(server):
    assert len(server.post("/v1/batch", {"fens": [UNDER] * 1000, "moves": False}).json()["answers"]) == 1000
    r = server.post("/v1/batch", {"fens": [UNDER] * 1001, "moves": False}, 400)
    r.fails_with("bad_request").has("1,000")


GAMES = f"""[FEN "7k/5P2/8/7K/8/8/8/8 w - - 0 1"]

1. f8=Q+ Kh7 2. Kh6 *

[FEN "{START}"]

1. f8=Q {{why}} 1/2-1/2
"""


def test_games(server):
    d = server.post("/v1/games", GAMES, headers={"Content-Type": "text/plain"}).json()
    assert len(d["games"]) == 2 and not d["cut"] and d["positions"] == 5
    assert "2. Kh6" in d["games"][0]["error"]["message"]
    assert [m["judgement"] for g in d["games"] for m in g["moves"]] == [None, None, "blunder"]
    move = d["games"][1]["moves"][0]
    assert (move["san"], move["best"]["san"], move["notes"]) == ("f8=Q", "f8=R", "{why}")


def test_games_link(server):
    game = server.post("/v1/games", f"https://lichess.org/editor/{UNDER}").json()["games"][0]
    assert game["start"].startswith("8/5P1k") and game["dtm_plies"] == 11 and game["moves"] == []


def test_games_no_position(server):
    assert server.post("/v1/games", "x").json()["games"][0]["error"]["code"] == "bad_fen"


def test_games_nothing(server):
    server.post("/v1/games", "", 400).fails_with("bad_request")


@pytest.mark.parametrize("path", ["/v1/games", "/v1/batch"])
def test_only_post(server, path):
    server.get(path, 405).fails_with("method").header("allow: POST, OPTIONS")


# ---- endings ------------------------------------------------------------------------------------


def test_tables(server, made_tables):
    d = server.get("/v1/tables").json()
    assert d["ranks"] == ["d4-d5.exact.treb"] and d["solved"] == []
    assert d["directories"] == [made_tables] and len(d["tables"]) == 6
    assert d["bytes"] == sum(f["bytes"] for t in d["tables"] for f in t["metrics"].values())
    assert d["tables"][-1]["material"] == "KBNvK" and "dtc" not in d["tables"][-1]["metrics"]
    pawn = next(t for t in d["tables"] if t["material"] == "KPvK")
    assert pawn["counts"]["white"]["win"] == 124960


def test_stats(server):
    d = server.get("/v1/stats/KvKP").json()
    assert d["material"] == "KPvK" and d["men"] == 3 and d["counts"]["white"]["win"] == 124960
    children = [c["material"] for c in d["children"] if c["by"] == "promotion" and c["installed"]]
    assert children == ["KQvK", "KRvK", "KBvK", "KNvK"]
    wins = d["histograms"]["dtm"]["white"]["win"]
    assert sum(n for _, n in wins) == 124960 and max(wins)[0] == 55
    longest = [x for x in d["longest"] if (x["metric"], x["verdict"], x["turn"]) == ("dtm", "win", "white")]
    assert [x["plies"] for x in longest] == [55]


def test_stats_as_people_write_it(server):
    server.get("/v1/stats/kp-k").has('"material":"KPvK"')


def test_stats_no_material(server):
    server.get("/v1/stats/KXvK", 400).fails_with("bad_request").has("no ending called")


def test_stats_not_installed(server):
    server.get("/v1/stats/KRvKR", 404).fails_with("no_table").has("KRvKR")


def test_shift(server):
    r = server.get("/v1/shift?fen=8/8/8/3k4/8/3KP3/8/8_w")
    assert len(r.json()["places"]) == 35 and len(r.json()["groups"]) == 4
    assert r.text.strip("\n") == run("shift", "-t", TABLES, "--json", "8/8/8/3k4/8/3KP3/8/8 w").out.strip("\n")


@each(
    "query, status, code",
    {
        "no table": ("?fen=8/8/8/3k4/2r5/3KP3/3R4/8_w", 404, "no_table"),
        "castling": (f"?fen={CASTLING}", 404, "castling"),
        "many men": (f"?fen={MANY}", 404, "too_many_men"),
        "no FEN": ("", 400, "bad_request"),
    },
)
def test_shift_refused(server, query, status, code):
    server.get(f"/v1/shift{query}", status).fails_with(code)


def test_rules(server):
    d = server.get("/v1/rules?fen=8/8/8/8/K7/8/P1k5/8_b").json()
    assert d["material"] == "KPvK" and d["verdict"] == "loss" and not d["swapped"] and len(d["rules"]) == 5
    square = [r for r in d["rules"] if r["rule"] == "square"]
    assert [(r["says"], r["ground"], r["right"]) for r in square] == [
        ("draw", "in the square, and nearer to the pawn", False)
    ]
    assert [(r["says"], r["right"]) for r in d["rules"] if r["rule"] == "key-squares"] == [(None, None)]
    assert square[0]["figures"]["silent"] == 165676 - 132739
    assert "PIONEER" in str([r["about"] for r in d["rules"]])


def test_rules_colours_exchanged(server):
    d = server.get("/v1/rules?fen=8/p1K5/8/k7/8/8/8/8_w").json()
    assert d["swapped"] and d["verdict"] == "loss"
    assert [r["right"] for r in d["rules"] if r["rule"] == "square"] == [False]


def test_rules_of_an_ending_without(server):
    d = server.get("/v1/rules?fen=8/8/4k3/8/8/8/3Q4/4K3_w").json()
    assert d["material"] == "KQvK" and d["rules"] == []


@each("fen, code", {"no table": (FIVE, "no_table"), "castling": (CASTLING, "castling")})
def test_rules_refused(server, fen, code):
    server.get(f"/v1/rules?fen={fen}", 404).fails_with(code)


# By a strategy the server plays what the command plays.
def test_strategies(server):
    d = server.get("/v1/strategies").json()["strategies"]
    wins = [(s["strategy"], s["figures"]["white_to_move"]["wins"]) for s in d if s["material"] in ("KQvK", "KRvK")]
    assert wins == [("king-and-queen", 18081), ("king-and-rook", 21959)]
    assert all("move" not in s and s["about"] and s["advice"] for s in d)


def test_strategies_position(server):
    d = server.get("/v1/strategies?fen=8/8/8/8/3R4/8/2k5/K7_w").json()["strategies"]
    assert [(s["plays"], s["follows"], s["move"]["uci"]) for s in d] == [("white", "divide in 2", "d4b4")]
    replies = d[0]["move"]["replies"]
    assert [r["then"]["uci"] for r in replies if r["uci"] == "c2c3"] == ["b4b1"] and len(replies) == 5


def test_strategies_colours_exchanged_and_turned(server):
    d = server.get("/v1/strategies?fen=7k/5K2/8/4r3/8/8/8/8_b").json()["strategies"]
    assert [(s["plays"], s["follows"], s["move"]["uci"], s["move"]["san"]) for s in d] == [
        ("black", "divide in 2", "e5g5", "Rg5")
    ]


def test_strategies_the_other_side_to_move(server):
    d = server.get("/v1/strategies?fen=8/8/8/8/3R4/8/2k5/K7_b").json()["strategies"]
    assert [(s["plays"], s["follows"], s["move"]) for s in d] == [("white", None, None)]


def test_strategies_none_for_it(server):
    d = server.get("/v1/strategies?fen=8/8/8/8/K7/8/P1k5/8_b").json()
    assert d["strategies"] == [] and d["fen"].startswith("8/8")


@each("fen, status, code", {"no FEN": ("what", 400, "bad_fen"), "castling": (CASTLING, 404, "castling")})
def test_strategies_refused(server, fen, status, code):
    server.get(f"/v1/strategies?fen={fen}", status).fails_with(code)


# ---- the server itself --------------------------------------------------------------------------


def test_health(server):
    assert server.get("/healthz").json() == {"status": "ok", "tables": 23, "faulty": 0}


def test_metrics(server):
    server.get(f"/standard?fen={UNDER}")
    server.get("/metrics").header(r"content-type: text/plain; version=0.0.4").has(
        r'^trebuchet_http_requests_total\{route="/standard",code="200"\} [0-9]+$',
        r'^trebuchet_http_request_duration_seconds_bucket\{route="/standard",le="\+Inf"\} [0-9]+$',
        "^trebuchet_cache_budget_bytes [0-9]+$",
        "^trebuchet_damaged_blocks_total 0$",
    )


def test_page(server):
    server.get("/").header("content-type: text/html", "content-security-policy:", "etag")


@each("target", {"no such address": "/nothing", "under v1": "/v1/", "a path upwards": "/../tables/KPvK.wdl.treb"})
def test_not_found(server, target):
    server.get(target, 404).fails_with("not_found")
