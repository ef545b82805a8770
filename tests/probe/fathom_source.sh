#!/bin/sh
# fathom_source.sh - tests tbprobe.c and tbprobe.h in an engine's source tree, in place of Fathom's or
# Pyrrhic's. fathom_calls.c is built with them as C and as C++, with both interfaces of Pyrrhic, with
# the shared drop-in, and with Debian's Fathom. All read the same files and must print the same.
#
#     fathom_source.sh BUILD     CC, CXX as usual, CXX= skips C++
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd) cc=${CC:-cc} cxx=${CXX-c++}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
count=1500
tables=$top/tests/data/syzygy
unset TREBUCHET_PATH

fail() {
    echo "source: $*" >&2
    exit 1
}

# The engine's folder has its own source and ours. It uses nothing else of this tree but the library
# and its header.
mkdir "$work/engine"
cp "$top"/probe/fathom/tbprobe.[ch] "$work/engine"
cp "$top/tests/probe/fathom_calls.c" "$work/engine/calls.c"
cp "$work/engine/calls.c" "$work/engine/calls.cc"
cd "$work/engine"
strict="-Wall -Wextra -Wsign-compare -Wshadow -Wpedantic -Werror -I. -I$top/include"
library="-L$build -ltrebuchet -Wl,-rpath,$build"

# The words are split on purpose.
# shellcheck disable=SC2086
{
    $cc -std=c99 $strict calls.c tbprobe.c -o c99 $library -lpthread
    $cc -std=gnu17 -O2 $strict -c tbprobe.c -o tbprobe.o
    $cc -std=c99 $strict calls.c -o shared "$build/fathom/libfathom.so.1" -Wl,-rpath,"$build/fathom"
    $cc -std=c99 calls.c -o theirs -lfathom -I/usr/include
    if [ -n "$cxx" ]; then
        # First everything as C++, whatever the file's name; then C++ linked with C.
        $cxx -std=c++11 $strict -x c++ calls.c tbprobe.c -o cxx -x none $library -lpthread
        $cxx -std=c++20 $strict calls.cc tbprobe.o -o mixed $library -lpthread
    fi
} || fail "does not build"

# fathom_calls.c includes <tbprobe.h>. Without -I. this is the system's header, Fathom's own.
LD_LIBRARY_PATH='' ./theirs "$tables" $count >expected || fail "Debian's Fathom does not answer"
[ "$(grep -c best expected)" -gt $((count / 2)) ] || fail "few positions are answered"
for program in c99 shared ${cxx:+cxx mixed}; do
    ./$program "$tables" $count >answers || fail "$program fails"
    cmp -s expected answers || {
        diff expected answers | head -6 >&2
        fail "$program says something else than Fathom"
    }
done

# Pyrrhic's interfaces, the older one with values for scores in its tbconfig.h.
mkdir ../old ../new
for engine in old new; do
    cp "$top/probe/fathom/tbprobe.c" "$top/probe/pyrrhic/tbprobe.h" calls.c ../$engine
    echo '#define PYRRHIC_LSB(x) (__builtin_ctzll(x))' >../$engine/tbconfig.h
done
echo '#define PYRRHIC_VALUE_MATE 20000' >>../old/tbconfig.h
LD_LIBRARY_PATH='' ./theirs -b "$tables" $count >expected-both || fail "Debian's Fathom does not answer"
for engine in old new; do
    (
        cd ../$engine
        # shellcheck disable=SC2086
        $cc -std=c99 $strict calls.c tbprobe.c -o c99 $library -lpthread
        # shellcheck disable=SC2086
        [ -z "$cxx" ] || $cxx -std=c++11 $strict -x c++ calls.c tbprobe.c -o cxx -x none $library -lpthread
    ) || fail "does not build as the $engine Pyrrhic"
    for program in c99 ${cxx:+cxx}; do
        ../$engine/$program -b "$tables" $count >answers || fail "$program of the $engine Pyrrhic fails"
        cmp -s expected-both answers || {
            diff expected-both answers | head -6 >&2
            fail "$program of the $engine Pyrrhic says something else than Fathom"
        }
    done
done
# Tables in memory. Three men are made here; the names of many more are asked for.
"$build/trebuchet" gen -q --tables made --men 3 >made.log 2>&1 || fail "no tables"
for program in c99 ${cxx:+cxx}; do
    ../new/$program -l made || fail "tables in memory do not answer as those in a folder"
done
# Scores: a mate in its tbconfig.h is 20000 - 256; a win that the 50-move rule spoils is worth at most half a pawn.
../old/c99 "$tables" $count >answers
grep -q ' 19744' answers || fail "tbconfig.h of the older Pyrrhic is not read"
grep -oE ' 8[0-9][0-9] [0-9]+' answers | awk '$2 != ($1 < 803 ? 1 : int(($1 - 800) / 2)) { exit 1 } END { exit NR < 100 }' ||
    fail "wrong scores as the older Pyrrhic"

# The definitions in an engine's tbconfig.h have an effect.
echo '#define TB_VALUE_MATE 9000' >tbconfig.h
# shellcheck disable=SC2086
$cc -std=c99 $strict calls.c tbprobe.c -o own $library -lpthread
./own "$tables" 50 | grep -q ' 8744' || fail "tbconfig.h is not read"

echo "source: $count positions, as C${cxx:+, as C++}, shared and as Pyrrhic, like Debian's Fathom"
