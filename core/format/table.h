/* table.h - a table file: one material, one metric; or a rank file: kings among certain blocked
 * pawns, one goal (table_ranks.h); or a solved pawn ending: many structures (table_solved.h).
 * docs/format.md describes every byte.
 *
 * A file holds, for one or both sides to move, a flat array of cells (a "side"). What a cell's code
 * means is said by the header: for each code its value. They are packed by one of two codecs:
 *
 *   zstd      cells as bytes, in blocks of 2^block_bits bytes that are compressed one by one;
 *   symbols   cells coded by symbols (core/format/code.h), in pages of 4 KiB as they stand in the file. A
 *             single cell is found in one page. The file is mapped into memory: who cuts it short
 *             while it is open ends the process.
 *
 * Either way table_read_block gives blocks of bytes. The reader never trusts a byte it has not
 * checked. */
#ifndef TREB_CORE_TABLE_H
#define TREB_CORE_TABLE_H

#include "core/format/code.h"
#include "core/format/index.h"
#include "core/format/mapped.h"

#define TABLE_RANKS TREB_METRICS    /* the metric of rank files */
#define TABLE_SOLVED (TREB_METRICS + 1) /* that of solved pawn endings */
enum { WDL_VALUES = TREB_WIN + 1 }; /* how many verdicts treb_wdl has */

enum {
    TABLE_NAME_SIZE = MATERIAL_NAME_SIZE + 16,
    RANKS_NAME_SIZE = 224, /* a rank file's name may list all squares of the board */
    SOLVED_PIECES = 3,     /* of a structure, at most */
    TABLE_FEN_SIZE = 96,
    TABLE_CODES_MAX = 4096,
    TABLE_PLIES_MAX = 65535, /* of a histogram */
    TABLE_DICTIONARY_MAX = 1 << 20,
    TABLE_BLOCK_BITS_MIN = 10,
    TABLE_BLOCK_BITS_MAX = 20,
    TABLE_PAGE_SIZE = 4096, /* of coded cells */
    TABLE_SIDE_CODES = 64   /* that a side may have */
};

typedef enum TableCodec { TABLE_ZSTD, TABLE_SYMBOLS } TableCodec;

/* How a side's cells are coded, with codec symbols. */
typedef struct TableCode {
    unsigned block_bytes; /* of words: a page has as many such blocks as fit */
    unsigned count; /* of codes, 1 to TABLE_SIDE_CODES: each page has its cells by one of them */
    /* The codes as they stand in the file, one after another: u8 shortest and u8 longest word, u16
     * number of symbols, then CodeParts' `first` and `pairs`, wide. Owned by the header. */
    uint8_t *bytes;
    size_t size;
    /* What a reader finds and a writer sets itself: */
    unsigned symbols; /* of all codes together */
    uint32_t pages;   /* of the side; 0: all its cells have one value */
} TableCode;

/* What is known of one side to move. Counts are of the full board: every legal position, like men
 * not told apart, en passant left out. */
typedef struct TableSide {
    uint64_t count[WDL_VALUES];
    uint32_t longest[WDL_VALUES];                 /* most plies by verdict; 0 in WDL tables */
    char longest_fen[WDL_VALUES][TABLE_FEN_SIZE]; /* "" where there is none */
    /* Distance tables: histogram[v][p] positions of verdict v are p plies long, up to longest[v].
     * NULL where there is none. Owned by the header, like `plies`. */
    uint64_t *histogram[WDL_VALUES];
    bool stored; /* cells of this side are in the file */
    Index index; /* how they are numbered; a writer of codec zstd need not set it */
    TableCode code;
    /* Distance tables: plies of code c under verdict v are plies[v][c], codes[v] of them.
     * WDL tables: verdict of code c is plies[0][c], codes[0] of them; rank files likewise, with
     * ranks (table_ranks.h). A side that is not stored has none. A cell may hold a code beyond the
     * map: only a damaged or foreign file does. */
    uint16_t codes[WDL_VALUES];
    uint16_t *plies[WDL_VALUES]; /* owned by the header */
} TableSide;

/* What a rank file is about. */
typedef struct TableRanks {
    uint64_t pawns[2];
    int goal;         /* a TableGoal */
    uint64_t squares; /* that the goal names, if any */
    bool safe;
    bool upper_bounds; /* ranks may be too high, as not everything is decided */
    uint64_t open[2];  /* placements that are not decided, by side to move */
} TableRanks;

/* Pawns on certain squares, and pieces anywhere: each a colour << 3 | type, in ascending order, then
 * zeros. */
typedef struct SolvedKey {
    uint64_t pawns[2];
    uint8_t piece[8];
} SolvedKey;

