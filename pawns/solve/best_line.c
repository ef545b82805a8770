/* best_line.c - see best_line.h. */
#include "pawns/solve/best_line.h"

void best_line_add(BestLine *line, const PawnMove *move)
{
    line->out[line->count++] = *move;
    position_make(&line->pos, move->move, &line->pos);
}

/* Adds the best move for a position that `winner` wins, if one is found. A proof of a win contains
 * a move that is proven to win; only after a double push it may be unknown. With `learn` positions
 * after moves are decided first. */
static bool step(BestLine *line, int winner, Distances *by, bool learn, bool *found)
{
    Move moves[MOVES_MAX];
    int count = movegen_legal(&line->pos, moves);
    PawnMove chosen = {0};
    *found = false;
    for (int i = 0; i < count; i++) {
        PawnMove m = {.move = moves[i], .leaves = move_is_zeroing(&line->pos, moves[i])};
        treb_position child;
        Structure *structure;
        Cell cell;
        position_make(&line->pos, moves[i], &child);
        bool good = learn ? evaluate_position(line->graph, &child, &m.value, &structure, &cell)
                          : evaluate_known(line->graph, &child, &m.value);
        if (!good) return false;
        if (!wins_for(m.value.verdict, winner)) continue;
        if (!evaluate_move_distance(by, &line->pos, &m)) return false;
        /* A move without a distance is left out: with such moves the line could repeat positions
         * for ever. */
        if (m.value.plies < 0) continue;
        /* Keep the best move, in the order of evaluate_sort_moves(). */
        if (*found && evaluate_compare_moves(&m, &chosen, line->pos.turn) > 0) continue;
        chosen = m;
        *found = true;
    }
    if (!*found) return true;
    move_to_uci(chosen.move, chosen.uci);
    move_to_san(&line->pos, chosen.move, chosen.san);
    best_line_add(line, &chosen);
    return true;
}

bool best_line_start(BestLine *line)
{
    enum { SHARE = 32 }; /* of the memory */
    const uint64_t memory = line->graph->limits.memory / SHARE;
    line->distances = distances_new(line->graph, memory, false);
    line->careful = distances_new(line->graph, memory, true);
    if (line->distances == NULL || line->careful == NULL) return false;
    evaluate_set_time_limit(line->graph, line->careful, 1);
    evaluate_set_time_limit(line->graph, line->distances, 2);
    return true;
}

void best_line_end(BestLine *line)
{
    distances_free(line->distances);
    distances_free(line->careful);
}

bool best_line_play(BestLine *line, LineEnd *end)
{
    bool good = true, found = true;
    *end = LINE_END_CAPACITY;
    while (good && line->count < line->capacity) {
        PawnValue value;
        Structure *structure;
        Cell cell;
        if (!movegen_any(&line->pos)) {
            *end = position_in_check(&line->pos) ? LINE_END_MATE : LINE_END_DRAW;
            break;
        }
        good = evaluate_position(line->graph, &line->pos, &value, &structure, &cell);
        *end = value.verdict == VERDICT_DRAW          ? LINE_END_DRAW
               : structure == NULL                    ? LINE_END_PIECES
               : structure->oracle != NULL            ? LINE_END_TABLES
               : structure->key.pieces > line->pieces ? LINE_END_PIECES
               : value.verdict == VERDICT_OPEN        ? LINE_END_OPEN
                                                      : LINE_END_CAPACITY;
        if (!good || *end != LINE_END_CAPACITY) break;
        int winner = verdict_winner(value.verdict);
        good = step(line, winner, line->careful, false, &found);
        if (good && !found) good = step(line, winner, line->distances, false, &found);
        if (good && !found) good = step(line, winner, line->distances, true, &found);
        /* After a double push that can be answered en passant the position may have no distance in
         * its structure. */
        if (good && !found) *end = LINE_END_OPEN;
        if (!found) break;
    }
    return good;
}
