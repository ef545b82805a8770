#!/bin/bash
# plan_check.sh - a plan carried out by a real Slurm, of one node and in a folder of its own, as the user who runs this:
# all tables of up to N men, one job killed and begun again, one that dies: tests/cli/plan_check.sh BUILD [N]
set -u
tool=$(cd "$1" && pwd)/trebuchet
men=${2:-4}
work=$(mktemp -d "${TMPDIR:-/tmp}/plan-check.XXXXXX")
PATH=$PATH:/usr/sbin:/sbin
end() {
    for name in slurmctld slurmd munged; do
        [ -f "$work/$name.pid" ] && kill "$(cat "$work/$name.pid")" 2>/dev/null
    done
    sleep 1
    rm -rf "$work"
}
trap end EXIT
fail() {
    echo "plan-check: $*" >&2
    tail -n 5 "$work"/log/* "$work"/logs/* >&2 2>/dev/null
    exit 1
}

# ---- A cluster of one ----------------------------------------------------------------------------

node=$(hostname -s)
user=$(id -un)
mkdir -p "$work"/{state,spool,log,munge,logs,tables,alone}
chmod 700 "$work/munge"
head -c 128 /dev/urandom >"$work/munge/key"
chmod 400 "$work/munge/key"
# Three jobs at a time, whatever there is: they are small.
cat >"$work/slurm.conf" <<END
ClusterName=plan-check
SlurmctldHost=$node(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
SlurmctldPort=$((20000 + $$ % 20000))
SlurmdPort=$((20001 + $$ % 20000))
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/log/slurmctld
SlurmdLogFile=$work/log/slurmd
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=batch_sched_delay=0,sched_interval=2,bf_interval=2
MailProg=/bin/true
KillWait=2
MinJobAge=3600
SlurmdParameters=config_overrides
NodeName=$node NodeAddr=127.0.0.1 CPUs=3 RealMemory=4000
PartitionName=all Nodes=$node Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$work/slurm.conf
munged --force --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munged.pid" \
    --log-file="$work/log/munged" --seed-file="$work/munge/seed" || fail 'munged does not start'
slurmctld -c >/dev/null || fail 'slurmctld does not start'
slurmd >/dev/null || fail 'slurmd does not start'
for _ in $(seq 60); do
    sinfo -h -o %T 2>/dev/null | grep -q idle && break
    sleep 0.5
done
sinfo -h -o %T | grep -q idle || fail 'the node is not there'

# ---- The plan ------------------------------------------------------------------------------------

# jobs STATE: how many were seen in it.
jobs() { squeue -h -r -t "$1" -o %i | wc -l; }
# until_done SECONDS: until no job waits or runs.
until_done() {
    for _ in $(seq "$1"); do
        [ -z "$(squeue -h)" ] && return
        sleep 1
    done
    squeue >&2
    fail 'jobs do not end'
}
submit() {
    "$tool" plan --men "$men" --tables "$work/tables" --threads 1 --to slurm >"$work/submit" || fail 'no plan'
    (cd "$work" && LOGS=$work/logs sh submit) || fail 'sbatch failed'
}
# complete: the files are those of a run alone, and nothing else is left.
complete() {
    [ -z "$(find "$work/tables" -mindepth 1 ! -name '*.treb')" ] || fail "left behind: $(find "$work/tables" -mindepth 1 ! -name '*.treb')"
    diff -rq "$work/alone" "$work/tables" || fail 'other files than those of one run'
}

start=$SECONDS
submit
# One is taken back while it runs, as where a node is lost or somebody with more rights comes.
running=
for _ in $(seq 3000); do
    running=$(squeue -h -r -t R -o '%i %j' | sed -n 's/ trebuchet-3-.*//p' | head -n 1)
    [ -n "$running" ] && break
    sleep 0.1
done
[ -n "$running" ] || fail 'no job of the third round was seen'
scontrol requeue "$running" || fail 'it cannot be queued again'
# By itself Slurm waits two minutes.
for _ in $(seq 60); do
    squeue -h -r -t PD -o %i | grep -qx "$running" && scontrol update JobId="$running" StartTime=now && break
    sleep 0.5
done
until_done 900
scontrol show job "$running" | grep -q 'Restarts=1 ' || fail "$running was not begun again"
[ "$(jobs COMPLETED)" -gt 0 ] && [ "$(jobs FAILED,CANCELLED,TIMEOUT,NODE_FAIL)" -eq 0 ] || fail 'not all jobs ended well'
echo "all tables of up to $men men by $(jobs COMPLETED) jobs, one of them begun again: $((SECONDS - start)) s"
"$tool" gen --quiet --men "$men" --tables "$work/alone" || fail 'gen failed'
complete

# A job that dies holds up those that need it, and what it made is not taken for a table; the next plan is for the rest.
rm "$work"/tables/KRvK.* "$work"/tables/KPvK.* "$work"/tables/KRvKP.*
head -c 100000 /dev/zero >"$work/tables/KRvKP.wdl.treb"
printf '#!/bin/sh\ncase $* in *"--only KPvK") kill -9 $$ ;; esac\nexec "%s" "$@"\n' "$tool" >"$work/dies"
chmod +x "$work/dies"
"$tool" plan --men "$men" --tables "$work/tables" --threads 1 --to slurm | sed "s,^TREBUCHET=.*,TREBUCHET=$work/dies," >"$work/submit"
(cd "$work" && LOGS=$work/logs sh submit) || fail 'sbatch failed'
until_done 300
[ "$(jobs FAILED)" -eq 1 ] || fail 'no job failed'
[ ! -e "$work/tables/KPvK.wdl.treb" ] && [ -e "$work/tables/KRvK.wdl.treb" ] || fail 'another one was killed'
submit
until_done 300
complete
"$tool" plan --men "$men" --tables "$work/tables" | grep -q '^nothing to do' || fail 'there is something to do'
"$tool" verify --quiet --tables "$work/tables" >/dev/null || fail 'verify found faults'
echo 'a job that was killed was made up for by the next plan; the tables are right'
