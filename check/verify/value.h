/* value.h - what a position is worth, from tables and by its moves: the rules of the metrics. Private to check/verify/. */
#ifndef TREB_CHECK_VERIFY_VALUE_H
#define TREB_CHECK_VERIFY_VALUE_H

#include "check/verify/store.h"

/* What a position is worth to the side to move. */
typedef struct VerifyValue {
    uint8_t verdict;
    uint16_t plies[TREB_METRICS]; /* by metric; VERIFY_NONE for draws and what was not asked for */
} VerifyValue;

typedef enum VerifyKind { KIND_QUIET, KIND_PUSH, KIND_CONVERSION } VerifyKind;

/* What the moves of a position come to. */
typedef struct VerifyTally {
    unsigned ply; /* the unit of distances */
    unsigned moves;
    unsigned quiet, zeroing; /* bit v: some such move leads to verdict v of the opponent */
    uint16_t win[TREB_METRICS], loss[TREB_METRICS]; /* shortest win, longest loss */
} VerifyTally;

void verify_tally_init(VerifyTally *tally, unsigned ply);

static inline bool verify_decided(unsigned verdict) { return verdict != TREB_DRAW; }

static inline unsigned verify_one_more(unsigned plies, unsigned ply)
{
    return plies == VERIFY_NONE ? VERIFY_NONE : plies + ply;
}

/* An unknown distance shows: nothing is longer, and as the shortest it stands alone. */
static inline void verify_tally_distance(VerifyTally *tally, bool win, int metric, unsigned plies)
{
    uint16_t *at = win ? &tally->win[metric] : &tally->loss[metric];
    if (win ? plies < *at : plies > *at) *at = (uint16_t)plies;
}

static inline void verify_tally_add(VerifyTally *tally, VerifyKind kind, const VerifyValue *child)
{
    unsigned verdict = child->verdict, ply = tally->ply;
    tally->moves++;
    *(kind == KIND_QUIET ? &tally->quiet : &tally->zeroing) |= 1u << verdict;
    if (!verify_decided(verdict)) return;
    bool win = verdict < TREB_DRAW, counts = verdict == TREB_LOSS || verdict == TREB_WIN;
    unsigned dtz = counts ? ply : ply * (RULE_PLIES + 1), dtc = ply;
    if (kind == KIND_QUIET) dtz = verify_one_more(child->plies[TREB_DTZ], ply);
    if (kind != KIND_CONVERSION) dtc = verify_one_more(child->plies[TREB_DTC], ply);
    verify_tally_distance(tally, win, TREB_DTZ, dtz);
    verify_tally_distance(tally, win, TREB_DTC, dtc);
    verify_tally_distance(tally, win, TREB_DTM, verify_one_more(child->plies[TREB_DTM], ply));
}

/* The metrics that have to be known of a child for those wanted of the parent. */
static inline unsigned verify_wanted(VerifyKind kind, unsigned metrics)
{
    if (kind == KIND_CONVERSION) return metrics & metric_bit(TREB_DTM);
    if (kind == KIND_PUSH) return metrics & ~metric_bit(TREB_DTZ);
    return metrics;
}

/* The distances of a position of the given verdict. */
void verify_tally_plies(const VerifyTally *tally, VerifyValue *value);

static inline VerifyKind verify_kind(const treb_position *pos, Move m)
{
    if (move_promo(m) != 0 || move_is_capture(pos, m)) return KIND_CONVERSION;
    return bit_test(pos->by_type[TREB_PAWN], move_from(m)) ? KIND_PUSH : KIND_QUIET;
}

/* The value, for the opponent, after a capture or promotion in a position of `entry`. */
VerifyValue verify_convert(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                           Move m, unsigned metrics);

/* The same as far as it may change the DTM of a position that is a win in `plies` or less, or else a loss in so
 * many or more. An opponent who loses later or wins sooner has any number that says so, and not all his moves
 * are looked at; one who wins what should be won, or loses what should be lost, has none. */
VerifyValue verify_convert_within(VerifyReader *reader, VerifyEntry *entry,
                                  const treb_position *pos, Move m, bool win, unsigned plies);

/* The value of a position of `entry`, colours as in the table. En passant counts. */
VerifyValue verify_evaluate(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                            unsigned metrics);

/* The value, for the opponent, after any move of the given kind, as far as those metrics of the
 * parent need it. */
VerifyValue verify_child(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos, Move m,
                         VerifyKind kind, unsigned metrics);

/* The same as verify_evaluate, where the value without en passant is already known. */
VerifyValue verify_with_ep(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                           const VerifyValue *without, unsigned metrics);

/* The verdict of the best capture; -1 if there are none. */
int verify_captures(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos);

/* Distances of 1 that a table need not store: a win by capture or pawn move for DTZ, by capture
 * or promotion for DTC; and DTZ of 101 in Syzygy's files. As bits of metrics; `captures` is what
 * verify_captures said. `push` gives
 * a position's verdict after a pawn's push. */
typedef unsigned (*VerifyPush)(void *context, const treb_position *child);
unsigned verify_at_once(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                        unsigned verdict, int captures, unsigned metrics, VerifyPush push,
                        void *context);

/* DTZ of a win at once. */
static inline unsigned verify_once_plies(const VerifyStore *store, unsigned verdict)
{
    return store->ply * (verdict == TREB_WIN ? 1 : RULE_PLIES + 1);
}

/* What a value of a .rtbz file means, from syzygy_dtz. Of those mated, whom it counts a ply or two,
 * 0; VERIFY_NONE if it is no distance. */
unsigned verify_syzygy_plies(const treb_position *pos, unsigned verdict, int dtz);

/* What captures and the last pawn's promotion make of the DTM `plies` in a cell of a file of bounds:
 * the distance. VERIFY_NONE stays. For the verifier this is as good as a look at the bound itself. With `moves` for
 * what all moves make of the position, and `some` for these alone, the bound of a win is right if it
 * is no less than `moves`, and equal to it unless `some` is. As `some` is never less than `moves`, that is
 * to say that the lesser of the bound and `some` is `moves`. Of losses the same with the greater.
 * `attained`, unless NULL: one of those moves was found to lead to just that distance, and for a win in time to an
 * opponent who loses in time. */
unsigned verify_complete(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                         unsigned verdict, unsigned plies, bool *attained);

/* The plies that a code stands for, or VERIFY_NONE. */
static inline unsigned verify_plies(const TableHeader *h, int side, unsigned verdict, unsigned code)
{
    const TableSide *s = &h->side[side];
    return code < s->codes[verdict] ? s->plies[verdict][code] : VERIFY_NONE;
}

#endif
