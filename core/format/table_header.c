/* table_header.c - converts the header of a table file from a struct to bytes and back. The parser
 * trusts nothing: it checks each field before it computes another from it. */
#include "core/chess/position.h"
#include "core/format/table_blocked.h"
#include "core/format/table_format.h"
#include "core/format/table_pawn.h"
#include "core/system/features.h"
#include "core/system/io.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of a side before its texts: counts, longest distances, numbers of codes. */
enum { SIDE_FIXED_SIZE = WDL_VALUES * (8 + 4 + 2) };

/* Bytes of a TableDelayed before its text. */
enum { DELAYED_FIXED_SIZE = 8 + 2 + 2 };

/* Far above any table, and so small that sums of a few sizes cannot overflow. */
#define CELLS_MAX (UINT64_C(1) << 56)

/* With codec symbols: the page table has no space for larger numbers. */
#define CODED_CELLS_MAX (UINT64_C(1) << FORMAT_CELL_BITS)

void table_header_free(TableHeader *header)
{
    for (int side = 0; side < 2; side++) {
        for (int v = 0; v < WDL_VALUES; v++) {
            free(header->side[side].plies[v]);
            free(header->side[side].histogram[v]);
            header->side[side].plies[v] = NULL;
            header->side[side].histogram[v] = NULL;
        }
        free(header->side[side].code.bytes);
        header->side[side].code = (TableCode){0};
    }
    free(header->profiles.step);
    free(header->profiles.classes);
    free(header->profiles.list);
    header->profiles = (TableProfiles){0};
    free(header->pawn.structure);
    free(header->pawn.place);
    header->pawn.structure = NULL;
    header->pawn.place = NULL;
}

void table_header_name(const TableHeader *header, char out[TABLE_LONG_NAME_SIZE])
{
    if (TREB_SOLVED && header->metric == TABLE_BLOCKED)
        table_blocked_name(&header->blocked, out);
    else if (TREB_SOLVED && header->metric == TABLE_PAWN)
        table_pawn_name(&header->pawn.root, out);
    else
        table_file_name(&header->index.material, header->metric, out);
}

bool table_header_names(const TableHeader *header, const char *path)
{
    char name[TABLE_LONG_NAME_SIZE];
    table_header_name(header, name);
    return strcmp(io_name(path), name) == 0;
}

/* ---- to bytes -------------------------------------------------------------------------------- */

static size_t histogram_bytes(const TableSide *side, int v)
{
    return 8 * ((size_t)side->longest[v] + 1);
}

static size_t delayed_size(const TableHeader *header)
{
    size_t size = 0;
    for (int i = 0; i < DELAYED_CLOCKS; i++)
        size += DELAYED_FIXED_SIZE + 1 + strnlen(header->delayed[i].fen, TABLE_FEN_SIZE);
    return size;
}

size_t format_sides_size(const TableHeader *header)
{
    size_t size = 2 * (SIDE_FIXED_SIZE + 1);
    if (header->metric == TABLE_BLOCKED) size += FORMAT_BLOCKED_SIZE;
    if (header->metric == TABLE_PAWN) size += format_pawn_size(header);
    if (header->metric == TREB_DTM50) size += format_profiles_size(&header->profiles) + delayed_size(header);
    for (int s = 0; s < 2; s++) {
        const TableSide *side = &header->side[s];
        for (int v = 0; v < WDL_VALUES; v++) {
            size += 1 + strnlen(side->longest_fen[v], TABLE_FEN_SIZE) + 2u * side->codes[v];
            if (side->histogram[v]) size += histogram_bytes(side, v);
        }
        if (header->codec == TABLE_SYMBOLS && side->stored)
            size += FORMAT_CODE_SIZE + side->code.size;
    }
    return size;
}

/* Whether a file has the verdicts of one side to move alone, although the other's differ. */
static bool lacks_verdicts(const TableHeader *header)
{
    return header->metric == TREB_WDL && !material_symmetric(&header->index.material) &&
           !(header->side[TREB_WHITE].stored && header->side[TREB_BLACK].stored);
}

