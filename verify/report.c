/* report.c - judging positions, and what the threads have to tell. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "verify/parts.h"

int verify_threads(const VerifyOptions *options)
{
    if (options->threads > 0) return (int)options->threads;
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

void verify_report_phase(VerifyReport *report, const char *phase, uint64_t total)
{
    report->phase = phase;
    report->done = 0;
    report->total = total;
    verify_report_progress(report, 0);
}

static void stop(VerifyReport *report, treb_status status, const char *text)
{
    if (report->status == TREB_OK) {
        report->status = status;
        snprintf(report->result->text, sizeof report->result->text, "%s", text);
    }
    atomic_store(&report->stop, true);
}

void verify_report_progress(VerifyReport *report, uint64_t done)
{
    const VerifyOptions *options = report->options;
#pragma omp critical(verify_report)
    {
        report->done += done;
        if (options->progress != NULL && !atomic_load(&report->stop) &&
            !options->progress(options->context, report->phase, report->done, report->total))
            stop(report, TREB_ERR_ARGUMENT, "ended on request");
    }
}

void verify_report_fail(VerifyReport *report, const treb_error *error)
{
#pragma omp critical(verify_report)
    stop(report, error->status, error->text);
}

void verify_report_no_memory(VerifyReport *report)
{
    verify_report_fail(report, &(treb_error){TREB_ERR_MEMORY, "out of memory"});
}

void verify_report_error(VerifyReport *report, uint64_t key, const char *words, ...)
{
    va_list list;
    va_start(list, words);
#pragma omp critical(verify_report)
    {
        VerifyResult *result = report->result;
        if (report->status == TREB_OK && (result->errors == 0 || key < report->key)) {
            report->key = key;
            vsnprintf(result->text, sizeof result->text, words, list);
        }
        result->errors++;
    }
    va_end(list);
}

/* ---- judging --------------------------------------------------------------------------------- */

static const char *const verdict_words[WDL_VALUES] = {"loss", "blessed loss", "draw", "cursed win",
                                                      "win"};

enum {
    BIT_LOSS = 1 << TREB_LOSS,
    BIT_BLESSED = 1 << TREB_BLESSED_LOSS,
    BIT_DRAW = 1 << TREB_DRAW,
    BIT_CURSED = 1 << TREB_CURSED_WIN,
    BIT_WIN = 1 << TREB_WIN
};

/* The verdicts that the moves allow, as bits, if distances to zeroing are not known: whether a win
 * comes in time is then left open as far as the children's verdicts do. */
static unsigned allowed_by_verdicts(const VerifyTally *t, bool check)
{
    unsigned seen = t->quiet | t->zeroing, allowed = 0;
    if (t->moves == 0) return check ? BIT_LOSS : BIT_DRAW;
    if (seen & (BIT_LOSS | BIT_BLESSED)) {
        if (seen & BIT_LOSS) allowed |= BIT_WIN;
        /* A loss that is just in time for the child may be a ply late for us. */
        if (!(t->zeroing & BIT_LOSS)) allowed |= BIT_CURSED;
        return allowed;
    }
    if (seen & BIT_DRAW) return BIT_DRAW;
    if (!(seen & BIT_CURSED)) allowed |= BIT_LOSS;
    if (seen & BIT_CURSED || t->quiet != 0) allowed |= BIT_BLESSED;
    return allowed;
}

/* The verdict that the moves make, given the distances to zeroing. */
static unsigned verdict_by_rule(const VerifyTally *t, bool check)
{
    unsigned seen = t->quiet | t->zeroing;
    if (t->moves == 0) return check ? TREB_LOSS : TREB_DRAW;
    if (seen & (BIT_LOSS | BIT_BLESSED))
        return t->win[TREB_DTZ] <= VERIFY_RULE ? TREB_WIN : TREB_CURSED_WIN;
    if (seen & BIT_DRAW) return TREB_DRAW;
    return t->loss[TREB_DTZ] <= VERIFY_RULE ? TREB_LOSS : TREB_BLESSED_LOSS;
}

static void report_verdict(VerifyReport *report, const VerifyCase *c, unsigned expected)
{
    char fen[TREB_FEN_SIZE];
    position_to_fen(c->pos, fen);
    verify_report_error(report, c->key, "%s: the tables say %s, the moves say %s", fen,
                        verdict_words[c->claim.verdict], verdict_words[expected]);
}

static void report_distance(VerifyReport *report, const VerifyCase *c, int metric,
                            unsigned expected)
{
    char fen[TREB_FEN_SIZE], claim[32] = "no distance";
    position_to_fen(c->pos, fen);
    if (c->claim.plies[metric] != VERIFY_NONE)
        snprintf(claim, sizeof claim, "%u plies", (unsigned)c->claim.plies[metric]);
    verify_report_error(report, c->key, "%s: %s in %s by the %s table, in %u by the moves", fen,
                        verdict_words[c->claim.verdict], claim, table_metric_name(metric),
                        expected);
}

void verify_judge(VerifyReport *report, const VerifyCase *c)
{
    const VerifyTally *t = c->tally;
    bool check = t->moves == 0 && position_in_check(c->pos);
    unsigned claim = c->claim.verdict;
    unsigned allowed = c->known & metric_bit(TREB_DTZ) ? 1u << verdict_by_rule(t, check)
                                                       : allowed_by_verdicts(t, check);
    if (!(allowed >> claim & 1)) {
        report_verdict(report, c, (unsigned)__builtin_ctz(allowed));
        return;
    }
    if (claim == TREB_DRAW) return;
    VerifyValue made = {.verdict = (uint8_t)claim};
    verify_tally_plies(t, &made);
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        bool same = made.plies[m] == c->claim.plies[m] && made.plies[m] != VERIFY_NONE;
        if (!(c->compare & metric_bit(m)) || same) continue;
        report_distance(report, c, m, made.plies[m]);
        return;
    }
}
