/* family.c - families and their edges: see family.h. */
#include "blocked/family.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/movegen.h"

/* ---- Edges ----------------------------------------------------------------------------------- */

/* Grows with every pawn, piece and step that pawns have before them. */
static int potential_of(const CellsKey *key)
{
    int sum = key->men;
    for (int color = 0; color < 2; color++)
        for (uint64_t pawns = key->pawns[color]; pawns != 0;) {
            int rank = square_rank(bit_pop(&pawns));
            sum += 8 + (color == TREB_WHITE ? 7 - rank : rank);
        }
    return sum;
}

typedef struct EdgeList {
    const CellsKey *key;
    int side;
    Edge *edge;
    int count, capacity;
    bool failed;
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

static Edge *add(EdgeList *list, Edge edge, const uint64_t pawns[2], int promo)
{
    if (list->count == list->capacity) {
        int capacity = list->capacity ? 2 * list->capacity : 8;
        Edge *grown = realloc(list->edge, capacity * sizeof *grown);
        if (grown == NULL) {
            list->failed = true;
            return NULL;
        }
        list->edge = grown;
        list->capacity = capacity;
    }
    set_child(list->key, &edge, pawns, list->side, promo);
    list->edge[list->count] = edge;
    return &list->edge[list->count++];
}

static const Edge plain = {.victim = EDGE_NOBODY, .from = -1, .to = -1, .between = -1};

/* A pawn arrives on edge.to; `pawns` are without it. Returns the edge, of several the last. */
static Edge *add_arrival(EdgeList *list, Edge edge, const uint64_t pawns[2])
{
    uint64_t after[2] = {pawns[0], pawns[1]};
    if (bit_test(rank_bits(0) | rank_bits(7), edge.to)) {
        for (int promo = TREB_QUEEN; promo > TREB_KNIGHT; promo--) add(list, edge, after, promo);
        return add(list, edge, after, TREB_KNIGHT);
    }
    after[list->side] |= square_bit(edge.to);
    return add(list, edge, after, 0);
}

/* The answers en passant to the double push just added. */
static void add_en_passant(EdgeList *list, Edge *push, const uint64_t pawns[2])
{
    int side = list->side;
    if (push == NULL) return;
    for (uint64_t takers = pawn_attacks(side, push->between) & pawns[!side]; takers != 0;) {
        EdgeChild *to = &push->en_passant[push->captures++];
        *to = push->child;
        to->key.pawns[side] &= ~square_bit(push->to);
        to->key.pawns[!side] ^= square_bit(bit_pop(&takers)) | square_bit(push->between);
    }
}

static void add_pushes(EdgeList *list, int from)
{
    int side = list->side, step = side == TREB_WHITE ? 8 : -8, home = side == TREB_WHITE ? 1 : 6;
    uint64_t all = cells_pawns(list->key), pawns[2] = {list->key->pawns[0], list->key->pawns[1]};
    Edge edge = plain;
    edge.mover = EDGE_PAWN;
    edge.from = (int8_t)from;
    edge.to = (int8_t)(from + step);
    if (bit_test(all, edge.to)) return;
    pawns[side] ^= square_bit(from);
    add_arrival(list, edge, pawns);
    if (square_rank(from) != home || bit_test(all, from + 2 * step)) return;
    edge.between = edge.to;
    edge.to = (int8_t)(from + 2 * step);
    add_en_passant(list, add_arrival(list, edge, pawns), pawns);
}

static void add_pawn_captures(EdgeList *list, int from)
{
    const CellsKey *key = list->key;
    int side = list->side;
    for (uint64_t targets = pawn_attacks(side, from) & ~key->pawns[side]; targets != 0;) {
        uint64_t pawns[2] = {key->pawns[0], key->pawns[1]};
        Edge edge = plain;
        edge.mover = EDGE_PAWN;
        edge.from = (int8_t)from;
        edge.to = (int8_t)bit_pop(&targets);
        pawns[side] ^= square_bit(from);
        if (bit_test(key->pawns[!side], edge.to)) {
            pawns[!side] ^= square_bit(edge.to);
            edge.victim = EDGE_PAWN;
            add_arrival(list, edge, pawns);
            continue;
        }
        for (int i = 0; i < key->men; i++) {
            edge.victim = (int8_t)i;
            if (key->man[i].color != side) add_arrival(list, edge, pawns);
        }
    }
}

/* The captures by the king or a piece. */
static void add_captures(EdgeList *list, int mover)
{
    const CellsKey *key = list->key;
    Edge edge = plain;
    edge.mover = (int8_t)mover;
    for (int i = 0; i < key->men; i++) {
        edge.victim = (int8_t)i;
        if (key->man[i].color != list->side) add(list, edge, key->pawns, 0);
    }
    edge.victim = EDGE_PAWN;
    for (uint64_t victims = key->pawns[!list->side]; victims != 0;) {
        uint64_t pawns[2] = {key->pawns[0], key->pawns[1]};
        edge.to = (int8_t)bit_pop(&victims);
        pawns[!list->side] ^= square_bit(edge.to);
        add(list, edge, pawns, 0);
    }
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
            if (!key_ok(&child->key) || potential_of(&child->key) >= family->potential)
                return false;
        }
    return true;
}
#endif

