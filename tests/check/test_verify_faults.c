/* test_verify_faults.c - if a table cannot be read, the verifier uses no value of it, and reports
 * the file and no position. */
#define _DEFAULT_SOURCE
#include "check/verify/checksum.h"
#include "tests/support/three_men.h"

/* Damages one block that zstd packed. Returns the number of the block. */
static uint64_t damage_block(const char *name)
{
    char path[PATH_SIZE];
    path_of(name, path);
    damage_middle(path);
    treb_error error;
    Table *table = table_open(path, &error);
    TableDecoder *decoder = table_decoder_new();
    uint8_t out[1024];
    uint64_t block = 0;
    ck_assert(table != NULL && decoder != NULL);
    while (table_read_block(table, decoder, 0, block, out, &error) == TREB_OK) block++;
    ck_assert_int_eq(error.status, TREB_ERR_DAMAGED);
    table_decoder_free(decoder);
    table_close(table);
    return block;
}

/* If one thread fails to unpack a side, the others read it block by block. They get correct values,
 * or the error. */
START_TEST(half_read_side_is_not_used)
{
    const char *dirs[] = {directory};
    VerifyOptions options = {.dirs = dirs, .dirs_count = 1};
    VerifyStore store;
    treb_error error = {0};
    write_tables(KR, KR, false);
    uint64_t bad = damage_block("KRvK.dtm.treb");
    ck_assert_uint_gt(bad, 0);
    ck_assert_int_eq(verify_store_open(&store, &truth[KR].index.material, &options, &error),
                     TREB_OK);
    VerifyFile *file = &store.entry[0]->file[TREB_DTM];
    VerifyReader *first = verify_reader_new(&store), *second = verify_reader_new(&store);
    size_t cell = find(&truth[KR], 0, TREB_WIN, 9);
    unsigned bits = file->header->block_bits;
    ck_assert_uint_ne(cell >> bits, bad);
    verify_code(first, file, 0, bad << bits);
    ck_assert_int_eq(first->error.status, TREB_ERR_DAMAGED);
    ck_assert_uint_eq(store.memory.used, 0);
    ck_assert_uint_eq(verify_code(second, file, 0, cell), 9);
    ck_assert_int_eq(second->error.status, TREB_OK);
    verify_code(second, file, 0, bad << bits);
    ck_assert_int_eq(second->error.status, TREB_ERR_DAMAGED);
    verify_reader_free(first);
    verify_reader_free(second);
    verify_store_close(&store);
}
END_TEST

/* The table is correct, but a table that it leads to is missing or damaged. */
START_TEST(only_positions_that_are_wrong_are_counted)
{
    bool full = _i & 1, missing = _i & 2;
    char path[PATH_SIZE];
    const char *dirs[] = {directory};
    VerifyResult result;
    VerifyOptions options = {.dirs = dirs, .dirs_count = 1, .full = full, .share = 1, .threads = 2};
    write_tables(KQ, KP, false);
    path_of("KQvK.dtm.treb", path);
    if (missing)
        ck_assert_int_eq(unlink(path), 0);
    else
        damage_block("KQvK.dtm.treb");
    treb_status status = verify_material(&truth[KP].index.material, &options, &result);
    ck_assert_int_eq(status, missing ? TREB_ERR_NO_TABLE : TREB_ERR_DAMAGED);
    ck_assert_msg(strstr(result.text, "KQvK.dtm.treb") != NULL, "%s", result.text);
    /* A damaged file counts as one error. */
    ck_assert_uint_eq(result.errors, !missing);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tables that cannot be read");
    TCase *tests = add_case(suite, "faults", make_directory, remove_directory);
    solve_all();
    tcase_add_test(tests, half_read_side_is_not_used);
    tcase_add_loop_test(tests, only_positions_that_are_wrong_are_counted, 0, 4);
    return run_suite(suite);
}
