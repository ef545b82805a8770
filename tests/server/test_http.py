"""test_http.py - HTTP: methods, headers, compression, CBOR, sizes, and requests that no well-behaved client sends."""
import gzip
import json
import os
import re
import struct
import tempfile

import pytest

from tests.support.command import TABLES, copy_files, run
from tests.support.server import KBNK, TREB, UNDER, each

STANDARD = f"/standard?fen={UNDER}"
LONGER = f"/standard?fen={KBNK}"


# ---- methods ------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", [STANDARD, "/v1/tables", "/healthz", "/"])
def test_methods(server, target):
    size = len(server.get(target).body)
    assert server.request("HEAD", target).header(f"content-length: {size}$").body == b""
    server.request("OPTIONS", target, 204).header("access-control-allow-methods: GET, HEAD, OPTIONS")
    server.post(target, "x", 405).fails_with("method").header("allow: GET, HEAD, OPTIONS")


def test_preflight(server):
    asked = {"Origin": "http://a", "Access-Control-Request-Method": "POST"}
    server.request("OPTIONS", "/v1/batch", 204, headers=asked).header(
        "access-control-allow-methods: POST, OPTIONS",
        "access-control-allow-headers: .*content-type",
        "access-control-max-age: ",
    )


# ---- files of tables ----------------------------------------------------------------------------


def test_table_files(server, made_tables):
    """Whole, by ranges, and unchanged; the list of headers is that of `gen --web`."""
    name = "KBNvK.dtm.treb"
    with open(os.path.join(made_tables, name), "rb") as file:
        whole = file.read()
    reply = server.get(f"/tables/{name}").header("accept-ranges: bytes$", "content-type: application/octet-stream")
    assert reply.body == whole
    part = server.get(f"/tables/{name}", 206, headers={"Range": "bytes=1000-1999", "Accept-Encoding": "gzip"})
    part.header(f"content-range: bytes 1000-1999/{len(whole)}$", "access-control-expose-headers: .*content-range")
    assert part.lacks("content-encoding").body == whole[1000:2000]
    tail = server.get(f"/tables/{name}", 206, headers={"Range": "bytes=-10"})
    assert tail.header(f"content-range: bytes {len(whole) - 10}-{len(whole) - 1}/").body == whole[-10:]
    server.get(f"/tables/{name}", 416, headers={"Range": f"bytes={len(whole)}-"}).fails_with("bad_request")
    assert server.get(f"/tables/{name}", headers={"Range": "bytes=0-9", "If-Range": '"x"'}).body == whole
    server.get(f"/tables/{name}", 304, headers={"If-None-Match": reply.value("etag")})
    head = server.request("HEAD", f"/tables/{name}", headers={"Range": "bytes=0-9"})
    assert head.header(f"content-length: {len(whole)}$").body == b""
    listed = server.get("/tables/trebuchet.headers").body
    with tempfile.TemporaryDirectory() as folder:
        copy_files(folder, "*vK.*", source=made_tables)
        run("gen", "-q", "--web", "-t", folder)
        with open(os.path.join(folder, "trebuchet.headers"), "rb") as file:
            assert listed == file.read()
    assert server.get("/tables/trebuchet.headers", 206, headers={"Range": "bytes=8-11"}).body == listed[8:12]


@pytest.mark.parametrize("name", ["KQvKQ.wdl.treb", "", "KQvK", "SHA256SUMS", "../tables/KQvK.wdl.treb", "K/../KQvK.rtbw",
                                  "K/../../../../../../etc/K.rtbw", "%2e%2e%2ftables%2fKQvK.wdl.treb", "KQvK.wdl.treb/"])
def test_no_table_file(server, name):
    server.get(f"/tables/{name}", 404).fails_with("not_found")


def test_table_files_of_folders(folder, serve, made_tables):
    """The first folder that has a file counts; after a reload the list is made again."""
    copy_files("one", "KQvK.*", source=made_tables)
    copy_files("two", "KQvK.*", "KRvK.wdl.treb", source=made_tables)
    server = serve("--tables", "one:two")
    listed = server.get("/tables/trebuchet.headers").body
    assert struct.unpack("<I", listed[12:16]) == (5,)
    assert len(server.get("/tables/KRvK.wdl.treb").body) > 1000
    copy_files("two", "KPvK.wdl.treb", source=made_tables)
    server.reload()
    assert server.get("/tables/trebuchet.headers").body[12:16] == struct.pack("<I", 6)


# ---- gzip, ETags --------------------------------------------------------------------------------


def test_gzip(server):
    plain = server.get(LONGER).lacks("content-encoding").header("vary: accept, accept-encoding")
    packed = server.get(LONGER, headers={"Accept-Encoding": "br, gzip;q=0.5"}).header("content-encoding: gzip")
    assert gzip.decompress(packed.body) == plain.body and len(packed.body) < len(plain.body)


