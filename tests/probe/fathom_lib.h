/* fathom_lib.h - a libfathom that a test loads itself: Debian's, the drop-in, or both side by side.
 * Positions are of our own type. The tests that include this file use Debian's header. */
#ifndef TREB_TESTS_FATHOM_LIB_H
#define TREB_TESTS_FATHOM_LIB_H

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <tbprobe.h>

#include "trebuchet.h"

typedef struct FathomLib {
    void *handle;
    unsigned *largest;
    __typeof__(tb_init) *init;
    __typeof__(tb_probe_wdl_impl) *wdl;
    __typeof__(tb_probe_root_impl) *root;
    __typeof__(tb_probe_root_dtz) *root_dtz;
    __typeof__(tb_probe_root_wdl) *root_wdl;
} FathomLib;

/* ISO C cannot convert the address of an object to that of a function. POSIX guarantees that it
 * works. */
static inline bool fathom_symbol(const FathomLib *lib, const char *name, void *out)
{
    void *address = dlsym(lib->handle, name);
    memcpy(out, &address, sizeof address);
    if (address == NULL) fprintf(stderr, "%s\n", dlerror());
    return address != NULL;
}

/* Loads the library with local symbols, so that two libraries do not share variables. */
static inline bool fathom_load(FathomLib *lib, const char *path)
{
    lib->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (lib->handle == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return false;
    }
    return fathom_symbol(lib, "TB_LARGEST", &lib->largest) &&
           fathom_symbol(lib, "tb_init", &lib->init) &&
           fathom_symbol(lib, "tb_probe_wdl_impl", &lib->wdl) &&
           fathom_symbol(lib, "tb_probe_root_impl", &lib->root) &&
           fathom_symbol(lib, "tb_probe_root_dtz", &lib->root_dtz) &&
           fathom_symbol(lib, "tb_probe_root_wdl", &lib->root_wdl);
}

#define FATHOM_BOARDS(pos)                                                                         \
    (pos)->by_color[0], (pos)->by_color[1], (pos)->by_type[TREB_KING], (pos)->by_type[TREB_QUEEN], \
        (pos)->by_type[TREB_ROOK], (pos)->by_type[TREB_BISHOP], (pos)->by_type[TREB_KNIGHT],       \
        (pos)->by_type[TREB_PAWN]

static inline unsigned fathom_wdl(const FathomLib *lib, const treb_position *pos)
{
    return lib->wdl(FATHOM_BOARDS(pos), pos->ep, pos->turn == TREB_WHITE);
}

/* Probes the root with the position's clock. */
static inline unsigned fathom_root(const FathomLib *lib, const treb_position *pos,
                                   unsigned *results)
{
    return lib->root(FATHOM_BOARDS(pos), pos->halfmove, pos->ep, pos->turn == TREB_WHITE, results);
}

static inline int fathom_root_dtz(const FathomLib *lib, const treb_position *pos, bool repeated,
                                  bool rule50, struct TbRootMoves *out)
{
    return lib->root_dtz(FATHOM_BOARDS(pos), pos->halfmove, 0, pos->ep, pos->turn == TREB_WHITE,
                         repeated, rule50, out);
}

static inline int fathom_root_wdl(const FathomLib *lib, const treb_position *pos, bool rule50,
                                  struct TbRootMoves *out)
{
    return lib->root_wdl(FATHOM_BOARDS(pos), pos->halfmove, 0, pos->ep, pos->turn == TREB_WHITE,
                         rule50, out);
}

#endif
