/* game.c - see game.h.
 *
 *     lost at n   losable, and no quiet move leads to a position not yet won
 *     won at n    a quiet move leads to a position lost at n - 1
 *
 * as for tables (gen/solve/solve.c): "no move leads outside" is the complement of the un-moves of the
 * complement. A ply looks for losses only in rows that a move joins to a win of the ply before. */
#include "blocked/game.h"

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

static uint64_t *new_words(size_t words) { return calloc(words, sizeof(uint64_t)); }

static bool play_start(Play *p, const Game *game)
{
    *p = (Play){
        .game = game, .words = cells_words(game->key), .row_words = cells_row_words(game->key)};
    Found *found[] = {&p->won[0], &p->won[1], &p->lost[0], &p->lost[1], &p->reach};
    bool good = true;
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        good = good && (found[i]->cells = new_words(p->words)) != NULL;
        good = good && (found[i]->rows = new_words(p->row_words)) != NULL;
    }
    good = good && (p->unwon = new_words(p->words)) != NULL;
    good = good && (p->open = new_words(p->words)) != NULL;
    return good && (p->look = new_words(p->row_words)) != NULL;
}

static void play_end(Play *p)
{
    Found *found[] = {&p->won[0], &p->won[1], &p->lost[0], &p->lost[1], &p->reach};
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        free(found[i]->cells);
        free(found[i]->rows);
    }
    free(p->unwon);
    free(p->open);
    free(p->look);
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

static void note_rank(const Play *p, int side, const Found *found, int n)
{
    uint16_t *rank = p->game->rank[side];
    if (rank == NULL) return;
    for (size_t row = 0; (row = cells_next_row(p->game->key, found->rows, row)) != SIZE_MAX; row++)
        for (size_t w = row * CELLS_ROW; w < (row + 1) * CELLS_ROW; w++)
            for (uint64_t left = found->cells[w]; left != 0;)
                rank[w << 6 | (size_t)bit_pop(&left)] = (uint16_t)n;
}

/* Takes what is new of what was found, out of `left` into `result`; true if there was anything. */
CELLS_WIDE static bool settle_found(Play *p, int side, Found *found, uint64_t *left, uint64_t *result, int n)
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
    bool good = play_start(&p, game);
    if (good) {
        for (size_t w = 0; w < p.words; w++) {
            p.unwon[w] = game->legal[game->winner][w] & ~game->won[w];
            p.open[w] = game->legal[!game->winner][w] & game->losable[w] & ~game->lost[w];
        }
        play_plies(&p);
    }
    play_end(&p);
    return good;
}
