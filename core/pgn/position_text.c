/* position_text.c - see position_text.h. Removes everything around a FEN, and leaves the FEN to
 * core/chess/position.h. */
#include "core/pgn/position_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/pgn/move_text.h"
#include "core/pgn/text_reader.h"
#include "core/system/error.h"

/* Impossible castling rights and en passant squares are dropped in links and tags; in STANDARD also
 * castling rights of Chess960. */
typedef enum Tolerance { NONE, TAG, STANDARD } Tolerance;

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* ---- Other games ----------------------------------------------------------------------------- */

/* Copies the letters and digits of a name. */
static void copy_name(const char *name, char out[32])
{
    size_t size = 0;
    for (; *name != '\0' && size < 31; name++)
        if (isalnum((unsigned char)*name)) out[size++] = *name;
    out[size] = '\0';
}

bool position_text_chess960(const char *name)
{
    char plain[32];
    copy_name(name, plain);
    return strstr(plain, "960") != NULL || strncasecmp(plain, "fischer", 7) == 0 ||
           strcasecmp(plain, "frc") == 0;
}

const char *position_text_variant(const char *name)
{
    static const char *const variants[] = {
        "atomic",        "antichess",   "giveaway",   "suicide", "crazyhouse",  "bughouse",
        "kingofthehill", "racingkings", "threecheck", "3check",  "threechecks", "horde",
        "shatranj",      "xiangqi",     "shogi",      "makruk"};
    char plain[32];
    copy_name(name, plain);
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        if (strcasecmp(plain, variants[i]) == 0) return variants[i];
    return NULL;
}

/* ---- The board ------------------------------------------------------------------------------- */

/* Returns the length of eight ranks with slashes between them, and perhaps behind them; 0 if the
 * text does not begin so. */
static size_t board_length(const char *text)
{
    static const char squares[] = "PNBRQKpnbrqk12345678~";
    size_t at = 0;
    for (int rank = 0; rank < 8; rank++) {
        size_t length = strspn(text + at, squares);
        if (length == 0 || length > 16) return 0;
        at += length;
        if (rank < 7 && text[at++] != '/') return 0;
    }
    return text[at] == '/' ? at + 1 : at;
}

/* Returns whether a text begins with a board, followed by nothing that contradicts this. */
static bool is_board(const char *text)
{
    size_t length = board_length(text);
    char next = text[length];
    return length > 0 && (next == '\0' || next == '_' || is_space(next));
}

/* Returns the first board in a path, whose parts end with slashes; NULL if there is none. */
static char *find_board(char *text)
{
    for (;;) {
        if (is_board(text)) return text;
        text = strchr(text, '/');
        if (text == NULL) return NULL;
        text++;
    }
}

/* ---- Links ----------------------------------------------------------------------------------- */

static const char *find_parameter(const char *text)
{
    for (; *text != '\0'; text++)
        if ((*text == '?' || *text == '&') && strncasecmp(text + 1, "fen=", 4) == 0)
            return text + 5;
    return NULL;
}

/* Such characters occur in a FEN only at its end, and in an EPD not in its first word. */
static bool is_link(const char *text)
{
    static const char *const beginnings[] = {"/", "?fen=", "www.", "lichess.org/"};
    if (is_board(text)) return false;
    size_t word = strcspn(text, " \t");
    const char *scheme = strstr(text, "://");
    if (scheme != NULL && (size_t)(scheme - text) < word) return true;
    const char *parameter = find_parameter(text);
    if (parameter != NULL && (size_t)(parameter - text) <= word) return true;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncasecmp(text, beginnings[i], strlen(beginnings[i])) == 0) return true;
    return false;
}

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c != '\0' ? strchr(digits, tolower((unsigned char)c)) : NULL;
    return at != NULL ? (int)(at - digits) : -1;
}

/* Decodes percent escapes, underscores and plus signs (both are spaces), in place. */
static void decode(char *text)
{
    char *to = text;
    for (; *text != '\0'; text++) {
        int high = *text == '%' ? hex_digit(text[1]) : -1;
        int low = high >= 0 ? hex_digit(text[2]) : -1;
        char c = *text == '_' || *text == '+' ? ' ' : *text;
        if (low >= 0) {
            int byte = 16 * high + low;
            c = byte >= 0x20 && byte != 0x7f ? (char)byte : ' ';
            text += 2;
        }
        *to++ = c;
    }
    *to = '\0';
}

