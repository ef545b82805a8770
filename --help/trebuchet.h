/* trebuchet.h - the public interface of libtrebuchet, a chess endgame tablebase library.
 *
 * Squares are numbered a1 = 0, b1 = 1, ... h8 = 63. Distances are plies (half moves), never moves.
 *
 *     treb_error error;
 *     const char *directory = "/srv/tables";
 *     treb_tables *tables = treb_tables_open(&directory, 1, &error);
 *     treb_position pos;
 *     treb_wdl wdl;
 *     const char *fen = "8/8/8/8/8/2K5/1Q6/7k w - - 0 1";
 *     if (tables != NULL && treb_position_from_fen(fen, &pos, &error) == TREB_OK &&
 *         treb_probe_wdl(tables, &pos, &wdl, &error) == TREB_OK)
 *         printf("%s\n", treb_wdl_text(wdl));
 *     treb_tables_close(tables);
 *
 * Errors. Functions that can fail return a treb_status and take a pointer to a treb_error, which
 * may be NULL. On failure they fill in the treb_error with the status and a text that names the
 * file at fault, and write no other output unless the function's comment says so. On success they
 * leave the treb_error unchanged.
 *
 * Threads. Any number of threads may use one set of tables at the same time: probe it, change its
 * memory budget, pin and warm tables. Only treb_tables_close must not run while another call uses
 * the set. Functions that take no set have no state at all. The library starts no thread unless the
 * program asks for one (treb_tables_set_fetch). It never prints, never exits, and changes no signal
 * handler or locale.
 *
 * Disks. A probe waits for the disk if the part of the file that it needs is not in the system's
 * memory: 0.1 ms to 20 ms, while an engine's clock is running. Functions whose names end in _try do
 * not wait: see "Never wait for a disk" below.
 *
 * Costs. The comment of a probe states its cost in two forms: the largest number of table cells
 * that a search for the worst positions of five men found, and the time on one core in KRPvKR with
 * all cells in memory. Reading a cell whose block is in memory takes no lock and no allocation.
 * Otherwise the library opens the file if it is closed, then reads and unpacks the block: some 20
 * microseconds, short locks, and a buffer the first time that a thread does so.
 *
 * docs/library.md is a tour; docs/metrics.md defines exactly what DTZ, DTC and DTM count. */
#ifndef TREBUCHET_H
#define TREBUCHET_H

#include <stddef.h>
#include <stdint.h>

/* The version of this header, as text and as a number that grows with each version: 300 for 0.3.0.
 * treb_version returns that of the library. Before 1.0.0 any minor version may change the
 * interface; the library's SONAME changes with it (docs/library.md). */
#define TREB_VERSION_MAJOR 0
#define TREB_VERSION_MINOR 3
#define TREB_VERSION_PATCH 0
#define TREB_VERSION "0.3.0"
#define TREB_VERSION_NUMBER                                                                        \
    (TREB_VERSION_MAJOR * 10000 + TREB_VERSION_MINOR * 100 + TREB_VERSION_PATCH)

#if defined(_WIN32) && defined(TREB_BUILD_DLL)
#define TREB_API __declspec(dllexport)
#elif defined(__GNUC__)
#define TREB_API __attribute__((visibility("default")))
#else
#define TREB_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Version --------------------------------------------------------------------------------- */

/* Return the version of the library that is running, which may be newer than the header that the
 * program was compiled with: "0.3.0" (a static string) and 300. */
TREB_API const char *treb_version(void);
TREB_API int treb_version_number(void);

/* ---- Status ---------------------------------------------------------------------------------- */

/* The result of a call. Zero is success. */
typedef enum treb_status {
    TREB_OK = 0,
    TREB_ERR_FEN,        /* the text is not a FEN */
    TREB_ERR_POSITION,   /* the FEN is well formed, but no game can lead to such a position */
    TREB_ERR_CASTLING,   /* a side may still castle: no table covers such positions */
    TREB_ERR_MEN,        /* the position has more men than any table */
    TREB_ERR_NO_TABLE,   /* a table file that is needed is not installed */
    TREB_ERR_DAMAGED,    /* a table file is truncated, altered or of another format */
    TREB_ERR_IO,         /* the operating system could not read or write */
    TREB_ERR_MEMORY,     /* out of memory */
    TREB_ERR_ARGUMENT,   /* an argument of the call was wrong */
    TREB_ERR_NOT_READY,  /* from calls that do not wait: a disk or server must be read first */
    TREB_ERR_NETWORK,    /* a server of tables cannot be reached, or does not deliver them */
    TREB_ERR_TIMEOUT,    /* a server of tables did not answer in time */
    TREB_ERR_UNSUPPORTED /* a table file needs what this build of the library leaves out */
} treb_status;

/* What went wrong. A program that wants to know which table is missing reads `material` and
 * `metric`; it need not read the text. */
typedef struct treb_error {
    treb_status status;
    char text[484];    /* an English description for the user, without a full stop */
    int metric;        /* with TREB_ERR_NO_TABLE: the treb_metric of the missing table; else -1 */
    char material[24]; /* with TREB_ERR_NO_TABLE: the material of the missing table, as in the name
                          of its file: "KRPvKR". "" with other statuses, and where the failure is
                          about no table in particular; `metric` is then -1 */
} treb_error;

/* Returns a short English phrase for a status: "table not installed". Static; never NULL. */
TREB_API const char *treb_status_text(treb_status status);

/* ---- Positions ------------------------------------------------------------------------------- */

