# page.mk - packs the web page into a C source, server/assets.c of the build folder. Part of the Makefile.

PAGE_SOURCES := $(wildcard server/page/*.mjs server/page/*.html server/page/*.svg server/page/src/*)
PAGE_MODULES := $(BUILD)/page/node_modules/.package-lock.json

$(PAGE_MODULES): server/page/package.json server/page/package-lock.json
	@command -v npm >/dev/null 2>&1 || { \
	  echo 'the web page is built with npm: .ci/deps build installs it; make PAGE=no builds without the page' >&2; \
	  exit 1; }
	@mkdir -p $(BUILD)/page
	cp $^ $(BUILD)/page/
	cd $(BUILD)/page && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error || { \
	  echo 'npm could not download the packages that build the web page; make PAGE=no builds without the page' >&2; exit 1; }
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
