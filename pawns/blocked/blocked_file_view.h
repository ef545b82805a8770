/* blocked_file_view.h - a structure of blocked pawns as it stands on the board and as it stands in
 * its file, which may be its mirror image, with the colours exchanged. */
#ifndef TREB_PAWNS_BLOCKED_BLOCKED_FILE_VIEW_H
#define TREB_PAWNS_BLOCKED_BLOCKED_FILE_VIEW_H

#include "pawns/blocked/blocked.h"

typedef struct BlockedFileView {
    TableBlocked about; /* in the orientation of files */
    int symmetry;       /* from the board to the file */
} BlockedFileView;

BlockedFileView blocked_file_view(const BlockedRequest *request);

/* The side or winner in the file for one on the board. */
static inline int view_side(const BlockedFileView *v, int side)
{
    return v->symmetry & SYM_RANKS ? !side : side;
}

/* The square in the file for one on the board. */
static inline int view_square(const BlockedFileView *v, int square)
{
    return index_symmetry_square(v->symmetry, square);
}

/* The cell of a placement on the board, for a winner on the board. */
static inline uint64_t view_cell(const BlockedFileView *v, const TableHeader *h, int winner,
                                 int white, int black)
{
    bool swap = v->symmetry & SYM_RANKS;
    int first = view_square(v, swap ? black : white), second = view_square(v, swap ? white : black);
    return table_blocked_cell(h, view_side(v, winner), first, second);
}

/* The cell after the capture of the pawn of `side`, which is to move, on `pawn`, with its king on
 * `king`. */
static inline uint64_t view_capture_cell(const BlockedFileView *v, const TableHeader *h, int winner,
                                         int side, int pawn, int king)
{
    uint64_t pawns = v->about.pawns[view_side(v, side)];
    int number = bit_count(pawns & (square_bit(view_square(v, pawn)) - 1));
    return table_blocked_taken(h, view_side(v, winner), number, view_square(v, king));
}

#endif
