/* cmd_info.c - trebuchet info: explains the headers of table files. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/advice.h"
#include "cli/cmd.h"
#include "cli/folders.h"
#include "cli/info_json.h"
#include "cli/info_material.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/text.h"
#include "core/chess/bitboard.h"
#include "core/format/table_blocked.h"
#include "core/system/error.h"
#include "pawns/blocked/blocked_file.h"
#include "pawns/solve/pawn_file.h"
#include "probe/syzygy/syzygy.h"
#include "json/answer.h"

static const char *const colors[2] = {"White", "Black"};
static const char *const verdicts[WDL_VALUES] = {"losses", "blessed losses", "draws", "cursed wins",
                                                 "wins"};
static const char *const metrics[TREB_METRICS] = {
    "WDL: win, draw or loss, with the 50-move rule",
    "DTZ: plies to the next capture, pawn move or mate, under the 50-move rule",
    "DTC: plies to the next capture, promotion or mate", "DTM: plies to mate"};

static void print_sizes(const Table *table, const TableHeader *h)
{
    char size[16], raw[16], count[32], cells[32];
    int sides = h->side[0].stored + h->side[1].stored;
    uint64_t bytes = table_file_size(table), blocks = sides * table_side_blocks(h);
    cli_format_size(bytes, size);
    cli_format_size(sides * table_side_bytes(h), raw);
    cli_format_count(bytes, count);
    cli_format_count(h->index.size, cells);
    printf("  size      %s bytes (%s); %s unpacked\n", count, size, raw);
    if (h->codec == TABLE_SYMBOLS) {
        cli_format_count((uint64_t)h->side[0].code.pages + h->side[1].code.pages, count);
        printf("  codec     symbols: %s pages of %d KiB\n", count, TABLE_PAGE_SIZE >> 10);
    } else {
        cli_format_count(blocks, count);
        printf("  codec     zstd: %s blocks of %u KiB before compression\n", count,
               1u << (h->block_bits - 10));
    }
    if (h->codec == TABLE_SYMBOLS)
        printf("  cells     %s a side\n", cells);
    else if (h->per_byte > 1)
        printf("  cells     %s a side, %u in a byte (digits of base %u)\n", cells, h->per_byte,
               h->base);
    else
        printf("  cells     %s a side, of %u byte%s\n", cells, h->width, h->width == 1 ? "" : "s");
}

/* "pawns, kings, White R, Black NN": as many letters as men. */
static void print_order(const Index *index)
{
    static const char letters[] = "PNBRQK";
    fputs("  order     ", stdout);
    const char *between = "";
    if (index->pawns) {
        printf("pawns");
        between = ", ";
    }
    for (int i = 0; i < index->axes; i++, between = ", ") {
        if (index->order[i] == INDEX_KINGS_AXIS) {
            printf("%skings", between);
            continue;
        }
        const IndexGroup *g = &index->group[index->order[i] - 1];
        printf("%s%s ", between, colors[g->color]);
        for (int n = 0; n < g->count; n++) putchar(letters[g->type]);
    }
    puts(", outermost first");
}

static void print_sides(const TableHeader *h)
{
    bool both = h->side[0].stored && h->side[1].stored;
    printf("  stored    ");
    if (both)
        puts("both sides to move");
    else
        printf("%s to move; values for the other side follow from it by one move\n",
               colors[h->side[0].stored ? 0 : 1]);
    if (h->bounds)
        puts("  bounds    captures and the last pawn's promotion complete the values of the cells");
}

