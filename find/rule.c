/* rule.c - see rule.h. */
#include "find/rule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "find/scan.h"
#include "find/script.h"

uint64_t rule_saying_all(const RuleSaying *saying)
{
    return saying->of[0] + saying->of[1] + saying->of[2];
}

uint64_t rule_saying_wrong(const RuleSaying *saying)
{
    uint64_t wrong = 0;
    for (int r = 0; r < RULE_RESULTS; r++)
        if (!rule_claim_right(saying->claim, r)) wrong += saying->of[r];
    return wrong;
}

/* What one thread found. */
typedef struct ThreadRules {
    Script *script;
    RuleReport report;
} ThreadRules;

typedef struct RuleScan {
    const RuleQuery *query;
    RuleReport *report;
    bool full; /* out of memory for examples */
    bool many; /* too many grounds */
} RuleScan;

static RuleSaying *find_saying(RuleReport *report, RuleClaim claim, const char *ground)
{
    for (size_t i = 0; i < report->sayings; i++) {
        RuleSaying *s = &report->saying[i];
        if (s->claim == claim && strcmp(s->ground, ground) == 0) return s;
    }
    if (report->sayings == RULE_GROUNDS) return NULL;
    RuleSaying *s = &report->saying[report->sayings++];
    s->claim = claim;
    snprintf(s->ground, sizeof s->ground, "%s", ground);
    return s;
}

static bool show(RuleSaying *s, size_t most, const RuleExample *example)
{
    if (s->shown >= most) return true;
    if (s->wrong == NULL && (s->wrong = malloc(most * sizeof *s->wrong)) == NULL) return false;
    s->wrong[s->shown++] = *example;
    return true;
}

static void begin(void *context, void *own, PositionInfo *info)
{
    const RuleQuery *query = ((const RuleScan *)context)->query;
    info->status = script_open(query->path, LUA_TFUNCTION, query->stop,
                               &((ThreadRules *)own)->script, &info->error);
}

static void end(void *own)
{
    ThreadRules *rules = own;
    script_free(rules->script);
    rule_report_free(&rules->report);
}

static treb_status fail_grounds(treb_error *error)
{
    return fail(
        error, TREB_ERR_ARGUMENT,
        "a rule can have at most %d grounds: its second value is a name, not a text for each "
        "position",
        RULE_GROUNDS);
}

static bool visit(void *context, void *own, PositionInfo *info)
{
    const size_t shown = ((const RuleScan *)context)->query->shown;
    ThreadRules *rules = own;
    RuleReport *report = &rules->report;
    char ground[RULE_GROUND_SIZE];
    report->looked++;
    RuleClaim claim = script_claim(rules->script, info, ground);
    if (claim == RULE_NOTHING) {
        report->silent++;
        return true;
    }
    RuleSaying *s = find_saying(report, claim, ground);
    if (s == NULL) {
        info->status = fail_grounds(&info->error);
        return true;
    }
    const RuleExample example = {info->pos, info_result(info) - LOST};
    s->of[example.result]++;
    if (!rule_claim_right(claim, example.result) && !show(s, shown, &example))
        info->status = fail_memory(&info->error);
    return true;
}

/* Adds what a thread found in a part to the report, and empties it. */
static bool collect(void *context, void *own)
{
    RuleScan *scan_context = context;
    RuleReport *from = &((ThreadRules *)own)->report, *to = scan_context->report;
    to->looked += from->looked;
    to->silent += from->silent;
    from->looked = from->silent = 0;
    for (size_t i = 0; i < from->sayings; i++) {
        RuleSaying *s = &from->saying[i], *sum = find_saying(to, s->claim, s->ground);
        if (sum == NULL) {
            scan_context->many = true;
            return false;
        }
        for (int r = 0; r < RULE_RESULTS; r++) sum->of[r] += s->of[r];
        for (size_t e = 0; e < s->shown; e++)
            if (!show(sum, scan_context->query->shown, &s->wrong[e])) scan_context->full = true;
        memset(s->of, 0, sizeof s->of);
        s->shown = 0;
    }
    return !scan_context->full;
}

treb_status rule_try(const RuleQuery *query, const char *material, RuleReport *report,
                     treb_error *error)
{
    RuleScan scan_context = {.query = query, .report = report};
    const ScanJob job = {.tables = query->tables,
                         .material = material,
                         .turn = query->turn,
                         .threads = query->threads,
                         .stop = query->stop,
                         .progress = query->progress,
                         .progress_context = query->context,
                         .own = sizeof(ThreadRules),
                         .begin = begin,
                         .visit = visit,
                         .collect = collect,
                         .end = end,
                         .context = &scan_context};
    treb_status status = scan_run(&job, error);
    if (status == TREB_OK && scan_context.many) return fail_grounds(error);
    return status == TREB_OK && scan_context.full ? fail_memory(error) : status;
}

void rule_report_free(RuleReport *report)
{
    for (size_t i = 0; i < report->sayings; i++) free(report->saying[i].wrong);
    memset(report, 0, sizeof *report);
}

treb_status rule_say(const treb_tables *tables, const RuleText *rules, const char *name,
                     const treb_position *pos, const atomic_bool *stop, RuleOpinion *out,
                     treb_error *error)
{
    Script *script;
    PositionInfo info = {.tables = tables, .stop = stop};
    treb_status status = rules != NULL
                             ? script_open_text(rules, name, LUA_TFUNCTION, &script, error)
                             : script_open(name, LUA_TFUNCTION, stop, &script, error);
    if (status != TREB_OK) return status;
    info_set_position(&info, pos);
    out->claim = script_claim(script, &info, out->ground);
    out->result = info_result(&info) - LOST;
    script_free(script);
    if (stop != NULL && atomic_load(stop)) return fail(error, TREB_ERR_ARGUMENT, "stopped");
    if (info.status != TREB_OK && error != NULL) *error = info.error;
    return info.status;
}
