"""test_solve.py - `trebuchet solve`, and the pawn files that it writes."""
import os
import re
import resource
import shutil
import signal
import subprocess
import sys

import pytest

from tests.support.command import TABLES, TOOL, execute, read, run, same_bytes, start, truncated, wait_for, write

RETI = "7K/8/k1P5/7p/8/8/8/8 w"
LONG = "8/8/pppp4/3k4/8/2K5/4PPPP/8 w"
SAVE = "8/8/3p4/2p5/P1P1k3/8/3K4/8 w"
BLOCKED = "8/8/4k3/1p5p/1P5P/4K3/8/8 w"
WON = "8/8/1p6/p7/P7/1P2k3/8/4K3 b"


@pytest.fixture(name="none")
def fixture_none(folder):
    os.mkdir("no-tables")
    return "no-tables"


@pytest.fixture(scope="session", name="made_solved")
def fixture_made_solved(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("made") / "solved")
    run("solve", "-q", "-t", TABLES, "--write", path, WON)
    return path


@pytest.fixture(name="solved")
def fixture_solved(folder, made_solved):
    """A folder with one pawn file."""
    return os.path.basename(shutil.copytree(made_solved, "solved"))


def squares_of(answer):
    """The list of corresponding squares."""
    first = [i for i, line in enumerate(answer.lines) if "king attacks" in line]
    return answer.lines[first[0] :] if first else []


def test_by_the_tables():
    run("solve", "-t", TABLES, RETI).has(
        r"^Draw\. \(2 pawn structures",
        "^  draw +Kg7$",
        "^  Black wins, 10 plies +Kh7$",
        "^  Black wins, 4 plies +c7 Kg8$",
    ).lacks("50-move").quiet()


def test_kings_alone():
    run("solve", "-t", TABLES, "k7/8/8/8/8/8/8/K7 w").has(r"^Draw\. \(1 pawn structure, ").quiet()


def test_without(none):
    run("solve", "-q", "-t", none, RETI).has(
        r"^Draw\.", "^  draw +Kg7$", "^  Black wins,.* 10 plies +Kh7$", "^  Black wins,.* 4 plies +c7 Kg8$"
    )


def test_a_win():
    run("solve", "-q", "-t", TABLES, "8/8/1p6/p7/P7/1P2k3/8/4K3 b").has(
        r"^Black wins: 5 plies to the next capture, promotion or mate\. ",
        "^The 50-move rule changes nothing: at most [0-9]+ plies",
        "^  Black wins, 5 plies +Kd3$",
        "^  White wins, 2 plies +b5$",
        r"^  1\.\.\.K",
        "trebuchet line",
    )


def test_the_clock_runs():
    run("solve", "-q", "-t", TABLES, "8/8/1p6/p7/P7/1P2k3/8/4K3 b - - 96 80").has(
        "^The 50-move rule is ignored, and it might spoil the win:$", "^up to 101 plies"
    )


def test_the_clock_in_time(none):
    run("solve", "-q", "-t", none, "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 73 80").has(
        "^The 50-move rule changes nothing: at most 100 plies",
        "^  White wins, 27 plies +Kb1$",
        r"10[4-9]\.Q[a-h][1-8]#$",
    )


def test_the_clock_too_late(none):
    run("solve", "-q", "-t", none, "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 74 80").has("^up to 101 plies")


def test_pgn():
    answer = run("solve", "-q", "--pgn", "-t", TABLES, "8/8/1p6/p7/P7/1P2k3/8/4K3 b - - 0 7")
    answer.has(r'^\[FEN "8/8/1p6/p7/P7/1P2k3/8/4K3 b - - 0 7"\]$', r'^\[Result "0-1"\]$', r"^7\.\.\. Kd3 8\. Kd1")
    answer.has(r"# .*Black mates|^by the shortest", "(^| )0-1$").save("game.pgn")
    run("probe", "-t", TABLES, "--output", "pgn", "game.pgn")


def test_pgn_a_draw():
    run("solve", "-q", "--pgn", "-t", TABLES, RETI).has(r'^\[Result "1/2-1/2"\]$', "A draw with best play")


def test_check():
    run("solve", "-q", "--check", "-t", TABLES, "8/8/1p6/p7/P7/1P2k3/8/4K3 b").has(
        "^Checked: [0-9,]+ pawn structures, [0-9,]+ positions by the rules alone, .* no error"
    )


def test_en_passant():
    run("solve", "-t", TABLES, "8/8/8/8/k1pP4/8/8/K7 b - d3").has(" cxd3")


def test_json():
    run("solve", "--json", "-t", TABLES, RETI).is_json().has('"verdict":"draw"', '"stopped":false').lacks('"line"')


