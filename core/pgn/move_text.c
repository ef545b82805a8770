/* move_text.c - see move_text.h. The text is converted to the form that core/chess/san.h reads. */
#include "core/pgn/move_text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { TEXT_SIZE = 32 };

/* ---- To plain letters ------------------------------------------------------------------------ */

/* UTF-8 characters and other signs, each with its plain form. */
static const char *const signs[][2] = {
    {"\u2654", "K"}, {"\u2655", "Q"}, {"\u2656", "R"}, {"\u2657", "B"}, {"\u2658", "N"},
    {"\u2659", ""},  {"\u265a", "K"}, {"\u265b", "Q"}, {"\u265c", "R"}, {"\u265d", "B"},
    {"\u265e", "N"}, {"\u265f", ""},  {"\ufe0f", ""},  {"\u2020", "+"}, {"\u2021", "+"},
    {"\u2010", "-"}, {"\u2011", "-"}, {"\u2012", "-"}, {"\u2013", "-"}, {"\u2014", "-"},
    {"\u2212", "-"}, {"\u00d7", "x"}, {"\ufe0e", ""},  {":", "x"},      {"(", ""},
    {")", ""},       {"/", ""},       {"=", ""}};

/* Copies a text in plain letters. Returns false if it does not fit. */
static bool copy_plain(const char *text, char out[TEXT_SIZE])
{
    size_t size = 0;
    while (*text != '\0') {
        const char *plain = NULL;
        size_t length = 1;
        for (size_t i = 0; i < sizeof signs / sizeof *signs && plain == NULL; i++) {
            length = strlen(signs[i][0]);
            if (strncmp(text, signs[i][0], length) == 0) plain = signs[i][1];
        }
        if (plain == NULL) length = 1;
        if (size + 1 >= TEXT_SIZE) return false;
        if (plain == NULL)
            out[size++] = *text;
        else if (*plain != '\0')
            out[size++] = *plain;
        text += length;
    }
    out[size] = '\0';
    return true;
}

/* Removes an ending from a text. Returns whether the text had it. */
static bool drop_end(char *text, const char *end)
{
    size_t length = strlen(text), less = strlen(end);
    if (length <= less || strcasecmp(text + length - less, end) != 0) return false;
    text[length - less] = '\0';
    return true;
}

/* Removes the marks of check, en passant and good moves. */
static void drop_marks(char *text)
{
    static const char *const marks[] = {"+",    "#",  "!",  "?",   "e.p.", "e.p",
                                        "mate", "ep", "ch", "ch.", "dbl",  "."};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (drop_end(text, marks[i])) i = (size_t)-1;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Returns the plain form of castling; NULL if the text is not castling. */
static const char *castling_of(const char *text)
{
    char plain[TEXT_SIZE];
    size_t size = 0;
    for (; *text != '\0'; text++) {
        if (strchr("Oo0", *text) != NULL)
            plain[size++] = 'O';
        else if (*text != '-')
            return NULL;
    }
    plain[size] = '\0';
    if (strcmp(plain, "OO") == 0) return "O-O";
    return strcmp(plain, "OOO") == 0 ? "O-O-O" : NULL;
}

/* Turns castling by the king taking his rook, as engines write it in Chess960, into the king's move.
 * Returns whether the text is such a move. */
static bool take_own_rook(const treb_position *pos, char *squares)
{
    bool king = squares[0] == 'e' && squares[1] == (pos->turn == TREB_WHITE ? '1' : '8');
    if (!king || strlen(squares) != 4 || squares[3] != squares[1]) return false;
    if (squares[2] != 'a' && squares[2] != 'h') return false;
    squares[2] = squares[2] == 'a' ? 'c' : 'g';
    return true;
}

/* Reads squares and promotion only: "Ke1-g1" is read as "e1g1". Castling may also be written so. */
static treb_status read_squares(const treb_position *pos, const char *text, Move *out)
{
    char plain[TEXT_SIZE];
    size_t size = 0;
    bool king = *text == 'K';
    if (king) text++;
    for (; *text != '\0'; text++)
        if (*text != '-' && *text != 'x') plain[size++] = (char)tolower((unsigned char)*text);
    plain[size] = '\0';
    treb_status status = move_from_uci(pos, plain, out);
    if (status != TREB_OK && !king && take_own_rook(pos, plain)) {
        status = move_from_uci(pos, plain, out);
        return status == TREB_OK && move_is_castling(pos, *out) ? TREB_OK : TREB_ERR_ARGUMENT;
    }
    if (status != TREB_OK) return status;
    return king && !move_is_castling(pos, *out) ? TREB_ERR_ARGUMENT : TREB_OK;
}

/* Makes the letter of a promotion a capital. */
static void raise_promotion(char *text)
{
    size_t length = strlen(text);
    bool square = length >= 3 && (text[length - 2] == '8' || text[length - 2] == '1');
    if (square && strchr("qrbn", text[length - 1]) != NULL) text[length - 1] ^= 0x20;
}

treb_status move_text_read(const treb_position *pos, const char *text, Move *out)
{
    char plain[TEXT_SIZE], *from = plain;
    if (!copy_plain(text, plain)) return TREB_ERR_ARGUMENT;
    drop_marks(plain);
    const char *castling = castling_of(plain);
    if (castling != NULL) return move_from_san(pos, castling, out);
    raise_promotion(plain);
    if (*from == 'P' && strlen(from) > 2) from++;
    if (*from == '\0') return TREB_ERR_ARGUMENT;
    if (move_from_san(pos, from, out) == TREB_OK) return TREB_OK;
    if (read_squares(pos, from, out) == TREB_OK) return TREB_OK;
    /* A small letter may be a piece, but b is always the file. */
    if (strchr("kqrn", *from) == NULL) return TREB_ERR_ARGUMENT;
    *from = (char)toupper((unsigned char)*from);
    return move_from_san(pos, from, out);
}

bool move_text_is_first(const char *word)
{
    Move move;
    treb_position start;
    return position_from_fen(POSITION_START, &start, NULL) == TREB_OK &&
           move_text_read(&start, word, &move) == TREB_OK;
}
