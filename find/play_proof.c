/* play_proof.c - see play_proof.h. */
#include "find/play_proof.h"

treb_status play_white_wins(const treb_tables *tables, const treb_position *pos, bool *out,
                            treb_error *error)
{
    treb_wdl wdl = TREB_DRAW;
    treb_status status = treb_probe_wdl(tables, pos, &wdl, error);
    *out = pos->turn == TREB_WHITE ? wdl > TREB_DRAW : wdl < TREB_DRAW;
    return status;
}

void play_position_of(const Proof *proof, uint64_t cell, treb_position *pos)
{
    IndexMen men;
    index_to_men(&proof->index, cell, &men);
    index_men_to_position(&proof->index, &men, TREB_WHITE, pos);
}
