/* pgn_signs.c - see pgn_signs.h. Signs that are no ASCII may be in UTF-8, or one byte of Windows'
 * Latin-1. */
#include "core/pgn/pgn_signs.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* ---- Results --------------------------------------------------------------------------------- */

/* Returns the length of the dash or colon that a text begins with, or 0. */
static size_t dash_length(const char *text)
{
    static const char *const dashes[] = {"-",      ":",      "\u2010", "\u2011", "\u2012",
                                         "\u2013", "\u2014", "\u2015", "\u2212", "\x96"};
    for (size_t i = 0; i < sizeof dashes / sizeof *dashes; i++)
        if (strncmp(text, dashes[i], strlen(dashes[i])) == 0) return strlen(dashes[i]);
    return 0;
}

/* Takes the score of one side from a text. Returns it in half points, or -1. */
static int take_score(const char **text)
{
    static const struct {
        const char *text;
        int halves;
    } scores[] = {{"1/2", 1}, {"\u00bd", 1}, {"\xbd", 1}, {"0.5", 1},
                  {"0,5", 1}, {".5", 1},     {"1", 2},    {"0", 0}};
    for (size_t i = 0; i < sizeof scores / sizeof *scores; i++) {
        size_t length = strlen(scores[i].text);
        if (strncmp(*text, scores[i].text, length) != 0) continue;
        *text += length;
        return scores[i].halves;
    }
    return -1;
}

const char *pgn_result(const char *text)
{
    if (strcmp(text, "*") == 0) return "*";
    int white = take_score(&text);
    if (white == 1 && *text == '\0') return "1/2-1/2";
    size_t dash = dash_length(text);
    if (white < 0 || dash == 0) return NULL;
    text += dash;
    int black = take_score(&text);
    if (black < 0 || *text != '\0' || white + black == 0) return NULL;
    if (white + black != 2) return "";
    return white == 2 ? "1-0" : white == 0 ? "0-1" : "1/2-1/2";
}

bool pgn_result_begins(const char *text)
{
    return take_score(&text) >= 0 && strlen(text) == dash_length(text);
}

bool pgn_result_wants_dash(const char *text) { return take_score(&text) >= 0 && *text == '\0'; }

/* ---- Glyphs ---------------------------------------------------------------------------------- */

/* NAGs by their signs, as PGN, ChessBase, SCID and lichess write them. A longer sign comes before one
 * that it ends with. The last are signs of check. */
static const struct {
    const char *sign;
    unsigned char nag;
} glyphs[] = {
    {"!!", 3},        {"??", 4},        {"!?", 5},       {"?!", 6},       {"!", 1},
    {"?", 2},         {"\u203c", 3},    {"\u2047", 4},   {"\u2049", 5},   {"\u2048", 6},
    {"\u25a1", 7},    {"=/\u221e", 44}, {"=\u221e", 44}, {"\u221e", 13},  {"~", 13},
    {"+/=", 14},      {"=/+", 15},      {"+/-", 16},     {"-/+", 17},     {"+/\u2212", 16},
    {"\u2212/+", 17}, {"+--", 18},      {"--+", 19},     {"+-", 18},      {"-+", 19},
    {"+\u2212", 18},  {"\u2212+", 19},  {"+\u2013", 18}, {"\u2013+", 19}, {"+=", 14},
    {"=+", 15},       {"=", 10},        {"\u2a72", 14},  {"\u2a71", 15},  {"\u00b1", 16},
    {"\u2213", 17},   {"\u2a00", 22},   {"\u2299", 22},  {"\u21d1", 36},  {"\u2191\u2191", 32},
    {"\u27f3", 32},   {"\u2191", 36},   {"\u2192", 40},  {"\u21c6", 132}, {"\u2295", 138},
    {"\u2a01", 138},  {"\u2206", 140},  {"\u0394", 140}, {"\u2313", 142}, {"\xb1", 16},
    {"TN", 146},      {"N", 146},       {"+", 0},        {"#", 0},        {"\u2020", 0},
    {"\u2021", 0},    {"\x86", 0},      {"\x87", 0}};

enum { GLYPHS = sizeof glyphs / sizeof *glyphs };

unsigned pgn_glyph(const char *text)
{
    if (strcmp(text, "D") == 0) return 220; /* a diagram */
    if (strcmp(text, "RR") == 0) return 145;
    for (int i = 0; i < GLYPHS; i++)
        if (strcmp(text, glyphs[i].sign) == 0) return glyphs[i].nag;
    return 0;
}

size_t pgn_glyph_cut(const char *text, size_t length, unsigned *nag)
{
    *nag = 0;
    for (int i = 0; i < GLYPHS; i++) {
        size_t size = strlen(glyphs[i].sign);
        if (size >= length || memcmp(text + length - size, glyphs[i].sign, size) != 0) continue;
        /* A byte of Latin-1 is not the end of a character of UTF-8. */
        bool single = size == 1 && (unsigned char)glyphs[i].sign[0] >= 0x80;
        if (single && (unsigned char)text[length - 2] >= 0x80) continue;
        *nag = glyphs[i].nag;
        return length - size;
    }
    return length;
}

bool pgn_needless(const char *word)
{
    static const char *const words[] = {"e.p.", "e.p",  "ep",     "ch",     "ch.",         "check",
                                        "mate", "dbl.", "+",      "++",     "#",           "##",
                                        "dbl",  ".",    "\u2020", "\u2021", "\u2020\u2020"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(word, words[i]) == 0) return true;
    return false;
}
