/* game.c - see game.h.
 *
 *     lost at n   losable, and no quiet move leads to a position not yet won
 *     won at n    a quiet move leads to a position lost at n - 1
 *
 * as for tables (gen/solve/solve.c): "no move leads outside" is the complement of the un-moves of the
 * complement. A ply looks for losses only in rows that a move joins to a win of the ply before. */
#include "pawns/game.h"

#include <stdlib.h>
#include <string.h>

/* What one ply found: cells in `rows` alone. */
typedef struct Found {
    uint64_t *cells, *rows;
} Found;

typedef struct Play {
    const Game *game;
    size_t words, row_words;
    uint64_t *unwon, *open; /* not yet won, not yet lost */
    Found won[2], lost[2];  /* this ply and the one before */
    Found reach;            /* scratch */
    uint64_t *look;         /* rows to look at */
} Play;

enum { FOUND = 5, SETS = FOUND + 2, ROWS = FOUND + 1 };

size_t game_room(const CellsKey *key)
{
    return SETS * cells_words(key) + ROWS * cells_row_words(key);
}

static void play_start(Play *p, const Game *game, uint64_t *room)
{
    *p = (Play){
        .game = game, .words = cells_words(game->key), .row_words = cells_row_words(game->key)};
    Found *found[FOUND] = {&p->won[0], &p->won[1], &p->lost[0], &p->lost[1], &p->reach};
    memset(room, 0, game_room(game->key) * sizeof *room);
    for (int i = 0; i < FOUND; i++, room += p->words) found[i]->cells = room;
    p->unwon = room;
    p->open = room + p->words;
    room += 2 * p->words;
    for (int i = 0; i < FOUND; i++, room += p->row_words) found[i]->rows = room;
    p->look = room;
}

/* Empties what was found two plies ago. */
static void found_clear(const Play *p, Found *found)
{
    for (size_t row = 0; (row = cells_next_row(p->game->key, found->rows, row)) != SIZE_MAX; row++)
        memset(found->cells + row * CELLS_ROW, 0, CELLS_ROW * sizeof *found->cells);
    memset(found->rows, 0, p->row_words * sizeof *found->rows);
}

/* All rows that there are. */
static void rows_fill(const Play *p, uint64_t *rows)
{
    size_t count = cells_rows(p->game->key);
    memset(rows, 0xff, p->row_words * sizeof *rows);
    if (count < 64) rows[0] = square_bit((int)count) - 1;
}

static void note_plies(const Play *p, const Found *found, int n)
{
    const uint64_t value = (uint64_t)(n < GAME_FAR ? n : GAME_FAR) * UINT64_C(0x0101010101010101);
    for (size_t row = 0; (row = cells_next_row(p->game->key, found->rows, row)) != SIZE_MAX; row++)
        for (size_t w = row * CELLS_ROW; w < (row + 1) * CELLS_ROW; w++) {
            const uint64_t set = found->cells[w];
            for (int i = 0; i < 64 && set >> i != 0; i += 8) {
                const unsigned byte = set >> i & 0xff;
                if (byte == 0) continue;
                uint64_t some;
                const uint64_t mask = byte_mask(byte);
                memcpy(&some, p->game->plies + (w << 6) + i, sizeof some);
                some = (some & ~mask) | (value & mask);
                memcpy(p->game->plies + (w << 6) + i, &some, sizeof some);
            }
        }
}

static void note_rank(const Play *p, int side, const Found *found, int n)
{
    uint16_t *rank = p->game->rank[side];
    if (p->game->plies != NULL && side != p->game->winner) note_plies(p, found, n);
    if (rank == NULL) return;
    for (size_t row = 0; (row = cells_next_row(p->game->key, found->rows, row)) != SIZE_MAX; row++)
        for (size_t w = row * CELLS_ROW; w < (row + 1) * CELLS_ROW; w++)
            for (uint64_t left = found->cells[w]; left != 0;)
                rank[w << 6 | (size_t)bit_pop(&left)] = (uint16_t)n;
}

/* Takes what is new of what was found, out of `left` into `result`; true if there was anything. */
CELLS_WIDE static bool settle_found(Play *p, int side, Found *found, uint64_t *left,
                                    uint64_t *result, int n)
{
    bool some = false;
    for (size_t row = 0; (row = cells_next_row(p->game->key, found->rows, row)) != SIZE_MAX;
         row++) {
        uint64_t any = 0;
        for (size_t w = row * CELLS_ROW; w < (row + 1) * CELLS_ROW; w++) {
            found->cells[w] &= left[w];
            left[w] &= ~found->cells[w];
            result[w] |= found->cells[w];
            any |= found->cells[w];
        }
        some = some || any != 0;
        if (any == 0) found->rows[row >> 6] &= ~square_bit((int)(row & 63));
    }
    if (some) note_rank(p, side, found, n);
    return some;
}

