/* retrograde.c - see retrograde.h. The method is that of gen/solve/solve.c: the positions all of
 * whose moves stay within a set are the complement of the predecessors of the set's complement. A
 * ply looks for losses only in rows that a move connects to a win of the ply before. */
#include "pawns/cells/retrograde.h"

#include <stdlib.h>
#include <string.h>

/* The cells that one ply has found. They lie in `rows`. */
typedef struct Found {
    uint64_t *cells, *rows;
} Found;

typedef struct Play {
    const Retrograde *problem;
    size_t words, row_words;
    uint64_t *not_won, *open; /* legal and not yet won; losable and not yet lost */
    Found won[2], lost[2];    /* this ply and the one before */
    Found reach;              /* scratch */
    uint64_t *look;           /* rows to search for losses */
} Play;

enum { FOUND = 5, SETS = FOUND + 2, ROWS = FOUND + 1 };

size_t retrograde_work_words(const CellsKey *key)
{
    return SETS * cells_words(key) + ROWS * cells_row_words(key);
}

static void play_start(Play *p, const Retrograde *problem, uint64_t *work)
{
    *p = (Play){.problem = problem,
                .words = cells_words(problem->key),
                .row_words = cells_row_words(problem->key)};
    Found *found[FOUND] = {&p->won[0], &p->won[1], &p->lost[0], &p->lost[1], &p->reach};
    memset(work, 0, retrograde_work_words(problem->key) * sizeof *work);
    for (int i = 0; i < FOUND; i++, work += p->words) found[i]->cells = work;
    p->not_won = work;
    p->open = work + p->words;
    work += 2 * p->words;
    for (int i = 0; i < FOUND; i++, work += p->row_words) found[i]->rows = work;
    p->look = work;
}

/* Empties a set that was found two plies ago. */
static void found_clear(const Play *p, Found *found)
{
    for (size_t row = 0; (row = cells_next_row(p->problem->key, found->rows, row)) != SIZE_MAX;
         row++)
        memset(found->cells + row * CELLS_ROW, 0, CELLS_ROW * sizeof *found->cells);
    memset(found->rows, 0, p->row_words * sizeof *found->rows);
}

/* Sets all rows of the structure. */
static void rows_fill(const Play *p, uint64_t *rows)
{
    size_t count = cells_rows(p->problem->key);
    memset(rows, 0xff, p->row_words * sizeof *rows);
    if (count < 64) rows[0] = square_bit((int)count) - 1;
}

static void note_lost_plies(const Play *p, const Found *found, int n)
{
    const uint64_t value =
        (uint64_t)(n < RETROGRADE_FAR ? n : RETROGRADE_FAR) * UINT64_C(0x0101010101010101);
    for (size_t row = 0; (row = cells_next_row(p->problem->key, found->rows, row)) != SIZE_MAX;
         row++)
        for (size_t w = row * CELLS_ROW; w < (row + 1) * CELLS_ROW; w++) {
            const uint64_t set = found->cells[w];
            for (int i = 0; i < 64 && set >> i != 0; i += 8) {
                const unsigned byte = set >> i & 0xff;
                if (byte == 0) continue;
                uint64_t some;
                const uint64_t mask = byte_mask(byte);
                memcpy(&some, p->problem->lost_plies + (w << 6) + i, sizeof some);
                some = (some & ~mask) | (value & mask);
                memcpy(p->problem->lost_plies + (w << 6) + i, &some, sizeof some);
            }
        }
}

static void note_plies(const Play *p, int side, const Found *found, int n)
{
    uint16_t *plies = p->problem->plies[side];
    if (p->problem->lost_plies != NULL && side != p->problem->winner) note_lost_plies(p, found, n);
    if (plies == NULL) return;
    for (size_t row = 0; (row = cells_next_row(p->problem->key, found->rows, row)) != SIZE_MAX;
         row++)
        for (size_t w = row * CELLS_ROW; w < (row + 1) * CELLS_ROW; w++)
            for (uint64_t left = found->cells[w]; left != 0;)
                plies[w << 6 | (size_t)bit_pop(&left)] = (uint16_t)n;
}

/* Moves the found cells that are new from `left` to `result`, and notes their ply. True if there
 * are any. */
