# Trebuchet. `make help` lists what there is.

VERSION := 0.1.0
SOVERSION := 0

MAKEFLAGS += -r
ifeq ($(origin CC),default)
CC := cc
endif
CFLAGS ?= -O3 -g
PREFIX ?= /usr/local
BUILD ?= build
TABLES ?= tables

WARNINGS := -Wall -Wextra
BASE := -std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DTREB_VERSION='"$(VERSION)"' -Iinclude -Icore $(WARNINGS) -MMD -MP
LIBS := -lzstd -lxxhash -lpthread
ARCH := $(shell $(CC) -dumpmachine 2>/dev/null | cut -d- -f1)
ifeq ($(ARCH),x86_64)
KERNELS := portable avx2 avx512
else
KERNELS := portable
endif

CORE := $(filter-out core/table_write.c core/table_encode.c,$(wildcard core/*.c))
WRITE := core/table_write.c core/table_encode.c
PROBE := $(wildcard probe/*.c)
GEN := $(filter-out gen/kernel.c,$(wildcard gen/*.c))
BLOCKED := $(wildcard blocked/*.c)
CLI := $(wildcard cli/*.c)

obj = $(patsubst %.c,$(BUILD)/%.o,$(1))
LIB_PIC := $(patsubst %.c,$(BUILD)/pic/%.o,$(CORE) $(PROBE))
GEN_OBJ := $(call obj,$(GEN)) $(patsubst %,$(BUILD)/gen/kernel_%.o,$(KERNELS))
TOOL_OBJ := $(call obj,$(CORE) $(WRITE) $(PROBE) $(BLOCKED) $(CLI)) $(GEN_OBJ)

LIB_A := $(BUILD)/libtrebuchet.a
LIB_SO := $(BUILD)/libtrebuchet.so.$(SOVERSION)
TOOL := $(BUILD)/trebuchet

all: $(TOOL) $(LIB_A) $(LIB_SO)

help:
	@echo 'make            build the trebuchet command and the library into $(BUILD)/'
	@echo 'make demo       build, make all tables of 3 and 4 men, answer a few positions'
	@echo 'make test       build and run all tests'
	@echo 'make tables     make the book set into $(TABLES)/'
	@echo 'make reproduce  what the book of 1983 reports, claim by claim, into docs/reproduction.md'
	@echo 'make bench      measure; SYZYGY=DIR compares with Fathom'
	@echo 'make crosscheck SYZYGY=DIR   compare every 3-4-man position with Syzygy tables'
	@echo 'make blocked-check   compare blocked positions of up to 5 men with $(TABLES)/'
	@echo 'make manifest   record counts and checksums of $(TABLES)/'
	@echo 'make install    to $(PREFIX), honouring DESTDIR'

# ---- objects ------------------------------------------------------------------------------------

$(BUILD)/gen/%.o $(BUILD)/cli/%.o: EXTRA = -Igen -Iprobe -Iblocked -fopenmp
$(BUILD)/gen/kernel_%.o: EXTRA = -Igen -Wno-psabi -DKERNEL_BUILD=$*
$(BUILD)/gen/kernel_avx2.o: ISA = -mavx2
$(BUILD)/gen/kernel_avx512.o: ISA = -mavx512f -mavx512bw -mavx512vl -mavx512dq

$(BUILD)/gen/kernel_%.o: gen/kernel.c
	@mkdir -p $(@D)
	$(CC) $(BASE) $(CFLAGS) $(EXTRA) $(ISA) -c $< -o $@

# Not a build of gen/kernel.c, though its name looks like one.
$(BUILD)/gen/kernel_pick.o: gen/kernel_pick.c
	@mkdir -p $(@D)
	$(CC) $(BASE) $(CFLAGS) -Igen -c $< -o $@

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(BASE) $(CFLAGS) $(EXTRA) -c $< -o $@

$(BUILD)/pic/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(BASE) $(CFLAGS) -fPIC -fvisibility=hidden -c $< -o $@

# ---- the library and the command ----------------------------------------------------------------

# One object with all that is not public made local: nothing but treb_ names reaches a user.
$(LIB_A): $(LIB_PIC)
	ld -r -o $(BUILD)/libtrebuchet.o $^
	objcopy --localize-hidden $(BUILD)/libtrebuchet.o
	rm -f $@
	ar rcs $@ $(BUILD)/libtrebuchet.o

$(LIB_SO): $(LIB_PIC)
	$(CC) $(CFLAGS) -shared -Wl,-soname,libtrebuchet.so.$(SOVERSION) -Wl,-z,defs -o $@ $^ $(LIBS) $(LDFLAGS)
	ln -sf $(@F) $(BUILD)/libtrebuchet.so

$(TOOL): $(TOOL_OBJ)
	$(CC) $(CFLAGS) -fopenmp -o $@ $^ $(LIBS) $(LDFLAGS)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

# ---- using it -----------------------------------------------------------------------------------

demo:
	@.ci/deps build
	$(MAKE) --no-print-directory all
	$(TOOL) gen --men 4 --tables $(TABLES)
	$(TOOL) probe --tables $(TABLES) '8/8/4k3/8/8/4K3/4P3/8 w - - 0 1'
	$(TOOL) probe --tables $(TABLES) '8/5P1k/8/7K/8/8/8/8 w - - 0 1'
	$(TOOL) line --tables $(TABLES) '8/8/8/3k4/8/8/8/KBN5 w - - 0 1'

tables: all
	$(TOOL) gen --book --tables $(TABLES)

manifest: all
	cd $(TABLES) && LC_ALL=C ls *.treb | LC_ALL=C sort | xargs sha256sum > SHA256SUMS
	$(TOOL) info --tsv $(TABLES)/*.treb > $(TABLES)/manifest.tsv

bench: all
	$(TOOL) bench --tables $(TABLES)
ifneq ($(SYZYGY),)
	$(MAKE) --no-print-directory $(BUILD)/tests/bench_fathom
	$(BUILD)/tests/bench_fathom $(SYZYGY) $(TABLES) KQvKR KRPvK KRvKP KPvKP
endif

# ---- tests --------------------------------------------------------------------------------------

TESTS := $(patsubst tests/%.c,%,$(wildcard tests/test_*.c))
TEST_BIN := $(patsubst %,$(BUILD)/tests/%,$(TESTS))
TEST_OBJ := $(call obj,$(CORE) $(WRITE) $(PROBE) $(BLOCKED) tests/naive.c) $(GEN_OBJ)
TEST_TABLES := $(BUILD)/test-tables

$(BUILD)/tests/%.o: EXTRA = -Igen -Iprobe -Iblocked -Itests -fopenmp

$(BUILD)/tests/test_%: $(BUILD)/tests/test_%.o $(TEST_OBJ)
	$(CC) $(CFLAGS) -fopenmp -o $@ $^ $$(pkg-config --libs check) $(LIBS) $(LDFLAGS)

.SECONDARY: $(patsubst %,%.o,$(TEST_BIN))

test:
	@.ci/deps test
	$(MAKE) --no-print-directory all $(TEST_BIN) $(FATHOM_BIN) $(BUILD)/tests/counts $(BUILD)/tests/blocked_tables
	CC='$(CC)' CFLAGS='$(CFLAGS)' tests/run.sh $(BUILD)

# Compares every position with Syzygy's tables, read by Debian's libfathom.
FATHOM_BIN := $(BUILD)/tests/crosscheck $(BUILD)/tests/bench_fathom
$(FATHOM_BIN): $(BUILD)/tests/%: $(BUILD)/tests/%.o $(call obj,$(CORE) $(PROBE))
	$(CC) $(CFLAGS) -o $@ $^ -lfathom $(LIBS) $(LDFLAGS)

$(BUILD)/tests/counts: $(BUILD)/tests/counts.o $(call obj,$(CORE) $(PROBE))
	$(CC) $(CFLAGS) -o $@ $^ $(LIBS) $(LDFLAGS)

# Compares blocked positions with the tables.
$(BUILD)/tests/blocked_tables: $(BUILD)/tests/blocked_tables.o $(call obj,$(CORE) $(PROBE) $(BLOCKED))
	$(CC) $(CFLAGS) -o $@ $^ $(LIBS) $(LDFLAGS)

crosscheck: all $(BUILD)/tests/crosscheck
	@test -n '$(SYZYGY)' || { echo 'make crosscheck SYZYGY=DIR, a folder of .rtbw and .rtbz files'; exit 2; }
	$(BUILD)/tests/crosscheck $(SYZYGY) $(TABLES)

# ---- what the book reports -----------------------------------------------------------------------

$(BUILD)/tools/%.o: EXTRA = -Iblocked

REPRODUCE := $(wildcard tools/*.c)
$(BUILD)/tools/reproduce: $(call obj,$(REPRODUCE) $(CORE) $(PROBE) $(BLOCKED))
	$(CC) $(CFLAGS) -o $@ $^ $(LIBS) $(LDFLAGS)

# Makes what tables are missing, then goes through the book claim by claim.
reproduce: all $(BUILD)/tools/reproduce
	@for t in KRPvKR KQPvKQ KBNvK KRvKB; do for m in wdl dtz dtc dtm; do \
	  test -e $(TABLES)/$$t.$$m.treb || { $(TOOL) gen --book --tables $(TABLES); exit; }; done; done
	$(BUILD)/tools/reproduce $(TABLES) > $(BUILD)/reproduction.md
	cp $(BUILD)/reproduction.md docs/reproduction.md
	@cat docs/reproduction.md

# ---- installing ---------------------------------------------------------------------------------

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/lib/pkgconfig \
	  $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	install -m 755 $(TOOL) $(DESTDIR)$(PREFIX)/bin/
	install -m 644 include/trebuchet.h $(DESTDIR)$(PREFIX)/include/
	install -m 644 $(LIB_A) $(DESTDIR)$(PREFIX)/lib/
	install -m 755 $(LIB_SO) $(DESTDIR)$(PREFIX)/lib/
	ln -sf $(notdir $(LIB_SO)) $(DESTDIR)$(PREFIX)/lib/libtrebuchet.so
	printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$${prefix}/lib' 'includedir=$${prefix}/include' '' \
	  'Name: trebuchet' 'Description: chess endgame tablebases: probe library' 'Version: $(VERSION)' \
	  'Requires.private: libzstd libxxhash' 'Libs: -L$${libdir} -ltrebuchet' 'Libs.private: -lpthread' \
	  'Cflags: -I$${includedir}' > $(DESTDIR)$(PREFIX)/lib/pkgconfig/trebuchet.pc
	install -m 644 docs/man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1/
	install -m 644 docs/completion/trebuchet.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/trebuchet

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/trebuchet $(DESTDIR)$(PREFIX)/include/trebuchet.h \
	  $(DESTDIR)$(PREFIX)/lib/libtrebuchet.* $(DESTDIR)$(PREFIX)/lib/pkgconfig/trebuchet.pc \
	  $(DESTDIR)$(PREFIX)/share/man/man1/trebuchet*.1 \
	  $(DESTDIR)$(PREFIX)/share/bash-completion/completions/trebuchet

format:
	clang-format -i $(wildcard core/*.[ch] gen/*.[ch] probe/*.[ch] blocked/*.[ch] cli/*.[ch] tests/*.[ch] tools/*.[ch] include/*.h)

clean:
	rm -rf $(BUILD)

# All blocked positions of up to 5 men against TABLES: some minutes.
blocked-check: all $(BUILD)/tests/blocked_tables
	$(BUILD)/tests/blocked_tables $(TABLES) 5
	$(BUILD)/tests/blocked_tables $(TABLES) 5 -
	$(BUILD)/tests/blocked_tables $(TABLES) '8/8/8/2k5/p7/Pp6/1P6/3K4 w - - 0 1'
	$(BUILD)/tests/blocked_tables $(TABLES) '8/8/8/8/p1p2k2/8/PP6/3K4 w - - 0 1'
	$(TOOL) blocked --memory 4G --tables $(TABLES) --json '8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1' | \
	  grep -q '"san":"Kb1",[^}]*"verdict":"white".*"san":"Ka2",[^}]*"verdict":"draw".*"san":"Kb2",[^}]*"verdict":"draw"'

# Published counts of whole tables.
counts: all $(BUILD)/tests/counts
	$(BUILD)/tests/counts $(TABLES) tests/data/le5.tsv

.PHONY: reproduce blocked-check counts all help demo tables manifest bench test crosscheck install uninstall format clean
