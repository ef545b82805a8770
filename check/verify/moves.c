/* moves.c - what the moves of a position come to, under a full check.
 *
 * Nearly all moves are quiet and lead to another word of the table, found by the one coordinate that
 * changes. Captures and promotions lead to other tables (value.c). */
#include <string.h>

#include "check/verify/moves.h"

VerifyValue verify_word_value(const VerifyFull *full, uint64_t word)
{
    VerifyValue value = {.verdict = (uint8_t)verify_word_verdict(word), .plies = {VERIFY_NONE}};
    for (int m = TREB_DTZ; m < TREB_METRICS; m++)
        value.plies[m] = (uint16_t)verify_word_get(&full->words, word, m);
    return value;
}

/* The word of a position of the table, by its men. */
static uint64_t word_of(const VerifyFull *full, const treb_position *pos)
{
    treb_position swapped;
    if (full->sides == 1 && pos->turn == TREB_BLACK) {
        position_swap_colors(pos, &swapped);
        pos = &swapped;
    }
    return verify_word(&full->words, pos->turn, index_of_position(full->index, pos));
}

/* Where the men stand in the words that moves lead to: as on the board, or in a table with one side
 * to move with colours swapped and turned as the index has them. */
typedef struct Placed {
    uint64_t cell;
    uint32_t coordinate[INDEX_AXES_MAX]; /* by axis */
    int color;                           /* of the men that move */
    int symmetry;                        /* from the board */
} Placed;

static void place_swapped(const Index *index, const treb_position *pos, Placed *placed)
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

static void place(const VerifyWorker *w, const treb_position *pos, Placed *placed)
{
    /* Two orientations: each child is numbered by itself. */
    if (w->walk.twofold) return;
    if (w->full->sides == 1) {
        place_swapped(w->full->index, pos, placed);
        return;
    }
    placed->cell = w->walk.cell;
    memcpy(placed->coordinate, w->walk.coordinate, sizeof placed->coordinate);
    placed->color = pos->turn;
    placed->symmetry = 0;
}

/* The axis that a quiet move changes, and its new coordinate; -1 if the child has to be turned
 * before it can be numbered. */
static int moved_axis(const VerifyFull *full, const treb_position *pos, const Placed *placed,
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

static uint64_t quiet_word(const VerifyWorker *w, const treb_position *pos, const Placed *placed,
                           Move m)
{
    const VerifyFull *full = w->full;
    uint32_t coordinate = 0;
    int axis = w->walk.twofold ? -1 : moved_axis(full, pos, placed, m, &coordinate);
    if (axis >= 0) {
        int64_t steps = (int64_t)coordinate - (int64_t)placed->coordinate[axis];
        uint64_t cell = placed->cell + (uint64_t)(steps * (int64_t)full->index->stride[axis]);
        return verify_word(&full->words, full->sides == 1 ? TREB_WHITE : pos->turn ^ 1, cell);
    }
    treb_position child;
    position_make(pos, m, &child);
    return word_of(full, &child);
}

/* After a pawn's push, which may allow en passant. */
static VerifyValue pushed_value(const VerifyWorker *w, const treb_position *child, unsigned metrics)
{
    VerifyValue value = verify_word_value(w->full, word_of(w->full, child));
    if (child->ep == 0 || !position_ep_legal(child)) return value;
    return verify_with_ep(w->reader, w->full->entry, child, &value, metrics);
}

unsigned verify_pushed_verdict(void *context, const treb_position *child)
{
    return pushed_value(context, child, 0).verdict;
}

/* Quiet moves, most of all moves by far, as words: the fields are compared where they stand. */
typedef struct Quiet {
    unsigned moves, seen;                             /* as in a tally */
    uint64_t least[TREB_METRICS], most[TREB_METRICS]; /* of lost and of won children */
} Quiet;

static void quiet_add(const VerifyFull *full, Quiet *quiet, uint64_t word)
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

/* Adds the quiet moves together: for each, a distance is one more than the child's. */
static void quiet_tally(const VerifyFull *full, const Quiet *quiet, VerifyTally *tally)
{
    tally->moves += quiet->moves;
    tally->quiet |= quiet->seen;
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        unsigned least =
            verify_one_more(verify_word_get(&full->words, quiet->least[m], m), full->ply);
        unsigned most =
            verify_one_more(verify_word_get(&full->words, quiet->most[m], m), full->ply);
        if (quiet->seen & (1 << TREB_LOSS | 1 << TREB_BLESSED_LOSS))
            verify_tally_distance(tally, true, m, least);
        if (quiet->seen & (1 << TREB_CURSED_WIN | 1 << TREB_WIN))
            verify_tally_distance(tally, false, m, most);
    }
}

