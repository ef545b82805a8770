"""server.py - starts `trebuchet serve`, sends requests, and checks the replies.

    with Server("--tables", TABLES) as server:
        server.get("/healthz").header("content-type: application/json").has('"status":"ok"')

starts a server on a free port and waits until it listens. At the end it gets SIGTERM and must exit with 0: a sanitizer
that found something gives another code. Every check returns the reply itself, so that checks can follow each other.
Regular expressions are matched line by line; those of headers at the start of a line, in any case."""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import time
from urllib.parse import urlsplit

import pytest

from tests.support.command import PATIENCE, TOOL, read, wait_for

UNDER = "8/5P1k/8/7K/8/8/8/8_w_-_-_0_1"  # won by promoting to a rook alone
KBNK = "8/8/8/4k3/8/8/3BN3/4K3_w_-_-"
CASTLING = "4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1"
MANY = "rnbqkbnr/8/8/8/8/8/8/RNBQKBNR_w_-_-_0_1"
FIVE = "8/8/8/8/2R1k3/2K5/1P6/3r4_b_-_-_0_1"
TREB = "8/8/8/3pK3/2kP4/8/8/8_w_-_-_0_1"  # the blocked position that gave the project its name


def each(names, cases):
    """Parametrizes a case: `cases` is {name: values}, each a case of its own."""
    rows = [pytest.param(*(v if isinstance(v, tuple) else (v,)), id=k.replace(" ", "_")) for k, v in cases.items()]
    return pytest.mark.parametrize(names, rows)


