/* syzygy_index.c - the number of a position in an array of a Syzygy file.
 *
 * The board is mirrored first. With pawns, left-right, so that the leading pawn stands on files a
 * to d. Without pawns, so that the first man stands in the triangle a1-d1-d4, and the first of the
 * leading men that is not on the diagonal a1-h8 stands below it. Then each group of men gets a
 * number: the leading group (two kings, three different men, or the pawns of one colour), the pawns
 * of the other colour, and each further kind of men, among the squares that are still free. The
 * cell is the sum of each number times the factor of its group. */
#include <string.h>

#include "probe/syzygy/format.h"
#include "probe/syzygy/syzygy.h"

enum {
    KINGS = 462,                /* ways to place two kings */
    THREE_BELOW = 6 * 63 * 62,  /* three men, the first below the diagonal */
    THREE_SECOND = 4 * 28 * 62, /* the first on the diagonal, the second below */
    THREE_THIRD = 4 * 7 * 28,   /* two on the diagonal, the third below */
    THREE = THREE_BELOW + THREE_SECOND + THREE_THIRD + 4 * 7 * 6,
    PAWN_SQUARES = 48
};

/* ---- Constants computed once ----------------------------------------------------------------- */

static void fill_choose(SyzygyMaps *maps)
{
    for (int n = 0; n < 64; n++) {
        maps->choose[0][n] = 1;
        for (int k = 1; k < 7; k++)
            maps->choose[k][n] = n == 0 ? 0 : maps->choose[k][n - 1] + maps->choose[k - 1][n - 1];
    }
}

static void fill_squares(SyzygyMaps *maps)
{
    uint8_t off = 0, on = 6, below = 0;
    for (int sq = 0; sq < 64; sq++) {
        int file = square_file(sq), rank = square_rank(sq);
        if (file < 4 && rank < file) maps->triangle[sq] = off++;
        if (file < 4 && rank == file) maps->triangle[sq] = on++;
        if (file < 4 && rank <= file) maps->triangle_square[maps->triangle[sq]] = (uint8_t)sq;
        if (rank >= file) continue;
        maps->below_square[below] = (uint8_t)sq;
        maps->below[sq] = maps->below[square_at(rank, file)] = below++;
    }
}

/* Numbers the pairs of kings. Pairs with both kings on the diagonal come last. */
static void fill_kings(SyzygyMaps *maps)
{
    int16_t next = 0;
    memset(maps->kings, -1, sizeof maps->kings);
    for (int both = 0; both < 2; both++)
        for (int t = 0; t < 10; t++)
            for (int other = 0; other < 64; other++) {
                int king = maps->triangle_square[t];
                bool on = square_above_diagonal(king) == 0;
                if (king == other || bit_test(king_attacks(king), other)) continue;
                if (on && square_above_diagonal(other) > 0) continue;
                if ((on && square_above_diagonal(other) == 0) != (both == 1)) continue;
                maps->king_pair[next][0] = (uint8_t)king;
                maps->king_pair[next][1] = (uint8_t)other;
                maps->kings[t][other] = next++;
            }
}

static void fill_pawns(SyzygyMaps *maps)
{
    uint8_t next = PAWN_SQUARES;
    for (int file = 0; file < 4; file++)
        for (int rank = 1; rank < 7; rank++) {
            maps->pawn[square_at(file, rank)] = --next;
            maps->pawn_square[next] = (uint8_t)square_at(file, rank);
            maps->pawn[square_at(7 - file, rank)] = --next;
            maps->pawn_square[next] = (uint8_t)square_at(7 - file, rank);
        }
    for (int others = 0; others < 6; others++)
        for (int file = 0; file < 4; file++) {
            uint32_t sum = 0;
            for (int rank = 1; rank < 7; rank++) {
                int sq = square_at(file, rank);
                maps->lead[others][sq] = sum;
                sum += maps->choose[others][maps->pawn[sq]];
            }
            maps->leads[others][file] = sum;
        }
}

void syzygy_maps_fill(SyzygyMaps *maps)
{
    memset(maps, 0, sizeof *maps);
    fill_choose(maps);
    fill_squares(maps);
    fill_kings(maps);
    fill_pawns(maps);
}

