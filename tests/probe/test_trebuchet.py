"""The Python module against published values, the command's answers and python-chess.

TREB_BUILD is a build folder; TREB_TABLES a folder with all tables of 3 and 4 men."""
import ctypes
import dataclasses
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import unittest

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
BUILD, TABLES = os.environ["TREB_BUILD"], os.environ["TREB_TABLES"]
SYZYGY = os.path.join(TOP, "tests", "data", "syzygy")
LIBRARY = os.path.abspath(os.path.join(BUILD, "libtrebuchet.so.1"))
os.environ["TREBUCHET_LIBRARY"] = LIBRARY
sys.path.insert(0, os.path.join(TOP, "probe", "python"))

import trebuchet  # noqa: E402
from trebuchet import _library  # noqa: E402

try:
    import chess
    import chess.syzygy
except ImportError:
    chess = None

WDL = {"loss": -2, "blessed loss": -1, "draw": 0, "cursed win": 1, "win": 2}
CATEGORIES = {name.replace(" ", "-"): wdl for name, wdl in WDL.items()}
KNOWN = "8/5P1k/8/7K/8/8/8/8 w - - 0 1"
RIGHTS = "8/8/8/8/8/5k2/8/4K2R w K - 0 1"
FIVE_MEN = "8/8/8/8/2R1k3/2K5/1P6/3r4 b - - 0 1"
MATERIALS = ["QvQ", "RvB", "PvP", "BNv", "PvN", "RPv", "NvP", "Pv", "QvR"]


def random_fens(count, seed, materials=tuple(MATERIALS)):
    """Returns positions that can arise in games, with clocks."""
    rng = random.Random(seed)
    with trebuchet.open_tablebase(TABLES) as tablebase:
        while count > 0:
            white, black = rng.choice(materials).split("v")
            men = ["K", "k", *white, *black.lower()]
            board = [" "] * 64
            for man, square in zip(men, rng.sample(range(64), len(men))):
                board[square] = man
            rows = "/".join("".join(board[8 * row:8 * row + 8]) for row in range(8))
            rows = re.sub(" +", lambda run: str(len(run[0])), rows)
            fen = f"{rows} {rng.choice('wb')} - - {rng.choice((0, 0, 30, 90))} 50"
            try:
                tablebase.probe_wdl(fen)
            except trebuchet.InputError:
                continue
            count -= 1
            yield fen


def command(*arguments):
    """Returns the JSON output of our command."""
    run = subprocess.run([os.path.join(BUILD, "trebuchet"), *arguments, "--json"], check=True,
                         stdout=subprocess.PIPE, env={**os.environ, "TREBUCHET_PATH": TABLES})
    return json.loads(run.stdout)


def seen_after(move):
    """Returns a move's value: that of the position after it, for the other side. After a capture or pawn move its
    DTZ does not follow from that of the position."""
    def after(plies):
        return -plies + (plies > 0) - (plies < 0)
    return dataclasses.replace(move, rule=-move.rule, dtm=after(move.dtm),
                               dtz=None if move.zeroing else after(move.dtz))


