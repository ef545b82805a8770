/* trebuchet.h - the public interface of libtrebuchet, a chess endgame tablebase library.
 *
 * Squares are numbered a1 = 0, b1 = 1, ... h8 = 63. Distances are plies (half moves), never moves.
 *
 *     treb_error error;
 *     const char *directory = "/srv/tables";
 *     treb_tables *tables = treb_tables_open(&directory, 1, &error);
 *     treb_position pos;
 *     treb_wdl wdl;
 *     const char *fen = "8/8/8/8/8/2K5/1Q6/k7 w - - 0 1";
 *     if (tables != NULL && treb_position_from_fen(fen, &pos, &error) == TREB_OK &&
 *         treb_probe_wdl(tables, &pos, &wdl, &error) == TREB_OK)
 *         printf("%s\n", treb_wdl_text(wdl));
 *     treb_tables_close(tables);
 *
 * Errors. Functions that can fail return a treb_status and take a treb_error that gets the status
 * and a text naming the file at fault; it may be NULL, and is written only on failure, when no
 * other output is (except where said otherwise).
 *
 * Threads. Any number of threads may probe one set of tables at the same time, and change its
 * memory budget, pin or warm tables meanwhile; only treb_tables_close must be alone. Functions that
 * take no set have no state at all. The library starts no thread unless it is told to
 * (treb_tables_set_fetch). It never prints, never exits, and changes no signal or locale.
 *
 * Disks. A probe waits for the disk where a file is not in the system's memory: 0.1 ms to 20 ms,
 * with an engine's clock running. Those whose names end in _try do not wait: see "Never wait for a
 * disk" below.
 *
 * Costs are given beside the calls: the most cells of tables that a search for the worst positions
 * of five men found, and the time on one core in KRPvKR with all cells in memory. A cell whose
 * block is in memory takes no lock and no allocation. Else its block is read and unpacked, which
 * takes some 20 microseconds, short locks, memory for a thread that has not done so before, and the
 * opening of the file if it is not open. docs/library.md is a tour; docs/metrics.md says exactly
 * what DTZ, DTC and DTM count. */
#ifndef TREBUCHET_H
#define TREBUCHET_H

#include <stddef.h>
#include <stdint.h>

/* The version of this header, as text and as a number that grows: 300 for 0.3.0. treb_version tells
 * that of the library. Before 1.0.0 any minor version may change the interface; the library's SONAME
 * tells whether it did (docs/library.md). */
#define TREB_VERSION_MAJOR 0
#define TREB_VERSION_MINOR 3
#define TREB_VERSION_PATCH 0
#define TREB_VERSION "0.3.0"
#define TREB_VERSION_NUMBER                                                                        \
    (TREB_VERSION_MAJOR * 10000 + TREB_VERSION_MINOR * 100 + TREB_VERSION_PATCH)

#if defined(__GNUC__)
#define TREB_API __attribute__((visibility("default")))
#else
#define TREB_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Version --------------------------------------------------------------------------------- */

/* The version of the library that runs, which may be newer than the header that a program was
 * compiled with: "0.3.0", static, and 300. */
TREB_API const char *treb_version(void);
TREB_API int treb_version_number(void);

/* ---- Status ---------------------------------------------------------------------------------- */

/* What a call came to. Zero is success. */
typedef enum treb_status {
    TREB_OK = 0,
    TREB_ERR_FEN,       /* the text is not a FEN */
    TREB_ERR_POSITION,  /* well formed, but no such position can arise */
    TREB_ERR_CASTLING,  /* castling rights remain: no table covers them */
    TREB_ERR_MEN,       /* more men than any table has */
    TREB_ERR_NO_TABLE,  /* a table file that is needed is not installed */
    TREB_ERR_DAMAGED,   /* a table file is truncated, altered or foreign */
    TREB_ERR_IO,        /* the operating system could not read or write */
    TREB_ERR_MEMORY,    /* out of memory */
    TREB_ERR_ARGUMENT,  /* the call itself was wrong */
    TREB_ERR_NOT_READY, /* a disk must be read first: of calls that do not wait for one */
    TREB_ERR_NETWORK,   /* a server of tables cannot be reached, or does not give them */
    TREB_ERR_TIMEOUT    /* it did not answer in time */
} treb_status;

