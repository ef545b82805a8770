"""test_words.py - what the command understands and how it reports errors: help, mistyped words, endings as people write
them, errors as text and as JSON."""
import json
import os
import re
import shutil

import pytest

from tests.support.command import TABLES, TOOL, TOP, copy_files, execute, run

ALL = (
    "gen plan export probe line find rule play shift near solve blocked stats info verify compare bench serve engine"
).split()
WITH_JSON = [command for command in ALL if command not in ("serve", "engine")]
RULES = os.path.join(TOP, "examples", "rules")
STRATEGIES = os.path.join(TOP, "examples", "strategies")

# ---- help, version, mistyped words ---------------------------------------------------------------


@pytest.mark.parametrize("command", ALL)
def test_help_of(command):
    own = run(command, "--help")
    answer = run("help", command)
    assert answer.out == own.out != "" and answer.err == ""
    run("--help").has(f"^  {command} ")


@pytest.mark.parametrize("words", ["help", "-h", "help help", "help --help", "help version"])
def test_general_help(words):
    answer = run(*words.split())
    assert answer.out == run("--help").out and answer.err == ""


@pytest.mark.parametrize("word", ["version", "--version", "-V"])
def test_version(word):
    run(word).has(r"^trebuchet [0-9]+\.[0-9]+")


def test_mistyped_commands():
    run("porbe", code=2).says(r"^trebuchet: there is no command 'porbe'; did you mean 'probe'\?$").silent()
    run("help", "verfiy", code=2).says("did you mean 'verify'").silent()
    run("generate", "KQvK", code=2).says("did you mean 'gen'")
    run("8/8/8/8/8/2k5/1q6/K7 w - - 0 1", code=2).says("did you mean 'probe'")
    run("frobnicate", code=2).says("there is no command 'frobnicate'$").lacks("did you mean")
    error = run("porbe", "--json", code=2).fails_with("bad_request")
    assert "did you mean 'probe'" in error["message"]


def test_mistyped_options():
    answer = run("probe", "--tabels", "x", code=2)
    answer.says(r"^trebuchet probe: there is no option '--tabels'; did you mean '--tables'\?$")
    run("verify", "--treads=2", code=2).says("did you mean '--threads'")
    run("gen", "--frobnicate", code=2).says("there is no option '--frobnicate'$")
    run("gen", "--me", "3", code=2).says("^trebuchet gen: '--me' is short for more than one option")
    run("gen", "--quiet=x", code=2).says("^trebuchet gen: '--quiet=x': this option takes no value$")


@pytest.mark.parametrize("before", [[], ["--quiet"], ["--json"]], ids=lambda before: "".join(before) or "alone")
def test_a_wrong_letter(before):
    """Among others, and at the end."""
    run("gen", *before, "-zq", code=2).says("^trebuchet gen: there is no option '-z'$")
    run("gen", *before, "-qz", code=2).says("^trebuchet gen: there is no option '-z'$")


# ---- errors: one prefix, and JSON under --json ---------------------------------------------------


def is_error(answer, command, code):
    """Stdout is one object with the message, and the first line on stderr is the message with its prefix."""
    answer.has_lines(1).has(rf'^\{{"error":\{{"code":"{code}","message":"[^"]{{6,}}"\}}\}}$')
    assert answer.messages[0] == f"trebuchet {command}: {json.loads(answer.out)['error']['message']}"


@pytest.mark.parametrize("command", WITH_JSON)
def test_errors_in_json(command):
    is_error(run(command, "--no-such-option", "--json", code=2), command, "bad_request")
    is_error(run(command, "--js", "-%", code=2), command, "bad_request")
    is_error(run(command, "--json", "--help=x", code=2), command, "bad_request")
    option = {"gen": "--men", "plan": "--men", "export": "--men", "compare": "--show"}.get(command, "--tables")
    is_error(run(command, "--json", option, code=2), command, "bad_request")
    if command in ("verify", "bench"):
        is_error(run(command, "--json", "-t", "nowhere", code=1), command, "io")
    elif command in ("probe", "line", "blocked"):
        is_error(run(command, "--json", "x", code=2), command, "bad_fen")
    else:
        is_error(run(command, "--json", code=2), command, "bad_request")


