/* cmd_probe.c - trebuchet probe: the value of a position and of each of its moves. */
#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/blocked_source.h"
#include "cli/blocked_text.h"
#include "cli/cmd.h"
#include "cli/folders.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/probe_many.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "core/chess/material.h"
#include "core/chess/position.h"
#include "json/answer.h"
#include "json/blocked_table.h"
#include "json/members.h"
#include "json/position_value.h"

static const char *const colors[2] = {"White", "Black"};
static const int columns[] = {TREB_DTM, TREB_DTC, TREB_DTZ};

typedef struct ProbeArgs {
    CliDirs dirs;
    treb_metric metric; /* TREB_WDL: not chosen */
    treb_position pos;
    ProbeMany many;
    bool wants_many; /* a file or a text with many positions instead of one position */
} ProbeArgs;

/* The answer for one position. */
typedef struct ProbeReport {
    const treb_position *pos;
    treb_value value;
    treb_move *move;
    size_t moves;
} ProbeReport;

/* ---- The verdict ----------------------------------------------------------------------------- */

/* Prints "mate in 23 moves (45 plies)": the moves of the winner. */
static void print_mate_in(int plies)
{
    const int moves = (plies + 1) / 2;
    printf(": mate in %d move%s (%d %s)", moves, moves == 1 ? "" : "s", plies,
           cli_plural((uint64_t)plies, "ply", "plies"));
}

static void print_mate(const treb_value *value)
{
    if (value->status[TREB_DTM] == TREB_OK) print_mate_in(value->plies[TREB_DTM]);
}

/* Whether the 50-move rule delays a mate, as far as is known. */
static bool is_delayed(const treb_value *value)
{
    return answer_has_mate50(value) && value->status[TREB_DTM] == TREB_OK &&
           value->dtm50 != value->plies[TREB_DTM];
}

/* Prints why a win is a draw under the 50-move rule. */
static void print_saved(const ProbeReport *p, const char *winner, const char *loser)
{
    const treb_value *v = &p->value;
    printf("%s wins, but the 50-move rule saves %s", winner, loser);
    if (v->status[TREB_DTZ] == TREB_OK && v->wdl != v->rule) {
        printf(": the clock stands at %d %s, and the\nnext capture, pawn move or mate is %s%d more"
               " away: beyond 100",
               p->pos->halfmove, cli_plural(p->pos->halfmove, "ply", "plies"),
               v->rounded[TREB_DTZ] == TREB_AT_MOST   ? "at most "
               : v->rounded[TREB_DTZ] == TREB_ROUNDED ? "at least "
                                                      : "",
               v->plies[TREB_DTZ]);
    }
    puts(".");
    if (v->status[TREB_DTM] == TREB_OK) {
        printf("Without that rule");
        print_mate(v);
        puts(".");
    }
}

static void print_over(const treb_value *v, const char *winner, const char *loser)
{
    if (v->wdl == TREB_DRAW)
        puts("Stalemate: a draw.");
    else if (v->rule == TREB_LOSS)
        printf("Checkmate: %s has won.\n", winner);
    else
        printf("Checkmate: %s has won, unless %s claimed a draw by the 50-move rule before.\n",
               winner, loser);
}

/* Prints that one ply decides, which a rounded file does not tell. */
static void print_rounded(const ProbeReport *p, const char *winner, const char *loser)
{
    const int plies = p->value.plies[TREB_DTZ];
    printf(
        "%s wins, or the 50-move rule saves %s. The clock stands at %d %s, and the next capture,\n"
        "pawn move or mate is %d or %d more away: %d is in time, %d is too late. The Syzygy file\n"
        "of this ending is rounded and does not tell which it is.\n",
        winner, loser, p->pos->halfmove, cli_plural(p->pos->halfmove, "ply", "plies"), plies,
        plies + 1, plies, plies + 1);
}

static void print_won(const ProbeReport *p, const char *winner, treb_doubt doubt)
{
    const treb_value *v = &p->value;
    printf("%s wins", winner);
    if (is_delayed(v)) {
        print_mate_in(v->dtm50);
        printf(" under the 50-move rule.\nWithout that rule");
    }
    print_mate(v);
    puts(".");
    if (doubt == TREB_DOUBT_CLOCK)
        printf("Whether the 50-move rule allows it is not known%s.\n",
               v->status[TREB_DTZ] != TREB_OK ? " without the DTZ table" : "");
    else if (!answer_has_mate50(v) && v->status[TREB_DTM] == TREB_OK &&
             v->plies[TREB_DTM] + p->pos->halfmove > RULE_PLIES)
        puts("DTM ignores the 50-move rule: with the rule, mate may take longer.");
}

