/* set.h - a set of tables: which files there are, and the way from a position to its file.
 * Private to probe/. */
#ifndef TREB_PROBE_SET_H
#define TREB_PROBE_SET_H

#include "core/position.h"
#include "probe/file.h"

/* One material of which something is known. */
typedef struct SetEntry {
    Material material;             /* canonical */
    bool symmetric;                /* the same men on both sides: files hold White to move only */
    bool drawn;                    /* too little to mate: no table is needed */
    ProbeFile *file[TREB_METRICS]; /* NULL where not installed */
} SetEntry;

/* A place of the hash table from keys to materials. */
typedef struct SetPlace {
    uint64_t key;
    const SetEntry *entry; /* NULL: empty */
    bool swapped;          /* the position's White is the table's Black */
} SetPlace;

struct treb_tables {
    ProbePool pool;
    ProbeFile *files;
    size_t file_count;
    SetEntry *entries;
    size_t entry_count;
    SetPlace *places;
    unsigned shift; /* a hash's top 64 - shift bits are its place */
    size_t mask;
};

/* The number of men of each kind but kings, four bits each. */
static inline uint64_t set_unit(int color, int type)
{
    return UINT64_C(1) << (20 * color + 4 * type);
}

static inline uint64_t set_key_of_material(const Material *m)
{
    uint64_t key = 0;
    for (int color = 0; color < 2; color++)
        for (int type = TREB_PAWN; type < TREB_KING; type++)
            key += m->count[color][type] * set_unit(color, type);
    return key;
}

/* At most TREB_MEN_MAX men. Man by man, as generic processors count bits slowly. */
static inline uint64_t set_key(const treb_position *pos)
{
    uint64_t key = 0, black = pos->by_color[TREB_BLACK];
    uint64_t men = (pos->by_color[TREB_WHITE] | black) & ~pos->by_type[TREB_KING];
    uint64_t odd = pos->by_type[TREB_KNIGHT] | pos->by_type[TREB_ROOK];
    uint64_t two = pos->by_type[TREB_BISHOP] | pos->by_type[TREB_ROOK];
    uint64_t queens = pos->by_type[TREB_QUEEN];
    while (men) {
        int sq = bit_pop(&men);
        unsigned type = (odd >> sq & 1) | (two >> sq & 1) << 1 | (queens >> sq & 1) << 2;
        key += UINT64_C(1) << (20 * (black >> sq & 1) + 4 * type);
    }
    return key;
}

static inline size_t set_hash(const treb_tables *set, uint64_t key)
{
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> set->shift);
}

/* The material of a position, or a place whose entry is NULL if nothing is known of it. */
static inline const SetPlace *set_find(const treb_tables *set, const treb_position *pos)
{
    uint64_t key = set_key(pos);
    size_t at = set_hash(set, key);
    while (set->places[at].entry != NULL && set->places[at].key != key) at = (at + 1) & set->mask;
    return &set->places[at];
}

/* The position as the tables of `place` see it: itself, or written to `room`. */
static inline const treb_position *set_orient(const SetPlace *place, const treb_position *pos,
                                              treb_position *room)
{
    if (!place->swapped && !(place->entry->symmetric && pos->turn == TREB_BLACK)) return pos;
    position_swap_colors(pos, room);
    return room;
}

/* "KRPvKR.dtz.treb is not installed"; returns minus TREB_ERR_NO_TABLE. */
int set_missing(const treb_position *pos, treb_metric metric, treb_error *error);

#endif
