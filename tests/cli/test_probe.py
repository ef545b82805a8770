"""test_probe.py - `trebuchet probe` with one position."""
from tests.support.command import TABLES, read, run

KBNK = "8/8/8/4k3/8/8/3BN3/4K3 w - - 0 1"
UNDER = "8/5P1k/8/7K/8/8/8/8 w - - 0 1"


def test_kbnk():
    run("probe", "-t", TABLES, KBNK).quiet().has(
        r"White wins: mate in 29 moves \(57 plies\)",
        "DTM +57 plies",
        "Kf2 +57 +57 +57",
        "plies from here",
        "^  drawing",
        "Nd4 +- +- +-",
    )


def test_fen_in_words():
    run("probe", "-t", TABLES, "8/8/8/4k3/8/8/3BN3/4K3", "w", "-", "-", "0", "1").has("mate in 29")


def test_underscores():
    run("probe", "-t", TABLES, "8/8/8/4k3/8/8/3BN3/4K3_w_-_-_0_1").has("mate in 29")


def test_short_fen():
    run("probe", "-t", TABLES, "8/8/8/4k3/8/8/3BN3/4K3", "w").has("mate in 29")


def test_black_to_move():
    run("probe", "-t", TABLES, "8/8/8/8/8/2K5/7Q/1k6 b").has("^White wins: mate in")


def test_clock():
    run("probe", "-t", TABLES, "8/8/8/4k3/8/8/3BN3/4K3 w - - 60 90").has(
        "White wins, but the 50-move rule saves Black", "57 more away", "cursed win at this clock"
    )


def test_clock_just_in_time():
    run("probe", "-t", TABLES, "8/8/8/4k3/8/8/3BN3/4K3 w - - 43 90").has("^White wins: mate in 29")


def test_one_ply_late():
    run("probe", "-t", TABLES, "8/8/8/4k3/8/8/3BN3/4K3 w - - 44 90").has("50-move rule saves Black")


def test_checkmate():
    run("probe", "-t", TABLES, "8/8/8/8/8/2K5/1Q6/k7 b").has("^Checkmate: White has won")


def test_stalemate():
    run("probe", "-t", TABLES, "8/8/8/8/8/1Q6/8/k1K5 b").has("^Stalemate")


def test_mate_in():
    run("probe", "-t", TABLES, "8/8/8/8/8/2K5/7Q/k7 w").has(r"in 1 move \(1 ply\)", "Qb2# .*mate", "Qc2 .*stalemate")


def test_underpromotion():
    answer = run("probe", "-t", TABLES, UNDER).has(r"f8=R +11 +1 +1")
    assert "f8=R" in answer.lines[answer.lines.index(next(x for x in answer.lines if x.startswith("  winning"))) + 1]


def test_reti():
    run("probe", "-t", TABLES, "7K/8/k1P5/7p/8/8/8/8 w").has(r"^Draw\.", "^  losing")


def test_en_passant():
    run("probe", "-t", TABLES, "8/8/8/8/k1Pp4/8/8/K7 b - c3 0 1").has("dxc3")


def test_metric():
    run("probe", "-m", "DTZ", "-t", TABLES, KBNK).has("Kf2")


def test_metric_wrong():
    run("probe", "-m", "dtx", "-t", TABLES, KBNK, code=2).says("dtm, dtm50, dtc or dtz")


def test_bare_kings_no_tables():
    run("probe", "8/8/4k3/8/8/4K3/8/8 w").has("^Draw")


def test_trebuchet_path():
    run("probe", KBNK, env={"TREBUCHET_PATH": f".::{TABLES}"}).has("mate in 29")


def test_control_characters():
    """A message quotes what it was given, but does not send it to the terminal."""
    for answer in (
        run("probe", "-t", TABLES, "\x1b[31mred w", code=2),
        run("probe", "-t", TABLES, "-", stdin="\x1b[31mred w\n", code=2),
    ):
        answer.says(r"'\?\[31mred w'")
        assert "\x1b" not in answer.out + answer.err


def test_output_twice():
    run("probe", "--output", "tsv", "--output", "xyz", "-", code=2).says("--output takes tsv, jsonl or pgn, not 'xyz'")


def test_bad_fen():
    run("probe", "-t", TABLES, "not a fen", code=2).says("FEN").silent()


def test_fen_with_9_ranks():
    run("probe", "-t", TABLES, "8/8/8/8/8/8/8/8/8 w - - 0 1", code=2).silent()


def test_king_can_be_taken():
    run("probe", "-t", TABLES, "8/8/8/8/8/2K5/1Q6/k7 w", code=2).says("impossible").silent()


def test_no_king():
    run("probe", "-t", TABLES, "8/8/8/8/8/2K5/1Q6/8 w", code=2).silent()


