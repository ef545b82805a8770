/* index.c - see index.h.
 *
 * Pawns. The place of a pawn is 2 * (4 * rank + file) on the files a to d, and one more on the
 * mirror square. The pawns of the leading colour (White if it has pawns) are mirrored so that the
 * pawn of the lowest place is on the files a to d; the others of that colour then have higher
 * places. If the mirror square of the lowest pawn is occupied too, both orientations are possible,
 * and the smaller number is used. */
#include "core/format/index.h"

#include <assert.h>
#include <string.h>

#include "core/chess/bitboard.h"
#include "core/chess/position.h"
#include "core/format/kings.h"

#define LEFT_FILES UINT64_C(0x0f0f0f0f0f0f0f0f)

static uint64_t binomial(unsigned n, unsigned k)
{
    switch (k) { /* no divisions: every probe calls this */
    case 0:
        return 1;
    case 1:
        return n;
    case 2:
        return n > 0 ? (uint64_t)n * (n - 1) / 2 : 0;
    case 3:
        return n > 1 ? (uint64_t)n * (n - 1) * (n - 2) / 6 : 0;
    default:
        break;
    }
    if (k > n) return 0;
    uint64_t c = 1;
    for (unsigned i = 1; i <= k; i++) c = c * (n - k + i) / i;
    return c;
}

uint64_t index_symmetry_board(int symmetry, uint64_t board)
{
    if (symmetry & SYM_FILES) board = flip_files(board);
    if (symmetry & SYM_RANKS) board = flip_ranks(board);
    if (symmetry & SYM_DIAGONAL) board = flip_diagonal(board);
    return board;
}

int index_kings(bool pawns, int white, int black, int *symmetry)
{
    const KingsTables *tables = kings_tables();
    unsigned entry = (pawns ? tables->free : tables->symmetric)[white * 64 + black];
    *symmetry = 0;
    if (entry == KINGS_NONE) return -1;
    if (!pawns) *symmetry = entry >> KINGS_SYMMETRY_SHIFT;
    return entry & KINGS_COORDINATE;
}

void index_kings_squares(bool pawns, int coordinate, int *white, int *black)
{
    const KingsTables *tables = kings_tables();
    unsigned pair = (pawns ? tables->free_squares : tables->symmetric_squares)[coordinate];
    *white = pair >> 6;
    *black = pair & 63;
}

/* Returns the number of a set of squares, given in ascending order: how many such sets come before
 * it. */
static uint32_t squares_number(const uint8_t *squares, int count)
{
    if (count == 1) return squares[0];
    if (count == 2) return squares[0] + (uint32_t)squares[1] * (squares[1] - 1) / 2;
    uint64_t sum = 0;
    for (int i = 0; i < count; i++) sum += binomial(squares[i], i + 1);
    return (uint32_t)sum;
}

/* The inverse of squares_number: writes the squares of a set in ascending order. */
static void combination(uint64_t coordinate, int count, unsigned top, uint8_t *out)
{
    for (int k = count; k >= 1; k--) {
        while (binomial(top - 1, k) > coordinate) top--;
        out[k - 1] = --top;
        coordinate -= binomial(top, k);
    }
}

/* ---- groups by colour of squares -------------------------------------------------------------- */

/* Of two neighbouring squares 2n and 2n + 1 one is dark and one is light: each is number n of its
 * colour. */
static int square_color(int square) { return (square >> 3 ^ square) & 1; }

static int square_of_color(int color, int number)
{
    int square = 2 * number;
    return square + (square_color(square) ^ color);
}

/* Returns the number of sets of `count` squares, `light` of them light. */
static uint64_t sets_by_color(int count, int light)
{
    return binomial(32, (unsigned)light) * binomial(32, (unsigned)(count - light));
}

