#!/bin/bash
# Runs all tests of a build: tests/run.sh BUILD. Ends with 'N passed, M failed'.
set -u
# Threads that wait should not keep a busy machine from the work they wait for.
export OMP_WAIT_POLICY=passive
build=$1
passed=0
failed=0
tables=$build/test-tables
log=$build/test.log
: >"$log"

# run NAME COMMAND...: shows the last lines of what fails.
run() {
    local name=$1 start=$SECONDS
    shift
    if "$@" >"$build/last.log" 2>&1; then
        passed=$((passed + 1))
        printf 'ok    %-22s %3d s  %s\n' "$name" $((SECONDS - start)) "$(grep -E '^[0-9]+%: Checks' "$build/last.log" | tail -1)"
    else
        failed=$((failed + 1))
        printf 'FAIL  %-22s %3d s\n' "$name" $((SECONDS - start))
        tail -40 "$build/last.log"
    fi
    cat "$build/last.log" >>"$log"
}

rm -rf "$tables"
mkdir -p "$tables"
for test in "$build"/tests/test_*; do
    case $test in *.o | *.d | */test_gen) continue ;; esac
    run "$(basename "$test")" "$test"
done
# Makes all tables of 3 and 4 men, which the tests after it use.
run test_gen env TREB_TEST_KEEP="$tables" "$build/tests/test_gen"
run "published counts" "$build/tests/counts" "$tables" tests/data/le5.tsv
run "blocked and tables" "$build/tests/blocked_tables" "$tables" 4
run "blocked, below" "$build/tests/blocked_tables" "$tables" '8/8/8/8/p4k2/8/1P6/3K4 w - - 0 1' 4
run "verify a sample" "$build/trebuchet" verify --tables "$tables"
run test_cli tests/test_cli.sh "$build/trebuchet" "$tables"
run symbols tests/symbols.sh "$build/libtrebuchet.so.0" "$build/libtrebuchet.a"
run install tests/install.sh "$build"
run "man pages" sh -c 'mandoc -Tlint -Wwarning docs/man/*.1'
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
