/* structure.c - see structure.h. */
#include "pawns/solve/structure.h"

#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "core/chess/movegen.h"

/* ---- Edges ----------------------------------------------------------------------------------- */

/* The edges of one side. They are listed twice: first only counted, while `edge` is NULL. */
typedef struct EdgeList {
    const CellsKey *key;
    int side;
    Edge *edge;
    EdgeChild *answer;
    size_t edges, answers;
} EdgeList;

/* Sets the child of an edge: the given pawns, the pieces without `victim`, and a promoted piece
 * unless `promo` is 0. */
static void set_child(const CellsKey *key, Edge *edge, const uint64_t pawns[2], int side, int promo)
{
    CellsKey *child = &edge->child.key;
    memset(child, 0, sizeof *child);
    child->pawns[0] = pawns[0];
    child->pawns[1] = pawns[1];
    int8_t origin[CELLS_PIECES_MAX + 1];
    CellsPiece man[CELLS_PIECES_MAX + 1];
    int men = 0;
    CellsPiece promoted = {(uint8_t)side, (uint8_t)promo};
    bool placed = promo == 0;
    for (int i = 0; i <= key->pieces; i++) {
        /* The promoted piece comes after pieces equal to it, in the order of cells_sort(). */
        bool end = i == key->pieces;
        if (!placed &&
            (end || (key->piece[i].color << 3 | key->piece[i].type) > (side << 3 | promo))) {
            origin[men] = EDGE_NEW;
            man[men++] = promoted;
            placed = true;
        }
        if (end || i == edge->victim) continue;
        origin[men] = (int8_t)i;
        man[men++] = key->piece[i];
    }
    edge->child.beyond = men > CELLS_PIECES_MAX;
    if (edge->child.beyond) return;
    child->pieces = (uint8_t)men;
    memcpy(child->piece, man, men * sizeof *man);
    memcpy(edge->place, origin, men);
}

/* Sets the answer of a promotion: the structure after the new piece is captured, which is the child
 * without it. */
static void set_recapture(Edge *edge)
{
    CellsKey *key = &edge->answer->key;
    edge->promotes = true;
    *edge->answer = (EdgeChild){.structure = NULL};
    key->pawns[0] = edge->child.key.pawns[0];
    key->pawns[1] = edge->child.key.pawns[1];
    for (int i = 0; i < edge->child.key.pieces; i++)
        if (edge->place[i] != EDGE_NEW) key->piece[key->pieces++] = edge->child.key.piece[i];
}

/* Sets the answers en passant to a double push: the child's pieces with the pawns after the
 * capture. */
static void set_answers(Edge *edge, const ConversionKind *kind)
{
    edge->captures = (uint8_t)kind->answers;
    for (int i = 0; i < kind->answers; i++) {
        edge->answer[i] = edge->child;
        for (int color = 0; color < 2; color++)
            edge->answer[i].key.pawns[color] = kind->answer[i][color];
    }
}

/* Adds the edge of a kind of move, or only counts it. */
static bool add_edge(void *context, const ConversionKind *kind)
{
    EdgeList *list = context;
    /* With two pieces, looking at recaptures costs more than it saves. */
    const bool recapture = kind->promo != 0 && list->key->pieces < 2;
    const size_t at = list->edges++, answers = list->answers;
    list->answers += (size_t)kind->answers + recapture;
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
    if (recapture) set_recapture(edge);
    return true;
}

#ifndef NDEBUG
/* Whether a position can have these pawns and pieces, and the pieces are in order. */
static bool key_ok(const CellsKey *key)
{
    CellsKey sorted = *key;
    if (key->pieces > CELLS_PIECES_MAX || key->zero != 0) return false;
    cells_sort(&sorted);
    return memcmp(&sorted, key, sizeof sorted) == 0 && (key->pawns[0] & key->pawns[1]) == 0 &&
           (cells_pawns(key) & (rank_bits(0) | rank_bits(7))) == 0;
}

/* Whether each edge leads to a smaller potential, so that there are no cycles of structures. */
static bool edges_fall(const Structure *structure)
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < structure->edges[side]; i++) {
            const EdgeChild *child = &structure->edge[side][i].child;
            if (child->beyond) continue;
            if (!key_ok(&child->key) || cells_potential(&child->key) >= structure->potential)
                return false;
        }
    return true;
}
#endif