static void print_verdict(const ProbeReport *p)
{
    const treb_value *v = &p->value;
    const treb_doubt doubt = treb_value_doubt(v, p->pos->halfmove);
    bool ahead = v->wdl > TREB_DRAW;
    const char *winner = colors[ahead ? p->pos->turn : p->pos->turn ^ 1];
    const char *loser = colors[ahead ? p->pos->turn ^ 1 : p->pos->turn];
    if (p->moves == 0)
        print_over(v, winner, loser);
    else if (v->wdl == TREB_DRAW)
        puts("Draw.");
    else if (doubt == TREB_DOUBT_ROUNDED)
        print_rounded(p, winner, loser);
    else if (doubt == TREB_DOUBT_NONE && v->rule != TREB_WIN && v->rule != TREB_LOSS)
        print_saved(p, winner, loser);
    else
        print_won(p, winner, doubt);
    putchar('\n');
}

static void print_values(const ProbeReport *p)
{
    const treb_value *v = &p->value;
    static const char *const meaning[TREB_METRICS] = {
        "", "to the next capture, pawn move or mate, under the 50-move rule",
        "to the next capture, promotion or mate", "to mate"};
    static const char *const names[TREB_METRICS] = {"WDL", "DTZ", "DTC", "DTM"};
    bool open = treb_value_doubt(v, p->pos->halfmove) != TREB_DOUBT_NONE;
    bool clock = open || v->rule != v->wdl;
    if (v->wdl == TREB_DRAW) {
        puts("  WDL  draw, so there are no distances");
        return;
    }
    printf("  WDL  %s for the side to move%s\n", treb_wdl_text(v->wdl),
           clock ? " at a clock of 0" : "");
    if (open)
        printf("       %s at this clock\n",
               v->wdl == TREB_WIN ? "win or cursed win" : "loss or blessed loss");
    else if (clock)
        printf("       %s at this clock\n", treb_wdl_text(v->rule));
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        int m = columns[i];
        if (v->status[m] == TREB_OK && v->rounded[m] == TREB_AT_MOST)
            printf("  %s  at most %d %s %s\n", names[m], v->plies[m],
                   cli_plural((uint64_t)v->plies[m], "ply", "plies"), meaning[m]);
        else if (v->status[m] == TREB_OK && v->rounded[m])
            printf("  %s  %d or %d plies %s\n", names[m], v->plies[m], v->plies[m] + 1, meaning[m]);
        else if (v->status[m] == TREB_OK)
            printf("  %s  %d %s %s\n", names[m], v->plies[m],
                   cli_plural((uint64_t)v->plies[m], "ply", "plies"), meaning[m]);
        else
            printf("  %s  not known: %s\n", names[m], treb_status_text(v->status[m]));
    }
    if (is_delayed(v))
        printf("  DTM50 %d plies to mate under the 50-move rule, from this clock on\n", v->dtm50);
}

/* ---- The moves ------------------------------------------------------------------------------- */

/* The groups of moves, best first. */
typedef enum Group {
    GROUP_WIN,
    GROUP_WIN_OPEN,
    GROUP_CURSED,
    GROUP_DRAW,
    GROUP_BLESSED,
    GROUP_LOSS_OPEN,
    GROUP_LOSS,
    GROUP_UNKNOWN
} Group;

static Group group_of(const treb_value *value, const treb_position *pos)
{
    static const Group groups[] = {GROUP_LOSS, GROUP_BLESSED, GROUP_DRAW, GROUP_CURSED, GROUP_WIN};
    const treb_doubt doubt = treb_value_doubt(value, pos->halfmove);
    if (doubt == TREB_DOUBT_VERDICT) return GROUP_UNKNOWN;
    if (doubt != TREB_DOUBT_NONE) return value->wdl == TREB_WIN ? GROUP_WIN_OPEN : GROUP_LOSS_OPEN;
    return groups[value->rule];
}

