/* table_format.h - what the readers and writers of table files share: offsets of fields,
 * little-endian access, and conversion of headers to bytes and back. Private to
 * core/format/table_*.c and their tests. docs/format.md describes these bytes. */
#ifndef TREB_CORE_FORMAT_TABLE_FORMAT_H
#define TREB_CORE_FORMAT_TABLE_FORMAT_H

#include "core/format/table.h"

enum {
    FORMAT_VERSION = 13,           /* newest version that this program reads */
    FORMAT_VERSION_HISTOGRAMS = 2, /* first version with histograms; tables of codec zstd have it */
    FORMAT_VERSION_BLOCKED = 3,    /* first version with blocked-pawn tables, which have it */
    FORMAT_VERSION_SYMBOLS = 4,    /* first version with codec symbols; such files have it */
    FORMAT_VERSION_PAWN = 5,       /* first version with pawn files, which have it */
    FORMAT_VERSION_AS_DTZ = 6,     /* first version with the flag AS_DTZ; such files have it */
    FORMAT_VERSION_VERDICTS = 8,   /* first version with bounds of verdicts; such files have it */
    FORMAT_VERSION_ONE_SIDE = 9,   /* first version with verdicts of one side to move alone; such
                                      files have it */
    FORMAT_VERSION_PROFILES = 13,  /* DTM50 tables have it. Those of older versions, from 7 on, are not
                                      read */
    FORMAT_SCHEME_PLAIN = 1,
    FORMAT_SCHEME_BLOCKED = 2,
    FORMAT_SCHEME_SQUARE_COLORS = 3, /* codec symbols: an order of axes for each side, bishops by
                                        colour of squares */
    FORMAT_SCHEME_PAWN = 4,
    FORMAT_BLOCKED_SIZE = 48,   /* bytes of the first part of a blocked-pawn table's meta data */
    FORMAT_PAWN_SIZE = 48,      /* bytes of the first part of a pawn file's meta data, */
    FORMAT_STRUCTURE_SIZE = 20, /* and of each structure behind it */
    FORMAT_ENTRY_SIZE = 10,     /* bytes of an entry of the block table: u48 offset, u32 checksum */
    FORMAT_ZSTD_MAGIC_SIZE = 4, /* bytes cut off the front of every zstd frame */
    /* bytes before the profiles: u32 count, u32 classes, u32 bytes of both, u8 turn */
    FORMAT_PROFILES_HEAD = 13,
    FORMAT_ORDER_SIZE = INDEX_AXES_MAX
};

/* Offsets of the fields of the fixed header. */
enum {
    FORMAT_AT_MAGIC = 0,
    FORMAT_AT_CHECKSUM = 8,
    FORMAT_AT_VERSION = 16, /* the checksum covers everything from here to the end of the header */
    FORMAT_AT_METRIC = 18,
    FORMAT_AT_INDEX_SCHEME = 19,
    FORMAT_AT_FLAGS = 20,
    FORMAT_AT_MATERIAL = 24,
    FORMAT_AT_AXES = 48,
    FORMAT_AT_ORDER = 49,
    FORMAT_AT_PAD = 56,
    FORMAT_AT_PER_BYTE = 58,
    FORMAT_AT_WIDTH = 59,
    FORMAT_AT_BLOCK_BITS = 60,
    FORMAT_AT_STORED = 61,
    FORMAT_AT_CODEC = 62,
    FORMAT_AT_BASE = 64,
    FORMAT_AT_DICTIONARY_SIZE = 68,
    FORMAT_AT_CELLS = 72,
    FORMAT_AT_FILE_SIZE = 80,
    FORMAT_AT_META = 88,
    FORMAT_FIXED_SIZE = 96
};

/* Bits of FORMAT_AT_FLAGS; the others are reserved. */
enum { FORMAT_FLAG_BOUNDS = 1, FORMAT_FLAG_AS_DTZ = 2 };

/* A page of coded cells consists of a checksum, the number of cells of each block, and the blocks.
 * In front of the codes of a side are the order of its axes, the number of codes, the bytes of a
 * block and the number of pages. */
