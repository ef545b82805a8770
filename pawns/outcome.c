/* outcome.c - see outcome.h.
 *
 * A double push needs care: where the opponent can take en passant the value of the position after
 * it is not its family's, which knows nothing of that right. */
#include "pawns/outcome.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "pawns/retake.h"

/* Cells by what an edge offers the side to move, the last index being a level (family.h). */
typedef struct FamilyOutcomes {
    uint64_t *any[2];            /* has an edge, by side to move */
    uint64_t *win[2][LEVELS];    /* an edge wins */
    uint64_t *escape[2][LEVELS]; /* an edge does not lose: in the game that the opponent wins */
} FamilyOutcomes;

static uint64_t *new_set(size_t words) { return calloc(words, sizeof(uint64_t)); }

static bool outcomes_init(FamilyOutcomes *out, size_t words, int levels)
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

static void outcomes_free(FamilyOutcomes *out)
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

/* The cells of a known child won for `winner`, `side` to move. */
static const uint64_t *won_set(const Family *f, int winner, int side, int level)
{
    return f->won[level][winner][side];
}

/* All positions of a child. With too many pieces to have a place they cannot be told. */
static CellSource all_of(const EdgeChild *child, int side)
{
    const Family *f = child->family;
    return (CellSource){.all = f != NULL ? f->legal[side] : NULL,
                        .family = f != NULL && f->oracle != NULL ? child->family : NULL,
                        .side = side,
                        .legal = f == NULL && !child->beyond ? &child->key : NULL};
}

/* Moves that lead to a child: those of an edge, or an answer en passant to one. A cell has at most one of them, so that
 * where they do not lead to a set they lead out of it. */
typedef struct Lead {
    const Family *family;
    int side; /* whose moves they are */
    const Edge *edge;
    const EdgeChild *child;
    bool answer;
} Lead;

static Lead edge_lead(const Family *f, int side, const Edge *edge)
{
    return (Lead){f, side, edge, &edge->child, false};
}

static void pull(const Lead *lead, CellSource source, uint64_t *out)
{
    if (lead->answer)
        edge_pull_en_passant(lead->edge, source, out);
    else
        edge_pull(lead->family, lead->side, lead->edge, source, out);
}

/* Sets `use` to the cells that have such a move. */
static void find_use(const Lead *lead, size_t words, uint64_t *use)
{
    memset(use, 0, words * sizeof *use);
    pull(lead, all_of(lead->child, !lead->side), use);
}

/* After a promotion to a family of which not all is looked for whoever takes the new piece at once has at least what that
 * leads to. Corrects `won` at a level, and `use` is its bound. */
static void take_back(const Lead *lead, int winner, int level, const uint64_t *use, size_t words,
                      uint64_t *won)
{
    const bool ours = lead->side == winner;
    if (lead->answer || !lead->edge->promotes || level == (ours ? SURE : MAYBE)) return;
    for (size_t w = 0; w < words && ours; w++) won[w] = ~won[w];
    retake_pull(lead->family, lead->side, lead->edge, (RetakeGoal){winner, level, !ours}, won);
    for (size_t w = 0; w < words; w++) won[w] = (ours ? ~won[w] : won[w]) & use[w];
}

/* Sets `won` to those of `use` that lead to a win of `winner`: to an unknown child all or none, as the level would have
 * it, or as it is guessed. Levels come in order; where they are the same `won` is left as it was. */
static void find_won(const Lead *lead, int winner, int level, const uint64_t *use, size_t words,
                     uint64_t *won)
{
    Family *f = lead->child->family;
    CellSource source = {.side = !lead->side};
    Guess guess = {.flat = true};
    if (f != NULL && level != SURE && family_settled(f, winner)) return;
    if (f == NULL && level == GUESS) guess_start(&guess, &lead->child->key, winner);
    if (f == NULL && (level != GUESS || guess.flat)) {
        bool all = level == MAYBE || (level == GUESS && guess.ahead);
        for (size_t w = 0; w < words; w++) won[w] = all ? use[w] : 0;
        take_back(lead, winner, level, use, words, won);
        return;
    }
    memset(won, 0, words * sizeof *won);
    if (f != NULL) {
        source.all = won_set(f, winner, !lead->side, level);
        source.family = f->oracle != NULL ? f : NULL;
    } else {
        source.guess = &guess;
    }
    pull(lead, source, won);
    for (size_t w = 0; w < words; w++) won[w] &= use[w];
    /* Where only the wins of a winner were looked for nothing else is known of it. */
    if (f == NULL || f->only != FAMILY_BOTH) take_back(lead, winner, level, use, words, won);
}

/* The levels that are looked at in a family are those before this one. */
static int levels_of(int only) { return only == FAMILY_BOTH ? LEVELS : SURE + 1; }

