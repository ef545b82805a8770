#!/bin/bash
# mpi_check.sh - tables that ranks make together are those of one process, byte for byte; a rank that is killed
# ends the job, and the next goes on: tests/mpi/mpi_check.sh [--short] BUILD
set -u
short=no
[ "$1" = --short ] && short=yes && shift
build=$1
tool=$build/trebuchet
work=$(mktemp -d "${TMPDIR:-/tmp}/mpi-check.XXXXXX")
trap 'rm -rf "$work"' EXIT
# Ranks share few processors here, and whoever tests may be root.
export OMP_WAIT_POLICY=passive OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
ranks() { # ranks N ARGS...
    local n=$1
    shift
    timeout 900 mpirun -n "$n" "$build/trebuchet-mpi" gen --quiet "$@"
}
fail() {
    echo "$*"
    exit 1
}

# same A B: all files of the one are in the other, and alike.
same() {
    local n=0
    [ "$(cd "$1" && ls ./*.treb)" = "$(cd "$2" && ls ./*.treb)" ] || fail "$2 has other files than $1"
    for file in "$1"/*.treb; do
        cmp "$file" "$2/${file##*/}" || fail "$file differs"
        n=$((n + 1))
    done
    [ $n -gt 0 ] || fail "no files in $1"
    echo "$n files are alike"
}

# compare NAME RANKS OPTIONS -- MATERIAL...: one process and ranks.
compare() {
    local name=$1 counts=$2 options=()
    shift 2
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    mkdir -p "$work/$name"
    "$tool" gen --quiet --tables "$work/$name" "$@" || fail "$name: one process failed"
    for n in $counts; do
        rm -rf "$work/ranks"
        mkdir "$work/ranks"
        ranks "$n" "${options[@]}" --tables "$work/ranks" "$@" || fail "$name: $n ranks failed"
        echo "$name, $n ranks: $(same "$work/$name" "$work/ranks")" || exit 1
        [ -z "$(find "$work/ranks" -mindepth 1 ! -name '*.treb')" ] ||
            fail "$name, $n ranks left $(find "$work/ranks" -mindepth 1 ! -name '*.treb')"
    done
}

# A pair of like men; both sides with a piece; all slices in one word, with en passant; promotions.
if [ $short = yes ]; then
    compare few "2 3" --divide 0 --threads 2 -- KQvKR KNNvK KPvKP
    exit 0
fi
compare pieces "1 2 3 4" --divide 2 --threads 2 -- KQvKR KBBvK KRvKB KBNvK
compare pawns "2 3 4" --divide 0 --threads 1 -- KPvKP KRPvK KNvKP KPPvK
