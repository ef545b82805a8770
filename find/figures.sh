#!/bin/bash
# figures.sh TREBUCHET TABLES... - counts the mutual zugzwangs of all endings whose tables are in the folders, and writes
# the counts into docs/zugzwangs.md, below the mark there.
set -eu -o pipefail
cd "$(dirname "$0")/.."
tool=$1
shift
folders=()
for folder; do folders+=(--tables "$folder"); done
page=docs/zugzwangs.md
new=$(mktemp)
trap 'rm -f "$new"' EXIT
# Sorted by number of men, then by name.
endings=$(for folder; do ls "$folder"; done | sed -n 's/\.wdl\.treb$//p' | sort -u |
    awk '{ name = $0; sub(/v/, "", name); print length(name), $0 }' | sort -k1,1n -k2 | cut -d' ' -f2)
sed '/<!-- counts -->/q' $page >"$new"
# shellcheck disable=SC2086
"$tool" find --quiet "${folders[@]}" --zugzwang --count --json $endings | python3 -c '
import json, sys, textwrap
rows, none, full, half, endings = [], [], 0, 0, 0
for line in sys.stdin:
    count = json.loads(line)
    if count["event"] != "material":
        continue
    name, endings = count["material"], endings + 1
    white, black = count["zugzwang_white_loses"], count["zugzwang_black_loses"]
    full, half = full + count["zugzwang_full"], half + white + black
    a, b = name.split("v")
    # With equal men on both sides, it does not matter which side loses.
    sides = (white + black, "") if a == b else (white, black)
    if count["found"]:
        rows.append("| %s | %d | %d | %s | %s |" % (name, count["found"], count["zugzwang_full"], *sides))
    else:
        none.append(name)
print("\n%d endings: %d full points, %d half points.\n" % (endings, full, half))
print("| | all | full point | half point: White loses if to move | half point: Black loses if to move |")
print("| --- | --- | --- | --- | --- |")
print("\n".join(rows) + "\n")
print(textwrap.fill("None: %s." % ", ".join(none), 120))' >>"$new"
cat "$new" >$page
