/* file.h - what reading and writing rank files share: a structure as it stands on the board and as
 * it stands in the file, which may be its mirror image, with the colours exchanged. */
#ifndef TREB_BLOCKED_FILE_H
#define TREB_BLOCKED_FILE_H

#include "pawns/blocked.h"

typedef struct FileView {
    TableRanks ranks; /* as files have it */
    int symmetry;     /* from the board to the file */
} FileView;

FileView file_view(const BlockedRequest *request);

/* A side or winner, and a square, in the file. */
static inline int file_side(const FileView *v, int side)
{
    return v->symmetry & SYM_RANKS ? !side : side;
}

static inline int file_square(const FileView *v, int square)
{
    return index_symmetry_square(v->symmetry, square);
}

/* The cell of a placement on the board, `winner` too. */
static inline uint64_t file_cell(const FileView *v, const TableHeader *h, int winner, int white,
                                 int black)
{
    bool swap = v->symmetry & SYM_RANKS;
    int first = file_square(v, swap ? black : white), second = file_square(v, swap ? white : black);
    return table_ranks_cell(h, file_side(v, winner), first, second);
}

/* That of the king's square after the capture of a pawn of `side`, to move. */
static inline uint64_t file_taken(const FileView *v, const TableHeader *h, int winner, int side,
                                  int pawn, int king)
{
    uint64_t pawns = v->ranks.pawns[file_side(v, side)];
    int number = bit_count(pawns & (square_bit(file_square(v, pawn)) - 1));
    return table_ranks_taken(h, file_side(v, winner), number, file_square(v, king));
}

/* Unpacks the cells of both sides to ranks, by side: `out` has room for index.size each. */
treb_status file_read_cells(const Table *table, uint16_t *const out[2], treb_error *error);

#endif
