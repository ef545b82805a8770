# Trebuchet. `make help` lists the commands.

# The version is in the public header, where programs can read it too.
VERSION := $(shell sed -n 's/^.define TREB_VERSION "\(.*\)"$$/\1/p' include/trebuchet.h)
SOVERSION := 1

# ---- settings -----------------------------------------------------------------------------------

MAKEFLAGS += -r
COMMA := ,
ifeq ($(origin CC),default)
CC := cc
endif
CFLAGS ?= -O3 -g
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
UNITDIR ?= $(PREFIX)/lib/systemd/system
# The folder for everything that is built, and the folder with tables.
BUILD ?= build
TABLES ?= tables
# PAGE=no leaves out the web page. ASSETS=FILE takes the packed page of an earlier build (its server/assets.c), so
# that npm is not needed.
PAGE ?= yes
ASSETS ?=
PORT ?= 8080
# Tables on a web server, with libcurl; the example engine's memory, with LMDB: yes where the library is installed.
HTTP ?= $(if $(shell pkg-config --exists libcurl 2>/dev/null && echo yes),yes,no)
LMDB ?= $(shell pkg-config --exists lmdb 2>/dev/null && echo yes || echo no)
# MPI=yes builds trebuchet-mpi as well, whose processes make tables together.
MPI ?= no
MPICC ?= mpicc
# Lua's package has one name in Debian and others elsewhere.
LUA ?= $(firstword $(shell for l in lua5.4 lua-5.4 lua54 lua; do pkg-config --exists $$l 2>/dev/null && echo $$l; done) lua5.4)

# DEBUG=yes keeps assertions. They are also kept in builds with sanitizers.
ASSERTIONS := $(if $(DEBUG)$(findstring sanitize,$(CFLAGS)),,-DNDEBUG)
WARNINGS := -Wall -Wextra
# The system that the compiler compiles for: windows and macos; what is neither is built as linux is.
MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)
SYSTEM := $(if $(findstring mingw,$(MACHINE)),windows,$(if $(findstring darwin,$(MACHINE)),macos,linux))
ARCH := $(firstword $(subst -, ,$(MACHINE)))
BASE := -std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -I. -Iinclude $(WARNINGS) -MMD -MP $(ASSERTIONS)
LIBS := -lzstd -lpthread
# The command needs these as well; the library does not. For Windows there are no packages, and no server.
ifeq ($(SYSTEM),windows)
LUA_CFLAGS :=
TOOL_LIBS := -ljansson -llua5.4 -lz
EXE := .exe
else
LUA_CFLAGS := $$(pkg-config --cflags $(LUA))
TOOL_LIBS := -lxxhash -lmicrohttpd -ljansson -lcbor -lz $$(pkg-config --libs $(LUA))
EXE :=
endif

# Shared libraries: how their files end, with a version and for linkers; how they are linked; and where the list of their
# public symbols is, which a .map has.
OBJCOPY ?= objcopy
ifeq ($(SYSTEM),macos)
so = .$(1).dylib
SO_LINK := .dylib
SHARED = -dynamiclib -Wl,-install_name,@rpath/$(@F) $(patsubst %,-Wl$(COMMA)-exported_symbols_list$(COMMA)%,$(filter %.symbols,$^))
public = $(1:%.map=$(BUILD)/%.symbols)
# Homebrew has packages in a folder that the compiler does not know. Apple's clang compiles OpenMP, but has another option
# for it, and the library is a package.
PACKAGES := libzstd libxxhash libmicrohttpd jansson libcbor
BREW := $(shell brew --prefix libomp 2>/dev/null)
BASE += $(shell pkg-config --cflags $(PACKAGES) 2>/dev/null) $(BREW:%=-I%/include)
LDFLAGS += $(shell pkg-config --libs-only-L $(PACKAGES) 2>/dev/null) $(BREW:%=-L%/lib)
OPENMP ?= -Xclang -fopenmp
OPENMP_LIBS ?= -lomp
RPATH := $(if ,) -Wl,-rpath,$${libdir}
else
so = .so.$(1)
SO_LINK := .so
SHARED = -shared -Wl,-soname,$(@F) -Wl,-z,defs $(patsubst %,-Wl$(COMMA)--version-script=%,$(filter %.map,$^))
public = $(1)
OPENMP ?= -fopenmp
OPENMP_LIBS ?= $(OPENMP)
endif

