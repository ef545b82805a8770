/* movegen.c - see movegen.h.
 *
 * The generator writes legal moves directly. King moves are tested with the king removed from the
 * board, so that it cannot block a slider behind itself. Any other man must end a check, if there
 * is one, and if pinned must stay on the line to its king. En passant removes two men from one
 * rank, and is tested on the resulting board instead. */
#include "core/chess/movegen.h"

#include <assert.h>

typedef struct Generator {
    const treb_position *pos;
    int us, king;
    uint64_t own, enemy, occ;
    uint64_t pinned;   /* own men that are the only ones between the king and a slider */
    uint64_t evasions; /* where men other than the king may go: anywhere, or where they end a
                          check */
    Move *out;
    int count;
} Generator;

static uint64_t find_pinned(const treb_position *pos, int us, int king)
{
    uint64_t own = pos->by_color[us], enemy = pos->by_color[us ^ 1], pinned = 0;
    uint64_t queens = pos->by_type[TREB_QUEEN];
    uint64_t diagonal = enemy & (pos->by_type[TREB_BISHOP] | queens);
    uint64_t straight = enemy & (pos->by_type[TREB_ROOK] | queens);
    /* Only enemies block here: men between slider and king are then our own. */
    uint64_t snipers = 0;
    if (diagonal != 0) snipers |= bishop_attacks(king, enemy) & diagonal;
    if (straight != 0) snipers |= rook_attacks(king, enemy) & straight;
    while (snipers != 0) {
        uint64_t shield = squares_between(king, bit_pop(&snipers)) & own;
        if (!bit_many(shield)) pinned |= shield;
    }
    return pinned;
}

/* A generator that is ready for moves of the king only. */
static Generator generator_of_king(const treb_position *pos, Move *out)
{
    Generator g = {.pos = pos, .us = pos->turn, .out = out};
    g.king = position_king(pos, g.us);
    g.own = pos->by_color[g.us];
    g.enemy = pos->by_color[g.us ^ 1];
    g.occ = g.own | g.enemy;
    return g;
}

static Generator generator_init(const treb_position *pos, Move *out)
{
    Generator g = generator_of_king(pos, out);
    g.pinned = find_pinned(pos, g.us, g.king);
    uint64_t checkers = square_attackers(pos, g.king, g.us ^ 1, g.occ);
    g.evasions = UINT64_MAX;
    if (bit_many(checkers)) {
        g.evasions = 0;
    } else if (checkers != 0) {
        g.evasions = checkers | squares_between(g.king, bit_first(checkers));
    }
    return g;
}

static void add_move(Generator *g, int from, int to, int promo)
{
    if (g->count < MOVES_MAX) g->out[g->count++] = move_make(from, to, promo);
}

static void add_moves(Generator *g, int from, uint64_t targets)
{
    while (targets != 0) add_move(g, from, bit_pop(&targets), 0);
}

static void add_pawn_moves(Generator *g, int from, uint64_t targets)
{
    while (targets != 0) {
        int to = bit_pop(&targets);
        if (square_rank(to) != 0 && square_rank(to) != 7) {
            add_move(g, from, to, 0);
            continue;
        }
        for (int promo = TREB_QUEEN; promo >= TREB_KNIGHT; promo--) add_move(g, from, to, promo);
    }
}

/* Returns the squares to which a man other than the king may go without exposing its king. */
static uint64_t allowed_from(const Generator *g, int from)
{
    if (!bit_test(g->pinned, from)) return g->evasions;
    return g->evasions & line_through(g->king, from);
}

static uint64_t pawn_pushes(int color, int from, uint64_t occ)
{
    uint64_t empty = ~occ;
    if (color == TREB_WHITE) {
        uint64_t once = square_bit(from) << 8 & empty;
        return once | ((once & rank_bits(2)) << 8 & empty);
    }
    uint64_t once = square_bit(from) >> 8 & empty;
    return once | ((once & rank_bits(5)) >> 8 & empty);
}

/* Returns the square of the pawn that an en passant capture removes. */
static int ep_victim(int ep) { return ep ^ 8; }

/* Returns the own pawns that attack the en passant square, even if moving them exposes their
 * king. */
