/* table.h - a table file: of one material and one metric; or a blocked-pawn table: kings among
 * certain blocked pawns, one goal (table_blocked.h); or a pawn file: many structures of a solved
 * pawn ending (table_pawn.h). docs/format.md describes every byte.
 *
 * A file holds, for one or both sides to move, a flat array of cells (a "side"). Each cell holds a
 * code; the header says which value each code means. The codes are packed by one of two codecs:
 *
 *   zstd      cells as bytes, in blocks of 2^block_bits bytes that are compressed one by one;
 *   symbols   cells coded by symbols (core/format/code.h), in pages of 4 KiB of the file, each of
 *             which can be read without the others. The file is mapped into memory: cutting it
 *             short while it is open ends the process.
 *
 * With either codec table_read_block returns blocks of bytes. The reader checks every byte before
 * it uses it. */
#ifndef TREB_CORE_FORMAT_TABLE_H
#define TREB_CORE_FORMAT_TABLE_H

#include "core/format/code.h"
#include "core/format/index.h"
#include "core/format/mapped.h"
#include "core/format/table_name.h"

enum { WDL_VALUES = TREB_WIN + 1 }; /* number of verdicts of treb_wdl */

enum {
    TABLE_LONG_NAME_SIZE = 224, /* a name may list all squares of the board */
    STRUCTURE_PIECES = 3,       /* largest number of pieces in a structure */
    TABLE_FEN_SIZE = 96,
    TABLE_CODES_MAX = 4096,
    TABLE_PLIES_MAX = 65535, /* longest distance in a histogram */
    TABLE_DICTIONARY_MAX = 1 << 20,
    TABLE_BLOCK_BITS_MIN = 10,
    TABLE_BLOCK_BITS_MAX = 20,
    TABLE_PAGE_SIZE = 4096, /* bytes of a page of coded cells */
    TABLE_SIDE_CODES = 64   /* largest number of codes of a side */
};

typedef enum TableCodec { TABLE_ZSTD, TABLE_SYMBOLS } TableCodec;

/* How the cells of a side are coded, with codec symbols. */
typedef struct TableCode {
    unsigned block_bytes; /* bytes of a block; a page has as many blocks as fit */
    unsigned count; /* number of codes, 1 to TABLE_SIDE_CODES. A page is coded by one of them */
    /* The codes as they are in the file, one after another: u8 shortest and u8 longest word, u16
     * number of symbols, then CodeParts' `first` and `pairs`, wide. Owned by the header. */
    uint8_t *bytes;
    size_t size;
    /* Set by the reader or writer itself: */
    unsigned symbols; /* number of symbols of all codes together */
    uint32_t pages;   /* number of pages; 0: all cells have one value */
} TableCode;

/* One side to move. Counts are of the full board: every legal position, where exchanging equal men
 * gives the same position, without rights to capture en passant. */
typedef struct TableSide {
    uint64_t count[WDL_VALUES];
    uint32_t longest[WDL_VALUES];                 /* longest distance by verdict; 0 in WDL tables */
    char longest_fen[WDL_VALUES][TABLE_FEN_SIZE]; /* a position with that distance; "" if there
                                                     is none */
    /* Distance tables: histogram[v][p] is the number of positions with verdict v and a distance of
     * p plies, up to longest[v]. NULL where there is none. Owned by the header, as is `plies`. */
    uint64_t *histogram[WDL_VALUES];
    bool stored; /* the file holds cells of this side */
    Index index; /* numbering of the cells; a writer of codec zstd need not set it */
    TableCode code;
    /* Distance tables: code c under verdict v means plies[v][c]; there are codes[v] codes. WDL
     * tables: code c means the verdict plies[0][c]; there are codes[0] codes. DTM50 tables have no
     * map: a code is the place of a profile in its class (table_profile.h). Blocked-pawn tables
     * likewise have distances in plies[0] (table_blocked.h). A side that is not stored has none.
     * Only in a damaged or foreign file a cell may hold a code beyond the map. */
    uint16_t codes[WDL_VALUES];
    uint16_t *plies[WDL_VALUES]; /* owned by the header */
} TableSide;

/* What a blocked-pawn table is about. */
typedef struct TableBlocked {
    uint64_t pawns[2];
    int goal;         /* a TableGoal */
    uint64_t squares; /* squares of the goal, if it has any */
    bool safe;
    bool upper_bounds; /* distances may be too high, since not everything is decided */
    uint64_t open[2];  /* number of placements that are not decided, by side to move */
} TableBlocked;

/* A structure: pawns on certain squares, and pieces on any squares. Pieces are colour << 3 | type,
 * in ascending order, then zeros. */
typedef struct StructureKey {
    uint64_t pawns[2];
    uint8_t piece[8];
} StructureKey;

