"""test_command.py - the command itself: help, options, completion and man pages."""
import os
import re

import pytest

from tests.support.command import DOCS, TABLES, TOOL, execute, read, run

COMMANDS = "gen plan export repack probe line find rule play shift near solve blocked stats info verify compare bench serve engine".split()
HELPED = [c for c in COMMANDS if c not in ("export", "serve")]
COMPLETED = [c for c in COMMANDS if c != "export"]
UNDER = "8/5P1k/8/7K/8/8/8/8 w - - 0 1"


def test_no_command():
    run(code=2).says("Usage:")


def test_help():
    run("--help").has("Usage:").quiet()


def test_version():
    run("--version").has(r"^trebuchet [0-9]+\.[0-9]+")


def test_unknown_command():
    run("frobnicate", code=2).says("no command").silent()


@pytest.mark.parametrize("command", HELPED)
def test_help_of_a_command(command):
    run(command, "--help").has(f"^Usage: trebuchet {command}").quiet()
    run(command, "--no-such-option", code=2).says("help", "no-such-option").silent()
    if command not in ("gen", "plan", "compare"):
        run(command, "-t", TABLES, "--help")


@pytest.mark.parametrize("words", [[]] + [[c] for c in HELPED], ids=lambda words: "".join(words) or "general")
def test_help_fits_into_80_columns(words):
    assert run(*words, "--help").count("^.{81}") == 0


def complete(*words):
    """What bash offers for the last word."""
    line = " ".join(f'"{word}"' for word in (TOOL, *words))
    script = f'''
        . "{os.path.join(DOCS, "completion", "trebuchet.bash")}" 2>/dev/null
        COMP_WORDS=({line}) COMP_CWORD={len(words)}
        _trebuchet
        printf '%s\\n' "${{COMPREPLY[@]}}"'''
    return execute("bash", "-c", script, code=None).lines


@pytest.mark.parametrize("command", COMPLETED)
def test_options_are_completed_and_described(command):
    """The options in --help, those that are completed and those in the manual page are the same."""
    shown = re.findall(r"^ .{2,6}(--[a-z-]+)", run(command, "--help").out, re.M)
    completed = complete(command, "-")
    assert shown and sorted(set(shown)) == sorted(word for word in completed if re.search("--.", word))
    page = read(os.path.join(DOCS, "man", f"trebuchet-{command}.1"))
    described = re.findall(r"Fl Fl ([a-z-]+)", " ".join(re.findall(r"^\.It Fl .*", page, re.M)))
    assert sorted(set(shown)) == sorted({f"--{name}" for name in described})


@pytest.mark.parametrize(
    "option, values", [("--mirror", "none random"), ("--weight", "class board"), ("--turn", "white black"), ("-m", "dtm dtm50 dtc dtz")]
)
def test_values_that_are_completed(option, values):
    """Those values are accepted, and no others."""
    assert complete("find", option, "") == values.split()
    sample = ["--sample", "1"] if option in ("--mirror", "--weight") else ["-n", "1"]
    for value in values.split():
        run("find", "-t", TABLES, "-q", *sample, option, value, "KRvK").has("/")
    run("find", "-t", TABLES, *sample, option, "other", "KRvK", code=2).says("other|white or black").silent()


@pytest.mark.parametrize("command", [c for c in HELPED if c not in ("verify", "bench")])
def test_without_an_argument(command):
    run(command, code=2).silent()


@pytest.mark.parametrize("command", "probe line stats verify bench".split())
def test_tables_option(command):
    run(command, "--tables", code=2).silent()
    argument = UNDER if command in ("probe", "line") else "KRvK"
    run(command, "-t", "nowhere", argument, code=1).says("nowhere")
