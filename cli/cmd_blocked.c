/* cmd_blocked.c - trebuchet blocked: kings among blocked pawns. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/arguments.h"
#include "cli/blocked_check.h"
#include "cli/blocked_source.h"
#include "cli/blocked_text.h"
#include "cli/cmd.h"
#include "cli/folders.h"
#include "cli/options.h"
#include "cli/output.h"
#include "pawns/blocked/blocked.h"
#include "json/answer_blocked.h"

enum { NO_COLOR = -1 };

typedef struct BlockedArgs {
    CliDirs dirs;
    BlockedRequest request;
    int attacker;
    uint64_t region[2];
    uint64_t pieces;
    bool table, tsv, squares, check, exact, goal;
    bool solve, quiet;
    const char *svg, *write;
} BlockedArgs;

/* ---- Squares --------------------------------------------------------------------------------- */

static int read_square(const char **text)
{
    const char *t = *text;
    int file = (t[0] | 32) - 'a', rank = t[0] ? t[1] - '1' : -1;
    if (file < 0 || file > 7 || rank < 0 || rank > 7) return -1;
    *text += 2;
    return square_at(file, rank);
}

static uint64_t rectangle(int a, int b)
{
    uint64_t set = 0;
    for (int square = 0; square < 64; square++) {
        int file = square_file(square), rank = square_rank(square);
        int f1 = square_file(a), f2 = square_file(b), r1 = square_rank(a), r2 = square_rank(b);
        if ((file - f1) * (file - f2) <= 0 && (rank - r1) * (rank - r2) <= 0)
            set |= square_bit(square);
    }
    return set;
}

/* Reads "c7,d6-e8". */
static bool read_squares(const char *text, uint64_t *out)
{
    uint64_t set = 0;
    for (;;) {
        int a = read_square(&text), b = a;
        if (a >= 0 && *text == '-') {
            text++;
            b = read_square(&text);
        }
        if (a < 0 || b < 0) return false;
        set |= rectangle(a, b);
        if (*text == '\0') break;
        if (*text++ != ',') return false;
    }
    *out = set;
    return true;
}

/* ---- Printing -------------------------------------------------------------------------------- */

static int print_failure(void)
{
    cli_error("blocked", "out of memory, or a table could not be read");
    return CLI_FAILED;
}

static int print_json(const treb_tables *tables, Blocked *b, const Squares *squares)
{
    treb_error error;
    AnswerContext context = {.tables = tables};
    json_t *object = answer_blocked_json(&context, b, squares, &error);
    return object != NULL ? cli_json_answer("blocked", object) : print_failure();
}

static int print(const BlockedArgs *args, const treb_tables *tables, Blocked *b)
{
    int attacker = args->attacker != NO_COLOR ? args->attacker : blocked_attacker(b);
    Squares squares;
    Placements placements;
    bool wanted = args->squares || args->svg != NULL, plain = true;
    blocked_placements(b, &placements);
    squares_find(&placements, attacker, args->region, &squares);
    if (args->svg != NULL) {
        if (!blocked_text_svg("blocked", args->svg, &placements, &squares)) return CLI_FAILED;
        plain = strcmp(args->svg, "-") != 0;
    }
    if (cli_json_wanted()) return print_json(tables, b, wanted ? &squares : NULL);
    if (args->tsv) {
        blocked_print_tsv(stdout, b, attacker, args->region);
        return CLI_OK;
    }
    if (plain && !blocked_text_answer(b, tables)) return print_failure();
    for (int side = 0; side < 2 && args->table; side++) {
        putchar('\n');
        blocked_print_table(stdout, b, attacker, side, args->region);
    }
    if (args->squares) {
        putchar('\n');
        squares_print(stdout, &placements, &squares);
    }
    return CLI_OK;
}

/* Checks the answer. If that is a picture or for other programs, the report goes to standard error. */
static int check(const BlockedArgs *args, Blocked *b)
{
    bool machine =
        cli_json_wanted() || args->tsv || (args->svg != NULL && strcmp(args->svg, "-") == 0);
    fflush(stdout);
    if (!machine) putchar('\n');
    return blocked_check_solution(machine ? stderr : stdout, b, args->quiet);
}

