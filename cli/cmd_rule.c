/* cmd_rule.c - trebuchet rule: a rule on trial against all positions of an ending. */
#include <stdlib.h>
#include <string.h>

#include "json/rule_book.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/rule_html.h"
#include "core/chess/material.h"
#include "core/chess/position.h"
#include "find/rule.h"

static const char usage[] =
    "Usage: trebuchet rule [options] FILE.lua MATERIAL...\n"
    "       trebuchet rule [options] FILE.lua FEN\n"
    "\n"
    "Asks a rule about all positions of endings, and says how often it is right.\n"
    "FILE returns a function in Lua, which gives \"win\", \"draw\", \"loss\", \"not win\",\n"
    "\"not loss\" for the side to move, or nothing; or, if it is a statement of another\n"
    "kind, true or false, and it is wrong where that is false; and behind that, if it\n"
    "likes, the ground on which it says so. It can ask for what a condition of\n"
    "'trebuchet find' can, and use(\"name\") brings the rule of another file beside it.\n"
    "docs/rules.md has a tutorial, the folder examples/rules/ examples.\n"
    "\n"
    "Of one position it tells what the rule says, and what the table does.\n"
    "\n"
    "Of positions that are the same but for a symmetry of the board one is asked\n"
    "about. A win is a win even if the 50-move rule would spoil it.\n"
    "\n"
    "  -n, --show N         show up to N positions of each kind of error (default: 3)\n"
    "      --turn COLOR     positions with this side to move alone: white or black\n"
    "      --time SECONDS   stop after that, in the order of the table\n"
    "      --html FILE      write a page with boards; - for standard output\n"
    "      --json           print one JSON object for each ending\n"
    "  -j, --threads N      use N threads\n"
    "  -t, --tables DIR     look for tables in DIR; may be given several times\n"
    "  -q, --quiet          no progress\n"
    "  -h, --help           this text\n"
    "\n"
    "Exit codes: 0 done, also if the rule was wrong, 1 failed, 2 called wrongly, 3 no\n"
    "table for it, 130 stopped by Ctrl-C: what was seen until then is printed; of one\n"
    "position, also by --time.\n";

static const char *const results[RULE_RESULTS] = {"loss", "draw", "win"};

typedef struct RuleArgs {
    RuleQuery query;
    CliDirs dirs;
    uint64_t shown, threads, seconds;
    bool quiet;
    const char *html;
    char (*material)[MATERIAL_NAME_SIZE];
    size_t materials; /* 0: a position */
    treb_position pos;
} RuleArgs;

typedef struct RuleRun {
    const RuleArgs *args;
    CliProgress progress;
    const char *name;
    const atomic_bool *stop; /* a signal, or the time is up */
    FILE *html;
} RuleRun;

/* True when a signal has come, or the time is up. */
static const atomic_bool *catch_end(const RuleArgs *args)
{
    const atomic_bool *stop = cli_catch_signals();
    cli_end_after(args->seconds);
    return stop;
}

static void on_progress(void *context, uint64_t done, uint64_t total)
{
    RuleRun *run = context;
    cli_progress_share(&run->progress, done, total, "%s:", run->name);
}

/* ---- What is printed ------------------------------------------------------------------------- */