/* Lists the edges of one side. False without memory. */
static bool list_edges(Structure *structure, int side)
{
    const CellsKey *key = &structure->key;
    EdgeList list = {.key = key, .side = side};
    uint8_t color[CELLS_PIECES_MAX];
    for (int i = 0; i < key->pieces; i++) color[i] = key->piece[i].color;
    ConversionBoard board = {{key->pawns[0], key->pawns[1]}, color, key->pieces};
    conversion_each(&board, side, add_edge, &list);
    const size_t edges = list.edges * sizeof(Edge), answers = list.answers * sizeof(EdgeChild);
    if (edges == 0) return true;
    list.edge = malloc(edges + answers);
    if (list.edge == NULL) return false;
    list.answer = (EdgeChild *)(list.edge + list.edges);
    structure->edge[side] = list.edge;
    structure->edges[side] = (int)list.edges;
    structure->edge_bytes += (uint32_t)(edges + answers);
    list.edges = list.answers = 0;
    conversion_each(&board, side, add_edge, &list);
    return true;
}

/* ---- Structures
 * -------------------------------------------------------------------------------- */

Structure *structure_new(const CellsKey *key)
{
    assert(key_ok(key));
    Structure *structure = calloc(1, sizeof *structure);
    if (structure == NULL) return NULL;
    structure->key = *key;
    structure->only_winner = BOTH_WINNERS;
    structure->men = 2 + key->pieces + bit_count(cells_pawns(key));
    structure->potential = cells_potential(key);
    if (list_edges(structure, TREB_WHITE) && list_edges(structure, TREB_BLACK)) {
        assert(edges_fall(structure));
        return structure;
    }
    structure_free(structure);
    return NULL;
}

void structure_each_child(Structure *structure, void (*visit)(void *context, EdgeChild *child),
                          void *context)
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < structure->edges[side]; i++) {
            Edge *edge = &structure->edge[side][i];
            visit(context, &edge->child);
            for (int e = 0; e < edge->captures + edge->promotes; e++)
                visit(context, &edge->answer[e]);
        }
}

void structure_decide_for(Structure *structure, int winner)
{
    for (int level = MAYBE; level < LEVELS; level++)
        for (int side = 0; side < 2; side++) {
            uint64_t **set = &structure->won[level][winner][side];
            uint64_t *sure = structure->won[SURE][winner][side];
            if (*set != sure) free(*set);
            *set = sure;
        }
    structure->decided = structure_decided_for(structure, 0) && structure_decided_for(structure, 1);
}

void structure_free(Structure *structure)
{
    if (structure == NULL) return;
    for (int side = 0; side < 2; side++) {
        free(structure->edge[side]);
        free(structure->legal[side]);
        free(structure->stuck[side]);
        free(structure->asked[side]);
        for (int winner = 0; winner < 2; winner++) free(structure->wanted[winner][side]);
    }
    for (int winner = 0; winner < 2; winner++) {
        const int level = structure->only_winner == !winner ? MAYBE : SURE;
        if (structure->only_winner == BOTH_WINNERS) structure_decide_for(structure, winner);
        free(structure->won[level][winner][0]);
        free(structure->won[level][winner][1]);
    }
    free(structure);
}

/* Adds cells to a word of a set. Other threads may read other cells of the word at the same
 * time. */
static void note_cell(uint64_t *set, size_t word, uint64_t cell)
{
    __atomic_fetch_or(&set[word], cell, __ATOMIC_RELAXED);
}

/* Asks the oracle for cells of a word. False if it cannot answer. */
static bool ask_cells(Structure *f, int side, size_t word, uint64_t cells)
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

void structure_ask_oracle(Structure *f, int side, size_t word, uint64_t cells)
{
    if (f->oracle == NULL || structure_failed(f)) return;
    uint64_t *filled = &f->asked[side][word];
    cells &= f->legal[side][word];
    if ((cells & ~__atomic_load_n(filled, __ATOMIC_ACQUIRE)) == 0) return;
    while (__atomic_test_and_set(&f->asking, __ATOMIC_ACQUIRE)) sched_yield();
    if (!ask_cells(f, side, word, cells & ~*filled)) structure_fail(f);
    __atomic_store_n(filled, *filled | cells, __ATOMIC_RELEASE);
    __atomic_clear(&f->asking, __ATOMIC_RELEASE);
}

/* Bytes of a structure with this number of sets, the allocator's overhead included. */
static uint64_t bytes_of(const CellsKey *key, int sets)
{
    enum { HEAD = 16 };
    return (uint64_t)sets * (cells_words(key) * sizeof(uint64_t) + HEAD) + sizeof(Structure) +
           3 * HEAD;
}

