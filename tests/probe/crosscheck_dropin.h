/* crosscheck_dropin.h - compares the drop-in's answers at the root with those of Debian's libfathom
 * and of libtrebuchet. Included once, by crosscheck.c.
 *
 * Every move must have the same verdict, distance, rank and score in both. Where Syzygy's distance
 * is in moves, Fathom's n may mean n + 1. The verdict may then differ if n + 1 is just too late for
 * the 50-move rule, and ranks are not compared. */
#ifndef TREB_TESTS_CROSSCHECK_DROPIN_H
#define TREB_TESTS_CROSSCHECK_DROPIN_H

#include "core/chess/position.h"
#include "core/system/hash.h"
#include "tests/probe/fathom_lib.h"

typedef struct DropinCounts {
    uint64_t verdicts, roots, moves, rounded, wrong;
    uint64_t beside_fathom; /* number of verdicts compared with Fathom's */
} DropinCounts;

typedef struct Dropin {
    const FathomLib *ours, *theirs; /* `theirs` is NULL where Syzygy has no such table */
    const treb_tables *tables;
    bool loose; /* distances may be rounded */
    DropinCounts *counts;
} Dropin;

/* The results of both libraries for one position. */
typedef struct DropinRoot {
    unsigned ours[TB_MAX_MOVES], theirs[TB_MAX_MOVES];
    unsigned our_root, their_root;
    int count;
} DropinRoot;

static inline void dropin_complain(const Dropin *d, const treb_position *pos, const char *what,
                                   long ours, long theirs)
{
    char fen[TREB_FEN_SIZE];
    if (d->counts->wrong++ >= 20) return;
    position_to_fen(pos, fen);
    fprintf(stderr, "%s: drop-in: %s: %ld, not %ld\n", fen, what, ours, theirs);
}

/* Returns the move of a result, without its value. */
static inline unsigned dropin_move(unsigned result)
{
    return result & ~(TB_RESULT_WDL_MASK | TB_RESULT_DTZ_MASK);
}

/* Returns the result for a move in a list, or TB_RESULT_FAILED. */
static inline unsigned dropin_find(const unsigned *results, unsigned move)
{
    for (int i = 0; i < TB_MAX_MOVES && results[i] != TB_RESULT_FAILED; i++)
        if (dropin_move(results[i]) == move) return results[i];
    return TB_RESULT_FAILED;
}

/* Returns whether verdict and distance are equal, or differ as rounding allows. */
static inline bool dropin_same(Dropin *d, const treb_position *pos, unsigned ours, unsigned theirs)
{
    unsigned our_dtz = TB_GET_DTZ(ours), their_dtz = TB_GET_DTZ(theirs);
    if (our_dtz == their_dtz) return TB_GET_WDL(ours) == TB_GET_WDL(theirs);
    if (!d->loose || their_dtz == 0 || our_dtz != their_dtz + 1) return false;
    d->counts->rounded++;
    return TB_GET_WDL(ours) == TB_GET_WDL(theirs) || their_dtz + pos->halfmove == 100;
}

/* ---- tb_probe_root --------------------------------------------------------------------------- */

/* Compares the moves with libfathom's. */
static inline void dropin_check_moves(Dropin *d, const treb_position *pos, DropinRoot *root)
{
    int theirs = 0;
    for (int i = 0; i < root->count; i++) {
        unsigned other = dropin_find(root->theirs, dropin_move(root->ours[i]));
        if (other == TB_RESULT_FAILED || !dropin_same(d, pos, root->ours[i], other))
            dropin_complain(d, pos, "result of a move", root->ours[i], other);
    }
    if (root->their_root != TB_RESULT_CHECKMATE && root->their_root != TB_RESULT_STALEMATE)
        while (root->theirs[theirs] != TB_RESULT_FAILED) theirs++;
    if (theirs != root->count) dropin_complain(d, pos, "number of moves", root->count, theirs);
    if (root->count == 0) {
        if (root->our_root != root->their_root)
            dropin_complain(d, pos, "end of the game", root->our_root, root->their_root);
    } else if (!dropin_same(d, pos, root->our_root, root->their_root)) {
        dropin_complain(d, pos, "result of the root", root->our_root, root->their_root);
    }
}

/* Compares the position itself with libtrebuchet's answer. The proposed move must keep the
 * value. */
static inline void dropin_check_root(Dropin *d, const treb_position *pos, const DropinRoot *root)
{
    treb_value value;
    unsigned verdict = TB_GET_WDL(root->our_root);
    treb_status status = treb_probe_root(d->tables, pos, &value, NULL);
    if (status != TREB_OK || value.status[TREB_DTZ] != TREB_OK)
        dropin_complain(d, pos, "no probe of the library", status, 0);
    /* TB_RESULT_CHECKMATE means a win for the mating side. The clock does not change it. */
    bool mated = root->our_root == TB_RESULT_CHECKMATE;
    if (mated ? value.wdl != TREB_LOSS : verdict != value.rule)
        dropin_complain(d, pos, "verdict", verdict, value.rule);
    if ((int)TB_GET_DTZ(root->our_root) != value.plies[TREB_DTZ])
        dropin_complain(d, pos, "DTZ", TB_GET_DTZ(root->our_root), value.plies[TREB_DTZ]);
    unsigned chosen = dropin_find(root->ours, dropin_move(root->our_root));
    if (root->count > 0 && chosen != root->our_root)
        dropin_complain(d, pos, "move proposed", root->our_root, chosen);
}

