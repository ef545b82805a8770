"""command.py - runs the command and other programs, and checks what they print.

    run("probe", "-t", TABLES, FEN).has(r"^White wins").quiet()

runs `trebuchet probe ...` in the current folder and expects exit code 0. Every check returns the answer itself, so
that checks can follow each other. Regular expressions are matched line by line."""
import filecmp
import glob
import json
import os
import re
import shutil
import stat
import subprocess
import time

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
BUILD = os.path.abspath(os.environ.get("TREB_BUILD", os.path.join(TOP, "build", "test")))
TABLES = os.path.abspath(os.environ.get("TREB_TABLES", os.path.join(BUILD, "tables")))
TOOL = os.path.join(BUILD, "trebuchet")
DOCS = os.path.join(TOP, "docs")
DATA = os.path.join(TOP, "tests", "data")
SYZYGY = os.path.join(DATA, "syzygy")
# The longest time in seconds that a case may take. Sanitizers on a busy machine need most of it.
PATIENCE = 600
# Progress lines do not count as messages: with sanitizers most runs are long enough to print some.
PROGRESS = re.compile(r"^trebuchet [a-z]+: .* \([0-9:]+\)$")


class Answer:
    """What a program printed, and its exit code."""

    def __init__(self, words, code, out, err):
        self.words, self.code, self.out, self.err = words, code, out, err

    def __str__(self):
        def shown(name, text):
            lines = text.splitlines()
            more = [f"    ... {len(lines) - 12} more lines"] if len(lines) > 12 else []
            return "\n".join([f"  {name}:"] + ["    | " + line[:300] for line in lines[:12]] + more)

        return (
            f"{' '.join(self.words)}\n  exit code {self.code}\n{shown('stdout', self.out)}\n{shown('stderr', self.err)}"
        )

    @property
    def lines(self):
        return self.out.splitlines()

    @property
    def messages(self):
        return self.err.splitlines()

    def exits(self, code):
        assert self.code == code, f"exit code {self.code}, not {code}\n{self}"
        return self

    def has(self, *patterns):
        """Every pattern matches a line on stdout."""
        for pattern in patterns:
            assert any(re.search(pattern, line) for line in self.lines), f"no /{pattern}/ in the output\n{self}"
        return self

    def says(self, *patterns):
        """Every pattern matches a line on stderr."""
        for pattern in patterns:
            assert any(re.search(pattern, line) for line in self.messages), f"no /{pattern}/ in the messages\n{self}"
        return self

    def lacks(self, *patterns):
        """No pattern matches a line on stdout or stderr."""
        for pattern in patterns:
            found = [line for line in self.lines + self.messages if re.search(pattern, line)]
            assert not found, f"/{pattern}/ in the output: {found[0]}\n{self}"
        return self

    def count(self, pattern):
        """The number of lines on stdout that a pattern matches."""
        return sum(1 for line in self.lines if re.search(pattern, line))

    def quiet(self):
        """There are no messages on stderr, except about progress."""
        assert all(PROGRESS.search(line) for line in self.messages), f"messages on stderr\n{self}"
        return self

    def silent(self):
        """There is nothing on stdout."""
        assert self.out == "", f"output on stdout\n{self}"
        return self

    def has_lines(self, count):
        assert len(self.lines) == count, f"{len(self.lines)} lines, not {count}\n{self}"
        return self

    def json(self):
        """The output as one JSON value."""
        try:
            return json.loads(self.out)
        except ValueError as error:
            raise AssertionError(f"not JSON: {error}\n{self}") from None

    def json_lines(self):
        """The output as a list of JSON values, one a line."""
        try:
            return [json.loads(line) for line in self.lines]
        except ValueError as error:
            raise AssertionError(f"not JSON lines: {error}\n{self}") from None

    def is_json(self):
        self.json()
        return self

    def is_json_lines(self):
        self.json_lines()
        return self

    def fails_with(self, code):
        """The output is a JSON object with an error of this code; returns the error."""
        error = self.json()["error"]
        assert error["code"] == code, f"code {error['code']}, not {code}\n{self}"
        return error

    def save(self, name):
        """Writes stdout into a file."""
        write(name, self.out)
        return self