static void print_map(const TableHeader *h, const TableSide *side)
{
    printf("  values    ");
    if (h->metric == TREB_WDL) {
        for (unsigned c = 0; c < side->codes[0]; c++)
            printf("%s%s", c ? ", " : "", verdicts[side->plies[0][c]]);
        puts(side->codes[0] ? "" : "none");
        return;
    }
    const char *between = "";
    for (int v = WDL_VALUES - 1; v >= 0; v--) {
        if (side->codes[v] == 0) continue;
        unsigned least = side->plies[v][0], most = least;
        for (unsigned c = 1; c < side->codes[v]; c++) {
            unsigned plies = side->plies[v][c];
            if (plies < least) least = plies;
            if (plies > most) most = plies;
        }
        printf("%s%s %u different, %u to %u plies", between, verdicts[v], side->codes[v], least,
               most);
        between = "; ";
    }
    puts(*between ? "" : "none: all positions are draws, or known without the cells");
}

static void print_counts(const TableHeader *h, const TableSide *side)
{
    char count[32];
    for (int v = WDL_VALUES - 1; v >= 0; v--) {
        if (side->count[v] == 0) continue;
        cli_format_count(side->count[v], count);
        printf("  %18s %s", count, verdicts[v]);
        if (h->metric != TREB_WDL && v != TREB_DRAW && side->longest_fen[v][0])
            printf(", the longest of %u plies: %s", side->longest[v], side->longest_fen[v]);
        putchar('\n');
    }
}

/* ---- Blocked-pawn tables --------------------------------------------------------------------- */

static void print_squares(const char *label, uint64_t set)
{
    printf("%s", label);
    while (set != 0) {
        int square = bit_pop(&set);
        printf(" %c%d", 'a' + square_file(square), 1 + square_rank(square));
    }
}

static void print_goal(const TableBlocked *blocked)
{
    printf("  goal      ");
    if (blocked->goal == GOAL_EXACT)
        printf("exact: plies to mate, or to the first capture that keeps the result");
    else if (blocked->goal == GOAL_REACH)
        print_squares("plies until the king stands on one of", blocked->squares);
    else
        printf("plies until the king can take a pawn that nothing defends");
    if (blocked->goal == GOAL_TAKE && blocked->squares != 0)
        print_squares(", from", blocked->squares);
    puts(blocked->safe ? ", while the other king attacks no pawn" : "");
}

static void print_decided(const TableBlocked *blocked)
{
    uint64_t open = blocked->open[0] + blocked->open[1];
    char count[32];
    cli_format_count(open, count);
    if (blocked->goal != GOAL_EXACT) return;
    printf("  decided   ");
    if (open == 0)
        printf("every placement");
    else
        printf("all but %s placements", count);
    puts(blocked->upper_bounds ? "; distances may be too large" : "");
}

static void print_blocked(const Table *table)
{
    const TableHeader *h = table_header(table);
    const TableBlocked *blocked = &h->blocked;
    char size[32], name[MATERIAL_NAME_SIZE];
    material_name(&h->index.material, name);
    cli_format_count(table_file_size(table), size);
    printf("%s\n  blocked   pawns of %s, with the distances of both kings:", table_path(table),
           name);
    print_squares(" White", blocked->pawns[TREB_WHITE]);
    print_squares(", Black", blocked->pawns[TREB_BLACK]);
    puts(blocked->pawns[0] ? "" : " (no pawns)");
    print_goal(blocked);
    print_decided(blocked);
    printf("  size      %s bytes; answers for the mirror image and for exchanged colours too\n",
           size);
    puts("  header    checksum right; 'trebuchet verify' checks every cell");
    for (int s = 0; s < 2; s++) {
        printf("\n  %s to move\n", colors[s]);
        print_counts(h, &h->side[s]);
        if (blocked->open[s] == 0) continue;
        cli_format_count(blocked->open[s], size);
        printf("  %18s open\n", size);
    }
}

