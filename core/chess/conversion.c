/* conversion.c - see conversion.h. */
#include "core/chess/conversion.h"

#include "core/chess/bitboard.h"

typedef struct Enumeration {
    const ConversionBoard *board;
    int side;
    ConversionVisit *visit;
    void *context;
} Enumeration;

static ConversionKind kind_of(const Enumeration *e, int mover, int victim)
{
    return (ConversionKind){.mover = mover,
                            .victim = victim,
                            .from = -1,
                            .to = -1,
                            .between = -1,
                            .pawns = {e->board->pawns[0], e->board->pawns[1]}};
}

/* Visits the captures by the king or by a man. */
static bool visit_captures(const Enumeration *e, int mover)
{
    for (int i = 0; i < e->board->men; i++) {
        ConversionKind kind = kind_of(e, mover, i);
        if (e->board->color[i] != e->side && !e->visit(e->context, &kind)) return false;
    }
    for (uint64_t victims = e->board->pawns[!e->side]; victims != 0;) {
        ConversionKind kind = kind_of(e, mover, CONVERSION_PAWN);
        kind.to = bit_pop(&victims);
        kind.pawns[!e->side] ^= square_bit(kind.to);
        if (!e->visit(e->context, &kind)) return false;
    }
    return true;
}

/* Visits the moves by which a pawn arrives on kind.to. kind.pawns does not contain that pawn
 * yet. */
static bool visit_arrival(const Enumeration *e, ConversionKind kind)
{
    if (bit_test(rank_bits(0) | rank_bits(7), kind.to)) {
        for (kind.promo = TREB_QUEEN; kind.promo >= TREB_KNIGHT; kind.promo--)
            if (!e->visit(e->context, &kind)) return false;
        return true;
    }
    kind.pawns[e->side] |= square_bit(kind.to);
    return e->visit(e->context, &kind);
}

static ConversionKind pawn_kind(const Enumeration *e, int victim, int from, int to)
{
    ConversionKind kind = kind_of(e, CONVERSION_PAWN, victim);
    kind.from = from;
    kind.to = to;
    kind.pawns[e->side] ^= square_bit(from);
    return kind;
}

/* Finds the en passant captures that answer a double push. kind.pawns does not contain the pawn
 * that moves, as after its capture. */
static void find_answers(const Enumeration *e, ConversionKind *kind)
{
    uint64_t takers = pawn_attacks(e->side, kind->between) & kind->pawns[!e->side];
    while (takers != 0) {
        uint64_t *after = kind->answer[kind->answers++];
        after[e->side] = kind->pawns[e->side];
        after[!e->side] =
            kind->pawns[!e->side] ^ (square_bit(bit_pop(&takers)) | square_bit(kind->between));
    }
}

static bool visit_pushes(const Enumeration *e, int from)
{
    int step = e->side == TREB_WHITE ? 8 : -8, home = e->side == TREB_WHITE ? 1 : 6;
    uint64_t all = e->board->pawns[0] | e->board->pawns[1];
    if (bit_test(all, from + step)) return true;
    if (!visit_arrival(e, pawn_kind(e, CONVERSION_NOBODY, from, from + step))) return false;
    if (square_rank(from) != home || bit_test(all, from + 2 * step)) return true;
    ConversionKind kind = pawn_kind(e, CONVERSION_NOBODY, from, from + 2 * step);
    kind.between = from + step;
    find_answers(e, &kind);
    return visit_arrival(e, kind);
}

static bool visit_pawn_captures(const Enumeration *e, int from)
{
    for (uint64_t to = pawn_attacks(e->side, from) & ~e->board->pawns[e->side]; to != 0;) {
        int square = bit_pop(&to);
        if (bit_test(e->board->pawns[!e->side], square)) {
            ConversionKind kind = pawn_kind(e, CONVERSION_PAWN, from, square);
            kind.pawns[!e->side] ^= square_bit(square);
            if (!visit_arrival(e, kind)) return false;
            continue;
        }
        for (int i = 0; i < e->board->men; i++)
            if (e->board->color[i] != e->side && !visit_arrival(e, pawn_kind(e, i, from, square)))
                return false;
    }
    return true;
}

bool conversion_each(const ConversionBoard *board, int side, ConversionVisit *visit, void *context)
{
    Enumeration e = {board, side, visit, context};
    if (!visit_captures(&e, CONVERSION_KING)) return false;
    for (int i = 0; i < board->men; i++)
        if (board->color[i] == side && !visit_captures(&e, i)) return false;
    for (uint64_t pawns = board->pawns[side]; pawns != 0;) {
        int from = bit_pop(&pawns);
        if (!visit_pushes(&e, from) || !visit_pawn_captures(&e, from)) return false;
    }
    return true;
}
