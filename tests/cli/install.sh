#!/bin/sh
# install.sh - installs into a folder of its own, then builds and runs a small program against what
# was installed: as C and as C++, with the shared and with the static library, all by pkg-config.
#
#     install.sh [BUILD]      the build folder, as make has it; MAKE, CC, CXX as usual, CXX= skips C++
set -eu

source=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-build} make=${MAKE:-make} cc=${CC:-cc} cxx=${CXX-c++}
prefix=/usr/trebuchet-$$ # never the one of an earlier run
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

fail() {
    echo "install: $*" >&2
    exit 1
}

python=$prefix/lib/python3/dist-packages
"$make" -C "$source" BUILD="$build" install DESTDIR="$work/root" PREFIX=$prefix PYTHONDIR=$python >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    fail "make install failed"
}
root=$work/root$prefix
for file in bin/trebuchet include/trebuchet.h lib/libtrebuchet.a lib/libtrebuchet.so \
    lib/pkgconfig/trebuchet.pc lib/trebuchet/libfathom.so.1 share/trebuchet/fathom/tbprobe.c \
    share/trebuchet/fathom/tbprobe.h share/trebuchet/pyrrhic/tbprobe.c share/trebuchet/pyrrhic/tbprobe.h share/trebuchet/rules/square.lua share/trebuchet/strategies/king-and-rook.lua lib/python3/dist-packages/trebuchet/py.typed; do
    [ -e "$root/$file" ] || fail "$file is not installed"
done
[ -L "$root/lib/libtrebuchet.so" ] || fail "libtrebuchet.so is no link"
[ -x "$root/bin/trebuchet" ] || fail "trebuchet cannot be run"

# The system's libfathom is not to be hidden by ours.
[ ! -e "$root/lib/libfathom.so.1" ] || fail "libfathom.so.1 is where every program would find it"
"$root/bin/trebuchet" engine --tables "$work" -- /bin/sh -c 'echo $LD_LIBRARY_PATH' 2>/dev/null |
    grep -qx "$root/lib/trebuchet" || fail "trebuchet engine does not find libfathom.so.1"

# Nothing may land outside of the prefix, and the build folder must not be in the .pc file.
stray=$(find "$work/root" -type f ! -path "$root/*")
[ -z "$stray" ] || fail "outside of the prefix: $stray"
if grep -q "$work" "$root/lib/pkgconfig/trebuchet.pc"; then fail "DESTDIR is in trebuchet.pc"; fi

grep -q "^prefix=$prefix\$" "$root/lib/pkgconfig/trebuchet.pc" ||
    fail "trebuchet.pc has another prefix than was asked for"

export PKG_CONFIG_PATH="$root/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$work/root"
pkg-config --exists trebuchet || fail "pkg-config does not find trebuchet"

# Valid both as C and as C++. The position needs no table: neither side can mate.
cat >"$work/small.c" <<'END'
#include <stdio.h>
#include <string.h>
#include <trebuchet.h>

int main(void)
{
    treb_error error;
    treb_position pos;
    treb_wdl wdl;
    treb_tables *tables = treb_tables_open(NULL, 0, &error);
    if (tables == NULL) return 1;
    if (treb_position_from_fen("8/8/8/8/8/1k6/8/K7 w - - 0 1", &pos, &error) != TREB_OK) return 2;
    if (treb_probe_wdl(tables, &pos, &wdl, &error) != TREB_OK) return 3;
    if (strcmp(treb_wdl_text(wdl), "draw") != 0) return 4;
    if (treb_position_from_fen("nonsense", &pos, &error) != TREB_ERR_FEN) return 5;
    treb_tables_close(tables);
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", TREB_VERSION_MAJOR, TREB_VERSION_MINOR,
             TREB_VERSION_PATCH);
    if (strcmp(version, TREB_VERSION) != 0) return 6;
    puts("works");
    return 0;
}
END
cp "$work/small.c" "$work/small.cc"

# The example at the top of the header, as it stands there.
{
    printf '#include <stdio.h>\n#include <trebuchet.h>\n\nint main(void)\n{\n'
    sed -n '/^ \*     /s/^ \* //p; /\*\/$/q' "$root/include/trebuchet.h"
    printf '    puts("works");\n    return 0;\n}\n'
} >"$work/example.c"
grep -q treb_probe_wdl "$work/example.c" || fail "there is no example in trebuchet.h"
cp "$work/example.c" "$work/example.cc"

