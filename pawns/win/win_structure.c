/* win_structure.c - see win_structure.h. */
#include "pawns/win/win_structure.h"

#include "core/system/hash.h"
#include "pawns/cells/guess.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/system.h"
#include "core/system/tool.h"
#include "pawns/cells/retrograde.h"

/* ---- Edges ----------------------------------------------------------------------------------- */

typedef struct EdgeList {
    const CellsKey *key;
    int side, count;
    WinEdge *edge;
} EdgeList;

static bool is_left_out(const EdgeList *list, const ConversionKind *kind)
{
    if (kind->promo != 0 && kind->promo != TREB_QUEEN) return true;
    if (list->side == TREB_BLACK) return false;
    if (list->key->pieces > 0 &&
        (kind->promo != 0 || (kind->mover == CONVERSION_PAWN && kind->victim == CONVERSION_NOBODY)))
        return true;
    /* Answers en passant are not followed. The pawn can still go one step. */
    return kind->answers > 0;
}

static bool list_edge(void *context, const ConversionKind *kind)
{
    EdgeList *list = context;
    if (is_left_out(list, kind)) return true;
    if (list->count == WIN_EDGES_MAX) return false;
    WinEdge *edge = &list->edge[list->count++];
    *edge = (WinEdge){.kind = *kind, .to = {.pawns = {kind->pawns[0], kind->pawns[1]}}};
    const bool queen = (list->key->pieces > 0 && kind->victim != 0) ||
                       (kind->promo != 0 && list->side == TREB_WHITE);
    if (queen) edge->to.piece[edge->to.pieces++] = (CellsPiece){TREB_WHITE, TREB_QUEEN};
    return true;
}

int win_edges(const CellsKey *key, int side, WinEdge edge[WIN_EDGES_MAX])
{
    static const uint8_t white = TREB_WHITE;
    EdgeList list = {key, side, 0, edge};
    const ConversionBoard board = {{key->pawns[0], key->pawns[1]}, &white, key->pieces};
    conversion_each(&board, side, list_edge, &list);
    return list.count;
}

/* ---- Structures
 * -------------------------------------------------------------------------------- */

static uint32_t bucket_of(const CellsKey *key)
{
    uint64_t hash = (key->pawns[0] + key->pieces) * HASH_FACTOR;
    hash = (hash ^ hash >> 29 ^ key->pawns[1]) * HASH_FACTOR_2;
    hash = (hash ^ hash >> 32) * HASH_FACTOR_3;
    return (uint32_t)(hash >> (64 - WIN_BUCKET_BITS));
}

bool win_grow(void **list, int32_t count, int32_t *capacity, size_t size)
{
    if (count < *capacity) return true;
    int32_t larger = *capacity ? 2 * *capacity : 16;
    void *grown = realloc(*list, (size_t)larger * size);
    if (grown == NULL) return false;
    *list = grown;
    *capacity = larger;
    return true;
}

int32_t win_structure_find(WinSearch *s, const CellsKey *key, bool add)
{
    uint32_t bucket = bucket_of(key);
    for (int32_t i = s->bucket[bucket]; i >= 0; i = s->structure[i]->next)
        if (memcmp(&s->structure[i]->key, key, sizeof *key) == 0) return i;
    if (!add) return WIN_NONE;
    const int p = cells_potential(key);
    WinStructure *f = win_alloc(s, sizeof *f);
    if (f == NULL ||
        !win_grow((void **)&s->structure, s->count, &s->capacity, sizeof *s->structure) ||
        !win_grow((void **)&s->by_potential[p], s->of_potential[p], &s->capacity_of_potential[p],
                  sizeof(int32_t))) {
        s->failed = true;
        return WIN_NONE;
    }
    f->key = *key;
    f->potential = p;
    f->next = s->bucket[bucket];
    s->bytes += sizeof *f + 2 * sizeof(int32_t);
    s->structure[s->count] = f;
    s->by_potential[p][s->of_potential[p]++] = s->count;
    return s->bucket[bucket] = s->count++;
}

enum { CHUNK = 8 << 20, LARGE_PAGE = 2 << 20 }; /* bytes */

