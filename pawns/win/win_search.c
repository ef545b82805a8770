/* win_search.c - see win_search.h. */
#include "pawns/win/win_search.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "pawns/win/win_follow.h"
#include "pawns/win/win_solve.h"

/* When this number of structures turns out to be wrong a round ends: the structures above are
 * solved again, and the strategy may change. */
enum { WRONG_ENOUGH = 512 };

/* Structures without pieces are listed at the start until they take the memory divided by this.
 * Others are taken in when the strategy reaches them. */
enum { LISTED_PART = 3 };

static bool is_stopped(const WinSearch *s)
{
    const WinSearchLimits *limits = &s->limits;
    return limits->stop != NULL && limits->stop(limits->context, (uint64_t)s->count, s->bytes);
}

/* Whether there is memory left. Frees the exits that are kept if necessary. */
static bool has_room(WinSearch *s)
{
    for (int32_t i = 0; i < s->count && s->bytes >= s->limits.memory; i++)
        win_structure_forget_exits(s, s->structure[i]);
    return s->bytes < s->limits.memory;
}

/* Takes in all structures of kings and pawns that can arise, as far as there is memory.
 * WIN_SEARCH_WON on success. */
static WinSearchResult list_all(WinSearch *s)
{
    for (int p = WIN_POTENTIALS - 1; p >= 0; p--)
        for (int32_t i = 0; i < s->of_potential[p]; i++) {
            WinStructure *f = s->structure[s->by_potential[p][i]];
            if (f->key.pieces > 0 || f->child != NULL) continue;
            if (s->bytes > s->limits.memory / LISTED_PART) return WIN_SEARCH_WON;
            if (!win_structure_expand(s, f)) return WIN_SEARCH_NO_MEMORY;
            if (i % 64 == 0 && is_stopped(s)) return WIN_SEARCH_STOPPED;
        }
    return WIN_SEARCH_WON;
}

/* Whether a structure or one of its children is wrong. */
static bool is_wrong(const WinSearch *s, const WinStructure *f)
{
    for (const int32_t *child = f->child; *child != WIN_NONE; child++)
        if (s->structure[*child]->wrong) return true;
    return f->wrong;
}

/* Whether all entries of a structure are won. */
static bool entries_are_won(const WinStructure *f)
{
    const size_t words = cells_words(&f->key);
    uint64_t not_won = 0;
    for (size_t w = 0; w < words; w++)
        not_won |= (f->entries[w] & f->not_won[w]) | (f->entries[words + w] & ~f->lost[w]);
    return not_won == 0;
}

/* Solves the unsolved structures, the wrong ones and those above them that the strategy reaches, in
 * order of potential. WIN_SEARCH_WON on success. */
static WinSearchResult solve_wrong(WinSearch *s)
{
    for (int p = 0; p < WIN_POTENTIALS; p++) {
        const int32_t count = s->of_potential[p];
        bool failed = false;
        if (count == 0) continue;
        if (is_stopped(s)) return WIN_SEARCH_STOPPED;
#pragma omp parallel for schedule(dynamic, 2) reduction(|| : failed) if (count > CELLS_FEW)
        for (int32_t i = 0; i < count; i++) {
            WinStructure *f = s->structure[s->by_potential[p][i]];
            if (f->child == NULL || !(f->unsolved || (f->reached && is_wrong(s, f)))) continue;
            failed = failed || !win_solve(s, f, NULL);
            f->wrong = f->reached && !entries_are_won(f);
        }
        if (failed) return WIN_SEARCH_NO_MEMORY;
    }
    for (int32_t i = 0; i < s->count; i++) s->structure[i]->wrong = false;
    return WIN_SEARCH_WON;
}

static void forget_entries(WinSearch *s)
{
    for (int32_t i = 0; i < s->count; i++) {
        WinStructure *f = s->structure[i];
        if (f->reached) memset(f->entries, 0, 2 * cells_words(&f->key) * sizeof *f->entries);
        f->reached = false;
    }
}

/* Gives sets to the guessed structures of one potential that the strategy reaches. */
static bool expand_reached(WinSearch *s, int potential)
{
    for (int32_t i = 0; i < s->of_potential[potential]; i++) {
        WinStructure *f = s->structure[s->by_potential[potential][i]];
        if (f->child == NULL && f->reached && (!has_room(s) || !win_structure_expand(s, f)))
            return false;
    }
    return true;
}

/* Follows White's strategy from a cell of a structure, through the structures in order of falling
 * potential. Guessed structures are solved when the strategy reaches them. Ends early when many
 * turn out to be wrong; `wrong` gets their number. WIN_SEARCH_WON on success. */
static WinSearchResult follow(WinSearch *s, WinStructure *from, Cell cell, int side, int *wrong)
{
    bool failed = !win_follow_start(s, from, cell, side);
    int refuted = 0;
    for (int p = from->potential; p >= 0 && !failed && refuted < WRONG_ENOUGH; p--) {
        if (s->of_potential[p] == 0) continue;
        if (is_stopped(s)) return WIN_SEARCH_STOPPED;
        if (!expand_reached(s, p)) return WIN_SEARCH_NO_MEMORY;
        const int32_t count = s->of_potential[p];
        /* Decided before the threads start, so that the result does not depend on their number. */
        s->keeps_exits = s->bytes < s->limits.memory / 2;
#pragma omp parallel for schedule(dynamic, 1) reduction(|| : failed) reduction(+ : refuted) if (count > CELLS_FEW)
        for (int32_t i = 0; i < count; i++) {
            WinStructure *f = s->structure[s->by_potential[p][i]];
            if (!f->reached || failed) continue;
            failed = !win_follow(s, f);
            refuted += f->wrong;
        }
    }
    *wrong = refuted;
    return failed ? WIN_SEARCH_NO_MEMORY : WIN_SEARCH_WON;
}

