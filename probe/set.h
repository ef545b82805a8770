/* set.h - a set of tables: which files there are, and the way from a position to its file.
 * Private to probe/. */
#ifndef TREB_PROBE_SET_H
#define TREB_PROBE_SET_H

#include "core/chess/position.h"
#include "probe/file.h"

/* One material of which something is known. */
typedef struct SetEntry {
    Material material;             /* canonical */
    bool symmetric;                /* the same men on both sides: files hold White to move only */
    bool drawn;                    /* too little to mate: no table is needed */
    ProbeFile *file[TREB_METRICS]; /* NULL where not installed, or not needed */
} SetEntry;

/* A place of the hash table from keys to materials. */
typedef struct SetPlace {
    uint64_t key;
    const SetEntry *entry; /* NULL: empty */
    bool swapped;          /* the position's White is the table's Black */
} SetPlace;

/* A set is four of these in a row that differ in nothing but what their reader does about a disk:
 * the first is what the caller has, and set_view gives the others. All that probes goes by the one
 * that it was given. The first waits; with files that are elsewhere it waits for disks alone
 * (TABLE_NEAR), and what it lacks is gathered (probe/gather.h). */
struct treb_tables {
    ProbeReader reader; /* with the pool, the set's changing part */
    treb_format first;  /* of files in both formats this one's answers */
    ProbeFile *files;
    size_t file_count;
    SetEntry *entries;
    size_t entry_count;
    ProbeFile *solved; /* solved pawn endings */
    size_t solved_count;
    SetPlace *places;
    unsigned shift; /* a hash's top 64 - shift bits are its place */
    size_t mask;
};

/* The same set for one who does not wait for a disk (TABLE_TRY), or only has it begin
 * (TABLE_FETCH). */
enum { SET_WAITING = TABLE_NEAR /* the view that waits for whatever it lacks, in turn */ };
static inline const treb_tables *set_view(const treb_tables *tables, int wait)
{
    return tables + wait;
}

/* The number of men of each kind but kings, four bits each. */
static inline uint64_t set_unit(int color, int type)
{
    return UINT64_C(1) << (32 * color + 4 * type);
}

static inline uint64_t set_key_of_material(const Material *m)
{
    uint64_t key = 0;
    for (int color = 0; color < 2; color++)
        for (int type = TREB_PAWN; type < TREB_KING; type++)
            key += m->count[color][type] * set_unit(color, type);
    return key;
}

/* The same of men of one colour, 28 bits of it. */
static inline uint64_t set_key_of_men(const treb_position *pos, uint64_t men)
{
    const uint64_t *type = pos->by_type;
    uint64_t odd = type[TREB_KNIGHT] | type[TREB_ROOK], two = type[TREB_BISHOP] | type[TREB_ROOK];
    uint64_t key = 0;
    men &= ~type[TREB_KING];
    while (men) {
        int sq = bit_pop(&men);
        unsigned kind = type[TREB_QUEEN] >> sq & 1;
        kind = 2 * kind + (two >> sq & 1);
        kind = 2 * kind + (odd >> sq & 1);
        key += UINT64_C(1) << 4 * kind;
    }
    return key;
}

/* At most TREB_MEN_MAX men. Man by man, as generic processors count bits slowly. */
static inline uint64_t set_key(const treb_position *pos)
{
    return set_key_of_men(pos, pos->by_color[TREB_WHITE]) |
           set_key_of_men(pos, pos->by_color[TREB_BLACK]) << 32;
}

static inline size_t set_hash(const treb_tables *set, uint64_t key)
{
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> set->shift);
}

/* The place of a material, or one whose entry is NULL if nothing is known of it. */
static inline const SetPlace *set_place(const treb_tables *set, uint64_t key)
{
    size_t at = set_hash(set, key);
    while (set->places[at].entry != NULL && set->places[at].key != key) at = (at + 1) & set->mask;
    return &set->places[at];
}

static inline const SetPlace *set_find(const treb_tables *set, const treb_position *pos)
{
    return set_place(set, set_key(pos));
}

/* Whether the file of a metric is installed. */
static inline bool set_has(const SetPlace *place, treb_metric metric)
{
    return place->entry != NULL && place->entry->file[metric] != NULL;
}

/* The position as the tables of `place` see it: itself, or written to `room`. */
static inline const treb_position *set_orient(const SetPlace *place, const treb_position *pos,
                                              treb_position *room)
{
    if (!place->swapped && !(place->entry->symmetric && pos->turn == TREB_BLACK)) return pos;
    position_swap_colors(pos, room);
    return room;
}

/* treb_tables_open, with the format that answers where a material has files in both. */
treb_tables *set_open(const char *const *directories, size_t count, treb_format first,
                      treb_error *error);

/* Whether a directory is the address of one elsewhere. */
bool set_is_address(const char *directory);

/* Takes the material, metric and format from a file's name, "KRPvKR.dtz.treb" or "KRPvKR.rtbz",
 * spelt as the generator would. False if it is none. */
bool set_parse_name(const char *name, ProbeFile *out);

/* "KRPvKR.dtz.treb is not installed"; returns minus TREB_ERR_NO_TABLE. */
int set_missing(const treb_position *pos, treb_metric metric, treb_error *error);

/* "the tables of KRPvKR contradict each other"; returns minus TREB_ERR_DAMAGED. */
int set_contradicts(const treb_position *pos, treb_error *error);

#endif