enum { TREB_WHITE = 0, TREB_BLACK = 1 };
enum { TREB_PAWN = 0, TREB_KNIGHT, TREB_BISHOP, TREB_ROOK, TREB_QUEEN, TREB_KING, TREB_TYPES };
enum { TREB_FEN_SIZE = 96, TREB_MEN_MAX = 8 };

/* A position. Bit s of a bitboard is square s. */
typedef struct treb_position {
    uint64_t by_color[2];         /* the men of White, of Black */
    uint64_t by_type[TREB_TYPES]; /* pawns, knights, ..., kings of both colours */
    uint8_t turn;                 /* TREB_WHITE or TREB_BLACK */
    uint8_t ep;                   /* the square behind a pawn that just made a double step, or 0 */
    uint8_t castling;             /* bits 0 to 3: K, Q, k, q of the FEN */
    uint16_t halfmove;            /* plies since the last capture or pawn move */
    uint16_t fullmove;            /* number of the move, from 1 */
} treb_position;

/* Reads a FEN with two fields (board and side to move) to six. Castling rights are read and kept;
 * the files of rooks ("HAha") may name them. Returns TREB_ERR_FEN if the text is not a FEN,
 * TREB_ERR_POSITION if the position is impossible (see treb_position_check), TREB_ERR_CASTLING if it
 * has castling rights of Chess960, for a king or rook that stands elsewhere than in chess. */
TREB_API treb_status treb_position_from_fen(const char *fen, treb_position *out, treb_error *error);

/* Writes a position as a FEN with six fields. treb_position_check must accept the position. */
TREB_API void treb_position_to_fen(const treb_position *pos, char out[TREB_FEN_SIZE]);

/* Returns TREB_ERR_POSITION, with the reason, if the position by itself shows that no game can lead
 * to it. All functions below that take a position make the same check. */
TREB_API treb_status treb_position_check(const treb_position *pos, treb_error *error);

/* Writes the position after a legal move to `out`, which may be `pos`. The move is given as "e7e8q"
 * or, if it cannot be read so, as "exd8=Q+"; castling as "e1g1" or "O-O". Returns TREB_ERR_ARGUMENT
 * if the text is no legal move. */
TREB_API treb_status treb_position_play(const treb_position *pos, const char *move,
                                        treb_position *out, treb_error *error);

/* ---- Values ---------------------------------------------------------------------------------- */

/* The result with best play, for the side to move, in ascending order of merit. A cursed win is a
 * win that the 50-move rule turns into a draw; a blessed loss is the same position seen from the
 * other side. */
typedef enum treb_wdl {
    TREB_LOSS = 0,
    TREB_BLESSED_LOSS,
    TREB_DRAW,
    TREB_CURSED_WIN,
    TREB_WIN
} treb_wdl;

/* What a table says about a position. docs/metrics.md has the full definitions.
 * WDL: the verdict, a treb_wdl.
 * DTZ: plies to the next capture, pawn move or mate, under the 50-move rule: at most 100 in wins
 *      and losses, more in cursed wins and blessed losses. Exact in Trebuchet's files.
 * DTC: plies to the next capture, promotion or mate, through any pawn pushes; no 50-move rule.
 * DTM: plies to mate; no 50-move rule.
 * DTM50: plies to mate under the 50-move rule, from the position's clock on. It depends on the clock,
 *      so that arrays by metric (TREB_METRICS) do not have it. */
typedef enum treb_metric {
    TREB_WDL = 0,
    TREB_DTZ,
    TREB_DTC,
    TREB_DTM,
    TREB_METRICS,
    TREB_DTM50 = TREB_METRICS + 2 /* the two numbers before it are those of other files */
} treb_metric;

/* Returns "loss", "blessed loss", "draw", "cursed win" or "win". Static; never NULL. */
TREB_API const char *treb_wdl_text(treb_wdl wdl);

/* Returns "wdl", "dtz", "dtc", "dtm" or "dtm50". Static; never NULL. */
TREB_API const char *treb_metric_text(treb_metric metric);

/* Returns the verdict of a position with `halfmove` plies since the last capture or pawn move,
 * given its verdict and DTZ at a clock of 0: if halfmove + dtz > 100, a win becomes a cursed win
 * and a loss a blessed loss. */
TREB_API treb_wdl treb_wdl_with_clock(treb_wdl wdl, int dtz, int halfmove);

/* ---- Sets of tables -------------------------------------------------------------------------- */

/* A set of tables: the files of some folders. Opaque. */
typedef struct treb_tables treb_tables;

/* The format of a file: Trebuchet's own (KRPvKR.wdl.treb, .dtz.treb, .dtc.treb, .dtm.treb,
 * .dtm50.treb), or Syzygy's (KRPvKR.rtbw with verdicts, KRPvKR.rtbz with DTZ; up to 7 men). */
typedef enum treb_format { TREB_FORMAT_TREBUCHET = 0, TREB_FORMAT_SYZYGY } treb_format;

/* Lists the table files in `count` directories: names like KRPvKR.dtz.treb, KRPvKR.rtbw or
 * KRPvKR.rtbz. Returns a set, which the caller closes, or NULL if a directory cannot be read or
 * memory is out. No directory, or none with tables, is allowed: some positions need no table.
 *
 * - A file is opened when it is first needed. A damaged one makes only those probes fail that need
 *   it.
 * - If several directories have a file of one name, the first directory's is used. If a material
 *   has files in both formats, Trebuchet's is used, which is exact.
 * - Files must not be changed while the set is open. If one is changed, probes that need it fail
 *   with an error; they give no wrong answers. Syzygy files, and Trebuchet files of codec symbols,
 *   are mapped into memory: cutting one short while the set is open ends the process.
 * - The set keeps at most a quarter of the files open that the process may have (RLIMIT_NOFILE when
 *   the set is opened), but at least 16. Files that were not read for longest are closed, and
 *   opened again when needed. A Syzygy file needs one of these descriptors only while a call that
 *   does not wait asks what is in memory.
 *
 * Cost: lists the directories, with one allocation for each file found. Opens no file. */