def test_json_a_win():
    run("solve", "--json", "-q", "-t", TABLES, "8/8/1p6/p7/P7/1P2k3/8/4K3 b").is_json().has(
        '"verdict":"black","plies":5,"at_most":false,"rule50":"no","rule50_plies":[0-9]+,',
        '"san":"b5","capture":false,"zeroing":true,"conversion":false,"verdict":"white","plies":2,',
        r'"line":\["Kd3",',
        r'"pgn":"\[Event',
    )


def test_no_memory_for_it(none):
    run("solve", "-q", "--memory", "30000", "-t", none, RETI, code=4).has(r"^Open\.", "More --memory", "^  open +")


def test_time(none):
    run("solve", "-q", "--time", "1", "-t", none, "8/8/pppp4/3k4/8/2K5/4PPPP/8 w", code=4).has(
        "^Open", "More --time", "^  open"
    )


def test_pieces(none):
    run("solve", "-q", "--pieces", "0", "-t", none, "8/P7/8/8/8/8/p6k/K7 w", code=4).has("^Open")


def test_by_the_tables_alone():
    run("solve", "-t", TABLES, "k7/1P6/1K6/8/8/8/8/8 b").has(
        "^White wins: 6 plies", r"^The 50-move rule changes nothing, by the tables\.$"
    )


def test_mate():
    run("solve", "-t", TABLES, "k7/1PP5/1K6/8/8/8/8/8 b").has(r"^White wins\. Mate\.$")


def test_stalemate():
    run("solve", "-t", TABLES, "k7/P7/K7/8/8/8/8/8 b").has(r"^Draw\. Stalemate\.$")


def test_squares():
    answer = run("solve", "-q", "-t", TABLES, "--squares", "--svg", "solved.svg", BLOCKED).has(
        r"^Mutual zugzwangs: 19\."
    )
    assert re.search("^<svg", read("solved.svg"), re.M)
    # Where pawns are blocked the squares are those that `blocked` finds.
    blocked = run("blocked", "-t", TABLES, "--squares", BLOCKED)
    assert squares_of(answer) == squares_of(blocked) != []


@pytest.mark.full
@pytest.mark.long
def test_squares_spare_moves(none):
    run("solve", "-q", "-t", none, "-p", "0", "--squares", "8/p7/4k3/1p5p/1P5P/4K3/P7/8 w", code=4).has(
        "^Open: [1-9][0-9,]* placements of the kings"
    )


def test_squares_json():
    d = run("solve", "-q", "--json", "-t", TABLES, "--squares", "8/8/4k3/1p5p/1P5P/4K3/8/8 w").json()
    assert (
        d["zugzwangs"]["e4"] == ["e2", "e6"]
        and d["double_zugzwangs"]["a5"] == ["c4"]
        and d["attacker"] == "white"
        and d["placements_open"] == 0
    )


def test_squares_a_piece():
    run("solve", "--squares", "8/8/4k3/8/8/4K3/4Q2p/8 w", code=2).says("kings and pawns only")


def test_write(solved):
    write_answer = run("solve", "-q", "-t", TABLES, "--write", "again", WON)
    write_answer.has(
        r"^Wrote again/b3a4-a5b6.solved.treb: [0-9,]+ pawn structures, [0-9,]+ positions, [0-9,]+ of them open; "
    )
    assert same_bytes("again/b3a4-a5b6.solved.treb", f"{solved}/b3a4-a5b6.solved.treb")


def test_verify_a_pawn_file():
    run("solve", "-q", "-t", TABLES, "--write", "small", "8/8/8/p7/P7/1P2k3/8/4K3 b")
    answer = run("verify", "-t", "small", "-t", TABLES, "a4-a5b6.solved.treb")
    answer.has("^a4-a5b6.solved.treb right: [0-9,]+ positions, [1-9][0-9,]* moves into positions with tables")
    # Without the tables that its positions rest on.
    answer = run("verify", "-t", "small", "a4-a5b6.solved.treb", code=3)
    answer.has("a4-a5b6.solved.treb not checked: [0-9]+ positions rest on tables")


def test_info_of_solved_pawn_endings(solved):
    run("info", "-t", solved, "b3a4-a5b6.solved.treb").has("holds +[0-9,]+ structures", " open$")


def test_info_of_their_folder(solved):
    run("info", solved).has("^b3a4-a5b6.solved.treb$", "; 1 pawn file$")


def test_probe_of_one(solved):
    run("probe", "-t", solved, "-t", TABLES, "8/8/1p6/p7/P7/1P2k3/8/4K3 b").has(
        r"^Black wins\.", "DTZ  at most [0-9]+ plies", "33- means at most"
    )


def test_probe_of_its_mirror_image(solved):
    run("probe", "-t", solved, "-t", TABLES, "3k4/8/3K2p1/7p/7P/6P1/8/8 w").quiet()


def test_line_of_one(solved):
    run("line", "-t", solved, "-t", TABLES, "8/8/1p6/p7/P7/1P2k3/8/4K3 b").has("0-1$", "#")


