#!/usr/bin/env python3
"""published_counts.py TREBUCHET TABLES...

Compares whole tables with the counts that the makers of Syzygy's tables published, for every material of 3 to 6 men:
the number of positions of each verdict for both sides to move, and the number for each distance to zeroing (DTZ).
tests/data/syzygy-counts.tsv has a checksum of the DTZ counts of each verdict and side. Without a DTZ table only
verdicts are compared. The exit code is 1 if a table differs, or if there is no table.

published_counts.py --from regular-stats.txt writes the list from a file that the site syzygy-tables.info publishes
(its repository, stats/regular)."""
import itertools
import json
import math
import pathlib
import re
import subprocess
import sys
import zlib

DATA = pathlib.Path(__file__).parent.parent / "data" / "syzygy-counts.tsv"
VERDICTS = ["win", "cursed_win", "draw", "blessed_loss", "loss"]
KINDS = {"wins": "win", "cursed wins": "cursed_win", "draws": "draw", "cursed losses": "blessed_loss", "losses": "loss"}
SIDES = ["white", "black"]
DIAGONAL = [9 * i for i in range(8)]


class Counts:
    """The counts of one side to move: positions by verdict, and wins and losses by distance."""

    def __init__(self):
        self.verdict = dict.fromkeys(VERDICTS, 0)
        self.spread = {"win": {}, "loss": {}}

    def add(self, verdict, plies, positions):
        """Number of positions that are won or lost in a number of plies, including those that the 50-move rule
        draws."""
        spread = self.spread["win" if verdict in ("win", "cursed_win") else "loss"]
        spread[plies] = spread.get(plies, 0) + positions

    def checksum(self, won):
        text = "".join(f"{plies} {n}\n" for plies, n in sorted(self.spread[won].items()) if n)
        return f"{zlib.crc32(text.encode()):08x}"

    def fields(self):
        counts = [str(self.verdict[v]) for v in VERDICTS]
        longest = [str(max((p for p, n in s.items() if n), default=0)) for s in self.spread.values()]
        return counts + longest + [self.checksum(won) for won in self.spread]


def published(path):
    """Counts by material and side, as in the site's file."""
    tables, now = {}, None
    for line in open(path):
        if match := re.match(r"#+ (\w+) #+", line):
            table = tables[match[1]] = [Counts(), Counts()]
        elif match := re.match(r"(White|Black) to move", line):
            now = table[match[1] == "Black"]
        elif match := re.match(r"(\d+) positions (win|lose) in (\d+) ply", line):
            now.add("win" if match[2] == "win" else "loss", int(match[3]), int(match[1]))
        elif match := re.match(r"(\d+) positions are ([a-z ]+)\.", line):
            now.verdict[KINDS[match[2]]] += int(match[1])
    return tables


def write(path):
    names = VERDICTS + ["longest_win", "longest_loss", "wins_by_plies", "losses_by_plies"]
    with open(DATA, "w") as out:
        out.write("# By published_counts.py --from regular-stats.txt (stats/regular of the repository of syzygy-tables.info).\n"
                  "# Like men count as different ones. With pawns a position and its mirror image are one, without pawns all\n"
                  "# eight images are. Lengths are plies to zeroing; the last two are CRC32 of lines \"plies positions\".\n")
        out.write("\t".join(["material", "turn"] + names) + "\n")
        for material, sides in published(path).items():
            if len(material) <= 7:
                for turn, counts in zip(SIDES, sides):
                    out.write("\t".join([material, turn] + counts.fields()) + "\n")


def folders_of(tables):
    return [word for folder in tables for word in ("--tables", folder)]