/* Ors into `win` what wins for whoever moves, and into `hold` what does not lose, by level; if `only` a winner's sure
 * wins are looked for what these take. */
static void find_values(const Lead *lead, int only, size_t words, const uint64_t *use,
                        uint64_t *room, uint64_t *const win[LEVELS], uint64_t *const hold[LEVELS])
{
    const int levels = levels_of(only);
    for (int level = SURE; level < levels && only != !lead->side; level++) {
        find_won(lead, lead->side, level, use, words, room);
        for (size_t w = 0; w < words; w++) win[level][w] |= room[w];
    }
    for (int level = SURE; level < levels && only != lead->side; level++) {
        find_won(lead, !lead->side, level, use, words, room);
        for (size_t w = 0; w < words; w++) hold[level][w] |= use[w] & ~room[w];
    }
}

void edge_guess(const Family *f, int side, const Edge *edge, int winner, bool won, uint64_t *room,
                uint64_t *out)
{
    const Lead lead = edge_lead(f, side, edge);
    size_t words = cells_words(&f->key);
    const Family *to = edge->child.family;
    find_use(&lead, words, room);
    find_won(&lead, winner, to != NULL && family_settled(to, winner) ? SURE : GUESS, room, words,
             out);
    for (size_t w = 0; w < words && !won; w++) out[w] = room[w] & ~out[w];
}

void edge_use(const Family *f, int side, const Edge *edge, uint64_t *out)
{
    const Lead lead = edge_lead(f, side, edge);
    find_use(&lead, cells_words(&f->key), out);
}

/* ---- Double pushes that can be answered en passant ------------------------------------------- */

/* What the answers to a double push by `side` come to, as cells of its child. */
typedef struct Answers {
    uint64_t *any;            /* one is legal, or may be */
    uint64_t *refute[LEVELS]; /* one does not lose: in the game that the pusher wins */
    uint64_t *win[LEVELS];    /* one wins */
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
        const Lead lead = {NULL, !side, edge, &edge->answer[i], true};
        find_use(&lead, words, use);
        for (size_t w = 0; w < words; w++) a->any[w] |= use[w];
        find_values(&lead, only, words, use, use + words, a->win, a->refute);
    }
    good = good && use != NULL;
    free(use);
    return good;
}

/* Asks for all of a child, if an oracle answers for it. */
static void fill_all(Family *f, int side)
{
    for (size_t word = 0; word < cells_words(&f->key) && f->oracle != NULL; word++)
        family_fill(f, side, word, UINT64_MAX);
}

static bool find_double_push(const Family *f, int side, const Edge *edge, FamilyOutcomes *out)
{
    Family *to = edge->child.family;
    size_t words = cells_words(&to->key);
    Answers a;
    uint64_t *set = new_set(words);
    bool good = answers_find(edge, side, f->only, &a) && set != NULL;
    fill_all(to, !side);
    const CellSource source = {.all = set};
    for (int level = SURE; level < levels_of(f->only) && good; level++) {
        const uint64_t *won = won_set(to, side, !side, level);
        const uint64_t *lost = won_set(to, !side, !side, level);
        /* Whoever is stuck but for taking en passant is neither mated nor stalemated. */
        for (size_t w = 0; w < words; w++)
            set[w] = (won[w] | (to->stuck[!side][w] & a.any[w])) & ~a.refute[level][w];
        edge_pull(f, side, edge, source, out->win[side][level]);
        for (size_t w = 0; w < words; w++)
            set[w] = to->legal[!side][w] & ~lost[w] & ~a.win[level][w];
        edge_pull(f, side, edge, source, out->escape[side][level]);
    }
    answers_free(&a);
    free(set);
    return good;
}

/* ---- Edges ----------------------------------------------------------------------------------- */

static bool find_edge(const Family *f, int side, const Edge *edge, uint64_t *use,
                      FamilyOutcomes *out)
{
    const Lead lead = edge_lead(f, side, edge);
    size_t words = cells_words(&f->key);
    find_use(&lead, words, use);
    for (size_t w = 0; w < words; w++) out->any[side][w] |= use[w];
    if (edge->captures > 0 && edge->child.family != NULL)
        return find_double_push(f, side, edge, out);
    find_values(&lead, f->only, words, use, use + words, out->win[side], out->escape[side]);
    return true;
}

static bool outcomes_find(const Family *family, FamilyOutcomes *out)
{
    size_t words = cells_words(&family->key);
    uint64_t *use = new_set(2 * words);
    bool good = outcomes_init(out, words, levels_of(family->only)) && use != NULL;
    for (int side = 0; side < 2 && good; side++)
        for (int i = 0; i < family->edges[side] && good; i++)
            good = find_edge(family, side, &family->edge[side][i], use, out);
    free(use);
    return good;
}

