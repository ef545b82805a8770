# measure.mk - measurements, and checks that take long or need more than `make test`. Part of the Makefile.

#: Measurements, and checks that take long
#:   make bench      measure speed; SYZYGY=DIR compares with Fathom
#:   make bench-builds  measure a verdict in all that make builds for other programs and systems, and their sizes
#:   make solve-bench     what solve proves of N random pawn endings, PAWNS against PAWNS, in SECONDS each
#:   make crosscheck SYZYGY=DIR   compare every position of 3 and 4 men with Syzygy tables, and test the drop-in
#:   make counts     compare counts of whole tables in @TABLES@/ with published counts
#:   make alone-check TABLES=DIR   make KRPvKR and KPPvKP anew where all other tables are there; compare the bytes
#:   make blocked-check   compare blocked pawn positions of up to 5 men with the tables in @TABLES@/
#:   make zugzwangs-check   count the mutual zugzwangs of 3 and 4 men with a plain solver that uses no table
#:   make engine-check TABLES=DIR   play 1,000 games against tables of up to 5 men
#:   make selfplay   let an engine play out the longest win of every table in @TABLES@/
#:   make http-check two servers behind nginx read tables from a web server, one is killed; and the cost of probes
#:   make npm-check TABLES=DIR   compare the npm package, in Node and Chromium, with the library in 100,000 positions
#:   make mpi-check  compare tables that several processes make together with those of one process
#:   make plan-check make tables as jobs of a Slurm that is started here; one job is killed

# Links the objects of a target and those parts of the project that they need.
LINK_PARTS = $(CC) $(CFLAGS) -fopenmp -o $@ $^ -Wl,--as-needed $(EXTRA_LIBS) $(TOOL_LIBS) $(LIBS) $(LDFLAGS)

BENCH_BIN := $(BUILD)/tests/probe/bench_search $(BUILD)/tests/probe/bench_wait $(BUILD)/tests/gen/bench_kernel

bench: all $(ENGINE) $(BENCH_BIN)
	$(BUILD)/tests/gen/bench_kernel
	$(TOOL) bench --tables $(TABLES)
ifneq ($(SYZYGY),)
	$(MAKE) --no-print-directory $(BUILD)/tests/probe/bench_fathom
	$(BUILD)/tests/probe/bench_fathom $(SYZYGY) $(TABLES) KQvKR KRPvK KRvKP KPvKP
	@echo 'both read the same files:'
	$(BUILD)/tests/probe/bench_fathom $(SYZYGY) $(SYZYGY) KQvKR KRPvK KRvKP KPvKP
endif
	tests/probe/record_trace.sh $(ENGINE) $(TABLES) 4 $(BUILD)/trace4.txt
	$(BUILD)/tests/probe/bench_search $(if $(SYZYGY),-s $(SYZYGY)) $(BUILD)/trace4.txt $(TABLES)
	@# Five men as well if there are tables.
	@! [ -e $(TABLES)/KRPvKR.wdl.treb ] || { \
	  tests/probe/record_trace.sh $(ENGINE) $(TABLES) 5 $(BUILD)/trace5.txt && \
	  $(BUILD)/tests/probe/bench_search $(BUILD)/trace5.txt $(TABLES); }
	$(BUILD)/tests/probe/bench_wait $(TABLES)
	@if command -v wrk >/dev/null && command -v nginx >/dev/null && command -v curl >/dev/null; then tests/server/bench_serve.sh $(TOOL) $(TABLES); \
	else echo 'install wrk, nginx-light and curl to measure the server'; fi

# The steps of the solver on planes of four to six men.
$(BUILD)/tests/gen/bench_kernel: $(BUILD)/tests/gen/bench_kernel.o $(PARTS_A)
	$(LINK_PARTS)

# The time that several processes take: bench_processes MATERIAL THREADS PROCESSES...
$(BUILD)/tests/gen/bench_processes: $(BUILD)/tests/gen/bench_processes.o $(PARTS_A)
	$(LINK_PARTS)

# Sizes and speed of the code of Syzygy's files, and of our own: FILE..., files with cells.
$(BUILD)/tests/gen/bench_encode $(BUILD)/tests/gen/bench_coder: %: %.o $(PARTS_A)
	$(LINK_PARTS)

# The example engine on a slow disk.
$(BUILD)/tests/probe/bench_wait: $(BUILD)/tests/probe/bench_wait.o \
  $(patsubst %,$(BUILD)/examples/uci/%.o,board eval search tables tt) $(PARTS_A)
	$(LINK_PARTS) $(SLOW_DISK)

# The cost of probes of a web server's tables, for a program that uses both libraries.
$(BUILD)/tests/probe/bench_http: tests/probe/bench_http.c include/trebuchet-http.h $(LIB_A) $(HTTP_SO)
	@mkdir -p $(@D)
	$(CC) -std=c11 -D_GNU_SOURCE -I. -Iinclude $(WARNINGS) $(CFLAGS) -o $@ $< $(LIB_A) -L$(BUILD) -ltrebuchet-http \
	  -Wl,-rpath,'$$ORIGIN/../..' $(LIBS) $(LDFLAGS)

solve-bench: N = 40
solve-bench: PAWNS = 3
solve-bench: SECONDS = 10
solve-bench: all
	tests/pawns/solve_bench.py -n $(N) -p $(PAWNS) -t $(SECONDS) $(TOOL)

# Both read Syzygy's files with Debian's libfathom. bench_fathom loads it, and the drop-in as well: if it were linked,
# its names would come before those of the drop-in.
FATHOM_BIN := $(BUILD)/tests/probe/crosscheck $(BUILD)/tests/probe/bench_fathom
$(BUILD)/tests/probe/bench_fathom: EXTRA_LIBS = -Wl,--no-as-needed -lfathom
$(FATHOM_BIN): %: %.o $(PARTS_A)
	$(LINK_PARTS)

