/* structure_solve.c - see structure_solve.h.
 *
 * First the outcomes of all edges are found: where a move along an edge wins, and where it does not
 * lose. Then, for each winner and level, retrograde analysis plays the quiet moves.
 *
 * A double push needs care: if the opponent can capture en passant, the value of the position after
 * it is not that of its structure, which does not know this right. */
#include "pawns/solve/structure_solve.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "pawns/solve/recapture.h"

/* What the edges offer the side to move; the last index is a level (structure.h). */
typedef struct MoveOutcomes {
    uint64_t *any[2];            /* there is an edge, by side to move */
    uint64_t *win[2][LEVELS];    /* an edge wins */
    uint64_t *escape[2][LEVELS]; /* an edge does not lose; used when the opponent is the winner */
} MoveOutcomes;

static uint64_t *new_set(size_t words) { return calloc(words, sizeof(uint64_t)); }

static bool outcomes_init(MoveOutcomes *out, size_t words, int levels)
{
    bool good = true;
    memset(out, 0, sizeof *out);
    for (int side = 0; side < 2; side++) {
        good = good && (out->any[side] = new_set(words)) != NULL;
        for (int level = SURE; level < levels; level++) {
            good = good && (out->win[side][level] = new_set(words)) != NULL;
            good = good && (out->escape[side][level] = new_set(words)) != NULL;
        }
    }
    return good;
}

static void outcomes_free(MoveOutcomes *out)
{
    for (int side = 0; side < 2; side++) {
        free(out->any[side]);
        for (int level = SURE; level < LEVELS; level++) {
            free(out->win[side][level]);
            free(out->escape[side][level]);
        }
    }
}

/* ---- Children -------------------------------------------------------------------------------- */

static const uint64_t *won_set(const Structure *f, int winner, int side, int level)
{
    return f->won[level][winner][side];
}

/* All legal positions of a child. If it has too many pieces to be represented, all cells. */
static TargetCells all_of(const EdgeChild *child, int side)
{
    const Structure *f = child->structure;
    return (TargetCells){.all = f != NULL ? f->legal[side] : NULL,
                         .structure = f != NULL && f->oracle != NULL ? child->structure : NULL,
                         .side = side,
                         .legal = f == NULL && !child->beyond ? &child->key : NULL};
}

/* The moves that lead to one child: those of an edge, or one answer en passant to an edge. A cell
 * has at most one such move, so a move that does not lead into a set leads out of it. */
typedef struct Transition {
    const Structure *structure;
    int side; /* whose moves they are */
    const Edge *edge;
    const EdgeChild *child;
    bool answer; /* an answer en passant to `edge`; its cells are those of the child of `edge` */
} Transition;

static Transition edge_transition(const Structure *f, int side, const Edge *edge)
{
    return (Transition){f, side, edge, &edge->child, false};
}

/* Ors into `out` the cells from which the transition reaches the target. */
static void predecessors(const Transition *t, TargetCells target, uint64_t *out)
{
    if (t->answer)
        edge_predecessors_en_passant(t->edge, target, out);
    else
        edge_predecessors(t->structure, t->side, t->edge, target, out);
}

/* Sets `use` to the cells that have such a move. */
static void find_sources(const Transition *t, size_t words, uint64_t *use)
{
    memset(use, 0, words * sizeof *use);
    predecessors(t, all_of(t->child, !t->side), use);
}

/* After a promotion to a structure that is not completely looked for, the other side has at least
 * the value after it captures the new piece at once. Corrects `won`, a subset of `use`, at a
 * level. */
static void apply_recaptures(const Transition *t, int winner, int level, const uint64_t *use,
                             size_t words, uint64_t *won)
{
    const bool ours = t->side == winner;
    if (t->answer || !t->edge->promotes || level == (ours ? SURE : MAYBE)) return;
    for (size_t w = 0; w < words && ours; w++) won[w] = ~won[w];
    recapture_predecessors(t->structure, t->side, t->edge, (RecaptureGoal){winner, level, !ours},
                           won);
    for (size_t w = 0; w < words; w++) won[w] = (ours ? ~won[w] : won[w]) & use[w];
}

/* Sets `won` to those cells of `use` that lead to a win of `winner`. For an unknown child these are
 * none (SURE), all (MAYBE) or those guessed. The caller goes through the levels in order with the
 * same `won`: it is left unchanged where the child is decided, as all levels are the same then. */