static bool list_edges(Family *family, int side)
{
    EdgeList list = {.key = &family->key, .side = side};
    add_captures(&list, EDGE_KING);
    for (int i = 0; i < family->key.men; i++)
        if (family->key.man[i].color == side) add_captures(&list, i);
    for (uint64_t pawns = family->key.pawns[side]; pawns != 0;) {
        int from = bit_pop(&pawns);
        add_pushes(&list, from);
        add_pawn_captures(&list, from);
    }
    family->edge[side] = list.edge;
    family->edges[side] = list.count;
    return !list.failed;
}

/* ---- Families -------------------------------------------------------------------------------- */

Family *family_new(const CellsKey *key)
{
    assert(key_ok(key));
    Family *family = calloc(1, sizeof *family);
    if (family == NULL) return NULL;
    family->key = *key;
    family->men = 2 + key->men + bit_count(cells_pawns(key));
    family->potential = potential_of(key);
    if (list_edges(family, TREB_WHITE) && list_edges(family, TREB_BLACK)) {
        assert(edges_fall(family));
        return family;
    }
    family_free(family);
    return NULL;
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
        family_settle(family, winner);
        free(family->won[SURE][winner][0]);
        free(family->won[SURE][winner][1]);
    }
    free(family);
}

void family_fill(Family *f, int side, size_t word, uint64_t cells)
{
    if (f->oracle == NULL || f->failed) return;
    cells &= f->legal[side][word] & ~f->filled[side][word];
    f->filled[side][word] |= cells;
    while (cells != 0) {
        treb_position pos;
        int value = 0, king = bit_pop(&cells);
        cells_to_position(&f->key, word << 6 | (Cell)king, side, &pos);
        if (!f->oracle->value(f->oracle->context, &pos, &value)) {
            f->failed = true;
            return;
        }
        if (value != 0) f->won[SURE][value > 0 ? side : !side][side][word] |= square_bit(king);
        if (!movegen_any(&pos)) f->stuck[side][word] |= square_bit(king);
    }
}

uint64_t family_bytes(const CellsKey *key)
{
    return (4 + 4 * LEVELS) * cells_words(key) * sizeof(uint64_t);
}

uint64_t family_bytes_now(const Family *family)
{
    int settled = family_settled(family, 0) + family_settled(family, 1);
    int sets = 4 + 4 * LEVELS - settled * 2 * (LEVELS - 1) + (family->oracle ? 2 : 0);
    return (uint64_t)sets * cells_words(&family->key) * sizeof(uint64_t);
}

bool family_allocate(Family *family)
{
    size_t words = cells_words(&family->key);
    bool good = true;
    for (int side = 0; side < 2; side++) {
        good = good && (family->legal[side] = malloc(words * sizeof(uint64_t))) != NULL;
        good = good && (family->stuck[side] = calloc(words, sizeof(uint64_t))) != NULL;
        for (int i = 0; i < 2 * LEVELS; i++)
            good = good && (family->won[i / 2][i % 2][side] = calloc(words, 8)) != NULL;
    }
    if (good) cells_legal(&family->key, family->legal, NULL);
    for (int side = 0; side < 2 && good && family->oracle != NULL; side++)
        good = (family->filled[side] = calloc(words, sizeof(uint64_t))) != NULL;
    for (int winner = 0; winner < 2 && family->oracle != NULL; winner++)
        family_settle(family, winner);
    return good;
}