enum {
    PAGE_AT_LENGTHS = 4,
    FORMAT_CODE_SIZE = FORMAT_ORDER_SIZE + 1 + 4 + 4, /* bytes before the codes themselves */
    FORMAT_CODE_HEAD = 4,                             /* bytes of a code before `first` */
    FORMAT_FIRST_SIZE = 6,                            /* bytes for each page in the page table:
                                                         see format_page_entry */
    FORMAT_CELL_BITS = 42,                            /* bits of the first cell's number in such
                                                         an entry */
    /* What a page has of each block in front of the blocks: in a page of cells the number of its cells; in
     * a page of profiles (DTM50, side 1) its first cell, less that of the page. */
    PAGE_LENGTH = 2,
    PAGE_FIRST = 4,
    PAGE_BLOCK_MIN = CODE_BLOCK_LEAST,
    PAGE_BLOCK_MAX = TABLE_PAGE_SIZE - PAGE_AT_LENGTHS - PAGE_FIRST
};
#define PAGE_FIRST_NONE UINT32_MAX /* of a block that is not there */

/* Returns PAGE_LENGTH or PAGE_FIRST. */
static inline unsigned format_page_each(const TableHeader *header, int side)
{
    return table_has_cells(header, side) ? PAGE_LENGTH : PAGE_FIRST;
}

/* Returns how many blocks fit into a page. */
static inline unsigned format_page_blocks(unsigned block_bytes, unsigned each)
{
    return (TABLE_PAGE_SIZE - PAGE_AT_LENGTHS) / (block_bytes + each);
}

/* Returns the offset of the first block. */
static inline unsigned format_page_words(unsigned block_bytes, unsigned each)
{
    return PAGE_AT_LENGTHS + each * format_page_blocks(block_bytes, each);
}

/* Returns the entry of the page table for a page: its first cell, and the number of the code that
 * its cells have. */
static inline uint64_t format_page_entry(uint64_t cell, unsigned code)
{
    return cell | (uint64_t)code << FORMAT_CELL_BITS;
}

static inline uint64_t format_entry_cell(uint64_t entry)
{
    return entry & ((UINT64_C(1) << FORMAT_CELL_BITS) - 1);
}

static inline unsigned format_entry_code(uint64_t entry)
{
    return (unsigned)(entry >> FORMAT_CELL_BITS);
}

/* Returns the checksum of page `number` of the file, without the four bytes in front. */
uint32_t format_page_checksum(const uint8_t *page, size_t size, uint64_t number);

extern const uint8_t format_magic[8];
extern const uint8_t format_zstd_magic[FORMAT_ZSTD_MAGIC_SIZE];

static inline void format_put(uint8_t *at, int bytes, uint64_t value)
{
    for (int i = 0; i < bytes; i++, value >>= 8) at[i] = (uint8_t)value;
}

/* Written without loops, as gcc then makes one load of each, or two of 48 bits. */
static inline uint16_t format_get16(const uint8_t *at) { return (uint16_t)(at[0] | at[1] << 8); }
static inline uint32_t format_get32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}
static inline uint64_t format_get48(const uint8_t *at)
{
    return format_get32(at) | (uint64_t)format_get16(at + 4) << 32;
}
static inline uint64_t format_get64(const uint8_t *at)
{
    return format_get32(at) | (uint64_t)format_get32(at + 4) << 32;
}
static inline void format_put16(uint8_t *at, uint16_t value) { format_put(at, 2, value); }
static inline void format_put32(uint8_t *at, uint32_t value) { format_put(at, 4, value); }
static inline void format_put48(uint8_t *at, uint64_t value) { format_put(at, 6, value); }
static inline void format_put64(uint8_t *at, uint64_t value) { format_put(at, 8, value); }

/* Where the codes and pages of a side are. */
typedef struct FormatCoded {
    const uint8_t *codes; /* all checked: see format_take_code */
    size_t codes_size;
    uint64_t first_page, pages; /* pages: 0 if all cells have the value of symbol 0 */
    const uint8_t *first;       /* by page: its entry in the page table */
} FormatCoded;