/* ---- The order of a file --------------------------------------------------------------------- */

static int count_of(const Material *material, int man)
{
    int color = man >> 3, type = man & 7;
    return color < 2 && type < TREB_TYPES ? material->count[color][type] : 0;
}

/* The man (colour * 8 + type) of a nibble in a file: 1 to 6 are White's pawn to king, 9 to 14
 * Black's. 0xff: no man. */
static uint8_t man_of_nibble(uint8_t nibble)
{
    int type = (nibble & 7) - 1;
    return type >= 0 && type < TREB_TYPES ? (uint8_t)((nibble & 8) | type) : 0xff;
}

static bool is_pawn(int man) { return (man & 7) == TREB_PAWN; }

/* Makes a group of each kind of men, from man `from` on. False if the men of a kind do not follow
 * each other. */
static bool add_kinds(SyzygyIndex *index, const Material *material, int from)
{
    while (from < index->men) {
        int man = index->man[from], count = count_of(material, man);
        if (count == 0 || from + count > index->men) return false;
        for (int i = 0; i < count; i++)
            if (index->man[from + i] != man) return false;
        for (int i = 0; i < from; i++)
            if (index->man[i] == man) return false;
        index->group[index->groups++] =
            (SyzygyGroup){.first = (uint8_t)from, .count = (uint8_t)count};
        from += count;
    }
    return true;
}

/* Makes the leading group and the groups after it. Returns the number of leading men, or 0 if the
 * men cannot lead. */
static int add_lead(SyzygyIndex *index, const Material *material)
{
    int single = 0, count = 2;
    for (int man = 0; man < 16; man++) single += count_of(material, man) == 1;
    if (material_has_pawns(material)) {
        index->lead = SYZYGY_LEAD_PAWNS;
        return is_pawn(index->man[0]) && add_kinds(index, material, 0) ? index->group[0].count : 0;
    }
    index->lead = SYZYGY_LEAD_KINGS;
    if (single > 2) {
        index->lead = SYZYGY_LEAD_THREE;
        count = 3;
    }
    for (int i = 0; i < count; i++) {
        if (count_of(material, index->man[i]) != 1) return 0;
        for (int j = 0; j < i; j++)
            if (index->man[j] == index->man[i]) return 0;
        if (count == 2 && (index->man[i] & 7) != TREB_KING) return 0;
    }
    index->group[index->groups++] = (SyzygyGroup){.count = (uint8_t)count};
    return add_kinds(index, material, count) ? count : 0;
}

/* How many numbers the leading group has. */
static uint64_t lead_size(const SyzygyIndex *index, const SyzygyMaps *maps, int file)
{
    if (index->lead == SYZYGY_LEAD_KINGS) return KINGS;
    if (index->lead == SYZYGY_LEAD_THREE) return THREE;
    return maps->leads[index->group[0].count - 1][file];
}

/* Gives the groups their factors, from the innermost outwards: the leading group is at place
 * `order`, the pawns of the other colour at place `order2`, all others in the order of the men.
 * False if a place does not exist. */
static bool multiply(SyzygyIndex *index, const SyzygyMaps *maps, int order, int order2, int file)
{
    int next = order2 < SYZYGY_NO_SECOND ? 2 : 1;
    int free_squares = 64 - index->group[0].count - (next == 2 ? index->group[1].count : 0);
    if (order >= index->groups || order == order2) return false;
    if (order2 < SYZYGY_NO_SECOND && order2 >= index->groups) return false;
    index->size = 1;
    for (int place = 0; place < index->groups; place++) {
        SyzygyGroup *group;
        uint64_t ways;
        if (place == order) {
            group = &index->group[0];
            ways = lead_size(index, maps, file);
        } else if (place == order2) {
            group = &index->group[1];
            ways = maps->choose[group->count][PAWN_SQUARES - index->group[0].count];
        } else {
            group = &index->group[next++];
            ways = maps->choose[group->count][free_squares];
            free_squares -= group->count;
        }
        group->factor = index->size;
        group->ways = ways;
        index->size *= ways;
    }
    return true;
}

