"""The wheel: installed in an empty virtual environment it needs nothing else, its tag is true, and its types hold."""
import glob
import os
import re
import subprocess
import sys
import zipfile

import pytest

from tests.support.command import BUILD, TABLES, TOP

PROGRAM = """
from typing import List

import trebuchet

tablebase: trebuchet.Tablebase = trebuchet.open_tablebase("tables", memory=1 << 20)
wdl: int = tablebase.probe_wdl("8/5P1k/8/7K/8/8/8/8 w - - 0 1")
sans: List[str] = [move.san for move in tablebase.probe_moves("8/5P1k/8/7K/8/8/8/8 w - - 0 1", "dtm")]
sample: trebuchet.Positions = tablebase.sample("KQvKR", 1000, seed=2)
fen: str = sample[0]
half: trebuchet.Positions = sample[:500]
values = tablebase.probe_many(sample, "dtm", threads=2)
drawn = sample.select(verdict == 0 for verdict in values.wdl)
counts = tablebase.stats("KQvKR").counts["white"][2]
print(wdl, sans[0], fen, len(half), len(drawn) > 0, counts)
"""


def output(*words, **environment):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("TREB", "PYTHON", "LD_"))}
    run = subprocess.run(words, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         env={**clean, **environment})
    assert run.returncode == 0, run.stdout
    return run.stdout


def newest_glibc(library):
    """The newest version of glibc that a library's table of needed versions names."""
    needs = output("readelf", "-VW", library)
    return max((int(a), int(b)) for a, b in re.findall(r"Name: GLIBC_(\d+)\.(\d+)", needs))


@pytest.mark.full
@pytest.mark.seconds(20)
def test_wheel():
    output("make", "-C", TOP, "--no-print-directory", "BUILD=" + BUILD, "DEBUG=yes", "PAGE=no",
           "CFLAGS=" + os.environ.get("CFLAGS", "-O2 -g"), "wheel")
    wheel, = glob.glob(os.path.join(BUILD, "wheel", "*.whl"))
    with zipfile.ZipFile(wheel) as file:
        file.extractall("wheel")
        assert {"py.typed", "libtrebuchet.so.1", "_tablebase.py"} <= set(os.listdir("wheel/trebuchet"))
    library = "wheel/trebuchet/libtrebuchet.so.1"
    major, minor = newest_glibc(library)
    assert re.search(rf"-py3-none-manylinux_{major}_{minor}_{os.uname().machine}\.whl$", wheel)
    assert set(re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "-dW", library))) <= {"libc.so.6", "ld-linux-x86-64.so.2"}

    output(sys.executable, "-m", "venv", "environment")
    python = os.path.abspath("environment/bin/python")
    output(python, "-m", "pip", "install", "--no-index", "--no-deps", "--quiet", wheel)
    os.symlink(TABLES, "tables")
    with open("program.py", "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    assert output(python, "program.py").startswith("2 f8=R ")
    where = output(python, "-c", "import trebuchet._library as c; print(c.library()._name)").strip()
    assert where.startswith(os.path.abspath("environment")) and where.endswith("libtrebuchet.so.1")
    # All tests of arrays, without numpy.
    ran = output(python, os.path.join(TOP, "tests", "probe", "test_python_many.py"), TREB_BUILD=BUILD, TREB_TABLES=TABLES,
                 TREB_WHEEL="yes")
    assert re.search(r"^Ran \d{2} tests", ran, re.M)


@pytest.mark.full
@pytest.mark.seconds(15)
def test_types():
    """mypy accepts the module and a program that uses it, and finds a wrong use."""
    package = os.path.join(TOP, "probe", "python")
    config = os.path.join(package, "pyproject.toml")
    if subprocess.run([sys.executable, "-m", "mypy", "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                      check=False).returncode:
        pytest.skip("mypy is not installed: .ci/deps test")
    with open("program.py", "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    with open("wrong.py", "w", encoding="utf-8") as file:
        file.write('import trebuchet\nx: str = trebuchet.open_tablebase("tables").probe_wdl("")\n')
    mypy = (sys.executable, "-m", "mypy", "--cache-dir", os.path.abspath("cache"), "--config-file", config)
    assert "no issues found" in output(*mypy, os.path.join(package, "trebuchet"))
    assert "no issues found" in output(*mypy, "program.py", MYPYPATH=package)
    with pytest.raises(AssertionError, match='wrong.py:2: error: .*"int".*"str"'):
        output(*mypy, "wrong.py", MYPYPATH=package)
