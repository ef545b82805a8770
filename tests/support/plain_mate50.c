/* plain_mate50.c - see plain_mate50.h.
 *
 * V(p, b), the value of p with b plies left before the draw:
 *
 *     b = 0   a loss in 0 if mated, else a draw
 *     b > 0   the best, for the side to move, of
 *                 captures and pawn moves: V(child, 100), one ply more
 *                 other moves:             V(child, b - 1), one ply more
 *             without moves a loss in 0 if mated, else a draw
 *
 * Captures and pawn moves lead to other endings, and to slices with pawns further on. These are
 * solved first. */
#include <stdlib.h>
#include <string.h>

#include "core/chess/movegen.h"
#include "tests/support/plain_mate50.h"

enum { ENDINGS = 128, CLOSED = MATE50_ILLEGAL };

typedef struct Ending {
    Material material;
    Index index;
    int16_t *value[2]; /* by turn and cell, with 100 plies left */
} Ending;

struct PlainMate50 {
    Ending ending[ENDINGS];
    int endings;
};

/* A slice while it is solved. Positions are numbered 2 * cell + turn, cells from the first of the
 * slice. */
typedef struct Slice {
    Ending *ending;
    uint64_t first, cells;
    int16_t *zeroing; /* by position: the best capture or pawn move; a position without moves: its
                          value; CLOSED: none */
    uint32_t *begin;  /* by position: where its list of children begins */
    uint32_t *child;  /* after the other moves */
    int16_t *before[2], *now[2]; /* by turn and cell: V(., b - 1), V(., b) */
} Slice;

static void *need(void *memory)
{
    if (memory == NULL) abort();
    return memory;
}

PlainMate50 *plain_mate50_new(void) { return need(calloc(1, sizeof(PlainMate50))); }

void plain_mate50_free(PlainMate50 *solved)
{
    for (int i = 0; i < solved->endings; i++)
        for (int turn = 0; turn < 2; turn++) free(solved->ending[i].value[turn]);
    free(solved);
}

static Ending *find_ending(PlainMate50 *solved, const Material *material)
{
    for (int i = 0; i < solved->endings; i++)
        if (material_equal(&solved->ending[i].material, material)) return &solved->ending[i];
    return NULL;
}

/* What a value of the opponent after a move is worth to who moved: one ply more. */
static int one_ply_before(int value) { return value < 0 ? -value - 1 : value > 0 ? 1 - value : 0; }

static int without_moves(const treb_position *pos)
{
    return position_in_check(pos) ? -MATE50_BEST : 0;
}

/* ---- values with 100 plies left --------------------------------------------------------------- */

static int value_of_cell(PlainMate50 *solved, const treb_position *pos)
{
    treb_position table = *pos;
    Material material = material_of_position(pos);
    if (material_men(&material) == 2) return 0;
    if (material_canonical(&material)) position_swap_colors(pos, &table);
    const Ending *ending = need(find_ending(solved, &material));
    return ending->value[table.turn][index_of_position(&ending->index, &table)];
}

int plain_mate50_value(PlainMate50 *solved, const treb_position *pos)
{
    if (!position_ep_legal(pos)) return value_of_cell(solved, pos);
    Move moves[MOVES_MAX];
    const int count = movegen_legal(pos, moves);
    int best = CLOSED, others = 0;
    for (int i = 0; i < count; i++) {
        treb_position child;
        others += !move_is_ep(pos, moves[i]);
        if (!move_is_ep(pos, moves[i])) continue;
        position_make(pos, moves[i], &child);
        const int made = one_ply_before(value_of_cell(solved, &child));
        if (made > best) best = made;
    }
    const int rest = others > 0 ? value_of_cell(solved, pos) : CLOSED;
    return rest > best ? rest : best;
}

/* ---- the moves of a slice --------------------------------------------------------------------- */

static void list_moves(PlainMate50 *solved, Slice *slice, uint64_t number, const treb_position *pos)
{
    Move moves[MOVES_MAX];
    const int count = movegen_legal(pos, moves);
    uint32_t *end = slice->child + slice->begin[number];
    int best = count == 0 ? without_moves(pos) : CLOSED;
    for (int i = 0; i < count; i++) {
        treb_position child;
        position_make(pos, moves[i], &child);
        if (move_is_zeroing(pos, moves[i])) {
            const int made = one_ply_before(plain_mate50_value(solved, &child));
            if (made > best) best = made;
        } else {
            const uint64_t cell = index_of_position(&slice->ending->index, &child) - slice->first;
            *end++ = (uint32_t)(2 * cell + child.turn);
        }
    }
    slice->zeroing[number] = (int16_t)best;
    slice->begin[number + 1] = (uint32_t)(end - slice->child);
}

