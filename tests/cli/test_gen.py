"""test_gen.py - `trebuchet gen`."""
import glob
import json
import os
import re
import shutil
import signal
import struct
import time
import zlib

import pytest

from tests.support.command import TABLES, TOOL, TOP, execute, read, run, same_bytes, start, wait_for, write

MANY = ["KRvKB", "KRvKN", "KPvK"]


def sums(folder):
    """The bytes of all tables in a folder, as one number for each."""
    found = {}
    for path in glob.glob(os.path.join(folder, "*.treb")):
        with open(path, "rb") as file:
            found[os.path.basename(path)] = hash(file.read())
    return found


def tables_and_others(folder):
    """The names in a folder, without tables, and without the list of sums."""
    return [name for name in os.listdir(folder) if not re.search(r"\.treb$|^SHA256SUMS$", name)]


def test_no_material():
    run("gen", "-t", f"g", "KXvK", code=2).says("no ending called")


def test_bad_memory():
    run("gen", "-M", "lots", "KQvK", code=2).silent()


def test_estimate():
    shown = run("gen", "--estimate", "-t", "none", "KRPvKR").has("memory", "disk", "positions")
    shown.has("^time +about [0-9.]+ (seconds|minutes|hours|days) on this machine")
    d = run("gen", "--json", "--estimate", "-t", "none", "KRPvKR").quiet().json()
    total, tables = d["total"], d["tables"]
    assert set(d) == set("directory tables total memory_free_bytes disk_free_bytes possible why_not".split())
    assert set(tables[0]) == set(
        "material men positions memory_bytes result_bytes scratch_bytes seconds written read".split()
    )
    assert set(total) == set("tables positions memory_bytes result_bytes scratch_bytes seconds pace".split())
    assert total["pace"] > 0
    assert f"{total['positions']:,} to solve" in shown.out
    assert total["memory_bytes"] == max(t["memory_bytes"] for t in tables)
    assert d["possible"] == (d["why_not"] is None)
    assert abs(total["seconds"] - sum(t["seconds"] for t in tables)) < 2 and total["seconds"] > 10
    assert sum(t["written"] for t in tables) == total["tables"] and tables[-1]["material"] == "KRPvKR"
    assert not os.path.exists("none")


def test_estimate_nothing_to_do():
    run("gen", "--estimate", "-t", TABLES, "KQvKR").has("nothing to do")


def test_estimate_far_too_much():
    run("gen", "--estimate", "-t", f"none", "KPPPvKPPP").has(
        "not possible now: it takes [0-9.]+ [TP]B of memory, and [0-9.]+ [MG]B are available"
    )


def test_memory_refused():
    run("gen", "--memory", "1M", "-t", "g1", "KQvKR", code=1).says("needs")
    assert not glob.glob("g1/*.treb")


@pytest.mark.seconds(8)
def test_any_number_of_threads():
    run("gen", "-j", "1", "-t", "g1", "KQvKR", "KPvK").has("KQvKR", "tables, ")
    run("gen", "-j", "2", "-t", "g2", "KQvKR", "KPvK")
    assert sums("g1") == sums("g2") != {}
    assert all(re.search(r"^K[A-Z]*vK[A-Z]*\.(wdl|dtz|dtc|dtm)\.treb$|^SHA256SUMS$", name) for name in os.listdir("g1"))
    run("gen", "-t", "g1", "KQvKR").has("already")
    os.remove("g1/KQvKR.dtc.treb")
    run("gen", "-t", "g1", "KQvKR")
    assert same_bytes("g1/KQvKR.dtc.treb", "g2/KQvKR.dtc.treb")


def test_json_log():
    run("gen", "--json-log", "-t", f"g3", "KQvK").is_json_lines().has(
        '"material":"KQvK"',
        r'^\{"event":"table","material":"KQvK","positions":368452,"solve_s":[0-9.]+,"write_s":[0-9.]+,"total_s":[0-9.]+,"elapsed_s":[0-9.]+,"bytes":\{"wdl":4746,',
    )