typedef struct TableStructure {
    StructureKey key;
    uint64_t first; /* number of its first cell */
} TableStructure;

/* What a pawn file is about. */
typedef struct TablePawn {
    StructureKey root;         /* the structure of the position that was solved */
    uint64_t open[2];          /* number of positions that are not decided, by side to move */
    TableStructure *structure; /* owned by the header */
    uint32_t structures;
    uint32_t *place, mask; /* hash table: 1 + the number of a structure. Set by readers only */
} TablePawn;

/* A step of a profile of a DTM50 table (table_profile.h). */
typedef struct TableProfile {
    uint32_t before; /* number of the step before it; 0: it is the first */
    uint16_t within; /* it holds where DTM exceeds the plies left before the draw by at most as much */
    uint16_t extra;  /* plies that the 50-move rule adds to DTM */
} TableProfile;

/* The profiles of the positions with the same DTM and DTZ in a DTM50 table. */
typedef struct TableProfileClass {
    uint32_t first, count; /* they are profiles.list[first] and so on; at least one */
    uint16_t dtm, dtz;
} TableProfileClass;

/* Positions of the full board, of either side to move, whose mates the 50-move rule delays: where DTM50 is more than DTM. */
typedef struct TableDelayed {
    uint64_t count;
    uint16_t dtm, dtm50;      /* of a position that is delayed longest; 0: there is none */
    char fen[TABLE_FEN_SIZE]; /* this position, with the clock; "" if there is none */
} TableDelayed;

/* With which clock: of 0, or the last with which the position is won or lost, as no other delays it more. */
enum { DELAYED_FRESH, DELAYED_LATE, DELAYED_CLOCKS };

/* What a DTM50 table has beside its cells. The header owns the arrays. */
typedef struct TableProfiles {
    TableProfile *step;         /* by number of a profile: its last step */
    uint32_t count;             /* number of profiles; 0 in other tables */
    TableProfileClass *classes; /* in the order of DTM, then of DTZ */
    uint32_t class_count;
    uint32_t *list;  /* the profiles of all classes, one class after the other. `count`: cells with profiles of their own */
    uint32_t listed; /* their number */
    uint32_t most;   /* profiles of a class, at most; 0 without classes */
    int turn;        /* the side to move of all cells */
} TableProfiles;

typedef struct TableHeader {
    Index index;  /* material and sizes; with codec zstd the numbering of both sides, with the
                     order and padding of the file */
    unsigned pad; /* the padding given to index_init; 1 with codec symbols */
    TableCodec codec;
    treb_metric metric;
    unsigned per_byte;   /* cells that share a byte as digits of base `base`; 1 for whole bytes */
    unsigned base;       /* base of a shared byte: base^per_byte <= 256. With per_byte 1 a writer
                            need not set it; a reader sets 256 or, with width 2, 65536 */
    unsigned width;      /* bytes of a cell: 1, or 2 (little-endian) if codes exceed 256 */
    unsigned block_bits; /* log2 of the bytes of a block before compression */
    /* Captures and promotions of a side's last pawn to a queen complete the cells. With TREB_WDL the
     * verdict is the best of the cell's and of those that such moves lead to. (Captures alone
     * complete it also without this flag.) With TREB_DTM: if one of these moves mates as soon as any
     * move, the cell may hold a larger distance; if the loser survives longest by one of them, a
     * smaller one. Other promotions do not count: a probe would have to look at many times as many
     * positions, and files would be no smaller. */
    bool bounds;
    /* With TREB_DTC: the distances are those of the DTZ file in the same folder, and the file is a
     * fixed header alone. An open table has the DTZ file's cells and everything else of its header. */
    bool as_dtz;
    TableBlocked blocked; /* with TABLE_BLOCKED */
    TablePawn pawn;       /* with TABLE_PAWN */
    /* With TREB_DTM50. Side 0 has the cells, side 1 the profiles that cells have of their own, if there are any; their
     * counts, longest lines and histograms are those of White and Black to move nevertheless. */
    TableProfiles profiles;
    TableDelayed delayed[DELAYED_CLOCKS];
    TableSide side[2];
} TableHeader;

/* Frees value maps, histograms, codes, profiles and lists of structures. */
void table_header_free(TableHeader *header);

/* Returns whether the cells are of positions with this side to move. With TREB_DTM50 `stored` does not
 * say so. */
static inline bool table_has_turn(const TableHeader *header, int turn)
{
    return header->metric == TREB_DTM50 ? header->profiles.turn == turn : header->side[turn].stored;
}

/* Returns whether the file has cells as side 0 or 1. With TREB_DTM50 side 1 has profiles. */
static inline bool table_has_cells(const TableHeader *header, int side)
{
    return header->side[side].stored && (header->metric != TREB_DTM50 || side == 0);
}