/* A status and what there is to say about it, for a person to read. */
typedef struct treb_error {
    treb_status status;
    char text[512];
} treb_error;

/* A short English phrase for a status: "table not installed". Static; never NULL. */
TREB_API const char *treb_status_text(treb_status status);

/* ---- Positions ------------------------------------------------------------------------------- */

enum { TREB_WHITE = 0, TREB_BLACK = 1 };
enum { TREB_PAWN = 0, TREB_KNIGHT, TREB_BISHOP, TREB_ROOK, TREB_QUEEN, TREB_KING, TREB_TYPES };
enum { TREB_FEN_SIZE = 96, TREB_MEN_MAX = 8 };

/* A position. Bit s of a board is square s. */
typedef struct treb_position {
    uint64_t by_color[2];         /* the men of White, of Black */
    uint64_t by_type[TREB_TYPES]; /* pawns, knights, ..., kings of both colours */
    uint8_t turn;                 /* TREB_WHITE or TREB_BLACK */
    uint8_t ep;                   /* square behind a pawn that just made a double step, or 0 */
    uint8_t castling;             /* bits 0 to 3: K, Q, k, q of the FEN */
    uint16_t halfmove;            /* plies since the last capture or pawn move */
    uint16_t fullmove;            /* the number of the move, from 1 */
} treb_position;

/* Reads a FEN of two (board and side to move) to six fields. TREB_ERR_FEN if the text is at fault,
 * TREB_ERR_POSITION if no such position can arise. Castling rights are read and kept. */
TREB_API treb_status treb_position_from_fen(const char *fen, treb_position *out, treb_error *error);

/* Writes all six fields of any position that treb_position_check accepts. */
TREB_API void treb_position_to_fen(const treb_position *pos, char out[TREB_FEN_SIZE]);

/* TREB_ERR_POSITION, with the reason, if the position cannot arise as far as can be told from
 * itself. Everything that takes a position below checks it in the same way. */
TREB_API treb_status treb_position_check(const treb_position *pos, treb_error *error);

/* The position after a legal move, given as "e7e8q" or, failing that, as "exd8=Q+"; castling as
 * "e1g1" or "O-O". TREB_ERR_ARGUMENT if the text is no such move. `out` may be `pos`. */
TREB_API treb_status treb_position_play(const treb_position *pos, const char *move,
                                        treb_position *out, treb_error *error);

/* ---- Values ---------------------------------------------------------------------------------- */

/* The result with best play for the side to move, in ascending order of merit. A cursed win is won
 * but for the 50-move rule; a blessed loss is what its victim has. */
typedef enum treb_wdl {
    TREB_LOSS = 0,
    TREB_BLESSED_LOSS,
    TREB_DRAW,
    TREB_CURSED_WIN,
    TREB_WIN
} treb_wdl;

/* What a table says of a position; docs/metrics.md has the definitions in full.
 * DTZ: plies to the next capture, pawn move or mate, under the 50-move rule: at most 100 where it
 *      suffices to win (or lose), more in cursed wins and blessed losses. Never rounded.
 * DTC: plies to the next capture, promotion or mate, through any pawn pushes; no 50-move rule.
 * DTM: plies to mate; no 50-move rule. */
typedef enum treb_metric { TREB_WDL = 0, TREB_DTZ, TREB_DTC, TREB_DTM, TREB_METRICS } treb_metric;

/* "loss", "blessed loss", "draw", "cursed win", "win". Static; never NULL. */
TREB_API const char *treb_wdl_text(treb_wdl wdl);

/* "wdl", "dtz", "dtc", "dtm". Static; never NULL. */
TREB_API const char *treb_metric_text(treb_metric metric);