static void print_solved(const Table *table)
{
    const TableHeader *h = table_header(table);
    const TablePawn *solved = &h->pawn;
    char size[32], name[MATERIAL_NAME_SIZE];
    material_name(&h->index.material, name);
    printf("%s\n  solved    pawn ending, %s, %d men:", table_path(table), name,
           structure_men(&solved->root));
    print_squares(" White", solved->root.pawns[TREB_WHITE]);
    print_squares(", Black", solved->root.pawns[TREB_BLACK]);
    cli_format_count(solved->structures, size);
    printf("\n  holds     %s structures, with the kings and pieces on all squares\n", size);
    cli_format_count(table_file_size(table), size);
    printf("  size      %s bytes; answers for mirror images and for exchanged colours too\n", size);
    puts("  header    checksum right; 'trebuchet verify' checks the cells");
    for (int s = 0; s < 2; s++) {
        printf("\n  %s to move\n", colors[s]);
        print_counts(h, &h->side[s]);
        cli_format_count(solved->open[s], size);
        printf("  %18s open\n", size);
    }
}

/* ---- Files ----------------------------------------------------------------------------------- */

static void print_code(const TableSide *side)
{
    char symbols[32];
    cli_format_count(side->code.symbols, symbols);
    print_order(&side->index);
    if (side->code.pages > 0 && side->code.count > 1)
        printf("  codes     %u, %s symbols together, blocks of %u bytes\n", side->code.count,
               symbols, side->code.block_bytes);
    else if (side->code.pages > 0)
        printf("  code      %s symbols, blocks of %u bytes\n", symbols, side->code.block_bytes);
    else
        puts("  code      one value throughout");
}

static void print_table(const Table *table)
{
    const TableHeader *h = table_header(table);
    char name[MATERIAL_NAME_SIZE];
    material_name(&h->index.material, name);
    printf("%s\n", table_path(table));
    printf("  material  %s, %d men\n", name, material_men(&h->index.material));
    printf("  metric    %s\n", metrics[h->metric]);
    print_sizes(table, h);
    if (h->codec == TABLE_ZSTD) print_order(&h->index);
    print_sides(h);
    puts("  header    checksum right; 'trebuchet verify' checks the blocks");
    for (int s = 0; s < 2; s++) {
        printf("\n  %s to move\n", colors[s]);
        if (h->side[s].stored && h->codec == TABLE_SYMBOLS) print_code(&h->side[s]);
        if (h->side[s].stored) print_map(h, &h->side[s]);
        print_counts(h, &h->side[s]);
    }
}

static void print_row_head(void)
{
    fputs("material\tmetric\tbytes", stdout);
    for (int s = 0; s < 2; s++)
        printf("\t%c_loss\t%c_blessed\t%c_draw\t%c_cursed\t%c_win\t%c_longest_loss\t%c_longest_win",
               "wb"[s], "wb"[s], "wb"[s], "wb"[s], "wb"[s], "wb"[s], "wb"[s]);
    putchar('\n');
}

static uint32_t longer(const TableSide *side, int a, int b)
{
    return side->longest[a] > side->longest[b] ? side->longest[a] : side->longest[b];
}

static void print_row(const Table *table)
{
    const TableHeader *h = table_header(table);
    char name[MATERIAL_NAME_SIZE];
    material_name(&h->index.material, name);
    printf("%s\t%s\t%llu", name, table_metric_name(h->metric),
           (unsigned long long)table_file_size(table));
    for (int s = 0; s < 2; s++) {
        const TableSide *side = &h->side[s];
        for (int v = 0; v < WDL_VALUES; v++) printf("\t%llu", (unsigned long long)side->count[v]);
        printf("\t%u\t%u", longer(side, TREB_LOSS, TREB_BLESSED_LOSS),
               longer(side, TREB_WIN, TREB_CURSED_WIN));
    }
    putchar('\n');
}

/* ---- Files that cannot be opened ------------------------------------------------------------- */

static int fail_unread(const char *path, const treb_error *error)
{
    int code = cli_fail("info", error);
    cli_hint_unread(path);
    return code;
}

/* ---- Folders --------------------------------------------------------------------------------- */

/* Prints one line for the files of a material, which begin at `at`. Returns the index of the first
 * file of the next material. */