/* Returns the variant that a link's path or its parameter "variant" names; NULL for chess. */
static const char *link_variant(const char *link)
{
    for (const char *c = link; *c != '\0'; c++) {
        char part[32];
        if (strchr("/?&=.", *c) == NULL) continue;
        snprintf(part, sizeof part, "%.*s", (int)strcspn(c + 1, "/?&#=._ "), c + 1);
        const char *variant = position_text_variant(part);
        if (variant != NULL) return variant;
    }
    return NULL;
}

/* Reduces a link in `text` to its FEN, in place. */
static treb_status take_link(char **text, treb_error *error)
{
    const char *variant = link_variant(*text), *parameter = find_parameter(*text);
    if (variant != NULL)
        return fail(error, TREB_ERR_FEN, "the link is for another game than chess: %s", variant);
    if (parameter != NULL) *text += parameter - *text;
    (*text)[strcspn(*text, parameter != NULL ? "&#" : "?#")] = '\0';
    decode(*text);
    char *board = find_board(*text);
    if (board == NULL && parameter == NULL)
        return fail(error, TREB_ERR_FEN, "the link has no FEN in it: paste the FEN or the PGN");
    if (board != NULL) *text = board;
    return TREB_OK;
}

/* ---- What is around a FEN -------------------------------------------------------------------- */

static char *trim(char *text)
{
    while (is_space(*text)) text++;
    size_t length = strlen(text);
    while (length > 0 && is_space(text[length - 1])) length--;
    text[length] = '\0';
    return text;
}

/* Returns the closing quote of a text that begins with a quote, or NULL. */
static const char *closing_quote(const char *text)
{
    static const char *const quotes[][2] = {
        {"\"", "\""},         {"'", "'"},           {"`", "`"},          {"\u201c", "\u201d"},
        {"\u201e", "\u201c"}, {"\u2018", "\u2019"}, {"\u00ab", "\u00bb"}};
    for (size_t i = 0; i < sizeof quotes / sizeof *quotes; i++)
        if (strncmp(text, quotes[i][0], strlen(quotes[i][0])) == 0) return quotes[i][1];
    return NULL;
}

/* Removes one pair of quotes, with a comma behind it. */
static char *take_quotes(char *text)
{
    const char *close = closing_quote(text);
    if (close == NULL) return text;
    while ((unsigned char)*++text >= 0x80 && ((unsigned char)*text & 0xc0) == 0x80) {
    }
    char *end = strstr(text, close), *last = end;
    /* Uses the last closing quote: an EPD has quotes inside. */
    while (last != NULL && (last = strstr(last + 1, close)) != NULL) end = last;
    if (end != NULL && strspn(end + strlen(close), " ,;.])") == strlen(end + strlen(close)))
        *end = '\0';
    return trim(text);
}

/* Removes "[FEN", "fen:" or "position fen". */
static char *take_words(char *text)
{
    static const char *const words[] = {"[", "position ", "fen", "epd", ":", "="};
    if (is_board(text)) return text;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        if (strncasecmp(text, words[i], length) == 0) text = trim(text + length);
    }
    return text;
}

static char *unwrap(char *text)
{
    for (int layer = 0; layer < 3; layer++) text = take_quotes(take_words(trim(text)));
    return text;
}

/* ---- EPD ------------------------------------------------------------------------------------- */

/* Takes the next field from a text and returns its length; 0 at the end. */
static size_t take_field(char **text, const char **field)
{
    char *at = *text;
    while (is_space(*at) || *at == '_') at++;
    size_t length = strcspn(at, " \t\r\n_;");
    *field = at;
    *text = at + length;
    return length;
}

static bool is_number(const char *text)
{
    return *text != '\0' && strspn(text, "0123456789") == strlen(text);
}

/* Returns whether the rest of a text are opcodes of an EPD: each ends with a semicolon, but many
 * programs omit the last. */
