# Trebuchet. `make help` lists what there is.

# The header has it, for users too.
VERSION := $(shell sed -n 's/^.define TREB_VERSION "\(.*\)"$$/\1/p' include/trebuchet.h)
SOVERSION := 1

MAKEFLAGS += -r
ifeq ($(origin CC),default)
CC := cc
endif
CFLAGS ?= -O3 -g
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
UNITDIR ?= $(PREFIX)/lib/systemd/system
BUILD ?= build
TABLES ?= tables
PAGE ?= yes
# Tables that a web server has, by libcurl: yes where that is installed.
HTTP ?= $(if $(shell pkg-config --exists libcurl 2>/dev/null && echo yes),yes,no)
# The packed page of an earlier build (server/assets.c of its folder): then npm is not needed.
ASSETS ?=
PORT ?= 8080

WARNINGS := -Wall -Wextra
# Assertions cost time: they are there where sanitizers are, or with DEBUG=yes.
CHECKS := $(if $(DEBUG)$(findstring sanitize,$(CFLAGS)),,-DNDEBUG)
BASE := -std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -I. -Iinclude $(WARNINGS) -MMD -MP $(CHECKS)
LIBS := -lzstd -lxxhash -lpthread
# The library does without these: they are the command's.
# Debian's name for it, and that of others.
LUA := $(firstword $(shell for l in lua5.4 lua-5.4 lua54 lua; do pkg-config --exists $$l 2>/dev/null && echo $$l; done) lua5.4)
# The example engine's memory is kept by it; without it the engine has none.
LMDB ?= $(shell pkg-config --exists lmdb 2>/dev/null && echo yes || echo no)
TOOL_LIBS := -lmicrohttpd -ljansson -lcbor -lz $$(pkg-config --libs $(LUA))
ARCH := $(shell $(CC) -dumpmachine 2>/dev/null | cut -d- -f1)
ifeq ($(ARCH),x86_64)
KERNELS := portable avx2 avx512
WAYS := portable avx2
else
KERNELS := portable
WAYS := portable
endif

