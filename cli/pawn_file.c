/* pawn_file.c - see pawn_file.h. */
#include "cli/pawn_file.h"

#include "cli/output.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/text.h"

bool cli_pawn_file_value(void *tables, const treb_position *pos, int *out)
{
    treb_wdl wdl;
    if (treb_probe_wdl(tables, pos, &wdl, NULL) != TREB_OK) return false;
    *out = wdl == TREB_WIN ? 1 : wdl == TREB_LOSS ? -1 : 0;
    return true;
}

typedef struct Writing {
    CliProgress progress;
    const atomic_bool *stop;
} Writing;

static bool tell(void *writing, uint64_t done, uint64_t structures)
{
    Writing *w = writing;
    cli_progress_share(&w->progress, done, structures, "writing");
    return atomic_load(w->stop);
}

int cli_pawn_file_write(FILE *out, Solve *s, const char *directory, bool quiet)
{
    char structures[32], positions[32], open[32], size[16], time[16];
    PawnFileWritten written;
    treb_error error;
    const double start = clock_seconds();
    Writing writing = {.stop = cli_catch_signals()};
    cli_progress_start(&writing.progress, "solve", quiet);
    treb_status status =
        pawn_file_write(s, cli_pawn_file_value, directory, tell, &writing, &written, &error);
    cli_progress_clear(&writing.progress);
    if (written.stopped) {
        cli_error("solve", "stopped; %s/%s is not written", directory, written.name);
        return CLI_STOPPED;
    }
    if (status != TREB_OK) return cli_fail("solve", &error);
    cli_format_count(written.structures, structures);
    cli_format_count(written.positions, positions);
    cli_format_count(written.open, open);
    cli_format_size(written.bytes, size);
    cli_format_time(clock_seconds() - start, time);
    fprintf(out, "\nWrote %s/%s: %s pawn structures, %s positions, %s of them open; %s, %s.\n",
            directory, written.name, structures, positions, open, size, time);
    return CLI_OK;
}