crosscheck: all $(BUILD)/tests/probe/crosscheck
	@test -n '$(SYZYGY)' || { echo 'make crosscheck SYZYGY=DIR, a folder of .rtbw and .rtbz files'; exit 2; }
	$(TOOL) compare $(SYZYGY) $(TABLES)
	$(BUILD)/tests/probe/crosscheck -d $(FATHOM_SO) -r 1000000 $(SYZYGY) $(TABLES)

# Counts of verdicts and longest mates, and of all distances to zeroing.
counts: all $(BUILD)/tests/probe/counts
	$(BUILD)/tests/probe/counts $(TABLES) tests/data/le5.tsv
	tests/probe/published_counts.py $(TOOL) $(TABLES)

$(BUILD)/tests/probe/counts: $(BUILD)/tests/probe/counts.o $(PARTS_A)
	$(LINK_PARTS)

# The files of tables whose sub-endings are read, not solved. ALONE names others.
alone-check: ALONE = KRPvKR KPPvKP
alone-check: all
	for ending in $(ALONE); do \
	  rm -rf $(BUILD)/alone && mkdir $(BUILD)/alone && ln -s $(abspath $(TABLES))/*.treb $(BUILD)/alone && \
	  rm -f $(BUILD)/alone/$$ending.* && $(TOOL) gen --tables $(BUILD)/alone $$ending && (cd $(BUILD)/alone && \
	  grep " $$ending\." $(CURDIR)/tables/SHA256SUMS | grep -v dtm50 | sha256sum --check) || exit 1; done
	rm -rf $(BUILD)/alone

# Takes some minutes.
blocked-check: all $(BLOCKED_BIN)
	$(BUILD)/tests/pawns/blocked_tables $(TABLES) 5
	$(BUILD)/tests/pawns/blocked_tables $(TABLES) 5 -
	$(BUILD)/tests/pawns/blocked_tables $(TABLES) '8/8/8/2k5/p7/Pp6/1P6/3K4 w - - 0 1'
	$(BUILD)/tests/pawns/blocked_tables $(TABLES) '8/8/8/8/p1p2k2/8/PP6/3K4 w - - 0 1'
	$(BUILD)/tests/pawns/blocked_audit $(TABLES) 20
	for pawns in 2 3 4 5; do \
	  tests/pawns/solve_bench.py -c -n 8 -p $$pawns -t 1 -M 96M -d $(TABLES) $(TOOL) || exit 1; done
	for ending in KPvK KPvKP KPPvK; do for known in '' -; do \
	  $(BUILD)/tests/pawns/solve_tables $(TABLES) $$ending 1 $$known || exit 1; done; done
	$(TOOL) blocked --check --tables $(TABLES) --json '8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1' | \
	  grep -q '"san":"Kb1",[^}]*"verdict":"white".*"san":"Ka2",[^}]*"verdict":"draw".*"san":"Kb2",[^}]*"verdict":"draw"'

# Takes some minutes and 1.2 GB of memory.
zugzwangs-check: $(BUILD)/tests/find/plain_zugzwangs
	$(BUILD)/tests/find/plain_zugzwangs | tr '\t' ' ' | sort >$(BUILD)/plain_zugzwangs.txt
	test $$(wc -l <$(BUILD)/plain_zugzwangs.txt) -eq 35
	grep -v '^#' tests/data/zugzwangs.tsv | tr '\t' ' ' | sort | comm -13 - $(BUILD)/plain_zugzwangs.txt | (! grep .)

$(BUILD)/tests/find/plain_zugzwangs: $(BUILD)/tests/find/plain_zugzwangs.o $(PARTS_A)
	$(LINK_PARTS)

engine-check: $(ENGINE) $(BUILD)/tests/examples/engine_games
	$(BUILD)/tests/examples/engine_games -n 1000 $(ENGINE) $(TABLES)
	tests/examples/engine_positions.py -m 5 $(ENGINE) $(TABLES)

# Debian's ethereal-chess plays against itself. Tables of 5 men take some minutes.
selfplay: all
	@.ci/deps test
	python3 tests/probe/test_engine_fathom.py --all $(BUILD) $(TABLES)

# The example of docs/cluster.md. The cost of probes is measured if $(TABLES) has tables of five men.
http-check: all $(BUILD)/tests/probe/bench_http
	@.ci/deps http
	python3 tests/probe/two_servers.py $(TOOL)
	@! [ -e $(TABLES)/KRPvKR.wdl.treb ] || tests/probe/bench_http.sh $(BUILD)/tests/probe/bench_http $(TABLES) KRPvKR

# Up to four processes on this machine; one of them is killed.
bench-builds: $(LIB_A) $(LIB_SO) amalgamation npm wheel windows
	$(PYTHON) tests/probe/bench_builds.py $(BUILD) $(TABLES)

npm-check: npm
	TREB_BUILD=$(BUILD) TREB_TABLES=$(TABLES) node tests/npm/many.mjs 132000

mpi-check:
	@.ci/deps mpi
	$(MAKE) --no-print-directory MPI=yes $(TOOL) $(MPI_TOOL)
	tests/gen/mpi_check.sh $(BUILD)

plan-check: all
	@.ci/deps plan
	tests/cli/plan_check.sh $(BUILD)

.PHONY: bench bench-builds alone-check solve-bench crosscheck counts blocked-check zugzwangs-check engine-check selfplay http-check npm-check mpi-check plan-check
