/* bounded.h - turns tables of mate distances into tables of bounds. A cell is replaced if a
 * capture, or the promotion of the last pawn, gives the position's distance. The new value is one
 * that the format allows: at least the distance of a win, at most that of a loss. The code follows
 * docs/format.md. It uses the library only to read tables with distances. Each test program
 * includes this file once. */
#ifndef TREB_TESTS_SUPPORT_BOUNDED_H
#define TREB_TESTS_SUPPORT_BOUNDED_H

#include <stdlib.h>
#include <string.h>

#include "core/chess/movegen.h"
#include "core/system/hash.h"
#include "tests/support/naive.h"
#include "tests/support/symbols.h"

typedef struct BoundedCell {
    uint16_t plies, bound; /* the distance; the value to write */
    uint8_t verdict;
    bool known; /* a legal position that is not drawn */
    bool loose; /* a capture or the promotion of a last pawn gives the distance */
} BoundedCell;

typedef struct Bounded {
    TableHeader header;
    BoundedCell *cell[2]; /* by side; NULL: not stored */
    uint64_t loose[2];    /* number of wins and of losses whose cells are loose */
    uint64_t failures;    /* number of positions for which the tables have no answer */
} Bounded;

typedef enum BoundedFill { BOUNDED_RANDOM, BOUNDED_EXTREME } BoundedFill;

static inline uint32_t bounded_mix(uint64_t x)
{
    x = (x ^ x >> 30) * HASH_FACTOR_2;
    x = (x ^ x >> 27) * HASH_FACTOR_3;
    return (uint32_t)(x >> 32);
}

/* ---- Cells ----------------------------------------------------------------------------------- */

/* Returns 1 if a capture, or a promotion of the last pawn to a queen, gives the distance; 0 if not;
 * -1 if a table is missing. */
static inline int bounded_loose(const treb_tables *from, const treb_position *pos,
                                const treb_distance *value)
{
    Move moves[MOVES_MAX];
    int count = movegen_legal(pos, moves);
    for (int i = 0; i < count; i++) {
        treb_position child;
        treb_distance after;
        bool queen = move_promo(moves[i]) == TREB_QUEEN &&
                     bit_count(position_men_of(pos, pos->turn, TREB_PAWN)) == 1;
        if (!queen && !move_is_capture(pos, moves[i])) continue;
        position_make(pos, moves[i], &child);
        if (treb_probe_dtm(from, &child, &after, NULL) != TREB_OK) return -1;
        bool lost = after.wdl<TREB_DRAW, won = after.wdl> TREB_DRAW;
        if ((value->wdl > TREB_DRAW ? lost : won) && after.plies + 1 == value->plies) return 1;
    }
    return 0;
}

/* Returns a value that the format allows in place of the distance. */
static inline unsigned bounded_other(const TableSide *side, const BoundedCell *cell,
                                     BoundedFill fill, uint32_t random)
{
    bool win = cell->verdict > TREB_DRAW;
    unsigned longest = side->longest[cell->verdict];
    if (!win) return fill == BOUNDED_EXTREME ? 0 : random % (cell->plies / 2u + 1) * 2;
    unsigned steps = (longest - cell->plies) / 2;
    return cell->plies + 2 * (fill == BOUNDED_EXTREME ? steps : random % (steps + 1));
}

static inline int bounded_cell(const treb_tables *from, const Bounded *b, int side, uint64_t cell,
                               BoundedFill fill)
{
    IndexMen men;
    treb_position pos;
    treb_distance value;
    BoundedCell *out = &b->cell[side][cell];
    if (!index_to_men(&b->header.index, cell, &men)) return 0;
    index_men_to_position(&b->header.index, &men, side, &pos);
    if (position_check(&pos, NULL) != TREB_OK) return 0;
    if (treb_probe_dtm(from, &pos, &value, NULL) != TREB_OK) return -1;
    if (value.wdl == TREB_DRAW) return 0;
    int loose = bounded_loose(from, &pos, &value);
    if (loose < 0) return -1;
    *out = (BoundedCell){.plies = (uint16_t)value.plies,
                         .bound = (uint16_t)value.plies,
                         .verdict = (uint8_t)value.wdl,
                         .known = true,
                         .loose = loose};
    uint32_t random = bounded_mix(cell * 2 + (unsigned)side);
    if (loose) out->bound = (uint16_t)bounded_other(&b->header.side[side], out, fill, random);
    return loose;
}