static uint64_t ep_capturers(const treb_position *pos)
{
    if (pos->ep == 0) return 0;
    return pawn_attacks(pos->turn ^ 1, pos->ep) & position_men_of(pos, pos->turn, TREB_PAWN);
}

static bool ep_leaves_king_safe(const treb_position *pos, int from)
{
    uint64_t occ = position_occupied(pos);
    occ ^= square_bit(from) | square_bit(ep_victim(pos->ep)) | square_bit(pos->ep);
    return square_attackers(pos, position_king(pos, pos->turn), pos->turn ^ 1, occ) == 0;
}

static void generate_ep(Generator *g)
{
    uint64_t capturers = ep_capturers(g->pos);
    while (capturers != 0) {
        int from = bit_pop(&capturers);
        if (ep_leaves_king_safe(g->pos, from)) add_move(g, from, g->pos->ep, 0);
    }
}

static void generate_king(Generator *g, uint64_t targets)
{
    uint64_t to_try = king_attacks(g->king) & targets;
    while (to_try != 0) {
        int to = bit_pop(&to_try);
        if (square_attackers(g->pos, to, g->us ^ 1, g->occ ^ square_bit(g->king)) == 0) {
            add_move(g, g->king, to, 0);
        }
    }
}

/* Generates the moves of all men but the king to squares of `targets`, and en passant. */
static void generate_men(Generator *g, uint64_t targets)
{
    for (int type = TREB_QUEEN; type >= TREB_KNIGHT; type--) {
        uint64_t men = g->own & g->pos->by_type[type];
        while (men != 0) {
            int from = bit_pop(&men);
            add_moves(g, from, piece_attacks(type, from, g->occ) & targets & allowed_from(g, from));
        }
    }
    uint64_t pawns = g->own & g->pos->by_type[TREB_PAWN];
    while (pawns != 0) {
        int from = bit_pop(&pawns);
        uint64_t to = pawn_pushes(g->us, from, g->occ) | (pawn_attacks(g->us, from) & g->enemy);
        add_pawn_moves(g, from, to & targets & allowed_from(g, from));
    }
    generate_ep(g);
}

/* Returns whether some man attacks an enemy, even if capturing it is illegal. */
static bool attacks_any(const treb_position *pos)
{
    uint64_t own = pos->by_color[pos->turn], enemy = pos->by_color[pos->turn ^ 1];
    if (ep_capturers(pos) != 0) return true;
    if (pawns_attack(pos->turn, own & pos->by_type[TREB_PAWN]) & enemy) return true;
    for (int type = TREB_KNIGHT; type < TREB_TYPES; type++) {
        uint64_t men = own & pos->by_type[type];
        while (men != 0) {
            if (piece_attacks(type, bit_pop(&men), own | enemy) & enemy) return true;
        }
    }
    return false;
}

int movegen_legal(const treb_position *pos, Move *out)
{
    assert(position_ok(pos));
    Generator g = generator_init(pos, out);
    generate_king(&g, ~g.own);
    generate_men(&g, ~g.own);
    return g.count;
}

/* Returns whether the king may castle from `king` over `over` to `to`. None of these may be
 * attacked, and the squares of `empty` must be empty. */
static bool may_castle(const treb_position *pos, int king, int over, int to, uint64_t empty)
{
    int enemy = pos->turn ^ 1;
    return (position_occupied(pos) & empty) == 0 && !square_attacked(pos, king, enemy) &&
           !square_attacked(pos, over, enemy) && !square_attacked(pos, to, enemy);
}

int movegen_castling(const treb_position *pos, Move *out)
{
    assert(position_ok(pos));
    bool white = pos->turn == TREB_WHITE;
    unsigned rights = white ? pos->castling : pos->castling >> 2;
    int king = white ? 4 : 60, count = 0;
    uint64_t right = UINT64_C(3) << (king + 1), left = UINT64_C(7) << (king - 3);
    if (rights & CASTLING_K && may_castle(pos, king, king + 1, king + 2, right))
        out[count++] = move_make(king, king + 2, 0);
    if (rights & CASTLING_Q && may_castle(pos, king, king - 1, king - 2, left))
        out[count++] = move_make(king, king - 2, 0);
    return count;
}

