"""engine_link.py - runs a UCI engine as a process and reads its output."""
import queue
import re
import subprocess
import threading
import time

HEAD = re.compile(r"info (?=.*\bdepth \d)(?=.*\bpv\b)")


class Info:
    """One iteration as reported by the engine: words and values in any order, then the line."""

    def __init__(self, text):
        words, _, line = text.partition(" pv")
        words = words.split()

        def after(word):
            return int(words[words.index(word) + 1])

        self.kind = words[words.index("score") + 1]
        self.score, self.depth, self.nodes = after(self.kind), after("depth"), after("nodes")
        self.hits, self.milliseconds, self.line = after("tbhits"), after("time"), line.split()


class Engine:
    """Runs a program, or a command with arguments. UCI options are given as name=value."""

    def __init__(self, command, **options):
        command = [command] if isinstance(command, str) else command
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, bufsize=1)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.send("uci")
        self.until("uciok")
        for name, value in options.items():
            self.option(name, value)

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def send(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def option(self, name, value):
        self.send(f"setoption name {name} value {value}")

    def until(self, start, seconds=60):
        """Returns the lines up to the first one that begins with `start`, which is the last."""
        lines, end = [], time.monotonic() + seconds
        while True:
            try:
                line = self.lines.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no {start} within {seconds} s after {lines[-3:]}") from None
            if line is None:
                raise AssertionError(f"the engine ended after {lines[-3:]}")
            lines.append(line)
            if line.startswith(start):
                return lines

    def ready(self):
        """Returns the lines that were printed before readyok."""
        self.send("isready")
        return self.until("readyok")[:-1]

    def go(self, limit, fen=None, moves=(), seconds=60):
        """Searches. Returns the best move and the iterations."""
        if fen:
            self.send(f"position fen {fen}" + (" moves " + " ".join(moves) if moves else ""))
        self.send("go " + limit)
        lines = self.until("bestmove", seconds)
        return lines[-1].split()[1], [Info(line) for line in lines if HEAD.match(line)]

    def quit(self):
        """Ends the engine. Returns its exit status."""
        self.send("quit")
        status = self.process.wait(timeout=20)
        self.process.stdin.close()
        return status
