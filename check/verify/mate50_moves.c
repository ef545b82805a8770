/* mate50_moves.c - see mate50_moves.h.
 *
 * The words of the position and of its children have the right DTZ and DTM: these are judged by
 * other passes. So a mate is never sooner than DTM, and it is in time from DTZ on. Hence
 *
 *   of a win    only captures and pawn moves win where DTZ is 1, and no such move wins where it is
 *               more. If a move attains DTM with as many plies left as DTZ, there is no delay
 *   of a loss   only moves matter after which the rule delays the opponent's mate. After a capture
 *               or pawn move it delays no mate in 100 plies or less
 *
 * A step of a child is one of the parent a ply later. A win is as short as its shortest move allows:
 * the least of all steps so far. A loss is as long as its longest move allows: what a child has up to
 * its next step bounds the parent from below up to there. */
#include "check/verify/mate50_moves.h"
#include "check/verify/moves.h"

bool verify_mate50_known(const VerifyFullCheck *full, uint64_t word, Mate50Distances *out)
{
    const unsigned verdict = verify_word_verdict(word);
    if (verdict != TREB_WIN && verdict != TREB_LOSS) return false;
    out->win = verdict == TREB_WIN;
    out->dtm = (int)verify_word_get(&full->words, word, TREB_DTM);
    out->dtz = (int)verify_word_get(&full->words, word, TREB_DTZ);
    /* A position without distances is wrong, which other passes report. */
    return out->dtm != VERIFY_NONE && out->dtz != VERIFY_NONE;
}

/* ---- captures and pawn moves ------------------------------------------------------------------- */

/* Returns the value, with 100 plies left, of a position of the table that a pawn push led to. Captures
 * en passant do not count. */
static int pushed_rest(const VerifyWorker *w, const treb_position *child)
{
    Mate50Distances known;
    const uint64_t word = verify_word_of_position(w->full, child);
    if (!verify_mate50_known(w->full, word, &known)) return 0;
    return verify_mate50_from(w->reader, w->full->entry, child, &known, RULE_PLIES);
}

/* Returns its value, captures en passant included. */
static int pushed_value(const VerifyWorker *w, const treb_position *child)
{
    Move moves[MOVES_MAX];
    treb_position bare = *child;
    bare.ep = 0;
    if (child->ep == 0 || !position_ep_legal(child)) return pushed_rest(w, &bare);
    int best = movegen_any(&bare) ? pushed_rest(w, &bare) : -MATE50_BEST - 1;
    const int count = movegen_captures(child, moves);
    for (int i = 0; i < count; i++) {
        treb_position after;
        if (!move_is_ep(child, moves[i])) continue;
        VerifyEntry *entry = verify_after(w->full->entry, child, moves[i], &after);
        const int made =
            entry == NULL ? 0 : mate50_before(verify_mate50(w->reader, entry, &after, RULE_PLIES));
        if (made > best) best = made;
    }
    return best;
}

/* Returns what a capture or pawn move is worth. */
static int zeroing_value(const VerifyWorker *w, const treb_position *pos, Move m)
{
    treb_position child;
    VerifyEntry *after = verify_after(w->full->entry, pos, m, &child);
    if (after == NULL) return 0;
    return mate50_before(after == w->full->entry
                             ? pushed_value(w, &child)
                             : verify_mate50(w->reader, after, &child, RULE_PLIES));
}

/* Returns the delay that a value means. */
static int delay_of(const Mate50Distances *of, int value)
{
    if (value == 0 || (value > 0) != of->win) return VERIFY_NONE;
    const int delay = (int)mate50_plies(value) - of->dtm;
    return delay > 0 ? delay : 0; /* If it is less, DTM is wrong, which other passes report. */
}

static int zeroing_delay(const VerifyWorker *w, const treb_position *pos, const Mate50Distances *of,
                         const Move *moves, int count)
{
    int least = VERIFY_NONE;
    for (int i = 0; i < count && least > 0; i++) {
        if (!move_is_zeroing(pos, moves[i])) continue;
        const int delay = delay_of(of, zeroing_value(w, pos, moves[i]));
        if (delay < least) least = delay;
    }
    return least;
}

int verify_mate50_zeroing(const VerifyWorker *w, const treb_position *pos,
                          const Mate50Distances *of)
{
    Move moves[MOVES_MAX];
    const int count = movegen_legal(pos, moves);
    return zeroing_delay(w, pos, of, moves, count);
}

/* ---- all moves --------------------------------------------------------------------------------- */

/* A position after a quiet move. */
typedef struct Mate50Child {
    Mate50Distances known;
    uint32_t number; /* of its function */
} Mate50Child;

/* Finds the position after a quiet move. Returns false if it is no win and no loss. Without `all` also
 * if the rule delays no mate in it. */
