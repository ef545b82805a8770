/* table_format.h - what the reader and the writer of table files share: the places of the bytes,
 * little-endian access, headers to bytes and back. Private to core/table_*.c and their tests;
 * docs/format.md is the same in prose. */
#ifndef TREB_CORE_TABLE_FORMAT_H
#define TREB_CORE_TABLE_FORMAT_H

#include "core/format/table.h"

enum {
    FORMAT_VERSION = 5,            /* the newest known here */
    FORMAT_VERSION_HISTOGRAMS = 2, /* the first with histograms; zstd's tables are written so */
    FORMAT_VERSION_RANKS = 3,      /* the first with rank files, which are written so */
    FORMAT_VERSION_SYMBOLS = 4,    /* the first with codec symbols; such files are written so */
    FORMAT_VERSION_SOLVED = 5,     /* the first with solved pawn endings, which are written so */
    FORMAT_SCHEME_MEN = 1,
    FORMAT_SCHEME_RANKS = 2,
    FORMAT_SCHEME_SHADES = 3, /* codec symbols: an order of axes for each side, shades of bishops */
    FORMAT_SCHEME_SOLVED = 4,
    FORMAT_RANKS_SIZE = 48,   /* the first part behind the blocks of a rank file */
    FORMAT_SOLVED_SIZE = 48,  /* the same of a solved pawn ending, */
    FORMAT_STRUCTURE_SIZE = 20, /* and then so much for each structure */
    FORMAT_ENTRY_SIZE = 10,   /* of the block table: u48 offset, u32 checksum */
    FORMAT_ZSTD_MAGIC_SIZE = 4, /* cut off the front of every frame */
    FORMAT_ORDER_SIZE = INDEX_AXES_MAX
};

/* Places of the fields of the fixed header. */
enum {
    FORMAT_AT_MAGIC = 0,
    FORMAT_AT_CHECKSUM = 8,
    FORMAT_AT_VERSION = 16, /* the checksum covers all from here to the end of the header */
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

enum { FORMAT_FLAG_BOUNDS = 1 /* of FORMAT_AT_FLAGS; the others are reserved */ };

/* A page of coded cells: the checksum, the cells of each block, the blocks. In front of a side's
 * codes stand the order of its axes, how many codes there are, the bytes of a block, the number of
 * pages. */
enum {
    PAGE_AT_LENGTHS = 4,
    FORMAT_CODE_SIZE = FORMAT_ORDER_SIZE + 1 + 4 + 4, /* before the codes themselves */
    FORMAT_CODE_HEAD = 4,                             /* of a code, before `first` */
    FORMAT_FIRST_SIZE = 6,                            /* of each page: see format_page_entry */
    FORMAT_CELL_BITS = 42,                            /* of the number of a cell in it */
    PAGE_BLOCK_MIN = CODE_BLOCK_LEAST,
    PAGE_BLOCK_MAX = TABLE_PAGE_SIZE - PAGE_AT_LENGTHS - 2
};

/* Blocks that a page has room for. */
static inline unsigned format_page_blocks(unsigned block_bytes)
{
    return (TABLE_PAGE_SIZE - PAGE_AT_LENGTHS) / (block_bytes + 2);
}

static inline unsigned format_page_words(unsigned block_bytes)
{
    return PAGE_AT_LENGTHS + 2 * format_page_blocks(block_bytes);
}

/* What the page table says of a page: its first cell, and by which of the side's codes its cells
 * are coded. */
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

/* Of page `number` of the file, without the checksum in front. */
uint32_t format_page_checksum(const uint8_t *page, size_t size, uint64_t number);

extern const uint8_t format_magic[8];
extern const uint8_t format_zstd_magic[FORMAT_ZSTD_MAGIC_SIZE];

static inline uint64_t format_get(const uint8_t *at, int bytes)
{
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; i--) value = value << 8 | at[i];
    return value;
}

static inline void format_put(uint8_t *at, int bytes, uint64_t value)
{
    for (int i = 0; i < bytes; i++, value >>= 8) at[i] = (uint8_t)value;
}

