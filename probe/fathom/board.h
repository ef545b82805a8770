/* board.h - positions and moves between Fathom's words and ours. Private to the drop-in. */
#ifndef TREB_PROBE_FATHOM_BOARD_H
#define TREB_PROBE_FATHOM_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "fathom.h"
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

static inline treb_position board_read(uint64_t white, uint64_t black, uint64_t kings,
                                       uint64_t queens, uint64_t rooks, uint64_t bishops,
                                       uint64_t knights, uint64_t pawns, unsigned ep, bool turn)
{
    treb_position pos = {.by_color = {white, black},
                         .by_type = {pawns, knights, bishops, rooks, queens, kings},
                         .turn = turn ? TREB_WHITE : TREB_BLACK,
                         .fullmove = 1};
    if (ep != 0 && board_ep_useful(&pos, ep)) pos.ep = (uint8_t)ep;
    return pos;
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
