/* cmd_stats.c - trebuchet stats: counts, longest wins and the distribution of distances. */
#include <stdlib.h>
#include <string.h>

#include "cli/advice.h"
#include "cli/arguments.h"
#include "cli/cmd.h"
#include "cli/folders.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "core/chess/material.h"
#include "core/system/error.h"
#include "core/system/tool.h"
#include "json/answer.h"
#include "json/material_files.h"

enum { ROWS = 24, PLIES_MAX = 65536 };

static const char *const colors[2] = {"White", "Black"};

typedef struct StatsArgs {
    CliDirs dirs;
    char name[MATERIAL_NAME_SIZE];
    treb_metric metric; /* TREB_WDL: not chosen */
    bool no_histogram;
} StatsArgs;

static const char *metric_name(treb_metric metric)
{
    if (metric == TREB_DTM50) return "DTM50";
    return metric == TREB_DTM ? "DTM" : metric == TREB_DTC ? "DTC" : "DTZ";
}

/* ---- Counts ---------------------------------------------------------------------------------- */

static void print_counts(const treb_table_info *info)
{
    static const char *const names[5] = {"losses", "blessed losses", "draws", "cursed wins",
                                         "wins"};
    uint64_t sum[2] = {0, 0};
    char count[2][32];
    for (int s = 0; s < 2; s++)
        for (int v = 0; v < 5; v++) sum[s] += info->count[s][v];
    printf("  %-15s%29s%29s\n", "", "White to move    ", "Black to move    ");
    for (int v = TREB_WIN; v >= 0; v--) {
        if (info->count[0][v] + info->count[1][v] == 0) continue;
        printf("  %-15s", names[v]);
        for (int s = 0; s < 2; s++) {
            cli_format_count(info->count[s][v], count[s]);
            double share = sum[s] ? 100.0 * (double)info->count[s][v] / (double)sum[s] : 0;
            printf("%18s  %6.2f %%", count[s], share);
        }
        putchar('\n');
    }
    cli_format_count(sum[0], count[0]);
    cli_format_count(sum[1], count[1]);
    printf("  %-15s%18s%10s%18s\n\n", "positions", count[0], "", count[1]);
    puts("Legal positions on the full board; men of one kind are interchangeable; no en passant.");
    if (info->count[0][1] + info->count[0][3] + info->count[1][1] + info->count[1][3])
        puts("Cursed wins and blessed losses are draws by the 50-move rule alone.");
}

/* Prints the counts, which are in the headers of Trebuchet's files. Syzygy's files have none. */
static void print_positions(const treb_tables *tables, const char *name)
{
    treb_table_info info;
    for (int m = TREB_WDL; m < TREB_METRICS; m++)
        if (treb_tables_find(tables, name, (treb_metric)m, &info, NULL) == TREB_OK &&
            info.format == TREB_FORMAT_TREBUCHET) {
            print_counts(&info);
            return;
        }
    puts("The numbers of positions are not known: Syzygy's files do not have them.");
}

/* ---- Longest wins ---------------------------------------------------------------------------- */

/* Prints the longest win of a colour, with either side to move. Returns false if it never wins. */
static bool print_longest(const treb_table_info *info, int winner, bool cursed)
{
    int won = cursed ? TREB_CURSED_WIN : TREB_WIN, lost = cursed ? TREB_BLESSED_LOSS : TREB_LOSS;
    int mover = winner, verdict = won;
    if (info->longest_fen[winner ^ 1][lost][0] &&
        (!info->longest_fen[winner][won][0] ||
         info->longest[winner ^ 1][lost] > info->longest[winner][won])) {
        mover = winner ^ 1;
        verdict = lost;
    }
    if (!info->longest_fen[mover][verdict][0]) return false;
    unsigned plies = info->longest[mover][verdict];
    printf("  %s  %s  %4u plies, %3u moves  %s%s\n", metric_name(info->metric), colors[winner],
           plies, (plies + 1) / 2, info->longest_fen[mover][verdict],
           cursed ? "  (a draw by the 50-move rule)" : "");
    return true;
}

static void print_longest_wins(const treb_tables *tables, const char *name)
{
    treb_table_info info;
    bool any = false;
    puts("\nLongest wins, with either side to move");
    for (int m = TREB_METRICS - 1; m > TREB_WDL; m--) {
        if (treb_tables_find(tables, name, (treb_metric)m, &info, NULL) != TREB_OK) {
            printf("  %s  not known: no table\n", metric_name((treb_metric)m));
            any = true;
            continue;
        }
        if (info.format == TREB_FORMAT_SYZYGY) {
            printf("  %s  not known: Syzygy's files do not have it\n", metric_name((treb_metric)m));
            any = true;
            continue;
        }
        for (int winner = 0; winner < 2; winner++)
            for (int cursed = 0; cursed < 2; cursed++) any |= print_longest(&info, winner, cursed);
    }
    if (!any) puts("  none: no position is won");
}

/* ---- The histogram --------------------------------------------------------------------------- */

