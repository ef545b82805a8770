/* report.c - see report.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "check/verify/report.h"

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
    verify_report_fail(
        report, &(treb_error){.status = TREB_ERR_MEMORY, .text = "out of memory", .metric = -1});
}

void verify_report_need(VerifyReport *report, uint64_t bytes)
{
    treb_error error;
    fail(&error, TREB_ERR_MEMORY, "a full check of this table needs more memory: --memory %lluMiB",
         (unsigned long long)((bytes >> 20) + 1));
    verify_report_fail(report, &error);
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

/* Returns the verdicts that the moves allow, as bits, if DTZ is not known. The verdicts of the
 * children alone may leave open whether a win comes in time for the 50-move rule. */
static unsigned allowed_by_verdicts(const VerifyMoveSummary *t, bool check)
{
    unsigned seen = t->quiet | t->zeroing, allowed = 0;
    if (t->moves == 0) return check ? BIT_LOSS : BIT_DRAW;
    if (seen & (BIT_LOSS | BIT_BLESSED)) {
        if (seen & BIT_LOSS) allowed |= BIT_WIN;
        /* A loss that is just in time for the child may be a ply too late for the parent. */
        if (!(t->zeroing & BIT_LOSS)) allowed |= BIT_CURSED;
        return allowed;
    }
    if (seen & BIT_DRAW) return BIT_DRAW;
    if (!(seen & BIT_CURSED)) allowed |= BIT_LOSS;
    if (seen & BIT_CURSED || t->quiet != 0) allowed |= BIT_BLESSED;
    return allowed;
}

/* Returns `in_time` or `late`, depending on whether DTZ is within the 50-move rule. A distance that
 * may be a ply longer may give both. */
static unsigned by_rule(const VerifyMoveSummary *t, unsigned plies, unsigned in_time, unsigned late)
{
    unsigned last = RULE_PLIES * t->ply;
    return (plies <= last ? in_time : 0) | (plies + (plies & (t->ply - 1)) > last ? late : 0);
}

/* Returns the verdicts that the moves allow, as bits, if DTZ is known. */
static unsigned allowed_by_rule(const VerifyMoveSummary *t, bool check)
{
    unsigned seen = t->quiet | t->zeroing;
    if (t->moves == 0) return check ? BIT_LOSS : BIT_DRAW;
    if (seen & (BIT_LOSS | BIT_BLESSED)) return by_rule(t, t->win[TREB_DTZ], BIT_WIN, BIT_CURSED);
    if (seen & BIT_DRAW) return BIT_DRAW;
    return by_rule(t, t->loss[TREB_DTZ], BIT_LOSS, BIT_BLESSED);
}

const char *verify_verdict_text(unsigned verdict) { return verdict_words[verdict]; }

void verify_value_text(unsigned verdict, unsigned plies, unsigned ply,
                       char out[VERIFY_VALUE_TEXT_SIZE])
{
    char more[16] = "";
    if (plies & (ply - 1)) snprintf(more, sizeof more, " or %u", plies / ply + 1);
    if (plies == VERIFY_NONE)
        snprintf(out, VERIFY_VALUE_TEXT_SIZE, "%s without a distance", verdict_words[verdict]);
    else
        snprintf(out, VERIFY_VALUE_TEXT_SIZE, "%s in %u%s %s", verdict_words[verdict], plies / ply,
                 more, plies == ply ? "ply" : "plies");
}

static void report_verdict(VerifyReport *report, const VerifyCase *c, unsigned expected)
{
    char fen[TREB_FEN_SIZE];
    position_to_fen(c->pos, fen);
    verify_report_error(report, c->key, "%s: %s %s, the moves say %s", fen,
                        report->options->syzygy ? "the .rtbw file says" : "the tables say",
                        verdict_words[c->claim.verdict], verdict_words[expected]);
}

/* Returns a key behind the keys of all wrong verdicts, so that those are reported first. Shorter
 * distances come first, because a wrong distance may make the longer distances wrong that depend on
 * it. */
static uint64_t key_of_distance(const VerifyCase *c, unsigned expected)
{
    unsigned stated = c->claim.plies[TREB_DTZ];
    return (uint64_t)((stated < expected ? stated : expected) + 1) << 44 | c->key;
}

static void report_distance(VerifyReport *report, const VerifyCase *c, int metric,
                            unsigned expected)
{
    char fen[TREB_FEN_SIZE], claim[VERIFY_VALUE_TEXT_SIZE], made[VERIFY_VALUE_TEXT_SIZE];
    unsigned ply = c->summary->ply, stated = c->claim.plies[metric], verdict = c->claim.verdict;
    if (c->stated_dtz != VERIFY_NONE) stated = c->stated_dtz;
    position_to_fen(c->pos, fen);
    verify_value_text(verdict, stated, ply, claim);
    verify_value_text(verdict, expected, ply, made);
    if (report->options->syzygy)
        verify_report_error(report, key_of_distance(c, expected),
                            "%s: %s by the .rtbz file, %s by the moves", fen, claim, made);
    else
        verify_report_error(report, c->key, "%s: %s by the %s table, in %u by the moves", fen,
                            claim, table_metric_name(metric), expected);
}

/* Whether two distances, which may be rounded, can be equal. */
static bool agree(unsigned a, unsigned b, unsigned ply)
{
    if (a == VERIFY_NONE || b == VERIFY_NONE) return false;
    unsigned odd = ply - 1;
    return (a & ~odd) <= b + (b & odd) && (b & ~odd) <= a + (a & odd);
}

void verify_judge(VerifyReport *report, const VerifyCase *c)
{
    const VerifyMoveSummary *t = c->summary;
    bool check = t->moves == 0 && position_in_check(c->pos);
    unsigned claim = c->claim.verdict;
    unsigned allowed =
        c->known & metric_bit(TREB_DTZ) ? allowed_by_rule(t, check) : allowed_by_verdicts(t, check);
    if (!(allowed >> claim & 1)) {
        report_verdict(report, c, (unsigned)__builtin_ctz(allowed));
        return;
    }
    if (claim == TREB_DRAW) return;
    VerifyValue made = {.verdict = (uint8_t)claim};
    verify_summary_plies(t, &made);
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        if (!(c->compare & metric_bit(m)) || agree(c->claim.plies[m], made.plies[m], t->ply))
            continue;
        report_distance(report, c, m, made.plies[m]);
        return;
    }
}