/* The verdict of a position that has had `halfmove` plies without capture or pawn move, from its
 * verdict and DTZ at a clock of 0: a win is cursed and a loss blessed if halfmove + dtz > 100. */
TREB_API treb_wdl treb_wdl_with_clock(treb_wdl wdl, int dtz, int halfmove);

/* ---- Sets of tables -------------------------------------------------------------------------- */

typedef struct treb_tables treb_tables;

/* What wrote a file: Trebuchet (KRPvKR.wdl.treb, .dtz.treb, .dtc.treb, .dtm.treb), or a generator
 * of Syzygy's format (KRPvKR.rtbw with verdicts, KRPvKR.rtbz with DTZ; up to 7 men). */
typedef enum treb_format { TREB_FORMAT_TREBUCHET = 0, TREB_FORMAT_SYZYGY } treb_format;

/* Takes stock of the files named like KRPvKR.dtz.treb, KRPvKR.rtbw or KRPvKR.rtbz in `count`
 * directories. They are opened when first needed, and a damaged one makes only those probes fail
 * that need it. Of several with one name that in the first directory counts; of files in both
 * formats, ours, which is exact. No directory, or none with tables, is allowed: some
 * positions need none. NULL on failure: a directory cannot be read, or memory. The caller closes
 * the set. Files must not be changed while it is open; if they are, probes fail with an error and
 * do not lie.
 * Ours of codec symbols, and Syzygy's, are mapped into memory: cutting one short while it is open
 * ends the process.
 * Of ours a set keeps at most a quarter of the files that the process is allowed (RLIMIT_NOFILE, when
 * the set is opened) open, and at least 16: those least recently read are closed, and opened again
 * when needed. Syzygy's need one of these while a call that does not wait asks after them.
 * Cost: lists the directories; one allocation for each file found. No file is opened. */
TREB_API treb_tables *treb_tables_open(const char *const *directories, size_t count,
                                       treb_error *error);

/* In place of a directory "https://host/path/" or "http://host/path/" may be given, a folder of a
 * web server with a file SHA256SUMS in it, which lists what there is (docs/library.md). That takes
 * libtrebuchet-http: the program is linked with it, or it is installed and loaded when first
 * needed; else such an address is TREB_ERR_ARGUMENT. It is made of the interface that follows. */

/* Takes the next place off a path, in which they are parted by colons, as in TREBUCHET_PATH:
 * "/srv/tables:https://host:8080/tables/". The colons of an address do not part. Writes into the path,
 * and moves *rest behind what it returns; NULL at the end. Empty places are left out. */
TREB_API char *treb_next_place(char **rest);

/* How bytes are read from elsewhere. */
typedef enum treb_read {
    TREB_READ_WAIT = 0, /* wait until they are here, or cannot be had */
    TREB_READ_TRY,   /* what is in memory, else TREB_ERR_NOT_READY at once. Of bytes that could not
                        be had a moment ago it may be that failure */
    TREB_READ_BEGIN, /* begin to bring them, and TREB_ERR_NOT_READY at once; `out` may be NULL */
    TREB_READ_AGAIN  /* as WAIT, but not from what is kept of the file here: that was damaged */
} treb_read;

/* A place where table files are: a store, an archive, anything that can be read at an offset. All is
 * called by any thread, several at a time, but for `list` and `close`. What fails fills in `error`,
 * which is never NULL, and returns its status. A page of codes that was read is kept in the
 * set's memory; the checksums of all that comes are compared. */
