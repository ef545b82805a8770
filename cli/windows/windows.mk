# windows.mk - Trebuchet for Windows. Part of the Makefile.

#: Windows
#:   make windows    write @BUILD@/trebuchet-windows.zip: the command, the example engine, and the library as a DLL. It
#:                   takes mingw-w64 and sources of libraries: .ci/deps windows fetches them (docs/building.md)

WINDOWS := $(BUILD)/windows
WINDOWS_CC ?= x86_64-w64-mingw32-gcc-posix
DLL := $(WINDOWS)/trebuchet.dll
WINDOWS_EXE := $(WINDOWS)/build/trebuchet.exe $(WINDOWS)/build/trebuchet-uci.exe
# The sources of zstd, xxhash, jansson and Lua.
WINDOWS_SOURCES ?= build/sources
WINDOWS_LIBRARIES := $(WINDOWS)/libraries

windows: $(BUILD)/trebuchet-windows.zip

$(DLL): $(AMALGAMATION)
	@mkdir -p $(@D)
	$(WINDOWS_CC) -std=c11 -O2 $(WARNINGS) -DTREB_BUILD_DLL -shared -static-libgcc -s -o $@ $< \
	  -Wl,--out-implib,$(WINDOWS)/libtrebuchet.dll.a

$(WINDOWS_LIBRARIES)/lib/liblua5.4.a: cli/windows/libraries.sh
	@[ -e $(WINDOWS_SOURCES)/lua5.4 ] || .ci/deps windows
	cli/windows/libraries.sh $(WINDOWS_SOURCES) $(WINDOWS_LIBRARIES) $(WINDOWS_CC)

# The Makefile once more, with another compiler. What it builds depends on all sources.
windows-programs: $(WINDOWS_LIBRARIES)/lib/liblua5.4.a
	$(MAKE) --no-print-directory CC=$(WINDOWS_CC) AR=ar BUILD=$(WINDOWS)/build HTTP=no LMDB=no \
	  LDFLAGS='-static -s -L$(WINDOWS_LIBRARIES)/lib -Wl,--stack,8388608' \
	  CFLAGS='$(CFLAGS) -I$(WINDOWS_LIBRARIES)/include -DXXH_INLINE_ALL -DTREB_HTTP=0' $(WINDOWS_EXE)

$(BUILD)/trebuchet-windows.zip: $(DLL) windows-programs
	rm -rf $@ $(WINDOWS)/trebuchet-$(VERSION)
	mkdir $(WINDOWS)/trebuchet-$(VERSION)
	cp $(WINDOWS_EXE) $(DLL) $(DLL:%/trebuchet.dll=%/libtrebuchet.dll.a) include/trebuchet.h LICENSE cli/windows/README.txt \
	  $(WINDOWS)/trebuchet-$(VERSION)
	cp -r examples/rules examples/strategies $(WINDOWS_LIBRARIES)/licenses $(WINDOWS)/trebuchet-$(VERSION)
	cd $(WINDOWS) && $(PYTHON) -m zipfile -c $(abspath $@) trebuchet-$(VERSION)

.PHONY: windows windows-programs
