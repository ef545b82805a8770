#!/usr/bin/env python3
"""mate50_figures.py TABLES [MATERIAL...]

Counts where the 50-move rule makes mates longer, in all endings whose DTM50 table is in the folder, and prints the tables of
docs/dtm50.md. Of five men and more it takes a sample. Positions that a symmetry of the board makes equal count once, as in `trebuchet find`. It uses the Python
module, which TREBUCHET_LIBRARY tells where the library is, and numpy (Debian's python3-numpy)."""
import pathlib
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "probe" / "python"))
import trebuchet  # noqa: E402

RULE_PLIES = 100
COUNTED_MEN, SAMPLE = 4, 300_000
CLOCK, NUMBERS = 34, 36  # a position is 36 numbers of 16 bits, and this one of them is its clock


def at_clocks(positions, clocks):
    """The positions with these clocks."""
    memory = bytearray(positions.data)
    numpy.frombuffer(memory, dtype="<u2").reshape(-1, NUMBERS)[:, CLOCK] = clocks
    return trebuchet.Positions(memory)


class Delays:
    """Positions that the rule delays: how many, and the one with the most plies."""

    def __init__(self):
        self.count, self.most, self.example = 0, 0, None

    def add(self, tablebase, positions, chosen, dtm, clocks):
        """Looks at the chosen positions, with these clocks."""
        if not chosen.any():
            return
        positions, dtm = at_clocks(positions.select(chosen), clocks[chosen]), dtm[chosen]
        dtm50 = abs(tablebase.probe_many(positions, "dtm50", threads=2).dtm50)
        extra = dtm50 - dtm
        self.count += int(numpy.count_nonzero(extra))
        if extra.max() > self.most:
            at = int(extra.argmax())
            self.most, self.example = int(extra[at]), (positions[at], int(dtm[at]), int(dtm50[at]))

    def fields(self):
        fen, dtm, dtm50 = self.example
        return f"{self.most} | {dtm} | {dtm50} | {' '.join(fen.split()[:-1])}"


def is_sampled(material):
    return len(material) - 1 > COUNTED_MEN


class Ending:
    def __init__(self, tablebase, material):
        self.material, self.decided, self.fresh, self.late = material, 0, Delays(), Delays()
        for positions in [tablebase.sample(material, SAMPLE)] if is_sampled(material) else tablebase.positions(material):
            self.add(tablebase, positions)

    def add(self, tablebase, positions):
        values = tablebase.probe_many(positions, "dtz", "dtm", threads=2)
        decided = abs(values.wdl) == 2
        self.decided += int(numpy.count_nonzero(decided))
        dtz, dtm = abs(values.dtz), abs(values.dtm)
        # Only here the rule can add anything: at a clock of 0 if the mate takes more than 100 plies, and most of all at
        # the last clock at which the position is still won or lost.
        self.fresh.add(tablebase, positions, decided & (dtm > RULE_PLIES), dtm, 0 * dtz)
        self.late.add(tablebase, positions, decided & (dtz < dtm), dtm, RULE_PLIES - dtz)

    def row(self):
        late = self.late
        if not late.count:
            return f"| {self.material} | {self.decided:,} | 0 | | | | | |"
        share = f"{100 * late.count / self.decided:.2f} %"
        return f"| {self.material} | {self.decided:,} | {late.count:,} | {share} | {late.fields()} |"

    def fresh_row(self):
        share = f"{100 * self.fresh.count / self.decided:.3f} %"
        return f"| {self.material} | {self.fresh.count:,} | {share} | {self.fresh.fields()} |"


def materials_of(tablebase):
    names = {table.material for table in tablebase.tables() if table.metric == "dtm50"}
    return sorted(names, key=lambda name: (len(name), name))


def count(tablebase, materials):
    """Prints a table of these endings, and returns them."""
    endings = []
    print("\n| | won or lost | delayed at some clock | | by at most | DTM | DTM50 | position with its clock |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for material in materials:
        endings.append(Ending(tablebase, material))
        print(endings[-1].row(), flush=True)
    return endings


def main():
    folder, *materials = sys.argv[1:]
    with trebuchet.open_tablebase(folder) as tablebase:
        materials = materials or materials_of(tablebase)
        sampled = [material for material in materials if is_sampled(material)]
        endings = count(tablebase, [material for material in materials if not is_sampled(material)])
        if sampled:
            print(f"\nOf {SAMPLE:,} random positions of each ending:")
            endings += count(tablebase, sampled)
    fresh = [ending for ending in endings if ending.fresh.count]
    if not fresh:
        print("\nAt a clock of 0 DTM50 is DTM in all of these positions.")
        return
    print("\nAt a clock of 0:\n\n| | delayed | | by at most | DTM | DTM50 | position |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for ending in fresh:
        print(ending.fresh_row())


if __name__ == "__main__":
    main()