void format_write_fixed(const TableHeader *header, uint8_t out[FORMAT_FIXED_SIZE])
{
    memset(out, 0, FORMAT_FIXED_SIZE);
    memcpy(out + FORMAT_AT_MAGIC, format_magic, sizeof format_magic);
    bool blocked = header->metric == TABLE_BLOCKED, symbols = header->codec == TABLE_SYMBOLS;
    bool pawn = header->metric == TABLE_PAWN;
    const bool profiles = header->metric == TREB_DTM50;
    const bool verdicts = header->bounds && header->metric == TREB_WDL;
    format_put16(out + FORMAT_AT_VERSION, lacks_verdicts(header) ? FORMAT_VERSION_ONE_SIDE
                                          : verdicts       ? FORMAT_VERSION_VERDICTS
                                          : header->as_dtz ? FORMAT_VERSION_AS_DTZ
                                          : profiles       ? FORMAT_VERSION_PROFILES
                                          : symbols        ? FORMAT_VERSION_SYMBOLS
                                          : pawn           ? FORMAT_VERSION_PAWN
                                          : blocked        ? FORMAT_VERSION_BLOCKED
                                                           : FORMAT_VERSION_HISTOGRAMS);
    out[FORMAT_AT_METRIC] = (uint8_t)header->metric;
    format_put32(out + FORMAT_AT_FLAGS, (header->bounds ? FORMAT_FLAG_BOUNDS : 0u) |
                                            (header->as_dtz ? (uint32_t)FORMAT_FLAG_AS_DTZ : 0u));
    out[FORMAT_AT_INDEX_SCHEME] = symbols   ? FORMAT_SCHEME_SQUARE_COLORS
                                  : pawn    ? FORMAT_SCHEME_PAWN
                                  : blocked ? FORMAT_SCHEME_BLOCKED
                                            : FORMAT_SCHEME_PLAIN;
    format_put16(out + FORMAT_AT_CODEC, (uint16_t)header->codec);
    char name[MATERIAL_NAME_SIZE] = {0};
    if (!pawn) material_name(&header->index.material, name);
    memcpy(out + FORMAT_AT_MATERIAL, name, MATERIAL_NAME_SIZE);
    out[FORMAT_AT_AXES] = (uint8_t)header->index.axes;
    for (int i = 0; i < header->index.axes && !symbols; i++)
        out[FORMAT_AT_ORDER + i] = header->index.order[i];
    format_put16(out + FORMAT_AT_PAD, (uint16_t)header->pad);
    out[FORMAT_AT_PER_BYTE] = (uint8_t)header->per_byte;
    out[FORMAT_AT_WIDTH] = (uint8_t)header->width;
    out[FORMAT_AT_BLOCK_BITS] = (uint8_t)header->block_bits;
    out[FORMAT_AT_STORED] = (uint8_t)(header->side[0].stored | header->side[1].stored << 1);
    if (header->per_byte > 1) format_put32(out + FORMAT_AT_BASE, header->base);
    format_put64(out + FORMAT_AT_CELLS, header->index.size);
}

static uint8_t *write_histograms(const TableSide *side, uint8_t *out)
{
    uint8_t *present = out++;
    *present = 0;
    for (int v = 0; v < WDL_VALUES; v++) {
        if (side->histogram[v] == NULL) continue;
        *present |= (uint8_t)(1u << v);
        for (uint32_t p = 0; p <= side->longest[v]; p++, out += 8)
            format_put64(out, side->histogram[v][p]);
    }
    return out;
}

static uint8_t *write_fen(const char fen[TABLE_FEN_SIZE], uint8_t *out)
{
    const size_t size = strnlen(fen, TABLE_FEN_SIZE);
    *out++ = (uint8_t)size;
    memcpy(out, fen, size);
    return out + size;
}

static uint8_t *write_delayed(const TableHeader *header, uint8_t *out)
{
    for (int i = 0; i < DELAYED_CLOCKS; i++) {
        const TableDelayed *delayed = &header->delayed[i];
        format_put64(out, delayed->count);
        format_put16(out + 8, delayed->dtm);
        format_put16(out + 10, delayed->dtm50);
        out = write_fen(delayed->fen, out + DELAYED_FIXED_SIZE);
    }
    return out;
}

