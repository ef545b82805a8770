#!/bin/bash
# figures.sh TREBUCHET TABLES... - puts every strategy on trial, and writes what became of it into docs/play.md,
# between the two marks there.
set -eu
cd "$(dirname "$0")/.."
tool=$1
shift
folders=()
for folder; do folders+=(--tables "$folder"); done
page=docs/play.md
new=$(mktemp)
trap 'rm -f "$new"' EXIT
sed '/<!-- figures -->/q' $page >"$new"
for strategy in strategies/*.lua; do
    printf '\n### %s\n\n' "$(basename "$strategy" .lua)"
    # What it says of itself: the comment that it begins with.
    sed '/^--/!Q' "$strategy" | sed -n 's/^-- \{0,1\}//p' | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'
    printf '\n```\n'
    "$tool" play --quiet --show 3 --games 10000 "${folders[@]}" "$strategy"
    printf '```\n'
done >>"$new"
printf '\n' >>"$new"
sed -n '/<!-- end of figures -->/,$p' $page >>"$new"
cat "$new" >$page
