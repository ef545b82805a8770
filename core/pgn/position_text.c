/* position_text.c - see position_text.h. Removes everything around a FEN, and leaves the FEN to
 * core/chess/position.h. */
#include "core/pgn/position_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/system/error.h"

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* ---- Other games ----------------------------------------------------------------------------- */

const char *position_text_variant(const char *name)
{
    static const char *const variants[] = {
        "atomic",        "antichess",   "giveaway",   "suicide", "crazyhouse",  "bughouse",
        "kingofthehill", "racingkings", "threecheck", "3check",  "threechecks", "horde",
        "shatranj",      "xiangqi",     "shogi",      "makruk"};
    char plain[32];
    size_t size = 0;
    for (; *name != '\0' && size + 1 < sizeof plain; name++)
        if (isalnum((unsigned char)*name)) plain[size++] = *name;
    plain[size] = '\0';
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        if (strcasecmp(plain, variants[i]) == 0) return variants[i];
    return NULL;
}

/* ---- The board ------------------------------------------------------------------------------- */

/* Returns the length of eight ranks with slashes between them, or 0 if the text does not begin
 * so. */
static size_t board_length(const char *text)
{
    static const char squares[] = "PNBRQKpnbrqk12345678";
    size_t at = 0;
    for (int rank = 0; rank < 8; rank++) {
        size_t length = strspn(text + at, squares);
        if (length == 0 || length > 8) return 0;
        at += length;
        if (rank < 7 && text[at++] != '/') return 0;
    }
    return at;
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

/* ---- All together ---------------------------------------------------------------------------- */

static treb_status read_board(const char *fen, bool lenient, treb_position *out, treb_error *error)
{
    const char *why;
    treb_status status = position_from_fen(fen, out, &why);
    if (status == TREB_OK) return status;
    if (lenient && position_from_fen_leniently(fen, out, NULL) == TREB_OK) return TREB_OK;
    return fail(error, status, "%s", why);
}

/* Reads the fields, then the opcodes. */
static treb_status read_fields(char *text, bool lenient, PositionText *out, treb_error *error)
{
    char fen[512], *rest = text;
    size_t size = 0, fields = 0;
    for (; fields < 6; fields++) {
        if (fields >= 4 && is_opcodes(trim(rest))) break;
        const char *field;
        size_t length = take_field(&rest, &field);
        if (length == 0) break;
        if (size + length + 2 > sizeof fen) return fail(error, TREB_ERR_FEN, "the FEN is too long");
        if (size > 0) fen[size++] = ' ';
        memcpy(fen + size, field, length);
        size += length;
    }
    fen[size] = '\0';
    rest = trim(rest);
    if (*rest != '\0' && !(fields >= 4 && is_opcodes(rest)))
        return fail(error, TREB_ERR_FEN, "the FEN has more than 6 fields");
    treb_status status = read_board(fen, lenient, &out->pos, error);
    while (status == TREB_OK && *rest != '\0') read_opcode(take_opcode(&rest), out);
    return status;
}

static treb_status read_text(const char *text, bool lenient, PositionText *out, treb_error *error)
{
    char copy[POSITION_TEXT_MAX], *at = copy;
    PositionText read = {.id = ""};
    if (strlen(text) >= sizeof copy)
        return fail(error, TREB_ERR_FEN, "the text is too long for a position");
    strcpy(copy, text);
    at = unwrap(at);
    if (is_link(at)) {
        treb_status status = take_link(&at, error);
        if (status != TREB_OK) return status;
        lenient = true;
    }
    treb_status status = read_fields(at, lenient, &read, error);
    if (status == TREB_OK) *out = read;
    return status;
}

treb_status position_text_read(const char *text, PositionText *out, treb_error *error)
{
    return read_text(text, false, out, error);
}

treb_status position_text_tag(const char *text, treb_position *out, treb_error *error)
{
    PositionText read;
    treb_status status = read_text(text, true, &read, error);
    if (status == TREB_OK) *out = read.pos;
    return status;
}

bool position_text_like(const char *text)
{
    char copy[POSITION_TEXT_MAX];
    snprintf(copy, sizeof copy, "%s", text);
    const char *at = unwrap(copy);
    size_t word = strcspn(at, " \t"), slashes = 0;
    for (size_t i = 0; i < word; i++) slashes += at[i] == '/';
    return is_link(at) || slashes >= 5;
}
