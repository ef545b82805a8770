/* family.c - families and their edges: see family.h. */
#include "pawns/family.h"

#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "core/chess/movegen.h"

/* ---- Edges ----------------------------------------------------------------------------------- */

/* Looked at twice: first to count, when there is no room yet. */
typedef struct EdgeList {
    const CellsKey *key;
    int side;
    Edge *edge;
    EdgeChild *answer;
    size_t edges, answers;
} EdgeList;

/* Fills in the child: the given pawns, the pieces but `victim`, one promoted piece. */
static void set_child(const CellsKey *key, Edge *edge, const uint64_t pawns[2], int side, int promo)
{
    CellsKey *child = &edge->child.key;
    memset(child, 0, sizeof *child);
    child->pawns[0] = pawns[0];
    child->pawns[1] = pawns[1];
    int8_t origin[CELLS_MEN_MAX + 1];
    CellsMan man[CELLS_MEN_MAX + 1];
    int men = 0;
    CellsMan promoted = {(uint8_t)side, (uint8_t)promo};
    bool placed = promo == 0;
    for (int i = 0; i <= key->men; i++) {
        /* The promoted piece comes after those equal to it, as cells_sort would have it. */
        bool end = i == key->men;
        if (!placed && (end || (key->man[i].color << 3 | key->man[i].type) > (side << 3 | promo))) {
            origin[men] = EDGE_NEW;
            man[men++] = promoted;
            placed = true;
        }
        if (end || i == edge->victim) continue;
        origin[men] = (int8_t)i;
        man[men++] = key->man[i];
    }
    edge->child.beyond = men > CELLS_MEN_MAX;
    if (edge->child.beyond) return;
    child->men = (uint8_t)men;
    memcpy(child->man, man, men * sizeof *man);
    memcpy(edge->place, origin, men);
}

/* What is left once a promoted piece is taken: the child without it. */
static void set_retake(Edge *edge)
{
    CellsKey *key = &edge->answer->key;
    edge->promotes = true;
    *edge->answer = (EdgeChild){.family = NULL};
    key->pawns[0] = edge->child.key.pawns[0];
    key->pawns[1] = edge->child.key.pawns[1];
    for (int i = 0; i < edge->child.key.men; i++)
        if (edge->place[i] != EDGE_NEW) key->man[key->men++] = edge->child.key.man[i];
}

/* The answers en passant to a double push: its child's pieces with the pawns as they are then. */
static void set_answers(Edge *edge, const ConversionKind *kind)
{
    edge->captures = (uint8_t)kind->answers;
    for (int i = 0; i < kind->answers; i++) {
        edge->answer[i] = edge->child;
        for (int color = 0; color < 2; color++)
            edge->answer[i].key.pawns[color] = kind->answer[i][color];
    }
}

/* Adds the edge of a kind of move, or counts it. */
static bool add_edge(void *context, const ConversionKind *kind)
{
    EdgeList *list = context;
    /* With two pieces there it costs more than it helps. */
    const bool retake = kind->promo != 0 && list->key->men < 2;
    const size_t at = list->edges++, answers = list->answers;
    list->answers += (size_t)kind->answers + retake;
    if (list->edge == NULL) return true;
    Edge *edge = &list->edge[at];
    *edge = (Edge){.mover = (int8_t)kind->mover,
                   .victim = (int8_t)kind->victim,
                   .from = (int8_t)kind->from,
                   .to = (int8_t)kind->to,
                   .between = (int8_t)kind->between,
                   .answer = list->answers > answers ? list->answer + answers : NULL};
    set_child(list->key, edge, kind->pawns, list->side, kind->promo);
    set_answers(edge, kind);
    if (retake) set_retake(edge);
    return true;
}

#ifndef NDEBUG
/* Whether pawns and pieces are such as a position can have, and pieces in order. */
static bool key_ok(const CellsKey *key)
{
    CellsKey sorted = *key;
    if (key->men > CELLS_MEN_MAX || key->zero != 0) return false;
    cells_sort(&sorted);
    return memcmp(&sorted, key, sizeof sorted) == 0 && (key->pawns[0] & key->pawns[1]) == 0 &&
           (cells_pawns(key) & (rank_bits(0) | rank_bits(7))) == 0;
}

/* Whether each edge leads to less potential, without which families would go round in circles. */
static bool edges_fall(const Family *family)
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < family->edges[side]; i++) {
            const EdgeChild *child = &family->edge[side][i].child;
            if (child->beyond) continue;
            if (!key_ok(&child->key) || cells_potential(&child->key) >= family->potential)
                return false;
        }
    return true;
}
#endif

