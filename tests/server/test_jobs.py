"""test_jobs.py - what the server makes in the background: lists of positions, and positions that it solves."""
import json
import os

import pytest

from tests.support.command import TABLES, copy_files, overwrite, run, wait_for
from tests.support.server import UNDER, Server, each


def find(server, material, kind="zugzwang", status=200):
    return server.post("/v1/find", {"material": material, "kind": kind}, status)


@pytest.fixture(scope="module", name="lists")
def fixture_lists(server):
    """The server, once it has made a list of zugzwangs and one of longest wins: the replies to both."""
    server.get("/v1/jobs/zugzwang-KPvK", 404).fails_with("not_found")
    r = find(server, "kp-k").header("cache-control: no-store")
    d = r.json()
    assert d["job"] == "/v1/jobs/zugzwang-KPvK" and d["state"] in ("waiting", "running", "done") and d["error"] is None
    zugzwangs = server.finished("zugzwang-KPvK").header("cache-control: no-cache", 'etag: "').json()
    find(server, "KRvK", "longest")
    return zugzwangs, server.finished("longest-KRvK").json()


def positions(*words):
    """Those that `trebuchet find` prints."""
    return [p["fen"] for p in run("find", "-t", TABLES, "--json", *words).json_lines() if p["event"] == "position"]


def test_zugzwangs(lists):
    d = lists[0]
    found = d["result"]["positions"]
    assert d["state"] == "done" and d["result"]["found"] == 80
    assert d["result"]["zugzwang_black_loses"] == 80 and d["result"]["looked"] == 165676
    assert sorted(p["fen"] for p in found) == sorted(positions("--zugzwang", "KPvK"))
    distances = [p["black"]["dtm_plies"] for p in found]
    assert distances == sorted(distances, reverse=True)
    assert {p["white"]["verdict"] for p in found} == {"draw"} and {p["black"]["verdict"] for p in found} == {"loss"}


def test_longest(lists):
    result = lists[1]["result"]
    assert [p["fen"] for p in result["positions"]] == positions("--longest", "KRvK") and result["found"] > 0
    assert {p["dtm_plies"] for p in result["positions"]} == {31}


def test_again(server, lists):
    d = find(server, "KvKP").json()
    assert d["state"] == "done" and d["result"]["found"] == 80


def test_what_is_done_is_not_cancelled(server, lists):
    assert server.request("DELETE", "/v1/jobs/zugzwang-KPvK").json()["state"] == "done"


def test_counted(server, lists):
    wait_for(lambda: server.metric("trebuchet_background_total") == 2, "both lists are counted")
    assert server.metric("trebuchet_background_pending") == 0


def test_no_table(server):
    find(server, "KRPvKR", status=404).fails_with("no_table").has("KRPvKR.wdl.treb")


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{",
        "[]",
        '{"material":"KPvK"}',
        '{"material":"KPvK","kind":"stalemate"}',
        '{"material":5,"kind":"zugzwang"}',
        '{"material":"KXvK","kind":"zugzwang"}',
    ],
)
def test_find_refused(server, body):
    server.post("/v1/find", body, 400).fails_with("bad_request")


@each(
    "method, target, allow",
    {
        "find, GET": ("GET", "/v1/find", "POST"),
        "jobs, POST": ("POST", "/v1/jobs/x", "GET, HEAD, DELETE, OPTIONS"),
        "nothing else takes DELETE": ("DELETE", "/healthz", "GET, HEAD, OPTIONS"),
    },
)
def test_methods(server, method, target, allow):
    r = server.request(method, target, 405, body="x" if method == "POST" else None)
    r.fails_with("method").header(f"allow: {allow}")


def test_no_such_job(server):
    server.get(f"/v1/jobs/{'0' * 199}1", 404).fails_with("not_found")


def test_nothing_to_cancel(server):
    server.request("DELETE", "/v1/jobs/zugzwang-KQvK", 404).fails_with("not_found")


def test_preflight_of_a_cancellation(server):
    r = server.request("OPTIONS", "/v1/jobs/x", 204)
    r.header("access-control-allow-methods: GET, HEAD, DELETE, OPTIONS")


@pytest.mark.seconds(5)
def test_queue(serve):
    """While a list is made others wait, only a few of one client; answers do not wait. It can be cancelled, and ends
    with the server."""
    server = serve("--tables", TABLES, "--quiet")
    find(server, "KPvKP", "longest")
    find(server, "KQvKQ", "longest")
    find(server, "KRvKR", "longest", 429).fails_with("too_many")

    def under_way():
        d = server.get("/v1/jobs/longest-KPvKP").json()
        return d["state"] == "running" and d["ahead"] == 0 and d["done"] > 0

    wait_for(under_way, "it says how far it is")
    server.get(f"/v1/probe?fen={UNDER}")
    d = server.request("DELETE", "/v1/jobs/longest-KPvKP").json()
    assert d["state"] == "cancelled" and d["result"] is None
    server.get("/v1/jobs/longest-KPvKP", 404).fails_with("not_found")
    # It may take a moment to end.
    again = {"material": "KPvKP", "kind": "longest"}
    wait_for(lambda: server.ask("POST", "/v1/find", again).status == 200, "it can be made again")
    assert server.stop() < 3


