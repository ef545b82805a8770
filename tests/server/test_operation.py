"""test_operation.py - how the server starts and ends, tables that come and go or are damaged, and its log."""
import os
import re
import signal
import threading

import pytest

from tests.support.command import TABLES, copy_files, overwrite, read, run, truncated, wait_for
from tests.support.server import TREB, UNDER, Server, each

STANDARD = f"/standard?fen={UNDER}"


# ---- tables that come, go and are damaged -------------------------------------------------------


def test_tables_come_and_go(serve, tables):
    server = serve("--tables", tables)
    known = "/standard?fen=8/8/4k3/8/2n5/8/3R4/4K3_w"
    server.get("/v1/stats/KRvKN", 404)
    assert server.get(known).json()["category"] == "unknown"
    copy_files(tables, "KRvKN.*")
    server.reload()
    server.get("/v1/stats/KRvKN")
    assert server.get(known).json()["category"] != "unknown"
    assert server.metric("trebuchet_reloads_total") == 1 and server.metric("trebuchet_tables") == 27
    # A folder that is gone: the old tables stay.
    server.get("/v1/probe?fen=8/k1P5/8/K7/8/8/8/8_w")
    os.rename(tables, "gone")
    server.reload("cannot reload the tables")
    server.get(f"/v1/probe?fen={UNDER}")
    assert server.metric("trebuchet_reload_failures_total") == 1


@pytest.fixture(scope="module", name="bad_folder")
def fixture_bad_folder(made_tables, tmp_path_factory):
    """Tables of 3 and some of 4 men. Some are cut, some have blocks with other bytes."""
    folder = str(tmp_path_factory.mktemp("damaged") / "bad")
    copy_files(folder, "K[QRBNP]vK.*", "KRvKN.*", "KRvKB.*")
    truncated(f"{TABLES}/KPvK.wdl.treb", 1000, f"{folder}/KPvK.wdl.treb")
    truncated(f"{TABLES}/KRvKN.dtz.treb", 400, f"{folder}/KRvKN.dtz.treb")
    for name in ("KQvK.wdl.treb", "KRvK.dtm.treb"):
        path = os.path.join(folder, name)
        overwrite(path, os.path.getsize(path) - 40, b"\377\0\377U")
    truncated(f"{made_tables}/d4-d5.exact.treb", 900, f"{folder}/d4-d5.exact.treb")
    return folder


@pytest.fixture(scope="module", name="bad")
def fixture_bad(bad_folder, tmp_path_factory):
    with Server("--tables", bad_folder, "--quiet", cwd=tmp_path_factory.mktemp("bad")) as server:
        yield server


QUEEN, ROOK = "8/8/4k3/8/8/8/3Q4/4K3_w", "8/8/4k3/8/8/8/3R4/4K3_w"


@each(
    "target, file",
    {
        "header, standard": (STANDARD, "KPvK.wdl.treb"),
        "header, probe": (f"/v1/probe?fen={UNDER}", "KPvK.wdl.treb"),
        "header, line": (f"/v1/line?fen={UNDER}", "KPvK.wdl.treb"),
        "header, mainline": (f"/standard/mainline?fen={UNDER}", "KPvK.wdl.treb"),
        "block, standard": (f"/standard?fen={QUEEN}", "KQvK.wdl.treb"),
        "block, probe": (f"/v1/probe?fen={QUEEN}", "KQvK.wdl.treb"),
        "DTZ": ("/standard?fen=k7/8/1K6/8/8/8/7n/1R6_w", "KRvKN.dtz.treb"),
    },
)
def test_damaged(bad, target, file):
    bad.get(target, 500).fails_with("damaged").has(file)


def test_damaged_blocked(bad):
    r = bad.get(f"/v1/blocked?fen={TREB}", 500).fails_with("damaged")
    r.has("d4-d5.exact.treb").header("cache-control: no-store")