int movegen_captures(const treb_position *pos, Move *out)
{
    assert(position_ok(pos));
    if (!attacks_any(pos)) return 0;
    Generator g = generator_init(pos, out);
    generate_king(&g, g.enemy);
    generate_men(&g, g.enemy);
    return g.count;
}

bool move_completes(const treb_position *pos, Move m)
{
    if (move_is_capture(pos, m)) return true;
    return move_promo(m) == TREB_QUEEN && last_pawn_promotes(pos);
}

int movegen_completing(const treb_position *pos, Move *out)
{
    if (!last_pawn_promotes(pos)) return movegen_captures(pos, out);
    int count = movegen_legal(pos, out), kept = 0;
    for (int i = 0; i < count; i++)
        if (move_completes(pos, out[i])) out[kept++] = out[i];
    return kept;
}

bool movegen_any(const treb_position *pos)
{
    assert(position_ok(pos));
    Move moves[MOVES_MAX];
    Generator g = generator_of_king(pos, moves);
    generate_king(&g, ~g.own);
    /* The king can nearly always move, so that no other moves are needed. */
    if (g.count > 0) return true;
    g = generator_init(pos, moves);
    generate_men(&g, ~g.own);
    return g.count > 0;
}

bool position_ep_legal(const treb_position *pos)
{
    assert(position_ok(pos));
    uint64_t capturers = ep_capturers(pos);
    while (capturers != 0) {
        if (ep_leaves_king_safe(pos, bit_pop(&capturers))) return true;
    }
    return false;
}

/* ---- Making moves ---------------------------------------------------------------------------- */

/* Returns the castling rights that end when a man leaves this square or is captured on it. */
static unsigned castling_lost(int sq)
{
    switch (sq) {
    case 0:
        return CASTLING_Q;
    case 4:
        return CASTLING_K | CASTLING_Q;
    case 7:
        return CASTLING_K;
    case 56:
        return CASTLING_q;
    case 60:
        return CASTLING_k | CASTLING_q;
    case 63:
        return CASTLING_k;
    default:
        return 0;
    }
}

void position_make(const treb_position *pos, Move m, treb_position *child)
{
    assert(position_ok(pos) && !move_is_castling(pos, m));
    int us = pos->turn, from = move_from(m), to = move_to(m), promo = move_promo(m);
    int type = position_piece_at(pos, from, NULL);
    int victim = move_is_ep(pos, m) ? ep_victim(to) : to;
    bool zeroing = move_is_zeroing(pos, m);

    *child = *pos;
    position_remove(child, victim);
    position_remove(child, from);
    position_put(child, us, promo != 0 ? promo : type, to);
    child->turn = (uint8_t)(us ^ 1);

    child->ep = 0;
    if (type == TREB_PAWN && (from ^ to) == 16) {
        child->ep = (uint8_t)((from + to) / 2);
        if (ep_capturers(child) == 0) child->ep = 0;
    }
    child->castling &= (uint8_t) ~(castling_lost(from) | castling_lost(to));
    if (zeroing) {
        child->halfmove = 0;
    } else if (child->halfmove < UINT16_MAX) {
        child->halfmove++;
    }
    if (us == TREB_BLACK && child->fullmove < UINT16_MAX) child->fullmove++;
    assert(position_ok(child));
}

/* Moves king and rook, and removes the rights of this colour. */
static void make_castling(const treb_position *pos, Move m, treb_position *child)
{
    int us = pos->turn, from = move_from(m), to = move_to(m);
    *child = *pos;
    position_remove(child, from);
    position_remove(child, to > from ? from + 3 : from - 4);
    position_put(child, us, TREB_KING, to);
    position_put(child, us, TREB_ROOK, (from + to) / 2);
    child->turn = (uint8_t)(us ^ 1);
    child->ep = 0;
    child->castling &= us == TREB_WHITE ? CASTLING_k | CASTLING_q : CASTLING_K | CASTLING_Q;
    if (child->halfmove < UINT16_MAX) child->halfmove++;
    if (us == TREB_BLACK && child->fullmove < UINT16_MAX) child->fullmove++;
    assert(position_ok(child));
}

void position_play(const treb_position *pos, Move m, treb_position *child)
{
    if (move_is_castling(pos, m))
        make_castling(pos, m, child);
    else
        position_make(pos, m, child);
}
