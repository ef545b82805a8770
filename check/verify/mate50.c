/* mate50.c - see mate50.h: the values that files have, and the sample. */
#include <stdio.h>

#include "check/verify/mate50.h"
#include "core/format/table_profile.h"
#include "core/system/error.h"
#include "core/system/hash.h"

/* ---- reading --------------------------------------------------------------------------------- */

bool verify_mate50_stored(const VerifyEntry *entry, int turn)
{
    const VerifyFile *file = &entry->file[TREB_DTM50];
    return file->table != NULL &&
           file->header->profiles.turn == (entry->symmetric ? TREB_WHITE : turn);
}

static int mated(const treb_position *pos, unsigned verdict)
{
    return verdict == TREB_LOSS && !movegen_any(pos) ? -MATE50_BEST : 0;
}

/* The profile of a position as the file has it. */
typedef struct ReadProfile {
    const VerifyFile *file;
    const TableProfileClass *of;
    int profile;   /* profiles.count: that of the cell itself */
    uint64_t cell; /* in side 1 */
} ReadProfile;

static void fail_profile(VerifyReader *reader, const VerifyFile *file, const char *what, int dtm, int dtz)
{
    if (reader->error.status != TREB_OK) return;
    fail(&reader->error, TREB_ERR_DAMAGED, "%.300s: %s for the distances %d and %d", table_path(file->table), what, dtm,
         dtz);
}

/* Finds the profile of a position of a stored side with these distances. False, and an error: there is none. */
static bool find_profile(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos, int dtm, int dtz,
                         ReadProfile *out)
{
    treb_position swapped;
    VerifyFile *file = &entry->file[TREB_DTM50];
    if (entry->symmetric && pos->turn == TREB_BLACK) {
        position_swap_colors(pos, &swapped);
        pos = &swapped;
    }
    const TableHeader *h = file->header;
    *out = (ReadProfile){file, table_profile_class(h, dtm, dtz), -1, 0};
    if (out->of == NULL) {
        fail_profile(reader, file, "no class", dtm, dtz);
        return false;
    }
    unsigned place = 0;
    if (out->of->count > 1) place = verify_code(reader, file, 0, index_of_position(&h->side[0].index, pos));
    out->profile = table_profile_at(&h->profiles, out->of, place);
    if (out->profile < 0) fail_profile(reader, file, "no profile", dtm, dtz);
    if (out->profile == (int)h->profiles.count) out->cell = index_of_position(&h->side[1].index, pos);
    return out->profile >= 0;
}

/* Returns what table_profile_extra returns; 0 after an error. */
static int extra_of(VerifyReader *reader, const ReadProfile *p, int short_by)
{
    const TableHeader *h = p->file->header;
    treb_error error;
    if (p->profile < (int)h->profiles.count)
        return table_profile_extra(h, p->of, (unsigned)p->profile, (unsigned)short_by);
    const int extra =
        table_read_own_profile(p->file->table, WAIT_FOR_ALL, p->cell, p->of, (unsigned)short_by, &error);
    if (extra < 0 && reader->error.status == TREB_OK) reader->error = error;
    return extra < 0 ? 0 : extra;
}

/* Returns the value of the best move; of captures and pawn moves alone if `zeroing`. */
static int best_move(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos, int left,
                     bool zeroing)
{
    Move moves[MOVES_MAX];
    const int count = movegen_legal(pos, moves);
    int best = -MATE50_BEST;
    if (count == 0) return position_in_check(pos) ? -MATE50_BEST : 0;
    for (int i = 0; i < count && reader->error.status == TREB_OK; i++) {
        treb_position child;
        if (zeroing && !move_is_zeroing(pos, moves[i])) continue;
        VerifyEntry *after = verify_after(entry, pos, moves[i], &child);
        const int child_left = move_is_zeroing(pos, moves[i]) ? RULE_PLIES : left - 1;
        const int made =
            after == NULL ? 0 : mate50_before(verify_mate50(reader, after, &child, child_left));
        if (made > best) best = made;
    }
    return best;
}

int verify_mate50_by_moves(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                           int left)
{
    return best_move(reader, entry, pos, left, false);
}

static int claimed_delay(VerifyReader *reader, const ReadProfile *profile,
                         const Mate50Distances *of, int left)
{
    const int extra = extra_of(reader, profile, of->dtm - left);
    return extra == TABLE_PROFILE_ZEROING ? (int)MATE50_ZEROING : extra;
}

/* Writes the delays between two numbers of plies left for which they are known. In all profiles that can
 * be read what they add falls from step to step, so between two equal delays are equal ones. */
static void claim_between(VerifyReader *reader, const ReadProfile *profile,
                          const Mate50Distances *of, int low, int high, int delay[MATE50_CLOCKS])
{
    const int middle = (low + high) / 2;
    if (middle == low || reader->error.status != TREB_OK) return;
    if (delay[low] == delay[high]) {
        for (int left = low + 1; left < high; left++) delay[left] = delay[low];
        return;
    }
    delay[middle] = claimed_delay(reader, profile, of, middle);
    claim_between(reader, profile, of, low, middle, delay);
    claim_between(reader, profile, of, middle, high, delay);
}

bool verify_mate50_claim(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                         const Mate50Distances *of, int delay[MATE50_CLOCKS])
{
    const int last = mate50_end(of) - 1;
    ReadProfile profile;
    if (of->dtz > last) return true;
    if (!find_profile(reader, entry, pos, of->dtm, of->dtz, &profile)) return true;
    delay[of->dtz] = claimed_delay(reader, &profile, of, of->dtz);
    if (delay[of->dtz] == 0) return true;
    delay[last] = claimed_delay(reader, &profile, of, last);
    claim_between(reader, &profile, of, of->dtz, last, delay);
    return false;
}