TREB_API treb_tables *treb_tables_open(const char *const *directories, size_t count,
                                       treb_error *error);

/* A directory may also be the address of a folder of a web server, "https://host/path/" or
 * "http://host/path/", with a file SHA256SUMS in it that lists the tables (docs/library.md).
 * Addresses need libtrebuchet-http: the program links it, or it is installed and the library loads
 * it when an address is first used. Without it an address is TREB_ERR_ARGUMENT. libtrebuchet-http
 * is built on treb_source below. */

/* Splits a path such as TREBUCHET_PATH, whose places are separated by colons, on Windows by semicolons:
 * "/srv/tables:https://host:8080/tables/", "D:\tables;https://host:8080/tables/". The colons of an address do not
 * separate. Returns the next place of *rest, or NULL at the end; leaves out empty places. Writes into the path, and
 * moves *rest behind the place. */
#ifdef _WIN32
#define TREB_PLACE_SEPARATOR ";"
#else
#define TREB_PLACE_SEPARATOR ":"
#endif
TREB_API char *treb_next_place(char **rest);

/* How a source reads bytes. */
typedef enum treb_read {
    TREB_READ_WAIT = 0, /* wait until the bytes are here, or reading fails. A source that cannot wait
                           returns TREB_ERR_NOT_READY: see treb_source */
    TREB_READ_TRY,      /* return bytes that are in memory, else TREB_ERR_NOT_READY at once. If the
                           bytes could not be read a moment ago, that failure may be returned */
    TREB_READ_BEGIN,    /* start reading and return TREB_ERR_NOT_READY at once; `out` may be NULL */
    TREB_READ_AGAIN     /* as TREB_READ_WAIT, but not from copies that the source keeps: they were
                           found damaged */
} treb_read;

/* A place with table files: an archive, an object store, anything that can be read at an offset.
 * The library calls `list` and `close` from one thread at a time, the other functions from any
 * threads at the same time. A function that fails returns a status other than TREB_OK and fills in
 * the status and text of `error`, which is never NULL. The library verifies the checksums of all
 * bytes it reads, and keeps pages of codes in the set's memory. A Syzygy file has one checksum of all
 * of it, which treb_tables_pin alone compares; the pages that probes read of it stay in memory until
 * the set is closed.
 *
 * A source that cannot wait, as in a browser: `open`, and `read` with TREB_READ_WAIT or
 * TREB_READ_AGAIN, may return TREB_ERR_NOT_READY and note what was asked for. The probe, or
 * treb_tables_info, _find or _histogram, then returns TREB_ERR_NOT_READY, after the source was asked
 * for all that is known to be missing; nothing is written that may be used. The caller brings what was
 * noted, all at once, and makes the call again, which then either answers or asks for more. The source
 * must keep what it brought until the call has succeeded. All moves of a position with all metrics
 * take some five such rounds: three for a file's size, its first page and its header, which a source
 * that knows these need not take, then two for cells. */
typedef struct treb_source {
    const char *name; /* for messages and paths: NAME/KRPvKR.wdl.treb. Without functions, this
                         is a directory or an address, as for treb_tables_open */
    void *context;    /* first argument of the functions */
    /* Calls `add(to, file)` for each file. It may name files that are no tables. */
    treb_status (*list)(void *context, void (*add)(void *to, const char *file), void *to,
                        treb_error *error);
    /* Makes a file ready for reading. Writes a handle, and the size in bytes. */
    treb_status (*open)(void *context, const char *file, void **handle, uint64_t *size,
                        treb_error *error);
    /* Reads `size` bytes at `offset`, all of which are in the file. Must return TREB_ERR_DAMAGED if
     * the file was changed since it was opened. */
    treb_status (*read)(void *context, void *handle, treb_read how, uint64_t offset, size_t size,
                        void *out, treb_error *error);
    void (*close_file)(void *context, void *handle);
    void (*close)(void *context);
} treb_source;

/* Opens a set of directories, addresses and sources; otherwise like treb_tables_open. The set
 * closes the sources when it is closed, and also if it cannot be opened. Each `name` must stay
 * valid as long as the set. A probe that waits reads everything it needs from sources at the same
 * time. */
TREB_API treb_tables *treb_tables_open_sources(const treb_source *sources, size_t count,
                                               treb_error *error);

/* Frees the set. No other call may be using it. `tables` may be NULL. */
TREB_API void treb_tables_close(treb_tables *tables);

enum { TREB_MEMORY_DEFAULT = 64 << 20 };

/* Sets how many bytes of unpacked blocks the set keeps: TREB_MEMORY_DEFAULT at first; 0 keeps none.
 * `bytes` is rounded down to pages of 4096 bytes, and counts up to 256 GiB. Memory above the new
 * budget is given back to the system at once. Open files, pinned tables and a buffer for each
 * thread that unpacks are not part of the budget. */
TREB_API void treb_tables_set_memory(treb_tables *tables, uint64_t bytes);

