/* scout.c - see scout.h. */
#include "pawns/scout.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "pawns/scout_family.h"

/* So many families guessed wrong end a round: what is above them is solved again, and the way may be another. */
enum { WRONG_ENOUGH = 512 };

/* The part of the memory, its reciprocal, that families without pieces get beforehand; others come as they are met. */
enum { LISTED_PART = 3 };

static bool is_stopped(const Scout *s)
{
    const ScoutLimits *limits = &s->limits;
    return limits->stop != NULL && limits->stop(limits->context, (uint64_t)s->count, s->bytes);
}

/* Whether there is room for more, if need be without the steps that are kept. */
static bool has_room(Scout *s)
{
    for (int32_t i = 0; i < s->count && s->bytes >= s->limits.memory; i++)
        scout_forget_steps(s, s->family[i]);
    return s->bytes < s->limits.memory;
}

/* All families of kings and pawns that can arise. */
static ScoutResult list_all(Scout *s)
{
    for (int p = SCOUT_POTENTIALS - 1; p >= 0; p--)
        for (int32_t i = 0; i < s->of_potential[p]; i++) {
            ScoutFamily *f = s->family[s->by_potential[p][i]];
            if (f->key.men > 0 || f->to != NULL) continue;
            if (s->bytes > s->limits.memory / LISTED_PART) return SCOUT_WON;
            if (!scout_expand(s, f)) return SCOUT_NO_MEMORY;
            if (i % 64 == 0 && is_stopped(s)) return SCOUT_STOPPED;
        }
    return SCOUT_WON;
}

/* Whether a family, or one that it is solved from, is wrong. */
static bool is_wrong(const Scout *s, const ScoutFamily *f)
{
    for (const int32_t *to = f->to; *to != SCOUT_NONE; to++)
        if (s->family[*to]->wrong) return true;
    return f->wrong;
}

/* Whether all cells by which the last way came in are won. */
static bool trail_holds(const ScoutFamily *f)
{
    const size_t words = cells_words(&f->key);
    uint64_t not_won = 0;
    for (size_t w = 0; w < words; w++)
        not_won |= (f->trail[w] & f->unwon[w]) | (f->trail[words + w] & ~f->lost[w]);
    return not_won == 0;
}

/* Solves, those with least potential first, what is unsolved and what is wrong on the last way and above. */
static ScoutResult solve_wrong(Scout *s)
{
    for (int p = 0; p < SCOUT_POTENTIALS; p++) {
        const int32_t count = s->of_potential[p];
        bool failed = false;
        if (count == 0) continue;
        if (is_stopped(s)) return SCOUT_STOPPED;
#pragma omp parallel for schedule(dynamic, 2) reduction(|| : failed) if (count > CELLS_FEW)
        for (int32_t i = 0; i < count; i++) {
            ScoutFamily *f = s->family[s->by_potential[p][i]];
            if (f->to == NULL || !(f->unsolved || (f->met && is_wrong(s, f)))) continue;
            failed = failed || !scout_solve(s, f, NULL);
            f->wrong = f->met && !trail_holds(f);
        }
        if (failed) return SCOUT_NO_MEMORY;
    }
    for (int32_t i = 0; i < s->count; i++) s->family[i]->wrong = false;
    return SCOUT_WON;
}

static void forget_trail(Scout *s)
{
    for (int32_t i = 0; i < s->count; i++) {
        ScoutFamily *f = s->family[i];
        if (f->met) memset(f->trail, 0, 2 * cells_words(&f->key) * sizeof *f->trail);
        f->met = false;
    }
}

/* Gives sets to families of one potential that are only guessed and that the way comes by. */
static bool expand_met(Scout *s, int potential)
{
    for (int32_t i = 0; i < s->of_potential[potential]; i++) {
        ScoutFamily *f = s->family[s->by_potential[potential][i]];
        if (f->to == NULL && f->met && (!has_room(s) || !scout_expand(s, f))) return false;
    }
    return true;
}

/* Follows White's way to win from a cell of a family, the families with most potential first, until it is clear that
 * much of it was guessed wrong. What is guessed is solved as the way comes by; into `wrong` how much of that was so. */
static ScoutResult follow(Scout *s, ScoutFamily *from, Cell cell, int side, int *wrong)
{
    bool failed = !scout_start(s, from, cell, side);
    int refuted = 0;
    for (int p = from->potential; p >= 0 && !failed && refuted < WRONG_ENOUGH; p--) {
        if (s->of_potential[p] == 0) continue;
        if (is_stopped(s)) return SCOUT_STOPPED;
        if (!expand_met(s, p)) return SCOUT_NO_MEMORY;
        const int32_t count = s->of_potential[p];
        /* Decided beforehand, so that what is kept does not depend on threads; what families need comes first. */
        s->keeps_steps = s->bytes < s->limits.memory / 2;
#pragma omp parallel for schedule(dynamic, 1) reduction(|| : failed) reduction(+ : refuted) if (count > CELLS_FEW)
        for (int32_t i = 0; i < count; i++) {
            ScoutFamily *f = s->family[s->by_potential[p][i]];
            if (!f->met || failed) continue;
            failed = !scout_follow(s, f);
            refuted += f->wrong;
        }
    }
    *wrong = refuted;
    return failed ? SCOUT_NO_MEMORY : SCOUT_WON;
}

