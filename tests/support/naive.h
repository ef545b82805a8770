/* naive.h - three men solved the plain way, to judge the probe library by.
 *
 * Knows the rules (core/movegen) and nothing of gen/ or probe/: every position of the full board
 * is looked at again and again until nothing changes. Materials of two kings and one more man. */
#ifndef TREB_TESTS_NAIVE_H
#define TREB_TESTS_NAIVE_H

#include "core/chess/movegen.h"
#include "core/format/table.h"

typedef struct NaiveValue {
    bool legal;
    uint8_t verdict;
    uint8_t captured;        /* 1 + the best verdict that a capture leads to; 0 without captures */
    bool dtz_free, dtc_free; /* cells that a probe has no need of */
    bool dtm_loose;          /* a win that a capture or queen promotion makes as soon as any move */
    uint16_t plies[TREB_METRICS];
} NaiveValue;

typedef struct Naive Naive;

/* "KQvK", ...; KPvK solves KQvK and KRvK on its way and owns them. */
Naive *naive_solve(const char *material);
void naive_free(Naive *naive);

/* What a pawn of KPvK becomes: KQvK or KRvK, by type. Owned by `naive`. */
const Naive *naive_promoted(const Naive *naive, int type);

const Material *naive_material(const Naive *naive);

/* The value of a position of that material, White having the more. */
const NaiveValue *naive_value(const Naive *naive, const treb_position *pos);

typedef struct NaiveLayout {
    unsigned per_byte; /* of WDL tables */
    unsigned block_bits;
    int side;             /* the one that distance tables store */
    bool wide;            /* distance tables with two bytes a cell */
    bool scramble;        /* put anything that is allowed into cells that need not be right */
    unsigned block_bytes; /* codec symbols, with such blocks of words; 0: codec zstd */
    bool bounds;          /* mate distances as bounds: of loose wins any that is allowed */
} NaiveLayout;

/* Writes one table; false on failure. */
bool naive_write(const Naive *naive, const char *directory, treb_metric metric,
                 const NaiveLayout *layout);

/* Writes a table whose cells are the given bytes: sides not stored have none. */
bool naive_write_bytes(const char *directory, const TableHeader *header, uint8_t *const data[2]);

#endif