static size_t print_material(const treb_tables *tables, size_t at, size_t count, uint64_t *bytes)
{
    treb_table_info info;
    char name[MATERIAL_NAME_SIZE] = "", metric_list[32] = "", size[16];
    uint64_t sum = 0;
    const char *note = "";
    for (; at < count; at++) {
        treb_status status = treb_tables_info(tables, at, &info, NULL);
        if (*name && strcmp(name, info.material) != 0) break;
        strcpy(name, info.material);
        strcat(strcat(metric_list, *metric_list ? " " : ""), treb_metric_text(info.metric));
        if (status != TREB_OK) note = "  some files cannot be read: 'trebuchet verify' says why";
        sum += info.file_size;
    }
    cli_format_size(sum, size);
    printf("%-12s%-16s%10s%s\n", name, metric_list, size, note);
    *bytes += sum;
    return at;
}

static void print_folder(const treb_tables *tables, const char *folder)
{
    size_t count = treb_tables_count(tables), materials = 0, blocked = 0, solved = 0;
    uint64_t bytes = 0;
    char size[16];
    FileNames names;
    for (size_t at = 0; at < count; materials++) at = print_material(tables, at, count, &bytes);
    if (blocked_file_names(&folder, 1, &names)) {
        blocked = names.count;
        if (pawn_file_names(&folder, 1, &names)) solved = names.count - blocked;
        for (size_t i = 0; i < names.count; i++) puts(names.name[i]);
        file_names_free(&names);
    }
    cli_format_size(bytes, size);
    printf("\n%s: %zu tables of %zu material%s, %s; %zu blocked-pawn table%s", folder, count,
           materials, materials == 1 ? "" : "s", size, blocked, blocked == 1 ? "" : "s");
    if (solved > 0) printf("; %zu pawn file%s", solved, solved == 1 ? "" : "s");
    putchar('\n');
}

static bool is_empty(const treb_tables *tables, const char *folder)
{
    FileNames names;
    if (treb_tables_count(tables) > 0 || !blocked_file_names(&folder, 1, &names)) return false;
    bool empty = pawn_file_names(&folder, 1, &names) && names.count == 0;
    file_names_free(&names);
    return empty;
}

static int show_empty(const char *folder)
{
    const CliDirs own = {.dir = {folder}, .count = 1};
    return cli_no_tables("info", &own);
}

static int show_folder(const char *folder)
{
    treb_error error;
    treb_tables *tables = treb_tables_open(&folder, 1, &error);
    if (tables == NULL) return fail_unread(folder, &error);
    AnswerContext context = {.tables = tables, .directories = &folder, .directory_count = 1};
    int code = CLI_OK;
    if (is_empty(tables, folder)) {
        code = show_empty(folder);
    } else if (cli_json_wanted()) {
        json_t *object = answer_tables(&context, &error);
        code = object != NULL ? cli_json_line("info", object) : cli_fail("info", &error);
    } else {
        print_folder(tables, folder);
    }
    treb_tables_close(tables);
    return code;
}

/* ---- Finding files --------------------------------------------------------------------------- */

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Returns whether a file can be opened. Writes the first path without permission to read into
 * `unread`. */
static bool try_file(const char *path, char unread[PATH_MAX])
{
    FILE *file = fopen(path, "rb");
    if (file != NULL)
        fclose(file);
    else if (errno == EACCES && unread[0] == '\0')
        snprintf(unread, PATH_MAX, "%s", path);
    return file != NULL;
}

/* Writes the path of "KRPvKR.dtz.treb" or "KRPvKR.dtz" in the folders. If there is none, returns false;
 * `path` is then that of a file without permission to read, or empty. */
