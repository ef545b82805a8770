"""test_suites.py - the test programs in C, each of them one case: tests/core/test_index.c is suite[core/test_index].

A suite that takes long runs a share of its loops in `make test` (tests/support/part.h) and all of it in
`make test-full`."""
import glob
import os

import pytest

from tests.support.command import BUILD, TABLES, TOP, passes

# Suite: processor seconds of the whole, and the share that `make test` runs: one in N, or None for nothing.
LONG = {
}
# Suites that make tables can begin with those that are there.
ENVIRONMENT = {"gen/test_gen": {"TREB_TEST_TABLES": TABLES}}


def suites():
    names = sorted(path[len(TOP) + len("/tests/"):-2] for path in glob.glob(os.path.join(TOP, "tests", "*", "test_*.c")))
    return [name for name in names if os.path.exists(program(name)) or "TREB_BUILD" not in os.environ]


def program(name):
    return os.path.join(BUILD, "tests", name)


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.seconds(LONG.get(n, (5,))[0]))
                                  for n in suites() if LONG.get(n, (0, 1))[1] is not None])
def test_suite(name):
    part = LONG.get(name, (0, 1))[1]
    passes(program(name), cwd=TOP, env={"TREB_TEST_PART": str(part), **ENVIRONMENT.get(name, {})})


@pytest.mark.full
@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.seconds(LONG[n][0])) for n in suites() if n in LONG])
def test_whole_suite(name):
    passes(program(name), cwd=TOP)
