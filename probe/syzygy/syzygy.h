/* syzygy.h - Syzygy's table files, by Ronald de Man: .rtbw with verdicts, .rtbz with DTZ.
 *
 * A file holds one array of values, or one for each side to move. With pawns it holds four times as
 * many: one for each file, a to d, that the leading pawn may stand on. An array is packed by
 * pairing (a symbol stands for two others, and so on down to single values) and a Huffman code. It
 * is cut into blocks of a fixed number of bytes, which can be found and unpacked one at a time. As
 * in our own tables, values that a capture reveals are arbitrary: a verdict is a lower bound, and
 * the distance of a position that a move wins at once means nothing.
 *
 * Files are mapped into memory: if a program cuts one short while it is open, a read ends the
 * process with SIGBUS. The content of a file is not trusted: whatever it holds, reading stays
 * within the file, and ends.
 *
 * Functions that return an int return a result, or minus a treb_status. docs/syzygy.md describes
 * the format.
 *
 *   syzygy_index.c    the number of a position in an array, and back
 *   syzygy_file.c     opening files
 *   syzygy_read.c     reading a value, or all values
 *   syzygy_ready.c    whether a value can be read without waiting for a disk
 *   syzygy_checksum.c the checksum at the end of a file */
#ifndef TREB_PROBE_SYZYGY_SYZYGY_H
#define TREB_PROBE_SYZYGY_SYZYGY_H

#include "core/chess/material.h"
#include "core/chess/position.h"
#include "core/format/mapped.h"
#include "core/format/table_files.h"

enum {
    SYZYGY_MEN_MAX = 7,
    SYZYGY_NAME_SIZE = MATERIAL_NAME_SIZE + 8,
    SYZYGY_CHECKSUM_SIZE = 16,
    SYZYGY_SYMBOLS_MAX = 4095 /* symbols of an array */
};

/* ---- The index ------------------------------------------------------------------------------- */

/* Constants that the indexes of all files use. Filled once by syzygy_maps_fill. */
typedef struct SyzygyMaps {
    int16_t kings[10]
                 [64]; /* numbers of pairs of kings, the first in the triangle a1-d1-d4; -1: none */
    uint8_t triangle[64]; /* numbers of the squares of that triangle, the diagonal last */
    uint8_t below[64];    /* numbers of the squares below the diagonal a1-h8, and of their images */
    uint8_t pawn[64];     /* 0 to 47; the pawn with the highest number leads */
    uint32_t lead[6]
                 [64]; /* first number, by count of other leading pawns and the leader's square */
    uint32_t leads[6][4]; /* how many numbers there are, by count of others and the leader's file */
    uint32_t choose[7][64]; /* choose[k][n]: ways to choose k of n */
    /* From numbers back to squares. */
    uint8_t king_pair[462][2];
    uint8_t triangle_square[10], below_square[28], pawn_square[48];
} SyzygyMaps;

void syzygy_maps_fill(SyzygyMaps *maps);

/* Men that are numbered together: the leading men, or all men of one kind. */
typedef struct SyzygyGroup {
    uint8_t first, count;  /* in SyzygyIndex.man */
    uint64_t factor, ways; /* the group's number is cell / factor % ways */
} SyzygyGroup;

/* What the leading group is: two kings, three men that occur once, or the pawns of one colour. */
typedef enum SyzygyLead { SYZYGY_LEAD_KINGS, SYZYGY_LEAD_THREE, SYZYGY_LEAD_PAWNS } SyzygyLead;

/* How positions are numbered in one array. */
typedef struct SyzygyIndex {
    SyzygyLead lead;
    uint8_t men, groups;
    uint8_t man[SYZYGY_MEN_MAX]; /* colour * 8 + type, in order */
    SyzygyGroup group[SYZYGY_MEN_MAX];
    uint64_t size;
} SyzygyIndex;

/* Sets up an index from the order of men and groups that a file gives. `man` has a nibble for each
 * man. `order` is the place of the leading group in the product, `order2` that of the other
 * colour's pawns (15: none). `file` is the file of the leading pawn, 0 to 3. False if the men are
 * not those of the material. */
bool syzygy_index_init(SyzygyIndex *index, const SyzygyMaps *maps, const Material *material,
                       const uint8_t *man, int order, int order2, int file);

/* The file of the leading pawn among `pawns`, 0 to 3; files e to h count as d to a. */
int syzygy_lead_file(const SyzygyMaps *maps, uint64_t pawns);

/* The cell of a position that has the men of the index. */
uint64_t syzygy_index_of(const SyzygyIndex *index, const SyzygyMaps *maps,
                         const treb_position *pos);

/* Writes the squares of the men of a group into `squares`, which is ordered like SyzygyIndex.man.
 * `number` is the group's number. The squares of the groups before it must be there. `file` as in
 * syzygy_index_init. */
void syzygy_place_group(const SyzygyIndex *index, const SyzygyMaps *maps, int file, int group,
                        uint64_t number, uint8_t *squares);

/* The position of a cell, with `turn` to move. All men stand on different squares, and pawns on
 * ranks 2 to 7. The position may be illegal. Its syzygy_index_of may be another cell: if the
 * leading men stand on the diagonal, a position and its mirror image have cells of their own.
 * `file` as in syzygy_index_init. */
void syzygy_position_of(const SyzygyIndex *index, const SyzygyMaps *maps, int file, uint64_t cell,
                        int turn, treb_position *out);

/* ---- Files ----------------------------------------------------------------------------------- */

/* Writes "KRPvKR.rtbw" or "KRPvKR.rtbz". False for metrics other than WDL and DTZ. */
bool syzygy_file_name(const Material *material, treb_metric metric, char out[SYZYGY_NAME_SIZE]);