static bool find_file(const CliDirs *dirs, const char *name, char path[PATH_MAX])
{
    char unread[PATH_MAX] = "";
    bool plain = strchr(name, '/') == NULL;
    if (snprintf(path, PATH_MAX, "%s", name) < PATH_MAX && try_file(path, unread)) return true;
    for (size_t i = 0; plain && i < 2 * dirs->count; i++) {
        int n = snprintf(path, PATH_MAX, "%s/%s%s", dirs->dir[i / 2], name, i % 2 ? ".treb" : "");
        if (n < PATH_MAX && try_file(path, unread)) return true;
    }
    strcpy(path, unread);
    return false;
}

/* ---- Syzygy's files -------------------------------------------------------------------------- */

static void print_syzygy(const Syzygy *table, const Material *material, treb_metric metric)
{
    char name[MATERIAL_NAME_SIZE], size[32], cells[32];
    SyzygySummary s = syzygy_summary(table);
    bool both = syzygy_has_side(table, 0) && syzygy_has_side(table, 1);
    material_name(material, name);
    cli_format_count(syzygy_file_size(table), size);
    cli_format_count(s.cells, cells);
    printf("%s\n  material  %s, %d men\n", syzygy_path(table), name, material_men(material));
    printf("  metric    %s\n  format    Syzygy's\n", metrics[metric]);
    printf("  size      %s bytes\n  cells     %s in %u array%s", size, cells, s.arrays,
           s.arrays == 1 ? "" : "s");
    if (s.constant > 0) printf(", %u of them with one value throughout", s.constant);
    printf("\n  sides     %s\n",
           material_symmetric(material)
               ? "White to move; Black to move is the same with colours exchanged"
           : both && metric == TREB_DTZ
               ? "White or Black to move, depending on the file of the leading pawn"
           : both                      ? "both to move"
           : syzygy_has_side(table, 0) ? "White to move"
                                       : "Black to move");
    if (metric == TREB_DTZ)
        printf("  rounding  wins %s, losses %s, cursed wins and blessed losses rounded\n",
               s.exact_wins ? "exact" : "rounded", s.exact_losses ? "exact" : "rounded");
    puts("  header    valid; Syzygy's files have no counts and no longest lines");
}

static int show_syzygy(const char *path, const Material *material, treb_metric metric, bool tsv)
{
    treb_error error;
    SyzygyMaps maps;
    int code = CLI_OK;
    syzygy_maps_fill(&maps);
    Syzygy *table = syzygy_open(path, material, metric, &maps, &error);
    if (table == NULL) {
        cli_fail("info", &error);
        return CLI_FAILED;
    }
    if (cli_json_wanted())
        code = cli_json_line("info", info_json_syzygy(table, material, metric));
    else if (!tsv) /* a TSV line consists of counts, which Syzygy's files do not have */
        print_syzygy(table, material, metric);
    syzygy_close(table);
    return code;
}

static int show_path(const char *path, bool tsv)
{
    treb_error error;
    Material material;
    treb_metric metric;
    if (syzygy_parse_name(path, &material, &metric))
        return show_syzygy(path, &material, metric, tsv);
    Table *table = table_open(path, &error);
    if (table == NULL) {
        cli_fail("info", &error);
        return CLI_FAILED;
    }
    int code = CLI_OK;
    if (cli_json_wanted())
        code = cli_json_line("info", info_json(table));
    else if (tsv)
        print_row(table);
    else if (table_header(table)->metric == TABLE_BLOCKED)
        print_blocked(table);
    else if ((int)table_header(table)->metric == TABLE_PAWN)
        print_solved(table);
    else
        print_table(table);
    table_close(table);
    return code;
}

static int show_rows(const CliDirs *dirs, const Material *material)
{
    size_t count;
    int code = CLI_OK;
    MaterialFile *list = info_material_files(dirs, material, &count);
    if (list == NULL) return cli_no_memory("info");
    for (size_t i = 0; i < count && code == CLI_OK; i++) code = show_path(list[i].path, true);
    free(list);
    return code;
}

