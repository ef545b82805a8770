"""test_clients.py - many clients at once, and hostile ones: nobody keeps others waiting, and limits hold."""
import asyncio
import contextlib
import http.client
import itertools
import json
import multiprocessing
import re
import signal
import threading
import time

import pytest

from tests.support.command import TABLES, wait_for
from tests.support.server import UNDER

HEALTH = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
KBNK = "8/8/8/4k3/8/8/3BN3/4K3"
FENS = [f"{KBNK} w - - {i} 50" for i in range(50)]


def answer(s):
    """Reads a short answer; None if the other side has closed the connection."""
    data = b""
    try:
        while not data.endswith(b"}"):
            piece = s.recv(4096)
            if not piece:
                return None
            data += piece
    except ConnectionError:
        return None
    return data


def healthy(s):
    """Whether the server answers over a connection."""
    try:
        s.sendall(HEALTH)
    except ConnectionError:
        return False
    return (answer(s) or b"").startswith(b"HTTP/1.1 200")


def test_connections_of_one_client(serve, tables):
    server = serve("--tables", tables, "--quiet", "--per-client", "3")
    with contextlib.ExitStack() as many:
        # Each sends a request before the next one connects, as several threads accept connections in any order.
        answered = [healthy(many.enter_context(server.connect())) for _ in range(4)]
        assert answered == [True, True, True, False]
        # Another client, with another address, may connect.
        other = many.enter_context(contextlib.closing(server.connection()))
        other.source_address = ("127.0.0.2", 0)

        def refused():
            other.request("GET", "/metrics")
            text = other.getresponse().read()
            return int(re.search(rb"^trebuchet_http_refused_total (\d+)", text, re.MULTILINE)[1])

        wait_for(lambda: refused() > 0, "it is counted")
        assert refused() == 1


def test_work_within_limits(serve, tables):
    """The smallest queues do for one request at a time."""
    limits = ["--queue", "2", "--queue-per-client", "1", "--unsent", "1MiB", "--send-timeout", "5", "--per-client", "3"]
    serve("--tables", tables, "--quiet", *limits).get(f"/standard?fen={UNDER}")


@pytest.mark.parametrize("count", [128, 256])
def test_together(serve, tables, count):
    """The largest number of clients sends requests at one moment, several times; the server is suspended meanwhile. All
    requests are answered, and the server ends with all connections open."""
    server = serve("--tables", tables, "--quiet", "--threads", "1", "--connections", count, "--per-client", count)
    with contextlib.ExitStack() as all_of_them:
        clients = [all_of_them.enter_context(server.connect()) for _ in range(count)]
        assert all(healthy(s) for s in clients)
        for _ in range(5):
            server.process.send_signal(signal.SIGSTOP)
            for s in clients:
                s.sendall(HEALTH)
            server.process.send_signal(signal.SIGCONT)
            for s in clients:
                assert (answer(s) or b"").startswith(b"HTTP/1.1 200")
        server.stop()


# ---- load, beside clients that hold connections -------------------------------------------------


def ask_for(server, seconds):
    """Eight clients ask on and on, each over one connection, for some seconds. Returns the number of requests, and
    their problems."""
    problems, took = [], []
    end = time.monotonic() + seconds

    def client():
        connection = server.connection()
        connection.timeout = 10
        for n in itertools.count():
            start = time.monotonic()
            if start > end:
                return
            target = "/standard?fen=" + FENS[n % len(FENS)].replace(" ", "_")
            try:
                connection.request("GET", target)
                reply = connection.getresponse()
                reply.read()
            except (OSError, http.client.HTTPException) as problem:
                problems.append(f"{target}: {problem!r}")
                return
            if reply.status != 200:
                problems.append(f"{target}: status {reply.status}")
            took.append(time.monotonic() - start)

    threads = [threading.Thread(target=client) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"{len(took)} requests, the slowest {max(took, default=0) * 1000:.0f} ms")
    return len(took), problems


@pytest.fixture(name="limited")
def fixture_limited(serve):
    return serve("--tables", TABLES, "--quiet", "--timeout", "2", "--connections", "64", "--per-client", "48")


def test_load(limited):
    count, problems = ask_for(limited, 1.5)
    assert count > 100 and not problems, problems[:3]


