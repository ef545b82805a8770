/* table_blocked.c - see table_blocked.h: header, names and orientation of blocked-pawn tables. */
#include "core/format/table_blocked.h"

#include <stdio.h>
#include <string.h>

#include "core/chess/bitboard.h"
#include "core/format/table_format.h"

enum { BLOCKED_PAWNS_MAX = 8, FLAG_SAFE = 1, FLAG_UPPER_BOUNDS = 2 };

static const char *const goal_words[GOALS] = {"exact", "take", "reach"};

/* ---- The header ------------------------------------------------------------------------------ */

/* Sets material and size of the index; there are no axes. */
static void set_index(Index *index, int white, int black)
{
    int most = white > black ? white : black;
    *index = (Index){.pawns = most > 0};
    index->material.count[TREB_WHITE][TREB_KING] = index->material.count[TREB_BLACK][TREB_KING] = 1;
    index->material.count[TREB_WHITE][TREB_PAWN] = (uint8_t)white;
    index->material.count[TREB_BLACK][TREB_PAWN] = (uint8_t)black;
    index->size = 2 * (uint64_t)(BLOCKED_PLACEMENTS + 64 * most);
}

bool table_blocked_header(const TableBlocked *blocked, TableHeader *out)
{
    int white = bit_count(blocked->pawns[TREB_WHITE]),
        black = bit_count(blocked->pawns[TREB_BLACK]);
    if (white > BLOCKED_PAWNS_MAX || black > BLOCKED_PAWNS_MAX) return false;
    *out = (TableHeader){.pad = 1,
                         .metric = TABLE_BLOCKED,
                         .per_byte = 1,
                         .width = 1,
                         .block_bits = 15,
                         .blocked = *blocked,
                         .side = {{.stored = true}, {.stored = true}}};
    set_index(&out->index, white, black);
    return true;
}

/* Reads "KPPvKPP": kings and up to 8 pawns on each side. */
static bool parse_pawn_counts(const uint8_t *bytes, int count[2])
{
    char name[MATERIAL_NAME_SIZE] = {0};
    Material material = {0};
    const uint8_t *at = bytes;
    for (int color = 0; color < 2; color++) {
        if (*at++ != 'K') return false;
        for (count[color] = 0; *at == 'P'; at++)
            if (++count[color] > BLOCKED_PAWNS_MAX) return false;
        if (color == TREB_WHITE && *at++ != 'v') return false;
        material.count[color][TREB_KING] = 1;
        material.count[color][TREB_PAWN] = (uint8_t)count[color];
    }
    material_name(&material, name);
    return memcmp(bytes, name, sizeof name) == 0;
}

const char *format_parse_blocked_index(const uint8_t *bytes, TableHeader *header)
{
    static const uint8_t no_order[FORMAT_ORDER_SIZE] = {0};
    int count[2];
    if (format_get16(bytes + FORMAT_AT_VERSION) < FORMAT_VERSION_BLOCKED)
        return "blocked-pawn tables need a later version of the format";
    if (!parse_pawn_counts(bytes + FORMAT_AT_MATERIAL, count)) return "bad material name";
    if (bytes[FORMAT_AT_AXES] != 0) return "bad number of axes";
    if (memcmp(bytes + FORMAT_AT_ORDER, no_order, sizeof no_order) != 0) return "bad order of axes";
    header->pad = format_get16(bytes + FORMAT_AT_PAD);
    if (header->pad != 1) return "bad padding";
    if (bytes[FORMAT_AT_PER_BYTE] != 1) return "bad number of cells in a byte";
    if (bytes[FORMAT_AT_STORED] != 3) return "bad set of sides";
    set_index(&header->index, count[0], count[1]);
    if (format_get64(bytes + FORMAT_AT_CELLS) != header->index.size) return "bad number of cells";
    return NULL;
}

/* ---- What it is about ------------------------------------------------------------------------ */

enum {
    BLOCKED_AT_PAWNS = 0,
    BLOCKED_AT_SQUARES = 16,
    BLOCKED_AT_GOAL = 24,
    BLOCKED_AT_FLAGS = 25,
    BLOCKED_AT_ZERO = 26,
    BLOCKED_AT_OPEN = 32
};

void format_write_blocked(const TableHeader *header, uint8_t *out)
{
    const TableBlocked *r = &header->blocked;
    memset(out, 0, FORMAT_BLOCKED_SIZE);
    for (int color = 0; color < 2; color++) {
        format_put64(out + BLOCKED_AT_PAWNS + 8 * color, r->pawns[color]);
        format_put64(out + BLOCKED_AT_OPEN + 8 * color, r->open[color]);
    }
    format_put64(out + BLOCKED_AT_SQUARES, r->squares);
    out[BLOCKED_AT_GOAL] = (uint8_t)r->goal;
    out[BLOCKED_AT_FLAGS] =
        (uint8_t)((r->safe ? FLAG_SAFE : 0) | (r->upper_bounds ? FLAG_UPPER_BOUNDS : 0));
}

static bool good_pawns(const TableBlocked *r, const Material *material)
{
    uint64_t ends = rank_bits(0) | rank_bits(7);
    for (int color = 0; color < 2; color++)
        if (bit_count(r->pawns[color]) != material->count[color][TREB_PAWN]) return false;
    return ((r->pawns[0] | r->pawns[1]) & ends) == 0 && (r->pawns[0] & r->pawns[1]) == 0;
}

