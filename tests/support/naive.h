/* naive.h - solves three men in the simplest way, to check the probe library. It uses the rules
 * (core/chess/movegen.h) and nothing of gen/ or probe/. It goes through every position of the full
 * board again and again until nothing changes. A material has two kings and one more man. */
#ifndef TREB_TESTS_SUPPORT_NAIVE_H
#define TREB_TESTS_SUPPORT_NAIVE_H

#include "core/chess/movegen.h"
#include "core/format/table.h"

typedef struct NaiveValue {
    bool legal;
    uint8_t verdict;
    uint8_t captured;        /* 1 + the best verdict that a capture leads to; 0 without captures */
    uint8_t completed;       /* likewise, of captures and promotions to a queen */
    bool dtz_free, dtc_free; /* cells that no probe reads */
    /* A win in which a capture or a promotion to a queen mates as fast as any other move. */
    bool dtm_loose;
    uint16_t plies[TREB_METRICS];
} NaiveValue;

typedef struct Naive Naive;

/* Solves a material such as "KQvK". KPvK solves KQvK and KRvK first, and owns them. */
Naive *naive_solve(const char *material);
void naive_free(Naive *naive);

/* Returns the table of KQvK or KRvK that a pawn of KPvK promotes into. Owned by `naive`. */
const Naive *naive_promoted(const Naive *naive, int type);

const Material *naive_material(const Naive *naive);

/* Returns the value of a position. White must have the third man. */
const NaiveValue *naive_value(const Naive *naive, const treb_position *pos);

typedef struct NaiveLayout {
    unsigned per_byte; /* cells in a byte of a WDL table */
    unsigned block_bits;
    int side;             /* the side that distance tables store */
    bool wide;            /* distance tables have two bytes for each cell */
    bool scramble;        /* fill cells that the format leaves open with any allowed value */
    unsigned block_bytes; /* bytes of a block with codec symbols; 0: codec zstd */
    bool bounds; /* verdicts and mate distances are bounds: with `scramble` verdicts, and always loose
                    wins, get any allowed value */
} NaiveLayout;

/* Writes one table. Returns false on failure. */
bool naive_write(const Naive *naive, const char *directory, treb_metric metric,
                 const NaiveLayout *layout);

/* Writes a table whose cells are the given bytes. A side that is not stored has NULL. */
bool naive_write_bytes(const char *directory, const TableHeader *header, uint8_t *const data[2]);

#endif
