/* board.c - see board.h. */
#include "board.h"

#include <string.h>

enum { NORTH, EAST, NORTH_EAST, NORTH_WEST, SOUTH, WEST, SOUTH_WEST, SOUTH_EAST, DIRECTIONS };

static uint64_t ray[DIRECTIONS][64]; /* the first four lead to higher squares */
static uint64_t knight_to[64], king_to[64], pawn_hits[2][64];
static uint64_t key_man[2][TYPES][64], key_ep[64], key_castling[16], key_turn;
static uint8_t rights_kept[64]; /* castling rights left after a move from or to the square */

static const uint64_t rank_3 = 0xffull << 16, rank_6 = 0xffull << 40;

/* ---- Tables ---------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

/* Returns the square `files` and `ranks` away as a bitboard, empty if it is off the board. */
static uint64_t square_beside(int sq, int files, int ranks)
{
    int file = (sq & 7) + files, rank = (sq >> 3) + ranks;
    return file >= 0 && file < 8 && rank >= 0 && rank < 8 ? 1ull << (rank * 8 + file) : 0;
}

static void init_attacks(int sq)
{
    static const int step[DIRECTIONS][2] = {{0, 1},  {1, 0},  {1, 1},   {-1, 1},
                                            {0, -1}, {-1, 0}, {-1, -1}, {1, -1}};
    for (int d = 0; d < DIRECTIONS; d++) {
        for (int i = 1; i < 8; i++) ray[d][sq] |= square_beside(sq, i * step[d][0], i * step[d][1]);
        king_to[sq] |= square_beside(sq, step[d][0], step[d][1]);
    }
    for (int files = -2; files <= 2; files++)
        for (int ranks = -2; ranks <= 2; ranks++)
            if (files * files + ranks * ranks == 5)
                knight_to[sq] |= square_beside(sq, files, ranks);
    for (int color = 0; color < 2; color++)
        for (int files = -1; files <= 1; files += 2)
            pawn_hits[color][sq] |= square_beside(sq, files, color == WHITE ? 1 : -1);
}

void board_init(void)
{
    uint64_t seed = 1;
    for (int sq = 0; sq < 64; sq++) {
        init_attacks(sq);
        for (int i = 0; i < 2 * TYPES; i++) key_man[i / TYPES][i % TYPES][sq] = next_random(&seed);
        key_ep[sq] = next_random(&seed);
        rights_kept[sq] = 15;
    }
    for (int i = 0; i < 16; i++) key_castling[i] = next_random(&seed);
    key_turn = next_random(&seed);
    rights_kept[0] = (uint8_t)~CASTLE_Q;
    rights_kept[4] = (uint8_t) ~(CASTLE_K | CASTLE_Q);
    rights_kept[7] = (uint8_t)~CASTLE_K;
    rights_kept[56] = (uint8_t)~CASTLE_q;
    rights_kept[60] = (uint8_t) ~(CASTLE_k | CASTLE_q);
    rights_kept[63] = (uint8_t)~CASTLE_k;
}

/* ---- Attacks --------------------------------------------------------------------------------- */

static uint64_t slide(int first, int last, int sq, uint64_t occupied)
{
    uint64_t to = 0;
    for (int d = first; d <= last; d++) {
        uint64_t blockers = ray[d][sq] & occupied;
        to |= ray[d][sq];
        if (blockers == 0) continue;
        to &= ~ray[d][d < SOUTH ? bit_first(blockers) : 63 - __builtin_clzll(blockers)];
    }
    return to;
}

static uint64_t rook_to(int sq, uint64_t occupied)
{
    return slide(NORTH, EAST, sq, occupied) | slide(SOUTH, WEST, sq, occupied);
}

static uint64_t bishop_to(int sq, uint64_t occupied)
{
    return slide(NORTH_EAST, NORTH_WEST, sq, occupied) |
           slide(SOUTH_WEST, SOUTH_EAST, sq, occupied);
}

static uint64_t piece_to(int type, int sq, uint64_t occupied)
{
    switch (type) {
    case KNIGHT:
        return knight_to[sq];
    case BISHOP:
        return bishop_to(sq, occupied);
    case ROOK:
        return rook_to(sq, occupied);
    case QUEEN:
        return rook_to(sq, occupied) | bishop_to(sq, occupied);
    default:
        return king_to[sq];
    }
}

