#!/bin/bash
# layers.sh - every #include is one that docs/architecture.md allows: tests/layers.sh, from the top
# folder. The lines "    folder: folder folder ..." there say which folders a folder may include from,
# beside itself, or single headers; a folder without a line of its own goes by the one above it.
set -u
doc=docs/architecture.md
declare -A allowed
while read -r folder others; do allowed[${folder%:}]=$others; done < <(grep -E '^    [a-z0-9/-]+:' $doc)
[ ${#allowed[@]} -gt 5 ] || { echo "$doc has no list of folders"; exit 1; }

# The longest folder with a line that a path lies in, in $room: without a process of its own for each of a thousand.
room_of() {
    room=${1%/*}
    until [ -n "${allowed[$room]+x}" ]; do
        case $room in */*) room=${room%/*} ;; *) break ;; esac
    done
}

wrong=0 seen=0
while IFS=: read -r file header; do
    room_of "$file"
    from=$room
    room_of "$header"
    to=$room
    case $header in trebuchet.h) to=include ;; */*) ;; *) to=$from ;; esac
    seen=$((seen + 1))
    case " $from ${allowed[$from]:-} " in *" $to "* | *" ${to%%/*} "* | *" $header "*) continue ;; esac
    echo "$file includes $header: $from may include from itself and: ${allowed[$from]:-nothing}"
    wrong=$((wrong + 1))
done < <(git ls-files '*.c' '*.h' | grep -v '^tests/' |
    xargs grep -H '^#include "' | sed 's/#include "\(.*\)"/\1/')
[ "$seen" -gt 100 ] || { echo "only $seen includes found"; exit 1; }
echo "$seen includes, $wrong not allowed"
[ "$wrong" -eq 0 ]