int verify_mate50_from(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                       const Mate50Distances *of, int left)
{
    if (of->dtm <= left) return mate50_in(of->win, (unsigned)of->dtm);
    if (of->dtz > left) return 0;
    if (entry->file[TREB_DTM50].table == NULL) {
        verify_fail_missing(reader->store, &entry->material, TREB_DTM50, &reader->error);
        return 0;
    }
    if (!verify_mate50_stored(entry, pos->turn))
        return verify_mate50_by_moves(reader, entry, pos, left);
    ReadProfile profile;
    if (!find_profile(reader, entry, pos, of->dtm, of->dtz, &profile)) return 0;
    const int extra = extra_of(reader, &profile, of->dtm - left);
    return extra == TABLE_PROFILE_ZEROING ? best_move(reader, entry, pos, left, true)
                                          : mate50_in(of->win, (unsigned)(of->dtm + extra));
}

int verify_mate50(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos, int left)
{
    VerifyValue known = verify_evaluate(reader, entry, pos, 0);
    Mate50Distances of = {.win = known.verdict == TREB_WIN};
    if (!of.win && known.verdict != TREB_LOSS) return 0;
    if (left == 0) return mated(pos, known.verdict);
    known = verify_evaluate(reader, entry, pos, metric_bit(TREB_DTM));
    if (reader->error.status != TREB_OK) return 0;
    of.dtm = known.plies[TREB_DTM];
    if (of.dtm <= left) return mate50_in(of.win, (unsigned)of.dtm);
    of.dtz = verify_evaluate(reader, entry, pos, metric_bit(TREB_DTZ)).plies[TREB_DTZ];
    if (reader->error.status != TREB_OK || of.dtz > left) return 0;
    if (pos->ep != 0 && position_ep_legal(pos))
        return verify_mate50_by_moves(reader, entry, pos, left);
    return verify_mate50_from(reader, entry, pos, &of, left);
}

/* ---- the sample ------------------------------------------------------------------------------ */

static void value_text(int value, char out[VERIFY_VALUE_TEXT_SIZE])
{
    if (value == 0)
        snprintf(out, VERIFY_VALUE_TEXT_SIZE, "%s", verify_verdict_text(TREB_DRAW));
    else
        verify_value_text(value > 0 ? TREB_WIN : TREB_LOSS, mate50_plies(value), 1, out);
}

void verify_mate50_report(VerifyReport *report, const treb_position *pos, uint64_t key, int left,
                          int claim, int made)
{
    char fen[TREB_FEN_SIZE], says[VERIFY_VALUE_TEXT_SIZE], moves[VERIFY_VALUE_TEXT_SIZE];
    treb_position with_clock = *pos;
    with_clock.halfmove = (uint16_t)(RULE_PLIES - left);
    position_to_fen(&with_clock, fen);
    value_text(claim, says);
    value_text(made, moves);
    verify_report_error(report, key, "%s: %s by the %s table, %s by the moves", fen, says,
                        table_metric_name(TREB_DTM50), moves);
}

/* Writes the value of a position of a stored side for each number of plies left, as the files have it. */
static void claimed_values(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                           int value[MATE50_CLOCKS])
{
    const unsigned distances = metric_bit(TREB_DTZ) | metric_bit(TREB_DTM);
    int delay[MATE50_CLOCKS];
    VerifyValue known = verify_evaluate(reader, entry, pos, 0);
    Mate50Distances of = {.win = known.verdict == TREB_WIN};
    value[0] = mated(pos, known.verdict);
    for (int left = 1; left < MATE50_CLOCKS; left++) value[left] = 0;
    if (!of.win && known.verdict != TREB_LOSS) return;
    known = verify_evaluate(reader, entry, pos, distances);
    of.dtm = known.plies[TREB_DTM];
    of.dtz = known.plies[TREB_DTZ];
    if (reader->error.status != TREB_OK) return;
    for (int left = of.dtm > 1 ? of.dtm : 1; left < MATE50_CLOCKS; left++)
        value[left] = mate50_in(of.win, (unsigned)of.dtm);
    const bool none = verify_mate50_claim(reader, entry, pos, &of, delay);
    for (int left = of.dtz; left < mate50_end(&of) && reader->error.status == TREB_OK; left++)
        value[left] = !none && delay[left] == MATE50_ZEROING
                          ? best_move(reader, entry, pos, left, true)
                          : mate50_in(of.win, (unsigned)(of.dtm + (none ? 0 : delay[left])));
}

void verify_mate50_sample(VerifyReport *report, VerifyReader *reader, VerifyEntry *entry,
                          const treb_position *pos, uint64_t key)
{
    int claim[MATE50_CLOCKS];
    const int drawn = 1 + (int)(hash_mix(key) % RULE_PLIES);
    if (!verify_mate50_stored(entry, pos->turn)) return;
    claimed_values(reader, entry, pos, claim);
    for (int left = 1; left < MATE50_CLOCKS && reader->error.status == TREB_OK; left++) {
        const bool changes =
            claim[left] != claim[left - 1] || (left < RULE_PLIES && claim[left] != claim[left + 1]);
        if (!changes && left != drawn && left != RULE_PLIES) continue;
        const int made = verify_mate50_by_moves(reader, entry, pos, left);
        if (reader->error.status != TREB_OK || made == claim[left]) continue;
        verify_mate50_report(report, pos, key, left, claim[left], made);
        return;
    }
}
