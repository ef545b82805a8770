# npm.mk - the npm package `trebuchet`: the library as WebAssembly. Part of the Makefile.

#: The browser
#:   make npm        build the npm package into @BUILD@/npm/ and pack it: @BUILD@/npm/trebuchet-VERSION.tgz
#:                   (needs clang, lld and wasi-libc: .ci/deps npm)

# clang's target for WebAssembly with wasi-libc: a hundredth of what emscripten takes to install. What the library asks of the
# system it gets from probe/npm/exports_system.c.
WASM_CC ?= clang
WASM_OBJ := $(BUILD)/wasm
WASM_SOURCES := $(filter-out %_posix.c %_windows.c,$(CORE)) $(PROBE) $(wildcard probe/npm/*.c)
WASM_OBJECTS := $(WASM_SOURCES:%.c=$(WASM_OBJ)/%.o)
WASM_FLAGS ?= -O2
WASM_FEATURES := -DTREB_ZSTD=0 -DTREB_SOLVED=0 -DTREB_HTTP=0 -DTREB_CACHE_SEGMENT_BITS=6
WASM_INCLUDE ?= /usr/include/wasm32-wasi
WASM := $(WASM_OBJ)/trebuchet.wasm
NPM := $(BUILD)/npm/package
NPM_SOURCES := $(wildcard probe/npm/*.mjs probe/npm/*.ts) probe/npm/package.json probe/npm/README.md

$(WASM_OBJ)/%.o: %.c probe/npm/npm.mk
	@mkdir -p $(@D)
	$(WASM_CC) --target=wasm32-wasi -std=c11 -D_GNU_SOURCE -DNDEBUG $(WASM_FEATURES) $(WARNINGS) \
	  -Wno-missing-field-initializers -MMD -MP $(WASM_FLAGS) -flto -isystem $(WASM_INCLUDE) -I. -Iinclude -c $< -o $@

$(WASM): $(WASM_OBJECTS)
	$(WASM_CC) --target=wasm32-wasi $(WASM_FLAGS) -flto -mexec-model=reactor -Wl,-z,stack-size=262144 -Wl,--strip-all -o $@ $^

# The three-man tables come with the package.
$(WASM_OBJ)/tables/KPvK.dtm.treb: | $(TOOL)
	$(TOOL) gen --quiet --men 3 --tables $(@D)

npm: $(WASM) $(WASM_OBJ)/tables/KPvK.dtm.treb $(NPM_SOURCES) LICENSE
	rm -rf $(BUILD)/npm
	node probe/npm/build.mjs $(WASM) $(WASM_OBJ)/tables $(NPM)
	cd $(BUILD)/npm && npm pack --silent ./package

.PHONY: npm
