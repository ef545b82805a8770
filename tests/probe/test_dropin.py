"""test_dropin.py - the drop-in for Fathom on folders that have a part of the tables, and at every clock."""
import ctypes
import os
import random

import pytest

from tests.support.command import BUILD, SYZYGY, TABLES, run

FAILED, LOSS, DRAW, WIN = 0xFFFFFFFF, 0, 2, 4
MATERIALS = ["KPvK", "KRvK", "KQvK", "KRvKP", "KPvKP", "KRvKR", "KBPvK", "KNNvKP"]
# A pawn ending of six men, and positions in it of which its pawn file knows the verdict but not what each move is worth.
WON = "8/8/1p6/p7/P7/1P2k3/8/4K3 b - - 0 1"
PARTLY_KNOWN = {"8/8/1p6/p7/PP6/4k3/8/3K4 b - - 0 3": WIN, "8/8/8/pp6/P4k2/1P6/5K2/8 w - - 0 4": DRAW}


class DropIn:
    """The functions of libfathom.so.1, with positions as FENs."""

    def __init__(self):
        self.library = ctypes.CDLL(os.path.join(BUILD, "fathom", "libfathom.so.1"))
        boards = [ctypes.c_uint64] * 8
        self.library.tb_probe_wdl_impl.argtypes = boards + [ctypes.c_uint, ctypes.c_bool]
        self.library.tb_probe_root_impl.argtypes = boards + [ctypes.c_uint, ctypes.c_uint, ctypes.c_bool, ctypes.c_void_p]
        for name in ("tb_probe_wdl_impl", "tb_probe_root_impl"):
            getattr(self.library, name).restype = ctypes.c_uint

    def open(self, *folders):
        """Returns TB_LARGEST."""
        assert self.library.tb_init(":".join(folders).encode())
        return ctypes.c_uint.in_dll(self.library, "TB_LARGEST").value

    @staticmethod
    def boards(fen):
        white = black = 0
        types = dict.fromkeys("KQRBNP", 0)
        square = 56
        for letter in fen.split()[0]:
            if letter == "/":
                square -= 16
            elif letter.isdigit():
                square += int(letter)
            else:
                types[letter.upper()] |= 1 << square
                white |= (1 << square) * letter.isupper()
                black |= (1 << square) * letter.islower()
                square += 1
        return white, black, *types.values()

    def wdl(self, fen):
        return self.library.tb_probe_wdl_impl(*self.boards(fen), 0, fen.split()[1] == "w")

    def root(self, fen, clock=0):
        """Returns the word of the root, and those of the moves by (from, to, promotion)."""
        list_ = (ctypes.c_uint * 193)()
        word = self.library.tb_probe_root_impl(*self.boards(fen), clock, 0, fen.split()[1] == "w", list_)
        words = list(list_)
        return word, {w >> 4 & 0x7FFF: w for w in words[: words.index(FAILED)]}


@pytest.fixture(name="dropin")
def fixture_dropin():
    os.environ.pop("TREBUCHET_PATH", None)
    dropin = DropIn()
    yield dropin
    dropin.library.tb_free()


def link(folder, source, *endings):
    """Makes a folder with links to the files of another that have one of the endings."""
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(source):
        if name.endswith(endings):
            os.symlink(os.path.join(source, name), os.path.join(folder, name))
    return folder


def random_fens(count, seed):
    """Positions of MATERIALS that the full set of tables knows."""
    rng = random.Random(seed)
    while count > 0:
        white, black = rng.choice(MATERIALS).split("v")
        board = [""] * 64
        for man, square in zip(white + black.lower(), rng.sample(range(64), len(white + black))):
            board[square] = man
        if any(man in ("P", "p") for man in board[:8] + board[56:]):
            continue
        rows = "/".join("".join(man or "1" for man in board[8 * row : 8 * row + 8]) for row in range(8))
        fen = f"{rows} {rng.choice('wb')} - - 0 1"
        count -= 1
        yield fen


def verdict(word):
    return word & 15


def plies(word):
    return word >> 20


@pytest.mark.parametrize(
    "source, wdl, dtz", [(TABLES, ".wdl.treb", ".dtz.treb"), (SYZYGY, ".rtbw", ".rtbz")], ids=["trebuchet", "syzygy"]
)
@pytest.mark.seconds(2)
def test_folders_by_kind(dropin, source, wdl, dtz):
    link("wdl", source, wdl)
    link("dtz", source, dtz)
    men = dropin.open(link("both", source, wdl, dtz))
    assert men >= 3
    fens = [fen for fen in random_fens(60, 1) if dropin.root(fen)[0] != FAILED]
    expected = [dropin.root(fen, 90) for fen in fens]
    assert len(fens) > 5
    for folders in (("wdl", "dtz"), ("dtz", "wdl"), ("dtz", "/nonexistent", "wdl", "dtz")):
        assert dropin.open(*folders) == men
        assert [dropin.root(fen, 90) for fen in fens] == expected
    # Verdicts alone count, as in Fathom, but the root cannot be probed with them, nor anything with distances alone.
    verdicts = [dropin.wdl(fen) for fen in fens]
    assert dropin.open("wdl") == men
    assert [dropin.wdl(fen) for fen in fens] == verdicts
    assert {dropin.root(fen)[0] for fen in fens if dropin.wdl(fen) in (LOSS, WIN)} <= {FAILED, WIN}
    assert dropin.open("dtz") == 0
    assert {dropin.wdl(fen) for fen in fens} == {FAILED}