def test_damaged_counts(bad):
    assert bad.get("/v1/stats/KPvK").json()["counts"] is not None


def test_damaged_distances(bad):
    d = bad.get(f"/v1/probe?fen={ROOK}").header("cache-control: no-store").json()
    assert d["verdict"] == "win" and d["dtm_plies"] is None and d["dtz_plies"] > 0
    assert "damaged" in [u["code"] for u in d["unknown"]]


def test_others_are_not_affected(bad):
    assert bad.get("/standard?fen=8/8/4k3/8/8/8/3B4/4K3_w").json()["category"] == "draw"


def test_damaged_in_the_list(bad):
    tables = bad.get("/v1/tables").json()["tables"]
    assert next(t for t in tables if t["material"] == "KPvK")["metrics"]["wdl"]["status"] == "damaged"


def test_damage_is_counted(serve, bad_folder):
    server = serve("--tables", bad_folder, "--quiet")
    for fen in (UNDER, QUEEN, "k7/8/1K6/8/8/8/7n/1R6_w"):
        server.get(f"/standard?fen={fen}", 500)
    server.get(f"/v1/blocked?fen={TREB}", 500)
    server.get(f"/v1/probe?fen={ROOK}")
    assert server.metric("trebuchet_damaged_blocks_total") >= 5
    server.stop()
    lines = read(server.log).splitlines()
    assert lines and all(line.startswith(f"trebuchet serve: {bad_folder}/") for line in lines), "errors, and no access log"


def test_damaged_file_comes(serve, bad_folder):
    """A damaged file that a reload finds, beside others."""
    copy_files("bad", "K[QRBNP]vK.*")
    server = serve("--tables", "bad", "--quiet")
    copy_files("bad", "KRvKN.*", "KRvKB.*", source=bad_folder)
    server.process.send_signal(signal.SIGHUP)
    wait_for(lambda: server.metric("trebuchet_tables") == 28, "the new files are there")
    server.get("/standard?fen=k7/8/1K6/8/8/8/7n/1R6_w", 500).fails_with("damaged").has("KRvKN.dtz.treb")
    # Files of blocked pawns are found without a reload.
    server.get(f"/v1/blocked?fen={TREB}", 404)
    copy_files("bad", "d4-d5.exact.treb", source=bad_folder)
    server.get(f"/v1/blocked?fen={TREB}", 500).fails_with("damaged").has("d4-d5.exact.treb")


# ---- no tables ----------------------------------------------------------------------------------


def test_no_tables(serve):
    server = serve("--log", "access")
    r = server.get("/healthz", 503).header("retry-after: ")
    assert r.json() == {"status": "no_tables", "tables": 0, "faulty": 0}
    # The warning comes after the address.
    wait_for(lambda: f"kill -HUP {server.pid}" in read(server.log), "it says what to do")
    assert "no tables in tables" in read(server.log) and "trebuchet gen --men 4" in read(server.log)
    server.get("/")
    d = server.get("/v1/tables").json()
    assert d["tables"] == [] and d["ranks"] == []
    copy_files("tables", "KPvK.*")
    server.reload(log="access")
    assert server.get("/healthz").json() == {"status": "ok", "tables": 4, "faulty": 0}
    for name in os.listdir("tables"):
        os.remove(f"tables/{name}")
    server.reload("tables reloaded: 0 files", log="access")
    assert re.search(r'"warning".*tables reloaded: 0 files', read("access"))
    server.get("/healthz", 503)
    # A pawn file counts as a table.
    run("solve", "-q", "-p", "1", "-t", "tables", "--write", "tables", "8/8/8/3pK3/2kP4/8/8/8 w")
    server.process.send_signal(signal.SIGHUP)
    wait_for(lambda: server.ask("GET", "/healthz").status == 200, "there is a table")
    d = server.get("/v1/tables").json()
    assert d["tables"] == [] and d["solved"] == ["d4-d5.solved.treb"]
    assert server.get("/v1/probe?fen=8/8/8/3pK3/2kP4/8/8/8_w").json()["verdict"] == "loss"


