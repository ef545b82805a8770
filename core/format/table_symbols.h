/* table_symbols.h - the cells of a table file with codec symbols. Private to
 * core/format/table_*.c. */
#ifndef TREB_CORE_FORMAT_TABLE_SYMBOLS_H
#define TREB_CORE_FORMAT_TABLE_SYMBOLS_H

#include "core/format/table_format.h"

/* The cells of one side. */
typedef struct SymbolsSide {
    Code *code;
    unsigned codes;
    unsigned bits; /* bits of a value */
    uint64_t cells;
    uint64_t first_page, pages;
    const uint8_t *first; /* by page: its first cell and the number of its code */
    uint32_t *step;       /* for each 2^step_bits cells: the page of the first of them */
    unsigned step_bits;
    bool profiles;  /* it has profiles of cells (table_profile.h), not cells */
    unsigned blocks, block_bytes, words; /* of a page: number of blocks, bytes of a block, offset
                                            of the first block */
} SymbolsSide;

typedef struct Symbols {
    Mapped map; /* the file, if it is mapped */
    TableFile *
        unmapped; /* the file, not owned, if it is not mapped: that of a source, or a large one in a program
                              * of 32 bits. NULL: it is mapped */
    const TablePages *pages; /* cache for its pages; NULL: none */
    uint64_t end;            /* offset in the file where the pages end */
    _Atomic(uint8_t) *good;  /* by page: 1 if its checksum was found right */
    const char *path;        /* for messages; not owned */
    SymbolsSide side[2];
} Symbols;

/* Maps the file, unless it is a source's, and makes its codes ready for reading. */
treb_status symbols_open(Symbols *symbols, const TableHeader *header, const FormatLayout *layout,
                         TableFile *file, const char *path, treb_error *error);
void symbols_close(Symbols *symbols);

/* Returns the page of the file that holds a cell; an empty run for a side without pages. */
MappedBytes symbols_page(const Symbols *symbols, int side, uint64_t cell);

/* See table_bring. */
treb_status symbols_bring(const Symbols *symbols, TableWait wait, MappedBytes page,
                          treb_error *error);

/* Checks a page of a side. */
treb_status symbols_check(const Symbols *symbols, TableWait wait, int side, uint64_t page,
                          treb_error *error);

/* Copies a checked page of a side; what it lacks to its size is zero. *code gets the number of the
 * code of its cells. */
treb_status symbols_read_page(const Symbols *symbols, int side, uint64_t page,
                              uint8_t out[TABLE_PAGE_SIZE], unsigned *code, treb_error *error);

/* See table_read_cell. */
int symbols_cell(const Symbols *symbols, TableWait wait, int side, uint64_t cell, CodeMemo *memo,
                 treb_error *error);

/* See table_read_own_profile. */
int symbols_own_profile(const Symbols *symbols, TableWait wait, uint64_t cell, const TableProfileClass *of,
                        unsigned short_by, treb_error *error);

/* Writes the codes of `count` cells from `cell` on as bytes: several codes share a byte, the first
 * in its lowest bits, or one code takes two bytes. Unused bits of the last byte are 0. */
treb_status symbols_pack(const Symbols *symbols, TableWait wait, int side, uint64_t cell,
                         uint64_t count, uint8_t *out, treb_error *error);

#endif
