/* coverage.c - see coverage.h. */
#include "json/coverage.h"

#include "core/chess/movegen.h"
#include "core/system/error.h"

treb_status answer_covered(const treb_position *pos)
{
    if (bit_count(position_occupied(pos)) > TREB_MEN_MAX) return TREB_ERR_MEN;
    return pos->castling != 0 ? TREB_ERR_CASTLING : TREB_OK;
}

treb_status answer_fail_covered(treb_status status, treb_error *error)
{
    return fail(error, status,
                status == TREB_ERR_MEN ? "more than 8 men: no table has so many"
                                       : "castling rights remain: no table covers them");
}

bool answer_refused(treb_status status)
{
    return status == TREB_ERR_FEN || status == TREB_ERR_POSITION || status == TREB_ERR_CASTLING ||
           status == TREB_ERR_MEN || status == TREB_ERR_ARGUMENT;
}

/* Returns whether a legal move ends the game. */
static bool may_end(const treb_position *pos)
{
    Move moves[MOVES_MAX];
    int count = movegen_all(pos, moves);
    for (int i = 0; i < count; i++) {
        treb_position child;
        position_play(pos, moves[i], &child);
        if (!movegen_any(&child)) return true;
    }
    return count == 0;
}

bool answer_beyond_tables(const treb_position *pos, int men)
{
    if (bit_count(position_occupied(pos)) <= men + 2 || bit_count(position_pieces(pos)) <= 2)
        return false;
    /* Without pawns, rooks and queens there may be too little material to mate. */
    const uint64_t *by_type = pos->by_type;
    if (bit_count(by_type[TREB_PAWN] | by_type[TREB_ROOK] | by_type[TREB_QUEEN]) <= 2) return false;
    if (may_end(pos)) return false;
    /* A move after which the game may end at once has a value. If one has none, neither has the
     * position. */
    Move moves[MOVES_MAX];
    int count = movegen_all(pos, moves);
    for (int i = 0; i < count; i++) {
        treb_position child;
        position_play(pos, moves[i], &child);
        if (!may_end(&child)) return true;
    }
    return false;
}
