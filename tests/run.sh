#!/bin/bash
# Runs all tests of a build: tests/run.sh BUILD. Ends with 'N passed, M failed'.
set -u
# Threads that wait should not keep a busy machine from the work they wait for.
export OMP_WAIT_POLICY=passive
export PYTHONDONTWRITEBYTECODE=1
# Three tests at a time, so that each takes longer.
export CK_TIMEOUT_MULTIPLIER=4
build=$1
tables=$build/test-tables
log=$build/test.log
results=$build/test-results
: >"$log"
: >"$results"

# run NAME COMMAND...: says how long it took, and how long processors worked; shows the last lines of what fails.
run() {
    local name=$1 start=$SECONDS last spent status TIMEFORMAT='%U %S'
    shift
    last=$(mktemp "$build/last.XXXXXX")
    # In a shell of its own, where no test that runs beside it is counted.
    (time "$@" >"$last" 2>&1) 2>"$last.time"
    status=$?
    spent=$(awk '{ used = $1 + $2 } END { printf "%4d s, %4.0f of processors", '$((SECONDS - start))', used }' "$last.time")
    if [ $status -eq 0 ]; then
        echo ok >>"$results"
        printf 'ok    %-30s%s  %s\n' "$name" "$spent" "$(grep -E '^[0-9]+%: Checks' "$last" | tail -1)"
    else
        echo FAIL >>"$results"
        printf 'FAIL  %-30s%s\n%s\n' "$name" "$spent" "$(grep -A 15 '^not ok' "$last"; tail -40 "$last")"
    fi
    cat "$last" >>"$log"
    rm -f "$last" "$last.time"
}

# The tests that need no tables run beside the others, and whoever has done its own does what is left of them.
without_tables() {
    for test in "$build"/tests/*/test_*; do
        case $test in *.o | *.d | */test_gen | */test_bounded) continue ;; esac
        mkdir "$taken/$(basename "$test")" 2>/dev/null || continue
        run "$(basename "$test")" "$test"
    done
}

# Those of whole programs wait for something most of the time.
with_programs() {
    run test_server tests/server/test_server.sh "$build/trebuchet" "$tables"
    if [ "${PAGE:-yes}" = no ]; then
        echo 'skip  the page: built without it'
    else
        run "page: units" node --test tests/server/page_units.test.mjs
        run "page: in Chromium" env TREB_BUILD="$build" TREB_TABLES="$tables" node --test tests/server/page_browser.test.mjs
    fi
    run "example engine" tests/examples/engine.py "$build/trebuchet-uci" "$tables"
    if grep -q 'without LMDB' "$build/trebuchet-uci"; then
        echo 'skip  the engine'"'"'s memory: built without LMDB'
    else
        run "engine memory" tests/examples/memory.py "$build/trebuchet-uci" "$tables"
    fi
    run "engine games" "$build/tests/examples/engine_games" -n 300 "$build/trebuchet-uci" "$tables"
    run "engine on solved pawn endings" tests/examples/solved_games.sh "$build"
    run "engine positions" tests/examples/engine_positions.py -m 4 "$build/trebuchet-uci" "$tables"
    if PATH=$PATH:/usr/games command -v ethereal-chess >/dev/null; then
        run "engine on the drop-in" python3 tests/probe/test_engine_fathom.py "$build" "$tables"
    else
        echo 'SKIPPED: no engine plays on the drop-in, as ethereal-chess is not installed (.ci/deps test)'
    fi
    without_tables
}

