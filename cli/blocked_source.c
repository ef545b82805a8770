/* blocked_source.c - see blocked_source.h. */
#include "cli/blocked_source.h"
#include "pawns/blocked/blocked_file.h"

#include <string.h>
#include <unistd.h>

#include "cli/advice.h"
#include "cli/folders.h"
#include "cli/output.h"
#include "cli/text.h"
#include "core/format/table.h"
#include "core/system/error.h"
#include "core/system/system.h"
#include "pawns/check/blocked_file_check.h"
#include "json/answer_solve.h"

/* ---- Progress -------------------------------------------------------------------------------- */

static bool show_progress(void *context, uint64_t families, uint64_t bytes)
{
    CliProgress *progress = context;
    char size[16];
    if (!cli_progress_due(progress)) return false;
    cli_format_size(bytes, size);
    cli_progress_tell(progress, "%llu pawn structures, %s", (unsigned long long)families, size);
    return false;
}

/* ---- Blocked-pawn tables --------------------------------------------------------------------- */

static uint64_t open_placements(const Blocked *b)
{
    uint64_t count = 0;
    for (int i = 0; i < 128; i++)
        count += (uint64_t)bit_count(b->by_winner[0].open[i / 64][i % 64] |
                                     b->by_winner[1].open[i / 64][i % 64]);
    return count;
}

/* Returns whether the solver may find out more than the file says. */
static bool leaves_open(const BlockedSource *source, const Blocked *b, const BlockedRequest *r)
{
    return source->write != NULL ? b->upper_bounds : !blocked_is_decided(b, r->all);
}

/* Returns the answer of a blocked-pawn table. Returns NULL with TREB_ERR_NO_TABLE if there is none, or
 * with another error. */
static Blocked *find_file(const BlockedSource *source, const BlockedRequest *r, treb_error *error)
{
    if (source->write != NULL) return blocked_file_find(&source->write, 1, r, error);
    return blocked_file_find(source->dirs->dir, source->dirs->count, r, error);
}

/* Checks the file just written, which takes almost no time, and removes it if it is wrong. */
static bool check_written(const char *path)
{
    FileCheck check = {0};
    treb_status status = blocked_file_check(path, &check);
    if (status == TREB_OK) return true;
    if (status != TREB_ERR_DAMAGED) {
        cli_error("blocked", "%s was written but could not be checked: %s", path, check.text);
        return false;
    }
    cli_error("blocked", "%s is wrong and was removed: %s. This is an error in Trebuchet.", path,
              check.text);
    system_delete(path);
    return false;
}

/* Writes the file, unless there is a file that leaves less open. `before` is the number of open
 * placements in that file, or -1 without a file. */
static bool write_file(BlockedSource *source, Blocked *b, int64_t before)
{
    treb_error error;
    char name[TABLE_LONG_NAME_SIZE], path[4400], count[32];
    blocked_file_name(&b->request, name);
    bool settled = blocked_evaluate_captures(b);
    cli_progress_clear(&source->progress);
    if (!settled) {
        cli_error("blocked", "out of memory, or a table could not be read");
        return false;
    }
    uint64_t open = open_placements(b);
    cli_format_count(open, count);
    if (before >= 0 && open > (uint64_t)before) {
        cli_warn("blocked", "kept %s/%s: with these limits more placements would be open (%s)",
                 source->write, name, count);
        return true;
    }
    if (blocked_file_write(b, source->write, &error) != TREB_OK) {
        cli_error("blocked", "%s", error.text);
        return false;
    }
    snprintf(path, sizeof path, "%.4000s/%s", source->write, name);
    if (!check_written(path)) return false;
    if (open > 0)
        cli_warn("blocked",
                 "wrote %s: %s %s open; more --memory, more --pieces or tables of 5 men may decide "
                 "%s",
                 path, count, cli_plural(open, "placement is", "placements are"),
                 cli_plural(open, "it", "them"));
    else
        cli_warn("blocked", "wrote %s%s", path,
                 b->upper_bounds ? ": some distances are upper bounds" : "");
    return true;
}

/* ---- Asking ---------------------------------------------------------------------------------- */

bool blocked_source_open(BlockedSource *source, CliDirs *dirs, TableGoal goal)
{
    source->dirs = dirs;
    if (source->write != NULL) {
        if (!cli_make_folder("blocked", source->write)) return false;
        table_remove_stale(source->write);
    }
    if (goal != GOAL_EXACT) {
        cli_dirs_default(dirs);
        return true;
    }
    source->tables = cli_open_tables("blocked", dirs);
    return source->tables != NULL;
}

void blocked_source_close(BlockedSource *source)
{
    (void)cli_close_tables("blocked", source->tables, CLI_OK);
}

static Blocked *solve(BlockedSource *source, const BlockedRequest *request, int *code)
{
    treb_error error;
    BlockedRequest r = *request;
    cli_progress_start(&source->progress, "blocked", source->quiet);
    r.limits.stop = show_progress;
    r.limits.stop_context = &source->progress;
    if (r.goal == GOAL_EXACT) answer_use_tables(source->tables, &r.limits);
    Blocked *b = blocked_solve(&r, &error);
    cli_progress_clear(&source->progress);
    if (b != NULL) return b;
    cli_error("blocked", "%s", error.text);
    *code = error.status == TREB_ERR_POSITION ? CLI_USAGE : CLI_FAILED;
    return NULL;
}

Blocked *blocked_source_answer(BlockedSource *source, BlockedRequest *r, int *code)
{
    char why[BLOCKED_WHY_SIZE];
    treb_error error;
    int64_t before = -1;
    if (blocked_check(&r->pos, why) != TREB_OK) {
        cli_error("blocked", "%s", why);
        *code = CLI_USAGE;
        return NULL;
    }
    Blocked *b = source->solve ? NULL : find_file(source, r, &error);
    if (b != NULL && !leaves_open(source, b, r)) {
        cli_warn("blocked", "answered from %s%s", b->file,
                 source->write ? ", which exists already; --solve makes it again" : "");
        return b;
    }
    if (b != NULL) before = (int64_t)open_placements(b);
    if (b == NULL && !source->solve && error.status != TREB_ERR_NO_TABLE)
        cli_warn("blocked", "warning: %s; solving the position instead", error.text);
    blocked_free(b);
    if (source->write != NULL) {
        r->all = true;
        r->region[0] = r->region[1] = UINT64_MAX;
    }
    b = solve(source, r, code);
    if (b != NULL && source->write != NULL && !write_file(source, b, before)) {
        *code = CLI_FAILED;
        blocked_free(b);
        b = NULL;
    }
    /* On a terminal the progress line would disturb the output that follows. */
    if (source->progress.terminal) source->progress.on = false;
    return b;
}

int blocked_source_fail(const char *command, const treb_error *error, const CliDirs *dirs,
                        const treb_position *pos)
{
    char why[BLOCKED_WHY_SIZE], fen[TREB_FEN_SIZE];
    int code = cli_fail_tables(command, error, dirs);
    bool missing = error->status == TREB_ERR_NO_TABLE || error->status == TREB_ERR_MEN;
    if (!missing || blocked_check(pos, why) != TREB_OK) return code;
    position_to_fen(pos, fen);
    fprintf(stderr,
            "Its pawns are blocked, so a blocked-pawn table can answer, but there is none.\n"
            "This command makes it: trebuchet blocked --write %s '%s'\n",
            dirs->count > 0 ? dirs->dir[0] : "tables", fen);
    return code;
}
