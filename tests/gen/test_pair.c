/* test_pair.c - captures and pawn moves into slices that store only one order of two like men. The
 * results must equal those with both orders stored. The values of the child slices are invented.
 * They depend on where the men stand, but not on which of two like men stands where. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/chess/bitboard.h"
#include "core/system/hash.h"
#include "gen/solve/convert.h"
#include "tests/support/suite.h"

enum { CHILDREN = 64 };

/* A child slice with invented values, with one side to move. */
typedef struct Made {
    SolvedArrays solved; /* must be the first member */
    const Layout *layout;
    uint64_t slice;
    int side;
} Made;

static Layout layouts[CHILDREN];
static Made made[CHILDREN];
static int layout_count, made_count;

static const Layout *find_layout(void *context, const Material *material, unsigned wanted)
{
    (void)context;
    (void)wanted;
    for (int i = 0; i < layout_count; i++)
        if (material_equal(&layouts[i].material, material)) return &layouts[i];
    ck_assert_int_lt(layout_count, CHILDREN);
    ck_assert(layout_init(&layouts[layout_count], material));
    return &layouts[layout_count++];
}

static treb_status find_child(void *context, const Layout *layout, uint64_t slice, int side,
                              bool push, const SolvedArrays **solved, int *lane, treb_error *error)
{
    (void)context;
    (void)push;
    (void)error;
    ck_assert_int_lt(made_count, CHILDREN);
    Made *m = &made[made_count++];
    *m = (Made){{.by_plane = true}, layout, slice, side};
    *solved = &m->solved;
    *lane = 0;
    return TREB_OK;
}

static void release_child(void *context, const SolvedArrays *solved)
{
    (void)context;
    (void)solved;
}

/* Returns a number that does not depend on the order of like men. */
static uint64_t cell_hash(const Made *m, uint32_t plane, size_t cell)
{
    uint64_t sum = 0;
    for (int i = 0; i < m->layout->men; i++) {
        uint64_t man = 64 * (8 * m->layout->man[i].color + m->layout->man[i].type),
                 square = cell >> 6 * (m->layout->men - 1 - i) & 63;
        uint64_t x = (man + square + 1) * HASH_FACTOR;
        sum += (x ^ x >> 29) * HASH_FACTOR_2;
    }
    sum += (plane + 4099 * m->slice + (uint64_t)m->side) * HASH_FACTOR_3;
    sum = (sum ^ sum >> 31) * HASH_FACTOR;
    return sum >> 32;
}

static treb_status make_plane(void *context, const Layout *layout, const SolvedArrays *solved,
                              int side, uint32_t plane, bool push, SolvedBuffer *buffer,
                              SolvedArrays *out, treb_error *error)
{
    (void)context;
    (void)layout;
    (void)push;
    (void)error;
    const Made *m = (const Made *)solved;
    const size_t cells = m->layout->plane_cells, sets = cells / 8;
    if (buffer->size < 2 * cells + 3 * sets) {
        buffer->size = 2 * cells + 3 * sets;
        buffer->bytes = realloc(buffer->bytes, buffer->size);
    }
    uint8_t *at = buffer->bytes;
    memset(at, 0, buffer->size);
    uint64_t *legal = (uint64_t *)(void *)at, *cursed = legal + sets / 8,
             *stalemate = cursed + sets / 8;
    uint8_t *value = at + 3 * sets, *dtc = value + cells;
    for (size_t c = 0; c < cells; c++) {
        uint64_t hash = cell_hash(m, plane, m->layout->men < 2 ? c & 63 : c),
                 bit = square_bit(c % 64);
        if (hash % 16 == 0) continue;
        legal[c / 64] |= bit;
        value[c] = hash >> 4 & 1 ? NARROW_OPEN : (uint8_t)(hash >> 5 & 127);
        dtc[c] = (uint8_t)(hash >> 12 & 63);
        if (value[c] != NARROW_OPEN && hash >> 18 & 1) cursed[c / 64] |= bit;
        if (hash >> 19 & 1) stalemate[c / 64] |= bit;
    }
    out->legal[side] = legal;
    out->cursed[side] = cursed;
    out->stalemate[side] = stalemate;
    out->value[side].narrow = value;
    out->dtc[side].narrow = dtc;
    return TREB_OK;
}

static const SliceProvider source = {NULL, find_layout, find_child, release_child, make_plane};