void format_write_sides(const TableHeader *header, uint8_t *out)
{
    if (header->metric == TABLE_BLOCKED) {
        format_write_blocked(header, out);
        out += FORMAT_BLOCKED_SIZE;
    }
    if (header->metric == TABLE_PAWN) {
        format_write_pawn(header, out);
        out += format_pawn_size(header);
    }
    if (header->metric == TREB_DTM50) out = write_delayed(header, format_write_profiles(&header->profiles, out));
    for (int s = 0; s < 2; s++) {
        const TableSide *side = &header->side[s];
        for (int v = 0; v < WDL_VALUES; v++, out += 8) format_put64(out, side->count[v]);
        for (int v = 0; v < WDL_VALUES; v++, out += 4) format_put32(out, side->longest[v]);
        for (int v = 0; v < WDL_VALUES; v++, out += 2) format_put16(out, side->codes[v]);
        for (int v = 0; v < WDL_VALUES; v++) out = write_fen(side->longest_fen[v], out);
        out = write_histograms(side, out);
        for (int v = 0; v < WDL_VALUES; v++)
            for (unsigned c = 0; c < side->codes[v]; c++, out += 2)
                format_put16(out, side->plies[v][c]);
    }
    for (int s = 0; s < 2 && header->codec == TABLE_SYMBOLS; s++)
        if (header->side[s].stored) out = format_write_code(&header->side[s], out);
}

/* ---- from bytes ------------------------------------------------------------------------------ */

static bool all_zero(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i]) return false;
    return true;
}

static bool parse_material(const uint8_t *bytes, Material *material)
{
    char name[MATERIAL_NAME_SIZE], again[MATERIAL_NAME_SIZE] = {0};
    memcpy(name, bytes, sizeof name);
    if (name[MATERIAL_NAME_SIZE - 1] != '\0' || !material_parse(name, material)) return false;
    Material canonical = *material;
    if (material_canonical(&canonical)) return false;
    material_name(material, again);
    return memcmp(name, again, sizeof name) == 0;
}

static const char *parse_index(const uint8_t *bytes, TableHeader *header)
{
    Material material;
    bool symbols = header->codec == TABLE_SYMBOLS;
    if (!parse_material(bytes + FORMAT_AT_MATERIAL, &material)) return "bad material name";
    header->pad = format_get16(bytes + FORMAT_AT_PAD);
    if (header->pad == 0) return "bad padding";
    /* The first call tells how many axes the material has, and so how many bytes of the order
     * count. */
    const uint8_t *order = bytes + FORMAT_AT_ORDER;
    if (!index_init(&header->index, &material, NULL, 1)) return "this material has no index";
    int axes = header->index.axes;
    if (bytes[FORMAT_AT_AXES] != axes) return "bad number of axes";
    int listed = symbols ? 0 : axes;
    if (!all_zero(order + listed, (size_t)(FORMAT_ORDER_SIZE - listed))) return "bad order of axes";
    if (symbols ? !index_init_square_colors(&header->index, &material, NULL)
                : !index_init(&header->index, &material, order, header->pad))
        return "bad order of axes";
    if (symbols && header->pad != 1) return "bad padding";
    if (header->index.size > (symbols ? CODED_CELLS_MAX : CELLS_MAX)) return "too many cells";
    if (format_get64(bytes + FORMAT_AT_CELLS) != header->index.size) return "bad number of cells";
    for (int s = 0; s < 2; s++) header->side[s].index = header->index;
    return NULL;
}

/* Parses how the codes of cells are stored in bytes. */
static const char *parse_cells(const uint8_t *bytes, TableHeader *header)
{
    header->per_byte = bytes[FORMAT_AT_PER_BYTE];
    header->width = bytes[FORMAT_AT_WIDTH];
    header->base = format_get32(bytes + FORMAT_AT_BASE);
    header->block_bits = bytes[FORMAT_AT_BLOCK_BITS];
    if (header->per_byte < 1 || header->per_byte > 8) return "bad number of cells in a byte";
    if (header->width < 1 || header->width > 2) return "bad width of a cell";
    if (header->block_bits < TABLE_BLOCK_BITS_MIN || header->block_bits > TABLE_BLOCK_BITS_MAX)
        return "bad block size";
    if (header->per_byte == 1) {
        if (header->base != 0) return "bad base";
        header->base = header->width == 1 ? 256 : 65536;
        return NULL;
    }
    if (header->width != 1) return "bad width of a cell";
    if (header->base < 2 || header->base > 16) return "bad base";
    unsigned power = 1;
    for (unsigned i = 0; i < header->per_byte; i++) {
        power *= header->base;
        if (power > 256) return "bad base";
    }
    /* Coded cells have a whole number of bits. */
    if (header->codec == TABLE_SYMBOLS && power != 256) return "bad base";
    return NULL;
}

