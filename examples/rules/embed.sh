#!/bin/sh
# embed.sh rule|strategy FIGURES FILE... - prints a C file with rules or strategies and their figures, which are built
# into the program (json/rule_book.h).
set -eu
kind=$1 figures=$2
shift 2

array() { # prints an array: name as argument, text on standard input
    printf 'static const char %s[] = {\n' "$1"
    od -An -v -td1 | sed 's/ *\(-\{0,1\}[0-9][0-9]*\)/\1,/g'
    printf '0};\n'
}

printf '/* Made by examples/rules/embed.sh. */\n#include "json/rule_book.h"\n\n'
count=0
for rule; do
    array "rule_$count" <"$rule"
    count=$((count + 1))
done
lines=$(wc -l <"$figures")
line=0
while [ "$line" -lt "$lines" ]; do
    line=$((line + 1))
    sed -n "${line}p" "$figures" | array "figures_$line"
done
printf '\nconst RuleText %s_book[] = {\n' "$kind"
count=0
for rule; do
    printf '    {"%s", rule_%d},\n' "$(basename "$rule" .lua)" "$count"
    count=$((count + 1))
done
printf '    {0, 0}};\n\nconst RuleFigures %s_figures[] = {\n' "$kind"
sed -n 's#^{"'"$kind"'":"[a-z]*/\([a-z-]*\)\.lua","material":"\([A-Zv]*\)".*#\1 \2#p' "$figures" | {
    line=0
    while read -r rule material; do
        line=$((line + 1))
        printf '    {"%s", "%s", figures_%d},\n' "$rule" "$material" "$line"
    done
    [ "$line" -eq "$lines" ] || { echo "embed.sh: $figures has lines that are no figures" >&2; exit 1; }
}
printf '    {0, 0, 0}};\n'
