/* info_json.c - see info_json.h. */
#include "cli/info_json.h"

#include "cli/output.h"
#include "core/chess/bitboard.h"
#include "core/format/table_blocked.h"
#include "core/format/table_pawn.h"
#include "json/words.h"

static const char *const colors[2] = {"white", "black"};

static void put(json_t *object, const char *name, json_t *value)
{
    json_object_set_new(object, name, value);
}

static json_t *number(uint64_t value) { return json_integer((json_int_t)value); }

static json_t *squares_json(uint64_t set)
{
    json_t *array = json_array();
    while (set != 0) {
        int square = bit_pop(&set);
        const char name[3] = {(char)('a' + square_file(square)), (char)('1' + square_rank(square))};
        json_array_append_new(array, json_string(name));
    }
    return array;
}

/* Returns {"white":{"win":n,...},"black":{...}}, like /v1/tables of the server. */
static json_t *counts_json(const TableHeader *h)
{
    json_t *object = json_object();
    for (int s = 0; s < 2; s++) {
        json_t *side = json_object();
        for (int v = TREB_WIN; v >= TREB_LOSS; v--)
            put(side, answer_verdict((treb_wdl)v), number(h->side[s].count[v]));
        put(object, colors[s], side);
    }
    return object;
}

/* Returns [{"turn":..,"verdict":..,"plies":..,"fen":..}]. */
static json_t *longest_json(const TableHeader *h)
{
    json_t *array = json_array();
    for (int s = 0; s < 2; s++)
        for (int v = TREB_WIN; v >= TREB_LOSS; v--) {
            const TableSide *side = &h->side[s];
            if (v == TREB_DRAW || side->longest_fen[v][0] == '\0') continue;
            json_t *object = json_object();
            put(object, "turn", json_string(colors[s]));
            put(object, "verdict", json_string(answer_verdict((treb_wdl)v)));
            put(object, "plies", json_integer(side->longest[v]));
            put(object, "fen", json_string(side->longest_fen[v]));
            json_array_append_new(array, object);
        }
    return array;
}

/* Returns [{"clock":"fresh","count":n,"dtm":..,"dtm50":..,"fen":..}, {"clock":"last",..}]. */
static json_t *delayed_json(const TableHeader *h)
{
    static const char *const clocks[DELAYED_CLOCKS] = {[DELAYED_FRESH] = "fresh", [DELAYED_LATE] = "last"};
    json_t *array = json_array();
    for (int i = 0; i < DELAYED_CLOCKS; i++) {
        const TableDelayed *delayed = &h->delayed[i];
        json_t *object = json_object();
        put(object, "clock", json_string(clocks[i]));
        put(object, "count", number(delayed->count));
        if (delayed->count > 0) {
            put(object, "dtm", json_integer(delayed->dtm));
            put(object, "dtm50", json_integer(delayed->dtm50));
            put(object, "fen", json_string(delayed->fen));
        }
        json_array_append_new(array, object);
    }
    return array;
}

/* Returns ["pawns", "kings", "white R", ...], outermost first. */
static json_t *order_json(const Index *index)
{
    static const char letters[] = "PNBRQK";
    json_t *array = json_array();
    if (index->pawns) json_array_append_new(array, json_string("pawns"));
    for (int i = 0; i < index->axes; i++) {
        if (index->order[i] == INDEX_KINGS_AXIS) {
            json_array_append_new(array, json_string("kings"));
            continue;
        }
        const IndexGroup *g = &index->group[index->order[i] - 1];
        char men[TREB_MEN_MAX + 1] = "";
        for (int n = 0; n < g->count; n++) men[n] = letters[g->type];
        json_array_append_new(array, json_sprintf("%s %s", colors[g->color], men));
    }
    return array;
}

/* By side to move; with DTM50 those of the places of profiles, and of the profiles that are in no class. */
static void put_codes(json_t *object, const TableHeader *h)
{
    static const char *const profiles[2] = {"places", "profiles"};
    const char *const *names = h->metric == TREB_DTM50 ? profiles : colors;
    json_t *codes = json_object();
    for (int s = 0; s < 2; s++) {
        const TableSide *side = &h->side[s];
        if (!side->stored) continue;
        json_t *code = json_object();
        put(code, "order", order_json(&side->index));
        put(code, "count", number(side->code.count));
        put(code, "symbols", number(side->code.symbols));
        put(code, "block_bytes", number(side->code.block_bytes));
        put(code, "pages", number(side->code.pages));
        put(codes, names[s], code);
    }
    put(object, "codes", codes);
}

