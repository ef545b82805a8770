#!/usr/bin/env python3
"""engine.py ENGINE TABLES: tests the example engine over UCI, as a user interface uses it.

TABLES has all tables of 3 and 4 men. tests/examples/engine_games.c and engine_positions.py test how well the engine plays
with tables."""
import os
import random
import subprocess
import sys
import tempfile
import time

from engine_link import Engine

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

# Counts of legal lines, as published on the Chess Programming Wiki.
PERFT = [
    (START, 4, 197281),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 3, 97862),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 5, 674624),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 4, 422333),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 3, 62379),
    ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 3, 89890),
]


def test_identity(path, _tables):
    engine = Engine(path)
    engine.send("uci")
    lines = engine.until("uciok")
    for name in ("Hash", "TablesPath", "TablesMemory", "TablesMen", "TablesWarm", "TablesWait",
                 "MoveOverhead"):
        assert any(line.startswith(f"option name {name} type ") for line in lines), name
    assert any(line.startswith("id name ") for line in lines)
    assert engine.ready() == []
    assert engine.quit() == 0


def test_perft(path, _tables):
    engine = Engine(path)
    for fen, depth, count in PERFT:
        engine.send(f"position fen {fen}")
        engine.send(f"go perft {depth}")
        assert engine.until("nodes")[-1] == f"nodes {count}", fen
    assert engine.quit() == 0


def test_limits(path, _tables):
    engine = Engine(path)
    for limit in ("depth 4", "nodes 5000", "movetime 100", "wtime 3000 btime 1", "mate 2",
                  "wtime 1000 winc 10 movestogo 1"):
        begin = time.monotonic()
        move, infos = engine.go(limit, START)
        assert len(move) == 4 and infos, limit
        assert time.monotonic() - begin < 10, limit
    assert engine.go("depth 4", START)[1][-1].depth == 4
    assert engine.go("nodes 5000", START)[1][-1].nodes <= 5001
    assert engine.go("depth 3 searchmoves a2a3 h2h3", START)[0] in ("a2a3", "h2h3")
    # 1.Qd7 Kb8 2.Qb7, or any other mate in two.
    move, infos = engine.go("mate 2", "k7/8/1K6/8/8/8/8/3Q4 w - - 0 1")
    assert infos[-1].kind == "mate" and 0 < infos[-1].score <= 2, infos[-1].score
    engine.send("go infinite")
    time.sleep(0.2)
    assert engine.ready() and "bestmove" not in " ".join(engine.ready())
    engine.send("stop")
    engine.until("bestmove", 5)
    assert engine.quit() == 0


def test_stop_at_once(path, tables):
    """However early the stop comes, the move played was searched."""
    mate = "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1"
    hanging = "1k5r/8/8/8/8/8/8/1K5Q w - - 0 1"
    engine = Engine(path)
    for fen, best in ((mate, "d1d8"), (hanging, "h1h8")):
        for limit in ["go infinite\nstop"] * 20 + ["go nodes 1"]:
            engine.send(f"ucinewgame\nposition fen {fen}\n{limit}")
            lines = engine.until("bestmove", 5)
            assert lines[-1] == f"bestmove {best}", (limit, lines)
            assert any(line.startswith("info depth 1 ") for line in lines), (limit, lines)
    # The engine stops also in a position with very many captures.
    engine.send("position fen qqqqkqqq/qq6/8/8/8/8/QQ6/QQQQKQQQ w - - 0 1\ngo infinite\nstop")
    assert engine.until("bestmove", 10)[-1] != "bestmove 0000"
    engine.option("TablesPath", tables)
    engine.send(f"position fen {mate}\ngo infinite\nstop")
    assert engine.until("bestmove", 5)[-1] == "bestmove d1d8"
    assert engine.quit() == 0