/* ---- The command ----------------------------------------------------------------------------- */

static int run(BlockedArgs *args)
{
    BlockedRequest *r = &args->request;
    BlockedSource source = {
        .write = args->write, .solve = args->solve || args->check, .quiet = args->quiet};
    r->limits.pieces = (int)args->pieces;
    memcpy(r->region, args->region, sizeof r->region);
    r->all = args->table || args->tsv || args->squares || args->svg != NULL;
    int code = CLI_FAILED;
    Blocked *b = NULL;
    if (blocked_source_open(&source, &args->dirs, r->goal))
        b = blocked_source_answer(&source, r, &code);
    if (b != NULL) code = print(args, source.tables, b);
    if (b != NULL && code == CLI_OK && args->check) code = check(args, b);
    blocked_free(b);
    blocked_source_close(&source);
    return code;
}

static bool complain(const char *text)
{
    cli_error("blocked", "%s", text);
    return false;
}

static bool set_goal(const char *command, const CliOption *option, void *to, const char *value)
{
    BlockedArgs *args = to;
    (void)command, (void)option;
    args->goal = true;
    args->request.goal = GOAL_TAKE;
    if (strcmp(value, "take") == 0) return true;
    args->request.goal = GOAL_REACH;
    return read_squares(value, &args->request.target) ||
           complain("--goal takes 'take' or squares such as e4,c6-d8");
}

static bool set_attacker(const char *command, const CliOption *option, void *to, const char *value)
{
    BlockedArgs *args = to;
    (void)command, (void)option;
    bool white = strcasecmp(value, "white") == 0, black = strcasecmp(value, "black") == 0;
    args->attacker = black ? TREB_BLACK : TREB_WHITE;
    return white || black || complain("--attacker takes white or black");
}

static bool set_squares(const char *command, const CliOption *option, void *to, const char *value)
{
    if (read_squares(value, to)) return true;
    cli_error(command, "--%s takes squares such as c7,d6-e8", option->name);
    return false;
}

#define SQUARES(member) set_squares, CLI_MEMBER(BlockedArgs, member, uint64_t), 0, 0

static const CliOption options[] = {
    CLI_HEADING("The question"),
    {"exact", 'e', NULL, CLI_FLAG(BlockedArgs, exact),
     "the result of the game, with all captures, pawn moves and promotions (default); it is "
     "reported as open if the memory is not enough to decide it"},
    {"goal", 'g', "GOAL", CLI_OWN(set_goal),
     "the number of plies until the king can take an undefended pawn (GOAL is 'take'), or until it "
     "stands on one of the squares (GOAL is SQUARES)"},
    {"from", 'f', "SQUARES", SQUARES(request.from),
     "the king takes from one of these squares (with --goal take)"},
    {"safe", 's', NULL, CLI_FLAG(BlockedArgs, request.safe),
     "the king takes only while the other king attacks no pawn (with --goal take)"},
    {"attacker", 'a', "COLOR", CLI_OWN(set_attacker),
     "the side whose wins are counted: white or black (default: the side that wins the position, "
     "else the side that wins more placements)"},
    CLI_HEADING("Output"),
    {"table", 0, NULL, CLI_FLAG(BlockedArgs, table),
     "print the distances as two tables, with White and with Black to move"},
    {"tsv", 0, NULL, CLI_FLAG(BlockedArgs, tsv), "print the distances, one line per placement"},
    {"squares", 0, NULL, CLI_FLAG(BlockedArgs, squares),
     "print the corresponding squares and the mutual zugzwangs"},
    {"svg", 0, "FILE", CLI_TEXT(BlockedArgs, svg),
     "write the corresponding squares as a picture; - is standard output"},
    CLI_OPTION_JSON("print everything as one JSON object"),
    {"check", 0, NULL, CLI_FLAG(BlockedArgs, check),
     "then check every position that the answer rests on by the rules alone, which takes longer "
     "than the answer (with --exact)"},
    {"white-king", 0, "SQUARES", SQUARES(region[TREB_WHITE]),
     "only these squares of the white king in tables, lists and pictures"},
    {"black-king", 0, "SQUARES", SQUARES(region[TREB_BLACK]),
     "only these squares of the black king in tables, lists and pictures"},
    CLI_HEADING("Blocked-pawn tables"),
    {"tables", 't', "DIR", CLI_DIRS(BlockedArgs, dirs),
     "answer from a blocked-pawn table in DIR if there is one; may be given several times"},
    {"write", 0, "DIR", CLI_TEXT(BlockedArgs, write),
     "solve all placements, and write the table of the pawn structure into DIR"},
    {"solve", 0, NULL, CLI_FLAG(BlockedArgs, solve),
     "solve the position even if a blocked-pawn table has the answer"},
    CLI_HEADING("Limits (with --exact)"),
    {"memory", 'M', "SIZE", CLI_SIZE(BlockedArgs, request.limits.memory, 1, 0),
     "memory for the positions after captures and promotions (default: 1GiB)"},
    {"pieces", 'p', "N", CLI_NUMBER(BlockedArgs, pieces, 0, CELLS_PIECES_MAX),
     "examine positions with up to N promoted pieces, 0 to 3 (default: 2); tables of few men in "
     "the folders of --tables help a lot"},
    CLI_OPTION_QUIET(BlockedArgs, quiet),
    CLI_OPTION_HELP,
    CLI_OPTIONS_END};

