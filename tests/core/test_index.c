/* test_index.c - materials, the tables of kings, and the numbering of positions.
 *
 * The numbering is checked in two ways: by its properties (back and forth; one number for
 * equivalent positions, different numbers for others), and by a second, slow implementation of
 * docs/format.md. TREB_TEST_FULL=1 checks every cell and arrangement instead of a sample. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/chess/movegen.h"
#include "core/format/index.h"
#include "core/format/kings.h"
#include "tests/core/format_index.h"
#include "tests/support/part.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

/* For loops that run often: every ck_assert that holds costs a system call. */
#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) ck_abort_msg("%s", #condition);                                          \
    } while (0)

static Material material_of(const char *name)
{
    Material m;
    ck_assert_msg(material_parse(name, &m), "%s", name);
    return m;
}

/* ---- Materials ------------------------------------------------------------------------------- */

START_TEST(material_texts)
{
    static const char *const pairs[][2] = {{"KRPvKR", "KRPvKR"}, {"PRKvRK", "KRPvKR"},
                                           {"KvK", "KvK"},       {"KNBvK", "KBNvK"},
                                           {"KPPvKP", "KPPvKP"}, {"KvKQRBNP", "KvKQRBNP"}};
    static const char *const bad[] = {"",    "K",     "Kv",    "vK",         "KKvK",   "KvKv",
                                      "kvk", "KXvK",  "KRPKR", "KvKvK",      "KRvKR ", "KRvQ",
                                      "RvK", "KR-KR", "K vK",  "KQQQQvKQQQ", "KvKK"};
    char name[MATERIAL_NAME_SIZE];
    Material m;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        m = material_of(pairs[i][0]);
        material_name(&m, name);
        ck_assert_str_eq(name, pairs[i][1]);
        ck_assert_int_eq(material_men(&m), (int)strlen(name) - 1);
        ck_assert_int_eq(material_has_pawns(&m), strchr(name, 'P') != NULL);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!material_parse(bad[i], &m), "\"%s\"", bad[i]);
}
END_TEST

/* Names as people write them. */
START_TEST(material_readings)
{
    static const char *const pairs[][2] = {{"KQKR", "KQvKR"},         {"kqkr", "KQvKR"},
                                           {"KRPKR", "KRPvKR"},       {"KR-KP", "KRvKP"},
                                           {"krp_kr", "KRPvKR"},      {"KRP v KR", "KRPvKR"},
                                           {"KRP vs. KR", "KRPvKR"},  {"KRP v. KR", "KRPvKR"},
                                           {"krpv.kr", "KRPvKR"},     {"KB NK", "KBNvK"},
                                           {"K RPKR", "KRPvKR"},      {"K R P K R", "KRPvKR"},
                                           {"R K - K P", "KRvKP"},    {"KR KP -", "KRvKP"},
                                           {"krpVSkr", "KRPvKR"},     {"PRK RK", "KRPvKR"},
                                           {"rk-kp", "KRvKP"},        {"KvKQ", "KvKQ"},
                                           {" K Q - K R ", "KQvKR"},  {"KK", "KvK"},
                                           {"KPvKR", "KPvKR"},        {"K_KBN", "KvKBN"},
                                           {"KQRBNKPP", "KQRBNvKPP"}, {"pkVrk", "KPvKR"},
                                           {"KQ--KR", "KQvKR"}};
    char name[MATERIAL_NAME_SIZE];
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        Material m;
        treb_error error = {0};
        treb_status status = material_read(pairs[i][0], &m, &error);
        ck_assert_msg(status == TREB_OK, "\"%s\": %s", pairs[i][0], error.text);
        material_name(&m, name);
        ck_assert_str_eq(name, pairs[i][1]);
    }
}
END_TEST