typedef struct SolvedStructure {
    SolvedKey key;
    uint64_t first; /* cell */
} SolvedStructure;

/* What a solved pawn ending is about. */
typedef struct TableSolved {
    SolvedKey root;   /* the structure that was solved; all are as files have them */
    uint64_t open[2]; /* positions that are not decided, by side to move */
    SolvedStructure *structure; /* owned by the header */
    uint32_t structures;
    uint32_t *place, mask; /* where each is, by its hash: 1 more than its number. Of readers */
} TableSolved;

typedef struct TableHeader {
    Index index;  /* material and sizes; with codec zstd how cells of both sides are numbered, with
                     the order and padding of the file */
    unsigned pad; /* the padding that index_init was given; 1 with codec symbols */
    TableCodec codec;
    treb_metric metric;
    unsigned per_byte;   /* cells that share a byte as digits of base `base`; 1 for whole bytes */
    unsigned base;       /* number system of a shared byte: base^per_byte <= 256. With per_byte 1
                            a writer need not set it; a reader finds 256 or, with width 2, 65536 */
    unsigned width;      /* bytes a cell: 1, or 2 (little-endian) where codes exceed 256 */
    unsigned block_bits; /* log2 of the bytes of a block before compression */
    /* With TREB_DTM: captures, and promotions of a side's last pawn to a queen, complete what cells
     * say. Where one of those mates as soon as any move the cell may say more; where the loser holds
     * out longest by one, less. With other promotions a probe would have to look at many times as
     * many positions, and files would be no smaller. */
    bool bounds;
    TableRanks ranks;   /* with TABLE_RANKS */
    TableSolved solved; /* with TABLE_SOLVED */
    TableSide side[2];
} TableHeader;

/* Frees value maps, histograms, codes and lists of structures. */
void table_header_free(TableHeader *header);

/* Bytes of one side before compression: ceil(size / per_byte) * width. */
uint64_t table_side_bytes(const TableHeader *header);
uint64_t table_side_blocks(const TableHeader *header);

/* "KRPvKR.dtm.treb" */
void table_file_name(const Material *material, treb_metric metric, char out[TABLE_NAME_SIZE]);
const char *table_metric_name(treb_metric metric); /* "wdl", "dtz", "dtc", "dtm", "ranks", "solved" */

/* The name that a file with this header has, and whether that of a path is it. */
void table_header_name(const TableHeader *header, char out[RANKS_NAME_SIZE]);
bool table_header_names(const TableHeader *header, const char *path);

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct Table Table; /* immutable once open: any number of threads may read one */

/* Errors name the file, and the block where it is one. */

/* Opens a file, checking everything but the blocks. NULL with *error filled on failure. */
Table *table_open(const char *path, treb_error *error);

/* The same for one of many tables that share descriptors. `files` lasts longer than the table;
 * NULL: the file stays open, as with table_open. */
Table *table_open_among(TableFiles *files, const char *path, treb_error *error);
void table_close(Table *table); /* NULL is allowed */

/* The same for a file that a source has; `path` is for messages. */
Table *table_open_elsewhere(const treb_source *source, const char *path, const char *name,
                            treb_error *error);

/* Who keeps the pages of a file that is elsewhere, with codec symbols: they are sound, and of full
 * size. By their numbers, less than table_pages. False: it is not kept. */
typedef struct TablePages {
    bool (*get)(void *context, uint64_t page, uint8_t out[TABLE_PAGE_SIZE]);
    void (*put)(void *context, uint64_t page, const uint8_t bytes[TABLE_PAGE_SIZE]);
    void *context;
} TablePages;
uint64_t table_pages(const Table *table);
void table_keep_pages(Table *table, const TablePages *pages); /* which last longer */

const TableHeader *table_header(const Table *table);
const char *table_path(const Table *table);
uint64_t table_file_size(const Table *table);

/* Per thread: a decompression context. Not shared. */
typedef struct TableDecoder TableDecoder;
TableDecoder *table_decoder_new(void); /* NULL: out of memory */
void table_decoder_free(TableDecoder *decoder);

/* Whether reading with this decoder waits for a disk: at first it does. */
void table_decoder_set_wait(TableDecoder *decoder, TableWait wait);

/* Reads, checks and unpacks block `block` (0 .. table_side_blocks-1) of a stored side into `out`,
 * which has room for 2^block_bits bytes; the last block of a side may be shorter, the rest of
 * `out` is then zeroed. */
treb_status table_read_block(const Table *table, TableDecoder *decoder, int side, uint64_t block,
                             uint8_t *out, treb_error *error);

