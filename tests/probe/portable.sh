#!/bin/sh
# portable.sh - builds the library and the drop-in with musl, which has neither GNU's extensions nor
# the kernel's headers, and reads an error of the system there.
#
#     portable.sh     needs musl-gcc
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
fail() {
    echo "portable: $*" >&2
    exit 1
}

# Of the system's headers only those of the two libraries that are needed.
mkdir "$work/include"
for header in zstd.h zstd_errors.h xxhash.h; do ln -s "/usr/include/$header" "$work/include"; done
cat >"$work/missing.c" <<'END'
#include <stdio.h>
#include <trebuchet.h>

int main(void)
{
    const char *folder = "/nonexistent";
    treb_error error;
    if (treb_tables_open(&folder, 1, &error) != NULL) return 1;
    puts(error.text);
    return 0;
}
END
cd "$top"
flags="-std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -I. -Iinclude -idirafter $work/include -Wall -Wextra -Werror"
library="core/chess/*.c core/format/*.c core/system/*.c probe/*.c probe/syzygy/*.c probe/fathom/*.c"
# The words are split on purpose, here and below.
# shellcheck disable=SC2086
for file in $library "$work/missing.c"; do
    # The command's: it needs zlib.
    [ "$file" != core/format/table_bundle.c ] || continue
    name=$(echo "$file" | tr / _)
    # shellcheck disable=SC2086
    musl-gcc $flags -c "$file" -o "$work/$name.o" || fail "$file does not compile"
done

# The system's libzstd and libxxhash are for GNU's C library; the program does not get as far as to call them.
musl-gcc "$work"/*.o -o "$work/missing" -lpthread -Wl,--unresolved-symbols=ignore-all || fail "does not link"
"$work/missing" >"$work/said" || fail "the program fails"
grep -q '/nonexistent.*No such file' "$work/said" || fail "the reason is lost: $(cat "$work/said")"
echo "portable: the library and the drop-in build with musl"
