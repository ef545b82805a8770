/* moves.c - see moves.h.
 *
 * Nearly all moves are quiet and lead to another word of the table. The number of its cell differs
 * in the one coordinate that the move changes. Captures and promotions lead to other tables
 * (value.c). */
#include <string.h>

#include "check/verify/moves.h"

VerifyValue verify_word_value(const VerifyFullCheck *full, uint64_t word)
{
    VerifyValue value = {.verdict = (uint8_t)verify_word_verdict(word), .plies = {VERIFY_NONE}};
    for (int m = TREB_DTZ; m < TREB_METRICS; m++)
        value.plies[m] = (uint16_t)verify_word_get(&full->words, word, m);
    return value;
}

/* Returns the number of a position's word. Finds it from the men. */
static uint64_t cell_of(const VerifyFullCheck *full, const treb_position *pos)
{
    treb_position swapped;
    if (full->sides == 1 && pos->turn == TREB_BLACK) {
        position_swap_colors(pos, &swapped);
        pos = &swapped;
    }
    return index_of_position(full->index, pos);
}

uint64_t verify_word_of_position(const VerifyFullCheck *full, const treb_position *pos)
{
    const int side = full->sides == 1 ? TREB_WHITE : pos->turn;
    return verify_word(&full->words, side, cell_of(full, pos));
}

static void place_swapped(const Index *index, const treb_position *pos, VerifyPlaced *placed)
{
    treb_position swapped;
    position_swap_colors(pos, &swapped);
    int symmetry, kings;
    uint64_t slice;
    index_orient(index, &swapped, &symmetry, &slice, &kings);
    placed->coordinate[INDEX_KINGS_AXIS] = (uint32_t)kings;
    for (int g = 0; g < index->groups; g++) {
        const IndexGroup *group = &index->group[g];
        placed->coordinate[1 + g] = index_group_turned(
            group, position_men_of(&swapped, group->color, group->type), symmetry);
    }
    placed->cell = slice * index->slice_size;
    for (int axis = 0; axis < index->axes; axis++)
        placed->cell += placed->coordinate[axis] * index->stride[axis];
    placed->color = swapped.turn;
    placed->symmetry = symmetry ^ SYM_RANKS;
}

void verify_place(const VerifyWorker *w, const treb_position *pos, VerifyPlaced *placed)
{
    /* The men stand in two orientations. Each child is numbered from its men. */
    if (w->walk.twofold) return;
    if (w->full->sides == 1) {
        place_swapped(w->full->index, pos, placed);
        return;
    }
    placed->cell = w->walk.at.cell;
    memcpy(placed->coordinate, w->walk.at.coordinate, sizeof placed->coordinate);
    placed->color = pos->turn;
    placed->symmetry = 0;
}

/* Returns the axis that a quiet move changes, and the new coordinate. Returns -1 if the child is in
 * another orientation and must be numbered from its men. */
static int moved_axis(const VerifyFullCheck *full, const treb_position *pos, const VerifyPlaced *placed,
                      Move m, uint32_t *coordinate)
{
    const Index *index = full->index;
    int from = move_from(m), to = move_to(m), type = position_piece_at(pos, from, NULL);
    if (type != TREB_KING) {
        int group = full->group[placed->color][type];
        uint64_t men = position_men_of(pos, pos->turn, type) ^ square_bit(from) ^ square_bit(to);
        *coordinate = index_group_turned(&index->group[group], men, placed->symmetry);
        return 1 + group;
    }
    int king[2], symmetry;
    king[placed->color] = index_symmetry_square(placed->symmetry, to);
    king[placed->color ^ 1] =
        index_symmetry_square(placed->symmetry, position_king(pos, pos->turn ^ 1));
    bool diagonal = king[TREB_WHITE] % 9 == 0 && king[TREB_BLACK] % 9 == 0;
    if (!index->pawns && diagonal) return -1;
    *coordinate =
        (uint32_t)index_kings(index->pawns, king[TREB_WHITE], king[TREB_BLACK], &symmetry);
    return symmetry == 0 ? INDEX_KINGS_AXIS : -1;
}

uint64_t verify_quiet_cell(const VerifyWorker *w, const treb_position *pos,
                           const VerifyPlaced *placed, Move m)
{
    const VerifyFullCheck *full = w->full;
    uint32_t coordinate = 0;
    int axis = w->walk.twofold ? -1 : moved_axis(full, pos, placed, m, &coordinate);
    if (axis >= 0) {
        int64_t steps = (int64_t)coordinate - (int64_t)placed->coordinate[axis];
        return placed->cell + (uint64_t)(steps * (int64_t)full->index->stride[axis]);
    }
    treb_position child;
    position_make(pos, m, &child);
    return cell_of(full, &child);
}

static uint64_t quiet_word(const VerifyWorker *w, const treb_position *pos,
                           const VerifyPlaced *placed, Move m)
{
    const int side = w->full->sides == 1 ? TREB_WHITE : pos->turn ^ 1;
    return verify_word(&w->full->words, side, verify_quiet_cell(w, pos, placed, m));
}

/* Returns the value after a pawn push, after which the opponent may capture en passant. */
static VerifyValue pushed_value(const VerifyWorker *w, const treb_position *child, unsigned metrics)
{
    VerifyValue value = verify_word_value(w->full, verify_word_of_position(w->full, child));
    if (child->ep == 0 || !position_ep_legal(child)) return value;
    return verify_with_ep(w->reader, w->full->entry, child, &value, metrics);
}

unsigned verify_pushed_verdict(void *context, const treb_position *child)
{
    return pushed_value(context, child, 0).verdict;
}