static Outcomes new_outcomes(size_t cells)
{
    Outcomes o = {.verdict = malloc(cells),
                  .capture = malloc(cells),
                  .ends = malloc(cells),
                  .dtc = malloc(2 * cells),
                  .dtm = malloc(2 * cells),
                  .ends_dtm = malloc(2 * cells)};
    outcomes_clear(&o, cells);
    memset(o.ends_dtm, 0, 2 * cells);
    return o;
}

static void free_outcomes(Outcomes *o)
{
    free(o->verdict);
    free(o->capture);
    free(o->ends);
    free(o->dtc);
    free(o->dtm);
    free(o->ends_dtm);
}

/* Returns the results of all conversions of one side in a plane. */
static Outcomes outcomes_of(const Layout *layout, const uint64_t pawns[2], int side, uint32_t kings)
{
    treb_error error;
    Converter *converter;
    SolvedBuffer buffer[CONVERTER_BUFFERS] = {{0}};
    Outcomes out = new_outcomes(layout->plane_cells);
    made_count = 0;
    ck_assert_int_eq(converter_new(layout, pawns, side, MOVES_CONVERSIONS, &source, &converter, &error), TREB_OK);
    ck_assert_int_eq(converter_plane(converter, kings, 0, &out, buffer, &error), TREB_OK);
    converter_free(converter);
    for (int i = 0; i < CONVERTER_BUFFERS; i++) free(buffer[i].bytes);
    return out;
}

/* Returns whether the men of a cell stand on different squares, and none on a king's or pawn's.
 * Other cells have no meaning. */
static bool is_arranged(const Layout *layout, const uint64_t pawns[2], uint32_t kings, size_t cell)
{
    uint64_t occupied = pawns[0] | pawns[1] | square_bit(layout->king[kings][0]) |
                        square_bit(layout->king[kings][1]);
    for (int i = 0; i < layout->men; i++, cell >>= 6) {
        if (bit_test(occupied, cell & 63)) return false;
        occupied |= square_bit(cell & 63);
    }
    return true;
}

static const struct {
    const char *name;
    uint64_t white, black; /* pawns */
} slices[] = {{"KRRvKN", 0, 0},
              {"KBvKNN", 0, 0},
              {"KNNNvK", 0, 0},
              {"KNNPvKN", 1 << 11, 0},
              {"KRRBPvK", UINT64_C(1) << 41, 0},
              {"KNPvKBB", UINT64_C(1) << 49, 0},
              {"KRPvKNNP", 1 << 10, 1 << 25}};

START_TEST(same_outcomes)
{
    Material material;
    Layout pair, plain;
    const uint64_t pawns[2] = {slices[_i].white, slices[_i].black};
    ck_assert(material_parse(slices[_i].name, &material));
    ck_assert(layout_init(&pair, &material));
    ck_assert(pair.pair);
    plain = pair;
    plain.pair = false;
    layout_count = 0;
    size_t moves = 0;
    for (int side = 0; side < 2; side++)
        for (uint32_t kings = 7; kings < pair.kings; kings += pair.kings / 2) {
            Outcomes once = outcomes_of(&pair, pawns, side, kings),
                     all = outcomes_of(&plain, pawns, side, kings);
            size_t kept = 0, wrong = 0;
            for (size_t c = 0; c < pair.plane_cells; c++) {
                size_t at = layout_cell(&pair, c);
                kept += at == c;
                if (at != c) wrong += once.verdict[c] != 0;
                if (!is_arranged(&pair, pawns, kings, c)) continue;
                moves += once.verdict[at] != 0;
                wrong += once.verdict[at] != all.verdict[c] || once.capture[at] != all.capture[c] ||
                         once.ends[at] != all.ends[c] || once.dtc[at] != all.dtc[c] ||
                         once.dtm[at] != all.dtm[c] || once.ends_dtm[at] != all.ends_dtm[c];
            }
            ck_assert_uint_eq(wrong, 0);
            ck_assert_uint_gt(kept, pair.plane_cells / 3);
            free_outcomes(&once);
            free_outcomes(&all);
        }
    ck_assert_uint_gt(moves, 1000);
    for (int i = 0; i < layout_count; i++) layout_free(&layouts[i]);
    layout_free(&pair);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("conversions");
    tcase_set_timeout(tests, 0);
    tcase_add_loop_test(tests, same_outcomes, 0, sizeof slices / sizeof *slices);
    Suite *suite = suite_create("pair");
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
