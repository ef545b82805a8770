"""test_sockets.py - proxies, Unix sockets, and sockets that a service manager passes."""
import http.client
import os
import re
import signal
import socket
import threading

import pytest

from tests.support.command import PATIENCE, TOOL, read, run, wait_for, write
from tests.support.server import FIVE, UNDER, Server, each

STANDARD = f"/standard?fen={UNDER}"


# ---- proxies ------------------------------------------------------------------------------------


@pytest.fixture(scope="module", name="proxied")
def fixture_proxied(made_tables, tmp_path_factory):
    trust = ["--trust-proxy", "127.0.0.0/8", "--trust-proxy", "::1", "--trust-proxy", "10.0.0.0/8"]
    with Server("--tables", made_tables, *trust, cwd=tmp_path_factory.mktemp("proxied")) as server:
        yield server


def asked_by(server, name, client, headers):
    """Checks that the log names this client."""
    server.get(f"/healthz?{name}", headers=headers)
    wait_for(lambda: f'healthz?{name}"' in read(server.log), "it is logged")
    line = next(line for line in read(server.log).splitlines() if f'healthz?{name}"' in line)
    assert f'"client":"{client}"' in line, line


FORWARDED_FOR, FORWARDED = "X-Forwarded-For", "Forwarded"


@each("header, value", {"XFF": (FORWARDED_FOR, "203.0.113.9"), "Forwarded": (FORWARDED, "for=203.0.113.9")})
def test_no_proxy_is_trusted(server, header, value):
    asked_by(server, f"trusted-{header}", "127.0.0.1", {header: value})


@each(
    "client, headers",
    {
        "nothing said": ("127.0.0.1", []),
        "a client": ("203.0.113.9", [(FORWARDED_FOR, "203.0.113.9")]),
        "what the client wrote itself": ("203.0.113.9", [(FORWARDED_FOR, "127.0.0.1, 203.0.113.9, 10.0.0.2")]),
        "lines of their own": ("203.0.113.9", [(FORWARDED_FOR, "127.0.0.1"), (FORWARDED_FOR, "203.0.113.9")]),
        "Forwarded": ("2001:db8::7", [(FORWARDED, 'for=127.0.0.1, for="[2001:db8::7]:4711";proto=https')]),
        "both, in agreement": ("203.0.113.9", [(FORWARDED, "for=203.0.113.9"), (FORWARDED_FOR, "203.0.113.9")]),
        "both, one of them forged": ("127.0.0.1", [(FORWARDED, "for=127.0.0.1"), (FORWARDED_FOR, "203.0.113.9")]),
        "nonsense": ("127.0.0.1", [(FORWARDED_FOR, '<script>"')]),
        "many": ("127.0.0.1", [(FORWARDED_FOR, "127.0.0.1," * 500 + "127.0.0.1")]),
    },
)
def test_client(proxied, client, headers, request):
    name = re.sub(r"\W+", "-", request.node.callspec.id)
    asked_by(proxied, name, client, headers)


def advised(server, headers):
    """Whether the answer about a missing table has advice, which is for the owner at the server's own machine."""
    return server.get(f"/v1/probe?fen={FIVE}", headers=headers).json()["advice"] is not None


@each("headers, owner", {"this machine": ({}, True), "a proxy on this machine": ({FORWARDED_FOR: "127.0.0.1"}, False)})
def test_advice(server, headers, owner):
    assert advised(server, headers) == owner


@each(
    "headers, owner",
    {
        "this machine by itself": ({}, True),
        "this machine by its proxy": ({FORWARDED_FOR: "127.0.0.1"}, True),
        "another machine": ({FORWARDED_FOR: "203.0.113.9"}, False),
        "one that says it is here": ({FORWARDED: "for=127.0.0.1", FORWARDED_FOR: "203.0.113.9"}, False),
        "a proxy that does not say": ({"X-Real-IP": "127.0.0.1"}, False),
        "nonsense": ({FORWARDED_FOR: "x"}, False),
    },
)
def test_advice_by_proxy(proxied, headers, owner):
    assert advised(proxied, headers) == owner


# ---- a Unix socket ------------------------------------------------------------------------------


def mode(path):
    return os.stat(path).st_mode & 0o7777


@pytest.fixture(name="path")
def fixture_path(folder):
    return os.path.join(folder, "s.sock")


def test_unix_socket(serve, tables, server, path):
    unix = serve("--tables", tables, "--trust-proxy", "unix", "--listen", f"unix:{path}")
    assert unix.url == f"unix:{path}" and mode(path) == 0o666
    assert unix.get(STANDARD).body == server.get(STANDARD).body
    asked_by(unix, "1", "203.0.113.9", {FORWARDED_FOR: "203.0.113.9"})
    asked_by(unix, "2", "unix", {})
    # Another server cannot take it, and the first one goes on.
    run("serve", "--tables", tables, "--listen", f"unix:{path}", code=1).says("another program listens")
    unix.get("/healthz")
    unix.stop()
    assert not os.path.exists(path), "removed at the end"


