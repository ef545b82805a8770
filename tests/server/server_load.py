#!/usr/bin/env python3
"""server_load.py URL - many clients, and hostile ones: a client that holds connections open, sends byte by byte, does not
read or sends large batches must not stop the others. For a server with --timeout 2 --connections 64 --per-client 48."""
import http.client
import json
import socket
import sys
import threading
import time
from urllib.parse import urlsplit

where = urlsplit(sys.argv[1])
FENS = ["8/8/8/4k3/8/8/3BN3/4K3 w - - %d 50" % i for i in range(50)]
problems = []


def connect():
    return socket.create_connection((where.hostname, where.port), timeout=10)


def ask(connection, target):
    start = time.monotonic()
    connection.request("GET", target)
    answer = connection.getresponse()
    answer.read()
    return answer.status, time.monotonic() - start


def client(seconds, counts, slowest):
    """Asks over one connection, again and again."""
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=10)
    end, n = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        target = "/standard?fen=" + FENS[n % len(FENS)].replace(" ", "_")
        try:
            status, took = ask(connection, target)
        except (OSError, http.client.HTTPException) as problem:
            problems.append(f"{target}: {problem!r}")
            return
        if status != 200:
            problems.append(f"{target}: status {status}")
        slowest.append(took)
        n += 1
    counts.append(n)


def run_clients(number, seconds):
    counts, slowest = [], [0]
    threads = [threading.Thread(target=client, args=(seconds, counts, slowest))
               for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts), max(slowest)


def batch(results):
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=30)
    connection.request("POST", "/v1/batch", json.dumps({"fens": FENS * 20}))
    results.append(connection.getresponse().status)


# Alone.
count, slowest = run_clients(8, 1.5)
print(f"alone: {count} requests, the slowest {slowest * 1000:.0f} ms")
assert count > 100 and not problems, problems[:3]

# Beside clients that keep their connections open: one sends a header now and then, one a body, and one sends requests
# but does not read.
held = [connect() for _ in range(30)]
for s in held[:10]:
    s.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n")
for s in held[10:20]:
    s.sendall(b"POST /v1/batch HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n{")
for s in held[20:]:
    s.setblocking(False)
    try:
        for _ in range(2000):
            s.send(b"GET /v1/line?fen=8/8/8/4k3/8/8/3BN3/4K3_w HTTP/1.1\r\nHost: x\r\n\r\n")
    except BlockingIOError:
        pass


def trickle(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for s in held[:20]:
            try:
                s.send(b"a")
            except OSError:
                pass
        time.sleep(0.2)


results = []
others = [threading.Thread(target=trickle, args=(4,))]
others += [threading.Thread(target=batch, args=(results,)) for _ in range(4)]
for thread in others:
    thread.start()
count, slowest = run_clients(8, 3)
print(f"beside hostile ones: {count} requests, the slowest {slowest * 1000:.0f} ms")
assert count > 50 and not problems, problems[:3]
for thread in others:
    thread.join()
assert results and set(results) <= {200, 429, 503}, results

# The connections of clients that sent byte by byte have been closed by now.
closed = 0
for s in held[:20]:
    s.settimeout(3)
    try:
        while s.recv(4096):
            pass
        closed += 1
    except ConnectionError:
        closed += 1
    except TimeoutError:
        pass
assert closed == 20, f"only {closed} of 20 slow connections were closed"
for s in held:
    s.close()

# More connections than one client may have: those beyond the limit are not served, the others are.
many = [connect() for _ in range(60)]
time.sleep(0.5)
served = 0
for s in many:
    try:
        s.settimeout(1)
        s.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        served += s.recv(64).startswith(b"HTTP/1.1 200")
    except OSError:
        pass
    if served == 40:
        break
for s in many:
    s.close()
assert served == 40, f"{served} of the first 40 served"
time.sleep(0.5)
assert ask(http.client.HTTPConnection(where.hostname, where.port, timeout=10), "/healthz")[0] == 200
print("done")