def test_allowed_to_be_empty(serve):
    server = serve("--quiet", "--allow-empty")
    assert server.get("/healthz").json() == {"status": "ok", "tables": 0, "faulty": 0}
    server.stop()
    assert read(server.log) == "", "no warning"


# ---- the log, renamed and opened again ----------------------------------------------------------


def test_log_is_opened_again(serve, tables):
    os.mkdir("logs")
    server = serve("--tables", tables, "--log", "logs/access")

    def logs(query, path):
        """A response is logged when it has been sent, possibly after the client has received it."""
        server.get(f"/healthz?{query}")
        wait_for(lambda: f"healthz?{query}" in read(path), f"?{query} is logged")

    server.get("/healthz")
    os.rename("logs/access", "logs/access.1")
    logs("old", "logs/access.1")
    server.reload(log="logs/access")
    logs("new", "logs/access")
    assert "healthz?old" in read("logs/access.1") and "?new" not in read("logs/access.1")
    assert "healthz?new" in read("logs/access") and "?old" not in read("logs/access")
    # Where it cannot be opened, the old one is written on.
    os.rename("logs", "gone")
    server.reload("cannot write the log")
    assert "logs/access" in read(server.log)
    logs("still", "gone/access")


# ---- starting and ending ------------------------------------------------------------------------


def test_one_thread_nothing_kept(serve, tables, server):
    first = server.get(STANDARD).body
    one = serve("--tables", tables, "--threads", "1", "--cache", "0", "--answers", "0", "--bind", "::1")
    assert one.url.startswith("http://[::1]:")
    for _ in range(3):
        assert one.get(STANDARD).body == first
    assert one.metric("trebuchet_answers") == 0 and one.metric("trebuchet_cache_bytes") == 0
    run("serve", "--tables", tables, "--bind", "::1", "--port", one.port, code=1).says("taken")


def test_stop_with_a_request_under_way(serve, tables):
    """A batch in progress is still answered when the server stops."""
    server = serve("--tables", tables, "--threads", "1", "--cache", "0", "--answers", "0")
    fens = [f"8/8/8/4k3/8/8/3BN3/4K3 w - - {i} 60" for i in range(60)] * 2
    got = []
    client = threading.Thread(target=lambda: got.append(server.ask("POST", "/v1/batch", {"fens": fens})))
    client.start()
    # The request for metrics itself is one.
    wait_for(lambda: got or server.metric("trebuchet_http_busy") >= 2, "the batch is under way")
    server.stop()
    client.join()
    assert got[0].status == 200 and len(got[0].json()["answers"]) == 120


@each(
    "options, text",
    {
        "no such folder": (("--tables", "nowhere"), "nowhere"),
        "no such host": (("--bind", "no.such.host.invalid"), r"no\.such\.host\.invalid"),
    },
)
def test_does_not_start(options, text):
    a = run("serve", "--port", "0", *options, code=1)
    assert re.search(text, a.out + a.err), a


@pytest.mark.parametrize(
    "wrong",
    [
        "--port x",
        "--port 70000",
        "--threads 0",
        "--cache lots",
        "--timeout 0",
        "--limit 0",
        "tables",
        "--no-such",
        "--listen 127.0.0.1",
        "--listen unix:",
        "--listen unix:x --port 1",
        "--socket-mode 9",
        "--socket-mode 1777",
        "--trust-proxy localhost",
        "--trust-proxy 10.0.0.0/33",
        "--queue 0",
        "--queue-per-client x",
        "--headers 1",
        "--headers 1GiB",
        "--unsent 0",
        "--lists 9",
        "--lists no",
        "--solve x",
        "--solve-time 0",
        "--send-timeout 0",
        "--body 1GiB",
    ],
)
def test_wrong_options(wrong):
    run("serve", *wrong.split(), code=2).says("serve --help")
