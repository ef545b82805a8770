/* verify_checksums.c - see verify_checksums.h. */
#include "cli/verify_checksums.h"

#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/text.h"
#include "cli/verify_pawns.h"

typedef struct ChecksumRun {
    const char **path;
    size_t count; /* number of files that exist */
    const atomic_bool *stop;
    bool quiet;
    CliProgress progress;
    size_t right, wrong, unchecked, missing;
    uint64_t bytes;
} ChecksumRun;

static bool on_progress(void *context, const char *phase, uint64_t done, uint64_t total)
{
    ChecksumRun *run = context;
    cli_progress_share(&run->progress, done, total, "%s:", phase);
    return !atomic_load(run->stop);
}

static void print_json(const char *path, const VerifyChecksum *result)
{
    json_t *object = verify_event("checksum", "file", path, result->status);
    json_object_set_new(object, "bytes", json_integer((json_int_t)result->bytes));
    json_object_set_new(object, "seconds", cli_json_real(result->seconds, 3));
    json_object_set_new(object, "text", cli_json_text(result->text));
    cli_json_line("verify", object);
}

static void print_line(const ChecksumRun *run, const char *path, const VerifyChecksum *result)
{
    char size[16];
    cli_format_size(result->bytes, size);
    if (result->status == TREB_OK && run->quiet) return;
    if (result->status == TREB_OK)
        printf("%s right: %s, %.2f s\n", path, size, result->seconds);
    else
        printf("%s %s: %s\n", path, result->status == TREB_ERR_DAMAGED ? "WRONG" : "not checked",
               result->text);
}

static void count_file(ChecksumRun *run, const char *path, const VerifyChecksum *result)
{
    run->right += result->status == TREB_OK;
    run->wrong += result->status == TREB_ERR_DAMAGED;
    run->missing += result->status == TREB_ERR_NO_TABLE;
    run->unchecked += result->status != TREB_OK && result->status != TREB_ERR_DAMAGED &&
                      result->status != TREB_ERR_NO_TABLE;
    run->bytes += result->bytes;
    cli_progress_clear(&run->progress);
    if (cli_json_wanted())
        print_json(path, result);
    else
        print_line(run, path, result);
    fflush(stdout);
}

static void on_checked(void *context, size_t number, const VerifyChecksum *result)
{
    ChecksumRun *run = context;
    count_file(run, run->path[number], result);
}

static void print_done(const ChecksumRun *run, double seconds)
{
    size_t files = run->right + run->wrong + run->unchecked + run->missing;
    char size[16], time[16];
    cli_format_size(run->bytes, size);
    cli_format_time(seconds, time);
    if (cli_json_wanted()) {
        json_t *object = json_object();
        json_object_set_new(object, "event", json_string("done"));
        json_object_set_new(object, "files", json_integer((json_int_t)files));
        json_object_set_new(object, "right", json_integer((json_int_t)run->right));
        json_object_set_new(object, "wrong", json_integer((json_int_t)run->wrong));
        json_object_set_new(object, "not_checked",
                            json_integer((json_int_t)(run->unchecked + run->missing)));
        json_object_set_new(object, "bytes", json_integer((json_int_t)run->bytes));
        json_object_set_new(object, "seconds", cli_json_real(seconds, 3));
        cli_json_line("verify", object);
    } else if (!run->quiet) {
        printf("\n%zu file%s: %zu right, %zu wrong, %zu not checked; %s, %s\n", files,
               files == 1 ? "" : "s", run->right, run->wrong, run->unchecked + run->missing, size,
               time);
    }
}

static int run_files(ChecksumRun *run, const VerifyOptions *options)
{
    VerifyOptions own = *options;
    double start = clock_seconds();
    own.progress = on_progress;
    own.context = run;
    treb_status status = verify_checksums(run->path, run->count, &own, on_checked, run);
    cli_progress_clear(&run->progress);
    if (atomic_load(run->stop)) {
        cli_error("verify", "stopped after %zu of %zu", run->right + run->wrong + run->unchecked,
                  run->count);
        return CLI_STOPPED;
    }
    if (status != TREB_OK) return cli_no_memory("verify");
    print_done(run, clock_seconds() - start);
    return run->wrong + run->unchecked ? CLI_FAILED : run->missing ? CLI_NO_TABLE : CLI_OK;
}

int verify_checksums_run(const VerifyList *list, const VerifyOptions *options, bool quiet)
{
    ChecksumRun run = {.path = calloc(list->count + 1, sizeof *run.path),
                       .stop = cli_catch_signals(),
                       .quiet = quiet};
    if (run.path == NULL) return cli_no_memory("verify");
    cli_progress_start(&run.progress, "verify", quiet);
    for (size_t i = 0; i < list->count; i++) {
        const VerifyListed *file = &list->file[i];
        const VerifyChecksum none = {.status = TREB_ERR_NO_TABLE, .text = "no table is installed"};
        if (file->path != NULL)
            run.path[run.count++] = file->path;
        else
            count_file(&run, file->material, &none);
    }
    int code = run_files(&run, options);
    free(run.path);
    return code;
}