def execute(*words, code=0, stdin=None, env=None, timeout=PATIENCE, cwd=None, stdout=subprocess.PIPE):
    """Runs any program. `stdin` is text; `env` adds to the environment; `code` None takes any exit code."""
    environment = {**os.environ, **(env or {})}
    given = {"input": stdin} if stdin is not None else {"stdin": subprocess.DEVNULL}
    done = subprocess.run(
        [str(word) for word in words],
        stdout=stdout,
        stderr=subprocess.PIPE,
        env=environment,
        cwd=cwd,
        timeout=timeout,
        encoding="utf-8",
        errors="replace",
        check=False,
        **given,
    )
    answer = Answer([str(word) for word in words], done.returncode, done.stdout or "", done.stderr)
    return answer if code is None else answer.exits(code)


def run(*words, **options):
    """Runs the command: see execute()."""
    return execute(TOOL, *words, **options)


def passes(*words, **options):
    """Runs a program that is a test itself. It must exit with 0; otherwise the error shows the end of its output."""
    answer = execute(*words, code=None, **options)
    text = answer.out + answer.err
    if answer.code != 0:
        failures = [line for line in text.splitlines() if re.search(r":[FE]:|^not ok|FAILED|Assertion|ERROR:", line)]
        raise AssertionError(
            "\n".join(
                [f"{' '.join(answer.words)}: exit code {answer.code}"]
                + failures[:30]
                + ["..."]
                + text.splitlines()[-60:]
            )
        )
    print(text[-2000:])
    return answer


def start(*words, env=None, stdin=subprocess.DEVNULL, out="out", err="err"):
    """Starts the command in the background, its output in the files `out` and `err`."""
    with open(out, "wb") as stdout, open(err, "wb") as stderr:
        return subprocess.Popen(
            [TOOL] + [str(word) for word in words],
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            env={**os.environ, **(env or {})},
        )


def wait_for(condition, what, seconds=60, process=None):
    """Waits until a condition is true. Fails after some seconds, or when the process has ended."""
    end = time.monotonic() + seconds
    while not condition():
        ended = process is not None and process.poll() is not None
        if ended or time.monotonic() > end:
            assert condition(), f"in vain: waited until {what}"
            return
        time.sleep(0.01)


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def overwrite(path, offset, data):
    """Overwrites bytes of a file."""
    with open(path, "r+b") as file:
        file.seek(offset)
        file.write(data)


def unlock(path):
    """Gives the owner the right to write a file, or everything below a folder."""
    os.chmod(path, os.stat(path).st_mode | stat.S_IRWXU)
    for folder, below, names in os.walk(path):
        for name in below + names:
            full = os.path.join(folder, name)
            if not os.path.islink(full):
                os.chmod(full, os.stat(full).st_mode | (stat.S_IRWXU if name in below else stat.S_IWUSR))


def copy_files(folder, *patterns, source=TABLES, link=False):
    """Makes a folder with copies of files from another folder, or links to them. Returns the folder's name."""
    os.makedirs(folder, exist_ok=True)
    for pattern in patterns:
        found = glob.glob(os.path.join(source, pattern))
        assert found, f"no {pattern} in {source}"
        for path in found:
            target = os.path.join(folder, os.path.basename(path))
            if link:
                os.symlink(path, target)
            else:
                shutil.copyfile(path, target)
    return folder


def truncated(source, size, path):
    """Writes the first `size` bytes of a file to another file."""
    with open(source, "rb") as file:
        data = file.read(size)
    with open(path, "wb") as file:
        file.write(data)


def same_bytes(a, b):
    return filecmp.cmp(a, b, shallow=False)