@pytest.mark.parametrize("command", "gen plan export stats find compare verify bench".split())
def test_no_such_ending(command):
    before = {"export": ["--syzygy", "x"], "compare": [TABLES, TABLES]}
    before.update({name: ["-t", TABLES] for name in ("verify", "bench", "stats")})
    answer = run(command, "--json", *before.get(command, []), "KXvK", code=2).has("no ending called")
    is_error(answer, command, "bad_request")


def test_other_errors():
    answer = run("blocked", "--json", "--svg", "-", "8/8/8/3pK3/2kP4/8/8/8 w - - 0 1", code=2)
    is_error(answer, "blocked", "bad_request")
    run("serve", "--no-such-option", code=2).says("^trebuchet serve: .*no-such-option")
    run("engine", "--no-such-option", code=2).says("^trebuchet engine: .*no-such-option")


# ---- words of another kind -----------------------------------------------------------------------

POSITION_COMMANDS = [[c] for c in "probe line near shift solve blocked".split()]
POSITION_COMMANDS.append(["play", f"{STRATEGIES}/king-and-rook.lua"])


@pytest.mark.parametrize("words", POSITION_COMMANDS, ids=lambda words: words[0])
def test_an_ending_for_a_position(words):
    answer = run(*words, "KRvK", code=2).silent()
    answer.says(
        f"^trebuchet {words[0]}: 'KRvK' is an ending, not a position: 'trebuchet stats KRvK' counts it, "
        "'trebuchet find KRvK' lists its positions$"
    )


def test_what_is_meant_as_an_ending():
    answer = run("probe", "krpkr", code=2)
    answer.says("^trebuchet probe: 'krpkr' is an ending, .*'trebuchet find KRPvKR' lists", "^A FEN looks like '8/")
    run("probe", "KR", "v", "K", code=2).says("'KR v K' is an ending, .*'trebuchet stats KRvK' counts")
    is_error(run("probe", "--json", "KRvK", code=2), "probe", "bad_fen")
    answer = run("probe", "KRPvKRPX", code=2).silent()
    answer.says("^trebuchet probe: not a FEN, and no ending called 'KRPvKRPX': write it like KRPvKR$")


def test_words_for_a_position():
    run("probe", "foo", code=2).says("^trebuchet probe: not a FEN and not a file: 'foo'$").silent()
    run("line", "foo", code=2).says("^trebuchet line: not a FEN, because it has no board: 'foo'$").silent()
    run("probe", "foo", "bar", code=2).says("not a FEN: the board has fewer than 8 ranks: 'foo bar'$")


@pytest.mark.parametrize("words", ["KRPvKRPX", "KRvKR KRPvKRPX"])
def test_find_a_wrong_ending(words):
    """The last word of find may be a condition."""
    answer = run("find", "-t", TABLES, *words.split(), code=2).silent()
    answer.says("^trebuchet find: no ending called 'KRPvKRPX': write it like KRPvKR")


def test_find_an_ending_once():
    run("find", "-t", TABLES, "--count", "krk", "KR-K").has("^KRvK +50,015 of").has_lines(1)


@pytest.mark.parametrize("condition", ["foo == 1", "verdict =", "verdict + 1"])
def test_find_a_wrong_condition(condition):
    answer = run("find", "-t", TABLES, "KRvK", condition, code=2).silent()
    answer.says(
        "^trebuchet find: condition:1: ",
        r"^A condition can use turn, verdict, dtm, wk and others; the test for equality is ==\.$",
    )
    answer.says("^Try 'trebuchet find --help'")


@pytest.mark.parametrize("rule", ["square", "philidor"])
def test_a_rule_for_another_ending(rule):
    answer = run("rule", "-t", TABLES, f"{RULES}/{rule}.lua", "KRvK", code=2).silent()
    place = r"\(in the position [KRk1-8/]+ [wb] - - 0 1 of KRvK: is the rule for another ending\?\)"
    answer.says(rf"^trebuchet rule: .*\.lua:[0-9]+: .* {place}$")


def test_a_rule_for_another_ending_one_position():
    answer = run("rule", "-t", TABLES, f"{RULES}/square.lua", "8/8/8/8/8/2k5/1q6/K7 w", code=2)
    answer.says(r"\(in the position k7/1Q6/2K5/8/8/8/8/8 b - - 0 1 of KQvK: ")


