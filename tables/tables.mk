# tables.mk - the book's set of tables, and what is recorded of tables. Part of the Makefile.

#: Tables
#:   make tables     make the book's set of tables into @TABLES@/
#:   make manifest   record counts and checksums of the tables in @TABLES@/
#:   make estimates  record what tables of six men take, in tables/estimates.tsv

tables: all
	$(TOOL) gen --book --tables $(TABLES)

# The records of files that are not in $(TABLES) stay as they are.
manifest: all
	(cd $(TABLES) && sha256sum K*.treb) > $(BUILD)/sums
	$(TOOL) info --tsv $(TABLES)/K*.treb > $(BUILD)/manifest
	LC_ALL=C sort -s -u -k2,2 $(BUILD)/sums tables/SHA256SUMS > $(BUILD)/sums.all
	(head -1 $(BUILD)/manifest; tail -q -n +2 $(BUILD)/manifest tables/manifest.tsv | \
		LC_ALL=C sort -s -u -k1,1 -k2,2) > $(BUILD)/manifest.all
	mv $(BUILD)/sums.all tables/SHA256SUMS
	mv $(BUILD)/manifest.all tables/manifest.tsv

estimates: $(TOOL)
	tables/estimates.py $(TOOL)

.PHONY: tables manifest estimates
