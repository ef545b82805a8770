/* search.h - whether one position of an ending is what a query looks for. Private to find/. */
#ifndef TREB_FIND_SEARCH_H
#define TREB_FIND_SEARCH_H

#include "core/format/index.h"
#include "find/position_info.h"
#include "find/script.h"

/* A query in one ending. */
typedef struct Search {
    const FindQuery *query;
    const char *material;
    Index index; /* without padding, in the usual order */
    bool symmetric;
    bool both_sides; /* a zugzwang is found with either side to move, not only with one of them */
    int longest;     /* with FIND_LONGEST: plies of the longest win of the sides that are asked for */
    int most[2][5];  /* by side to move and verdict: no distance is longer, by the query's metric */
} Search;

/* Fails if there is no such material, or if FIND_LONGEST has no table. */
treb_status search_init(Search *s, const FindQuery *query, const char *material,
                        treb_error *error);

/* Prepares what a thread needs. Errors are in `info`. */
void search_begin(const FindQuery *query, Script **script, PositionInfo *info);

/* Whether the position in `info` is found, and what is known of it. Changes the position in
 * `info`. */
bool search_finds(const Search *s, Script *script, PositionInfo *info, Found *found);

#endif
