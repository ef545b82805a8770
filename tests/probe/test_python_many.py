"""The Python module's arrays and endings against single probes, the command and published counts. Runs with numpy and
without it: what has no numpy compares lists.

TREB_TABLES is a folder with all tables of 3 and 4 men. TREB_BUILD is a build folder; without its library, as in the test of
the wheel, the module finds its own."""
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
BUILD, TABLES = os.environ["TREB_BUILD"], os.environ["TREB_TABLES"]
if not os.environ.get("TREB_WHEEL"):
    os.environ["TREBUCHET_LIBRARY"] = os.path.abspath(os.path.join(BUILD, "libtrebuchet.so.1"))
    sys.path.insert(0, os.path.join(TOP, "probe", "python"))

import trebuchet  # noqa: E402

try:
    import numpy
except ImportError:
    numpy = None

FIVE_MEN = "8/8/8/8/2R1k3/2K5/1P6/3r4 b - - 0 1"
EN_PASSANT = "8/8/8/8/4Pp2/8/8/K6k b - e3 0 1"
WDL = {"win": 2, "cursed_win": 1, "draw": 0, "blessed_loss": -1, "loss": -2}


def command(*words):
    """The standard output of our command."""
    return subprocess.run([os.path.join(BUILD, "trebuchet"), *words, "--tables", TABLES], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def found(*words):
    return command("find", "--quiet", *words).splitlines()


def bitboards(fens):
    """Bitboards by name, read from FENs without the module."""
    men = {"p": "pawns", "n": "knights", "b": "bishops", "r": "rooks", "q": "queens", "k": "kings"}
    out = {name: [0] * len(fens) for name in ("white", "black", *men.values(), "turn", "ep")}
    for i, fen in enumerate(fens):
        rows, turn, _, ep, *_ = fen.split()
        for rank, row in zip(range(7, -1, -1), rows.split("/")):
            file = 0
            for letter in row:
                if letter.isdigit():
                    file += int(letter)
                    continue
                bit = 1 << (8 * rank + file)
                out["white" if letter.isupper() else "black"][i] |= bit
                out[men[letter.lower()]][i] |= bit
                file += 1
        out["turn"][i] = int(turn == "b")
        out["ep"][i] = 0 if ep == "-" else "abcdefgh".index(ep[0]) + 8 * (int(ep[1]) - 1)
    return out


class Case(unittest.TestCase):
    def setUp(self):
        self.tablebase = trebuchet.open_tablebase(TABLES)
        self.addCleanup(self.tablebase.close)


class Many(Case):
    def test_like_single_probes(self):
        fens = [EN_PASSANT]
        for material in ("KQvKR", "KPvKP", "KBNvK", "KPPvK"):
            fens += self.tablebase.sample(material, 150, mirror="random")
        values = self.tablebase.probe_many(fens, "dtm", "dtz", "dtc")
        self.assertEqual(values.unknown, 0)
        for i, fen in enumerate(fens):
            probes = [getattr(self.tablebase, "probe_" + name)(fen) for name in ("wdl", "dtz", "dtc", "dtm")]
            self.assertEqual([values.wdl[i], values.dtz[i], values.dtc[i], values.dtm[i]], probes, fen)
        self.assertEqual(set(values.wdl), {-2, 0, 2})
        self.assertGreater(len(set(values.dtm)), 40)
        self.assertEqual(list(values.status["dtm"]), [0] * len(fens))
        self.assertEqual(list(values.dtz_rounded), [0] * len(fens))
        only = self.tablebase.probe_many(fens)
        self.assertEqual((only.dtz, only.dtc, only.dtm, list(only.wdl)), (None, None, None, list(values.wdl)))

    def test_forms(self):
        """FENs, bitboards and plain memory are the same positions."""
        fens = [EN_PASSANT, *self.tablebase.sample("KPvKR", 200)]
        expected = list(self.tablebase.probe_many(fens).wdl)
        boards = bitboards(fens)
        positions = trebuchet.Positions.from_bitboards(**boards)
        self.assertEqual(list(positions), fens)
        self.assertEqual(positions, trebuchet.Positions(fens))
        for name, column in boards.items():
            self.assertEqual(list(getattr(positions, name)), column, name)
        for form in (positions, positions.data, bytes(positions.data), iter(fens)):
            self.assertEqual(list(self.tablebase.probe_many(form).wdl), expected)
        self.assertEqual((positions.data.shape, positions.data.itemsize), ((201, 9), 8))
        if numpy is not None:
            arrays = {name: numpy.array(column, dtype="u8") for name, column in boards.items()}
            self.assertEqual(trebuchet.Positions.from_bitboards(**arrays), positions)
            self.assertEqual(list(self.tablebase.probe_many(numpy.asarray(positions.data)).wdl), expected)
        self.assertEqual(list(positions[3:50]), fens[3:50])
        self.assertEqual(list(positions[50:3:-2]), fens[50:3:-2])
        self.assertEqual(positions[-1], fens[-1])
        self.assertEqual(list(positions[:2] + positions[2:]), fens)
        self.assertEqual(list(positions.select([i % 3 == 0 for i in range(201)])), fens[::3])
        self.assertEqual(list(trebuchet.Positions()), [])
        self.assertEqual(list(self.tablebase.probe_many([], "dtm").dtm), [])

    def test_arrays(self):
        values = self.tablebase.probe_many(self.tablebase.sample("KQvK", 100), "dtz")
        for column, size in ((values.wdl, 1), (values.dtz, 2), (values.dtz_rounded, 1), (values.status["wdl"], 1)):
            self.assertEqual((memoryview(column).itemsize, len(column)), (size, 100))
            self.assertEqual(type(column).__module__, "array" if numpy is None else "numpy")

    def test_threads(self):
        positions = self.tablebase.sample("KRvKP", 20000)
        one, four = (self.tablebase.probe_many(positions, "dtm", threads=n) for n in (1, 4))
        self.assertEqual((list(one.wdl), list(one.dtm)), (list(four.wdl), list(four.dtm)))
        self.assertEqual(list(one.dtm[-3:]), [self.tablebase.probe_dtm(fen) for fen in positions[-3:]])

    def test_unknown(self):
        fens = ["8/8/8/8/8/2K5/1Q6/7k w - - 0 1", FIVE_MEN, "8/8/8/8/8/2K5/1Q6/7k b - - 0 1"]
        with self.assertRaisesRegex(trebuchet.MissingTableError, f"^position 1: {FIVE_MEN}: KRPvKR.wdl.treb") as caught:
            self.tablebase.probe_many(fens, "dtm")
        values = self.tablebase.probe_many(fens, "dtm", strict=False)
        self.assertEqual(values.unknown, 2)
        self.assertEqual(list(values.wdl), [2, trebuchet.UNKNOWN_WDL, -2])
        self.assertEqual(values.dtm[1], trebuchet.UNKNOWN_PLIES)
        self.assertEqual(list(values.status["dtm"]), [0, caught.exception.status, 0])
        with self.assertRaisesRegex(trebuchet.InputError, "^position 1: nonsense: "):
            self.tablebase.probe_many([FIVE_MEN, "nonsense"], strict=False)
        for wrong in (["8/8 w\0"], b"12345"):
            with self.assertRaises(trebuchet.InputError):
                self.tablebase.probe_many(wrong)
        with self.assertRaisesRegex(trebuchet.InputError, "dtx"):
            self.tablebase.probe_many(fens, "dtx")
        with self.assertRaisesRegex(trebuchet.InputError, "2 truth values for 3"):
            trebuchet.Positions(fens).select([True, False])
        with self.assertRaisesRegex(trebuchet.InputError, "lengths"):
            trebuchet.Positions.from_bitboards(**{**bitboards(fens), "turn": [0]})
        with self.assertRaises(IndexError):
            trebuchet.Positions(fens)[3]
        with self.assertRaises(TypeError):
            trebuchet.Positions(FIVE_MEN)
        # An impossible position in memory is found by the probe.
        with self.assertRaisesRegex(trebuchet.InputError, "^position 0: "):
            self.tablebase.probe_many(bytes(72))


class Endings(Case):
    def test_order(self):
        """Any number at a time: the same positions in the order of the command."""
        expected = found("KNvK")
        for size in (1000, len(expected), len(expected) + 1):
            some = list(self.tablebase.positions("KvKN", size))
            self.assertEqual([fen for few in some for fen in few], expected, size)
            self.assertLessEqual({len(few) for few in some[:-1]}, {size})
        short = [few[0] for few in self.tablebase.positions("KvK", 1)]
        self.assertEqual(short, [fen for few in self.tablebase.positions("KvK", 7) for fen in few])
        self.assertEqual(len(set(short)), 462)
        with self.assertRaises(trebuchet.InputError):
            next(self.tablebase.positions("KK"))

    def test_samples(self):
        """The samples of the command."""
        for material, size, seed in (("KQvKR", 300, 5), ("KPvKP", 300, 1), ("KNvK", 30000, 2), ("KBvK", 60000, 3)):
            for weight in ("class", "board"):
                for mirror in ("none", "random"):
                    if size > 20000 and (weight == "board") != (mirror == "random"):
                        continue
                    ours = self.tablebase.sample(material, size, seed, weight, mirror)
                    theirs = found("--sample", str(size), "--seed", str(seed), "--weight", weight, "--mirror", mirror,
                                   material)
                    self.assertEqual(list(ours), theirs, (material, weight, mirror))
                    if weight == "class" and mirror == "none":
                        self.assertEqual(len(set(ours)), len(ours))
        for wrong in ({"size": -1}, {"size": 1, "weight": "none"}, {"size": 1, "mirror": "all"}):
            with self.assertRaises(trebuchet.InputError):
                self.tablebase.sample("KQvK", **wrong)
        self.assertEqual(len(self.tablebase.sample("KQvK", 0)), 0)

    def test_shares(self):
        """Of the 223,944 + 144,508 positions of KQvK on the full board, 23,048 are drawn. Without weight, each class
        has the same probability: counted over many samples, none is drawn much more often."""
        share = 23048 / (223944 + 144508)
        sample = self.tablebase.sample("KQvK", 40000, 7, "board", "random")
        drawn = sum(wdl == 0 for wdl in self.tablebase.probe_many(sample).wdl) / len(sample)
        self.assertLess(abs(drawn - share), 5 * (share / len(sample)) ** 0.5)
        black = sum(bool(turn) for turn in sample.turn) / len(sample)
        self.assertLess(abs(black - 0.5), 0.015)
        times = collections.Counter(fen for seed in range(40) for fen in self.tablebase.sample("KvKQ", 2000, seed))
        # 80,000 of 46,000 classes: 1.7 on average.
        self.assertLess(max(times.values()), 14)

    def test_find(self):
        expected = found("KPvK", 'verdict == "win" and dtm > 40 and turn == "white"')
        if numpy is not None:
            ours = self.tablebase.find("KPvK", lambda p: (p.dtm > 40) & (p.turn == 0))
        else:
            ours = self.tablebase.find("KPvK", lambda p: [dtm > 40 and turn == 0 for dtm, turn in zip(p.dtm, p.turn)])
        self.assertEqual(list(ours), expected)
        self.assertGreater(len(expected), 100)
        # White to move cannot win, Black to move loses: the published 80 mutual zugzwangs.
        zugzwang = self.tablebase.find("KPvK", lambda p: [
            turn == 0 and w == 0 and o == -2 for turn, w, o in zip(p.turn, p.wdl, p.passed_wdl)])
        self.assertEqual(sorted(zugzwang), sorted(found("--zugzwang", "KPvK")))
        self.assertEqual(len(zugzwang), 80)
        self.assertEqual(list(self.tablebase.find("KQvKR", lambda p: [True] * len(p), first=5)), found("-n", "5", "KQvKR"))
        with self.assertRaisesRegex(trebuchet.InputError, "truth values"):
            self.tablebase.find("KQvK", lambda p: [True])
        with self.assertRaises(trebuchet.MissingTableError):
            self.tablebase.find("KRPvKR", lambda p: p.dtm)

    def test_stats(self):
        for material in ("KQvKR", "KRvKP"):
            theirs = json.loads(command("stats", "--json", material))
            ours = self.tablebase.stats(material)
            self.assertEqual(ours.material, theirs["material"])
            self.assertEqual(ours.counts, {side: {WDL[name]: count for name, count in counts.items()}
                                           for side, counts in theirs["counts"].items()})
            self.assertEqual([(long.metric, long.turn, long.wdl, long.plies, long.fen) for long in ours.longest],
                             [(long["metric"], long["turn"], WDL[long["verdict"]], long["plies"], long["fen"])
                              for long in theirs["longest"]])
            for metric, sides in theirs["histograms"].items():
                self.assertEqual(sides is None, metric == "dtm50")  # there is no such table here
                for side, verdicts in (sides or {}).items():
                    for name, pairs in verdicts.items():
                        counts = self.tablebase.histogram(material, metric, side, WDL[name])
                        self.assertEqual([[p, n] for p, n in enumerate(counts) if n], pairs)
        # Published: 144,508 wins with White to move.
        self.assertEqual(sum(self.tablebase.histogram("KQvK")), self.tablebase.stats("KvKQ").counts["white"][2])
        self.assertEqual(sum(self.tablebase.histogram("KQvK")), 144508)
        self.assertEqual(len(self.tablebase.histogram("KQvK", wdl=-2)), 0)
        for wrong in ({"turn": "red"}, {"wdl": 3}, {"metric": "wdl"}, {"wdl": 0}):
            with self.assertRaises(trebuchet.InputError):
                self.tablebase.histogram("KQvK", **wrong)
        with self.assertRaises(trebuchet.MissingTableError):
            self.tablebase.stats("KRPvKR")

    def test_tables(self):
        tables = self.tablebase.tables()
        self.assertEqual(len(tables), len(self.tablebase))
        self.assertEqual(sorted(os.path.basename(table.path) for table in tables),
                         sorted(name for name in os.listdir(TABLES) if name.endswith(".treb") and name[0] == "K"))
        self.assertEqual({table.path: table.size for table in tables},
                         {table.path: os.path.getsize(table.path) for table in tables})
        self.assertEqual(self.tablebase.check(), [])
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(os.path.join(TABLES, "KQvK.wdl.treb"), folder)
            path = shutil.copy(os.path.join(TABLES, "KQvK.dtm.treb"), folder)
            os.truncate(path, os.path.getsize(path) - 1)
            with trebuchet.open_tablebase(folder) as tablebase:
                fault, = tablebase.check()
                self.assertEqual((fault.path, tablebase.check()), (path, [fault]))
                self.assertRegex(fault.text, "KQvK.dtm.treb")


if __name__ == "__main__":
    unittest.main()
