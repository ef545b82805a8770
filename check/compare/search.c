/* search.c - see search.h.
 *
 * For such a position the library searches the moves, and needs a verdict and a distance for each.
 * For nearly all moves both have been noted already, because they lead to another cell with the
 * same pawns. */
#include "check/compare/search.h"

void search_list(const WalkRow *row, uint32_t place, const treb_position *pos, SearchMoves *moves)
{
    moves->count = movegen_legal(pos, moves->move);
    for (int i = 0; i < moves->count; i++) {
        moves->quiet[i] = !move_is_zeroing(pos, moves->move[i]);
        if (moves->quiet[i]) moves->cell[i] = walk_moved(row, place, pos, moves->move[i]);
    }
}

/* Returns the distance after a move from the note of the cell that the move leads to; -1 if the
 * move does not keep the verdict. */
static int distance_from_note(uint16_t word, int most_left)
{
    int other = word >> NOTE_BITS, distance = word & NOTE_MOST;
    if (other > most_left) return -1;
    return other == TREB_DRAW ? 0 : distance + 2;
}

/* Returns the distance after a move from probes; -1 if the move does not keep the verdict, -2 if
 * the library has no answer. */
static int distance_from_probe(const ProbeReader *reader, treb_metric metric,
                               const treb_position *pos, Move m, int most_left)
{
    treb_position child;
    position_make(pos, m, &child);
    int other = wdl_value(reader, &child, NULL);
    if (other < 0) return -2;
    if (other > most_left) return -1;
    int distance = distance_of_move(reader, metric, pos, m, &child, other, NULL);
    return distance < 0 ? -2 : distance;
}

int search_distance(const treb_tables *tables, const uint16_t *word, uint64_t first,
                    treb_metric metric, const treb_position *pos, int verdict,
                    const SearchMoves *moves)
{
    const ProbeReader *reader = set_reader(tables);
    bool win = verdict > TREB_DRAW, found = !win;
    int best = 0, most_left = distance_most_left(metric, verdict);
    for (int i = 0; i < moves->count; i++) {
        uint16_t known = moves->quiet[i] ? word[moves->cell[i] - first] : NOTE_NONE;
        int distance = known != NOTE_NONE
                           ? distance_from_note(known, most_left)
                           : distance_from_probe(reader, metric, pos, moves->move[i], most_left);
        /* The probe also returns the error. */
        if (distance == -2) return distance_value(reader, metric, pos, verdict, NULL);
        if (distance < 0 || (found && (win ? distance >= best : distance <= best))) continue;
        best = distance;
        found = true;
    }
    return found ? best : distance_value(reader, metric, pos, verdict, NULL);
}