def test_verify_of_a_torn_one(solved):
    truncated(f"{solved}/b3a4-a5b6.solved.treb", 2000, f"{solved}/a3-a5.solved.treb")
    run("verify", "-t", solved, "a3-a5.solved.treb", code=1).has("a3-a5.solved.treb (WRONG|not checked)")


def test_with_a_piece():
    run("solve", "-q", "-t", TABLES, "8/8/8/8/p7/k7/8/K1B5 b").quiet()


def test_two_pieces():
    run("solve", "-t", TABLES, "8/8/8/8/p7/k7/1N6/K1B5 w", code=2).says("White has 2 pieces").silent()


def test_castling():
    run("solve", "-t", TABLES, "4k3/8/8/8/8/8/8/4K2R w K", code=2).says("castling").silent()


def test_no_position():
    run("solve", "-t", TABLES, "K7/1k6/8/8/8/8/8/8 w", code=2).says("side by side").silent()


def test_nine_pawns():
    run("solve", "k7/pppppppp/8/8/p7/8/PPPPPPPP/K7 w", code=2).says("Black has more than 8 pawns").silent()


def test_a_pawn_on_rank():
    run("solve", "k7/8/8/8/8/8/8/KP6 w", code=2).says("a pawn stands on rank 1 or 8").silent()


def test_both_in_check():
    run("solve", "k7/1P6/8/8/8/8/6p1/7K w", code=2).says("the side not to move is in check").silent()


def test_no_such_en_passant():
    run("solve", "8/8/8/8/k1pP4/8/8/K7 b - e3", code=2).says("en passant").silent()


@pytest.mark.full
@pytest.mark.seconds(15)
def test_save_killed(none):
    """Each run is killed after it has saved; the next goes on from there."""
    for _ in range(3):
        before = os.stat("saved").st_mtime_ns if os.path.exists("saved") else 0
        process = start("solve", "-q", "--time", "0", "--save", "saved", "--save-every", "1", "-t", none, LONG)
        wait_for(
            lambda: os.path.exists("saved") and os.stat("saved").st_mtime_ns > before, "it has saved", process=process
        )
        process.kill()
        process.wait()
    answer = run("solve", "--time", "1", "--save", "saved", "-t", none, LONG, code=4).has("^Open")
    answer.says("solve: continues from saved with [0-9,]+ pawn structures")
    assert not [name for name in os.listdir(".") if "saved.tmp" in name]
    answer = run("solve", "-q", "--save", "saved", "-t", none, SAVE, code=1)
    answer.says("saved is of another position: 8/8/pppp4").silent()
    truncated("saved", 3000, "torn-save")
    answer = run("solve", "-q", "--save", "torn-save", "-t", none, LONG, code=1)
    answer.says("torn-save is damaged or not complete").silent()


def test_save_no_such_file(none):
    run("solve", "-q", "-t", none, SAVE).save("first-answer")
    answer = run("solve", "-q", "--save", "first-answer", "-t", none, SAVE, code=1)
    answer.says("first-answer is not a file of").silent()


def test_save_nowhere(none):
    """That is said before the search, not after it."""
    for option in ("--save", "--svg"):
        answer = run("solve", "-q", "--time", "0", option, "nowhere/x", "-t", none, LONG, code=1)
        answer.says("^trebuchet solve: cannot write nowhere/x: No such file or directory$").silent()


def test_save_all_decided(none):
    answer = run("solve", "-q", "-t", none, SAVE)
    again = run("solve", "-q", "--save", "saved", "-t", none, SAVE)
    assert not os.path.exists("saved")
    assert [line for line in again.lines if "structures" not in line] == [
        line for line in answer.lines if "structures" not in line
    ]


def test_keeps_to_its_memory(none):
    """The process as a whole, in KiB. A process of its own runs it, since the children of this one include others."""
    code = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=False); "
    code += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    words = ["solve", "-q", "--memory", "64MiB", "-t", none, "8/p2p4/8/8/8/k7/5P1P/7K w"]
    peak = int(execute(sys.executable, "-c", code, TOOL, *words).out)
    assert 32768 < peak <= 65536


def test_interrupted(none):
    """After Ctrl-C the answer is what is proven."""
    process = start("solve", "--time", "0", "-t", none, LONG)
    wait_for(lambda: read("err") != "", "it works", process=process)
    process.send_signal(signal.SIGINT)
    assert process.wait() == 4 and re.search("^Open", read("out"), re.M)


def test_the_check_interrupted(none):
    """The check is another piece of work, which the next signal ends."""
    process = start("solve", "--time", "0", "--check", "-t", none, LONG)
    wait_for(lambda: read("err") != "", "it works", process=process)
    process.send_signal(signal.SIGINT)
    wait_for(lambda: re.search("^Open", read("out"), re.M), "the answer is there", process=process)
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130 and re.search("^Checked before it was stopped: ", read("out"), re.M)
