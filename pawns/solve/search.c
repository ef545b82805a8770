/* search.c - see search.h.
 *
 * The search works in rounds: the graph is updated, then the cells that are still open are followed
 * from the root structure down (search_walk.h), which takes in structures. Rounds are grouped in
 * stages: each stage allows more pieces or follows more moves. */
#include "pawns/solve/search.h"

#include <stdlib.h>
#include <string.h>

#include "pawns/solve/search_walk.h"
#include "pawns/solve/wanted.h"

/* Each stage is tried until it leads to nothing new. A narrow stage before a broad one keeps out
 * most of the structures that the broad one would take in without need. */
static const struct Stage {
    int pieces; /* most pieces of a structure that may be taken in */
    Breadth breadth;
} stages[] = {{0, NARROW}, {1, NARROW}, {0, BROAD},    {0, THOROUGH}, {1, BROAD}, {1, THOROUGH},
              {2, NARROW}, {2, BROAD},  {2, THOROUGH}, {3, NARROW},   {3, BROAD}, {3, THOROUGH}};

/* Number of structures that a win search solves before it is the other side's turn; doubled for
 * each further turn. */
enum { FIRST_BUDGET = 100000 };

/* The limits of a first try without win searches. */
enum { FIRST_STRUCTURES = 1000, FIRST_BYTES = 128 << 20 };

/* With a lower limit of memory there are no win searches. */
enum { WIN_SEARCH_MEMORY = 64 << 20 };

/* Whether exactly one cell is in a pair of sets. */
static bool is_single(uint64_t *const wanted[2], size_t words)
{
    int count = 0;
    for (size_t w = 0; w < words; w++) count += bit_count(wanted[0][w]) + bit_count(wanted[1][w]);
    return count == 1;
}

/* Adds the cells that the caller asked for to the wanted cells. If a single position is finished
 * for and one side is guessed to win it, that the other side does not win would follow from that
 * win: it is wanted in broad stages only. */
static bool want_root(const Search *search, Structure *f, uint64_t *const wanted[2])
{
    const size_t words = cells_words(&f->key);
    uint64_t *cells = malloc(words * sizeof *cells);
    bool good = cells != NULL, one = wanted != NULL && is_single(wanted, words);
    for (int i = 0; i < 8 && good; i++) {
        const int winner = i >> 2, side = i >> 1 & 1;
        const bool won = i & 1;
        for (size_t w = 0; w < words; w++) {
            cells[w] = wanted != NULL ? wanted[side][w] : UINT64_MAX;
            if (one && !won && search->breadth == NARROW)
                cells[w] &= ~wanted_word(f, !winner, side, w, true);
        }
        good = wanted_add(search->graph, f, winner, side, cells, won);
    }
    free(cells);
    return good;
}

/* One round: takes in structures that the undecided cells lead to. `done` tells whether all is
 * decided. False if it failed or was stopped. */
static bool search_round(Search *search, Structure *structure, uint64_t *const wanted[2], bool all,
                         bool *done)
{
    ProofGraph *graph = search->graph;
    search->missed = search->added = search->bytes = 0;
    search->put_off = false;
    if (!proof_graph_update(graph, all)) return false;
    if (!want_root(search, structure, wanted)) return false;
    *done = structure->wanted[0][0] == NULL;
    for (int p = PROOF_GRAPH_POTENTIALS - 1; p >= 0 && !*done; p--)
        for (int i = 0; i < graph->count[p]; i++) {
            Structure *f = graph->by_potential[p][i];
            if (f->wanted[0][0] != NULL && proof_graph_stopped(graph)) return false;
            if (search->put_off && f->key.pieces > 0)
                wanted_end(graph, f);
            else if (!search_walk(search, f))
                return false;
        }
    return true;
}

/* ---- Win searches ---------------------------------------------------------------------------- */

/* Finds the only cell of a pair of sets; false if it has several. */
static bool single_cell(const Structure *f, uint64_t *const wanted[2], Cell *cell, int *side)
{
    const size_t words = cells_words(&f->key);
    if (wanted == NULL || !is_single(wanted, words)) return false;
    for (*side = 0; *side < 2; ++*side)
        for (size_t w = 0; w < words; w++)
            if (wanted[*side][w] != 0) {
                *cell = w << 6 | (Cell)bit_first(wanted[*side][w]);
                return true;
            }
    return false;
}

/* Takes in the structures that a win search found. In structures with pieces only the sure wins of
 * `winner` are needed: to find them in all cells takes less time than asking tables for the cells
 * of one edge. */
static bool take_in_found(ProofGraph *graph, const CellsKey *keys, size_t count, int winner)
{
    for (size_t i = 0; i < count; i++) {
        const CellsKey *key = &keys[i];
        Structure *known = proof_graph_find(graph, key);
        if (known != NULL && (known->only_winner == BOTH_WINNERS || known->only_winner == winner ||
                              proof_graph_widen(graph, known)))
            continue;
        if (known != NULL) return !graph->failed;
        const bool pawns = key->pieces == 0;
        if (proof_graph_add(graph, key, pawns, pawns ? BOTH_WINNERS : winner) == NULL)
            return !graph->failed;
    }
    return true;
}