class Reply:
    """The status, headers and body of a reply."""

    def __init__(self, what, status, headers, body):
        self.what, self.status, self.headers, self.body = what, status, headers, body

    def __str__(self):
        head = "\n".join(f"    | {name}: {value}" for name, value in self.headers)
        return f"{self.what}\n  status {self.status}\n{head}\n  {self.body[:600]!r}"

    @property
    def text(self):
        return self.body.decode("utf-8", "replace")

    def has(self, *patterns):
        """Every pattern matches a line of the body."""
        for pattern in patterns:
            assert re.search(pattern, self.text, re.MULTILINE), f"no /{pattern}/ in the body\n{self}"
        return self

    def _finds(self, pattern):
        return any(re.match(pattern, f"{name}: {value}", re.IGNORECASE) for name, value in self.headers)

    def header(self, *patterns):
        """Every pattern matches a header."""
        for pattern in patterns:
            assert self._finds(pattern), f"no header /{pattern}/\n{self}"
        return self

    def lacks(self, *patterns):
        """No pattern matches a header."""
        for pattern in patterns:
            assert not self._finds(pattern), f"header /{pattern}/\n{self}"
        return self

    def value(self, name):
        """The value of a header."""
        return next(value for key, value in self.headers if key.lower() == name)

    def json(self):
        try:
            return json.loads(self.body)
        except ValueError as error:
            raise AssertionError(f"not JSON: {error}\n{self}") from None

    def fails_with(self, code):
        """The body is an error of this code, with a message."""
        self.header("content-type: application/json")
        error = self.json()["error"]
        assert error["code"] == code, f"code {error['code']}, not {code}\n{self}"
        assert len(error["message"]) > 5, f"no message\n{self}"
        return self


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path):
        super().__init__("x", timeout=PATIENCE)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Server:
    """A server that runs in the background. Its messages, and the access log, go to a file in the current folder."""

    def __init__(self, *options, cwd="."):
        folder = os.path.abspath(cwd)
        number = sum(1 for name in os.listdir(folder) if re.match(r"server-\d+\.out", name))
        self.out, self.log = (os.path.join(folder, f"server-{number}.{kind}") for kind in ("out", "log"))
        self.over = False  # whether its end has been seen
        words = [str(option) for option in options]
        if not any(word in ("--port", "--listen") for word in words):
            words += ["--port", "0"]
        with open(self.out, "wb") as stdout, open(self.log, "wb") as stderr:
            self.process = subprocess.Popen(
                [TOOL, "serve", *words], stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, cwd=folder
            )
        try:
            wait_for(lambda: "\n" in read(self.out), "the server listens", process=self.process)
            self.url = re.search(r"^Listening on (.*?)/?$", read(self.out), re.MULTILINE)[1]
        except BaseException:
            self.kill()
            print(f"the server does not start: {' '.join(words)}\n{read(self.log)}")
            raise

    @property
    def pid(self):
        return self.process.pid

    @property
    def port(self):
        return int(self.url.rpartition(":")[2])

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if not self.over:
            self.stop()

    def connect(self):
        """A TCP connection, for a case that writes bytes."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def connection(self):
        """A connection of http.client."""
        if self.url.startswith("unix:"):
            return UnixConnection(self.url[len("unix:") :])
        return http.client.HTTPConnection(urlsplit(self.url).hostname, self.port, timeout=PATIENCE)

    def ask(self, method, target, body=None, headers=()):
        """Sends a request over a new connection. `body` is bytes, text, or what JSON is made of; `headers` is a dict,
        or a list of pairs."""
        headers = list(headers.items() if isinstance(headers, dict) else headers)
        given = {name.lower() for name, _ in headers}
        if body is not None:
            body = json.dumps(body) if isinstance(body, (dict, list)) else body
            body = body if isinstance(body, bytes) else body.encode()
            if not given & {"content-length", "transfer-encoding"}:
                headers.append(("Content-Length", str(len(body))))
            if "content-type" not in given:
                # As curl says it, and HTML forms: the server takes no notice.
                headers.append(("Content-Type", "application/x-www-form-urlencoded"))
        if "accept" not in given:
            headers.append(("Accept", "*/*"))
        connection = self.connection()
        try:
            connection.putrequest(method, target, skip_accept_encoding=True)
            for name, value in headers:
                connection.putheader(name, value)
            try:
                connection.endheaders(body)
            except (BrokenPipeError, ConnectionResetError):
                pass  # A server that refuses a large request need not read all of it.
            answer = connection.getresponse()
            return Reply(f"{method} {target[:300]}", answer.status, answer.getheaders(), answer.read())
        finally:
            connection.close()

    def request(self, method, target, status=200, body=None, headers=()):
        """Sends a request as ask() does, and expects a status."""
        reply = self.ask(method, target, body, headers)
        assert reply.status == status, f"status {reply.status}, not {status}\n{reply}"
        return reply

    def get(self, target, status=200, headers=()):
        return self.request("GET", target, status, headers=headers)

    def post(self, target, body, status=200, headers=()):
        return self.request("POST", target, status, body, headers)

    def metric(self, name):
        """The value of a metric without labels."""
        return int(re.search(rf"^{name} (\d+)", self.get("/metrics").text, re.MULTILINE)[1])

    def finished(self, job):
        """Waits until a background job is done, or has failed. Returns the last reply about it."""
        replies = []

        def ended():
            replies[:] = [self.get(f"/v1/jobs/{job}")]
            return replies[0].json()["state"] not in ("waiting", "running")

        wait_for(ended, f"job {job} ends", PATIENCE)
        return replies[0]

    def reload(self, says="tables reloaded", log=None):
        """Sends SIGHUP and waits until the log says so once more."""
        log = log or self.log

        def said():
            return read(log).count(says) if os.path.exists(log) else 0

        before = said()
        self.process.send_signal(signal.SIGHUP)
        wait_for(lambda: said() > before, f"the log says '{says}'", process=self.process)

    def stop(self, code=0):
        """Sends SIGTERM and expects an exit code. Returns how many seconds the server took."""
        self.process.send_signal(signal.SIGTERM)
        return self.ended(code)

    def ended(self, code=0):
        """Waits for the end and expects an exit code. Returns how many seconds it took."""
        began = time.monotonic()
        self.over = True
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()
        found, last = self.process.returncode, "\n".join(read(self.log).splitlines()[-100:])
        assert found == code, f"the server: exit code {found}, not {code}\n{last}"
        return time.monotonic() - began

    def logged(self):
        """The lines of the access log. Each is JSON and has no raw byte, whatever clients sent."""
        with open(self.log, "rb") as file:
            data = file.read()
        assert not set(data) - {10, *range(32, 127)}, "a raw byte in the log"
        lines = data.decode().splitlines()
        for line in lines:
            json.loads(line)
        return lines

    def kill(self):
        self.over = True
        self.process.kill()
        self.process.wait()
