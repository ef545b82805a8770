/* find.c - see find.h: all positions of a material, in parallel and in order. */
#include "find/find.h"

#include <omp.h>
#include <stdlib.h>

#include "core/error.h"
#include "core/index.h"
#include "core/material.h"
#include "find/kinds.h"
#include "find/script.h"

enum { PART = 1 << 14 /* positions that a thread takes at a time, about */ };

/* A search through a material. */
typedef struct Search {
    const FindQuery *query;
    const FindListener *listener;
    FindCounts *counts;
    const char *material;
    Index index;
    bool symmetric;
    KindsLongest longest;
    uint64_t parts, done;
    atomic_bool stop;
    treb_status status;
    treb_error *error;
} Search;

/* What a thread finds in a part. */
typedef struct Worker {
    Search *search;
    Look look;
    Script *script;
    Found *found;
    size_t count, capacity;
    uint64_t looked;
} Worker;

static bool keep(Worker *w, const Found *found)
{
    if (w->count == w->capacity) {
        size_t capacity = w->capacity ? 2 * w->capacity : 64;
        Found *grown = realloc(w->found, capacity * sizeof *grown);
        if (grown == NULL) {
            w->look.status = fail_memory(&w->look.error);
            return false;
        }
        w->found = grown;
        w->capacity = capacity;
    }
    w->found[w->count++] = *found;
    return true;
}

/* Whether a position is the one to be shown of two that are the same with colours exchanged. Where both
 * sides have the same men a zugzwang comes twice. */
static bool first_of_two(const Search *s, const treb_position *pos)
{
    treb_position other;
    position_swap_colors(pos, &other);
    other.turn = pos->turn;
    return index_of_position(&s->index, pos) <= index_of_position(&s->index, &other);
}

static bool asked_side(const Search *s, const treb_position *pos)
{
    const FindQuery *q = s->query;
    if (q->turn != FIND_EITHER && pos->turn != q->turn) return false;
    if (!(q->kinds & FIND_ZUGZWANG)) return true;
    /* It is one for both sides: shown once, unless a side is asked for. */
    if (s->symmetric) return first_of_two(s, pos);
    return q->turn != FIND_EITHER || pos->turn == TREB_WHITE;
}

static int visit(void *context, const treb_position *pos)
{
    Worker *w = context;
    const Search *s = w->search;
    Look *look = &w->look;
    Found found = {.zugzwang = FIND_NO_ZUGZWANG};
    w->looked++;
    if (!asked_side(s, pos)) return 1;
    look_at(look, pos);
    if (!kinds_hold(s->query, &s->longest, look, &found) ||
        (w->script != NULL && !script_holds(w->script, look)))
        return look->status == TREB_OK && !atomic_load_explicit(&s->stop, memory_order_relaxed);
    found.pos = *pos;
    found.wdl = look_wdl(look);
    return look->status == TREB_OK && keep(w, &found);
}

static void count_found(FindCounts *counts, const Found *found)
{
    counts->found++;
    if (found->zugzwang == FIND_FULL_POINT) counts->full++;
    if (found->zugzwang == FIND_HALF_POINT) counts->half[found->loser]++;
}

static void note_failure(Search *s, treb_status status, const treb_error *error)
{
    if (s->status != TREB_OK) return;
    s->status = status;
    if (s->error != NULL) *s->error = *error;
    s->stop = true;
}

/* By one thread at a time, part after part. */
static void hand_over(Search *s, Worker *w)
{
    const FindListener *to = s->listener;
    if (w->look.status != TREB_OK) note_failure(s, w->look.status, &w->look.error);
    for (size_t i = 0; i < w->count && !s->stop; i++) {
        count_found(s->counts, &w->found[i]);
        if (!to->found(to->context, &w->found[i])) s->stop = true;
    }
    s->counts->looked += w->looked;
    s->done++;
    w->count = 0;
    w->looked = 0;
    if (to->progress != NULL) to->progress(to->context, s->done, s->parts);
    if (s->query->stop != NULL && atomic_load(s->query->stop)) s->stop = true;
}

static void search_parts(Search *s)
{
    const FindQuery *q = s->query;
    const int threads = q->threads > 0 ? (int)q->threads : omp_get_max_threads();
#pragma omp parallel num_threads(threads)
    {
        Worker w = {.search = s, .look = {.tables = q->tables, .rule50 = q->rule50}};
        if (q->condition != NULL)
            w.look.status = script_new(q->condition, &w.script, &w.look.error);
#pragma omp for ordered schedule(dynamic)
        for (uint64_t part = 0; part < s->parts; part++) {
            if (!s->stop && w.look.status == TREB_OK)
                w.look.status = treb_each_position(q->tables, s->material, part, s->parts, visit,
                                                   &w, &w.look.error) != TREB_OK
                                    ? w.look.error.status
                                    : w.look.status;
#pragma omp ordered
            hand_over(s, &w);
        }
        script_free(w.script);
        free(w.found);
    }
}

/* Cells of a side, in parts. */
static uint64_t count_parts(const Index *index)
{
    uint64_t parts = index->size / PART;
    return parts < 1 ? 1 : parts;
}

static treb_status find_longest(Search *s)
{
    treb_table_info info;
    treb_status status =
        treb_tables_find(s->query->tables, s->material, s->query->metric, &info, s->error);
    if (status != TREB_OK) return status;
    if (info.format != TREB_FORMAT_TREBUCHET)
        return fail(s->error, TREB_ERR_ARGUMENT,
                    "%s: a Syzygy file does not say how long its longest win is", s->material);
    for (int side = 0; side < 2; side++)
        for (int v = s->query->rule50 ? TREB_WIN : TREB_CURSED_WIN; v <= TREB_WIN; v++)
            if ((int)info.longest[side][v] > s->longest.plies[side])
                s->longest.plies[side] = (int)info.longest[side][v];
    return TREB_OK;
}

treb_status find_material(const FindQuery *query, const char *material,
                          const FindListener *listener, FindCounts *counts, treb_error *error)
{
    Material m;
    treb_table_info info;
    Search s = {.query = query,
                .listener = listener,
                .counts = counts,
                .material = material,
                .error = error};
    treb_status status = treb_tables_find(query->tables, material, TREB_WDL, &info, error);
    if (status != TREB_OK) return status;
    if (!material_parse(material, &m) ||
        (material_canonical(&m), !index_init(&s.index, &m, NULL, 1)))
        return fail(error, TREB_ERR_ARGUMENT, "%s: there is no such material", material);
    s.symmetric = material_symmetric(&m);
    if (query->kinds & FIND_LONGEST && (status = find_longest(&s)) != TREB_OK) return status;
    s.parts = count_parts(&s.index);
    search_parts(&s);
    return s.status;
}

treb_status find_check_condition(const char *condition, treb_error *error)
{
    Script *script;
    treb_status status = script_new(condition, &script, error);
    script_free(script);
    return status;
}
