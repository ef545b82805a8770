#!/usr/bin/env python3
"""studies.py [options] TREBUCHET [TABLES...]

Solves the published studies and textbook positions of tests/data/studies.tsv, one after the other with all processors, and
compares the proofs with what was published: who wins, and whether the first move of the solution keeps that result, alone or
beside other moves. Writes the table into docs/pawn-endings.md, between the two marks there, and a summary to standard output.

With --quick solves only the positions that the file calls quick, and writes nothing. Exit code 1 if one of them is open or its
proof disagrees with what was published."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap

TOP = pathlib.Path(__file__).parent.parent.parent
DATA = TOP / "tests" / "data" / "studies.tsv"
PAGE = TOP / "docs" / "pawn-endings.md"
BEGIN, END = "<!-- studies -->", "<!-- end of studies -->"
RESULT = {"white": "White wins", "black": "Black wins", "draw": "draw", "open": "open", "-": ""}
LINE_PLIES = 16


def studies():
    names = None
    for line in DATA.read_text().splitlines():
        if line and not line.startswith("#"):
            fields = line.split("\t")
            if names is None:
                names = fields
            elif len(fields) != len(names):
                sys.exit(f"{DATA}: {len(fields)} fields instead of {len(names)}: {line}")
            else:
                yield dict(zip(names, fields))


def solve(args, fen, seconds):
    """Returns the answer of `trebuchet solve` for a position, and the processor time that it took."""
    command = [args.trebuchet, "solve", "--quiet", "--json", "--time", str(seconds), "--memory", args.memory]
    for folder in args.tables:
        command += ["--tables", folder]
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(command + [fen], stdout=out)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in (0, 4):
            sys.exit(f"studies.py: trebuchet solve failed: {' '.join(command)} '{fen}'")
        out.seek(0)
        answer = json.load(out)
    answer["processor"] = used.ru_utime + used.ru_stime
    return answer


def after(fen, uci):
    """Returns the FEN after a move of a king or a pawn."""
    board, side = fen.split()[:2]
    square = {}
    for rank, row in zip("87654321", board.split("/")):
        files = iter("abcdefgh")
        for c in row:
            if c.isdigit():
                for _ in range(int(c)):
                    next(files)
            else:
                square[next(files) + rank] = c
    start, to = uci[:2], uci[2:4]
    man = square.pop(start)
    en_passant = "-"
    if man in "Pp":
        if start[0] != to[0] and to not in square:
            del square[to[0] + start[1]]
        elif abs(int(start[1]) - int(to[1])) == 2:
            beside = [chr(ord(to[0]) + d) + to[1] for d in (-1, 1)]
            if any(square.get(s) == ("p" if man == "P" else "P") for s in beside):
                en_passant = start[0] + ("3" if man == "P" else "6")
    if len(uci) == 5:
        man = uci[4].upper() if side == "w" else uci[4]
    square[to] = man
    rows = []
    for rank in "87654321":
        row = "".join(square.get(f + rank, "1") for f in "abcdefgh")
        for n in range(8, 1, -1):
            row = row.replace("1" * n, str(n))
        rows.append(row)
    return f"{'/'.join(rows)} {'b' if side == 'w' else 'w'} - {en_passant} 0 1"


def bare(san):
    return san.rstrip("+#!?")


def judge(study, answer):
    """Returns the result for a study: whether it is proven; the moves that keep the proven result, which of these
    were not published, and which moves are open; where the proof contradicts the source."""
    verdict = answer["verdict"]
    moves = answer["moves"]
    keys = [] if study["key"] == "-" else [bare(k) for k in study["key"].split()]
    names = {bare(m["san"]) for m in moves}
    for key in keys:
        if key not in names:
            sys.exit(f"{DATA}: {key} is no move in {study['fen']}")
    proven = verdict != "open"
    keeps = [m for m in moves if proven and m["verdict"] == verdict]
    wrong = []
    if proven and study["result"] not in ("-", verdict):
        wrong.append(f"{RESULT[verdict]}, not {RESULT[study['result']]}")
    for m in moves:
        if proven and bare(m["san"]) in keys and m["verdict"] not in ("open", verdict):
            wrong.append(f"{m['san']} {RESULT[m['verdict']]}")
    return {"proven": proven, "wrong": wrong, "keeps": keeps,
            "others": [m for m in keeps if bare(m["san"]) not in keys] if keys else [],
            "key_proven": bool(keys) and all(bare(m["san"]) not in keys or m in keeps for m in moves),
            "open": [m for m in moves if proven and m["verdict"] == "open"]}


def numbered(fen, sans):
    """Returns moves with their numbers."""
    white = fen.split()[1] == "w"
    text = []
    for i, san in enumerate(sans):
        ply = i + (not white)
        if ply % 2 == 0:
            text.append(f"{ply // 2 + 1}.{san}")
        else:
            text.append(san if i else f"1...{san}")
    return " ".join(text)


def show_line(args, fen, move):
    """Returns the best play after another winning move."""
    answer = solve(args, after(fen, move["uci"]), args.line_time)
    line = answer.get("line", [])
    text = numbered(fen, [move["san"]] + line[:LINE_PLIES])
    if answer["verdict"] == "open":
        return f"{text} (its line takes more than {args.line_time} s)"
    return text + (" ..." if len(line) > LINE_PLIES else "")


def refutation(args, study, answer):
    """Returns why the published moves fail: the replies that hold, or the best play if the other side wins."""
    keys = [bare(key) for key in study["key"].split()]
    text = []
    for move in answer["moves"]:
        if bare(move["san"]) in keys:
            reply = solve(args, after(study["fen"], move["uci"]), args.line_time)
            holds = [m["san"] for m in reply["moves"] if m["verdict"] == reply["verdict"] != "open"]
            if holds:
                text.append(f"{numbered(study['fen'], [move['san']])} is met by {' or '.join(holds)}.")
    if answer.get("line"):
        text.append(numbered(study["fen"], answer["line"][:LINE_PLIES]))
    return " ".join(text)


def position_row(number, study):
    """Returns the row of the table of positions."""
    board = " ".join(study["fen"].split()[:2])
    author = study["author"] if study["author"] != "-" else ""
    return f"| {number} | {study['men']} | `{board}` | {author} | {study['source']} |"


def result_row(number, study, answer, found):
    """Returns the row of the table of results."""
    moves = " ".join(m["san"] for m in found["keeps"])
    if found["open"]:
        moves += f" (open: {len(found['open'])})"
    key = study["key"] if study["key"] != "-" else ""
    published = " ".join(part for part in (RESULT[study["result"]], key) if part)
    return (f"| {number} | {published} | {RESULT[answer['verdict']]} | {moves} |"
            f" {answer['seconds']:.1f} | {answer['processor']:.1f} |")


def quick(args):
    failed = count = 0
    for study in studies():
        if study["quick"] != "yes":
            continue
        count += 1
        answer = solve(args, study["fen"], args.time)
        found = judge(study, answer)
        faults = list(found["wrong"])
        if not found["proven"]:
            faults.append("open")
        elif study["key"] != "-" and not found["key_proven"]:
            faults.append(f"{study['key']} is not proven")
        if faults:
            failed += 1
            print(f"{study['fen']}: {', '.join(faults)}")
    print(f"{count} studies, {failed} wrong")
    if count == 0:
        sys.exit(f"{DATA}: no study is quick")
    sys.exit(1 if failed else 0)


def write(text):
    page = PAGE.read_text()
    if BEGIN not in page or END not in page:
        sys.exit(f"{PAGE} lacks the marks {BEGIN} and {END}")
    PAGE.write_text(page[:page.index(BEGIN) + len(BEGIN)] + "\n" + text + page[page.index(END):])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--time", type=int, default=60, metavar="SECONDS", help="for each position (60)")
    parser.add_argument("--line-time", type=int, default=10, metavar="SECONDS", help="for each line that is shown (10)")
    parser.add_argument("--memory", default="4GiB", metavar="SIZE", help="4GiB")
    parser.add_argument("trebuchet")
    parser.add_argument("tables", nargs="*")
    args = parser.parse_args()
    if args.quick:
        quick(args)

    positions, results, disagree, duals, unique = [], [], [], [], []
    proven = total = agree = 0
    processor = 0.0
    for study in studies():
        answer = solve(args, study["fen"], args.time)
        found = judge(study, answer)
        total += 1
        proven += found["proven"]
        processor += answer["processor"]
        positions.append(position_row(total, study))
        results.append(result_row(total, study, answer, found))
        print(f"{positions[-1]}\n{results[-1]}", flush=True)
        name = f"`{' '.join(study['fen'].split()[:2])}` ({study['source']})"
        if found["wrong"]:
            disagree.append(f"* {name}: {', '.join(found['wrong'])}. {refutation(args, study, answer)}".rstrip())
        elif found["proven"]:
            agree += 1
        if found["key_proven"] and not found["others"] and not found["open"]:
            unique.append(name)
        if found["others"]:
            lines = [f"    * {show_line(args, study['fen'], m)}" for m in found["others"]]
            duals.append("\n".join([f"* {name}, published {study['key']}; {RESULT[answer['verdict']]} by:"] + lines))

    names = [file.name.split(".")[0] for folder in args.tables for file in pathlib.Path(folder).glob("K*vK*.wdl.treb")]
    men = max((len(name) - 1 for name in names), default=0)
    tables = f"tables of up to {men} men" if men else "no tables"
    summary = (f"{total} positions, {proven} proven within {args.time} s each, {total - proven} open; of those proven "
               f"{agree} agree with what was published and {len(disagree)} do not; {len(unique)} have one solution, "
               f"as published, and {len(duals)} have others. {os.cpu_count()} processors, {args.memory}, {tables}; "
               f"{processor / 60:.0f} minutes of processor time in all.")
    text = [textwrap.fill(summary, 120, break_on_hyphens=False), "",
            "| no. | men | position | by | source |", "| --: | --: | --- | --- | --- |", *positions, "",
            "| no. | published | proven | by these moves | s | processor s |",
            "| --: | --- | --- | --- | --: | --: |", *results, "",
            "### Where the proof disagrees", "", *(disagree or ["Nowhere."]), "",
            "### Other first moves that do as well", "", *(duals or ["None."]), ""]
    write("\n".join(text) + "\n")
    print(summary)


if __name__ == "__main__":
    main()