static void find_won(const Transition *t, int winner, int level, const uint64_t *use, size_t words,
                     uint64_t *won)
{
    Structure *f = t->child->structure;
    TargetCells target = {.side = !t->side};
    Guess guess = {.flat = true};
    if (f != NULL && level != SURE && structure_decided_for(f, winner)) return;
    if (f == NULL && level == GUESS) guess_start(&guess, &t->child->key, winner);
    if (f == NULL && (level != GUESS || guess.flat)) {
        bool all = level == MAYBE || (level == GUESS && guess.ahead);
        for (size_t w = 0; w < words; w++) won[w] = all ? use[w] : 0;
        apply_recaptures(t, winner, level, use, words, won);
        return;
    }
    memset(won, 0, words * sizeof *won);
    if (f != NULL) {
        target.all = won_set(f, winner, !t->side, level);
        target.structure = f->oracle != NULL ? f : NULL;
    } else {
        target.guess = &guess;
    }
    predecessors(t, target, won);
    for (size_t w = 0; w < words; w++) won[w] &= use[w];
    /* A child with only_winner is not completely looked for. */
    if (f == NULL || f->only_winner != BOTH_WINNERS)
        apply_recaptures(t, winner, level, use, words, won);
}

/* Number of levels that are solved in a structure. */
static int levels_of(int only) { return only == BOTH_WINNERS ? LEVELS : SURE + 1; }

/* Ors into `win` the cells of `use` that win for the side that moves, and into `hold` those that do
 * not lose, by level. With `only`, a winner, only what is needed for the sure wins of that
 * winner. */
static void find_values(const Transition *t, int only, size_t words, const uint64_t *use,
                        uint64_t *room, uint64_t *const win[LEVELS], uint64_t *const hold[LEVELS])
{
    const int levels = levels_of(only);
    for (int level = SURE; level < levels && only != !t->side; level++) {
        find_won(t, t->side, level, use, words, room);
        for (size_t w = 0; w < words; w++) win[level][w] |= room[w];
    }
    for (int level = SURE; level < levels && only != t->side; level++) {
        find_won(t, !t->side, level, use, words, room);
        for (size_t w = 0; w < words; w++) hold[level][w] |= use[w] & ~room[w];
    }
}

void edge_guessed_sources(const Structure *f, int side, const Edge *edge, int winner, bool won,
                          uint64_t *room, uint64_t *out)
{
    const Transition t = edge_transition(f, side, edge);
    size_t words = cells_words(&f->key);
    const Structure *to = edge->child.structure;
    find_sources(&t, words, room);
    find_won(&t, winner, to != NULL && structure_decided_for(to, winner) ? SURE : GUESS, room,
             words, out);
    for (size_t w = 0; w < words && !won; w++) out[w] = room[w] & ~out[w];
}

void edge_sources(const Structure *f, int side, const Edge *edge, uint64_t *out)
{
    const Transition t = edge_transition(f, side, edge);
    find_sources(&t, cells_words(&f->key), out);
}

/* ---- Double pushes that can be answered en passant ------------------------------------------- */

/* What the answers en passant to a double push come to, as sets of cells of its child. */
typedef struct Answers {
    uint64_t *any; /* an answer is legal, or may be */
    uint64_t
        *refute[LEVELS]; /* an answer does not lose; used when the side that pushed is the winner */
    uint64_t *win[LEVELS]; /* an answer wins */
} Answers;

static void answers_free(Answers *a)
{
    free(a->any);
    for (int level = SURE; level < LEVELS; level++) {
        free(a->refute[level]);
        free(a->win[level]);
    }
}

static bool answers_find(const Edge *edge, int side, int only, Answers *a)
{
    size_t words = cells_words(&edge->child.key);
    memset(a, 0, sizeof *a);
    bool good = (a->any = new_set(words)) != NULL;
    for (int level = SURE; level < LEVELS; level++) {
        good = good && (a->refute[level] = new_set(words)) != NULL;
        good = good && (a->win[level] = new_set(words)) != NULL;
    }
    uint64_t *use = new_set(2 * words);
    for (int i = 0; i < edge->captures && good && use != NULL; i++) {
        const Transition t = {NULL, !side, edge, &edge->answer[i], true};
        find_sources(&t, words, use);
        for (size_t w = 0; w < words; w++) a->any[w] |= use[w];
        find_values(&t, only, words, use, use + words, a->win, a->refute);
    }
    good = good && use != NULL;
    free(use);
    return good;
}