class Values(unittest.TestCase):
    def setUp(self):
        self.tablebase = trebuchet.open_tablebase(TABLES)
        self.addCleanup(self.tablebase.close)

    def test_published(self):
        compared = 0
        with open(os.path.join(TOP, "tests", "data", "golden.tsv"), encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file if line[0] not in "#f"]
        for fen, wdl, *plies in rows:
            if sum(letter.isalpha() for letter in fen.split()[0]) > 4:
                continue
            sign = 1 if WDL[wdl] > 0 else -1
            with self.subTest(fen):
                self.assertEqual(self.tablebase.probe_wdl(fen), WDL[wdl])
                probes = [getattr(self.tablebase, "probe_" + m) for m in ("dtz", "dtc", "dtm")]
                for probe, expected in zip(probes, plies):
                    if expected != "-":
                        self.assertEqual(probe(fen), sign * int(expected), probe)
            compared += 1
        self.assertGreater(compared, 20)

    def compare(self, ours, theirs):
        """Compares a Value with an object of the command. The command gives DTZ -1 for a mated side."""
        self.assertEqual(ours.rule, CATEGORIES[theirs["category"]])
        if not theirs["checkmate"]:
            self.assertEqual(ours.dtm, theirs["dtm"])
            self.assertIn(ours.dtz, (theirs["dtz"], None))

    def test_like_the_command(self):
        seen = set()
        for fen in random_fens(40, 1):
            with self.subTest(fen):
                answer = command("probe", fen)
                self.compare(self.tablebase.probe_root(fen), answer)
                moves = self.tablebase.probe_moves(fen, "dtm")
                self.assertEqual({move.uci for move in moves},
                                 {move["uci"] for move in answer["moves"]})
                for theirs in answer["moves"]:
                    ours = next(move for move in moves if move.uci == theirs["uci"])
                    self.compare(seen_after(ours), theirs)
                    self.assertEqual(
                        (ours.san, ours.zeroing, ours.conversion, ours.mate, ours.stalemate),
                        (theirs["san"], theirs["zeroing"], theirs["conversion"],
                         theirs["checkmate"], theirs["stalemate"]))
                order = [(-move.rule, move.dtm) for move in moves]
                self.assertEqual(order, sorted(order))
                seen.add(answer["category"])
        self.assertLessEqual({"win", "draw", "loss"}, seen)

    def test_lines(self):
        for fen in random_fens(8, 2):
            line = self.tablebase.best_line(fen, "dtm", rule50=False)
            theirs = command("line", "--metric", "dtm", "--no-rule", fen)
            self.assertEqual([move.uci for move in line.moves],
                             [move["uci"] for move in theirs["moves"]], fen)
            plies = abs(self.tablebase.probe_dtm(fen))
            for metric in ("dtz", "dtc", "dtm"):
                self.assertEqual([abs(getattr(move, metric)) for move in line.moves],
                                 [move[metric + "_plies"] for move in theirs["moves"]], fen)
            self.assertEqual(len(line.moves), plies)
            if plies:
                self.assertEqual((line.end, line.moves[-1].mate), ("mate", True))
        self.assertEqual(self.tablebase.best_line(KNOWN, "dtm", limit=3).end, "limit")
        self.assertEqual(len(self.tablebase.best_line(KNOWN, "dtm", limit=3).moves), 3)

    def test_moves(self):
        first, second = self.tablebase.probe_moves(KNOWN)[:2]
        self.assertEqual((first.uci, first.wdl, first.dtz, first.promotion), ("f7f8r", 2, 1, 4))
        self.assertEqual((first.from_square, first.to_square), (53, 61))
        self.assertEqual((second.wdl, second.promotion is None or second.conversion), (0, True))
        self.assertEqual(self.tablebase.probe_moves("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1"), [])

    def test_clock(self):
        value = self.tablebase.probe_root("8/8/8/3k4/8/8/8/KBN5 w - - 90 100")
        self.assertEqual((value.wdl, value.rule), (2, 1))

    def test_part_of_the_tables(self):
        """A value that is not known is None."""
        with trebuchet.open_tablebase(SYZYGY) as tablebase:
            value = tablebase.probe_root("8/8/8/8/8/2K5/1Q6/7k b - - 0 1")
            self.assertEqual((value.wdl, value.dtm), (-2, None))
            self.assertEqual(tablebase.find_table("KQvK", "dtz").format, "syzygy")


