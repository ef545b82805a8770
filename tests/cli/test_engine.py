"""test_engine.py - `trebuchet engine`."""
import os
import shutil
import signal

import pytest

from tests.support.command import TABLES, TOOL, execute, read, run, start, wait_for, write

LIBRARY = os.path.join(os.path.dirname(TOOL), "fathom")


@pytest.fixture(name="show")
def fixture_show(folder):
    """No engine, but a program that shows what it is given."""
    write(
        "show",
        "#!/bin/sh\n# libfathom.so.1\n" 'echo "$LD_LIBRARY_PATH|$TREBUCHET_PATH|$TREBUCHET_CACHE|$*"\ncat\nexit 7\n',
    )
    os.chmod("show", 0o755)
    os.mkdir("empty")
    os.symlink(TABLES, "linked")


def test_engine(show):
    run("engine", "-t", "linked", "--", "./show", "-t", "x", code=7).has(rf"^{LIBRARY}\|{TABLES}\|\|-t x$").quiet()


def test_without(show):
    run("engine", "-t", "linked", "./show", "--help", code=7).has(r"\|--help$")


def test_its_input(show):
    run("engine", "-t", "linked", "./show", stdin="quit\n", code=7).has("^quit$")


def test_folders(show):
    run("engine", "-t", "empty", "-t", "linked", "./show", code=7).has(rf"\|{os.getcwd()}/empty:{TABLES}\|")


def test_cache(show):
    run("engine", "-c", "2MiB", "-t", "linked", "./show", code=7).has(r"\|2097152\|")


def test_ld_library_path(show):
    run("engine", "-t", "linked", "./show", code=7, env={"LD_LIBRARY_PATH": "/x:/y"}).has(rf"^{LIBRARY}:/x:/y\|")


def test_trebuchet_path(show):
    run("engine", "./show", code=7, env={"TREBUCHET_PATH": "linked"}).has(rf"\|{TABLES}\|")


def test_found_in_path(show):
    run("engine", "-t", "linked", "show", code=7, env={"PATH": f"{os.getcwd()}:{os.environ['PATH']}"}).quiet()


def test_without_tables(show):
    run("engine", "-t", "empty", "./show", code=7).says("no tables in empty")


def test_that_is_not_linked(show):
    run("engine", "-t", "linked", "cat").says("not linked with libfathom.so.1")


def test_a_bad_size(show):
    run("engine", "-c", "much", "-t", "linked", "./show", code=2).says("size").silent()


def test_that_is_not_there(show):
    run("engine", "-t", "linked", "nosuchengine", code=1).says("no engine 'nosuchengine' in PATH").silent()


def test_that_is_no_file(show):
    run("engine", "-t", "linked", "./nosuchengine", code=1).says("no engine ./nosuchengine")


def test_that_is_a_folder(show):
    run("engine", "-t", "linked", "./empty", code=1).says("no engine ./empty")


def test_that_cannot_be_run(show):
    write("out", "")
    run("engine", "-t", "linked", "./out", code=1).says("cannot run ./out")


def test_a_folder_that_is_not_there(show):
    run("engine", "-t", "nowhere", "./show", code=1).says("nowhere").silent()


def test_no_folder_at_all(show):
    run("engine", "./show", code=7).has(r"\|\|\|$").says("warning: tables: No such file", "--tables DIR")


def test_a_folder_less_than_trebuchet_path_has(show):
    run("engine", "./show", code=7, env={"TREBUCHET_PATH": "nowhere:linked"}).has(rf"\|{TABLES}\|").says(
        "warning: nowhere: No such file"
    )


def test_a_colon_in_a_folder(show):
    os.mkdir("a:b")
    run("engine", "-t", "a:b", "./show", code=1).says("colon").silent()


def test_without_its_library(show):
    shutil.copy(TOOL, "alone")
    answer = execute("./alone", "engine", "-t", "linked", "./show", code=1)
    answer.says("libfathom.so.1 is neither in").silent()


def test_installed(show):
    os.makedirs("moved/bin")
    os.makedirs("moved/lib/trebuchet")
    shutil.copy(TOOL, "moved/bin/")
    shutil.copy(os.path.join(LIBRARY, "libfathom.so.1"), "moved/lib/trebuchet/")
    answer = execute("moved/bin/trebuchet", "engine", "-t", "linked", "./show", code=7)
    answer.has(rf"^{os.getcwd()}/moved/lib/trebuchet\|")


def test_signals(show):
    """The engine is the process itself: a signal to the process ends the engine."""
    process = start("engine", "-t", "linked", "sleep", "60")
    name = f"/proc/{process.pid}/comm"
    wait_for(lambda: read(name).strip() == "sleep", "the engine runs", process=process)
    process.terminate()
    assert process.wait() == -signal.SIGTERM
