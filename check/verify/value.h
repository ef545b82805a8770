/* value.h - the value of a position, from tables and from its moves: the rules of the metrics.
 * Private to check/verify/. */
#ifndef TREB_CHECK_VERIFY_VALUE_H
#define TREB_CHECK_VERIFY_VALUE_H

#include "check/verify/store.h"

/* The value of a position for the side to move. */
typedef struct VerifyValue {
    uint8_t verdict;
    /* by metric; VERIFY_NONE for draws and for metrics that the caller did not ask for */
    uint16_t plies[TREB_METRICS];
} VerifyValue;

typedef enum VerifyKind { KIND_QUIET, KIND_PUSH, KIND_CONVERSION } VerifyKind;

/* A summary of the values that the moves of a position lead to. */
typedef struct VerifyMoveSummary {
    unsigned ply; /* unit of distances */
    unsigned moves;
    unsigned quiet, zeroing; /* bit v is set if such a move leads to verdict v for the opponent */
    uint16_t win[TREB_METRICS], loss[TREB_METRICS]; /* shortest win, longest loss */
} VerifyMoveSummary;

void verify_summary_init(VerifyMoveSummary *summary, unsigned ply);

static inline bool verify_decided(unsigned verdict) { return verdict != TREB_DRAW; }

static inline unsigned verify_one_more(unsigned plies, unsigned ply)
{
    return plies == VERIFY_NONE ? VERIFY_NONE : plies + ply;
}

/* An unknown distance (VERIFY_NONE) is the largest number. So it remains in the summary as the
 * longest loss, and as the shortest win only if there is no other. */
static inline void verify_summary_distance(VerifyMoveSummary *summary, bool win, int metric,
                                           unsigned plies)
{
    uint16_t *at = win ? &summary->win[metric] : &summary->loss[metric];
    if (win ? plies < *at : plies > *at) *at = (uint16_t)plies;
}

static inline void verify_summary_add(VerifyMoveSummary *summary, VerifyKind kind,
                                      const VerifyValue *child)
{
    unsigned verdict = child->verdict, ply = summary->ply;
    summary->moves++;
    *(kind == KIND_QUIET ? &summary->quiet : &summary->zeroing) |= 1u << verdict;
    if (!verify_decided(verdict)) return;
    bool win = verdict < TREB_DRAW, counts = verdict == TREB_LOSS || verdict == TREB_WIN;
    unsigned dtz = counts ? ply : ply * (RULE_PLIES + 1), dtc = ply;
    if (kind == KIND_QUIET) dtz = verify_one_more(child->plies[TREB_DTZ], ply);
    if (kind != KIND_CONVERSION) dtc = verify_one_more(child->plies[TREB_DTC], ply);
    verify_summary_distance(summary, win, TREB_DTZ, dtz);
    verify_summary_distance(summary, win, TREB_DTC, dtc);
    verify_summary_distance(summary, win, TREB_DTM, verify_one_more(child->plies[TREB_DTM], ply));
}

/* Returns the verdict that the moves of a position lead to, apart from the 50-move rule. */
int verify_summary_verdict(const VerifyMoveSummary *summary, const treb_position *pos);

/* Whether a table of Trebuchet has no verdicts of a side to move: they follow from its moves. */
static inline bool verify_lacks_verdicts(const VerifyEntry *entry, int turn)
{
    const VerifyFile *file = &entry->file[TREB_WDL];
    return file->table != NULL && !file->header->side[turn].stored;
}

/* Returns the metrics of a child that are needed to compute `metrics` of the parent. */
static inline unsigned verify_child_metrics(VerifyKind kind, unsigned metrics)
{
    if (kind == KIND_CONVERSION) return metrics & metric_bit(TREB_DTM);
    if (kind == KIND_PUSH) return metrics & ~metric_bit(TREB_DTZ);
    return metrics;
}

/* Fills in the distances of a value whose verdict is set. */
void verify_summary_plies(const VerifyMoveSummary *summary, VerifyValue *value);