bool syzygy_index_init(SyzygyIndex *index, const SyzygyMaps *maps, const Material *material,
                       const uint8_t *man, int order, int order2, int file)
{
    memset(index, 0, sizeof *index);
    index->men = (uint8_t)material_men(material);
    if (index->men < 2 || index->men > SYZYGY_MEN_MAX) return false;
    for (int i = 0; i < index->men; i++) index->man[i] = man_of_nibble(man[i]);
    int lead = add_lead(index, material);
    if (lead == 0) return false;
    bool second = material->count[0][TREB_PAWN] > 0 && material->count[1][TREB_PAWN] > 0;
    if (second != (order2 < SYZYGY_NO_SECOND)) return false;
    if (second && !is_pawn(index->man[lead])) return false;
    return multiply(index, maps, order, order2, file);
}

/* ---- The number of a position ---------------------------------------------------------------- */

/* The squares of up to eight men are kept in a word, a byte each, so that one operation mirrors all
 * of them. */
static uint64_t each(unsigned byte) { return UINT64_C(0x0101010101010101) * byte; }

/* Mirrors all squares at the diagonal a1-h8. */
static uint64_t transpose(uint64_t squares)
{
    return (squares >> 3 & each(7)) | (squares & each(7)) << 3;
}

static int square_of(uint64_t squares, int i) { return (int)(squares >> 8 * i & 63); }

/* The square of the leading pawn. */
static int leader(const SyzygyMaps *maps, uint64_t pawns)
{
    int best = bit_pop(&pawns);
    while (pawns != 0) {
        int sq = bit_pop(&pawns);
        if (maps->pawn[sq] > maps->pawn[best]) best = sq;
    }
    return best;
}

int syzygy_lead_file(const SyzygyMaps *maps, uint64_t pawns)
{
    int file = square_file(leader(maps, pawns));
    return file < 4 ? file : 7 - file;
}

static uint64_t men_of(const treb_position *pos, int man)
{
    return pos->by_color[man >> 3] & pos->by_type[man & 7];
}

/* The squares of the men, group by group. Among leading pawns the leader comes first. */
static uint64_t men_squares(const SyzygyIndex *index, const SyzygyMaps *maps,
                            const treb_position *pos)
{
    uint64_t squares = 0;
    int at = 0, g = 0;
    if (index->lead == SYZYGY_LEAD_PAWNS) {
        uint64_t pawns = men_of(pos, index->man[0]);
        int first = leader(maps, pawns);
        squares = (uint64_t)first;
        for (pawns &= ~square_bit(first), at = 8; pawns != 0; at += 8)
            squares |= (uint64_t)bit_pop(&pawns) << at;
        g = 1;
    } else {
        for (int i = 0; i < index->group[0].count; i++, at += 8)
            squares |= (uint64_t)bit_first(men_of(pos, index->man[i])) << at;
        g = 1;
    }
    for (; g < index->groups; g++)
        for (uint64_t men = men_of(pos, index->man[index->group[g].first]); men != 0; at += 8)
            squares |= (uint64_t)bit_pop(&men) << at;
    return squares;
}

/* Mirrors the board as the leading men require. */
static uint64_t turn(const SyzygyIndex *index, uint64_t squares)
{
    if ((squares & 4) != 0) squares ^= each(7);
    if (index->lead == SYZYGY_LEAD_PAWNS) return squares;
    if ((squares & 32) != 0) squares ^= each(56);
    for (int i = 0; i < index->group[0].count; i++) {
        int above = square_above_diagonal(square_of(squares, i));
        if (above > 0) return transpose(squares);
        if (above < 0) break;
    }
    return squares;
}

