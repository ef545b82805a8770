/* cmd_rule.c - trebuchet rule: tests a rule of thumb on all positions of an ending. */
#include <stdlib.h>
#include <string.h>

#include "cli/advice.h"
#include "cli/arguments.h"
#include "cli/cmd.h"
#include "cli/folders.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/rule_html.h"
#include "cli/signals.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "core/chess/material.h"
#include "core/chess/position.h"
#include "core/system/io.h"
#include "find/rule.h"
#include "json/rule_book.h"

static const char *const results[RULE_RESULTS] = {"loss", "draw", "win"};

typedef struct RuleArgs {
    RuleQuery query;
    CliDirs dirs;
    uint64_t shown, seconds;
    bool quiet;
    const char *html;
    char (*material)[MATERIAL_NAME_SIZE];
    size_t materials; /* 0: a position is given */
    treb_position pos;
} RuleArgs;

typedef struct RuleRun {
    const RuleArgs *args;
    CliProgress progress;
    const char *name;
    const atomic_bool *stop; /* set by a signal or when the time is up */
    FILE *html;
} RuleRun;

/* Returns a flag that is set by a signal and when the time is up. */
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

/* ---- Output ---------------------------------------------------------------------------------- */

static double share(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* Prints how many positions a verdict is wrong for, and their true verdicts. */
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
    printf("%s: applies to %s of %s positions (%.1f %%)", run->name, spoken, looked,
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
    int code = cli_fail_tables("rule", error, &args->dirs);
    cli_hint_script(args->query.path, "rules");
    return error->status == TREB_ERR_ARGUMENT ? CLI_USAGE : code;
}

/* Opens the page when there is something to write. Until then an old page is kept. */
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
        if (atomic_load(run->stop)) cli_warn("rule", "%s: stopped early", name);
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
        cli_warn("rule", "%s: not tested", args->material[i]);
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
        puts("The rule does not apply.");
    } else {
        printf("The rule says: %s", rule_claim_text(opinion->claim));
        if (opinion->ground[0] != '\0') printf(" - %s", opinion->ground);
        puts(rule_claim_states(opinion->claim) ? "." : right ? ". It is right." : ". It is wrong.");
    }
    return CLI_OK;
}

/* Asks the rule about one position, with colours exchanged if Black has more men: rules are written for
 * the side with more men as White. */
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
        cli_error("rule", "stopped before the rule gave an answer");
        return CLI_STOPPED;
    }
    return fail_rule(args, &error);
}

static const CliOption options[] = {
    {"show", 'n', "N", CLI_NUMBER(RuleArgs, shown, 0, 1000),
     "show up to N positions of each kind of error (default: 3)"},
    {"turn", 0, "COLOR", CLI_TURN(RuleArgs, query.turn),
     "only positions with this side to move: white or black"},
    {"time", 0, "SECONDS", CLI_NUMBER(RuleArgs, seconds, 1, 1 << 30),
     "stop after that time; positions are examined in the order of the table"},
    {"html", 0, "FILE", CLI_TEXT(RuleArgs, html), "write a page with boards; - is standard output"},
    CLI_OPTION_JSON("print one JSON object for each ending"),
    {"threads", 'j', "N", CLI_UNSIGNED(RuleArgs, query.threads, 1, 1024), "number of threads"},
    CLI_OPTION_TABLES(RuleArgs, dirs),
    CLI_OPTION_QUIET(RuleArgs, quiet),
    CLI_OPTION_HELP,
    CLI_OPTIONS_END};

static const CliCommand rule_command = {
    .name = "rule",
    .synopsis = "trebuchet rule [options] FILE.lua MATERIAL...\n"
                "trebuchet rule [options] FILE.lua FEN",
    .about =
        "Tests a rule of thumb on all positions of endings, and prints how often it is right.\n"
        "FILE returns a function in Lua. For the side to move, the function returns \"win\", "
        "\"draw\", \"loss\", \"not win\" or \"not loss\", or nothing if the rule does not apply. "
        "If the rule is a statement of another kind, the function returns true or false, and "
        "counts as wrong where it returns false. A second result may give the reason. The "
        "function can use what a condition of 'trebuchet find' can use, and use(\"name\") loads "
        "the rule in another file of the same folder. docs/rules.md has a tutorial; "
        "examples/rules/ has examples.\n\n"
        "With a FEN, prints what the rule and the table say about that position.\n\n"
        "Only one of several positions that a symmetry of the board turns into each other is "
        "examined. A win counts as a win even if the 50-move rule would spoil it.",
    .options = options,
    .notes = "Exit codes: 0 done, even if the rule was wrong, 1 failed, 2 wrong command line or an "
             "error in the rule, 3 table not installed, 130 stopped by Ctrl-C: the results so far "
             "are printed; for a FEN, also stopped by --time."};

static int read_words(RuleArgs *args, int count, char **word)
{
    if (count < 2) {
        cli_error("rule", "%s",
                  count < 1 ? "name a rule, which is a file in Lua"
                            : "name a material, such as KPvK, or give a position");
        return cli_usage("rule");
    }
    args->query.path = word[0];
    if (io_name(word[1]) != word[1]) {
        int code = cli_read_fen("rule", count - 1, word + 1, &args->pos);
        return code == CLI_OK ? -1 : code;
    }
    args->material = calloc((size_t)count, sizeof *args->material);
    if (args->material == NULL) return cli_no_memory("rule");
    for (int i = 1; i < count; i++) {
        if (!cli_read_material("rule", word[i], args->material[args->materials++]))
            return CLI_USAGE;
        cli_tell_exchange("rule", word[i]);
    }
    return -1;
}

static int parse(RuleArgs *args, int argc, char **argv)
{
    int code = cli_options(&rule_command, args, argc, argv);
    if (code >= 0) return code;
    if (args->html != NULL && strcmp(args->html, "-") == 0 && cli_json_wanted()) {
        cli_error("rule", "--html - cannot be used with --json: both print on standard output");
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
        code = tables == NULL ? CLI_FAILED : args.materials > 0 ? run(&args) : ask_one(&args);
        code = cli_close_tables("rule", tables, code);
    }
    free(args.material);
    cli_dirs_free(&args.dirs);
    return cli_finish("rule", code);
}
