/* scout_family.c - see scout_family.h. */
#include "pawns/scout_family.h"

#include "pawns/guess.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "pawns/game.h"

/* ---- Ways out -------------------------------------------------------------------------------- */

typedef struct WayList {
    const CellsKey *key;
    int side, count;
    ScoutWay *way;
} WayList;

static bool is_left_out(const WayList *list, const ConversionKind *kind)
{
    if (kind->promo != 0 && kind->promo != TREB_QUEEN) return true;
    if (list->side == TREB_BLACK) return false;
    if (list->key->men > 0 &&
        (kind->promo != 0 || (kind->mover == CONVERSION_PAWN && kind->victim == CONVERSION_NOBODY)))
        return true;
    /* What an answer en passant does is not looked at; a pawn may go one step. */
    return kind->answers > 0;
}

static bool list_way(void *context, const ConversionKind *kind)
{
    WayList *list = context;
    if (is_left_out(list, kind)) return true;
    if (list->count == SCOUT_WAYS_MAX) return false;
    ScoutWay *way = &list->way[list->count++];
    *way = (ScoutWay){.kind = *kind, .to = {.pawns = {kind->pawns[0], kind->pawns[1]}}};
    const bool queen =
        (list->key->men > 0 && kind->victim != 0) || (kind->promo != 0 && list->side == TREB_WHITE);
    if (queen) way->to.man[way->to.men++] = (CellsMan){TREB_WHITE, TREB_QUEEN};
    return true;
}

int scout_ways(const CellsKey *key, int side, ScoutWay way[SCOUT_WAYS_MAX])
{
    static const uint8_t white = TREB_WHITE;
    WayList list = {key, side, 0, way};
    const ConversionBoard board = {{key->pawns[0], key->pawns[1]}, &white, key->men};
    conversion_each(&board, side, list_way, &list);
    return list.count;
}

/* ---- Families -------------------------------------------------------------------------------- */

static uint32_t bucket_of(const CellsKey *key)
{
    uint64_t hash = (key->pawns[0] + key->men) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 29 ^ key->pawns[1]) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ hash >> 32) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(hash >> (64 - SCOUT_BUCKET_BITS));
}

bool scout_grow(void **list, int32_t count, int32_t *capacity, size_t size)
{
    if (count < *capacity) return true;
    int32_t larger = *capacity ? 2 * *capacity : 16;
    void *grown = realloc(*list, (size_t)larger * size);
    if (grown == NULL) return false;
    *list = grown;
    *capacity = larger;
    return true;
}

int32_t scout_family(Scout *s, const CellsKey *key, bool add)
{
    uint32_t bucket = bucket_of(key);
    for (int32_t i = s->bucket[bucket]; i >= 0; i = s->family[i]->next)
        if (memcmp(&s->family[i]->key, key, sizeof *key) == 0) return i;
    if (!add) return SCOUT_NONE;
    const int p = cells_potential(key);
    ScoutFamily *f = scout_take(s, sizeof *f);
    if (f == NULL || !scout_grow((void **)&s->family, s->count, &s->capacity, sizeof *s->family) ||
        !scout_grow((void **)&s->by_potential[p], s->of_potential[p], &s->room_for_potential[p],
                    sizeof(int32_t))) {
        s->failed = true;
        return SCOUT_NONE;
    }
    f->key = *key;
    f->potential = p;
    f->next = s->bucket[bucket];
    s->bytes += sizeof *f + 2 * sizeof(int32_t);
    s->family[s->count] = f;
    s->by_potential[p][s->of_potential[p]++] = s->count;
    return s->bucket[bucket] = s->count++;
}

enum { PIECE = 8 << 20, LARGE_PAGE = 2 << 20 };

