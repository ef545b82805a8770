#!/bin/sh
# symbols.sh - checks the symbols that the libraries export. Every global symbol begins with treb_.
# Every function of the public header is in the shared and in the static library. In the shared one
# each function has a version named after the SONAME.
#
#     symbols.sh libtrebuchet.so libtrebuchet.a [trebuchet.h]
set -eu

if [ $# -lt 2 ]; then
    echo "usage: $0 libtrebuchet.so libtrebuchet.a [trebuchet.h]" >&2
    exit 2
fi
shared=$1 static=$2
header=${3:-$(dirname "$0")/../../include/trebuchet.h}

# A declaration begins with TREB_API. Its name stands before the first bracket of the following
# text, which may be on the next line.
declared=$(grep -v '^#' "$header" | tr '\n' ' ' | grep -o 'TREB_API [^;(]*(' |
    sed 's/ *($//; s/.*[ *]//' | sort -u)

# GNU's nm prints "address type name", and for a shared library "name@@version". Symbols that the
# linker makes itself (_init, _end, the versions ...) are left out.
names() {
    nm "$@" | awk 'NF == 3 && $2 ~ /^[B-TV-Z]$/ { sub("@.*", "", $3); print $3 }' |
        grep -Ev '^(_init|_fini|_edata|_end|__bss_start)$' | sort -u
}

failed=0
check() { # file, its names
    foreign=$(printf '%s\n' "$2" | grep -v '^treb_' || true)
    if [ -n "$foreign" ]; then
        printf '%s exports a name of its own: %s\n' "$1" "$foreign" >&2
        failed=1
    fi
    for name in $declared; do
        if ! printf '%s\n' "$2" | grep -qx "$name"; then
            echo "$1 lacks $name" >&2
            failed=1
        fi
    done
    for name in $2; do
        if ! printf '%s\n' "$declared" | grep -qx "$name"; then
            echo "$1 exports $name, which the header does not declare" >&2
            failed=1
        fi
    done
}

count=$(printf '%s\n' "$declared" | grep -c '^treb_')
if [ "$count" -lt 10 ]; then
    echo "only $count functions found in $header: is it the right file?" >&2
    exit 1
fi
check "$shared" "$(names -D --defined-only "$shared")"
check "$static" "$(names -g --defined-only "$static")"

soname=$(readelf -d "$shared" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
major=${soname##*.so.}
other=$(nm -D --defined-only "$shared" | awk '$2 != "A" { print $3 }' |
    grep -Ev "@@TREBUCHET_$major(\.[0-9]+)?\$" || true)
if [ -n "$other" ]; then
    printf '%s: not of a version TREBUCHET_%s, as its SONAME %s asks for: %s\n' \
        "$shared" "$major" "$soname" "$other" >&2
    failed=1
fi
[ "$failed" -eq 0 ] && echo "symbols: $count functions, all there and nothing else"
exit "$failed"