/* Return the bytes of one side before compression, ceil(size / per_byte) * width, and the number of
 * its blocks. */
uint64_t table_side_bytes(const TableHeader *header);
uint64_t table_side_blocks(const TableHeader *header);

/* table_header_name writes the name of a file with this header; table_header_names returns whether
 * a path has that name. */
void table_header_name(const TableHeader *header, char out[TABLE_LONG_NAME_SIZE]);
bool table_header_names(const TableHeader *header, const char *path);

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct Table Table; /* constant while open: any number of threads may read it */

/* Error messages name the file and, where one is damaged, the block. */

/* Opens a file and checks everything but the blocks. Returns NULL with *error filled in on
 * failure. */
Table *table_open(const char *path, treb_error *error);

/* Opens a file of a set of tables that share descriptors. `files` must stay valid as long as the
 * table; with NULL the file stays open, as by table_open. */
Table *table_open_among(TableFiles *files, const char *path, treb_error *error);

/* Checks that a file is as long as its header says, and that it is the table of its name. Reads the
 * first 96 bytes: some 3 microseconds if they are in memory. `error` is not NULL. */
treb_status table_check_size(const char *path, treb_error *error);
void table_close(Table *table); /* NULL is allowed */

/* Opens a file of a source; `path` is for messages. */
Table *table_open_from_source(const treb_source *source, const char *path, const char *name,
                              treb_error *error);

/* A cache for the pages of a source's file, with codec symbols. Pages that are put are checked and
 * of full size. They have numbers below table_pages. `get` returns false if the page is not in the
 * cache. */
typedef struct TablePages {
    bool (*get)(void *context, uint64_t page, uint8_t out[TABLE_PAGE_SIZE]);
    void (*put)(void *context, uint64_t page, const uint8_t bytes[TABLE_PAGE_SIZE]);
    void *context;
} TablePages;
uint64_t table_pages(const Table *table);
void table_keep_pages(Table *table, const TablePages *pages); /* `pages` must stay valid as long
                                                                 as the table */

const TableHeader *table_header(const Table *table);
const char *table_path(const Table *table);
uint64_t table_file_size(const Table *table);

/* A decompression context for one thread at a time. */
typedef struct TableDecoder TableDecoder;
TableDecoder *table_decoder_new(void); /* NULL if memory is out */
void table_decoder_free(TableDecoder *decoder);

/* Sets whether reading with this decoder waits for a disk. At first it does. */
void table_decoder_set_wait(TableDecoder *decoder, TableWait wait);

/* Reads, checks and unpacks block `block` (0 .. table_side_blocks-1) of a stored side into `out`,
 * which has room for 2^block_bits bytes. If the last block of a side is shorter, the rest of `out`
 * is zeroed. */
treb_status table_read_block(const Table *table, TableDecoder *decoder, int side, uint64_t block,
                             uint8_t *out, treb_error *error);

/* table_side_parts returns how many parts of a stored side have a checksum of their own: its blocks
 * or, with codec symbols, its pages. table_check_part compares the checksum of one, and unpacks no
 * cells of a page. `room` has room for 2^block_bits bytes. */
uint64_t table_side_parts(const Table *table, int side);
treb_status table_check_part(const Table *table, TableDecoder *decoder, int side, uint64_t part,
                             uint8_t *room, treb_error *error);

/* With codec symbols: copies a page of a stored side, after a look at its checksum; what the last
 * page of a file lacks to its size is zero. *code gets the number of the code of its cells. */
treb_status table_read_page(const Table *table, int side, uint64_t page,
                            uint8_t out[TABLE_PAGE_SIZE], unsigned *code, treb_error *error);

/* With codec symbols: the codes of a stored side as they are in the file (TableCode), valid as long as
 * the table is open. The header of an open table does not have them. */
const uint8_t *table_codes(const Table *table, int side, size_t *size);

/* Returns the code of one cell of a stored side with codec symbols, or minus a status. Takes some
 * tenths of a microsecond if its page is in memory. Does not wait for a disk if `wait` says so. `memo` is
 * for a caller that reads several cells; it may be NULL. */
int table_read_cell(const Table *table, TableWait wait, int side, uint64_t cell, CodeMemo *memo,
                    treb_error *error);

/* Returns how many plies the profile that a cell of a DTM50 table has of its own adds, as table_profile_extra does, or
 * minus a status. `of` is the class of the cell, `cell` its number in header->side[1].index. Takes a microsecond if its
 * page is in memory. */
int table_read_own_profile(const Table *table, TableWait wait, uint64_t cell, const TableProfileClass *of,
                           unsigned short_by, treb_error *error);

/* For callers that do not wait, with codec symbols. table_map returns the mapped file, empty if it
 * is a source's; table_cell_page the page of a cell; table_bring reads that page or, with
 * WAIT_NEVER_FETCH, starts reading it. */
