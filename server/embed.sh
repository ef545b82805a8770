#!/bin/sh
# embed.sh FILE NAME PATH TYPE - prints C that holds a file, plain and compressed, as an Asset called
# NAME: for what is served from inside the program.
set -eu
file=$1 name=$2 path=$3 type=$4

array() { # name; bytes on standard input
    printf 'static const unsigned char %s[] = {\n' "$1"
    od -An -v -tu1 | sed 's/ *\([0-9][0-9]*\)/\1,/g'
    printf '};\n'
}

printf '/* Made by server/embed.sh from %s. */\n#include "server/asset.h"\n\n' "$file"
printf 'extern const Asset %s;\n\n' "$name"
array plain <"$file"
gzip -9nc "$file" | array packed
printf 'const Asset %s = {\n    "%s", "%s", "\\"%s\\"", plain, sizeof plain, packed, sizeof packed};\n' \
    "$name" "$path" "$type" "$({ sha256sum "$file" 2>/dev/null || shasum -a 256 "$file"; } | cut -c1-16)"
