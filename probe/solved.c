/* solved.c - see solved.h. */
#include "probe/solved.h"

#include "core/format/table_solved.h"

/* The cell of a position; SOLVED_OPEN if no file has it. Of several files one that decides it. */
static int cell_of(const treb_tables *set, const treb_position *pos, treb_error *error)
{
    SolvedPlace place;
    int found = SOLVED_OPEN;
    if (set->solved_count == 0 || pos->castling != 0 || !solved_place(pos, &place)) return found;
    for (size_t i = 0; i < set->solved_count; i++) {
        const OpenFile *open;
        int opened = file_get(&set->reader, &set->solved[i], &open, error);
        if (opened < 0) {
            /* One that cannot be opened is none of the position's, as far as is known. */
            if (probe_lacks(opened)) found = opened;
            continue;
        }
        const SolvedStructure *s = solved_find(open->header, &place.key);
        if (s == NULL) continue;
        int cell = file_cell(&set->reader, open, place.turn, s->first + place.cell, error);
        if (cell < 0 || (cell != SOLVED_OPEN && cell < SOLVED_CELLS)) return cell;
        if (cell >= SOLVED_CELLS)
            return file_damaged(open, "a cell has a code without meaning", error);
    }
    return found;
}

/* What is missing said in the words of ordinary tables. */
static int fail_missing(const treb_position *pos, int missing, treb_error *error)
{
    if (missing == -(int)TREB_ERR_NO_TABLE) return set_missing(pos, TREB_WDL, error);
    return -(int)probe_check_covered(pos, error);
}

int solved_verdict(const treb_tables *set, const treb_position *pos, int missing, treb_error *error)
{
    if (set->solved_count == 0) return fail_missing(pos, missing, error);
    int cell = cell_of(set, pos, error), best = -1;
    if (cell < 0) return cell;
    bool known = solved_wins(cell) || solved_loses(cell) || cell == SOLVED_DRAW;
    if (known) best = solved_wins(cell) ? TREB_WIN : solved_loses(cell) ? TREB_LOSS : TREB_DRAW;
    if (pos->ep != 0 && position_ep_legal(pos) && best != TREB_WIN) {
        Move moves[MOVES_MAX];
        int count = movegen_legal(pos, moves), captures = 0, most = -1;
        for (int i = 0; i < count; i++) {
            treb_position child;
            if (!move_is_ep(pos, moves[i])) continue;
            captures++;
            position_make(pos, moves[i], &child);
            int after = probe_check_covered(&child, NULL) == TREB_OK ? wdl_value(set, &child, NULL)
                        : movegen_any(&child)       ? solved_verdict(set, &child, missing, NULL)
                        : position_in_check(&child) ? TREB_LOSS
                                                    : TREB_DRAW;
            if (after < 0)
                known = false;
            else if (TREB_WIN - after > most)
                most = TREB_WIN - after;
        }
        if (captures == count) best = most; /* what the cell says is not so */
        if (most > best) best = most;
        known = (known && best >= 0) || best == TREB_WIN;
    }
    return known ? best : fail_missing(pos, missing, error);
}

int solved_distance(const treb_tables *set, const treb_position *pos)
{
    int cell = cell_of(set, pos, NULL);
    if (cell < 0) return cell;
    if (!solved_wins(cell) && !solved_loses(cell)) return -(int)TREB_ERR_NO_TABLE;
    /* A capture en passant changes who wins, or is at 1. */
    if (pos->ep != 0 && position_ep_legal(pos)) return -(int)TREB_ERR_NO_TABLE;
    return (int)solved_plies(cell);
}