static uint32_t squares_number_by_color(const uint8_t *squares, int count)
{
    uint8_t number[2][TREB_MEN_MAX];
    int of[2] = {0, 0};
    if (count == 1) return (uint32_t)(32 * square_color(squares[0]) + squares[0] / 2);
    for (int i = 0; i < count; i++) {
        int color = square_color(squares[i]);
        number[color][of[color]++] = squares[i] / 2;
    }
    uint64_t sum = 0;
    for (int light = 0; light < of[1]; light++) sum += sets_by_color(count, light);
    sum += of[1] ? squares_number(number[1], of[1]) * binomial(32, (unsigned)of[0]) : 0;
    return (uint32_t)(sum + (of[0] ? squares_number(number[0], of[0]) : 0));
}

static void sort_squares(uint8_t *squares, int count)
{
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && squares[j - 1] > squares[j]; j--) {
            uint8_t t = squares[j];
            squares[j] = squares[j - 1];
            squares[j - 1] = t;
        }
}

static void squares_by_color(uint64_t coordinate, int count, uint8_t *squares)
{
    int light = 0;
    for (; coordinate >= sets_by_color(count, light); light++)
        coordinate -= sets_by_color(count, light);
    uint64_t darks = binomial(32, (unsigned)(count - light));
    combination(coordinate / darks, light, 32, squares);
    combination(coordinate % darks, count - light, 32, squares + light);
    for (int i = 0; i < count; i++) squares[i] = (uint8_t)square_of_color(i < light, squares[i]);
    sort_squares(squares, count);
}

uint32_t index_group(const IndexGroup *group, const uint8_t *squares)
{
    return group->by_square_color ? squares_number_by_color(squares, group->count)
                                  : squares_number(squares, group->count);
}

void index_group_squares(const IndexGroup *group, uint32_t coordinate, uint8_t *squares)
{
    assert(coordinate < group->radix);
    if (group->by_square_color)
        squares_by_color(coordinate, group->count, squares);
    else if (group->count == 1)
        squares[0] = (uint8_t)coordinate;
    else
        combination(coordinate, group->count, 64, squares);
}

/* ---- pawns ----------------------------------------------------------------------------------- */

static unsigned pawn_place(int square)
{
    int rank = (square >> 3) - 1, file = square & 7;
    return file < 4 ? 2 * (4 * rank + file) : 2 * (4 * rank + 7 - file) + 1;
}

static int pawn_square(unsigned place)
{
    int square = 8 + (place >> 3) * 8 + ((place >> 1) & 3);
    return place & 1 ? square ^ 7 : square;
}

/* Writes the places of a set of pawns in ascending order. Returns their number. */
static int pawn_places(uint64_t pawns, uint8_t *out)
{
    int n = 0;
    while (pawns) {
        uint8_t place = pawn_place(bit_pop(&pawns));
        int i = n++;
        for (; i > 0 && out[i - 1] > place; i--) out[i] = out[i - 1];
        out[i] = place;
    }
    return n;
}

static uint64_t lead_coordinate(const Index *index, uint64_t pawns)
{
    uint8_t place[48] = {0};
    int n = pawn_places(pawns, place);
    uint64_t coordinate = index->lead_first[place[0] / 2u];
    for (int i = 1; i < n; i++) coordinate += binomial(place[i] - place[0] - 1, i);
    return coordinate;
}

/* Returns the place of the first leading pawn of a configuration: the last place whose
 * configurations do not begin behind this one. If several places begin together, all but the one
 * with the lowest number have no configurations. */
static unsigned lead_place(const Index *index, uint64_t coordinate)
{
    unsigned place = 0;
    for (unsigned j = 1; j < INDEX_PLACES; j++)
        if (index->lead_first[j] <= coordinate && index->lead_first[j] > index->lead_first[place])
            place = j;
    return place;
}

static uint64_t lead_pawns(const Index *index, uint64_t coordinate, int n)
{
    unsigned j = lead_place(index, coordinate);
    uint8_t rest[48];
    combination(coordinate - index->lead_first[j], n - 1, 47 - 2 * j, rest);
    uint64_t pawns = UINT64_C(1) << pawn_square(2 * j);
    for (int i = 0; i < n - 1; i++) pawns |= UINT64_C(1) << pawn_square(2 * j + 1 + rest[i]);
    return pawns;
}

