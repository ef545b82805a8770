/* plain_zugzwangs.c - counts the mutual zugzwangs of all endings of three and four men with a plain
 * solver.
 *
 * It knows only the rules of chess (core/movegen) and uses nothing of gen/, probe/ or find/. A
 * position is evaluated again when the value of a position that it may lead to has changed, until
 * nothing changes. For each ending it prints the counts of `trebuchet find --zugzwang --count
 * --tsv`, except the number of positions. Positions that a symmetry maps to each other count once.
 * With arguments, it counts only the endings that they name. Run it with `make zugzwangs-check`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/chess/bitboard.h"
#include "core/chess/material.h"
#include "core/chess/movegen.h"
#include "core/chess/position.h"

enum { MATERIALS = 64, MEN = 4, BOARD = 64 * 64 * 64 };

/* Result for the side to move. OPEN: the known results of the moves do not decide it. LOOK: it must
 * be evaluated (again). Positions that are still open at the end are draws. */
enum { LOOK, OPEN, WIN, DRAW, LOSS, ILLEGAL };

typedef struct Ending {
    Material material;
    bool pawns, symmetric;
    int men;               /* number of men beside the kings */
    int color[2], type[2]; /* their colors and types, White's men first */
    uint8_t *
        result; /* by side to move, square of the white king, of the black king, of the other men */
} Ending;

static Ending ending[MATERIALS];
static int endings;

static void *need(void *memory)
{
    if (memory == NULL) exit(1);
    return memory;
}

/* Applies one of the eight symmetries to a square: bit 0 mirrors files, bit 1 ranks, bit 2 the
 * diagonal. */
static int turn_square(int symmetry, int square)
{
    if (symmetry & 1) square ^= 7;
    if (symmetry & 2) square ^= 56;
    return symmetry & 4 ? square >> 3 | (square & 7) << 3 : square;
}

/* Lists the squares of the kings and of the other men. Of two equal men the lower square comes
 * first. */
static void squares_of(const Ending *e, const treb_position *pos, int symmetry, int square[4])
{
    uint64_t used = 0;
    square[0] = turn_square(symmetry, position_king(pos, TREB_WHITE));
    square[1] = turn_square(symmetry, position_king(pos, TREB_BLACK));
    square[2] = square[3] = 0;
    for (int i = 0; i < e->men; i++) {
        const int at = bit_first(position_men_of(pos, e->color[i], e->type[i]) & ~used);
        used |= square_bit(at);
        square[2 + i] = turn_square(symmetry, at);
    }
    if (e->men == 2 && e->color[0] == e->color[1] && e->type[0] == e->type[1] &&
        square[2] > square[3]) {
        const int other = square[2];
        square[2] = square[3];
        square[3] = other;
    }
}

static uint32_t number_of(int turn, const int square[4])
{
    return (((uint32_t)turn << 6 | (uint32_t)square[0]) << 6 | (uint32_t)square[1]) << 12 |
           (uint32_t)square[2] << 6 | (uint32_t)square[3];
}

/* Only positions with the white king on these squares are solved. */
static bool king_here(const Ending *e, int square)
{
    const int file = square_file(square), rank = square_rank(square);
    return file < 4 && (e->pawns || (rank < 4 && rank <= file));
}

/* Returns the result of a position, starting the search at a symmetry. With the white king on a
 * diagonal a position is stored twice; call it again to get the second one. NULL: there are no
 * more. */
static uint8_t *result_from(const Ending *e, const treb_position *pos, int *symmetry)
{
    int square[4];
    for (const int king = position_king(pos, TREB_WHITE); *symmetry < (e->pawns ? 2 : 8);) {
        const int turned = (*symmetry)++;
        if (!king_here(e, turn_square(turned, king))) continue;
        squares_of(e, pos, turned, square);
        return &e->result[number_of(pos->turn, square)];
    }
    return NULL;
}

static uint8_t *result_of(const Ending *e, const treb_position *pos)
{
    int symmetry = 0;
    return result_from(e, pos, &symmetry);
}

static const Ending *find_ending(const Material *m)
{
    for (int i = 0; i < endings; i++)
        if (material_equal(&ending[i].material, m)) return &ending[i];
    return NULL;
}

