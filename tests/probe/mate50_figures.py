#!/usr/bin/env python3
"""mate50_figures.py TREBUCHET TABLES

Prints the tables of docs/dtm50.md: what the headers of the DTM50 files in a folder say about delays."""
import json
import pathlib
import subprocess
import sys


def headers(trebuchet, folder):
    """The headers of all DTM50 files, those of fewer men first."""
    files = sorted(pathlib.Path(folder).glob("*.dtm50.treb"), key=lambda file: (len(file.name), file.name))
    out = subprocess.run([trebuchet, "info", "--json", *files], stdout=subprocess.PIPE, check=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def row(header, clock):
    """The row of an ending in the table of a clock."""
    delayed = next(one for one in header["delayed"] if one["clock"] == clock)
    decided = sum(side["win"] + side["loss"] for side in header["counts"].values())
    start = f"| {header['material']} | {decided:,} | {delayed['count']:,} |"
    if delayed["count"] == 0:
        return f"{start} | | | | |"
    share = 100 * delayed["count"] / decided
    share = f"{share:.3f} %" if share >= 0.001 else "< 0.001 %"
    dtm, dtm50 = delayed["dtm"], delayed["dtm50"]
    fen = " ".join(delayed["fen"].split()[:-1])
    return f"{start} {share} | {dtm50 - dtm} | {dtm} | {dtm50} | {fen} |"


def main():
    found = headers(*sys.argv[1:])
    fresh = [header for header in found if header["delayed"][0]["count"] > 0]
    for clock, endings, where in [
        ("last", found, "at the last clock"),
        ("fresh", fresh, "at a clock of 0"),
    ]:
        print(f"\n| | won or lost | delayed {where} | | by at most | DTM | DTM50 | position with its clock |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- |")
        for header in endings:
            print(row(header, clock))


if __name__ == "__main__":
    main()