/* Prints a bar of `share` (0 to 1) of `room` columns. The part `cursed` of the columns is drawn lighter. */
static void print_bar(double share, double cursed, int room, bool utf8)
{
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int eighths = (int)(share * room * 8 + 0.5);
    if (share > 0 && eighths == 0) eighths = 1;
    int whole = utf8 ? eighths / 8 : (eighths + 4) / 8, light = (int)(cursed * room + 0.5);
    for (int i = 0; i < whole - light; i++) fputs(utf8 ? "█" : "#", stdout);
    for (int i = whole - light; i < whole; i++) fputs(utf8 ? "░" : "-", stdout);
    if (utf8)
        fputs(light ? "" : parts[eighths % 8], stdout);
    else if (share > 0 && whole == 0)
        putchar('.');
    putchar('\n');
}

/* Returns the row of a distance. Mated positions (0 plies) belong to the first row. */
static int row_of(int plies, int step) { return plies > 0 ? (plies - 1) / step : 0; }

/* Returns how many plies one row stands for, if the longest win has `last` plies. It is 1 or even, so
 * that each row has as many plies of White as of Black. */
static int row_step(int last)
{
    int step = (last + ROWS - 1) / ROWS;
    return step < 1 ? 1 : step > 1 ? step + step % 2 : 1;
}

static void print_row(int from, int to, uint64_t count, double share)
{
    char range[16], text[32];
    snprintf(range, sizeof range, from < to ? "%d-%d" : "%d", from, to);
    cli_format_count(count, text);
    printf("  %9s  %15s  %6.2f %%  ", range, text, 100.0 * share);
}

/* The wins of one colour by plies, with either side to move. */
typedef struct StatsSpread {
    uint64_t plies[PLIES_MAX],
        cursed[PLIES_MAX]; /* cursed: wins that the 50-move rule turns into draws */
    uint64_t wins;
} StatsSpread;

static treb_status read_spread(const treb_tables *tables, const treb_table_info *info, int winner,
                               StatsSpread *out, treb_error *error)
{
    static const struct {
        bool winner_moves, cursed;
        treb_wdl wdl;
    } part[] = {{true, false, TREB_WIN},
                {false, false, TREB_LOSS},
                {true, true, TREB_CURSED_WIN},
                {false, true, TREB_BLESSED_LOSS}};
    uint64_t *entry = malloc(PLIES_MAX * sizeof *entry);
    treb_status status = entry ? TREB_OK : TREB_ERR_MEMORY;
    memset(out, 0, sizeof *out);
    if (entry == NULL) fail_memory(error);
    for (size_t i = 0; i < sizeof part / sizeof *part && status == TREB_OK; i++) {
        size_t count;
        status = treb_tables_histogram(tables, info->material, info->metric,
                                       part[i].winner_moves ? winner : winner ^ 1, part[i].wdl,
                                       entry, PLIES_MAX, &count, error);
        for (size_t p = 0; p < count && status == TREB_OK; p++) {
            out->plies[p] += entry[p];
            out->wins += entry[p];
            if (part[i].cursed) out->cursed[p] += entry[p];
        }
    }
    free(entry);
    return status;
}

static void print_spread(const StatsSpread *spread, int winner, treb_metric metric)
{
    uint64_t row[ROWS + 2] = {0}, light[ROWS + 2] = {0}, most = 1, cursed = 0;
    int last = 0, room = cli_columns() - 41;
    bool utf8 = tool_utf8();
    for (int p = 0; p < PLIES_MAX; p++)
        if (spread->plies[p]) last = p;
    int step = row_step(last), rows = row_of(last, step) + 1;
    for (int p = 0; p <= last; p++) {
        row[row_of(p, step)] += spread->plies[p];
        light[row_of(p, step)] += spread->cursed[p];
        cursed += spread->cursed[p];
    }
    for (int i = 0; i < rows; i++)
        if (row[i] > most) most = row[i];
    if (room < 8) room = 8;
    printf("\n%s wins by %s, in plies%s\n", colors[winner], metric_name(metric),
           !cursed ? ""
           : utf8  ? " (░: a draw by the 50-move rule)"
                   : " (-: a draw by the 50-move rule)");
    for (int i = 0; i < rows; i++) {
        int from = i ? i * step + 1 : spread->plies[0] ? 0 : 1, to = (i + 1) * step;
        print_row(from, to < last ? to : last, row[i], (double)row[i] / (double)spread->wins);
        print_bar((double)row[i] / (double)most, (double)light[i] / (double)most, room, utf8);
    }
}

