/* parts.h - what the files of the comparison share. Private to check/compare/.
 *
 *   open.c    the two sets, and what they have in common
 *   cases.c   counts, and the first differences
 *   search.c  distances of a side to move that a file has not
 *   compare.c all positions of a material */
#ifndef TREB_COMPARE_PARTS_H
#define TREB_COMPARE_PARTS_H

#include <stdatomic.h>

#include "check/compare/compare.h"
#include "probe/probe.h"
#include "probe/walk.h"

/* ---- Counts: cases.c ------------------------------------------------------------------------- */

/* What a thread counts. */
typedef struct Tally {
    uint64_t positions, en_passant;
    struct {
        uint64_t equal, rounded, different, unknown;
    } of[TREB_METRICS];
} Tally;

/* Where all threads keep differences. */
typedef struct Cases {
    const treb_tables *tables[2];
    CompareResult *result;
    size_t most;
    _Atomic uint64_t limit[TREB_METRICS]; /* only smaller keys are kept */
    atomic_bool no_memory;
} Cases;

/* False: out of memory. compare_result_free frees what it made. */
bool cases_init(Cases *cases, unsigned metrics, unsigned most);

/* Counts what two sets say by a metric of a position: verdicts and, but by TREB_WDL, distances as
 * probe.h has them; or minus a status. */
void cases_count(Cases *cases, Tally *tally, treb_metric metric, const treb_position *pos,
                 uint64_t key, const int verdict[2], const int distance[2]);

/* By one thread at a time. */
void cases_add(Cases *cases, const Tally *tally);

/* ---- What is remembered: search.c ------------------------------------------------------------ */

/* A word has a verdict and a distance, or says nothing: then the library is asked. */
enum { NOTE_BITS = 13, NOTE_MOST = (1 << NOTE_BITS) - 1, NOTE_NONE = 0xffff, NOTE_UNKNOWN = 0xff };

/* What the sets answered in some cells. */
typedef struct Notes {
    uint64_t first;                  /* of the cells */
    uint8_t *verdict[2][2];          /* by set and side to move */
    uint16_t *word[2][TREB_METRICS]; /* by set: the side to move that its file stores */
} Notes;

/* Which sides to move are in the files, with the pawns of a row. */
typedef struct Stored {
    bool at[2][TREB_METRICS][2]; /* by set, metric and side */
} Stored;

static inline uint16_t note_word(int verdict, int distance)
{
    bool fits = verdict >= 0 && distance >= 0 && distance <= NOTE_MOST;
    return fits ? (uint16_t)(verdict << NOTE_BITS | distance) : NOTE_NONE;
}

/* The moves of a position, with the cells that quiet moves of pieces lead to. */
typedef struct SearchMoves {
    int count;
    Move move[MOVES_MAX];
    bool quiet[MOVES_MAX];
    uint64_t cell[MOVES_MAX];
} SearchMoves;

void search_list(const WalkRow *row, uint32_t place, const treb_position *pos, SearchMoves *moves);

/* The distance of a position that is no draw, from those of its moves; the same as distance_value.
 * `word` has the notes of the cells from `first` on. */
int search_distance(const treb_tables *tables, const uint16_t *word, uint64_t first,
                    treb_metric metric, const treb_position *pos, int verdict,
                    const SearchMoves *moves);

#endif