/* How many parts of a stored side have a checksum of their own: its blocks or, with codec symbols, its pages. And compares
 * that of one, taking no cells out of a page. `room` is for a block, as above. */
uint64_t table_side_parts(const Table *table, int side);
treb_status table_check_part(const Table *table, TableDecoder *decoder, int side, uint64_t part,
                             uint8_t *room, treb_error *error);

/* The code of one cell of a stored side with codec symbols, or minus a status. Takes some tenths of a
 * microsecond where its page is in memory. Never waits for a disk if `wait` says so. */
int table_read_cell(const Table *table, TableWait wait, int side, uint64_t cell, treb_error *error);

/* The same file in memory, unless it is elsewhere, and the page of it that has a cell: who does not
 * wait has it brought. With TABLE_FETCH that only begins. */
const Mapped *table_map(const Table *table);
MappedBytes table_cell_page(const Table *table, int side, uint64_t cell);
treb_status table_bring(const Table *table, TableWait wait, MappedBytes page, treb_error *error);

/* The block that holds a cell. */
static inline uint64_t table_cell_block(const TableHeader *h, uint64_t cell)
{
    return (cell / h->per_byte * h->width) >> h->block_bits;
}

/* The code of a cell, given the unpacked block that holds it. The first of the cells that share a
 * byte is the lowest digit. */
static inline unsigned table_cell_code(const TableHeader *h, const uint8_t *block, uint64_t cell)
{
    uint64_t mask = (UINT64_C(1) << h->block_bits) - 1;
    const uint8_t *at = block + (cell / h->per_byte * h->width & mask);
    if (h->width == 2) return at[0] | (unsigned)at[1] << 8;
    unsigned code = at[0];
    for (unsigned digit = (unsigned)(cell % h->per_byte); digit > 0; digit--) code /= h->base;
    return code % h->base;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* With codec zstd: compressed blocks arrive in any order from any thread of the caller's (calls are not concurrent:
 * the caller serialises them); the file is written to a temporary name beside its own and appears
 * under its name only when complete and synced. The bytes depend on the content alone, not on the
 * order of arrival. */
typedef struct TableWriter TableWriter;

/* `dictionary` may be NULL; else it is trained by zstd or just typical bytes, at most
 * TABLE_DICTIONARY_MAX of them, and is copied. Header counts, maps and longest wins may still be
 * changed until table_writer_finish, which gets the final header; index, per_byte, base, width,
 * block_bits, codec and `stored` may not. */
TableWriter *table_writer_open(const char *directory, const TableHeader *header,
                               const void *dictionary, size_t dictionary_size, treb_error *error);

/* Room for a compressed block, worst case. `capacity` below should be that. */
size_t table_block_bound(const TableHeader *header);

/* Compresses one block (2^block_bits bytes, fewer in the last one of a side) with an encoder;
 * thread-safe with an encoder per thread. Returns the size in `out`. A block of one repeated byte
 * takes one byte. 0 means out of memory. */
typedef struct TableEncoder TableEncoder;
TableEncoder *table_encoder_new(int level, const void *dictionary, size_t dictionary_size);
void table_encoder_free(TableEncoder *encoder);
/* Tunes an encoder of level 9 for the blocks of a metric: half as fast again, no larger. */
void table_encoder_tune(TableEncoder *encoder, treb_metric metric);
size_t table_encode_block(TableEncoder *encoder, const uint8_t *block, size_t size, uint8_t *out,
                          size_t capacity);

/* The checksum is of the block before compression, so that what is read back is what was meant. */
treb_status table_writer_add(TableWriter *writer, int side, uint64_t block, const uint8_t *data,
                             size_t size, uint32_t checksum, treb_error *error);
uint32_t table_block_checksum(const uint8_t *block, size_t size);

/* With codec symbols: a block of words of the side's code number `code`, and how many cells they
 * stand for, 1 to 65535. The blocks of White to move come first, in the order of the cells. Where the
 * code changes a page begins. A side without blocks has one code, and the value of its only symbol
 * throughout. */
treb_status table_writer_add_words(TableWriter *writer, int side, unsigned code,
                                   const uint8_t *block, unsigned cells, treb_error *error);

treb_status table_writer_finish(TableWriter *writer, const TableHeader *header, uint64_t *file_size,
                                treb_error *error); /* frees the writer */
void table_writer_abort(TableWriter *writer);       /* frees it and removes the temporary file */

/* Removes what writers of processes now dead left in a directory; never a complete table. Returns
 * how many files. Processes must share this machine and its process numbers. */
size_t table_remove_stale(const char *directory);

#endif
