/* value.c - see value.h.
 *
 * This file alone defines the metrics. Distances are in plies (or in half plies, see store.h). A
 * loss of the opponent is a win. The distance after a move:
 *
 *   DTZ  1 for a capture or pawn move that keeps the outcome under the 50-move rule, 101 for one
 *        whose outcome the rule then changes, otherwise 1 more than the child's
 *   DTC  1 for a capture or promotion, otherwise 1 more than the child's
 *   DTM  1 more than the child's
 *
 * The winner takes the smallest distance, the loser the largest. Mate is 0. */
#include <string.h>

#include "check/verify/value.h"
#include "core/system/error.h"

enum {
    LOSSES = 1 << TREB_LOSS | 1 << TREB_BLESSED_LOSS,
    WINS = 1 << TREB_CURSED_WIN | 1 << TREB_WIN,
    MEMO_VERDICT = 0x8000, /* bits 12 to 14 hold the verdict */
    MEMO_VERDICT_SHIFT = 12,
    MEMO_PLIES = 0x0fff /* 1 + a distance; 0 if unknown */
};

static VerifyValue value_of_verdict(unsigned verdict)
{
    VerifyValue value = {.verdict = (uint8_t)verdict};
    for (int m = 0; m < TREB_METRICS; m++) value.plies[m] = VERIFY_NONE;
    return value;
}

/* ---- tallies --------------------------------------------------------------------------------- */

void verify_summary_init(VerifyMoveSummary *summary, unsigned ply)
{
    memset(summary, 0, sizeof *summary);
    summary->ply = ply;
    for (int m = 0; m < TREB_METRICS; m++) summary->win[m] = VERIFY_NONE;
}

void verify_summary_plies(const VerifyMoveSummary *summary, VerifyValue *value)
{
    unsigned seen = summary->quiet | summary->zeroing;
    bool win = value->verdict > TREB_DRAW;
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        value->plies[m] = VERIFY_NONE;
        if (!verify_decided(value->verdict)) continue;
        /* A mated side has no moves, and its longest loss is 0. */
        if (win && seen & LOSSES) value->plies[m] = summary->win[m];
        if (!win && (seen & ~(unsigned)WINS) == 0) value->plies[m] = summary->loss[m];
    }
}

int verify_summary_verdict(const VerifyMoveSummary *summary, const treb_position *pos)
{
    const unsigned seen = summary->quiet | summary->zeroing;
    if (seen == 0) return position_in_check(pos) ? TREB_LOSS : TREB_DRAW;
    return TREB_WIN - __builtin_ctz(seen);
}

/* ---- moves ----------------------------------------------------------------------------------- */

/* Says which DTM a caller needs: only that of the verdicts in `verdicts` (bits), and exactly only
 * if a loss takes at most, or a win at least, `plies` plies. */
typedef struct Limit {
    unsigned verdicts, plies;
} Limit;

static const Limit no_limit = {LOSSES | WINS, VERIFY_NONE};

static VerifyValue evaluate_cell(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                                 unsigned metrics, Limit limit);

VerifyEntry *verify_after(VerifyEntry *entry, const treb_position *pos, Move m,
                          treb_position *child)
{
    int victim = position_piece_at(pos, move_to(m), NULL);
    if (victim < 0) victim = move_is_ep(pos, m) ? TREB_PAWN : TREB_KING;
    position_make(pos, m, child);
    if (victim == TREB_KING && move_promo(m) == 0) return entry;
    const VerifyChildTable *after = &entry->child_table[pos->turn][victim][move_promo(m)];
    if (after->swapped) position_swap_colors(child, child);
    return after->entry;
}

static VerifyValue convert(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                           Move m, unsigned metrics, Limit limit)
{
    treb_position child;
    VerifyEntry *after = verify_after(entry, pos, m, &child);
    if (after == NULL) return value_of_verdict(TREB_DRAW);
    return evaluate_cell(reader, after, &child, metrics, limit);
}

VerifyValue verify_convert(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                           Move m, unsigned metrics)
{
    return convert(reader, entry, pos, m, metrics, no_limit);
}