static uint64_t second_coordinate(uint64_t pawns)
{
    uint64_t coordinate = 0;
    for (int i = 1; pawns; i++) coordinate += binomial(bit_pop(&pawns) - 8, i);
    return coordinate;
}

static uint64_t second_pawns(uint64_t coordinate, int n)
{
    uint8_t squares[48];
    combination(coordinate, n, 48, squares);
    uint64_t pawns = 0;
    for (int i = 0; i < n; i++) pawns |= UINT64_C(1) << (squares[i] + 8);
    return pawns;
}

uint64_t index_slice(const Index *index, const uint64_t pawns[2])
{
    if (!index->pawns) return 0;
    uint64_t lead = pawns[index->lead_color], second = pawns[!index->lead_color];
    return lead_coordinate(index, lead) * index->second_radix +
           (second ? second_coordinate(second) : 0);
}

int index_pawns_mirror(const Index *index, const uint64_t pawns[2])
{
    if (!index->pawns) return 0;
    uint64_t lead = pawns[index->lead_color], mirror = flip_files(lead);
    uint64_t first = (lead | mirror) & LEFT_FILES;
    first &= -first;
    if (!(lead & first)) return 1;
    if (!(mirror & first)) return 0;
    uint64_t other[2] = {flip_files(pawns[0]), flip_files(pawns[1])};
    uint64_t a = index_slice(index, pawns), b = index_slice(index, other);
    return a == b ? -1 : a > b;
}

bool index_slice_pawns(const Index *index, uint64_t slice, uint64_t pawns[2])
{
    assert(slice < index->slices);
    pawns[0] = pawns[1] = 0;
    if (!index->pawns) return true;
    int lead = index->lead_color, seconds = index->material.count[!lead][TREB_PAWN];
    pawns[lead] =
        lead_pawns(index, slice / index->second_radix, index->material.count[lead][TREB_PAWN]);
    if (seconds) pawns[!lead] = second_pawns(slice % index->second_radix, seconds);
    return !(pawns[0] & pawns[1]) && index_pawns_mirror(index, pawns) != 1;
}

unsigned index_slice_place(const Index *index, uint64_t slice)
{
    return index->pawns ? lead_place(index, slice / index->second_radix) : 0;
}

/* Numbers the configurations of the leading pawns, by rank or by file of the first of them. Returns
 * how many there are. */
static uint64_t number_leads(Index *index, bool by_file)
{
    unsigned more = index->material.count[index->lead_color][TREB_PAWN] - 1u;
    uint64_t before = 0;
    for (unsigned i = 0; i < INDEX_PLACES; i++) {
        unsigned place = by_file ? index_place_by_file(i) : i;
        index->lead_first[place] = before;
        before += binomial(47 - 2 * place, more);
    }
    return before;
}

static bool add_groups(Index *index)
{
    for (int color = 0; color < 2; color++) {
        for (int type = TREB_QUEEN; type >= TREB_KNIGHT; type--) {
            unsigned count = index->material.count[color][type];
            if (count == 0) continue;
            if (index->groups == INDEX_GROUPS_MAX) return false;
            index->group[index->groups++] =
                (IndexGroup){(uint8_t)color, (uint8_t)type, (uint8_t)count, false,
                             (uint32_t)binomial(64, count)};
        }
    }
    return true;
}

static bool set_strides(Index *index, const uint8_t *order, unsigned pad)
{
    unsigned seen = 0;
    uint64_t stride = 1;
    for (int i = 0; i < index->axes; i++) {
        index->order[i] = order ? order[i] : i;
        if (index->order[i] >= index->axes) return false;
        seen |= 1u << index->order[i];
    }
    if (seen != (1u << index->axes) - 1) return false;
    for (int i = index->axes - 1; i >= 0; i--) {
        int axis = index->order[i];
        uint64_t radix = axis == INDEX_KINGS_AXIS ? index->kings : index->group[axis - 1].radix;
        if (i == index->axes - 1) radix = (radix + pad - 1) / pad * pad;
        index->stride[axis] = stride;
        if (__builtin_mul_overflow(stride, radix, &stride)) return false;
    }
    index->slice_size = stride;
    return !__builtin_mul_overflow(stride, index->slices, &index->size);
}