typedef struct treb_source {
    const char *name; /* in messages, and in paths: NAME/KRPvKR.wdl.treb. Without functions it is a
                         directory, or an address as above */
    void *context;    /* what functions are called with */
    /* Calls `add` with the name of each file; of others than tables too, if that is easier. Files of
     * Syzygy's format are not read from elsewhere. */
    treb_status (*list)(void *context, void (*add)(void *to, const char *file), void *to,
                        treb_error *error);
    /* Makes a file ready to be read: a handle, and its size. */
    treb_status (*open)(void *context, const char *file, void **handle, uint64_t *size,
                        treb_error *error);
    /* Reads bytes, all of which are in the file. A file that was changed since it was opened is
     * TREB_ERR_DAMAGED, and never read on. */
    treb_status (*read)(void *context, void *handle, treb_read how, uint64_t offset, size_t size,
                        void *out, treb_error *error);
    void (*close_file)(void *context, void *handle);
    void (*close)(void *context);
} treb_source;

/* As treb_tables_open, of directories, addresses and sources. The set closes the sources at its end,
 * and if it cannot be opened; `name` must last as long. A probe that waits has all that it
 * lacks from sources brought side by side. */
TREB_API treb_tables *treb_tables_open_sources(const treb_source *sources, size_t count,
                                               treb_error *error);

/* Frees everything. No other call may be using the set. NULL is allowed. */
TREB_API void treb_tables_close(treb_tables *tables);

enum { TREB_MEMORY_DEFAULT = 64 << 20 };

/* Bytes of unpacked blocks to keep, at first TREB_MEMORY_DEFAULT, rounded down to pages of 4096
 * bytes; 0 keeps none. What is over the new budget is given back to the system at once. At most
 * 256 GiB count. Files opened, tables pinned and a buffer for each thread that unpacks come on
 * top. */
TREB_API void treb_tables_set_memory(treb_tables *tables, uint64_t bytes);

typedef struct treb_memory {
    uint64_t budget; /* bytes allowed for unpacked blocks */
    uint64_t cached; /* bytes of them in use */
    uint64_t pinned; /* bytes of pinned tables */
    uint64_t misses; /* blocks read and unpacked for probes since the set was opened */
} treb_memory;

TREB_API void treb_tables_get_memory(const treb_tables *tables, treb_memory *out);

/* A material is named as "KRPvKR": either colour first, the men of a side in any order, capitals or
 * not; "KRP-KR", "KRP v KR" and "KRPKR" do as well. */

/* Unpacks one table entirely, checking every block, and keeps it in memory until the set is
 * closed. Probes in other threads go on meanwhile. treb_tables_warm is for many tables: it leaves
 * them packed, in the system's memory.
 * A Syzygy file is only read once and its checksum compared: it is as packed in memory as on disk.
 * Cost: the time to read and unpack the file; memory for its cells, two bytes each at most. */
TREB_API treb_status treb_tables_pin(treb_tables *tables, const char *material, treb_metric metric,
                                     treb_error *error);

/* What the header of a file says. By side to move, then verdict. A Syzygy file says nothing of
 * counts and longest lines: they are 0. */
typedef struct treb_table_info {
    char material[24]; /* "KRPvKR" */
    treb_metric metric;
    treb_format format;
    const char *path;       /* owned by the set */
    uint64_t file_size;     /* bytes */
    uint64_t block_size;    /* bytes, before compression, that are unpacked at once */
    int stored[2];          /* whether the file holds cells of this side to move */
    uint64_t count[2][5];   /* positions: all legal ones on the full board, like men not told
                               apart, en passant left out */
    uint32_t longest[2][5]; /* plies of the longest line; 0 in WDL tables */
    char longest_fen[2][5][TREB_FEN_SIZE]; /* a position with it; empty if there is none */
} treb_table_info;

/* The files of the set, numbered from 0 in the order of men, material and metric. */
TREB_API size_t treb_tables_count(const treb_tables *tables);

/* The most men that a position may have which the set knows: those of its largest table, or solved pawn
 * ending, of which treb_tables_count and treb_tables_info do not tell. Told by names: nothing is opened. */
TREB_API int treb_tables_men(const treb_tables *tables);

/* Opens file `number` if need be and copies what its header says. When the file is damaged the
 * status says so, and material, metric and path are written all the same; the rest is then 0.
 * TREB_ERR_ARGUMENT if there is no such number. */