# What the command needs of core/ and the library does not.
WRITE := core/format/table_write.c core/format/table_encode.c $(wildcard core/pgn/*.c) \
  $(patsubst %,core/system/%.c,ledger machine paged state)
CORE := $(filter-out $(WRITE),$(wildcard core/*/*.c))
PROBE := $(wildcard probe/*.c probe/syzygy/*.c)
FATHOM := probe/fathom/tbprobe.c
GEN := $(filter-out gen/mpi/% gen/solve/kernel.c gen/solve/distance.c gen/compress/ways.c,$(wildcard gen/*.c gen/*/*.c))
CHECK := $(wildcard check/*/*.c)
FIND := $(wildcard find/*.c)
JSON := $(wildcard json/*.c)
SERVER := $(filter-out server/page_none.c,$(wildcard server/*.c))
PAWNS := $(wildcard pawns/*.c pawns/*/*.c)
CLI := $(wildcard cli/*.c)
TOGETHER := $(wildcard gen/mpi/*.c)
REMOTE := $(if $(filter no,$(HTTP)),,$(wildcard probe/remote/*.c))
ifneq ($(REMOTE),)
TOOL_LIBS += $$(pkg-config --libs libcurl)
endif

comma := ,
obj = $(patsubst %.c,$(BUILD)/%.o,$(1))
LIB_OBJ := $(call obj,$(CORE) $(PROBE))
KERNEL_OBJ := $(foreach k,$(KERNELS),$(BUILD)/gen/solve/kernel_$k.o $(BUILD)/gen/solve/distance_$k.o)
WAYS_OBJ := $(patsubst %,$(BUILD)/gen/compress/ways_%.o,$(WAYS))
CODE_OBJ := $(call obj,$(filter gen/compress/%,$(GEN))) $(WAYS_OBJ)
GEN_OBJ := $(call obj,$(GEN) $(CHECK)) $(KERNEL_OBJ) $(WAYS_OBJ)
SERVER_OBJ := $(call obj,$(FIND) $(JSON) $(SERVER)) $(BUILD)/server/openapi.o $(BUILD)/json/rule_book.o $(BUILD)/json/strategy_book.o
ifeq ($(PAGE),no)
SERVER_OBJ += $(BUILD)/server/page_none.o
else
SERVER_OBJ += $(BUILD)/server/assets.o
endif
TOOL_OBJ := $(call obj,$(CORE) $(WRITE) $(PROBE) $(PAWNS) $(CLI) $(REMOTE)) $(SERVER_OBJ) $(GEN_OBJ)

LIB_A := $(BUILD)/libtrebuchet.a
LIB_SO := $(BUILD)/libtrebuchet.so.$(SOVERSION)
TOOL := $(BUILD)/trebuchet

# The drop-in for Fathom has the library inside: an engine then needs no other file. In a folder of
# its own, so that it comes before the system's only where it is asked for.
FATHOM_SO := $(BUILD)/fathom/libfathom.so.1

# The command whose processes make tables together: only that one needs MPI.
MPI ?= no
MPICC ?= mpicc
MPI_TOOL := $(BUILD)/trebuchet-mpi

# Tables over HTTP, for programs that use the library: they need not be linked with it.
HTTP_SO := $(if $(REMOTE),$(BUILD)/libtrebuchet-http.so.1)

all: $(TOOL) $(LIB_A) $(LIB_SO) $(FATHOM_SO) $(HTTP_SO) $(if $(filter yes,$(MPI)),$(MPI_TOOL))

help:
	@echo 'make            build the trebuchet command and the library into $(BUILD)/'
	@echo 'make PAGE=no    the same without the web page, for which npm is needed'
	@echo 'make HTTP=no    the same without tables over HTTP, for which libcurl is needed'
	@echo 'make demo       build, make all tables of 3 and 4 men, answer a few positions (one of kings among'
	@echo '                blocked pawns), then serve them'
	@echo '                on PORT=$(PORT) until Ctrl-C; DEMO_SERVE=no ends before that'
	@echo 'make test       build and run all tests'
	@echo 'make fuzzers    build what looks for input that upsets readers; it needs clang; .ci/run has the flags'
	@echo 'make tables     make the book set into $(TABLES)/'
	@echo 'make reproduce  what the book of 1983 reports, claim by claim, into docs/reproduction.md'
	@echo 'make bench      measure; SYZYGY=DIR compares with Fathom'
	@echo 'make engine     build the example engine, $(BUILD)/trebuchet-uci'
	@echo 'make engine-check TABLES=DIR    play 1,000 games against tables of up to 5 men, and more'
	@echo 'make engines-table TABLES=DIR   the table of positions in docs/engines.md'
	@echo 'make memory-match               what the example engine'"'"'s memory is worth, in docs/engines.md'
	@echo 'make selfplay   an engine plays out the longest win of every table in $(TABLES)/'
	@echo 'make crosscheck SYZYGY=DIR   compare every 3-4-man position with Syzygy tables, and the drop-in'
	@echo 'make blocked-check   compare blocked positions of up to 5 men with $(TABLES)/'
	@echo 'make studies    solve published studies, and record in docs/pawn-endings.md what is proven of them'
	@echo 'make solve-bench   what solve proves of N random pawn endings, PAWNS against PAWNS, within SECONDS each'
	@echo 'make rules      try the rules of examples/rules/ on the tables, and record it in docs/rules.md'
	@echo 'make strategies put the strategies of examples/strategies/ on trial, and record it in docs/play.md'
	@echo 'make zugzwangs  count the mutual zugzwangs of all tables, into docs/zugzwangs.md'
	@echo 'make zugzwangs-check   count those of 3 and 4 men again, by a plain solver without any table'
	@echo 'make counts     compare counts of whole tables in $(TABLES)/ with published ones'
	@echo 'make manifest   record counts and checksums of $(TABLES)/'
	@echo 'make estimates  what tables of six men take, into tables/estimates.tsv'
	@echo 'make http-check   two servers behind nginx on tables that another has, one killed; and what probes cost'
	@echo 'make MPI=yes    the command of several processes as well, trebuchet-mpi, for which Open MPI is needed'
	@echo 'make mpi-check  tables that several processes make together, against those of one'
	@echo 'make plan-check  tables as jobs of a Slurm that is started here, one of them killed'
	@echo 'make install    to $(PREFIX), honouring DESTDIR; PYTHONDIR=DIR puts the Python module there, too'
	@echo 'make uninstall  takes away what make install put there, given the same PREFIX'
	@echo 'make deb        Debian packages into $(BUILD)/deb/; make deb-test installs, uses and purges them'

# ---- objects ------------------------------------------------------------------------------------

# What shared objects are made of. What is public says so, but in the drop-in, whose source engines compile as they like.
$(LIB_OBJ) $(call obj,$(REMOTE)): EXTRA = -fPIC -fvisibility=hidden
$(call obj,$(FATHOM)): EXTRA = -fPIC
$(BUILD)/gen/%.o $(BUILD)/pawns/%.o $(BUILD)/check/%.o $(BUILD)/examples/book-1983/%.o $(BUILD)/cli/%.o $(BUILD)/tests/%.o: EXTRA = -fopenmp
$(BUILD)/find/%.o: EXTRA = -fopenmp $$(pkg-config --cflags $(LUA))
$(BUILD)/gen/solve/kernel_%.o $(BUILD)/gen/solve/distance_%.o: EXTRA = -Wno-psabi -DKERNEL_BUILD=$*
$(BUILD)/gen/solve/%_avx2.o: ISA = -mavx2 -mpopcnt
$(BUILD)/gen/solve/%_avx512.o: ISA = -mavx512f -mavx512bw -mavx512vl -mavx512dq -mbmi2 -mpopcnt

$(BUILD)/gen/compress/ways_%.o: EXTRA = -DWAYS_BUILD=ways_$*
$(BUILD)/gen/compress/ways_avx2.o: ISA = -mavx2 -mbmi -mbmi2 -mpopcnt

$(BUILD)/gen/solve/kernel_%.o: gen/solve/kernel.c
	@mkdir -p $(@D)
	$(CC) $(BASE) $(CFLAGS) $(EXTRA) $(ISA) -c $< -o $@

$(BUILD)/gen/solve/distance_%.o: gen/solve/distance.c
	@mkdir -p $(@D)
	$(CC) $(BASE) $(CFLAGS) $(EXTRA) $(ISA) -c $< -o $@

$(BUILD)/gen/compress/ways_%.o: gen/compress/ways.c
	@mkdir -p $(@D)
	$(CC) $(BASE) $(CFLAGS) $(EXTRA) $(ISA) -c $< -o $@

# Not a build of gen/solve/kernel.c, though its name looks like one.
$(BUILD)/gen/solve/kernel_pick.o: gen/solve/kernel_pick.c
	@mkdir -p $(@D)
	$(CC) $(BASE) $(CFLAGS) -c $< -o $@

$(BUILD)/server/openapi.c: server/openapi.json server/embed.sh
	@mkdir -p $(@D)
	server/embed.sh $< openapi_asset /v1/openapi.json application/json > $@.part
	mv $@.part $@

# The rules that the server knows, and how often they are right.
$(BUILD)/json/rule_book.c: examples/rules/figures.jsonl $(wildcard examples/rules/*.lua) examples/rules/embed.sh
	@mkdir -p $(@D)
	examples/rules/embed.sh rule $(filter %.jsonl %.lua,$^) > $@.part
	mv $@.part $@

# And the strategies.
$(BUILD)/json/strategy_book.c: examples/strategies/figures.jsonl $(wildcard examples/strategies/*.lua) examples/rules/embed.sh
	@mkdir -p $(@D)
	examples/rules/embed.sh strategy $(filter %.jsonl %.lua,$^) > $@.part
	mv $@.part $@

$(BUILD)/server/openapi.o $(BUILD)/server/assets.o $(BUILD)/json/rule_book.o $(BUILD)/json/strategy_book.o: %.o: %.c
	$(CC) $(BASE) $(CFLAGS) $(EXTRA) -c $< -o $@

$(BUILD)/gen/mpi/%.o: gen/mpi/%.c
	@command -v $(MPICC) >/dev/null || { echo 'MPI=yes needs $(MPICC): .ci/deps mpi installs it' >&2; exit 1; }
	@mkdir -p $(@D)
	$(MPICC) $(BASE) $(CFLAGS) $(EXTRA) -c $< -o $@

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(BASE) $(CFLAGS) $(EXTRA) -c $< -o $@

# ---- the web page, packed into C ----------------------------------------------------------------

PAGE_SOURCES := $(wildcard server/page/*.mjs server/page/*.html server/page/*.svg server/page/src/*)
PAGE_MODULES := $(BUILD)/page/node_modules/.package-lock.json

$(PAGE_MODULES): server/page/package.json server/page/package-lock.json
	@command -v npm >/dev/null 2>&1 || { \
	  echo 'the web page is built with npm: .ci/deps build installs it; make PAGE=no goes without the page' >&2; \
	  exit 1; }
	@mkdir -p $(BUILD)/page
	cp $^ $(BUILD)/page/
	cd $(BUILD)/page && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error || { \
	  echo 'npm could not fetch what the web page is built with; make PAGE=no goes without the page' >&2; exit 1; }
	@touch $@

ifneq ($(ASSETS),)
$(BUILD)/server/assets.c: $(ASSETS)
	@mkdir -p $(@D)
	cp $< $@
else
$(BUILD)/server/assets.c: $(PAGE_SOURCES) $(PAGE_MODULES) LICENSE
	@mkdir -p $(@D)
	node server/page/build.mjs $(BUILD)/page $(BUILD)/page/dist
	node server/page/pack.mjs $(BUILD)/page/dist $@
endif

# ---- the library and the command ----------------------------------------------------------------

# One object with all that is not public made local: nothing but treb_ names reaches a user.
$(LIB_A): $(LIB_OBJ)
	ld -r -o $(BUILD)/libtrebuchet.o $^
	objcopy --localize-hidden $(BUILD)/libtrebuchet.o
	rm -f $@
	ar rcs $@ $(BUILD)/libtrebuchet.o

$(LIB_SO): $(LIB_OBJ) probe/trebuchet.map
	$(CC) $(CFLAGS) -shared -Wl,-soname,libtrebuchet.so.$(SOVERSION) -Wl,-z,defs \
	  -Wl,--version-script=probe/trebuchet.map -o $@ $(filter %.o,$^) $(LIBS) $(LDFLAGS)
	ln -sf $(@F) $(BUILD)/libtrebuchet.so

$(FATHOM_SO): $(LIB_OBJ) $(call obj,$(FATHOM)) probe/fathom/fathom.map
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -shared -Wl,-soname,$(@F) -Wl,-z,defs -Wl,--version-script=probe/fathom/fathom.map \
	  -o $@ $(filter %.o,$^) $(LIBS) $(LDFLAGS)

$(BUILD)/libtrebuchet-http.so.1: $(call obj,$(REMOTE))
	$(CC) $(CFLAGS) -shared -Wl,-soname,$(@F) -Wl,-z,defs -o $@ $(filter %.o,$^) \
	  $$(pkg-config --libs libcurl) -lxxhash -lpthread $(LDFLAGS)
	ln -sf $(@F) $(BUILD)/libtrebuchet-http.so

$(TOOL): $(TOOL_OBJ)
	$(CC) $(CFLAGS) -fopenmp -o $@ $^ $(TOOL_LIBS) $(LIBS) $(LDFLAGS)

$(MPI_TOOL): $(call obj,$(TOGETHER)) $(filter-out $(BUILD)/cli/main.o,$(TOOL_OBJ))
	$(MPICC) $(CFLAGS) -fopenmp -o $@ $^ $(TOOL_LIBS) $(LIBS) $(LDFLAGS)

# The example engine, here with the library as an archive; examples/uci/Makefile builds it against
# an installed one.
ENGINE := $(BUILD)/trebuchet-uci
ifeq ($(LMDB),yes)
ENGINE_SOURCES := $(filter-out %/memory_none.c,$(wildcard examples/uci/*.c))
ENGINE_LIBS := $$(pkg-config --libs lmdb)
else
ENGINE_SOURCES := $(filter-out %/memory.c %/store.c %/service.c,$(wildcard examples/uci/*.c))
endif
engine: $(ENGINE)
# Its modules, without the protocol.
ENGINE_PARTS := $(call obj,$(filter-out %/uci.c,$(ENGINE_SOURCES)))

$(BUILD)/examples/uci/%.o: examples/uci/%.c
	@mkdir -p $(@D)
	$(CC) -std=c11 -D_GNU_SOURCE -Iinclude $(WARNINGS) -MMD -MP $(CFLAGS) -c $< -o $@

$(ENGINE): $(call obj,$(ENGINE_SOURCES)) $(LIB_A)
	$(CC) $(CFLAGS) -o $@ $^ $(ENGINE_LIBS) $(LIBS) $(LDFLAGS)

-include $(shell find $(BUILD) -path $(BUILD)/deb -prune -o -name '*.d' -type f -print 2>/dev/null)

# ---- using it -----------------------------------------------------------------------------------

demo:
	@.ci/deps build
	$(MAKE) --no-print-directory all
	$(TOOL) gen --men 4 --tables $(TABLES)
	$(TOOL) probe --tables $(TABLES) '8/8/4k3/8/8/4K3/4P3/8 w - - 0 1'
	$(TOOL) probe --tables $(TABLES) '8/5P1k/8/7K/8/8/8/8 w - - 0 1'
	$(TOOL) line --tables $(TABLES) '8/8/8/3k4/8/8/8/KBN5 w - - 0 1'
	$(TOOL) blocked --tables $(TABLES) --write $(TABLES) '8/8/8/3Kp3/4Pk2/8/8/8 w - - 0 1' >/dev/null
	$(TOOL) blocked --tables $(TABLES) --write $(TABLES) '8/8/2p5/k1p1K3/p1P5/P7/8/8 w - - 0 1'
ifneq ($(DEMO_SERVE),no)
	@exec $(TOOL) serve --tables $(TABLES) --port $(PORT) --quiet
endif

tables: all
	$(TOOL) gen --book --tables $(TABLES)

# What is recorded of files that are elsewhere stays.
manifest: all
	(cd $(TABLES) && sha256sum K*.treb) > $(BUILD)/sums
	$(TOOL) info --tsv $(TABLES)/K*.treb > $(BUILD)/manifest
	LC_ALL=C sort -s -u -k2,2 $(BUILD)/sums tables/SHA256SUMS > $(BUILD)/sums.all
	(head -1 $(BUILD)/manifest; tail -q -n +2 $(BUILD)/manifest tables/manifest.tsv | \
		LC_ALL=C sort -s -u -k1,1 -k2,2) > $(BUILD)/manifest.all
	mv $(BUILD)/sums.all tables/SHA256SUMS
	mv $(BUILD)/manifest.all tables/manifest.tsv

# What every material of six men takes, in tables/estimates.tsv.
estimates: $(TOOL)
	tables/estimates.py $(TOOL)

# The figures in docs/rules.md; RULE_TABLES has the endings of four and five men that rules are about.
RULE_TABLES := $(TABLES)
rules: $(TOOL)
	examples/rules/figures.sh $(TOOL) $(RULE_TABLES)

# The same of docs/play.md, by the strategies.
strategies: $(TOOL)
	examples/strategies/figures.sh $(TOOL) $(RULE_TABLES)

# The same of docs/zugzwangs.md: up to five men take half an hour.
zugzwangs: $(TOOL)
	find/figures.sh $(TOOL) $(RULE_TABLES)

# Those of three and four men again, by a plain solver: some minutes, and 1.2 GB of memory.
zugzwangs-check: $(BUILD)/tests/find/plain_zugzwangs
	$(BUILD)/tests/find/plain_zugzwangs | tr '\t' ' ' | sort >$(BUILD)/plain_zugzwangs.txt
	test $$(wc -l <$(BUILD)/plain_zugzwangs.txt) -eq 35
	grep -v '^#' tests/data/zugzwangs.tsv | tr '\t' ' ' | sort | comm -13 - $(BUILD)/plain_zugzwangs.txt | (! grep .)

$(BUILD)/tests/find/plain_zugzwangs: $(BUILD)/tests/find/plain_zugzwangs.o $(call obj,$(CORE))
	$(CC) $(CFLAGS) -fopenmp -o $@ $^ $(LIBS) $(LDFLAGS)

bench: all $(ENGINE) $(BUILD)/tests/probe/bench_search $(BUILD)/tests/probe/bench_wait $(BUILD)/tests/gen/bench_kernel
	$(BUILD)/tests/gen/bench_kernel
	$(TOOL) bench --tables $(TABLES)
ifneq ($(SYZYGY),)
	$(MAKE) --no-print-directory $(BUILD)/tests/probe/bench_fathom
	$(BUILD)/tests/probe/bench_fathom $(SYZYGY) $(TABLES) KQvKR KRPvK KRvKP KPvKP
	@echo 'the same files, read by both:'
	$(BUILD)/tests/probe/bench_fathom $(SYZYGY) $(SYZYGY) KQvKR KRPvK KRvKP KPvKP
endif
	tests/probe/record_trace.sh $(ENGINE) $(TABLES) 4 $(BUILD)/trace4.txt
	$(BUILD)/tests/probe/bench_search $(if $(SYZYGY),-s $(SYZYGY)) $(BUILD)/trace4.txt $(TABLES)
	@# With five men too where there are such tables.
	@! [ -e $(TABLES)/KRPvKR.wdl.treb ] || { \
	  tests/probe/record_trace.sh $(ENGINE) $(TABLES) 5 $(BUILD)/trace5.txt && \
	  $(BUILD)/tests/probe/bench_search $(BUILD)/trace5.txt $(TABLES); }
	$(BUILD)/tests/probe/bench_wait $(TABLES)
	@if command -v wrk >/dev/null && command -v nginx >/dev/null; then tests/server/bench_serve.sh $(TOOL) $(TABLES); \
	else echo 'install wrk and nginx-light to measure the server'; fi

# ---- tests --------------------------------------------------------------------------------------

# tests/core/test_index.c becomes $(BUILD)/tests/core/test_index.
# Some tests need what a build may do without.
WITHOUT := $(if $(REMOTE),,tests/probe/test_http.c) $(if $(filter no,$(LMDB)),%/test_store.c)
TEST_BIN := $(patsubst %.c,$(BUILD)/%,$(filter-out $(WITHOUT),$(wildcard tests/*/test_*.c)))
TEST_OBJ := $(call obj,$(CORE) $(WRITE) $(PROBE) $(PAWNS) tests/support/naive.c) $(GEN_OBJ)
TEST_TABLES := $(BUILD)/test-tables
# The plain solver that tests compare with is not what sanitizers are to look at, and takes long under them.
$(BUILD)/tests/support/naive.o: override CFLAGS := $(filter-out -fsanitize=% -fno-sanitize%,$(CFLAGS)) $(if $(findstring sanitize,$(CFLAGS)),-O2)

