/* pawn_file.c - see pawn_file.h. */
#include "probe/pawn_file.h"

#include "core/chess/movegen.h"
#include "core/format/table_pawn.h"
#include "probe/file_cell.h"
#include "probe/file_open.h"

/* Reads the cell of a position. Returns PAWN_CELL_OPEN if no file has the position, or minus a
 * status. If several files have it, the cell of one that decides it. */
static int read_pawn_cell(const ProbeReader *reader, const treb_position *pos, treb_error *error)
{
    const treb_tables *set = reader->set;
    StructurePlace place;
    int found = PAWN_CELL_OPEN;
    if (!TREB_SOLVED || set->pawn_file_count == 0 || pos->castling != 0 || !structure_place(pos, &place))
        return found;
    for (size_t i = 0; i < set->pawn_file_count; i++) {
        const OpenTable *open;
        int opened = file_get(reader, &set->pawn_files[i], &open, error);
        if (opened < 0) {
            /* A file that is not open yet may have the position; one that cannot be opened is
             * ignored. */
            if (opened == -(int)TREB_ERR_NOT_READY) found = opened;
            continue;
        }
        const TableStructure *s = table_find_structure(open->header, &place.key);
        if (s == NULL) continue;
        int cell = file_cell(reader, open, place.turn, s->first + place.cell, error);
        if (cell < 0 || (cell != PAWN_CELL_OPEN && cell < PAWN_CELLS)) return cell;
        if (cell >= PAWN_CELLS)
            return file_damaged(open, "a cell has a code without meaning", error);
    }
    return found;
}

int pawn_file_verdict(const ProbeReader *reader, const treb_position *pos, treb_error *error)
{
    int cell = read_pawn_cell(reader, pos, error);
    if (cell < 0) return cell;
    if (pawn_cell_wins(cell)) return TREB_WIN;
    if (pawn_cell_loses(cell)) return TREB_LOSS;
    return cell == PAWN_CELL_DRAW ? (int)TREB_DRAW : (int)PAWN_FILE_UNKNOWN;
}

int pawn_file_distance(const ProbeReader *reader, const treb_position *pos)
{
    int cell = read_pawn_cell(reader, pos, NULL);
    if (cell < 0) return cell;
    if (!pawn_cell_wins(cell) && !pawn_cell_loses(cell)) return -(int)TREB_ERR_NO_TABLE;
    /* An en passant capture may change who wins. If it wins too the distance is 1, which the caller
     * finds. */
    if (pos->ep != 0 && position_ep_legal(pos)) return -(int)TREB_ERR_NO_TABLE;
    return (int)pawn_cell_plies(cell);
}
