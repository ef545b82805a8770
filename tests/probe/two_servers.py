#!/usr/bin/env python3
"""Tests two servers behind nginx under load, as in the example of docs/cluster.md. The servers have no tables of
their own: they read them from another nginx.

    two_servers.py TREBUCHET [TABLES]

Every answer must equal that of a server with the tables in a folder. One server is killed (SIGKILL) during the
test. Only the answers that it was working on may be lost. After its restart it must get its share of the requests
again. TABLES is a folder of .treb files. Without it some tables are made."""
from __future__ import annotations

import collections
import http.client
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

CLIENTS, POSITIONS, SECONDS = 8, 400, 6
MATERIALS = "KRvKP KQvKR KPvK KQvK KRvK".split()

STORE = """daemon off; worker_processes 1; pid {dir}/store.pid; error_log {dir}/store.error;
events {{ worker_connections 512; }}
http {{
    access_log {dir}/store.log; sendfile on; keepalive_requests 1000000;
    client_body_temp_path {dir}/b; proxy_temp_path {dir}/p; fastcgi_temp_path {dir}/f;
    uwsgi_temp_path {dir}/u; scgi_temp_path {dir}/s;
    server {{ listen 127.0.0.1:{port}; location /tables/ {{ alias {tables}/; }} }}
}}
"""

# docs/cluster.md prints the middle part of this.
FRONT = """daemon off; worker_processes 1; pid {dir}/front.pid; error_log {dir}/front.error;
events {{ worker_connections 512; }}
http {{
    access_log off; keepalive_requests 1000000;
    client_body_temp_path {dir}/b; proxy_temp_path {dir}/p; fastcgi_temp_path {dir}/f;
    uwsgi_temp_path {dir}/u; scgi_temp_path {dir}/s;
    upstream trebuchet {{
        server 127.0.0.1:{one} max_fails=1 fail_timeout=1s;
        server 127.0.0.1:{two} max_fails=1 fail_timeout=1s;
        keepalive 32;
    }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://trebuchet;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host $host;
            proxy_set_header X-Forwarded-For $remote_addr;
            proxy_connect_timeout 1s;
            proxy_next_upstream error timeout http_502 http_503 http_504;
            add_header X-Server $upstream_addr always;
        }}
    }}
}}
"""

children: list[subprocess.Popen] = []


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit(f"nobody listens on port {port}")


def start(*command: str, port: int) -> subprocess.Popen:
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    children.append(child)
    wait_for(port)
    return child


def serve(trebuchet: str, tables: str, port: int) -> subprocess.Popen:
    return start(trebuchet, "serve", "--quiet", "--port", str(port), "--trust-proxy", "127.0.0.1",
                 "--tables", tables, port=port)


class Client:
    """A persistent connection."""

    def __init__(self, port: int) -> None:
        self.port, self.connection = port, None

    def get(self, target: str) -> tuple[int, bytes, str]:
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            self.connection.request("GET", target)
            answer = self.connection.getresponse()
            return answer.status, answer.read(), answer.getheader("X-Server") or ""
        except (OSError, http.client.HTTPException):
            self.connection.close()
            self.connection = None
            raise


def targets(port: int) -> dict[str, bytes]:
    """Returns questions, and the answers of a server that has the tables in a folder."""
    draw, client, out = random.Random(1), Client(port), {}
    for _ in range(10 * POSITIONS):
        if len(out) == POSITIONS:
            break
        men = draw.choice(MATERIALS)
        white, black = men.split("v")
        squares = draw.sample(range(64), len(men) - 1)
        board = ["1"] * 64
        for square, man in zip(squares, white + black.lower()):
            board[square] = man
        rows = "/".join(re.sub("1+", lambda run: str(len(run[0])), "".join(board[i:i + 8]))
                        for i in range(0, 64, 8))
        target = "/v1/probe?fen=" + urllib.parse.quote(f"{rows} {draw.choice('wb')} - - 0 1")
        status, body, _ = client.get(target)
        if status == 200:
            out[target] = body
    check(len(out) == POSITIONS, "the server that has tables does not answer")
    return out


