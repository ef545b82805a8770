"""conftest.py - folders with files that tests of several commands use."""
import os
import shutil

import pytest

from tests.support.command import TABLES, copy_files, run


@pytest.fixture(name="some")
def fixture_some(folder):
    """A folder with the tables of 3 men, and of KBNvK only WDL and DTZ."""
    return copy_files("some", "K[QRBNP]vK.*", "KBNvK.wdl.treb", "KBNvK.dtz.treb")


@pytest.fixture(scope="session", name="mates")
def fixture_mates(tmp_path_factory):
    """A folder with the tables of KPvK and what it needs, DTM50 too."""
    path = str(tmp_path_factory.mktemp("mates"))
    run("gen", "-q", "--metric", "all5", "-t", path, "KPvK")
    return path


BOOK = "8/8/2p5/k1p1K3/p1P5/P7/8/8 w - - 0 1"


@pytest.fixture(scope="session", name="made_blocked")
def fixture_made_blocked(tmp_path_factory):
    """Three blocked-pawn tables, made once: one with open placements, one complete, one of a goal."""
    path = str(tmp_path_factory.mktemp("made") / "ranks")
    small = "8/8/8/3pK3/2kP4/8/8/8 w - - 0 1"
    run("blocked", "-p", "1", "-t", TABLES, "--write", path, BOOK)
    run("blocked", "-t", TABLES, "--write", path, small)
    run("blocked", "--goal", "take", "--from", "d6,c7,d7", "--safe", "--write", path, BOOK)
    return path


@pytest.fixture(name="ranks")
def fixture_ranks(folder, made_blocked):
    """A copy of these tables, in the current folder."""
    return os.path.basename(shutil.copytree(made_blocked, "ranks"))


@pytest.fixture(name="empty")
def fixture_empty(folder):
    os.mkdir("empty")
    return "empty"
