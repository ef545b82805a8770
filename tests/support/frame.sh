# frame.sh - what the shell tests share. A test sources it with its own two arguments: the command,
# and a folder with all tables of 3 and 4 men. The test then runs in a new folder, which `leave`
# removes at the end.
if [ $# -ne 2 ] || [ ! -x "$1" ] || [ ! -d "$2" ]; then
    echo "usage: $0 TREBUCHET TABLES" >&2
    exit 2
fi
T=$(realpath "$1")
TABLES=$(realpath "$2")
TOP=$(realpath "$(dirname "$0")/../..")
DIR=$(mktemp -d "${TMPDIR:-/tmp}/trebuchet-test-XXXXXX")
leave() { chmod -R u+w "$DIR"; rm -rf "$DIR"; }
# asks_python KIND FILE EXPRESSION: succeeds if the expression is true of `d`, the value of a JSON
# file. With KIND `lines`, `d` is the list of the values of its lines. One Python process answers
# all questions, because starting hundreds is slow. Without Python every question succeeds.
if command -v python3 >/dev/null; then
    mkfifo "$DIR/.ask" "$DIR/.answer"
    python3 -c 'import json, os, sys
for line in sys.stdin:
    kind, path, expression = line.rstrip("\n").split("\t", 2)
    try:
        os.chdir(os.path.dirname(path))
        text = open(path).read()
        d = [json.loads(l) for l in text.splitlines()] if kind == "lines" else json.loads(text)
        good = bool(eval(expression, {"json": json, "d": d}))
    except Exception:
        good = False
    print("yes" if good else "no", flush=True)' <"$DIR/.ask" >"$DIR/.answer" &
    disown
    exec 8>"$DIR/.ask" 9<"$DIR/.answer"
    rm "$DIR/.ask" "$DIR/.answer"
    asks_python() {
        local answer
        printf '%s\t%s\t%s\n' "$1" "$PWD/$2" "${3//$'\n'/ }" >&8
        read -r answer <&9 && [ "$answer" = yes ]
    }
else
    asks_python() { true; }
fi
trap leave EXIT
cd "$DIR" || exit 2
unset TREBUCHET_PATH COLUMNS
export LC_ALL=C
passed=0 failed=0

pass() { passed=$((passed + 1)); }
check() { if eval "$2"; then pass; else fail "$1"; fi; }
