#!/usr/bin/env python3
"""engine_positions.py [-m MEN] [-t MILLIONS] ENGINE TABLES

Lets the example engine solve the positions of tests/data/engine.tsv, with the tables of up to MEN men (4, or 5 by
default) and without tables. A position counts as solved at the first iteration from which, until the end of the search,
the first move is a right one and the score shows the result (a win: at least 500 or a mate; a draw: at most 50). A
drawn score proves little. So if the file names moves that lose, these are searched separately until their score is -500
or a mate; nodes, hits and times are added.

With tables, the engine has the number of nodes given in the file. Without tables, it has ten times as many nodes as it
needed with them, and must not solve the position. With -t, it has that many million nodes instead, and a table in
Markdown is printed for docs/engines.md; the result without tables is not checked then."""
import argparse
import pathlib
import re
import sys

from engine_link import Engine

DATA = pathlib.Path(__file__).parent.parent / "data" / "engine.tsv"
TIMES = 10


def positions(men):
    for line in DATA.read_text().splitlines():
        if line and not line.startswith("#"):
            name, fen, moves, result, tables, nodes = line.split("\t")
            if int(tables) == men:
                yield name, fen, moves, result, int(nodes)


def value(info):
    """Returns the score; a mate is higher than any other score."""
    return info.score if info.kind == "cp" else 100000 if info.score > 0 else -100000


def search(engine, fen, limit, is_right):
    """Returns the last iteration, and the first one from which all are right, or None."""
    engine.send("ucinewgame")
    _, infos = engine.go(limit, fen, seconds=600)
    since = None
    for info in infos:
        since = (since or info) if is_right(info) else None
    return infos[-1], since


def solve(engine, fen, moves, result, nodes):
    right, _, wrong = (part.split() for part in moves.partition("not"))
    if result == "win":
        return search(engine, fen, f"nodes {nodes}",
                      lambda info: info.line[:1] and info.line[0] in right and value(info) >= 500)
    last, holds = search(engine, fen, f"nodes {nodes} searchmoves {' '.join(right)}",
                         lambda info: abs(value(info)) <= 50)
    if holds and wrong:
        last, loses = search(engine, fen, f"nodes {nodes} searchmoves {' '.join(wrong)}",
                             lambda info: value(info) <= -500)
        if loses is None:
            return last, None
        holds.nodes += loses.nodes
        holds.hits += loses.hits
        holds.milliseconds += loses.milliseconds
    return last, holds


def thousands(number):
    return f"{number:,}"


def show(info, limit):
    if info is None:
        return f"> {thousands(limit)}", ""
    return thousands(info.nodes), f"{info.milliseconds / 1000:.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("-m", "--men", type=int, default=5)
    parser.add_argument("-t", "--table", type=float, metavar="MILLIONS")
    parser.add_argument("engine")
    parser.add_argument("tables")
    args = parser.parse_args()
    with_tables = Engine(args.engine, TablesMemory=512, TablesMen=args.men, TablesPath=args.tables)
    without = Engine(args.engine)
    printed = [line for line in with_tables.ready() if "tables:" in line]
    if not printed or int(re.search(r"up to (\d)", printed[-1])[1]) < args.men:
        sys.exit(f"engine_positions: {args.tables} lacks the tables of {args.men} men: {printed}")
    if args.table:
        print("| position | move | with tables: nodes | seconds | hits | without: nodes | seconds |\n"
              "| --- | --- | --- | --- | --- | --- | --- |")
    failed, count = 0, 0
    for name, fen, moves, result, nodes in positions(args.men):
        last, found = solve(with_tables, fen, moves, result, nodes)
        count += 1
        if found is None:
            failed += 1
            print(f"FAIL  {name}: not solved in {nodes} nodes: {last.line[:1]} {last.kind} {last.score}")
            continue
        more = int(args.table * 1e6) if args.table else TIMES * found.nodes
        last, alone = solve(without, fen, moves, result, more)
        if args.table:
            a, b = show(found, nodes), show(alone, more)
            board = " ".join(fen.split()[:2])
            print(f"| {name} `{board}` | {moves.partition(' not')[0]} | {a[0]} | {a[1]} | {thousands(found.hits)} "
                  f"| {b[0]} | {b[1]} |", flush=True)
        elif alone is not None:
            failed += 1
            print(f"FAIL  {name}: {found.nodes} nodes with tables, {alone.nodes} without")
        else:
            print(f"ok    {name}: {found.nodes} nodes with tables, not solved in {more} without", flush=True)
    if with_tables.quit() or without.quit():
        failed += 1
        print("FAIL  the engine did not end well")
    if count == 0 or failed:
        sys.exit(f"{failed} of {count} failed")


if __name__ == "__main__":
    main()