def test_gzip_refused(server):
    server.get(LONGER, headers={"Accept-Encoding": "gzip;q=0"}).lacks("content-encoding")


def test_gzip_too_small(server):
    server.get("/healthz", headers={"Accept-Encoding": "gzip"}).lacks("content-encoding")


def test_gzip_large(serve):
    """An answer that is large enough to be compressed once, and kept."""
    server = serve("--tables", TABLES, "--quiet")
    plain = server.get("/v1/tables").body
    assert len(plain) > 32768
    packed = server.get("/v1/tables", headers={"Accept-Encoding": "gzip"}).header("content-encoding: gzip")
    assert gzip.decompress(packed.body) == plain
    server.get("/v1/tables", headers={"Accept-Encoding": "gzip"}).header("content-encoding: gzip")


@pytest.mark.parametrize("encoding", ["identity", "gzip"])
def test_etag(server, encoding):
    accept = ("Accept-Encoding", encoding)
    etag = server.get(LONGER, headers=[accept]).value("etag")
    r = server.get(LONGER, 304, [accept, ("If-None-Match", f'"x", W/{etag}')])
    assert r.lacks("content-encoding").value("etag") == etag and r.body == b""


def test_etag_of_another(server):
    server.get(LONGER, headers={"If-None-Match": '"x"'})


def test_etag_of_any(server):
    server.get(LONGER, 304, {"If-None-Match": "*"})


def test_no_etag_on_what_changes(server):
    server.get("/metrics").lacks("etag").header("cache-control: no-store")


# ---- CBOR is never mixed up with JSON, from the cache or not, and has an ETag of its own --------

CBOR = {"Accept": "application/cbor"}


def test_cbor(serve, tables):
    server = serve("--tables", tables)
    first = None
    for _ in ("made", "kept"):
        cbor = server.get(STANDARD, headers=CBOR).header("content-type: application/cbor", "vary: accept")
        plain = server.get(STANDARD, headers={"Accept": "application/json"})
        plain.header("content-type: application/json", "vary: accept")
        first = first or plain.body
        assert plain.body == first and json.loads(first)["category"] == "win"
        # An object of 12 members.
        assert cbor.body.startswith(b"\xac\x68category") and len(cbor.body) < len(first)
        etag = plain.value("etag")
        server.get(STANDARD, headers={**CBOR, "If-None-Match": etag})
        server.get(STANDARD, 304, {"If-None-Match": etag}).header("vary: accept")


def test_cbor_mainline(server):
    r = server.get(f"/standard/mainline?fen={KBNK}", headers={**CBOR, "Accept-Encoding": "gzip"})
    r.header("content-type: application/cbor", "content-encoding: gzip", "vary: accept, accept-encoding")


def test_cbor_error_is_json(server):
    server.get("/standard?fen=x", 400, CBOR).fails_with("bad_fen")


def test_cbor_not_of_other_routes(server):
    server.get(f"/v1/probe?fen={UNDER}", headers=CBOR).header("content-type: application/json", "vary: accept-encoding")


# ---- sizes --------------------------------------------------------------------------------------

LARGE = b"a" * 300000


@pytest.mark.parametrize("length", [3000, 15800, 16000, 16200])
def test_long_address(server, length):
    """The longest is nearly all that a request may have, and the answer still gets out."""
    server.get(f"/standard?fen={'a' * length}", 414).fails_with("too_large")


def test_long_header(server):
    server.get("/healthz", 431, {"X-Long": "a" * 40000})


def test_large_body(server):
    server.post("/v1/batch", LARGE, 413).fails_with("too_large")


def test_large_body_announced(server):
    """The client waits for the server's consent before it sends the body, and does not get it."""
    announced = {"Expect": "100-continue", "Content-Length": str(len(LARGE))}
    server.request("POST", "/v1/batch", 413, headers=announced).fails_with("too_large")


def test_large_body_in_chunks(server):
    body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(LARGE), LARGE)
    server.post("/v1/batch", body, 413, {"Transfer-Encoding": "chunked"}).fails_with("too_large")


def test_many_parameters(server):
    query = "&".join(str(n) for n in range(1, 41))
    server.get(f"/standard?{query}", 400).fails_with("bad_request")


def test_set_limits(serve, tables):
    server = serve("--tables", tables, "--quiet", "--headers", "4KiB", "--body", "1KiB")
    server.get("/healthz", 431, {"X-Long": "a" * 5000})
    server.get("/healthz", headers={"X-Long": "a" * 1000})
    server.post("/v1/batch", "a" * 1500, 413).fails_with("too_large")