static inline VerifyKind verify_kind(const treb_position *pos, Move m)
{
    if (move_promo(m) != 0 || move_is_capture(pos, m)) return KIND_CONVERSION;
    return bit_test(pos->by_type[TREB_PAWN], move_from(m)) ? KIND_PUSH : KIND_QUIET;
}

/* Writes the position after a move in a position of `entry`, with the colors of its own entry, which is
 * returned. NULL: only the two kings are left. */
VerifyEntry *verify_after(VerifyEntry *entry, const treb_position *pos, Move m,
                          treb_position *child);

/* Returns the value, for the opponent, after a capture or promotion in a position of `entry`. */
VerifyValue verify_convert(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                           Move m, unsigned metrics);

/* Returns the value, for the opponent, after a capture or promotion, as far as it can change the
 * DTM of the position. The position is a win in `plies` or less if `win`, or else a loss in `plies`
 * or more. A child with a longer loss, or a shorter win, gets some distance that says so, and not
 * all of its moves are examined. A child that wins although the position is a win, or loses
 * although it is a loss, gets no distance. */
VerifyValue verify_convert_within(VerifyReader *reader, VerifyEntry *entry,
                                  const treb_position *pos, Move m, bool win, unsigned plies);

/* Returns the value of a position of `entry`, with colors as in the table. Captures en passant
 * count. */
VerifyValue verify_evaluate(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                            unsigned metrics);

/* Returns the value, for the opponent, after a move of the given kind, with the metrics that are
 * needed for `metrics` of the parent. */
VerifyValue verify_child(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos, Move m,
                         VerifyKind kind, unsigned metrics);

/* Returns what verify_evaluate returns, if the value without captures en passant is already
 * known. */
VerifyValue verify_with_ep(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                           const VerifyValue *without, unsigned metrics);

/* Returns the best verdict of the moves that complete a stored verdict: of the captures and, if the file says so, of
 * the last pawn's promotion to a queen. -1 if there are none. */
int verify_completing(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos);

/* Finds the distances that a table need not store because a single move ends them: DTZ 1 of a win
 * by a capture or pawn move, DTC 1 of a win by a capture or promotion, and DTZ 101 in Syzygy files.
 * Returns them as bits of metrics. `completing` is the result of verify_completing. `push` returns the
 * verdict of a position after a pawn push. */
typedef unsigned (*VerifyPush)(void *context, const treb_position *child);
unsigned verify_at_once_metrics(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                                unsigned verdict, int completing, unsigned metrics, VerifyPush push,
                                void *context);

/* Returns the DTZ of such a win. */
static inline unsigned verify_at_once_plies(const VerifyStore *store, unsigned verdict)
{
    return store->ply * (verdict == TREB_WIN ? 1 : RULE_PLIES + 1);
}

/* Returns the distance that a value `dtz` of syzygy_dtz stands for. It is 0 for a mated side, for
 * which the file has a ply or two; VERIFY_NONE if `dtz` is no distance. */
unsigned verify_syzygy_plies(const treb_position *pos, unsigned verdict, int dtz);

/* Completes a DTM that a file stores as a bound: returns the DTM after the captures and the
 * promotion of the last pawn have been taken into account. `plies` is the value in the file;
 * VERIFY_NONE stays.
 *
 * Judging the completed distance is as strict as judging the bound itself. For a win, let `all` be
 * the shortest win by any move and `some` the shortest win by captures and that promotion. The
 * bound is right if bound >= all, and bound == all unless some == all. As some >= all, this holds
 * exactly if min(bound, some) == all. For losses it is the maximum.
 *
 * If `attained` is not NULL, it says whether one of those moves leads to exactly the returned
 * distance and, for a win in time, to an opponent who loses in time. */
unsigned verify_complete(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                         unsigned verdict, unsigned plies, bool *attained);

/* Returns the plies that a code stands for, or VERIFY_NONE. */
static inline unsigned verify_plies(const TableHeader *h, int side, unsigned verdict, unsigned code)
{
    const TableSide *s = &h->side[side];
    return code < s->codes[verdict] ? s->plies[verdict][code] : VERIFY_NONE;
}

#endif