bool index_init(Index *index, const Material *material, const uint8_t *order, unsigned pad)
{
    memset(index, 0, sizeof *index);
    if (material_men(material) > TREB_MEN_MAX || pad == 0) return false;
    index->material = *material;
    index->pawns = material_has_pawns(material);
    index->kings = index->pawns ? INDEX_KINGS_FREE : INDEX_KINGS_SYMMETRIC;
    index->slices = 1;
    index->second_radix = 1;
    if (index->pawns) {
        index->lead_color = material->count[TREB_WHITE][TREB_PAWN] ? TREB_WHITE : TREB_BLACK;
        uint64_t lead_radix = number_leads(index, false);
        index->second_radix = binomial(48, material->count[!index->lead_color][TREB_PAWN]);
        if (__builtin_mul_overflow(lead_radix, index->second_radix, &index->slices)) return false;
    }
    if (!add_groups(index)) return false;
    index->axes = 1 + index->groups;
    return set_strides(index, order, pad);
}

bool index_init_square_colors(Index *index, const Material *material, const uint8_t *order)
{
    if (!index_init(index, material, order, 1)) return false;
    if (index->pawns) number_leads(index, true);
    for (int g = 0; g < index->groups; g++)
        index->group[g].by_square_color = index->group[g].type == TREB_BISHOP;
    return true;
}

/* Applies a symmetry to all men. Keeps the squares of each group in ascending order. */
static void men_transform(const Index *index, IndexMen *men, int symmetry)
{
    if (symmetry == 0) return;
    uint8_t *square = men->square;
    for (int i = 0; i < 2; i++) {
        men->king[i] = index_symmetry_square(symmetry, men->king[i]);
        men->pawns[i] = index_symmetry_board(symmetry, men->pawns[i]);
    }
    for (int g = 0; g < index->groups; square += index->group[g++].count) {
        uint64_t board = 0;
        for (int i = 0; i < index->group[g].count; i++)
            board |= UINT64_C(1) << index_symmetry_square(symmetry, square[i]);
        for (int i = 0; board; i++) square[i] = bit_pop(&board);
    }
}

static uint64_t cell_of(const Index *index, const IndexMen *men, uint64_t slice, int kings)
{
    uint64_t cell = slice * index->slice_size + kings * index->stride[INDEX_KINGS_AXIS];
    const uint8_t *square = men->square;
    for (int g = 0; g < index->groups; square += index->group[g++].count)
        cell += index_group(&index->group[g], square) * index->stride[1 + g];
    return cell;
}

static bool on_diagonal(int square) { return square % 9 == 0; }

/* Returns the symmetry to the second orientation, if there are two: without pawns if both kings are
 * on the long diagonal, with pawns if these are their own mirror image. Else 0. */
static int second_symmetry(const Index *index, const IndexMen *men, int mirror)
{
    if (index->pawns) return mirror < 0 ? SYM_FILES : 0;
    return on_diagonal(men->king[0]) && on_diagonal(men->king[1]) ? SYM_DIAGONAL : 0;
}

uint64_t index_of_men(const Index *index, IndexMen *men)
{
    int symmetry, mirror = 0;
    if (index->pawns) {
        mirror = index_pawns_mirror(index, men->pawns);
        men_transform(index, men, mirror > 0 ? SYM_FILES : 0);
    }
    int kings = index_kings(index->pawns, men->king[0], men->king[1], &symmetry);
    men_transform(index, men, symmetry);
    uint64_t slice = index_slice(index, men->pawns);
    uint64_t cell = cell_of(index, men, slice, kings);
    int second = second_symmetry(index, men, mirror);
    if (second) {
        IndexMen other = *men;
        men_transform(index, &other, second);
        kings = index_kings(index->pawns, other.king[0], other.king[1], &symmetry);
        uint64_t cell2 = cell_of(index, &other, slice, kings);
        if (cell2 < cell) {
            *men = other;
            return cell2;
        }
    }
    return cell;
}

