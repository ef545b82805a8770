#!/bin/bash
# documents.sh - checks that docs/library.md and docs/engines.md work as printed. The complete
# programs in them are built and run by the commands shown ("    $ ..."), which must print what is
# shown. The signatures must be those of the headers.
#
#     documents.sh BUILD TABLES      TABLES has all tables of three men
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd) tables=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "documents: $*" >&2
    exit 1
}

# A pkg-config file as for an installed library.
cat >"$work/trebuchet.pc" <<END_PC
fathomdir=$top/probe/fathom
fathomlibdir=$build/fathom
Name: trebuchet
Description: the library in its build folder
Version: 0
Libs: -L$build -ltrebuchet
Cflags: -I$top/include
END_PC
export PKG_CONFIG_PATH=$work LD_LIBRARY_PATH=$build
mkdir "$work/bin"
printf '#!/bin/sh\nexec %s -Wall -Wextra -Werror "$@"\n' "$(command -v ${CC:-cc})" >"$work/bin/cc"
chmod +x "$work/bin/cc"
PATH=$work/bin:$PATH
ln -s "$tables" "$work/tables"
cd "$work"

ran=0
# check DOCUMENT: writes the programs to files, whose names are in their first lines, and runs the
# commands.
check() {
    local doc=$1 line command='' expected=''
    awk '/^```c$/ { code = 1; text = ""; next }
         /^```$/ { if (code && text ~ /int main\(/) { split(text, word, " ")
                                                     printf "%s", text > word[2] }
                   code = 0 }
         code { text = text $0 "\n" }' "$doc"
    # Prints the lines of an indented block: each command with its output.
    try() {
        [ -n "$command" ] || return 0
        eval "$command" >printed 2>&1 || { cat printed >&2; fail "$doc: $command: fails"; }
        printf '%s' "$expected" | diff - printed >&2 || fail "$doc: $command: prints something else"
        ran=$((ran + 1)) command='' expected=''
    }
    while IFS= read -r line; do
        case $line in
        '    $ '*) try; command=${line#'    $ '} ;;
        '    '*) [ -z "$command" ] || expected=$expected${line#    }$'\n' ;;
        *) try ;;
        esac
    done <"$doc"
    try
}
check "$top/docs/library.md"
check "$top/docs/engines.md"
[ "$ran" -ge 8 ] || fail "only $ran commands found"

# Prints the prototypes, each on one line. A prototype ends at the next semicolon.
prototypes() {
    awk '/^[a-z][a-z_ *]*treb_[a-z_]*\(/ { inside = 1; text = "" }
         inside { sub(/^ +/, " "); text = text $0 }
         inside && /;$/ { print text; inside = 0 }' | sort
}
cat "$top/include/trebuchet.h" "$top/include/trebuchet-http.h" | sed "s/^TREB_API //" | prototypes >header
sed -n '/^```c$/,/^```$/p' "$top/docs/library.md" | prototypes >document
diff header document >&2 || fail "docs/library.md has other signatures than the headers"
[ "$(wc -l <header)" -ge 25 ] || fail "few signatures found"

echo "documents: $ran commands and $(wc -l <header) signatures as printed"