const char *format_parse_fixed(const uint8_t *bytes, TableHeader *header)
{
    memset(header, 0, sizeof *header);
    unsigned scheme = bytes[FORMAT_AT_INDEX_SCHEME], codec = format_get16(bytes + FORMAT_AT_CODEC);
    if (scheme < FORMAT_SCHEME_PLAIN || scheme > FORMAT_SCHEME_PAWN) return "unknown index scheme";
    bool can_be = format_get16(bytes + FORMAT_AT_VERSION) >= FORMAT_VERSION_SYMBOLS;
    if (codec > (can_be ? TABLE_SYMBOLS : TABLE_ZSTD)) return "unknown codec";
    if ((codec == TABLE_SYMBOLS) != (scheme == FORMAT_SCHEME_SQUARE_COLORS))
        return "its codec does not fit its index scheme";
    header->codec = (TableCodec)codec;
    bool blocked = TREB_SOLVED && scheme == FORMAT_SCHEME_BLOCKED;
    bool pawn = TREB_SOLVED && scheme == FORMAT_SCHEME_PAWN;
    if (bytes[FORMAT_AT_METRIC] > TREB_DTM50) return "unknown metric";
    if (bytes[FORMAT_AT_METRIC] == TREB_DTM50 &&
        format_get16(bytes + FORMAT_AT_VERSION) < FORMAT_VERSION_PROFILES)
        return "a DTM50 table of an older version, which is not read; it must be made again";
    if (bytes[FORMAT_AT_METRIC] == TREB_DTM50 && codec != TABLE_SYMBOLS)
        return "its metric does not fit its codec";
    if ((bytes[FORMAT_AT_METRIC] == TABLE_BLOCKED) != blocked ||
        (bytes[FORMAT_AT_METRIC] == TABLE_PAWN) != pawn)
        return "its metric does not fit its index scheme";
    header->metric = (treb_metric)bytes[FORMAT_AT_METRIC];
    uint32_t flags = format_get32(bytes + FORMAT_AT_FLAGS);
    header->bounds = flags & FORMAT_FLAG_BOUNDS;
    header->as_dtz = flags & FORMAT_FLAG_AS_DTZ;
    bool newest = format_get16(bytes + FORMAT_AT_VERSION) >= FORMAT_VERSION_AS_DTZ;
    uint32_t known = FORMAT_FLAG_BOUNDS | (newest ? (uint32_t)FORMAT_FLAG_AS_DTZ : 0u);
    if (flags & ~known) return "reserved bits are set";
    can_be = header->metric == TREB_DTM ||
             (header->metric == TREB_WDL &&
              format_get16(bytes + FORMAT_AT_VERSION) >= FORMAT_VERSION_VERDICTS);
    if (header->bounds && !can_be) return "only verdicts and mate distances are bounds";
    if (header->as_dtz && header->metric != TREB_DTC)
        return "only distances to conversion are those of another file";
    unsigned stored = bytes[FORMAT_AT_STORED];
    if (stored < 1 || stored > 3) return "bad set of sides";
    header->side[0].stored = stored & 1;
    header->side[1].stored = stored >> 1;
    const char *wrong = blocked ? format_parse_blocked_index(bytes, header)
                        : pawn  ? format_parse_pawn_index(bytes, header)
                                : parse_index(bytes, header);
    if (wrong == NULL && lacks_verdicts(header) &&
        format_get16(bytes + FORMAT_AT_VERSION) < FORMAT_VERSION_ONE_SIDE)
        wrong = "a side to move is missing";
    return wrong ? wrong : parse_cells(bytes, header);
}

/* The bytes that are not parsed yet. */
typedef struct Cursor {
    const uint8_t *at;
    size_t left;
} Cursor;

static const uint8_t *take(Cursor *cursor, size_t size)
{
    if (size > cursor->left) return NULL;
    const uint8_t *at = cursor->at;
    cursor->at += size;
    cursor->left -= size;
    return at;
}

/* FENs are printed to terminals and in JSON: only the letters of a FEN may pass. */
static bool parse_fen(Cursor *cursor, char out[TABLE_FEN_SIZE])
{
    static const char letters[] = "abcdefghKQRBNPkqrbnpw0123456789/- ";
    const uint8_t *size = take(cursor, 1);
    const uint8_t *text = size ? take(cursor, *size) : NULL;
    if (text == NULL || *size >= TABLE_FEN_SIZE) return false;
    for (unsigned i = 0; i < *size; i++)
        if (memchr(letters, text[i], sizeof letters - 1) == NULL) return false;
    memcpy(out, text, *size);
    return true;
}