# `make` for several targets at once uses all processors unless -j says otherwise.
PARALLEL = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell getconf _NPROCESSORS_ONLN))

# ---- sources ------------------------------------------------------------------------------------

# The parts of core/ that the command needs and the library does not.
CORE_TOOL := core/format/table_write.c core/format/table_sides.c core/format/table_encode.c core/format/table_order.c core/format/table_bundle.c \
  $(wildcard core/pgn/*.c) \
  core/system/memory_budget.c core/system/machine_posix.c core/system/machine_windows.c core/system/paged.c core/system/spill_file.c \
  core/system/state.c core/system/text_file.c core/system/tool_posix.c core/system/tool_windows.c
CORE := $(filter-out $(CORE_TOOL),$(wildcard core/*/*.c))
PROBE := $(wildcard probe/*.c probe/syzygy/*.c)
FATHOM := probe/fathom/tbprobe.c
REMOTE := $(if $(filter no,$(HTTP)),,$(wildcard probe/remote/*.c))
# These are compiled once for each kind of processor.
KERNEL_SOURCES := gen/solve/kernel.c gen/solve/kernel_distance.c gen/compress/optimal_parse.c
GEN := $(filter-out gen/mpi/% $(KERNEL_SOURCES),$(wildcard gen/*.c gen/*/*.c))
GEN_MPI := $(wildcard gen/mpi/*.c)
CHECK := $(wildcard check/*/*.c)
FIND := $(wildcard find/*.c)
JSON := $(wildcard json/*.c)
PAWNS := $(wildcard pawns/*.c pawns/*/*.c)
ifeq ($(SYSTEM),windows)
SERVER :=
CLI := $(filter-out cli/main.c cli/service.c cli/cmd_serve.c cli/cmd_engine.c,$(wildcard cli/*.c))
else
SERVER := $(filter-out server/asset_none.c,$(wildcard server/*.c))
CLI := $(filter-out cli/main.c cli/cmd_none.c,$(wildcard cli/*.c))
endif
ifneq ($(REMOTE),)
TOOL_LIBS += $$(pkg-config --libs libcurl)
endif

PROCESSORS := portable $(if $(filter x86_64,$(ARCH)),avx2)
KERNEL_PROCESSORS := $(PROCESSORS) $(if $(filter x86_64,$(ARCH)),avx512)

obj = $(patsubst %.c,$(BUILD)/%.o,$(1))
LIB_OBJ := $(call obj,$(CORE) $(PROBE))
KERNELS := $(KERNEL_PROCESSORS:%=$(BUILD)/gen/solve/kernel_%.o)
DISTANCES := $(KERNEL_PROCESSORS:%=$(BUILD)/gen/solve/kernel_distance_%.o)
PARSERS := $(PROCESSORS:%=$(BUILD)/gen/compress/optimal_parse_%.o)
BOOK_OBJ := $(BUILD)/json/rule_book.o $(BUILD)/json/strategy_book.o
PAGE_OBJ := $(if $(SERVER),$(BUILD)/server/openapi.o $(if $(filter no,$(PAGE)),$(BUILD)/server/asset_none.o,$(BUILD)/server/assets.o))
# All objects of the command but the one with main().
PARTS_OBJ := $(LIB_OBJ) $(call obj,$(CORE_TOOL) $(PAWNS) $(GEN) $(CHECK) $(FIND) $(JSON) $(SERVER) $(CLI) $(REMOTE)) \
  $(KERNELS) $(DISTANCES) $(PARSERS) $(BOOK_OBJ) $(PAGE_OBJ)

TOOL := $(BUILD)/trebuchet$(EXE)
MPI_TOOL := $(BUILD)/trebuchet-mpi
LIB_A := $(BUILD)/libtrebuchet.a
LIB_SO := $(BUILD)/libtrebuchet$(call so,$(SOVERSION))
# Tables on a web server, for programs that use the library: the library loads it when it is needed.
HTTP_SO := $(if $(REMOTE),$(BUILD)/libtrebuchet-http$(call so,1))
# The drop-in for Fathom, as a shared library, contains the library, so that an engine needs no other file. It is in a folder of its own:
# the dynamic linker finds it before the system's libfathom only where it is asked to look there.
FATHOM_SO := $(BUILD)/fathom/libfathom$(call so,1)
ENGINE := $(BUILD)/trebuchet-uci$(EXE)

all: $(TOOL) $(LIB_A) $(LIB_SO) $(FATHOM_SO) $(HTTP_SO) $(if $(filter yes,$(MPI)),$(MPI_TOOL))

help:
	@cat $(filter %Makefile %.mk,$(MAKEFILE_LIST)) | sed -n 's/^#: \{0,1\}//p' | \
	  sed 's,@BUILD@,$(BUILD),g; s,@TABLES@,$(TABLES),; s,@PREFIX@,$(PREFIX),; s,@PORT@,$(PORT),'

#: Build and use
#:   make            build the trebuchet command and the library into @BUILD@/
#:   make PAGE=no    build without the web page, which needs npm
#:   make HTTP=no    build without tables over HTTP, which need libcurl
#:   make MPI=yes    build trebuchet-mpi as well, which makes tables with several processes and needs Open MPI
#:   make engine     build the example engine, @BUILD@/trebuchet-uci
#:   make wheel      build a wheel of the Python module with the library inside, in @BUILD@/wheel
#:   make demo       build, make all tables of 3 and 4 men, answer some positions, then serve them on port @PORT@ until
#:                   Ctrl-C (PORT=N for another port; DEMO_SERVE=no ends before the server)
#:   make install    install to @PREFIX@ (PREFIX=DIR, DESTDIR=DIR; PYTHONDIR=DIR adds the Python module)
#:   make uninstall  remove what make install with the same PREFIX has installed
#:   make clean      remove @BUILD@/

# ---- objects ------------------------------------------------------------------------------------

# Shared objects need position-independent code. Public functions are marked as such; all others are hidden, except in
# the drop-in, whose source engines may compile with their own flags.
$(LIB_OBJ) $(call obj,$(REMOTE)): EXTRA = -fPIC -fvisibility=hidden
$(call obj,$(FATHOM)): EXTRA = -fPIC
$(BUILD)/gen/%.o $(BUILD)/pawns/%.o $(BUILD)/check/%.o $(BUILD)/examples/book-1983/%.o $(BUILD)/cli/%.o $(BUILD)/tests/%.o: EXTRA = $(OPENMP)
$(BUILD)/find/%.o: EXTRA = $(OPENMP) $(LUA_CFLAGS)
# On Windows only multiples of 16 bytes are aligned on the stack, and gcc does not respect that.
UNALIGNED := $(if $(filter windows,$(SYSTEM)),-Wa$(COMMA)-muse-unaligned-vector-move)
$(KERNELS) $(DISTANCES): EXTRA = -Wno-psabi -DKERNEL_BUILD=$* $(UNALIGNED)
$(BUILD)/gen/solve/%_avx2.o: ISA = -mavx2 -mpopcnt
$(BUILD)/gen/solve/%_avx512.o: ISA = -mavx512f -mavx512bw -mavx512vl -mavx512dq -mbmi2 -mpopcnt
$(PARSERS): EXTRA = -DOPTIMAL_PARSE_BUILD=optimal_parse_$* $(UNALIGNED)
$(BUILD)/gen/compress/optimal_parse_avx2.o: ISA = -mavx2 -mbmi -mbmi2 -mpopcnt

define compile
@mkdir -p $(@D)
$(CC) $(BASE) $(CFLAGS) $(EXTRA) $(ISA) -c $< -o $@
endef

$(KERNELS): $(BUILD)/gen/solve/kernel_%.o: gen/solve/kernel.c
	$(compile)

$(DISTANCES): $(BUILD)/gen/solve/kernel_distance_%.o: gen/solve/kernel_distance.c
	$(compile)

$(PARSERS): $(BUILD)/gen/compress/optimal_parse_%.o: gen/compress/optimal_parse.c
	$(compile)

$(BUILD)/server/openapi.c: server/openapi.json server/embed.sh
	@mkdir -p $(@D)
	server/embed.sh $< openapi_asset /v1/openapi.json application/json > $@.part
	mv $@.part $@

# The rules and strategies that the server knows, with the figures of their trials.
$(BUILD)/json/rule_book.c: examples/rules/figures.jsonl $(wildcard examples/rules/*.lua) examples/rules/embed.sh
	@mkdir -p $(@D)
	examples/rules/embed.sh rule $(filter %.jsonl %.lua,$^) > $@.part
	mv $@.part $@

$(BUILD)/json/strategy_book.c: examples/strategies/figures.jsonl $(wildcard examples/strategies/*.lua) examples/rules/embed.sh
	@mkdir -p $(@D)
	examples/rules/embed.sh strategy $(filter %.jsonl %.lua,$^) > $@.part
	mv $@.part $@

$(BOOK_OBJ) $(BUILD)/server/openapi.o $(BUILD)/server/assets.o: %.o: %.c
	$(compile)

$(BUILD)/gen/mpi/%.o: gen/mpi/%.c
	@command -v $(MPICC) >/dev/null || { echo 'MPI=yes needs $(MPICC): .ci/deps mpi installs it' >&2; exit 1; }
	@mkdir -p $(@D)
	$(MPICC) $(BASE) $(CFLAGS) $(EXTRA) -c $< -o $@

# The example engine sees the public headers only.
$(BUILD)/examples/uci/%.o: examples/uci/%.c
	@mkdir -p $(@D)
	$(CC) -std=c11 -D_GNU_SOURCE -Iinclude $(WARNINGS) -MMD -MP $(CFLAGS) -c $< -o $@

$(BUILD)/%.o: %.c Makefile
	$(compile)

-include $(shell find $(BUILD) \( -path $(BUILD)/deb -o -path $(BUILD)/test \) -prune -o -name '*.d' -type f -print 2>/dev/null)

# ---- the library, the command and the example engine --------------------------------------------

# One object in which every symbol that is not public is local: users of the library see treb_ names only. The linker of
# macOS makes it so by itself; Windows has nothing for that.
$(LIB_A): $(LIB_OBJ)
	rm -f $@
ifeq ($(SYSTEM),windows)
	$(AR) rcs $@ $^
else
	$(CC) -r -nostdlib -o $(BUILD)/libtrebuchet.o $^
	$(if $(filter linux,$(SYSTEM)),$(OBJCOPY) --localize-hidden $(BUILD)/libtrebuchet.o)
	$(AR) rcs $@ $(BUILD)/libtrebuchet.o
endif

$(LIB_SO): $(LIB_OBJ) $(call public,probe/trebuchet.map)
	$(CC) $(CFLAGS) $(SHARED) -o $@ $(filter %.o,$^) $(LIBS) $(LDFLAGS)
	ln -sf $(@F) $(@:$(call so,$(SOVERSION))=$(SO_LINK))

# The names of C have an underscore before them on macOS.
$(BUILD)/%.symbols: %.map
	@mkdir -p $(@D)
	sed -n 's/^ *\([A-Za-z_][A-Za-z0-9_*]*\);$$/_\1/p' $< > $@

# The library of the wheel has zstd inside, so that it needs the C library only. The wheel is for Linux.
$(BUILD)/wheel/$(notdir $(LIB_SO)): $(LIB_OBJ) probe/trebuchet.map
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SHARED) -s -Wl,--exclude-libs,ALL -o $@ $(filter %.o,$^) -Wl,-Bstatic -lzstd -Wl,-Bdynamic \
	  -lpthread $(LDFLAGS)

wheel: $(BUILD)/wheel/$(notdir $(LIB_SO))
	rm -f $(<D)/*.whl
	probe/python/wheel.py $< $(<D)

$(FATHOM_SO): $(LIB_OBJ) $(call obj,$(FATHOM)) $(call public,probe/fathom/fathom.map)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SHARED) -o $@ $(filter %.o,$^) $(LIBS) $(LDFLAGS)

$(BUILD)/libtrebuchet-http$(call so,1): $(call obj,$(REMOTE))
	$(CC) $(CFLAGS) $(SHARED) -o $@ $(filter %.o,$^) $$(pkg-config --libs libcurl) -lxxhash -lpthread $(LDFLAGS)
	ln -sf $(@F) $(@:$(call so,1)=$(SO_LINK))

# Changes when the command has other parts, as with PAGE=no.
PARTS_LIST := $(BUILD)/parts.list
$(PARTS_LIST): FORCE
	@mkdir -p $(@D)
	@echo '$(PARTS_OBJ)' | cmp -s - $@ || echo '$(PARTS_OBJ)' > $@
FORCE:

$(TOOL): $(BUILD)/cli/main.o $(PARTS_OBJ) $(PARTS_LIST)
	$(CC) $(CFLAGS) -o $@ $(filter %.o,$^) $(OPENMP_LIBS) $(TOOL_LIBS) $(LIBS) $(LDFLAGS)

$(MPI_TOOL): $(call obj,$(GEN_MPI)) $(PARTS_OBJ) $(PARTS_LIST)
	$(MPICC) $(CFLAGS) -o $@ $(filter %.o,$^) $(OPENMP_LIBS) $(TOOL_LIBS) $(LIBS) $(LDFLAGS)

# Here the engine is linked with the library as an archive; examples/uci/Makefile uses an installed library.
ifeq ($(LMDB),yes)
ENGINE_SOURCES := $(filter-out %/memory_none.c,$(wildcard examples/uci/*.c))
ENGINE_LIBS := $$(pkg-config --libs lmdb)
else
ENGINE_SOURCES := $(filter-out %/memory.c %/store.c %/memory_service.c,$(wildcard examples/uci/*.c))
endif

engine: $(ENGINE)

$(ENGINE): $(call obj,$(ENGINE_SOURCES)) $(LIB_A)
	$(CC) $(CFLAGS) -o $@ $^ $(ENGINE_LIBS) $(LIBS) $(LDFLAGS)

demo:
	@.ci/deps build
	$(MAKE) $(PARALLEL) --no-print-directory all
	$(TOOL) gen --men 4 --tables $(TABLES)
	$(TOOL) probe --tables $(TABLES) '8/8/4k3/8/8/4K3/4P3/8 w - - 0 1'
	$(TOOL) probe --tables $(TABLES) '8/5P1k/8/7K/8/8/8/8 w - - 0 1'
	$(TOOL) line --tables $(TABLES) '8/8/8/3k4/8/8/8/KBN5 w - - 0 1'
	$(TOOL) blocked --tables $(TABLES) --write $(TABLES) '8/8/8/3Kp3/4Pk2/8/8/8 w - - 0 1' >/dev/null
	$(TOOL) blocked --tables $(TABLES) --write $(TABLES) '8/8/2p5/k1p1K3/p1P5/P7/8/8 w - - 0 1'
ifneq ($(DEMO_SERVE),no)
	@exec $(TOOL) serve --tables $(TABLES) --port $(PORT) --quiet
endif

# ---- installing ---------------------------------------------------------------------------------

# What is installed: mode, folder, files. $(1) is `put` or `take`.
SHARE := $(PREFIX)/share/trebuchet
SO_LINKS = $(LIB_SO:$(call so,$(SOVERSION))=$(SO_LINK)) $(HTTP_SO:$(call so,1)=$(SO_LINK))
SYSTEMD := $(filter linux,$(SYSTEM))
define installed
$(call $(1),755,$(PREFIX)/bin,$(TOOL) $(if $(filter yes,$(MPI)),$(MPI_TOOL)))
$(call $(1),644,$(PREFIX)/include,include/trebuchet.h $(if $(HTTP_SO),include/trebuchet-http.h))
$(call $(1),644,$(LIBDIR),$(LIB_A))
$(call $(1),755,$(LIBDIR),$(LIB_SO) $(HTTP_SO))
$(call $(1)_links,$(LIBDIR),$(SO_LINKS))
$(call $(1),644,$(LIBDIR)/pkgconfig,$(BUILD)/install/trebuchet.pc)
$(call $(1),755,$(PREFIX)/lib/trebuchet,$(FATHOM_SO))
$(call $(1),644,$(SHARE)/fathom,$(wildcard probe/fathom/*.[ch]))
$(call $(1),644,$(SHARE)/pyrrhic,$(FATHOM) $(wildcard probe/pyrrhic/*.h))
$(call $(1),644,$(SHARE)/rules,$(wildcard examples/rules/*.lua))
$(call $(1),644,$(SHARE)/strategies,$(wildcard examples/strategies/*.lua))
$(call $(1),644,$(PREFIX)/share/man/man1,$(filter-out $(if $(filter yes,$(MPI)),,%-mpi.1),$(wildcard docs/man/*.1)))
$(call $(1),644,$(PREFIX)/share/bash-completion/completions,$(BUILD)/install/trebuchet)
$(if $(SYSTEMD),$(call $(1),644,$(UNITDIR),$(BUILD)/install/trebuchet.service server/trebuchet.socket))
$(if $(SYSTEMD),$(call $(1),644,$(PREFIX)/lib/sysusers.d,$(BUILD)/install/sysusers.d/trebuchet.conf))
$(if $(SYSTEMD),$(call $(1),644,$(PREFIX)/lib/tmpfiles.d,$(BUILD)/install/tmpfiles.d/trebuchet.conf))
$(if $(PYTHONDIR),$(call $(1),644,$(PYTHONDIR)/trebuchet,$(wildcard probe/python/trebuchet/*.py) probe/python/trebuchet/py.typed))
endef
put = $(if $(3),mkdir -p $(DESTDIR)$(2) && install -m $(1) $(3) $(DESTDIR)$(2))
put_links = cp -P $(2) $(DESTDIR)$(1)/
take = $(if $(3),rm -f $(addprefix $(DESTDIR)$(2)/,$(notdir $(3))))
take_links = $(call take,,$(1),$(2))

# What depends on PREFIX or is installed under another name is made in $(BUILD)/install.
install: all
	rm -rf $(BUILD)/install
	mkdir -p $(BUILD)/install
	printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(patsubst $(PREFIX)/%,$${prefix}/%,$(LIBDIR))' 'includedir=$${prefix}/include' \
	  'fathomdir=$${prefix}/share/trebuchet/fathom' 'pyrrhicdir=$${prefix}/share/trebuchet/pyrrhic' \
	  'fathomlibdir=$${prefix}/lib/trebuchet' '' \
	  'Name: trebuchet' 'Description: chess endgame tablebases: probe library' 'Version: $(VERSION)' \
	  'Requires.private: libzstd' 'Libs: -L$${libdir}$(RPATH) -ltrebuchet' 'Libs.private: -lpthread' \
	  'Cflags: -I$${includedir}' > $(BUILD)/install/trebuchet.pc
	cp docs/completion/trebuchet.bash $(BUILD)/install/trebuchet
ifneq ($(SYSTEMD),)
	sed 's,@PREFIX@,$(PREFIX),' server/trebuchet.service > $(BUILD)/install/trebuchet.service
	mkdir $(BUILD)/install/sysusers.d $(BUILD)/install/tmpfiles.d
	cp server/trebuchet.sysusers $(BUILD)/install/sysusers.d/trebuchet.conf
	cp server/trebuchet.tmpfiles $(BUILD)/install/tmpfiles.d/trebuchet.conf
endif
	$(call installed,put)

uninstall: MPI = yes
uninstall: HTTP_SO = $(BUILD)/libtrebuchet-http$(call so,1)
uninstall:
	$(call installed,take)
	rmdir $(DESTDIR)$(PREFIX)/lib/trebuchet $(addprefix $(DESTDIR)$(SHARE)/,fathom pyrrhic rules strategies) $(DESTDIR)$(SHARE) \
	  $(if $(PYTHONDIR),$(DESTDIR)$(PYTHONDIR)/trebuchet) 2>/dev/null || true

clean:
	rm -rf $(BUILD)

format:
	git ls-files '*.c' '*.h' | xargs clang-format -i

# ---- everything else ----------------------------------------------------------------------------

include probe/npm/npm.mk server/page.mk tests/tests.mk probe/amalgamation/amalgamation.mk cli/windows/windows.mk tests/measure.mk tables/tables.mk docs/figures.mk debian/deb.mk

.PHONY: all help engine wheel demo install uninstall clean format
