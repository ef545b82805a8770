/* win_search.h - the win search: finds fast which structures a proof that one side wins needs.
 *
 * The proof graph (pawns/solve/proof_graph.h) proves things about all positions of a structure, at
 * three levels of certainty and for both sides. To take in what a proof needs and little else, it
 * must know where to look. The win search asks one question, "can this side win this position?",
 * and uses only structures of kings and pawns and structures in which the winner has one queen
 * besides:
 *
 * 1. It lists all structures of kings and pawns that can arise and solves them, those with the
 *    least potential first. The values of a structure with a queen that was not solved yet are
 *    guessed.
 * 2. If the position is won, it follows the winner's strategy (one move for the winner, all moves
 *    for the other side). Structures that the strategy reaches and that are only guessed are solved
 *    on the way.
 * 3. If a structure turns out not to be won where the strategy enters it, the structures above it
 *    are solved again, and 2. is repeated. Otherwise the structures that the strategy reaches are
 *    the result.
 *
 * The result is no proof. It tells the proof graph which structures to take in. */
#ifndef TREB_PAWNS_WIN_WIN_SEARCH_H
#define TREB_PAWNS_WIN_WIN_SEARCH_H

#include "pawns/cells/cells.h"

typedef struct WinSearch WinSearch;

typedef struct WinSearchLimits {
    uint64_t memory; /* bytes at most */
    /* Called now and then with the number of structures and bytes; true stops the search. May be
     * NULL. */
    bool (*stop)(void *context, uint64_t structures, uint64_t bytes);
    void *context;
} WinSearchLimits;

typedef enum WinSearchResult {
    WIN_SEARCH_WON,
    WIN_SEARCH_NOT_FOUND, /* the other side may hold, or the win needs moves that are left out */
    WIN_SEARCH_UNDECIDED, /* the budget is used up; another call goes on from there */
    WIN_SEARCH_STOPPED,
    WIN_SEARCH_NO_MEMORY
} WinSearchResult;

/* Creates a search for wins of `winner` from positions of a structure of kings and pawns, and from
 * positions of the structures without pieces that it leads to. NULL without memory; free with
 * win_search_free. */
WinSearch *win_search_new(const CellsKey *key, int winner, const WinSearchLimits *limits);
void win_search_free(WinSearch *search);

/* Changes the limit of memory. */
void win_search_set_memory(WinSearch *search, uint64_t memory);

/* Number of bytes that a search holds; 0 for NULL. */
uint64_t win_search_bytes(const WinSearch *search);

/* Looks for a win from a cell of such a structure, `side` to move, until about `budget` structures
 * have been solved. On WIN_SEARCH_WON, `keys` gets the structures that the win needs, those with
 * the least potential first; the caller frees it. The result does not depend on the number of
 * threads. */
WinSearchResult win_search_run(WinSearch *search, const CellsKey *key, Cell cell, int side,
                               uint64_t budget, CellsKey **keys, size_t *count);

#endif