static int combine(const treb_position *pos);

/* Returns the value of a position that a move leads to. */
static int value_of(const treb_position *pos)
{
    treb_position here = *pos;
    Material m = material_of_position(pos);
    if (bit_count(position_occupied(pos)) == 2) return DRAW;
    if (pos->ep != 0 && position_ep_legal(pos)) return combine(pos);
    if (material_canonical(&m)) position_swap_colors(pos, &here);
    return __atomic_load_n(result_of(find_ending(&m), &here), __ATOMIC_SEQ_CST);
}

/* Computes the result of a position from its moves. */
static int combine(const treb_position *pos)
{
    Move move[MOVES_MAX];
    bool all_lose = true;
    const int count = movegen_legal(pos, move);
    if (count == 0) return position_in_check(pos) ? LOSS : DRAW;
    for (int i = 0; i < count; i++) {
        treb_position child;
        position_make(pos, move[i], &child);
        const int value = value_of(&child);
        if (value == LOSS) return WIN;
        all_lose = all_lose && value == WIN;
    }
    return all_lose ? LOSS : OPEN;
}

/* Returns the squares from which a man may have come without a capture. */
static uint64_t origins(const treb_position *pos, int color, int type, int square)
{
    const uint64_t occupied = position_occupied(pos);
    if (type != TREB_PAWN) return piece_attacks(type, square, occupied) & ~occupied;
    const int back = color == TREB_WHITE ? -8 : 8, rank = square_rank(square);
    const uint64_t one = square_bit(square + back) & ~occupied;
    const bool two = one != 0 && rank == (color == TREB_WHITE ? 3 : 4);
    return (one | (two ? square_bit(square + 2 * back) & ~occupied : 0)) &
           ~(rank_bits(0) | rank_bits(7));
}

/* Marks the positions that may have led to this one: they must be evaluated again. */
static void mark_predecessors(const Ending *e, const treb_position *pos)
{
    const int color = !pos->turn;
    for (uint64_t men = pos->by_color[color]; men != 0;) {
        const int square = bit_pop(&men), type = position_piece_at(pos, square, NULL);
        for (uint64_t from = origins(pos, color, type, square); from != 0;) {
            treb_position before = *pos;
            uint8_t *result;
            before.turn = (uint8_t)color;
            position_remove(&before, square);
            position_put(&before, color, type, bit_pop(&from));
            for (int symmetry = 0; (result = result_from(e, &before, &symmetry)) != NULL;) {
                uint8_t open = OPEN;
                __atomic_compare_exchange_n(result, &open, LOOK, false, __ATOMIC_SEQ_CST,
                                            __ATOMIC_SEQ_CST);
            }
        }
    }
}

/* Returns the position with a number; false if there is none. */
static bool position_of(const Ending *e, uint32_t number, treb_position *pos)
{
    const int square[4] = {number >> 18 & 63, number >> 12 & 63, number >> 6 & 63, number & 63};
    memset(pos, 0, sizeof *pos);
    pos->turn = (uint8_t)(number >> 24);
    pos->fullmove = 1;
    if (square[0] == square[1] || !king_here(e, square[0]) || (e->men == 1 && square[3] != 0))
        return false;
    position_put(pos, TREB_WHITE, TREB_KING, square[0]);
    position_put(pos, TREB_BLACK, TREB_KING, square[1]);
    for (int i = 0; i < e->men; i++) {
        if (bit_test(position_occupied(pos), square[2 + i])) return false;
        position_put(pos, e->color[i], e->type[i], square[2 + i]);
    }
    int same[4];
    squares_of(e, pos, 0, same);
    return same[2] == square[2] && position_ok(pos);
}