/* False without memory. */
static bool list_edges(Family *family, int side)
{
    const CellsKey *key = &family->key;
    EdgeList list = {.key = key, .side = side};
    uint8_t color[CELLS_MEN_MAX];
    for (int i = 0; i < key->men; i++) color[i] = key->man[i].color;
    ConversionBoard board = {{key->pawns[0], key->pawns[1]}, color, key->men};
    conversion_each(&board, side, add_edge, &list);
    const size_t edges = list.edges * sizeof(Edge), answers = list.answers * sizeof(EdgeChild);
    if (edges == 0) return true;
    list.edge = malloc(edges + answers);
    if (list.edge == NULL) return false;
    list.answer = (EdgeChild *)(list.edge + list.edges);
    family->edge[side] = list.edge;
    family->edges[side] = (int)list.edges;
    family->edge_bytes += (uint32_t)(edges + answers);
    list.edges = list.answers = 0;
    conversion_each(&board, side, add_edge, &list);
    return true;
}

/* ---- Families -------------------------------------------------------------------------------- */

Family *family_new(const CellsKey *key)
{
    assert(key_ok(key));
    Family *family = calloc(1, sizeof *family);
    if (family == NULL) return NULL;
    family->key = *key;
    family->only = FAMILY_BOTH;
    family->men = 2 + key->men + bit_count(cells_pawns(key));
    family->potential = cells_potential(key);
    if (list_edges(family, TREB_WHITE) && list_edges(family, TREB_BLACK)) {
        assert(edges_fall(family));
        return family;
    }
    family_free(family);
    return NULL;
}

void family_each_child(Family *family, void (*visit)(void *context, EdgeChild *child),
                       void *context)
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < family->edges[side]; i++) {
            Edge *edge = &family->edge[side][i];
            visit(context, &edge->child);
            for (int e = 0; e < edge->captures + edge->promotes; e++)
                visit(context, &edge->answer[e]);
        }
}

void family_settle(Family *family, int winner)
{
    for (int level = MAYBE; level < LEVELS; level++)
        for (int side = 0; side < 2; side++) {
            uint64_t **set = &family->won[level][winner][side];
            uint64_t *sure = family->won[SURE][winner][side];
            if (*set != sure) free(*set);
            *set = sure;
        }
    family->decided = family_settled(family, 0) && family_settled(family, 1);
}

void family_free(Family *family)
{
    if (family == NULL) return;
    for (int side = 0; side < 2; side++) {
        free(family->edge[side]);
        free(family->legal[side]);
        free(family->stuck[side]);
        free(family->filled[side]);
        for (int winner = 0; winner < 2; winner++) free(family->wanted[winner][side]);
    }
    for (int winner = 0; winner < 2; winner++) {
        const int level = family->only == !winner ? MAYBE : SURE;
        if (family->only == FAMILY_BOTH) family_settle(family, winner);
        free(family->won[level][winner][0]);
        free(family->won[level][winner][1]);
    }
    free(family);
}

/* Others may look at other cells of the word meanwhile. */
static void note_cell(uint64_t *set, size_t word, uint64_t cell)
{
    __atomic_fetch_or(&set[word], cell, __ATOMIC_RELAXED);
}

/* Asks for cells of a word that were not asked for. False if the oracle cannot answer. */
static bool ask_cells(Family *f, int side, size_t word, uint64_t cells)
{
    while (cells != 0) {
        treb_position pos;
        int value = 0, king = bit_pop(&cells);
        cells_to_position(&f->key, word << 6 | (Cell)king, side, &pos);
        if (!f->oracle->value(f->oracle->context, &pos, &value)) return false;
        if (value != 0)
            note_cell(f->won[SURE][value > 0 ? side : !side][side], word, square_bit(king));
        if (value <= 0 && !movegen_any(&pos)) note_cell(f->stuck[side], word, square_bit(king));
    }
    return true;
}

void family_fill(Family *f, int side, size_t word, uint64_t cells)
{
    if (f->oracle == NULL || family_failed(f)) return;
    uint64_t *filled = &f->filled[side][word];
    cells &= f->legal[side][word];
    if ((cells & ~__atomic_load_n(filled, __ATOMIC_ACQUIRE)) == 0) return;
    while (__atomic_test_and_set(&f->asking, __ATOMIC_ACQUIRE)) sched_yield();
    if (!ask_cells(f, side, word, cells & ~*filled))
        family_fail(f);
    __atomic_store_n(filled, *filled | cells, __ATOMIC_RELEASE);
    __atomic_clear(&f->asking, __ATOMIC_RELEASE);
}