@pytest.mark.seconds(2)
def test_folders_by_men(dropin):
    for name in os.listdir(TABLES):
        folder = f"men{len(name.split('.')[0]) - 1}"
        if name.endswith((".wdl.treb", ".dtz.treb")):
            link(folder, TABLES, name)
    assert dropin.open("men3") == 3
    assert dropin.open("men4") == 4
    dropin.open(link("both", TABLES, ".wdl.treb", ".dtz.treb"))
    fens = list(random_fens(60, 2))
    expected = [dropin.root(fen, 50) for fen in fens]
    for folders in (("men3", "men4"), ("men4", "men3")):
        assert dropin.open(*folders) == 4
        assert [dropin.root(fen, 50) for fen in fens] == expected


@pytest.mark.seconds(5)
def test_tables_missing(dropin):
    """Whatever is missing: the root fails, or each legal move has a word, which is the right one."""
    names = [name for name in os.listdir(TABLES) if name.endswith((".wdl.treb", ".dtz.treb"))]
    dropin.open(link("all", TABLES, *names))
    fens = [fen for fen in random_fens(200, 3) if dropin.wdl(fen) != FAILED]
    full = {(fen, clock): dropin.root(fen, clock) for fen in fens for clock in (0, 97)}
    rng = random.Random(4)
    answers = failures = 0
    for number in range(8):
        folder = f"part{number}"
        share = 0.2 + 0.1 * number
        link(folder, TABLES, *[n for n in names if n.startswith(("KRvKP.", "KPvKP.")) or rng.random() < share])
        dropin.open(folder)
        for (fen, clock), (word, words) in full.items():
            got, moves = dropin.root(fen, clock)
            if got == FAILED:
                failures += 1
                assert moves == {}
            else:
                answers += 1
                assert got == word, fen
                assert moves == words, fen
    assert answers > 300 and failures > 300


@pytest.mark.seconds(5)
def test_rounded_distances(dropin):
    """With Syzygy's files that round: no word is less than the file's distance of the position, at any clock."""
    run("export", "-q", "--syzygy", "rounded", "KRvKR")
    rng = random.Random(5)
    fens = [fen for fen in random_fens(3000, 6) if sorted(c for c in fen.split()[0] if c.isalpha()) == list("KRkr")]
    dropin.open(TABLES)
    exact = {fen: dropin.root(fen)[0] for fen in [*fens, "7R/4K3/8/k7/8/8/8/r7 w - - 0 1"]}
    dropin.open("rounded")
    late = 0
    for fen, word in exact.items():
        if word == FAILED or verdict(word) == DRAW or plies(word) == 0:
            continue
        own, _ = dropin.root(fen)
        assert plies(word) - plies(own) in (0, 1), fen
        for clock in {0, 50, *rng.sample(range(102), 3), max(0, 100 - plies(own)), max(0, 101 - plies(own))}:
            word, words = dropin.root(fen, clock)
            spoiled = clock + plies(own) > 100
            late += spoiled
            assert plies(word) == plies(own)
            assert verdict(word) == verdict(own) + (0 if not spoiled else -1 if verdict(own) == WIN else 1), (fen, clock)
            assert word in words.values()
            wins = [plies(w) for w in words.values() if verdict(w) > DRAW]
            assert min(wins, default=plies(own)) >= plies(own), (fen, clock)
    assert late > 100


@pytest.mark.seconds(4)
def test_pawn_file(dropin):
    """A pawn file may know the position but not every move: each legal move has a word all the same, and the best one is
    at least as good as the others."""
    run("solve", "-q", "-t", TABLES, "--write", "solved", WON)
    assert dropin.open("solved") == 6
    unknown = 0
    for fen, expected in [(WON, WIN), *PARTLY_KNOWN.items()]:
        word, words = dropin.root(fen)
        legal = run("probe", "--json", "-t", "solved", fen, code=None).json()["moves"]
        assert verdict(word) == expected
        assert len(words) == len(legal)
        assert word in words.values()
        assert max(map(verdict, words.values())) == expected
        unknown += [(verdict(w), plies(w)) for w in words.values()].count((LOSS, 0))
    assert unknown == 6