def test_castling_rights_each_move_into_a_table():
    run("probe", "-t", TABLES, "4k3/8/8/8/8/8/8/4K2R w K - 0 1").has("^White wins: mate in", "^    O-O ")


def test_castling_rights():
    run("probe", "-t", TABLES, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", code=3).has(
        "^Not known: castling rights remain", " O-O-O"
    ).says("castling")


def test_too_many_men():
    run("probe", "-t", TABLES, "rnbqkbnr/8/8/8/8/8/8/RNBQKBNR w - - 0 1", code=3).has(
        "^Not known: 16 men", "^  not known$"
    )


def test_no_table():
    run("probe", "-t", ".", KBNK, code=3).says("KBNvK.wdl.treb", "Looked in").has(
        r"^Not known: this is KBNvK \(4 men\)"
    )


def test_beyond_the_tables():
    run("probe", "-t", TABLES, "1r5k/8/8/8/8/8/8/R3N2K w - - 0 1", code=3).has(
        "^Not known: this is KRNvKR", "^  losing|^  drawing", "^    Rb1 +[0-9?-]+ +[0-9?-]+ +[0-9?-]+"
    )


def test_no_folder_at_all():
    run("probe", KBNK, code=3).says("KBNvK.wdl.treb")


def test_without_dtm(some):
    run("probe", "-t", some, KBNK).has(r"^White wins\.", "DTM +not known", r"Kf2 +\? +\? +57")


def test_json():
    d = run("probe", "--json", "-t", TABLES, UNDER).quiet().json()
    assert d["category"] == "win" and d["dtz"] == 1 and d["precise_dtz"] == 1 and d["dtm"] == 11
    assert set(d) == set(
        "category dtz precise_dtz dtc dtm dtw checkmate stalemate variant_win variant_loss insufficient_material moves".split()
    )
    assert set(d["moves"][0]) == set(d) - {"moves"} | {"uci", "san", "zeroing", "conversion"}
    assert [m["uci"] for m in d["moves"]][:2] == ["f7f8r", "f7f8q"] and d["moves"][1]["stalemate"]
    assert d["moves"][0]["category"] == "loss" and d["moves"][0]["dtm"] == -10 and d["moves"][0]["dtc"] == -5
    assert d["moves"][0]["zeroing"] and d["moves"][0]["conversion"] and not d["moves"][-1]["zeroing"]
    assert d["dtw"] is None and d["moves"][2]["insufficient_material"]


def test_json_clock():
    d = run("probe", "--json", "-t", TABLES, "8/8/8/4k3/8/8/3BN3/4K3 w - - 60 90").json()
    assert d["category"] == "cursed-win" and d["dtz"] == 57 and d["moves"][0]["category"] == "blessed-loss"


def test_json_checkmate():
    d = run("probe", "--json", "-t", TABLES, "8/8/8/8/8/2K5/1Q6/k7 b").json()
    assert (
        d["checkmate"]
        and d["category"] == "loss"
        and d["dtz"] == -1
        and d["dtm"] is None
        and d["dtc"] == -1
        and d["moves"] == []
    )


def test_json_stalemate():
    d = run("probe", "--json", "-t", TABLES, "8/8/8/8/8/1Q6/8/k1K5 b").json()
    assert d["stalemate"] and d["category"] == "draw" and d["dtz"] == 0


def test_json_no_dtm(some):
    d = run("probe", "--json", "-t", some, KBNK).json()
    assert d["dtm"] is None and d["dtz"] == 57 and d["category"] == "win"


def test_json_no_table():
    d = run("probe", "--json", "-t", ".", KBNK, code=3).json()
    assert d["category"] == "unknown" and d["dtz"] is None and len(d["moves"]) > 0


def test_json_bad_fen():
    d = run("probe", "--json", "-t", TABLES, "x", code=2).says("not a FEN").json()
    assert set(d) == {"error"} and d["error"]["code"] == "bad_fen" and "not a FEN" in d["error"]["message"]


def test_json_castling():
    d = run("probe", "--json", "-t", TABLES, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", code=3).json()
    assert d["category"] == "unknown" and len(d["moves"]) == 26


def test_json_the_same_bytes_as_ever():
    """Programs that read lila-tablebase's answers read these: their bytes stay."""
    line = (
        '{"category":"loss","dtz":-1,"precise_dtz":-1,"dtc":-1,"dtm":null,"dtw":null,"checkmate":true,"stalemate":false,'
        '"variant_win":false,"variant_loss":false,"insufficient_material":false,"moves":[]}'
    )
    assert run("probe", "--json", "-t", TABLES, "8/8/8/8/8/2K5/1Q6/k7 b").lines == [line]


def test_json_a_table_is_missing_the_object_alone():
    run("probe", "--json", "-t", ".", KBNK, code=3).has_lines(1).lacks('"error"')