/* ---- tb_probe_root_dtz and tb_probe_root_wdl ------------------------------------------------- */

static inline unsigned dropin_result_of(const unsigned *results, TbMove move)
{
    unsigned key = TB_SET_TO(0, TB_MOVE_TO(move)) | TB_SET_FROM(0, TB_MOVE_FROM(move)) |
                   TB_SET_PROMOTES(0, TB_MOVE_PROMOTES(move));
    unsigned found = dropin_find(results, key);
    return found != TB_RESULT_FAILED ? found : dropin_find(results, key | TB_RESULT_EP_MASK);
}

/* Returns whether the libraries may give different answers for a move. */
static inline bool dropin_may_differ(const DropinRoot *root, TbMove move, bool by_dtz)
{
    unsigned ours = dropin_result_of(root->ours, move);
    unsigned theirs = dropin_result_of(root->theirs, move);
    if (by_dtz) return TB_GET_DTZ(ours) != TB_GET_DTZ(theirs);
    /* A quiet move into a loss in 100 plies wins too late. Fathom calls it a win. */
    return TB_GET_DTZ(ours) == 101;
}

static inline void dropin_compare_ranks(Dropin *d, const treb_position *pos, const DropinRoot *root,
                                        const struct TbRootMoves *ours,
                                        const struct TbRootMoves *theirs, bool by_dtz)
{
    if (ours->size != theirs->size || (int)ours->size != root->count)
        dropin_complain(d, pos, "number of ranked moves", ours->size, theirs->size);
    for (unsigned i = 0; i < ours->size; i++) {
        const struct TbRootMove *a = &ours->moves[i], *b = NULL;
        for (unsigned k = 0; k < theirs->size && b == NULL; k++)
            if (theirs->moves[k].move == a->move) b = &theirs->moves[k];
        if (a->pvSize < 1 || a->pv[0] != a->move) dropin_complain(d, pos, "line", a->pvSize, 1);
        if (b == NULL) {
            dropin_complain(d, pos, "ranked move", a->move, 0);
        } else if ((a->tbRank != b->tbRank || a->tbScore != b->tbScore) &&
                   !dropin_may_differ(root, a->move, by_dtz)) {
            dropin_complain(d, pos, by_dtz ? "rank by DTZ" : "rank by WDL", a->tbRank, b->tbRank);
            dropin_complain(d, pos, "score", a->tbScore, b->tbScore);
        }
    }
}

static inline void dropin_check_ranks(Dropin *d, const treb_position *pos, const DropinRoot *root,
                                      bool repeated, bool rule50)
{
    static struct TbRootMoves ours, theirs;
    if (!fathom_root_dtz(d->ours, pos, repeated, rule50, &ours) ||
        !fathom_root_dtz(d->theirs, pos, repeated, rule50, &theirs))
        dropin_complain(d, pos, "ranking by DTZ failed", ours.size, theirs.size);
    else
        dropin_compare_ranks(d, pos, root, &ours, &theirs, true);
    if (!fathom_root_wdl(d->ours, pos, rule50, &ours) ||
        !fathom_root_wdl(d->theirs, pos, rule50, &theirs))
        dropin_complain(d, pos, "ranking by WDL failed", ours.size, theirs.size);
    else
        dropin_compare_ranks(d, pos, root, &ours, &theirs, false);
}

/* ---- One position ---------------------------------------------------------------------------- */

static inline void dropin_compare_wdl(Dropin *d, const treb_position *pos)
{
    treb_wdl wdl = TREB_DRAW;
    unsigned ours = fathom_wdl(d->ours, pos);
    treb_status status = treb_probe_wdl(d->tables, pos, &wdl, NULL);
    d->counts->verdicts++;
    if (status != TREB_OK || ours != (unsigned)wdl)
        dropin_complain(d, pos, "WDL beside the library's", ours, wdl);
    if (d->theirs == NULL) return;
    unsigned theirs = fathom_wdl(d->theirs, pos);
    d->counts->beside_fathom++;
    if (ours != theirs) dropin_complain(d, pos, "WDL beside libfathom's", ours, theirs);
}

/* Compares both at the root. The clock and the flags depend on `number`. */
static inline void dropin_compare_root(Dropin *d, const treb_position *at, uint64_t number)
{
    static const uint8_t clocks[] = {0, 0, 0, 1, 40, 70, 80, 90, 95, 98, 99, 100, 101, 150, 220};
    treb_position pos = *at;
    DropinRoot root = {.count = 0};
    number = number * HASH_FACTOR >> 32;
    pos.halfmove = pos.ep != 0 ? 0 : clocks[number % sizeof clocks];
    root.our_root = fathom_root(d->ours, &pos, root.ours);
    d->counts->roots++;
    if (root.our_root == TB_RESULT_FAILED) {
        dropin_complain(d, &pos, "probe of the root failed", 0, 0);
        return;
    }
    while (root.ours[root.count] != TB_RESULT_FAILED) root.count++;
    d->counts->moves += (unsigned)root.count;
    dropin_check_root(d, &pos, &root);
    if (d->theirs == NULL) return;
    root.their_root = fathom_root(d->theirs, &pos, root.theirs);
    dropin_check_moves(d, &pos, &root);
    dropin_check_ranks(d, &pos, &root, number >> 8 & 1, number >> 9 & 1);
}

#endif
