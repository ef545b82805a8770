#!/usr/bin/env python3
"""server_together.py URL PID CONNECTIONS - the maximum number of clients send requests at one moment, several times; the
server is suspended meanwhile. All requests must be answered."""
import os
import signal
import socket
import sys
from urllib.parse import urlsplit

where, process, count = urlsplit(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
REQUEST = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"


def answer(s):
    data = b""
    while not data.endswith(b"}"):
        piece = s.recv(4096)
        assert piece, "closed"
        data += piece
    assert data.startswith(b"HTTP/1.1 200"), data[:80]


clients = []
for _ in range(count):
    s = socket.create_connection((where.hostname, where.port), timeout=5)
    s.sendall(REQUEST)
    answer(s)
    clients.append(s)
for _ in range(5):
    os.kill(process, signal.SIGSTOP)
    for s in clients:
        s.sendall(REQUEST)
    os.kill(process, signal.SIGCONT)
    for s in clients:
        answer(s)