def test_json():
    answer = run("gen", "--json", "-t", "g5", "KQvK").is_json_lines().quiet()
    answer.has(r'^\{"event":"done","tables":1,"bytes":25206,"total_s":')
    d = run("gen", "--json", "-t", "g5", "KQvK").json()
    assert d["event"] == "done" and d["tables"] == 0


def test_only_dtm50_is_missing():
    run("gen", "-t", "g6", "KQvK")
    run("gen", "-m", "all5", "-t", "g6", "KQvK").has("^KQvK +368,452 positions", "^1 table, ", "^ +144,508 wins")


def test_json_refused():
    d = run("gen", "--json", "--memory", "1M", "-t", f"g5", "KQvKR", code=1).json()
    assert "needs" in d["error"]["message"]


def test_json_no_material():
    d = run("gen", "--json", "KXvK", code=2).json()
    assert "no ending called" in d["error"]["message"]


def test_json_no_folder():
    d = run("gen", "--json", "-t", "no/such", "KQvK", code=1).json()
    assert d["error"]["code"] == "failed"


def test_metric():
    run("gen", "-m", "wdl,dtz", "-t", "g4", "KRvK")
    assert sorted(os.path.basename(path) for path in glob.glob("g4/KRvK.*")) == ["KRvK.dtz.treb", "KRvK.wdl.treb"]


def test_over_the_file_of_another_ending():
    os.mkdir("foreign")
    shutil.copy(f"{TABLES}/KRvK.wdl.treb", "foreign/KQvK.wdl.treb")
    run("gen", "-q", "-m", "wdl", "-t", "foreign", "KQvK")
    run("verify", "--full", "-t", "foreign", "KQvK")


@pytest.mark.skipif(os.getuid() == 0, reason="root may write into every folder")
def test_read_only_folder():
    os.mkdir("readonly", 0o500)
    run("gen", "-t", "readonly", "KQvK", code=1).says("readonly")


def test_a_limit_on_the_size_of_files():
    """Like a full disk: the run says what happened, and a later one makes the tables."""
    limit = 'ulimit -f 4; exec "$@"'
    answer = execute("sh", "-c", limit, "sh", TOOL, "gen", "-q", "-t", "limited", "KQvK", code=1)
    answer.says("limited.*: File too large")
    run("gen", "-q", "-t", "limited", "KQvK")
    run("verify", "-q", "--full", "-t", "limited", "KQvK")


def test_bare_kings():
    run("gen", "-t", "none", "KvK", code=2).says("^trebuchet gen: KvK needs no table: it is always a draw$")


def test_a_file_as_folder():
    write("out", "")
    run("gen", "-t", "out", "KQvK", code=1).says("folder")


def test_folder_in_no_folder():
    run("gen", "-t", f"no/such", "KQvK", code=1).says("the folder above it does not exist")


def test_a_folder_nothing_can_be_written_to():
    run("gen", "-t", "/proc/self", "KQvK", code=1)


def count(word):
    return read("out").count(word)


@pytest.mark.seconds(30)
def test_progress_when_asked():
    """Three seconds in which the process is stopped are not work: the time that is left does not grow by them."""
    process = start("gen", "--json", "-t", "g6", "KQvKR", "KRPvK", "KBPvK", "KNPvK", "KQPvK")
    wait_for(lambda: glob.glob("g6/*.treb"), "a table is made", process=process)
    ask(process, lambda: '"progress"' in read("out"))
    ask(process, lambda: '"left_s"' in read("out"))
    process.send_signal(signal.SIGSTOP)
    told = count('"left_s"')
    time.sleep(3)  # Not a wait for something: the time that must not count.
    process.send_signal(signal.SIGCONT)
    ask(process, lambda: count('"left_s"') > told)
    process.send_signal(signal.SIGINT)
    process.wait()
    d = json.loads([line for line in read("out").splitlines() if '"left_s"' in line][-1])
    assert d["left_s"] <= (d["elapsed_s"] - 2.9) * (1 / d["done"] - 1) * 1.02 + 1
    assert re.search(r'^\{"event":"progress","material":"K.*"done":0\.[0-9]+', read("out"), re.M)
    assert re.search("%  table [0-9]+/[0-9]+ K", read("err"), re.M)