static bool is_won(const ScoutFamily *f, Cell cell, int side)
{
    const int king = (int)(cell & 63);
    return side == TREB_WHITE ? !bit_test(f->unwon[cell >> 6], king)
                              : bit_test(f->lost[cell >> 6], king);
}

static ScoutResult search(Scout *s, ScoutFamily *from, Cell cell, int side, uint64_t patience)
{
    const uint64_t enough = s->solved + patience;
    for (;;) {
        int wrong;
        ScoutResult result = solve_wrong(s);
        if (result != SCOUT_WON) return result;
        if (!is_won(from, cell, side)) return SCOUT_NOT_FOUND;
        if (s->solved > enough) return SCOUT_UNDECIDED;
        forget_trail(s);
        result = follow(s, from, cell, side, &wrong);
        if (result != SCOUT_WON || wrong == 0) return result;
    }
}

/* ---- Turning the board ----------------------------------------------------------------------- */

static CellsKey turn_key(const CellsKey *key)
{
    CellsKey out = *key;
    for (int color = 0; color < 2; color++) out.pawns[color] = flip_ranks(key->pawns[!color]);
    for (int i = 0; i < key->men; i++) out.man[i].color = !key->man[i].color;
    return out;
}

static Cell turn_cell(Cell cell)
{
    return (Cell)((cell & 63) ^ 56) << 6 | (Cell)((cell >> 6 & 63) ^ 56);
}

/* ---- The scout ------------------------------------------------------------------------------- */

Scout *scout_new(const CellsKey *key, int winner, const ScoutLimits *limits)
{
    Scout *s = malloc(sizeof *s);
    if (s == NULL) return NULL;
    *s = (Scout){.limits = *limits, .turned = winner == TREB_BLACK};
    s->threads = omp_get_max_threads();
    s->room = calloc((size_t)s->threads, sizeof *s->room);
    s->bucket = malloc(sizeof *s->bucket << SCOUT_BUCKET_BITS);
    if (s->bucket != NULL) memset(s->bucket, 0xff, sizeof *s->bucket << SCOUT_BUCKET_BITS);
    const CellsKey root = s->turned ? turn_key(key) : *key;
    if (s->bucket != NULL && s->room != NULL && scout_family(s, &root, true) == 0) return s;
    scout_free(s);
    return NULL;
}

void scout_free(Scout *s)
{
    if (s == NULL) return;
    for (int32_t i = 0; i < s->count; i++) {
        ScoutFamily *f = s->family[i];
        if (f->key.men == 0) free(f->plies);
        free(f->trail);
        free(f->step);
    }
    for (int p = 0; p < SCOUT_POTENTIALS; p++) free(s->by_potential[p]);
    for (int i = 0; i < s->threads && s->room != NULL; i++) {
        free(s->room[i].sets);
        free(s->room[i].place);
        free(s->room[i].step);
    }
    free(s->room);
    scout_memory_free(&s->memory);
    free(s->family);
    free(s->bucket);
    free(s);
}

void scout_allow(Scout *s, uint64_t memory) { s->limits.memory = memory; }

/* The families of the trail. */
static bool list_trail(const Scout *s, CellsKey **keys, size_t *count)
{
    *count = 0;
    *keys = malloc((size_t)s->count * sizeof **keys);
    if (*keys == NULL) return false;
    for (int p = 0; p < SCOUT_POTENTIALS; p++)
        for (int32_t i = 0; i < s->of_potential[p]; i++) {
            const ScoutFamily *f = s->family[s->by_potential[p][i]];
            if (f->met) (*keys)[(*count)++] = s->turned ? turn_key(&f->key) : f->key;
        }
    return true;
}

uint64_t scout_bytes(const Scout *s)
{
    return s != NULL ? s->bytes + s->memory.left + (sizeof *s->bucket << SCOUT_BUCKET_BITS) : 0;
}

ScoutResult scout_win(Scout *s, const CellsKey *key, Cell cell, int side, uint64_t patience,
                      CellsKey **keys, size_t *count)
{
    const CellsKey turned = s->turned ? turn_key(key) : *key;
    ScoutResult result = SCOUT_WON;
    *keys = NULL;
    *count = 0;
    if (!s->listed) result = list_all(s);
    if (result != SCOUT_WON) return result;
    s->listed = true;
    const int32_t from = scout_family(s, &turned, false);
    if (from == SCOUT_NONE) return SCOUT_NOT_FOUND;
    if (s->family[from]->to == NULL && !scout_expand(s, s->family[from])) return SCOUT_NO_MEMORY;
    result = search(s, s->family[from], s->turned ? turn_cell(cell) : cell,
                    s->turned ? !side : side, patience);
    if (result == SCOUT_WON && !list_trail(s, keys, count)) result = SCOUT_NO_MEMORY;
    forget_trail(s);
    return result;
}
