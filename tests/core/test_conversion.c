/* test_conversion.c - the kinds of conversions against the moves of random positions. */
#include <check.h>
#include <stdlib.h>

#include "core/chess/conversion.h"
#include "core/chess/movegen.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

enum { MEN_MAX = 6, POSITIONS = 30000 };

/* A position, its men in the order of their squares, and the move that is searched for. */
typedef struct Search {
    treb_position pos, child;
    Move move;
    uint8_t color[MEN_MAX], square[MEN_MAX];
    int men, found;
} Search;

static uint32_t draw(uint64_t *state, uint32_t below) { return next_random31(state) % below; }

static bool random_position(uint64_t *state, treb_position *pos)
{
    *pos = (treb_position){.turn = (uint8_t)draw(state, 2), .fullmove = 1};
    for (int i = 0; i < 2 + MEN_MAX; i++) {
        int square = (int)draw(state, 64), type = (int)draw(state, 9);
        if (bit_test(position_occupied(pos), square)) continue;
        /* Half of the men are pawns. */
        position_put(pos, i & 1, i < 2 ? TREB_KING : type > TREB_QUEEN ? TREB_PAWN : type, square);
    }
    return position_check(pos, NULL) == TREB_OK;
}

static int number_at(const Search *s, int square)
{
    if (bit_test(s->pos.by_type[TREB_KING], square)) return CONVERSION_KING;
    if (bit_test(s->pos.by_type[TREB_PAWN], square)) return CONVERSION_PAWN;
    for (int i = 0; i < s->men; i++)
        if (s->square[i] == square) return i;
    return CONVERSION_NOBODY;
}

/* Checks that the en passant answers are the captures by the pawns that stand ready, and the pawns
 * after them. */
static void check_answers(const Search *s, const ConversionKind *kind)
{
    Move moves[MOVES_MAX];
    int ready = 0;
    if (s->child.ep != 0)
        ready = bit_count(pawn_attacks(s->pos.turn, s->child.ep) &
                          position_men_of(&s->child, s->child.turn, TREB_PAWN));
    ck_assert_int_eq(kind->answers, ready);
    for (int i = movegen_legal(&s->child, moves); i-- > 0;) {
        treb_position after;
        int same = 0;
        if (!move_is_ep(&s->child, moves[i])) continue;
        position_make(&s->child, moves[i], &after);
        for (int a = 0; a < kind->answers; a++)
            same += kind->answer[a][0] == position_men_of(&after, 0, TREB_PAWN) &&
                    kind->answer[a][1] == position_men_of(&after, 1, TREB_PAWN);
        ck_assert_int_eq(same, 1);
    }
}

static bool compare(void *context, const ConversionKind *kind)
{
    Search *s = context;
    int from = move_from(s->move), to = move_to(s->move);
    if (kind->mover != number_at(s, from) || kind->victim != number_at(s, to) ||
        kind->promo != move_promo(s->move) || (kind->from >= 0 && kind->from != from) ||
        (kind->to >= 0 && kind->to != to))
        return true;
    s->found++;
    for (int color = 0; color < 2; color++)
        ck_assert_uint_eq(kind->pawns[color], position_men_of(&s->child, color, TREB_PAWN));
    check_answers(s, kind);
    return true;
}

/* Each legal capture and pawn move, except en passant, must be of exactly one kind. */
START_TEST(moves_have_one_kind)
{
    uint64_t state = 1;
    int looked_at = 0;
    for (int n = 0; n < POSITIONS; n++) {
        Search s = {.men = 0};
        Move moves[MOVES_MAX];
        if (!random_position(&state, &s.pos)) continue;
        uint64_t men =
            position_occupied(&s.pos) & ~(s.pos.by_type[TREB_PAWN] | s.pos.by_type[TREB_KING]);
        for (; men != 0; s.men++) {
            s.square[s.men] = (uint8_t)bit_pop(&men);
            s.color[s.men] = bit_test(s.pos.by_color[TREB_BLACK], s.square[s.men]);
        }
        ConversionBoard board = {
            {position_men_of(&s.pos, 0, TREB_PAWN), position_men_of(&s.pos, 1, TREB_PAWN)},
            s.color,
            s.men};
        for (int i = movegen_legal(&s.pos, moves); i-- > 0;) {
            if (!move_is_zeroing(&s.pos, moves[i])) continue;
            s.move = moves[i];
            s.found = 0;
            position_make(&s.pos, s.move, &s.child);
            conversion_each(&board, s.pos.turn, compare, &s);
            if (s.found != 1) ck_abort_msg("%d kinds of a move", s.found);
            looked_at++;
        }
    }
    ck_assert_int_gt(looked_at, POSITIONS / 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conversions");
    TCase *tests = tcase_create("kinds");
    tcase_add_test(tests, moves_have_one_kind);
    tcase_set_timeout(tests, 60);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