static const char *parse_delayed(Cursor *cursor, TableHeader *header)
{
    for (int i = 0; i < DELAYED_CLOCKS; i++) {
        TableDelayed *delayed = &header->delayed[i];
        const uint8_t *at = take(cursor, DELAYED_FIXED_SIZE);
        if (at == NULL) return "statistics end early";
        *delayed = (TableDelayed){format_get64(at), format_get16(at + 8), format_get16(at + 10), ""};
        if (!parse_fen(cursor, delayed->fen)) return "bad FEN";
        const bool any = delayed->count > 0;
        if ((delayed->fen[0] != '\0') != any || (delayed->dtm < delayed->dtm50) != any) return "bad delay";
    }
    return NULL;
}

/* Returns whether only the first value map exists. */
static bool one_map(const TableHeader *header)
{
    return header->metric == TREB_WDL || (int)header->metric == TABLE_BLOCKED ||
           (int)header->metric == TABLE_PAWN;
}

static bool good_codes(const TableHeader *header, const TableSide *side)
{
    unsigned most = header->base < TABLE_CODES_MAX ? header->base : (unsigned)TABLE_CODES_MAX;
    for (int v = 0; v < WDL_VALUES; v++) {
        if (side->codes[v] > most || (!side->stored && side->codes[v])) return false;
        if (one_map(header) && v > 0 && side->codes[v]) return false;
        if (header->metric == TREB_DTM50 && side->codes[v]) return false;
    }
    if (header->metric == TABLE_PAWN) return side->codes[0] == 0;
    return !one_map(header) || !side->stored || side->codes[0] > 0;
}

/* Parses a histogram. Its sum must be the count of the side, and its last entry must not be 0. */
static const char *parse_histogram(Cursor *cursor, TableSide *side, int v)
{
    if (side->longest[v] > TABLE_PLIES_MAX) return "bad histogram";
    const uint8_t *at = take(cursor, histogram_bytes(side, v));
    if (at == NULL) return "histogram ends early";
    uint64_t left = side->count[v], *entry = (uint64_t *)malloc(histogram_bytes(side, v));
    if (entry == NULL) return format_no_memory;
    side->histogram[v] = entry;
    for (uint32_t p = 0; p <= side->longest[v]; p++, at += 8) {
        entry[p] = format_get64(at);
        if (entry[p] > left) return "bad histogram";
        left -= entry[p];
    }
    return left || entry[side->longest[v]] == 0 ? "bad histogram" : NULL;
}

static const char *parse_histograms(Cursor *cursor, bool distances, TableSide *side)
{
    const uint8_t *present = take(cursor, 1);
    if (present == NULL) return "statistics end early";
    if (*present >> WDL_VALUES || *present >> TREB_DRAW & 1 || (*present && !distances))
        return "bad set of histograms";
    for (int v = 0; v < WDL_VALUES; v++) {
        const char *wrong = *present >> v & 1 ? parse_histogram(cursor, side, v) : NULL;
        if (wrong) return wrong;
    }
    return NULL;
}

static const char *parse_maps(Cursor *cursor, bool verdicts, TableSide *side)
{
    for (int v = 0; v < WDL_VALUES; v++) {
        unsigned codes = side->codes[v];
        if (codes == 0) continue;
        const uint8_t *map = take(cursor, 2u * codes);
        if (map == NULL) return "value map ends early";
        side->plies[v] = (uint16_t *)malloc(codes * sizeof *side->plies[v]);
        if (side->plies[v] == NULL) return format_no_memory;
        for (unsigned c = 0; c < codes; c++) {
            side->plies[v][c] = format_get16(map + 2u * c);
            if (verdicts && side->plies[v][c] >= WDL_VALUES) return "bad value map";
        }
    }
    return NULL;
}