/* Lists the moves of all positions, and sets the values with no ply left. */
static void list_slice(PlainMate50 *solved, Slice *slice)
{
    const Index *index = &slice->ending->index;
    size_t room = 0;
    for (uint64_t number = 0; number < 2 * slice->cells; number++) {
        const uint64_t cell = number / 2;
        const int turn = (int)(number % 2);
        IndexMen men;
        treb_position pos;
        if (room < slice->begin[number] + (size_t)MOVES_MAX) {
            room += room / 2 + MOVES_MAX;
            slice->child = need(realloc(slice->child, room * sizeof *slice->child));
        }
        slice->begin[number + 1] = slice->begin[number];
        slice->before[turn][cell] = MATE50_ILLEGAL;
        if (!index_to_men(index, slice->first + cell, &men)) continue;
        index_men_to_position(index, &men, turn, &pos);
        if (position_check(&pos, NULL) != TREB_OK) continue;
        list_moves(solved, slice, number, &pos);
        slice->before[turn][cell] = (int16_t)(movegen_any(&pos) ? 0 : without_moves(&pos));
    }
}

/* ---- solving ---------------------------------------------------------------------------------- */

static int16_t best_of(const Slice *slice, uint64_t number)
{
    int best = slice->zeroing[number];
    for (uint32_t i = slice->begin[number]; i < slice->begin[number + 1]; i++) {
        const uint32_t child = slice->child[i];
        const int made = one_ply_before(slice->before[child % 2][child / 2]);
        if (made > best) best = made;
    }
    return (int16_t)best;
}

static void solve_layer(Slice *slice)
{
    for (uint64_t number = 0; number < 2 * slice->cells; number++) {
        const int turn = (int)(number % 2);
        const uint64_t cell = number / 2;
        const bool legal = slice->before[turn][cell] != MATE50_ILLEGAL;
        slice->now[turn][cell] = legal ? best_of(slice, number) : (int16_t)MATE50_ILLEGAL;
    }
}

static void show_layer(const Slice *slice, int left, Mate50Layer layer, void *context)
{
    const int16_t *const value[2] = {slice->before[0], slice->before[1]};
    if (layer != NULL)
        layer(context, &slice->ending->index, left, slice->first, slice->cells, value);
}

static void solve_slice(PlainMate50 *solved, Slice *slice, Mate50Layer layer, void *context)
{
    slice->begin[0] = 0;
    list_slice(solved, slice);
    show_layer(slice, 0, layer, context);
    for (int left = 1; left < MATE50_CLOCKS; left++) {
        solve_layer(slice);
        for (int turn = 0; turn < 2; turn++)
            memcpy(slice->before[turn], slice->now[turn], slice->cells * sizeof(int16_t));
        show_layer(slice, left, layer, context);
    }
    for (int turn = 0; turn < 2; turn++)
        memcpy(slice->ending->value[turn] + slice->first, slice->now[turn],
               slice->cells * sizeof(int16_t));
}

/* Returns how far the pawns of a slice have come: a sum of ranks, which each pawn move makes
 * larger. Returns -1 if the slice has no pawns that can stand so. */
static int advance_of(const Index *index, uint64_t slice)
{
    uint64_t pawns[2];
    int advance = 0;
    if (!index_slice_pawns(index, slice, pawns)) return -1;
    for (int square = 0; square < 64; square++)
        advance += (int)(pawns[TREB_WHITE] >> square & 1) * (square / 8) +
                   (int)(pawns[TREB_BLACK] >> square & 1) * (7 - square / 8);
    return advance;
}

static void solve_ending(PlainMate50 *solved, Ending *ending, Mate50Layer layer, void *context)
{
    const Index *index = &ending->index;
    Slice slice = {.ending = ending, .cells = index->slice_size};
    slice.zeroing = need(malloc(2 * slice.cells * sizeof *slice.zeroing));
    slice.begin = need(malloc((2 * slice.cells + 1) * sizeof *slice.begin));
    for (int turn = 0; turn < 2; turn++) {
        ending->value[turn] = need(malloc(index->size * sizeof(int16_t)));
        slice.before[turn] = need(malloc(slice.cells * sizeof(int16_t)));
        slice.now[turn] = need(malloc(slice.cells * sizeof(int16_t)));
    }
    for (int advance = 6 * TREB_MEN_MAX; advance >= 0; advance--)
        for (uint64_t s = 0; s < index->slices; s++) {
            if (advance_of(index, s) != advance) continue;
            slice.first = s * slice.cells;
            solve_slice(solved, &slice, layer, context);
        }
    for (int turn = 0; turn < 2; turn++) {
        free(slice.before[turn]);
        free(slice.now[turn]);
    }
    free(slice.zeroing);
    free(slice.begin);
    free(slice.child);
}

void plain_mate50_solve(PlainMate50 *solved, const Material *material, Mate50Layer layer,
                        void *context)
{
    Material sub[MATERIAL_SUB_ENDINGS_MAX];
    const int count = material_sub_endings(material, sub, NULL);
    for (int i = 0; i < count; i++)
        if (material_men(&sub[i]) > 2 && find_ending(solved, &sub[i]) == NULL)
            plain_mate50_solve(solved, &sub[i], NULL, NULL);
    if (solved->endings == ENDINGS) abort();
    Ending *ending = &solved->ending[solved->endings++];
    ending->material = *material;
    if (!index_init(&ending->index, material, NULL, 1)) abort();
    solve_ending(solved, ending, layer, context);
}