VerifyValue verify_convert_within(VerifyReader *reader, VerifyEntry *entry,
                                  const treb_position *pos, Move m, bool win, unsigned plies)
{
    unsigned ply = reader->store->ply;
    Limit limit = {win ? LOSSES : WINS, plies > ply ? plies - ply : 0};
    /* Many captures lead to the same position. Its exact distance is computed once, and the memo
     * keeps it. */
    if (move_is_capture(pos, m)) limit.plies = VERIFY_NONE;
    return convert(reader, entry, pos, m, metric_bit(TREB_DTM), limit);
}

VerifyValue verify_child(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos, Move m,
                         VerifyKind kind, unsigned metrics)
{
    unsigned wanted = verify_child_metrics(kind, metrics);
    if (kind == KIND_CONVERSION) return verify_convert(reader, entry, pos, m, wanted);
    treb_position child;
    position_make(pos, m, &child);
    return verify_evaluate(reader, entry, &child, wanted);
}

int verify_completing(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos)
{
    const VerifyFile *file = &entry->file[TREB_WDL];
    const bool bounds = file->table != NULL && file->header->bounds;
    Move moves[MOVES_MAX];
    int count = bounds ? movegen_completing(pos, moves) : movegen_captures(pos, moves), best = -1;
    for (int i = 0; i < count && best < TREB_WIN; i++) {
        int verdict = TREB_WIN - verify_convert(reader, entry, pos, moves[i], 0).verdict;
        if (verdict > best) best = verdict;
    }
    return best;
}

unsigned verify_complete(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                         unsigned verdict, unsigned plies, bool *attained)
{
    Move moves[MOVES_MAX];
    unsigned ply = reader->store->ply;
    bool win = verdict > TREB_DRAW, found = false;
    int count = 0;
    if (plies != VERIFY_NONE && !(win && plies <= ply)) count = movegen_completing(pos, moves);
    for (int i = 0; i < count; i++) {
        VerifyMoveSummary one;
        VerifyValue child = verify_convert_within(reader, entry, pos, moves[i], win, plies);
        verify_summary_init(&one, ply);
        verify_summary_add(&one, KIND_CONVERSION, &child);
        unsigned made = win ? one.win[TREB_DTM] : one.loss[TREB_DTM];
        bool better = win ? made < plies : made > plies;
        /* For a win in time the opponent's loss must be in time too (TREB_LOSS). */
        bool good = verdict < TREB_WIN || child.verdict == TREB_LOSS;
        if (better) found = false;
        if (better) plies = made;
        if (made == plies && good) found = true;
    }
    if (attained != NULL) *attained = found;
    return plies;
}

/* Returns the metrics that the pawn move `m`, which is no capture, ends at once. The move keeps the
 * verdict if the opponent's verdict is `most` or less. */
static unsigned pawn_move_wins(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                               Move m, unsigned most, unsigned metrics, VerifyPush push,
                               void *context)
{
    unsigned ends = metrics & metric_bit(TREB_DTC), zeroing = metrics & metric_bit(TREB_DTZ);
    if (move_promo(m) != 0) {
        unsigned verdict = verify_convert(reader, entry, pos, m, 0).verdict;
        return (verdict <= most ? zeroing : 0) | (verdict < TREB_DRAW ? ends : 0);
    }
    if (zeroing == 0) return 0;
    treb_position child;
    position_make(pos, m, &child);
    return push(context, &child) <= most ? zeroing : 0;
}

