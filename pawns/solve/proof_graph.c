/* proof_graph.c - see proof_graph.h. */
#include "pawns/solve/proof_graph.h"
#include "core/system/hash.h"

#include <assert.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

ProofGraph *proof_graph_new(const ProofGraphLimits *limits)
{
    ProofGraph *graph = calloc(1, sizeof *graph);
    if (graph == NULL) return NULL;
    graph->limits = *limits;
    graph->no_win_search = limits->no_win_search;
    return graph;
}

static void free_win_searches(ProofGraph *graph)
{
    const bool any = graph->win_search[0] != NULL || graph->win_search[1] != NULL;
    for (int winner = 0; winner < 2; winner++) {
        win_search_free(graph->win_search[winner]);
        graph->win_search[winner] = NULL;
    }
    graph->no_win_search = true;
#ifdef __GLIBC__
    /* Otherwise the allocator would keep the memory of the other threads for these threads. */
    if (any) malloc_trim(0);
#else
    (void)any;
#endif
}

void proof_graph_free(ProofGraph *graph)
{
    if (graph == NULL) return;
    free_win_searches(graph);
    for (int p = 0; p < PROOF_GRAPH_POTENTIALS; p++) {
        for (int i = 0; i < graph->count[p]; i++) structure_free(graph->by_potential[p][i]);
        free(graph->by_potential[p]);
    }
    free(graph);
}

/* ---- Finding and adding ---------------------------------------------------------------------- */

static size_t bucket_of(const CellsKey *key)
{
    uint64_t hash = key->pawns[0] * HASH_FACTOR;
    hash = (hash ^ hash >> 29 ^ key->pawns[1]) * HASH_FACTOR_2;
    for (int i = 0; i < key->pieces; i++)
        hash =
            (hash ^ hash >> 31) + (unsigned)(key->piece[i].color << 3 | key->piece[i].type) * 77u;
    hash *= HASH_FACTOR_3;
    return (size_t)(hash >> 40) % PROOF_GRAPH_BUCKETS;
}

Structure *proof_graph_find(const ProofGraph *graph, const CellsKey *key)
{
    Structure *structure = graph->bucket[bucket_of(key)];
    while (structure != NULL && memcmp(&structure->key, key, sizeof *key) != 0)
        structure = structure->next;
    return structure;
}

static bool list_structure(ProofGraph *graph, Structure *structure)
{
    int p = structure->potential;
    if (graph->count[p] == graph->capacity[p]) {
        int capacity = graph->capacity[p] ? 2 * graph->capacity[p] : 8;
        Structure **grown = realloc(graph->by_potential[p], capacity * sizeof *grown);
        if (grown == NULL) return false;
        graph->by_potential[p] = grown;
        graph->capacity[p] = capacity;
    }
    graph->by_potential[p][graph->count[p]++] = structure;
    return true;
}

/* Makes the solver ignore recaptures of promoted pieces. */
static void forget_recaptures(Structure *structure)
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < structure->edges[side]; i++) structure->edge[side][i].promotes = false;
}

/* Bytes that solving a structure of `bytes` bytes takes temporarily: outcomes, sets of the search,
 * plies. */
static uint64_t work_of(uint64_t bytes) { return 2 * bytes; }

uint64_t proof_graph_bytes(const ProofGraph *l)
{
    return l->bytes + l->wanted + l->work + win_search_bytes(l->win_search[0]) +
           win_search_bytes(l->win_search[1]);
}

static bool has_room(const ProofGraph *l, uint64_t bytes)
{
    return proof_graph_bytes(l) + bytes <= l->limits.memory;
}

bool proof_graph_has_room(ProofGraph *graph, uint64_t bytes)
{
    if (!has_room(graph, bytes)) free_win_searches(graph);
    const bool room = has_room(graph, bytes);
    graph->full = graph->full || !room; /* smaller structures may still have room */
    return room;
}

/* Whether there is room for `more` additional bytes and for what solving a structure of `bytes`
 * bytes takes. A structure that takes more than half of all memory is refused, as it would leave
 * too little for others; but the first structure is always allowed. */