static const char *parse_side(Cursor *cursor, unsigned version, const TableHeader *header,
                              TableSide *side)
{
    const uint8_t *at = take(cursor, SIDE_FIXED_SIZE);
    if (at == NULL) return "statistics end early";
    for (int v = 0; v < WDL_VALUES; v++, at += 8) side->count[v] = format_get64(at);
    for (int v = 0; v < WDL_VALUES; v++, at += 4) side->longest[v] = format_get32(at);
    uint16_t codes[WDL_VALUES];
    for (int v = 0; v < WDL_VALUES; v++, at += 2) codes[v] = format_get16(at);
    for (int v = 0; v < WDL_VALUES; v++)
        if (!parse_fen(cursor, side->longest_fen[v])) return "bad FEN";
    if (version >= FORMAT_VERSION_HISTOGRAMS) {
        const char *wrong = parse_histograms(cursor, !one_map(header), side);
        if (wrong) return wrong;
    }
    memcpy(side->codes, codes, sizeof codes);
    if (!good_codes(header, side)) return "bad number of codes";
    return parse_maps(cursor, header->metric == TREB_WDL, side);
}

/* Checks that every block has at least a byte, and at most as many as before compression. */
static bool good_entries(const uint8_t *entry, const TableHeader *header, uint64_t data_size)
{
    uint64_t blocks = table_side_blocks(header), at = format_get48(entry);
    if (at != 0) return false;
    for (int s = 0; s < 2; s++) {
        if (!header->side[s].stored) continue;
        bool last = s == 1 || !header->side[1].stored;
        for (uint64_t b = 0; b < blocks; b++) {
            entry += FORMAT_ENTRY_SIZE;
            uint64_t end = last && b == blocks - 1 ? data_size : format_get48(entry);
            if (end <= at || end - at > format_block_size(header, b)) return false;
            at = end;
        }
    }
    return true;
}

const char *format_parse(const uint8_t *bytes, size_t size, TableHeader *header,
                         FormatLayout *layout)
{
    const char *wrong = format_parse_fixed(bytes, header);
    if (wrong) return wrong;
    layout->file_size = format_get64(bytes + FORMAT_AT_FILE_SIZE);
    layout->meta = format_get64(bytes + FORMAT_AT_META);
    layout->dictionary_size = format_get32(bytes + FORMAT_AT_DICTIONARY_SIZE);
    if (layout->meta < FORMAT_FIXED_SIZE || layout->meta > layout->file_size ||
        layout->file_size - layout->meta != size - FORMAT_FIXED_SIZE)
        return "bad sizes";
    if (header->as_dtz) return size == FORMAT_FIXED_SIZE ? NULL : "bad sizes";
    Cursor cursor = {bytes + FORMAT_FIXED_SIZE, size - FORMAT_FIXED_SIZE};
    unsigned version = format_get16(bytes + FORMAT_AT_VERSION);
    if (TREB_SOLVED && header->metric == TABLE_BLOCKED) {
        const uint8_t *about = take(&cursor, FORMAT_BLOCKED_SIZE);
        if (about == NULL) return "the description of its positions is missing";
        if ((wrong = format_parse_blocked(about, header)) != NULL) return wrong;
    }
    if (TREB_SOLVED && header->metric == TABLE_PAWN &&
        (wrong = format_take_pawn(&cursor.at, &cursor.left, header)) != NULL)
        return wrong;
    if (header->metric == TREB_DTM50 &&
        ((wrong = format_take_profiles(&cursor.at, &cursor.left, header)) != NULL ||
         (wrong = parse_delayed(&cursor, header)) != NULL))
        return wrong;
    for (int s = 0; s < 2; s++)
        if ((wrong = parse_side(&cursor, version, header, &header->side[s])) != NULL) return wrong;
    if (header->codec == TABLE_SYMBOLS) {
        if (layout->dictionary_size > 0) return "bad size of the dictionary";
        return format_parse_codes(cursor.at, cursor.left, header, layout);
    }
    layout->dictionary_at = size - cursor.left;
    if (layout->dictionary_size > TABLE_DICTIONARY_MAX ||
        take(&cursor, layout->dictionary_size) == NULL)
        return "bad size of the dictionary";
    layout->entries_at = size - cursor.left;
    layout->entries = format_first_entry(header, 2);
    /* No overflow: with CELLS_MAX there are fewer than 2^49 blocks. */
    if (layout->entries * FORMAT_ENTRY_SIZE != cursor.left) return "bad size of the block table";
    if (!good_entries(cursor.at, header, layout->meta - FORMAT_FIXED_SIZE))
        return "bad block table";
    return NULL;
}