void *win_alloc(WinSearch *s, size_t bytes)
{
    WinArena *m = &s->arena;
    bytes = (bytes + 63) / 64 * 64;
    if (m->left < bytes) {
        const size_t size =
            bytes > CHUNK ? (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE : CHUNK;
        if (!win_grow((void **)&m->chunk, m->chunks, &m->capacity, sizeof *m->chunk)) return NULL;
        char *chunk = system_aligned(LARGE_PAGE, size);
        if (chunk == NULL) return NULL;
        /* With small pages the page faults cost more time than the work itself. */
        tool_large_pages(chunk, size);
        m->chunk[m->chunks++] = chunk;
        m->left = size;
        m->end = chunk + size;
    }
    char *at = m->end - m->left;
    m->left -= bytes;
    return memset(at, 0, bytes);
}

void win_arena_free(WinArena *m)
{
    for (int32_t i = 0; i < m->chunks; i++) system_aligned_free(m->chunk[i]);
    free(m->chunk);
}

WinBuffers *win_buffers(WinSearch *s)
{
    static const CellsKey largest = {.piece = {{TREB_WHITE, TREB_QUEEN}}, .pieces = 1};
    const size_t words = cells_words(&largest);
    WinBuffers *buffers = &s->buffers[omp_get_thread_num()];
    if (buffers->sets != NULL) return buffers;
    buffers->sets = malloc(
        (WIN_SETS * words + retrograde_work_words(&largest)) * sizeof *buffers->sets + 64 * words);
    if (buffers->sets == NULL) return NULL;
    buffers->work = buffers->sets + WIN_SETS * words;
    buffers->plies = (uint8_t *)(buffers->work + retrograde_work_words(&largest));
    return buffers;
}

void win_structure_forget_exits(WinSearch *search, WinStructure *f)
{
    if (f->exit == NULL) return;
    __atomic_fetch_sub(&search->bytes, (size_t)f->exits * sizeof *f->exit, __ATOMIC_RELAXED);
    free(f->exit);
    f->exit = NULL;
}

bool win_structure_expand(WinSearch *s, WinStructure *f)
{
    WinEdge edge[WIN_EDGES_MAX];
    int32_t child[2 * WIN_EDGES_MAX];
    const size_t words = cells_words(&f->key);
    int count = 0;
    for (int side = 0; side < 2; side++) {
        int edges = win_edges(&f->key, side, edge);
        for (int i = 0; i < edges; i++) child[count++] = win_structure_find(s, &edge[i].to, true);
    }
    f->child = win_alloc(s, (size_t)(count + 1) * sizeof *f->child);
    f->not_won = win_alloc(s, 2 * words * sizeof *f->not_won);
    const bool queen = f->key.pieces > 0, with_plies = queen && s->bytes < s->limits.memory / 4 * 3;
    if (with_plies) f->plies = win_alloc(s, 64 * words);
    if (!queen) f->before = win_alloc(s, (CELLS_ROW + 1) * sizeof *f->before);
    s->failed = s->failed || (with_plies && f->plies == NULL) || (!queen && f->before == NULL);
    s->failed = s->failed || f->child == NULL || f->not_won == NULL;
    if (s->failed) return false;
    memcpy(f->child, child, (size_t)count * sizeof *child);
    f->child[count] = WIN_NONE;
    f->lost = f->not_won + words;
    f->unsolved = true;
    s->bytes += (with_plies ? 64 * words
                 : queen    ? 0
                            : (CELLS_ROW + 1) * sizeof *f->before) +
                2 * words * sizeof *f->not_won + (size_t)(count + 1) * sizeof *f->child;
    return true;
}

/* ---- What is known, or guessed --------------------------------------------------------------- */

/* The squares of the black king with which Black is not in check and can promote with the next
 * move, so that neither the white queen nor the white king prevents it. */
static uint64_t promotes_next(const CellsKey *key, int queen, int king)
{
    const uint64_t pawns = cells_pawns(key);
    uint64_t free = key->pawns[TREB_BLACK] >> 8 & rank_bits(0) &
                    ~(king_attacks(king) | square_bit(queen) | square_bit(king));
    if (free == 0) return 0;
    const uint64_t attacks = piece_attacks(TREB_QUEEN, queen, pawns | square_bit(king));
    const uint64_t quiet = ~(attacks | pawns_attack(TREB_WHITE, key->pawns[TREB_WHITE]));
    free &= ~attacks;
    if (free == 0) return 0;
    return bit_many(free) ? quiet : quiet & ~free;
}

/* With a queen White is guessed to win unless Black promotes next or can capture the queen. Returns
 * those of the legal cells of one word with Black to move that are guessed to be lost. */
static uint64_t guess_word(const CellsKey *key, int queen, int king, uint64_t legal)
{
    if (legal == 0 || bit_test(pawns_attack(TREB_BLACK, key->pawns[TREB_BLACK]), queen)) return 0;
    if (!bit_test(pawns_attack(TREB_WHITE, key->pawns[TREB_WHITE]) | king_attacks(king), queen))
        legal &= ~king_attacks(queen);
    return legal & ~promotes_next(key, queen, king);
}

/* Sets `out` to the cells of a structure of kings and pawns, `side` to move, in which White is
 * guessed to win: she promotes first, or nobody runs and she has at least as many pawns. Too many
 * wins do no harm: the search corrects those that the strategy needs. */
static void guess_race(const CellsKey *key, int side, uint64_t out[CELLS_ROW])
{
    Guess guess;
    guess_start(&guess, key, TREB_WHITE);
    guess.ahead = bit_count(key->pawns[TREB_WHITE]) >= bit_count(key->pawns[TREB_BLACK]);
    guess_row(&guess, side, 0, out);
}

uint64_t win_lost_word(const WinStructure *f, size_t row, int king)
{
    uint64_t race[CELLS_ROW];
    if (f->lost != NULL) return f->lost[row * CELLS_ROW + (size_t)king];
    const uint64_t legal = cells_legal_word(&f->key, TREB_BLACK, row, king);
    if (f->key.pieces > 0) return guess_word(&f->key, (int)row, king, legal);
    guess_race(&f->key, TREB_BLACK, race);
    return legal & race[king];
}

const uint64_t *win_lost_row(const WinStructure *f, size_t row, uint64_t room[CELLS_ROW])
{
    if (f->lost != NULL) return f->lost + row * CELLS_ROW;
    uint64_t race[CELLS_ROW];
    cells_legal_row(&f->key, TREB_BLACK, row, room);
    if (f->key.pieces == 0) guess_race(&f->key, TREB_BLACK, race);
    for (int king = 0; king < CELLS_ROW; king++)
        room[king] = f->key.pieces == 0 ? room[king] & race[king]
                                        : guess_word(&f->key, (int)row, king, room[king]);
    return room;
}

const uint64_t *win_not_won_row(const WinStructure *f, size_t row, uint64_t room[CELLS_ROW])
{
    if (f->not_won != NULL) return f->not_won + row * CELLS_ROW;
    if (f->key.pieces > 0) {
        memset(room, 0, CELLS_ROW * sizeof *room);
        return room;
    }
    uint64_t race[CELLS_ROW];
    cells_legal_row(&f->key, TREB_WHITE, row, room);
    guess_race(&f->key, TREB_WHITE, race);
    for (int king = 0; king < CELLS_ROW; king++) room[king] &= ~race[king];
    return room;
}

uint64_t win_promotes(const CellsKey *key, const WinEdge *edge, size_t row, int king,
                      uint64_t legal)
{
    const ConversionKind *kind = &edge->kind;
    uint64_t path = kind->victim == CONVERSION_NOBODY ? square_bit(kind->to) : 0;
    uint64_t attacked = pawns_attack(TREB_WHITE, kind->pawns[TREB_WHITE]);
    if (bit_test(path, king)) return 0;
    if (key->pieces > 0) {
        if (bit_test(path, (int)row) || (kind->victim == 0) != ((int)row == kind->to)) return 0;
        if (kind->victim != 0)
            attacked |= piece_attacks(TREB_QUEEN, (int)row,
                                      kind->pawns[0] | kind->pawns[1] | square_bit(king) |
                                          square_bit(kind->to));
    }
    return legal & ~path & ~attacked;
}
