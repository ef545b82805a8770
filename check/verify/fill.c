/* fill.c - see fill.h. */
#include "check/verify/fill.h"
#include "check/verify/moves.h"
#include "check/verify/unpack.h"

static void report_code(const VerifyWorker *w, const treb_position *pos, int metric, unsigned code)
{
    char fen[TREB_FEN_SIZE];
    position_to_fen(pos, fen);
    verify_report_error(w->full->report, verify_error_key(w),
                        "%s: the %s table has code %u, which has no meaning", fen,
                        table_metric_name(metric), code);
}

static const char *syzygy_ending(const VerifyWorker *w)
{
    return w->full->flat.wdl ? ".rtbw" : ".rtbz";
}

/* Reports that the Syzygy file has no value for a position. */
static void report_nothing(const VerifyWorker *w, const treb_position *pos)
{
    char fen[TREB_FEN_SIZE];
    position_to_fen(pos, fen);
    verify_report_error(w->full->report, verify_error_key(w),
                        "%s: the %s file has no value for this position", fen, syzygy_ending(w));
}

/* Reports that the Syzygy file has different values for a position and for its mirror image. At
 * least one is wrong. */
static void report_twin(const VerifyWorker *w, const treb_position *pos, const char *says,
                        const char *twin)
{
    char fen[TREB_FEN_SIZE];
    position_to_fen(pos, fen);
    verify_report_error(w->full->report, verify_error_key(w),
                        "%s: the %s file says %s, but %s for its mirror image", fen,
                        syzygy_ending(w), says, twin);
}

/* Returns the verdict: the value in the Syzygy file, or the best capture if that is better. */
static int syzygy_verdict_of(const VerifyWorker *w, const treb_position *pos, int captures)
{
    const VerifyFlat *flat = &w->full->flat;
    int verdict = verify_flat_value(flat, pos, 0, false);
    int twin = verify_flat_value(flat, pos, 0, true);
    if (verdict == -1 || twin == -1) report_nothing(w, pos);
    if (captures > verdict) verdict = captures;
    if (twin >= 0 && captures > twin) twin = captures;
    if (twin >= 0 && verdict >= 0 && twin != verdict)
        report_twin(w, pos, verify_verdict_text((unsigned)verdict),
                    verify_verdict_text((unsigned)twin));
    return verdict;
}

static int our_verdict(const VerifyWorker *w, const treb_position *pos, int completing)
{
    const TableSide *side = &w->full->entry->file[TREB_WDL].header->side[w->side];
    unsigned code = verify_batch_code(w, TREB_WDL);
    int verdict = TREB_LOSS;
    if (code < side->codes[0])
        verdict = side->plies[0][code];
    else
        report_code(w, pos, TREB_WDL, code);
    return completing > verdict ? completing : verdict;
}

/* The verdict of a position whose side to move the file does not have: the best that a move leads
 * to. The words of the other side have their verdicts. The 50-move rule is judged later, with the
 * distances. */
static int verdict_of_moves(VerifyWorker *w, const treb_position *pos)
{
    VerifyMoveSummary summary;
    verify_put_own(w, verify_word_of(TREB_DRAW)); /* no distance matters yet */
    verify_summarise_moves(w, pos, &summary);
    return verify_summary_verdict(&summary, pos);
}

void verify_do_verdict(VerifyWorker *w, const treb_position *pos)
{
    const VerifyFullCheck *full = w->full;
    if (!verify_legal(pos)) {
        verify_put_own(w, verify_word_of(VERIFY_ILLEGAL));
        return;
    }
    int verdict;
    if (verify_lacks_verdicts(full->entry, w->side)) {
        verdict = verdict_of_moves(w, pos);
    } else {
        int completing = verify_completing(w->reader, full->entry, pos);
        if (verify_read_failed(w)) return;
        verdict =
            full->syzygy ? syzygy_verdict_of(w, pos, completing) : our_verdict(w, pos, completing);
    }
    if (verify_read_failed(w)) return;
    if (verdict < TREB_LOSS) verdict = TREB_LOSS;
    verify_put_own(w, verify_word_of((unsigned)verdict));
    w->count->positions++;
    w->count->count[w->side][verdict] += index_weight(full->index, &w->walk.men);
}

