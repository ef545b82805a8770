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

#:   make static-site  write the page and the library for it into OUT, @BUILD@/site, a folder for any web host. TABLES is a
#:                     folder of tables, which are linked or copied there, or the address at which they are

OUT ?= $(BUILD)/site
SITE := $(BUILD)/page/site

# Solving pawn endings, as WebAssembly. It needs hashes, which xxhash's header has, and the flags of the npm package's module.
SOLVER := $(BUILD)/page/solver.wasm
SOLVER_SOURCES := $(wildcard server/page/solver/*.c pawns/cells/*.c pawns/win/*.c) core/system/memory_budget.c \
  $(filter-out %/saved_search.c %/pawn_file.c %/file_names.c,$(wildcard pawns/solve/*.c))
SOLVER_OBJECTS := $(SOLVER_SOURCES:%.c=$(WASM_OBJ)/%.o)
$(WASM_OBJ)/include/xxhash.h:
	@mkdir -p $(@D)
	cp "$$(pkg-config --variable=includedir libxxhash)/xxhash.h" $@
$(SOLVER_OBJECTS): WASM_FLAGS += -DXXH_INLINE_ALL -isystem server/page/solver -isystem $(WASM_OBJ)/include
$(SOLVER_OBJECTS): | $(WASM_OBJ)/include/xxhash.h
$(SOLVER): $(SOLVER_OBJECTS) $(filter-out %/exports.o,$(WASM_OBJECTS))
	@mkdir -p $(@D)
	$(WASM_CC) --target=wasm32-wasi -O2 -flto -mexec-model=reactor -Wl,-z,stack-size=8388608 -Wl,--strip-all -o $@ $^

static-site: npm $(SOLVER) $(PAGE_MODULES)
	@case '$(TABLES)' in http*) ;; *) ls '$(TABLES)'/K*vK*.[tr]* >/dev/null 2>&1 || { \
	  echo '$(TABLES): has no tables: make static-site TABLES=DIR or TABLES=https://...' >&2; exit 1; } ;; esac
	node server/page/build.mjs $(BUILD)/page $(SITE) $(BUILD)/npm/package '$(if $(filter http%,$(TABLES)),$(TABLES),tables/)'
	mkdir -p '$(OUT)'
	cp -R $(SITE)/. '$(OUT)/'
ifeq ($(filter http%,$(TABLES)),)
	mkdir -p '$(OUT)/tables'
	for file in '$(TABLES)'/K*vK*.treb '$(TABLES)'/K*vK*.rtb[wz]; do \
	  [ ! -e "$$file" ] || [ "$$file" -ef '$(OUT)'/tables/"$${file##*/}" ] || ln -Lf "$$file" '$(OUT)/tables/' 2>/dev/null || \
	  cp -f "$$file" '$(OUT)/tables/' || exit 1; done
	$(TOOL) gen --quiet --web --tables '$(OUT)/tables'
endif

.PHONY: static-site

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