static void print_group(Group group, const treb_position *pos)
{
    const char *own = colors[pos->turn], *other = colors[pos->turn ^ 1];
    switch (group) {
    case GROUP_WIN:
        puts("winning");
        break;
    case GROUP_WIN_OPEN:
        printf("winning, or the 50-move rule saves %s: not known\n", other);
        break;
    case GROUP_CURSED:
        printf("winning, but the 50-move rule saves %s\n", other);
        break;
    case GROUP_DRAW:
        puts("drawing");
        break;
    case GROUP_BLESSED:
        printf("losing, but the 50-move rule saves %s\n", own);
        break;
    case GROUP_LOSS_OPEN:
        printf("losing, or the 50-move rule saves %s: not known\n", own);
        break;
    default:
        puts("losing");
    }
}

static const char *move_note(const treb_move *move)
{
    if (move->flags & TREB_MOVE_MATE) return "  mate";
    if (move->flags & TREB_MOVE_STALEMATE) return "  stalemate";
    if (move->flags & TREB_MOVE_CONVERSION && move->promotion)
        return move->flags & TREB_MOVE_CAPTURE ? "  capture, promotion" : "  promotion";
    if (move->flags & TREB_MOVE_CAPTURE) return "  capture";
    return move->flags & TREB_MOVE_ZEROING ? "  pawn move" : "";
}

/* Whether the table of moves has a column for mate under the 50-move rule: it delays one of them. */
static bool shows_mate50(const ProbeReport *p)
{
    for (size_t i = 0; i < p->moves; i++)
        if (is_delayed(&p->move[i].value)) return true;
    return false;
}

static void print_mate50(const treb_value *value)
{
    if (answer_has_mate50(value))
        printf("%7d", value->dtm50);
    else
        printf("%7s",
               value->status[TREB_WDL] == TREB_OK && value->dtm50_status == TREB_OK ? "-" : "?");
}

static void print_move(const ProbeReport *p, const treb_move *move)
{
    printf("    %-8s", move->san);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        int m = columns[i];
        bool known = move->value.status[TREB_WDL] == TREB_OK && move->value.status[m] == TREB_OK;
        if (!known)
            printf("%6s", "?");
        else if (move->value.wdl == TREB_DRAW)
            printf("%6s", "-");
        else
            printf("%*d%s", move->value.rounded[m] ? 5 : 6, move->value.plies[m],
                   move->value.rounded[m] == TREB_AT_MOST ? "-"
                   : move->value.rounded[m]               ? "+"
                                                          : "");
    }
    if (shows_mate50(p)) print_mate50(&move->value);
    printf("%s\n", move_note(move));
}

/* Prints the moves without a known value in lines. They come last. */
static void print_rest(const ProbeReport *p, size_t first)
{
    int column = cli_columns();
    puts(first == 0 ? "\n  not known" : "  not known");
    for (size_t i = first; i < p->moves; i++) {
        int length = (int)strlen(p->move[i].san);
        if (column + 1 + length > cli_columns()) column = printf(i > first ? "\n   " : "   ") - 1;
        column += printf(" %s", p->move[i].san);
    }
    putchar('\n');
}

/* Prints the moves of one group, in their order. Returns whether there are any. */
static bool print_moves_of(const ProbeReport *p, Group group, bool first)
{
    bool any = false;
    for (size_t i = 0; i < p->moves; i++) {
        if (group_of(&p->move[i].value, p->pos) != group) continue;
        if (first && !any)
            printf("\n  %-10s%6s%6s%6s%s  plies from here, including the move\n", "Move", "DTM",
                   "DTC", "DTZ", shows_mate50(p) ? "  DTM50" : "");
        if (!any) {
            printf("  ");
            print_group(group, p->pos);
        }
        any = true;
        print_move(p, &p->move[i]);
    }
    return any;
}

static void print_moves(const ProbeReport *p)
{
    size_t known = 0;
    bool any = false, rounded = false, bounds = false;
    for (int group = GROUP_WIN; group < GROUP_UNKNOWN; group++)
        any |= print_moves_of(p, (Group)group, !any);
    for (; known < p->moves && p->move[known].value.status[TREB_WDL] == TREB_OK; known++) {
        const treb_value *v = &p->move[known].value;
        rounded |= v->status[TREB_DTZ] == TREB_OK && v->rounded[TREB_DTZ] == TREB_ROUNDED;
        bounds |= v->status[TREB_DTZ] == TREB_OK && v->rounded[TREB_DTZ] == TREB_AT_MOST;
    }
    if (known < p->moves) print_rest(p, known);
    if (bounds) puts("\n  33- means at most 33 plies, a bound from a pawn file.");
    if (rounded) puts("\n  33+ means 33 or 34 plies: the Syzygy file of this ending is rounded.");
}

