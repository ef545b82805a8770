/* search.h - computes distances for a side to move that a file does not store. Private to
 * check/compare/. */
#ifndef TREB_CHECK_COMPARE_SEARCH_H
#define TREB_CHECK_COMPARE_SEARCH_H

#include "probe/probe.h"
#include "probe/walk.h"

/* A note packs a verdict and a distance. NOTE_NONE means that there is no note, so the library must
 * be probed. */
enum { NOTE_BITS = 13, NOTE_MOST = (1 << NOTE_BITS) - 1, NOTE_NONE = 0xffff, NOTE_UNKNOWN = 0xff };

/* The answers of both sets for a range of cells. */
typedef struct Notes {
    uint64_t first;         /* first cell of the range */
    uint8_t *verdict[2][2]; /* by set and side to move */
    /* by set and metric, for the side to move that the file stores */
    uint16_t *word[2][TREB_METRICS];
} Notes;

/* Which sides to move the files store, for the pawns of a row. */
typedef struct Stored {
    bool at[2][TREB_METRICS][2]; /* by set, metric and side to move */
} Stored;

static inline uint16_t note_word(int verdict, int distance)
{
    bool fits = verdict >= 0 && distance >= 0 && distance <= NOTE_MOST;
    return fits ? (uint16_t)(verdict << NOTE_BITS | distance) : NOTE_NONE;
}

/* The legal moves of a position, with the cells that the quiet moves of pieces lead to. */
typedef struct SearchMoves {
    int count;
    Move move[MOVES_MAX];
    bool quiet[MOVES_MAX];
    uint64_t cell[MOVES_MAX];
} SearchMoves;

void search_list(const WalkRow *row, uint32_t place, const treb_position *pos, SearchMoves *moves);

/* Returns the distance of a position that is not a draw, computed from the distances of its moves.
 * The result equals that of distance_value. `word` has the notes of the cells from `first` on. */
int search_distance(const treb_tables *tables, const uint16_t *word, uint64_t first,
                    treb_metric metric, const treb_position *pos, int verdict,
                    const SearchMoves *moves);

#endif