class Load:
    def __init__(self, port: int, expected: dict[str, bytes]) -> None:
        self.port, self.expected, self.stop = port, expected, threading.Event()
        self.lock, self.right, self.lost, self.wrong = threading.Lock(), 0, 0, 0
        self.server = collections.Counter()
        self.threads = [threading.Thread(target=self.run, args=(i,)) for i in range(CLIENTS)]

    def run(self, seed: int) -> None:
        client, draw, known = Client(self.port), random.Random(seed), list(self.expected)
        while not self.stop.is_set():
            target = draw.choice(known)
            try:
                status, body, server = client.get(target)
            except (OSError, http.client.HTTPException):
                status, body, server = 0, b"", ""
            with self.lock:
                self.server[server.split(",")[-1].strip()] += 1
                if status != 200:
                    self.lost += 1
                elif body != self.expected[target]:
                    self.wrong += 1
                else:
                    self.right += 1

    def totals(self) -> tuple[int, collections.Counter]:
        with self.lock:
            return self.right, collections.Counter(self.server)


def check(sound: bool, what: str) -> None:
    if not sound:
        sys.exit(f"two_servers: {what}")


def run(trebuchet: str, tables: str, folder: str) -> None:
    store, front, one, two, local = (free_port() for _ in range(5))
    address = f"http://127.0.0.1:{store}/tables/"
    for name, text in (("store", STORE.format(dir=folder, port=store, tables=tables)),
                       ("front", FRONT.format(dir=folder, port=front, one=one, two=two))):
        with open(f"{folder}/{name}.conf", "w", encoding="ascii") as file:
            file.write(text)
    nginx = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    check(nginx is not None, "nginx is not installed: .ci/deps http")
    start(nginx, "-c", f"{folder}/store.conf", "-p", folder, port=store)
    serve(trebuchet, tables, local)
    first = serve(trebuchet, address, one)
    serve(trebuchet, address, two)
    start(nginx, "-c", f"{folder}/front.conf", "-p", folder, port=front)
    status, body, _ = Client(front).get("/healthz")
    check(status == 200 and b'"ok"' in body, f"/healthz says {status}")
    load = Load(front, targets(local))
    for thread in load.threads:
        thread.start()
    time.sleep(SECONDS / 3)
    right, before = load.totals()
    first.send_signal(signal.SIGKILL)
    first.wait()
    time.sleep(SECONDS / 3)
    after_kill, during = load.totals()
    serve(trebuchet, address, one)
    time.sleep(SECONDS / 3)
    load.stop.set()
    for thread in load.threads:
        thread.join()
    names = f"127.0.0.1:{one}", f"127.0.0.1:{two}"
    end = load.server
    with open(f"{folder}/store.log", encoding="ascii") as log:
        lines = [line for line in log if ".treb" in line]
    sent = sum(int(re.search(r'" 206 (\d+)', line).group(1)) for line in lines)
    print(f"{load.right} right answers, {load.wrong} wrong, {load.lost} lost; by the servers: "
          f"{before[names[0]]} and {before[names[1]]}, one killed: "
          f"{during[names[0]] - before[names[0]]} and {during[names[1]] - before[names[1]]}, back: "
          f"{end[names[0]] - during[names[0]]} and {end[names[1]] - during[names[1]]}; "
          f"the store gave {len(lines)} ranges, {sent / 1024:.0f} KiB")
    check(load.wrong == 0, "answers were wrong")
    check(load.lost <= CLIENTS, "more answers were lost than were under way")
    check(right > 100 and after_kill - right > 100, "too few answers to say anything")
    check(before[names[0]] > 20 and before[names[1]] > 20, "one server got nothing from the start")
    check(end[names[0]] - during[names[0]] > 20, "a server that came back got nothing")


def main() -> None:
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    trebuchet = os.path.realpath(sys.argv[1])
    folder = tempfile.mkdtemp(prefix="trebuchet-http-")
    os.chmod(folder, 0o755)  # nginx's workers may run as somebody else
    try:
        tables = f"{folder}/tables"
        os.mkdir(tables)
        if len(sys.argv) == 3:
            for name in os.listdir(sys.argv[2]):
                if name.endswith(".treb"):
                    os.symlink(os.path.realpath(f"{sys.argv[2]}/{name}"), f"{tables}/{name}")
        else:
            subprocess.run([trebuchet, "gen", "--quiet", "--tables", tables, "KRvKP", "KQvKR"], check=True)
        subprocess.run("sha256sum *.treb > SHA256SUMS", shell=True, cwd=tables, check=True)
        run(trebuchet, tables, folder)
    finally:
        for child in children:
            if child.poll() is None:
                child.terminate()
        for child in children:
            child.wait()
        shutil.rmtree(folder)


main()