static bool is_opcodes(const char *text)
{
    static const char *const usual[] = {"bm", "am", "id",  "hmvc", "fmvn", "ce",
                                        "dm", "c0", "acd", "pv",   "ea",   "noop"};
    if (*text == ';' || *text == '#') return true; /* a comment */
    if (!isalpha((unsigned char)*text)) return false;
    if (strchr(text, ';') != NULL) return true;
    size_t length = strcspn(text, " \t");
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (strlen(usual[i]) == length && strncmp(text, usual[i], length) == 0) return true;
    return false;
}

/* Takes one opcode with its operand from a text, up to a semicolon outside quotes. */
static char *take_opcode(char **text)
{
    bool quoted = false;
    char *start = *text, *c = start;
    for (; *c != '\0' && (quoted || *c != ';'); c++)
        if (*c == '"') quoted = !quoted;
    *text = *c != '\0' ? c + 1 : c;
    *c = '\0';
    return trim(start);
}

static void read_opcode(char *opcode, PositionText *out)
{
    size_t length = strcspn(opcode, " \t");
    char *operand = opcode + length;
    if (*operand != '\0') *operand++ = '\0';
    operand = trim(operand);
    if (strcmp(opcode, "id") == 0) {
        operand = take_quotes(operand);
        /* Does not cut a UTF-8 character. */
        size_t room = sizeof out->id - 1, size = strlen(operand);
        if (size > room)
            for (size = room; size > 0 && ((unsigned char)operand[size] & 0xc0) == 0x80;) size--;
        memcpy(out->id, operand, size);
        out->id[size] = '\0';
    }
    unsigned long number = is_number(operand) ? strtoul(operand, NULL, 10) : 65536;
    if (strcmp(opcode, "hmvc") == 0 && number <= UINT16_MAX) out->pos.halfmove = (uint16_t)number;
    if (strcmp(opcode, "fmvn") == 0 && number >= 1 && number <= UINT16_MAX)
        out->pos.fullmove = (uint16_t)number;
}

/* ---- The fields ------------------------------------------------------------------------------ */

/* What is around the board of a FEN is removed: marks of promoted men, and a slash. */
static void plain_board(char *board)
{
    char *to = board;
    for (char *c = board; *c != '\0'; c++)
        if (*c != '~') *to++ = *c;
    *to = '\0';
    size_t length = board_length(board);
    if (length > 0 && length == strlen(board) && to[-1] == '/') to[-1] = '\0';
}

enum { FIELDS = 6, FIELD_SIZE = 128 };

/* Inserts "-" at `at` for a field that is missing. */
static void insert_dash(char field[FIELDS][FIELD_SIZE], size_t *count, size_t at)
{
    if (*count == FIELDS) return;
    memmove(field[at + 1], field[at], (*count - at) * FIELD_SIZE);
    strcpy(field[at], "-");
    ++*count;
}

/* Completes a FEN in which castling rights or the en passant square are left empty. */
static void fill_fields(char field[FIELDS][FIELD_SIZE], size_t *count)
{
    const char *third = *count > 2 ? field[2] : "";
    bool square = strlen(third) == 2 && *third >= 'a' && strchr("36", third[1]) != NULL;
    if (square || is_number(third)) insert_dash(field, count, 2);
    if (*count > 3 && *count < FIELDS && is_number(field[3])) insert_dash(field, count, 3);
}

static treb_status read_board(const char *fen, Tolerance tolerance, treb_position *out,
                              treb_error *error)
{
    const char *why;
    treb_status status = position_from_fen(fen, out, &why);
    if (status == TREB_OK) return status;
    bool lenient = tolerance == TAG ? status != TREB_ERR_CASTLING : tolerance == STANDARD;
    if (lenient && position_from_fen_leniently(fen, out, NULL) == TREB_OK) return TREB_OK;
    return fail(error, status, "%s", why);
}

