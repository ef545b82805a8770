#!/bin/bash
# mpi_check.sh - checks tables that several MPI processes (ranks) make together. Their files equal
# those of one process, byte for byte. When a rank is killed the job ends, and the next job resumes.
#
#     tests/gen/mpi_check.sh [--short] BUILD
set -u
short=no
[ "$1" = --short ] && short=yes && shift
build=$1
tool=$build/trebuchet
work=$(mktemp -d "${TMPDIR:-/tmp}/mpi-check.XXXXXX")
trap 'rm -rf "$work"' EXIT
# The ranks share few processors here, and the tests may run as root.
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

# same A B: fails unless both folders have the same files with the same bytes.
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

# compare NAME RANKS OPTIONS -- MATERIAL...: compares the tables of one process with those of
# several ranks.
compare() {
    local name=$1 counts=$2 options=() same_options=()
    shift 2
    while [ "$1" != -- ]; do
        options+=("$1")
        [ "$1" = --codec ] || [ "$1" = --metric ] && same_options=("$1" "$2")
        shift
    done
    shift
    mkdir -p "$work/$name"
    "$tool" gen --quiet ${same_options[@]+"${same_options[@]}"} --tables "$work/$name" "$@" || fail "$name: one process failed"
    for n in $counts; do
        rm -rf "$work/ranks"
        mkdir "$work/ranks"
        ranks "$n" "${options[@]}" --tables "$work/ranks" "$@" || fail "$name: $n ranks failed"
        echo "$name, $n ranks: $(same "$work/$name" "$work/ranks")" || exit 1
        [ -z "$(find "$work/ranks" -mindepth 1 ! -name '*.treb')" ] ||
            fail "$name, $n ranks left $(find "$work/ranks" -mindepth 1 ! -name '*.treb')"
    done
}

# Large slices, as of six men, of which only a part is in memory: compares one rank with several.
large() {
    rm -rf "$work/large"
    ranks 1 --divide 0 --threads 2 --large 50000 --tables "$work/large" "$@" || fail 'large: one rank failed'
    for n in 2 3; do
        rm -rf "$work/ranks"
        ranks $n --divide 0 --threads 1 --large 50000 --tables "$work/ranks" "$@" || fail "large: $n ranks failed"
        echo "large, $n ranks: $(same "$work/large" "$work/ranks")" || exit 1
    done
}

# wait_for FILE: waits until the file exists.
wait_for() {
    for _ in $(seq 600); do
        [ -e "$1" ] && return
        sleep 0.1
    done
    fail "$1 did not come"
}

# kill_rank JOB FOLDER LOG: kills rank 1 of a job. The job must end soon, and its log must name the
# dead rank.
kill_rank() {
    local rank start=$SECONDS code
    rank=$(pgrep -f "trebuchet-mpi gen .*$2" | while read -r pid; do
        tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -qx 'OMPI_COMM_WORLD_RANK=1' && echo "$pid"
    done | head -1)
    [ -n "$rank" ] || fail "rank 1 was not found: $(cat "$3")"
    kill -9 "$rank"
    wait "$1"
    code=$?
    [ $code -ne 0 ] && [ $code -ne 124 ] || fail "the job ended with $code after a rank was killed"
    [ $((SECONDS - start)) -le 20 ] || fail "the job took $((SECONDS - start)) s to end"
    grep -q 'rank 1 .*signal 9' "$3" || fail "the job does not say who died: $(cat "$3")"
}

# left FOLDER: fails if the folder has anything but tables.
left() {
    local files
    files=$(find "$1" -mindepth 1 ! -name '*.treb')
    [ -z "$files" ] || fail "left: $files"
}

# A rank is killed while the job runs. The tables made until then stay, and another number of ranks
# makes the rest.
killed() {
    local folder=$work/killed
    mkdir "$folder"
    ranks 3 --divide 0 --threads 1 --save 0 --tables "$folder" KRvKP >/dev/null 2>"$work/killed.log" &
    wait_for "$folder/KRvKN.dtm.treb"
    kill_rank $! "$folder" "$work/killed.log"
    [ ! -e "$folder/KRvKP.wdl.treb" ] || fail "the job was done before the kill"
    touch "$work/before"
    ranks 2 --divide 0 --threads 1 --tables "$folder" KRvKP || fail "2 ranks did not go on"
    [ "$folder/KQvKR.dtm.treb" -ot "$work/before" ] || fail "a finished table was made again"
    mkdir "$work/whole"
    "$tool" gen --quiet --tables "$work/whole" KRvKP
    echo "killed, 3 ranks, then 2: $(same "$work/whole" "$folder")" || exit 1
    left "$folder"
}