class Endings(unittest.TestCase):
    def setUp(self):
        self.tablebase = trebuchet.open_tablebase(TABLES)
        self.addCleanup(self.tablebase.close)

    def test_counts(self):
        """Of the 163,328 positions of KPvK with White to move, 124,960 are won (a published number). The test
        counts one of each two mirror images."""
        fens = list(self.tablebase.each_position("KPvK"))
        white = [fen for fen in fens if fen.split()[1] == "w"]
        self.assertEqual((len(fens), len(set(fens)), 2 * len(white)), (165676, 165676, 163328))
        self.assertEqual(2 * sum(self.tablebase.probe_wdl(fen) == 2 for fen in white), 124960)

    def test_order(self):
        """Positions come in the order of the command, one by one."""
        run = subprocess.run([os.path.join(BUILD, "trebuchet"), "find", "--quiet", "--tables", TABLES,
                              "KQvKR"], check=True, text=True, stdout=subprocess.PIPE)
        self.assertEqual(list(self.tablebase.each_position("KRvKQ")), run.stdout.splitlines())
        self.assertEqual(next(self.tablebase.each_position("KRPvKR")).count("/"), 7)

    def test_failures(self):
        for material, text in (("KK", "KK"), ("KPvK\0", "NUL")):
            with self.assertRaisesRegex(trebuchet.InputError, text):
                list(self.tablebase.each_position(material))
        self.tablebase.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            next(self.tablebase.each_position("KPvK"))