static void solve(Ending *e)
{
    const uint32_t size = 2u * 64 * BOARD;
    e->result = need(malloc(size));
#pragma omp parallel for schedule(dynamic, 4096)
    for (uint32_t n = 0; n < size; n++) {
        treb_position pos;
        e->result[n] = position_of(e, n, &pos) ? LOOK : ILLEGAL;
    }
    for (bool changed = true; changed;) {
        changed = false;
#pragma omp parallel for schedule(dynamic, 4096) reduction(|| : changed)
        for (uint32_t n = 0; n < size; n++) {
            treb_position pos;
            if (__atomic_load_n(&e->result[n], __ATOMIC_RELAXED) != LOOK) continue;
            __atomic_store_n(&e->result[n], OPEN, __ATOMIC_SEQ_CST);
            position_of(e, n, &pos);
            const int value = combine(&pos);
            changed = true;
            if (value == OPEN) continue;
            __atomic_store_n(&e->result[n], (uint8_t)value, __ATOMIC_SEQ_CST);
            if (value != DRAW) mark_predecessors(e, &pos);
        }
    }
}

/* ---- Counting -------------------------------------------------------------------------------- */

/* Whether a position is the first of those that a symmetry or an exchange of colours maps to each
 * other. */
static bool is_least(const Ending *e, const treb_position *pos)
{
    int square[4];
    squares_of(e, pos, 0, square);
    const uint32_t own = number_of(0, square);
    treb_position other;
    position_swap_colors(pos, &other);
    for (int exchange = 0; exchange < (e->symmetric ? 2 : 1); exchange++)
        for (int symmetry = 0; symmetry < (e->pawns ? 2 : 8); symmetry++) {
            squares_of(e, exchange ? &other : pos, symmetry, square);
            if (number_of(0, square) < own) return false;
        }
    return true;
}

static void count(const Ending *e)
{
    char name[MATERIAL_NAME_SIZE];
    unsigned full = 0, half[2] = {0, 0};
    for (uint32_t n = 0; n < 64u * BOARD; n++) {
        treb_position white, black;
        if (e->result[n] == ILLEGAL || e->result[n] == WIN) continue;
        const int to_move = e->result[n];
        const int other = e->result[n + 64u * BOARD];
        if (other == ILLEGAL || other == WIN) continue;
        const bool white_loses = to_move == LOSS, black_loses = other == LOSS;
        if ((!white_loses && !black_loses) || !position_of(e, n, &white)) continue;
        black = white;
        black.turn = TREB_BLACK;
        if (position_in_check(&white) || position_in_check(&black) || !is_least(e, &white))
            continue;
        if (white_loses && black_loses)
            full++;
        else
            half[white_loses ? TREB_WHITE : TREB_BLACK]++;
    }
    material_name(&e->material, name);
    if (e->symmetric)
        printf("%s\t%u\t%u\t%u\t0\n", name, full + half[0] + half[1], full, half[0] + half[1]);
    else
        printf("%s\t%u\t%u\t%u\t%u\n", name, full + half[0] + half[1], full, half[0], half[1]);
    fflush(stdout);
}

/* Solves the sub-endings first, then the ending itself. */
static void solve_with_sub_endings(const Material *m)
{
    Material sub_ending[MATERIAL_SUB_ENDINGS_MAX];
    if (find_ending(m) != NULL || material_men(m) < 3) return;
    const int sub_endings = material_sub_endings(m, sub_ending, NULL);
    for (int i = 0; i < sub_endings; i++) solve_with_sub_endings(&sub_ending[i]);
    Ending *e = &ending[endings];
    *e = (Ending){
        .material = *m, .pawns = material_has_pawns(m), .symmetric = material_symmetric(m)};
    for (int color = 0; color < 2; color++)
        for (int type = 0; type < TREB_KING; type++)
            for (int k = 0; k < m->count[color][type]; k++) {
                e->color[e->men] = color;
                e->type[e->men++] = type;
            }
    endings++;
    solve(e);
}

int main(int argc, char **argv)
{
    for (int men = 3; men <= MEN && argc == 1; men++) {
        Material list[MATERIALS];
        const size_t found = material_list(men, list, MATERIALS);
        for (size_t i = 0; i < found; i++) solve_with_sub_endings(&list[i]);
    }
    for (int i = 1; i < argc; i++) {
        Material m;
        if (!material_parse(argv[i], &m) || material_men(&m) > MEN) return 2;
        material_canonical(&m);
        solve_with_sub_endings(&m);
    }
    for (int i = 0; i < endings; i++) count(&ending[i]);
    return 0;
}
