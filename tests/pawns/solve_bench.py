#!/usr/bin/env python3
"""solve_bench.py [-n COUNT] [-p PAWNS | -b] [-s SEED] [-t SECONDS] [-w | -j] [-M SIZE] [-d TABLES] [-c] [-v] [-l] TREBUCHET...
- how many random pawn endings `trebuchet solve` proves, and how fast.

The positions have PAWNS pawns a side, or with -b 3 to 6 pairs of pawns that block each other. Each gets SECONDS of processor
time, with -w of wall-clock time, or with -j of processor time of its busiest thread: on an idle machine with a processor for
each thread that is wall-clock time, and on a busy one it does not depend on what else runs. Prints the share of positions that are proven, and the median and 90th percentile of the
time until the position and all its moves are decided. Several programs get the same positions, one after the other. With -v
prints a line for each position; with -l prints only the positions. With -c everything that is claimed within SECONDS of
wall-clock time is checked by `--check` as well, position by position; a fault is an error.

A position is plausible: pawns stand on ranks where they mostly do, no king is in check, no pawn can be captured at once for
nothing, and no pawn can promote without being stopped. So neither side has won already."""
import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import time

RANKS = (30, 25, 22, 15, 8)  # how often a pawn stands on its 2nd to 6th rank
TICK = os.sysconf("SC_CLK_TCK")


def attacked_by_pawn(square, color, pawns):
    """Whether a pawn of `color`, 1 for White and -1 for Black, attacks the square."""
    file, rank = square
    return any((file + side, rank - color) in pawns[color] for side in (-1, 1))


def near(a, b):
    return max(abs(a[0] - b[0]), abs(a[1] - b[1]))


def draw_pawns(rng, color, count):
    pawns = set()
    while len(pawns) < count:
        file, steps = rng.randrange(8), rng.choices(range(1, 6), RANKS)[0]
        same = sum(p[0] == file for p in pawns)
        if same < 2 and (same == 0 or rng.random() < 0.2):
            pawns.add((file, steps if color > 0 else 7 - steps))
    return pawns


def loses_a_pawn(color, king, other, pawns):
    """Whether `color` to move can capture a pawn that nothing defends, or any pawn with a pawn."""
    for pawn in pawns[-color]:
        defended = attacked_by_pawn(pawn, -color, pawns) or near(other, pawn) == 1
        if attacked_by_pawn(pawn, color, pawns) or (near(king, pawn) == 1 and not defended):
            return True
    return False


def runs_free(color, turn, kings, pawns):
    """Whether a passed pawn of `color` is out of the other king's reach, by the rule of the square."""
    for file, rank in pawns[color]:
        last = 7 if color > 0 else 0
        ahead = [(f, r) for f in (file - 1, file, file + 1) for r in range(8) if (r - rank) * color > 0]
        if any(p in pawns[-color] for p in ahead) or any((file, r) in pawns[color] for f, r in ahead):
            continue
        steps = min(abs(last - rank), 5)
        if near(kings[-color], (file, last)) - (turn != color) > steps:
            return True
    return False


def draw_pairs(rng):
    """Returns pawns none of which can move or capture at first, at most one pair on a file."""
    while True:
        pawns = {1: set(), -1: set()}
        for file in rng.sample(range(8), rng.randint(3, 6)):
            rank = rng.randint(1, 5)
            pawns[1].add((file, rank))
            pawns[-1].add((file, rank + 1))
        if not any(attacked_by_pawn(p, -1, pawns) for p in pawns[1]):
            return pawns


def draw(rng, count):
    """Returns the FEN of a random position with `count` pawns a side, or with blocked pairs."""
    while True:
        pawns = {color: draw_pawns(rng, color, count) for color in (1, -1)} if count else draw_pairs(rng)
        if pawns[1] & pawns[-1]:
            continue
        kings = {color: (rng.randrange(8), rng.choices(range(8), (10, 20, 25, 20, 12, 8, 3, 2)[::color])[0])
                 for color in (1, -1)}
        turn = rng.choice((1, -1))
        men = pawns[1] | pawns[-1]
        if near(kings[1], kings[-1]) < 2 or kings[1] in men or kings[-1] in men:
            continue
        if any(attacked_by_pawn(kings[color], -color, pawns) for color in (1, -1)):
            continue
        if any(loses_a_pawn(color, kings[color], kings[-color], pawns) for color in (1, -1)):
            continue
        if any(runs_free(color, turn, kings, pawns) for color in (1, -1)):
            continue
        return fen(kings, pawns, turn)