/* What so many sets take, each with the allocator's own word or two, and what else a family has. */
static uint64_t bytes_of(const CellsKey *key, int sets)
{
    enum { HEAD = 16 };
    return (uint64_t)sets * (cells_words(key) * sizeof(uint64_t) + HEAD) + sizeof(Family) +
           3 * HEAD;
}

uint64_t family_bytes(const CellsKey *key) { return bytes_of(key, 4 + 4 * LEVELS); }

uint64_t family_bytes_now(const Family *family)
{
    int settled = family_settled(family, 0) + family_settled(family, 1);
    int sets = family->only != FAMILY_BOTH
                   ? 8
                   : 4 + 4 * LEVELS - settled * 2 * (LEVELS - 1) + (family->oracle ? 2 : 0);
    return bytes_of(&family->key, sets) + family->edge_bytes;
}

void family_placements(const Family *f, int winner, uint64_t won[2][64], uint64_t open[2][64])
{
    const bool known = f->solved || f->oracle != NULL;
    for (int side = 0; side < 2; side++)
        for (size_t w = 0; w < 64; w++) {
            const uint64_t legal = f->legal[side][w];
            won[side][w] = known ? f->won[SURE][winner][side][w] & legal : 0;
            open[side][w] = known ? word_open(f, winner, side, w) & legal : legal;
        }
}

/* What is not looked for. */
static const uint64_t no_cells[64 * CELLS_ROW];

/* Sets of the winner that is looked for; all others are there already. */
static bool allocate_only(Family *family)
{
    const int winner = family->only;
    const size_t words = cells_words(&family->key);
    assert(family->key.men <= 1 && family->oracle == NULL);
    for (int side = 0; side < 2; side++) {
        uint64_t *sure = calloc(words, sizeof *sure), *others = malloc(words * sizeof *others);
        for (int level = SURE; level < LEVELS; level++) {
            /* `legal` and `no_cells` are never written to. */
            family->won[level][winner][side] = level == MAYBE ? family->legal[side] : sure;
            family->won[level][!winner][side] = level == MAYBE ? others : (uint64_t *)no_cells;
        }
        if (sure == NULL || others == NULL) return false;
        memcpy(others, family->legal[side], words * sizeof *others);
    }
    return true;
}

void family_note_others(Family *f)
{
    for (int side = 0; side < 2; side++)
        for (size_t w = 0; w < cells_words(&f->key); w++)
            f->won[MAYBE][!f->only][side][w] = f->legal[side][w] & ~f->won[SURE][f->only][side][w];
}

bool family_widen(Family *family)
{
    const int winner = family->only;
    const size_t bytes = cells_words(&family->key) * sizeof(uint64_t);
    uint64_t *set[8], **at[8];
    bool good = true;
    for (int side = 0, i = 0; side < 2; side++) {
        at[i++] = &family->won[MAYBE][winner][side];
        at[i++] = &family->won[GUESS][winner][side];
        at[i++] = &family->won[SURE][!winner][side];
        at[i++] = &family->won[GUESS][!winner][side];
    }
    for (int i = 0; i < 8; i++) good = (set[i] = malloc(bytes)) != NULL && good;
    for (int i = 0; i < 8; i++) {
        if (!good)
            free(set[i]);
        else
            *at[i] = memcpy(set[i], *at[i], bytes);
    }
    if (!good) return false;
    family->only = FAMILY_BOTH;
    family->stale = true;
    return true;
}

bool family_allocate(Family *family)
{
    size_t words = cells_words(&family->key);
    bool good = true;
    for (int side = 0; side < 2; side++) {
        good = good && (family->legal[side] = malloc(words * sizeof(uint64_t))) != NULL;
        good = good && (family->stuck[side] = calloc(words, sizeof(uint64_t))) != NULL;
        for (int i = 0; i < 2 * LEVELS && family->only == FAMILY_BOTH; i++)
            good = good && (family->won[i / 2][i % 2][side] = calloc(words, 8)) != NULL;
    }
    if (good) cells_legal(&family->key, family->legal, NULL);
    if (family->only != FAMILY_BOTH) return good && allocate_only(family);
    for (int side = 0; side < 2 && good && family->oracle != NULL; side++)
        good = (family->filled[side] = calloc(words, sizeof(uint64_t))) != NULL;
    for (int winner = 0; winner < 2 && family->oracle != NULL; winner++)
        family_settle(family, winner);
    return good;
}