bool board_attacked(const Board *b, int sq, int by)
{
    const uint64_t *men = b->men[by];
    uint64_t occupied = b->all[WHITE] | b->all[BLACK];
    if (pawn_hits[by ^ 1][sq] & men[PAWN] || knight_to[sq] & men[KNIGHT] || king_to[sq] & men[KING])
        return true;
    return bishop_to(sq, occupied) & (men[BISHOP] | men[QUEEN]) ||
           rook_to(sq, occupied) & (men[ROOK] | men[QUEEN]);
}

bool board_in_check(const Board *b)
{
    return board_attacked(b, bit_first(b->men[b->turn][KING]), b->turn ^ 1);
}

/* ---- Setting up positions ------------------------------------------------------------------------------ */

void board_clear(Board *b) { memset(b, 0, sizeof *b); }

void board_put(Board *b, int color, int type, int sq)
{
    b->men[color][type] ^= 1ull << sq;
    b->all[color] ^= 1ull << sq;
    b->key ^= key_man[color][type][sq];
}

/* board_put uses exclusive or, so a second call removes the man. */
static void board_remove(Board *b, int color, int type, int sq) { board_put(b, color, type, sq); }

/* An en passant square that nobody can use must not make two equal positions differ. */
static void drop_useless_ep(Board *b)
{
    if (b->ep && !(pawn_hits[b->turn ^ 1][b->ep] & b->men[b->turn][PAWN])) b->ep = 0;
}

static uint64_t key_of_rights(const Board *b)
{
    return key_castling[b->castling] ^ (b->ep ? key_ep[b->ep] : 0) ^ (b->turn ? key_turn : 0);
}

void board_finish(Board *b)
{
    for (int right = 0; right < 4; right++) {
        int color = right / 2, home = color == WHITE ? 0 : 56;
        int rook = home + (right % 2 ? 0 : 7);
        if (!(b->men[color][KING] >> (home + 4) & 1) || !(b->men[color][ROOK] >> rook & 1))
            b->castling &= (uint8_t) ~(1 << right);
    }
    drop_useless_ep(b);
    b->key ^= key_of_rights(b);
}

int board_type_at(const Board *b, int sq)
{
    for (int type = 0; type < TYPES; type++)
        if ((b->men[WHITE][type] | b->men[BLACK][type]) >> sq & 1) return type;
    return -1;
}

/* ---- Moves ----------------------------------------------------------------------------------- */

static Move *add_moves(Move *out, int from, uint64_t targets)
{
    while (targets) *out++ = move_make(from, bit_pop(&targets), 0);
    return out;
}

static Move *add_pawn_moves(Move *out, int from, uint64_t targets)
{
    while (targets) {
        int to = bit_pop(&targets);
        if (to >= 8 && to < 56) {
            *out++ = move_make(from, to, 0);
        } else {
            for (int type = QUEEN; type >= KNIGHT; type--) *out++ = move_make(from, to, type);
        }
    }
    return out;
}

static Move *pawn_moves(const Board *b, bool forcing, Move *out)
{
    int us = b->turn;
    uint64_t empty = ~(b->all[WHITE] | b->all[BLACK]), last = 0xff000000000000ffull;
    uint64_t enemy = b->all[us ^ 1] | (b->ep ? 1ull << b->ep : 0);
    for (uint64_t pawns = b->men[us][PAWN]; pawns;) {
        int from = bit_pop(&pawns);
        uint64_t once = (us == WHITE ? 1ull << from << 8 : 1ull << from >> 8) & empty;
        uint64_t twice = us == WHITE ? (once & rank_3) << 8 : (once & rank_6) >> 8;
        uint64_t pushes = once | (twice & empty);
        if (forcing) pushes &= last;
        out = add_pawn_moves(out, from, pushes | (pawn_hits[us][from] & enemy));
    }
    return out;
}

static Move *castling_moves(const Board *b, Move *out)
{
    int us = b->turn, king = us == WHITE ? 4 : 60;
    uint64_t occupied = b->all[WHITE] | b->all[BLACK];
    int rights = us == WHITE ? b->castling : b->castling >> 2;
    if ((rights & 3) == 0 || board_attacked(b, king, us ^ 1)) return out;
    if (rights & CASTLE_K && !(occupied & 3ull << (king + 1)) &&
        !board_attacked(b, king + 1, us ^ 1))
        *out++ = move_make(king, king + 2, 0);
    if (rights & CASTLE_Q && !(occupied & 7ull << (king - 3)) &&
        !board_attacked(b, king - 1, us ^ 1))
        *out++ = move_make(king, king - 2, 0);
    return out;
}