# Tests themselves need not be fast, and take long to optimise: what they test is as fast as ever.
$(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/*/test_*.c)): override CFLAGS := $(subst -O3,-O1,$(CFLAGS))

$(BUILD)/tests/server/test_%: $(BUILD)/tests/server/test_%.o $(TEST_OBJ) $(SERVER_OBJ)
	$(CC) $(CFLAGS) -fopenmp -o $@ $^ $$(pkg-config --libs check) $(TOOL_LIBS) $(LIBS) $(LDFLAGS)

$(BUILD)/tests/find/test_%: $(BUILD)/tests/find/test_%.o $(call obj,$(FIND)) $(TEST_OBJ)
	$(CC) $(CFLAGS) -fopenmp -o $@ $^ $$(pkg-config --libs check $(LUA)) $(LIBS) $(LDFLAGS)

$(BUILD)/tests/probe/test_http: $(BUILD)/tests/probe/test_http.o $(call obj,$(REMOTE)) $(TEST_OBJ)
	$(CC) $(CFLAGS) -fopenmp -o $@ $^ $$(pkg-config --libs check libcurl) -lmicrohttpd $(LIBS) $(LDFLAGS)

# What probes of a web server's tables cost, as a user of both libraries.
$(BUILD)/tests/probe/bench_http: tests/probe/bench_http.c include/trebuchet-http.h $(LIB_A) $(HTTP_SO)
	@mkdir -p $(@D)
	$(CC) -std=c11 -D_GNU_SOURCE -Iinclude $(WARNINGS) $(CFLAGS) -o $@ $< $(LIB_A) -L$(BUILD) -ltrebuchet-http \
	  -Wl,-rpath,'$$ORIGIN/../..' $(LIBS) $(LDFLAGS)

$(BUILD)/tests/examples/test_%: $(BUILD)/tests/examples/test_%.o $(ENGINE_PARTS) $(LIB_A)
	$(CC) $(CFLAGS) -o $@ $^ $$(pkg-config --libs check) $(ENGINE_LIBS) $(LIBS) $(LDFLAGS)

define TEST_RULE
$(BUILD)/tests/$(1)/test_%: $(BUILD)/tests/$(1)/test_%.o $(TEST_OBJ)
	$$(CC) $$(CFLAGS) -fopenmp $$(WRAP) -o $$@ $$^ $$$$(pkg-config --libs check) $$(LIBS) $$(LDFLAGS)
endef
$(foreach folder,core probe gen check pawns cli,$(eval $(call TEST_RULE,$(folder))))

# Tests in which allocations fail one by one: tests/support/failing_alloc.h.
FAILING := malloc calloc realloc aligned_alloc posix_memalign mmap strdup strndup free ZSTD_createCCtx ZSTD_createDCtx \
  ZSTD_createCDict ZSTD_createDDict ZSTD_compress2 ZSTD_freeCCtx ZSTD_freeDCtx ZSTD_freeCDict ZSTD_freeDDict
MEMORY_BIN := $(filter %_memory,$(TEST_BIN))
$(MEMORY_BIN): $(BUILD)/tests/support/failing_alloc.o
$(MEMORY_BIN): WRAP = $(addprefix -Wl$(comma)--wrap=,$(FAILING))

# The drop-in itself, not the shared object: sanitizers then see into it.
$(BUILD)/tests/probe/test_fathom: $(call obj,$(FATHOM))
$(BUILD)/tests/probe/test_fathom: WRAP = -Wl,--wrap=treb_tables_set_memory

# It counts the cells that probes read and the moves that they make.
$(BUILD)/tests/probe/test_bounds: LDFLAGS += -Wl,--wrap=file_cell,--wrap=position_make

# Programs whose disk is that of tests/support/slow_disk.h.
SLOW_DISK := $(addprefix -Wl$(comma)--wrap=,nowait_read nowait_has nowait_fetch nowait_open pread64 mmap64 munmap posix_madvise clock_gettime)
$(BUILD)/tests/probe/test_wait: LDFLAGS += $(SLOW_DISK)

# The example engine on such a disk.
$(BUILD)/tests/probe/bench_wait: $(BUILD)/tests/probe/bench_wait.o $(call obj,$(CORE) $(PROBE)) \
  $(patsubst %,$(BUILD)/examples/uci/%.o,board eval search tables tt)
	$(CC) $(CFLAGS) $(SLOW_DISK) -o $@ $^ $(LIBS) $(LDFLAGS)

# Parts of the command; the clock is the test's.
$(BUILD)/tests/cli/test_cli_parts: $(call obj,cli/progress.c cli/guess.c cli/util.c)
$(BUILD)/tests/cli/test_cli_parts: LDFLAGS += -Wl,--wrap=cli_seconds

.SECONDARY: $(patsubst %,%.o,$(TEST_BIN))

# The command of ranks, where it can be built.
TEST_MPI = $(if $(shell command -v $(MPICC) && command -v mpirun),$(MPI_TOOL))

test:
	@.ci/deps test
	$(MAKE) $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc)) --no-print-directory all $(TEST_MPI) $(ENGINE) $(TEST_BIN) $(FATHOM_BIN) $(USER_BIN) $(BUILD)/tests/probe/counts $(BLOCKED_BIN)
	CC='$(CC)' CFLAGS='$(CFLAGS)' PAGE='$(PAGE)' tests/run.sh $(BUILD)

# Compares every position with Syzygy's tables, read by Debian's libfathom.
FATHOM_BIN := $(BUILD)/tests/probe/crosscheck $(BUILD)/tests/probe/bench_fathom
# The first loads it, and the drop-in beside it: linked, it would come before that one's own names.
$(BUILD)/tests/probe/bench_fathom: EXTRA_LIBS = -lfathom
$(FATHOM_BIN): $(BUILD)/tests/%: $(BUILD)/tests/%.o $(call obj,$(CORE) $(PROBE))
	$(CC) $(CFLAGS) -o $@ $^ $(EXTRA_LIBS) $(LIBS) $(LDFLAGS)

$(BUILD)/tests/probe/counts: $(BUILD)/tests/probe/counts.o $(call obj,$(CORE) $(PROBE))
	$(CC) $(CFLAGS) -o $@ $^ $(LIBS) $(LDFLAGS)

# The solver's steps, on planes of four to six men.
$(BUILD)/tests/gen/bench_kernel: $(BUILD)/tests/gen/bench_kernel.o $(call obj,$(CORE) gen/solve/kernel_pick.c) $(KERNEL_OBJ)
	$(CC) $(CFLAGS) -fopenmp -o $@ $^ $(LIBS) $(LDFLAGS)

# What ranks take: bench_ranks MATERIAL THREADS RANKS...
$(BUILD)/tests/gen/bench_ranks: $(BUILD)/tests/gen/bench_ranks.o $(TEST_OBJ)
	$(CC) $(CFLAGS) -fopenmp -o $@ $^ $(LIBS) $(LDFLAGS)

# Sizes and speed of the exporter's code: bench_encode FILE..., Syzygy's files or cells.
$(BUILD)/tests/gen/bench_encode: $(BUILD)/tests/gen/bench_encode.o $(call obj,$(CORE) $(WRITE) $(PROBE) gen/syzygy/array.c) $(CODE_OBJ)
	$(CC) $(CFLAGS) -fopenmp -o $@ $^ $(LIBS) $(LDFLAGS)

# The same of our own files' code: bench_coder FILE..., cells.
$(BUILD)/tests/gen/bench_coder: $(BUILD)/tests/gen/bench_coder.o $(call obj,$(CORE) $(WRITE)) $(CODE_OBJ)
	$(CC) $(CFLAGS) -fopenmp -o $@ $^ $(LIBS) $(LDFLAGS)

# Programs that use the library as its users do.
USER_BIN := $(BUILD)/tests/examples/engine_games $(BUILD)/tests/examples/solved_games $(BUILD)/tests/probe/bench_search
$(USER_BIN): $(BUILD)/tests/%: tests/%.c tests/examples/engine_process.h include/trebuchet.h $(LIB_A)
	@mkdir -p $(@D)
	$(CC) -std=c11 -D_GNU_SOURCE -Iinclude $(WARNINGS) $(CFLAGS) -o $@ $< $(LIB_A) $(LIBS) -ldl $(LDFLAGS)

engine-check: $(ENGINE) $(BUILD)/tests/examples/engine_games
	$(BUILD)/tests/examples/engine_games -n 1000 $(ENGINE) $(TABLES)
	tests/examples/engine_positions.py -m 5 $(ENGINE) $(TABLES)

$(BUILD)/tests/examples/memory_match: $(BUILD)/tests/examples/memory_match.o $(ENGINE_PARTS) $(LIB_A)
	$(CC) $(CFLAGS) -o $@ $^ $(ENGINE_LIBS) $(LIBS) -lm $(LDFLAGS)

# Games against itself, the same each time. The store is in memory: a disk would take longer than the games.
MATCH_FOLDER ?= /dev/shm
memory-match: $(BUILD)/tests/examples/memory_match
	@echo 'the same opponent in every game:'; $< $(MATCH_FOLDER)
	@echo 'nodes vary from game to game:'; $< -v $(MATCH_FOLDER)
	@echo 'the same, and nobody has a memory:'; $< -v -0 $(MATCH_FOLDER)

engines-table: $(ENGINE)
	@tests/examples/engine_positions.py -m 5 -t 20 $(ENGINE) $(TABLES)

# Debian's ethereal-chess against itself from the longest win of every table: minutes with 5 men.
selfplay: all
	@.ci/deps test
	python3 tests/probe/test_engine_fathom.py --all $(BUILD) $(TABLES)

# Compares blocked positions with the tables, and audits what is solved of random ones.
BLOCKED_BIN := $(BUILD)/tests/pawns/blocked_tables $(BUILD)/tests/pawns/blocked_audit $(BUILD)/tests/pawns/solve_tables
$(BLOCKED_BIN): $(BUILD)/tests/%: $(BUILD)/tests/%.o $(call obj,$(CORE) $(WRITE) $(PROBE) $(PAWNS))
	$(CC) $(CFLAGS) -fopenmp -o $@ $^ $(LIBS) $(LDFLAGS)

# libFuzzer's targets, by clang and in a build of their own: .ci/run has the flags. Of the archive each takes what it needs,
# as the fuzzer looks at all counters of coverage that there are after every input.
FUZZERS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/*/fuzz_*.c))
$(BUILD)/fuzzed.a: $(call obj,$(CORE) $(WRITE) $(PROBE) $(PAWNS)) $(SERVER_OBJ)
	rm -f $@
	ar rcs $@ $^
