"""test_plan.py - `trebuchet plan`, its jobs, and `gen --only`, which makes one table of a list."""
import os

import pytest

from tests.support.command import TABLES, execute, read, run, same_bytes, write

ODD = "o'ne $ #two"


def test_only():
    run("gen", "--only", "KPvK", "-m", "wdl", "-t", "only").has("^KPvK +331,352 positions", "^1 table, ")
    assert os.listdir("only") == ["KPvK.wdl.treb"]
    run("gen", "--only", "KPvK", "-m", "wdl", "-t", "only").has("^KPvK is in only already$")


def test_only_of_a_list():
    """What other tables of the list need is left."""
    run("gen", "-q", "KQvKR", "KNvK", "--only", "kqk", "-m", "wdl", "-t", "only").silent()
    assert os.path.exists("only/KQvK.wdl.treb") and not os.path.exists("only/KRvK.wdl.treb")
    assert os.path.exists("only/.scratch/KQvK.wdl.solved")


def test_only_of_another_list():
    answer = run("gen", "--men", "3", "--only", "KQvKR", "-m", "wdl", "-t", "only", code=1).silent()
    answer.says("^trebuchet gen: --only KQvKR: this is not one of the tables named, and they do not need it$")


def test_only_nothing():
    run("gen", "--only", "KXvK", code=2).says("no ending called 'KXvK'")


def test_plan():
    answer = run("plan", "--men", "4", "-t", "none").lacks("KvK ")
    answer.has("^table +round +positions +memory +fast from +files +scratch +time$", "^KQvK +1 +59,136 ", "^KPvKP +4 ")
    answer.has("^35 jobs in 4 rounds: ")
    assert not os.path.exists("none")


def test_plan_of_what_is_there():
    run("plan", "--men", "4", "-t", TABLES).has(f"^nothing to do: all these tables are in {TABLES} already$")


def test_json():
    d = run("plan", "--json", "--men", "4", "-m", "wdl", "-t", "o'ne $ two").json()
    jobs = d["jobs"]
    assert len(jobs) == 35 and d["rounds"] == 4 and d["directory"].endswith("/o'ne $ two")
    for job in jobs:
        assert job["round"] > max([0] + [k["round"] for k in jobs if k["material"] in job["after"]])
        assert job["command"][-2:] == ["--only", job["material"]]
        assert job["command"][4:8] == ["--men", "4", "--metric", "wdl"]
    krkp = [job for job in jobs if job["material"] == "KRvKP"][0]
    assert krkp["after"] == ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK", "KQvKR", "KRvKR", "KRvKB", "KRvKN"]
    assert len(run("plan", "--to", "json", "KQvK").json()["jobs"]) == 1


def test_reading_takes_time():
    """The time of a job is also that of reading tables that are there, those that complete them included."""
    os.mkdir("most")
    for name in os.listdir(TABLES):
        if not name.startswith("KPPvK."):
            os.symlink(os.path.join(TABLES, name), os.path.join("most", name))
    d = run("plan", "--json", "-t", "most", "KPPvK").json()
    alone = run("gen", "--estimate", "--json", "-t", "most", "KPPvK").json()["tables"]
    own = [table["seconds"] for table in alone if table["written"]]
    assert len(alone) > 5 and len(own) == 1
    assert [job["seconds"] for job in d["jobs"]] == [d["total"]["seconds"]] and d["total"]["seconds"] > own[0]


def test_errors():
    answer = run("plan", "-M", "1MiB", "--men", "4", "-t", "none", code=1).silent()
    answer.says("^trebuchet plan: KQvK needs at least [0-9.]+ MB of memory, which is more than --memory allows$")
    answer = run("plan", "--to", "paper", "KQvK", code=2).silent()
    answer.says("^trebuchet plan: --to takes text, make, slurm or json, not 'paper'$")
    assert not os.path.exists("none")


@pytest.mark.seconds(5)
def test_carried_out_by_make():
    """Several jobs at a time, in a folder whose name needs care."""
    run("plan", "--men", "3", "--threads", "1", "-t", ODD, "--to", "make").save("jobs.mk")
    execute("make", "-s", "-j3", "-f", "jobs.mk").has("^KPvK$")
    assert len(os.listdir(ODD)) == 20
    assert all(same_bytes(os.path.join(ODD, name), os.path.join(TABLES, name)) for name in os.listdir(ODD))
    execute("make", "-s", "-j3", "-f", "jobs.mk")


def test_slurm_script():
    run("plan", "--men", "4", "--threads", "3", "-t", "o'ne", "--to", "slurm").save("jobs.sh")
    execute("sh", "-n", "jobs.sh")


# Runs the jobs one after the other in place of Slurm.
SBATCH = """#!/bin/sh
while case $1 in -*) true ;; *) false ;; esac; do
    case $1 in --array=*) array=${1#*=} ;; --mem=*) echo "$1" >>mem ;; --dependency=*) echo "$1" >>dependencies ;; esac
    shift
done
script=$1
shift
for i in $(seq ${array%-*} ${array#*-}); do
    SLURM_ARRAY_TASK_ID=$i SLURM_CPUS_PER_TASK=1 sh "$script" "$@" >>jobs.log 2>&1 || exit 1
done
id=$(($(cat id 2>/dev/null || echo 0) + 1))
echo $id >id
echo $id
"""


@pytest.mark.seconds(5)
def test_carried_out_by_slurm(folder):
    os.mkdir("bin")
    write("bin/sbatch", SBATCH)
    os.chmod("bin/sbatch", 0o755)
    run("plan", "--men", "3", "-t", "o'ne", "--to", "slurm").save("jobs.sh")
    answer = execute("sh", "jobs.sh", env={"PATH": f"{folder}/bin:{os.environ['PATH']}"})
    answer.has("^job 1: 4 of round 1, from KQvK on, with 512M each$", "^job 2: 1 of round 2, from KPvK on")
    assert read("dependencies") == "--dependency=afterok:1\n", "one after the other"
    assert set(read("mem").split()) == {"--mem=512M"}
    assert len(os.listdir("o'ne")) == 20
