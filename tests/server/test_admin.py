"""test_admin.py - what the administrator of a public server meets: bad files, missing folders, a full disk, few
descriptors, and requests that are not quite right."""
import json
import os
import re
import resource
import subprocess

import pytest

from tests.support.command import SYZYGY, TABLES, TOOL, copy_files, overwrite, read, run, truncated, wait_for, write
from tests.support.server import UNDER, Server, each

KRK = "8/8/8/8/8/2K5/1R6/3k4_b_-_-_0_1"


def errors(server):
    return [json.loads(line) for line in server.logged() if '"level":"error"' in line]


# ---- Bad files ----


@pytest.fixture(name="bad")
def fixture_bad(folder):
    """Tables of 3 men of both formats, of which four are no good."""
    copy_files("bad", "K[QRBNP]vK.*", link=True)
    copy_files("bad", "*", source=SYZYGY)
    for name in ("KRvK.dtz.treb", "KQvK.dtm.treb"):
        os.unlink(f"bad/{name}")
    truncated(f"{TABLES}/KRvK.dtz.treb", 1000, "bad/KRvK.dtz.treb")
    write("bad/KQvK.dtm.treb", "")
    os.unlink("bad/KPvK.rtbz")
    os.mkfifo("bad/KPvK.rtbz")
    truncated(f"{SYZYGY}/KPvK.rtbw", 64 * 20 + 16, "bad/KPvK.rtbw")
    return "bad"


BAD = {"KRvK.dtz.treb", "KQvK.dtm.treb", "KPvK.rtbz", "KPvK.rtbw"}


def named(lines):
    return sorted(os.path.basename(line["message"].partition(": ")[0]) for line in lines)


def test_bad_files_at_the_start(serve, bad):
    """They are seen before anybody asks: in the log, once each, in /healthz and in /metrics."""
    server = serve("--tables", bad)
    server.get("/healthz").has('"status":"ok","tables":32,"faulty":4')
    assert server.metric("trebuchet_faulty_files") == 4
    wait_for(lambda: len(errors(server)) == 4, "the log names the files")
    for _ in range(3):
        server.get(f"/v1/probe?fen={KRK}").has("KRvK.dtz.treb")
        server.get(f"/v1/probe?fen={KRK}&metric=dtz")
    wait_for(lambda: len(errors(server)) == 5, "the log names the file that needs one of them")
    server.reload()
    wait_for(lambda: len(errors(server)) == 9, "the log names them after a reload")
    assert named(errors(server)) == sorted(2 * list(BAD) + ["KRvK.dtc.treb"])
    assert all("reload" in line["message"] for line in errors(server))
    # With good copies the next reload finds nothing.
    for name in BAD:
        os.unlink(f"bad/{name}")
    copy_files("bad", "KRvK.dtz.treb", "KQvK.dtm.treb")
    server.reload()
    server.get("/healthz").has('"faulty":0')
    assert server.metric("trebuchet_faulty_files") == 0