/* In memory a header is one run of bytes: the fixed header, then the meta part, which in the file
 * is behind the blocks: what a blocked-pawn table or pawn file is about, the sides, the dictionary,
 * the block table. */
typedef struct FormatLayout {
    uint64_t file_size, meta; /* meta: its offset in the file, where the blocks end */
    uint32_t dictionary_size;
    size_t dictionary_at, entries_at; /* offsets in the header in memory */
    uint64_t entries;                 /* number of blocks of all stored sides; 0 with codec
                                         symbols */
    FormatCoded coded[2];             /* with codec symbols: of stored sides */
} FormatLayout;

/* format_checksum returns the checksum of a header in memory; format_seal writes it into the
 * header. */
uint64_t format_checksum(const uint8_t *bytes, size_t size);
void format_seal(uint8_t *bytes, size_t size);

/* Returns the bytes of the sides with everything before them and the codes, without the page
 * table. */
size_t format_sides_size(const TableHeader *header);

/* Writes the fixed header without checksum, dictionary size, file size and meta offset. */
void format_write_fixed(const TableHeader *header, uint8_t out[FORMAT_FIXED_SIZE]);
void format_write_sides(const TableHeader *header, uint8_t *out);

/* Parse the fixed header, and a whole header. Return NULL on success, or a constant text that says
 * what is wrong; format_no_memory itself if memory is out. In either case the caller frees `header`
 * by table_header_free. */
extern const char format_no_memory[];
const char *format_parse_fixed(const uint8_t *bytes, TableHeader *header);
const char *format_parse(const uint8_t *bytes, size_t size, TableHeader *header,
                         FormatLayout *layout);

/* Parts of format_parse and format_write_sides for blocked-pawn tables (table_blocked.c): the
 * material and size of the index, and what the file is about, which takes FORMAT_BLOCKED_SIZE
 * bytes. */
const char *format_parse_blocked_index(const uint8_t *bytes, TableHeader *header);
const char *format_parse_blocked(const uint8_t *bytes, TableHeader *header);
void format_write_blocked(const TableHeader *header, uint8_t *out);

/* Parts of format_parse and format_write_sides for pawn files (table_pawn.c). What the file is
 * about takes format_pawn_size bytes. */
const char *format_parse_pawn_index(const uint8_t *bytes, TableHeader *header);
size_t format_pawn_size(const TableHeader *header);
void format_write_pawn(const TableHeader *header, uint8_t *out);

/* Parses what a pawn file is about, at *at with *left bytes left, and moves both behind it. */
const char *format_take_pawn(const uint8_t **at, size_t *left, TableHeader *header);

/* Likewise for the profiles of DTM50 tables (table_profile.c). format_write_profiles returns the end of what it
 * wrote. */
size_t format_profiles_size(const TableProfiles *profiles);
uint8_t *format_write_profiles(const TableProfiles *profiles, uint8_t *out);
const char *format_take_profiles(const uint8_t **at, size_t *left, TableHeader *header);

/* Writes the codes of a side (codec symbols, table_symbols.c). Returns the end of what it wrote. */
uint8_t *format_write_code(const TableSide *side, uint8_t *out);

/* format_take_code parses a code at *at with *left bytes left, whose values have `bits` bits, and
 * moves both behind it; the words are checked later by code_init. format_parse_codes parses the
 * codes of all sides and finds the page table, which together are the rest of a header with codec
 * symbols. They stay in the header's memory. Both return NULL on success, or what is wrong. */
const char *format_take_code(const uint8_t **at, size_t *left, unsigned bits, CodeParts *out);
const char *format_parse_codes(const uint8_t *bytes, size_t size, TableHeader *header,
                               FormatLayout *layout);

/* Returns the number of entries of the block table before those of a side; of all entries if side
 * is 2. */
uint64_t format_first_entry(const TableHeader *header, int side);

/* Returns the bytes of a block before compression: the last may have fewer than the others. */
size_t format_block_size(const TableHeader *header, uint64_t block);

/* Returns "white" or "black". */
const char *format_side_name(int side);

#endif
