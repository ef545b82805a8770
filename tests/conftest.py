"""conftest.py - what all tests that pytest runs share: their environment, order and times.

TREB_BUILD is the build folder that is tested, build/test unless given. TREB_TABLES is a folder with all tables of 3 and
4 men, TREB_BUILD/tables unless given; tests only read it."""
import os
import resource
import shutil
import tempfile

import pytest

from tests.support.command import BUILD, TABLES, unlock

# Scripts that run as they are, with arguments of their own, are called by tests; they are no tests of pytest.
collect_ignore = ["probe/test_engine_fathom.py"]


# For tests that are scripts or unittest's: they read these when they are loaded.
os.environ["TREB_BUILD"], os.environ["TREB_TABLES"] = BUILD, TABLES


def pytest_configure():
    # Threads that wait should leave a busy machine to those that work.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    # Several tests run side by side, so each of them takes longer.
    os.environ.setdefault("CK_TIMEOUT_MULTIPLIER", "4")
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    os.environ["LC_ALL"] = "C"
    for name in ("TREBUCHET_PATH", "COLUMNS", "http_proxy", "HTTP_PROXY", "MAKEFLAGS", "MAKELEVEL"):
        os.environ.pop(name, None)
    os.environ["no_proxy"] = "*"


def pytest_collection_modifyitems(items):
    """The longest cases first: at the end no processor waits for one that has just begun."""

    def seconds(item):
        marker = item.get_closest_marker("seconds")
        return marker.args[0] if marker else 0

    items.sort(key=seconds, reverse=True)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Gives each process two cases at a time. The scheduler of pytest-xdist would give the first process all long cases."""
    from xdist.scheduler import LoadScheduling  # pylint: disable=import-outside-toplevel

    class TwoAtATime(LoadScheduling):
        def _send_tests(self, node, num):
            super()._send_tests(node, max(0, min(num, 2 - len(self.node2pending[node]))))

    return TwoAtATime(config, log)


@pytest.fixture(autouse=True)
def folder():
    """An empty folder of its own for each case, which is the current one while the case runs."""
    path = tempfile.mkdtemp(prefix="trebuchet-test-")
    before = os.getcwd()
    os.chdir(path)
    yield path
    os.chdir(before)
    unlock(path)
    shutil.rmtree(path)


def processor_seconds():
    use = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in use)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    before = processor_seconds()
    yield
    item.user_properties.append(("processors", processor_seconds() - before))


def pytest_report_teststatus(report):
    """Says of each case how long it took, and how long processors worked for it."""
    if report.when == "call" and report.outcome == "passed" and not hasattr(report, "wasxfail"):
        used = dict(report.user_properties).get("processors", 0)
        return "passed", ".", f"PASSED {report.duration:6.1f} s {used:6.1f} cpu"
    return None
