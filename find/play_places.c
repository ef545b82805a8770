/* play_places.c - see play_proof.h: shows the author of a strategy where it fails.
 *
 * A place is a position whose own plan may fail, or a cycle: positions that lead to each other as
 * long as Black likes. Each position from which the strategy fails is assigned to the place that is
 * nearest, counted in plans; if several are equally near, to the first one. So a few places can
 * explain thousands of failures, and repairing the strategy at a place repairs all the positions
 * assigned to it. */
#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "find/play_proof.h"

enum { NOWHERE = UINT32_MAX };

/* The graph of the positions from which the strategy fails. The nodes are in the order of their
 * cells. */
typedef struct PositionGraph {
    const Proof *proof;
    uint64_t *cell;
    uint32_t nodes;
    uint32_t *first, *to; /* node n leads to the nodes to[first[n]] to to[first[n + 1] - 1] */
    uint32_t *into,
        /* the reverse: the nodes that lead to n are from[into[n]] to from[into[n + 1] - 1] */
        *from;
    uint32_t *place;   /* by node: the node of the place that it is assigned to */
    uint32_t *cycle;   /* by node: first node of its cycle; its own number if it is on no cycle */
    uint32_t *work[3]; /* working memory of the searches */
    /* by node: number of positions that are assigned to the place at this node */
    uint64_t *failures;
} PositionGraph;

static bool fails(const Root *root) { return root->edges > 0 && root->plies == 0; }

/* Returns the first failure in the position's own plan, or PLAY_ENDS if there is none. */
static PlayEnd own_end(const Proof *proof, const Root *root)
{
    for (uint32_t i = 0; i < root->edges; i++) {
        const uint64_t target = root->edge[i] >> PLIES_BITS;
        if (target >= proof->index.size + PLAY_NO_ADVICE)
            return (PlayEnd)(target - proof->index.size);
    }
    return PLAY_ENDS;
}

static int compare_cells(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Returns the node of a cell; NOWHERE if there is none. */
static uint32_t node_of(const PositionGraph *graph, uint64_t cell)
{
    if (cell >= graph->proof->index.size || !fails(&graph->proof->root[cell])) return NOWHERE;
    const uint64_t *found =
        bsearch(&cell, graph->cell, graph->nodes, sizeof *graph->cell, compare_cells);
    return (uint32_t)(found - graph->cell);
}

static void graph_free(PositionGraph *graph)
{
    free(graph->cell);
    free(graph->first);
    free(graph->to);
    free(graph->into);
    free(graph->from);
    free(graph->place);
    free(graph->cycle);
    for (int i = 0; i < 3; i++) free(graph->work[i]);
    free(graph->failures);
}

/* Computes the reverse edges. */
static void graph_reverse(PositionGraph *graph)
{
    const uint32_t n = graph->nodes;
    for (uint32_t i = 0; i < graph->first[n]; i++) graph->into[graph->to[i] + 1]++;
    for (uint32_t i = 0; i < n; i++) graph->into[i + 1] += graph->into[i];
    memcpy(graph->work[0], graph->into, n * sizeof *graph->into);
    for (uint32_t node = 0; node < n; node++)
        for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++)
            graph->from[graph->work[0][graph->to[i]]++] = node;
}

static bool graph_build(PositionGraph *graph)
{
    const Proof *proof = graph->proof;
    uint64_t nodes = 0, ways = 0;
    for (uint64_t cell = 0; cell < proof->index.size; cell++) {
        nodes += fails(&proof->root[cell]);
        if (fails(&proof->root[cell])) ways += proof->root[cell].edges;
    }
    if (ways >= NOWHERE) return false;
    const size_t n = (size_t)nodes + 1;
    graph->cell = malloc(n * sizeof *graph->cell);
    graph->first = calloc(n, sizeof *graph->first);
    graph->to = malloc((ways + 1) * sizeof *graph->to);
    graph->into = calloc(n, sizeof *graph->into);
    graph->from = malloc((ways + 1) * sizeof *graph->from);
    graph->place = malloc(n * sizeof *graph->place);
    graph->cycle = malloc(n * sizeof *graph->cycle);
    graph->failures = calloc(n, sizeof *graph->failures);
    bool room = graph->cell && graph->first && graph->to && graph->into && graph->from &&
                graph->place && graph->cycle && graph->failures;
    for (int i = 0; i < 3; i++) {
        graph->work[i] = calloc(n, sizeof *graph->work[i]);
        room = room && graph->work[i] != NULL;
    }
    if (!room) return false;
    for (uint64_t cell = 0; cell < proof->index.size; cell++)
        if (fails(&proof->root[cell])) graph->cell[graph->nodes++] = cell;
    for (uint32_t node = 0; node < graph->nodes; node++) {
        const Root *root = &proof->root[graph->cell[node]];
        graph->first[node + 1] = graph->first[node];
        for (uint32_t i = 0; i < root->edges; i++) {
            const uint32_t to = node_of(graph, root->edge[i] >> PLIES_BITS);
            if (to != NOWHERE) graph->to[graph->first[node + 1]++] = to;
        }
    }
    graph_reverse(graph);
    return true;
}

/* ---- Circles --------------------------------------------------------------------------------- */