def test_a_bad_block_is_logged_once(serve, tables):
    """A damaged block cannot be seen at the start. The first probe that meets it names the file in the log."""
    path = "tables/KPvK.dtm.treb"
    overwrite(path, os.path.getsize(path) // 3, b"\377\0\377" * 700)
    server = serve("--tables", tables)
    server.get("/healthz").has('"faulty":0')
    fens = [f"8/8/8/4k3/{n or ''}P{7 - n or ''}/8/{rank}/8 w" for n in range(8) for rank in ("K7", "7K", "3K4")]
    for _ in range(2):
        server.post("/v1/batch", {"fens": fens}).has("KPvK.dtm.treb")
    wait_for(lambda: server.metric("trebuchet_faulty_files") == 1, "the damage is met")
    server.get("/healthz").has('"faulty":1')
    wait_for(lambda: errors(server), "the log names the file")
    assert named(errors(server)) == ["KPvK.dtm.treb"]


def test_a_file_that_is_being_copied(serve, tables):
    """A reload in the middle of a copy serves the rest; the next one has the whole."""
    whole = read_bytes("tables/KRvK.dtm.treb")
    server = serve("--tables", tables)
    with open("tables/KRvK.dtm.treb", "wb") as file:
        file.write(whole[: len(whole) // 2])
        file.flush()
        server.reload()
        server.get("/healthz").has('"faulty":1')
        server.get(f"/v1/probe?fen={KRK}").has('"dtz_plies":10')
        file.write(whole[len(whole) // 2 :])
    server.reload()
    server.get("/healthz").has('"faulty":0')
    server.get(f"/v1/probe?fen={KRK}").has(r'"dtm_plies":\d\d')


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


# ---- Folders ----


def test_a_missing_folder(serve, tables):
    """It is a warning, and is used once it is there. Colons separate folders, as in TREBUCHET_PATH."""
    server = serve("--tables", f"{tables}:later")
    server.get("/healthz").has('"status":"ok"', '"tables":23')
    wait_for(lambda: "later: cannot open: No such file" in read(server.log), "the log has the warning")
    copy_files("later", "KQvKR.*", source=TABLES)
    server.reload()
    server.get("/healthz").has('"tables":27')


def test_all_folders_missing(folder):
    run("serve", "--port", "0", "--tables", "a:b", code=1, timeout=60).says("a: cannot open: No such file", "--tables DIR")


COMMANDS = {
    "probe": ("probe", KRK),
    "json": ("probe", "--json", KRK),
    "line": ("line", KRK),
    "stats": ("stats", "KRvK"),
    "find": ("find", "KRvK", "mate", "-n", "1"),
    "verify": ("verify", "--checksum", "KRvK.wdl.treb"),
}


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("how", ["colon", "twice", "environment"])
def test_one_folder_missing(folder, name, how):
    words = COMMANDS[name]
    copy_files("there", "K[QR]vK.*", link=True)
    options = {"colon": ("-t", "gone:there"), "twice": ("-t", "gone", "-t", "there"), "environment": ()}[how]
    env = {"TREBUCHET_PATH": "gone:there"} if how == "environment" else None
    run(words[0], *options, *words[1:], env=env).says("warning: gone: cannot open: No such file")


def test_a_colon_in_a_name(folder):
    copy_files("a:b", "K[QR]vK.*", link=True)
    run("probe", "-t", "a:b", KRK).quiet()


# ---- The log and the process ----


def test_a_full_disk(folder):
    """Under the log: it is told on standard error, once, and lines are counted; the server goes on."""
    with Server("--tables", TABLES, "--log", "/dev/full") as server:
        for _ in range(700):
            server.get("/nothing", 404)
        wait_for(lambda: server.metric("trebuchet_log_lines_lost_total") > 0, "lines are lost")
        said = read(server.log).splitlines()
        assert said == ["trebuchet serve: cannot write the log: No space left on device; lines are lost until that is mended"]


def test_lines_of_a_journal(folder):
    """Where output and log are one stream, every line is JSON, from the first on."""
    with open("journal", "wb") as journal:
        process = subprocess.Popen(
            [TOOL, "serve", "--port", "0", "--tables", "."], stdin=subprocess.DEVNULL, stdout=journal, stderr=journal
        )
        try:
            wait_for(lambda: read("journal").count("\n") >= 2, "the server has started", process=process)
        finally:
            process.terminate()
            assert process.wait(60) == 0
    lines = [json.loads(line) for line in read("journal").splitlines()]
    assert [line["level"] for line in lines] == ["info", "warning", "info"]
    assert re.match(r"listening on http://127.0.0.1:\d+/$", lines[0]["message"])
    assert "there are no tables in ." in lines[1]["message"] and "kill -HUP" in lines[1]["message"]


def test_metrics_of_the_process(server):
    before = server.metric("process_open_fds")
    assert server.metric("process_resident_memory_bytes") > 1 << 20
    assert server.metric("process_max_fds") >= before > 5
    sockets = [server.connect() for _ in range(10)]
    wait_for(lambda: server.metric("process_open_fds") >= before + 10, "the connections count")
    for s in sockets:
        s.close()


def test_few_descriptors(folder):
    """One client may have half of the connections that are left."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    copy_files("few", "K[QR]vK.*", link=True)
    command = ["sh", "-c", 'ulimit -n 200; exec "$@"', "sh", TOOL, "serve", "--port", "0", "--tables", "few"]
    assert limit[1] == resource.RLIM_INFINITY or limit[1] >= 200
    with open("out", "wb") as out, open("err", "wb") as err:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        try:
            wait_for(lambda: "Listening" in read("out"), "the server listens", process=process)
            wait_for(lambda: "connections" in read("err"), "it warns", process=process)
        finally:
            process.terminate()
            assert process.wait(60) == 0
    found = re.search(r"only (\d+) connections instead of 1024, and (\d+) of one client", read("err"))
    assert int(found[1]) < 200 and int(found[2]) == int(found[1]) // 2


# ---- lila-tablebase's dtc, and other variants ----


@each("target, shown", {
    "default": ("", False),
    "never": ("&dtc=never", False),
    "auxiliary": ("&dtc=auxiliary", False),
    "always": ("&dtc=always", True),
})
@pytest.mark.parametrize("accept", ["application/json", "application/cbor"])
def test_dtc(server, target, shown, accept):
    reply = server.get(f"/standard?fen={UNDER}{target}", headers={"Accept": accept})
    if accept.endswith("json"):
        answer = reply.json()
        assert (answer["dtc"] is not None) == shown
        assert all((move["dtc"] is not None) == shown for move in answer["moves"] if move["category"] == "loss")
        assert {move["dtc"] for move in answer["moves"]} == {None} or shown


def test_dtc_of_a_mated_side(server):
    answer = server.get("/standard?fen=7k/8/6K1/8/8/8/8/R7_w_-_-_0_1&dtc=always").json()
    mate = answer["moves"][0]
    assert mate["checkmate"] and mate["dtz"] == -1 and mate["dtc"] == -1 and mate["dtm"] is None


@each("target", {
    "another word": "/standard?fen=FEN&dtc=yes",
    "a number": "/standard?fen=FEN&dtc=1",
    "capitals": "/standard?fen=FEN&dtc=Always",
    "nothing": "/standard?fen=FEN&dtc=",
    "twice": "/standard?fen=FEN&dtc=never&dtc=never",
    "main line": "/standard/mainline?fen=FEN&dtc=yes",
})
def test_wrong_dtc(server, target):
    server.get(target.replace("FEN", UNDER), 400).fails_with("bad_request").has("dtc")


@pytest.mark.parametrize("path", ["/atomic", "/atomic/mainline", "/antichess", "/antichess/mainline"])
def test_variants(server, path):
    server.get(f"{path}?fen={UNDER}", 404).fails_with("not_found").has("standard chess only")


# ---- Requests that are not quite right ----


def test_preflight(server):
    headers = {"Origin": "https://a.example", "Access-Control-Request-Headers": "x-anything, authorization"}
    reply = server.request("OPTIONS", "/v1/batch", 204, headers=headers)
    reply.header("access-control-allow-headers: .*\\*", "access-control-allow-headers: .*Authorization")


@each("target, status", {"answer": (f"/v1/probe?fen={UNDER}", 200), "error": ("/v1/probe", 400), "page": ("/healthz", 200)})
def test_exposed_headers(server, target, status):
    server.get(target, status).header("access-control-expose-headers: ETag, Retry-After")


def send(server, line, more="Host: x\r\n"):
    """Sends bytes, and returns the status and the body of the reply."""
    with server.connect() as s:
        s.sendall(line + b"\r\n" + more.encode() + b"Connection: close\r\n\r\n")
        data = b""
        while part := s.recv(1 << 16):
            data += part
    head, _, body = data.partition(b"\r\n\r\n")
    assert head, "no reply"
    return int(head.split()[1]), body.decode("utf-8", "replace")


@each("line, status, has", {
    "raw bytes": (b"GET /v1/probe?fen=\xe9\xff HTTP/1.1", 400, "bad_fen"),
    "raw bytes in the path": (b"GET /\xe9 HTTP/1.1", 404, "not_found"),
    "spaces": (b"GET /v1/probe?fen=8/5P1k/8/7K/8/8/8/8 w - - 0 1 HTTP/1.1", 400, "%20"),
    "long": (b"GET /v1/probe?fen=" + b"a" * 3000 + b" HTTP/1.1", 414, "too_large"),
    "longer than all headers may be": (b"GET /v1/probe?fen=" + b"a" * 40000 + b" HTTP/1.1", 414, ""),
    "a slash at the end": (b"GET /healthz/ HTTP/1.1", 200, "ok"),
    "two slashes": (b"GET //healthz HTTP/1.1", 404, "not_found"),
    "an escaped letter": (b"GET /%68ealthz HTTP/1.1", 200, "ok"),
    "a proxy's form": (b"GET http://tables.example/healthz HTTP/1.1", 200, "ok"),
    "a proxy's form with TLS": (b"GET https://tables.example/healthz HTTP/1.1", 200, "ok"),
    "a range": (b"GET /healthz HTTP/1.1\r\nRange: bytes=0-3", 200, "tables"),
})
def test_odd_lines(server, line, status, has):
    code, body = send(server, line)
    assert (code, has in body) == (status, True), body


def test_no_host(server):
    for _ in range(2):  # also of an answer that is kept
        code, body = send(server, f"GET /v1/probe?fen={UNDER} HTTP/1.1".encode(), "")
        assert code == 400 and "Host" in body
        server.get(f"/v1/probe?fen={UNDER}")
    assert send(server, b"GET /healthz HTTP/1.0", "")[0] == 200
