"""conftest.py - servers for the tests, and folders of tables for them."""
import contextlib

import pytest

from tests.support.command import TABLES, copy_files, run
from tests.support.server import TREB, Server


@pytest.fixture(scope="session", name="made_tables")
def fixture_made_tables(tmp_path_factory):
    """Tables of 3 men, KBNvK without DTC, and a blocked-pawn table. Tests must not change them."""
    folder = str(tmp_path_factory.mktemp("made") / "tables")
    copy_files(folder, "K[QRBNP]vK.*", "KBNvK.wdl.treb", "KBNvK.dtz.treb", "KBNvK.dtm.treb")
    run("blocked", "-t", TABLES, "--write", folder, TREB)
    return folder


@pytest.fixture(scope="module", name="server")
def fixture_server(made_tables, tmp_path_factory):
    """A server with these tables, for all cases of a file."""
    with Server("--tables", made_tables, "--solve", "64MiB", cwd=tmp_path_factory.mktemp("server")) as server:
        yield server
    assert "stopped" in server.logged()[-1]


@pytest.fixture(name="tables")
def fixture_tables(folder, made_tables):
    """A copy of these tables, in the current folder."""
    return copy_files("tables", "*", source=made_tables)


@pytest.fixture(name="serve")
def fixture_serve(folder):
    """Starts servers: serve(OPTION...). Those that still run after the case are stopped, and must exit with 0."""
    with contextlib.ExitStack() as servers:
        yield lambda *options, **more: servers.enter_context(Server(*options, **more))
