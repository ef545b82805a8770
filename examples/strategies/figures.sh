#!/bin/bash
# figures.sh TREBUCHET TABLES... - tests every strategy, and writes the results into docs/play.md, between the two marks
# there, and into examples/strategies/figures.jsonl, which is built into the server.
set -eu
tool=$(realpath "$1")
shift
folders=()
for folder; do folders+=(--tables "$(realpath "$folder")"); done
cd "$(dirname "$0")/.."  # examples/: file names in the figures are relative to it
page=../docs/play.md
lines=strategies/figures.jsonl
new=$(mktemp) new_lines=$(mktemp)
trap 'rm -f "$new" "$new_lines"' EXIT
sed '/<!-- figures -->/q' $page >"$new"
for strategy in strategies/*.lua; do
    printf '\n### %s\n\n' "$(basename "$strategy" .lua)"
    # The description: the comment at the beginning of the file.
    sed '/^--/!Q' "$strategy" | sed -n 's/^-- \{0,1\}//p' | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'
    printf '\n```\n'
    "$tool" play --quiet --show 3 --games 10000 "${folders[@]}" "$strategy"
    printf '```\n'
    "$tool" play --quiet --json --show 0 "${folders[@]}" "$strategy" >>"$new_lines"
done >>"$new"
printf '\n' >>"$new"
sed -n '/<!-- end of figures -->/,$p' $page >>"$new"
cat "$new" >$page
cat "$new_lines" >$lines
