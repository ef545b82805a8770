/* walk_each.c - treb_each_position: calls a function for every position of an ending. */
#include "core/system/error.h"
#include "probe/probe.h"
#include "probe/walk.h"

/* The index of the WDL file if there is one, so that a program that probes each position reads the
 * file in order. */
static bool choose_index(const treb_tables *tables, const Material *m, Index *index)
{
    const SetPlace *place = set_place(tables, set_key_of_material(m));
    ProbeFile *file = place->entry != NULL ? place->entry->file[TREB_WDL] : NULL;
    return walk_order(file, index) || index_init(index, m, NULL, 1);
}

/* Visits the positions of a row that can arise. Returns 0 if the visitor stops. */
static int visit_row(const Index *index, uint64_t number, int sides, treb_visit visit,
                     void *context)
{
    WalkRow row;
    treb_position pos;
    if (!walk_row(index, number, &row)) return 1;
    for (uint32_t place = 0; place < row.cells; place++) {
        if (!walk_cell(&row, place, &pos)) continue;
        for (int turn = 0; turn < sides; turn++) {
            pos.turn = (uint8_t)turn;
            if (square_attacked(&pos, position_king(&pos, !turn), turn)) continue;
            if (!visit(context, &pos)) return 0;
        }
    }
    return 1;
}

treb_status treb_each_position(const treb_tables *tables, const char *material, uint64_t part,
                               uint64_t parts, treb_visit visit, void *context, treb_error *error)
{
    Material m;
    Index index;
    if (!material_parse(material, &m) || parts == 0 || part >= parts)
        return fail(error, TREB_ERR_ARGUMENT, "%s: no such material, or no such part of it",
                    material);
    material_canonical(&m);
    if (material_men(&m) > TREB_MEN_MAX || !choose_index(tables, &m, &index))
        return fail(error, TREB_ERR_MEN, "%s: no table has so many men", material);
    const int sides = material_symmetric(&m) ? 1 : 2;
    const uint64_t rows = walk_rows(&index);
    /* Without overflow for any number of rows: a table of six men without pawns has a billion. */
    const uint64_t share = rows / parts, rest = rows % parts;
    const uint64_t first = part * share + (part < rest ? part : rest);
    const uint64_t end = first + share + (part < rest);
    for (uint64_t row = first; row < end; row++)
        if (!visit_row(&index, row, sides, visit, context)) break;
    return TREB_OK;
}
