#!/bin/sh
# hostile_names.sh - builds the drop-in with a tbconfig.h that defines every short name as a macro which breaks the code
# that uses it, as an engine's headers may. Both interfaces, with every compiler there is, without a warning.
#
#     hostile_names.sh
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"
fail() {
    echo "hostile names: $*" >&2
    exit 1
}

# Words of the language and of its library that the code after tbprobe.h's first lines may use, and the members of the
# interface.
cat >allowed <<'END'
__atomic_store_n __ATOMIC_RELAXED __builtin_popcountll __builtin_ctzll NULL bool true false uint64_t uint16_t int32_t
uint8_t size_t pthread_mutex_lock pthread_mutex_unlock
const int unsigned void static inline struct enum typedef extern return if else for while case switch default sizeof char
long double volatile break continue do
define ifdef ifndef if endif else elif include defined undef __has_include __cplusplus __attribute__
move moves size data pv pvSize tbScore tbRank
END
tr ' ' '\n' <allowed | sort -u >names.allowed

# Every other name in the sources, without their comments, and those that broke engines once.
sources="$top/probe/fathom/tbprobe.c $top/probe/fathom/tbprobe.h $top/probe/pyrrhic/tbprobe.h $top/include/trebuchet.h"
# shellcheck disable=SC2086
cat $sources | "${CC:-cc}" -fpreprocessed -dD -E -P -w -x c - | grep -oE '[A-Za-z_][A-Za-z0-9_]*' |
    grep -vE '^(tb_|TB|Tb|tbp|dropin|Dropin|DROPIN|treb_|TREB|[Pp]yrrhic|PYRRHIC)' >names.all
echo 'MATE_SCORE LIST_MAX PATH_SIZE Gate Root ray rays file_a gates enter leave min max abs popcount lsb WHITE BLACK PAWN
KING MOVE FROM TO EP WDL DTZ from to word field value square white black' | tr ' ' '\n' >>names.all
sort -u names.all | comm -23 - names.allowed >names
[ "$(wc -l <names)" -ge 200 ] || fail "only $(wc -l <names) names are found"

mkdir fathom old new
cp "$top"/probe/fathom/tbprobe.[ch] fathom
for folder in old new; do cp "$top/probe/fathom/tbprobe.c" "$top/probe/pyrrhic/tbprobe.h" $folder; done
for folder in fathom old new; do sed 's/.*/#undef &\n#define & <<<&>>>/' names >$folder/tbconfig.h; done
echo '#define PYRRHIC_VALUE_MATE 30000' >>old/tbconfig.h

strict="-Wall -Wextra -Wsign-compare -Wshadow -Wpedantic -Werror -I$top/include"
count=0
for compiler in 'gcc -std=c99' 'gcc -std=gnu17 -O2' 'clang -std=c99' 'g++ -std=c++11 -x c++' 'clang++ -std=c++17 -x c++'; do
    command -v "${compiler%% *}" >/dev/null || continue
    for folder in fathom old new; do
        # The words are split on purpose.
        # shellcheck disable=SC2086
        $compiler $strict -c $folder/tbprobe.c -o $folder/tbprobe.o || fail "$compiler, $folder"
        count=$((count + 1))
    done
done
[ "$count" -ge 3 ] || fail "no compiler is found"

# The names that the file itself has cannot be those of the engine's functions and variables.
for folder in fathom old new; do
    cc -std=c99 -O0 -I"$top/include" -c $folder/tbprobe.c -o $folder/tbprobe.o
    own=$(nm --defined-only $folder/tbprobe.o | awk '$3 !~ /\./ { print $3 }' | grep -vE '^(tb_|TB_|dropin_)' || true)
    [ -z "$own" ] || fail "$folder defines $own"
done
echo "hostile names: $(wc -l <names) names, $count builds of the drop-in"