unsigned verify_at_once_metrics(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                                unsigned verdict, int completing, unsigned metrics, VerifyPush push,
                                void *context)
{
    unsigned found = 0;
    /* DTC tables and Syzygy files omit every win at once. Trebuchet's DTZ tables omit only those
     * that count under the 50-move rule. */
    metrics &= metric_bit(TREB_DTZ) | metric_bit(TREB_DTC);
    if (verdict < TREB_WIN && entry->syzygy[TREB_DTZ] == NULL) metrics &= ~metric_bit(TREB_DTZ);
    if (verdict < TREB_CURSED_WIN || metrics == 0) return 0;
    if (completing >= (int)verdict) found |= metrics & metric_bit(TREB_DTZ);
    if (completing >= TREB_CURSED_WIN) found |= metrics & metric_bit(TREB_DTC);
    uint64_t pawns = position_men_of(pos, pos->turn, TREB_PAWN);
    if (metrics == metric_bit(TREB_DTC)) pawns &= rank_bits(pos->turn == TREB_WHITE ? 6 : 1);
    if (found == metrics || pawns == 0) return found;
    Move moves[MOVES_MAX];
    int count = movegen_legal(pos, moves);
    for (int i = 0; i < count && found != metrics; i++) {
        if (!bit_test(pawns, move_from(moves[i])) || move_is_capture(pos, moves[i])) continue;
        found |= pawn_move_wins(reader, entry, pos, moves[i], TREB_WIN - verdict, metrics & ~found,
                                push, context);
    }
    return found;
}

/* ---- positions ------------------------------------------------------------------------------- */

typedef struct Place {
    VerifyReader *reader;
    VerifyEntry *entry;
} Place;

static unsigned push_verdict(void *context, const treb_position *child)
{
    const Place *place = context;
    return verify_evaluate(place->reader, place->entry, child, 0).verdict;
}

static int syzygy_read(VerifyReader *reader, int value, const treb_error *error)
{
    if (value < 0 && reader->error.status == TREB_OK) reader->error = *error;
    return value;
}

unsigned verify_syzygy_plies(const treb_position *pos, unsigned verdict, int dtz)
{
    if (dtz < 0 || dtz >= VERIFY_NONE) return VERIFY_NONE;
    return verdict == TREB_LOSS && dtz < 4 && !movegen_any(pos) ? 0 : (unsigned)dtz;
}

/* Returns the number of a position's cell in a file. `cell` is its number in the entry's index. */
static uint64_t file_cell(const VerifyFile *file, const treb_position *pos, uint64_t cell)
{
    if (file->same_index[pos->turn]) return cell;
    return index_of_position(&file->header->side[pos->turn].index, pos);
}

/* Returns the verdict of the WDL table, or that of the moves that complete it if that is better. */
static unsigned table_verdict(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                              uint64_t cell, int completing)
{
    VerifyFile *file = &entry->file[TREB_WDL];
    if (file->table == NULL) {
        treb_error error;
        int value =
            syzygy_read(reader, syzygy_verdict(entry->syzygy[TREB_WDL], pos, &error), &error);
        return (unsigned)(value > completing ? value : completing);
    }
    const TableSide *side = &file->header->side[pos->turn];
    unsigned code = UINT16_MAX;
    if (side->stored) code = verify_code(reader, file, pos->turn, file_cell(file, pos, cell));
    int stored = TREB_LOSS;
    if (code < side->codes[0])
        stored = side->plies[0][code];
    else if (reader->error.status == TREB_OK)
        fail(&reader->error, TREB_ERR_DAMAGED, "%.300s: code %u has no meaning",
             table_path(file->table), code);
    return (unsigned)(stored > completing ? stored : completing);
}

/* Returns the verdict of a position whose side to move the WDL table does not have. */
static unsigned moves_verdict(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos)
{
    VerifyMoveSummary summary;
    Move moves[MOVES_MAX];
    int count = movegen_legal(pos, moves);
    verify_summary_init(&summary, reader->store->ply);
    for (int i = 0; i < count && !(summary.zeroing >> TREB_LOSS & 1); i++) {
        VerifyValue child =
            verify_child(reader, entry, pos, moves[i], verify_kind(pos, moves[i]), 0);
        summary.zeroing |= 1u << child.verdict;
    }
    return (unsigned)verify_summary_verdict(&summary, pos);
}

/* Sets the error that a table is missing. */
static VerifyValue missing(VerifyReader *reader, const VerifyEntry *entry, int metric)
{
    if (reader->error.status == TREB_OK)
        verify_fail_missing(reader->store, &entry->material, metric, &reader->error);
    return value_of_verdict(TREB_DRAW);
}