@pytest.mark.seconds(10)
def test_load_beside_slow_clients(limited):
    """Clients that keep their connections open: one sends a header now and then, one a body, and one sends requests but
    does not read. Beside them others send large batches."""
    held = [limited.connect() for _ in range(30)]
    for s in held[:10]:
        s.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n")
    for s in held[10:20]:
        s.sendall(b"POST /v1/batch HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n{")
    for s in held[20:]:
        s.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            for _ in range(2000):
                s.send(f"GET /v1/line?fen={KBNK}_w HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    done, statuses = threading.Event(), []

    def trickle():
        while not done.wait(0.2):
            for s in held[:20]:
                with contextlib.suppress(OSError):
                    s.send(b"a")

    def batch():
        statuses.append(limited.ask("POST", "/v1/batch", {"fens": FENS * 20}).status)

    slow = threading.Thread(target=trickle)
    others = [threading.Thread(target=batch) for _ in range(4)]
    for thread in [slow, *others]:
        thread.start()
    try:
        count, problems = ask_for(limited, 3)
        assert count > 50 and not problems, problems[:3]
        for thread in others:
            thread.join()
        assert len(statuses) == 4 and set(statuses) <= {200, 429, 503}, statuses
        # The connections of clients that send byte by byte are closed, although they go on.
        for s in held[:20]:
            s.settimeout(60)
            with contextlib.suppress(ConnectionError):
                while s.recv(4096):
                    pass
    finally:
        done.set()
        slow.join()
        for s in held:
            s.close()
    assert limited.metric("trebuchet_http_expired_total") >= 1


def test_too_many_connections(limited):
    """Connections beyond the limit are not served, the others are."""
    with contextlib.ExitStack() as all_of_them:
        many = [all_of_them.enter_context(limited.connect()) for _ in range(60)]
        assert sum(healthy(s) for s in many) == 48

    def room():
        with limited.connect() as s:
            return healthy(s)

    wait_for(room, "there is room again")


# ---- one client with heavy requests over many connections ---------------------------------------

ALONE, BESIDE, MOST = 2, 5, 0.1  # seconds
CONNECTIONS = 60
# Eight men whose pawns all promote: there is no table, and captures lead to thousands of endings.
SLOW = ["8/PPP4k/8/8/8/8/ppp4K/8", "8/PPPP3k/8/8/8/8/pp5K/8", "7k/PPP5/8/8/8/8/ppp5/7K"]


def fen(board, number):
    return f"{board} {'wb'[number % 2]} - - 0 {number % 4000 + 1}"


def target_of(path, board, number):
    return f"{path}?fen={fen(board, number).replace(' ', '_')}"


def heavy(number, n):
    """What connection `number` asks for next."""
    board = SLOW[n % len(SLOW)]
    if number % 5 == 0:
        body = json.dumps({"fens": [fen(SLOW[i % len(SLOW)], n + i) for i in range(1000)]})
        return f"POST /v1/batch HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    if number % 5 == 1:
        what = target_of("/v1/line", KBNK, n)
    else:
        what = target_of("/v1/probe" if number % 5 == 2 else "/standard", board, n)
    return f"GET {what} HTTP/1.1\r\nHost: x\r\n\r\n"


async def ask_on_and_on(port, number):
    """Whatever the answers are, until the server is gone."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20, local_addr=("127.0.0.1", 0))
    for n in itertools.count(1000 * number):
        writer.write(heavy(number, n).encode())
        await writer.drain()
        head = await reader.readuntil(b"\r\n\r\n")
        left = int(re.search(rb"(?i)content-length: (\d+)", head)[1])
        while left > 0:
            left -= len(await reader.read(min(left, 1 << 20)))
        if not head.startswith(b"HTTP/1.1 200"):
            await asyncio.sleep(0.01)


def hostile(port):
    async def everything():
        await asyncio.gather(*(ask_on_and_on(port, number) for number in range(CONNECTIONS)), return_exceptions=True)

    asyncio.run(everything())


def simple(port, seconds, results):
    """Asks for one position of three men after the other; how long each took."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60, source_address=("127.0.0.2", 0))
    took, n = [], 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        n += 1
        start = time.monotonic()
        connection.request("GET", target_of("/v1/probe", "8/8/8/4k3/8/8/4P3/4K3", n))
        reply = connection.getresponse()
        body = reply.read()
        assert reply.status == 200, body
        took.append(time.monotonic() - start)
        time.sleep(0.002)
    results.put(took)


def slowest_percent(name, port, seconds):
    """The time within which a simple client has 99 % of its answers. Each client is a process."""
    results = multiprocessing.Queue()
    client = multiprocessing.Process(target=simple, args=(port, seconds, results))
    client.start()
    took = sorted(results.get(timeout=seconds + 60))
    client.join()
    p99 = took[len(took) * 99 // 100]
    print(
        f"{name}: {len(took)} simple probes, half within {took[len(took) // 2] * 1000:.2f} ms, "
        f"p99 {p99 * 1000:.2f} ms, the slowest {took[-1] * 1000:.0f} ms"
    )
    return p99


@pytest.mark.seconds(20)
def test_hostile_client(serve):
    """One client sends heavy requests over 60 connections; another one, with its own address, requests simple
    positions. The first must not make the second wait: its p99 may rise by less than 100 ms. Then the server must end
    within 5 seconds of SIGTERM, while the requests go on."""
    server = serve("--tables", TABLES, "--quiet", "--answers", "0")
    quiet = slowest_percent("alone", server.port, ALONE)
    other = multiprocessing.Process(target=hostile, args=(server.port,), daemon=True)
    other.start()
    try:
        wait_for(lambda: server.metric("trebuchet_http_connections") > CONNECTIONS, "all connections are in use")
        beside = slowest_percent("beside a hostile client", server.port, BESIDE)
        assert other.is_alive(), "the hostile client is gone"
        took = server.stop()
    finally:
        other.kill()
        other.join()
    print(f"ended {took:.2f} s after SIGTERM")
    assert beside - quiet < MOST, "the hostile client kept the other one waiting"
    assert took < 5, "SIGTERM did not end the server in time"


@pytest.mark.seconds(10)
def test_time_is_up(serve):
    """A limit of one second, with work for more: requests that do not fit are refused with the reason."""
    server = serve("--tables", TABLES, "--quiet", "--answers", "0", "--cache", "0", "--limit", "1")
    body = json.dumps({"fens": [f"{KBNK} w - - {i} 60" for i in range(60)] * 16})
    replies = []

    def client():
        replies.append(server.ask("POST", "/v1/batch", body))

    clients = [threading.Thread(target=client) for _ in range(20)]
    for thread in clients:
        thread.start()
    for thread in clients:
        thread.join()
    assert len(replies) == 20
    refused = [r for r in replies if r.status == 503]
    assert {r.status for r in replies} <= {200, 503} and refused, [r.status for r in replies]
    assert any('"time_up"' in r.text for r in refused)