TREB_API treb_status treb_tables_info(const treb_tables *tables, size_t number,
                                      treb_table_info *out, treb_error *error);

/* The same by material and metric; TREB_ERR_NO_TABLE if not installed, TREB_ERR_ARGUMENT if there
 * is no such material. */
TREB_API treb_status treb_tables_find(const treb_tables *tables, const char *material,
                                      treb_metric metric, treb_table_info *out, treb_error *error);

/* How the distances of an ending are spread: out[p] is the number of positions (as in
 * treb_table_info.count) with `turn` to move and verdict `wdl` that take p plies, for p up to the
 * longest. Writes at most `capacity` of them, and to `count` how many there are: the longest + 1,
 * or 0 if there is no such position. It stands in the file's header: nothing is probed. Errors as
 * treb_tables_find; TREB_ERR_ARGUMENT for WDL, draws and files of format version 1, which have
 * none. */
TREB_API treb_status treb_tables_histogram(const treb_tables *tables, const char *material,
                                           treb_metric metric, int turn, treb_wdl wdl,
                                           uint64_t *out, size_t capacity, size_t *count,
                                           treb_error *error);

/* ---- Probes ---------------------------------------------------------------------------------- */

/* All probes take en passant into account. A position whose own table is not installed fails at
 * once with TREB_ERR_NO_TABLE, which names that table, before any move is looked at; so does a
 * capture whose table is needed. Where a solved pawn ending (`trebuchet solve --write`) of the set's folders
 * knows the position it answers instead, of any number of men: wins and losses under the 50-move rule, draws,
 * and DTZ as TREB_AT_MOST; DTC and DTM it does not know. Three kinds of positions need no table: mate, stalemate, and those
 * with too little material to mate (KvK, KNvK, KBvK). Failures are TREB_ERR_POSITION,
 * TREB_ERR_CASTLING, TREB_ERR_MEN (more than TREB_MEN_MAX, and not solved), TREB_ERR_NO_TABLE, TREB_ERR_DAMAGED,
 * TREB_ERR_IO, TREB_ERR_MEMORY. */

/* The verdict at a clock of 0: the clock of the position is not looked at, as suits the nodes of a
 * search right after a capture or pawn move.
 * Cost: its cell and those that captures lead to: one or two as a rule, at most 10.
 * Some 100 ns. */
TREB_API treb_status treb_probe_wdl(const treb_tables *tables, const treb_position *pos,
                                    treb_wdl *out, treb_error *error);

/* How good a distance is. A Syzygy file may be rounded: then it may be one ply more. Where a solved pawn
 * ending answers, DTZ is what its winner needs at most. */
enum { TREB_EXACT = 0, TREB_ROUNDED = 1, TREB_AT_MOST = 2 };

/* A distance, and for whom: the side to move wins (or loses) in `plies`. 0 in a draw and when
 * mated. */
typedef struct treb_distance {
    treb_wdl wdl; /* at a clock of 0, as treb_probe_wdl has it */
    int plies;
    int rounded; /* TREB_EXACT, TREB_ROUNDED or TREB_AT_MOST */
} treb_distance;

/* One metric, from its table and the WDL table, both of which must be installed. The clock is not
 * looked at. For TREB_WDL `plies` is 0.
 * Cost: the verdict, a cell, and the verdicts after captures and pawn moves (DTZ) or after captures
 * and promotions (DTC). Where the file has not the side to move, its moves are searched: at most
 * 300 cells. DTM takes the distances after captures and the last promotion, too: 20 cells on average,
 * but up to 3,000 where one man after the other is taken. 400 to 1,000 ns on average from
 * memory that is unpacked, 2 to 20 microseconds else. */
TREB_API treb_status treb_probe_distance(const treb_tables *tables, const treb_position *pos,
                                         treb_metric metric, treb_distance *out, treb_error *error);
