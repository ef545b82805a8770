"""Syzygy's files of a web server answer like the same files in a folder: through the module, which is the library with
libtrebuchet-http, and through the command. The server is Python's, with ranges."""
import hashlib
import http.server
import os
import re
import sys
import threading

import pytest

from tests.support.command import BUILD, SYZYGY, TABLES, TOP, run

HTTP = os.path.join(BUILD, "libtrebuchet-http.so.1")
pytestmark = pytest.mark.skipif(not os.path.exists(HTTP), reason="built without HTTP")
MATERIALS = ("KQvK", "KRvK", "KPvK", "KNNvK", "KBvK", "KNvK")


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves ranges of server.files, name -> bytes. Writes into server.log what was asked for."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):  # pylint: disable=invalid-name
        data = self.server.files.get(self.path.rsplit("/", 1)[-1])
        asked = re.match(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        self.server.log.append((self.path, asked and asked[0]))
        if data is None or self.server.broken:
            self.answer(404, b"")
        elif asked:
            first, last = int(asked[1]), min(int(asked[2] or len(data)), len(data) - 1)
            self.answer(206, data[first:last + 1], ("Content-Range", f"bytes {first}-{last}/{len(data)}"))
        else:
            self.answer(200, data)

    def answer(self, code, body, *headers):
        self.send_response(code)
        for name, value in (("Content-Length", str(len(body))), ("ETag", '"1"'), *headers):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_words):  # pylint: disable=arguments-differ
        pass


@pytest.fixture(name="server")
def fixture_server():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.log, server.broken, server.files = [], False, {}
    for name in os.listdir(SYZYGY):
        with open(os.path.join(SYZYGY, name), "rb") as file:
            server.files[name] = file.read()
    listed = (f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(server.files.items()))
    server.files["SHA256SUMS"] = "".join(listed).encode()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(name="trebuchet")
def fixture_trebuchet(monkeypatch):
    monkeypatch.setenv("TREBUCHET_LIBRARY", os.path.join(BUILD, "libtrebuchet.so.1"))
    monkeypatch.syspath_prepend(os.path.join(TOP, "probe", "python"))
    monkeypatch.setenv("no_proxy", "*")
    import ctypes  # pylint: disable=import-outside-toplevel

    ctypes.CDLL(HTTP, mode=ctypes.RTLD_GLOBAL)  # in its build folder the library would not find it
    import trebuchet  # pylint: disable=import-outside-toplevel

    return trebuchet


def address(server):
    return f"http://127.0.0.1:{server.server_port}/tables/"


def test_like_a_folder(server, trebuchet):
    with trebuchet.open_tablebase(SYZYGY) as local, trebuchet.open_tablebase(address(server)) as remote:
        assert len(remote) == len(local) == 12 and remote.men == local.men
        assert {table.size for table in remote.tables()} == {table.size for table in local.tables()}
        for material in MATERIALS:
            positions = local.sample(material, 3000, mirror="random")
            ours = remote.probe_many(positions, "dtz", threads=4)
            theirs = local.probe_many(positions, "dtz")
            assert list(ours.wdl) == list(theirs.wdl) and list(ours.dtz) == list(theirs.dtz), material
            assert list(ours.dtz_rounded) == list(theirs.dtz_rounded), material
        fen = "8/5P1k/8/7K/8/8/8/8 w - - 0 1"
        assert remote.probe_moves(fen) == local.probe_moves(fen)
        # The pages are kept: nothing is asked for again.
        asked = len(server.log)
        remote.probe_many(positions, "dtz")
        assert len(server.log) == asked
    # The verdicts are those of the rules as well: our own tables were made without Syzygy's.
    with trebuchet.open_tablebase(TABLES) as own:
        assert list(own.probe_many(positions).wdl) == list(theirs.wdl)


def test_failures(server, trebuchet):
    fen = "8/8/8/8/8/2K5/1Q6/7k b - - 0 1"
    with trebuchet.open_tablebase(address(server)) as remote:
        server.broken = True
        with pytest.raises((trebuchet.NetworkError, trebuchet.MissingTableError), match="KQvK.rtbw"):
            remote.probe_wdl(fen)
    server.broken = False
    server.files["KQvK.rtbw"] = server.files["KQvK.rtbw"][:-3]
    server.files["KRvK.rtbw"] = b"x" * len(server.files["KRvK.rtbw"])
    with trebuchet.open_tablebase(address(server)) as remote:
        with pytest.raises(trebuchet.DamagedTableError, match="KQvK.rtbw: is not complete"):
            remote.probe_wdl(fen)
        with pytest.raises(trebuchet.DamagedTableError, match="KRvK.rtbw: damaged"):
            remote.probe_wdl(fen.replace("Q", "R"))


def test_command(server):
    fen = "8/8/8/8/8/2K5/1Q6/7k b - - 0 1"
    local = run("probe", "--json", "-t", SYZYGY, fen)
    remote = run("probe", "--json", "-t", address(server), fen)
    assert remote.out == local.out
