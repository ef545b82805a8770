/* table_format.h - what the reader and the writer of table files share: the places of the bytes,
 * little-endian access, headers to bytes and back. Private to core/table_*.c and their tests;
 * docs/format.md is the same in prose. */
#ifndef TREB_CORE_TABLE_FORMAT_H
#define TREB_CORE_TABLE_FORMAT_H

#include "core/table.h"

enum {
    FORMAT_VERSION = 3,            /* the newest known here */
    FORMAT_VERSION_HISTOGRAMS = 2, /* the first with histograms; tables are still written so */
    FORMAT_VERSION_RANKS = 3,      /* the first with rank files, which are written so */
    FORMAT_SCHEME_MEN = 1,
    FORMAT_SCHEME_RANKS = 2,
    FORMAT_RANKS_SIZE = 48,     /* the first part behind the blocks of a rank file */
    FORMAT_ENTRY_SIZE = 10,     /* of the block table: u48 offset, u32 checksum */
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
    FORMAT_AT_RESERVED = 62,
    FORMAT_AT_BASE = 64,
    FORMAT_AT_DICTIONARY_SIZE = 68,
    FORMAT_AT_CELLS = 72,
    FORMAT_AT_FILE_SIZE = 80,
    FORMAT_AT_META = 88,
    FORMAT_FIXED_SIZE = 96
};

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

/* In memory a file's header is one stretch of bytes: the fixed header, then the meta part (of a
 * rank file what it is about, the sides, the dictionary, the block table), which in the file stands
 * behind the blocks. */
typedef struct FormatLayout {
    uint64_t file_size, meta; /* meta: offset in the file, which is where the blocks end */
    uint32_t dictionary_size;
    size_t dictionary_at, entries_at; /* in the header in memory */
    uint64_t entries;                 /* blocks of all stored sides */
} FormatLayout;

/* The checksum of a header in memory; and puts it where it belongs. */
uint64_t format_checksum(const uint8_t *bytes, size_t size);
void format_seal(uint8_t *bytes, size_t size);

/* Bytes of the sides part, with what comes before it. */
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

/* Entries of the block table before those of a side; with 2 for the side, all. */
uint64_t format_first_entry(const TableHeader *header, int side);

/* Bytes of a block before compression: fewer in the last. */
size_t format_block_size(const TableHeader *header, uint64_t block);

/* "white", "black" */
const char *format_side_name(int side);

#endif