/* The number of three leading men. */
static uint64_t number_three(const SyzygyMaps *maps, const uint8_t *sq)
{
    unsigned second = sq[1] - (sq[1] > sq[0]);
    unsigned third = sq[2] - (sq[2] > sq[0]) - (sq[2] > sq[1]);
    if (square_above_diagonal(sq[0]) != 0) return (maps->triangle[sq[0]] * 63u + second) * 62 + third;
    unsigned on = square_file(sq[0]);
    if (square_above_diagonal(sq[1]) != 0)
        return THREE_BELOW + (on * 28u + maps->below[sq[1]]) * 62 + third;
    second = square_file(sq[1]) - (sq[1] > sq[0]);
    if (square_above_diagonal(sq[2]) != 0)
        return THREE_BELOW + THREE_SECOND + (on * 7u + second) * 28 + maps->below[sq[2]];
    third = square_file(sq[2]) - (sq[2] > sq[0]) - (sq[2] > sq[1]);
    return THREE_BELOW + THREE_SECOND + THREE_THIRD + (on * 7u + second) * 6 + third;
}

/* The number of leading pawns. The pawns after the leader are sorted by their numbers, the highest
 * first. */
static uint64_t number_pawns(const SyzygyMaps *maps, const uint8_t *sq, int count)
{
    uint8_t place[SYZYGY_MEN_MAX];
    uint64_t number = maps->lead[count - 1][sq[0]];
    for (int i = 1; i < count; i++) {
        uint8_t p = maps->pawn[sq[i]];
        int at = i;
        for (; at > 1 && place[at - 1] < p; at--) place[at] = place[at - 1];
        place[at] = p;
    }
    for (int i = 1; i < count; i++) number += maps->choose[count - i][place[i]];
    return number;
}

/* The number of men of a kind, on squares that the men before them leave free. They cannot stand on
 * the first `base` squares. Sorts their squares. */
static uint64_t number_kind(const SyzygyMaps *maps, uint8_t *sq, const SyzygyGroup *group, int base)
{
    uint8_t *own = sq + group->first;
    uint64_t number = 0;
    for (int i = 1; i < group->count; i++) {
        uint8_t moved = own[i];
        int at = i;
        for (; at > 0 && own[at - 1] > moved; at--) own[at] = own[at - 1];
        own[at] = moved;
    }
    for (int i = 0; i < group->count; i++) {
        int free_before = own[i] - base;
        for (int j = 0; j < group->first; j++) free_before -= own[i] > sq[j];
        number += maps->choose[i + 1][free_before];
    }
    return number;
}

uint64_t syzygy_index_of(const SyzygyIndex *index, const SyzygyMaps *maps, const treb_position *pos)
{
    uint64_t squares = turn(index, men_squares(index, maps, pos));
    uint8_t sq[8];
    for (int i = 0; i < 8; i++) sq[i] = (uint8_t)square_of(squares, i);
    uint64_t lead;
    if (index->lead == SYZYGY_LEAD_KINGS)
        lead = (uint64_t)maps->kings[maps->triangle[sq[0]]][sq[1]];
    else if (index->lead == SYZYGY_LEAD_THREE)
        lead = number_three(maps, sq);
    else
        lead = number_pawns(maps, sq, index->group[0].count);
    uint64_t cell = lead * index->group[0].factor;
    for (int g = 1; g < index->groups; g++) {
        const SyzygyGroup *group = &index->group[g];
        /* Pawns cannot stand on the first rank. */
        int base = is_pawn(index->man[group->first]) ? 8 : 0;
        cell += number_kind(maps, sq, group, base) * group->factor;
    }
    return cell;
}

/* ---- From numbers to squares ----------------------------------------------------------------- */

/* The square that has number `place` among the squares that are not taken. Fast if few are
 * taken. */
static uint8_t open_square(uint64_t taken, unsigned place)
{
    for (; taken != 0 && (unsigned)bit_first(taken) <= place; taken &= taken - 1) place++;
    return (uint8_t)place;
}

static uint64_t squares_of(const uint8_t *sq, int count)
{
    uint64_t set = 0;
    for (int i = 0; i < count; i++) set |= square_bit(sq[i]);
    return set;
}

/* open_square with the squares of the first `count` men taken. */
static uint8_t free_square(const uint8_t *sq, int count, unsigned place)
{
    return open_square(squares_of(sq, count), place);
}

/* Takes the highest member of a set of `count` members from the number of the set. *number becomes
 * that of the rest. */
