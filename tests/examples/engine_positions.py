#!/usr/bin/env python3
"""engine_positions.py [-m MEN] [-t MILLIONS] ENGINE TABLES

Has the example engine solve the positions of tests/data/engine.tsv, with the tables of up to MEN
men (4, or 5 by default) and without any. A position is solved from the iteration on from which, to
the end of the search, the first move is a right one and the score says so (a win: 500 or a mate; a
draw: at most 50). A draw proves little, so where the file names moves that lose they are searched by
themselves, too, until their score is -500 or a mate; nodes, hits and times are added.

With the tables the engine has the nodes that the file allows. Without, it gets ten times as many as
it needed with them, and must not solve the position. With -t it gets that many million instead, and
a table in Markdown is printed (docs/engines.md has it); nothing is checked of what it does then."""
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
    """The score; a mate is worth more than anything."""
    return info.score if info.kind == "cp" else 100000 if info.score > 0 else -100000


def search(engine, fen, limit, is_right):
    """The last iteration, and that from which on all are right, or None."""
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
        return f"more than {thousands(limit)}", ""
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
        sys.exit(f"engine_positions: {args.tables} has not the tables of {args.men} men: {printed}")
    if args.table:
        print("| position | move | nodes with tables | seconds | hits | nodes without | seconds |\n"
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
            print(f"| {name}<br>`{fen}` | {moves.partition(' not')[0]} | {a[0]} | {a[1]} | {thousands(found.hits)} "
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
