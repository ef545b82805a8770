# tests.mk - builds and runs the tests. Part of the Makefile; tests/README.md describes the tests.

#: Tests
#:   make test       build with assertions, make all tables of 3 and 4 men, run the short tests (5 minutes on 2 processors)
#:   make test-full  run the tests that make test leaves out, or runs in part
#:   make fuzzers    build the fuzzers; this needs clang, and .ci/run has the flags

# All parts of the project in one archive: the linker takes from it what a program needs. The archive is thin, which
# means that it names the objects instead of copying them.
PARTS_A := $(BUILD)/parts.a
# The plain solvers that tests compare with.
PLAIN_OBJ := $(patsubst %,$(BUILD)/tests/support/%.o,naive plain_mate50)
$(PARTS_A): $(PARTS_OBJ) $(PLAIN_OBJ) $(PARTS_LIST)
	rm -f $@
	ar qcsT $@ $(filter %.o,$^)

# They would take long with sanitizers, which are not meant to check them.
$(PLAIN_OBJ): override CFLAGS := $(filter-out -fsanitize=% -fno-sanitize%,$(CFLAGS)) \
  $(if $(findstring sanitize,$(CFLAGS)),-O2)

# tests/core/test_index.c becomes $(BUILD)/tests/core/test_index. Some tests need what a build may leave out.
LEFT_OUT := $(if $(REMOTE),,tests/probe/test_http.c) $(if $(filter no,$(LMDB)),%/test_store.c)
TEST_SOURCES := $(filter-out $(LEFT_OUT),$(wildcard tests/*/test_*.c))
TEST_BIN := $(TEST_SOURCES:%.c=$(BUILD)/%)
ENGINE_TEST_BIN := $(filter $(BUILD)/tests/examples/%,$(TEST_BIN))
# The engine's modules, without the protocol.
ENGINE_PARTS := $(call obj,$(filter-out %/main.c,$(ENGINE_SOURCES)))

# Tests themselves need not be fast, and they take long to optimise. What they test is as fast as ever.
$(TEST_BIN:%=%.o): override CFLAGS := $(patsubst -O2,-O1,$(patsubst -O3,-O1,$(CFLAGS)))

$(filter-out $(ENGINE_TEST_BIN),$(TEST_BIN)): %: %.o $(PARTS_A)
	$(CC) $(CFLAGS) -fopenmp $(WRAP) -o $@ $(filter %.o,$^) $(PARTS_A) -Wl,--as-needed $$(pkg-config --libs check) \
	  $(TOOL_LIBS) $(LIBS) $(LDFLAGS)

$(ENGINE_TEST_BIN): %: %.o $(ENGINE_PARTS) $(LIB_A)
	$(CC) $(CFLAGS) -o $@ $^ $$(pkg-config --libs check) $(ENGINE_LIBS) $(LIBS) $(LDFLAGS)

# Functions that tests replace: the linker sends calls to them to the test's own, where they cross from one object to
# another.
wrap = $(1:%=-Wl,--wrap=%)
# Allocations that fail one by one: tests/support/failing_alloc.h.
MEMORY_BIN := $(filter %_memory %/test_spill_file,$(TEST_BIN))
$(MEMORY_BIN): $(BUILD)/tests/support/failing_alloc.o
$(MEMORY_BIN): WRAP = $(call wrap,malloc calloc realloc aligned_alloc posix_memalign mmap strdup strndup free \
  ZSTD_createCCtx ZSTD_createDCtx ZSTD_createCDict ZSTD_createDDict \
  ZSTD_compress ZSTD_compress2 ZSTD_decompress \
  ZSTD_freeCCtx ZSTD_freeDCtx ZSTD_freeCDict ZSTD_freeDDict)
# The cells that probes read and the moves that they make are counted.
$(BUILD)/tests/probe/test_bounds: WRAP = $(call wrap,file_cell position_make)
# The disk of tests/support/slow_disk.h.
SLOW_DISK := $(call wrap,nowait_read nowait_has nowait_fetch nowait_open pread64 mmap64 munmap posix_madvise clock_gettime)
$(BUILD)/tests/probe/test_wait: WRAP = $(SLOW_DISK)
$(BUILD)/tests/cli/test_cli_parts: WRAP = $(call wrap,clock_gettime)
# The drop-in's object, not the shared object, so that sanitizers check it.
$(BUILD)/tests/probe/test_fathom: $(call obj,$(FATHOM))
$(BUILD)/tests/probe/test_fathom: WRAP = $(call wrap,treb_tables_set_memory)

# Programs that use the library as its users do.
USER_BIN := $(patsubst %,$(BUILD)/tests/%,examples/engine_games examples/solved_games probe/bench_search)
$(USER_BIN): $(BUILD)/tests/%: tests/%.c tests/examples/engine_process.h include/trebuchet.h $(LIB_A)
	@mkdir -p $(@D)
	$(CC) -std=c11 -D_GNU_SOURCE -Iinclude $(WARNINGS) $(CFLAGS) -o $@ $< $(LIB_A) $(LIBS) -ldl $(LDFLAGS)

# Programs that compare solved pawn endings with tables, and check them by the rules.
BLOCKED_BIN := $(patsubst %,$(BUILD)/tests/pawns/%,blocked_tables blocked_audit solve_tables)
$(BLOCKED_BIN): %: %.o $(PARTS_A)
	$(CC) $(CFLAGS) -fopenmp -o $@ $^ -lxxhash $(LIBS) $(LDFLAGS)

.SECONDARY: $(TEST_BIN:%=%.o)

# Tests have a build of their own, in $(BUILD)/test, with assertions. -O2 compiles faster than -O3.
TEST_BUILD := $(BUILD)/test
TEST_CFLAGS ?= -O2 -g
ifeq ($(origin CFLAGS),command line)
TEST_CFLAGS := $(CFLAGS)
endif
TEST_MAKE = $(MAKE) $(PARALLEL) --no-print-directory BUILD=$(TEST_BUILD) DEBUG=yes CFLAGS='$(TEST_CFLAGS)'
# trebuchet-mpi is tested if it can be built.
HAVE_MPI := $(if $(shell command -v $(MPICC) && command -v mpirun),yes,no)
# Debian's Python, which has Debian's modules, before others.
PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)
# Some tests wait more than they compute.
PYTEST_PROCESSES ?= $(shell echo $$(($$(nproc) + 1)))
PYTEST = CC='$(CC)' CFLAGS='$(TEST_CFLAGS)' PAGE='$(PAGE)' TREB_BUILD='$(TEST_BUILD)' $(PYTHON) -m pytest -c tests/pytest.ini \
  -n $(PYTEST_PROCESSES) tests

# LONG=no leaves out of make test-full what asks more of what other tests ask, such as whole suites.
LONG ?= yes

test-programs: all $(TEST_BIN) $(ENGINE) $(USER_BIN) $(BLOCKED_BIN) $(BUILD)/tests/probe/counts

test:
	@.ci/deps test
	$(TEST_MAKE) test-programs
	rm -rf $(TEST_BUILD)/tables
	$(TEST_BUILD)/trebuchet gen --quiet --men 4 --tables $(TEST_BUILD)/tables
	(cd $(TEST_BUILD)/tables && sha256sum --quiet --check --ignore-missing $(CURDIR)/tables/SHA256SUMS)
	$(PYTEST) -m 'not full'

# Windows and other machines: their tests are left out where there are no packages for them. Programs for Windows are
# compiled with -O1, which takes less time.
test-full:
	@.ci/deps test
	@.ci/deps machines || echo "test-full: without the tests of other machines"
	@if .ci/deps windows; then $(MAKE) $(PARALLEL) --no-print-directory BUILD=$(TEST_BUILD) CFLAGS=-O1 windows; \
	else echo "test-full: without the tests of Windows"; fi
	$(TEST_MAKE) MPI=$(HAVE_MPI) test-programs $(FATHOM_BIN:$(BUILD)/%=$(TEST_BUILD)/%)
	[ -e $(TEST_BUILD)/tables/KQvKR.wdl.treb ] || $(TEST_BUILD)/trebuchet gen --quiet --men 4 --tables $(TEST_BUILD)/tables
	$(TEST_MAKE) $(if $(filter no,$(PAGE)),npm,static-site TABLES=$(TEST_BUILD)/tables)
	$(PYTEST) -m 'full$(if $(filter no,$(LONG)), and not long)'

# libFuzzer's targets, built with clang in a build folder of their own. Their archive has fewer parts: after each input the
# fuzzer looks at all counters of coverage.
FUZZERS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/*/fuzz_*.c))
$(BUILD)/fuzzed.a: $(LIB_OBJ) $(call obj,$(CORE_TOOL) $(PAWNS) $(FIND) $(JSON) $(SERVER)) $(BOOK_OBJ) $(PAGE_OBJ)
	rm -f $@
	ar qcsT $@ $(filter %.o,$^)
$(FUZZERS): %: %.o $(BUILD)/fuzzed.a
	$(CC) $(CFLAGS) -fsanitize=fuzzer -fopenmp -o $@ $^ $(TOOL_LIBS) $(LIBS) $(LDFLAGS)
fuzzers: $(FUZZERS)

.PHONY: test test-full test-programs fuzzers