uint32_t index_group_turned(const IndexGroup *group, uint64_t board, int symmetry)
{
    uint8_t square[TREB_MEN_MAX] = {0};
    if (group->count == 1) {
        int sq = index_symmetry_square(symmetry, bit_first(board));
        return (uint32_t)(group->by_square_color ? square_color(sq) * 32 + sq / 2 : sq);
    }
    if (group->count == 2) {
        int a = index_symmetry_square(symmetry, bit_pop(&board));
        int b = index_symmetry_square(symmetry, bit_first(board));
        square[0] = (uint8_t)(a < b ? a : b);
        square[1] = (uint8_t)(a < b ? b : a);
        return index_group(group, square);
    }
    board = index_symmetry_board(symmetry, board);
    for (int i = 0; i < group->count; i++) square[i] = (uint8_t)bit_pop(&board);
    return index_group(group, square);
}

/* Returns the men of a position, which has the index's material. */
static IndexMen men_of_position(const Index *index, const treb_position *pos)
{
    IndexMen men = {0};
    uint8_t *square = men.square;
    for (int color = 0; color < 2; color++) {
        men.king[color] = (uint8_t)bit_first(pos->by_color[color] & pos->by_type[TREB_KING]);
        men.pawns[color] = pos->by_color[color] & pos->by_type[TREB_PAWN];
    }
    for (int g = 0; g < index->groups; g++) {
        uint64_t board = pos->by_color[index->group[g].color] & pos->by_type[index->group[g].type];
        while (board) *square++ = (uint8_t)bit_pop(&board);
    }
    return men;
}

bool index_orient(const Index *index, const treb_position *pos, int *symmetry, uint64_t *slice,
                  int *kings)
{
    int white = bit_first(pos->by_color[TREB_WHITE] & pos->by_type[TREB_KING]);
    int black = bit_first(pos->by_color[TREB_BLACK] & pos->by_type[TREB_KING]);
    if (!index->pawns) {
        *slice = 0;
        *kings = index_kings(false, white, black, symmetry);
        return !on_diagonal(index_symmetry_square(*symmetry, white)) ||
               !on_diagonal(index_symmetry_square(*symmetry, black));
    }
    uint64_t pawns[2] = {pos->by_color[TREB_WHITE] & pos->by_type[TREB_PAWN],
                         pos->by_color[TREB_BLACK] & pos->by_type[TREB_PAWN]};
    int mirror = index_pawns_mirror(index, pawns), none;
    if (mirror < 0) return false;
    *symmetry = mirror ? SYM_FILES : 0;
    for (int i = 0; i < 2; i++) pawns[i] = index_symmetry_board(*symmetry, pawns[i]);
    *slice = index_slice(index, pawns);
    *kings = index_kings(true, index_symmetry_square(*symmetry, white),
                         index_symmetry_square(*symmetry, black), &none);
    return true;
}

/* Equals index_of_men of the position's men. Nearly all positions have only one allowed
 * orientation, and it is known before the groups are looked at; then the groups need not be listed
 * and turned first. That makes probes about twice as fast. */
#ifndef NDEBUG
/* Returns whether a position has the index's material and its kings do not touch. Kings may be in
 * check. */
static bool index_fits(const Index *index, const treb_position *pos)
{
    Material m = material_of_position(pos);
    return material_equal(&m, &index->material) &&
           !bit_test(king_attacks(position_king(pos, TREB_WHITE)), position_king(pos, TREB_BLACK));
}
#endif

uint64_t index_of_position(const Index *index, const treb_position *pos)
{
    assert(index_fits(index, pos));
    int symmetry, kings;
    uint64_t slice;
    if (!index_orient(index, pos, &symmetry, &slice, &kings)) {
        IndexMen men = men_of_position(index, pos);
        return index_of_men(index, &men);
    }
    uint64_t cell = slice * index->slice_size + (uint64_t)kings * index->stride[INDEX_KINGS_AXIS];
    for (int g = 0; g < index->groups; g++) {
        const IndexGroup *group = &index->group[g];
        uint64_t board = pos->by_color[group->color] & pos->by_type[group->type];
        cell += index_group_turned(group, board, symmetry) * index->stride[1 + g];
    }
    return cell;
}