/* Reads DTZ from a Syzygy file. Returns false if the file stores only the other side to move. */
static bool syzygy_distance(VerifyReader *reader, const VerifyEntry *entry,
                            const treb_position *pos, VerifyValue *value)
{
    treb_error error;
    const Syzygy *table = entry->syzygy[TREB_DTZ];
    if (!syzygy_stores(table, pos)) return false;
    int dtz = syzygy_read(reader, syzygy_dtz(table, pos, value->verdict, &error), &error);
    value->plies[TREB_DTZ] = (uint16_t)verify_syzygy_plies(pos, value->verdict, dtz);
    return true;
}

/* Fills in the distances that the tables store. Returns the bits of the metrics that they do not
 * store. */
static unsigned table_distances(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                                uint64_t cell, int completing, unsigned metrics, VerifyValue *value)
{
    Place place = {reader, entry};
    unsigned open = 0, once = verify_at_once_metrics(reader, entry, pos, value->verdict, completing,
                                                     metrics, push_verdict, &place);
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        VerifyFile *file = &entry->file[m];
        if (!(metrics & metric_bit(m))) continue;
        if (once & metric_bit(m)) {
            value->plies[m] =
                (uint16_t)(m == TREB_DTZ ? verify_at_once_plies(reader->store, value->verdict) : 1);
        } else if (m == TREB_DTZ && entry->syzygy[m] != NULL) {
            if (!syzygy_distance(reader, entry, pos, value)) open |= metric_bit(m);
        } else if (file->table != NULL && file->header->side[pos->turn].stored) {
            unsigned code = verify_code(reader, file, pos->turn, file_cell(file, pos, cell));
            unsigned plies = verify_plies(file->header, pos->turn, value->verdict, code);
            if (file->header->bounds)
                plies = verify_complete(reader, entry, pos, value->verdict, plies, NULL);
            value->plies[m] = (uint16_t)plies;
        } else if (file->table != NULL) {
            open |= metric_bit(m);
        } else {
            missing(reader, entry, m);
        }
    }
    return open;
}

/* Computes the distances of a side that is not stored, from its moves. If DTM is the only metric,
 * it stops when the DTM is beyond the limit and returns false. */
static bool moves_distances(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                            unsigned metrics, Limit limit, VerifyValue *value)
{
    VerifyMoveSummary summary;
    Move moves[MOVES_MAX];
    const bool win = value->verdict > TREB_DRAW;
    const bool bounded = limit.plies != VERIFY_NONE && metrics == metric_bit(TREB_DTM);
    int count = movegen_legal(pos, moves);
    verify_summary_init(&summary, reader->store->ply);
    for (int i = 0; i < count; i++) {
        VerifyKind kind = verify_kind(pos, moves[i]);
        VerifyValue child = verify_child(reader, entry, pos, moves[i], kind, metrics);
        verify_summary_add(&summary, kind, &child);
        if (!bounded) continue;
        uint16_t so_far = win ? summary.win[TREB_DTM] : summary.loss[TREB_DTM];
        if (win ? so_far >= limit.plies : so_far <= limit.plies) continue;
        value->plies[TREB_DTM] = so_far;
        return false;
    }
    VerifyValue found = *value;
    verify_summary_plies(&summary, &found);
    for (int m = TREB_DTZ; m < TREB_METRICS; m++)
        if (metrics & metric_bit(m)) value->plies[m] = found.plies[m];
    return true;
}

/* Returns the metric whose distance the memo keeps: for Trebuchet's files DTM, the only distance
 * that is needed of sub-endings. */
static int memo_metric(const VerifyStore *store)
{
    return store->options->syzygy ? TREB_DTZ : TREB_DTM;
}

/* What the memo knows of a cell: nothing; the verdict; or all that the caller asks for. */
typedef enum Recalled { RECALL_NOTHING, RECALL_VERDICT, RECALL_ALL } Recalled;

static Recalled recall(const VerifyStore *store, const _Atomic(uint16_t) *memo, unsigned metrics,
                       Limit limit, VerifyValue *value)
{
    unsigned word = atomic_load_explicit(memo, memory_order_relaxed);
    if (!(word & MEMO_VERDICT)) return RECALL_NOTHING;
    unsigned verdict = word >> MEMO_VERDICT_SHIFT & 7, plies = word & MEMO_PLIES;
    *value = value_of_verdict(verdict);
    if (metrics == 0 || !(limit.verdicts >> verdict & 1)) return RECALL_ALL;
    if (metrics != metric_bit(memo_metric(store)) || plies == 0) return RECALL_VERDICT;
    value->plies[memo_metric(store)] = (uint16_t)(plies - 1);
    return RECALL_ALL;
}