START_TEST(material_refusals)
{
    static const char *const pairs[][2] = {
        {"KXvK", "no ending called 'KXvK': write it like KRPvKR"},
        {"kqk!", "no ending called 'kqk!': write it like KRPvKR"},
        {"KvKvK", "no ending called 'KvKvK': write it like KRPvKR"},
        {"KRP", "no ending called 'KRP': write it like KRPvKR, with one king on each side"},
        {"KKvR", "no ending called 'KKvR': write it like KRPvKR, with one king on each side"},
        {"KQKRK", "no ending called 'KQKRK': write it like KRPvKR, with one king on each side"},
        {"KB-NK", "no ending called 'KB-NK': write it like KRPvKR, with one king on each side"},
        {"PRKRK", "no ending called 'PRKRK': write it like KRPvKR, with one king on each side"},
        {"P RK RK", "no ending called 'P RK RK': write it like KRPvKR, with one king on each side"},
        {"KQ KR K", "no ending called 'KQ KR K': write it like KRPvKR, with one king on each side"},
        {"KRP v.. KR", "no ending called 'KRP v.. KR': write it like KRPvKR"},
        {"", "no ending called '': write it like KRPvKR, with one king on each side"},
        {"v", "no ending called 'v': write it like KRPvKR, with one king on each side"},
        {"KQQQQvKQQQ", "'KQQQQvKQQQ' has more than 8 men"},
        {"K\tvK", "this is not the name of an ending: write it like KRPvKR"},
        {"K\xc3\xa9vK", "this is not the name of an ending: write it like KRPvKR"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        Material m;
        treb_error error = {0};
        ck_assert_int_eq(material_read(pairs[i][0], &m, &error), TREB_ERR_ARGUMENT);
        ck_assert_int_eq(error.status, TREB_ERR_ARGUMENT);
        ck_assert_str_eq(error.text, pairs[i][1]);
        ck_assert_int_eq(material_read(pairs[i][0], &m, NULL), TREB_ERR_ARGUMENT);
    }
    /* A name of any length is refused. */
    char text[1000];
    Material m;
    treb_error error;
    memset(text, 'P', sizeof text - 1);
    text[0] = 'K';
    text[sizeof text - 1] = '\0';
    ck_assert_int_eq(material_read(text, &m, &error), TREB_ERR_ARGUMENT);
}
END_TEST

START_TEST(material_canonical_side)
{
    static const char *const pairs[][2] = {{"KvKQ", "KQvK"},       {"KRvKQ", "KQvKR"},
                                           {"KPvKNN", "KNNvKP"},   {"KBBvKBN", "KBBvKBN"},
                                           {"KBNvKBB", "KBBvKBN"}, {"KRvKRP", "KRPvKR"},
                                           {"KNPvKBP", "KBPvKNP"}, {"KNNvKBP", "KBPvKNN"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        Material m = material_of(pairs[i][0]), want = material_of(pairs[i][1]), other = m;
        bool swapped = material_canonical(&m);
        ck_assert_msg(material_equal(&m, &want), "%s", pairs[i][0]);
        ck_assert_int_eq(swapped, !material_equal(&other, &want));
        ck_assert(!material_canonical(&m));
        other = material_swap(&m);
        ck_assert(material_symmetric(&m) == material_equal(&m, &other));
        material_canonical(&other);
        ck_assert(material_equal(&m, &other));
    }
}
END_TEST

START_TEST(material_lists)
{
    static const struct {
        int men;
        size_t count;
    } known[] = {{2, 1}, {3, 5}, {4, 30}, {5, 110}, {6, 365}, {7, 1001}};
    static Material list[1001];
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        size_t n = material_list(known[k].men, list, 1001);
        ck_assert_uint_eq(n, known[k].count);
        ck_assert_uint_eq(material_list(known[k].men, NULL, 0), n);
        for (size_t i = 0; i < n; i++) {
            Material m = list[i];
            char name[MATERIAL_NAME_SIZE];
            ck_assert_int_eq(material_men(&m), known[k].men);
            ck_assert(!material_canonical(&m));
            material_name(&m, name);
            m = material_of(name);
            ck_assert(material_equal(&m, &list[i]));
            for (size_t j = 0; j < i; j++) ck_assert(!material_equal(&list[i], &list[j]));
        }
    }
}
END_TEST

START_TEST(material_sub_ending_names)
{
    static const char *const want[][2] = {
        {"KvK", ""},
        {"KQvK", "KvK "},
        {"KPvK", "KvK KQvK KRvK KBvK KNvK "},
        {"KRvKR", "KRvK "},
        {"KPvKP", "KPvK KQvKP KRvKP KBvKP KNvKP "},
        {"KPPvK", "KPvK KQPvK KRPvK KBPvK KNPvK "},
        {"KBvKP", "KBvK KPvK KQvKB KRvKB KBvKB KBvKN KQvK KRvK KNvK "},
        {"KRPvKR", "KRPvK KRvKP KRvKR KQRvKR KRRvKR KRBvKR KRNvKR KQRvK KRRvK KRBvK KRNvK "},
        {"KQPvKQ", "KQPvK KQvKP KQvKQ KQQvKQ KQRvKQ KQBvKQ KQNvKQ KQQvK KQRvK KQBvK KQNvK "}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        Material m = material_of(want[i][0]), sub_ending[MATERIAL_SUB_ENDINGS_MAX];
        int n = material_sub_endings(&m, sub_ending, NULL), listed = 0;
        for (const char *c = want[i][1]; *c; c++) listed += *c == ' ';
        ck_assert_msg(n == listed, "%s has %d", want[i][0], n);
        for (int j = 0; j < n; j++) {
            char name[MATERIAL_NAME_SIZE + 1];
            material_name(&sub_ending[j], name);
            strcat(name, " ");
            ck_assert_msg(strstr(want[i][1], name) != NULL, "%s: %s", want[i][0], name);
            for (int k = 0; k < j; k++) ck_assert(!material_equal(&sub_ending[j], &sub_ending[k]));
        }
    }
}
END_TEST

/* The possible sides to move in each sub-ending. */
START_TEST(sub_ending_turns)
{
    enum { W = 1 << TREB_WHITE, B = 1 << TREB_BLACK };
    static const struct {
        const char *from, *to;
        unsigned turns;
    } want[] = {{"KRPvKR", "KQRvKR", B}, {"KRPvKR", "KRvKR", W}, {"KRPvKR", "KRvKP", B},
                {"KRPvKR", "KRPvK", B},  {"KRPvKR", "KQRvK", B}, {"KPvKP", "KPvK", B},
                {"KPvKP", "KQvKP", B},   {"KBvKP", "KQvKB", B},  {"KRRvKR", "KRvKR", W},
                {"KQvKQ", "KQvK", B},    {"KRRvKR", "KRRvK", B}, {"KNvKP", "KNvKN", W}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        Material m = material_of(want[i].from), to = material_of(want[i].to);
        Material sub_ending[MATERIAL_SUB_ENDINGS_MAX];
        uint8_t turns[MATERIAL_SUB_ENDINGS_MAX];
        int n = material_sub_endings(&m, sub_ending, turns), j = 0;
        while (j < n && !material_equal(&sub_ending[j], &to)) j++;
        ck_assert_int_lt(j, n);
        ck_assert_msg(turns[j] == want[i].turns, "%s to %s: %d", want[i].from, want[i].to,
                      turns[j]);
    }
}
END_TEST

/* ---- Kings ----------------------------------------------------------------------------------- */

static bool kings_touch(int a, int b)
{
    return abs((a & 7) - (b & 7)) <= 1 && abs((a >> 3) - (b >> 3)) <= 1;
}

/* Returns the symmetry that docs/format.md prescribes for a pair of kings. */
static int kings_rule(int white, int black)
{
    int symmetry = 0;
    if ((white & 7) > 3) symmetry |= SYM_FILES;
    if (white >> 3 > 3) symmetry |= SYM_RANKS;
    white = index_symmetry_square(symmetry, white);
    black = index_symmetry_square(symmetry, black);
    bool on = !above_diagonal(white) && white % 9 == 0;
    if (above_diagonal(white) || (on && above_diagonal(black))) symmetry |= SYM_DIAGONAL;
    return symmetry;
}

START_TEST(kings_axis)
{
    int frees = 0, symmetrics = 0;
    for (int pair = 0; pair < 64 * 64; pair++) {
        int white = pair >> 6, black = pair & 63, symmetry;
        if (kings_touch(white, black)) {
            ck_assert_uint_eq(kings_tables()->free[pair], KINGS_NONE);
            ck_assert_uint_eq(kings_tables()->symmetric[pair], KINGS_NONE);
            ck_assert_int_eq(index_kings(true, white, black, &symmetry), -1);
            ck_assert_int_eq(index_kings(false, white, black, &symmetry), -1);
            continue;
        }
        ck_assert_uint_eq(kings_tables()->free_squares[frees], pair);
        ck_assert_int_eq(index_kings(true, white, black, &symmetry), frees);
        ck_assert_int_eq(symmetry, 0);
        ck_assert_uint_eq(kings_tables()->free[pair], frees++);
        ck_assert_uint_eq(kings_tables()->symmetric[pair] >> KINGS_SYMMETRY_SHIFT,
                          kings_rule(white, black));
        /* Representatives come in ascending order: the number of a new one is the number of those
         * before it. */
        if (kings_rule(white, black) == 0) {
            ck_assert_uint_eq(kings_tables()->symmetric_squares[symmetrics], pair);
            ck_assert_uint_eq(kings_tables()->symmetric[pair], symmetrics++);
        }
    }
    ck_assert_int_eq(frees, INDEX_KINGS_FREE);
    ck_assert_int_eq(symmetrics, INDEX_KINGS_SYMMETRIC);
    for (int pair = 0; pair < 64 * 64; pair++) {
        int white = pair >> 6, black = pair & 63;
        if (kings_touch(white, black)) continue;
        int s = kings_rule(white, black);
        int image = index_symmetry_square(s, white) * 64 + index_symmetry_square(s, black);
        ck_assert_uint_eq(kings_tables()->symmetric[pair] & KINGS_COORDINATE,
                          kings_tables()->symmetric[image]);
    }
}
END_TEST

/* ---- Back and forth -------------------------------------------------------------------------- */

static void turn_board(const treb_position *pos, int symmetry, treb_position *out)
{
    *out = *pos;
    for (int c = 0; c < 2; c++) out->by_color[c] = index_symmetry_board(symmetry, pos->by_color[c]);
    for (int t = 0; t < TREB_TYPES; t++)
        out->by_type[t] = index_symmetry_board(symmetry, pos->by_type[t]);
}

static bool same_men(const treb_position *a, const treb_position *b)
{
    return memcmp(a->by_color, b->by_color, sizeof a->by_color) == 0 &&
           memcmp(a->by_type, b->by_type, sizeof a->by_type) == 0;
}

/* Checks that all symmetric images have the same number, and that there are as many as index_weight
 * says. */
static void check_images(const Index *index, const treb_position *pos, uint64_t cell)
{
    treb_position image[8];
    IndexMen men;
    unsigned distinct = 0;
    for (int s = 0; s < (index->pawns ? 2 : 8); s++) {
        bool seen = false;
        turn_board(pos, s, &image[distinct]);
        REQUIRE(index_of_position(index, &image[distinct]) == cell);
        for (unsigned i = 0; i < distinct; i++) seen |= same_men(&image[i], &image[distinct]);
        distinct += !seen;
    }
    REQUIRE(index_to_men(index, cell, &men));
    REQUIRE(index_weight(index, &men) == distinct);
}

static bool check_cell(const Index *index, uint64_t cell, treb_position *pos)
{
    IndexMen men, again;
    if (!index_to_men(index, cell, &men)) return false;
    again = men;
    index_men_to_position(index, &men, TREB_WHITE, pos);
    Material m = material_of_position(pos);
    REQUIRE(material_equal(&m, &index->material));
    REQUIRE(index_of_men(index, &again) == cell);
    REQUIRE(memcmp(&men.king, &again.king, 2) == 0);
    REQUIRE(index_of_position(index, pos) == cell);
    return true;
}

static uint64_t check_all_cells(const Material *m, uint64_t step)
{
    Index index;
    treb_position pos;
    uint64_t valid = 0;
    ck_assert(index_init(&index, m, NULL, 1));
    for (uint64_t cell = 0; cell < index.size; cell += step) {
        if (!check_cell(&index, cell, &pos)) continue;
        if (valid++ % 64 == 0) check_images(&index, &pos, cell);
        if (valid % 256 == 0) REQUIRE(format_index(&index, &pos, 1) == cell);
    }
    return valid;
}

START_TEST(cells_of_small_tables)
{
    Material list[30];
    uint64_t step = getenv("TREB_TEST_FULL") ? 1 : _i == 3 ? 2 : 13;
    size_t n = material_list(_i, list, 30);
    for (size_t i = 0; i < n; i++) ck_assert_uint_gt(check_all_cells(&list[i], step), 1000);
}
END_TEST

/* Puts the men of a material on random squares; the kings may touch. */
static bool random_position(const Material *m, uint64_t *seed, treb_position *pos)
{
    memset(pos, 0, sizeof *pos);
    pos->fullmove = 1;
    for (int color = 0; color < 2; color++) {
        for (int type = 0; type < TREB_TYPES; type++) {
            for (int i = 0; i < m->count[color][type]; i++) {
                int sq = (int)(next_random(seed) % 64);
                if (bit_test(position_occupied(pos), sq)) return false;
                if (type == TREB_PAWN && (sq < 8 || sq >= 56)) return false;
                position_put(pos, color, type, sq);
            }
        }
    }
    return !kings_touch(position_king(pos, TREB_WHITE), position_king(pos, TREB_BLACK));
}

static void random_order(int axes, uint64_t *seed, uint8_t order[INDEX_AXES_MAX])
{
    for (int i = 0; i < axes; i++) {
        int j = (int)(next_random(seed) % (uint64_t)(i + 1));
        order[i] = order[j];
        order[j] = (uint8_t)i;
    }
}

/* Checks random cells and random positions of one layout. With a padding of 0 bishops are numbered
 * by colour of squares, and slices by file. */
static void check_layout(const Material *m, const uint8_t *order, unsigned pad, uint64_t *seed,
                         int rounds)
{
    Index index;
    treb_position pos, other;
    uint64_t stride[INDEX_AXES_MAX];
    ck_assert(pad ? index_init(&index, m, order, pad) : index_init_square_colors(&index, m, order));
    ck_assert_uint_eq(index.slice_size, format_slice_size(&index, pad ? pad : 1, stride));
    ck_assert_uint_eq(index.size, index.slices * index.slice_size);
    for (int i = 0; i < rounds; i++) {
        uint64_t cell = next_random(seed) % index.size;
        if (check_cell(&index, cell, &pos)) {
            check_images(&index, &pos, cell);
            REQUIRE(format_index(&index, &pos, pad) == cell);
        }
        if (!random_position(m, seed, &pos)) continue;
        cell = index_of_position(&index, &pos);
        REQUIRE(cell < index.size);
        REQUIRE(check_cell(&index, cell, &other));
        check_images(&index, &pos, cell);
        REQUIRE(format_index(&index, &pos, pad) == cell);
    }
}

START_TEST(layouts)
{
    static const char *const names[] = {
        "KRvKR",   "KPvKP",   "KBBvKN",  "KRRvKR",   "KPPPvK",  "KPPvKP",  "KQQQvK", "KRPvKR",
        "KPPvKPP", "KPPPvKP", "KRRvKRR", "KQRBNvK",  "KPPPPvK", "KvKPP",   "KvKRRP", "KNNNNvK",
        "KQRBvKQ", "KBBBvKP", "KvK",     "KPPPvKPP", "KBvKB",   "KBBBBvK", "KBBNvKB"};
    static const unsigned pads[] = {1, 2, 3, 5, 8, 64};
    uint64_t seed = 0x2545f4914f6cdd1d;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        Material m = material_of(names[i]);
        Index index;
        ck_assert(index_init(&index, &m, NULL, 1));
        for (size_t p = 0; p < sizeof pads / sizeof *pads; p++) {
            uint8_t order[INDEX_AXES_MAX] = {0};
            random_order(index.axes, &seed, order);
            check_layout(&m, p ? order : NULL, pads[p], &seed, 300);
        }
        check_layout(&m, NULL, 0, &seed, 2000);
    }
}
END_TEST