@pytest.mark.parametrize("command, folder_name, more", [("rule", "rules", ["KRvK"]), ("play", "strategies", [])])
def test_no_such_script(folder, command, folder_name, more):
    os.makedirs("beside/bin")
    shutil.copy(TOOL, "beside/bin/trebuchet")
    words = [command, "-t", TABLES, "nosuch.lua", *more]
    answer = run(*words, code=2).says(f"^trebuchet {command}: cannot open nosuch.lua: ").silent()
    answer.says("(^The .* that come with Trebuchet|^Trebuchet comes with)")
    answer = execute("beside/bin/trebuchet", *words, code=2)
    answer.says(
        rf"^Trebuchet comes with some {folder_name}: in examples/{folder_name}/ of its sources, "
        rf"or in share/trebuchet/{folder_name} where it is installed\.$"
    )
    os.makedirs(f"beside/share/trebuchet/{folder_name}")
    answer = execute("beside/bin/trebuchet", *words, code=2)
    answer.says(rf"^The {folder_name} that come with Trebuchet are in {folder}/beside/share/trebuchet/{folder_name}\.$")


# ---- endings as people write them ----------------------------------------------------------------

WAYS = ["KQvKR", "KQKR", "kqkr", "KR-KQ", "qk_kr", "KQ v KR", "KQ v. KR", "rk vs. qk", "KQ KR"]


@pytest.mark.parametrize("ending", WAYS)
def test_ways_to_write_an_ending(ending):
    run("stats", "-n", "-t", TABLES, ending).has("^KQvKR")
    run("stats", "--json", "-n", "-t", TABLES, ending).has('"material":"KQvKR"')
    run("info", "-t", TABLES, ending).has("^KQvKR, 4 men$")
    run("gen", "-e", "--json", "-t", "none", ending).has(r'\{"material":"KQvKR",[^}]*\}\],"total"')


def test_ways_to_write_an_ending_in_other_commands():
    run("export", "-e", "--json", "-s", "none", "kqkr").has(r'\{"material":"KQvKR",[^}]*\}\],"total"')
    run("verify", "-t", TABLES, "kqk", "RK - K").has("^KQvK +right", "^KRvK +right")
    run("verify", "-c", "-t", TABLES, "kpk").has("KPvK.wdl.treb right")
    run("compare", "-m", "wdl", TABLES, TABLES, "kpk", "KvKP").has("^KPvK +wdl", "^1 material, ")
    d = run("bench", "--json", "-d", "0.01", "-p", "50", "-t", TABLES, "kqkr").json()
    assert d["probes"][0]["material"] == "KQvKR"


def test_no_second_king():
    answer = run("stats", "KRP", code=2)
    answer.says("no ending called 'KRP': write it like KRPvKR, with one king on each side")


# ---- the files of an ending ----------------------------------------------------------------------


@pytest.fixture(name="syzygy")
def fixture_syzygy(folder):
    """A folder with Syzygy's files of KRvK."""
    run("export", "-q", "--syzygy", "sy", "KRvK")
    return "sy"


def test_info_of_an_ending(syzygy):
    answer = run("info", "-t", TABLES, "-t", syzygy, "KvKR").lacks("missing:")
    answer.has("^KRvK, 3 men$", f"^  {re.escape(TABLES)}$", "^  sy$")
    answer.has("^    KRvK.wdl.treb +[0-9.]+ k?B  WDL, both sides to move$")
    answer.has("^    KRvK.dtz.treb .* DTZ, (White|Black) to move$")
    answer.has("^    KRvK.rtbz .* Syzygy.s DTZ, (White|Black) to move; wins")
    run("info", "-t", syzygy, "krk").has("^  missing: dtc, dtm$")


def test_info_of_an_ending_json(syzygy):
    d = run("info", "--json", "-t", TABLES, "-t", syzygy, "KRK").json()
    ours, theirs = ["wdl", "dtz", "dtc", "dtm"], ["wdl", "dtz"]
    found = [(f["metric"], f.get("format")) for f in d["files"]]
    assert found == [(m, None) for m in ours] + [(m, "syzygy") for m in theirs]
    assert d["material"] == "KRvK" and d["men"] == 3
    assert d["bytes"] == sum(f["bytes"] for f in d["files"]) > 1000