static bool room_for_structure(ProofGraph *graph, uint64_t bytes, uint64_t more)
{
    const uint64_t work = work_of(bytes), before = graph->work;
    const bool small = graph->structures == 0 || bytes + work <= graph->limits.memory / 2;
    if (!small) graph->full = true;
    return small && proof_graph_has_room(graph, more + (work > before ? work - before : 0));
}

/* Whether the oracle answers for a structure. Looking for the tables of a material and of its
 * sub-endings takes longer than solving a structure, so the answers are cached by material. */
static bool is_covered(ProofGraph *graph, const CellsKey *key)
{
    const ProofGraphLimits *limits = &graph->limits;
    if (limits->covers == NULL) return false;
    uint32_t material = 1;
    for (int color = 0; color < 2; color++)
        material = material << 4 | (uint32_t)bit_count(key->pawns[color]);
    for (int i = 0; i < CELLS_PIECES_MAX; i++)
        material =
            material << 4 |
            (i < key->pieces ? (uint32_t)(key->piece[i].color << 3 | key->piece[i].type) : 0);
    uint32_t *known =
        &graph->covered[material * UINT32_C(0x9e3779b1) >> 16 & (PROOF_GRAPH_MATERIALS - 1)];
    if (*known >> 1 != material)
        *known = material << 1 | limits->covers(limits->oracle.context, key);
    return *known & 1;
}

Structure *proof_graph_add(ProofGraph *graph, const CellsKey *key, bool ask, int only)
{
    const bool covered = ask && is_covered(graph, key);
    assert(proof_graph_find(graph, key) == NULL);
    const uint64_t bytes = structure_bytes_most(key);
    if (!room_for_structure(graph, bytes, bytes)) return NULL;
    Structure *structure = structure_new(key);
    if (structure != NULL && !room_for_structure(graph, bytes, bytes + structure->edge_bytes)) {
        structure_free(structure);
        return NULL;
    }
    if (structure != NULL) structure->failed = &graph->structure_failed;
    if (structure != NULL && !covered) structure->only_winner = (int8_t)only;
    if (structure != NULL && graph->limits.all) forget_recaptures(structure);
    if (structure != NULL && covered) {
        structure->oracle = &graph->limits.oracle;
        structure->solved = structure->decided = true;
    }
    if (structure == NULL || !structure_allocate(structure) || !list_structure(graph, structure)) {
        structure_free(structure);
        graph->failed = true;
        return NULL;
    }
    Structure **bucket = &graph->bucket[bucket_of(key)];
    structure->next = *bucket;
    *bucket = structure;
    structure->changed = true;
    graph->structures++;
    graph->bytes += structure_bytes(structure);
    if (work_of(bytes) > graph->work) graph->work = work_of(bytes);
    return structure;
}

bool proof_graph_widen(ProofGraph *graph, Structure *structure)
{
    const uint64_t before = structure_bytes(structure),
                   bytes = structure_bytes_most(&structure->key);
    if (!room_for_structure(graph, bytes, bytes - before)) return false;
    if (!structure_widen(structure)) {
        graph->failed = true;
        return false;
    }
    graph->bytes += structure_bytes(structure) - before;
    return true;
}

bool proof_graph_sound(ProofGraph *graph)
{
    graph->failed = graph->failed || __atomic_load_n(&graph->structure_failed, __ATOMIC_RELAXED);
    return !graph->failed;
}

/* ---- Solving --------------------------------------------------------------------------------- */

/* Linking a structure to its children. */
typedef struct Link {
    const ProofGraph *graph;
    bool changed; /* the values of a child changed */
} Link;

static void link_child(void *context, EdgeChild *child)
{
    Link *link = context;
    Structure *structure = child->structure;
    if (structure == NULL && !child->beyond) structure = proof_graph_find(link->graph, &child->key);
    /* The sets of an unsolved structure are empty, which would mean that nobody wins. */
    if (structure == NULL || !structure->solved) return;
    child->structure = structure;
    link->changed = link->changed || structure->changed;
}

bool proof_graph_link(const ProofGraph *graph, Structure *structure)
{
    Link link = {.graph = graph};
    structure_each_child(structure, link_child, &link);
    return link.changed;
}

/* A hash of all that is known and guessed of a structure. If two different states had the same
 * hash, something would stay open without need; nothing would be wrong. */