bool index_to_men(const Index *index, uint64_t cell, IndexMen *men)
{
    assert(cell < index->size);
    uint64_t slice = cell / index->slice_size, rest = cell % index->slice_size;
    uint32_t coordinate[INDEX_AXES_MAX] = {0};
    if (slice >= index->slices || !index_slice_pawns(index, slice, men->pawns)) return false;
    for (int i = 0; i < index->axes; i++) {
        int axis = index->order[i];
        coordinate[axis] = (uint32_t)(rest / index->stride[axis]);
        rest %= index->stride[axis];
        if (axis != INDEX_KINGS_AXIS && coordinate[axis] >= index->group[axis - 1].radix)
            return false;
    }
    if (coordinate[INDEX_KINGS_AXIS] >= index->kings) return false;
    int white, black;
    index_kings_squares(index->pawns, coordinate[INDEX_KINGS_AXIS], &white, &black);
    men->king[0] = white;
    men->king[1] = black;
    uint64_t occupied = men->pawns[0] | men->pawns[1];
    int count = 2 + __builtin_popcountll(occupied);
    occupied |= UINT64_C(1) << white | UINT64_C(1) << black;
    uint8_t *square = men->square;
    for (int g = 0; g < index->groups; g++) {
        index_group_squares(&index->group[g], coordinate[1 + g], square);
        for (int i = 0; i < index->group[g].count; i++, count++)
            occupied |= UINT64_C(1) << *square++;
    }
    if (__builtin_popcountll(occupied) != count) return false;
    IndexMen canonical = *men;
    return index_of_men(index, &canonical) == cell;
}

void index_cursor_seek(const Index *index, IndexCursor *cursor, uint64_t cell)
{
    uint64_t rest = cell % index->slice_size, outer = index->slice_size;
    cursor->cell = cell;
    cursor->slice = cell / index->slice_size;
    for (int i = 0; i < index->axes; i++) {
        int axis = index->order[i];
        cursor->radix[axis] = (uint32_t)(outer / index->stride[axis]);
        cursor->coordinate[axis] = (uint32_t)(rest / index->stride[axis]);
        rest %= index->stride[axis];
        outer = index->stride[axis];
    }
}

int index_cursor_next(const Index *index, IndexCursor *cursor, uint32_t cells)
{
    cursor->cell += cells;
    for (int i = index->axes - 1; i >= 0; i--, cells = 1) {
        int axis = index->order[i];
        cursor->coordinate[axis] += cells;
        if (cursor->coordinate[axis] < cursor->radix[axis]) return i;
        cursor->coordinate[axis] = 0;
    }
    cursor->slice++;
    return -1;
}

void index_men_to_position(const Index *index, const IndexMen *men, int turn, treb_position *pos)
{
    memset(pos, 0, sizeof *pos);
    pos->turn = turn;
    pos->fullmove = 1;
    for (int color = 0; color < 2; color++) {
        uint64_t king = UINT64_C(1) << men->king[color];
        pos->by_type[TREB_KING] |= king;
        pos->by_type[TREB_PAWN] |= men->pawns[color];
        pos->by_color[color] |= king | men->pawns[color];
    }
    const uint8_t *square = men->square;
    for (int g = 0; g < index->groups; g++) {
        for (int i = 0; i < index->group[g].count; i++) {
            uint64_t bit = UINT64_C(1) << *square++;
            pos->by_type[index->group[g].type] |= bit;
            pos->by_color[index->group[g].color] |= bit;
        }
    }
}

unsigned index_weight(const Index *index, const IndexMen *men)
{
    if (index->pawns) return 2;
    if (!second_symmetry(index, men, 0)) return 8;
    IndexMen other = *men;
    men_transform(index, &other, SYM_DIAGONAL);
    int n = material_men(&index->material) - 2;
    return memcmp(other.square, men->square, n) == 0 ? 4 : 8;
}
