/* test_verify_syzygy.c - the verifier accepts Syzygy files, and finds what is wrong in changed
 * ones. tests/data/syzygy has original files. naive.c has the correct values for three men. */
#define _DEFAULT_SOURCE
#include "check/verify/verify.h"
#include "probe/syzygy/syzygy.h"
#include "tests/support/naive_set.h"

enum { FILE_MAX = 1 << 14 };
static const char fixtures[] = "tests/data/syzygy";
static const char *const materials[] = {"KBvK", "KNvK", "KQvK", "KRvK", "KPvK", "KNNvK"};
enum { MATERIALS = sizeof materials / sizeof *materials };
static VerifyResult result;

/* ---- Files ----------------------------------------------------------------------------------- */

typedef struct Bytes {
    uint8_t at[FILE_MAX];
    size_t size;
} Bytes;

static void load(const char *folder, const char *name, Bytes *bytes)
{
    char path[2 * PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s", path);
    bytes->size = fread(bytes->at, 1, FILE_MAX, file);
    fclose(file);
}

static void save(const char *name, const Bytes *bytes)
{
    char path[2 * PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes->at, 1, bytes->size, file), bytes->size);
    fclose(file);
}

/* Copies a file with some bits changed, and corrects its checksum. */
static void save_changed(const char *name, size_t at, uint8_t bits)
{
    Bytes bytes;
    load(fixtures, name, &bytes);
    bytes.at[at] ^= bits;
    size_t size = bytes.size - SYZYGY_CHECKSUM_SIZE;
    ck_assert(syzygy_checksum(bytes.at, size, bytes.at + size));
    save(name, &bytes);
}

static void copy_fixtures(void)
{
    Bytes bytes;
    make_directory(directory);
    for (int i = 0; i < MATERIALS; i++)
        for (int m = 0; m < 2; m++) {
            char name[16];
            snprintf(name, sizeof name, "%s.rtb%c", materials[i], "wz"[m]);
            load(fixtures, name, &bytes);
            save(name, &bytes);
        }
}

static void remove_copies(void) { remove_directory(directory); }