class Failures(unittest.TestCase):
    def setUp(self):
        self.tablebase = trebuchet.open_tablebase(TABLES)
        self.addCleanup(self.tablebase.close)

    def raises(self, kinds, text, call, *arguments):
        for kind in kinds:
            with self.assertRaisesRegex(kind, text):
                call(*arguments)

    def test_no_table(self):
        kinds = trebuchet.MissingTableError, KeyError, trebuchet.Error
        self.raises(kinds, "^KRPvKR.wdl.treb", self.tablebase.probe_wdl, FIVE_MEN)
        self.raises(kinds, "castling", self.tablebase.probe_dtz, RIGHTS)
        self.raises(kinds, "men", self.tablebase.probe_moves,
                    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1")
        self.raises(kinds, "KRPvKR", self.tablebase.find_table, "KRPvKR", "dtm")

    def test_defaults(self):
        for fen in (FIVE_MEN, RIGHTS):
            self.assertIsNone(self.tablebase.get_wdl(fen))
            self.assertEqual(self.tablebase.get_wdl(fen, 7), 7)
            for get in (self.tablebase.get_dtz, self.tablebase.get_dtc, self.tablebase.get_dtm):
                self.assertEqual(get(fen, default=-7), -7)
        self.assertEqual(self.tablebase.get_wdl(KNOWN, 7), 2)
        self.assertEqual(self.tablebase.get_dtz(KNOWN), 1)
        with self.assertRaises(trebuchet.InputError):
            self.tablebase.get_wdl("nonsense", 7)

    def test_input(self):
        kinds = trebuchet.InputError, ValueError
        self.raises(kinds, ".", self.tablebase.probe_wdl, "nonsense")
        self.raises(kinds, ".", self.tablebase.probe_wdl, "8/8/8/8/8/8/8/8 w - - 0 1")
        self.raises(kinds, "dtx", self.tablebase.probe_moves, KNOWN, "dtx")
        self.raises(kinds, ".", self.tablebase.best_line, KNOWN, "dtm", True, 0)
        self.raises((TypeError,), "python-chess", self.tablebase.probe_wdl, 5)
        self.raises(kinds, "NUL", self.tablebase.probe_wdl, KNOWN + "\0")
        self.raises(kinds, "NUL", self.tablebase.find_table, "KQvK\0R")
        for size in (-1, 1 << 64):
            self.raises(kinds, "memory", self.tablebase.set_memory, size)
            with self.assertRaises(trebuchet.InputError):
                trebuchet.open_tablebase(memory=size)

    def test_files(self):
        self.raises((trebuchet.DamagedTableError, OSError), "nowhere", trebuchet.open_tablebase,
                    "/nowhere")
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "KQvK.wdl.treb"), "wb") as file:
                file.write(b"no table" * 1000)
            with trebuchet.open_tablebase(folder) as tablebase:
                self.raises((trebuchet.DamagedTableError, OSError), "KQvK.wdl.treb",
                            tablebase.get_wdl, "8/8/8/8/8/2K5/1Q6/7k w - - 0 1")

    def test_library(self):
        script = "import trebuchet; print(trebuchet.__version__); trebuchet.open_tablebase()"
        environment = {**os.environ, "PYTHONPATH": os.path.join(TOP, "probe", "python")}
        for file in ("/nowhere/libtrebuchet.so.1", "libc.so.6"):
            environment["TREBUCHET_LIBRARY"] = file
            run = subprocess.run([sys.executable, "-c", script], env=environment, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            self.assertEqual(run.stdout, trebuchet.__version__ + "\n")
            self.assertIn("trebuchet._errors.LibraryError", run.stderr.splitlines()[-1])
        environment["TREBUCHET_LIBRARY"] = LIBRARY
        script = "import trebuchet._library as c; c.LEAST_VERSION = 1 << 30; c.library()"
        run = subprocess.run([sys.executable, "-c", script], text=True, stderr=subprocess.PIPE,
                             env=environment, check=False)
        self.assertRegex(run.stderr.splitlines()[-1], r"LibraryError: .* version \d+\.\d+\.\d+:")


class Folders(unittest.TestCase):
    def test_adding(self):
        with trebuchet.open_tablebase() as tablebase:
            self.assertEqual((len(tablebase), tablebase.men), (0, 0))
            self.assertIsNone(tablebase.get_wdl(KNOWN))
            self.assertEqual(tablebase.add_directory(SYZYGY), 12)
            self.assertEqual(tablebase.probe_wdl(KNOWN), 2)
            self.assertIsNone(tablebase.get_dtm(KNOWN))
            self.assertGreater(tablebase.add_directory(TABLES), 100)
            self.assertEqual(tablebase.men, 4)
            self.assertEqual(tablebase.probe_dtm(KNOWN),
                             len(tablebase.best_line(KNOWN, "dtm").moves))
            with self.assertRaises(OSError):
                tablebase.add_directory("/nowhere")
            self.assertEqual(tablebase.probe_wdl(KNOWN), 2)

    def test_table(self):
        with trebuchet.open_tablebase(TABLES, memory=1 << 20) as tablebase:
            table = tablebase.find_table("KBvKQ", "dtm")
            self.assertEqual((table.material, table.metric, table.format),
                             ("KQvKB", "dtm", "trebuchet"))
            self.assertEqual(os.path.getsize(table.path), table.size)
            tablebase.set_memory(0)
            self.assertEqual(tablebase.probe_wdl(KNOWN), 2)

    def test_closing(self):
        tablebase = trebuchet.open_tablebase(TABLES)
        with tablebase as same:
            self.assertIs(same, tablebase)
        for call in (tablebase.probe_wdl, tablebase.get_dtz, tablebase.probe_moves,
                     tablebase.add_directory):
            with self.assertRaisesRegex(ValueError, "closed"):
                call(KNOWN)
        tablebase.close()

    def test_threads(self):
        """Probes continue while folders are added, and fail after the tablebase is closed."""
        tablebase = trebuchet.open_tablebase(SYZYGY)
        wrong = []

        def ask():
            try:
                while True:
                    if tablebase.probe_wdl(KNOWN) != 2:
                        wrong.append("another value")
            except ValueError:
                pass
            except Exception as error:  # pylint: disable=broad-except
                wrong.append(error)

        threads = [threading.Thread(target=ask) for _ in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(20):
            tablebase.add_directory(TABLES)
        tablebase.close()
        for thread in threads:
            thread.join(20)
            self.assertFalse(thread.is_alive())
        self.assertEqual(wrong, [])


class Interface(unittest.TestCase):
    """The module has its own copy of the structures of trebuchet.h."""

    STRUCTURES = {"treb_error": "CError", "treb_position": "CPosition",
                  "treb_table_info": "CTableInfo", "treb_distance": "CDistance",
                  "treb_value": "CValue", "treb_move": "CMove", "treb_columns": "CColumns"}
    RENAMED = {"from_square": "from", "to_square": "to"}

    def test_structures(self):
        lines, expected = [], []
        for name, ours in self.STRUCTURES.items():
            structure = getattr(_library, ours)
            lines.append(f'printf("%zu\\n", sizeof({name}));')
            expected.append(ctypes.sizeof(structure))
            for field, *_ in structure._fields_:
                member = self.RENAMED.get(field, field)
                lines.append(f'printf("%zu\\n", offsetof({name}, {member}));')
                expected.append(getattr(structure, field).offset)
        numbers = {"TREB_MOVES_MAX": _library.MOVES_MAX, "TREB_METRICS": _library.METRICS,
                   "TREB_VERSION_NUMBER": _library.library().treb_version_number(),
                   "TREB_SAMPLE_BOARD": _library.SAMPLE_BOARD, "TREB_SAMPLE_TURNED": _library.SAMPLE_TURNED,
                   "TREB_NO_WDL": trebuchet.UNKNOWN_WDL, "TREB_NO_PLIES": trebuchet.UNKNOWN_PLIES}
        lines += [f'printf("%d\\n", {name});' for name in numbers]
        expected += numbers.values()
        with tempfile.TemporaryDirectory() as folder:
            source, program = os.path.join(folder, "sizes.c"), os.path.join(folder, "sizes")
            with open(source, "w", encoding="utf-8") as file:
                file.write("#include <stdio.h>\n#include <trebuchet.h>\nint main(void)\n{\n"
                           + "\n".join(lines) + "\nreturn 0;\n}\n")
            subprocess.run([os.environ.get("CC", "cc"), "-I", os.path.join(TOP, "include"), source,
                            "-o", program], check=True)
            run = subprocess.run([program], check=True, text=True, stdout=subprocess.PIPE)
        self.assertEqual([int(line) for line in run.stdout.split()], expected)

    def test_readme(self):
        """The example programs print the texts below them."""
        with open(os.path.join(TOP, "probe", "python", "README.md"), encoding="utf-8") as file:
            first, *parts = file.read().split("```python\n")
        self.assertEqual((len(parts), "```" in first), (2, False))
        for part in parts:
            program, rest = part.split("```\n")
            self.prints(program, [line[4:] for line in rest.split("\n\n")[1].splitlines()])

    def prints(self, program, expected):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(os.path.abspath(TABLES), os.path.join(folder, "tables"))
            run = subprocess.run([sys.executable, "-c", program], cwd=folder, check=True, text=True,
                                 stdout=subprocess.PIPE,
                                 env={**os.environ, "PYTHONPATH": os.path.join(TOP, "probe", "python")})
        self.assertEqual(run.stdout.splitlines(), expected)

    def test_version(self):
        with open(os.path.join(TOP, "include", "trebuchet.h"), encoding="utf-8") as file:
            self.assertIn(f'#define TREB_VERSION "{trebuchet.__version__}"\n', file.read())
        self.assertEqual(trebuchet.version(), trebuchet.__version__)


class PlainBoard:
    """The members of python-chess's board that the module reads, for machines without python-chess."""

    uci_variant = "chess"

    def __init__(self, fen):
        rows, turn, castling, ep, clock, number = fen.split()
        self.occupied_co, men = {True: 0, False: 0}, dict.fromkeys("pnbrqk", 0)
        for rank, row in zip(range(7, -1, -1), rows.split("/")):
            squares = re.sub("[1-8]", lambda digit: " " * int(digit[0]), row)
            for square, man in enumerate(squares, 8 * rank):
                if man != " ":
                    self.occupied_co[man.isupper()] |= 1 << square
                    men[man.lower()] |= 1 << square
        (self.pawns, self.knights, self.bishops, self.rooks, self.queens, self.kings) = men.values()
        self.turn, self.castling_rights = turn == "w", 0 if castling == "-" else 0x81 << 56
        self.ep_square = None if ep == "-" else "abcdefgh".index(ep[0]) + 8 * (int(ep[1]) - 1)
        self.halfmove_clock, self.fullmove_number = int(clock), int(number)

    def clean_castling_rights(self):
        return self.castling_rights

    def has_kingside_castling_rights(self, white):
        return not white and self.castling_rights != 0

    has_queenside_castling_rights = has_kingside_castling_rights


class AnyBoards(unittest.TestCase):
    def test_boards(self):
        with trebuchet.open_tablebase(TABLES) as tablebase:
            for fen in [*random_fens(100, 3), "8/8/8/8/4Pp2/8/8/K6k b - e3 0 1"]:
                board = PlainBoard(fen)
                self.assertEqual(tablebase.probe_root(board), tablebase.probe_root(fen), fen)
                self.assertEqual(tablebase.probe_moves(board), tablebase.probe_moves(fen), fen)
            self.assertIn("f4e3", [move.uci for move in tablebase.probe_moves(board)])
            board = PlainBoard("r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1")
            with self.assertRaisesRegex(KeyError, "castling"):
                tablebase.probe_wdl(board)
            # Chess960: the rooks or the king elsewhere
            for fen in ("r2k3r/8/8/8/8/8/8/4K3 b kq - 0 1", "1r2k1r1/8/8/8/8/8/8/4K3 b kq - 0 1"):
                board = PlainBoard(fen)
                board.castling_rights = board.rooks
                with self.assertRaisesRegex(KeyError, "Chess960"):
                    tablebase.probe_wdl(board)
                self.assertEqual(tablebase.get_wdl(board, 7), 7)
                self.assertEqual(tablebase.get_wdl(fen, 7), 7)
                with self.assertRaisesRegex(KeyError, "Chess960"):
                    tablebase.probe_wdl(fen)
            board.uci_variant = "atomic"
            with self.assertRaises(TypeError):
                tablebase.probe_wdl(board)


@unittest.skipIf(chess is None, "python-chess is not installed")
class Boards(unittest.TestCase):
    def test_boards(self):
        with trebuchet.open_tablebase(TABLES) as tablebase:
            for fen in random_fens(100, 3):
                board = chess.Board(fen)
                self.assertEqual(tablebase.probe_root(board), tablebase.probe_root(fen), fen)
                moves = tablebase.probe_moves(board)
                self.assertEqual({chess.Move.from_uci(move.uci) for move in moves},
                                 set(board.legal_moves), fen)
                for move in moves:
                    self.assertEqual(board.parse_san(move.san), chess.Move(
                        move.from_square, move.to_square, move.promotion), fen)
            with self.assertRaisesRegex(KeyError, "castling"):
                tablebase.probe_wdl(chess.Board(RIGHTS))
            with self.assertRaises(KeyError):
                tablebase.probe_wdl(chess.Board())

    def test_en_passant(self):
        board = chess.Board("8/8/8/8/5p2/8/4P3/K6k w - - 0 1")
        board.push_uci("e2e4")
        with trebuchet.open_tablebase(TABLES) as tablebase:
            moves = {move.uci: move for move in tablebase.probe_moves(board)}
            self.assertTrue(moves["f4e3"].capture)
            self.assertEqual(tablebase.probe_root(board), tablebase.probe_root(board.fen()))

    def test_like_python_chess(self):
        """Both read identical Syzygy files. python-chess gives DTZ -1 for a mated side."""
        materials = ["Qv", "Rv", "Pv", "Bv", "Nv", "NNv"]
        rounded = 0
        with trebuchet.open_tablebase(SYZYGY) as ours, \
                chess.syzygy.open_tablebase(SYZYGY) as theirs:
            for fen in random_fens(600, 4, materials):
                board = chess.Board(fen)
                self.assertEqual(ours.probe_wdl(board), theirs.probe_wdl(board), fen)
                dtz = ours.probe_dtz(board)
                if board.is_checkmate():
                    continue
                if ours.probe_root(board).rounded:
                    rounded += 1
                    self.assertLessEqual(abs(dtz - theirs.probe_dtz(board)), 1, fen)
                else:
                    self.assertEqual(dtz, theirs.probe_dtz(board), fen)
        self.assertLess(rounded, 300)


if __name__ == "__main__":
    unittest.main()