static bool settle_won(Play *p, int n)
{
    return settle_found(p, p->game->winner, &p->won[n & 1], p->unwon, p->game->won, n);
}

static bool settle_lost(Play *p, int n)
{
    return settle_found(p, !p->game->winner, &p->lost[n & 1], p->open, p->game->lost, n);
}

/* Un-moves what was found a ply ago. */
static void unmove_found(const Play *p, int side, const Found *from, Found *out)
{
    cells_reach_rows(p->game->key, side, from->rows, out->rows);
    cells_unmove(p->game->key, side, from->cells, from->rows, out->cells, out->rows);
}

/* The rows in which some position that is not lost has a move to what was won a ply ago; all with
 * anything to lose at first. False if there is none. */
CELLS_WIDE static bool find_rows(Play *p, int n)
{
    bool any = false;
    found_clear(p, &p->reach);
    if (n == 1) {
        rows_fill(p, p->reach.rows);
        memset(p->reach.cells, 0xff, p->words * sizeof(uint64_t));
    } else {
        unmove_found(p, !p->game->winner, &p->won[~n & 1], &p->reach);
    }
    memset(p->look, 0, p->row_words * sizeof *p->look);
    for (size_t row = 0; (row = cells_next_row(p->game->key, p->reach.rows, row)) != SIZE_MAX;
         row++) {
        uint64_t some = 0;
        for (size_t w = row * CELLS_ROW; w < (row + 1) * CELLS_ROW; w++)
            some |= p->open[w] & p->reach.cells[w];
        if (some == 0) continue;
        p->look[row >> 6] |= square_bit((int)(row & 63));
        any = true;
    }
    return any;
}

CELLS_WIDE static bool find_losses(Play *p, int n)
{
    Found *found = &p->lost[n & 1];
    found_clear(p, found);
    if (!find_rows(p, n)) return false;
    found_clear(p, &p->reach);
    memcpy(p->reach.rows, p->look, p->row_words * sizeof *p->look);
    memcpy(found->rows, p->look, p->row_words * sizeof *p->look);
    cells_unmove(p->game->key, !p->game->winner, p->unwon, NULL, p->reach.cells, p->look);
    for (size_t row = 0; (row = cells_next_row(p->game->key, p->look, row)) != SIZE_MAX; row++)
        for (size_t w = row * CELLS_ROW; w < (row + 1) * CELLS_ROW; w++)
            found->cells[w] = p->open[w] & ~p->reach.cells[w];
    return true;
}

static void find_wins(Play *p, int n, bool lost_before)
{
    Found *found = &p->won[n & 1];
    found_clear(p, found);
    if (lost_before) unmove_found(p, p->game->winner, &p->lost[~n & 1], found);
    if (n > 1 || p->game->won_at_1 == NULL) return;
    rows_fill(p, found->rows);
    for (size_t w = 0; w < p->words; w++) found->cells[w] |= p->game->won_at_1[w];
}

/* What is reached already, as far as it is legal. */
static void take_given(Play *p, Found *found, int side, const uint64_t *given)
{
    if (given == NULL) return;
    rows_fill(p, found->rows);
    for (size_t w = 0; w < p->words; w++) found->cells[w] = given[w] & p->game->legal[side][w];
}

static void play_plies(Play *p)
{
    bool won = false, lost = false;
    take_given(p, &p->won[0], p->game->winner, p->game->won_at_0);
    take_given(p, &p->lost[0], !p->game->winner, p->game->lost_at_0);
    won = settle_won(p, 0);
    lost = settle_lost(p, 0);
    for (int n = 1; n == 1 || won || lost; n++) {
        /* Losses go first: they read what was won before this ply. */
        bool new_losses = (n == 1 || won) && find_losses(p, n);
        find_wins(p, n, lost);
        lost = new_losses && settle_lost(p, n);
        won = settle_won(p, n);
    }
}

bool game_solve(const Game *game)
{
    Play p;
    uint64_t *room = game->room;
    if (room == NULL && (room = malloc(game_room(game->key) * sizeof *room)) == NULL) return false;
    play_start(&p, game, room);
    for (size_t w = 0; w < p.words; w++) {
        p.unwon[w] = game->legal[game->winner][w] & ~game->won[w];
        p.open[w] = game->legal[!game->winner][w] & game->losable[w] & ~game->lost[w];
    }
    play_plies(&p);
    if (room != game->room) free(room);
    return true;
}
