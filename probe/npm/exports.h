/* exports.h - what the WebAssembly module and the JavaScript around it (trebuchet.mjs) ask of each other.
 *
 * The module has one set of tables, whose files JavaScript reads. JavaScript cannot wait, so reading says
 * TREB_ERR_NOT_READY, notes the bytes, and the call is made again when they are there (docs/library.md).
 *
 * Texts go in through web_text, and results come out through web_result: 32-bit numbers, little-endian. A call that fails
 * returns minus a status and leaves the reason in web_error; others return 0 or more. */
#ifndef TREB_PROBE_NPM_EXPORTS_H
#define TREB_PROBE_NPM_EXPORTS_H

#include "trebuchet.h"

#define WEB_EXPORT(name) __attribute__((export_name(name)))
#define WEB_IMPORT(name) __attribute__((import_module("web"), import_name(name)))

enum { WEB_TEXT_SIZE = 256, WEB_NAME_SIZE = 64, WEB_MOVES_MAX = 1024, WEB_PLIES_MAX = 4096 };

/* A value as JavaScript reads it; TREB_METRICS entries of each array, WDL first. */
typedef struct WebValue {
    int32_t wdl, rule, doubt;
    int32_t plies[TREB_METRICS], rounded[TREB_METRICS], status[TREB_METRICS];
    int32_t dtm50, dtm50_status;
} WebValue;

/* A move as JavaScript reads it. */
typedef struct WebMove {
    char uci[8], san[8];
    int32_t flags;
    WebValue value;
} WebMove;

/* ---- Asked of JavaScript --------------------------------------------------------------------- */

/* Returns the number of files; they are numbered from 0. */
WEB_IMPORT("files") int web_files(void);

/* Writes the name of a file into `out`. */
WEB_IMPORT("name") void web_name(int file, char *out, int size);

/* Returns the size of a file in bytes, or minus a status: minus TREB_ERR_NOT_READY if it must be asked for first. */
WEB_IMPORT("size") double web_size(int file);

/* Reads bytes of a file: treb_source.read. */
WEB_IMPORT("read") int web_read(int file, int how, double offset, int size, void *out);

/* ---- Offered to JavaScript ------------------------------------------------------------------- */

char *web_text(void);              /* WEB_TEXT_SIZE bytes */
const void *web_result(void);      /* what the calls below write */
const treb_error *web_error(void); /* of the call that failed last */

/* Opens the set of all files; `memory` is its budget in bytes. */
int web_open(double memory);
void web_memory(treb_memory *out);

/* These read a FEN from web_text. web_wdl returns a treb_wdl; web_root writes a WebValue; web_moves
 * returns the number of moves that it wrote as WebMoves. With `known` it takes what is known: then a
 * missing table does not make it fail, and the status of each value says what is. */
int web_wdl(void);
int web_root(void);
int web_moves(int metric, int rule, int known);

/* web_line_begin reads a FEN; web_line goes on until the line ends, writes the moves found so far as WebMoves and their
 * number to the 32-bit number in front, and why it ended behind that: -1 not yet. After
 * TREB_ERR_NOT_READY it is called again. */
int web_line_begin(void);
int web_line(int metric, int rule, int most);

/* Reads a FEN, a zero and a move; writes the FEN after it. */
int web_play(void);

/* These read a material. web_endings writes its name as files have it, and then the names of its sub-endings, each in
 * WEB_NAME_SIZE bytes; it returns how many names. web_info writes what the header of its file says, as a treb_table_info.
 * web_histogram writes how often each distance occurs, as 64-bit numbers, and returns how many: treb_tables_histogram. */
int web_endings(void);
int web_info(int metric);
int web_histogram(int metric, int turn, int wdl);
#endif
