/* table_pawn.c - see table_pawn.h: header, names and orientation of pawn files, and the places of
 * positions. */
#include "core/format/table_pawn.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/chess/position.h"
#include "core/format/table_blocked.h"
#include "core/format/table_format.h"
#include "core/system/hash.h"

static_assert(sizeof(StructureKey) == 24, "compared byte by byte");

enum {
    PAWNS_MAX = 8,
    PIECE_BYTES = STRUCTURE_PIECES + 1,
    BLOCK_BITS = 15,
    STRUCTURES_MAX = 1 << 26
};

static const int symmetries[] = {0, SYM_FILES, SYM_RANKS, SYM_FILES | SYM_RANKS};
static const char letters_of_types[] = "PNBRQ"; /* by type */

/* ---- Orientation ----------------------------------------------------------------------------- */

static bool structure_before(const StructureKey *a, const StructureKey *b)
{
    if (a->pawns[0] != b->pawns[0]) return a->pawns[0] < b->pawns[0];
    if (a->pawns[1] != b->pawns[1]) return a->pawns[1] < b->pawns[1];
    return memcmp(a->piece, b->piece, sizeof a->piece) < 0;
}

StructureKey structure_transform(const StructureKey *key, int symmetry)
{
    StructureKey out = {{0}, {0}};
    bool swap = symmetry & SYM_RANKS;
    int count = 0;
    for (int color = 0; color < 2; color++)
        out.pawns[color] = index_symmetry_board(symmetry, key->pawns[swap ? !color : color]);
    /* White's pieces come first. */
    for (int color = 0; color < 2; color++)
        for (int i = 0; i < STRUCTURE_PIECES && key->piece[i] != 0; i++) {
            int piece = swap ? key->piece[i] ^ 8 : key->piece[i];
            if (piece >> 3 == color) out.piece[count++] = (uint8_t)piece;
        }
    return out;
}

int structure_orient(StructureKey *key)
{
    const StructureKey start = *key;
    int best = 0;
    for (int i = 1; i < 4; i++) {
        /* White's pawns decide in most cases. Probes and checks call this often. */
        const bool swap = symmetries[i] & SYM_RANKS;
        if (index_symmetry_board(symmetries[i], start.pawns[swap]) > key->pawns[0]) continue;
        StructureKey other = structure_transform(&start, symmetries[i]);
        if (!structure_before(&other, key)) continue;
        *key = other;
        best = symmetries[i];
    }
    return best;
}

bool structure_place(const treb_position *pos, StructurePlace *out)
{
    const uint64_t pawns = pos->by_type[TREB_PAWN], kings = pos->by_type[TREB_KING];
    int count = 0, square[STRUCTURE_PIECES];
    uint64_t pieces = position_occupied(pos) & ~(pawns | kings);
    *out = (StructurePlace){.key = {{pawns & pos->by_color[0], pawns & pos->by_color[1]}, {0}}};
    uint8_t *piece = out->key.piece;
    while (pieces != 0) {
        if (count == STRUCTURE_PIECES) return false;
        int at = bit_pop(&pieces), i = count++, type = TREB_KNIGHT;
        while (!bit_test(pos->by_type[type], at)) type++;
        int code = (int)bit_test(pos->by_color[TREB_BLACK], at) << 3 | type;
        for (; i > 0 && piece[i - 1] > code; i--) {
            piece[i] = piece[i - 1];
            square[i] = square[i - 1];
        }
        piece[i] = (uint8_t)code;
        square[i] = at;
    }
    const int symmetry = structure_orient(&out->key);
    const bool swap = symmetry & SYM_RANKS;
    /* If the colours are exchanged, the pieces of the former Black come first. */
    int first = 0;
    for (int i = 0; i < count && swap; i++) first += piece[i] >> 3;
    for (int i = 0; i < count; i++) {
        int from = swap ? (i + count - first) % count : i;
        out->cell = out->cell << 6 | (unsigned)index_symmetry_square(symmetry, square[from]);
    }
    for (int i = 0; i < 2; i++) {
        int king = position_king(pos, swap ? !i : i);
        out->cell = out->cell << 6 | (unsigned)index_symmetry_square(symmetry, king);
    }
    out->turn = swap ? !pos->turn : pos->turn;
    return true;
}

int structure_men(const StructureKey *key)
{
    int men = 2 + bit_count(key->pawns[0] | key->pawns[1]);
    for (int i = 0; i < STRUCTURE_PIECES && key->piece[i] != 0; i++) men++;
    return men;
}

/* ---- The list of structures ------------------------------------------------------------------ */

static uint32_t hash_of(const StructureKey *key)
{
    uint64_t pieces = format_get32(key->piece);
    uint64_t hash = key->pawns[0] * HASH_FACTOR + pieces;
    hash = (hash ^ hash >> 32 ^ key->pawns[1]) * HASH_FACTOR_2;
    return (uint32_t)(hash >> 32);
}

