/* cmd_blocked.c - trebuchet blocked: kings among blocked pawns. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "json/answer_blocked.h"
#include "pawns/blocked.h"
#include "cli/blocked_check.h"
#include "cli/blocked_source.h"
#include "cli/blocked_text.h"
#include "cli/json.h"
#include "cli/options.h"

static const char usage[] =
    "Usage: trebuchet blocked [options] FEN\n"
    "\n"
    "Takes kings and mutually blocked pawns, any number of them. Says what the\n"
    "position is really worth, or how soon a king reaches a goal, ranks all\n"
    "placements of the two kings, and finds the corresponding squares. The FEN may be\n"
    "one argument or several; underscores count as spaces.\n"
    "\n"
    "What is asked\n"
    "  -e, --exact            the result of the game, through all captures, pawn\n"
    "                         moves and promotions (default); what memory does not\n"
    "                         allow to decide is said to be open\n"
    "  -g, --goal take        plies until the king can take a pawn that nothing\n"
    "                         defends\n"
    "  -g, --goal SQUARES     plies until the king stands on one of the squares\n"
    "  -f, --from SQUARES     the king takes from one of these squares (with --goal\n"
    "                         take)\n"
    "  -s, --safe             and only while the other king attacks no pawn (with\n"
    "                         --goal take)\n"
    "  -a, --attacker COLOR   whose win is ranked: white or black (default: the\n"
    "                         side that wins the position, or more placements)\n"
    "\n"
    "What is printed\n"
    "      --table            the ranks as two tables, White's and Black's move\n"
    "      --tsv              the ranks, one line a placement\n"
    "      --squares          the corresponding squares and mutual zugzwangs\n"
    "      --svg FILE         the same as a picture; - for standard output\n"
    "      --json             everything as one JSON object\n"
    "      --check            then every position that the answer rests on is checked\n"
    "                         by the rules alone, which takes longer than the answer\n"
    "                         (with --exact)\n"
    "      --white-king SQUARES, --black-king SQUARES\n"
    "                         only these squares in tables, lists and pictures\n"
    "\n"
    "Blocked-pawn tables\n"
    "  -t, --tables DIR       answer from a blocked-pawn table in DIR if there is\n"
    "                         one; may be given several times\n"
    "      --write DIR        rank all placements, and write the structure's table\n"
    "                         into DIR\n"
    "      --solve            solve anew even where a blocked-pawn table answers\n"
    "\n"
    "What it may take (with --exact)\n"
    "  -M, --memory SIZE      memory for what lies below the position (default: 1\n"
    "                         GiB)\n"
    "  -p, --pieces N         follow positions with up to N promoted pieces, 0 to 3\n"
    "                         (default: 2); the tables of few men in the folders of\n"
    "                         --tables help a lot\n"
    "  -q, --quiet            no progress\n"
    "  -h, --help             this text\n"
    "\n"
    "SQUARES are separated by commas, and a1-c3 is a rectangle. A rank is in plies;\n"
    "'-' or '*' is a placement without one, H an impossible one, ? one that is open.\n"
    "Exit codes: 0 answered, 1 failed or a fault found, 2 no such position or not\n"
    "blocked, 130 the check was stopped.\n";

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
    json_t *object = answer_blocked(&context, b, squares, &error);
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

/* Where the answer is for programs to read, or a picture, what the check says goes elsewhere. */
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
    r->limits.men = (int)args->pieces;
    memcpy(r->region, args->region, sizeof r->region);
    r->all = args->table || args->tsv || args->squares || args->svg != NULL;
    int code = CLI_FAILED;
    Blocked *b = NULL;
    if (source_open(&source, &args->dirs, r->goal)) b = source_ask(&source, r, &code);
    if (b != NULL) code = print(args, source.tables, b);
    if (b != NULL && code == CLI_OK && args->check) code = check(args, b);
    blocked_free(b);
    source_close(&source);
    return code;
}

static bool complain(const char *text)
{
    cli_error("blocked", "%s", text);
    return false;
}

enum { TABLE = CLI_OPTION_OWN, TSV, SQUARES, SVG, CHECK, WHITE_KING, BLACK_KING, WRITE, SOLVE };

