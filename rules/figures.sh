#!/bin/bash
# figures.sh TREBUCHET TABLES... - tries every rule on the endings that it names, and writes what became of it into
# docs/rules.md, between the two marks there.
set -eu
cd "$(dirname "$0")/.."
tool=$1
shift
folders=()
for folder; do folders+=(--tables "$folder"); done
page=docs/rules.md
new=$(mktemp)
trap 'rm -f "$new"' EXIT
sed '/<!-- figures -->/q' $page >"$new"
for rule in rules/*.lua; do
    endings=$(sed -n 's/^-- On trial: //p' "$rule")
    [ -n "$endings" ] || continue
    printf '\n### %s\n\n' "$(basename "$rule" .lua)"
    # What it says of itself: the comment that it begins with.
    sed '/^--/!Q' "$rule" | sed -n 's/^-- \{0,1\}//p' | sed '/^On trial:/d' | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'
    printf '\n```\n'
    # shellcheck disable=SC2086
    "$tool" rule --quiet --show 2 "${folders[@]}" "$rule" $endings
    printf '```\n'
done >>"$new"
printf '\n' >>"$new"
sed -n '/<!-- end of figures -->/,$p' $page >>"$new"
cat "$new" >$page