static bool good_goal(const TableBlocked *r)
{
    if (r->goal >= GOALS || (r->safe && r->goal != GOAL_TAKE)) return false;
    if (r->goal != GOAL_EXACT && (r->open[0] || r->open[1] || r->upper_bounds)) return false;
    return r->goal == GOAL_TAKE || (r->squares != 0) == (r->goal == GOAL_REACH);
}

const char *format_parse_blocked(const uint8_t *bytes, TableHeader *header)
{
    TableBlocked *r = &header->blocked;
    unsigned flags = bytes[BLOCKED_AT_FLAGS];
    for (int color = 0; color < 2; color++) {
        r->pawns[color] = format_get64(bytes + BLOCKED_AT_PAWNS + 8 * color);
        r->open[color] = format_get64(bytes + BLOCKED_AT_OPEN + 8 * color);
        if (r->open[color] > BLOCKED_PLACEMENTS) return "bad number of open placements";
    }
    r->squares = format_get64(bytes + BLOCKED_AT_SQUARES);
    r->goal = bytes[BLOCKED_AT_GOAL];
    r->safe = flags & FLAG_SAFE;
    r->upper_bounds = flags & FLAG_UPPER_BOUNDS;
    if (flags & ~(unsigned)(FLAG_SAFE | FLAG_UPPER_BOUNDS) ||
        format_get48(bytes + BLOCKED_AT_ZERO) != 0)
        return "reserved bits are set";
    if (!good_pawns(r, &header->index.material)) return "bad pawns";
    if (!good_goal(r)) return "bad goal";
    TableBlocked oriented = *r;
    return table_blocked_orient(&oriented) != 0 ? "not in the orientation of files" : NULL;
}

/* ---- Orientation ----------------------------------------------------------------------------- */

static TableBlocked transform(const TableBlocked *r, int symmetry)
{
    TableBlocked out = *r;
    bool swap = symmetry & SYM_RANKS;
    for (int color = 0; color < 2; color++) {
        out.pawns[color] = index_symmetry_board(symmetry, r->pawns[swap ? !color : color]);
        out.open[color] = r->open[swap ? !color : color];
    }
    out.squares = index_symmetry_board(symmetry, r->squares);
    return out;
}

/* Orders orientations by White's pawns, then Black's, then the squares. */
static bool blocked_before(const TableBlocked *a, const TableBlocked *b)
{
    if (a->pawns[0] != b->pawns[0]) return a->pawns[0] < b->pawns[0];
    if (a->pawns[1] != b->pawns[1]) return a->pawns[1] < b->pawns[1];
    return a->squares < b->squares;
}

int table_blocked_orient(TableBlocked *blocked)
{
    static const int symmetries[] = {0, SYM_FILES, SYM_RANKS, SYM_FILES | SYM_RANKS};
    TableBlocked start = *blocked;
    int best = 0;
    for (int i = 1; i < 4; i++) {
        TableBlocked other = transform(&start, symmetries[i]);
        if (!blocked_before(&other, blocked)) continue;
        *blocked = other;
        best = symmetries[i];
    }
    return best;
}

/* ---- Names ----------------------------------------------------------------------------------- */

char *table_put_squares(char *at, uint64_t set)
{
    while (set != 0) {
        int square = bit_pop(&set);
        *at++ = (char)('a' + square_file(square));
        *at++ = (char)('1' + square_rank(square));
    }
    *at = '\0';
    return at;
}

void table_blocked_name(const TableBlocked *r, char out[TABLE_LONG_NAME_SIZE])
{
    char *at = out;
    if ((r->pawns[0] | r->pawns[1]) == 0) {
        at += sprintf(at, "kings");
    } else {
        at = table_put_squares(at, r->pawns[TREB_WHITE]);
        *at++ = '-';
        at = table_put_squares(at, r->pawns[TREB_BLACK]);
    }
    at += sprintf(at, ".%s", goal_words[r->goal]);
    if (r->squares != 0) {
        *at++ = '-';
        at = table_put_squares(at, r->squares);
    }
    sprintf(at, "%s.treb", r->safe ? "-safe" : "");
}

uint64_t table_read_squares(const char **text)
{
    uint64_t set = 0;
    while ((*text)[0] >= 'a' && (*text)[0] <= 'h' && (*text)[1] >= '1' && (*text)[1] <= '8') {
        set |= square_bit(square_at((*text)[0] - 'a', (*text)[1] - '1'));
        *text += 2;
    }
    return set;
}

static bool skip(const char **text, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(*text, word, length) != 0) return false;
    *text += length;
    return true;
}

bool table_blocked_is_name(const char *name)
{
    TableBlocked r = {.goal = -1};
    char again[TABLE_LONG_NAME_SIZE];
    const char *at = name;
    if (!skip(&at, "kings")) {
        r.pawns[TREB_WHITE] = table_read_squares(&at);
        if (!skip(&at, "-")) return false;
        r.pawns[TREB_BLACK] = table_read_squares(&at);
    }
    if (!skip(&at, ".")) return false;
    for (int goal = 0; goal < GOALS && r.goal < 0; goal++)
        if (skip(&at, goal_words[goal])) r.goal = goal;
    if (r.goal < 0) return false;
    if (at[0] == '-' && at[1] != 's') {
        at++;
        r.squares = table_read_squares(&at);
    }
    r.safe = skip(&at, "-safe");
    if (bit_count(r.pawns[0]) > BLOCKED_PAWNS_MAX || bit_count(r.pawns[1]) > BLOCKED_PAWNS_MAX)
        return false;
    table_blocked_name(&r, again);
    return strcmp(name, again) == 0;
}
