#!/usr/bin/env python3
"""server_service.py TREBUCHET TABLES - the server under a service manager: with a passed socket (LISTEN_FDS), with
messages to the manager (NOTIFY_SOCKET), and with restarts while clients send requests. The socket stays open, so no
client is refused."""
import atexit
import http.client
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

command, tables = sys.argv[1:3]
folder = tempfile.mkdtemp()
notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
notify.bind(folder + "/notify")
notify.settimeout(20)


running = set()


@atexit.register
def kill_all():
    for pid in running:
        os.kill(pid, signal.SIGKILL)


def start(listening, sockets=1, process=None, options=()):
    """Passes a socket as descriptor 3, as systemd does."""
    pid = os.fork()
    if pid > 0:
        running.add(pid)
        return pid
    os.environ.update(LISTEN_PID=str(process or os.getpid()), LISTEN_FDS=str(sockets),
                      NOTIFY_SOCKET=folder + "/notify")
    os.dup2(listening.fileno(), 3)
    os.set_inheritable(3, True)
    os.execv(command, [command, "serve", "--tables", tables, "--quiet", *options])


def told(what):
    message = notify.recv(4096).decode().split("\n")
    assert what in message, (what, message)
    return message


def wait(pid):
    running.discard(pid)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def stop(pid):
    os.kill(pid, signal.SIGTERM)
    told("STOPPING=1")
    assert wait(pid) == 0


listening = socket.create_server(("127.0.0.1", 0), backlog=100)
port = listening.getsockname()[1]
done, problems, answers = threading.Event(), [], 0


def client():
    """Asks on and on, with a connection for each request, as a proxy does."""
    global answers
    while not done.is_set():
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            connection.request("GET", "/standard?fen=8/5P1k/8/7K/8/8/8/8_w_-_-_0_1")
            answer = connection.getresponse()
            if answer.status != 200:
                problems.append(answer.status)
            answer.read()
            connection.close()
            answers += 1
        except (OSError, http.client.HTTPException) as problem:
            problems.append(repr(problem))


pid = start(listening)
told("READY=1")
os.kill(pid, signal.SIGHUP)
assert any(line.startswith("MONOTONIC_USEC=") for line in told("RELOADING=1"))
told("READY=1")
threads = [threading.Thread(target=client, daemon=True) for _ in range(3)]
for thread in threads:
    thread.start()
for _ in range(4):
    before = answers
    while answers < before + 20 and not problems:
        time.sleep(0.01)
    stop(pid)
    pid = start(listening)
    told("READY=1")
done.set()
for thread in threads:
    thread.join()
assert not problems, problems[:5]
assert answers >= 80, answers
stop(pid)

# A socket for another process is ignored, and a socket of another kind is refused.
taken = subprocess.run([command, "serve", "--tables", tables, "--port", str(port)], text=True,
                       env=os.environ | {"LISTEN_PID": "1", "LISTEN_FDS": "1"},
                       capture_output=True, check=False)
assert taken.returncode == 1 and "taken" in taken.stderr, taken
deaf = socket.socket()
for passed, count, code in ((deaf, 1, 1), (listening, 2, 2)):
    pid = start(passed, count)
    assert wait(pid) == code, (count, code)

# A passed Unix socket is not removed at the end, as the process that opened it owns it.
path = folder + "/s.sock"
passed = socket.socket(socket.AF_UNIX)
passed.bind(path)
passed.listen()
pid = start(passed)
told("READY=1")
with socket.socket(socket.AF_UNIX) as s:
    s.settimeout(10)
    s.connect(path)
    s.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert s.recv(64).startswith(b"HTTP/1.1 200")
stop(pid)
assert os.path.exists(path)
for name in ("notify", "s.sock"):
    os.unlink(f"{folder}/{name}")
os.rmdir(folder)
print(f"{answers} answers, 4 restarts")