def ask(command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def men_of(material):
    white, black = material[1:].split("vK")
    return [("K", 0), ("K", 1)] + [(man, 0) for man in white] + [(man, 1) for man in black]


def like_men(material):
    """Returns the number of ways in which like men can change places."""
    return math.prod(math.factorial(side.count(man)) for side in material[1:].split("vK") for man in set(side))


def fen_of(men, squares, turn):
    board = ["1"] * 64
    for (man, black), square in zip(men, squares):
        board[square] = man.lower() if black else man
    rows = ["".join(board[8 * rank : 8 * rank + 8]) for rank in range(7, -1, -1)]
    return re.sub("1+", lambda empty: str(len(empty[0])), "/".join(rows)) + f" {'wb'[turn]} - - 0 1"


def wanted(metric):
    return ["--metric", metric] if metric == "dtz" else []


def on_diagonal(command, tables, material, metric, sides):
    """Adds half of the positions that are their own mirror image. Such a position has four images, but counts as
    much as one with eight."""
    men, seen = men_of(material), set()
    for white_king in DIAGONAL[:4]:
        for others in itertools.permutations([s for s in DIAGONAL if s != white_king], len(men) - 1):
            for turn in (0, 1):
                seen.add(fen_of(men, (white_king,) + others, turn))
    answer = ask([command, "probe", *wanted(metric), "--output", "tsv", *folders_of(tables), "-"], "\n".join(sorted(seen)) + "\n")
    lines = answer.stdout.splitlines()
    names = lines[0].split("\t")
    for line in lines[1:]:
        row = dict(zip(names, line.split("\t")))
        if row["error"]:
            continue
        side, verdict = sides[row["fen"].split()[1] == "b"], row["verdict"].replace(" ", "_").replace("-", "_")
        side.verdict[verdict] += 4
        if verdict != "draw" and metric == "dtz":
            side.add(verdict, int(row["dtz"]), 4)


def there(tables, material, metric):
    return any(pathlib.Path(folder, f"{material}.{metric}.treb").exists() for folder in tables)


def counted(command, tables, material, metric):
    """Returns the counts of our table, in the site's units."""
    answer = ask([command, "stats", "--json", *wanted(metric), *folders_of(tables), material])
    stats, sides = json.loads(answer.stdout), [Counts(), Counts()]
    for side, turn in zip(sides, SIDES):
        side.verdict.update(stats["counts"][turn])
        for verdict, spread in (stats["histograms"].get("dtz") or {}).get(turn, {}).items():
            for plies, positions in spread:
                side.add(verdict, plies, positions)
    images = 2 if "P" in material else 8
    if images == 8:
        on_diagonal(command, tables, material, metric, sides)
    for side in sides:
        for counts in (side.verdict, *side.spread.values()):
            for key, positions in counts.items():
                positions *= like_men(material)
                if positions % images:
                    sys.exit(f"published_counts.py: {material}: {positions} positions in {images} images each")
                counts[key] = positions // images
    return sides


def compare(command, tables):
    rows, equal, verdicts, different, missing = {}, 0, 0, 0, 0
    for line in DATA.read_text().splitlines():
        if line[0] != "#" and not line.startswith("material\t"):
            material, _, *fields = line.split("\t")
            rows.setdefault(material, []).append(fields)
    for material, want in rows.items():
        metric = next((m for m in ("dtz", "wdl") if there(tables, material, m)), None)
        if metric is None:
            missing += 1
            continue
        fields = len(want[0]) if metric == "dtz" else len(VERDICTS)
        have = [side.fields()[:fields] for side in counted(command, tables, material, metric)]
        if have == [known[:fields] for known in want]:
            equal += metric == "dtz"
            verdicts += metric == "wdl"
            continue
        different += 1
        for turn, own, known in zip(SIDES, have, want):
            if own != known[:fields]:
                print(f"{material} {turn}: published {' '.join(known[:fields])}, here {' '.join(own)}")
    alone = f"{verdicts} by verdict alone, as there is no DTZ; " if verdicts else ""
    print(f"{equal} tables equal, every count of every distance to zeroing; {alone}{different} different, {missing} not here")
    return different > 0 or equal + verdicts == 0


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--from":
        write(sys.argv[2])
        return 0
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    return compare(sys.argv[1], sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