static uint64_t fingerprint(const Structure *f)
{
    uint64_t hash = 0;
    for (int i = 0; i < 4 * LEVELS; i++) {
        const uint64_t *set = f->won[i / 4][i / 2 % 2][i % 2];
        if (i >= 4 && set == f->won[SURE][i / 2 % 2][i % 2]) continue;
        hash = XXH3_64bits_withSeed(set, cells_words(&f->key) * sizeof *set, hash);
    }
    return hash;
}

static bool solve_structure(ProofGraph *graph, Structure *structure)
{
    bool first = !structure->solved;
    uint64_t before = first ? 0 : fingerprint(structure), bytes = structure_bytes(structure);
    if (!structure_solve(structure, NULL)) return false;
    __atomic_fetch_sub(&graph->bytes, bytes - structure_bytes(structure), __ATOMIC_RELAXED);
    structure->stale = false;
    structure->changed = structure->changed || first || fingerprint(structure) != before;
    return true;
}

/* Links a structure to its children, and solves it if that is due. */
static bool update_structure(ProofGraph *graph, Structure *structure, bool all)
{
    if (structure->decided) return true;
    structure->stale = proof_graph_link(graph, structure) || structure->stale;
    if (structure->solved && !(structure->stale && (all || structure->last_round == graph->round)))
        return true;
    return solve_structure(graph, structure);
}

bool proof_graph_refresh(ProofGraph *graph, Structure *structure)
{
    if (!structure->stale || structure->decided || solve_structure(graph, structure)) return true;
    graph->failed = true;
    return false;
}

bool proof_graph_stopped(ProofGraph *graph)
{
    const ProofGraphLimits *limits = &graph->limits;
    if (limits->stop != NULL && limits->stop(limits->stop_context, graph->structures, graph->bytes))
        graph->stopped = true;
    return graph->stopped;
}

/* Whether there is memory for several threads to solve structures of one potential at the same
 * time. */
static bool may_share(const ProofGraph *graph, int potential)
{
    const int threads = omp_get_max_threads();
    uint64_t work = 0;
    if (graph->count[potential] <= CELLS_FEW) return false;
    for (int i = 0; i < graph->count[potential]; i++) {
        const Structure *structure = graph->by_potential[potential][i];
        const uint64_t own =
            structure->decided ? 0 : work_of(structure_bytes_most(&structure->key));
        if (own > work) work = own;
    }
    return has_room(graph, (uint64_t)(threads - 1) * work);
}

/* The end of the run of structures, from `from` on, that is solved before limits.stop is called
 * again: a fraction of a second's work. The callback may read all that is known, so no thread may
 * be solving then. */
static int end_of_run(const ProofGraph *graph, int potential, int from)
{
    enum { BYTES = 8 << 20 };
    const int least = 2 * omp_get_max_threads(), count = graph->count[potential];
    uint64_t bytes = 0;
    int i = from;
    for (; i < count && (i - from < least || bytes < BYTES); i++)
        if (!graph->by_potential[potential][i]->decided)
            bytes += structure_bytes_most(&graph->by_potential[potential][i]->key);
    return i;
}

/* Solves the structures of one potential, which do not lead to each other, in parallel if there is
 * memory. */
static bool update_potential(ProofGraph *graph, int potential, bool all)
{
    Structure **structure = graph->by_potential[potential];
    const int count = graph->count[potential];
    const bool together = may_share(graph, potential);
    bool good = true;
    for (int at = 0, end; at < count && good; at = end) {
        if (proof_graph_stopped(graph)) return false;
        end = together ? end_of_run(graph, potential, at) : at + 1;
#pragma omp parallel for schedule(dynamic) reduction(&& : good) if (together)
        for (int i = at; i < end; i++) good = good && update_structure(graph, structure[i], all);
    }
    graph->failed = graph->failed || !good;
    return good;
}

bool proof_graph_update(ProofGraph *graph, bool all)
{
    for (int p = 0; p < PROOF_GRAPH_POTENTIALS; p++)
        if (!update_potential(graph, p, all)) return false;
    if (!proof_graph_sound(graph)) return false;
    for (int p = 0; p < PROOF_GRAPH_POTENTIALS; p++)
        for (int i = 0; i < graph->count[p]; i++) graph->by_potential[p][i]->changed = false;
    graph->round++;
    return true;
}