static int print_histogram(const StatsArgs *args, const treb_tables *tables,
                           const treb_table_info *info)
{
    treb_error error;
    Material m;
    StatsSpread *spread = malloc(sizeof *spread);
    bool symmetric = material_parse(info->material, &m) && material_symmetric(&m);
    treb_status status = spread ? TREB_OK : TREB_ERR_MEMORY;
    if (spread == NULL) fail_memory(&error);
    for (int winner = 0; winner < (symmetric ? 1 : 2) && status == TREB_OK; winner++) {
        status = read_spread(tables, info, winner, spread, &error);
        if (status == TREB_OK && spread->wins) print_spread(spread, winner, info->metric);
    }
    if (status == TREB_OK && symmetric && spread->wins)
        puts("\nBlack's wins have the same distribution.");
    free(spread);
    return status == TREB_OK ? CLI_OK : cli_fail_tables("stats", &error, &args->dirs);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Reports why members of the object are null: a table cannot be read, or the WDL table or the metric
 * that was requested is missing. Returns the exit code. */
static int first_failure(const StatsArgs *args, const treb_tables *tables)
{
    treb_table_info info;
    treb_error error;
    for (int i = 0; i < MATERIAL_FILES; i++) {
        const treb_metric m = material_files_metrics[i];
        treb_status status = treb_tables_find(tables, args->name, m, &info, &error);
        bool asked = m == TREB_WDL || m == args->metric;
        if (status != TREB_OK && (asked || status != TREB_ERR_NO_TABLE))
            return cli_fail_tables("stats", &error, &args->dirs);
    }
    return CLI_OK;
}

static int run_json(const StatsArgs *args, const treb_tables *tables)
{
    treb_error error;
    AnswerContext context = {.tables = tables};
    json_t *object = answer_stats(&context, args->name, &error);
    if (object == NULL) return cli_fail_tables("stats", &error, &args->dirs);
    json_t *histograms = json_object_get(object, "histograms");
    for (int i = 1; i < MATERIAL_FILES; i++)
        if (args->metric != TREB_WDL && material_files_metrics[i] != args->metric)
            json_object_del(histograms, treb_metric_text(material_files_metrics[i]));
    if (args->no_histogram) json_object_del(object, "histograms");
    int code = cli_json_answer("stats", object);
    return code == CLI_OK ? first_failure(args, tables) : code;
}

/* ---- The command ----------------------------------------------------------------------------- */

static int run(const StatsArgs *args, const treb_tables *tables)
{
    treb_error error;
    treb_table_info info, spread;
    treb_status status = treb_tables_find(tables, args->name, TREB_WDL, &info, &error);
    if (status != TREB_OK) return cli_fail_tables("stats", &error, &args->dirs);
    printf("%s\n\n", info.material);
    print_positions(tables, args->name);
    print_longest_wins(tables, args->name);
    if (args->no_histogram) return CLI_OK;
    int metric = args->metric ? (int)args->metric : TREB_DTM;
    do {
        status = treb_tables_find(tables, args->name, metric, &spread, &error);
        if (status == TREB_OK && args->metric == TREB_WDL && spread.format == TREB_FORMAT_SYZYGY)
            return CLI_OK;
        if (status == TREB_OK) return print_histogram(args, tables, &spread);
    } while (args->metric == TREB_WDL && status == TREB_ERR_NO_TABLE && --metric == TREB_DTC);
    /* Without distances there is no histogram. That is an error only if a metric was requested. */
    if (args->metric == TREB_WDL && status == TREB_ERR_NO_TABLE) return CLI_OK;
    return cli_fail_tables("stats", &error, &args->dirs);
}

static const CliOption options[] = {
    {"metric", 'm', "METRIC", CLI_DISTANCE(StatsArgs, metric),
     "distribution of dtm, dtm50 (at a clock of 0), dtc or dtz (default: the first of dtm, dtc and dtz "
     "that is installed)"},
    {"no-histogram", 'n', NULL, CLI_FLAG(StatsArgs, no_histogram),
     "print counts and longest wins only"},
    CLI_OPTION_JSON("print one JSON object, like GET /v1/stats of 'trebuchet serve'"),
    CLI_OPTION_TABLES(StatsArgs, dirs),
    CLI_OPTION_HELP,
    CLI_OPTIONS_END};

static const CliCommand stats_command = {
    .name = "stats",
    .synopsis = "trebuchet stats [options] MATERIAL",
    .about = "Prints how many positions are won, drawn and lost, the longest wins by each metric, "
             "and the distribution of the distances. All numbers are exact. They come from the "
             "headers of Trebuchet's tables; Syzygy's files do not have them.",
    .options = options,
    .notes = "Exit codes: 0 done, 1 failed, 2 wrong command line, 3 table not installed."};

/* Returns -1 to go on, else the exit code. */
static int parse(StatsArgs *args, int argc, char **argv)
{
    int code = cli_options(&stats_command, args, argc, argv);
    if (code >= 0) return code;
    if (argc - optind != 1) {
        cli_error("stats", "name one material, such as KRPvKR");
        return cli_usage("stats");
    }
    if (!cli_read_material("stats", argv[optind], args->name)) return cli_usage("stats");
    cli_tell_exchange("stats", argv[optind]);
    return -1;
}

int cli_stats(int argc, char **argv)
{
    StatsArgs args = {0};
    int code = parse(&args, argc, argv);
    if (code < 0) {
        treb_tables *tables = cli_open_tables("stats", &args.dirs);
        if (tables == NULL)
            code = CLI_FAILED;
        else
            code = cli_json_wanted() ? run_json(&args, tables) : run(&args, tables);
        code = cli_close_tables("stats", tables, code);
    }
    cli_dirs_free(&args.dirs);
    return cli_finish("stats", code);
}