static bool set_goal(BlockedArgs *args, const char *value)
{
    args->goal = true;
    args->request.goal = GOAL_TAKE;
    if (strcmp(value, "take") == 0) return true;
    args->request.goal = GOAL_REACH;
    return read_squares(value, &args->request.target) ||
           complain("--goal takes 'take' or squares such as e4,c6-d8");
}

static bool set_attacker(BlockedArgs *args, const char *value)
{
    bool white = strcasecmp(value, "white") == 0, black = strcasecmp(value, "black") == 0;
    args->attacker = black ? TREB_BLACK : TREB_WHITE;
    return white || black || complain("--attacker takes white or black");
}

static bool set_limit(BlockedArgs *args, int c, const char *value)
{
    if (c == 'M')
        return cli_set_size("blocked", "--memory", value, 1, &args->request.limits.memory);
    return cli_set_number("blocked", "--pieces", value, 0, CELLS_MEN_MAX, &args->pieces);
}

static bool set_option(void *blocked, int c, const char *value)
{
    BlockedArgs *args = blocked;
    switch (c) {
    case 'e':
        return args->exact = true;
    case 'g':
        return set_goal(args, value);
    case 'f':
        return read_squares(value, &args->request.from) ||
               complain("--from takes squares such as c7,d6-d7");
    case 's':
        return args->request.safe = true;
    case 'a':
        return set_attacker(args, value);
    case TABLE:
        return args->table = true;
    case TSV:
        return args->tsv = true;
    case SQUARES:
        return args->squares = true;
    case CHECK:
        return args->check = true;
    case SVG:
        return (args->svg = value) != NULL;
    case WRITE:
        return (args->write = value) != NULL;
    case SOLVE:
        return args->solve = true;
    case 'q':
        return args->quiet = true;
    case WHITE_KING:
    case BLACK_KING:
        return read_squares(value, &args->region[c == BLACK_KING]) ||
               complain("--white-king and --black-king take squares such as a5-b8,d8");
    case 'M':
    case 'p':
        return set_limit(args, c, value);
    default:
        return false;
    }
}

/* Options that make no sense together. */
static bool check_options(BlockedArgs *args)
{
    BlockedRequest *r = &args->request;
    if (args->exact && args->goal) return complain("--exact and --goal exclude each other");
    if (args->check && (args->goal || r->from || r->safe))
        return complain("--check goes with --exact");
    if (cli_json_wanted() && args->tsv) return complain("--json and --tsv exclude each other");
    if (args->svg != NULL && strcmp(args->svg, "-") == 0 && (cli_json_wanted() || args->tsv))
        return complain("--svg - is a picture on standard output, where --json and --tsv print");
    if (!r->from && !r->safe) return true;
    if (args->exact || r->goal == GOAL_REACH)
        return complain("--from and --safe go with --goal take");
    r->goal = GOAL_TAKE;
    return true;
}

/* -1: carry on; else the exit code. */
static int parse(BlockedArgs *args, int argc, char **argv)
{
    static const struct option options[] = {{"exact", 0, NULL, 'e'},
                                            {"goal", 1, NULL, 'g'},
                                            {"from", 1, NULL, 'f'},
                                            {"safe", 0, NULL, 's'},
                                            {"attacker", 1, NULL, 'a'},
                                            {"table", 0, NULL, TABLE},
                                            {"tsv", 0, NULL, TSV},
                                            {"squares", 0, NULL, SQUARES},
                                            {"svg", 1, NULL, SVG},
                                            {"json", 0, NULL, CLI_OPTION_JSON},
                                            {"check", 0, NULL, CHECK},
                                            {"white-king", 1, NULL, WHITE_KING},
                                            {"black-king", 1, NULL, BLACK_KING},
                                            {"write", 1, NULL, WRITE},
                                            {"solve", 0, NULL, SOLVE},
                                            {"memory", 1, NULL, 'M'},
                                            {"pieces", 1, NULL, 'p'},
                                            {"tables", 1, NULL, 't'},
                                            {"quiet", 0, NULL, 'q'},
                                            {"help", 0, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    const CliOptions reader = {"blocked", usage,       "eg:f:sa:M:p:t:qh",
                               options,   &args->dirs, set_option};
    int code = cli_options(&reader, args, argc, argv);
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
