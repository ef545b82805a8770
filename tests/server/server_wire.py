#!/usr/bin/env python3
"""server_wire.py URL - requests that no well-behaved client sends, byte by byte."""
import socket
import sys
from urllib.parse import urlsplit

where = urlsplit(sys.argv[1])
GET = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
LAST = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


def connect():
    return socket.create_connection((where.hostname, where.port), timeout=2)


def exchange(data):
    """Sends, and returns all that comes until the other side closes, or is silent for two seconds."""
    out = b""
    with connect() as s:
        try:
            s.sendall(data)
            while piece := s.recv(65536):
                out += piece
        except (ConnectionError, TimeoutError):
            pass
    return out


def status(answer):
    return answer.split(b" ", 2)[1:2]


# Pipelining: all requests are answered in order, with slow ones among them.
line = b"GET /v1/line?fen=8/8/8/4k3/8/8/3BN3/4K3_w HTTP/1.1\r\nHost: x\r\n\r\n"
answer = exchange(GET * 20 + line + GET * 19 + LAST)
assert answer.count(b"HTTP/1.1 200 OK") == 41, answer[:300]
assert answer.index(b'"pgn"') > answer.index(b'"status"')

# Requests that are not HTTP are refused, or the connection is closed.
for bad in (b"GARBAGE\r\n\r\n", b"GET / HTTP/9.9\r\nHost: x\r\n\r\n", b"GET\r\n\r\n",
            b"GET /healthz HTTP/1.1\r\n\r\n", b"\0\1\2\3\r\n\r\n" * 50, b"\r\n" * 100,
            b"GET /healthz HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n",
            b"POST /v1/batch HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
            b"POST /v1/batch HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
            b"POST /v1/batch HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            b"GET /v1/blocked?fen=\xff\xfe\x80 HTTP/1.1\r\nHost: x\r\n\r\n",
            b"GET /standard?fen=\xff\xfe\x80 HTTP/1.1\r\nHost: x\r\n\r\n",
            b"GET /\x01\x7f\"\\ HTTP/1.1\r\nHost: x\r\n\r\n"):
    got = exchange(bad)
    assert got == b"" or status(got)[0][:1] in b"45", (bad, got[:100])

# A blocked position from its table, among others; and its headers alone.
blocked = b"GET /v1/blocked?fen=8/8/8/3pK3/2kP4/8/8/8_w HTTP/1.1\r\nHost: x\r\n\r\n"
answer = exchange(GET + blocked * 3 + blocked.replace(b"GET", b"HEAD") + LAST)
assert answer.count(b"HTTP/1.1 200 OK") == 6 and answer.count(b'"d4-d5.exact.treb"') == 3, answer[:300]

# HTTP/1.0, an absolute address, and a connection that ends in the middle of a body.
assert status(exchange(b"GET /healthz HTTP/1.0\r\n\r\n")) == [b"200"]
assert status(exchange(LAST.replace(b"/healthz", b"http://x/healthz"))) == [b"200"]
with connect() as s:
    s.sendall(b"POST /v1/batch HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{\"fens\":[")
# A client that does not wait for its answer.
with connect() as s:
    s.sendall(line * 3)
assert status(exchange(LAST)) == [b"200"]