$(FUZZERS): %: %.o $(BUILD)/fuzzed.a
	$(CC) $(CFLAGS) -fsanitize=fuzzer -fopenmp -o $@ $^ $(TOOL_LIBS) $(LIBS) $(LDFLAGS)
fuzzers: $(FUZZERS)

# The example of docs/cluster.md, and its figures where there are tables of five men in TABLES.
http-check: all $(BUILD)/tests/probe/bench_http
	@.ci/deps http
	python3 tests/probe/two_servers.py $(TOOL)
	@! [ -e $(TABLES)/KRPvKR.wdl.treb ] || tests/probe/bench_http.sh $(BUILD)/tests/probe/bench_http $(TABLES) KRPvKR

# Ranks, up to four of them on this machine, against one process; one is killed.
mpi-check:
	@.ci/deps mpi
	$(MAKE) --no-print-directory MPI=yes $(TOOL) $(MPI_TOOL)
	tests/gen/mpi_check.sh $(BUILD)

# The jobs of a plan, given to a Slurm of one node.
plan-check: all
	@.ci/deps plan
	tests/cli/plan_check.sh $(BUILD)

crosscheck: all $(BUILD)/tests/probe/crosscheck
	@test -n '$(SYZYGY)' || { echo 'make crosscheck SYZYGY=DIR, a folder of .rtbw and .rtbz files'; exit 2; }
	$(TOOL) compare $(SYZYGY) $(TABLES)
	$(BUILD)/tests/probe/crosscheck -d $(FATHOM_SO) -r 1000000 $(SYZYGY) $(TABLES)

