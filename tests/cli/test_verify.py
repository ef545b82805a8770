"""test_verify.py - `trebuchet verify`."""
import re

import pytest

from tests.support.command import SYZYGY, TABLES, copy_files, overwrite, run


def untimed(text):
    return re.sub(r'"seconds":[0-9.]*', "", text)


@pytest.fixture(name="flipped")
def fixture_flipped(folder):
    """Syzygy's files, with one byte changed in KQvK.rtbz. In KBvK.rtbw one side to move wins all positions, and the
    checksum is right."""
    copy_files("flipped", "*", source=SYZYGY)
    overwrite("flipped/KQvK.rtbz", 3000, b"\125")
    return "flipped"


@pytest.fixture(name="wrong_values")
def fixture_wrong_values(flipped):
    overwrite("flipped/KBvK.rtbw", 11, b"\004")
    overwrite("flipped/KBvK.rtbw", 64, b"\077\017\165\053\171\024\360\135\073\134\233\175\254\012\214\322")
    return flipped


def test_verify():
    answer = run("verify", "-t", TABLES, "KPvK", "KvKQ").has("^KPvK +right", "^KQvK +right", "2 right")
    assert "\r" not in answer.out + answer.err


def test_full():
    run("verify", "--full", "-t", TABLES, "KPvK").has("wdl,dtz,dtc,dtm")


def test_json_log():
    run("verify", "--json-log", "-t", TABLES, "KPvK", "KQvK").is_json_lines().has('"ok":true')


def test_json():
    run("verify", "--json", "-t", TABLES, "KPvK", "KQvK").is_json_lines().quiet().has(
        r'^\{"event":"table","material":"KPvK","ok":true,"checked":true,"format":"trebuchet","full":false,"metrics":"wdl,dtz,dtc,dtm","positions":123285,"blocks":78,"errors":0,"rule_proved":true,"seconds":[0-9.]+,"text":""\}$',
        r'^\{"event":"done","materials":2,"rank_files":0,"right":2,"wrong":0,"not_checked":0,"positions":[0-9]+,"seconds":',
    )
    log = run("verify", "--json-log", "-t", TABLES, "KPvK", "KQvK").is_json_lines().has('"ok":true')
    plain = run("verify", "--json", "-t", TABLES, "KPvK", "KQvK")
    assert untimed(log.out) == untimed(plain.out)


def test_json_no_tables(empty):
    run("verify", "--json", "-t", empty, code=3).fails_with("no_table")


def test_share():
    run("verify", "-q", "--share", "1%", "-j", "1", "-t", TABLES, "KQvKR").silent()


def test_share_wrong():
    run("verify", "--share", "2", "-t", TABLES, "KPvK", code=2).silent()


def test_no_material():
    run("verify", "-t", TABLES, "KPvQ", code=2).silent()


def test_no_table():
    run("verify", "-t", TABLES, "KRPvKRP", code=3).has("not checked")


def test_empty_folder(empty):
    run("verify", "-t", empty, code=3).says("no tables")


def test_memory_too_little():
    run("verify", "--full", "-M", "1k", "-t", TABLES, "KQvKR", code=1).has("not checked")


def test_syzygy():
    run("verify", "-t", SYZYGY).has("^KPvK +right +[0-9,]+ positions .* rtbw,rtbz$", "6 materials: 6 right").quiet()


def test_full_syzygy():
    run("verify", "--full", "-t", SYZYGY, "KvKP").has("^KPvK +right +165,676 positions .* rtbw,rtbz$")


def test_json_syzygy():
    run("verify", "--full", "--json", "-t", SYZYGY, "KRvK").is_json_lines().has(
        r'^\{"event":"table","material":"KRvK","ok":true,"checked":true,"format":"syzygy","full":true,"metrics":"wdl,dtz","positions":50015,"blocks":0,"errors":0,"rule_proved":true,'
    )


def test_both_kinds():
    run("verify", "-t", SYZYGY, "-t", TABLES, "KQvK").has(" blocks .* wdl,dtz,dtc,dtm$", " rtbw,rtbz$", "2 right")


def test_a_file():
    run("verify", "--full", "-t", TABLES, f"{SYZYGY}/KRvK.rtbz", f"{SYZYGY}/KRvK.rtbw").has(" rtbw,rtbz$").lacks(
        "dtc"
    ).has("^1 material: 1 right")


def test_a_file_of_ours():
    run("verify", "-t", SYZYGY, f"{TABLES}/KRvK.dtz.treb").has("wdl,dtz,dtc,dtm$").lacks("rtbw")


def test_a_file_by_its_name():
    run("verify", "-t", SYZYGY, "KRvK.rtbz").has(" rtbw,rtbz$")


def test_a_file_that_is_not_there():
    run("verify", "-t", SYZYGY, "none/KRvK.rtbz", code=3).has("^KRvK +not checked: none/KRvK.rtbz does not exist")


def test_syzygy_a_file_missing():
    copy_files("alone", "KPvK.rtbw", source=SYZYGY)
    run("verify", "-t", "alone", code=3).has("not checked: .*vK.rtbw is needed but not installed")


def test_syzygy_verdicts_alone():
    copy_files("alone", "KRvK.rtbw", source=SYZYGY)
    run("verify", "--full", "-t", "alone").has(r"rtbw \(progress of wins not proved\)$")


def test_checksum():
    run("verify", "--checksum", "-t", SYZYGY, "-t", TABLES, "KRvK").quiet().has(
        "KRvK.rtbz right: 8.3 kB", "KRvK.dtm.treb right", "^6 files: 6 right, 0 wrong"
    )


def test_checksum_a_file():
    run("verify", "-c", "-t", SYZYGY, f"{TABLES}/KRvK.dtz.treb").has("^1 file: 1 right")


def test_checksum_json():
    run("verify", "--checksum", "--json", "-t", SYZYGY, "KRvK").is_json_lines().quiet().has(
        r'^\{"event":"checksum","file":"[^"]*/KRvK.rtbz","ok":true,"checked":true,"bytes":8272,"seconds":[0-9.]+,"text":""\}$',
        r'^\{"event":"done","files":2,"right":2,"wrong":0,"not_checked":0,"bytes":8480,"seconds":',
    )


def test_checksum_quiet():
    run("verify", "-cq", "-t", SYZYGY).silent().quiet()


def test_checksum_rank_files(ranks):
    run("verify", "-c", "-t", ranks).has("d4-d5.exact.treb right", "^3 files: 3 right")


def test_checksum_full():
    run("verify", "--checksum", "--full", "-t", SYZYGY, code=2).silent()


def test_checksum_no_table():
    run("verify", "--checksum", "-t", SYZYGY, "KQvKR", code=3).has("^KQvKR not checked")


def test_checksum_flipped(flipped):
    run("verify", "--checksum", "-t", flipped, code=1).has(
        "/KQvK.rtbz WRONG: .*checksum differs", "12 files: 11 right, 1 wrong"
    )


def test_flipped(flipped):
    run("verify", "-t", flipped, "KQvK", code=1).has("^KQvK +WRONG 1 error.*/KQvK.rtbz: damaged")


def test_checksum_wrong_values(wrong_values):
    run("verify", "--checksum", "-t", wrong_values, "KBvK").has("2 right")


def test_full_wrong_values(wrong_values):
    run("verify", "--full", "-t", wrong_values, "KBvK", code=1).has(
        "^KBvK +WRONG [0-9,]+ errors; the first: [1-8/a-zA-Z]+ [wb] - - 0 1: the .rtbw file says win, the moves say (draw|loss)$"
    )