static void put_table(json_t *object, const TableHeader *h)
{
    int sides = h->side[0].stored + h->side[1].stored;
    json_t *stored = json_object();
    for (int s = 0; s < 2; s++) put(stored, colors[s], json_boolean(table_has_turn(h, s)));
    put(object, "unpacked_bytes", number((uint64_t)sides * table_side_bytes(h)));
    put(object, "blocks", number((uint64_t)sides * table_side_blocks(h)));
    put(object, "block_bytes", number(UINT64_C(1) << h->block_bits));
    put(object, "cells", number(h->index.size));
    put(object, "cells_per_byte", number(h->per_byte));
    put(object, "cell_bytes", number(h->width));
    put(object, "codec", json_string(h->codec == TABLE_SYMBOLS ? "symbols" : "zstd"));
    if (h->codec == TABLE_SYMBOLS)
        put_codes(object, h);
    else
        put(object, "order", order_json(&h->index));
    put(object, "stored", stored);
    if (h->metric == TREB_WDL || h->metric == TREB_DTM) put(object, "bounds", json_boolean(h->bounds));
    if (h->metric == TREB_DTC) put(object, "as_dtz", json_boolean(h->as_dtz));
    if (h->metric == TREB_DTM50) {
        put(object, "profiles", number(h->profiles.count));
        put(object, "profile_classes", number(h->profiles.class_count));
    }
    put(object, "counts", counts_json(h));
    if (h->metric != TREB_WDL) put(object, "longest", longest_json(h));
    if (h->metric == TREB_DTM50) put(object, "delayed", delayed_json(h));
}

static void put_solved(json_t *object, const TableHeader *h)
{
    json_t *pawns = json_object(), *counts = json_object();
    static const struct {
        const char *name;
        int verdict;
    } verdicts[] = {{"win", TREB_WIN}, {"draw", TREB_DRAW}, {"loss", TREB_LOSS}};
    for (int s = 0; s < 2; s++) {
        json_t *side = json_object();
        for (int i = 0; i < 3; i++)
            put(side, verdicts[i].name, number(h->side[s].count[verdicts[i].verdict]));
        put(side, "open", number(h->pawn.open[s]));
        put(counts, colors[s], side);
        put(pawns, colors[s], squares_json(h->pawn.root.pawns[s]));
    }
    put(object, "pawns", pawns);
    put(object, "structures", number(h->pawn.structures));
    put(object, "counts", counts);
}

static void put_blocked(json_t *object, const TableHeader *h)
{
    static const char *const goals[GOALS] = {"exact", "take", "reach"};
    const TableBlocked *blocked = &h->blocked;
    json_t *pawns = json_object(), *open = json_object();
    for (int s = 0; s < 2; s++) {
        put(pawns, colors[s], squares_json(blocked->pawns[s]));
        put(open, colors[s], number(blocked->open[s]));
    }
    put(object, "pawns", pawns);
    put(object, "goal", json_string(goals[blocked->goal]));
    put(object, "squares", squares_json(blocked->squares));
    put(object, "safe", json_boolean(blocked->safe));
    put(object, "upper_bounds", json_boolean(blocked->upper_bounds));
    put(object, "open", open);
    put(object, "counts", counts_json(h));
    put(object, "longest", longest_json(h));
}

json_t *info_json(const Table *table)
{
    const TableHeader *h = table_header(table);
    char name[MATERIAL_NAME_SIZE];
    json_t *object = json_object();
    material_name(&h->index.material, name);
    put(object, "file", cli_json_text(table_path(table)));
    put(object, "material", json_string(name));
    put(object, "men", json_integer(material_men(&h->index.material)));
    put(object, "metric", json_string(table_metric_name(h->metric)));
    put(object, "bytes", number(table_file_size(table)));
    if (h->metric == TABLE_BLOCKED)
        put_blocked(object, h);
    else if ((int)h->metric == TABLE_PAWN)
        put_solved(object, h);
    else
        put_table(object, h);
    return object;
}

json_t *info_json_syzygy(const Syzygy *table, const Material *material, treb_metric metric)
{
    char name[MATERIAL_NAME_SIZE];
    SyzygySummary s = syzygy_summary(table);
    material_name(material, name);
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:I, s:I, s:{s:b, s:b}, s:{s:b, s:b}}", "file", syzygy_path(table),
        "format", "syzygy", "material", name, "metric", treb_metric_text(metric), "bytes",
        (json_int_t)syzygy_file_size(table), "cells", (json_int_t)s.cells, "stored", "white",
        syzygy_has_side(table, 0), "black", syzygy_has_side(table, 1), "exact", "wins",
        metric == TREB_WDL || s.exact_wins, "losses", metric == TREB_WDL || s.exact_losses);
}