static bool is_won(const WinStructure *f, Cell cell, int side)
{
    const int king = (int)(cell & 63);
    return side == TREB_WHITE ? !bit_test(f->not_won[cell >> 6], king)
                              : bit_test(f->lost[cell >> 6], king);
}

static WinSearchResult search(WinSearch *s, WinStructure *from, Cell cell, int side,
                              uint64_t budget)
{
    const uint64_t enough = s->solved + budget;
    for (;;) {
        int wrong;
        WinSearchResult result = solve_wrong(s);
        if (result != WIN_SEARCH_WON) return result;
        if (!is_won(from, cell, side)) return WIN_SEARCH_NOT_FOUND;
        if (s->solved > enough) return WIN_SEARCH_UNDECIDED;
        forget_entries(s);
        result = follow(s, from, cell, side, &wrong);
        if (result != WIN_SEARCH_WON || wrong == 0) return result;
    }
}

/* ---- Turning the board ----------------------------------------------------------------------- */

static CellsKey turn_key(const CellsKey *key)
{
    CellsKey out = *key;
    for (int color = 0; color < 2; color++) out.pawns[color] = flip_ranks(key->pawns[!color]);
    for (int i = 0; i < key->pieces; i++) out.piece[i].color = !key->piece[i].color;
    return out;
}

static Cell turn_cell(Cell cell)
{
    return (Cell)((cell & 63) ^ 56) << 6 | (Cell)((cell >> 6 & 63) ^ 56);
}

/* ---- The search
 * ------------------------------------------------------------------------------- */

WinSearch *win_search_new(const CellsKey *key, int winner, const WinSearchLimits *limits)
{
    WinSearch *s = malloc(sizeof *s);
    if (s == NULL) return NULL;
    *s = (WinSearch){.limits = *limits, .turned = winner == TREB_BLACK};
    s->threads = omp_get_max_threads();
    s->buffers = calloc((size_t)s->threads, sizeof *s->buffers);
    s->bucket = malloc(sizeof *s->bucket << WIN_BUCKET_BITS);
    if (s->bucket != NULL) memset(s->bucket, 0xff, sizeof *s->bucket << WIN_BUCKET_BITS);
    const CellsKey root = s->turned ? turn_key(key) : *key;
    if (s->bucket != NULL && s->buffers != NULL && win_structure_find(s, &root, true) == 0)
        return s;
    win_search_free(s);
    return NULL;
}

void win_search_free(WinSearch *s)
{
    if (s == NULL) return;
    for (int32_t i = 0; i < s->count; i++) {
        WinStructure *f = s->structure[i];
        if (f->key.pieces == 0) free(f->plies);
        free(f->entries);
        free(f->exit);
    }
    for (int p = 0; p < WIN_POTENTIALS; p++) free(s->by_potential[p]);
    for (int i = 0; i < s->threads && s->buffers != NULL; i++) {
        free(s->buffers[i].sets);
        free(s->buffers[i].position);
        free(s->buffers[i].exit);
    }
    free(s->buffers);
    win_arena_free(&s->arena);
    free(s->structure);
    free(s->bucket);
    free(s);
}

void win_search_set_memory(WinSearch *s, uint64_t memory) { s->limits.memory = memory; }

/* Lists the structures that the strategy reaches, on the caller's board. */
static bool list_reached(const WinSearch *s, CellsKey **keys, size_t *count)
{
    *count = 0;
    *keys = malloc((size_t)s->count * sizeof **keys);
    if (*keys == NULL) return false;
    for (int p = 0; p < WIN_POTENTIALS; p++)
        for (int32_t i = 0; i < s->of_potential[p]; i++) {
            const WinStructure *f = s->structure[s->by_potential[p][i]];
            if (f->reached) (*keys)[(*count)++] = s->turned ? turn_key(&f->key) : f->key;
        }
    return true;
}

uint64_t win_search_bytes(const WinSearch *s)
{
    return s != NULL ? s->bytes + s->arena.left + (sizeof *s->bucket << WIN_BUCKET_BITS) : 0;
}

WinSearchResult win_search_run(WinSearch *s, const CellsKey *key, Cell cell, int side,
                               uint64_t budget, CellsKey **keys, size_t *count)
{
    const CellsKey turned = s->turned ? turn_key(key) : *key;
    WinSearchResult result = WIN_SEARCH_WON;
    *keys = NULL;
    *count = 0;
    if (!s->listed) result = list_all(s);
    if (result != WIN_SEARCH_WON) return result;
    s->listed = true;
    const int32_t from = win_structure_find(s, &turned, false);
    if (from == WIN_NONE) return WIN_SEARCH_NOT_FOUND;
    if (s->structure[from]->child == NULL && !win_structure_expand(s, s->structure[from]))
        return WIN_SEARCH_NO_MEMORY;
    result = search(s, s->structure[from], s->turned ? turn_cell(cell) : cell,
                    s->turned ? !side : side, budget);
    if (result == WIN_SEARCH_WON && !list_reached(s, keys, count)) result = WIN_SEARCH_NO_MEMORY;
    forget_entries(s);
    return result;
}