/* State of Tarjan's search for strongly connected components, without recursion. met: number of a
 * node in the order of the search (0: not yet met); way: the edge that is examined next; waiting:
 * stack of the nodes whose component is not complete; lowest: smallest number that a node reaches
 * (uses the memory of `place`). */
typedef struct Tarjan {
    uint32_t *met, *way, *waiting, *lowest;
    uint32_t count, stack;
} Tarjan;

/* Completes a component. Its first node stands for all its nodes. */
static void close_component(PositionGraph *graph, Tarjan *t, uint32_t node)
{
    uint32_t bottom = t->stack, first = NOWHERE;
    do {
        bottom--;
        if (t->waiting[bottom] < first) first = t->waiting[bottom];
    } while (t->waiting[bottom] != node);
    while (t->stack > bottom) graph->cycle[t->waiting[--t->stack]] = first;
}

static void search_from(PositionGraph *graph, Tarjan *t, uint32_t start, uint32_t *path)
{
    uint32_t depth = 1;
    path[0] = start;
    while (depth > 0) {
        const uint32_t node = path[depth - 1];
        if (t->met[node] == 0) {
            t->met[node] = t->lowest[node] = ++t->count;
            t->way[node] = graph->first[node];
            t->waiting[t->stack++] = node;
        }
        if (t->way[node] < graph->first[node + 1]) {
            const uint32_t to = graph->to[t->way[node]];
            if (t->met[to] == 0) {
                path[depth++] = to;
                continue; /* then examine this edge again */
            }
            if (graph->cycle[to] == NOWHERE && t->lowest[to] < t->lowest[node])
                t->lowest[node] = t->lowest[to];
            t->way[node]++;
            continue;
        }
        if (t->lowest[node] == t->met[node]) close_component(graph, t, node);
        depth--;
    }
}

static bool find_cycles(PositionGraph *graph)
{
    Tarjan t = {.met = graph->work[0], .way = graph->work[1], .waiting = graph->work[2]};
    uint32_t *path = malloc((graph->nodes + (size_t)1) * sizeof *path);
    if (path == NULL) return false;
    t.lowest = graph->place;
    memset(t.met, 0, graph->nodes * sizeof *t.met);
    for (uint32_t node = 0; node < graph->nodes; node++) graph->cycle[node] = NOWHERE;
    for (uint32_t node = 0; node < graph->nodes; node++)
        if (t.met[node] == 0) search_from(graph, &t, node, path);
    free(path);
    return true;
}

/* Whether a node is on a cycle, with others or by an edge to itself. */
static bool on_cycle(const PositionGraph *graph, uint32_t node)
{
    for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++)
        if (graph->cycle[graph->to[i]] == graph->cycle[node]) return true;
    return false;
}

/* ---- Places ---------------------------------------------------------------------------------- */

/* Breadth-first search backwards from all places at once. So each node is reached from its nearest
 * place first. */
static void assign_places(PositionGraph *graph)
{
    uint32_t *queue = graph->work[0], head = 0, tail = 0;
    for (uint32_t node = 0; node < graph->nodes; node++) {
        const Root *root = &graph->proof->root[graph->cell[node]];
        graph->place[node] = own_end(graph->proof, root) < PLAY_ENDS ? node
                             : on_cycle(graph, node)                 ? graph->cycle[node]
                                                                     : NOWHERE;
        if (graph->place[node] != NOWHERE) queue[tail++] = node;
    }
    while (head < tail) {
        const uint32_t node = queue[head++];
        graph->failures[graph->place[node]]++;
        for (uint32_t i = graph->into[node]; i < graph->into[node + 1]; i++) {
            const uint32_t from = graph->from[i];
            if (graph->place[from] != NOWHERE) continue;
            graph->place[from] = graph->place[node];
            queue[tail++] = from;
        }
    }
}

/* Adds a place to the report if it explains more failures than the last one there. Of equal places
 * the one that comes first in the table is kept. */
static void note_place(const PositionGraph *graph, uint32_t node)
{
    const Proof *proof = graph->proof;
    PlayReport *r = proof->report;
    const size_t most = proof->query->shown;
    const Root *root = &proof->root[graph->cell[node]];
    const PlayEnd end = own_end(proof, root);
    r->place_count++;
    if (r->places == most && (most == 0 || graph->failures[node] <= r->place[most - 1].failures))
        return;
    size_t at = r->places < most ? r->places++ : most - 1;
    for (; at > 0 && r->place[at - 1].failures < graph->failures[node]; at--)
        r->place[at] = r->place[at - 1];
    r->place[at] = (PlayPlace){.end = end < PLAY_ENDS ? end : PLAY_CIRCLE,
                               .failures = graph->failures[node],
                               .advice = root->advice < STRATEGY_ADVICE_MAX ? root->advice : -1};
    play_position_of(proof, graph->cell[node], &r->place[at].pos);
}

treb_status play_find_places(Proof *proof, treb_error *error)
{
    PositionGraph graph = {.proof = proof};
    const bool room = graph_build(&graph) && find_cycles(&graph);
    if (room) assign_places(&graph);
    for (uint32_t node = 0; room && node < graph.nodes; node++)
        if (graph.failures[node] > 0) note_place(&graph, node);
    graph_free(&graph);
    return room ? TREB_OK : fail_memory(error);
}
