/* promoted.c - see promoted.h. */
#include "gen/solve/promoted.h"

#include "core/chess/bitboard.h"

bool promoted_any(const Promoted *p)
{
    bool any = false;
    for (int i = 0; i < 2 * TREB_TYPES; i++) any |= p->count[i / TREB_TYPES][i % TREB_TYPES] > 0;
    return any;
}

void promoted_add(Promoted *p, const Promoted *more)
{
    for (int color = 0; color < 2; color++)
        for (int type = 0; type < TREB_TYPES; type++)
            if (more->count[color][type] < p->count[color][type])
                p->count[color][type] = more->count[color][type];
}

static void lose(uint8_t *count)
{
    if (*count > 0) --*count;
}

/* What holds after a move: a man of any kind, or a pawn that becomes `promo`, takes `victim`. -1: none. */
static Promoted after_move(const Promoted *before, int color, int victim, int promo)
{
    Promoted p = *before;
    for (int type = 0; type < TREB_TYPES && promo < 0; type++) lose(&p.count[color][type]);
    if (promo >= 0) p.count[color][promo]++;
    if (victim >= 0) lose(&p.count[!color][victim]);
    return p;
}

void promoted_add_moves(Promoted *to, const Promoted *from, const Material *before, int color,
                        const Material *after, int turn)
{
    for (int victim = -1; victim < TREB_KING; victim++)
        for (int promo = -1; promo < TREB_KING; promo++) {
            Material m = *before;
            if (promo == TREB_PAWN || (victim >= 0 && m.count[!color][victim] == 0) ||
                (promo >= 0 && m.count[color][TREB_PAWN] == 0))
                continue;
            if (victim >= 0) m.count[!color][victim]--;
            if (promo >= 0) m.count[color][TREB_PAWN]--;
            if (promo >= 0) m.count[color][promo]++;
            const bool swap = material_canonical(&m);
            if (!material_equal(&m, after) || (!color ^ swap) != turn) continue;
            Promoted p = after_move(from, color, victim, promo), swapped = p;
            for (int side = 0; side < 2; side++)
                memcpy(swapped.count[side], p.count[side ^ swap], sizeof p.count[side]);
            promoted_add(to, &swapped);
        }
}

/* Whether a square is on the edge where men of a colour promote. Edge 0 is White's last rank; without pawns the board
 * may be turned, and there are four. */
static bool on_edge(int edge, int color, int square)
{
    const int at = edge < 2 ? square >> 3 : square & 7;
    return at == (color == edge % 2 ? 7 : 0);
}

bool promoted_suits(const Promoted *promoted, bool pawns, const LayoutMan *man,
                    const uint8_t *square, int men)
{
    for (int edge = 0; edge < (pawns ? 1 : 4); edge++) {
        Promoted missing = *promoted;
        bool suits = true;
        for (int i = 0; i < men; i++)
            if (on_edge(edge, man[i].color, square[i]))
                lose(&missing.count[man[i].color][man[i].type]);
        for (int i = 0; i < men; i++) suits &= missing.count[man[i].color][man[i].type] == 0;
        if (suits) return true;
    }
    return false;
}

uint64_t promoted_squares(const Promoted *promoted, const Layout *layout, int man)
{
    const LayoutMan *own = &layout->man[man];
    Promoted one = {0};
    uint64_t squares = 0;
    /* Of like men any may be the one that has not promoted. */
    one.count[own->color][own->type] =
        promoted->count[own->color][own->type] >= layout->material.count[own->color][own->type];
    for (uint8_t s = 0; s < 64; s++)
        if (promoted_suits(&one, layout->pawns, own, &s, 1)) squares |= square_bit(s);
    return squares;
}
