#!/usr/bin/env python3
"""server_hostile.py URL PID - one client sends heavy requests over 60 connections; another one, with its own address,
requests simple positions. The first must not make the second wait: its p99 may rise by less than 100 ms. Then the
server must end within 5 seconds of SIGTERM, while the requests go on. For a server on 127.0.0.1 without a cache of
answers. Each client is a process."""
import asyncio
import http.client
import itertools
import json
import multiprocessing
import os
import re
import signal
import sys
import time
from urllib.parse import urlsplit

where, process = urlsplit(sys.argv[1]), int(sys.argv[2])
ALONE, BESIDE, MOST = 2, 5, 0.1  # seconds
CONNECTIONS = 60
# Eight men whose pawns all promote: there is no table, and captures lead to thousands of endings.
SLOW = ["8/PPP4k/8/8/8/8/ppp4K/8", "8/PPPP3k/8/8/8/8/pp5K/8", "7k/PPP5/8/8/8/8/ppp5/7K"]
LINE = "8/8/8/4k3/8/8/3BN3/4K3"


def fen(board, number):
    return f"{board} {'wb'[number % 2]} - - 0 {number % 4000 + 1}"


def target(path, board, number):
    return f"{path}?fen={fen(board, number).replace(' ', '_')}"


def request(number, n):
    """What connection `number` asks for next."""
    board = SLOW[n % len(SLOW)]
    if number % 5 == 0:
        fens = [fen(SLOW[i % len(SLOW)], n + i) for i in range(1000)]
        body = json.dumps({"fens": fens})
        return f"POST /v1/batch HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    if number % 5 == 1:
        what = target("/v1/line", LINE, n)
    else:
        what = target("/v1/probe" if number % 5 == 2 else "/standard", board, n)
    return f"GET {what} HTTP/1.1\r\nHost: x\r\n\r\n"


async def ask(number):
    """Asks on and on over one connection, whatever the answers are, until the server is gone."""
    reader, writer = await asyncio.open_connection(where.hostname, where.port, limit=1 << 20,
                                                   local_addr=("127.0.0.1", 0))
    for n in itertools.count(1000 * number):
        writer.write(request(number, n).encode())
        await writer.drain()
        head = await reader.readuntil(b"\r\n\r\n")
        left = int(re.search(rb"(?i)content-length: (\d+)", head)[1])
        while left > 0:
            left -= len(await reader.read(min(left, 1 << 20)))
        if not head.startswith(b"HTTP/1.1 200"):
            await asyncio.sleep(0.01)


def hostile():
    async def everything():
        await asyncio.gather(*(ask(number) for number in range(CONNECTIONS)), return_exceptions=True)
    asyncio.run(everything())


def simple(seconds, results):
    """Asks for one position of three men after the other; how long each took."""
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=60,
                                            source_address=("127.0.0.2", 0))
    took, n = [], 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        n += 1
        start = time.monotonic()
        connection.request("GET", target("/v1/probe", "8/8/8/4k3/8/8/4P3/4K3", n))
        answer = connection.getresponse()
        body = answer.read()
        assert answer.status == 200, body
        took.append(time.monotonic() - start)
        time.sleep(0.002)
    results.put(took)


def measure(name, seconds):
    results = multiprocessing.Queue()
    client = multiprocessing.Process(target=simple, args=(seconds, results))
    client.start()
    took = sorted(results.get(timeout=seconds + 60))
    client.join()
    assert other is None or other.is_alive(), "the hostile client is gone"
    p99 = took[len(took) * 99 // 100]
    print(f"{name}: {len(took)} simple probes, half within {took[len(took) // 2] * 1000:.2f} ms, "
          f"p99 {p99 * 1000:.2f} ms, the slowest {took[-1] * 1000:.0f} ms", flush=True)
    return p99


def ended():
    try:
        with open(f"/proc/{process}/stat", encoding="ascii") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


other = None
alone = measure("alone", ALONE)
other = multiprocessing.Process(target=hostile, daemon=True)
other.start()
time.sleep(1)
beside = measure("beside a hostile client", BESIDE)
os.kill(process, signal.SIGTERM)
start = time.monotonic()
while not ended() and time.monotonic() < start + 20:
    time.sleep(0.02)
took = time.monotonic() - start
other.kill()
print(f"ended {took:.2f} s after SIGTERM")
assert beside - alone < MOST, "the hostile client kept the other one waiting"
assert took < 5, "SIGTERM did not end the server in time"