/* Shows the files of a material. `name` is not the name of a file. */
static int show_material(const CliDirs *dirs, const char *name, bool tsv)
{
    Material material;
    treb_error error, why;
    if (material_read(name, &material, &why) != TREB_OK) {
        bool is_path = name[strcspn(name, "./")] != '\0';
        fail(&error, TREB_ERR_NO_TABLE,
             "there is no file '%.200s' here or in the folders of tables%s%.200s", name,
             is_path ? "" : "; and ", is_path ? "" : why.text);
        return cli_fail("info", &error);
    }
    if (cli_refuse_addresses("info", dirs)) return CLI_FAILED;
    material_canonical(&material);
    return tsv ? show_rows(dirs, &material) : info_material_show(dirs, &material);
}

static int show_one(const CliDirs *dirs, const char *name, bool tsv)
{
    char path[PATH_MAX];
    Material material;
    if (is_folder(name) || cli_is_address(name)) return show_folder(name);
    if (find_file(dirs, name, path)) return show_path(path, tsv);
    if (path[0] == '\0' || material_read(name, &material, NULL) == TREB_OK)
        return show_material(dirs, name, tsv);
    treb_error error;
    errno = EACCES;
    fail_errno(&error, "open", path);
    return fail_unread(path, &error);
}

/* ---- The command ----------------------------------------------------------------------------- */

typedef struct InfoArgs {
    CliDirs dirs;
    bool tsv;
} InfoArgs;

static const CliOption options[] = {
    {"tsv", 0, NULL, CLI_FLAG(InfoArgs, tsv),
     "one line per table, with tabs between, for lists and other programs"},
    CLI_OPTION_JSON("print one JSON object per line, for each argument"),
    CLI_OPTION_TABLES(InfoArgs, dirs),
    CLI_OPTION_HELP,
    CLI_OPTIONS_END};

static const CliCommand info_command = {
    .name = "info",
    .synopsis = "trebuchet info [options] FILE | MATERIAL | FOLDER...",
    .about = "Explains the headers of table files. FILE is a path, or the name of a table such as "
             "KRPvKR.dtz.treb or KRPvKR.dtz in the folders of tables; it may also be a "
             "blocked-pawn table, a pawn file or a Syzygy file (KRPvKR.rtbw). For a MATERIAL such "
             "as KRPvKR, lists all its files in the folders of tables, Trebuchet's and Syzygy's. "
             "For a FOLDER, lists all tables, one line per material.",
    .options = options,
    .notes = "The checksum of the header is verified; 'trebuchet verify' also reads the blocks.\n"
             "Exit codes: 0 done, 1 damaged or unreadable, 2 wrong command line, 3 no such table."};

/* Returns -1 to go on, else the exit code. */
static int parse(InfoArgs *args, int argc, char **argv)
{
    int code = cli_options(&info_command, args, argc, argv);
    if (code >= 0) return code;
    if (optind == argc)
        cli_error("info",
                  "name a file, a material or a folder, such as KRPvKR.dtz, KRPvKR or tables");
    else if (args->tsv && cli_json_wanted())
        cli_error("info", "--json and --tsv exclude each other");
    else
        return -1;
    return cli_usage("info");
}

static int show_all(const InfoArgs *args, int count, char **names)
{
    int code = CLI_OK;
    if (args->tsv) print_row_head();
    for (int i = 0; i < count; i++) {
        if (i > 0 && !args->tsv && !cli_json_wanted()) putchar('\n');
        int one = show_one(&args->dirs, names[i], args->tsv);
        if (one != CLI_OK) cli_json_failure(one, names[i]);
        if (code == CLI_OK) code = one;
    }
    return code;
}

int cli_info(int argc, char **argv)
{
    InfoArgs args = {0};
    int code = parse(&args, argc, argv);
    if (code < 0) {
        cli_dirs_default(&args.dirs);
        code = show_all(&args, argc - optind, argv + optind);
    }
    cli_dirs_free(&args.dirs);
    return cli_finish("info", code);
}
