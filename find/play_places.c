/* play_places.c - see play_proof.h: where a strategy fails, for its author.
 *
 * A place is a position in whose own plan the failure may happen, or a circle: positions that lead to each other, as
 * long as Black likes. Each position from which the strategy fails is led to the places that are nearest by plans;
 * of several as near to the first. So a few places may stand for thousands of failures, and mending one mends what
 * it stands for. */
#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "find/play_proof.h"

enum { NOWHERE = UINT32_MAX };

/* Positions from which it fails are nodes, in the order of their cells. */
typedef struct Maze {
    const Proof *proof;
    uint64_t *cell;
    uint32_t nodes;
    uint32_t *first, *to;    /* first[n] to first[n + 1]: the nodes that n leads to */
    uint32_t *before, *from; /* and from where one comes to it */
    uint32_t *place;         /* the node at which the place is that it is led to */
    uint32_t *circle;        /* the first node of its circle; its own number if it is in none */
    uint32_t *work[3];       /* of a search */
    uint64_t *led;           /* how many are led to the place at a node */
} Maze;

static bool fails(const Root *root) { return root->edges > 0 && root->plies == 0; }

/* The first end that its own plan may come to, or PLAY_ENDS. */
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

/* The node of a cell; NOWHERE: it is none. */
static uint32_t node_of(const Maze *maze, uint64_t cell)
{
    if (cell >= maze->proof->index.size || !fails(&maze->proof->root[cell])) return NOWHERE;
    const uint64_t *found =
        bsearch(&cell, maze->cell, maze->nodes, sizeof *maze->cell, compare_cells);
    return (uint32_t)(found - maze->cell);
}

static void maze_free(Maze *maze)
{
    free(maze->cell);
    free(maze->first);
    free(maze->to);
    free(maze->before);
    free(maze->from);
    free(maze->place);
    free(maze->circle);
    for (int i = 0; i < 3; i++) free(maze->work[i]);
    free(maze->led);
}

/* The ways back, from those forth. */
static void turn_round(Maze *maze)
{
    const uint32_t n = maze->nodes;
    for (uint32_t i = 0; i < maze->first[n]; i++) maze->before[maze->to[i] + 1]++;
    for (uint32_t i = 0; i < n; i++) maze->before[i + 1] += maze->before[i];
    memcpy(maze->work[0], maze->before, n * sizeof *maze->before);
    for (uint32_t node = 0; node < n; node++)
        for (uint32_t i = maze->first[node]; i < maze->first[node + 1]; i++)
            maze->from[maze->work[0][maze->to[i]]++] = node;
}

static bool maze_lay_out(Maze *maze)
{
    const Proof *proof = maze->proof;
    uint64_t nodes = 0, ways = 0;
    for (uint64_t cell = 0; cell < proof->index.size; cell++) {
        nodes += fails(&proof->root[cell]);
        if (fails(&proof->root[cell])) ways += proof->root[cell].edges;
    }
    if (ways >= NOWHERE) return false;
    const size_t n = (size_t)nodes + 1;
    maze->cell = malloc(n * sizeof *maze->cell);
    maze->first = calloc(n, sizeof *maze->first);
    maze->to = malloc((ways + 1) * sizeof *maze->to);
    maze->before = calloc(n, sizeof *maze->before);
    maze->from = malloc((ways + 1) * sizeof *maze->from);
    maze->place = malloc(n * sizeof *maze->place);
    maze->circle = malloc(n * sizeof *maze->circle);
    maze->led = calloc(n, sizeof *maze->led);
    bool room = maze->cell && maze->first && maze->to && maze->before && maze->from &&
                maze->place && maze->circle && maze->led;
    for (int i = 0; i < 3; i++) {
        maze->work[i] = calloc(n, sizeof *maze->work[i]);
        room = room && maze->work[i] != NULL;
    }
    if (!room) return false;
    for (uint64_t cell = 0; cell < proof->index.size; cell++)
        if (fails(&proof->root[cell])) maze->cell[maze->nodes++] = cell;
    for (uint32_t node = 0; node < maze->nodes; node++) {
        const Root *root = &proof->root[maze->cell[node]];
        maze->first[node + 1] = maze->first[node];
        for (uint32_t i = 0; i < root->edges; i++) {
            const uint32_t to = node_of(maze, root->edge[i] >> PLIES_BITS);
            if (to != NOWHERE) maze->to[maze->first[node + 1]++] = to;
        }
    }
    turn_round(maze);
    return true;
}

/* ---- Circles --------------------------------------------------------------------------------- */

/* Tarjan's search for strongly connected parts, without recursion. work: the number of a node in the order in which
 * they are met (0: not yet), the way that is looked at, and nodes that wait for their part; `place` serves as the
 * lowest number that is reached. */
typedef struct Tarjan {
    uint32_t *met, *way, *waiting, *lowest;
    uint32_t count, stack;
} Tarjan;