void *scout_take(Scout *s, size_t bytes)
{
    ScoutMemory *m = &s->memory;
    bytes = (bytes + 63) / 64 * 64;
    if (m->left < bytes) {
        const size_t size =
            bytes > PIECE ? (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE : PIECE;
        if (!scout_grow((void **)&m->piece, m->pieces, &m->capacity, sizeof *m->piece)) return NULL;
        char *piece = aligned_alloc(LARGE_PAGE, size);
        if (piece == NULL) return NULL;
#ifdef MADV_HUGEPAGE
        /* A fault for each small page costs more than the work. */
        madvise(piece, size, MADV_HUGEPAGE);
#endif
        m->piece[m->pieces++] = piece;
        m->left = size;
        m->end = piece + size;
    }
    char *at = m->end - m->left;
    m->left -= bytes;
    return memset(at, 0, bytes);
}

void scout_memory_free(ScoutMemory *m)
{
    for (int32_t i = 0; i < m->pieces; i++) free(m->piece[i]);
    free(m->piece);
}

ScoutRoom *scout_room(Scout *s)
{
    static const CellsKey largest = {.man = {{TREB_WHITE, TREB_QUEEN}}, .men = 1};
    const size_t words = cells_words(&largest);
    ScoutRoom *room = &s->room[omp_get_thread_num()];
    if (room->sets != NULL) return room;
    room->sets =
        malloc((SCOUT_SETS * words + game_room(&largest)) * sizeof *room->sets + 64 * words);
    if (room->sets == NULL) return NULL;
    room->game = room->sets + SCOUT_SETS * words;
    room->plies = (uint8_t *)(room->game + game_room(&largest));
    return room;
}

bool scout_expand(Scout *s, ScoutFamily *f)
{
    ScoutWay way[SCOUT_WAYS_MAX];
    int32_t to[2 * SCOUT_WAYS_MAX];
    const size_t words = cells_words(&f->key);
    int count = 0;
    for (int side = 0; side < 2; side++) {
        int ways = scout_ways(&f->key, side, way);
        for (int i = 0; i < ways; i++) to[count++] = scout_family(s, &way[i].to, true);
    }
    f->to = scout_take(s, (size_t)(count + 1) * sizeof *f->to);
    f->unwon = scout_take(s, 2 * words * sizeof *f->unwon);
    const bool queen = f->key.men > 0, with_plies = queen && s->bytes < s->limits.memory / 4 * 3;
    if (with_plies) f->plies = scout_take(s, 64 * words);
    if (!queen) f->before = scout_take(s, (CELLS_ROW + 1) * sizeof *f->before);
    s->failed = s->failed || (with_plies && f->plies == NULL) || (!queen && f->before == NULL);
    s->failed = s->failed || f->to == NULL || f->unwon == NULL;
    if (s->failed) return false;
    memcpy(f->to, to, (size_t)count * sizeof *to);
    f->to[count] = SCOUT_NONE;
    f->lost = f->unwon + words;
    f->unsolved = true;
    s->bytes += (with_plies ? 64 * words
                 : queen    ? 0
                            : (CELLS_ROW + 1) * sizeof *f->before) +
                2 * words * sizeof *f->unwon + (size_t)(count + 1) * sizeof *f->to;
    return true;
}

/* ---- What is known, or guessed --------------------------------------------------------------- */

/* Black promotes next, and White's queen and king do not prevent it; he is not in check. */
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

/* After a promotion or with a queen already there White is guessed to win unless Black promotes next or takes her. One
 * word of a row, of which the legal cells are given. */
static uint64_t guess_word(const CellsKey *key, int queen, int king, uint64_t legal)
{
    if (legal == 0 || bit_test(pawns_attack(TREB_BLACK, key->pawns[TREB_BLACK]), queen)) return 0;
    if (!bit_test(pawns_attack(TREB_WHITE, key->pawns[TREB_WHITE]) | king_attacks(king), queen))
        legal &= ~king_attacks(queen);
    return legal & ~promotes_next(key, queen, king);
}

/* Of kings and pawns, `side` to move, where White is guessed to win: by who promotes first, else wherever she has not
 * fewer pawns, as what is guessed too well is looked at and found out. */
static void guess_race(const CellsKey *key, int side, uint64_t out[CELLS_ROW])
{
    Guess guess;
    guess_start(&guess, key, TREB_WHITE);
    guess.ahead = bit_count(key->pawns[TREB_WHITE]) >= bit_count(key->pawns[TREB_BLACK]);
    guess_row(&guess, side, 0, out);
}

uint64_t scout_lost_word(const ScoutFamily *f, size_t row, int king)
{
    uint64_t race[CELLS_ROW];
    if (f->lost != NULL) return f->lost[row * CELLS_ROW + (size_t)king];
    const uint64_t legal = cells_legal_word(&f->key, TREB_BLACK, row, king);
    if (f->key.men > 0) return guess_word(&f->key, (int)row, king, legal);
    guess_race(&f->key, TREB_BLACK, race);
    return legal & race[king];
}

const uint64_t *scout_lost_row(const ScoutFamily *f, size_t row, uint64_t room[CELLS_ROW])
{
    if (f->lost != NULL) return f->lost + row * CELLS_ROW;
    uint64_t race[CELLS_ROW];
    cells_legal_row(&f->key, TREB_BLACK, row, room);
    if (f->key.men == 0) guess_race(&f->key, TREB_BLACK, race);
    for (int king = 0; king < CELLS_ROW; king++)
        room[king] = f->key.men == 0 ? room[king] & race[king]
                                     : guess_word(&f->key, (int)row, king, room[king]);
    return room;
}

const uint64_t *scout_unwon_row(const ScoutFamily *f, size_t row, uint64_t room[CELLS_ROW])
{
    if (f->unwon != NULL) return f->unwon + row * CELLS_ROW;
    if (f->key.men > 0) {
        memset(room, 0, CELLS_ROW * sizeof *room);
        return room;
    }
    uint64_t race[CELLS_ROW];
    cells_legal_row(&f->key, TREB_WHITE, row, room);
    guess_race(&f->key, TREB_WHITE, race);
    for (int king = 0; king < CELLS_ROW; king++) room[king] &= ~race[king];
    return room;
}

uint64_t scout_promotes(const CellsKey *key, const ScoutWay *way, size_t row, int king,
                        uint64_t legal)
{
    const ConversionKind *kind = &way->kind;
    uint64_t path = kind->victim == CONVERSION_NOBODY ? square_bit(kind->to) : 0;
    uint64_t attacked = pawns_attack(TREB_WHITE, kind->pawns[TREB_WHITE]);
    if (bit_test(path, king)) return 0;
    if (key->men > 0) {
        if (bit_test(path, (int)row) || (kind->victim == 0) != ((int)row == kind->to)) return 0;
        if (kind->victim != 0)
            attacked |= piece_attacks(TREB_QUEEN, (int)row,
                                      kind->pawns[0] | kind->pawns[1] | square_bit(king) |
                                          square_bit(kind->to));
    }
    return legal & ~path & ~attacked;
}