# ---- what the book reports -----------------------------------------------------------------------

REPRODUCE := $(wildcard examples/book-1983/*.c)
$(BUILD)/examples/book-1983/reproduce: $(call obj,$(REPRODUCE) $(CORE) $(WRITE) $(PROBE) $(PAWNS))
	$(CC) $(CFLAGS) -fopenmp -o $@ $^ $(LIBS) $(LDFLAGS)

# Makes what tables are missing, then goes through the book claim by claim.
reproduce: all $(BUILD)/examples/book-1983/reproduce
	@for t in KRPvKR KQPvKQ KBNvK KRvKB; do for m in wdl dtz dtc dtm; do \
	  test -e $(TABLES)/$$t.$$m.treb || { $(TOOL) gen --book --tables $(TABLES); exit; }; done; done
	$(BUILD)/examples/book-1983/reproduce $(TABLES) > $(BUILD)/reproduction.md
	cp $(BUILD)/reproduction.md docs/reproduction.md
	@cat docs/reproduction.md

# ---- installing ---------------------------------------------------------------------------------

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(LIBDIR)/pkgconfig \
	  $(DESTDIR)$(PREFIX)/lib/trebuchet $(DESTDIR)$(PREFIX)/share/man/man1 \
	  $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(UNITDIR) \
	  $(DESTDIR)$(PREFIX)/lib/sysusers.d $(DESTDIR)$(PREFIX)/lib/tmpfiles.d
	install -m 755 $(TOOL) $(if $(filter yes,$(MPI)),$(MPI_TOOL)) $(DESTDIR)$(PREFIX)/bin/
	install -m 644 include/trebuchet.h $(DESTDIR)$(PREFIX)/include/
	install -m 644 $(LIB_A) $(DESTDIR)$(LIBDIR)/
	install -m 755 $(LIB_SO) $(DESTDIR)$(LIBDIR)/
	ln -sf $(notdir $(LIB_SO)) $(DESTDIR)$(LIBDIR)/libtrebuchet.so
ifneq ($(REMOTE),)
	install -m 644 include/trebuchet-http.h $(DESTDIR)$(PREFIX)/include/
	install -m 755 $(HTTP_SO) $(DESTDIR)$(LIBDIR)/
	ln -sf $(notdir $(HTTP_SO)) $(DESTDIR)$(LIBDIR)/libtrebuchet-http.so
endif
	install -m 755 $(FATHOM_SO) $(DESTDIR)$(PREFIX)/lib/trebuchet/
	install -d $(DESTDIR)$(PREFIX)/share/trebuchet/fathom
	install -m 644 probe/fathom/tbprobe.c probe/fathom/tbprobe.h $(DESTDIR)$(PREFIX)/share/trebuchet/fathom/
	install -d $(DESTDIR)$(PREFIX)/share/trebuchet/rules
	install -m 644 examples/rules/*.lua $(DESTDIR)$(PREFIX)/share/trebuchet/rules/
	install -d $(DESTDIR)$(PREFIX)/share/trebuchet/strategies
	install -m 644 examples/strategies/*.lua $(DESTDIR)$(PREFIX)/share/trebuchet/strategies/
	printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(patsubst $(PREFIX)/%,$${prefix}/%,$(LIBDIR))' 'includedir=$${prefix}/include' \
	  'fathomdir=$${prefix}/share/trebuchet/fathom' 'fathomlibdir=$${prefix}/lib/trebuchet' '' \
	  'Name: trebuchet' 'Description: chess endgame tablebases: probe library' 'Version: $(VERSION)' \
	  'Requires.private: libzstd libxxhash' 'Libs: -L$${libdir} -ltrebuchet' 'Libs.private: -lpthread' \
	  'Cflags: -I$${includedir}' > $(DESTDIR)$(LIBDIR)/pkgconfig/trebuchet.pc
	install -m 644 $(filter-out $(if $(filter yes,$(MPI)),,%/trebuchet-mpi.1),$(wildcard docs/man/*.1)) $(DESTDIR)$(PREFIX)/share/man/man1/
	install -m 644 docs/completion/trebuchet.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/trebuchet
	sed 's,@PREFIX@,$(PREFIX),' server/trebuchet.service > $(DESTDIR)$(UNITDIR)/trebuchet.service
	install -m 644 server/trebuchet.socket $(DESTDIR)$(UNITDIR)/
	install -m 644 server/trebuchet.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/trebuchet.conf
	install -m 644 server/trebuchet.tmpfiles $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/trebuchet.conf
ifneq ($(PYTHONDIR),)
	install -d $(DESTDIR)$(PYTHONDIR)/trebuchet
	install -m 644 probe/python/trebuchet/*.py probe/python/trebuchet/py.typed $(DESTDIR)$(PYTHONDIR)/trebuchet/
endif

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/trebuchet $(DESTDIR)$(PREFIX)/bin/trebuchet-mpi $(DESTDIR)$(PREFIX)/include/trebuchet.h \
	  $(DESTDIR)$(PREFIX)/include/trebuchet-http.h $(DESTDIR)$(LIBDIR)/libtrebuchet-http.so* \
	  $(DESTDIR)$(LIBDIR)/libtrebuchet.* $(DESTDIR)$(LIBDIR)/pkgconfig/trebuchet.pc \
	  $(DESTDIR)$(PREFIX)/lib/trebuchet/libfathom.so.1 \
	  $(DESTDIR)$(PREFIX)/share/trebuchet/fathom/tbprobe.[ch] \
	  $(DESTDIR)$(PREFIX)/share/trebuchet/rules/*.lua \
	  $(DESTDIR)$(PREFIX)/share/trebuchet/strategies/*.lua \
	  $(DESTDIR)$(PREFIX)/share/man/man1/trebuchet*.1 \
	  $(DESTDIR)$(PREFIX)/share/bash-completion/completions/trebuchet \
	  $(DESTDIR)$(UNITDIR)/trebuchet.service $(DESTDIR)$(UNITDIR)/trebuchet.socket \
	  $(DESTDIR)$(PREFIX)/lib/sysusers.d/trebuchet.conf $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/trebuchet.conf
ifneq ($(PYTHONDIR),)
	rm -rf $(DESTDIR)$(PYTHONDIR)/trebuchet
endif
	rmdir $(DESTDIR)$(PREFIX)/lib/trebuchet $(DESTDIR)$(PREFIX)/share/trebuchet/fathom \
	  $(DESTDIR)$(PREFIX)/share/trebuchet/rules $(DESTDIR)$(PREFIX)/share/trebuchet/strategies \
	  $(DESTDIR)$(PREFIX)/share/trebuchet 2>/dev/null || true

# Debian packages into $(BUILD)/deb/, built in a copy of this folder. The page comes along as it is
# packed here, as the build of a package may fetch nothing.
DEB_COPY := $(BUILD)/deb/trebuchet-$(VERSION)
deb:
	@.ci/deps deb
	$(if $(filter no,$(PAGE)),,$(MAKE) --no-print-directory $(BUILD)/server/assets.c)
	rm -rf $(BUILD)/deb
	mkdir -p $(DEB_COPY)
	tar -c --exclude=./.git --exclude='./build*' --exclude='./$(BUILD)' --exclude='./tables/K*' . | tar -x -C $(DEB_COPY)
	$(if $(filter no,$(PAGE)),,cp $(BUILD)/server/assets.c $(DEB_COPY)/debian/assets.c)
	cd $(DEB_COPY) && env -u MAKEFLAGS -u MAKELEVEL -u CFLAGS -u LDFLAGS \
	  DEB_BUILD_OPTIONS="parallel=$$(nproc) noautodbgsym" \
	  dpkg-buildpackage -b -us -uc $(if $(filter no,$(PAGE)),-Ppkg.trebuchet.nopage)
	@ls -l $(BUILD)/deb/*.deb

# Needs root, and a machine that has not got these packages: they are installed, used and purged.
deb-test: deb
	tests/cli/deb.sh $(BUILD)/deb

format:
	git ls-files '*.c' '*.h' | xargs clang-format -i

clean:
	rm -rf $(BUILD)

# All blocked positions of up to 5 men against TABLES: some minutes.
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

# Published studies and textbook positions, a minute each at most, into docs/pawn-endings.md.
studies: $(TOOL)
	tests/pawns/studies.py $(TOOL) $(TABLES)

# What `solve` proves of random pawn endings, PAWNS against PAWNS, of N, in SECONDS of processor time each.
solve-bench: N = 40
solve-bench: PAWNS = 3
solve-bench: SECONDS = 10
solve-bench: all
	tests/pawns/solve_bench.py -n $(N) -p $(PAWNS) -t $(SECONDS) $(TOOL)

# Published counts of whole tables: of verdicts and the longest mates, and of all distances to zeroing.
counts: all $(BUILD)/tests/probe/counts
	$(BUILD)/tests/probe/counts $(TABLES) tests/data/le5.tsv
	tests/probe/published_counts.py $(TOOL) $(TABLES)

.PHONY: fuzzers estimates mpi-check plan-check rules strategies zugzwangs zugzwangs-check studies counts all deb deb-test help demo tables manifest bench engine engine-check engines-table selfplay blocked-check reproduce test crosscheck install uninstall format clean http-check memory-match solve-bench