static bool find_child(const VerifyWorker *w, const Mate50Group *group, uint64_t cell, bool all,
                       Mate50Child *child)
{
    const int side = w->full->sides == 1 ? TREB_WHITE : w->side ^ 1;
    child->number = group->number[side][cell - group->first];
    if (!all && child->number == MATE50_NO_DELAY) return false;
    return verify_mate50_known(w->full, verify_word(&w->full->words, side, cell), &child->known);
}

/* Notes that a move wins in so many plies from so many plies left on. */
static void note_win(int win[MATE50_CLOCKS], const Mate50Distances *of, int from, int plies)
{
    const int delay = plies - of->dtm;
    if (from < of->dtz) from = of->dtz;
    if (from < mate50_end(of) && delay < win[from]) win[from] = delay > 0 ? delay : 0;
}

static void note_lost_child(const Mate50Group *group, const Mate50Child *child,
                            const Mate50Distances *of, int win[MATE50_CLOCKS])
{
    const Mate50Distances *known = &child->known;
    const Mate50Step *step;
    if (child->number == MATE50_NO_DELAY) note_win(win, of, known->dtz + 1, known->dtm + 1);
    for (uint32_t n = child->number; n != MATE50_NO_DELAY; n = step->before) {
        step = mate50_functions_step(group->functions, n);
        note_win(win, of, mate50_step_from(step, known) + 1, known->dtm + step->delay + 1);
    }
}

static bool win_delays(const VerifyWorker *w, const Mate50Group *group, const treb_position *pos,
                       const Mate50Distances *of, int delay[MATE50_CLOCKS])
{
    Move moves[MOVES_MAX];
    VerifyPlaced placed;
    const int end = mate50_end(of), count = movegen_legal(pos, moves);
    for (int left = of->dtz; left < end; left++) delay[left] = VERIFY_NONE;
    if (of->dtz == 1) delay[1] = zeroing_delay(w, pos, of, moves, count);
    verify_place(w, pos, &placed);
    for (int i = 0; i < count && delay[of->dtz] > 0; i++) {
        Mate50Child child;
        if (move_is_zeroing(pos, moves[i])) continue;
        const uint64_t cell = verify_quiet_cell(w, pos, &placed, moves[i]);
        if (find_child(w, group, cell, true, &child) && !child.known.win)
            note_lost_child(group, &child, of, delay);
    }
    for (int left = of->dtz + 1; left < end; left++)
        if (delay[left] > delay[left - 1]) delay[left] = delay[left - 1];
    return delay[of->dtz] > 0;
}

/* Notes that a move loses in so many plies up to so many plies left. Returns whether that is later than
 * DTM. */
static bool note_loss(int loss[MATE50_CLOCKS], const Mate50Distances *of, int until, int plies)
{
    const int delay = plies - of->dtm, last = mate50_end(of) - 1;
    if (until > last) until = last;
    if (delay <= 0 || until < of->dtz) return false;
    if (delay > loss[until]) loss[until] = delay < VERIFY_NONE ? delay : VERIFY_NONE;
    return true;
}

static bool note_won_child(const Mate50Group *group, const Mate50Child *child,
                           const Mate50Distances *of, int loss[MATE50_CLOCKS])
{
    const Mate50Distances *known = &child->known;
    int until = mate50_end(known);
    bool any = false;
    const Mate50Step *step;
    for (uint32_t n = child->number; n != MATE50_NO_DELAY; n = step->before) {
        step = mate50_functions_step(group->functions, n);
        any |= note_loss(loss, of, until, known->dtm + step->delay + 1);
        until = mate50_step_from(step, known);
    }
    return any;
}

static bool loss_delays(const VerifyWorker *w, const Mate50Group *group, const treb_position *pos,
                        const Mate50Distances *of, int delay[MATE50_CLOCKS])
{
    Move moves[MOVES_MAX];
    VerifyPlaced placed;
    const int end = mate50_end(of), count = movegen_legal(pos, moves);
    bool any = false;
    for (int left = of->dtz; left < end; left++) delay[left] = 0;
    verify_place(w, pos, &placed);
    for (int i = 0; i < count; i++) {
        Mate50Child child;
        if (!move_is_zeroing(pos, moves[i])) {
            const uint64_t cell = verify_quiet_cell(w, pos, &placed, moves[i]);
            if (find_child(w, group, cell, false, &child) && child.known.win)
                any |= note_won_child(group, &child, of, delay);
        } else if (of->dtm > RULE_PLIES + 1) {
            const int value = zeroing_value(w, pos, moves[i]);
            if (value < 0) any |= note_loss(delay, of, end, (int)mate50_plies(value));
        }
    }
    for (int left = end - 2; left >= of->dtz; left--)
        if (delay[left] < delay[left + 1]) delay[left] = delay[left + 1];
    return any;
}

bool verify_mate50_delays(const VerifyWorker *w, const Mate50Group *group,
                          const treb_position *pos, const Mate50Distances *of,
                          int delay[MATE50_CLOCKS])
{
    return (of->win ? win_delays : loss_delays)(w, group, pos, of, delay);
}