/* A summary of the quiet moves, which are most of all moves. The fields of the words are compared
 * without unpacking them. */
typedef struct Quiet {
    unsigned moves, seen; /* as `moves` and `quiet` in VerifyMoveSummary */
    uint64_t least[TREB_METRICS],
        most[TREB_METRICS]; /* shortest distance of lost children, longest of won children */
} Quiet;

static void quiet_add(const VerifyFullCheck *full, Quiet *quiet, uint64_t word)
{
    unsigned verdict = verify_word_verdict(word);
    quiet->moves++;
    quiet->seen |= 1u << verdict;
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        uint64_t plies = word & full->words.field[m].mask;
        if (verdict < TREB_DRAW && plies < quiet->least[m]) quiet->least[m] = plies;
        if (verdict > TREB_DRAW && plies > quiet->most[m]) quiet->most[m] = plies;
    }
}

/* Adds the quiet moves to the summary. Their distances are one ply more than those of the
 * children. */
static void summary_add_quiet(const VerifyFullCheck *full, const Quiet *quiet,
                              VerifyMoveSummary *summary)
{
    summary->moves += quiet->moves;
    summary->quiet |= quiet->seen;
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        unsigned least =
            verify_one_more(verify_word_get(&full->words, quiet->least[m], m), full->ply);
        unsigned most =
            verify_one_more(verify_word_get(&full->words, quiet->most[m], m), full->ply);
        if (quiet->seen & (1 << TREB_LOSS | 1 << TREB_BLESSED_LOSS))
            verify_summary_distance(summary, true, m, least);
        if (quiet->seen & (1 << TREB_CURSED_WIN | 1 << TREB_WIN))
            verify_summary_distance(summary, false, m, most);
    }
}

/* Returns the value after a capture or promotion, as far as it matters to the verdict in the
 * position's word: for a draw no distance matters, otherwise only one that improves on the moves
 * summarised so far. */
static VerifyValue converted(const VerifyWorker *w, const treb_position *pos, Move m,
                             const VerifyMoveSummary *summary)
{
    VerifyEntry *entry = w->full->entry;
    unsigned verdict = verify_word_verdict(verify_own_word(w));
    bool win = verdict > TREB_DRAW;
    if (verdict == TREB_DRAW || !(w->full->metrics & metric_bit(TREB_DTM)))
        return verify_convert(w->reader, entry, pos, m, 0);
    return verify_convert_within(w->reader, entry, pos, m, win,
                                 win ? summary->win[TREB_DTM] : summary->loss[TREB_DTM]);
}

/* Returns the value after a move that took part in completing the position's DTM, without computing
 * its distance. No such move beats the DTM in the word, and the extra bit of the word says whether
 * one of them attains it. */
static VerifyValue completed(const VerifyWorker *w, const treb_position *pos, Move m)
{
    VerifyValue value = verify_convert(w->reader, w->full->entry, pos, m, 0);
    bool win = verify_word_verdict(verify_own_word(w)) > TREB_DRAW;
    value.plies[TREB_DTM] = win ? VERIFY_NONE : 0;
    return value;
}

static void summarise(const VerifyWorker *w, const treb_position *pos, bool complete,
                      VerifyMoveSummary *summary)
{
    const VerifyFullCheck *full = w->full;
    Move moves[MOVES_MAX], conversion[MOVES_MAX];
    int count = movegen_legal(pos, moves), conversions = 0;
    uint64_t special = pos->by_type[TREB_PAWN], enemy = pos->by_color[pos->turn ^ 1];
    uint64_t word = verify_own_word(w);
    Quiet quiet = {.least = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
    VerifyPlaced placed;
    verify_place(w, pos, &placed);
    verify_summary_init(summary, full->ply);
    for (int i = 0; i < count; i++) {
        if (!bit_test(special, move_from(moves[i])) && !bit_test(enemy, move_to(moves[i]))) {
            quiet_add(full, &quiet, quiet_word(w, pos, &placed, moves[i]));
        } else if (verify_kind(pos, moves[i]) == KIND_CONVERSION) {
            conversion[conversions++] = moves[i];
        } else {
            treb_position child;
            position_make(pos, moves[i], &child);
            VerifyValue value =
                pushed_value(w, &child, verify_child_metrics(KIND_PUSH, full->metrics));
            verify_summary_add(summary, KIND_PUSH, &value);
        }
    }
    summary_add_quiet(full, &quiet, summary);
    unsigned verdict = verify_word_verdict(word);
    bool attained = complete && word & full->words.attained;
    /* Nothing is better than a win in time. If DTM is the only metric, the moves that complete it
     * add nothing to what the word says. */
    bool known = complete && verdict == TREB_WIN && full->metrics == metric_bit(TREB_DTM);
    if (attained)
        verify_summary_distance(summary, verdict > TREB_DRAW, TREB_DTM,
                                verify_word_get(&full->words, word, TREB_DTM));
    if (attained && known) summary->zeroing |= 1u << TREB_LOSS;
    for (int i = 0; i < conversions; i++) {
        bool completes = complete && move_completes(pos, conversion[i]);
        if (completes && known) {
            summary->moves++;
            continue;
        }
        VerifyValue value = completes ? completed(w, pos, conversion[i])
                                      : converted(w, pos, conversion[i], summary);
        verify_summary_add(summary, KIND_CONVERSION, &value);
    }
}

void verify_summarise_moves(const VerifyWorker *w, const treb_position *pos,
                            VerifyMoveSummary *summary)
{
    summarise(w, pos, false, summary);
}

void verify_summarise_completed(const VerifyWorker *w, const treb_position *pos,
                                VerifyMoveSummary *summary)
{
    summarise(w, pos, true, summary);
}