static inline uint16_t format_get16(const uint8_t *at) { return (uint16_t)format_get(at, 2); }
static inline uint32_t format_get32(const uint8_t *at) { return (uint32_t)format_get(at, 4); }
static inline uint64_t format_get48(const uint8_t *at) { return format_get(at, 6); }
static inline uint64_t format_get64(const uint8_t *at) { return format_get(at, 8); }
static inline void format_put16(uint8_t *at, uint16_t value) { format_put(at, 2, value); }
static inline void format_put32(uint8_t *at, uint32_t value) { format_put(at, 4, value); }
static inline void format_put48(uint8_t *at, uint64_t value) { format_put(at, 6, value); }
static inline void format_put64(uint8_t *at, uint64_t value) { format_put(at, 8, value); }

/* Where a side's codes and pages are. */
typedef struct FormatCoded {
    const uint8_t *codes; /* all good: see format_take_code */
    size_t codes_size;
    uint64_t first_page, pages; /* 0: all cells have the value of symbol 0 */
    const uint8_t *first;       /* by page: its entry */
} FormatCoded;

/* In memory a file's header is one stretch of bytes: the fixed header, then the meta part (of a
 * rank file what it is about, the sides, the dictionary, the block table), which in the file stands
 * behind the blocks. */
typedef struct FormatLayout {
    uint64_t file_size, meta; /* meta: offset in the file, which is where the blocks end */
    uint32_t dictionary_size;
    size_t dictionary_at, entries_at; /* in the header in memory */
    uint64_t entries;                 /* blocks of all stored sides; 0 with codec symbols */
    FormatCoded coded[2];             /* with codec symbols, of stored sides */
} FormatLayout;

/* The checksum of a header in memory; and puts it where it belongs. */
uint64_t format_checksum(const uint8_t *bytes, size_t size);
void format_seal(uint8_t *bytes, size_t size);

/* Bytes of the sides part, with what comes before it, and of the codes without the page table. */
size_t format_sides_size(const TableHeader *header);

/* Writes the fixed header without checksum, dictionary size, file size and meta offset. */
void format_write_fixed(const TableHeader *header, uint8_t out[FORMAT_FIXED_SIZE]);
void format_write_sides(const TableHeader *header, uint8_t *out);

/* Both return NULL if all is well, or a constant text that says what is wrong; want of memory is
 * format_no_memory itself. After either, `header` is to be freed by table_header_free. */
extern const char format_no_memory[];
const char *format_parse_fixed(const uint8_t *bytes, TableHeader *header);
const char *format_parse(const uint8_t *bytes, size_t size, TableHeader *header,
                         FormatLayout *layout);

/* The same of rank files (table_ranks.c): the material and size of the index, and what the file is
 * about. Of bytes FORMAT_RANKS_SIZE are read and written. */
const char *format_parse_ranks_index(const uint8_t *bytes, TableHeader *header);
const char *format_parse_ranks(const uint8_t *bytes, TableHeader *header);
void format_write_ranks(const TableHeader *header, uint8_t *out);

/* The same of solved pawn endings (table_solved.c); what one is about has a size of its own. */
const char *format_parse_solved_index(const uint8_t *bytes, TableHeader *header);
size_t format_solved_size(const TableHeader *header);
void format_write_solved(const TableHeader *header, uint8_t *out);

/* Takes it off the front of `left` bytes. */
const char *format_take_solved(const uint8_t **at, size_t *left, TableHeader *header);

/* Codec symbols (table_symbols.c): the codes of a side; those of all sides, and where their pages
 * begin, which is all that is left of a header in memory, in which they stay. */
uint8_t *format_write_code(const TableSide *side, uint8_t *out);

/* Takes a code off the front of `left` bytes, whose values have so many bits. What its words are is
 * looked at when it is made ready. NULL if all is well, or what is wrong. */
const char *format_take_code(const uint8_t **at, size_t *left, unsigned bits, CodeParts *out);
const char *format_parse_codes(const uint8_t *bytes, size_t size, TableHeader *header,
                               FormatLayout *layout);

/* Entries of the block table before those of a side; with 2 for the side, all. */
uint64_t format_first_entry(const TableHeader *header, int side);

/* Bytes of a block before compression: fewer in the last. */
size_t format_block_size(const TableHeader *header, uint64_t block);

/* "white", "black" */
const char *format_side_name(int side);

#endif
