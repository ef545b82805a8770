/* position.c - see position.h. */
#include "core/chess/position.h"

#include <string.h>

enum { FEN_FIELDS_MIN = 2, FEN_FIELDS_MAX = 6, SIDE_MEN_MAX = 16, SIDE_PAWNS_MAX = 8 };

/* How much a reader of FENs tolerates. */
typedef enum Reading { STRICT, LENIENT } Reading;

/* A field of a FEN. Not terminated by zero. */
typedef struct Field {
    const char *text;
    size_t length;
} Field;

static const char piece_letters[] = "PNBRQKpnbrqk";
static const char castling_letters[] = "KQkq";
static const int rook_home[4] = {7, 0, 63, 56}, king_home[2] = {4, 60};

static treb_status answer(const char **why, treb_status status, const char *text)
{
    if (why != NULL) *why = text;
    return status;
}

static treb_status bad_fen(const char **why, const char *text)
{
    return answer(why, TREB_ERR_FEN, text);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* Splits a text at white space. Returns the number of fields, or FEN_FIELDS_MAX + 1 if there are
 * more than a FEN has. */
static int split_fields(const char *fen, Field fields[FEN_FIELDS_MAX])
{
    int count = 0;
    for (;;) {
        while (is_space(*fen)) fen++;
        if (*fen == '\0') return count;
        const char *start = fen;
        while (*fen != '\0' && !is_space(*fen)) fen++;
        if (count == FEN_FIELDS_MAX) return count + 1;
        fields[count++] = (Field){start, (size_t)(fen - start)};
    }
}

/* Returns the position of `c` in `letters`, or -1. */
static int letter_index(const char *letters, char c)
{
    const char *at = c != '\0' ? strchr(letters, c) : NULL;
    return at != NULL ? (int)(at - letters) : -1;
}

/* Reads one rank up to its '/' or the end of the field, and moves `at` there. */
static treb_status read_rank(Field field, size_t *at, int rank, Reading reading, treb_position *pos,
                             const char **why)
{
    int file = 0;
    bool after_digit = false;
    for (; *at < field.length && field.text[*at] != '/'; ++*at) {
        char c = field.text[*at];
        bool digit = c >= '1' && c <= '8';
        int piece = letter_index(piece_letters, c);
        if (!digit && piece < 0) {
            return bad_fen(why, "the board has a character that is neither a man nor 1 to 8");
        }
        if (digit && after_digit && reading == STRICT) {
            return bad_fen(why, "two digits stand side by side in a rank");
        }
        if (file + (digit ? c - '0' : 1) > 8) {
            return bad_fen(why, "a rank of the board has more than 8 squares");
        }
        if (digit) {
            file += c - '0';
        } else {
            position_put(pos, piece / TREB_TYPES, piece % TREB_TYPES, square_at(file++, rank));
        }
        after_digit = digit;
    }
    if (file < 8) return bad_fen(why, "a rank of the board has fewer than 8 squares");
    return TREB_OK;
}

static treb_status read_board(Field field, Reading reading, treb_position *pos, const char **why)
{
    int slashes = 0;
    for (size_t i = 0; i < field.length; i++) slashes += field.text[i] == '/' && slashes < 9;
    if (slashes < 7) return bad_fen(why, "the board has fewer than 8 ranks");
    if (slashes == 8) return bad_fen(why, "the board has 9 ranks");
    if (slashes > 8) return bad_fen(why, "the board has more than 9 ranks");

    size_t at = 0;
    treb_status status = TREB_OK;
    for (int rank = 7; rank >= 0 && status == TREB_OK; rank--, at++) {
        status = read_rank(field, &at, rank, reading, pos, why);
    }
    return status;
}

static treb_status read_turn(Field field, treb_position *pos, const char **why)
{
    bool white = field.text[0] == 'w', black = field.text[0] == 'b';
    if (field.length != 1 || (!white && !black)) {
        return bad_fen(why, "the side to move is neither w nor b");
    }
    pos->turn = white ? TREB_WHITE : TREB_BLACK;
    return TREB_OK;
}

static bool is_dash(Field field) { return field.length == 1 && field.text[0] == '-'; }

/* A castling right that a letter names: K, Q, k or q, or the file of a rook. */
typedef struct Right {
    int color;
    bool short_side;
    int king, rook; /* squares; -1: no such king or rook stands on its first rank */
} Right;

/* Returns the outermost rook of a colour on one side of its king, or the one on `file`; or -1. */
static int find_rook(const treb_position *pos, int color, int king, bool right, int file)
{
    uint64_t rooks =
        position_men_of(pos, color, TREB_ROOK) & rank_bits(color == TREB_WHITE ? 0 : 7);
    if (file >= 0) rooks &= square_bit(square_at(file, square_rank(king)));
    uint64_t beyond = right ? ~UINT64_C(0) << king : ~(~UINT64_C(0) << king);
    rooks &= beyond;
    return rooks == 0 ? -1 : right ? bit_last(rooks) : bit_first(rooks);
}

/* Returns false if the letter means nothing. */
static bool read_right(char c, const treb_position *pos, Right *out)
{
    int right = letter_index(castling_letters, c), file = letter_index("ABCDEFGHabcdefgh", c);
    if (right < 0 && file < 0) return false;
    out->color = c >= 'a' ? TREB_BLACK : TREB_WHITE;
    uint64_t kings =
        position_men_of(pos, out->color, TREB_KING) & rank_bits(out->color == TREB_WHITE ? 0 : 7);
    out->king = kings != 0 ? bit_first(kings) : -1;
    out->short_side =
        right >= 0 ? right % 2 == 0 : out->king >= 0 && file % 8 > square_file(out->king);
    out->rook = out->king >= 0 ? find_rook(pos, out->color, out->king, out->short_side,
                                           right >= 0 ? -1 : file % 8)
                               : -1;
    return true;
}

/* Reads the rights. Those of chess, and the letters KQkq in any case, become bits. */
static treb_status read_castling(Field field, Reading reading, treb_position *pos, const char **why)
{
    bool foreign = false, impossible = false;
    if (is_dash(field)) return TREB_OK;
    for (size_t i = 0; i < field.length; i++) {
        Right right;
        char c = field.text[i];
        bool letter = letter_index(castling_letters, c) >= 0;
        if (!read_right(c, pos, &right)) {
            return bad_fen(why, "the castling field is neither - nor letters of KQkq");
        }
        int bit = 2 * right.color + !right.short_side;
        bool chess = right.king == king_home[right.color] && right.rook == rook_home[bit];
        foreign = foreign || (right.rook >= 0 && !chess);
        impossible = impossible || right.rook < 0;
        if (!letter && right.rook < 0 && reading == STRICT) {
            return bad_fen(why, "the castling field names a file without a rook");
        }
        if (!letter && !chess) continue;
        if (pos->castling & 1 << bit && reading == STRICT) {
            return bad_fen(why, "a castling right is named twice");
        }
        pos->castling |= (uint8_t)(1 << bit);
    }
    /* Board editors leave KQkq in any position: then some of the rights are impossible. */
    if (!foreign || impossible || reading == LENIENT) return TREB_OK;
    return answer(why, TREB_ERR_CASTLING,
                  "these castling rights are those of Chess960, which is not supported: write - in "
                  "place of them if castling no longer matters");
}

static treb_status read_ep(Field field, Reading reading, treb_position *pos, const char **why)
{
    if (is_dash(field)) return TREB_OK;
    bool square = field.length == 2 && field.text[0] >= 'a' && field.text[0] <= 'h' &&
                  field.text[1] >= '1' && field.text[1] <= '8';
    if (!square) return bad_fen(why, "the en passant field is neither - nor a square");
    if (field.text[1] != '3' && field.text[1] != '6') {
        if (reading == LENIENT) return TREB_OK;
        return bad_fen(why, "the en passant square is on neither rank 3 nor rank 6");
    }
    pos->ep = (uint8_t)square_at(field.text[0] - 'a', field.text[1] - '1');
    return TREB_OK;
}

/* Reads a number of 0 to 65535. LENIENT reads larger ones as 65535. Returns false if the field is
 * not such a number. */
static bool read_number(Field field, Reading reading, uint16_t *out)
{
    uint32_t value = 0;
    for (size_t i = 0; i < field.length; i++) {
        char c = field.text[i];
        if (c < '0' || c > '9') return false;
        value = value * 10 + (uint32_t)(c - '0');
        if (value > UINT16_MAX && reading == STRICT) return false;
        if (value > UINT16_MAX) value = UINT16_MAX;
    }
    *out = (uint16_t)value;
    return true;
}

static treb_status read_counters(const Field *fields, int count, Reading reading,
                                 treb_position *pos, const char **why)
{
    if (count > 4 && !read_number(fields[4], reading, &pos->halfmove)) {
        return bad_fen(why, "the halfmove clock is not a number from 0 to 65535");
    }
    if (count > 5 && !read_number(fields[5], reading, &pos->fullmove)) {
        return bad_fen(why, "the move number is not a number from 0 to 65535");
    }
    /* Many programs count moves from 0. No result depends on this number. */
    if (pos->fullmove == 0) pos->fullmove = 1;
    return TREB_OK;
}

/* Reads all of a FEN without checking the position. */
static treb_status read_fen(const char *fen, Reading reading, treb_position *pos, const char **why)
{
    Field fields[FEN_FIELDS_MAX];
    int count = split_fields(fen, fields);
    if (count == 0) return bad_fen(why, "the FEN is empty");
    if (count < FEN_FIELDS_MIN && reading == STRICT) {
        return bad_fen(why, "the side to move is missing");
    }
    if (count > FEN_FIELDS_MAX) return bad_fen(why, "the FEN has more than 6 fields");

    *pos = (treb_position){.fullmove = 1};
    treb_status status = read_board(fields[0], reading, pos, why);
    if (status == TREB_OK && count > 1) status = read_turn(fields[1], pos, why);
    if (status == TREB_OK && count > 2) status = read_castling(fields[2], reading, pos, why);
    if (status == TREB_OK && count > 3) status = read_ep(fields[3], reading, pos, why);
    if (status == TREB_OK) status = read_counters(fields, count, reading, pos, why);
    return status;
}

treb_status position_from_fen(const char *fen, treb_position *out, const char **why)
{
    treb_position pos;
    treb_status status = read_fen(fen, STRICT, &pos, why);
    if (status == TREB_OK) status = position_check(&pos, why);
    if (status == TREB_OK) *out = pos;
    return status;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static char *write_board(const treb_position *pos, char *out)
{
    for (int rank = 7; rank >= 0; rank--) {
        int empty = 0;
        for (int file = 0; file < 8; file++) {
            int color = TREB_WHITE, type = position_piece_at(pos, square_at(file, rank), &color);
            if (type < 0) {
                empty++;
                continue;
            }
            if (empty > 0) *out++ = (char)('0' + empty);
            empty = 0;
            *out++ = piece_letters[color * TREB_TYPES + type];
        }
        if (empty > 0) *out++ = (char)('0' + empty);
        if (rank > 0) *out++ = '/';
    }
    return out;
}

static char *write_castling(unsigned castling, char *out)
{
    if (castling == 0) *out++ = '-';
    for (int right = 0; right < 4; right++) {
        if (castling >> right & 1) *out++ = castling_letters[right];
    }
    return out;
}

static char *write_ep(int ep, char *out)
{
    if (ep == 0) {
        *out++ = '-';
    } else {
        *out++ = (char)('a' + square_file(ep));
        *out++ = (char)('1' + square_rank(ep));
    }
    return out;
}

static char *write_number(unsigned value, char *out)
{
    char digits[10];
    int count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    while (count > 0) *out++ = digits[--count];
    return out;
}

void position_to_fen(const treb_position *pos, char out[TREB_FEN_SIZE])
{
    out = write_board(pos, out);
    *out++ = ' ';
    *out++ = pos->turn == TREB_WHITE ? 'w' : 'b';
    *out++ = ' ';
    out = write_castling(pos->castling, out);
    *out++ = ' ';
    out = write_ep(pos->ep, out);
    *out++ = ' ';
    out = write_number(pos->halfmove, out);
    *out++ = ' ';
    out = write_number(pos->fullmove, out);
    *out = '\0';
}

/* ---- Checking -------------------------------------------------------------------------------- */

/* Checks that no square has two men, and that each man has a colour and a type. */
static const char *fault_in_boards(const treb_position *pos)
{
    uint64_t seen = 0, twice = 0;
    for (int type = TREB_PAWN; type < TREB_TYPES; type++) {
        twice |= seen & pos->by_type[type];
        seen |= pos->by_type[type];
    }
    twice |= pos->by_color[TREB_WHITE] & pos->by_color[TREB_BLACK];
    if (twice != 0) return "two men stand on one square";
    if (seen != position_occupied(pos)) return "a man has no colour or no type";
    if (pos->turn > TREB_BLACK) return "the side to move is neither White nor Black";
    if (pos->castling > 15) return "the castling rights are out of range";
    if (pos->ep > 63) return "the en passant square is out of range";
    return NULL;
}

/* Returns how many men there are beyond the number at the start of a game. */
static int extra_men(uint64_t men, int at_start)
{
    int extra = bit_count(men) - at_start;
    return extra > 0 ? extra : 0;
}

/* Men beyond those of the starting position, which include a bishop for each colour of squares, are
 * promoted pawns; there cannot be more of them than pawns are missing. This also bounds the number
 * of moves of a position. */
static bool too_many_promoted(const treb_position *pos, int color)
{
    static const int at_start[TREB_TYPES] = {0, 2, 0, 2, 1, 1};
    const uint64_t light = UINT64_C(0x55aa55aa55aa55aa);
    uint64_t bishops = position_men_of(pos, color, TREB_BISHOP);
    int pawns = extra_men(bishops & light, 1) + extra_men(bishops & ~light, 1);
    for (int type = TREB_PAWN; type < TREB_TYPES; type++) {
        if (type == TREB_BISHOP) continue;
        pawns += extra_men(position_men_of(pos, color, type), at_start[type]);
    }
    return pawns > SIDE_PAWNS_MAX;
}

static const char *fault_in_men(const treb_position *pos)
{
    static const char *const no_king[2] = {"White has no king", "Black has no king"};
    static const char *const kings[2] = {"White has more than one king",
                                         "Black has more than one king"};
    static const char *const men[2] = {"White has more than 16 men", "Black has more than 16 men"};
    static const char *const promoted[2] = {"White has more promoted men than pawns are missing",
                                            "Black has more promoted men than pawns are missing"};
    static const char *const pawns[2] = {"White has more than 8 pawns",
                                         "Black has more than 8 pawns"};
    /* With ten men on the board a side has at most eight besides its king, and any types are
     * possible. Assertions call this function often: the count took a third of the time of tests
     * under sanitizers. */
    bool few = bit_count(position_occupied(pos)) <= SIDE_PAWNS_MAX + 2;
    for (int color = TREB_WHITE; color <= TREB_BLACK; color++) {
        uint64_t king = position_men_of(pos, color, TREB_KING);
        if (king == 0) return no_king[color];
        if (bit_many(king)) return kings[color];
        if (few) continue;
        if (bit_count(pos->by_color[color]) > SIDE_MEN_MAX) return men[color];
        int pawn_count = bit_count(position_men_of(pos, color, TREB_PAWN));
        if (pawn_count > SIDE_PAWNS_MAX) return pawns[color];
        if (too_many_promoted(pos, color)) return promoted[color];
    }
    if (pos->by_type[TREB_PAWN] & (rank_bits(0) | rank_bits(7))) {
        return "a pawn stands on rank 1 or 8";
    }
    return NULL;
}

static const char *fault_in_kings(const treb_position *pos)
{
    int turn = pos->turn, king = position_king(pos, turn ^ 1);
    if (bit_test(king_attacks(king), position_king(pos, turn))) {
        return "the kings stand side by side";
    }
    if (square_attackers(pos, king, turn, position_occupied(pos)) != 0) {
        return "the side not to move is in check";
    }
    return NULL;
}

static const char *fault_in_ep(const treb_position *pos)
{
    if (pos->ep == 0) return NULL;
    bool white = pos->turn == TREB_WHITE;
    if (square_rank(pos->ep) != (white ? 5 : 2)) {
        return "the en passant square is on the wrong rank for the side to move";
    }
    int pawn = white ? pos->ep - 8 : pos->ep + 8, origin = white ? pos->ep + 8 : pos->ep - 8;
    if (!bit_test(position_men_of(pos, pos->turn ^ 1, TREB_PAWN), pawn)) {
        return "no pawn stands in front of the en passant square";
    }
    if (bit_test(position_occupied(pos), pos->ep)) return "the en passant square is not empty";
    if (bit_test(position_occupied(pos), origin)) {
        return "the square the en passant pawn came from is not empty";
    }
    return NULL;
}

/* Returns the rights for which king and rook are on their squares; *kings gets those for which the
 * king is. */
static unsigned rights_at_home(const treb_position *pos, unsigned *kings)
{
    unsigned rights = *kings = 0;
    for (int right = 0; right < 4; right++) {
        int color = right / 2;
        if (!bit_test(position_men_of(pos, color, TREB_KING), king_home[color])) continue;
        *kings |= 1U << right;
        bool rook = bit_test(position_men_of(pos, color, TREB_ROOK), rook_home[right]);
        rights |= (unsigned)rook << right;
    }
    return rights;
}

static const char *fault_in_castling(const treb_position *pos)
{
    if (pos->castling == 0) return NULL;
    unsigned kings, rights = rights_at_home(pos, &kings);
    if (pos->castling & ~kings) return "a castling right is given, but the king is not at home";
    if (pos->castling & ~rights) return "a castling right is given, but the rook is not at home";
    return NULL;
}

treb_status position_check(const treb_position *pos, const char **why)
{
    const char *fault = fault_in_boards(pos);
    if (fault == NULL) fault = fault_in_men(pos);
    if (fault == NULL) fault = fault_in_kings(pos);
    if (fault == NULL) fault = fault_in_ep(pos);
    if (fault == NULL) fault = fault_in_castling(pos);
    if (fault != NULL) return answer(why, TREB_ERR_POSITION, fault);
    return answer(why, TREB_OK, "");
}

treb_status position_from_fen_leniently(const char *fen, treb_position *out, const char **why)
{
    treb_position pos;
    unsigned kings;
    treb_status status = read_fen(fen, LENIENT, &pos, why);
    if (status != TREB_OK) return status;
    pos.castling &= (uint8_t)rights_at_home(&pos, &kings);
    if (fault_in_ep(&pos) != NULL) pos.ep = 0;
    status = position_check(&pos, why);
    if (status == TREB_OK) *out = pos;
    return status;
}

/* ---- Transforming ---------------------------------------------------------------------------- */

void position_swap_colors(const treb_position *pos, treb_position *out)
{
    treb_position p = *pos;
    p.by_color[TREB_WHITE] = flip_ranks(pos->by_color[TREB_BLACK]);
    p.by_color[TREB_BLACK] = flip_ranks(pos->by_color[TREB_WHITE]);
    for (int type = TREB_PAWN; type < TREB_TYPES; type++) {
        p.by_type[type] = flip_ranks(pos->by_type[type]);
    }
    p.turn = pos->turn ^ 1;
    if (pos->ep != 0) p.ep = pos->ep ^ 56;
    p.castling = (uint8_t)((pos->castling << 2 | pos->castling >> 2) & 15);
    *out = p;
}

void position_flip_files(const treb_position *pos, treb_position *out)
{
    treb_position p = *pos;
    for (int color = TREB_WHITE; color <= TREB_BLACK; color++) {
        p.by_color[color] = flip_files(pos->by_color[color]);
    }
    for (int type = TREB_PAWN; type < TREB_TYPES; type++) {
        p.by_type[type] = flip_files(pos->by_type[type]);
    }
    if (pos->ep != 0) p.ep = pos->ep ^ 7;
    p.castling = 0;
    *out = p;
}

bool position_equal(const treb_position *a, const treb_position *b)
{
    return memcmp(a->by_color, b->by_color, sizeof a->by_color) == 0 &&
           memcmp(a->by_type, b->by_type, sizeof a->by_type) == 0 && a->turn == b->turn &&
           a->ep == b->ep && a->castling == b->castling && a->halfmove == b->halfmove &&
           a->fullmove == b->fullmove;
}
