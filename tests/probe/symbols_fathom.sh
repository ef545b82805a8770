#!/bin/sh
# symbols_fathom.sh - checks the symbols that the drop-in exports: all that Debian's header of
# Fathom declares and that its libfathom1 exports for programs, and nothing else.
#
#     symbols_fathom.sh libfathom.so.1 [tbprobe.h [the system's libfathom.so.1]]
set -eu

if [ $# -lt 1 ]; then
    echo "usage: $0 libfathom.so.1 [tbprobe.h [the system's libfathom.so.1]]" >&2
    exit 2
fi
ours=$1 header=${2:-/usr/include/tbprobe.h}
theirs=${3:-$("${CC:-cc}" -print-file-name=libfathom.so.1)}
failed=0
wrong() {
    echo "$ours: $*" >&2
    failed=1
}

# Functions of Debian's library that its header does not declare. Their arguments are its internal
# structures. They are exported only because of the way it was built, and no program can use them.
internal='TB_probe_dtm encode first_ei leading_pawn num_tables probe_table root_probe_dtm tb_expand_mate'

# one_of NAMES NAME: succeeds if the name is one of those, which stand on lines of their own.
one_of() {
    case "
$1
" in *"
$2
"*) ;; *) return 1 ;; esac
}
names() { nm -D --defined-only "$1" | awk '{ print $3 }' | sort -u; }
our_names=$(names "$ours")
their_names=$(names "$theirs")

# The names before a bracket or a semicolon, without the functions that the header itself defines.
declared=$("${CC:-cc}" -E -P "$header" | tr '\n' ' ' | sed 's/static inline[^{]*{[^}]*}//g' |
    grep -oE '\b(tb|TB)_[A-Za-z0-9_]+ *[(;]' | sed 's/ *[(;]//' | sort -u)
has() { one_of "$our_names" "$1"; }

count=0
for name in $declared; do
    has "$name" || wrong "lacks $name, which $header declares"
    count=$((count + 1))
done
[ "$count" -ge 15 ] || wrong "only $count names found in $header: is it the right file?"

for name in $their_names; do
    case " $internal " in
    *" $name "*) has "$name" && wrong "has $name" ;;
    *) has "$name" || wrong "lacks $name, which $theirs has" ;;
    esac
done
for name in $our_names; do
    one_of "$their_names" "$name" || one_of "$declared" "$name" ||
        wrong "has $name, which neither $header nor $theirs has"
done

soname() { readelf -d "$1" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p'; }
[ "$(soname "$ours")" = "$(soname "$theirs")" ] || wrong "another SONAME than $theirs"
kinds() { nm -D --defined-only -S "$1" | awk '$3 == "B" || $3 == "D" { print $4, $2 }' | sort; }
[ "$(kinds "$ours")" = "$(kinds "$theirs")" ] || wrong "variables of another size than in $theirs"
if readelf -d "$ours" | grep -q 'NEEDED.*libtrebuchet'; then wrong "needs libtrebuchet beside it"; fi

[ "$failed" -eq 0 ] && echo "symbols of the drop-in: $count of the header, all there and nothing else"
exit "$failed"