/* Slices have a place, and the same pawns under another number in the other scheme. The slices of a
 * file are next to each other. */
START_TEST(slices_by_file)
{
    static const char *const names[] = {"KPvK", "KvKP", "KPvKP", "KPPvK", "KPPPvKP", "KPPPPPvK"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        Material m = material_of(names[i]);
        Index ranks, files;
        ck_assert(index_init(&ranks, &m, NULL, 1) && index_init_square_colors(&files, &m, NULL));
        ck_assert_uint_eq(ranks.slices, files.slices);
        uint64_t step = ranks.slices / 20000 + 1;
        unsigned before = 0;
        for (uint64_t slice = 0; slice < files.slices; slice += step) {
            uint64_t pawns[2], again[2], all, first;
            bool used = index_slice_pawns(&files, slice, pawns);
            unsigned place = index_slice_place(&files, slice), file = place % 4;
            uint64_t other = index_slice_in(&ranks, &files, slice, place);
            REQUIRE(other < ranks.slices);
            REQUIRE(index_slice_pawns(&ranks, other, again) == used);
            REQUIRE(memcmp(pawns, again, sizeof pawns) == 0);
            REQUIRE(index_slice_place(&ranks, other) == place);
            REQUIRE(index_slice_in(&files, &ranks, other, place) == slice);
            REQUIRE(file >= before);
            before = file;
            all = pawns[files.lead_color];
            first = UINT64_C(1) << (8 * (place / 4 + 1) + file);
            REQUIRE(all & first);
            /* No pawn is on a lower rank, or on the same rank nearer to the edge. */
            for (int sq = 0; sq < 64; sq++) {
                unsigned rank = (unsigned)sq / 8 - 1, to_edge = sq % 8 < 4 ? sq % 8 : 7 - sq % 8;
                if (all >> sq & 1) REQUIRE(4 * rank + to_edge >= place);
            }
        }
        ck_assert_uint_eq(before, 3);
    }
}
END_TEST

