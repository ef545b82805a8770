# frame.sh - what tests by script share: sourced with their two arguments, the command and a folder with
# all tables of 3 and 4 men. They run in a folder of their own, which `leave` removes when they end.
if [ $# -ne 2 ] || [ ! -x "$1" ] || [ ! -d "$2" ]; then
    echo "usage: $0 TREBUCHET TABLES" >&2
    exit 2
fi
T=$(realpath "$1")
TABLES=$(realpath "$2")
TOP=$(realpath "$(dirname "$0")/../..")
DIR=$(mktemp -d "${TMPDIR:-/tmp}/trebuchet-test-XXXXXX")
leave() { chmod -R u+w "$DIR"; rm -rf "$DIR"; }
trap leave EXIT
cd "$DIR" || exit 2
unset TREBUCHET_PATH COLUMNS
export LC_ALL=C
passed=0 failed=0

pass() { passed=$((passed + 1)); }
check() { if eval "$2"; then pass; else fail "$1"; fi; }