static unsigned highest(const SyzygyMaps *maps, int count, uint64_t *number)
{
    unsigned n = count == 1 ? (unsigned)*number : 63;
    while (maps->choose[count][n] > *number) n--;
    *number -= maps->choose[count][n];
    return n;
}

static void place_three(const SyzygyMaps *maps, uint64_t number, uint8_t *sq)
{
    unsigned on, second, third;
    if (number < THREE_BELOW) {
        sq[0] = maps->triangle_square[number / (63 * 62)];
        sq[1] = free_square(sq, 1, (unsigned)(number / 62 % 63));
        sq[2] = free_square(sq, 2, (unsigned)(number % 62));
        return;
    }
    number -= THREE_BELOW;
    if (number < THREE_SECOND) {
        sq[0] = (uint8_t)(9 * (number / (28 * 62)));
        sq[1] = maps->below_square[number / 62 % 28];
        sq[2] = free_square(sq, 2, (unsigned)(number % 62));
        return;
    }
    number -= THREE_SECOND;
    if (number < THREE_THIRD) {
        on = (unsigned)(number / (7 * 28));
        second = (unsigned)(number / 28 % 7);
        sq[2] = maps->below_square[number % 28];
    } else {
        number -= THREE_THIRD;
        on = (unsigned)(number / (7 * 6));
        second = (unsigned)(number / 6 % 7);
        third = (unsigned)(number % 6);
        unsigned second_on = second + (second >= on);
        unsigned low = on < second_on ? on : second_on, high = on + second_on - low;
        third += third >= low;
        third += third >= high;
        sq[2] = (uint8_t)(9 * third);
    }
    second += second >= on;
    sq[0] = (uint8_t)(9 * on);
    sq[1] = (uint8_t)(9 * second);
}

static void place_pawns(const SyzygyMaps *maps, int file, int count, uint64_t number, uint8_t *sq)
{
    int rank = 6;
    while (maps->lead[count - 1][square_at(file, rank)] > number) rank--;
    sq[0] = (uint8_t)square_at(file, rank);
    number -= maps->lead[count - 1][sq[0]];
    for (int i = 1; i < count; i++) sq[i] = maps->pawn_square[highest(maps, count - i, &number)];
}

static void place_kind(const SyzygyMaps *maps, const SyzygyGroup *group, int base, uint64_t number,
                       uint8_t *sq)
{
    uint8_t own[SYZYGY_MEN_MAX];
    uint64_t taken = (square_bit(base) - 1) | squares_of(sq, group->first);
    for (int i = group->count; i-- > 0;) own[i] = open_square(taken, highest(maps, i + 1, &number));
    for (int i = 0; i < group->count; i++) sq[group->first + i] = own[i];
}

void syzygy_place_group(const SyzygyIndex *index, const SyzygyMaps *maps, int file, int g,
                        uint64_t number, uint8_t *sq)
{
    const SyzygyGroup *group = &index->group[g];
    if (g > 0)
        place_kind(maps, group, is_pawn(index->man[group->first]) ? 8 : 0, number, sq);
    else if (index->lead == SYZYGY_LEAD_KINGS)
        memcpy(sq, maps->king_pair[number], 2);
    else if (index->lead == SYZYGY_LEAD_THREE)
        place_three(maps, number, sq);
    else
        place_pawns(maps, file, group->count, number, sq);
}

void syzygy_position_of(const SyzygyIndex *index, const SyzygyMaps *maps, int file, uint64_t cell,
                        int turn, treb_position *out)
{
    uint8_t sq[SYZYGY_MEN_MAX] = {0};
    for (int g = 0; g < index->groups; g++) {
        const SyzygyGroup *group = &index->group[g];
        syzygy_place_group(index, maps, file, g, cell / group->factor % group->ways, sq);
    }
    memset(out, 0, sizeof *out);
    for (int i = 0; i < index->men; i++)
        position_put(out, index->man[i] >> 3, index->man[i] & 7, sq[i]);
    out->turn = (uint8_t)turn;
    out->fullmove = 1;
}