START_TEST(bad_layouts)
{
    static const uint8_t bad[][INDEX_AXES_MAX] = {{0, 1, 1}, {0, 1, 3}, {1, 1, 1}, {2, 2, 0}};
    Index index;
    Material m = material_of("KRvKR");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert(!index_init(&index, &m, bad[i], 1));
    ck_assert(!index_init(&index, &m, NULL, 0));
    m.count[TREB_WHITE][TREB_QUEEN] = 5;
    ck_assert(!index_init(&index, &m, NULL, 1));
}
END_TEST

/* ---- Every arrangement of the board ---------------------------------------------------------- */

typedef struct Walk {
    Index index;
    uint8_t *hits; /* arrangements by cell */
    uint64_t arrangements;
    uint64_t legal[2]; /* legal arrangements by side to move: the other king is not attacked */
} Walk;

static void walk_leaf(Walk *walk, const treb_position *pos)
{
    uint64_t cell = index_of_position(&walk->index, pos);
    REQUIRE(cell < walk->index.size);
    walk->hits[cell]++;
    walk->arrangements++;
    for (int turn = 0; turn < 2; turn++)
        walk->legal[turn] += !square_attacked(pos, position_king(pos, !turn), turn);
}

/* Places the remaining men on all squares: those of (color, type) from square `from` on. */
static void walk_men(Walk *walk, treb_position *pos, int color, int type, int placed, int from)
{
    if (type == TREB_KING) {
        if (color == TREB_WHITE)
            walk_men(walk, pos, TREB_BLACK, TREB_PAWN, 0, 0);
        else
            walk_leaf(walk, pos);
        return;
    }
    if (placed == walk->index.material.count[color][type]) {
        walk_men(walk, pos, color, type + 1, 0, 0);
        return;
    }
    for (int sq = from; sq < 64; sq++) {
        if (bit_test(position_occupied(pos), sq)) continue;
        if (type == TREB_PAWN && (sq < 8 || sq >= 56)) continue;
        position_put(pos, color, type, sq);
        walk_men(walk, pos, color, type, placed + 1, sq + 1);
        position_remove(pos, sq);
    }
}