def fen(kings, pawns, turn):
    rows = []
    for rank in range(7, -1, -1):
        row = "".join("K" if kings[1] == (f, rank) else "k" if kings[-1] == (f, rank) else
                      "P" if (f, rank) in pawns[1] else "p" if (f, rank) in pawns[-1] else "1" for f in range(8))
        for empty in range(8, 1, -1):
            row = row.replace("1" * empty, str(empty))
        rows.append(row)
    return f"{'/'.join(rows)} {'w' if turn > 0 else 'b'} - - 0 1"


def processor_time(path):
    try:
        with open(f"{path}/stat", encoding="ascii") as stat:
            fields = stat.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0  # a thread that has ended
    return (int(fields[11]) + int(fields[12])) / TICK


def busiest_thread(pid):
    try:
        return max((processor_time(f"/proc/{pid}/task/{thread}") for thread in os.listdir(f"/proc/{pid}/task")), default=0.0)
    except (FileNotFoundError, ProcessLookupError):
        return 0.0


def time_used(pid, begun, args):
    if args.w:
        return time.monotonic() - begun
    return busiest_thread(pid) if args.j else processor_time(f"/proc/{pid}")


def command(program, position, args, *options):
    tables = ["-t", args.d] if args.d else []
    return [program, "solve", "-q", "--json", "-M", args.M, *options, *tables, position]


def solve(program, position, args):
    """Returns what the program proves, and the time it took."""
    with subprocess.Popen(command(program, position, args, "--time", "0"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as job:
        used, asked, begun = 0.0, False, time.monotonic()
        while os.waitid(os.P_PID, job.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            used = max(used, time_used(job.pid, begun, args))
            if used >= args.t and not asked:
                job.send_signal(signal.SIGINT)  # it answers with what it has proven so far
                asked = True
            time.sleep(0.01)
        answer = json.loads(job.stdout.read())
    return answer["verdict"], used


def check(program, position, args):
    """Returns what the program proves, and how many structures and positions its `--check` examined."""
    job = subprocess.run(command(program, position, args, "--check", "--time", f"{args.t:g}"), capture_output=True, text=True, check=False)
    found = re.search(r"^Checked: ([0-9,]+) structures, ([0-9,]+) positions.*: no fault", job.stderr, re.M)
    if not found:
        sys.exit(f"{position}: {job.stderr}")
    return json.loads(job.stdout)["verdict"], *(int(n.replace(",", "")) for n in found.groups())


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("-n", type=int, default=100)
    parser.add_argument("-p", type=int, default=3)
    parser.add_argument("-b", action="store_true")
    parser.add_argument("-s", type=int, default=1)
    parser.add_argument("-t", type=float, default=10)
    parser.add_argument("-w", action="store_true")
    parser.add_argument("-j", action="store_true")
    parser.add_argument("-M", default="1G")
    parser.add_argument("-d")
    parser.add_argument("-c", action="store_true")
    parser.add_argument("-v", action="store_true")
    parser.add_argument("-l", action="store_true")
    parser.add_argument("program", nargs="*")
    args = parser.parse_args()
    kind = "blocked pairs" if args.b else f"{args.p} against {args.p}"
    rng = random.Random(f"{args.s} {0 if args.b else args.p}")
    positions = [draw(rng, 0 if args.b else args.p) for _ in range(args.n)]
    if args.l:
        print(*positions, sep="\n")
    for program in args.program if args.c else []:
        checked = [0, 0]
        for position in positions:
            verdict, *counts = check(program, position, args)
            checked = [a + b for a, b in zip(checked, counts)]
            if args.v:
                print(f"{position}\t{verdict}\t{counts[0]}\t{counts[1]}", flush=True)
        print(f"{program}: {kind}, {args.n} checked: {checked[0]} structures, {checked[1]} positions, no fault")
    known = {}
    failed = False
    for program in [] if args.l or args.c else args.program:
        verdicts, times = [], []
        for position in positions:
            verdict, used = solve(program, position, args)
            verdicts.append(verdict)
            times.append(used)
            if args.v:
                print(f"{position}\t{verdict}\t{used:.2f}", flush=True)
            if verdict != "open" and known.setdefault(position, verdict) != verdict:
                print(f"{program}: {position} is {verdict}, but was {known[position]}")
                failed = True
        proven = sum(v != "open" for v in verdicts)
        times.sort()
        print(f"{program}: {kind}, {proven} of {args.n} proven within {args.t:g} s{'' if args.w else ' of processor time'}{' of one thread' if args.j else ''}; "
              f"answered in {times[len(times) // 2]:.1f} s (median), {times[len(times) * 9 // 10]:.1f} s (90th percentile)")
    return failed


if __name__ == "__main__":
    sys.exit(main())