/* Asks the oracle of a child, if it has one, for all its cells. */
static void fill_all(Structure *f, int side)
{
    for (size_t word = 0; word < cells_words(&f->key) && f->oracle != NULL; word++)
        structure_ask_oracle(f, side, word, UINT64_MAX);
}

static bool find_double_push(const Structure *f, int side, const Edge *edge, MoveOutcomes *out)
{
    Structure *to = edge->child.structure;
    size_t words = cells_words(&to->key);
    Answers a;
    uint64_t *set = new_set(words);
    bool good = answers_find(edge, side, f->only_winner, &a) && set != NULL;
    fill_all(to, !side);
    const TargetCells target = {.all = set};
    for (int level = SURE; level < levels_of(f->only_winner) && good; level++) {
        const uint64_t *won = won_set(to, side, !side, level);
        const uint64_t *lost = won_set(to, !side, !side, level);
        /* A side whose only moves are captures en passant is neither mated nor stalemated. */
        for (size_t w = 0; w < words; w++)
            set[w] = (won[w] | (to->stuck[!side][w] & a.any[w])) & ~a.refute[level][w];
        edge_predecessors(f, side, edge, target, out->win[side][level]);
        for (size_t w = 0; w < words; w++)
            set[w] = to->legal[!side][w] & ~lost[w] & ~a.win[level][w];
        edge_predecessors(f, side, edge, target, out->escape[side][level]);
    }
    answers_free(&a);
    free(set);
    return good;
}

/* ---- Edges ----------------------------------------------------------------------------------- */

static bool find_edge(const Structure *f, int side, const Edge *edge, uint64_t *use,
                      MoveOutcomes *out)
{
    const Transition t = edge_transition(f, side, edge);
    size_t words = cells_words(&f->key);
    find_sources(&t, words, use);
    for (size_t w = 0; w < words; w++) out->any[side][w] |= use[w];
    if (edge->captures > 0 && edge->child.structure != NULL)
        return find_double_push(f, side, edge, out);
    find_values(&t, f->only_winner, words, use, use + words, out->win[side], out->escape[side]);
    return true;
}

static bool outcomes_find(const Structure *structure, MoveOutcomes *out)
{
    size_t words = cells_words(&structure->key);
    uint64_t *use = new_set(2 * words);
    bool good = outcomes_init(out, words, levels_of(structure->only_winner)) && use != NULL;
    for (int side = 0; side < 2 && good; side++)
        for (int i = 0; i < structure->edges[side] && good; i++)
            good = find_edge(structure, side, &structure->edge[side][i], use, out);
    free(use);
    return good;
}

/* ---- The structure
 * ------------------------------------------------------------------------------ */

/* Finds the positions without a legal move, and sets `mated` to those of them that are mate. */
static bool find_stuck(Structure *f, const MoveOutcomes *out, uint64_t *mated[2])
{
    size_t words = cells_words(&f->key);
    uint64_t *unused[2] = {new_set(words), new_set(words)}, *reach = new_set(words);
    bool good = unused[0] != NULL && unused[1] != NULL && reach != NULL;
    if (good) cells_legal(&f->key, unused, mated);
    for (int side = 0; side < 2 && good; side++) {
        memset(reach, 0, words * sizeof *reach);
        cells_quiet_moves(&f->key, side, f->legal[!side], NULL, reach, NULL);
        for (size_t w = 0; w < words; w++) {
            f->stuck[side][w] = f->legal[side][w] & ~reach[w] & ~out->any[side][w];
            mated[side][w] &= f->stuck[side][w];
        }
    }
    free(unused[0]);
    free(unused[1]);
    free(reach);
    return good;
}

/* Retrograde analysis of one winner at one level. */
static bool solve_level(Structure *f, const MoveOutcomes *out, uint64_t *const mated[2], int winner,
                        int level, const StructurePlies *plies)
{
    size_t words = cells_words(&f->key);
    uint64_t *losable = new_set(words);
    if (losable == NULL) return false;
    for (size_t w = 0; w < words; w++)
        losable[w] = ~out->escape[!winner][level][w] & (~f->stuck[!winner][w] | mated[!winner][w]);
    uint64_t **won = f->won[level][winner];
    Retrograde problem = {.key = &f->key,
                          .winner = winner,
                          .legal = {f->legal[0], f->legal[1]},
                          .won_at_1 = out->win[winner][level],
                          .lost_at_0 = mated[!winner],
                          .losable = losable,
                          .won = won[winner],
                          .lost = won[!winner]};
    if (plies != NULL) {
        for (int side = 0; side < 2; side++) {
            problem.plies[side] = plies->plies[winner][side];
            memset(won[side], 0, words * sizeof **won);
        }
    }
    bool good = retrograde_solve(&problem);
    free(losable);
    return good;
}