def ask(process, condition):
    """Asks a process for its progress until it has answered."""
    asked = [0.0]

    def answered():
        if time.monotonic() > asked[0] + 0.1:
            asked[0] = time.monotonic()
            process.send_signal(signal.SIGUSR1)
        return condition()

    wait_for(answered, "it says how far it is", process=process)


def interrupt(number, folder, moment):
    """Runs gen until a moment has come, then sends a signal."""
    process = start("gen", "-q", "-j", "2", "-t", folder, *MANY)
    wait_for(lambda: moment(folder) or process.poll() is not None, f"{folder} has what it should", process=None)
    if process.poll() is None:
        process.send_signal(number)
    return process.wait()


def has_begun(folder):
    return os.path.isdir(folder) and len(os.listdir(folder)) > 0


def has_table(folder):
    return glob.glob(os.path.join(folder, "*.treb"))


def has_many(folder):
    return len(glob.glob(os.path.join(folder, "*.treb"))) > 12


@pytest.mark.seconds(10)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_interrupted(number):
    """No half-written file has a table's name, and the same command carries on."""
    for moment in (has_begun, has_table, has_many):
        interrupt(number, "stopped", moment)
        for path in glob.glob("stopped/*.treb"):
            run("info", path)
            assert same_bytes(path, os.path.join(TABLES, os.path.basename(path))), path
    run("gen", "-q", "-t", "stopped", *MANY)
    run("gen", "-q", "-t", "whole", *MANY)
    assert sums("stopped") == sums("whole") != {}
    assert tables_and_others("stopped") == []


def test_exit_code_after_an_interrupt():
    assert interrupt(signal.SIGINT, "code", has_begun) in (130, 0)


def entries(path):
    """The files that trebuchet.headers lists, read as docs/format.md says: name -> (size, header)."""
    data = read_bytes(path)
    assert data[:8] == b"TREBHDRS"
    version, count, packed, size = struct.unpack_from("<4I", data, 8)
    text, headers, found, at = zlib.decompress(data[24 : 24 + packed]), data[24 + packed :], {}, 0
    assert (version, len(text)) == (1, size)
    while at < size:
        name = text[at + 1 : at + 1 + text[at]].decode()
        file_size, start, length, unpacked = struct.unpack_from("<QQII", text, at + 1 + text[at])
        header = zlib.decompress(headers[start : start + length]) if length else b""
        assert len(header) == unpacked
        found[name] = (file_size, header)
        at += 1 + text[at] + 24
    assert len(found) == count and list(found) == sorted(found)
    return found


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


def test_web():
    run("gen", "-q", "--web", "-t", "web", "KQvK", "KNvK").silent()
    shutil.copy(os.path.join(TOP, "tests/data/syzygy/KQvK.rtbw"), "web")
    run("gen", "--web", "-t", "web", "KQvK").has("trebuchet.headers lists 9 tables")
    run("gen", "--web", "-t", "web").has("trebuchet.headers lists 9 tables")
    run("gen", "--web", "--estimate", "-t", "web", code=2).says("trebuchet gen")
    found = entries("web/trebuchet.headers")
    assert sorted(found) == sorted(name for name in os.listdir("web") if name != "trebuchet.headers")
    for name, (size, header) in found.items():
        table = read_bytes(os.path.join("web", name))
        assert size == len(table)
        if name.endswith(".treb"):
            (meta,) = struct.unpack_from("<Q", table, 88)
            assert header == table[:96] + table[meta:]
        else:
            assert header == b""
    # A damaged table is no reason to lose the file that is there.
    before = read_bytes("web/trebuchet.headers")
    damaged = bytearray(read_bytes("web/KNvK.dtm.treb"))
    damaged[-1] ^= 1
    with open("web/KNvK.dtm.treb", "wb") as file:
        file.write(damaged)
    run("gen", "--web", "-t", "web", "KQvK", code=1).says("KNvK.dtm.treb", "damaged")
    assert read_bytes("web/trebuchet.headers") == before
    assert not [name for name in os.listdir("web") if name.startswith(".")]