/* All of a part: its first node stands for them. */
static void close_part(Maze *maze, Tarjan *t, uint32_t node)
{
    uint32_t bottom = t->stack, first = NOWHERE;
    do {
        bottom--;
        if (t->waiting[bottom] < first) first = t->waiting[bottom];
    } while (t->waiting[bottom] != node);
    while (t->stack > bottom) maze->circle[t->waiting[--t->stack]] = first;
}

static void search_from(Maze *maze, Tarjan *t, uint32_t start, uint32_t *path)
{
    uint32_t depth = 1;
    path[0] = start;
    while (depth > 0) {
        const uint32_t node = path[depth - 1];
        if (t->met[node] == 0) {
            t->met[node] = t->lowest[node] = ++t->count;
            t->way[node] = maze->first[node];
            t->waiting[t->stack++] = node;
        }
        if (t->way[node] < maze->first[node + 1]) {
            const uint32_t to = maze->to[t->way[node]];
            if (t->met[to] == 0) {
                path[depth++] = to;
                continue; /* and look at this way again when that is done */
            }
            if (maze->circle[to] == NOWHERE && t->lowest[to] < t->lowest[node])
                t->lowest[node] = t->lowest[to];
            t->way[node]++;
            continue;
        }
        if (t->lowest[node] == t->met[node]) close_part(maze, t, node);
        depth--;
    }
}

static bool find_circles(Maze *maze)
{
    Tarjan t = {.met = maze->work[0], .way = maze->work[1], .waiting = maze->work[2]};
    uint32_t *path = malloc((maze->nodes + (size_t)1) * sizeof *path);
    if (path == NULL) return false;
    t.lowest = maze->place;
    memset(t.met, 0, maze->nodes * sizeof *t.met);
    for (uint32_t node = 0; node < maze->nodes; node++) maze->circle[node] = NOWHERE;
    for (uint32_t node = 0; node < maze->nodes; node++)
        if (t.met[node] == 0) search_from(maze, &t, node, path);
    free(path);
    return true;
}

/* Whether a node is in a circle: with others, or it leads to itself. */
static bool goes_round(const Maze *maze, uint32_t node)
{
    for (uint32_t i = maze->first[node]; i < maze->first[node + 1]; i++)
        if (maze->circle[maze->to[i]] == maze->circle[node]) return true;
    return false;
}

/* ---- Places ---------------------------------------------------------------------------------- */

/* From all places backwards at once: each node hears first of the nearest. */
static void lead(Maze *maze)
{
    uint32_t *queue = maze->work[0], head = 0, tail = 0;
    for (uint32_t node = 0; node < maze->nodes; node++) {
        const Root *root = &maze->proof->root[maze->cell[node]];
        maze->place[node] = own_end(maze->proof, root) < PLAY_ENDS ? node
                            : goes_round(maze, node)               ? maze->circle[node]
                                                                   : NOWHERE;
        if (maze->place[node] != NOWHERE) queue[tail++] = node;
    }
    while (head < tail) {
        const uint32_t node = queue[head++];
        maze->led[maze->place[node]]++;
        for (uint32_t i = maze->before[node]; i < maze->before[node + 1]; i++) {
            const uint32_t from = maze->from[i];
            if (maze->place[from] != NOWHERE) continue;
            maze->place[from] = maze->place[node];
            queue[tail++] = from;
        }
    }
}

/* Among those to which most are led; of equals those that come first in the table. */
static void note_place(const Maze *maze, uint32_t node)
{
    const Proof *proof = maze->proof;
    PlayReport *r = proof->report;
    const size_t most = proof->query->shown;
    const Root *root = &proof->root[maze->cell[node]];
    const PlayEnd end = own_end(proof, root);
    r->place_count++;
    if (r->places == most && (most == 0 || maze->led[node] <= r->place[most - 1].led)) return;
    size_t at = r->places < most ? r->places++ : most - 1;
    for (; at > 0 && r->place[at - 1].led < maze->led[node]; at--) r->place[at] = r->place[at - 1];
    r->place[at] = (PlayPlace){.end = end < PLAY_ENDS ? end : PLAY_CIRCLE,
                               .led = maze->led[node],
                               .advice = root->advice < STRATEGY_ADVICE_MAX ? root->advice : -1};
    play_position_of(proof, maze->cell[node], &r->place[at].pos);
}

treb_status play_find_places(Proof *proof, treb_error *error)
{
    Maze maze = {.proof = proof};
    const bool room = maze_lay_out(&maze) && find_circles(&maze);
    if (room) lead(&maze);
    for (uint32_t node = 0; room && node < maze.nodes; node++)
        if (maze.led[node] > 0) note_place(&maze, node);
    maze_free(&maze);
    return room ? TREB_OK : fail_memory(error);
}
