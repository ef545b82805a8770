# checks.sh - what the tests of the command share: sourced with their two arguments, see frame.sh.
. "$(dirname "$0")/../support/frame.sh"

fail() {
    failed=$((failed + 1))
    echo "FAILED: $1"
    sed 's/^/    | /' out err 2>/dev/null | cut -c1-300 | head -12
}

# run CODE NAME COMMAND...: runs it, keeps stdout and stderr in `out` and `err`, checks the exit code.
run() {
    local want=$1 name=$2 code
    shift 2
    "$@" >out 2>err </dev/null
    code=$?
    what=$name
    if [ "$code" -eq "$want" ]; then pass; else fail "$name: exit code $code, not $want"; fi
}
# in_file EXPRESSION FILE: a line of it matches. Without a process of its own: there are thousands of these.
in_file() {
    local line
    while IFS= read -r line || [ -n "$line" ]; do
        [[ $line =~ $1 ]] && return 0
    done <"$2"
    return 1
}
has() { if in_file "$1" out; then pass; else fail "$what: no /$1/ in the output"; fi; }
lacks() { if in_file "$1" out || in_file "$1" err; then fail "$what: /$1/ in the output"; else pass; fi; }
says() { if in_file "$1" err; then pass; else fail "$what: no /$1/ in the messages"; fi; }
# Lines that tell how far long work is are no messages: under sanitizers much takes long.
quiet() { if ! grep -qvE '^trebuchet [a-z]+: .* \([0-9:]+\)$' err; then pass; else fail "$what: messages on stderr"; fi; }
silent() { if [ ! -s out ]; then pass; else fail "$what: output on stdout"; fi; }
is_json() {
    if asks_python json out True; then pass; else fail "$what: not JSON"; fi
}
# is_json_lines: every line by itself.
is_json_lines() {
    if asks_python lines out True; then pass; else fail "$what: not JSON lines"; fi
}
# json EXPRESSION: a Python expression about the object `d` is true.
json() {
    if asks_python json out "$1"; then pass; else fail "$what: not so: $1"; fi
}