static bool same(const StructureKey *a, const StructureKey *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

const TableStructure *table_find_structure(const TableHeader *header, const StructureKey *key)
{
    const TablePawn *s = &header->pawn;
    for (uint32_t at = hash_of(key) & s->mask; s->place[at] != 0; at = (at + 1) & s->mask)
        if (same(&s->structure[s->place[at] - 1].key, key)) return &s->structure[s->place[at] - 1];
    return NULL;
}

/* Fills the hash table. Returns NULL, or what is wrong: a structure is in the list twice. */
static const char *hash_structures(TableHeader *header)
{
    TablePawn *s = &header->pawn;
    uint32_t places = 16;
    while (places < 2 * s->structures) places *= 2;
    s->mask = places - 1;
    s->place = (uint32_t *)calloc(places, sizeof *s->place);
    if (s->place == NULL) return format_no_memory;
    for (uint32_t i = 0; i < s->structures; i++) {
        uint32_t at = hash_of(&s->structure[i].key) & s->mask;
        for (; s->place[at] != 0; at = (at + 1) & s->mask)
            if (same(&s->structure[s->place[at] - 1].key, &s->structure[i].key))
                return "a structure occurs twice";
        s->place[at] = i + 1;
    }
    return NULL;
}

/* Returns whether a key is a structure in the orientation of files. */
static bool good_key(const StructureKey *key)
{
    const uint64_t ends = rank_bits(0) | rank_bits(7);
    StructureKey oriented = *key;
    if (((key->pawns[0] | key->pawns[1]) & ends) != 0 || (key->pawns[0] & key->pawns[1]) != 0)
        return false;
    for (int color = 0; color < 2; color++)
        if (bit_count(key->pawns[color]) > PAWNS_MAX) return false;
    for (int i = 0; i < STRUCTURE_PIECES && key->piece[i] != 0; i++) {
        int type = key->piece[i] & 7;
        if (key->piece[i] > (1 << 3 | TREB_QUEEN) || type < TREB_KNIGHT || type > TREB_QUEEN)
            return false;
        if (i > 0 && key->piece[i] < key->piece[i - 1]) return false;
    }
    for (int i = 1; i <= STRUCTURE_PIECES; i++)
        if (key->piece[i] != 0 && (key->piece[i - 1] == 0 || i == STRUCTURE_PIECES)) return false;
    return structure_orient(&oriented) == 0;
}

static Material material_of(const StructureKey *key)
{
    Material m = {0};
    for (int color = 0; color < 2; color++) {
        m.count[color][TREB_KING] = 1;
        m.count[color][TREB_PAWN] = (uint8_t)bit_count(key->pawns[color]);
    }
    for (int i = 0; i < STRUCTURE_PIECES && key->piece[i] != 0; i++)
        m.count[key->piece[i] >> 3][key->piece[i] & 7]++;
    return m;
}

/* ---- The header ------------------------------------------------------------------------------ */

bool table_pawn_header(const StructureKey *root, TableStructure *list, uint32_t count,
                       TableHeader *out)
{
    *out = (TableHeader){.pad = 1,
                         .metric = (treb_metric)TABLE_PAWN,
                         .per_byte = 1,
                         .width = 1,
                         .block_bits = BLOCK_BITS,
                         .pawn = {.root = *root, .structure = list, .structures = count},
                         .side = {{.stored = true}, {.stored = true}}};
    for (uint32_t i = 0; i < count; i++) {
        list[i].first = out->index.size;
        out->index.size += structure_cells(&list[i].key);
    }
    return count > 0 && count <= STRUCTURES_MAX;
}

const char *format_parse_pawn_index(const uint8_t *bytes, TableHeader *header)
{
    if (format_get16(bytes + FORMAT_AT_VERSION) < FORMAT_VERSION_PAWN)
        return "pawn files need a later version of the format";
    for (int at = FORMAT_AT_MATERIAL; at < FORMAT_AT_PAD; at++)
        if (bytes[at] != 0) return "reserved bits are set";
    header->pad = format_get16(bytes + FORMAT_AT_PAD);
    if (header->pad != 1) return "bad padding";
    if (bytes[FORMAT_AT_PER_BYTE] != 1 || bytes[FORMAT_AT_WIDTH] != 1)
        return "bad number of cells in a byte";
    if (bytes[FORMAT_AT_STORED] != 3) return "bad set of sides";
    header->index.size = format_get64(bytes + FORMAT_AT_CELLS);
    if (header->index.size == 0 || header->index.size % 4096 != 0 ||
        header->index.size > UINT64_C(1) << 56)
        return "bad number of cells";
    for (int side = 0; side < 2; side++) header->side[side].index = header->index;
    return NULL;
}

/* Offsets of the first part: the root, the number of structures, the numbers of open positions,
 * zeros. The structures follow. */
enum {
    PAWN_AT_PAWNS = 0,
    PAWN_AT_PIECES = 16,
    PAWN_AT_COUNT = 20,
    PAWN_AT_OPEN = 24,
    PAWN_AT_ZERO = 40
};

size_t format_pawn_size(const TableHeader *header)
{
    return FORMAT_PAWN_SIZE + (size_t)header->pawn.structures * FORMAT_STRUCTURE_SIZE;
}

static void write_key(const StructureKey *key, uint8_t *out)
{
    format_put64(out, key->pawns[0]);
    format_put64(out + 8, key->pawns[1]);
    memcpy(out + PAWN_AT_PIECES, key->piece, PIECE_BYTES);
}

static StructureKey read_key(const uint8_t *at)
{
    StructureKey key = {{format_get64(at), format_get64(at + 8)}, {0}};
    memcpy(key.piece, at + PAWN_AT_PIECES, PIECE_BYTES);
    return key;
}

void format_write_pawn(const TableHeader *header, uint8_t *out)
{
    const TablePawn *s = &header->pawn;
    memset(out, 0, FORMAT_PAWN_SIZE);
    write_key(&s->root, out + PAWN_AT_PAWNS);
    format_put32(out + PAWN_AT_COUNT, s->structures);
    for (int side = 0; side < 2; side++) format_put64(out + PAWN_AT_OPEN + 8 * side, s->open[side]);
    out += FORMAT_PAWN_SIZE;
    for (uint32_t i = 0; i < s->structures; i++, out += FORMAT_STRUCTURE_SIZE)
        write_key(&s->structure[i].key, out);
}

/* Reads the structures, and computes where their cells begin. */
static const char *read_structures(const uint8_t *at, TableHeader *header)
{
    TablePawn *s = &header->pawn;
    uint64_t cells = 0;
    s->structure = (TableStructure *)malloc(s->structures * sizeof *s->structure);
    if (s->structure == NULL) return format_no_memory;
    for (uint32_t i = 0; i < s->structures; i++, at += FORMAT_STRUCTURE_SIZE) {
        s->structure[i] = (TableStructure){read_key(at), cells};
        if (!good_key(&s->structure[i].key)) return "bad structure";
        cells += structure_cells(&s->structure[i].key);
    }
    return cells == header->index.size ? hash_structures(header) : "bad number of cells";
}

const char *format_take_pawn(const uint8_t **at, size_t *left, TableHeader *header)
{
    TablePawn *s = &header->pawn;
    const uint8_t *about = *at;
    if (*left < FORMAT_PAWN_SIZE) return "the description of its positions is missing";
    s->root = read_key(about + PAWN_AT_PAWNS);
    s->structures = format_get32(about + PAWN_AT_COUNT);
    for (int side = 0; side < 2; side++) {
        s->open[side] = format_get64(about + PAWN_AT_OPEN + 8 * side);
        if (s->open[side] > header->index.size) return "bad number of open positions";
    }
    if (format_get64(about + PAWN_AT_ZERO) != 0) return "reserved bits are set";
    if (!good_key(&s->root)) return "bad structure";
    if (s->structures == 0 || s->structures > STRUCTURES_MAX ||
        (*left - FORMAT_PAWN_SIZE) / FORMAT_STRUCTURE_SIZE < s->structures)
        return "bad number of structures";
    header->index.material = material_of(&s->root);
    *at += format_pawn_size(header);
    *left -= format_pawn_size(header);
    const char *wrong = read_structures(about + FORMAT_PAWN_SIZE, header);
    if (wrong != NULL) return wrong;
    return table_find_structure(header, &s->root) == NULL ? "its own structure is missing" : NULL;
}

/* ---- Names ----------------------------------------------------------------------------------- */

void table_pawn_name(const StructureKey *root, char out[TABLE_LONG_NAME_SIZE])
{
    char *at = out;
    for (int color = 0; color < 2; color++) {
        if (color == TREB_BLACK) *at++ = '-';
        for (int i = 0; i < STRUCTURE_PIECES && root->piece[i] != 0; i++)
            if (root->piece[i] >> 3 == color) *at++ = letters_of_types[root->piece[i] & 7];
        at = table_put_squares(at, root->pawns[color]);
    }
    strcpy(at, ".solved.treb");
}

bool table_pawn_is_name(const char *name, StructureKey *root)
{
    StructureKey key = {{0}, {0}};
    char again[TABLE_LONG_NAME_SIZE];
    const char *at = name, *letter;
    int count = 0;
    for (int color = 0; color < 2; color++) {
        if (color == TREB_BLACK && *at++ != '-') return false;
        for (; *at != '\0' && (letter = strchr(letters_of_types + 1, *at)) != NULL; at++) {
            if (count >= STRUCTURE_PIECES) return false;
            key.piece[count++] = (uint8_t)(color << 3 | (int)(letter - letters_of_types));
        }
        key.pawns[color] = table_read_squares(&at);
    }
    if (!good_key(&key)) return false;
    table_pawn_name(&key, again);
    if (root != NULL) *root = key;
    return strcmp(name, again) == 0;
}
