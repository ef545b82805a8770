#!/bin/sh
# amalgamation.sh - builds the library from its two files in several ways, without a warning, and asks each
# build for thousands of answers: all must be those of the library that make builds.
#
#     amalgamation.sh BUILD TABLES     a compiler that is not installed is left out, and named
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd) tables=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
fail() {
    echo "amalgamation: $*" >&2
    exit 1
}

make -s -C "$top" PAGE=no BUILD="$work" amalgamation >/dev/null || fail "it is not made"
cd "$work/amalgamation"
cp "$top/tests/probe/answers.c" .
strict="-O1 -Wall -Wextra -Werror -I."

# What our tables answer, what Syzygy's do, and tables of codec zstd.
"$build/trebuchet" gen --quiet --codec zstd --tables zstd KQvK
syzygy=$top/tests/data/syzygy
cc -I. answers.c -o answers "$build/libtrebuchet.a" -lzstd -lpthread
./answers 150 "$tables" >expected
./answers 20 "$syzygy" >>expected
[ "$(grep -c . expected)" -ge 40 ] || fail "few endings are answered"
./answers 3 zstd >expected-zstd
grep -q status expected-zstd && fail "the library that make builds cannot read codec zstd"

# try NAME COMPILER...: builds and compares.
try() {
    name=$1
    shift
    command -v "$1" >/dev/null || {
        echo "amalgamation: $1 is not installed"
        return 0
    }
    # shellcheck disable=SC2086
    "$@" $strict trebuchet.c answers.c -o "$name" $libraries 2>"$name.log" || fail "$name: $(cat "$name.log")"
    [ ! -s "$name.log" ] || fail "$name: $(cat "$name.log")"
    [ -n "$run" ] || [ "$name" != windows.exe ] || return 0
    { $run "./$name" 150 "$tables" && $run "./$name" 20 "$syzygy"; } >"$name.answers" || fail "$name fails"
    tr -d '\r' <"$name.answers" | cmp - expected || fail "$name answers something else"
    $run "./$name" 3 zstd | tr -d '\r' | grep -q '^KQvK.wdl status 13' || fail "$name does not refuse codec zstd"
    echo "amalgamation: $name answers as the library does"
}

run='' libraries=-lpthread
try gcc gcc -std=c11
try clang clang -std=c11
try g++ g++ -x c++ -std=c++17
try clang++ clang++ -x c++ -std=c++17
libraries=-static
try musl musl-gcc -std=c11
# A program for Windows, which is only built where there is no Wine.
if command -v wine64 >/dev/null || [ -x /usr/lib/wine/wine64 ]; then run="$top/tests/support/wine.sh $build"; fi
try windows.exe x86_64-w64-mingw32-gcc -std=c11
run=''

# With zstd, and with less.
gcc -DTREB_ZSTD=1 $strict trebuchet.c answers.c -o zstd-gcc -lzstd -lpthread
./zstd-gcc 3 zstd | cmp - expected-zstd || fail "with TREB_ZSTD it answers something else"
for off in TREB_SYZYGY TREB_SOLVED; do
    gcc -D$off=0 $strict -c trebuchet.c || fail "it does not build without $off"
    clang++ -x c++ -std=c++17 -D$off=0 $strict -c trebuchet.c || fail "it does not build without $off as C++"
done

# The suite of probes, with the library that was built from two files as C and as C++: the linker takes the first
# definition of a function.
for compiler in 'gcc -std=c11' 'g++ -x c++ -std=c++17'; do
    # shellcheck disable=SC2086
    $compiler -DTREB_ZSTD=1 $strict -c trebuchet.c -o trebuchet.o
    cc -fopenmp "$build/tests/probe/test_probe.o" trebuchet.o -Wl,-z,muldefs "$build/parts.a" -o test_probe \
        -Wl,--as-needed $(pkg-config --libs check) -lzstd -lxxhash -lpthread
    (cd "$top" && TREB_TEST_PART=8 "$work/amalgamation/test_probe" >"$work/test_probe.log") || fail "$(cat "$work/test_probe.log")"
done

# A program may have any names of its own.
names=$(nm trebuchet.o | awk '$2 ~ /[TDBRC]/ && $3 !~ /^treb_/ { print $3 }')
[ -z "$names" ] || fail "names that are not its own: $names"
echo "amalgamation: built in all ways, and right"