/* Takes material and metric from a path. False if its name is not one that syzygy_file_name writes
 * for the canonical material. */
bool syzygy_parse_name(const char *path, Material *material, treb_metric *metric);

typedef struct Syzygy Syzygy; /* any number of threads may read a Syzygy at the same time */

/* Maps a file and checks all of it except its blocks. `maps` must stay valid until syzygy_close.
 * The material is canonical. Returns NULL with *error filled, which names the file, on failure. */
Syzygy *syzygy_open(const char *path, const Material *material, treb_metric metric,
                    const SyzygyMaps *maps, treb_error *error);

/* syzygy_open for a file that is also read without waiting for a disk (syzygy_ready): that takes a
 * descriptor to find out which pages are in memory, one of those that `files` shares. `files` must
 * stay valid until syzygy_close. */
Syzygy *syzygy_open_among(TableFiles *files, const char *path, const Material *material,
                          treb_metric metric, const SyzygyMaps *maps, treb_error *error);

/* syzygy_open for a file of a source, which must stay valid: `name` there, `path` in messages. Reads the
 * file's header; what a value needs is to be copied before it is read (syzygy_ready, mapped_bring). */
Syzygy *syzygy_open_source(const treb_source *source, const char *path, const char *name,
                           const Material *material, treb_metric metric, const SyzygyMaps *maps,
                           treb_error *error);
void syzygy_close(Syzygy *table); /* NULL is allowed */

/* Checks that a file is as long as its header says, and that it has the men of its name. Reads a few
 * parts of the header only, and maps nothing: some 5 microseconds if these are in memory. `error`
 * is not NULL. */
treb_status syzygy_check_size(const char *path, const Material *material, treb_metric metric,
                              const SyzygyMaps *maps, treb_error *error);

const char *syzygy_path(const Syzygy *table);
uint64_t syzygy_file_size(const Syzygy *table);

/* Whether the file has a side to move, at least for some files of the leading pawn. */
bool syzygy_has_side(const Syzygy *table, int side);

typedef struct SyzygySummary {
    unsigned arrays, constant;     /* number of arrays; how many of them have only one value */
    uint64_t cells;                /* of all arrays */
    bool exact_wins, exact_losses; /* DTZ within the 50-move rule is not rounded, in all arrays */
} SyzygySummary;

SyzygySummary syzygy_summary(const Syzygy *table);

/* Reads the whole file and compares its checksum. */
treb_status syzygy_check(const Syzygy *table, treb_error *error);

/* Computes the checksum that follows `size` bytes of a file. False: out of memory. */
bool syzygy_checksum(const uint8_t *bytes, uint64_t size, uint8_t out[SYZYGY_CHECKSUM_SIZE]);

/* The functions below take a position as the file stores it: with the file's material, and with
 * White to move if both sides have the same men. They ignore en passant. */

/* Whether a DTZ file stores the side to move of a position. That may depend on the pawns. */
bool syzygy_stores(const Syzygy *table, const treb_position *pos);

/* Reads the stored verdict, a treb_wdl, from a .rtbw file. */
int syzygy_verdict(const Syzygy *table, const treb_position *pos, treb_error *error);

/* Reads the distance from a .rtbz file for a position that it stores: twice the plies to the
 * zeroing move, plus 1 if the true distance may be one ply more, as the file is rounded. `verdict`
 * is that of the position, and not a draw. For a position that is mate the distance is 1 ply or
 * 2. */
int syzygy_dtz(const Syzygy *table, const treb_position *pos, int verdict, treb_error *error);

/* ---- Without waiting ------------------------------------------------------------------------- */

/* Whether the value of a position can be read without waiting for a disk. Returns 0, or minus
 * TREB_ERR_NOT_READY with *missing set to the bytes that must be read into memory first. What a
 * probe reads depends on what it has read before, so that up to three rounds may be needed. Returns
 * minus TREB_ERR_DAMAGED if the file has no such value. Never waits. */
int syzygy_ready(const Syzygy *table, const treb_position *pos, MappedBytes *missing,
                 treb_error *error);

/* The mapped file, for mapped_fetch and mapped_touch. */
const Mapped *syzygy_map(const Syzygy *table);

/* ---- Whole arrays ---------------------------------------------------------------------------- */

/* The number of files of the leading pawn that have arrays: 4, or 1 without pawns. */
int syzygy_files(const Syzygy *table);

/* The index of an array. `side` does not matter for DTZ. */
const SyzygyIndex *syzygy_index(const Syzygy *table, int side, int file);

/* The side to move of a DTZ array. (If both sides have the same men the array serves both.) */
int syzygy_dtz_side(const Syzygy *table, int file);

/* The cell of a position. *file gets the file of the leading pawn. */
uint64_t syzygy_place(const Syzygy *table, const treb_position *pos, int *file);

/* If the leading men are their own mirror image, the mirror image of the position may have a cell
 * of its own in the same array. Sets *cell to that cell, or returns false if there is none. */
bool syzygy_twin(const Syzygy *table, const treb_position *pos, uint64_t *cell);

/* Unpacks `count` values from `cell` on, as they are in the file: verdicts, or values for
 * syzygy_dtz_of. Takes about 10 ns a value, less if there are long runs of equal values. */
treb_status syzygy_unpack(const Syzygy *table, int side, int file, uint64_t cell, uint64_t count,
                          uint16_t *out, treb_error *error);

/* The distance that a value of a DTZ file means, as in syzygy_dtz. -1: none, the file is
 * damaged. */
int syzygy_dtz_of(const Syzygy *table, int file, int value, int verdict);

#endif