def test_info_of_an_ending_tsv():
    run("info", "--tsv", "-t", TABLES, "KRK").has_lines(5).has("^KRvK\tdtm\t")


def test_info_of_an_ending_without_files(syzygy):
    answer = run("info", "-t", syzygy, "KQRvK", code=3).silent()
    answer.says("KQRvK.wdl.treb is not installed", "'trebuchet gen|cannot be made")
    run("info", "--json", "-t", syzygy, "KQRvK", code=3).fails_with("no_table")


def test_info_neither_file_nor_ending(syzygy):
    run("info", "-t", syzygy, "KXvK", code=3).says("no file 'KXvK'.*no ending called")
    run("info", "-t", syzygy, "KXvK.dtz", code=3).says("no file 'KXvK.dtz'").lacks("no ending called")


def test_info_of_an_ending_one_is_torn():
    copy_files("torn", "KRvK.*")
    os.truncate("torn/KRvK.dtc.treb", 100)
    answer = run("info", "-t", "torn", "KRvK", code=1)
    answer.has("KRvK.dtc.treb +100 B  cannot be read: ", "KRvK.dtm.treb .* DTM")
    d = run("info", "--json", "-t", "torn", "KRvK", code=1).json()
    assert d["files"][2]["error"]["code"] == "damaged"


# ---- no tables -----------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["info", "verify", "bench"])
@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
def test_without_tables(empty, command, options):
    """One advice in all commands that list what there is."""
    answer = run(command, *options, *(["-t"] if command != "info" else []), empty, code=3)
    answer.says(f"^trebuchet {command}: there are no tables$", "^Looked in: empty$")
    answer.says("^('trebuchet gen --tables empty --men 4' makes all|Tables cannot be made here: )")
    answer.says(r"^--tables DIR names another folder\.$")
    if options:
        assert answer.fails_with("no_table")["advice"] in answer.err
    else:
        answer.silent()


def test_info_names_what_comes_after_it(syzygy, empty):
    answer = run("info", "-t", syzygy, empty, "KQRvK", code=3)
    answer.says("gen --tables empty --men", "('trebuchet gen --tables sy KQRvK'|^KQRvK cannot be made)")


def test_compare_without_tables(syzygy, empty):
    answer = run("compare", empty, TABLES, code=3).silent()
    answer.says("^trebuchet compare: there is nothing to compare: empty has no tables$")
    run("compare", TABLES, empty, code=3).says("nothing to compare: empty has no tables$").silent()
    copy_files("queen", "KQvK.*")
    answer = run("compare", "queen", syzygy, code=3).silent()
    answer.says("nothing to compare: A and B have no table in common$")


@pytest.mark.parametrize("options", [[], ["-c"], ["--json"]], ids=lambda options: "".join(options) or "plain")
def test_verify_without_the_table(syzygy, options):
    answer = run("verify", *options, "-t", syzygy, "KQRvK", code=3)
    answer.has('KQRvK.*(not checked|"checked":false|"not_checked":1)').says("^Looked in: sy$")
    answer.says("^('trebuchet gen --tables sy KQRvK' makes it: |KQRvK cannot be made here: )")
    answer.says(r"^--tables DIR names another folder\.$")


@pytest.mark.parametrize("words", ["probe 8/8/8/8/8/2k5/1q6/K7_w", "stats KRvK", "verify KRvK", "serve --port 0"])
def test_no_such_folder(words):
    command, *more = words.split()
    answer = run(command, "-t", "nosuch", *more, code=1).silent()
    answer.says(f"^trebuchet {command}: nosuch: cannot open: No such file or directory$")
    answer.says(r"^--tables DIR names a folder with tables; 'trebuchet gen --help' explains how to make tables\.$")


def test_other_folders_that_are_missing(syzygy):
    answer = run("compare", "nosuch", syzygy, code=1).silent()
    answer.says("^trebuchet compare: nosuch: cannot open: No such file")
    answer.says(r"^A and B are folders with tables; 'trebuchet gen --help' explains how to make tables\.$")
    run("serve", "-t", syzygy, "--listen", "unix:nosuch/s", code=1).lacks("names a folder")
