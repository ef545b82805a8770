/* board.h - positions and moves between Fathom's words and ours. Private to the drop-in. */
#ifndef TREB_PROBE_FATHOM_BOARD_H
#define TREB_PROBE_FATHOM_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/fathom/fathom.h"
#include "trebuchet.h"

/* Whether a pawn of the side to move stands beside the pawn that could be taken. Fathom ignores an
 * en passant square that is of no use, wherever it is, and so no probe may fail for one. */
static inline bool board_ep_useful(const treb_position *pos, unsigned ep)
{
    if (ep > 63 || (ep >> 3 != 2 && ep >> 3 != 5)) return false;
    uint64_t taken = UINT64_C(1) << (pos->turn == TREB_WHITE ? ep - 8 : ep + 8);
    uint64_t beside =
        (taken & ~UINT64_C(0x0101010101010101)) >> 1 | (taken & ~UINT64_C(0x8080808080808080)) << 1;
    return (beside & pos->by_color[pos->turn] & pos->by_type[TREB_PAWN]) != 0;
}

/* Field by field in place: a structure made elsewhere and copied costs the copy, which has to wait
 * for the fields just written, as much as a tenth of a probe. */
static inline void board_read(treb_position *pos, uint64_t white, uint64_t black, uint64_t kings,
                              uint64_t queens, uint64_t rooks, uint64_t bishops, uint64_t knights,
                              uint64_t pawns, unsigned ep, bool turn)
{
    pos->by_color[TREB_WHITE] = white;
    pos->by_color[TREB_BLACK] = black;
    pos->by_type[TREB_PAWN] = pawns;
    pos->by_type[TREB_KNIGHT] = knights;
    pos->by_type[TREB_BISHOP] = bishops;
    pos->by_type[TREB_ROOK] = rooks;
    pos->by_type[TREB_QUEEN] = queens;
    pos->by_type[TREB_KING] = kings;
    pos->turn = turn ? TREB_WHITE : TREB_BLACK;
    pos->castling = 0;
    pos->halfmove = 0;
    pos->fullmove = 1;
    pos->ep = ep != 0 && board_ep_useful(pos, ep) ? (uint8_t)ep : 0;
}

/* 1 for a queen to 4 for a knight; 0 for none. */
static inline unsigned board_promotes(const treb_move *move)
{
    return move->promotion != 0 ? TREB_QUEEN + 1u - move->promotion : 0;
}

/* A pawn that leaves its file for the en passant square takes what stands beside it. */
static inline bool board_is_ep(const treb_position *pos, const treb_move *move)
{
    return pos->ep != 0 && move->to == pos->ep && (move->from ^ move->to) & 7 &&
           pos->by_type[TREB_PAWN] >> move->from & 1;
}

static inline TbMove board_move(const treb_move *move)
{
    return (TbMove)(board_promotes(move) << 12 | (unsigned)move->from << 6 | move->to);
}

#endif