def test_hash(path, _tables):
    """The engine allocates as much as it can, and tells the user."""
    engine = Engine(path)
    engine.option("Hash", 16)
    assert engine.ready() == []
    # Builds with sanitizers touch all allocated memory, and need much memory themselves.
    with open(path, "rb") as file:
        program = file.read()
    if b"__asan_init" in program or b"__tsan_init" in program:
        assert engine.quit() == 0
        return
    engine.option("Hash", 10**9)
    said = engine.ready()
    assert len(said) == 1 and said[0].startswith("info string Hash: 1000000000 MiB cannot be had")
    assert 1 <= int(said[0].split()[-1]) <= 65536
    engine.option("Hash", 1)
    assert engine.go("depth 4", START)[1][-1].depth == 4
    assert engine.quit() == 0
    # If the system refuses a size, the engine tries half of it.
    engine = Engine(["sh", "-c", 'ulimit -v 700000 && exec "$1"', "sh", path])
    engine.option("Hash", 2048)
    assert engine.ready()[0].endswith(" MiB cannot be had: going on with 512")
    assert engine.go("depth 4", START)[1][-1].depth == 4
    assert engine.quit() == 0


def test_ends(path, tables):
    """Mate and stalemate have no move. An infinite search waits for stop even if the result is decided."""
    engine = Engine(path, TablesPath=tables)
    assert engine.go("depth 3", "k7/1Q6/1K6/8/8/8/8/8 b - - 0 1")[0] == "0000"
    assert engine.go("depth 3", "k7/8/1Q6/8/8/8/8/K7 b - - 0 1")[0] == "0000"
    engine.ready()
    engine.send("position fen 8/8/8/3k4/8/8/8/KBN5 w - - 0 1")
    engine.send("go infinite")
    time.sleep(0.3)
    assert not any(line.startswith("bestmove") for line in engine.ready())
    engine.send("stop")
    engine.until("bestmove", 5)
    assert engine.quit() == 0


def test_clock(path, tables):
    """With a clock, the engine does not wait for a disk. It uses data that is in memory or comes soon."""
    bishop_knight, rook = "8/8/8/3k4/8/8/8/KBN5 w - - 0 1", "8/8/8/8/2R1k3/2K5/1P6/3r4 b - - 0 1"
    for options in ({}, {"TablesWarm": 64}, {"TablesWait": "true"}):
        engine = Engine(path, TablesPath=tables, **options)
        _, infos = engine.go("movetime 2000", bishop_knight)
        assert infos[-1].kind == "mate" and infos[-1].score > 20, options
        for _ in range(20):  # the thread needs time to open files
            _, infos = engine.go("movetime 100", rook)
            if infos[-1].hits > 0:
                break
        assert infos[-1].hits > 0, options
        assert engine.quit() == 0


def test_nonsense(path, tables):
    """The engine survives any input, and plays on."""
    rng = random.Random(5)
    words = ["position", "startpos", "fen", "moves", "go", "depth", "nodes", "movetime", "1", "2",
             "-5", "99999999999999999999", "e2e4", "e7e8q", "0000", START, "8/8/8/8", "k7/8/8/8/8/8/8/K7",
             "w", "b", "KQkq", "-", "e3", "setoption", "name", "value", "Hash", "TablesPath", tables,
             "TablesMen", "TablesMemory", "/nowhere", "uci", "ucinewgame", "isready", "stop",
             "ponderhit", "infinite", "mate", "wtime", "searchmoves", "perft", "x" * 5000, "\x01\xff"]
    engine = Engine(path)
    for _ in range(600):
        engine.send(" ".join(rng.choice(words) for _ in range(rng.randrange(1, 9))))
        engine.send("stop")
    engine.send("position fen " + "1" * 100000)
    for fen in ("", "8/8/8/8/8/8/8/8 w - - 0 1", "k1K5/8/8/8/8/8/8/7P w - - 0 1",
                "QQQQQQQQ/QQQQQQQQ/8/8/8/8/8/K1k5 w - - 0 1", "4k3/8/8/8/8/8/8/4K3 w KQkq e3 x y"):
        engine.send(f"position fen {fen}")
    engine.ready()
    assert engine.go("depth 3", START)[0] != "0000"
    # An illegal move leaves the position unchanged.
    engine.send("position startpos moves e2e4 e7e5 e1e8")
    assert engine.go("depth 1")[0][1] in "12"
    # Many queens, and a very high clock.
    assert engine.go("depth 2", "QQQQQQ1k/QQQ5/8/8/8/8/8/K7 b - - 0 1")[0] != ""
    assert engine.go("depth 2", "4k3/8/8/8/8/8/4P3/4K3 w - - 65535 65535")[0] != "0000"
    assert engine.quit() == 0