static void walk_board(Walk *walk, const char *name)
{
    Material m = material_of(name);
    memset(walk, 0, sizeof *walk);
    ck_assert(index_init(&walk->index, &m, NULL, 1));
    ck_assert_ptr_nonnull(walk->hits = calloc(walk->index.size, 1));
    for (int white = 0; white < 64; white++) {
        for (int black = 0; black < 64; black++) {
            treb_position pos = {.fullmove = 1};
            if (kings_touch(white, black)) continue;
            position_put(&pos, TREB_WHITE, TREB_KING, white);
            position_put(&pos, TREB_BLACK, TREB_KING, black);
            walk_men(walk, &pos, TREB_WHITE, TREB_PAWN, 0, 0);
        }
    }
}

/* Checks that each cell is reached as often as its weight, and dead cells never. Since a position
 * has as many images as its weight (check_images) and they share its cell, nothing else can reach
 * the cell. A count of 0 is not known. */
static void check_walk(const char *name, uint64_t arrangements, uint64_t white, uint64_t black)
{
    Walk walk;
    IndexMen men;
    uint64_t sum = 0;
    walk_board(&walk, name);
    for (uint64_t cell = 0; cell < walk.index.size; cell++) {
        unsigned weight =
            index_to_men(&walk.index, cell, &men) ? index_weight(&walk.index, &men) : 0;
        if (walk.hits[cell] != weight)
            ck_abort_msg("%s: cell %llu", name, (unsigned long long)cell);
        sum += weight;
    }
    ck_assert_uint_eq(sum, walk.arrangements);
    if (arrangements) ck_assert_uint_eq(sum, arrangements);
    if (white) ck_assert_uint_eq(walk.legal[TREB_WHITE], white);
    if (black) ck_assert_uint_eq(walk.legal[TREB_BLACK], black);
    free(walk.hits);
}

