#!/usr/bin/env python3
"""Runs Debian's unchanged ethereal-chess with Trebuchet's tables through `trebuchet engine`.

    test_engine_fathom.py [--all] BUILD TABLES

BUILD is a build folder with trebuchet and the libraries. TABLES is a folder with at least all tables of 3 and 4 men.
Checks that the engine probes the tables, that it mates from the longest win of every table and holds drawn positions,
and that it finds moves that it does not find without tables. Without --all only the games of a few materials are
played. The last line is "N passed, M failed".
"""
import argparse
import ctypes
import glob
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples"))
from engine_link import Engine

ENGINE = "ethereal-chess"
WIN, DRAW = 4, 2
DTZ = 1

# A capture leads to a win in a smaller table: men, FEN, move, depth to search.
PROBLEMS = [
    (5, "3K3N/8/6p1/4k3/8/7P/8/8 w - - 0 1", "h8g6", 12),
    (5, "8/8/5B1k/2K3n1/8/8/2P5/8 w - - 0 1", "f6g5", 12),
    (5, "8/8/8/8/1k6/1n2PK2/8/3B4 w - - 0 1", "d1b3", 12),
    (6, "8/8/2Pp4/8/1R1rk3/8/7K/8 w - - 0 1", "b4d4", 14),
    (6, "8/8/8/4Pkp1/Q5q1/8/2K5/8 w - - 0 1", "a4g4", 14),
]
DRAWN = ["KRvKB", "KRvKN", "KQvKP", "KPvKP", "KRvKR", "KBvKP", "KNvKP", "KRvKP", "KPvK"]
QUICK = ["KQvK", "KRvK", "KPvK", "KBNvK", "KQvKR", "KRvKN", "KRvKP", "KPvKP", "KBPvK", "KNPvK"]
CLOCK_LIMIT = 100


# ---- The tables, as the judge -----------------------------------------------------------------


class Info(ctypes.Structure):
    """treb_table_info of trebuchet.h."""

    _fields_ = [
        ("material", ctypes.c_char * 24),
        ("metric", ctypes.c_int),
        ("path", ctypes.c_char_p),
        ("file_size", ctypes.c_uint64),
        ("block_size", ctypes.c_uint64),
        ("stored", ctypes.c_int * 2),
        ("count", ctypes.c_uint64 * 5 * 2),
        ("longest", ctypes.c_uint32 * 5 * 2),
        ("longest_fen", ctypes.c_char * 96 * 5 * 2),
    ]


class Tables:
    """libtrebuchet: which moves are legal, and their values."""

    def __init__(self, library, folder):
        self.lib = ctypes.CDLL(library)
        self.lib.treb_tables_open.restype = ctypes.c_void_p
        folders = (ctypes.c_char_p * 1)(folder.encode())
        self.set = ctypes.c_void_p(self.lib.treb_tables_open(folders, 1, None))
        assert self.set.value, folder

    def position(self, fen, moves=()):
        """Returns the position after some moves, as an object of the library; None if a move is illegal."""
        pos = ctypes.create_string_buffer(128)
        if self.lib.treb_position_from_fen(fen.encode(), pos, None) != 0:
            return None
        for move in moves:
            if self.lib.treb_position_play(pos, move.encode(), pos, None) != 0:
                return None
        return pos

    def play(self, pos, move):
        return self.lib.treb_position_play(pos, move.encode(), pos, None) == 0

    def fen(self, pos):
        out = ctypes.create_string_buffer(96)
        self.lib.treb_position_to_fen(pos, out)
        return out.value.decode()

    def verdict(self, pos):
        """Returns the verdict for the side to move, from 0 (loss) to 4 (win); None if it is not known."""
        wdl = ctypes.c_int()
        status = self.lib.treb_probe_wdl(self.set, pos, ctypes.byref(wdl), None)
        return wdl.value if status == 0 else None

    def is_over(self, pos):
        move = ctypes.create_string_buffer(256)
        count = ctypes.c_size_t()
        self.lib.treb_probe_moves(self.set, pos, 0, 0, move, 1, ctypes.byref(count), None)
        return count.value == 0

    def longest_wins(self, material):
        """Returns the positions with the longest win within the 50-move rule, for White and for Black to move."""
        info = Info()
        status = self.lib.treb_tables_find(
            self.set, material.encode(), DTZ, ctypes.byref(info), None
        )
        assert status == 0, material
        fens = [info.longest_fen[side][WIN].value.decode() for side in range(2)]
        return [fen for fen in fens if fen]


