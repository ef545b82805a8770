/* walk_each.c - treb_each_position and treb_next_positions: all positions of an ending. */
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

/* Reads a material that has an index. */
static treb_status read_ending(const treb_tables *tables, const char *material, Material *m,
                               Index *index, treb_error *error)
{
    if (!material_parse(material, m))
        return fail(error, TREB_ERR_ARGUMENT, "%s: no such material", material);
    material_canonical(m);
    if (material_men(m) > TREB_MEN_MAX || !choose_index(tables, m, index))
        return fail(error, TREB_ERR_MEN, "%s: no table has so many men", material);
    return TREB_OK;
}

treb_status treb_each_position(const treb_tables *tables, const char *material, uint64_t part,
                               uint64_t parts, treb_visit visit, void *context, treb_error *error)
{
    Material m;
    Index index;
    if (parts == 0 || part >= parts)
        return fail(error, TREB_ERR_ARGUMENT, "%s: there is no such part", material);
    treb_status status = read_ending(tables, material, &m, &index, error);
    if (status != TREB_OK) return status;
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

/* ---- A number of positions at a time --------------------------------------------------------- */

/* Where the positions go, and where to go on: twice a cell, plus the side to move. */
typedef struct Filling {
    treb_position *out;
    size_t count, capacity;
    uint64_t next;
} Filling;

/* Writes the positions of a row from `next` on. False if there is no room for all of them. */
static bool fill_from_row(const Index *index, uint64_t number, int sides, Filling *to)
{
    WalkRow row;
    treb_position pos;
    if (!walk_row(index, number, &row)) return true;
    uint32_t place = to->next / 2 > row.cell ? (uint32_t)(to->next / 2 - row.cell) : 0;
    for (; place < row.cells; place++) {
        const uint64_t cell = 2 * (row.cell + place);
        if (!walk_cell(&row, place, &pos)) continue;
        for (int turn = cell < to->next ? (int)(to->next - cell) : 0; turn < sides; turn++) {
            pos.turn = (uint8_t)turn;
            if (square_attacked(&pos, position_king(&pos, !turn), turn)) continue;
            if (to->count == to->capacity) {
                to->next = cell + (uint64_t)turn;
                return false;
            }
            to->out[to->count++] = pos;
        }
    }
    return true;
}

treb_status treb_next_positions(const treb_tables *tables, const char *material, uint64_t *next,
                                treb_position *out, size_t capacity, size_t *count,
                                treb_error *error)
{
    Material m;
    Index index;
    treb_status status = read_ending(tables, material, &m, &index, error);
    if (status != TREB_OK) return status;
    const int sides = material_symmetric(&m) ? 1 : 2;
    const uint64_t rows = walk_rows(&index), end = 2 * index.size;
    const uint64_t size = index.size / rows; /* cells of a row */
    Filling to = {.out = out, .capacity = capacity, .next = *next < end ? *next : end};
    while (to.next < end) {
        const uint64_t number = to.next / 2 / size;
        if (!fill_from_row(&index, number, sides, &to)) break;
        to.next = 2 * size * (number + 1);
    }
    *next = to.next;
    *count = to.count;
    return TREB_OK;
}