/* The limit of memory of a win search: three eighths of all memory, less if the graph and the other
 * win search leave less. */
static uint64_t win_search_limit(const ProofGraph *graph, int winner)
{
    const uint64_t all = graph->limits.memory, most = all / 8 * 3;
    const uint64_t held = proof_graph_bytes(graph) - win_search_bytes(graph->win_search[winner]);
    const uint64_t left = held < all ? all - held : 0;
    return left < most ? left : most;
}

/* One turn of a win search. False if it failed or was stopped. */
static bool run_win_search(ProofGraph *graph, const Structure *structure, Cell cell, int side,
                           int winner, uint64_t budget, WinSearchResult *result)
{
    const WinSearchLimits limits = {win_search_limit(graph, winner), graph->limits.stop,
                                    graph->limits.stop_context};
    CellsKey *keys;
    size_t count;
    if (graph->win_search[winner] == NULL)
        graph->win_search[winner] = win_search_new(&structure->key, winner, &limits);
    if (graph->win_search[winner] == NULL) {
        graph->no_win_search = true;
        *result = WIN_SEARCH_NO_MEMORY;
        return true;
    }
    win_search_set_memory(graph->win_search[winner], limits.memory);
    *result = win_search_run(graph->win_search[winner], &structure->key, cell, side, budget, &keys,
                             &count);
    if (*result == WIN_SEARCH_STOPPED) graph->stopped = true;
    bool good = !graph->stopped;
    if (*result == WIN_SEARCH_WON) {
        graph->likely_winner = winner;
        good = take_in_found(graph, keys, count, winner);
    }
    free(keys);
    return good;
}

/* Whether win searches can be used: a single position without pieces is asked for. Sets its cell
 * and side to move. */
static bool can_use_win_search(const ProofGraph *graph, const Structure *f,
                               uint64_t *const wanted[2], Cell *cell, int *side)
{
    const ProofGraphLimits *limits = &graph->limits;
    return !graph->no_win_search && !limits->all && limits->pieces > 0 &&
           limits->memory >= WIN_SEARCH_MEMORY && f->key.pieces == 0 &&
           single_cell(f, wanted, cell, side);
}

/* Runs the win searches of both sides in turns, and takes in what one finds, so that the search can
 * prove it. False if it failed or was stopped. */
static bool run_win_searches(ProofGraph *graph, const Structure *structure, Cell cell, int side)
{
    bool finished[2] = {false, false};
    for (uint64_t budget = FIRST_BUDGET; !graph->no_win_search && !(finished[0] && finished[1]);
         budget *= 2)
        for (int i = 0; i < 2 && !graph->no_win_search; i++) {
            const int winner = i == 0 ? graph->likely_winner : !graph->likely_winner;
            WinSearchResult result;
            if (finished[winner]) continue;
            if (!run_win_search(graph, structure, cell, side, winner, budget, &result))
                return false;
            if (result == WIN_SEARCH_WON) return true;
            finished[winner] = result != WIN_SEARCH_UNDECIDED;
        }
    return true;
}

/* Goes through the stages until all wanted cells are decided, nothing more helps, or the graph has
 * more structures or bytes than given. False if it failed or was stopped. */
static bool search_stages(ProofGraph *graph, Structure *structure, uint64_t *const wanted[2],
                          uint64_t structures, uint64_t bytes, bool *done)
{
    Search search = {.graph = graph};
    for (size_t i = 0; i < sizeof stages / sizeof *stages && !*done; i++) {
        if (stages[i].pieces > graph->limits.pieces) continue;
        search.pieces = stages[i].pieces;
        search.breadth = stages[i].breadth;
        /* Only structures that the search reaches are solved again, until that leads to nothing
         * new. */
        for (bool all = true; !*done; all = search.added == 0) {
            if (graph->structures > structures || graph->bytes > bytes) return true;
            if (!search_round(&search, structure, wanted, all, done)) return false;
            if (all && search.added == 0) break;
        }
        if (search.missed == 0 && search.breadth != NARROW) break;
    }
    return true;
}

bool search_decide(ProofGraph *graph, Structure *structure, uint64_t *const wanted[2])
{
    bool done = false, good = true;
    Cell cell;
    int side;
    if (!proof_graph_sound(graph)) return false;
    if (can_use_win_search(graph, structure, wanted, &cell, &side)) {
        /* Many positions are decided at once and need no win search. */
        good = search_stages(graph, structure, wanted, graph->structures + FIRST_STRUCTURES,
                             graph->bytes + FIRST_BYTES, &done);
        good = good && (done || run_win_searches(graph, structure, cell, side));
    }
    good = good && (done || search_stages(graph, structure, wanted, UINT64_MAX, UINT64_MAX, &done));
    if (!good) graph->failed = graph->failed || !graph->stopped;
    return good;
}
