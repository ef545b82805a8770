/* probe_rule.c - results under the 50-move rule: what is known of them, and what a position and its
 * moves say about each other. */
#include "core/chess/position.h"
#include "probe/probe.h"

/* ---- One value ------------------------------------------------------------------------------- */

/* Returns whether the next capture, pawn move or mate of a win or loss comes in time. *in_time is
 * set if there is no doubt. */
static treb_doubt doubt_of_time(const treb_value *value, int halfmove, bool *in_time)
{
    const int dtz = halfmove + value->plies[TREB_DTZ], dtm = halfmove + value->plies[TREB_DTM];
    const bool over = halfmove >= RULE_PLIES; /* only a mate that is on the board is in time */
    *in_time = true;
    if (value->status[TREB_DTM] == TREB_OK && dtm <= RULE_PLIES) return TREB_DOUBT_NONE;
    if (value->status[TREB_DTZ] != TREB_OK) {
        *in_time = false;
        return over ? TREB_DOUBT_NONE : TREB_DOUBT_CLOCK;
    }
    *in_time = dtz <= RULE_PLIES;
    if (value->rounded[TREB_DTZ] == TREB_AT_MOST)
        return *in_time || over ? TREB_DOUBT_NONE : TREB_DOUBT_CLOCK;
    const bool rounded = value->rounded[TREB_DTZ] == TREB_ROUNDED && dtz == RULE_PLIES;
    return rounded ? TREB_DOUBT_ROUNDED : TREB_DOUBT_NONE;
}

treb_doubt treb_value_doubt(const treb_value *value, int halfmove)
{
    bool in_time;
    if (value->status[TREB_WDL] != TREB_OK) return TREB_DOUBT_VERDICT;
    if (halfmove == 0 || (value->wdl != TREB_WIN && value->wdl != TREB_LOSS))
        return TREB_DOUBT_NONE;
    return doubt_of_time(value, halfmove, &in_time);
}

treb_wdl treb_value_rule(const treb_value *value, int halfmove)
{
    bool in_time;
    if (value->wdl != TREB_WIN && value->wdl != TREB_LOSS) return value->wdl;
    treb_doubt doubt = doubt_of_time(value, halfmove, &in_time);
    if (doubt == TREB_DOUBT_CLOCK) in_time = value->status[TREB_DTZ] != TREB_OK;
    if (doubt == TREB_DOUBT_ROUNDED) in_time = false;
    if (in_time) return value->wdl;
    return value->wdl == TREB_WIN ? TREB_CURSED_WIN : TREB_BLESSED_LOSS;
}

/* ---- A position and its moves ---------------------------------------------------------------- */

/* Makes a rounded distance exact, now that the ply is known which it left open. */
static void make_exact(treb_value *value, bool in_time)
{
    value->plies[TREB_DTZ] += !in_time;
    value->rounded[TREB_DTZ] = TREB_EXACT;
}

/* A bound for the DTZ of a move that surely wins or loses in time. */
static int bound_of(const treb_value *value)
{
    if (value->status[TREB_DTZ] != TREB_OK) return value->plies[TREB_DTM];
    return value->plies[TREB_DTZ] + (value->rounded[TREB_DTZ] == TREB_ROUNDED);
}

/* Settles whether the position is won or lost in time. A sure win decides a won position, a move
 * that surely holds decides a lost one. If there is none all moves must be sure. */
static void settle_position(treb_value *value, const treb_move *moves, size_t count, int halfmove)
{
    const treb_doubt doubt = treb_value_doubt(value, halfmove);
    const bool win = value->wdl == TREB_WIN;
    bool decided = false, all = true;
    int bound = 0;
    if (doubt == TREB_DOUBT_NONE || doubt == TREB_DOUBT_VERDICT || count == 0) return;
    for (size_t i = 0; i < count; i++) {
        const treb_value *v = &moves[i].value;
        if (treb_value_doubt(v, halfmove) != TREB_DOUBT_NONE) {
            all = false;
            continue;
        }
        const treb_wdl rule = treb_value_rule(v, halfmove);
        if (!win && rule == TREB_LOSS && bound_of(v) > bound) bound = bound_of(v);
        if (win && rule == TREB_WIN && (!decided || bound_of(v) < bound)) bound = bound_of(v);
        decided = decided || (win ? rule == TREB_WIN : rule != TREB_LOSS);
    }
    if (!decided && !all) return;
    const bool in_time = decided == win;
    if (doubt == TREB_DOUBT_ROUNDED) {
        make_exact(value, in_time);
    } else if (in_time) {
        value->plies[TREB_DTZ] = bound;
        value->rounded[TREB_DTZ] = bound > 1 ? TREB_AT_MOST : TREB_EXACT;
        value->status[TREB_DTZ] = TREB_OK;
    }
}

/* Settles moves by what is known of the position. If the position is won in time, or holds, one of
 * the moves does it: that is known if there is only one that may. */
static void settle_moves(const treb_value *value, treb_move *moves, size_t count, int halfmove)
{
    const bool win = value->wdl == TREB_WIN;
    if (treb_value_doubt(value, halfmove) != TREB_DOUBT_NONE) return;
    if (!win && value->wdl != TREB_LOSS) return;
    const bool in_time = treb_value_rule(value, halfmove) == value->wdl;
    size_t able = 0; /* moves that do it, or may */
    for (size_t i = 0; i < count; i++) {
        const treb_value *v = &moves[i].value;
        if (treb_value_doubt(v, halfmove) == TREB_DOUBT_VERDICT)
            able++;
        else if (treb_value_doubt(v, halfmove) != TREB_DOUBT_NONE)
            able += v->wdl == value->wdl;
        else
            able += win ? treb_value_rule(v, halfmove) == TREB_WIN
                        : treb_value_rule(v, halfmove) != TREB_LOSS;
    }
    if (win == in_time && able != 1) return;
    for (size_t i = 0; i < count; i++) {
        treb_value *v = &moves[i].value;
        if (v->wdl == value->wdl && treb_value_doubt(v, halfmove) == TREB_DOUBT_ROUNDED)
            make_exact(v, in_time);
    }
}

void treb_settle(treb_value *value, treb_move *moves, size_t count, int halfmove)
{
    settle_position(value, moves, count, halfmove);
    settle_moves(value, moves, count, halfmove);
    value->rule = treb_value_rule(value, halfmove);
    for (size_t i = 0; i < count; i++)
        moves[i].value.rule = treb_value_rule(&moves[i].value, halfmove);
}
