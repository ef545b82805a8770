# Trebuchet. `make help` lists what there is.

VERSION := 0.1.0
SOVERSION := 0

CC ?= cc
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
CLI := $(wildcard cli/*.c)

obj = $(patsubst %.c,$(BUILD)/%.o,$(1))
LIB_PIC := $(patsubst %.c,$(BUILD)/pic/%.o,$(CORE) $(PROBE))
GEN_OBJ := $(call obj,$(GEN)) $(patsubst %,$(BUILD)/gen/kernel_%.o,$(KERNELS))
TOOL_OBJ := $(call obj,$(CORE) $(WRITE) $(PROBE) $(CLI)) $(GEN_OBJ)

LIB_A := $(BUILD)/libtrebuchet.a
LIB_SO := $(BUILD)/libtrebuchet.so.$(SOVERSION)
TOOL := $(BUILD)/trebuchet

all: $(TOOL) $(LIB_A) $(LIB_SO) $(BUILD)/trebuchet.pc

help:
	@echo 'make            build the trebuchet command and the library into $(BUILD)/'
	@echo 'make demo       build, make all tables of 3 and 4 men, answer a few positions'
	@echo 'make test       build and run all tests'
	@echo 'make tables     make the book set into $(TABLES)/'
	@echo 'make bench      measure; SYZYGY=DIR compares with Fathom'
	@echo 'make crosscheck SYZYGY=DIR   compare every 3-4-man position with Syzygy tables'
	@echo 'make manifest   record counts and checksums of $(TABLES)/'
	@echo 'make install    to $(PREFIX), honouring DESTDIR'

# ---- objects ------------------------------------------------------------------------------------

$(BUILD)/gen/%.o $(BUILD)/cli/%.o: EXTRA = -Igen -Iprobe -fopenmp
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

$(BUILD)/trebuchet.pc: Makefile
	@mkdir -p $(@D)
	printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$${prefix}/lib' 'includedir=$${prefix}/include' '' \
	  'Name: trebuchet' 'Description: chess endgame tablebases: probe library' 'Version: $(VERSION)' \
	  'Requires.private: libzstd libxxhash' 'Libs: -L$${libdir} -ltrebuchet' 'Libs.private: -lpthread' \
	  'Cflags: -I$${includedir}' > $@

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
