/* find.c - see find.h. */
#include "find/find.h"

#include <stdlib.h>

#include "core/chess/material.h"
#include "core/format/index.h"
#include "core/system/error.h"
#include "find/kinds.h"
#include "find/scan.h"
#include "find/script.h"

/* A search of a material. */
typedef struct Search {
    const FindQuery *query;
    const FindListener *listener;
    FindCounts *counts;
    const char *material;
    Index index;
    bool symmetric;
    int longest; /* plies of the longest win of the sides that the query asks for */
} Search;

/* What one thread finds in a part. */
typedef struct ThreadFinds {
    Script *script;
    Found *found;
    size_t count, capacity;
    uint64_t looked;
} ThreadFinds;

static void begin(void *context, void *own, PositionInfo *info)
{
    const FindQuery *q = ((const Search *)context)->query;
    info->rule50 = q->rule50;
    if (q->condition != NULL)
        info->status = script_new(q->condition, &((ThreadFinds *)own)->script, &info->error);
}

static void end(void *own)
{
    ThreadFinds *f = own;
    script_free(f->script);
    free(f->found);
}

static bool keep(ThreadFinds *f, const Found *found)
{
    if (f->count == f->capacity) {
        size_t capacity = f->capacity ? 2 * f->capacity : 64;
        Found *grown = realloc(f->found, capacity * sizeof *grown);
        if (grown == NULL) return false;
        f->found = grown;
        f->capacity = capacity;
    }
    f->found[f->count++] = *found;
    return true;
}

/* In a material with the same men on both sides, a zugzwang comes twice, once with colours
 * exchanged. Whether this position is the first of the two. */
static bool first_of_two(const Search *s, const treb_position *pos)
{
    treb_position other;
    position_swap_colors(pos, &other);
    other.turn = pos->turn;
    return index_of_position(&s->index, pos) <= index_of_position(&s->index, &other);
}

static bool holds(const Search *s, const ThreadFinds *f, PositionInfo *info, Found *found)
{
    return kinds_hold(s->query, s->longest, info, found) &&
           (f->script == NULL || script_holds(f->script, info));
}

/* A zugzwang is one for both sides to move. It is shown with White to move, unless the query asks
 * for a side. Whether this position is the other one. */
static bool other_side_shown(const Search *s, const treb_position *pos)
{
    const FindQuery *q = s->query;
    return q->kinds & FIND_ZUGZWANG && !s->symmetric && q->turn == FIND_EITHER &&
           pos->turn == TREB_BLACK;
}

/* Of two positions that are equal with colours exchanged, only the first that holds is shown.
 * Whether that is the other one. Changes the position of `info`. */
static bool other_color_shown(const Search *s, const ThreadFinds *f, PositionInfo *info)
{
    treb_position other;
    Found ignored = {.zugzwang = FIND_NO_ZUGZWANG};
    if (!(s->query->kinds & FIND_ZUGZWANG) || !s->symmetric || first_of_two(s, &info->pos))
        return false;
    position_swap_colors(&info->pos, &other);
    other.turn = info->pos.turn;
    info_set_position(info, &other);
    return holds(s, f, info, &ignored);
}

static bool visit(void *context, void *own, PositionInfo *info)
{
    const Search *s = context;
    ThreadFinds *f = own;
    Found found = {.zugzwang = FIND_NO_ZUGZWANG};
    f->looked++;
    if (other_side_shown(s, &info->pos) || !holds(s, f, info, &found)) return true;
    found.pos = info->pos;
    found.wdl = info_wdl(info);
    if (other_color_shown(s, f, info)) return true;
    if (info->status == TREB_OK && !keep(f, &found)) info->status = fail_memory(&info->error);
    return true;
}

static void count_found(FindCounts *counts, const Found *found)
{
    counts->found++;
    if (found->zugzwang == FIND_FULL_POINT) counts->full++;
    if (found->zugzwang == FIND_HALF_POINT) counts->half[found->loser]++;
}

static bool collect(void *context, void *own)
{
    const Search *s = context;
    ThreadFinds *f = own;
    bool more = true;
    for (size_t i = 0; i < f->count && more; i++) {
        count_found(s->counts, &f->found[i]);
        more = s->listener->found(s->listener->context, &f->found[i]);
    }
    s->counts->looked += f->looked;
    f->count = 0;
    f->looked = 0;
    return more;
}

static treb_status find_longest(Search *s, treb_error *error)
{
    treb_table_info info;
    treb_status status =
        treb_tables_find(s->query->tables, s->material, s->query->metric, &info, error);
    if (status != TREB_OK) return status;
    if (info.format != TREB_FORMAT_TREBUCHET)
        return fail(error, TREB_ERR_ARGUMENT,
                    "%s: a Syzygy file does not say how long its longest win is", s->material);
    const FindQuery *q = s->query;
    for (int side = 0; side < 2; side++)
        for (int v = q->rule50 ? TREB_WIN : TREB_CURSED_WIN; v <= TREB_WIN; v++)
            if ((q->turn == FIND_EITHER || s->symmetric || q->turn == side) &&
                (int)info.longest[side][v] > s->longest)
                s->longest = (int)info.longest[side][v];
    return TREB_OK;
}

treb_status find_material(const FindQuery *query, const char *material,
                          const FindListener *listener, FindCounts *counts, treb_error *error)
{
    Material m;
    Search s = {.query = query, .listener = listener, .counts = counts, .material = material};
    if (!material_parse(material, &m) ||
        (material_canonical(&m), !index_init(&s.index, &m, NULL, 1)))
        return fail(error, TREB_ERR_ARGUMENT, "%s: there is no such material", material);
    s.symmetric = material_symmetric(&m);
    treb_status status = query->kinds & FIND_LONGEST ? find_longest(&s, error) : TREB_OK;
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
                         .context = &s};
    return scan_run(&job, error);
}

treb_status find_check_condition(const char *condition, treb_error *error)
{
    Script *script;
    treb_status status = script_new(condition, &script, error);
    script_free(script);
    return status;
}
