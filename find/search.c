/* search.c - see search.h. */
#include "find/search.h"

#include "core/chess/material.h"
#include "core/system/error.h"
#include "find/kinds.h"

/* In a material with the same men on both sides, a zugzwang comes twice, once with colours
 * exchanged. Whether this position is the first of the two. */
static bool first_of_two(const Search *s, const treb_position *pos)
{
    treb_position other;
    position_swap_colors(pos, &other);
    other.turn = pos->turn;
    return index_of_position(&s->index, pos) <= index_of_position(&s->index, &other);
}

static bool holds(const Search *s, Script *script, PositionInfo *info, Found *found)
{
    return kinds_hold(s->query, s->longest, info, found) &&
           (script == NULL || script_holds(script, info));
}

/* A zugzwang is one for both sides to move. It is shown with White to move, unless the query asks
 * for a side. Whether this position is the other one. */
static bool other_side_shown(const Search *s, const treb_position *pos)
{
    const FindQuery *q = s->query;
    return q->kinds & FIND_ZUGZWANG && !s->symmetric && !s->both_sides && q->turn == FIND_EITHER &&
           pos->turn == TREB_BLACK;
}

/* Of two positions that are equal with colours exchanged, only the first that holds is shown.
 * Whether that is the other one. Changes the position of `info`. */
static bool other_color_shown(const Search *s, Script *script, PositionInfo *info)
{
    treb_position other;
    Found ignored = {.zugzwang = FIND_NO_ZUGZWANG};
    if (!(s->query->kinds & FIND_ZUGZWANG) || !s->symmetric || first_of_two(s, &info->pos))
        return false;
    position_swap_colors(&info->pos, &other);
    other.turn = info->pos.turn;
    info_set_position(info, &other);
    return holds(s, script, info, &ignored);
}

/* Returns the longest distance of a side with this verdict or a better one. */
static int most_of(const int most[5], int verdict)
{
    int longest = 0;
    for (int v = verdict; v <= TREB_WIN; v++)
        if (most[v] > longest) longest = most[v];
    return longest;
}

/* Whether the distance of the position is at most the query's floor, so that it is not found. What
 * the header says is tried first. */
static bool is_below(const Search *s, PositionInfo *info, int floor)
{
    const int *most = s->most[info->pos.turn];
    if (most_of(most, TREB_LOSS) <= floor || most[info_wdl(info)] <= floor) return true;
    return info_plies(info, s->query->metric) <= floor;
}

bool search_finds(const Search *s, Script *script, PositionInfo *info, Found *found)
{
    const FindQuery *q = s->query;
    const int floor =
        q->floor != NULL ? atomic_load_explicit(q->floor, memory_order_relaxed) : -1;
    *found = (Found){.zugzwang = FIND_NO_ZUGZWANG};
    if (other_side_shown(s, &info->pos)) return false;
    if (q->kinds & FIND_LONGEST && most_of(s->most[info->pos.turn], TREB_CURSED_WIN) < s->longest)
        return false;
    if ((floor >= 0 && is_below(s, info, floor)) || !holds(s, script, info, found)) return false;
    found->pos = info->pos;
    found->wdl = info_wdl(info);
    found->plies = q->plies && found->wdl != TREB_DRAW ? info_plies(info, q->metric) : 0;
    return !other_color_shown(s, script, info);
}

void search_begin(const FindQuery *query, Script **script, PositionInfo *info)
{
    info->rule50 = query->rule50;
    if (query->condition != NULL)
        info->status = script_new(query->condition, query->name, script, &info->error);
}

/* ---- What the header says -------------------------------------------------------------------- */

static treb_status read_header(Search *s, treb_error *error)
{
    treb_table_info info;
    const FindQuery *q = s->query;
    treb_status status = treb_tables_find(q->tables, s->material, q->metric, &info, error);
    if (status != TREB_OK) return status;
    if (info.format != TREB_FORMAT_TREBUCHET)
        return fail(error, TREB_ERR_UNSUPPORTED,
                    "%s: a Syzygy file does not say how long its longest win is", s->material);
    for (int side = 0; side < 2; side++) {
        for (int v = TREB_LOSS; v <= TREB_WIN; v++)
            s->most[side][v] = v == TREB_DRAW ? 0 : (int)info.longest[side][v];
        const int win = most_of(s->most[side], q->rule50 ? TREB_WIN : TREB_CURSED_WIN);
        if ((q->turn == FIND_EITHER || s->symmetric || q->turn == side) && win > s->longest)
            s->longest = win;
    }
    return TREB_OK;
}

treb_status search_init(Search *s, const FindQuery *query, const char *material,
                        treb_error *error)
{
    Material m;
    *s = (Search){.query = query, .material = material};
    for (int v = TREB_LOSS; v <= TREB_WIN; v++)
        s->most[TREB_WHITE][v] = s->most[TREB_BLACK][v] = v == TREB_DRAW ? 0 : INT32_MAX;
    if (!material_parse(material, &m) ||
        (material_canonical(&m), !index_init(&s->index, &m, NULL, 1)))
        return fail(error, TREB_ERR_ARGUMENT, "%s: there is no such material", material);
    s->symmetric = material_symmetric(&m);
    const bool longest = query->kinds & FIND_LONGEST;
    treb_status status = longest || query->floor != NULL ? read_header(s, error) : TREB_OK;
    /* Without a header, as with a Syzygy file, each position is probed. */
    return longest || status == TREB_OK ? status : TREB_OK;
}