TREB_API treb_status treb_probe_dtz(const treb_tables *tables, const treb_position *pos,
                                    treb_distance *out, treb_error *error);
TREB_API treb_status treb_probe_dtc(const treb_tables *tables, const treb_position *pos,
                                    treb_distance *out, treb_error *error);
TREB_API treb_status treb_probe_dtm(const treb_tables *tables, const treb_position *pos,
                                    treb_distance *out, treb_error *error);

/* All that is known of a position, or of a move from the side of the one who makes it. */
typedef struct treb_value {
    treb_wdl wdl;  /* at a clock of 0 */
    treb_wdl rule; /* with the clock that the position has. Without a DTZ table it may be too good
                      (a win) or too bad (a loss): certain only if status[TREB_DTZ] is TREB_OK or
                      the clock is 0. If DTZ is rounded and its last ply decides, it is the worse
                      for the winner */
    int plies[TREB_METRICS];          /* by metric; plies[TREB_WDL] is 0 */
    uint8_t rounded[TREB_METRICS];    /* by metric: TREB_EXACT, TREB_ROUNDED or TREB_AT_MOST */
    treb_status status[TREB_METRICS]; /* by metric: whether it is known, else why not. Without WDL
                                         nothing is known */
} treb_value;

/* Everything about one position under the 50-move rule, its clock included. The status is that of
 * WDL: distances that are not known are told by out->status and do not make it fail. `out` is
 * written unless the position is refused.
 * If the WDL table of the position is not installed, or if none covers it (castling rights, many
 * men), its moves may settle it: if one of them wins, or if all are known. It looks one move ahead
 * and no further. Positions are refused only if they cannot arise.
 * Cost: a verdict and three distances, 2 microseconds on average from memory that is unpacked;
 * without the WDL table that much for each move whose table is there. */
TREB_API treb_status treb_probe_root(const treb_tables *tables, const treb_position *pos,
                                     treb_value *out, treb_error *error);

enum { TREB_UCI_SIZE = 6, TREB_SAN_SIZE = 8, TREB_MOVES_MAX = 256 };
enum { /* treb_move.flags */
       TREB_MOVE_CAPTURE = 1,
       TREB_MOVE_ZEROING = 2,    /* a capture or pawn move: the clock starts anew */
       TREB_MOVE_CONVERSION = 4, /* a capture or promotion */
       TREB_MOVE_CHECK = 8,
       TREB_MOVE_MATE = 16,
       TREB_MOVE_STALEMATE = 32
};

/* A legal move. Its value is what the mover gets by it: a move that mates wins in 1 ply by every
 * metric. value.wdl is what it is worth played at a clock of 0: a quiet move into a loss in 100
 * plies is a cursed win. */
typedef struct treb_move {
    uint8_t from, to;
    uint8_t promotion; /* TREB_KNIGHT to TREB_QUEEN, or 0 */
    uint8_t flags;     /* TREB_MOVE_... */
    char uci[TREB_UCI_SIZE];
    char san[TREB_SAN_SIZE];
    treb_value value;
} treb_move;

/* Which rule the order of moves keeps to. */
typedef enum treb_rule {
    TREB_RULE_50,  /* the 50-move rule, with the clock of the position */
    TREB_RULE_NONE /* none: cursed wins count as wins, blessed losses as losses */
} treb_rule;

/* All legal moves, best first: by the verdict under the clock (value.rule), then by `metric`, wins
 * the shortest first, losses the longest; then mates, the other metrics, and a fixed order, so that
 * the answer is always the same. With TREB_WDL the verdict alone comes before the tie-breaks.
 * TREB_RULE_NONE changes the order alone: a win is a win, and a shorter mate that the 50-move rule
 * would not let happen comes before a longer one that it would. Values are the same by either.
 * Moves whose verdict is unknown come last. Writes at most `capacity` moves (TREB_MOVES_MAX always
 * suffice) and their number to `count`: 0 if the game is over.
 * Any position that can arise has its moves listed, castling among them, of any number of men:
 * those are valued that lead to what tables cover, mate or stalemate.
 * The status is TREB_OK if every move has what the order by `metric` needs. Otherwise it is the
 * first failure met; the moves are written all the same, with what is known, unless the position
 * is refused (then `count` is 0). If the position's own WDL table is not installed a failure for
 * want of a table names that one.
 * Cost: a verdict and three distances for each move, 50 microseconds on average; no allocation. */
