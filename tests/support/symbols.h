/* symbols.h - writes table files with codec symbols in the simplest way. The code has symbols for
 * single values, runs and a few pairs, with words by Huffman's rule. It is independent of
 * gen/compress. It does not need the library Check: functions return false or NULL on any
 * failure. */
#ifndef TREB_TESTS_SUPPORT_SYMBOLS_H
#define TREB_TESTS_SUPPORT_SYMBOLS_H

#include <stdlib.h>
#include <string.h>

#include "core/format/table.h"

enum {
    SYMBOLS_VALUES = 4096, /* cells are below this number */
    SYMBOLS_RUNS = 8,      /* symbols for a value twice, four times, ... 256 times */
    SYMBOLS_MIXED = 24,    /* symbols for two different values, and for three */
    SYMBOLS_MOST = SYMBOLS_VALUES + 64 * SYMBOLS_RUNS + 2 * SYMBOLS_MIXED,
    SYMBOLS_BLOCK_CELLS = 65535,
    SYMBOLS_STRETCHES = 3 /* number of runs of cells for each code */
};

typedef struct SymbolsCode {
    unsigned count;
    uint16_t left[SYMBOLS_MOST], right[SYMBOLS_MOST]; /* for a leaf: its value, and CODE_LEAF */
    uint16_t values[SYMBOLS_MOST];                    /* number of values */
    uint64_t often[SYMBOLS_MOST];
    unsigned length[SYMBOLS_MOST];
    uint32_t word[SYMBOLS_MOST];
    uint16_t number[SYMBOLS_MOST]; /* number of the symbol in the file */
    uint16_t of_number[SYMBOLS_MOST];
    uint16_t leaf[SYMBOLS_VALUES]; /* for each value, 1 + its symbol; 0: none */
    uint16_t first_run[64];        /* for each small value, the symbol for two of it; 0: none */
    uint16_t mixed[2 * SYMBOLS_MIXED];
    unsigned mixed_count;
} SymbolsCode;

/* The cells to code. */
typedef struct SymbolsCells {
    uint16_t *cell;
    uint64_t size;
} SymbolsCells;

/* ---- Symbols --------------------------------------------------------------------------------- */

static inline uint16_t symbols_new(SymbolsCode *code, unsigned left, unsigned right)
{
    uint16_t symbol = (uint16_t)code->count++;
    bool leaf = right == CODE_LEAF;
    code->left[symbol] = (uint16_t)left;
    code->right[symbol] = (uint16_t)right;
    code->values[symbol] = (uint16_t)(leaf ? 1 : code->values[left] + code->values[right]);
    return symbol;
}

static inline bool symbols_make(SymbolsCode *code, SymbolsCells cells)
{
    memset(code, 0, sizeof *code);
    for (uint64_t i = 0; i < cells.size; i++) {
        unsigned value = cells.cell[i];
        if (value >= SYMBOLS_VALUES) return false;
        if (code->leaf[value] == 0)
            code->leaf[value] = (uint16_t)(1 + symbols_new(code, value, CODE_LEAF));
    }
    for (unsigned value = 0; value < 64; value++) {
        if (code->leaf[value] == 0) continue;
        unsigned half = code->leaf[value] - 1u;
        code->first_run[value] = (uint16_t)code->count;
        for (int i = 0; i < SYMBOLS_RUNS; i++) half = symbols_new(code, half, half);
    }
    for (uint64_t i = 0; i + 1 < cells.size && code->mixed_count < 2 * SYMBOLS_MIXED; i += 61) {
        unsigned a = cells.cell[i], b = cells.cell[i + 1];
        if (a == b) continue;
        uint16_t two = symbols_new(code, code->leaf[a] - 1u, code->leaf[b] - 1u);
        code->mixed[code->mixed_count++] = symbols_new(code, code->leaf[b] - 1u, two);
        code->mixed[code->mixed_count++] = two;
    }
    return true;
}

/* Returns whether the values of a symbol equal the next cells. `left` cells are left; values beyond
 * them do not count. */
static inline bool symbols_fit(const SymbolsCode *code, unsigned symbol, const uint16_t *cell,
                               uint64_t left)
{
    if (left == 0) return true;
    if (code->right[symbol] == CODE_LEAF) return code->left[symbol] == cell[0];
    unsigned first = code->values[code->left[symbol]];
    if (!symbols_fit(code, code->left[symbol], cell, left)) return false;
    return first >= left || symbols_fit(code, code->right[symbol], cell + first, left - first);
}