/* Returns the distance that the Syzygy file stores for a position that no single move wins at
 * once. */
static unsigned syzygy_distance_of(const VerifyWorker *w, const treb_position *pos,
                                   unsigned verdict)
{
    const VerifyFlat *flat = &w->full->flat;
    int dtz = verify_flat_value(flat, pos, verdict, false);
    int twin = verify_flat_value(flat, pos, verdict, true);
    unsigned plies = verify_syzygy_plies(pos, verdict, dtz);
    if (dtz < 0 || twin == -1) {
        report_nothing(w, pos);
    } else if (twin >= 0 && twin != dtz) {
        char says[VERIFY_VALUE_TEXT_SIZE], other[VERIFY_VALUE_TEXT_SIZE];
        verify_value_text(verdict, plies, w->full->ply, says);
        verify_value_text(verdict, verify_syzygy_plies(pos, verdict, twin), w->full->ply, other);
        report_twin(w, pos, says, other);
    }
    return plies;
}

void verify_do_syzygy_distance(VerifyWorker *w, const treb_position *pos)
{
    const VerifyFullCheck *full = w->full;
    uint64_t word = verify_own_word(w);
    unsigned verdict = verify_word_verdict(word), once = 0;
    if (verdict == TREB_DRAW || !syzygy_stores(full->flat.table, pos)) return;
    if (verdict > TREB_DRAW) {
        int completing = verify_completing(w->reader, full->entry, pos);
        once = verify_at_once_metrics(w->reader, full->entry, pos, verdict, completing,
                                      full->metrics, verify_pushed_verdict, w);
        if (verify_read_failed(w)) return;
    }
    unsigned plies =
        once ? verify_at_once_plies(full->store, verdict) : syzygy_distance_of(w, pos, verdict);
    word = verify_word_set(&full->words, word, TREB_DTZ, plies);
    verify_put_own(w, verify_word_set(&full->words, word, VERIFY_STATED_DTZ, plies));
}

void verify_do_distances(VerifyWorker *w, const treb_position *pos)
{
    const VerifyFullCheck *full = w->full;
    uint64_t word = verify_own_word(w);
    unsigned verdict = verify_word_verdict(word), stored = full->stored[w->side], once = 0;
    if (verdict == TREB_DRAW) return;
    /* Captures matter only to metrics that a capture can end at once. DTM is not one of them. */
    if (verdict > TREB_DRAW && (stored & ~metric_bit(TREB_DTM)) != 0) {
        int completing = verify_completing(w->reader, full->entry, pos);
        once = verify_at_once_metrics(w->reader, full->entry, pos, verdict, completing, stored,
                                      verify_pushed_verdict, w);
    }
    bool attained = once == full->metrics;
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        if (!(stored & metric_bit(m))) continue;
        unsigned plies = 1;
        if (!(once & metric_bit(m))) {
            const VerifyFile *file = &full->entry->file[m];
            unsigned code = verify_batch_code(w, m);
            plies = verify_plies(file->header, w->side, verdict, code);
            if (plies == VERIFY_NONE) report_code(w, pos, m, code);
            if (file->header->bounds)
                plies = verify_complete(w->reader, full->entry, pos, verdict, plies, &attained);
            if (verify_read_failed(w)) return;
        }
        word = verify_word_set(&full->words, word, m, plies);
    }
    verify_put_own(w, attained ? word : word & ~full->words.attained);
}

static void count_distances(VerifyWorker *w, const VerifyValue *value)
{
    unsigned weight = index_weight(w->full->index, &w->walk.men);
    for (int m = TREB_DTZ; m < TREB_METRICS; m++)
        if (value->plies[m] < VERIFY_PLIES)
            w->count->histogram[m][w->side][value->verdict][value->plies[m]] += weight;
}

