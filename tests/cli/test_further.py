"""test_further.py - a table that is made where its sub-endings are there already: they are read, not solved again."""
import glob
import os

import pytest

from tests.support.command import TABLES, copy_files, overwrite, run, same_bytes, truncated

FOUR = sorted({os.path.basename(path).split(".")[0] for path in glob.glob(f"{TABLES}/*.wdl.treb")} - {"KvK"})
FOUR = [name for name in FOUR if len(name) == 5]
METRICS = ["wdl", "dtz", "dtc", "dtm"]


def all_but(material, folder):
    copy_files(folder, "*.treb", link=True)
    for path in glob.glob(f"{folder}/{material}.*"):
        os.unlink(path)


def made_alone(material, folder, *options, metrics=METRICS):
    """Makes a material in a folder that has all others, and compares its files with those of the whole set."""
    all_but(material, folder)
    run("gen", "-q", "-t", folder, *options, material)
    names = sorted(os.path.basename(path) for path in glob.glob(f"{folder}/{material}.*"))
    assert names == sorted(f"{material}.{metric}.treb" for metric in metrics)
    for name in names:
        assert same_bytes(f"{folder}/{name}", f"{TABLES}/{name}")
    assert ".scratch" not in os.listdir(folder)


# A promotion to sides that are stored and that are not; en passant; like men; one side to move for both.
@pytest.mark.seconds(8)
@pytest.mark.parametrize("material", ["KRvKP", "KBBvK", "KQvKQ"])
def test_made_alone(folder, material):
    made_alone(material, "alone")


@pytest.mark.full
@pytest.mark.long
@pytest.mark.seconds(60)
@pytest.mark.parametrize("material", FOUR)
def test_every_material_made_alone(folder, material):
    made_alone(material, "alone")


def test_verdicts_alone(folder):
    made_alone("KRPvK", "alone", "-m", "wdl,dtz", metrics=["wdl", "dtz"])


def test_from_files_with_codec_zstd(folder):
    os.mkdir("zstd")
    run("gen", "-q", "-t", "zstd", "-c", "zstd", "--men", "3")
    run("gen", "-q", "-t", "zstd", "KQvKR")
    for metric in METRICS:
        assert same_bytes(f"zstd/KQvKR.{metric}.treb", f"{TABLES}/KQvKR.{metric}.treb")


def test_a_metric_is_missing(folder):
    """A sub-ending without distances to mate is made first; the rest is read."""
    all_but("KQvKR", "alone")
    os.unlink("alone/KRvK.dtm.treb")
    run("gen", "-q", "-t", "alone", "KQvKR")
    for name in ["KRvK.dtm.treb", "KQvKR.dtm.treb"]:
        assert same_bytes(f"alone/{name}", f"{TABLES}/{name}")


def test_what_is_read_is_in_the_estimate(folder):
    all_but("KRPvK", "alone")
    d = run("gen", "--json", "-e", "-t", "alone", "KRPvK").json()
    steps = {step["material"]: step for step in d["tables"]}
    assert steps["KRPvK"]["written"] and not steps["KRPvK"]["read"]
    assert steps["KQRvK"]["read"] and not steps["KQRvK"]["written"]
    # Two bare kings have no files.
    assert all(step["read"] for name, step in steps.items() if name not in ("KRPvK", "KvK"))
    # Of what KQRvK itself turns into only what completes its cells is read.
    assert "KBvKB" not in steps
    assert d["total"]["positions"] == sum(step["positions"] for step in steps.values() if not step["read"])
    run("gen", "-e", "-t", "alone", "KRPvK").has("^tables +1 to write; what is needed of [0-9]+ others is read from alone$")
    jobs = run("plan", "--json", "-t", "alone", "--men", "4").json()["jobs"]
    assert [job["material"] for job in jobs] == ["KRPvK"]


def test_with_too_little_memory_they_are_solved(folder):
    """Codes of whole slices must be in memory, and solving takes less."""
    all_but("KRPvK", "alone")
    d = run("gen", "--json", "-e", "-M", "1MiB", "-t", "alone", "KRPvK").json()
    assert not d["possible"] and not any(step["read"] for step in d["tables"] if len(step["material"]) == 5)


@pytest.mark.parametrize("name", ["KQvKR.wdl.treb", "KQvKR.dtm.treb", "KQvK.wdl.treb"])
def test_a_damaged_file_is_refused(folder, name):
    all_but("KRvKP", "alone")
    path = f"alone/{name}"
    os.unlink(path)
    copy_files("alone", name)
    overwrite(path, os.path.getsize(path) // 2, b"\377\0\377")
    before = sorted(os.listdir("alone"))
    run("gen", "-q", "-t", "alone", "KRvKP", code=1).says(f"{name}.* damaged").silent()
    assert sorted(os.listdir("alone")) == before


def test_a_file_of_another_version_is_refused(folder):
    all_but("KQvKR", "alone")
    os.unlink("alone/KQvK.wdl.treb")
    copy_files("alone", "KQvK.wdl.treb")
    overwrite("alone/KQvK.wdl.treb", 16, b"\372\0")
    before = sorted(os.listdir("alone"))
    run("gen", "-q", "-t", "alone", "KQvKR", code=1).says("KQvK.wdl.treb: has format version 250").silent()
    assert sorted(os.listdir("alone")) == before
    truncated(f"{TABLES}/KQvK.wdl.treb", 1000, "alone/KQvK.wdl.treb")
    run("gen", "-q", "-t", "alone", "KQvKR", code=1).says("KQvK.wdl.treb: truncated").silent()
    # A table that is asked for is made anew.
    run("gen", "-q", "-t", "alone", "KQvK", "KQvKR")
    assert same_bytes("alone/KQvK.wdl.treb", f"{TABLES}/KQvK.wdl.treb")