# A rank is killed while a table is solved, twice. As many ranks then resume from the
# checkpoint.
resumed() {
    local folder=$work/resumed name=$1 divide=$2 file
    file=$folder/.scratch/$name.dtm.part-before
    mkdir "$folder"
    "$tool" gen --quiet --tables "$work/resumed-whole" "$name"
    for _ in 1 2; do
        rm -f "$file"
        ranks 3 --divide "$divide" --threads 1 --save 0 --tables "$folder" "$name" >/dev/null 2>"$work/resumed.log" &
        wait_for "$file"
        kill_rank $! "$folder" "$work/resumed.log"
    done
    ranks 3 --divide "$divide" --threads 2 --save 5 --json --tables "$folder" "$name" 2>"$work/resumed.log" >"$work/resumed.json" ||
        fail "ranks did not go on: $(cat "$work/resumed.log")"
    grep "\"material\":\"$name\".*\"resumed\":true" "$work/resumed.json" >/dev/null || fail "$name began anew"
    echo "$name, killed within, twice: $(same "$work/resumed-whole" "$folder")" || exit 1
    left "$folder"
    rm -rf "$folder" "$work/resumed-whole"
}

# alone MATERIAL OTHER: what the material turns into is there. The first rank reads it for all; it is not solved again,
# so damage in the file of another material that it needs is noticed.
alone() {
    local folder=$work/alone name=$1 other=$work/alone/$2.wdl.treb
    "$tool" gen --quiet --tables "$work/alone-whole" "$name"
    for n in 2 3; do
        rm -rf "$folder"
        cp -r "$work/alone-whole" "$folder"
        rm "$folder/$name".*
        ranks $n --divide 1 --threads 1 --tables "$folder" "$name" || fail "alone: $n ranks failed"
        echo "alone, $n ranks: $(same "$work/alone-whole" "$folder")" || exit 1
        left "$folder"
    done
    rm "$folder/$name".*
    printf 'damage' | dd of="$other" bs=1 seek=$(($(stat -c %s "$other") / 2)) conv=notrunc status=none
    ranks 2 --divide 1 --threads 1 --tables "$folder" "$name" >/dev/null 2>"$work/alone.log" &&
        fail "a damaged $2 was not read"
    grep -q "$2.wdl.treb.*damaged" "$work/alone.log" || fail "nobody says what is damaged: $(cat "$work/alone.log")"
    rm -rf "$folder" "$work/alone-whole"
}

# A rank that cannot work prints the reason and its number.
refused() {
    mkdir "$work/scratch" "$work/refused"
    : >"$work/scratch/rank-1"
    if ranks 2 --scratch "$work/scratch" --tables "$work/refused" KRvKB >/dev/null 2>"$work/refused.log"; then
        fail "ranks without a folder went on"
    fi
    grep -q 'rank 1 on .* ends the job: ' "$work/refused.log" || fail "nobody says why: $(cat "$work/refused.log")"
    rm "$work/scratch/rank-1"
    ranks 2 --scratch "$work/scratch" --tables "$work/refused" KRvKB || fail "ranks with folders failed"
    [ -z "$(ls "$work/scratch")" ] || fail "$work/scratch is not empty: $(ls "$work/scratch")"
    [ -e "$work/refused/KRvKB.dtm.treb" ] || fail "no table"
    echo "refused, with a reason"
}

# An error in the command line is printed once.
words() {
    local n
    n=$(ranks 3 --divide many KRvK 2>&1 | grep -c 'takes a number')
    [ "$n" = 1 ] || fail "'--divide many' is refused $n times"
    ranks 2 --divide many KRvK 2>&1 | grep -qx "Try 'trebuchet-mpi gen --help'." || fail 'nobody says where the options are told'
    ranks 2 --help | awk 'length > 80 { exit 1 }' || fail "the help is wider than 80 columns"
    echo "words"
}

words
refused
# The materials have two like men, one man for each side, or pawns with en passant and promotions.
if [ $short = yes ]; then
    compare few "2 3" --divide 0 --threads 2 -- KNNvK KRvKR
    compare pawns "2" --divide 0 --threads 1 -- KPvK
    large KBvKN
    alone KRvKP KQvKR
    exit 0
fi
compare pieces "1 2 3 4" --divide 2 --threads 2 -- KQvKR KBBvK KRvKB KBNvK
compare pawns "2 3 4" --divide 0 --threads 1 -- KPvKP KRPvK KNvKP KPPvK
# Each rank keeps its own planes of slices that only pawn pushes read.
compare apart "3" --metric wdl --divide 2 --threads 1 -- KBPvKN
compare zstd "2" --divide 1 --threads 2 --codec zstd -- KRvKN
large KQvKB KNPvK
alone KQPvK KQQvK
alone KRvKP KQvKR
killed
resumed KQvKR 2
resumed KPvK 0
echo "all is well"
