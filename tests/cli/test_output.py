"""test_output.py - output that cannot be written."""
import os

import pytest

from tests.support.command import TABLES, run, write

UNDER = "8/5P1k/8/7K/8/8/8/8 w - - 0 1"
WORDS = [
    f"probe {UNDER}",
    "stats KPvK",
    "stats --json KPvK",
    "info KPvK.wdl",
    "info --json KPvK.wdl",
    "verify KQvK",
    "verify --json KQvK",
    "gen -e KRvK",
    "gen --json -e KRvK",
    f"compare {TABLES} {TABLES} KQvK",
]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize("words", WORDS, ids=lambda words: " ".join(words.split()[:2]))
def test_nowhere_to_write_to(words):
    with open("/dev/full", "wb") as full:
        answer = run(*words.split(), stdout=full, code=1, env={"TREBUCHET_PATH": TABLES})
    answer.says("cannot write the output: No space left")