def test_piped(path, _tables):
    """All commands of a file are run, also without quit."""
    engine = Engine(path)
    for _ in range(2):
        engine.send("position startpos")
        engine.send("go nodes 20000")
    engine.process.stdin.close()
    for _ in range(2):
        engine.until("bestmove")
    assert engine.process.wait(timeout=10) == 0


def test_hits(path, tables):
    """There are hits only with tables. A missing folder changes nothing."""
    ending = "8/8/8/3k1p2/8/8/2PP4/2K5 w - - 0 1"  # five men: tables come by captures
    engine = Engine(path)
    assert engine.go("nodes 100000", ending)[1][-1].hits == 0
    engine.option("TablesPath", tables)
    assert "files, up to 4 men" in engine.ready()[-1]
    assert engine.go("nodes 100000", ending)[1][-1].hits > 100
    engine.option("TablesPath", "/nowhere/at/all")
    assert "/nowhere/at/all" in engine.ready()[-1]
    assert engine.go("nodes 100000", ending)[1][-1].hits > 100
    engine.option("TablesMen", 3)
    few = engine.go("nodes 100000", ending)[1][-1].hits
    engine.option("TablesMen", 0)
    assert engine.go("nodes 100000", ending)[1][-1].hits == 0 < few
    engine.option("TablesMen", 8)
    engine.option("TablesPath", "<empty>")
    assert engine.go("nodes 100000", ending)[1][-1].hits == 0
    assert engine.quit() == 0


def test_castling(path, tables):
    """No table has castling rights: the root is searched, and the tables answer once the rights are gone."""
    engine = Engine(path, TablesPath=tables)
    move, infos = engine.go("depth 5", "8/8/8/8/8/5k2/8/4K2R w K - 0 1")
    assert infos[-1].kind == "mate" and infos[-1].hits > 0
    assert infos[-1].depth == 5 and len(move) == 4
    # With the clock at 90 the win is too slow: DTZ says so once the right is gone.
    info = engine.go("depth 5", "8/8/8/8/8/5k2/8/4K2R w K - 90 1")[1][-1]
    assert info.kind == "cp" and 0 <= info.score < 10, (info.kind, info.score)
    # Castling itself wins.
    move, infos = engine.go("depth 5 searchmoves e1g1", "8/8/8/8/8/8/k7/4K2R w K - 0 1")
    assert move == "e1g1" and infos[-1].kind == "mate"
    assert engine.quit() == 0


def test_en_passant(path, tables):
    """Only the en passant capture draws; without it the position is lost."""
    engine = Engine(path, TablesPath=tables)
    with_right, without = "8/8/8/8/1pP5/7k/8/7K b - c3 0 1", "8/8/8/8/1pP5/7k/8/7K b - - 0 1"
    values = [engine.go("depth 2", fen)[1][-1] for fen in (with_right, without)]
    moves = [engine.go("depth 2", fen)[0] for fen in (with_right, without)]
    assert moves[0] == "b4c3", moves
    assert moves[1] != "b4c3", moves
    assert values[0].score != values[1].score or values[0].kind != values[1].kind
    assert engine.quit() == 0


def test_repetition(path, tables):
    """The engine plays a winning move to a new position, even if another one is shorter."""
    fen = "8/8/8/3k4/8/8/8/KQ6 w - - 0 1"
    engine = Engine(path, TablesPath=tables)
    first, infos = engine.go("depth 1", fen)
    reply = infos[-1].line[1]
    back = [first, reply, first[2:] + first[:2], reply[2:] + reply[:2]]
    second, infos = engine.go("depth 1", fen, back)
    assert second != first, "the position after this move was in the game"
    assert infos[-1].kind == "mate" and infos[-1].score > 0
    # If each winning move repeats a position, it is played.
    again, infos = engine.go(f"depth 1 searchmoves {first}", fen, back)
    assert again == first and infos[-1].score > 0
    assert engine.quit() == 0


def test_cursed(path, tables):
    """A win that is too slow for the clock has a score near 0."""
    engine = Engine(path, TablesPath=tables)
    fen = "8/8/8/3k4/8/8/8/KBN5 w - - {} 1"
    assert engine.go("depth 1", fen.format(0))[1][-1].kind == "mate"
    info = engine.go("depth 1", fen.format(95))[1][-1]
    assert info.kind == "cp" and 0 < info.score < 10, (info.kind, info.score)
    assert engine.quit() == 0


