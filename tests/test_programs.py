"""test_programs.py - test programs and scripts that test by themselves, each with its arguments: one case each."""
import glob
import os
import shutil
import sys

import pytest

from tests.support.command import BUILD, DATA, TABLES, TOOL, TOP, passes, run


def built(path):
    """A test program of the build."""
    return os.path.join(BUILD, "tests", path)


def script(path):
    """A script in tests/."""
    return os.path.join(TOP, "tests", path)


def case(name, seconds, *words, full=False, long=False, needs=None):
    """`needs` is a program without which the case is skipped, and the task of .ci/deps that installs it."""
    marks = [pytest.mark.seconds(seconds)]
    marks += [pytest.mark.full] if full or long else []
    marks += [pytest.mark.long] if long else []
    return pytest.param(words, needs, id=name.replace(" ", "_"), marks=marks)


def need(name, task="test"):
    os.environ["PATH"] += ":/usr/games"
    if not shutil.which(name):
        pytest.skip(f"{name} is not installed: .ci/deps {task}")


PAIR = "8/8/8/8/p4k2/8/1P6/3K4 w - - 0 1"
SOLVE_TABLES = built("pawns/solve_tables")
ENGINE = os.path.join(BUILD, "trebuchet-uci")

CASES = [
    # The library, with tables of 3 and 4 men.
    case("published counts", 5, built("probe/counts"), TABLES, os.path.join(DATA, "le5.tsv")),
    case("published distances", 10, script("probe/published_counts.py"), TOOL, TABLES),
    case("few open files", 5, built("probe/test_files"), TABLES),
    case("never wait", 5, built("probe/test_wait"), TABLES),
    case("bounded probes", 5, built("probe/test_bounds"), TABLES),
    case(
        "symbols",
        1,
        script("probe/symbols.sh"),
        os.path.join(BUILD, "libtrebuchet.so"),
        os.path.join(BUILD, "libtrebuchet.a"),
    ),
    case("drop-in symbols", 1, script("probe/symbols_fathom.sh"), os.path.join(BUILD, "fathom", "libfathom.so.1")),
    case("drop-in source", 12, script("probe/fathom_source.sh"), BUILD, full=True),
    case("drop-in and hostile names", 3, script("probe/hostile_names.sh")),
    case("portable", 4, script("probe/portable.sh"), needs="musl-gcc", full=True),
    case("two files", 30, script("probe/amalgamation.sh"), BUILD, TABLES, full=True),
    case("rust", 10, script("probe/rust.sh"), TABLES, needs="cargo", full=True),
    case(
        "drop-in in an engine",
        20,
        sys.executable,
        script("probe/test_engine_fathom.py"),
        BUILD,
        TABLES,
        needs="ethereal-chess",
        full=True,
    ),
    case("programs in documents", 10, script("probe/documents.sh"), BUILD, TABLES),
    # Pawn endings, compared with tables.
    case("blocked and tables", 10, built("pawns/blocked_tables"), TABLES, "4", full=True),
    case("blocked, below", 5, built("pawns/blocked_tables"), TABLES, PAIR, "4"),
    case("solve and tables", 6, SOLVE_TABLES, TABLES, "4", full=True),
    case("solve with tables", 30, SOLVE_TABLES, TABLES, "12", "-", long=True),
    case("distances, bounds", 30, SOLVE_TABLES, TABLES, "KPPvK", "100", long=True),
    # In one of these only two values change at last, the black king on h8 in both: once that was not noticed.
    case("bounds, KPvKP", 30, SOLVE_TABLES, TABLES, "KPvKP", "110", long=True),
    case("distances, KPvKP", 30, SOLVE_TABLES, TABLES, "KPvKP", "60", "-", long=True),
    case("distances, en passant", 10, SOLVE_TABLES, TABLES, "KPvKP", "0", "-"),
    case("distances, KPPvK", 30, SOLVE_TABLES, TABLES, "KPPvK", "60", "-", long=True),
    case("published studies", 30, script("pawns/studies.py"), "--quick", "--time", "20", TOOL, TABLES, long=True),
    case("blocked, audited", 20, built("pawns/blocked_audit"), TABLES, "2", "5", "6", long=True),
    # The verifier.
    case("verify a sample", 10, TOOL, "verify", "--share", "0.3%", "--tables", TABLES),
    case("verify in full", 20, TOOL, "verify", "--full", "--tables", TABLES, "KPvK", "KQvKR", "KPvKP", long=True),
    case(
        "verify in little memory",
        10,
        TOOL,
        "verify",
        "--full",
        "--memory",
        "2MiB",
        "--tables",
        TABLES,
        "KPvK",
        "KRvKR",
        "KBvKN",
        full=True,
    ),
    # The example engine.
    case("example engine", 20, script("examples/engine.py"), ENGINE, TABLES),
    case("engine games", 10, built("examples/engine_games"), "-n", "40", ENGINE, TABLES),
    case("engine games, many", 60, built("examples/engine_games"), "-n", "300", ENGINE, TABLES, long=True),
    case("engine on solved pawn endings", 20, script("examples/solved_games.sh"), BUILD, long=True),
    case("engine positions", 20, script("examples/engine_positions.py"), "-m", "4", ENGINE, TABLES, long=True),
    # The command.
    case("install", 10, script("cli/install.sh"), BUILD),
    case("house", 10, script("house.py"), "--build", BUILD),
]


