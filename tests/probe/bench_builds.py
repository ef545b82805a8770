#!/usr/bin/env python3
"""bench_builds.py BUILD TABLES - sizes of all that make builds for other programs and systems, and the processor time of a
verdict in each of them, beside the library that make builds. A program runs with few and with many rounds, in turns with the
others; the difference counts. What is not built or cannot run here is left out."""
import glob
import gzip
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
BUILD, TABLES = map(os.path.abspath, sys.argv[1:3])
ENDINGS = ["KRPvK", "KQvKR", "KPvKP", "KBNvK"]
FEW, MANY, TURNS = 20, 420, 5
FLAGS = ["-O2", "-I", "include"]
TWO = os.path.join(BUILD, "amalgamation")
WINE = os.path.join(TOP, "tests", "support", "wine.sh")
# A page of the npm package, and Python's module; both take FENs.
NODE = """
import { readFileSync } from "node:fs";
const { Trebuchet } = await import(process.argv[2]);
const tb = await Trebuchet.open(process.argv[4], { memoryMB: 64, threeMen: false });
const fens = [];
for (const fen of readFileSync(0, "utf8").split("\\n").filter(Boolean))
    try { await tb.probe(fen); if (tb.wdlSync(fen)) fens.push(fen); } catch {}
for (let round = 0; round < process.argv[3]; round++) for (const fen of fens) tb.wdlSync(fen);
console.log(fens.length);
"""
PYTHON = """
import sys, trebuchet
tables = trebuchet.open_tablebase(sys.argv[2])
def answers(fen):
    try: return tables.probe_wdl(fen) is not None
    except Exception: return False
fens = [fen for fen in sys.stdin.read().split("\\n") if fen and answers(fen)]
for round in range(int(sys.argv[1])):
    if sys.argv[3] == "many": tables.probe_many(fens)
    else: [tables.probe_wdl(fen) for fen in fens]
print(len(fens))
"""


def positions():
    """FENs of possible and impossible positions: programs leave out what has no answer."""
    draw, fens = random.Random(5), []
    for ending in ENDINGS:
        white, black = ending.split("v")
        for _ in range(500):
            board = [""] * 64
            for man in white + black.lower():
                board[draw.choice([i for i in range(64) if not board[i] and (man not in "Pp" or 8 <= i < 56)])] = man
            rows = (re.sub("1+", lambda ones: str(len(ones[0])), "".join(man or "1" for man in board[row:row + 8])) for row in range(0, 64, 8))
            fens.append("/".join(rows) + f" {draw.choice('wb')} - - 0 1")
    return "\n".join(fens) + "\n"


def can_run(run, program):
    """Not every x86-64 runs programs for i686."""
    try:
        subprocess.run([*run, program], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError:
        return False
    return True


def build(folder):
    """Programs by name: words that take ROUNDS and FOLDER."""
    native = shutil.which(os.environ.get("CC", "cc").split()[0])
    found = {}

    def add(name, compiler, *words, run=()):
        program = os.path.join(folder, name.replace(" ", "-") + (".exe" if "mingw" in compiler else ""))
        if all(map(os.path.exists, (word for word in words if word.startswith(BUILD)))) and shutil.which(compiler):
            subprocess.run([compiler, *FLAGS, "tests/probe/verdicts.c", *words, "-o", program], cwd=TOP, check=True)
            if can_run(run, program):
                found[name] = [*run, program, "ROUNDS", "FOLDER"]

    add("libtrebuchet.a", native, os.path.join(BUILD, "libtrebuchet.a"), "-lzstd", "-lpthread")
    add("libtrebuchet.so", native, os.path.join(BUILD, "libtrebuchet.so"), f"-Wl,-rpath,{BUILD}")
    add("two files", native, os.path.join(TWO, "trebuchet.c"), "-lpthread")
    add("two files, musl", "musl-gcc", os.path.join(TWO, "trebuchet.c"), "-static")
    add("two files, i686", "i686-linux-gnu-gcc", os.path.join(TWO, "trebuchet.c"), "-static", "-lpthread")
    dll = os.path.join(BUILD, "windows", "trebuchet.dll")
    if os.path.exists(dll) and (shutil.which("wine64") or os.path.exists("/usr/lib/wine/wine64")):
        shutil.copy(dll, folder)
        add("trebuchet.dll, Wine", "x86_64-w64-mingw32-gcc-posix", dll, run=[WINE, BUILD])
    for name in [name for name in found if name != "libtrebuchet.a"]:
        found[name + " from the FEN"] = [word if word != "ROUNDS" else "-ROUNDS" for word in found[name]]
    package = os.path.join(BUILD, "npm", "package", "trebuchet.mjs")
    if os.path.exists(package):
        with open(os.path.join(folder, "node.mjs"), "w", encoding="utf-8") as out:
            out.write(NODE)
        found["npm in Node from the FEN"] = ["node", os.path.join(folder, "node.mjs"), package, "ROUNDS", "FOLDER"]
    for wheel in glob.glob(os.path.join(BUILD, "wheel", "*.whl")):
        shutil.unpack_archive(wheel, os.path.join(folder, "python"), "zip")
        for how in ("many", "one"):
            found[f"wheel, probe_{'wdl' if how == 'one' else how} from the FEN"] = [sys.executable, "-c", PYTHON, "ROUNDS", "FOLDER", how]
    return found


def seconds(words, rounds, text, folder):
    """Processor seconds of a run, and how many positions it asked."""
    put = {"ROUNDS": str(rounds), "-ROUNDS": str(-rounds), "FOLDER": ("Z:" if words[0] == WINE else "") + TABLES}
    env = dict(os.environ, PYTHONPATH=os.path.join(folder, "python"))
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([put.get(word, word) for word in words], input=text, env=env, capture_output=True, text=True, check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, int(done.stdout.split()[0])


def sizes():
    for path in ("amalgamation/trebuchet.c", "amalgamation/trebuchet.h", "libtrebuchet.so.1", "windows/trebuchet.dll", "trebuchet-windows.zip",
                 "wasm/trebuchet.wasm", "npm/trebuchet-*.tgz", "site/**/*.wasm*", "wheel/*.whl"):
        for file in sorted(glob.glob(os.path.join(BUILD, path), recursive=True)):
            with open(file, "rb") as data:
                content = data.read()
            print(f"{os.path.relpath(file, BUILD)}: {len(content):,} bytes, {len(gzip.compress(content, 9, mtime=0)):,} packed by gzip")


def main():
    sizes()
    text, folder = positions(), tempfile.mkdtemp(prefix="trebuchet-builds-")
    programs = build(folder)
    least = {}
    for _ in range(TURNS):
        for name, words in programs.items():
            many = MANY // 20 + FEW if "probe_wdl" in name else MANY
            (first, count), (second, _) = seconds(words, FEW, text, folder), seconds(words, many, text, folder)
            if count == 0:
                sys.exit(f"{name} answers nothing")
            took = (second - first) / (many - FEW) / count * 1e9
            least[name] = min(took, least.get(name, took))
    for name, took in least.items():
        print(f"{name}: {took:,.0f} ns, {took / least['libtrebuchet.so']:.2f} times libtrebuchet.so")
    shutil.rmtree(folder)


main()
