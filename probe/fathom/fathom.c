/* fathom.c - Fathom's tables, and the probe that a search makes. */
#include "probe/fathom/fathom.h"

#include "probe/fathom/board.h"
#include "probe/fathom/current.h"

bool tb_init(const char *path) { return current_open(path); }

/* What programs call that were built when tb_init was an inline function of the header. Debian's
 * ethereal-chess is one; its libfathom1 has the function no more. */
bool tb_init_impl(const char *path) { return current_open(path); }

void tb_free(void) { current_close(); }

unsigned tb_probe_wdl_impl(uint64_t white, uint64_t black, uint64_t kings, uint64_t queens,
                           uint64_t rooks, uint64_t bishops, uint64_t knights, uint64_t pawns,
                           unsigned ep, bool turn)
{
    treb_position pos;
    treb_wdl wdl;
    const treb_tables *tables = current_enter();
    if (tables == NULL) return FATHOM_FAILED;
    board_read(&pos, white, black, kings, queens, rooks, bishops, knights, pawns, ep, turn);
    treb_status status = treb_probe_wdl(tables, &pos, &wdl, NULL);
    current_leave();
    return status == TREB_OK ? (unsigned)wdl : FATHOM_FAILED;
}
