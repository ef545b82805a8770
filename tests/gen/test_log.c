/* test_log.c - writes sets of cells to logs, in memory and on the disk, and reads them again. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/hash.h"
#include "core/system/memory_layout.h"
#include "gen/solve/kernel.h"
#include "gen/solve/log.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

enum { STREAMS = 5, ENTRIES = 40, MEBI = 1 << 20 };

/* State of the random numbers. Every run gets identical ones. */
static uint64_t seed;

static const size_t sizes[] = {1, 8, 64, 4096};

/* The sets written: one for each stream and entry. Empty ones are left out. */
typedef struct Written {
    size_t words;
    MemoryBudget budget;
    LogSpace *space;
    Log *log;
    LogBuffer buffer;
    void *memory;
    uint64_t *set[STREAMS][ENTRIES];
    unsigned tag[STREAMS][ENTRIES];
} Written;

/* Makes a set: empty, full, a single cell or something between, in some row blocks. */
static void random_set(size_t words, uint64_t *set, uint64_t *row_blocks)
{
    uint64_t kind = next_random(&seed) % 5;
    memset(set, 0, words * sizeof *set);
    *row_blocks = words < 4096 || next_random(&seed) % 2 ? KERNEL_ALL
                                                         : next_random(&seed) & next_random(&seed);
    for (size_t w = 0; w < words; w++) {
        uint64_t thin = next_random(&seed) & next_random(&seed) & next_random(&seed);
        bool in = words < 4096 || *row_blocks >> (w / (words / 64)) & 1;
        if (!in || kind == 0) continue;
        set[w] = kind == 1   ? UINT64_MAX
                 : kind == 2 ? thin
                 : kind == 3
                     ? next_random(&seed) % 50 == 0 ? thin : 0
                     : (uint64_t)(next_random(&seed) % words == 0) << next_random(&seed) % 64;
    }
}

static uint32_t *list_cells(const uint64_t *set, size_t words, size_t *count)
{
    uint32_t *cell = malloc((64 * words + 1) * sizeof *cell);
    ck_assert_ptr_nonnull(cell);
    *count = 0;
    for (size_t i = 0; i < 64 * words; i++)
        if (set[i / 64] >> i % 64 & 1) cell[(*count)++] = (uint32_t)i;
    return cell;
}

static void add_entry(Written *w, uint32_t stream, int entry, uint64_t row_blocks)
{
    treb_error error;
    treb_status status;
    uint64_t *set = w->set[stream][entry], *noisy = aligned_alloc(64, (w->words * 8 + 63) & ~63ul);
    if (entry % 2) {
        size_t count;
        uint32_t *cell = list_cells(set, w->words, &count);
        status =
            log_add_cells(w->log, stream, w->tag[stream][entry], cell, count, &w->buffer, &error);
        free(cell);
    } else {
        /* The content of other row blocks must not matter. */
        for (size_t i = 0; i < w->words; i++)
            noisy[i] =
                w->words < 4096 || row_blocks >> (i / (w->words / 64)) & 1 ? set[i] : UINT64_MAX;
        status =
            log_add(w->log, stream, w->tag[stream][entry], noisy, row_blocks, &w->buffer, &error);
    }
    free(noisy);
    ck_assert_int_eq(status, TREB_OK);
}

static void write_all(Written *w)
{
    for (int e = 0; e < ENTRIES; e++)
        for (uint32_t s = 0; s < STREAMS; s++) {
            uint64_t row_blocks;
            random_set(w->words, w->set[s][e], &row_blocks);
            w->tag[s][e] = (unsigned)(e * 200 + (int)(next_random(&seed) % 200));
            add_entry(w, s, e, row_blocks);
        }
}

static void init_log(Written *w, size_t words)
{
    MemoryLayout arrays = {NULL, 0};
    *w = (Written){.words = words};
    budget_init(&w->budget, (uint64_t)64 * MEBI);
    log_buffer_place(&w->buffer, words, &arrays);
    ck_assert_ptr_nonnull(w->memory = budget_alloc(&w->budget, arrays.size));
    arrays = (MemoryLayout){w->memory, 0};
    log_buffer_place(&w->buffer, words, &arrays);
    for (int i = 0; i < STREAMS * ENTRIES; i++)
        ck_assert_ptr_nonnull(w->set[i / ENTRIES][i % ENTRIES] =
                                  aligned_alloc(64, (words * 8 + 63) & ~63ul));
}

static void free_log(Written *w)
{
    log_space_free(w->space);
    budget_free(w->memory);
    for (int i = 0; i < STREAMS * ENTRIES; i++) free(w->set[i / ENTRIES][i % ENTRIES]);
    ck_assert_uint_eq(w->budget.held, 0);
}