/* Memory of a set. */
typedef struct treb_memory {
    uint64_t budget; /* bytes that unpacked blocks may take */
    uint64_t cached; /* bytes that they take now */
    uint64_t pinned; /* bytes of pinned tables */
    uint64_t misses; /* blocks read and unpacked for probes since the set was opened */
} treb_memory;

TREB_API void treb_tables_get_memory(const treb_tables *tables, treb_memory *out);

/* The functions below take the name of a material: "KRPvKR", with either colour first, the men of a
 * side in any order, and capital letters or not; "KRP-KR", "KRP v KR" and "KRPKR" mean the same. */

/* Unpacks a whole table, checks every block, and keeps it in memory until the set is closed. Probes
 * in other threads continue meanwhile. For many tables use treb_tables_warm, which leaves them
 * packed in the system's memory. A Syzygy file is only read once and its checksum compared: it is
 * as packed in memory as on disk.
 * Errors: those of treb_tables_find.
 * Cost: the time to read and unpack the file; at most two bytes of memory for each cell. */
TREB_API treb_status treb_tables_pin(treb_tables *tables, const char *material, treb_metric metric,
                                     treb_error *error);

/* What the header of a file says. The arrays are indexed by side to move, then by treb_wdl. A
 * Syzygy file has no counts and longest lines: they are 0. */
typedef struct treb_table_info {
    char material[24]; /* "KRPvKR" */
    treb_metric metric;
    treb_format format;
    const char *path;       /* owned by the set */
    uint64_t file_size;     /* bytes */
    uint64_t block_size;    /* bytes of a block after unpacking: they are unpacked together */
    int stored[2];          /* whether the file holds cells for this side to move */
    uint64_t count[2][5];   /* number of legal positions, on the full board: symmetric positions are
                               counted one by one, exchanging equal men gives the same position, and
                               rights to capture en passant are not counted */
    uint32_t longest[2][5]; /* plies of the longest line; 0 in WDL tables */
    char longest_fen[2][5][TREB_FEN_SIZE]; /* a position with that line; "" if there is none */
} treb_table_info;

/* Returns the number of files in the set. Files are numbered from 0, in the order of men, material
 * and metric. Solved pawn endings are not counted. */
TREB_API size_t treb_tables_count(const treb_tables *tables);

/* Returns the largest number of men of a position that the set may know: that of its largest table
 * or solved pawn ending. It follows from the names of files; none is opened. */
TREB_API int treb_tables_men(const treb_tables *tables);

/* Writes what the header of file `number` says, and opens the file if it is not open. If the file
 * is damaged, the status says so, but material, metric and path are written all the same; the rest
 * is then 0. Returns TREB_ERR_ARGUMENT if there is no file of this number. */
TREB_API treb_status treb_tables_info(const treb_tables *tables, size_t number,
                                      treb_table_info *out, treb_error *error);

/* Finds a file by material and metric; otherwise like treb_tables_info. Returns TREB_ERR_NO_TABLE
 * if it is not installed, TREB_ERR_ARGUMENT if there is no such material or metric. */
TREB_API treb_status treb_tables_find(const treb_tables *tables, const char *material,
                                      treb_metric metric, treb_table_info *out, treb_error *error);

/* Looks at every file of the set's directories, and notes those that cannot be used: that are empty
 * or cut short, that are of another table than their name says, or that are no regular files or may
 * not be read. Reads of each file the part that says how long it is: a damaged byte elsewhere is
 * found by the probe that needs it, or by 'trebuchet verify --checksum'. Files of sources are not
 * looked at. Returns the number of files noted, those found by probes included. Other threads may
 * probe meanwhile.
 * Cost: some 10 microseconds for a file if the system has its first pages in memory; otherwise a
 * disk reads them. */
TREB_API size_t treb_tables_check(treb_tables *tables);

/* Returns the number of files with something wrong that were found so far: by treb_tables_check, and
 * by probes and other calls that needed them. Each file counts once. Takes some nanoseconds. */
TREB_API size_t treb_tables_faults(const treb_tables *tables);

/* Returns the path of such a file, which the set owns, and writes what was first found wrong with
 * it. They are numbered from 0 in the order in which they were found. Returns NULL if there are not
 * so many. `why` may be NULL. */
TREB_API const char *treb_tables_fault(const treb_tables *tables, size_t number, treb_error *why);

/* Writes how often each distance occurs in an ending: out[p] is the number of positions (as in
 * treb_table_info.count) with `turn` to move and verdict `wdl` whose distance is p plies. Writes at
 * most `capacity` entries. Writes to `count` how many there are: the longest distance + 1, or 0 if
 * no position has this verdict. Reads the file's header only.
 * Errors: those of treb_tables_find; TREB_ERR_ARGUMENT for WDL, for draws, and for files without
 * histograms (format version 1). */
TREB_API treb_status treb_tables_histogram(const treb_tables *tables, const char *material,
                                           treb_metric metric, int turn, treb_wdl wdl,
                                           uint64_t *out, size_t capacity, size_t *count,
                                           treb_error *error);

/* ---- Probes ---------------------------------------------------------------------------------- */

