/* syzygy.h - Syzygy's table files, by Ronald de Man: .rtbw with verdicts, .rtbz with DTZ.
 *
 * A file holds one array of values, or one for each side to move; with pawns, four times as many:
 * one for each file, a to d, that the leading pawn may stand on. An array is packed by pairing
 * (a symbol stands for two others, and so on down to single values) and a Huffman code, and cut
 * into blocks of some bytes that can be found and unpacked one at a time. Values that a capture
 * reveals are left to chance, as in our own tables: a verdict is a lower bound, and the distance
 * of a position that a move wins at once means nothing.
 *
 * Files are mapped into memory: who cuts one short while it is open ends the process. Nothing in
 * one is believed: whatever it holds, reading stays within the file, and ends.
 *
 * Functions that return an int return what was asked for, or minus a treb_status. docs/syzygy.md
 * describes the format. */
#ifndef TREB_SYZYGY_SYZYGY_H
#define TREB_SYZYGY_SYZYGY_H

#include "core/format/mapped.h"
#include "core/chess/material.h"
#include "core/chess/position.h"
#include "core/format/table_files.h"

enum {
    SYZYGY_MEN_MAX = 7,
    SYZYGY_NAME_SIZE = MATERIAL_NAME_SIZE + 8,
    SYZYGY_CHECKSUM_SIZE = 16,
    SYZYGY_SYMBOLS_MAX = 4095 /* of an array */
};

/* ---- the index ------------------------------------------------------------------------------- */

/* What the index of every file is made of. Filled once, then constant. */
typedef struct SyzygyMaps {
    int16_t kings[10][64];  /* two kings, the first in the triangle a1-d1-d4; -1: none */
    uint8_t triangle[64];   /* the squares of that triangle, the diagonal last */
    uint8_t below[64];      /* those below the diagonal from a1 to h8, and those above mirrored */
    uint8_t pawn[64];       /* 0 to 47, the leading pawn has the highest */
    uint32_t lead[6][64];   /* by other pawns of the leading group, and the leading pawn's square */
    uint32_t leads[6][4];   /* how many, by its file */
    uint32_t choose[7][64]; /* choose[k][n]: k out of n */
    /* The way back. */
    uint8_t king_pair[462][2];
    uint8_t triangle_square[10], below_square[28], pawn_square[48];
} SyzygyMaps;

void syzygy_maps_fill(SyzygyMaps *maps);

/* Men that are placed together: the leading ones, or all of one kind. */
typedef struct SyzygyGroup {
    uint8_t first, count;  /* of SyzygyIndex.man */
    uint64_t factor, ways; /* its number is cell / factor % ways */
} SyzygyGroup;

typedef enum SyzygyLead { SYZYGY_LEAD_KINGS, SYZYGY_LEAD_THREE, SYZYGY_LEAD_PAWNS } SyzygyLead;

/* How positions are numbered in one array. */
typedef struct SyzygyIndex {
    SyzygyLead lead;
    uint8_t men, groups;
    uint8_t man[SYZYGY_MEN_MAX]; /* colour * 8 + type, in order */
    SyzygyGroup group[SYZYGY_MEN_MAX];
    uint64_t size;
} SyzygyIndex;

/* The order of men and groups, as a file gives it: `men` nibbles of men, and which place in the
 * product the leading group has, and the other colour's pawns (15: none). `file`: of the leading
 * pawn. False if they are not those of the material. */
bool syzygy_index_init(SyzygyIndex *index, const SyzygyMaps *maps, const Material *material,
                       const uint8_t *man, int order, int order2, int file);

/* The file, 0 to 3, of the leading pawn among `pawns`. */
int syzygy_lead_file(const SyzygyMaps *maps, uint64_t pawns);

/* The cell of a position that has the men. */
uint64_t syzygy_index_of(const SyzygyIndex *index, const SyzygyMaps *maps,
                         const treb_position *pos);

/* Writes the squares of a group whose number is `number` into their places of `squares`, by man;
 * those of the groups before it are there. `file` as in syzygy_index_init. */
void syzygy_place_group(const SyzygyIndex *index, const SyzygyMaps *maps, int file, int group,
                        uint64_t number, uint8_t *squares);

/* The men of a cell, with `turn` to move. Men stand on different squares, pawns on theirs; whether
 * the position could arise is not asked. Not every cell is that of its position: with leading men
 * on the diagonal the board may be turned either way. `file` as in syzygy_index_init. */
void syzygy_position_of(const SyzygyIndex *index, const SyzygyMaps *maps, int file, uint64_t cell,
                        int turn, treb_position *out);

/* ---- files ----------------------------------------------------------------------------------- */