CELLS_WIDE static bool accept_found(Play *p, int side, Found *found, uint64_t *left,
                                    uint64_t *result, int n)
{
    bool some = false;
    for (size_t row = 0; (row = cells_next_row(p->problem->key, found->rows, row)) != SIZE_MAX;
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
    if (some) note_plies(p, side, found, n);
    return some;
}

static bool accept_won(Play *p, int n)
{
    return accept_found(p, p->problem->winner, &p->won[n & 1], p->not_won, p->problem->won, n);
}

static bool accept_lost(Play *p, int n)
{
    return accept_found(p, !p->problem->winner, &p->lost[n & 1], p->open, p->problem->lost, n);
}

/* Finds the predecessors by quiet moves of `side` of the cells that the ply before has found. */
static void find_predecessors(const Play *p, int side, const Found *from, Found *out)
{
    cells_reached_rows(p->problem->key, side, from->rows, out->rows);
    cells_quiet_moves(p->problem->key, side, from->cells, from->rows, out->cells, out->rows);
}

/* Finds the rows in which a position that is not yet lost has a move to a win of the ply before; at
 * ply 1, all rows with losable positions. False if there are none. */
CELLS_WIDE static bool find_rows(Play *p, int n)
{
    bool any = false;
    found_clear(p, &p->reach);
    if (n == 1) {
        rows_fill(p, p->reach.rows);
        memset(p->reach.cells, 0xff, p->words * sizeof(uint64_t));
    } else {
        find_predecessors(p, !p->problem->winner, &p->won[~n & 1], &p->reach);
    }
    memset(p->look, 0, p->row_words * sizeof *p->look);
    for (size_t row = 0; (row = cells_next_row(p->problem->key, p->reach.rows, row)) != SIZE_MAX;
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
    cells_quiet_moves(p->problem->key, !p->problem->winner, p->not_won, NULL, p->reach.cells,
                      p->look);
    for (size_t row = 0; (row = cells_next_row(p->problem->key, p->look, row)) != SIZE_MAX; row++)
        for (size_t w = row * CELLS_ROW; w < (row + 1) * CELLS_ROW; w++)
            found->cells[w] = p->open[w] & ~p->reach.cells[w];
    return true;
}

static void find_wins(Play *p, int n, bool lost_before)
{
    Found *found = &p->won[n & 1];
    found_clear(p, found);
    if (lost_before) find_predecessors(p, p->problem->winner, &p->lost[~n & 1], found);
    if (n > 1 || p->problem->won_at_1 == NULL) return;
    rows_fill(p, found->rows);
    for (size_t w = 0; w < p->words; w++) found->cells[w] |= p->problem->won_at_1[w];
}

/* Takes over the legal cells in which the goal is reached from the start. */
static void take_given(Play *p, Found *found, int side, const uint64_t *given)
{
    if (given == NULL) return;
    rows_fill(p, found->rows);
    for (size_t w = 0; w < p->words; w++) found->cells[w] = given[w] & p->problem->legal[side][w];
}

static void play_plies(Play *p)
{
    bool won = false, lost = false;
    take_given(p, &p->won[0], p->problem->winner, p->problem->won_at_0);
    take_given(p, &p->lost[0], !p->problem->winner, p->problem->lost_at_0);
    won = accept_won(p, 0);
    lost = accept_lost(p, 0);
    for (int n = 1; n == 1 || won || lost; n++) {
        /* Losses come first: they depend on what was won before this ply. */
        bool new_losses = (n == 1 || won) && find_losses(p, n);
        find_wins(p, n, lost);
        lost = new_losses && accept_lost(p, n);
        won = accept_won(p, n);
    }
}

bool retrograde_solve(const Retrograde *problem)
{
    Play p;
    uint64_t *work = problem->work;
    if (work == NULL && (work = malloc(retrograde_work_words(problem->key) * sizeof *work)) == NULL)
        return false;
    play_start(&p, problem, work);
    for (size_t w = 0; w < p.words; w++) {
        p.not_won[w] = problem->legal[problem->winner][w] & ~problem->won[w];
        p.open[w] = problem->legal[!problem->winner][w] & problem->losable[w] & ~problem->lost[w];
    }
    play_plies(&p);
    if (work != problem->work) free(work);
    return true;
}
