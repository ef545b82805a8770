#!/usr/bin/env python3
"""memory.py ENGINE TABLES: tests the memory of the example engine over UCI and its `memory` command.

tests/examples/test_store.c tests the store itself. TABLES has all tables of 3 and 4 men."""
import os
import signal
import subprocess
import sys
import tempfile

from engine_link import Engine

ROOKS = "8/2R5/3P4/8/3r4/8/k3p3/4K3 w - - 0 1"
PAWNS = "8/8/8/3k1p2/8/8/2PP4/2K5 w - - 0 1"  # four men after a capture
FEW = "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1"


def command(path, *words):
    done = subprocess.run([path, "memory", *words], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def roots(path, store):
    """Returns the depth of each FEN in the store."""
    status, out, err = command(path, "list", store)
    assert status == 0, err
    return {line.split("\t")[3]: int(line.split("\t")[0]) for line in out.splitlines()}


def start(path, store, **options):
    engine = Engine(path, MemoryPath=store, Memory="true", **options)
    said = engine.ready()
    assert any(line.startswith(f"info string memory: {store}: ") for line in said), said
    return engine


def test_off(path, _tables, store):
    """Nothing is kept unless the option is set, and a first search with a memory has the same output."""
    engine = Engine(path, MemoryPath=store)
    before = [(i.depth, i.score, i.nodes) for i in engine.go("depth 6", ROOKS)[1]]
    assert engine.quit() == 0 and not os.path.exists(store)
    engine = start(path, store)
    assert before == [(i.depth, i.score, i.nodes) for i in engine.go("depth 6", ROOKS)[1]]
    engine.option("Memory", "false")
    engine.send("ucinewgame")
    assert engine.go("depth 6", ROOKS)[1][0].depth == 1
    assert engine.quit() == 0


def test_goes_on(path, _tables, store):
    """In the next game, and in the next run, the search starts at the known depth."""
    engine = start(path, store)
    move, infos = engine.go("depth 6", ROOKS)
    engine.send("ucinewgame")
    again, infos_again = engine.go("depth 7", ROOKS)
    assert (infos_again[0].depth, infos_again[0].nodes) == (6, 0) and again == move
    assert infos_again[0].score == infos[-1].score and infos_again[0].line == infos[-1].line
    assert infos_again[-1].depth == 7
    assert engine.quit() == 0
    engine = start(path, store)
    assert [(i.depth, i.nodes) for i in engine.go("depth 4", ROOKS)[1]] == [(7, 0)]
    # With a clock, and in analysis.
    assert engine.go("movetime 50", ROOKS)[1][0].depth >= 7
    engine.send("go infinite")
    engine.ready()
    engine.send("stop")
    engine.until("bestmove", 5)
    assert engine.quit() == 0


def test_tables_know(path, tables, store):
    """Positions that the tables have are not kept, neither as roots nor as neighbours."""
    engine = start(path, store, TablesPath=tables)
    for limit in ("depth 6", "nodes 3000", "movetime 50"):
        engine.go(limit, FEW)
        engine.go(limit, PAWNS)
    assert engine.quit() == 0
    assert list(roots(path, store)) == [PAWNS]
    _, out, _ = command(path, "show", store, PAWNS)
    assert "with tables of 4 men" in out
    for line in out.splitlines()[3:]:
        assert not line.split()[0] == "d5c4", line
    # Without tables such a position is kept; later, with tables, it is not used.
    engine = start(path, store)
    engine.go("depth 6", FEW)
    assert engine.quit() == 0 and FEW in roots(path, store)
    engine = start(path, store, TablesPath=tables)
    assert engine.go("depth 3", FEW)[1][0].kind == "mate" or engine.go("depth 3", FEW)[1][0].depth == 1
    assert engine.quit() == 0


def test_killed(path, _tables, store):
    """After a kill during a search, all earlier searches are kept."""
    engine = start(path, store)
    moves = []
    for _ in range(6):
        moves.append(engine.go("nodes 3000", ROOKS, moves)[0])
    engine.send("position fen " + ROOKS + " moves " + " ".join(moves))
    engine.send("go infinite")
    engine.until("info depth")
    engine.process.send_signal(signal.SIGKILL)
    engine.process.wait(timeout=10)
    assert command(path, "check", store)[0] == 0
    assert len(roots(path, store)) >= 6
    engine = start(path, store)
    assert engine.go("nodes 1000", ROOKS)[1][0].nodes == 0
    assert engine.quit() == 0


def test_two(path, _tables, store):
    """Two engines with one store: each finds the results of the other."""
    one, two = start(path, store), start(path, store)
    one.go("depth 6", ROOKS)
    one.send("ucinewgame")  # waits until the result is kept
    one.ready()
    assert two.go("depth 5", ROOKS)[1][0].depth == 6
    two.go("depth 5", PAWNS)
    two.send("ucinewgame")
    two.ready()
    assert one.go("depth 3", PAWNS)[1][0].depth == 5
    assert one.quit() == 0 and two.quit() == 0


def test_command(path, _tables, store):
    engine = start(path, store)
    engine.go("depth 6", ROOKS)
    best, infos = engine.go("depth 4", PAWNS)
    assert engine.quit() == 0
    status, out, _ = command(path, "info", store)
    assert status == 0 and "positions searched     2\n" in out and "at most 64.0" in out, out
    assert roots(path, store) == {ROOKS: 6, PAWNS: 4}
    status, out, _ = command(path, "show", store, PAWNS)
    assert status == 0 and "depth  4\n" in out and f"score  {infos[-1].score}\n" in out
    assert f"line   {best} " in out
    assert command(path, "check", store)[0] == 0
    assert command(path, "repair", store) == (0, f"{store}: nothing is damaged\n", "")
    for words, status, says in ((("show", store, FEW), 1, "nothing is known"), (("show", store, "x"), 1, "missing"),
                                (("info", store + "no"), 1, "No such file"), ((), 0, ""), (("help",), 0, ""),
                                (("list",), 2, "memory ACTION"), (("eat", store), 2, "memory ACTION")):
        got, _, err = command(path, *words)
        assert got == status and says in err, (words, got, err)
    damaged = open(store, "rb").read().replace(ROOKS.encode(), ROOKS.replace("R", "B").encode())
    open(store, "wb").write(damaged)
    status, out, _ = command(path, "check", store)
    assert status == 1 and "damaged                1\n" in out, out
    engine = Engine(path, MemoryPath=store, Memory="true")
    assert "1 damaged records are not used" in engine.ready()[-1]
    assert engine.go("depth 4", ROOKS)[1][0].depth == 1
    assert engine.quit() == 0
    # The position was searched again, and its record replaces the damaged one.
    assert command(path, "check", store)[0] == 0


def test_messages(path, _tables, store):
    """The engine reports any fault of the store, and plays on."""
    open(store, "w").write("this is no store" * 1000)
    for bad, why in ((store, "no store of LMDB's"), ("/nowhere/at/all", "No such file"), ("/", "/")):
        engine = Engine(path, MemoryPath=bad, Memory="true")
        said = engine.ready()
        assert said[-1].startswith("info string memory: none, as ") and why in said[-1], said
        assert engine.go("depth 3", ROOKS)[0] != "0000"
        assert engine.quit() == 0
    os.unlink(store)
    # A limit of the file size acts like a full disk. The engine reports it once a game.
    limited = ["sh", "-c", 'trap "" XFSZ; ulimit -f 140; exec "$1"', "sh", path]
    engine = Engine(limited, MemoryPath=store, Memory="true", MemorySize=8)
    said, moves = [], []
    for _ in range(100):
        move, _ = engine.go("nodes 2000", ROOKS, moves)
        engine.option("MoveOverhead", 20)  # waits until the result is kept
        said += [line for line in engine.ready() if "nothing is kept of this game: " in line]
        moves = moves + [move] if move != "0000" and len(moves) < 60 else []
        if said:
            break
    assert said, "the disk was not full"
    assert engine.go("nodes 2000", PAWNS)[0] != "0000"
    engine.option("MoveOverhead", 20)
    assert not any("nothing is kept" in line for line in engine.ready())
    assert engine.quit() == 0
    assert command(path, "check", store)[0] == 0


def main():
    path, tables = sys.argv[1:]
    failed = 0
    for name, test in list(globals().items()):
        if not name.startswith("test_"):
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(path, tables, os.path.join(folder, "m.mdb"))
                print(f"ok    {name}", flush=True)
            except AssertionError as why:
                failed += 1
                print(f"FAIL  {name}: {why!r}", flush=True)
                if os.environ.get("TRACE"):
                    raise
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