static bool is_empty(const uint64_t *set, size_t words)
{
    for (size_t w = 0; w < words; w++)
        if (set[w]) return false;
    return true;
}

/* Compares an entry with the set written: as a set, row block by row block, and as distances. */
static void check_entry(const Written *w, const LogEntry *entry, uint32_t stream, int e)
{
    const size_t words = w->words;
    const uint64_t *want = w->set[stream][e];
    uint64_t *set = aligned_alloc(64, (words * 8 + 63) & ~63ul);
    Plies *plies = aligned_alloc(64, 64 * words * sizeof *plies);
    ck_assert_uint_eq(entry->tag, w->tag[stream][e]);
    for (size_t i = 0; i < words; i++) set[i] = i % 3;
    log_entry_or(w->log, entry, set);
    for (size_t i = 0; i < words; i++)
        if (set[i] != (want[i] | i % 3)) ck_abort_msg("or: word %zu", i);
    memset(set, 0xff, words * sizeof *set);
    uint64_t row_blocks = log_entry_get(w->log, entry, set);
    for (size_t i = 0; i < words; i++) {
        bool in = words < 4096 || row_blocks >> (i / (words / 64)) & 1;
        if (set[i] != (in ? want[i] : UINT64_MAX) || (!in && want[i]))
            ck_abort_msg("get: word %zu", i);
    }
    for (size_t i = 0; i < 64 * words; i++) plies[i] = 7;
    log_entry_mark(w->log, entry, 3000, plies);
    for (size_t i = 0; i < 64 * words; i++)
        if (plies[i] != (want[i / 64] >> i % 64 & 1 ? 3000 : 7)) ck_abort_msg("mark: cell %zu", i);
    free(set);
    free(plies);
}

static void check_stream(Written *w, uint32_t stream)
{
    LogReader reader;
    LogEntry entry;
    treb_error error;
    log_read(&reader, w->log, stream, &w->buffer);
    for (int e = 0; e < ENTRIES; e++) {
        if (is_empty(w->set[stream][e], w->words)) continue;
        ck_assert(log_may_have(w->log, stream, w->tag[stream][e]));
        ck_assert_int_eq(log_next(&reader, &entry, &error), TREB_OK);
        ck_assert_ptr_nonnull(entry.bytes);
        check_entry(w, &entry, stream, e);
    }
    ck_assert_int_eq(log_next(&reader, &entry, &error), TREB_OK);
    ck_assert_ptr_null(entry.bytes);
}

/* Reads all streams in turn, each entry when its tag is due. */
static void check_due(Written *w)
{
    treb_error error;
    LogEntry entry;
    for (uint32_t s = 0; s < STREAMS; s++) log_rewind(w->log, s);
    for (int e = 0; e < ENTRIES; e++)
        for (uint32_t s = 0; s < STREAMS; s++) {
            if (is_empty(w->set[s][e], w->words)) continue;
            ck_assert_uint_eq(log_due(w->log, s), w->tag[s][e]);
            ck_assert_int_eq(log_take(w->log, s, &w->buffer, &entry, &error), TREB_OK);
            check_entry(w, &entry, s, e);
        }
    for (uint32_t s = 0; s < STREAMS; s++) ck_assert_uint_eq(log_due(w->log, s), LOG_TAGS);
}

/* The log is in memory, or on the disk as far as possible. The second round uses the buffers that
 * the first left. */
START_TEST(sets)
{
    bool disk = _i % 2;
    seed = 0x2545f4914f6cdd1d + (uint64_t)_i;
    Written w;
    init_log(&w, sizes[_i / 2]);
    LogPlace place = {"/tmp", NULL, &w.budget, disk ? 0 : UINT64_MAX};
    ck_assert_ptr_nonnull(w.space = log_space_new(&place));
    ck_assert_ptr_nonnull(w.log = log_new(w.space, STREAMS, w.words));
    for (int round = 0; round < 2; round++) {
        write_all(&w);
        for (uint32_t s = 0; s < STREAMS; s++) check_stream(&w, s);
        check_due(&w);
        if (w.words >= 64) ck_assert(disk == (log_space_file_bytes(w.space) > 0));
        if (round == 0)
            log_space_clear(w.space);
        else
            log_space_trim(w.space);
        ck_assert_uint_eq(log_space_file_bytes(w.space), 0);
        for (uint32_t s = 0; s < STREAMS; s++) ck_assert(!log_may_have(w.log, s, 0));
    }
    free_log(&w);
}
END_TEST