static double share(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* Of how many positions a verdict is wrong, and what those are. */
static void print_errors(const RuleSaying *s)
{
    char number[32];
    uint64_t errors = rule_saying_wrong(s);
    if (errors == 0) {
        printf("  always right");
        return;
    }
    cli_format_count(errors, number);
    printf("  wrong %s (%.3g %%):", number, share(errors, rule_saying_all(s)));
    for (int r = 0; r < RULE_RESULTS; r++) {
        if (rule_claim_right(s->claim, r) || s->of[r] == 0) continue;
        cli_format_count(s->of[r], number);
        printf(" %s %s", results[r], number);
    }
}

static void print_saying(const RuleSaying *s)
{
    char all[32];
    cli_format_count(rule_saying_all(s), all);
    printf("  %-8s %15s", rule_claim_text(s->claim), all);
    if (!rule_claim_states(s->claim)) print_errors(s);
    printf("%s%s\n", s->ground[0] ? "  - " : "", s->ground);
    for (size_t i = 0; i < s->shown; i++) {
        char fen[TREB_FEN_SIZE];
        position_to_fen(&s->wrong[i].pos, fen);
        printf("      %s  %s\n", fen, results[s->wrong[i].result]);
    }
}

static void print_report(const RuleRun *run, const RuleReport *report)
{
    char looked[32], spoken[32], wrong[32];
    uint64_t errors = 0, silent = report->silent;
    for (size_t i = 0; i < report->sayings; i++) errors += rule_saying_wrong(&report->saying[i]);
    cli_format_count(report->looked, looked);
    cli_format_count(report->looked - silent, spoken);
    cli_format_count(errors, wrong);
    printf("%s: speaks of %s of %s positions (%.1f %%)", run->name, spoken, looked,
           share(report->looked - silent, report->looked));
    if (report->looked > silent)
        printf(", wrong %s (%.3g %%)", wrong, share(errors, report->looked - silent));
    putchar('\n');
    for (size_t i = 0; i < report->sayings; i++) print_saying(&report->saying[i]);
}

static json_t *json_saying(const RuleSaying *s)
{
    json_t *object = json_object(), *is = json_object(), *wrong = json_array();
    json_object_set_new(object, "says", json_string(rule_claim_text(s->claim)));
    json_object_set_new(object, "ground", cli_json_text(s->ground));
    json_object_set_new(object, "positions", json_integer((json_int_t)rule_saying_all(s)));
    json_object_set_new(object, "wrong", json_integer((json_int_t)rule_saying_wrong(s)));
    for (int r = 0; r < RULE_RESULTS; r++)
        json_object_set_new(is, results[r], json_integer((json_int_t)s->of[r]));
    json_object_set_new(object, "verdicts", is);
    for (size_t i = 0; i < s->shown; i++) {
        char fen[TREB_FEN_SIZE];
        json_t *example = json_object();
        position_to_fen(&s->wrong[i].pos, fen);
        json_object_set_new(example, "fen", json_string(fen));
        json_object_set_new(example, "verdict", json_string(results[s->wrong[i].result]));
        json_array_append_new(wrong, example);
    }
    json_object_set_new(object, "examples", wrong);
    return object;
}

static int print_json(const RuleRun *run, const RuleReport *report)
{
    json_t *object = json_object(), *list = json_array();
    json_object_set_new(object, "rule", cli_json_text(run->args->query.path));
    json_object_set_new(object, "material", json_string(run->name));
    json_object_set_new(object, "positions", json_integer((json_int_t)report->looked));
    json_object_set_new(object, "silent", json_integer((json_int_t)report->silent));
    json_object_set_new(object, "complete", json_boolean(!atomic_load(run->stop)));
    for (size_t i = 0; i < report->sayings; i++)
        json_array_append_new(list, json_saying(&report->saying[i]));
    json_object_set_new(object, "sayings", list);
    return cli_json_line("rule", object);
}

/* ---- The command ----------------------------------------------------------------------------- */

static int fail_rule(const RuleArgs *args, const treb_error *error)
{
    int code = cli_fail("rule", error, &args->dirs);
    cli_hint_script(args->query.path, "rules");
    return error->status == TREB_ERR_ARGUMENT ? CLI_USAGE : code;
}

/* When there is something to write: a page that is there stays until then. */
static bool open_html(RuleRun *run)
{
    const char *path = run->args->html;
    if (path == NULL || run->html != NULL) return true;
    run->html = cli_open_output("rule", path);
    if (run->html != NULL) rule_html_head(run->html, run->args->query.path);
    return run->html != NULL;
}

static int try_one(RuleRun *run, const char *name)
{
    const RuleArgs *args = run->args;
    RuleQuery query = args->query;
    RuleReport report = {0};
    treb_error error;
    int code = CLI_OK;
    run->name = name;
    query.stop = run->stop;
    query.progress = on_progress;
    query.context = run;
    treb_status status = rule_try(&query, name, &report, &error);
    cli_progress_clear(&run->progress);
    if (status != TREB_OK) {
        code = fail_rule(args, &error);
    } else {
        if (!open_html(run)) {
            rule_report_free(&report);
            return CLI_FAILED;
        }
        if (run->html != NULL) rule_html_material(run->html, name, &report);
        if (cli_json_wanted())
            code = print_json(run, &report);
        else if (run->html != stdout)
            print_report(run, &report);
        if (atomic_load(run->stop)) cli_warn("rule", "%s: stopped before its end", name);
    }
    rule_report_free(&report);
    return code;
}

static bool close_html(RuleRun *run)
{
    if (run->html == NULL) return true;
    rule_html_end(run->html);
    return cli_close_output("rule", run->args->html, run->html);
}

static int run(const RuleArgs *args)
{
    RuleRun run = {.args = args, .stop = catch_end(args)};
    int code = CLI_OK;
    size_t i = 0;
    cli_progress_start(&run.progress, "rule", args->quiet);
    for (; i < args->materials && code == CLI_OK && !atomic_load(run.stop); i++)
        code = try_one(&run, args->material[i]);
    for (; i < args->materials && code == CLI_OK; i++)
        cli_warn("rule", "%s: not tried", args->material[i]);
    if (!close_html(&run)) code = CLI_FAILED;
    return code == CLI_OK && atomic_load(run.stop) && !cli_time_is_up() ? CLI_STOPPED : code;
}

/* ---- One position ---------------------------------------------------------------------------- */

static int print_opinion(const RuleArgs *args, const char *material, const RuleOpinion *opinion)
{
    const bool silent = opinion->claim == RULE_NOTHING;
    const bool right = !silent && rule_claim_right(opinion->claim, opinion->result);
    if (cli_json_wanted()) {
        char fen[TREB_FEN_SIZE];
        json_t *object = json_object();
        position_to_fen(&args->pos, fen);
        json_object_set_new(object, "rule", cli_json_text(args->query.path));
        json_object_set_new(object, "fen", json_string(fen));
        json_object_set_new(object, "material", json_string(material));
        json_object_set_new(object, "verdict", json_string(results[opinion->result]));
        json_object_set_new(object, "says",
                            silent ? json_null() : json_string(rule_claim_text(opinion->claim)));
        json_object_set_new(object, "ground",
                            silent ? json_null() : cli_json_text(opinion->ground));
        json_object_set_new(object, "right", silent ? json_null() : json_boolean(right));
        return cli_json_answer("rule", object);
    }
    cli_print_board(&args->pos);
    printf("By the table of %s: %s.\n", material, results[opinion->result]);
    if (silent) {
        puts("The rule says nothing.");
    } else {
        printf("The rule says: %s", rule_claim_text(opinion->claim));
        if (opinion->ground[0] != '\0') printf(" - %s", opinion->ground);
        puts(rule_claim_states(opinion->claim) ? "." : right ? ". It is right." : ". It is wrong.");
    }
    return CLI_OK;
}

/* Rules know the side with more men as White. */
static int ask_one(const RuleArgs *args)
{
    char material[MATERIAL_NAME_SIZE];
    treb_position pos = args->pos;
    RuleOpinion opinion;
    treb_error error;
    const atomic_bool *stop = catch_end(args);
    rule_book_turn(&pos, material);
    treb_status status =
        rule_say(args->query.tables, NULL, args->query.path, &pos, stop, &opinion, &error);
    if (status == TREB_OK) return print_opinion(args, material, &opinion);
    if (atomic_load(stop)) {
        cli_error("rule", "stopped before it said anything");
        return CLI_STOPPED;
    }
    return fail_rule(args, &error);
}

enum { TURN = CLI_OPTION_OWN, TIME, HTML };

static bool set_option(void *rule, int c, const char *value)
{
    RuleArgs *args = rule;
    switch (c) {
    case 'n':
        return cli_set_number("rule", "--show", value, 0, 1000, &args->shown);
    case TURN:
        return cli_set_turn("rule", value, &args->query.turn);
    case TIME:
        return cli_set_number("rule", "--time", value, 1, 1 << 30, &args->seconds);
    case HTML:
        return (args->html = value) != NULL;
    case 'j':
        return cli_set_number("rule", "--threads", value, 1, 1024, &args->threads);
    case 'q':
        return args->quiet = true;
    default:
        return false;
    }
}

static int read_words(RuleArgs *args, int count, char **word)
{
    if (count < 2) {
        cli_error("rule", "%s",
                  count < 1 ? "a rule is wanted, a file in Lua"
                            : "a material is wanted, such as KPvK, or a position");
        return cli_usage("rule");
    }
    args->query.path = word[0];
    if (strchr(word[1], '/') != NULL) {
        int code = cli_read_fen("rule", count - 1, word + 1, &args->pos);
        return code == CLI_OK ? -1 : code;
    }
    args->material = calloc((size_t)count, sizeof *args->material);
    if (args->material == NULL) return cli_no_memory("rule");
    for (int i = 1; i < count; i++)
        if (!cli_read_material("rule", word[i], args->material[args->materials++]))
            return CLI_USAGE;
    return -1;
}

static int parse(RuleArgs *args, int argc, char **argv)
{
    static const struct option options[] = {{"show", 1, NULL, 'n'},
                                            {"turn", 1, NULL, TURN},
                                            {"time", 1, NULL, TIME},
                                            {"html", 1, NULL, HTML},
                                            {"json", 0, NULL, CLI_OPTION_JSON},
                                            {"threads", 1, NULL, 'j'},
                                            {"tables", 1, NULL, 't'},
                                            {"quiet", 0, NULL, 'q'},
                                            {"help", 0, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    const CliOptions reader = {"rule", usage, "n:j:t:qh", options, &args->dirs, set_option};
    int code = cli_options(&reader, args, argc, argv);
    if (code >= 0) return code;
    if (args->html != NULL && strcmp(args->html, "-") == 0 && cli_json_wanted()) {
        cli_error("rule", "--html - is a page on standard output, where --json prints");
        return cli_usage("rule");
    }
    return read_words(args, argc - optind, argv + optind);
}

int cli_rule(int argc, char **argv)
{
    RuleArgs args = {.query = {.turn = FIND_EITHER}, .shown = 3};
    int code = parse(&args, argc, argv);
    if (code < 0) {
        treb_tables *tables = cli_open_tables("rule", &args.dirs);
        args.query.tables = tables;
        args.query.shown = (size_t)args.shown;
        args.query.threads = (unsigned)args.threads;
        code = tables == NULL ? CLI_FAILED : args.materials > 0 ? run(&args) : ask_one(&args);
        treb_tables_close(tables);
    }
    free(args.material);
    cli_dirs_free(&args.dirs);
    return cli_finish("rule", code);
}