/* What a capture or promotion leads to, for what the word says of the position: of a draw no distance
 * matters, of others only one that beats what other moves have come to. */
static VerifyValue converted(const VerifyWorker *w, const treb_position *pos, Move m,
                             const VerifyTally *tally)
{
    VerifyEntry *entry = w->full->entry;
    unsigned verdict = verify_word_verdict(verify_own_word(w));
    bool win = verdict > TREB_DRAW;
    if (verdict == TREB_DRAW || !(w->full->metrics & metric_bit(TREB_DTM)))
        return verify_convert(w->reader, entry, pos, m, 0);
    return verify_convert_within(w->reader, entry, pos, m, win,
                                 win ? tally->win[TREB_DTM] : tally->loss[TREB_DTM]);
}

/* Where its DTM was completed, the same after a move that completes: none of them beats what the word
 * says, and whether one attains it the word says, too. */
static VerifyValue completed(const VerifyWorker *w, const treb_position *pos, Move m)
{
    VerifyValue value = verify_convert(w->reader, w->full->entry, pos, m, 0);
    bool win = verify_word_verdict(verify_own_word(w)) > TREB_DRAW;
    value.plies[TREB_DTM] = win ? VERIFY_NONE : 0;
    return value;
}

static void tally_moves(const VerifyWorker *w, const treb_position *pos, bool complete,
                        VerifyTally *tally)
{
    const VerifyFull *full = w->full;
    Move moves[MOVES_MAX], conversion[MOVES_MAX];
    int count = movegen_legal(pos, moves), conversions = 0;
    uint64_t special = pos->by_type[TREB_PAWN], enemy = pos->by_color[pos->turn ^ 1];
    uint64_t word = verify_own_word(w);
    Quiet quiet = {.least = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
    Placed placed;
    place(w, pos, &placed);
    verify_tally_init(tally, full->ply);
    for (int i = 0; i < count; i++) {
        if (!bit_test(special, move_from(moves[i])) && !bit_test(enemy, move_to(moves[i]))) {
            quiet_add(full, &quiet, quiet_word(w, pos, &placed, moves[i]));
        } else if (verify_kind(pos, moves[i]) == KIND_CONVERSION) {
            conversion[conversions++] = moves[i];
        } else {
            treb_position child;
            position_make(pos, moves[i], &child);
            VerifyValue value = pushed_value(w, &child, verify_wanted(KIND_PUSH, full->metrics));
            verify_tally_add(tally, KIND_PUSH, &value);
        }
    }
    quiet_tally(full, &quiet, tally);
    unsigned verdict = verify_word_verdict(word);
    bool attained = complete && word & full->words.attained;
    /* Nothing is more than a win in time: where mates are all that is asked, moves that complete tell no more
     * than the word does. */
    bool known = complete && verdict == TREB_WIN && full->metrics == metric_bit(TREB_DTM);
    if (attained)
        verify_tally_distance(tally, verdict > TREB_DRAW, TREB_DTM,
                              verify_word_get(&full->words, word, TREB_DTM));
    if (attained && known) tally->zeroing |= 1u << TREB_LOSS;
    for (int i = 0; i < conversions; i++) {
        bool completes = complete && move_completes(pos, conversion[i]);
        if (completes && known) {
            tally->moves++;
            continue;
        }
        VerifyValue value =
            completes ? completed(w, pos, conversion[i]) : converted(w, pos, conversion[i], tally);
        verify_tally_add(tally, KIND_CONVERSION, &value);
    }
}

void verify_tally_moves(const VerifyWorker *w, const treb_position *pos, VerifyTally *tally)
{
    tally_moves(w, pos, false, tally);
}

void verify_tally_completed(const VerifyWorker *w, const treb_position *pos, VerifyTally *tally)
{
    tally_moves(w, pos, true, tally);
}