const Mapped *table_map(const Table *table);
MappedBytes table_cell_page(const Table *table, int side, uint64_t cell);
treb_status table_bring(const Table *table, TableWait wait, MappedBytes page, treb_error *error);

/* Returns the block that holds a cell. */
static inline uint64_t table_cell_block(const TableHeader *h, uint64_t cell)
{
    return (cell / h->per_byte * h->width) >> h->block_bits;
}

/* Returns the code of a cell, given the unpacked block that holds it. The first of the cells that
 * share a byte is its lowest digit. */
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

/* Writes a file. With codec zstd, compressed blocks may come in any order and from any thread, if
 * the caller calls one function at a time. The file is written under a temporary name in the same
 * folder, and gets its name when it is complete and on the disk. Its bytes do not depend on the
 * order in which blocks come. */
typedef struct TableWriter TableWriter;

/* Opens a file for writing. `dictionary`, which may be NULL, is copied: trained by zstd or just
 * typical bytes, at most TABLE_DICTIONARY_MAX of them. table_writer_finish gets the final header:
 * counts, value maps and longest lines may change until then; index, per_byte, base, width,
 * block_bits, codec and `stored` may not. */
TableWriter *table_writer_open(const char *directory, const TableHeader *header,
                               const void *dictionary, size_t dictionary_size, treb_error *error);

/* Returns the largest size of a compressed block: the `capacity` for table_encode_block. */
size_t table_block_bound(const TableHeader *header);

/* Compresses one block (2^block_bits bytes, or fewer in the last of a side). Thread-safe with an
 * encoder for each thread. Returns the compressed size; 0 if memory is out. A block of one repeated
 * byte takes one byte. */
typedef struct TableEncoder TableEncoder;
TableEncoder *table_encoder_new(int level, const void *dictionary, size_t dictionary_size);
void table_encoder_free(TableEncoder *encoder);
/* Sets parameters of zstd for the blocks of a metric, for an encoder of level 9: files are as
 * small, and encoding is 50 % faster. */
void table_encoder_tune(TableEncoder *encoder, treb_metric metric);
size_t table_encode_block(TableEncoder *encoder, const uint8_t *block, size_t size, uint8_t *out,
                          size_t capacity);

/* Adds a compressed block. The checksum is that of the block before compression, so that it also
 * protects against errors of compression. */
treb_status table_writer_add(TableWriter *writer, int side, uint64_t block, const uint8_t *data,
                             size_t size, uint32_t checksum, treb_error *error);
uint32_t table_block_checksum(const uint8_t *block, size_t size);

/* Adds a block, with codec symbols: words of the side's code number `code`, which stand for `cells`
 * cells, 1 to 65535. The blocks of White to move come first, in the order of cells. A page begins
 * where the code changes. A side without blocks has one code, and the value of its only symbol in
 * all cells. */
treb_status table_writer_add_words(TableWriter *writer, int side, unsigned code,
                                   const uint8_t *block, unsigned cells, treb_error *error);

/* Adds a block of profiles to side 1 of a DTM50 table. The first of them is that of cell `first`; blocks come in the order
 * of cells. */
treb_status table_writer_add_profiles(TableWriter *writer, const uint8_t *block, uint64_t first, treb_error *error);

/* Writes a DTC file that has the distances of the DTZ file beside it, whose header is given. */
treb_status table_write_as_dtz(const char *directory, const TableHeader *dtz, uint64_t *file_size,
                               treb_error *error);

/* Whether the verdicts of a side to move follow from those of the other side by one ply. They do
 * unless the 50-move rule comes between: a quiet move to a loss in exactly 100 plies wins, but too
 * late. So either the side has no cursed win, or no position of the other side is lost in 100
 * plies; and likewise for its blessed losses. `dtz`, the header of the DTZ file, says how many
 * there are; without it (NULL) there may be some. */
bool table_side_follows(const TableHeader *wdl, const TableHeader *dtz, int side);

/* Writes a file of codec symbols again, with the cells of `sides` alone: bit 0 White to move, bit 1
 * Black. The file must have them. All else that its header says stays, of both sides. With all sides
 * the new file has the same bytes. */
treb_status table_write_sides(const char *directory, const Table *table, unsigned sides,
                              uint64_t *file_size, treb_error *error);

treb_status table_writer_finish(TableWriter *writer, const TableHeader *header, uint64_t *file_size,
                                treb_error *error); /* frees the writer */
void table_writer_abort(TableWriter *writer);       /* frees it and removes the temporary file */

/* Removes what writers of processes now dead left in a directory; never a complete table. Returns
 * how many files. Processes must share this machine and its process numbers. */
size_t table_remove_stale(const char *directory);

#endif
