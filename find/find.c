/* find.c - see find.h. */
#define _DEFAULT_SOURCE /* open_memstream */
#include "find/find.h"

#include <stdlib.h>

#include "core/chess/material.h"
#include "core/system/error.h"
#include "core/system/tool.h"
#include "find/scan.h"
#include "find/search.h"

/* A search of a material, and who listens. */
typedef struct Finding {
    Search search;
    const FindListener *listener;
    FindCounts *counts;
} Finding;

/* What one thread finds in a part. */
typedef struct ThreadFinds {
    Script *script;
    Found *found;
    size_t *end; /* by position: where its text ends */
    size_t count, capacity;
    uint64_t looked;
    ToolText text; /* where the listener writes; its `out` is NULL as long as nothing is written */
} ThreadFinds;

static void begin(void *context, void *own, PositionInfo *info)
{
    search_begin(((const Finding *)context)->search.query, &((ThreadFinds *)own)->script, info);
}

static void forget_texts(ThreadFinds *f)
{
    if (f->text.out != NULL) tool_text_close(&f->text);
    free(f->text.text);
    f->text = (ToolText){0};
}

static void end(void *own)
{
    ThreadFinds *f = own;
    script_free(f->script);
    forget_texts(f);
    free(f->found);
    free(f->end);
}

static bool grow(ThreadFinds *f)
{
    const size_t capacity = f->capacity ? 2 * f->capacity : 64;
    Found *found = realloc(f->found, capacity * sizeof *found);
    if (found != NULL) f->found = found;
    size_t *end_of = realloc(f->end, capacity * sizeof *end_of);
    if (end_of != NULL) f->end = end_of;
    if (found == NULL || end_of == NULL) return false;
    f->capacity = capacity;
    return true;
}

/* Lets the listener write the text of a position. */
static bool describe(const FindListener *listener, ThreadFinds *f, const Found *found)
{
    if (listener->describe == NULL) return true;
    if (f->text.out == NULL && !tool_text_open(&f->text)) return false;
    if (!listener->describe(listener->context, found, f->text.out)) return false;
    const long at = ftell(f->text.out);
    f->end[f->count] = (size_t)at;
    return at >= 0 && !ferror(f->text.out);
}

static bool keep(const FindListener *listener, ThreadFinds *f, const Found *found)
{
    if (f->count == f->capacity && !grow(f)) return false;
    f->end[f->count] = 0;
    if (!describe(listener, f, found)) return false;
    f->found[f->count++] = *found;
    return true;
}

static bool visit(void *context, void *own, PositionInfo *info)
{
    const Finding *finding = context;
    const Search *s = &finding->search;
    ThreadFinds *f = own;
    Found found;
    f->looked++;
    if (!search_finds(s, f->script, info, &found)) return true;
    if (info->status == TREB_OK && !keep(finding->listener, f, &found))
        info->status = fail_memory(&info->error);
    /* No more are wanted than that, of this part or of all. */
    return s->query->first == 0 || f->count < s->query->first;
}

static void count_found(FindCounts *counts, const Found *found)
{
    counts->found++;
    if (found->zugzwang == FIND_FULL_POINT) counts->full++;
    if (found->zugzwang == FIND_HALF_POINT) counts->half[found->loser]++;
}

static bool collect(void *context, void *own)
{
    const Finding *finding = context;
    ThreadFinds *f = own;
    bool more = f->text.out == NULL || tool_text_flush(&f->text);
    for (size_t i = 0; i < f->count && more; i++) {
        Found *found = &f->found[i];
        const size_t start = i > 0 ? f->end[i - 1] : 0;
        found->text = f->text.out != NULL ? f->text.text + start : NULL;
        found->length = f->end[i] - start;
        count_found(finding->counts, found);
        more = finding->listener->found(finding->listener->context, found);
    }
    finding->counts->looked += f->looked;
    f->count = 0;
    f->looked = 0;
    forget_texts(f);
    return more;
}

treb_status find_material(const FindQuery *query, const char *material,
                          const FindListener *listener, FindCounts *counts, treb_error *error)
{
    Finding finding = {.listener = listener, .counts = counts};
    treb_status status = search_init(&finding.search, query, material, error);
    if (status != TREB_OK) return status;
    const ScanJob job = {.tables = query->tables,
                         .material = material,
                         .turn = query->turn,
                         .threads = query->threads,
                         .stop = query->stop,
                         .progress = listener->progress,
                         .progress_context = listener->context,
                         .own = sizeof(ThreadFinds),
                         .begin = begin,
                         .visit = visit,
                         .collect = collect,
                         .end = end,
                         .context = &finding};
    return scan_run(&job, error);
}

/* A position that is listed stands for two or eight positions of the full board at the most. */
int find_floor(const FindQuery *query, const char *material, uint64_t first)
{
    enum { PLIES_MAX = 1 << 16 };
    Material m;
    uint64_t *sum = calloc(2 * PLIES_MAX, sizeof *sum), *entry = sum + PLIES_MAX, above = 0;
    int plies = PLIES_MAX;
    bool known = sum != NULL && material_parse(material, &m);
    for (int side = 0; side < 2 && known; side++) {
        /* With the same men on both sides White is always to move, or Black. */
        const bool listed = material_symmetric(&m) ? side == TREB_WHITE
                            : query->turn == FIND_EITHER ? true
                                                         : side == query->turn;
        for (int v = TREB_LOSS; v <= TREB_WIN && known && listed; v++) {
            size_t count = 0;
            if (v == TREB_DRAW) continue;
            known = treb_tables_histogram(query->tables, material, query->metric, side,
                                          (treb_wdl)v, entry, PLIES_MAX, &count,
                                          NULL) == TREB_OK;
            for (size_t p = 0; p < count && p < PLIES_MAX; p++) sum[p] += entry[p];
        }
    }
    const uint64_t images = known && material_has_pawns(&m) ? 2 : 8;
    while (known && plies > 0 && above / images < first) above += sum[--plies];
    known = known && above / images >= first;
    free(sum);
    return known ? plies - 1 : -1;
}

treb_status find_check_condition(const char *condition, const char *name, treb_error *error)
{
    Script *script;
    treb_status status = script_new(condition, name, &script, error);
    script_free(script);
    return status;
}