uint64_t structure_bytes_most(const CellsKey *key) { return bytes_of(key, 4 + 4 * LEVELS); }

uint64_t structure_bytes(const Structure *structure)
{
    int decided = structure_decided_for(structure, 0) + structure_decided_for(structure, 1);
    int sets = structure->only_winner != BOTH_WINNERS
                   ? 8
                   : 4 + 4 * LEVELS - decided * 2 * (LEVELS - 1) + (structure->oracle ? 2 : 0);
    return bytes_of(&structure->key, sets) + structure->edge_bytes;
}

void structure_placements(const Structure *f, int winner, uint64_t won[2][64], uint64_t open[2][64])
{
    const bool known = f->solved || f->oracle != NULL;
    for (int side = 0; side < 2; side++)
        for (size_t w = 0; w < 64; w++) {
            const uint64_t legal = f->legal[side][w];
            won[side][w] = known ? f->won[SURE][winner][side][w] & legal : 0;
            open[side][w] = known ? word_open(f, winner, side, w) & legal : legal;
        }
}

/* The sure and guessed wins of the side that is not looked for: never written to. */
static const uint64_t no_cells[64 * CELLS_ROW];

/* Allocates the sets of a structure with `only_winner`, whose `legal` sets are there. */
static bool allocate_only(Structure *structure)
{
    const int winner = structure->only_winner;
    const size_t words = cells_words(&structure->key);
    assert(structure->key.pieces <= 1 && structure->oracle == NULL);
    for (int side = 0; side < 2; side++) {
        uint64_t *sure = calloc(words, sizeof *sure), *others = malloc(words * sizeof *others);
        for (int level = SURE; level < LEVELS; level++) {
            /* Both are shared and never written to as long as only_winner is set. */
            structure->won[level][winner][side] = level == MAYBE ? structure->legal[side] : sure;
            structure->won[level][!winner][side] = level == MAYBE ? others : (uint64_t *)no_cells;
        }
        if (sure == NULL || others == NULL) return false;
        memcpy(others, structure->legal[side], words * sizeof *others);
    }
    return true;
}

void structure_note_not_won(Structure *f)
{
    for (int side = 0; side < 2; side++)
        for (size_t w = 0; w < cells_words(&f->key); w++)
            f->won[MAYBE][!f->only_winner][side][w] =
                f->legal[side][w] & ~f->won[SURE][f->only_winner][side][w];
}

bool structure_widen(Structure *structure)
{
    const int winner = structure->only_winner;
    const size_t bytes = cells_words(&structure->key) * sizeof(uint64_t);
    uint64_t *set[8], **at[8];
    bool good = true;
    for (int side = 0, i = 0; side < 2; side++) {
        at[i++] = &structure->won[MAYBE][winner][side];
        at[i++] = &structure->won[GUESS][winner][side];
        at[i++] = &structure->won[SURE][!winner][side];
        at[i++] = &structure->won[GUESS][!winner][side];
    }
    for (int i = 0; i < 8; i++) good = (set[i] = malloc(bytes)) != NULL && good;
    for (int i = 0; i < 8; i++) {
        if (!good)
            free(set[i]);
        else
            *at[i] = memcpy(set[i], *at[i], bytes);
    }
    if (!good) return false;
    structure->only_winner = BOTH_WINNERS;
    structure->stale = true;
    return true;
}

bool structure_allocate(Structure *structure)
{
    size_t words = cells_words(&structure->key);
    bool good = true;
    for (int side = 0; side < 2; side++) {
        good = good && (structure->legal[side] = malloc(words * sizeof(uint64_t))) != NULL;
        good = good && (structure->stuck[side] = calloc(words, sizeof(uint64_t))) != NULL;
        for (int i = 0; i < 2 * LEVELS && structure->only_winner == BOTH_WINNERS; i++)
            good = good && (structure->won[i / 2][i % 2][side] = calloc(words, 8)) != NULL;
    }
    if (good) cells_legal(&structure->key, structure->legal, NULL);
    if (structure->only_winner != BOTH_WINNERS) return good && allocate_only(structure);
    for (int side = 0; side < 2 && good && structure->oracle != NULL; side++)
        good = (structure->asked[side] = calloc(words, sizeof(uint64_t))) != NULL;
    for (int winner = 0; winner < 2 && structure->oracle != NULL; winner++)
        structure_decide_for(structure, winner);
    return good;
}
