# figures.mk - figures in the documents that programs compute. Part of the Makefile.

#: Figures in the documents
#:   make reproduce  check what the book of 1983 reports, claim by claim, into docs/reproduction.md
#:   make studies    solve published studies, into docs/pawn-endings.md
#:   make rules      count how often the rules in examples/rules/ are right, into docs/rules.md
#:   make strategies play by the strategies in examples/strategies/, into docs/play.md
#:   make zugzwangs  count the mutual zugzwangs of all tables, into docs/zugzwangs.md
#:   make mate50     count where the 50-move rule delays mates, into docs/dtm50.md
#:   make engines-table   print the table of positions in docs/engines.md
#:   make memory-match    measure the value of the example engine's memory, for docs/engines.md

# The folder with the tables of four and five men that the rules are about.
RULE_TABLES := $(TABLES)

rules: $(TOOL)
	examples/rules/figures.sh $(TOOL) $(RULE_TABLES)

strategies: $(TOOL)
	examples/strategies/figures.sh $(TOOL) $(RULE_TABLES)

# Tables of up to five men take half an hour.
zugzwangs: $(TOOL)
	find/figures.sh $(TOOL) $(RULE_TABLES)

mate50: $(TOOL)
	sed '/<!-- counts -->/q' docs/dtm50.md > $(BUILD)/dtm50.md
	tests/probe/mate50_figures.py $(TOOL) $(RULE_TABLES) >> $(BUILD)/dtm50.md
	cp $(BUILD)/dtm50.md docs/dtm50.md

# Each position takes at most a minute.
studies: $(TOOL)
	tests/pawns/studies.py $(TOOL) $(TABLES)

REPRODUCE := $(BUILD)/examples/book-1983/reproduce
$(REPRODUCE): $(call obj,$(wildcard examples/book-1983/*.c)) $(PARTS_A)
	$(CC) $(CFLAGS) -fopenmp -o $@ $^ -lxxhash $(LIBS) $(LDFLAGS)

# Makes the tables that are missing first.
reproduce: all $(REPRODUCE)
	@for t in KRPvKR KQPvKQ KBNvK KRvKB; do for m in wdl dtz dtc dtm; do \
	  test -e $(TABLES)/$$t.$$m.treb || { $(TOOL) gen --book --tables $(TABLES); exit; }; done; done
	$(REPRODUCE) $(TABLES) > $(BUILD)/reproduction.md
	cp $(BUILD)/reproduction.md docs/reproduction.md
	@cat docs/reproduction.md

engines-table: $(ENGINE)
	@tests/examples/engine_positions.py -m 5 -t 20 $(ENGINE) $(TABLES)

$(BUILD)/tests/examples/memory_match: $(BUILD)/tests/examples/memory_match.o $(ENGINE_PARTS) $(LIB_A)
	$(CC) $(CFLAGS) -o $@ $^ $(ENGINE_LIBS) $(LIBS) -lm $(LDFLAGS)

# The engine plays against itself; the games are the same each time. The memory is stored in RAM, because a disk would
# take longer than the games.
MATCH_FOLDER ?= /dev/shm
memory-match: $(BUILD)/tests/examples/memory_match
	@echo 'the same opponent in every game:'; $< $(MATCH_FOLDER)
	@echo 'nodes vary from game to game:'; $< -v $(MATCH_FOLDER)
	@echo 'nodes vary, and neither side has a memory:'; $< -v -0 $(MATCH_FOLDER)

.PHONY: rules strategies zugzwangs mate50 studies reproduce engines-table memory-match