/* "KRPvKR.rtbw", "KRPvKR.rtbz". False for other metrics. */
bool syzygy_file_name(const Material *material, treb_metric metric, char out[SYZYGY_NAME_SIZE]);

/* The other way round, from a path. False if it is no such name, or not of the canonical material. */
bool syzygy_parse_name(const char *path, Material *material, treb_metric *metric);

typedef struct Syzygy Syzygy; /* any number of threads may read one */

/* Maps a file and checks all but its blocks. `maps` lasts longer. The material is canonical. NULL
 * with *error filled, which names the file, on failure. */
Syzygy *syzygy_open(const char *path, const Material *material, treb_metric metric,
                    const SyzygyMaps *maps, treb_error *error);

/* The same for a file that is to be read without waiting for a disk as well (syzygy_ready): which
 * of its pages are in memory is asked with a descriptor, one of those that `files` shares. `files`
 * lasts longer. */
Syzygy *syzygy_open_among(TableFiles *files, const char *path, const Material *material,
                          treb_metric metric, const SyzygyMaps *maps, treb_error *error);
void syzygy_close(Syzygy *table); /* NULL is allowed */

const char *syzygy_path(const Syzygy *table);
uint64_t syzygy_file_size(const Syzygy *table);

/* Whether the file has a side to move, at least with some of its pawns' places. */
bool syzygy_has_side(const Syzygy *table, int side);

typedef struct SyzygySummary {
    unsigned arrays, constant;     /* how many, and how many of them have one value throughout */
    uint64_t cells;                /* of all arrays */
    bool exact_wins, exact_losses; /* DTZ of all within the 50-move rule */
} SyzygySummary;

SyzygySummary syzygy_summary(const Syzygy *table);

/* Reads the whole file and compares its checksum. */
treb_status syzygy_check(const Syzygy *table, treb_error *error);

/* The checksum of a file's bytes, which is written behind them. False: out of memory. */
bool syzygy_checksum(const uint8_t *bytes, uint64_t size, uint8_t out[SYZYGY_CHECKSUM_SIZE]);

/* What follows takes a position as the file sees it: with its material, en passant not looked at,
 * and White to move where both sides have the same men. */

/* Whether the side to move of a position is in a file of DTZ. That may depend on its pawns. */
bool syzygy_stores(const Syzygy *table, const treb_position *pos);

/* A treb_wdl; from a .rtbw. */
int syzygy_verdict(const Syzygy *table, const treb_position *pos, treb_error *error);

/* Twice the plies to the zeroing move, and 1 more if they may be one ply more, as the file is
 * rounded; from a .rtbz, for a position that it stores. The verdict is known, and no draw. Of
 * those mated 1 ply or 2. */
int syzygy_dtz(const Syzygy *table, const treb_position *pos, int verdict, treb_error *error);

/* ---- without waiting ------------------------------------------------------------------------- */

/* Whether the value of a position can be read without waiting for a disk: 0, or minus
 * TREB_ERR_NOT_READY; *missing then is what is to be brought first. What a probe reads is found by
 * what it reads before, so that this may have to be done three times. Minus TREB_ERR_DAMAGED if the
 * file has no such value. Never waits. */
int syzygy_ready(const Syzygy *table, const treb_position *pos, MappedBytes *missing,
                 treb_error *error);

/* The file in memory: mapped_fetch and mapped_touch bring what is missing. */
const Mapped *syzygy_map(const Syzygy *table);

/* ---- whole arrays ---------------------------------------------------------------------------- */

/* How many files of the leading pawn there are arrays for: 1 or 4. */
int syzygy_files(const Syzygy *table);

/* How an array numbers positions. `side` does not matter for DTZ. */
const SyzygyIndex *syzygy_index(const Syzygy *table, int side, int file);

/* The side to move of a file of DTZ. (Where both sides have the same men it is both.) */
int syzygy_dtz_side(const Syzygy *table, int file);

/* Where the value of a position stands: a cell, and the file of the leading pawn. */
uint64_t syzygy_place(const Syzygy *table, const treb_position *pos, int *file);

/* The mirror image of a position whose leading men are their own: its value stands in a cell of its
 * own, in the same array. False if there is no such cell. */
bool syzygy_twin(const Syzygy *table, const treb_position *pos, uint64_t *cell);

/* The values of `count` cells from `cell` on, as they stand in the file: a verdict, or what
 * syzygy_dtz_of explains. Some 10 ns a value or less, the fewer the longer their runs are. */
treb_status syzygy_unpack(const Syzygy *table, int side, int file, uint64_t cell, uint64_t count,
                          uint16_t *out, treb_error *error);

/* What syzygy_dtz says where this value stands; -1: nothing, in a damaged file. */
int syzygy_dtz_of(const Syzygy *table, int file, int value, int verdict);

#endif