static void remember(const VerifyStore *store, _Atomic(uint16_t) *memo, const VerifyValue *value,
                     bool distance)
{
    unsigned word = MEMO_VERDICT | (unsigned)value->verdict << MEMO_VERDICT_SHIFT;
    unsigned plies = value->plies[memo_metric(store)];
    if (distance && plies < MEMO_PLIES) word |= plies + 1;
    atomic_store_explicit(memo, (uint16_t)word, memory_order_relaxed);
}

/* Returns the value of a position without captures en passant. */
static VerifyValue evaluate_cell(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                                 unsigned metrics, Limit limit)
{
    treb_position swapped;
    if (entry->file[TREB_WDL].table == NULL && entry->syzygy[TREB_WDL] == NULL)
        return missing(reader, entry, TREB_WDL);
    if (entry->symmetric && pos->turn == TREB_BLACK) {
        position_swap_colors(pos, &swapped);
        pos = &swapped;
    }
    VerifyValue value;
    uint64_t cell = index_of_position(&entry->index, pos);
    _Atomic(uint16_t) *memo = verify_memo(reader->store, entry, pos->turn);
    Recalled recalled = RECALL_NOTHING;
    int completing = -1;
    bool known = true;
    if (memo != NULL) recalled = recall(reader->store, &memo[cell], metrics, limit, &value);
    if (recalled == RECALL_ALL) return value;
    /* DTM does not depend on whether a capture wins at once. */
    if (recalled == RECALL_NOTHING || metrics != metric_bit(TREB_DTM)) {
        completing = verify_completing(reader, entry, pos);
        value = value_of_verdict(verify_lacks_verdicts(entry, pos->turn)
                                     ? moves_verdict(reader, entry, pos)
                                     : table_verdict(reader, entry, pos, cell, completing));
    }
    if (metrics != 0 && limit.verdicts >> value.verdict & 1) {
        unsigned open = table_distances(reader, entry, pos, cell, completing, metrics, &value);
        if (open != 0) known = moves_distances(reader, entry, pos, open, limit, &value);
    }
    if (memo != NULL) remember(reader->store, &memo[cell], &value, known);
    return value;
}

VerifyValue verify_with_ep(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                           const VerifyValue *without, unsigned metrics)
{
    VerifyMoveSummary summary;
    Move moves[MOVES_MAX];
    int count = movegen_legal(pos, moves), others = 0;
    verify_summary_init(&summary, reader->store->ply);
    for (int i = 0; i < count; i++) {
        if (!move_is_ep(pos, moves[i])) {
            others++;
            continue;
        }
        VerifyValue child = verify_child(reader, entry, pos, moves[i], KIND_CONVERSION, metrics);
        verify_summary_add(&summary, KIND_CONVERSION, &child);
    }
    if (others > 0) {
        /* The other moves together count as one move that leads to the value `without`. */
        bool win = without->verdict > TREB_DRAW;
        summary.zeroing |= 1u << (TREB_WIN - without->verdict);
        for (int m = TREB_DTZ; m < TREB_METRICS && verify_decided(without->verdict); m++)
            verify_summary_distance(&summary, win, m, without->plies[m]);
    }
    VerifyValue value = value_of_verdict((unsigned)(TREB_WIN - __builtin_ctz(summary.zeroing)));
    verify_summary_plies(&summary, &value);
    return value;
}

VerifyValue verify_evaluate(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                            unsigned metrics)
{
    if (pos->ep == 0) return evaluate_cell(reader, entry, pos, metrics, no_limit);
    treb_position plain = *pos;
    plain.ep = 0;
    VerifyValue without = evaluate_cell(reader, entry, &plain, metrics, no_limit);
    if (!position_ep_legal(pos)) return without;
    return verify_with_ep(reader, entry, pos, &without, metrics);
}
