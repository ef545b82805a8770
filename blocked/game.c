/* game.c - see game.h.
 *
 *     lost at n   losable, and no quiet move leads to a position not yet won
 *     won at n    a quiet move leads to a position lost at n - 1
 *
 * as for tables (gen/solve.c): "no move leads outside" is the complement of the un-moves of the
 * complement. A ply looks for losses only in rows that a move joins to a win of the ply before. */
#include "game.h"

#include <stdlib.h>
#include <string.h>

typedef struct Play {
    const Game *game;
    size_t words;
    uint64_t *unwon, *open;     /* not yet won, not yet lost */
    uint64_t *won[2], *lost[2]; /* found this ply and the one before */
    uint64_t *reach;            /* scratch */
    uint64_t *rows;             /* those to look at */
} Play;

static bool play_start(Play *p, const Game *game)
{
    *p = (Play){.game = game, .words = cells_words(game->key)};
    uint64_t **all[] = {&p->unwon,   &p->open,    &p->won[0], &p->won[1],
                        &p->lost[0], &p->lost[1], &p->reach};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if ((*all[i] = calloc(p->words, sizeof(uint64_t))) == NULL) return false;
    return (p->rows = calloc(cells_rows(game->key) / 64 + 1, sizeof(uint64_t))) != NULL;
}

static void play_end(Play *p)
{
    free(p->unwon);
    free(p->open);
    for (int i = 0; i < 2; i++) {
        free(p->won[i]);
        free(p->lost[i]);
    }
    free(p->reach);
    free(p->rows);
}

static void note_rank(const Play *p, int side, const uint64_t *found, int n)
{
    uint16_t *rank = p->game->rank[side];
    if (rank == NULL) return;
    for (size_t w = 0; w < p->words; w++)
        for (uint64_t left = found[w]; left != 0;) rank[w << 6 | (size_t)bit_pop(&left)] = n;
}

/* Takes what is new of found[] into the result; true if there was anything. */
static bool settle_won(Play *p, int n)
{
    uint64_t any = 0, *found = p->won[n & 1], *won = p->game->won;
    for (size_t w = 0; w < p->words; w++) {
        found[w] &= p->unwon[w];
        p->unwon[w] &= ~found[w];
        won[w] |= found[w];
        any |= found[w];
    }
    if (any) note_rank(p, p->game->winner, found, n);
    return any != 0;
}

static bool settle_lost(Play *p, int n)
{
    uint64_t any = 0, *found = p->lost[n & 1], *lost = p->game->lost;
    for (size_t w = 0; w < p->words; w++) {
        found[w] &= p->open[w];
        p->open[w] &= ~found[w];
        lost[w] |= found[w];
        any |= found[w];
    }
    if (any) note_rank(p, !p->game->winner, found, n);
    return any != 0;
}

/* The rows in which some position that is not lost has a move to what was won a ply ago; all with
 * anything to lose if `all`. False if there is none. */
static bool find_rows(Play *p, int n, bool all)
{
    const CellsKey *key = p->game->key;
    bool any = false;
    memset(p->rows, 0, (cells_rows(key) / 64 + 1) * sizeof *p->rows);
    if (!all) {
        memset(p->reach, 0, p->words * sizeof *p->reach);
        cells_unmove(key, !p->game->winner, p->won[~n & 1], p->reach, NULL);
    }
    for (size_t row = 0; row < cells_rows(key); row++) {
        uint64_t some = 0;
        for (size_t w = row * CELLS_ROW; w < (row + 1) * CELLS_ROW; w++)
            some |= p->open[w] & (all ? UINT64_MAX : p->reach[w]);
        if (some == 0) continue;
        p->rows[row >> 6] |= square_bit((int)(row & 63));
        any = true;
    }
    return any;
}

static bool find_losses(Play *p, int n)
{
    const CellsKey *key = p->game->key;
    uint64_t *found = p->lost[n & 1];
    memset(found, 0, p->words * sizeof *found);
    if (!find_rows(p, n, n == 1)) return false;
    memset(p->reach, 0, p->words * sizeof *p->reach);
    cells_unmove(key, !p->game->winner, p->unwon, p->reach, p->rows);
    for (size_t row = 0; row < cells_rows(key); row++)
        if (p->rows[row >> 6] >> (row & 63) & 1)
            for (size_t w = row * CELLS_ROW; w < (row + 1) * CELLS_ROW; w++)
                found[w] = p->open[w] & ~p->reach[w];
    return true;
}

static void find_wins(Play *p, int n, bool lost_before)
{
    uint64_t *found = p->won[n & 1];
    memset(found, 0, p->words * sizeof *found);
    if (n == 1 && p->game->won_at_1 != NULL)
        memcpy(found, p->game->won_at_1, p->words * sizeof *found);
    if (lost_before) cells_unmove(p->game->key, p->game->winner, p->lost[~n & 1], found, NULL);
}

static void play_plies(Play *p)
{
    bool won = false, lost = false;
    if (p->game->won_at_0 != NULL) memcpy(p->won[0], p->game->won_at_0, p->words * 8);
    if (p->game->lost_at_0 != NULL) memcpy(p->lost[0], p->game->lost_at_0, p->words * 8);
    for (size_t w = 0; w < p->words; w++) {
        p->won[0][w] &= p->game->legal[p->game->winner][w];
        p->lost[0][w] &= p->game->legal[!p->game->winner][w];
    }
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