TREB_API treb_status treb_probe_moves(const treb_tables *tables, const treb_position *pos,
                                      treb_metric metric, treb_rule rule, treb_move *out,
                                      size_t capacity, size_t *count, treb_error *error);

/* One legal move, given as "e7e8q", as treb_probe_moves has it, for callers who want to stop between
 * moves. The status is TREB_OK if the move has what the order by `metric` needs; otherwise `out` is
 * written all the same, unless the position is refused or the text is no legal move
 * (TREB_ERR_ARGUMENT). */
TREB_API treb_status treb_probe_move(const treb_tables *tables, const treb_position *pos,
                                     const char *move, treb_metric metric, treb_move *out,
                                     treb_error *error);

/* The order of treb_probe_moves: negative if `a` comes before `b`, both moves of one position. */
TREB_API int treb_compare_moves(const treb_move *a, const treb_move *b, treb_metric metric,
                                treb_rule rule);

/* Why a line ends. */
typedef enum treb_line_end {
    TREB_LINE_MATE,
    TREB_LINE_STALEMATE,
    TREB_LINE_DRAW,    /* the position is drawn by any play */
    TREB_LINE_CAPACITY /* no room for more moves */
} treb_line_end;

/* The line in which both sides play the first move of treb_probe_moves throughout. Cursed wins are
 * played out to mate beyond the 50-move rule. With TREB_RULE_NONE and TREB_DTM the line is as long
 * as DTM says, and DTM falls by one at every ply; with TREB_RULE_50 it may have another length, as
 * where the shortest mate would come too late for the rule. A line may be asked for in parts: from
 * the position after the last move it goes on as it would have. Cost: treb_probe_moves for each
 * ply, and once more. On failure `count` says how far the line came; those
 * moves are written. */
TREB_API treb_status treb_best_line(const treb_tables *tables, const treb_position *pos,
                                    treb_metric metric, treb_rule rule, treb_move *out,
                                    size_t capacity, size_t *count, treb_line_end *end,
                                    treb_error *error);

/* ---- All positions of an ending -------------------------------------------------------------- */

/* Called with one position after the other; 0 ends it. Kings and men are those of the table: of
 * "KRvKRP" the side with the pawn is White. */
typedef int (*treb_visit)(void *context, const treb_position *pos);

/* Visits the legal positions of an ending in the order in which its table has them, so that probing
 * each costs little. Of positions that are the same but for a symmetry of the board one is visited;
 * where both sides have the same men White is to move in all, as Black to move is the same with colours
 * exchanged. Else White to move comes first, then Black, of the same men on the same squares. En
 * passant is left out. The clock is 0.
 * `part` of `parts`, from 0 on: the parts are about as large, one behind the other, and threads
 * may visit different ones at the same time. Nothing is probed, and no table is needed.
 * Cost: some 20 ns a position. TREB_ERR_ARGUMENT if there is no such material or part, TREB_ERR_MEN. */
TREB_API treb_status treb_each_position(const treb_tables *tables, const char *material,
                                        uint64_t part, uint64_t parts, treb_visit visit,
                                        void *context, treb_error *error);

/* ---- Never wait for a disk ------------------------------------------------------------------- */

