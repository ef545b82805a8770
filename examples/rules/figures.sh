#!/bin/bash
# figures.sh TREBUCHET TABLES... - tests every rule with the endings that it names, and writes the results into
# docs/rules.md, between the two marks there, and into examples/rules/figures.jsonl, which is built into the server.
set -eu
tool=$(realpath "$1")
shift
folders=()
for folder; do folders+=(--tables "$(realpath "$folder")"); done
cd "$(dirname "$0")/.."  # examples/: file names in the figures are relative to it
page=../docs/rules.md
lines=rules/figures.jsonl
new=$(mktemp) new_lines=$(mktemp)
trap 'rm -f "$new" "$new_lines"' EXIT
sed '/<!-- figures -->/q' $page >"$new"
for rule in rules/*.lua; do
    endings=$(sed -n 's/^-- On trial: //p' "$rule")
    [ -n "$endings" ] || continue
    printf '\n### %s\n\n' "$(basename "$rule" .lua)"
    # The description: the comment at the beginning of the file.
    sed '/^--/!Q' "$rule" | sed -n 's/^-- \{0,1\}//p' | sed '/^On trial:/d' | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'
    printf '\n```\n'
    # shellcheck disable=SC2086
    "$tool" rule --quiet --show 2 "${folders[@]}" "$rule" $endings
    printf '```\n'
    # shellcheck disable=SC2086
    "$tool" rule --quiet --json --show 6 "${folders[@]}" "$rule" $endings >>"$new_lines"
done >>"$new"
printf '\n' >>"$new"
sed -n '/<!-- end of figures -->/,$p' $page >>"$new"
cat "$new" >$page
cat "$new_lines" >$lines
