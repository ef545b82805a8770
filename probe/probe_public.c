/* probe_public.c - public functions that need no tables: version, texts, positions; and the checks
 * that every probe begins with. */
#include "core/chess/san.h"
#include "core/system/error.h"
#include "probe/probe.h"

treb_status probe_fail(int result, const treb_error *from, treb_error *error)
{
    const treb_status status = (treb_status)-result;
    if (error == NULL) return status;
    *error = *from;
    return error->status = status;
}

treb_status probe_no_metric(treb_error *error)
{
    return fail(error, TREB_ERR_ARGUMENT, "there is no such metric");
}

treb_status probe_check_possible(const treb_position *pos, treb_error *error)
{
    const char *why;
    if (pos->turn > TREB_BLACK)
        return fail(error, TREB_ERR_POSITION, "the side to move is neither White nor Black");
    treb_status status = position_check(pos, &why);
    return status == TREB_OK ? status : fail(error, status, "%s", why);
}

treb_status probe_check_covered(const treb_position *pos, treb_error *error)
{
    if (bit_count(position_occupied(pos)) > TREB_MEN_MAX)
        return fail(error, TREB_ERR_MEN, "more than 8 men: no table has so many");
    if (pos->castling != 0)
        return fail(error, TREB_ERR_CASTLING, "castling rights remain: no table covers them");
    return TREB_OK;
}

const char *treb_version(void) { return TREB_VERSION; }

int treb_version_number(void) { return TREB_VERSION_NUMBER; }

treb_status probe_check_fully(const treb_position *pos, treb_error *error)
{
    treb_status status = probe_check_possible(pos, error);
    return status == TREB_OK ? probe_check_covered(pos, error) : status;
}

const char *treb_status_text(treb_status status)
{
    switch (status) {
    case TREB_OK:
        return "no error";
    case TREB_ERR_FEN:
        return "not a FEN";
    case TREB_ERR_POSITION:
        return "impossible position";
    case TREB_ERR_CASTLING:
        return "castling rights remain";
    case TREB_ERR_MEN:
        return "too many men";
    case TREB_ERR_NO_TABLE:
        return "table not installed";
    case TREB_ERR_DAMAGED:
        return "damaged table file";
    case TREB_ERR_IO:
        return "input or output error";
    case TREB_ERR_MEMORY:
        return "out of memory";
    case TREB_ERR_ARGUMENT:
        return "wrong argument";
    case TREB_ERR_NOT_READY:
        return "not in memory yet";
    case TREB_ERR_NETWORK:
        return "table server not reachable";
    case TREB_ERR_TIMEOUT:
        return "table server too slow";
    case TREB_ERR_UNSUPPORTED:
        return "left out of this build of the library";
    }
    return "unknown status";
}

const char *treb_wdl_text(treb_wdl wdl)
{
    static const char *const texts[] = {"loss", "blessed loss", "draw", "cursed win", "win"};
    return wdl >= TREB_LOSS && wdl <= TREB_WIN ? texts[wdl] : "unknown";
}

const char *treb_metric_text(treb_metric metric)
{
    if (!table_is_metric(metric)) return "unknown";
    return table_metric_name(metric);
}

treb_wdl treb_wdl_with_clock(treb_wdl wdl, int dtz, int halfmove)
{
    if (halfmove + dtz <= RULE_PLIES) return wdl;
    if (wdl == TREB_WIN) return TREB_CURSED_WIN;
    return wdl == TREB_LOSS ? TREB_BLESSED_LOSS : wdl;
}

treb_status treb_position_from_fen(const char *fen, treb_position *out, treb_error *error)
{
    const char *why;
    treb_status status = position_from_fen(fen, out, &why);
    return status == TREB_OK ? status : fail(error, status, "%s", why);
}

void treb_position_to_fen(const treb_position *pos, char out[TREB_FEN_SIZE])
{
    position_to_fen(pos, out);
}

treb_status treb_position_check(const treb_position *pos, treb_error *error)
{
    const char *why;
    treb_status status = position_check(pos, &why);
    return status == TREB_OK ? status : fail(error, status, "%s", why);
}

treb_status treb_position_play(const treb_position *pos, const char *move, treb_position *out,
                               treb_error *error)
{
    Move m;
    treb_status status = treb_position_check(pos, error);
    if (status != TREB_OK) return status;
    if (move_from_uci(pos, move, &m) != TREB_OK && move_from_san(pos, move, &m) != TREB_OK)
        return fail(error, TREB_ERR_ARGUMENT, "not a legal move");
    position_play(pos, m, out);
    return TREB_OK;
}