START_TEST(every_arrangement)
{
    /* The numbers of arrangements follow from combinatorics; those by side to move are the
     * published sums of wins, draws and losses (data/le5.tsv). */
    check_walk("KvK", 3612, 3612, 3612);
    check_walk("KBvK", 3612 * 62, 193284, 223944);
    check_walk("KPvK", 168024, 163328, 168024);
    check_walk("KRRvK", 3612 * 62 * 61 / 2, 0, 0);
    if (test_part() > 1) return;
    check_walk("KNvKN", 3612 * 62 * 61, 12535256, 12535256);
    check_walk("KPPvK", 0, 3613342, 3824744);
    check_walk("KBvKP", 0, 8891360, 9963008);
}
END_TEST

START_TEST(every_arrangement_of_all)
{
    Material list[30];
    char name[MATERIAL_NAME_SIZE];
    size_t n = material_list(4, list, 30);
    for (size_t i = 0; i < n; i++) {
        material_name(&list[i], name);
        check_walk(name, 0, 0, 0);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("index");
    TCase *material = tcase_create("material"), *index = tcase_create("index");
    tcase_add_test(material, material_texts);
    tcase_add_test(material, material_readings);
    tcase_add_test(material, material_refusals);
    tcase_add_test(material, material_canonical_side);
    tcase_add_test(material, material_lists);
    tcase_add_test(material, material_sub_ending_names);
    tcase_add_test(material, sub_ending_turns);
    tcase_add_test(index, kings_axis);
    tcase_add_loop_test(index, cells_of_small_tables, 3, 5);
    tcase_add_test(index, layouts);
    tcase_add_test(index, bad_layouts);
    tcase_add_test(index, slices_by_file);
    tcase_add_test(index, every_arrangement);
    if (getenv("TREB_TEST_FULL")) tcase_add_test(index, every_arrangement_of_all);
    tcase_set_timeout(index, 600);
    suite_add_tcase(suite, material);
    suite_add_tcase(suite, index);
    return run_suite(suite);
}