# ---- Tests ------------------------------------------------------------------------------------


class Test:
    def __init__(self, build, folder, work):
        self.work = work
        self.trebuchet = os.path.join(build, "trebuchet")
        self.folder = folder
        self.tables = Tables(os.path.abspath(os.path.join(build, "libtrebuchet.so")), folder)
        self.passed = self.failed = self.plies = 0
        self.library = os.path.join(build, "fathom", "libfathom.so.1")
        files = glob.glob(os.path.join(folder, "*.dtz.treb"))
        self.materials = sorted(os.path.basename(f).split(".")[0] for f in files)
        self.men = max(len(m) - 1 for m in self.materials)
        self.pair = [self.start(), self.start()]

    def start(self, tables=True, folder=None):
        """Starts the engine under `trebuchet engine`."""
        command = [self.trebuchet, "engine", "--tables", folder or self.folder, "--", ENGINE]
        engine = Engine(command, Hash=16, **({"SyzygyPath": "tables"} if tables else {}))
        engine.ready()
        return engine

    @staticmethod
    def search(engine, limit, fen):
        """Runs a search that does not use results of earlier ones."""
        engine.send("ucinewgame")
        return engine.go(limit, fen)

    @staticmethod
    def end(engine):
        status = engine.quit()
        assert status == 0, f"the engine's exit code is {status}"

    def check(self, good, what):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print("FAILED:", what)

    def win(self, fen):
        """The winner mates, and the clock never reaches its limit before."""
        pos, moves, clock = self.tables.position(fen), [], 0
        start = self.tables.verdict(pos)
        while clock <= CLOCK_LIMIT:
            if self.tables.is_over(pos):
                mated = self.tables.verdict(pos) == 0 and len(moves) % 2 == (start == WIN)
                self.check(mated, f"{fen}: the game ends without mate: {' '.join(moves)}")
                return
            if clock == CLOCK_LIMIT:
                break
            move, _ = self.pair[len(moves) % 2].go("movetime 50", fen, moves)
            if not self.tables.play(pos, move):
                self.check(False, f"{fen}: illegal move {move} after {' '.join(moves)}")
                return
            moves.append(move)
            self.plies += 1
            clock = int(self.tables.fen(pos).split()[4])
        self.check(False, f"{fen}: drawn by the 50-move rule: {' '.join(moves)}")

    def hold(self, fen, plies=40):
        """In a drawn position neither side loses."""
        pos, moves = self.tables.position(fen), []
        while len(moves) < plies and not self.tables.is_over(pos):
            move, _ = self.pair[len(moves) % 2].go("movetime 50", fen, moves)
            legal = self.tables.play(pos, move)
            moves.append(move)
            self.plies += 1
            if not legal or self.tables.verdict(pos) != DRAW:
                self.check(False, f"{fen}: lost by the last of {' '.join(moves)}")
                return
        self.check(True, fen)

    def drawn_position(self, material, dice):
        """Returns a random position of a material, White's men first."""
        white, black = material.split("v")
        men = white + black.lower()
        while True:
            squares = dict(zip(dice.sample(range(64), len(men)), men))
            rows = ["".join(squares.get(r * 8 + f, "1") for f in range(8)) for r in range(7, -1, -1)]
            board = "/".join(rows)
            for run in range(8, 1, -1):
                board = board.replace("1" * run, str(run))
            fen = f"{board} {dice.choice('wb')} - - 0 1"
            pos = self.tables.position(fen)
            if pos is not None and not self.tables.is_over(pos) and self.tables.verdict(pos) == DRAW:
                return fen

    def games(self, materials, drawn_each):
        """Plays the longest win of each table, and drawn positions."""
        for material in materials:
            for fen in self.tables.longest_wins(material):
                self.win(fen)
        dice = random.Random(1)
        for material in DRAWN:
            for _ in range(drawn_each):
                self.hold(self.drawn_position(material, dice))

    def asks(self):
        """tbhits increases where tables answer inside the tree, and stays 0 without SyzygyPath."""
        fen = PROBLEMS[0][1]
        engine, bare = self.start(folder=self.four()), self.start(tables=False)
        _, infos = self.search(engine, "depth 12", fen)
        hits = [info.hits for info in infos]
        self.check(hits == sorted(hits) and hits[-1] > 50, f"tbhits {hits}")
        _, infos = self.search(bare, "depth 12", fen)
        self.check(infos[-1].hits == 0, "tbhits without SyzygyPath")
        # The path is removed in the middle of the game, and set again.
        engine.send("setoption name SyzygyPath value <empty>")
        _, infos = self.search(engine, "depth 10", fen)
        self.check(infos[-1].hits == 0, "tbhits after SyzygyPath was emptied")
        engine.send("setoption name SyzygyPath value x")
        _, infos = self.search(engine, "depth 10", fen)
        self.check(infos[-1].hits > 10, "tbhits after SyzygyPath was set again")
        for each in (engine, bare):
            self.end(each)

    def four(self):
        """Returns a folder with the tables of at most 4 men."""
        if self.men <= 4:
            return self.folder
        folder = os.path.join(self.work, "four")
        if not os.path.isdir(folder):
            os.mkdir(folder)
            for path in glob.glob(os.path.join(self.folder, "K*.treb")):
                if len(os.path.basename(path).split(".")[0]) <= 5:
                    os.symlink(os.path.abspath(path), os.path.join(folder, os.path.basename(path)))
        return folder

    def solve(self, fen, best, depth, folder, tables):
        """Returns the nodes until the best move is found and kept (None: not found), and the nodes in all."""
        engine = self.start(tables, folder)
        move, infos = self.search(engine, f"depth {depth}", fen)
        self.end(engine)
        found = None
        for info in infos:
            if info.line[0] != best:
                found = None
            elif found is None:
                found = info.nodes
        return found if move == best else None, infos[-1].nodes

    def solves(self):
        """With tables of one man less, the engine finds the move in a tenth of the nodes, or finds it only then."""
        for men, fen, best, depth in PROBLEMS:
            if men - 1 > self.men:
                continue
            folder = self.four() if men == 5 else self.folder
            found, _ = self.solve(fen, best, depth, folder, True)
            other, searched = self.solve(fen, best, depth, folder, False)
            without = f"after {other}" if other else f"not in {searched}"
            print(f"{fen}: {best} after {found} nodes with tables, {without} without")
            good = found is not None and (other is None or other >= 10 * found)
            self.check(good, f"{fen}: {best} is no easier with tables")

    def en_passant(self):
        """Returns the encoding of an en passant move, as in Debian's libfathom1."""
        drop_in = ctypes.CDLL(os.path.abspath(self.library))
        boards = [1 << 28 | 1, 1 << 27 | 1 << 7, 1 | 1 << 7, 0, 0, 0, 0, 1 << 27 | 1 << 28]
        self.check(drop_in.tb_init(self.folder.encode()), "tb_init")
        largest = ctypes.c_uint.in_dll(drop_in, "TB_LARGEST").value
        self.check(largest == self.men, f"TB_LARGEST is {largest}, not {self.men}")
        word = drop_in.tb_probe_root_impl
        word.argtypes = [ctypes.c_uint64] * 8 + [ctypes.c_uint] * 2 + [ctypes.c_bool, ctypes.c_void_p]
        got = word(*boards, 0, 20, False, None)
        self.check(got == 0x186D44, f"8/8/8/8/3pP3/8/8/K6k b - e3: {got:x}")
        drop_in.tb_free()

    def close(self):
        for engine in self.pair:
            self.end(engine)


def main():
    parser = argparse.ArgumentParser(description="Debian's ethereal-chess on Trebuchet's tables.")
    parser.add_argument("--all", action="store_true", help="games of every material in TABLES")
    parser.add_argument("build")
    parser.add_argument("tables")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trebuchet-engine-") as work:
        test = Test(options.build, os.path.abspath(options.tables), work)
        test.en_passant()
        test.asks()
        test.solves()
        test.games(test.materials if options.all else QUICK, 20 if options.all else 2)
        test.close()
    print(f"{test.plies} plies played")
    print(f"{test.passed} passed, {test.failed} failed")
    sys.exit(1 if test.failed else 0)


if __name__ == "__main__":
    main()