/* Returns the symbol for the next cells. */
static inline unsigned symbols_next(const SymbolsCode *code, const uint16_t *cell, uint64_t left)
{
    unsigned run = cell[0] < 64 ? code->first_run[cell[0]] : 0;
    for (unsigned i = SYMBOLS_RUNS; run > 0 && i-- > 0;)
        if (symbols_fit(code, run + i, cell, left)) return run + i;
    for (unsigned i = 0; i < code->mixed_count; i++)
        if (symbols_fit(code, code->mixed[i], cell, left)) return code->mixed[i];
    return code->leaf[cell[0]] - 1u;
}

/* ---- Words ----------------------------------------------------------------------------------- */

/* A node of Huffman's tree. */
typedef struct SymbolsNode {
    uint64_t weight;
    unsigned symbol, parent; /* number of its parent; 0: none yet */
} SymbolsNode;

static inline int symbols_rarer(const void *a, const void *b)
{
    const SymbolsNode *x = a, *y = b;
    if (x->weight != y->weight) return x->weight < y->weight ? -1 : 1;
    return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

/* Computes lengths by Huffman's rule: joins the two rarest nodes until one is left. The sorted
 * leaves come first. Their parents come after them, and are made in ascending order. */
static inline bool symbols_lengths(SymbolsCode *code)
{
    unsigned n = code->count, leaf = 0, inner = n;
    SymbolsNode *node = calloc(2 * (size_t)n, sizeof *node);
    if (node == NULL) return false;
    for (unsigned i = 0; i < n; i++) node[i] = (SymbolsNode){code->often[i] + 1, i, 0};
    qsort(node, n, sizeof *node, symbols_rarer);
    for (unsigned made = n; made < 2 * n - 1; made++)
        for (int k = 0; k < 2; k++) {
            bool old = leaf < n && (inner == made || node[leaf].weight <= node[inner].weight);
            SymbolsNode *rare = &node[old ? leaf++ : inner++];
            rare->parent = made;
            node[made].weight += rare->weight;
        }
    bool good = true;
    for (unsigned i = 0; i < n; i++) {
        unsigned length = n == 1;
        for (unsigned at = i; node[at].parent != 0; at = node[at].parent) length++;
        code->length[node[i].symbol] = length;
        good &= length <= CODE_WORD_MAX;
    }
    free(node);
    return good;
}

/* Assigns canonical words. Those of the longest length start at 0, and the shorter ones follow. */
static inline void symbols_words(SymbolsCode *code)
{
    uint16_t number = 0;
    uint32_t word = 0;
    for (unsigned length = CODE_WORD_MAX; length > 0; length--) {
        for (unsigned i = 0; i < code->count; i++) {
            if (code->length[i] != length) continue;
            code->word[i] = word++;
            code->of_number[number] = (uint16_t)i;
            code->number[i] = number++;
        }
        word /= 2;
    }
}

static inline void symbols_put16(uint8_t *at, unsigned value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

/* Returns the bytes of the code in the header; NULL without memory. */
static inline uint8_t *symbols_bytes(const SymbolsCode *code, size_t *size)
{
    unsigned shortest = code->length[code->of_number[code->count - 1]];
    unsigned longest = code->length[code->of_number[0]];
    uint8_t *bytes = malloc(4 + 2 * (size_t)(longest - shortest + 1) + 4 * (size_t)code->count);
    if (bytes == NULL) return NULL;
    bytes[0] = (uint8_t)shortest;
    bytes[1] = (uint8_t)longest;
    symbols_put16(bytes + 2, code->count);
    uint8_t *at = bytes + 4;
    for (unsigned length = shortest; length <= longest; length++, at += 2) {
        unsigned first = 0;
        while (first < code->count && code->length[code->of_number[first]] > length) first++;
        symbols_put16(at, first);
    }
    for (unsigned number = 0; number < code->count; number++, at += 4) {
        unsigned symbol = code->of_number[number], right = code->right[symbol];
        bool leaf = right == CODE_LEAF;
        symbols_put16(at, leaf ? code->left[symbol] : code->number[code->left[symbol]]);
        symbols_put16(at + 2, leaf ? right : code->number[right]);
    }
    *size = (size_t)(at - bytes);
    return bytes;
}

/* Makes a code for cells. Returns NULL without memory, or if there are too many values. */
static inline SymbolsCode *symbols_learn(SymbolsCells cells)
{
    SymbolsCode *code = malloc(sizeof *code);
    if (code == NULL) return NULL;
    bool good = symbols_make(code, cells);
    for (uint64_t at = 0; good && at < cells.size;) {
        unsigned symbol = symbols_next(code, cells.cell + at, cells.size - at);
        code->often[symbol]++;
        at += code->values[symbol];
    }
    if (good && symbols_lengths(code)) {
        symbols_words(code);
        return code;
    }
    free(code);
    return NULL;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* Fills a block with words, highest bits first. Returns how many of the `left` cells fit. */
static inline unsigned symbols_block(const SymbolsCode *code, const uint16_t *cell, uint64_t left,
                                     unsigned block_bytes, uint8_t *out)
{
    unsigned cells = 0, bits = 0;
    memset(out, 0, block_bytes);
    if (left > SYMBOLS_BLOCK_CELLS) left = SYMBOLS_BLOCK_CELLS;
    while (cells < left) {
        unsigned symbol = symbols_next(code, cell + cells, left - cells);
        if (bits + code->length[symbol] > 8 * block_bytes) break;
        for (unsigned b = code->length[symbol]; b-- > 0; bits++)
            out[bits / 8] |= (uint8_t)((code->word[symbol] >> b & 1) << (7 - bits % 8));
        cells += code->values[symbol];
    }
    return cells < left ? cells : (unsigned)left;
}

/* Adds cells of a side, coded with its code of this number. */
static inline treb_status symbols_add(TableWriter *writer, int side, unsigned number,
                                      const SymbolsCode *code, SymbolsCells cells,
                                      unsigned block_bytes, treb_error *error)
{
    uint8_t block[TABLE_PAGE_SIZE];
    treb_status status = TREB_OK;
    for (uint64_t at = 0; status == TREB_OK && at < cells.size;) {
        unsigned got = symbols_block(code, cells.cell + at, cells.size - at, block_bytes, block);
        status = table_writer_add_words(writer, side, number, block, got, error);
        at += got;
    }
    return status;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Unpacks the cells of a side from bytes in the form of table_read_block. */
static inline bool symbols_unpack(const TableHeader *header, const uint8_t *bytes,
                                  SymbolsCells *out)
{
    out->size = header->index.size;
    out->cell = malloc((size_t)out->size * sizeof *out->cell);
    for (uint64_t i = 0; out->cell != NULL && i < out->size; i++) {
        if (header->width == 2) {
            out->cell[i] = (uint16_t)(bytes[2 * i] | bytes[2 * i + 1] << 8);
            continue;
        }
        unsigned bits = 8 / header->per_byte, shift = (unsigned)(i % header->per_byte) * bits;
        out->cell[i] = (uint16_t)(bytes[i / header->per_byte] >> shift & ((1u << bits) - 1));
    }
    return out->cell != NULL;
}

static inline bool symbols_constant(SymbolsCells cells)
{
    for (uint64_t i = 1; i < cells.size; i++)
        if (cells.cell[i] != cells.cell[0]) return false;
    return true;
}

/* Returns one run of a side's cells. The codes of the side take turns, and each has
 * SYMBOLS_STRETCHES runs. */
static inline SymbolsCells symbols_stretch(SymbolsCells all, unsigned codes, unsigned number)
{
    uint64_t parts = (uint64_t)SYMBOLS_STRETCHES * codes, first = all.size * number / parts;
    return (SymbolsCells){all.cell + first, all.size * (number + 1) / parts - first};
}

/* Makes code number `number` of `codes`. */
static inline SymbolsCode *symbols_learn_one(SymbolsCells all, unsigned codes, unsigned number)
{
    SymbolsCells own = {malloc((size_t)all.size * sizeof *own.cell), 0};
    if (own.cell == NULL) return NULL;
    for (unsigned i = number; i < SYMBOLS_STRETCHES * codes; i += codes) {
        SymbolsCells part = symbols_stretch(all, codes, i);
        memcpy(own.cell + own.size, part.cell, (size_t)part.size * sizeof *part.cell);
        own.size += part.size;
    }
    SymbolsCode *code = symbols_learn(own);
    free(own.cell);
    return code;
}

/* Appends a code to the codes of a side. */
static inline bool symbols_append(TableCode *to, const SymbolsCode *code)
{
    size_t size = 0;
    uint8_t *own = symbols_bytes(code, &size);
    uint8_t *all = own != NULL ? realloc(to->bytes, to->size + size) : NULL;
    if (all != NULL) {
        to->bytes = all;
        memcpy(all + to->size, own, size);
        to->size += size;
    }
    free(own);
    return all != NULL;
}

/* Codes and writes the cells of a side. A side with only one value gets one code and no pages. */
static inline treb_status symbols_write_side(TableWriter *writer, int side, TableCode *to,
                                             SymbolsCells cells, treb_error *error)
{
    SymbolsCode *code[TABLE_SIDE_CODES] = {NULL};
    bool constant = symbols_constant(cells), good = true;
    treb_status status = TREB_OK;
    free(to->bytes);
    to->bytes = NULL;
    to->size = 0;
    if (to->count == 0 || constant) to->count = 1;
    for (unsigned c = 0; c < to->count && good; c++) {
        code[c] = symbols_learn_one(cells, to->count, c);
        good = code[c] != NULL;
        if (good && constant) {
            code[c]->count = 1; /* only the leaf */
            code[c]->number[0] = code[c]->of_number[0] = 0;
            code[c]->length[0] = 1;
        }
        good = good && symbols_append(to, code[c]);
    }
    if (!good) status = TREB_ERR_MEMORY;
    for (unsigned i = 0; i < SYMBOLS_STRETCHES * to->count && !constant && status == TREB_OK; i++)
        status = symbols_add(writer, side, i % to->count, code[i % to->count],
                             symbols_stretch(cells, to->count, i), to->block_bytes, error);
    for (unsigned c = 0; c < to->count; c++) free(code[c]);
    return status;
}

/* ---- Profiles -------------------------------------------------------------------------------- */

enum { SYMBOLS_PROFILE_MOST = 60 };

/* The profile of a cell of a DTM50 table, as numbers (docs/format.md) of less than 255. */
typedef struct SymbolsProfile {
    uint64_t cell;
    unsigned size; /* 0: there are no more */
    uint8_t number[SYMBOLS_PROFILE_MOST];
} SymbolsProfile;

/* Gives side 1 all its codes. In each the word of a number is the number, in eight bits. */
static inline bool symbols_profile_codes(TableCode *to)
{
    enum { HEAD = 6, ONE = HEAD + 4 * 256 };
    free(to->bytes);
    to->count = TABLE_SIDE_CODES;
    to->size = TABLE_SIDE_CODES * (size_t)ONE;
    to->bytes = calloc(to->size, 1);
    for (unsigned c = 0; c < TABLE_SIDE_CODES && to->bytes != NULL; c++) {
        uint8_t *at = to->bytes + c * (size_t)ONE;
        at[0] = at[1] = 8;
        symbols_put16(at + 2, 256);
        for (unsigned s = 0; s < 256; s++) {
            symbols_put16(at + HEAD + 4 * (size_t)s, s);
            symbols_put16(at + HEAD + 4 * (size_t)s + 2, CODE_LEAF);
        }
    }
    return to->bytes != NULL;
}

/* Writes the profiles of cells, which ascend. */
static inline treb_status symbols_write_profiles(TableWriter *writer, TableCode *to, const SymbolsProfile *own,
                                                 treb_error *error)
{
    uint8_t block[TABLE_PAGE_SIZE] = {0};
    unsigned used = 0;
    uint64_t first = own->cell;
    treb_status status = symbols_profile_codes(to) ? TREB_OK : TREB_ERR_MEMORY;
    for (; own->size > 0 && status == TREB_OK; own++) {
        const uint64_t gap = used > 0 ? own->cell - own[-1].cell - 1 : 0;
        if (gap >= 255 || used + 1 + own->size > to->block_bytes) {
            status = table_writer_add_profiles(writer, block, first, error);
            memset(block, 0, sizeof block);
            used = 0;
        }
        if (used > 0) block[used++] = (uint8_t)gap;
        if (used == 0) first = own->cell;
        memcpy(block + used, own->number, own->size);
        used += own->size;
    }
    return status == TREB_OK ? table_writer_add_profiles(writer, block, first, error) : status;
}

/* ---- A file ---------------------------------------------------------------------------------- */

/* Codes the bytes of the stored sides and writes the file. If side 1 has profiles, its bytes are a row of SymbolsProfile. Adds the bytes of the codes to the
 * header. The number of codes is that of the header, or 1. */
static inline treb_status symbols_write(const char *directory, TableHeader *header,
                                        uint8_t *const data[2], uint64_t *file_size,
                                        treb_error *error)
{
    TableWriter *writer = table_writer_open(directory, header, NULL, 0, error);
    treb_status status = writer != NULL ? TREB_OK : error->status;
    for (int s = 0; s < 2 && status == TREB_OK; s++) {
        SymbolsCells cells = {NULL, 0};
        if (!header->side[s].stored) continue;
        if (!table_has_cells(header, s)) {
            status = symbols_write_profiles(writer, &header->side[s].code, (const void *)data[s], error);
            continue;
        }
        status = symbols_unpack(header, data[s], &cells)
                     ? symbols_write_side(writer, s, &header->side[s].code, cells, error)
                     : TREB_ERR_MEMORY;
        free(cells.cell);
    }
    if (status == TREB_OK) return table_writer_finish(writer, header, file_size, error);
    if (writer != NULL) table_writer_abort(writer);
    return status;
}

#endif