int board_moves(const Board *b, bool forcing, Move *out)
{
    int us = b->turn;
    uint64_t occupied = b->all[WHITE] | b->all[BLACK];
    uint64_t targets = forcing ? b->all[us ^ 1] : ~b->all[us];
    Move *end = pawn_moves(b, forcing, out);
    for (int type = KNIGHT; type <= KING; type++) {
        for (uint64_t men = b->men[us][type]; men;) {
            int from = bit_pop(&men);
            end = add_moves(end, from, piece_to(type, from, occupied) & targets);
        }
    }
    if (!forcing) end = castling_moves(b, end);
    return (int)(end - out);
}

static void move_castling_rook(Board *b, int king_to_sq)
{
    int from = king_to_sq % 8 == 6 ? king_to_sq + 1 : king_to_sq - 2;
    int to = king_to_sq % 8 == 6 ? king_to_sq - 1 : king_to_sq + 1;
    board_remove(b, b->turn, ROOK, from);
    board_put(b, b->turn, ROOK, to);
}

bool board_make(const Board *b, Move m, Board *out)
{
    int us = b->turn, from = move_from(m), to = move_to(m), type = board_type_at(b, from);
    int victim_sq = type == PAWN && b->ep && to == b->ep ? to ^ 8 : to;
    int victim = board_type_at(b, victim_sq);
    *out = *b;
    out->key ^= key_of_rights(b);
    if (victim >= 0) board_remove(out, us ^ 1, victim, victim_sq);
    board_remove(out, us, type, from);
    board_put(out, us, move_promotion(m) ? move_promotion(m) : type, to);
    if (type == KING && (from - to == 2 || to - from == 2)) move_castling_rook(out, to);
    if (board_attacked(out, bit_first(out->men[us][KING]), us ^ 1)) return false;

    out->castling &= rights_kept[from] & rights_kept[to];
    out->turn ^= 1;
    out->ep = type == PAWN && (from ^ to) == 16 ? (uint8_t)((from + to) / 2) : 0;
    drop_useless_ep(out);
    out->halfmove = type == PAWN || victim >= 0 ? 0 : b->halfmove + 1;
    out->fullmove += us == BLACK;
    out->key ^= key_of_rights(out);
    return true;
}

bool board_can_move(const Board *b)
{
    Move moves[MOVES_MAX];
    Board child;
    int count = board_moves(b, false, moves);
    for (int i = 0; i < count; i++)
        if (board_make(b, moves[i], &child)) return true;
    return false;
}

bool board_is_capture(const Board *b, Move m)
{
    if (b->all[b->turn ^ 1] >> move_to(m) & 1) return true;
    return b->ep && move_to(m) == b->ep && b->men[b->turn][PAWN] >> move_from(m) & 1;
}

/* ---- Texts and counts ------------------------------------------------------------------------ */

void board_move_text(Move m, char out[MOVE_TEXT])
{
    int from = move_from(m), to = move_to(m), n = 0;
    out[n++] = (char)('a' + from % 8);
    out[n++] = (char)('1' + from / 8);
    out[n++] = (char)('a' + to % 8);
    out[n++] = (char)('1' + to / 8);
    if (move_promotion(m)) out[n++] = "pnbrqk"[move_promotion(m)];
    out[n] = '\0';
}

Move board_parse_move(const Board *b, const char *text)
{
    Move moves[MOVES_MAX];
    Board child;
    char name[MOVE_TEXT];
    int count = board_moves(b, false, moves);
    for (int i = 0; i < count; i++) {
        board_move_text(moves[i], name);
        if (strcmp(name, text) == 0 && board_make(b, moves[i], &child)) return moves[i];
    }
    return 0;
}

uint64_t board_perft(const Board *b, int depth)
{
    Move moves[MOVES_MAX];
    Board child;
    uint64_t sum = 0;
    if (depth <= 0) return 1;
    int count = board_moves(b, false, moves);
    for (int i = 0; i < count; i++)
        if (board_make(b, moves[i], &child)) sum += board_perft(&child, depth - 1);
    return sum;
}