/* ---- The family ------------------------------------------------------------------------------ */

/* Notes who has no move, and returns in `losable` where a side can lose in a level's game: no edge
 * lets it out, and it is not stalemated; in `mated` where it has. */
static bool find_stuck(Family *f, const FamilyOutcomes *out, uint64_t *mated[2])
{
    size_t words = cells_words(&f->key);
    uint64_t *unused[2] = {new_set(words), new_set(words)}, *reach = new_set(words);
    bool good = unused[0] != NULL && unused[1] != NULL && reach != NULL;
    if (good) cells_legal(&f->key, unused, mated);
    for (int side = 0; side < 2 && good; side++) {
        memset(reach, 0, words * sizeof *reach);
        cells_unmove(&f->key, side, f->legal[!side], NULL, reach, NULL);
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

static bool solve_game(Family *f, const FamilyOutcomes *out, uint64_t *const mated[2], int winner,
                       int level, const FamilyRanks *ranks)
{
    size_t words = cells_words(&f->key);
    uint64_t *losable = new_set(words);
    if (losable == NULL) return false;
    for (size_t w = 0; w < words; w++)
        losable[w] = ~out->escape[!winner][level][w] & (~f->stuck[!winner][w] | mated[!winner][w]);
    uint64_t **won = f->won[level][winner];
    Game game = {.key = &f->key,
                 .winner = winner,
                 .legal = {f->legal[0], f->legal[1]},
                 .won_at_1 = out->win[winner][level],
                 .lost_at_0 = mated[!winner],
                 .losable = losable,
                 .won = won[winner],
                 .lost = won[!winner]};
    if (ranks != NULL) {
        for (int side = 0; side < 2; side++) {
            game.rank[side] = ranks->rank[winner][side];
            memset(won[side], 0, words * sizeof **won);
        }
    }
    bool good = game_solve(&game);
    free(losable);
    return good;
}

/* With one set of a winner's for all levels if they are the same everywhere. */
static void compare_levels(Family *f, int winner)
{
    for (int side = 0; side < 2; side++)
        for (size_t w = 0; w < cells_words(&f->key); w++)
            if (word_open(f, winner, side, w)) return;
    family_settle(f, winner);
}

/* Whether the games of one winner at two levels start out the same, and so end the same. */
static bool same_game(const Family *f, const FamilyOutcomes *out, int winner, int a, int b)
{
    size_t bytes = cells_words(&f->key) * sizeof(uint64_t);
    return memcmp(out->win[winner][a], out->win[winner][b], bytes) == 0 &&
           memcmp(out->escape[!winner][a], out->escape[!winner][b], bytes) == 0;
}

static bool solve_games(Family *f, const FamilyOutcomes *out, uint64_t *const mated[2],
                        const FamilyRanks *ranks)
{
    size_t bytes = cells_words(&f->key) * sizeof(uint64_t);
    static const int order[LEVELS] = {SURE, GUESS, MAYBE};
    for (int winner = 0; winner < 2; winner++) {
        if (f->only == !winner) continue;
        if (f->solved && family_settled(f, winner) && ranks == NULL) continue;
        if (!solve_game(f, out, mated, winner, SURE, ranks)) return false;
        if (f->only == winner) {
            family_note_others(f);
            continue;
        }
        for (int i = 1; i < LEVELS && !family_settled(f, winner); i++) {
            int level = order[i], below = order[i - 1];
            /* What is sure is guessed, and what is guessed may be. */
            for (int side = 0; side < 2; side++)
                memcpy(f->won[level][winner][side], f->won[below][winner][side], bytes);
            if (same_game(f, out, winner, level, below)) continue;
            if (!solve_game(f, out, mated, winner, level, NULL)) return false;
        }
        compare_levels(f, winner);
    }
    return true;
}

/* A win may be nearer than its rank where a move that leaves the family may win, too. */
static bool ranks_exact(const Family *f, const FamilyOutcomes *out)
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
/* Whether what is sure may be, and nobody wins where the other does. Guesses lie between. */
static bool levels_ok(const Family *f)
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

bool family_solve(Family *f, FamilyRanks *ranks)
{
    size_t words = cells_words(&f->key);
    FamilyOutcomes out;
    uint64_t *mated[2] = {new_set(words), new_set(words)};
    bool good = mated[0] != NULL && mated[1] != NULL;
    good = outcomes_find(f, &out) && good;
    good = good && find_stuck(f, &out, mated) && solve_games(f, &out, mated, ranks);
    if (good && ranks != NULL) ranks->exact = f->only == FAMILY_BOTH && ranks_exact(f, &out);
    outcomes_free(&out);
    free(mated[0]);
    free(mated[1]);
    assert(!good || levels_ok(f));
    if (good)
        f->solved = true;
    else
        family_fail(f);
    return good;
}
