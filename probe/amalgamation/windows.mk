# windows.mk - the library for Windows. Part of the Makefile.

#: Windows
#:   make windows    write @BUILD@/trebuchet-windows.zip: trebuchet.dll and its import library, made from the two files
#:                   of make amalgamation with mingw-w64, which .ci/deps windows installs (docs/building.md)

WINDOWS := $(BUILD)/windows
WINDOWS_CC ?= x86_64-w64-mingw32-gcc-posix
DLL := $(WINDOWS)/trebuchet.dll

windows: $(BUILD)/trebuchet-windows.zip

$(DLL): $(AMALGAMATION)
	@mkdir -p $(@D)
	$(WINDOWS_CC) -std=c11 -O2 $(WARNINGS) -DTREB_BUILD_DLL -shared -static-libgcc -s -o $@ $< \
	  -Wl,--out-implib,$(WINDOWS)/libtrebuchet.dll.a

$(BUILD)/trebuchet-windows.zip: $(DLL)
	rm -rf $@ $(WINDOWS)/trebuchet-$(VERSION)
	mkdir $(WINDOWS)/trebuchet-$(VERSION)
	cp $(DLL) $(DLL:%/trebuchet.dll=%/libtrebuchet.dll.a) include/trebuchet.h LICENSE $(WINDOWS)/trebuchet-$(VERSION)
	cd $(WINDOWS) && $(PYTHON) -m zipfile -c $(abspath $@) trebuchet-$(VERSION)

.PHONY: windows