/* Fills in the distances that no table stores. Returns the word of the cell. */
static uint64_t fill_distances(const VerifyWorker *w, const VerifyMoveSummary *summary)
{
    const VerifyFullCheck *full = w->full;
    uint64_t word = verify_own_word(w);
    unsigned missing = full->metrics & ~full->stored[w->side];
    VerifyValue made = {.verdict = (uint8_t)verify_word_verdict(word)};
    if (missing == 0) return word;
    verify_summary_plies(summary, &made);
    for (int m = TREB_DTZ; m < TREB_METRICS; m++)
        if (missing & metric_bit(m)) word = verify_word_set(&full->words, word, m, made.plies[m]);
    verify_put_own(w, word);
    return word;
}

void verify_do_fill(VerifyWorker *w, const treb_position *pos)
{
    VerifyMoveSummary summary;
    verify_summarise_moves(w, pos, &summary);
    fill_distances(w, &summary);
}

/* Fills in DTZ where the Syzygy file stores only the other side to move. */
void verify_do_syzygy_fill(VerifyWorker *w, const treb_position *pos)
{
    const VerifyFullCheck *full = w->full;
    uint64_t word = verify_own_word(w);
    VerifyMoveSummary summary;
    VerifyValue made = {.verdict = (uint8_t)verify_word_verdict(word)};
    if (made.verdict == TREB_DRAW || syzygy_stores(full->entry->syzygy[TREB_DTZ], pos)) return;
    verify_summarise_moves(w, pos, &summary);
    verify_summary_plies(&summary, &made);
    verify_put_own(w, verify_word_set(&full->words, word, TREB_DTZ, made.plies[TREB_DTZ]));
}

void verify_do_syzygy_moves(VerifyWorker *w, const treb_position *pos)
{
    const VerifyFullCheck *full = w->full;
    uint64_t word = verify_own_word(w);
    VerifyMoveSummary summary;
    verify_summarise_moves(w, pos, &summary);
    if (verify_read_failed(w)) return;
    VerifyCase c = {.pos = pos,
                    .key = verify_error_key(w),
                    .claim = verify_word_value(full, word),
                    .stated_dtz = verify_word_get(&full->words, word, VERIFY_STATED_DTZ),
                    .summary = &summary,
                    .compare = full->metrics,
                    .known = full->metrics};
    verify_judge(full->report, &c);
}

/* Whether the position is known to be won at once. Then there is nothing left to check. */
static bool won_at_once(const VerifyWorker *w)
{
    const VerifyFullCheck *full = w->full;
    uint64_t word = verify_own_word(w);
    return full->attained[w->side] == ATTAINED_AT_ONCE && verify_word_verdict(word) == TREB_WIN &&
           word & full->words.attained;
}

/* Summarises the moves for verify_judge. If the DTM was completed, most of that work has been done
 * already, so the short summary is tried first. */
static void summarise_for_judge(const VerifyWorker *w, const treb_position *pos,
                                VerifyMoveSummary *summary)
{
    const VerifyFullCheck *full = w->full;
    VerifyValue claim = verify_word_value(full, verify_own_word(w)), made = claim;
    if (full->attained[w->side] == ATTAINED_MATE && claim.verdict != TREB_DRAW &&
        claim.plies[TREB_DTM] != VERIFY_NONE) {
        verify_summarise_completed(w, pos, summary);
        verify_summary_plies(summary, &made);
        if (made.plies[TREB_DTM] == claim.plies[TREB_DTM]) return;
    }
    verify_summarise_moves(w, pos, summary);
}

void verify_do_moves(VerifyWorker *w, const treb_position *pos)
{
    const VerifyFullCheck *full = w->full;
    VerifyMoveSummary summary;
    if (won_at_once(w)) {
        VerifyValue claim = verify_word_value(full, verify_own_word(w));
        count_distances(w, &claim);
        return;
    }
    summarise_for_judge(w, pos, &summary);
    if (verify_read_failed(w)) return;
    VerifyCase c = {.pos = pos,
                    .key = verify_error_key(w),
                    .claim = verify_word_value(full, fill_distances(w, &summary)),
                    .stated_dtz = VERIFY_NONE,
                    .summary = &summary,
                    .compare = full->metrics,
                    .known = full->metrics};
    verify_judge(full->report, &c);
    if (c.claim.verdict != TREB_DRAW) count_distances(w, &c.claim);
}