taken=$build/test-taken
rm -rf "$tables" "$taken"
mkdir -p "$tables" "$taken"
without_tables &
beside=$!
# Makes all tables of 3 and 4 men, which the tests after it use.
run test_gen env TREB_TEST_KEEP="$tables" "$build/tests/gen/test_gen"
with_programs &
programs=$!
run "published counts" "$build/tests/probe/counts" "$tables" tests/data/le5.tsv
run "published distances" tests/probe/published_counts.py "$build/trebuchet" "$tables"
run "few open files" "$build/tests/probe/test_files" "$tables"
run "never wait" "$build/tests/probe/test_wait" "$tables"
run "bounded probes" "$build/tests/probe/test_bounds" "$tables"
# Makes mate distances that are bounds, which the two after it use.
bounded=$build/test-bounded
rm -rf "$bounded"
run test_bounded env TREB_TEST_KEEP="$bounded" "$build/tests/probe/test_bounded"
run "bounds, never wait" "$build/tests/probe/test_wait" "$bounded"
run "bounds, bounded probes" "$build/tests/probe/test_bounds" "$bounded"
run "blocked and tables" "$build/tests/pawns/blocked_tables" "$tables" 4
run "blocked, below" "$build/tests/pawns/blocked_tables" "$tables" '8/8/8/8/p4k2/8/1P6/3K4 w - - 0 1' 4
run "solve and tables" "$build/tests/pawns/solve_tables" "$tables" 4
run "solve with tables" "$build/tests/pawns/solve_tables" "$tables" 12 -
run "distances, bounds" "$build/tests/pawns/solve_tables" "$tables" KPPvK 100
# In one of these no more than two values change at last, the black king on h8 in both: once that went unnoticed.
run "bounds, KPvKP" "$build/tests/pawns/solve_tables" "$tables" KPvKP 110
run "distances, KPvKP" "$build/tests/pawns/solve_tables" "$tables" KPvKP 60 -
run "distances, en passant" "$build/tests/pawns/solve_tables" "$tables" KPvKP 0 -
run "distances, KPPvK" "$build/tests/pawns/solve_tables" "$tables" KPPvK 60 -
run "published studies" tests/pawns/studies.py --quick --time 20 "$build/trebuchet" "$tables"
run "blocked, audited" "$build/tests/pawns/blocked_audit" "$tables" 2 5 6
run "verify a sample" "$build/trebuchet" verify --share 0.3% --tables "$tables"
run "verify in full" "$build/trebuchet" verify --full --tables "$tables" KPvK KQvKR KPvKP
run "verify in little memory" "$build/trebuchet" verify --full --memory 2MiB --tables "$tables" KPvK KRvKR KBvKN
run test_cli tests/cli/test_cli.sh "$build/trebuchet" "$tables"
run test_probe_many tests/cli/test_probe_many.sh "$build/trebuchet" "$tables"
run test_words tests/cli/test_words.sh "$build/trebuchet" "$tables"
run layers tests/layers.sh
run symbols tests/probe/symbols.sh "$build/libtrebuchet.so" "$build/libtrebuchet.a"
run "symbols of the drop-in" tests/probe/symbols_fathom.sh "$build/fathom/libfathom.so.1"
run "source of the drop-in" tests/probe/fathom_source.sh "$build"
# Debian's Python, which has Debian's modules, before others.
python=/usr/bin/python3
[ -x "$python" ] || python=python3
run "python module" env TREB_BUILD="$build" TREB_TABLES="$tables" "$python" tests/probe/test_trebuchet.py
run "programs in documents" tests/probe/documents.sh "$build" "$tables"
if [ -x "$build/trebuchet-mpi" ]; then
    run "ranks" tests/gen/mpi_check.sh --short "$build"
else
    echo 'SKIPPED: no ranks make tables together, as there is no mpicc (.ci/deps mpi)'
fi
rm -rf "$build/test-syzygy"
run "export" "$build/trebuchet" export --quiet --syzygy "$build/test-syzygy" KBNvK KPvKP
run "export, never wait" "$build/tests/probe/test_wait" "$build/test-syzygy"
run "export, compared" "$build/trebuchet" compare -m wdl,dtz "$build/test-syzygy" "$tables" KQvK KRvK KPvK KBNvK KQvKR KPvKP
run "export, verified" "$build/trebuchet" verify --full --tables "$build/test-syzygy" KQvKR KBNvK
if PATH=$PATH:/usr/games command -v stockfish >/dev/null; then
    run "stockfish wins" env PATH="$PATH:/usr/games" python3 tests/examples/stockfish_wins.py stockfish "$build/test-syzygy"
else
    echo 'SKIPPED: no engine plays on exported files, as stockfish is not installed (.ci/deps test)'
fi
run install tests/cli/install.sh "$build"
run "man pages" sh -c 'mandoc -Tlint -Wwarning docs/man/*.1'
without_tables
wait "$beside" "$programs"
failed=$(grep -c FAIL "$results")
printf '%d passed, %d failed\n' "$(grep -c ok "$results")" "$failed"
[ "$failed" -eq 0 ]
