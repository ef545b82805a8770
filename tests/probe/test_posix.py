"""test_posix.py - the library uses nothing beyond POSIX without another way: it compiles with musl for POSIX alone."""
import glob
import shutil
import subprocess

import pytest

from tests.support.command import TOP


@pytest.mark.full
@pytest.mark.seconds(10)
@pytest.mark.skipif(not shutil.which("musl-gcc"), reason="musl-tools is not installed")
def test_posix_alone():
    files = sorted(glob.glob("core/system/system_*.c", root_dir=TOP) + glob.glob("core/system/thread_*.c", root_dir=TOP)
                   + ["core/system/io.c", "core/system/nowait.c", "core/system/error.c"]
                   + glob.glob("probe/*.c", root_dir=TOP) + glob.glob("probe/syzygy/*.c", root_dir=TOP)
                   + glob.glob("core/format/table_[flps]*.c", root_dir=TOP) + ["core/format/mapped.c"])
    assert len(files) > 30
    words = ["musl-gcc", "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-DTREB_ZSTD=0", "-I.", "-Iinclude", "-Wall", "-Wextra", "-Werror",
             "-fsyntax-only"]
    done = subprocess.run(words + files, cwd=TOP, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