/* Marks a structure as decided for a winner if SURE and MAYBE agree everywhere. */
static void compare_levels(Structure *f, int winner)
{
    for (int side = 0; side < 2; side++)
        for (size_t w = 0; w < cells_words(&f->key); w++)
            if (word_open(f, winner, side, w)) return;
    structure_decide_for(f, winner);
}

/* Whether the outcomes for one winner are the same at two levels, so that the results are, too. */
static bool same_outcomes(const Structure *f, const MoveOutcomes *out, int winner, int a, int b)
{
    size_t bytes = cells_words(&f->key) * sizeof(uint64_t);
    return memcmp(out->win[winner][a], out->win[winner][b], bytes) == 0 &&
           memcmp(out->escape[!winner][a], out->escape[!winner][b], bytes) == 0;
}

/* Solves all levels for both winners. */
static bool solve_levels(Structure *f, const MoveOutcomes *out, uint64_t *const mated[2],
                         const StructurePlies *plies)
{
    size_t bytes = cells_words(&f->key) * sizeof(uint64_t);
    static const int order[LEVELS] = {SURE, GUESS, MAYBE};
    for (int winner = 0; winner < 2; winner++) {
        if (f->only_winner == !winner) continue;
        if (f->solved && structure_decided_for(f, winner) && plies == NULL) continue;
        if (!solve_level(f, out, mated, winner, SURE, plies)) return false;
        if (f->only_winner == winner) {
            structure_note_not_won(f);
            continue;
        }
        for (int i = 1; i < LEVELS && !structure_decided_for(f, winner); i++) {
            int level = order[i], below = order[i - 1];
            /* Sure wins are guessed wins, and guessed wins may be wins. */
            for (int side = 0; side < 2; side++)
                memcpy(f->won[level][winner][side], f->won[below][winner][side], bytes);
            if (same_outcomes(f, out, winner, level, below)) continue;
            if (!solve_level(f, out, mated, winner, level, NULL)) return false;
        }
        compare_levels(f, winner);
    }
    return true;
}

/* Whether all is decided and no win could be faster by a move out of the structure whose value is
 * open. */
static bool plies_exact(const Structure *f, const MoveOutcomes *out)
{
    for (int winner = 0; winner < 2; winner++)
        for (size_t w = 0; w < cells_words(&f->key); w++) {
            uint64_t open = word_open(f, winner, winner, w) & f->legal[winner][w];
            uint64_t lose = word_open(f, winner, !winner, w) & f->legal[!winner][w];
            uint64_t sooner = out->win[winner][SURE][w] ^ out->win[winner][MAYBE][w];
            if (open | lose | (sooner & f->won[SURE][winner][winner][w])) return false;
        }
    return true;
}

#ifndef NDEBUG
/* Whether SURE is within GUESS and GUESS within MAYBE, and no position is surely won for both
 * sides. */
static bool levels_ok(const Structure *f)
{
    for (int i = 0; i < 4; i++) {
        int winner = i >> 1, side = i & 1;
        for (size_t w = 0; w < cells_words(&f->key); w++) {
            uint64_t sure = f->won[SURE][winner][side][w] & f->legal[side][w];
            uint64_t guess = f->won[GUESS][winner][side][w], maybe = f->won[MAYBE][winner][side][w];
            if (sure & ~(guess & maybe)) return false;
            if (guess & ~maybe & f->legal[side][w]) return false;
            if (sure & f->won[SURE][!winner][side][w]) return false;
        }
    }
    return true;
}
#endif

bool structure_solve(Structure *f, StructurePlies *plies)
{
    size_t words = cells_words(&f->key);
    MoveOutcomes out;
    uint64_t *mated[2] = {new_set(words), new_set(words)};
    bool good = mated[0] != NULL && mated[1] != NULL;
    good = outcomes_find(f, &out) && good;
    good = good && find_stuck(f, &out, mated) && solve_levels(f, &out, mated, plies);
    if (good && plies != NULL)
        plies->exact = f->only_winner == BOTH_WINNERS && plies_exact(f, &out);
    outcomes_free(&out);
    free(mated[0]);
    free(mated[1]);
    assert(!good || levels_ok(f));
    if (good)
        f->solved = true;
    else
        structure_fail(f);
    return good;
}
