/* table_symbols.h - the cells of a table file with codec symbols. Private to core/table_*.c. */
#ifndef TREB_CORE_TABLE_SYMBOLS_H
#define TREB_CORE_TABLE_SYMBOLS_H

#include "core/format/table_format.h"

/* The cells of one side. */
typedef struct SymbolsSide {
    Code *code;
    unsigned codes;
    unsigned bits; /* of a value */
    uint64_t cells;
    uint64_t first_page, pages;
    const uint8_t *first; /* by page: its first cell and the number of its code */
    uint32_t *step;       /* for each 2^step_bits cells the page of the first of them */
    unsigned step_bits;
    unsigned blocks, block_bytes, words; /* of a page; where its words begin */
} SymbolsSide;

typedef struct Symbols {
    Mapped map;              /* of a file of this system */
    TableFile *elsewhere;    /* or one that is not, not owned; then nothing is mapped */
    const TablePages *pages; /* which keeps its pages; NULL: nobody does */
    uint64_t end;            /* where the pages end */
    _Atomic uint8_t *good;   /* by page: its checksum is right */
    const char *path;        /* for messages, not owned */
    SymbolsSide side[2];
} Symbols;

/* Maps the file, which is held, unless it is elsewhere, and makes its codes ready. */
treb_status symbols_open(Symbols *symbols, const TableHeader *header, const FormatLayout *layout,
                         TableFile *file, const char *path, treb_error *error);
void symbols_close(Symbols *symbols);

/* The page of the file that has a cell of a side with pages; none of a side without. */
MappedBytes symbols_page(const Symbols *symbols, int side, uint64_t cell);

/* table_bring. */
treb_status symbols_bring(const Symbols *symbols, TableWait wait, MappedBytes page,
                          treb_error *error);

/* Whether a page of a side is sound. */
treb_status symbols_check(const Symbols *symbols, TableWait wait, int side, uint64_t page,
                          treb_error *error);

/* The code of a cell, or minus a status. */
int symbols_cell(const Symbols *symbols, TableWait wait, int side, uint64_t cell,
                 treb_error *error);

/* The codes of some cells as bytes: several share one, the first in its lowest bits, or one takes
 * two. Those of a last byte that have no cell are 0. */
treb_status symbols_pack(const Symbols *symbols, TableWait wait, int side, uint64_t cell,
                         uint64_t count, uint8_t *out, treb_error *error);

#endif