def test_mate_within_the_rule(path, _tables):
    """With DTM50 files the engine plays the fastest mate that the clock allows."""
    with tempfile.TemporaryDirectory() as folder:
        command = os.path.join(os.path.dirname(path), "trebuchet")
        subprocess.run([command, "gen", "-q", "--metric", "all5", "-t", folder, "KPvK"], check=True)
        engine = Engine(path, TablesPath=folder)
        # The pawn must move at once; with a fresh clock the king goes first, and mate comes after 29 plies.
        for clock, plies in ((0, 29), (99, 47)):
            fen = f"8/6k1/8/5K2/8/8/1P6/8 w - - {clock} 1"
            info = engine.go("depth 1", fen)[1][-1]
            assert (info.kind, info.score) == ("mate", (plies + 1) // 2), (clock, info.kind, info.score)
            assert play_out(engine, fen, "depth 1") == plies, clock
        assert engine.quit() == 0


def test_distance(path, tables):
    """The score before a capture counts the whole way to mate, not to the next pawn move."""
    exact, behind = Engine(path, TablesPath=tables), Engine(path, TablesPath=tables, TablesMen=3)
    for fen in ("8/8/k7/8/7P/8/1nK5/8 w - - 0 1", "8/8/8/1b5P/1K6/8/8/k7 w - - 0 1",
                "8/8/8/k7/7P/8/5pK1/8 w - - 0 1"):
        values = [engine.go("depth 4", fen)[1][-1] for engine in (exact, behind)]
        assert values[0].kind == values[1].kind == "mate", fen
        assert values[0].score == values[1].score > 0, (fen, values[0].score, values[1].score)
    assert exact.quit() == 0 and behind.quit() == 0


def play_out(engine, fen, limit, plies=160):
    """Lets the engine play against itself. Returns the plies until mate."""
    moves, seen = [], []
    while len(moves) < plies:
        move, infos = engine.go(limit, fen, moves)
        if move == "0000":
            return len(moves)
        seen.append(infos[-1])
        moves.append(move)
    raise AssertionError(f"no mate in {plies} plies from {fen}: {' '.join(moves)}")


def test_converts(path, tables):
    """In endings with more men than the tables have, the engine captures and promotes, and makes progress."""
    engine = Engine(path, TablesPath=tables)
    for fen in ("8/8/8/3k1p2/8/8/2PPP3/2K5 w - - 0 1", "8/8/4k3/8/8/1r6/3QP3/4K3 w - - 0 1",
                "8/5k2/8/8/8/2P5/1P4p1/R3K3 w - - 0 1"):
        play_out(engine, fen, "nodes 30000")
    assert engine.quit() == 0


def test_some_metrics(path, tables):
    """The engine wins without DTM by DTZ, and with verdicts alone by searching."""
    for kinds, fens in ((("wdl", "dtz"), ("8/8/8/3k4/8/8/8/KBN5 w - - 0 1", "8/8/8/8/8/2k5/4P3/4K3 w - - 0 1")),
                        (("wdl",), ("8/8/8/3k4/8/8/8/KQ6 w - - 0 1", "8/8/8/3k4/8/8/8/KR6 w - - 0 1"))):
        with tempfile.TemporaryDirectory() as folder:
            for name in os.listdir(tables):
                if name.split(".")[-2] in kinds:
                    os.symlink(os.path.abspath(os.path.join(tables, name)), os.path.join(folder, name))
            engine = Engine(path, TablesPath=folder)
            for fen in fens:
                play_out(engine, fen, "nodes 40000", 200)
            assert engine.quit() == 0


def main():
    path, tables = sys.argv[1:]
    failed = 0
    for name, test in list(globals().items()):
        if not name.startswith("test_"):
            continue
        begin = time.monotonic()
        try:
            test(path, tables)
            print(f"ok    {name} {time.monotonic() - begin:.1f} s", flush=True)
        except AssertionError as why:
            failed += 1
            print(f"FAIL  {name}: {why!r}", flush=True)
            if os.environ.get("TRACE"):
                raise
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
