"""test_shift.py - `trebuchet shift`."""
from tests.support.command import TABLES, run


def test_shift():
    run("shift", "-t", TABLES, "8/8/8/3k4/8/3KP3/8/8 w").quiet().has(
        "^35 places$",
        "^  free of the edges: 20 places$",
        "^    Black to move: draw by Ke5$",
        "^    Black to move: draw in 1, loss in 1$",
        r"^  6 = = = = = = = \.    6 \+ \+ \+ \+ \+ \+ = \.$",
    )


def test_white_to_move_or_black():
    run("shift", "-t", TABLES, "8/8/8/3k4/8/3KP3/8/8 b").has("^35 places$")


def test_tsv():
    answer = run("shift", "-t", TABLES, "--tsv", "8/8/2k5/8/7p/8/5KP1/8 w").has(
        "^8/8/2k5/8/7p/8/5KP1/8 w - - 0 1\tat a side edge\twin\tKg1\tdraw\tKc5 Kd5 Kd6 Kd7 h3$"
    )
    answer.has_lines(10)


def test_json():
    run("shift", "-t", TABLES, "--json", "8/8/2k5/8/7p/8/5KP1/8 w").is_json().has(
        r'"group":"at the top or bottom","places":1,"white":\{"loss":0,"draw":0,"win":1,"impossible":0,"one_verdict":true,'
    )


def test_list():
    run("shift", "-t", TABLES, "--list", "8/8/8/8/KBN1k3/8/8/8 w").has(
        "^32 places$", "^ +32  Kd8  win by K.* more  loss$", "^ +29  Ka1  win by Ka2, Kb2, Ba2, Bc2 and 8 more  loss$"
    )


def test_list_any_move():
    run("shift", "-t", TABLES, "--list", "8/8/8/3k4/8/3KP3/8/8 w").has("^ +35  Kg6  draw by any +draw by Kh8$")


def test_svg():
    run("shift", "-t", TABLES, "--svg", "-", "8/8/8/3k4/8/3KP3/8/8 w").has("^<svg ", "^</svg>$").lacks("places")


def test_svg_json():
    run("shift", "-t", TABLES, "--svg", "-", "--json", "8/8/8/3k4/8/3KP3/8/8 w", code=2).says("standard output")


def test_no_position():
    run("shift", "-t", TABLES, "8/8/8/8 w", code=2).silent()


def test_no_table():
    run("shift", "-t", TABLES, "8/8/8/3k4/2r5/3KP3/3R4/8 w", code=3).says("KRPvKR.wdl.treb is not installed").silent()


def test_all_moves_of_a_place():
    """No move of a place is left out, even if it would leave the board where the position was given."""
    rows = [line.split("\t") for line in run("shift", "-t", TABLES, "--tsv", "8/8/8/8/8/8/K1k5/4Q3 w").lines]
    moves = next(row[3] for row in rows if row[0].startswith("3K1k2/7Q/8/8/8/8/8/8 w") and row[2] == "win").split()
    d = run("probe", "-t", TABLES, "--json", "3K1k2/7Q/8/8/8/8/8/8 w").json()
    assert "Qh1" in moves
    assert sorted(moves) == sorted(m["san"] for m in d["moves"] if m["category"] == "loss")


def test_probe_agrees():
    rows = [line.split("\t") for line in run("shift", "-t", TABLES, "--tsv", "8/8/8/3k4/8/3KP3/8/8 w").lines[1:]]
    assert len(rows) == 35
    for row in rows:
        assert run("probe", "-t", TABLES, "--json", row[0]).json()["category"] == row[2]