/* All probes take en passant into account.
 *
 * Positions that need no table: mate, stalemate, and those with too little material to mate (KvK,
 * KNvK, KBvK). For any other position whose own table is not installed, a probe fails at once with
 * TREB_ERR_NO_TABLE, which names that table, before it looks at any move; so it does if a capture
 * leads to a table that is needed and missing.
 *
 * Solved pawn endings. Where no table has the position, a solved pawn ending in the set's folders
 * (`trebuchet solve --write`) may answer, for any number of men. It knows wins and losses under the
 * 50-move rule, draws, and DTZ as an upper bound (TREB_AT_MOST). It does not know DTC and DTM.
 *
 * Errors of all probes: TREB_ERR_POSITION, TREB_ERR_CASTLING, TREB_ERR_MEN (more than TREB_MEN_MAX
 * men and no solved pawn ending has the position), TREB_ERR_NO_TABLE, TREB_ERR_DAMAGED,
 * TREB_ERR_IO, TREB_ERR_MEMORY; with addresses and sources also TREB_ERR_NETWORK and
 * TREB_ERR_TIMEOUT. */

/* Writes the verdict of the position at a clock of 0. The position's own clock is ignored, as is
 * right for the nodes of a search just after a capture or pawn move.
 * Cost: the position's cell and those that captures lead to: usually one or two, at most 10. Some
 * 100 ns. Where a small WDL file ('trebuchet repack') leaves out the side to move, those that all
 * moves lead to: 10 to 60 on average, a few microseconds without a cache. */
TREB_API treb_status treb_probe_wdl(const treb_tables *tables, const treb_position *pos,
                                    treb_wdl *out, treb_error *error);

/* How exact a distance is. TREB_ROUNDED: from a Syzygy file that rounds; the distance may be one
 * ply more. TREB_AT_MOST: DTZ from a solved pawn ending; the winner needs at most so many plies. */
enum { TREB_EXACT = 0, TREB_ROUNDED = 1, TREB_AT_MOST = 2 };

/* A distance: the side to move wins (or loses) in `plies`. 0 in a draw, and when mated. */
typedef struct treb_distance {
    treb_wdl wdl; /* at a clock of 0, as from treb_probe_wdl */
    int plies;
    int rounded; /* TREB_EXACT, TREB_ROUNDED or TREB_AT_MOST */
} treb_distance;

/* Write one distance of the position. They need the table of the metric and the WDL table. The
 * position's clock is ignored. With TREB_WDL `plies` is 0.
 * Cost: the verdict, one cell, and the verdicts after captures and pawn moves (DTZ) or after
 * captures and promotions (DTC). If the file has no cells for the side to move, its moves are
 * searched: at most 300 cells. DTM also takes the distances after captures and after the promotion
 * of a last pawn: 20 cells on average, up to 3,000 where men are captured one after another. 400 to
 * 1,000 ns on average if the blocks are unpacked in memory, otherwise 2 to 20 microseconds. */
TREB_API treb_status treb_probe_distance(const treb_tables *tables, const treb_position *pos,
                                         treb_metric metric, treb_distance *out, treb_error *error);
TREB_API treb_status treb_probe_dtz(const treb_tables *tables, const treb_position *pos,
                                    treb_distance *out, treb_error *error);
TREB_API treb_status treb_probe_dtc(const treb_tables *tables, const treb_position *pos,
                                    treb_distance *out, treb_error *error);
TREB_API treb_status treb_probe_dtm(const treb_tables *tables, const treb_position *pos,
                                    treb_distance *out, treb_error *error);

/* Writes the plies to mate if both sides play for it under the 50-move rule, from the position's clock
 * on: the winner must mate before the clock reaches 100, or capture or push a pawn on the way, and
 * otherwise has not won. out->wdl is the result with this clock (as from treb_wdl_with_clock): only in
 * wins and losses there is a mate, otherwise `plies` is 0. A clock above 100 counts as 100.
 * treb_probe_distance with TREB_DTM50 does the same.
 * DTM50 is DTM where a mate by the shortest line takes no more plies than are left, and never less.
 * This needs the WDL and DTM tables; beyond it those of DTZ and DTM50 are needed. The DTZ must not be
 * rounded, as most of Syzygy's files are: then the probe fails with TREB_ERR_NO_TABLE.
 * Cost: that of DTM; beyond it that of DTZ and one or two more cells, and of DTM for captures and pawn
 * moves if one of them wins; or, if the file has no cells for the side to move, that for each move. */
TREB_API treb_status treb_probe_dtm50(const treb_tables *tables, const treb_position *pos,
                                      treb_distance *out, treb_error *error);

/* What treb_probe_many writes: arrays with a number for each position. Those that are NULL are not
 * written. */
typedef struct treb_columns {
    int8_t *wdl;                  /* the verdict for the side to move: 2 win, 1 cursed win, 0 draw,
                                       -1 blessed loss, -2 loss; TREB_NO_WDL if it is not known */
    int16_t *plies[TREB_METRICS]; /* by metric: the distance, negative in losses, 0 in draws and if
                                       mated; TREB_NO_PLIES if it is not known. That of TREB_WDL is
                                       not used */
    uint8_t *rounded[TREB_METRICS]; /* by metric: TREB_EXACT, TREB_ROUNDED or TREB_AT_MOST */
    uint8_t *status[TREB_METRICS];  /* by metric: TREB_OK if it is known, else the treb_status */
    int16_t *dtm50; /* DTM50 with the position's clock, otherwise like `plies`; 0 also where the rule
                       makes it a draw */
    uint8_t *dtm50_status;
} treb_columns;

enum { TREB_NO_WDL = INT8_MIN, TREB_NO_PLIES = INT16_MIN };

/* Probes `count` positions, as treb_probe_wdl and treb_probe_distance would, for callers that want
 * arrays. Returns how many of the values that were asked for (`wdl`, and each of `plies`) are not
 * known. From servers, what several positions need is fetched at the same time.
 * Cost: that of the probes; a verdict is found once for all distances of a position. */