static inline void bounded_fill(const treb_tables *from, Bounded *b, int side, BoundedFill fill)
{
    uint64_t wins = 0, losses = 0, failures = 0, size = b->header.index.size;
#pragma omp parallel for schedule(dynamic, 4096) reduction(+ : wins, losses, failures)
    for (uint64_t cell = 0; cell < size; cell++) {
        int loose = bounded_cell(from, b, side, cell, fill);
        failures += loose < 0;
        wins += loose > 0 && b->cell[side][cell].verdict > TREB_DRAW;
        losses += loose > 0 && b->cell[side][cell].verdict < TREB_DRAW;
    }
    b->loose[0] += wins;
    b->loose[1] += losses;
    b->failures += failures;
}

/* ---- Headers --------------------------------------------------------------------------------- */

/* Sets the header of a side. Its cells may have every distance up to the longest. */
static inline void bounded_side(const TableSide *from, bool stored, TableSide *to)
{
    memcpy(to->count, from->count, sizeof to->count);
    memcpy(to->longest, from->longest, sizeof to->longest);
    memcpy(to->longest_fen, from->longest_fen, sizeof to->longest_fen);
    to->stored = stored;
    for (int v = 0; v < WDL_VALUES; v++) {
        if (from->histogram[v] == NULL) continue;
        size_t entries = (size_t)from->longest[v] + 1;
        to->histogram[v] = malloc(entries * sizeof *to->histogram[v]);
        memcpy(to->histogram[v], from->histogram[v], entries * sizeof *to->histogram[v]);
        if (!stored) continue;
        to->codes[v] = (uint16_t)entries;
        to->plies[v] = malloc(entries * sizeof *to->plies[v]);
        for (size_t c = 0; c < entries; c++) to->plies[v][c] = (uint16_t)c;
    }
}

/* Creates a table without cells. `stored` has a bit for each stored side. The counts come from
 * `like`. */
static inline Bounded *bounded_empty(const TableHeader *like, unsigned stored, TableCodec codec)
{
    Bounded *b = calloc(1, sizeof *b);
    b->header = (TableHeader){.metric = TREB_DTM,
                              .pad = 1,
                              .codec = codec,
                              .per_byte = 1,
                              .width = 1,
                              .block_bits = 12,
                              .bounds = true};
    const Material *material = &like->index.material;
    if (codec == TABLE_SYMBOLS)
        index_init_square_colors(&b->header.index, material, NULL);
    else
        index_init(&b->header.index, material, NULL, 1);
    for (int s = 0; s < 2; s++) {
        bounded_side(&like->side[s], stored >> s & 1, &b->header.side[s]);
        b->header.side[s].index = b->header.index;
        b->header.side[s].code.block_bytes = 64;
        if (stored >> s & 1) b->cell[s] = calloc(b->header.index.size, sizeof *b->cell[s]);
    }
    return b;
}

/* Creates the table from a set whose DTM file has the header `like`. */
static inline Bounded *bounded_make(const treb_tables *from, const TableHeader *like,
                                    unsigned stored, TableCodec codec, BoundedFill fill)
{
    Bounded *b = bounded_empty(like, stored, codec);
    for (int s = 0; s < 2; s++)
        if (b->cell[s] != NULL) bounded_fill(from, b, s, fill);
    return b;
}

/* Copies the sides `stored` (bits) of a table. */
static inline Bounded *bounded_copy(const Bounded *from, unsigned stored)
{
    Bounded *b = bounded_empty(&from->header, stored, from->header.codec);
    for (int s = 0; s < 2; s++)
        if (b->cell[s] != NULL)
            memcpy(b->cell[s], from->cell[s], b->header.index.size * sizeof *b->cell[s]);
    return b;
}

static inline void bounded_free(Bounded *b)
{
    for (int s = 0; s < 2; s++) free(b->cell[s]);
    table_header_free(&b->header);
    free(b);
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* Writes the table; distances must be below 256. Returns false on failure. */
static inline bool bounded_write(Bounded *b, const char *directory)
{
    uint8_t *data[2] = {NULL, NULL};
    treb_error error;
    for (int s = 0; s < 2; s++) {
        if (b->cell[s] == NULL) continue;
        data[s] = calloc(1, table_side_bytes(&b->header));
        for (uint64_t cell = 0; cell < b->header.index.size; cell++)
            data[s][cell] = (uint8_t)b->cell[s][cell].bound;
    }
    bool good = b->header.codec == TABLE_SYMBOLS
                    ? symbols_write(directory, &b->header, data, NULL, &error) == TREB_OK
                    : naive_write_bytes(directory, &b->header, data);
    for (int s = 0; s < 2; s++) free(data[s]);
    return good;
}

#endif