static void remove_copy(const char *name)
{
    char path[2 * PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    ck_assert_int_eq(unlink(path), 0);
}

static treb_status verify(const char *name, bool full)
{
    Material m;
    const char *dirs[2] = {"/nonexistent", directory};
    VerifyOptions options = {
        .dirs = dirs, .dirs_count = 2, .syzygy = true, .full = full, .share = full ? 0 : 1};
    ck_assert(material_parse(name, &m));
    return verify_material(&m, &options, &result);
}

/* ---- What is right --------------------------------------------------------------------------- */

static const Naive *naive_of(const char *name)
{
    for (int i = 0; i < SOLVED; i++) {
        char other[MATERIAL_NAME_SIZE];
        material_name(naive_material(solved[i]), other);
        if (strcmp(name, other) == 0) return solved[i];
    }
    ck_abort_msg("%s", name);
    return NULL;
}

static bool position_right(const treb_tables *tables, char kind, const NaiveValue *truth,
                           const treb_position *pos)
{
    treb_error error;
    treb_distance got;
    treb_wdl wdl;
    if (kind == 'w')
        return treb_probe_wdl(tables, pos, &wdl, &error) == TREB_OK && (int)wdl == truth->verdict;
    if (treb_probe_distance(tables, pos, TREB_DTZ, &got, &error) != TREB_OK) return false;
    int plies = truth->verdict == TREB_DRAW ? 0 : truth->plies[TREB_DTZ];
    return (int)got.wdl == truth->verdict &&
           (plies == got.plies || (got.rounded && plies == got.plies + 1));
}

/* Whether all positions of the full board have the correct verdict, or all positions that the file
 * stores the correct distance. */
static bool all_right(const char *name, char kind)
{
    const Naive *naive = naive_of(name);
    treb_tables *tables = open_set(directory);
    treb_table_info info;
    bool right = true;
    treb_metric metric = kind == 'w' ? TREB_WDL : TREB_DTZ;
    if (treb_tables_find(tables, name, metric, &info, NULL) != TREB_OK) right = false;
    for (uint32_t number = 0; number < 1u << 19 && right; number++) {
        treb_position pos;
        if (info.stored[number & 1] && three_men(naive, number, &pos))
            right = position_right(tables, kind, naive_value(naive, &pos), &pos);
    }
    treb_tables_close(tables);
    return right;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

START_TEST(right_files_pass)
{
    static const uint64_t positions[] = {52234, 53806, 46137, 50015, 165676, 1573368};
    for (int full = 0; full < 2; full++) {
        ck_assert_msg(verify(materials[_i], full) == TREB_OK, "%s", result.text);
        ck_assert_uint_eq(result.errors, 0);
        ck_assert_uint_eq(result.metrics, 1 << TREB_WDL | 1 << TREB_DTZ);
        ck_assert_uint_eq(result.positions, positions[_i]);
        ck_assert(result.rule_proved && !result.wdl_only);
    }
}
END_TEST

static const struct {
    const char *material;
    char kind;
    size_t from, to, step; /* range of bytes that are changed, one at a time */
} ranges[] = {
    {"KQvK", 'w', 196, 230, 11},     {"KRvK", 'w', 130, 190, 13},
    {"KPvK", 'w', 2000, 7808, 1997}, {"KQvK", 'z', 3000, 5200, 997},
    {"KRvK", 'z', 3000, 7900, 1499}, {"KPvK", 'z', 1000, 4030, 999},
    {"KQvK", 'z', 5227, 5234, 1},
};
enum { RANGES = sizeof ranges / sizeof *ranges };

/* The check of a changed file fails if, and only if, the change gives some position another
 * value. */
START_TEST(wrong_values_are_found)
{
    char name[16];
    snprintf(name, sizeof name, "%s.rtb%c", ranges[_i].material, ranges[_i].kind);
    unsigned wrong = 0;
    for (size_t at = ranges[_i].from; at < ranges[_i].to; at += ranges[_i].step) {
        save_changed(name, at, (uint8_t)(1u << at % 8));
        bool is_right = all_right(ranges[_i].material, ranges[_i].kind);
        treb_status status = verify(ranges[_i].material, true);
        ck_assert_msg(status == (is_right ? TREB_OK : TREB_ERR_DAMAGED), "%s, byte %zu: %d, %s",
                      name, at, status, result.text);
        wrong += !is_right;
        const char *words = ranges[_i].kind == 'w' ? " moves" : " by the .rtbz file, ";
        if (!is_right) ck_assert_msg(strstr(result.text, words) != NULL, "%s", result.text);
    }
    ck_assert_uint_gt(wrong, 0);
}
END_TEST

/* Changes the value of a file that has only one, from draw to win. */
START_TEST(wrong_constant_is_found)
{
    enum { AT_CONSTANT = 11 };
    save_changed("KBvK.rtbw", AT_CONSTANT, TREB_DRAW ^ TREB_WIN);
    for (int full = 0; full < 2; full++) {
        ck_assert_int_eq(verify("KBvK", full), TREB_ERR_DAMAGED);
        ck_assert_uint_gt(result.errors, 1000);
        ck_assert_ptr_nonnull(strstr(result.text, "the .rtbw file says win, the moves say "));
    }
}
END_TEST

/* With both kings on the long diagonal, a position and its mirror image have different cells. */
START_TEST(wrong_twin_is_found)
{
    save_changed("KNNvK.rtbw", 1280, 1 << 6);
    ck_assert_int_eq(verify("KNNvK", true), TREB_ERR_DAMAGED);
    ck_assert_msg(strstr(result.text, " for its mirror image") != NULL, "%s", result.text);
}
END_TEST

static void flip(const char *name, size_t at)
{
    Bytes bytes;
    load(directory, name, &bytes);
    bytes.at[at] ^= 1;
    save(name, &bytes);
}

START_TEST(damage_is_named)
{
    static const char *const name[] = {"KRvK.rtbw", "KRvK.rtbz"};
    for (int m = 0; m < 2; m++)
        for (int header = 0; header < 2; header++)
            for (int full = 0; full < 2; full++) {
                size_t at = header ? 5 : 190;
                flip(name[m], at);
                ck_assert_int_eq(verify("KRvK", full), TREB_ERR_DAMAGED);
                ck_assert_msg(strstr(result.text, name[m]) != NULL, "%s", result.text);
                ck_assert_uint_eq(result.errors, 1);
                flip(name[m], at);
            }
    ck_assert_int_eq(verify("KRvK", true), TREB_OK);
    flip("KQvK.rtbw", 5);
    ck_assert_int_eq(verify("KPvK", true), TREB_ERR_DAMAGED);
    ck_assert_ptr_nonnull(strstr(result.text, "KQvK.rtbw"));
}
END_TEST

START_TEST(verdicts_alone)
{
    remove_copy("KRvK.rtbz");
    for (int full = 0; full < 2; full++) {
        ck_assert_msg(verify("KRvK", full) == TREB_OK, "%s", result.text);
        ck_assert(result.wdl_only && !result.rule_proved);
        ck_assert_uint_eq(result.metrics, 1 << TREB_WDL);
    }
    save_changed("KRvK.rtbw", 143, 8);
    ck_assert(!all_right("KRvK", 'w'));
    ck_assert_int_eq(verify("KRvK", true), TREB_ERR_DAMAGED);
}
END_TEST

START_TEST(missing_files_are_named)
{
    remove_copy("KQvK.rtbw");
    for (int full = 0; full < 2; full++) {
        ck_assert_int_eq(verify("KQvK", full), TREB_ERR_NO_TABLE);
        ck_assert_str_eq(result.text, "KQvK.rtbw is not installed");
        ck_assert_int_eq(verify("KPvK", full), TREB_ERR_NO_TABLE);
        ck_assert_str_eq(result.text, "KQvK.rtbw is needed but not installed");
    }
}
END_TEST

/* Files of fewer men may be of either kind, also if Trebuchet's files are checked. */
START_TEST(kinds_may_be_mixed)
{
    const NaiveLayout layout = {.per_byte = 3, .block_bits = 10, .side = TREB_BLACK};
    remove_copy("KQvK.rtbw");
    ck_assert(naive_write(naive_of("KQvK"), directory, TREB_WDL, &layout));
    for (int full = 0; full < 2; full++)
        ck_assert_msg(verify("KPvK", full) == TREB_OK, "%s", result.text);
    for (int m = TREB_WDL; m <= TREB_DTC; m++)
        ck_assert(naive_write(naive_of("KPvK"), directory, (treb_metric)m, &layout));
    const char *dirs[] = {directory};
    for (int full = 0; full < 2; full++) {
        VerifyOptions options = {.dirs = dirs, .dirs_count = 1, .full = full};
        verify_material(naive_material(root), &options, &result);
        /* The headers of these tables have no counts. Wrong counts are reported after all
         * positions, so this message means that no position is wrong. */
        if (full)
            ck_assert_msg(strstr(result.text, "KPvK.wdl.treb: says 0 ") != NULL, "%s", result.text);
        else
            ck_assert_str_eq(result.text, "");
        ck_assert_uint_eq(result.metrics, 7);
    }
    remove_copy("KRvK.rtbw");
    ck_assert_int_eq(verify("KPvK", true), TREB_ERR_NO_TABLE);
}
END_TEST

static bool give_up(void *context, const char *phase, uint64_t done, uint64_t total)
{
    ck_assert_uint_le(done, total);
    ck_assert_ptr_nonnull(phase);
    return --*(int *)context > 0;
}

START_TEST(ends_on_request_or_for_want_of_memory)
{
    const char *dirs[] = {directory};
    VerifyOptions options = {
        .dirs = dirs, .dirs_count = 1, .syzygy = true, .full = true, .progress = give_up};
    const Material *m = naive_material(root);
    for (int calls = 1; calls < 60; calls += 7) {
        int left = calls;
        options.context = &left;
        ck_assert_int_eq(verify_material(m, &options, &result), TREB_ERR_ARGUMENT);
        ck_assert_int_eq(left, 0);
    }
    options.progress = NULL;
    options.memory = 1 << 12;
    ck_assert_int_eq(verify_material(m, &options, &result), TREB_ERR_MEMORY);
    ck_assert_ptr_nonnull(strstr(result.text, "needs more memory"));
}
END_TEST

/* ---- Checksums alone ------------------------------------------------------------------------- */

typedef struct Told {
    size_t count;
    VerifyChecksum result[32];
} Told;

static void on_checked(void *context, size_t number, const VerifyChecksum *checked)
{
    Told *told = context;
    ck_assert_uint_eq(number, told->count);
    told->result[told->count++] = *checked;
}

START_TEST(checksums_alone)
{
    static const struct {
        const char *name;
        treb_status status;
    } files[] = {
        {"KPvK.rtbw", TREB_OK},
        {"KQvK.rtbw", TREB_ERR_DAMAGED},
        {"KQvK.rtbz", TREB_OK},
        {"KRvK.rtbz", TREB_ERR_DAMAGED},
        {"KRvK.rtbw", TREB_ERR_NO_TABLE},
        {"KPvK.dtz.treb", TREB_OK},
        {"KPvK.wdl.treb", TREB_ERR_DAMAGED},
    };
    enum { FILES = sizeof files / sizeof *files };
    const NaiveLayout layout = {.per_byte = 3, .block_bits = 10, .side = TREB_BLACK};
    char path[FILES][2 * PATH_SIZE];
    const char *paths[FILES];
    for (int m = TREB_WDL; m <= TREB_DTZ; m++)
        ck_assert(naive_write(root, directory, (treb_metric)m, &layout));
    flip("KQvK.rtbw", 200); /* a block */
    flip("KRvK.rtbz", 4);   /* the header */
    flip("KPvK.wdl.treb", 1500);
    remove_copy("KRvK.rtbw");
    for (int i = 0; i < FILES; i++) {
        snprintf(path[i], sizeof path[i], "%s/%s", directory, files[i].name);
        paths[i] = path[i];
    }
    for (unsigned threads = 1; threads < 4; threads++) {
        Told told = {0};
        VerifyOptions options = {.threads = threads};
        ck_assert_int_eq(verify_checksums(paths, FILES, &options, on_checked, &told), TREB_OK);
        ck_assert_uint_eq(told.count, FILES);
        for (int i = 0; i < FILES; i++) {
            const VerifyChecksum *r = &told.result[i];
            ck_assert_msg(r->status == files[i].status, "%s: %s", paths[i], r->text);
            ck_assert((r->status == TREB_OK) == (r->text[0] == '\0'));
            ck_assert((r->status == TREB_ERR_NO_TABLE) == (r->bytes == 0));
            if (r->status != TREB_OK) ck_assert_ptr_nonnull(strstr(r->text, files[i].name));
        }
    }
    Told told = {0};
    int left = 3;
    VerifyOptions options = {.threads = 1, .progress = give_up, .context = &left};
    ck_assert_int_eq(verify_checksums(paths, FILES, &options, on_checked, &told),
                     TREB_ERR_ARGUMENT);
    ck_assert_uint_eq(told.count, 1);
}
END_TEST

int main(void)
{
    root = naive_solve("KPvK");
    solved[0] = root;
    solved[1] = naive_promoted(root, TREB_QUEEN);
    solved[2] = naive_promoted(root, TREB_ROOK);
    Suite *suite = suite_create("verifying Syzygy's files");
    TCase *tests = add_case(suite, "values");
    tcase_add_checked_fixture(tests, copy_fixtures, remove_copies);
    tcase_add_loop_test(tests, right_files_pass, 0, MATERIALS);
    tcase_add_loop_test(tests, wrong_values_are_found, 0, RANGES);
    tcase_add_test(tests, wrong_constant_is_found);
    tcase_add_test(tests, wrong_twin_is_found);
    tcase_add_test(tests, verdicts_alone);
    tests = add_case(suite, "files");
    tcase_add_checked_fixture(tests, copy_fixtures, remove_copies);
    tcase_add_test(tests, damage_is_named);
    tcase_add_test(tests, missing_files_are_named);
    tcase_add_test(tests, kinds_may_be_mixed);
    tcase_add_test(tests, ends_on_request_or_for_want_of_memory);
    tcase_add_test(tests, checksums_alone);
    return run_suite(suite);
}