/* Reads the fields, then the opcodes. */
static treb_status read_fields(char *text, Tolerance tolerance, PositionText *out,
                               treb_error *error)
{
    char field[FIELDS][FIELD_SIZE], fen[FIELDS * FIELD_SIZE] = "", *rest = text;
    size_t fields = 0;
    for (; fields < FIELDS; fields++) {
        if (fields >= 4 && is_opcodes(trim(rest))) break;
        const char *from;
        size_t length = take_field(&rest, &from);
        if (length == 0) break;
        if (length >= FIELD_SIZE) return fail(error, TREB_ERR_FEN, "the FEN is too long");
        memcpy(field[fields], from, length);
        field[fields][length] = '\0';
    }
    rest = trim(rest);
    if (*rest != '\0' && !(fields >= 4 && is_opcodes(rest)))
        return fail(error, TREB_ERR_FEN, "the FEN has more than 6 fields");
    if (fields > 0) plain_board(field[0]);
    fill_fields(field, &fields);
    for (size_t i = 0; i < fields; i++) {
        if (i > 0) strcat(fen, " ");
        strcat(fen, field[i]);
    }
    treb_status status = read_board(fen, tolerance, &out->pos, error);
    while (status == TREB_OK && *rest != '\0') read_opcode(take_opcode(&rest), out);
    return status;
}

/* ---- What engines are told ------------------------------------------------------------------- */

/* Cuts a text before the word "moves". Returns the moves, or NULL. */
static char *cut_moves(char *text)
{
    char *moves = strstr(text, " moves");
    if (moves == NULL || strchr(text, ';') != NULL || (moves[6] != '\0' && !is_space(moves[6])))
        return NULL;
    *moves = '\0';
    return moves + 6;
}

static treb_status play_moves(char *moves, treb_position *pos, treb_error *error)
{
    char *word = moves;
    for (word += strspn(word, " "); *word != '\0'; word += strspn(word, " ")) {
        size_t length = strcspn(word, " ");
        char text[32];
        Move move;
        snprintf(text, sizeof text, "%.*s", (int)length, word);
        if (move_text_read(pos, text, &move) != TREB_OK)
            return fail(error, TREB_ERR_FEN, "no such move: '%s'", text);
        position_play(pos, move, pos);
        word += length;
    }
    return TREB_OK;
}

/* ---- All together ---------------------------------------------------------------------------- */

/* Replaces the spaces of Unicode. */
static void plain_spaces(char *text)
{
    char *to = text;
    while (*text != '\0') {
        size_t length = text_blank(text);
        *to++ = length > 0 ? ' ' : *text;
        text += length > 0 ? length : 1;
    }
    *to = '\0';
}

static treb_status read_text(const char *text, Tolerance tolerance, PositionText *out,
                             treb_error *error)
{
    char copy[POSITION_TEXT_MAX], start[] = POSITION_START, *at = copy;
    PositionText read = {.id = ""};
    if (strlen(text) >= sizeof copy)
        return fail(error, TREB_ERR_FEN, "the text is too long for a position");
    strcpy(copy, text);
    plain_spaces(copy);
    char *moves = cut_moves(copy);
    at = unwrap(at);
    if (strcasecmp(at, "startpos") == 0) at = start;
    if (is_link(at)) {
        treb_status status = take_link(&at, error);
        if (status != TREB_OK) return status;
        if (tolerance == NONE) tolerance = TAG;
    }
    treb_status status = read_fields(at, tolerance, &read, error);
    if (status == TREB_OK && moves != NULL) status = play_moves(moves, &read.pos, error);
    if (status == TREB_OK) *out = read;
    return status;
}

treb_status position_text_read(const char *text, PositionText *out, treb_error *error)
{
    return read_text(text, NONE, out, error);
}

static treb_status read_position(const char *text, Tolerance tolerance, treb_position *out,
                                 treb_error *error)
{
    PositionText read;
    treb_status status = read_text(text, tolerance, &read, error);
    if (status == TREB_OK) *out = read.pos;
    return status;
}

treb_status position_text_tag(const char *text, treb_position *out, treb_error *error)
{
    return read_position(text, TAG, out, error);
}

treb_status position_text_standard(const char *text, treb_position *out, treb_error *error)
{
    return read_position(text, STANDARD, out, error);
}

bool position_text_like(const char *text)
{
    char copy[POSITION_TEXT_MAX];
    snprintf(copy, sizeof copy, "%s", text);
    plain_spaces(copy);
    const char *at = unwrap(copy);
    size_t word = strcspn(at, " \t"), slashes = 0;
    for (size_t i = 0; i < word; i++) slashes += at[i] == '/';
    return is_link(at) || slashes >= 5;
}