/* The probes above, answered if that needs no disk: all that they read is in the set's memory or in
 * the system's, and the files are open. Else they return TREB_ERR_NOT_READY at once, and what was
 * missing is fetched, so that asking again some milliseconds later may do. What they answer is what
 * the probes above do, and they fail in the same ways.
 *
 * What a probe reads depends on what it has read: a cold one may have to be asked for some three
 * times, a distance more often. A file that is not open is not opened, as opening reads its header
 * and index. So either let a thread fetch, or have the files opened at the start
 * (treb_tables_warm). Costs: as the probes above. Where something is missing, one or two calls of
 * the system more for each block that is; with a thread that fetches, a short lock.
 *
 * "At once" is as good as the system's word. Linux tells what of a file is in memory if the file
 * system can (ext4, XFS, Btrfs and others); where it cannot (tmpfs, FUSE, networks, overlays) the
 * answer is found by mincore for files that the user owns, and what is not in the set's own memory
 * counts as missing for others: there the thread is needed. Of files that are mapped, what was
 * in memory a second ago is taken to be there. */
TREB_API treb_status treb_probe_wdl_try(const treb_tables *tables, const treb_position *pos,
                                        treb_wdl *out, treb_error *error);
TREB_API treb_status treb_probe_distance_try(const treb_tables *tables, const treb_position *pos,
                                             treb_metric metric, treb_distance *out,
                                             treb_error *error);

/* As treb_probe_root and treb_probe_moves: what is known is written even so, and what is not ready
 * has that as its status. The status of the call is TREB_ERR_NOT_READY only if nothing else was met
 * first. */
TREB_API treb_status treb_probe_root_try(const treb_tables *tables, const treb_position *pos,
                                         treb_value *out, treb_error *error);
TREB_API treb_status treb_probe_moves_try(const treb_tables *tables, const treb_position *pos,
                                          treb_metric metric, treb_rule rule, treb_move *out,
                                          size_t capacity, size_t *count, treb_error *error);

/* Begins to fetch what treb_probe_wdl_try would lack, as far as that is known now, and returns at
 * once, as when a move is made whose position will be asked about. Neither reads nor unpacks. Cost:
 * that of a verdict, and as above where something is missing from the set's own memory. */
TREB_API void treb_prefetch(const treb_tables *tables, const treb_position *pos);

/* Who fetches what such calls lack. TREB_FETCH_SYSTEM, as at first: the thread that lacks it asks
 * the system to read ahead, which may take a moment where the disk has much to do; files are not
 * opened. TREB_FETCH_THREAD: one thread of the set's, asleep unless something lacks; it opens files,
 * and what it brings of ours is in the set's memory, unpacked. Recommended for engines. */
typedef enum treb_fetch { TREB_FETCH_SYSTEM = 0, TREB_FETCH_THREAD } treb_fetch;

/* May be called at any time; back to TREB_FETCH_SYSTEM, the thread ends first, which waits for what
 * it reads. treb_tables_close ends it, too. It takes no signals. After a fork the child has none.
 * TREB_ERR_MEMORY if the system allows no thread. */
TREB_API treb_status treb_tables_set_fetch(treb_tables *tables, treb_fetch fetch,
                                           treb_error *error);

/* How far a long call is, in bytes; anything but 0 stops it. */
typedef int treb_progress(void *context, uint64_t done, uint64_t total);

/* Opens all files of a metric, so that the calls above can use them. Then reads whole files, the
 * smallest first, into the system's memory, as many as are no more than `bytes` together: 0 for
 * none, UINT64_MAX for all. (Small tables are those that most searches come to, and the more are
 * complete.) They stay packed, take none of the set's budget, and the system may drop them when it
 * needs the memory; treb_tables_pin keeps one table for good, and unpacked.
 * `progress`, which may be NULL, is called after each file and each MiB, by the caller's thread. To
 * be stopped by it is no failure. A file that cannot be read does not keep the others from it: the
 * status is that of the first one. Waits for the disk; other threads may probe meanwhile. */
TREB_API treb_status treb_tables_warm(treb_tables *tables, treb_metric metric, uint64_t bytes,
                                      treb_progress *progress, void *context, treb_error *error);

#ifdef __cplusplus
}
#endif
#endif