TREB_API size_t treb_probe_many(const treb_tables *tables, const treb_position *pos, size_t count,
                                const treb_columns *out);

/* Reads `count` FENs, as treb_position_from_fen does. A position that cannot be read is all zero,
 * which no probe accepts. `status`, which may be NULL, gets the treb_status of each. Returns the number
 * of those that cannot be read. */
TREB_API size_t treb_positions_from_fens(const char *const *fens, size_t count, treb_position *out,
                                         uint8_t *status);

/* All that the set knows about a position. In a treb_move: about a move, for the side that makes
 * it. */
typedef struct treb_value {
    treb_wdl wdl;  /* at a clock of 0 */
    treb_wdl rule; /* with the position's clock, as from treb_value_rule. treb_value_doubt says
                      whether it is certain */
    int plies[TREB_METRICS];          /* by metric: the distance; plies[TREB_WDL] is 0 */
    uint8_t rounded[TREB_METRICS];    /* by metric: TREB_EXACT, TREB_ROUNDED or TREB_AT_MOST */
    treb_status status[TREB_METRICS]; /* by metric: TREB_OK if it is known, else why not. If WDL is
                                         not known, nothing is */
    int dtm50; /* plies to mate under the 50-move rule with the position's clock (TREB_DTM50); 0 where
                  `rule` is neither a win nor a loss */
    treb_status dtm50_status; /* TREB_OK if it is known, else why not */
} treb_value;

/* What is not known about the result of a position or a move under the 50-move rule. */
typedef enum treb_doubt {
    TREB_DOUBT_NONE = 0, /* nothing: treb_value.rule is the result */
    TREB_DOUBT_ROUNDED,  /* a win or a cursed win, a loss or a blessed loss: DTZ is rounded, and the
                            ply that this leaves open decides */
    TREB_DOUBT_CLOCK,  /* the same two: DTZ is not known, or only a bound, and the clock decides */
    TREB_DOUBT_VERDICT /* everything: WDL is not known */
} treb_doubt;

/* Return what is not known about the result of a value with `halfmove` plies on the clock, and the
 * result as far as it is known. For a move `halfmove` is the clock before it. The result of a
 * TREB_DOUBT_ROUNDED, and of a bound, is the worse one for the winner; if DTZ is not known it is
 * value->wdl. DTM counts as well: a mate that comes in time whatever the opponent does is a win.
 * Mate on the hundredth ply is in time. These functions decide what treb_value.rule is, and what
 * all programs of Trebuchet say. */
TREB_API treb_doubt treb_value_doubt(const treb_value *value, int halfmove);
TREB_API treb_wdl treb_value_rule(const treb_value *value, int halfmove);

/* Writes everything about one position under the 50-move rule, its clock included. The status is
 * that of WDL; distances that are not known have a status in out->status, and do not make the call
 * fail. `out` is written unless the position is impossible. If the WDL table of the position is not
 * installed, or no table can cover it (castling rights, too many men), its moves may decide: if one
 * of them wins, or if all are known. The call looks one move ahead and no further. If the clock
 * leaves the result open (treb_value_doubt), the moves may decide it as well (treb_settle).
 * Cost: a verdict and its distances, 2 microseconds on average if the blocks are unpacked in
 * memory; without the WDL table, and where the result is open, that for each move whose table is
 * installed. */
TREB_API treb_status treb_probe_root(const treb_tables *tables, const treb_position *pos,
                                     treb_value *out, treb_error *error);

enum { TREB_UCI_SIZE = 6, TREB_SAN_SIZE = 8, TREB_MOVES_MAX = 256 };
enum { /* treb_move.flags */
       TREB_MOVE_CAPTURE = 1,
       TREB_MOVE_ZEROING = 2,    /* a capture or pawn move: the 50-move clock starts again */
       TREB_MOVE_CONVERSION = 4, /* a capture or promotion */
       TREB_MOVE_CHECK = 8,
       TREB_MOVE_MATE = 16,
       TREB_MOVE_STALEMATE = 32
};

/* A legal move. `value` is what the move is worth to the side that makes it, the move included: a
 * move that mates wins in 1 ply by every metric. value.wdl is its worth at a clock of 0: a quiet
 * move after which the opponent loses in 100 plies is a cursed win. */
typedef struct treb_move {
    uint8_t from, to;
    uint8_t promotion; /* TREB_KNIGHT to TREB_QUEEN, or 0 */
    uint8_t flags;     /* TREB_MOVE_... */
    char uci[TREB_UCI_SIZE];
    char san[TREB_SAN_SIZE];
    treb_value value;
} treb_move;

/* The rule by which moves are ordered. */
typedef enum treb_rule {
    TREB_RULE_50,  /* the 50-move rule, with the position's clock */
    TREB_RULE_NONE /* no rule: cursed wins count as wins, blessed losses as losses */
} treb_rule;

/* Lists all legal moves with their values, best first. Writes at most `capacity` moves
 * (TREB_MOVES_MAX are always enough) to `out`, and their number to `count`: 0 if the game is over.
 *
 * Order: first by verdict under the clock (value.rule), then by `metric`, wins the shortest first
 * and losses the longest first; then mates, the other metrics, and a fixed order, so that the list
 * is always the same. With TREB_WDL the tie-breaks follow the verdict at once. TREB_RULE_NONE
 * changes the order only, not the values: a shorter mate for which the 50-move rule leaves no time
 * then comes before a longer one for which it does. Moves whose verdict is unknown come last.
 *
 * Any possible position has its moves listed, castling included, with any number of men. Moves to
 * positions that tables cover have values, and moves that mate or stalemate.
 *
 * Returns TREB_OK if every move has what the order by `metric` needs; otherwise the first failure.
 * The moves are written all the same with what is known, unless the position is impossible (`count`
 * is then 0). If the position's own WDL table is not installed, TREB_ERR_NO_TABLE names that table.
 * Cost: a verdict and three distances for each move, 50 microseconds on average; no allocation. */
