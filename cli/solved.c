/* solved.c - see solved.h. */
#include "cli/solved.h"

#include "cli/progress.h"

bool solved_table_value(void *tables, const treb_position *pos, int *out)
{
    treb_wdl wdl;
    if (treb_probe_wdl(tables, pos, &wdl, NULL) != TREB_OK) return false;
    *out = wdl == TREB_WIN ? 1 : wdl == TREB_LOSS ? -1 : 0;
    return true;
}

int solve_write_file(FILE *out, Solve *s, const char *directory, bool quiet)
{
    char structures[32], positions[32], open[32], size[16], time[16];
    SolvedWritten written;
    treb_error error;
    CliProgress progress;
    const double start = cli_seconds();
    cli_progress_start(&progress, "solve", quiet);
    cli_progress_tell(&progress, "writing");
    treb_status status = solved_write(s, solved_table_value, directory, &written, &error);
    cli_progress_clear(&progress);
    if (status != TREB_OK) return cli_fail("solve", &error, NULL);
    cli_format_count(written.structures, structures);
    cli_format_count(written.positions, positions);
    cli_format_count(written.open, open);
    cli_format_size(written.bytes, size);
    cli_format_time(cli_seconds() - start, time);
    fprintf(out, "\nWrote %s/%s: %s structures, %s positions, of which %s open; %s, %s.\n",
            directory, written.name, structures, positions, open, size, time);
    return CLI_OK;
}
