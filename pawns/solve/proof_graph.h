/* proof_graph.h - the proof graph: the structures that captures, pawn moves and promotions lead to,
 * as far as needed.
 *
 * The number of structures below a position is huge, but few of them matter: in most of them one
 * side is far ahead. So a structure is unknown at first, which bounds its parents from both sides,
 * and is taken in only when an undecided position that matters leads to it: first structures of
 * kings and pawns, then those with one piece, two, three (search.h). All that is decided is proven.
 * What is not decided when the memory is used up stays open. */
#ifndef TREB_PAWNS_SOLVE_PROOF_GRAPH_H
#define TREB_PAWNS_SOLVE_PROOF_GRAPH_H

#include "pawns/solve/structure_solve.h"
#include "pawns/win/win_search.h"

enum {
    PROOF_GRAPH_BUCKETS = 1 << 14,
    PROOF_GRAPH_POTENTIALS = 512,
    PROOF_GRAPH_MATERIALS = 1 << 10
};

typedef struct ProofGraphLimits {
    uint64_t memory; /* bytes, including what solving takes temporarily */
    int pieces;      /* most pieces of a structure, up to CELLS_PIECES_MAX */
    /* All placements of the kings are asked about. Most structures are needed then, and the tricks
     * that avoid some of them only take time. */
    bool all;
    bool no_win_search; /* use the general search only */
    /* Whether the oracle answers for a structure; depends on the number of men of each kind only.
     * NULL: never. */
    bool (*covers)(void *context, const CellsKey *key);
    PositionOracle oracle;
    /* Called now and then with the number of structures and bytes; true stops the search. May be
     * NULL. */
    bool (*stop)(void *context, uint64_t structures, uint64_t bytes);
    void *stop_context;
} ProofGraphLimits;

typedef struct ProofGraph {
    ProofGraphLimits limits;
    Structure *bucket[PROOF_GRAPH_BUCKETS];           /* hash table by key */
    Structure **by_potential[PROOF_GRAPH_POTENTIALS]; /* all structures, in lists by potential */
    int count[PROOF_GRAPH_POTENTIALS], capacity[PROOF_GRAPH_POTENTIALS]; /* of these lists */
    uint32_t covered[PROOF_GRAPH_MATERIALS]; /* cache of answers of limits.covers */
    uint64_t structures, bytes;              /* number of structures, and what they take */
    uint64_t wanted;                         /* bytes of sets of wanted cells (wanted.h) */
    uint64_t work;            /* bytes that solving the largest structure takes temporarily */
    unsigned round;           /* number of the search's round */
    WinSearch *win_search[2]; /* by winner; NULL if there is none */
    bool no_win_search;       /* by the limits, or for lack of memory */
    int likely_winner;        /* the winner that a win search found last */
    bool full;                /* a structure was left out for lack of memory */
    bool failed;              /* out of memory, or an oracle failed: nothing more can be learned */
    bool structure_failed;    /* a structure has failed; proof_graph_sound() takes notice */
    bool stopped;             /* by limits.stop */
} ProofGraph;

/* NULL without memory. */
ProofGraph *proof_graph_new(const ProofGraphLimits *limits);
void proof_graph_free(ProofGraph *graph);

/* Calls limits.stop, and notes and returns whether the search is stopped. */
bool proof_graph_stopped(ProofGraph *graph);

/* The structure with this key; NULL if it is unknown. */
Structure *proof_graph_find(const ProofGraph *graph, const CellsKey *key);

/* Whether all oracles have answered and all memory could be allocated so far. If not, values may be
 * wrong, and `failed` is set. */
bool proof_graph_sound(ProofGraph *graph);

/* Number of bytes that count against the limit, including the win searches and what solving takes
 * temporarily. */
uint64_t proof_graph_bytes(const ProofGraph *graph);

/* Whether the limit leaves room for this number of additional bytes. Frees the win searches if that
 * is necessary. Sets `full` if there is no room. */
bool proof_graph_has_room(ProofGraph *graph, uint64_t bytes);

/* Takes a structure in. With `ask`, the oracle answers for it if it can. Otherwise all of it is
 * looked for, or only the sure wins of `only_winner`. NULL if memory is short; `full` or `failed`
 * is set then. */
Structure *proof_graph_add(ProofGraph *graph, const CellsKey *key, bool ask, int only_winner);

/* Makes a structure with `only_winner` a complete one, which is to be solved then. False without
 * memory; `full` or `failed` is set then. */
bool proof_graph_widen(ProofGraph *graph, Structure *structure);

/* Solves all structures that are new or have new or changed children, in order of potential. Of
 * those that were solved before, only those that the search reached in its last round, or, with
 * `all`, all of them; the others become stale. False if it failed or was stopped. */
bool proof_graph_update(ProofGraph *graph, bool all);

/* Solves a structure if it is stale. False if that failed. */
bool proof_graph_refresh(ProofGraph *graph, Structure *structure);

/* Links the edges of a structure to the children that are known and solved. True if the values of a
 * child changed. */
bool proof_graph_link(const ProofGraph *graph, Structure *structure);

#endif