TREB_API treb_status treb_probe_moves(const treb_tables *tables, const treb_position *pos,
                                      treb_metric metric, treb_rule rule, treb_move *out,
                                      size_t capacity, size_t *count, treb_error *error);

/* Writes one legal move, given as "e7e8q", as treb_probe_moves would: for callers that want to stop
 * between moves. Returns TREB_OK if the move has what the order by `metric` needs,
 * TREB_ERR_ARGUMENT if the text is no legal move. `out` is written unless the position is
 * impossible or the text is no legal move. */
TREB_API treb_status treb_probe_move(const treb_tables *tables, const treb_position *pos,
                                     const char *move, treb_metric metric, treb_move *out,
                                     treb_error *error);

/* Compares two moves of one position by the order of treb_probe_moves. Returns a negative number if
 * `a` comes first, a positive one if `b` does, 0 if they are the same move. */
TREB_API int treb_compare_moves(const treb_move *a, const treb_move *b, treb_metric metric,
                                treb_rule rule);

/* Settles what is open about a position (treb_value_doubt) by what is known of its moves, and then
 * about the moves by what is known of the position: a position is won if a move surely wins, and
 * lost if every move surely loses; and if a position is surely lost, so is every move. `moves` has
 * all legal moves, with their values, and `halfmove` is the position's clock. Where a rounded DTZ is
 * settled it becomes exact; where DTZ was not known the moves may give a bound. Sets `rule` of all
 * values, which may change the order of the moves: see treb_compare_moves. treb_probe_root settles
 * its value, treb_probe_moves does not settle those of the moves.
 * Cost: none worth mentioning; nothing is probed. */
TREB_API void treb_settle(treb_value *value, treb_move *moves, size_t count, int halfmove);

/* Why a line ends. */
typedef enum treb_line_end {
    TREB_LINE_MATE,
    TREB_LINE_STALEMATE,
    TREB_LINE_DRAW,    /* neither side can win any more */
    TREB_LINE_CAPACITY /* `out` is full */
} treb_line_end;

/* Writes the line in which both sides always play the first move of treb_probe_moves. Writes at
 * most `capacity` moves, their number to `count`, and why the line ends to `end`. Cursed wins are
 * played on to mate beyond the 50-move rule. With TREB_RULE_NONE and TREB_DTM the line has as many
 * plies as DTM, and DTM falls by one with every ply; with TREB_RULE_50 it may be longer, where the
 * shortest mate would come too late for the rule. A caller may get a line in parts: from the
 * position after the last move it continues in the same way. On failure the moves found so far are
 * written.
 * Cost: treb_probe_moves once for each ply, and once more. */
TREB_API treb_status treb_best_line(const treb_tables *tables, const treb_position *pos,
                                    treb_metric metric, treb_rule rule, treb_move *out,
                                    size_t capacity, size_t *count, treb_line_end *end,
                                    treb_error *error);

/* ---- All positions of an ending -------------------------------------------------------------- */

/* Called for each position; returns 0 to stop, another number to continue. Colours are those of the
 * table: in "KRvKRP" the side with the pawn is White, since KRPvKR is the table's name. */
typedef int (*treb_visit)(void *context, const treb_position *pos);

/* Visits the legal positions of an ending in the order of its table, so that probing each of them
 * is cheap. Probes nothing, and needs no table.
 * - Of positions that a symmetry of the board maps to each other, one is visited.
 * - For each placement of the men White to move comes first, then Black to move. If both sides have
 *   the same men, White is always to move: Black to move is the same with colours exchanged.
 * - There are no positions with en passant. The clock is 0.
 * `part` (from 0) of `parts`: the parts are about equally large and follow each other. Threads may
 * visit different parts at the same time. Pass 0 and 1 for all positions. Returns TREB_ERR_ARGUMENT
 * if there is no such material or part, TREB_ERR_MEN if the material has too many men; TREB_OK also
 * if `visit` stopped it.
 * Cost: some 20 ns for each position. */
TREB_API treb_status treb_each_position(const treb_tables *tables, const char *material,
                                        uint64_t part, uint64_t parts, treb_visit visit,
                                        void *context, treb_error *error);

/* Writes the positions that treb_each_position would visit, at most `capacity` at a time: for
 * languages that are slow to be called back. *next is 0 at first; the call changes it, so that the
 * next call goes on where this one ended. *count gets the number of positions: if it is less than
 * `capacity` there are no more. Threads cannot share the work, but may each do an ending.
 * Errors and cost: those of treb_each_position. */
TREB_API treb_status treb_next_positions(const treb_tables *tables, const char *material,
                                         uint64_t *next, treb_position *out, size_t capacity,
                                         size_t *count, treb_error *error);

/* What treb_sample_positions draws; may be added up. */
enum {
    TREB_SAMPLE_BOARD = 1, /* each position of the full board has the same probability, as
                              treb_table_info.count counts them; else each that treb_each_position
                              visits */
    TREB_SAMPLE_TURNED =
        2 /* positions are turned and mirrored by a random symmetry of the board, and
                              the colours are exchanged in half of the cases; else they are as
                              treb_each_position has them */
};