static const CliCommand blocked_command = {
    .name = "blocked",
    .synopsis = "trebuchet blocked [options] FEN",
    .about = "Solves positions of kings and mutually blocked pawns, any number of them. Prints the "
             "true value of the position, or how soon a king reaches a goal. Also gives the "
             "distance for every placement of the two kings, and the corresponding squares. The "
             "FEN may be one argument or several; underscores count as spaces.",
    .options = options,
    .notes =
        "SQUARES are separated by commas; a1-c3 is a rectangle. A distance is in plies; '-' or '*' "
        "is a placement that is not won, H an impossible one, ? one that is open.\n"
        "Exit codes: 0 answered, 1 failed or an error was found, 2 wrong command line, impossible "
        "position or pawns not blocked, 130 the check was stopped."};

/* Returns false after reporting options that cannot be used together. */
static bool check_options(BlockedArgs *args)
{
    BlockedRequest *r = &args->request;
    if (args->exact && args->goal) return complain("--exact and --goal cannot be used together");
    if (args->check && (args->goal || r->from || r->safe))
        return complain("--check can be used only with --exact");
    if (cli_json_wanted() && args->tsv) return complain("--json and --tsv cannot be used together");
    if (args->svg != NULL && strcmp(args->svg, "-") == 0 && (cli_json_wanted() || args->tsv))
        return complain(
            "--svg - cannot be used with --json or --tsv: all print on standard output");
    if (!r->from && !r->safe) return true;
    if (args->exact || r->goal == GOAL_REACH)
        return complain("--from and --safe can be used only with --goal take");
    r->goal = GOAL_TAKE;
    return true;
}

/* Returns -1 to go on, else the exit code. */
static int parse(BlockedArgs *args, int argc, char **argv)
{
    int code = cli_options(&blocked_command, args, argc, argv);
    if (code >= 0) return code;
    if (!check_options(args)) return cli_usage("blocked");
    code = cli_read_fen("blocked", argc - optind, argv + optind, &args->request.pos);
    return code == CLI_OK ? -1 : code;
}

int cli_blocked(int argc, char **argv)
{
    BlockedArgs args = {.attacker = NO_COLOR,
                        .region = {UINT64_MAX, UINT64_MAX},
                        .pieces = 2,
                        .request.limits.memory = UINT64_C(1) << 30};
    int code = parse(&args, argc, argv);
    if (code < 0) code = run(&args);
    cli_dirs_free(&args.dirs);
    return cli_finish("blocked", code);
}