@pytest.mark.parametrize("words, needs", CASES)
def test_program(words, needs):
    if needs:
        need(needs)
    passes(*words, cwd=TOP)


@pytest.mark.full
@pytest.mark.long
@pytest.mark.seconds(40)
def test_engine_memory():
    if "without LMDB" in open(ENGINE, encoding="latin-1").read():
        pytest.skip("built without LMDB")
    passes(script("examples/memory.py"), ENGINE, TABLES, cwd=TOP)


def test_man_pages():
    need("mandoc")
    pages = os.path.join(TOP, "docs", "man")
    passes(
        "mandoc", "-Tlint", "-Wwarning", *sorted(os.path.join(pages, p) for p in os.listdir(pages) if p.endswith(".1"))
    )


@pytest.mark.full
@pytest.mark.long
@pytest.mark.seconds(90)
def test_bounded_tables(folder):
    """Tables whose mate distances are bounds: the suite makes them, and the next two read them."""
    kept = os.path.join(folder, "bounded")
    passes(built("probe/test_bounded"), cwd=TOP, env={"TREB_TEST_KEEP": kept})
    passes(built("probe/test_wait"), kept, cwd=TOP)
    passes(built("probe/test_bounds"), kept, cwd=TOP)


@pytest.mark.full
@pytest.mark.seconds(60)
def test_processes_make_tables():
    if not os.path.exists(os.path.join(BUILD, "trebuchet-mpi")):
        pytest.skip("there is no mpicc: .ci/deps mpi")
    passes(script("gen/mpi_check.sh"), "--short", BUILD, cwd=TOP)


EXPORTED = ["KQvK", "KRvK", "KPvK", "KBNvK", "KQvKR"]


@pytest.mark.full
@pytest.mark.parametrize(
    "names",
    [
        pytest.param(EXPORTED, marks=pytest.mark.seconds(20), id="few"),
        pytest.param(EXPORTED + ["KPvKP"], marks=[pytest.mark.long, pytest.mark.seconds(50)], id="many"),
    ],
)
def test_export(folder, names):
    """Exported files: read without waiting, compared with our own, verified, and used by Stockfish."""
    exported = os.path.join(folder, "syzygy")
    run("export", "--quiet", "--syzygy", exported, *names)
    passes(built("probe/test_wait"), exported, cwd=TOP)
    run("compare", "-m", "wdl,dtz", exported, TABLES, *names)
    run("verify", "--full", "--tables", exported, "KQvKR", "KBNvK")
    need("stockfish")
    passes(sys.executable, script("examples/stockfish_wins.py"), "stockfish", exported, cwd=TOP)


# ---- the npm package ----------------------------------------------------------------------------

NPM = sorted(glob.glob(script("npm/*.test.mjs")))


@pytest.mark.full
@pytest.mark.seconds(25)
@pytest.mark.parametrize("path", NPM, ids=[os.path.basename(path).split(".")[0] for path in NPM])
def test_npm(path):
    """The package, and the page without a server, in Node and in Chromium. `make static-site` has built both."""
    if not os.path.exists(os.path.join(BUILD, "site" if "site" in os.path.basename(path) else "npm/package")):
        pytest.skip("is not built: make static-site")
    passes("node", "--test", path, cwd=TOP)


# ---- the web page -------------------------------------------------------------------------------

PAGES = sorted(glob.glob(script("server/page_*.test.mjs")))


@pytest.mark.skipif(os.environ.get("PAGE") == "no", reason="built without the page")
@pytest.mark.seconds(25)
@pytest.mark.parametrize("path", PAGES, ids=[os.path.basename(path).split(".")[0] for path in PAGES])
def test_page(path):
    """page_units tests functions of the page, the others the page in Chromium: server/browser.mjs."""
    passes("node", "--test", path, cwd=TOP)