def test_small_lists(serve):
    server = serve("--tables", TABLES, "--quiet", "--lists", "3")
    find(server, "KPvKP", status=404).fails_with("too_many_men").has("up to 3 men")
    find(server, "KPvK")


def test_off(serve):
    server = serve("--tables", TABLES, "--quiet", "--lists", "0")
    find(server, "KPvK", status=404).fails_with("too_many_men").has("makes no lists")
    server.post("/v1/solve", {"fen": "8/8/p3k3/1p6/1P6/P3K3/8/8 w"}, 404).fails_with("off").has("serve --solve")
    assert server.get("/v1/tables").json()["solve_seconds"] is None


def test_damaged(serve):
    copy_files("broken", "KBNvK.*", "K?vK.*")
    path = "broken/KBNvK.wdl.treb"
    overwrite(path, os.path.getsize(path) // 2, b"\377\0\377U")
    server = serve("--tables", "broken", "--quiet")
    find(server, "KBNvK")
    r = server.finished("zugzwang-KBNvK").header("cache-control: no-store")
    d = r.json()
    assert d["state"] == "failed" and d["result"] is None
    assert d["error"]["code"] == "damaged" and "KBNvK.wdl.treb" in d["error"]["message"]


# ---- positions without a table are solved, with the result of the command -----------------------

PAWNS = "8/8/p3k3/1p6/1P6/P3K3/8/8"
LONG = "8/p1p2p2/1p4k1/8/6P1/P1P2P2/1K6/8"


def solve(server, fen, status=200, **more):
    return server.post("/v1/solve", {"fen": fen, **more}, status)


@pytest.fixture(scope="module", name="solver")
def fixture_solver(tmp_path_factory):
    folder = tmp_path_factory.mktemp("solver")
    with Server("--tables", TABLES, "--quiet", "--solve", "256MiB", "--solve-time", "120", cwd=folder) as server:
        yield server


def test_solve(solver):
    assert solver.get("/v1/tables").json()["solve_seconds"] == 120
    job = "solve-8.8.p3k3.1p6.1P6.P3K3.8.8_w_-_-"
    assert solve(solver, f"{PAWNS} w - - 3 40").json()["job"] == f"/v1/jobs/{job}"
    result = solver.finished(job).json()["result"]
    printed = run("solve", "-q", "-t", TABLES, "--json", f"{PAWNS} w").json()
    assert {k: result[k] for k in ("verdict", "moves", "fen")} == {k: printed[k] for k in ("verdict", "moves", "fen")}
    assert result["probe"]["verdict"] == "draw" and result["probe"]["solved"]["stopped"] is False
    assert result["seconds"] >= 0
    verdicts = {"draw": "draw", "black": "loss"}
    assert [m["verdict"] for m in result["probe"]["moves"]] == [verdicts[m["verdict"]] for m in result["moves"]]
    # The clock does not matter.
    assert solve(solver, f"{PAWNS} w").json()["state"] == "done"


def test_solve_won(solver):
    solve(solver, "8/5K2/8/2p5/2P5/k7/6P1/8 w")
    result = solver.finished("solve-8.5K2.8.2p5.2P5.k7.6P1.8_w_-_-").json()["result"]
    assert result["verdict"] == "white" and result["line"][0] == result["moves"][0]["san"]
    assert result["probe"]["moves"][0]["verdict"] == "win"


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{",
        "[]",
        '{"fen":5}',
        json.dumps({"fen": f"{PAWNS} w", "seconds": 0}),
        json.dumps({"fen": f"{PAWNS} w", "seconds": "x"}),
    ],
)
def test_solve_refused(solver, body):
    solver.post("/v1/solve", body, 400).fails_with("bad_request")


@each(
    "fen, code",
    {"no position": ("what", "bad_fen"), "too many pieces": ("8/8/p3k3/1p6/1P6/PNN1K3/8/8 w", "bad_position")},
)
def test_solve_bad_position(solver, fen, code):
    solve(solver, fen, 400).fails_with(code)


def test_solve_get(solver):
    solver.get("/v1/solve", 405).fails_with("method")


def test_solve_time_is_up(solver):
    solve(solver, f"{LONG} w", seconds=1)
    result = solver.finished("solve-8.p1p2p2.1p4k1.8.6P1.P1P2P2.1K6.8_w_-_-").json()["result"]
    assert result["stopped"] == (result["verdict"] == "open")


def test_solve_cancelled(solver):
    solve(solver, f"{LONG} b")
    r = solver.request("DELETE", "/v1/jobs/solve-8.p1p2p2.1p4k1.8.6P1.P1P2P2.1K6.8_b_-_-")
    assert r.json()["state"] in ("cancelled", "done")


def test_solve_and_stop(serve):
    """A long job ends with the server."""
    server = serve("--tables", TABLES, "--quiet", "--solve", "256MiB")
    solve(server, "8/p1p2p2/1p4k1/8/6P1/P1P2P2/K7/8 b")
    assert server.stop() < 3