def test_unix_socket_of_a_killed_server(serve, tables, path):
    """What a killed server leaves is replaced."""
    serve("--tables", tables, "--listen", f"unix:{path}").kill()
    assert os.path.exists(path)
    serve("--tables", tables, "--quiet", "--listen", f"unix:{path}", "--socket-mode", "600").get("/healthz")
    assert mode(path) == 0o600


def test_unix_socket_and_another_file(serve, tables, path):
    """A file of another kind in its place is neither removed at the end nor replaced."""
    server = serve("--tables", tables, "--quiet", "--listen", f"unix:{path}")
    os.remove(path)
    write(path, "precious")
    server.stop()
    assert read(path) == "precious"
    run("serve", "--tables", tables, "--listen", f"unix:{path}", code=1).says("is not a socket")
    assert read(path) == "precious"


@each("name, text", {"no such folder": ("nowhere/s", "nowhere/s"), "a name too long": ("a" * 200, "not 200")})
def test_unix_socket_refused(tables, name, text):
    run("serve", "--tables", tables, "--listen", f"unix:{name}", code=1).says(text)


# ---- under a service manager --------------------------------------------------------------------


class Service:
    """Starts servers as systemd does: with a passed socket (LISTEN_FDS) and a socket for messages (NOTIFY_SOCKET)."""

    def __init__(self, tables):
        self.tables, self.running = tables, set()
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notify.bind("notify")
        self.notify.settimeout(PATIENCE)

    def start(self, listening, sockets=1):
        """Passes the socket as descriptor 3."""
        pid = os.fork()
        if pid > 0:
            self.running.add(pid)
            return pid
        try:
            os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(sockets))
            os.environ["NOTIFY_SOCKET"] = os.path.abspath("notify")
            os.dup2(listening.fileno(), 3)
            os.set_inheritable(3, True)
            os.execv(TOOL, [TOOL, "serve", "--tables", self.tables, "--quiet"])
        finally:
            os._exit(127)

    def says(self, what):
        message = self.notify.recv(4096).decode().split("\n")
        assert what in message, (what, message)
        return message

    def wait(self, pid):
        self.running.discard(pid)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    def stop(self, pid):
        os.kill(pid, signal.SIGTERM)
        self.says("STOPPING=1")
        assert self.wait(pid) == 0

    def close(self):
        for pid in self.running:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        self.notify.close()


@pytest.fixture(name="service")
def fixture_service(tables):
    service = Service(tables)
    yield service
    service.close()


@pytest.fixture(name="listening")
def fixture_listening():
    with socket.create_server(("127.0.0.1", 0), backlog=100) as listening:
        yield listening


def test_service_reload(service, listening):
    pid = service.start(listening)
    service.says("READY=1")
    os.kill(pid, signal.SIGHUP)
    assert any(line.startswith("MONOTONIC_USEC=") for line in service.says("RELOADING=1"))
    service.says("READY=1")
    service.stop(pid)


def test_service_restarts(service, listening):
    """Restarts while clients send requests. The socket stays open, so no client is refused."""
    port = listening.getsockname()[1]
    done, problems, answers = threading.Event(), [], []

    def client():
        """Asks on and on, with a connection for each request, as a proxy does."""
        while not done.is_set():
            try:
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
                connection.request("GET", STANDARD)
                answer = connection.getresponse()
                if answer.status != 200:
                    problems.append(answer.status)
                answer.read()
                connection.close()
                answers.append(1)
            except (OSError, http.client.HTTPException) as problem:
                problems.append(repr(problem))

    pid = service.start(listening)
    service.says("READY=1")
    threads = [threading.Thread(target=client, daemon=True) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(4):
        before = len(answers)
        wait_for(lambda: len(answers) >= before + 20 or problems, "there are answers")  # pylint: disable=W0640
        service.stop(pid)
        pid = service.start(listening)
        service.says("READY=1")
    done.set()
    for thread in threads:
        thread.join()
    assert not problems, problems[:5]
    assert len(answers) >= 80, len(answers)
    service.stop(pid)


def test_service_socket_of_another_process(tables, listening):
    """It is ignored, and so the port is taken."""
    words = ["serve", "--tables", tables, "--port", listening.getsockname()[1]]
    run(*words, env={"LISTEN_PID": "1", "LISTEN_FDS": "1"}, code=1).says("taken")


@each("sockets, code", {"does not listen": (1, 1), "two sockets": (2, 2)})
def test_service_socket_refused(service, listening, sockets, code):
    with socket.socket() as deaf:
        assert service.wait(service.start(deaf if sockets == 1 else listening, sockets)) == code


def test_service_unix_socket(service):
    """A passed Unix socket is not removed at the end, as the process that opened it owns it."""
    with socket.socket(socket.AF_UNIX) as passed:
        passed.bind("s.sock")
        passed.listen()
        pid = service.start(passed)
        service.says("READY=1")
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(PATIENCE)
            s.connect("s.sock")
            s.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            assert s.recv(64).startswith(b"HTTP/1.1 200")
        service.stop(pid)
        assert os.path.exists("s.sock")
