#!/bin/bash
# slow_links.sh - measures what slow links cost. Each rank runs as if on a machine of its own, and
# the machines are linked at a given rate.
#     tests/gen/slow_links.sh BUILD RANKS "RATE..." MATERIAL [options of gen...]
# RATE is a rate of the command tc, such as 1gbit, or "none". Each rank is in a network namespace of
# its own, and all of them are on one bridge. The rate limits each machine, in both directions.
# Prints a JSON object for each rate: what gen --json says of the table, and the bytes that all
# links carried, including smaller tables and headers. It needs root, and changes nothing outside
# the namespaces.
set -u
[ $# -ge 4 ] || { sed -n '2,10s/^# \?//p' "$0" >&2; exit 2; }
build=$(cd "$1" && pwd)
count=$2 rates=$3 material=$4
shift 4
name=treb$$
work=$(mktemp -d "${TMPDIR:-/tmp}/slow-links.XXXXXX")
PATH=$PATH:/usr/sbin:/sbin
end() {
    for i in $(seq 0 "$count"); do ip netns delete "$name-$i" 2>/dev/null; done
    rm -rf "$work"
}
trap end EXIT
trap 'exit 1' INT TERM
fail() {
    echo "slow-links: $*" >&2
    exit 1
}
export OMP_WAIT_POLICY=passive OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1

# The bridge is in namespace 0. Rank i is in namespace i, with the address 10.99.0.i.
ip netns add "$name-0" || fail 'no network namespaces here'
ip -n "$name-0" link add bridge type bridge && ip -n "$name-0" link set bridge up || fail 'no bridge'
for i in $(seq "$count"); do
    ip netns add "$name-$i"
    ip link add eth0 netns "$name-$i" type veth peer name "port$i" netns "$name-0" || fail 'no veth'
    ip -n "$name-0" link set "port$i" master bridge up
    ip -n "$name-$i" address add "10.99.0.$i/24" dev eth0
    ip -n "$name-$i" link set lo up
    ip -n "$name-$i" link set eth0 up
done
hosts=$(seq -f 10.99.0.%g:1 -s , "$count")
# Open MPI starts a process on a machine by: AGENT ADDRESS COMMAND...
printf '#!/bin/sh\nnode=${1##*.}\nshift\nexec ip netns exec %s-$node /bin/sh -c "$*"\n' "$name" >"$work/agent"
chmod +x "$work/agent"

# limit RATE: sets the rate of all links. Up to 20 ms of data may wait, and 512 kB may leave at
# once.
limit() {
    for i in $(seq "$count"); do
        for end in "$name-$i eth0" "$name-0 port$i"; do
            tc -n ${end% *} qdisc delete dev ${end#* } root 2>/dev/null
            [ "$1" = none ] && continue
            tc -n ${end% *} qdisc add dev ${end#* } root tbf rate "$1" burst 512kb latency 20ms || fail "tc knows no rate $1"
        done
    done
}
sent() { ip -n "$name-0" -s -j link show | python3 -c 'import json, sys
print(sum(p["stats64"]["rx"]["bytes"] for p in json.load(sys.stdin) if p["ifname"].startswith("port")))'; }

# One process makes all the tables that the material needs.
mkdir "$work/sub-endings"
"$build/trebuchet" gen --quiet "$@" --tables "$work/sub-endings" "$material" || fail 'one process failed'
mkdir "$work/alone"
mv "$work/sub-endings/$material".* "$work/alone"
for rate in $rates; do
    limit "$rate"
    rm -rf "$work/tables"
    cp -r "$work/sub-endings" "$work/tables"
    before=$(sent)
    ip netns exec "$name-1" timeout 3600 mpirun -n "$count" --host "$hosts" --mca plm_rsh_agent "$work/agent" --mca btl tcp,self \
        --mca btl_tcp_if_include 10.99.0.0/24 --mca oob_tcp_if_include 10.99.0.0/24 -x OMP_WAIT_POLICY \
        "$build/trebuchet-mpi" gen --quiet --json "$@" --tables "$work/tables" "$material" >"$work/json" || fail "ranks failed at $rate"
    for file in "$work/alone"/*; do
        cmp "$file" "$work/tables/${file##*/}" || fail "$file differs"
    done
    python3 -c 'import json, sys
for table in map(json.loads, sys.stdin):
    if table["event"] == "table" and table["material"] == sys.argv[1]:
        print(json.dumps({"link": sys.argv[2], "ranks": int(sys.argv[3]), "solve_s": table["solve_s"], "write_s": table["write_s"],
                          "links_bytes": int(sys.argv[4]), **table["ranks"]}))
' "$material" "$rate" "$count" $(($(sent) - before)) <"$work/json"
done