# ---- requests that no well-behaved client sends, byte by byte -----------------------------------

GET = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
LAST = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
LINE = b"GET /v1/line?fen=8/8/8/4k3/8/8/3BN3/4K3_w HTTP/1.1\r\nHost: x\r\n\r\n"


def exchange(server, data):
    """Sends, and returns all that comes until the other side closes."""
    out = b""
    with server.connect() as s:
        try:
            s.sendall(data)
            while piece := s.recv(65536):
                out += piece
        except ConnectionError:
            pass
    return out


def status(answer):
    return answer.split(b" ", 2)[1:2]


def test_pipelining(server):
    """All requests are answered in order, with slow ones among them."""
    answer = exchange(server, GET * 20 + LINE + GET * 19 + LAST)
    assert answer.count(b"HTTP/1.1 200 OK") == 41, answer[:300]
    assert answer.index(b'"pgn"') > answer.index(b'"status"')


def test_pipelined_blocked(server):
    """A blocked position from its table, among others; and its headers alone."""
    blocked = f"GET /v1/blocked?fen={TREB} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    answer = exchange(server, GET + blocked * 3 + blocked.replace(b"GET", b"HEAD") + LAST)
    assert answer.count(b"HTTP/1.1 200 OK") == 6 and answer.count(b'"d4-d5.exact.treb"') == 3, answer[:300]


@each(
    "data",
    {
        "garbage": b"GARBAGE\r\n\r\n",
        "another version": b"GET / HTTP/9.9\r\nHost: x\r\n\r\n",
        "no target": b"GET\r\n\r\n",
        "no host": b"GET /healthz HTTP/1.1\r\n\r\n",
        "zero bytes": b"\0\1\2\3\r\n\r\n" * 50,
        "empty lines": b"\r\n" * 100,
        "no colon": b"GET /healthz HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n",
        "negative length": b"POST /v1/batch HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
        "huge length": b"POST /v1/batch HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "bad chunk": b"POST /v1/batch HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "not UTF-8, blocked": b"GET /v1/blocked?fen=\xff\xfe\x80 HTTP/1.1\r\nHost: x\r\n\r\n",
        "not UTF-8, standard": b"GET /standard?fen=\xff\xfe\x80 HTTP/1.1\r\nHost: x\r\n\r\n",
        "controls in the address": b"GET /\x01\x7f\"\\ HTTP/1.1\r\nHost: x\r\n\r\n",
    },
)
def test_not_http(server, data):
    """What is no request is refused, or the connection is closed, or nothing is said. A request follows, so that the
    connection does not stay open: it may be answered."""
    got = exchange(server, data + LAST.replace(b"/healthz", b"/monitor"))
    found = re.findall(rb"HTTP/1\.1 (\d)", got)
    assert set(found) <= {b"2", b"4", b"5"} and (found or not got), got[:300]
    assert found.count(b"2") == got.count(b"tablebase cache="), got[:300]
    server.get("/healthz")


def test_http_1_0(server):
    assert status(exchange(server, b"GET /healthz HTTP/1.0\r\n\r\n")) == [b"200"]


def test_absolute_address(server):
    assert status(exchange(server, LAST.replace(b"/healthz", b"http://x/healthz"))) == [b"200"]


def test_clients_that_go_away(server):
    """In the middle of a body, and without waiting for an answer."""
    with server.connect() as s:
        s.sendall(b'POST /v1/batch HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"fens":[')
    with server.connect() as s:
        s.sendall(LINE * 3)
    assert status(exchange(server, LAST)) == [b"200"]


# ---- the access log -----------------------------------------------------------------------------


def test_log(serve, tables):
    """Each line is JSON, without a raw byte, whatever was asked. There is one a request. The last says that the server
    stopped."""
    server = serve("--tables", tables)
    server.get(STANDARD)
    server.get("/standard?fen=%ff%fe/8_w", 400)
    server.get(f"/standard?fen={'a' * 3000}", 414)
    server.get("/healthz", 431, {"X-Long": "a" * 40000})
    server.post("/v1/batch", LARGE, 413)
    for target in (b"/\x01\x7f\"\\", b"/standard?fen=\xff\xfe"):
        answer = exchange(server, b"GET " + target + b" HTTP/1.1\r\nHost: x\r\n\r\n" + LAST)
        assert status(answer)[0][:1] == b"4", answer[:300]
    assert server.get("/healthz").json() == {"status": "ok", "tables": 23, "faulty": 0}, "it is still there"
    server.stop()
    lines = server.logged()
    assert sum(f'"target":"{STANDARD}","status":200' in line for line in lines) == 1
    assert "stopped" in lines[-1]
