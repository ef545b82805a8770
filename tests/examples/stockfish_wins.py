#!/usr/bin/env python3
"""stockfish_wins.py STOCKFISH SYZYGY: Stockfish wins won endings with Syzygy files made by Trebuchet.

Stockfish plays both sides from each position below whose files are in the folder, with too few nodes to win without the
files. Each game must end with mate, the clock of the 50-move rule must stay at 100 or below, and the files must be
used."""
import pathlib
import sys

from engine_link import Engine

NODES = 2000
WON = [
    ("KBNvK", "8/8/8/3k4/8/8/8/KBN5 w - - 0 1"),
    ("KBNvK", "7k/8/8/8/8/8/6K1/B6N w - - 0 1"),
    ("KQvKR", "8/8/8/8/8/2k5/1r6/K6Q w - - 0 1"),
    ("KQvKR", "8/8/3kr3/8/8/3K4/8/Q7 w - - 0 1"),
    ("KRPvKR", "6k1/5r2/3R4/3K4/3P4/8/8/8 w - - 0 1"),
    ("KRPvKR", "1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1"),
    ("KQPvKQ", "8/1KQ5/1P6/8/8/8/8/4k2q w - - 0 1"),
    ("KQPvKQ", "8/8/8/8/1P6/1K6/2Q5/4k2q w - - 0 1"),
]


def clock(engine, fen, moves):
    engine.send(f"position fen {fen}" + (" moves " + " ".join(moves) if moves else ""))
    engine.send("d")
    line = [line for line in engine.until("Checkers") if line.startswith("Fen: ")][0]
    return int(line.split()[5])


def win(engine, fen):
    """Returns the plies to mate, and the number of positions that were found in the files."""
    moves, hits = [], 0
    while True:
        assert clock(engine, fen, moves) <= 100, f"{fen} {' '.join(moves)}: the 50-move rule"
        assert len(moves) < 400, f"{fen}: no end"
        engine.send(f"go nodes {NODES}")
        lines = engine.until("bestmove")
        move = lines[-1].split()[1]
        infos = [line.split() for line in lines if line.startswith("info") and " score " in line]
        if move == "(none)":
            score = infos[-1][infos[-1].index("score") + 1:][:2]
            assert score == ["mate", "0"], f"{fen} {' '.join(moves)}: {score}"
            return len(moves), hits
        hits += max(int(info[info.index("tbhits") + 1]) for info in infos if "tbhits" in info)
        moves.append(move)


def main():
    path, syzygy = sys.argv[1:]
    engine = Engine(path, SyzygyPath=syzygy)
    played = 0
    for name, fen in WON:
        files = [pathlib.Path(syzygy, name + end).exists() for end in (".rtbw", ".rtbz")]
        if not all(files):
            continue
        plies, hits = win(engine, fen)
        assert hits > 0, f"{fen}: no hits"
        print(f"{name}: {fen}: mate after {plies} plies, {hits} hits")
        played += 1
    assert played >= 4, played
    assert engine.quit() == 0


main()