/* ---- Positions without a table --------------------------------------------------------------- */

/* Prints the ending and why its value is not known. */
static void print_unknown(const treb_position *pos, treb_status why)
{
    char name[MATERIAL_NAME_SIZE];
    int men = bit_count(position_occupied(pos));
    if (why == TREB_ERR_CASTLING) {
        puts("Not known: castling rights remain, and tables have no castling.");
    } else if (why == TREB_ERR_MEN) {
        printf("Not known: %d men are too many. There are no tables of so many men.\n", men);
    } else {
        Material material = material_of_position(pos);
        material_canonical(&material);
        material_name(&material, name);
        printf("Not known: this is %s (%d men), which has no table here.\n", name, men);
    }
}

/* Returns the answer of the position's blocked-pawn table. Returns NULL if there is none, and *code is then
 * changed only by a failure. */
static Blocked *find_blocked(AnswerContext *context, const ProbeArgs *args, int *code)
{
    treb_error error;
    Blocked *b;
    treb_status status = answer_find_blocked(context, &args->pos, &b, &error);
    if (status != TREB_OK) *code = cli_fail("probe", &error);
    return b;
}

/* ---- The command ----------------------------------------------------------------------------- */

static int text_of_blocked(Blocked *b, const treb_tables *tables)
{
    bool printed = blocked_text_answer(b, tables);
    if (printed) printf("\nFrom %s. The 50-move rule is ignored.\n", b->file);
    blocked_free(b);
    return printed ? CLI_OK : cli_no_memory("probe");
}

static int text_of_tables(const ProbeArgs *args, ProbeReport *p, treb_status status,
                          const treb_error *unknown)
{
    bool known = status == TREB_OK;
    treb_metric metric = args->metric != TREB_WDL ? args->metric : answer_known_metric(&p->value);
    answer_sort(p->move, p->moves, metric);
    cli_print_board(p->pos);
    if (known) {
        print_verdict(p);
        print_values(p);
    } else {
        print_unknown(p->pos, status);
    }
    print_moves(p);
    fflush(stdout);
    return known ? CLI_OK : blocked_source_fail("probe", unknown, &args->dirs, p->pos);
}

/* Warns if some moves are not known, and prints why. A missing table is not an error here, because the
 * position itself was answered. */
static int check_moves(const ProbeArgs *args, AnswerContext *context, const ProbeReport *p)
{
    treb_error error;
    treb_metric metric = args->metric != TREB_WDL ? args->metric : answer_known_metric(&p->value);
    bool all = true;
    for (size_t i = 0; i < p->moves && all; i++)
        all = p->move[i].value.status[TREB_WDL] == TREB_OK &&
              answer_distance_status(&p->move[i].value, metric) == TREB_OK;
    if (all) return CLI_OK;
    treb_status status = answer_moves_status(context, &args->pos, metric, &error);
    if (status == TREB_OK) return CLI_OK;
    cli_warn("probe", "not all moves are known: %s", error.text);
    return cli_status_code(status) == CLI_NO_TABLE ? CLI_OK : cli_status_code(status);
}

static int probe_text(const ProbeArgs *args, const treb_tables *tables)
{
    treb_error error;
    int code = CLI_OK;
    AnswerContext context = {
        .tables = tables, .directories = args->dirs.dir, .directory_count = args->dirs.count};
    ProbeReport p = {.pos = &args->pos};
    p.move = malloc(TREB_MOVES_MAX * sizeof *p.move);
    if (p.move == NULL) return cli_no_memory("probe");
    treb_status status = answer_position_value(&context, p.pos, &p.value, p.move, &p.moves, &error);
    Blocked *b = NULL;
    if (status != TREB_OK && cli_status_code(status) != CLI_NO_TABLE)
        code = cli_fail("probe", &error);
    else if (status != TREB_OK)
        b = find_blocked(&context, args, &code);
    if (b != NULL)
        code = text_of_blocked(b, tables);
    else if (code == CLI_OK)
        code = text_of_tables(args, &p, status, &error);
    if (code == CLI_OK && status == TREB_OK) code = check_moves(args, &context, &p);
    free(p.move);
    return code;
}