# The words of pkg-config are meant to be split.
# shellcheck disable=SC2046
build() { # compiler, source, program, flags...
    compiler=$1 text=$2 program=$3
    shift 3
    "$compiler" -Wall -Wextra -Werror $(pkg-config --cflags trebuchet) "$text" -o "$program" "$@" ||
        fail "$program does not build"
}

try() { # compiler, its standard, source, name
    # shellcheck disable=SC2046
    build "$1" "$3" "$work/$4-shared" "$2" $(pkg-config --libs trebuchet)
    readelf -d "$work/$4-shared" | grep -q 'NEEDED.*libtrebuchet\.so\.[0-9]' ||
        fail "$4-shared does not use the shared library by its versioned name"
    [ "$(LD_LIBRARY_PATH=$root/lib "$work/$4-shared")" = works ] || fail "$4-shared fails"
    # --static names the libraries behind; of these our own alone is taken as an archive.
    # shellcheck disable=SC2046
    build "$1" "$3" "$work/$4-static" "$2" \
        $(pkg-config --static --libs trebuchet | sed 's/-ltrebuchet/-l:libtrebuchet.a/')
    if readelf -d "$work/$4-static" | grep -q 'NEEDED.*libtrebuchet'; then
        fail "$4-static uses the shared library"
    fi
    [ "$("$work/$4-static")" = works ] || fail "$4-static fails"
}

try "$cc" -std=c11 "$work/small.c" c
try "$cc" -std=c11 "$work/example.c" example
if [ -n "$cxx" ]; then
    try "$cxx" -std=c++11 "$work/small.cc" cxx
    try "$cxx" -std=c++11 "$work/example.cc" example-cxx
fi
version=$(sed -n 's/^#define TREB_VERSION "\(.*\)"/\1/p' "$root/include/trebuchet.h")
[ "$(pkg-config --modversion trebuchet)" = "$version" ] || fail "trebuchet.pc has another version"
[ "$("$root/bin/trebuchet" --version)" = "trebuchet $version" ] || fail "trebuchet has another version"

# The example engine, by its own Makefile, answers from what was installed.
"$make" -C "$source/examples/uci" PROGRAM="$work/trebuchet-uci" CC="$cc" >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    fail "examples/uci does not build"
}
echo 'position fen 8/8/8/8/8/1k6/8/K7 w - - 0 1
go depth 1' | LD_LIBRARY_PATH=$root/lib "$work/trebuchet-uci" | grep -q '^bestmove a1b1' ||
    fail "examples/uci does not play"
"$make" -C "$source/examples/uci" LMDB=no CFLAGS=-O0 PROGRAM="$work/forgetful-uci" CC="$cc" >"$work/log" 2>&1 &&
    printf 'setoption name MemoryPath value m\nsetoption name Memory value true\n' |
    LD_LIBRARY_PATH=$root/lib "$work/forgetful-uci" | grep -q '^info string memory: none, as .*without LMDB' ||
    fail "examples/uci without LMDB does not say so"

# The source of the drop-in is where trebuchet.pc says, and the Python module finds its library.
for folder in fathomdir:share/trebuchet/fathom pyrrhicdir:share/trebuchet/pyrrhic fathomlibdir:lib/trebuchet; do
    PKG_CONFIG_SYSROOT_DIR='' pkg-config --variable="${folder%%:*}" trebuchet | grep -qx "$prefix/${folder#*:}" ||
        fail "trebuchet.pc has another ${folder%%:*}"
done
echo 'print(__import__("trebuchet").version())' |
    LD_LIBRARY_PATH=$root/lib PYTHONPATH=$work/root$python PYTHONDONTWRITEBYTECODE=1 python3 - |
    grep -qx "$version" || fail "the Python module does not work"

if grep -q '^uninstall:' "$source/Makefile"; then
    "$make" -C "$source" BUILD="$build" uninstall DESTDIR="$work/root" PREFIX=$prefix PYTHONDIR=$python >"$work/log" 2>&1
    left=$(find "$work/root" ! -type d)
    [ -z "$left" ] || fail "uninstall leaves $left"
fi
echo "install: C${cxx:+ and C++} and the example engine, shared and static, build and run"