/* Writes `size` different positions of an ending, drawn at random: each set of so many has the same
 * probability. `how` is 0 or made of TREB_SAMPLE_... With TREB_SAMPLE_BOARD alone two positions may
 * look equal. They are those of 'trebuchet find --sample', and depend on the seed alone, or, if most
 * positions of the ending are wanted, also on which WDL file is installed. Writes to *count how many
 * there are: less than `size` if the ending has no more. Probes nothing, and needs no table.
 * Errors: those of treb_each_position; TREB_ERR_MEMORY.
 * Cost: some 300 ns and 16 bytes of memory for each position. If most positions of the ending are
 * wanted, that of visiting all of them, and some 110 bytes for each position. */
TREB_API treb_status treb_sample_positions(const treb_tables *tables, const char *material,
                                           uint64_t seed, unsigned how, treb_position *out,
                                           size_t size, size_t *count, treb_error *error);

/* ---- Never wait for a disk ------------------------------------------------------------------- */

/* The probes below answer like those above, and fail in the same ways, but never wait for a disk.
 * If something they need is neither in the set's memory nor in the system's, or a file is closed,
 * they return TREB_ERR_NOT_READY at once. What was missing is then being read, so that a call some
 * milliseconds later may succeed.
 *
 * A probe learns where to read from what it has read before, so that the first probe of a position
 * may have to be repeated some three times, for a distance more often. These calls do not open
 * files, since opening reads the header and index: either let a thread fetch
 * (treb_tables_set_fetch) or open the files at the start (treb_tables_warm).
 * Costs: those of the probes above. For each block that is missing, one or two calls of the system;
 * with a thread that fetches, a short lock.
 *
 * How reliable "at once" is depends on the system. Linux tells which parts of a file are in memory
 * if the file system can (ext4, XFS, Btrfs and others). Where it cannot (tmpfs, FUSE, networks,
 * overlays), the library asks mincore, which is truthful only for files that the user owns; for
 * other files, all that is not in the set's own memory counts as missing, and only the thread can
 * fetch it. For mapped files, a page that was in memory a second ago is assumed to be there still.
 * */
TREB_API treb_status treb_probe_wdl_try(const treb_tables *tables, const treb_position *pos,
                                        treb_wdl *out, treb_error *error);
TREB_API treb_status treb_probe_distance_try(const treb_tables *tables, const treb_position *pos,
                                             treb_metric metric, treb_distance *out,
                                             treb_error *error);

/* Like treb_probe_root and treb_probe_moves. They write what is known; values that are not ready
 * have TREB_ERR_NOT_READY as their status. The calls return TREB_ERR_NOT_READY only if no other
 * failure came first. */
TREB_API treb_status treb_probe_root_try(const treb_tables *tables, const treb_position *pos,
                                         treb_value *out, treb_error *error);
TREB_API treb_status treb_probe_moves_try(const treb_tables *tables, const treb_position *pos,
                                          treb_metric metric, treb_rule rule, treb_move *out,
                                          size_t capacity, size_t *count, treb_error *error);

/* Starts fetching what treb_probe_wdl_try would find missing, as far as that is known now, and
 * returns at once. Use it when a move is made whose position will be probed. Neither reads nor
 * unpacks.
 * Cost: that of a verdict, and as above for what is missing from the set's own memory. */
TREB_API void treb_prefetch(const treb_tables *tables, const treb_position *pos);

/* Who fetches what calls that do not wait find missing.
 * TREB_FETCH_SYSTEM (the default): the calling thread asks the system to read ahead. This may take
 * a moment if the disk is busy. Files are not opened.
 * TREB_FETCH_THREAD: a thread of the set, which sleeps unless something is missing. It opens files,
 * and unpacks blocks of Trebuchet's files into the set's memory. Recommended for engines. */
typedef enum treb_fetch { TREB_FETCH_SYSTEM = 0, TREB_FETCH_THREAD } treb_fetch;

/* Chooses who fetches. May be called at any time. A change back to TREB_FETCH_SYSTEM, like
 * treb_tables_close, ends the thread and waits for the read that it is in. The thread blocks all
 * signals. After a fork the child process has no such thread. Returns TREB_ERR_MEMORY if the system
 * allows no thread. */
TREB_API treb_status treb_tables_set_fetch(treb_tables *tables, treb_fetch fetch,
                                           treb_error *error);

/* Called by a long call with the bytes done so far and in total. Returns 0 to continue, another
 * number to stop the call. */
typedef int treb_progress(void *context, uint64_t done, uint64_t total);

/* Opens all files of a metric, so that calls that do not wait can use them. Then reads whole files
 * into the system's memory, the smallest first, as long as all together have no more than `bytes`
 * bytes: 0 reads none, UINT64_MAX all. (Searches probe small tables most often, and reading small
 * files first makes most tables complete.) The files stay packed, take nothing of the set's memory
 * budget, and the system may drop them when it needs the memory; treb_tables_pin keeps one table
 * unpacked until the set is closed. `progress`, which may be NULL, is called by the calling thread
 * after each file and each MiB; if it stops the call, the status is TREB_OK. If a file cannot be
 * read the others are still read, and the first failure is returned. Waits for the disk; other
 * threads may probe meanwhile. */
TREB_API treb_status treb_tables_warm(treb_tables *tables, treb_metric metric, uint64_t bytes,
                                      treb_progress *progress, void *context, treb_error *error);

#ifdef __cplusplus
}
#endif
#endif
