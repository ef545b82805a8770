# amalgamation.mk - the library as two files. Part of the Makefile.

#: Two files for any engine
#:   make amalgamation  write @BUILD@/amalgamation/trebuchet.c and trebuchet.h (docs/building.md)

AMALGAMATION := $(BUILD)/amalgamation/trebuchet.c
amalgamation: $(AMALGAMATION)

# It depends on each file of which it is made; headers are among those of the library's folders.
$(AMALGAMATION): $(CORE) $(PROBE) $(wildcard core/*/*.h probe/*.h probe/syzygy/*.h include/*.h probe/amalgamation/*) LICENSE
	$(PYTHON) probe/amalgamation/amalgamate.py $(@D) $(CORE) $(PROBE)

.PHONY: amalgamation
