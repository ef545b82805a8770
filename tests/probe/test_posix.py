"""test_posix.py - nothing is used beyond POSIX without another way: all of it compiles with musl for POSIX alone, and the
library runs like that."""
import glob
import os
import re
import shutil
import subprocess

import pytest

from tests.support.command import BUILD, SYZYGY, TOP

pytestmark = [
    pytest.mark.full,
    pytest.mark.seconds(15),
    pytest.mark.skipif(not shutil.which("musl-gcc"), reason="musl-tools is not installed"),
]
POSIX = ["-std=c11", "-D_POSIX_C_SOURCE=200809L"]
STRICT = ["musl-gcc", *POSIX, "-I.", "-Iinclude", "-idirafter", "HEADERS", "-Wall", "-Wextra", "-fsyntax-only"]
# What the command uses and POSIX has since 2024 only; all systems known to us have had it for long.
NEWER = {"asprintf", "vasprintf", "memmem", "getentropy"}
# Headers of other libraries: the compiler shall see these of the system's, and no others.
HEADERS = ["zstd.h", "zstd_errors.h", "xxhash.h", "jansson.h", "jansson_config.h", "cbor.h", "cbor", "zlib.h", "zconf.h", "microhttpd.h",
           "lua5.4-deb-multiarch.h"]


def sources(*patterns, but=()):
    files = [file for pattern in patterns for file in sorted(glob.glob(pattern, root_dir=TOP))]
    return [file for file in files if not any(word in file for word in but)]


def compile_all(folder, words, files):
    """What the compiler says."""
    for name in HEADERS:
        for found in glob.glob(f"/usr/include/{name}") + glob.glob(f"/usr/include/*-linux-gnu/{name}"):
            if not os.path.lexists(os.path.join(folder, name)):
                os.symlink(found, os.path.join(folder, name))
    words = [folder if word == "HEADERS" else word for word in STRICT + words]
    return subprocess.run(words + files, cwd=TOP, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("zstd", [0, 1])
def test_library(folder, zstd):
    files = sources("core/chess/*.c", "core/format/*.c", "core/system/*.c", "probe/*.c", "probe/syzygy/*.c", "probe/fathom/*.c",
                    but=["machine_", "tool_", "table_bundle"])
    assert len(files) > 70
    words = [f"-DTREB_ZSTD={zstd}", "-Werror"]
    if not zstd:  # the parts that only write always need it
        files = [file for file in files if not re.search(r"table_(write|encode|order)|paged|spill|state|text_file|memory_budget", file)]
    done = compile_all(folder, words, files)
    assert done.returncode == 0, done.stderr


def test_command(folder):
    """The command takes from X/Open what belongs to POSIX's systems, and the header of OpenMP from the compiler."""
    files = sources("core/*/*.c", "gen/*.c", "gen/*/*.c", "check/*/*.c", "find/*.c", "pawns/*/*.c", "json/*.c", "server/*.c", "cli/*.c",
                    but=["gen/mpi/", "kernel", "optimal_parse.c"])
    assert len(files) > 200
    openmp = os.path.dirname(subprocess.run(["gcc", "-print-file-name=include/omp.h"], capture_output=True, text=True, check=True).stdout)
    lua = next(iter(glob.glob("/usr/include/lua5.4")), "/usr/include/lua")
    done = compile_all(folder, ["-D_XOPEN_SOURCE=700", "-fopenmp", "-idirafter", openmp, "-idirafter", lua], files)
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stderr.splitlines() if re.search("error|warning", line)]
    assert set(re.findall("implicit declaration of function ‘(\\w+)’", done.stderr)) <= NEWER
    assert [line for line in lines if "implicit declaration" not in line and "comparison between pointer and integer" not in line] == []


def test_two_files(tmp_path):
    """The library as one file, with the C library alone: it answers as that of this system."""
    two = os.path.join(BUILD, "amalgamation")
    subprocess.run(["make", "-s", "PAGE=no", f"BUILD={BUILD}", "amalgamation"], cwd=TOP, check=True)
    answers = []
    for name, words in (("here", ["cc", "-std=c11"]), ("posix", ["musl-gcc", *POSIX, "-static"])):
        program = str(tmp_path / name)
        subprocess.run([*words, "-O1", "-Wall", "-Wextra", "-Werror", "-I", two, "tests/probe/all_positions.c", f"{two}/trebuchet.c",
                        "-o", program, "-lpthread"], cwd=TOP, check=True)
        done = subprocess.run([program, "1", "KPvK", "KQvK"], input=f"{SYZYGY}\n", capture_output=True, text=True, check=True)
        answers.append(done.stdout)
    assert answers[0] == answers[1] and answers[0].count(" positions") == 2