/* A log is written to a file, its state is saved, and it is freed. A new log then has all entries
 * up to the save, and none added later. */
START_TEST(remembered)
{
    char path[] = "/tmp/treb-log-XXXXXX";
    int made = mkstemp(path);
    treb_error error;
    State state = {0};
    seed = HASH_FACTOR + (uint64_t)_i;
    Written w;
    init_log(&w, sizes[_i]);
    LogPlace place = {"/tmp", path, &w.budget, UINT64_MAX};
    ck_assert_int_ge(made, 0);
    close(made);
    ck_assert_ptr_nonnull(w.space = log_space_new(&place));
    ck_assert_ptr_nonnull(w.log = log_new(w.space, STREAMS, w.words));
    write_all(&w);
    for (uint32_t s = 0; s < STREAMS; s++)
        ck_assert_int_eq(log_write_pending(w.log, s, &w.buffer, &error), TREB_OK);
    ck_assert_int_eq(log_space_sync(w.space, &error), TREB_OK);
    log_space_put(w.space, &state);
    ck_assert(!state.failed);
    for (uint32_t s = 0; s < STREAMS; s++) {
        ck_assert_int_eq(log_add(w.log, s, 9000, w.set[s][0], KERNEL_ALL, &w.buffer, &error),
                         TREB_OK);
        ck_assert_int_eq(log_write_pending(w.log, s, &w.buffer, &error), TREB_OK);
    }
    log_space_free(w.space);
    ck_assert_ptr_nonnull(w.space = log_space_new(&place));
    ck_assert_ptr_nonnull(w.log = log_new(w.space, STREAMS, w.words));
    ck_assert(log_space_get(w.space, &state));
    ck_assert_uint_eq(state.at, state.size);
    for (uint32_t s = 0; s < STREAMS; s++) check_stream(&w, s);
    check_due(&w);
    /* A file that was cut off is noticed. */
    state.at = 0;
    ck_assert_int_eq(truncate(path, 10), 0);
    ck_assert(!log_space_get(w.space, &state));
    state_free(&state);
    free_log(&w);
    unlink(path);
}
END_TEST

/* In each round other streams are long. The buffers left by earlier rounds stay below the limit. */
START_TEST(other_streams)
{
    enum { MANY = 4096, ROUNDS = 4, EACH = 20, LEAST = 1 << 10 };
    const uint64_t keep = (uint64_t)4 * MEBI;
    treb_error error;
    uint64_t set[64], before;
    Written w;
    seed = 0x2545f4914f6cdd1d;
    init_log(&w, 64);
    LogPlace place = {"/tmp", NULL, &w.budget, keep};
    ck_assert_ptr_nonnull(w.space = log_space_new(&place));
    ck_assert_ptr_nonnull(w.log = log_new(w.space, MANY, w.words));
    before = w.budget.held;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (unsigned tag = 0; tag < EACH; tag++)
            for (uint32_t s = round; s < MANY; s += ROUNDS) {
                for (int i = 0; i < 64; i++) set[i] = next_random(&seed);
                ck_assert_int_eq(log_add(w.log, s, tag, set, KERNEL_ALL, &w.buffer, &error),
                                 TREB_OK);
            }
        ck_assert(log_space_file_bytes(w.space) > 0);
        ck_assert_uint_le(w.budget.held - before, keep + (uint64_t)MANY / ROUNDS * 2 * LEAST);
        log_space_clear(w.space);
    }
    free_log(&w);
}
END_TEST

/* The folder of the log does not exist. This is an error, and no entry is lost. */
START_TEST(no_such_folder)
{
    treb_error error;
    uint64_t full[64];
    Written w;
    init_log(&w, 64);
    LogPlace place = {"/no/such/folder", NULL, &w.budget, 0};
    memset(full, 0xff, sizeof full);
    ck_assert_ptr_nonnull(w.space = log_space_new(&place));
    ck_assert_ptr_nonnull(w.log = log_new(w.space, STREAMS, w.words));
    treb_status status = TREB_OK;
    for (unsigned tag = 0; tag < 100 && status == TREB_OK; tag++)
        status = log_add(w.log, 0, tag, full, KERNEL_ALL, &w.buffer, &error);
    ck_assert_int_eq(status, TREB_ERR_IO);
    ck_assert_ptr_nonnull(strstr(error.text, "/no/such/folder"));
    free_log(&w);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("log");
    TCase *tests = tcase_create("log");
    tcase_add_loop_test(tests, sets, 0, 8);
    tcase_add_loop_test(tests, remembered, 0, 4);
    tcase_add_test(tests, other_streams);
    tcase_add_test(tests, no_such_folder);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
