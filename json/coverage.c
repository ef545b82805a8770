/* coverage.c - see coverage.h. */
#include "json/coverage.h"

#include "core/chess/position.h"
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
