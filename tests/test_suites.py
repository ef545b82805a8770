"""test_suites.py - the test programs in C, each of them one case: tests/core/test_index.c is suite[core/test_index].

A suite that takes long runs a share of its loops in `make test` (tests/support/part.h) and all of it in
`make test-full`."""
import collections
import glob
import os

import pytest

from tests.support.command import BUILD, TABLES, TOP, passes

# A long suite: processor seconds of the whole, and of what `make test` runs; what that runs, in the environment.
Long = collections.namedtuple("Long", "whole quick environment")


def share(whole, quick):
    """One in eight of the loops, or less than that."""
    return Long(whole, quick, {"TREB_TEST_PART": "8"})


def group(whole, quick, name, **more):
    """One of Check's test cases."""
    return Long(whole, quick, {"TREB_TEST_PART": "8", "CK_RUN_CASE": name, **more})


LONG = {
    "check/test_compare": share(17, 7),
    "check/test_verify": share(21, 7),
    "core/test_symbols_damage": share(4, 1),
    "examples/test_store": share(5, 1),
    "find/test_find": share(32, 20),
    "gen/test_coder": share(5, 3),
    "gen/test_codecs": share(12, 6),
    "gen/test_encode": share(11, 3),
    # The tables that are there, compared with published figures. The whole suite makes them itself.
    "gen/test_gen": group(80, 1, "all", TREB_TEST_TABLES=TABLES),
    "gen/test_gen_disk": share(23, 9),
    "gen/test_gen_memory": share(11, 4),
    "gen/test_gen_resume": group(48, 7, "resume"),
    "gen/test_parse": share(9, 6),
    "gen/test_export": share(12, 7),
    "gen/test_runs": group(26, 5, "memory"),
    "pawns/test_blocked_file": share(11, 3),
    "pawns/test_blocked_memory": share(4, 3),
    "pawns/test_distance": share(14, 6),
    "pawns/test_pawn_file": share(17, 11),
    "pawns/test_saved_search": share(7, 4),
    "gen/test_wide": share(15, 7),
    "probe/test_bounded": share(62, 5),
    "probe/test_mate50": group(80, 4, "three"),
    "probe/test_probe": share(13, 4),
    "probe/test_probe_faults": share(8, 4),
    "probe/test_syzygy": share(16, 6),
}
# Processor seconds of other suites that take more than a few.
SECONDS = {
    "check/test_mate50": 75,
    "check/test_verify_memory": 9,
    "check/test_verify_syzygy": 10,
    "gen/test_dtm50": 27,
    "gen/test_finished": 24,
    "gen/test_histogram": 12,
    "gen/test_pair": 6,
    "pawns/test_blocked": 8,
    "pawns/test_win_search": 10,
    "probe/test_http": 20,
}
# test_programs.py runs these whole, and then others on the tables that they make.
WHOLE_ELSEWHERE = ["probe/test_bounded"]


def program(name):
    return os.path.join(BUILD, "tests", name)


def suites():
    """All suites that this build has: a build may leave some out."""
    names = sorted(path[len(TOP) + len("/tests/") : -2] for path in glob.glob(os.path.join(TOP, "tests/*/test_*.c")))
    return [name for name in names if os.path.exists(program(name))]


def case(name, seconds):
    return pytest.param(name, marks=pytest.mark.seconds(seconds))


def test_long_suites_exist():
    assert [name for name in LONG if not os.path.exists(os.path.join(TOP, "tests", name + ".c"))] == []


@pytest.mark.parametrize("name", [case(n, SECONDS.get(n, 3)) for n in suites() if n not in LONG])
def test_suite(name):
    passes(program(name), cwd=TOP)


@pytest.mark.parametrize("name", [case(n, LONG[n].quick) for n in suites() if n in LONG])
def test_share_of_suite(name):
    passes(program(name), cwd=TOP, env=LONG[name].environment)


@pytest.mark.full
@pytest.mark.long
@pytest.mark.parametrize("name", [case(n, LONG[n].whole) for n in suites() if n in LONG and n not in WHOLE_ELSEWHERE])
def test_whole_suite(name):
    passes(program(name), cwd=TOP)