static int probe_json(const ProbeArgs *args, const treb_tables *tables)
{
    treb_error error;
    AnswerContext context = {
        .tables = tables, .directories = args->dirs.dir, .directory_count = args->dirs.count};
    json_t *object = answer_standard(&context, &args->pos, &error);
    const char *category = json_string_value(json_object_get(object, "category"));
    bool known = category != NULL && strcmp(category, "unknown") != 0;
    if (object != NULL && cli_json_answer("probe", object) != CLI_OK) return CLI_FAILED;
    if (error.status == TREB_OK) return known ? CLI_OK : CLI_NO_TABLE;
    /* Members that are null say enough: some sets of tables have no DTC and DTM. */
    if (known && error.status == TREB_ERR_NO_TABLE) return CLI_OK;
    return cli_fail("probe", &error);
}

static bool set_input(const char *command, const CliOption *option, void *to, const char *value)
{
    (void)command, (void)option;
    return probe_many_input(&((ProbeArgs *)to)->many, value);
}

static bool set_output(const char *command, const CliOption *option, void *to, const char *value)
{
    (void)command, (void)option;
    return probe_many_output(&((ProbeArgs *)to)->many, value);
}

static const CliOption options[] = {
    {"metric", 'm', "METRIC", CLI_DISTANCE(ProbeArgs, metric),
     "order moves by dtm, dtm50, dtc or dtz (default: the first of dtm, dtc and dtz that is known)"},
    CLI_OPTION_JSON("print one JSON object, like lila-tablebase"),
    {"input", 0, "KIND", CLI_OWN(set_input),
     "contents of FILE: fen, epd or pgn (default: found out by reading it)"},
    {"output", 0, "KIND", CLI_OWN(set_output),
     "form of the answer to FILE: tsv, jsonl (JSON lines) or pgn"},
    CLI_OPTION_TABLES(ProbeArgs, dirs),
    CLI_OPTION_HELP,
    CLI_OPTIONS_END};

static const CliCommand probe_command = {
    .name = "probe",
    .synopsis = "trebuchet probe [options] FEN\n"
                "trebuchet probe [options] FILE | -",
    .about =
        "Prints the value of a position with best play under the 50-move rule, from the clock in "
        "the FEN, and all legal moves, best first. The FEN may be one argument or several; "
        "underscores count as spaces. If the position has no table, the moves into positions with "
        "tables are still evaluated. Kings and blocked pawns are looked up in blocked-pawn tables, "
        "which 'trebuchet blocked --write' makes and which ignore the 50-move rule.\n\n"
        "A FILE, or - for standard input, contains FENs, EPDs or links, one per line, or PGN. "
        "Positions are answered as TSV. Games are answered as PGN with the value of each position; "
        "blunders are marked, with the better move.",
    .options = options,
    .notes = "DTM is the number of plies to mate, DTC to the next capture, promotion or mate, DTZ "
             "to the next capture, pawn move or mate under the 50-move rule, DTM50 to mate under "
             "that rule from the clock in the FEN on. A ply is one move of "
             "one side. Exit codes: 0 answered, 1 failed, 2 wrong command line or impossible "
             "position, 3 no table for the position."};

/* Returns -1 to go on, else the exit code. */
static int parse(ProbeArgs *args, int argc, char **argv)
{
    int code = cli_options(&probe_command, args, argc, argv);
    if (code >= 0) return code;
    args->many.metric = args->metric;
    args->wants_many = probe_many_wanted(&args->many, argc - optind, argv + optind);
    if (args->wants_many) return -1;
    code = cli_read_fen("probe", argc - optind, argv + optind, &args->pos);
    return code == CLI_OK ? -1 : code;
}

int cli_probe(int argc, char **argv)
{
    ProbeArgs args = {0};
    int code = parse(&args, argc, argv);
    if (code < 0) {
        treb_tables *tables = cli_open_tables("probe", &args.dirs);
        code = tables == NULL      ? CLI_FAILED
               : args.wants_many   ? probe_many(&args.many, tables, &args.dirs)
               : cli_json_wanted() ? probe_json(&args, tables)
                                   : probe_text(&args, tables);
        code = cli_close_tables("probe", tables, code);
    }
    cli_dirs_free(&args.dirs);
    return cli_finish("probe", code);
}
