/* test_table_memory.c - table files when memory is out: a table is written completely or not at
 * all, and reading gives the right result or an error. */
#define _DEFAULT_SOURCE
#define _FILE_OFFSET_BITS 64
#include "core/system/error.h"
#include "tests/support/failing_alloc.h"
#include "tests/support/table_sample.h"

/* The result of a run. The bytes of the good file are made before, so that runs need no memory for
 * them. */
typedef struct Outcome {
    const Sample *sample;
    Arrival arrival;
    char path[PATH_SIZE];
    uint8_t *good, *packed, *block;
    size_t good_size;
    treb_status status;
    treb_error error;
    bool as_written; /* what was read equals what was written */
} Outcome;

/* Checks the status of a run that was out of memory: nothing was damaged or missing. */
static void check_status(const Outcome *o, bool failed)
{
    if (!failed || o->status == TREB_OK) {
        ck_assert_msg(o->status == TREB_OK, "%s", o->error.text);
        return;
    }
    ck_assert_msg(o->status == TREB_ERR_MEMORY, "status %d: %s", o->status, o->error.text);
    ck_assert_int_eq(o->error.status, TREB_ERR_MEMORY);
    ck_assert_msg(strstr(o->error.text, "out of memory") != NULL, "%s", o->error.text);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static treb_status add_blocks(Outcome *o, TableWriter *writer, TableEncoder *encoder)
{
    const TableHeader *h = &o->sample->header;
    for (uint64_t i = 0; i < format_first_entry(h, 2); i++) {
        uint64_t block;
        int side = arrival_block(h, o->arrival, i, &block);
        const uint8_t *bytes = o->sample->data[side] + (block << h->block_bits);
        size_t size = format_block_size(h, block);
        size_t got = table_encode_block(encoder, bytes, size, o->packed, table_block_bound(h));
        if (got == 0) return fail_memory(&o->error);
        treb_status status = table_writer_add(writer, side, block, o->packed, got,
                                              table_block_checksum(bytes, size), &o->error);
        if (status != TREB_OK) return status;
    }
    return TREB_OK;
}

static void write_table(void *context)
{
    Outcome *o = context;
    const Sample *sample = o->sample;
    o->error = (treb_error){0};
    TableEncoder *encoder = table_encoder_new(LEVEL, sample->dictionary, sample->dictionary_size);
    TableWriter *writer = table_writer_open(directory, &sample->header, sample->dictionary,
                                            sample->dictionary_size, &o->error);
    o->status = writer == NULL    ? o->error.status
                : encoder == NULL ? fail_memory(&o->error)
                                  : add_blocks(o, writer, encoder);
    if (o->status == TREB_OK)
        o->status = table_writer_finish(writer, &sample->header, NULL, &o->error);
    else
        table_writer_abort(writer);
    table_encoder_free(encoder);
}

static void check_written(void *context, bool failed)
{
    Outcome *o = context;
    check_status(o, failed);
    ck_assert_int_eq(count_files(), o->status == TREB_OK);
    if (o->status != TREB_OK) return;
    size_t size;
    uint8_t *bytes = load(o->path, &size);
    ck_assert_uint_eq(size, o->good_size);
    ck_assert_mem_eq(bytes, o->good, size);
    free(bytes);
    ck_assert_int_eq(unlink(o->path), 0);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static treb_status read_side(Outcome *o, const Table *table, TableDecoder *decoder, int side)
{
    const TableHeader *h = table_header(table);
    for (uint64_t b = 0; b < table_side_blocks(h); b++) {
        treb_status status = table_read_block(table, decoder, side, b, o->block, &o->error);
        if (status != TREB_OK) return status;
        const uint8_t *wanted = o->sample->data[side] + (b << h->block_bits);
        if (memcmp(o->block, wanted, format_block_size(h, b)) != 0) o->as_written = false;
    }
    return TREB_OK;
}

static void read_table(void *context)
{
    Outcome *o = context;
    o->error = (treb_error){0};
    o->as_written = true;
    Table *table = table_open(o->path, &o->error);
    TableDecoder *decoder = table_decoder_new();
    o->status = table == NULL     ? o->error.status
                : decoder == NULL ? fail_memory(&o->error)
                                  : TREB_OK;
    for (int side = 0; side < 2 && o->status == TREB_OK; side++)
        if (o->sample->data[side] != NULL) o->status = read_side(o, table, decoder, side);
    table_decoder_free(decoder);
    table_close(table);
}

static void check_read(void *context, bool failed)
{
    Outcome *o = context;
    check_status(o, failed);
    ck_assert(o->as_written);
}

/* ---- The tests ------------------------------------------------------------------------------- */

static Outcome start(const Sample *sample)
{
    Outcome o = {.sample = sample};
    path_of_sample(sample, o.path);
    must_write(sample, IN_ORDER);
    o.good = load(o.path, &o.good_size);
    o.packed = malloc(table_block_bound(&sample->header));
    o.block = malloc((size_t)1 << sample->header.block_bits);
    ck_assert(o.packed != NULL && o.block != NULL);
    return o;
}

static void sweep(Sample sample)
{
    Outcome o = start(&sample);
    AllocTest reading = {.work = read_table, .check = check_read, .context = &o, .most = 100};
    ck_assert_uint_gt(alloc_sweep(&reading), 4);
    ck_assert_int_eq(unlink(o.path), 0);
    AllocTest writing = {.work = write_table, .check = check_written, .context = &o, .most = 100};
    for (o.arrival = IN_ORDER; o.arrival < ARRIVALS; o.arrival++)
        ck_assert_uint_gt(alloc_sweep(&writing), 6);
    free(o.good);
    free(o.packed);
    free(o.block);
    free_sample(&sample);
}

START_TEST(verdicts) { sweep(make_sample("KQvK", TREB_WDL, 1, 1, 3)); }
END_TEST

START_TEST(distances) { sweep(make_sample("KRvK", TREB_DTM, 1, 2, 3)); }
END_TEST

START_TEST(blocked) { sweep(make_blocked_sample(GOAL_EXACT, 2)); }
END_TEST

START_TEST(with_a_dictionary)
{
    Sample sample = make_sample("KQvK", TREB_WDL, 1, 1, 1);
    sample.dictionary_size = 2000;
    sample.dictionary = malloc(sample.dictionary_size);
    memcpy(sample.dictionary, sample.data[0], sample.dictionary_size);
    sweep(sample);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("table files without memory");
    TCase *tests = add_case(suite, "sweeps", make_directory, remove_directory);
    tcase_add_test(tests, verdicts);
    tcase_add_test(tests, distances);
    tcase_add_test(tests, blocked);
    tcase_add_test(tests, with_a_dictionary);
    return run_suite(suite);
}
