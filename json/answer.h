/* answer.h - what the tables say, as JSON objects: for the server and for `trebuchet probe --json`.
 *
 * Built on the public library and on jansson; nothing here knows of HTTP. Two dialects are spoken:
 * lila-tablebase's (answer_standard, answer_mainline: signed distances, a move seen by the
 * opponent) and our own (the others: each value named with its unit, a move seen by the one who
 * makes it). */
#ifndef TREB_ANSWER_ANSWER_H
#define TREB_ANSWER_ANSWER_H

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "trebuchet.h"

enum { ANSWER_BATCH_MAX = 1000, ANSWER_LINE_MAX = 1024, ANSWER_GAMES_MAX = 1000 };

/* What an answer lacks. */
enum {
    ANSWER_PARTIAL = 1, /* something is null because a table is not installed */
    ANSWER_DAMAGED = 2, /* a damaged file was met */
    ANSWER_FAILED = 4,  /* something could not be read just now */
    ANSWER_STOPPED = 8  /* there is no answer, as its time was up or it was cancelled */
};

/* Functions that build answers return a new object, or NULL and an error. Flags of what was met
 * on the way are added to `lacks` either way.
 *
 * Work can be stopped: every builder asks answer_stopped between the probes of single moves, the
 * positions of a batch, some plies of a line, the files of a list. It then returns NULL with
 * TREB_ERR_IO, and ANSWER_STOPPED is in `lacks`. A context that is stopped stays so. */
typedef struct AnswerContext {
    const treb_tables *tables;
    const char *const *directories; /* where blocked-pawn tables are looked for */
    size_t directory_count;
    unsigned lacks;
    const atomic_bool *cancel; /* set by another thread to stop the work; may be NULL */
    uint64_t deadline;         /* by answer_clock; 0: there is none */
} AnswerContext;

/* Nanoseconds of a clock that never goes back. */
uint64_t answer_clock(void);

/* Whether the work is to end: its time is up, or it was cancelled. Costs some 50 ns. */
bool answer_stopped(AnswerContext *context);

/* Reads a position as people have it (core/pgn/position_text.h): a FEN or an EPD, in quotes or in a tag
 * as well, or a link with a FEN in it. */
treb_status answer_read_position(const char *text, treb_position *out, treb_error *error);

/* ---- Words ----------------------------------------------------------------------------------- */

/* "no_table": the word for a failure that programs compare. */
const char *answer_code(treb_status status);

/* "cursed_win". */
const char *answer_verdict(treb_wdl wdl);

/* Reads such a word; false if it is none. */
bool answer_verdict_of(const char *text, treb_wdl *out);

/* Reads "dtm", "dtc" or "dtz"; false if it is none. */
bool answer_metric(const char *text, treb_metric *out);

/* "50" or "none"; and reads them, false if it is neither. */
const char *answer_rule_name(treb_rule rule);
bool answer_rule_of(const char *text, treb_rule *out);

/* The first metric of dtm, dtc, dtz that is known of a position; TREB_WDL if none is. */
treb_metric answer_known_metric(const treb_value *value);

/* {"code":...,"message":...}; bytes that are not UTF-8 are replaced. */
json_t *answer_error(const char *code, const char *message);

/* The material whose table is missing by a message of TREB_ERR_NO_TABLE, in the form that tables
 * have. False if it names none. */
bool answer_missing(const char *message, char material[24]);

/* All that is known of a position and its moves, for those who do not want JSON: as treb_probe_root
 * and treb_probe_moves by DTM, `moves` with room for TREB_MOVES_MAX. Moves to positions without a
 * table are looked at one move further, and looked up in blocked-pawn tables; they may settle the
 * position. Where it is not known the status says why (answer_probe has the same), and the moves are
 * there all the same. */
treb_status answer_position_value(AnswerContext *context, const treb_position *pos,
                                  treb_value *value, treb_move *moves, size_t *count,
                                  treb_error *error);

/* What of the moves is not known by a metric: the first failure. Probes no further than that one. */
treb_status answer_moves_status(AnswerContext *context, const treb_position *pos,
                                treb_metric metric, treb_error *error);

/* Whether one of such moves wins under the clock: then the position does, known DTZ or not. */
bool answer_wins_surely(const treb_move *moves, size_t count, const treb_position *pos);

/* Sorts such moves by another metric. */
void answer_sort(treb_move *moves, size_t count, treb_metric metric);

/* ---- lila-tablebase's dialect ---------------------------------------------------------------- */

/* The same as lila-tablebase reads it: castling rights and en passant squares that cannot be are
 * dropped. */
treb_status answer_standard_position(const char *text, treb_position *out, treb_error *error);

/* The object of GET /standard, from a blocked-pawn table where tables end. Castling rights and any number of men are allowed: what no table
 * covers is null. *failure tells what hurt first, TREB_OK if nothing did. NULL if the position is
 * impossible. */
json_t *answer_standard(AnswerContext *context, const treb_position *pos, treb_error *failure);

/* The object of GET /standard/mainline: best play by DTZ while the 50-move rule lasts. */
json_t *answer_mainline(AnswerContext *context, const treb_position *pos, treb_error *error);

/* ---- Our own --------------------------------------------------------------------------------- */

typedef struct AnswerProbe {
    treb_metric metric; /* orders the moves; TREB_WDL: the first known of dtm, dtc, dtz */
    bool moves;         /* whether to list them */
} AnswerProbe;

/* Any position that can arise has an answer: what is not known is null, and "unknown" says why. Where
 * tables end a blocked-pawn table may answer. */
json_t *answer_probe(AnswerContext *context, const treb_position *pos, const AnswerProbe *options,
                     treb_error *error);

/* The best line by a metric (TREB_WDL: the first known) and a rule. Where tables end it is that of
 * blocked-pawn tables, which leave the rule aside. */
json_t *answer_line(AnswerContext *context, const treb_position *pos, treb_metric metric,
                    treb_rule rule, treb_error *error);

/* Answers the body of a batch: many positions, each with an answer or an error of its own.
 * TREB_ERR_ARGUMENT if the body is not what it should be. */
json_t *answer_batch(AnswerContext *context, const char *body, size_t size, treb_error *error);

/* Answers a text that somebody pasted: games in PGN, or positions, FEN, EPD or a link, one a line.
 * Each position is valued and each move judged, up to ANSWER_GAMES_MAX positions in all.
 * TREB_ERR_ARGUMENT if nothing is there. */
json_t *answer_games(AnswerContext *context, const char *text, size_t size, treb_error *error);

/* What is installed. */
json_t *answer_tables(AnswerContext *context, treb_error *error);

/* Kings among blocked pawns, from the position's own table; nothing is solved. The
 * corresponding squares are those of `attacker` (TREB_WHITE or TREB_BLACK; -1: the winner).
 * TREB_ERR_POSITION if the position is not blocked, TREB_ERR_NO_TABLE if there is no file. */
json_t *answer_ranks(AnswerContext *context, const treb_position *pos, int attacker,
                     treb_error *error);

/* A position of a material by chance, which has a verdict for the side to move and a distance, if
 * these are wanted. TREB_ERR_ARGUMENT if none is found. */
typedef struct AnswerRandom {
    const char *material;
    int turn;    /* TREB_WHITE or TREB_BLACK, of the material as its table has it; -1: either */
    int verdict; /* a treb_wdl; -1: any */
    treb_metric metric; /* TREB_WDL: any distance will do */
    int plies;
    uint64_t seed;
} AnswerRandom;

json_t *answer_random(AnswerContext *context, const AnswerRandom *wish, treb_error *error);

/* A position slid over the board, its men keeping their places to each other: what each place is worth,
 * with either side to move. The object of `trebuchet shift --json`. */
json_t *answer_shift(AnswerContext *context, const treb_position *pos, treb_error *error);

/* What the rules that come with the program say of a position of an ending that they are about, whether they are
 * right, and how often they are over all of it. */
json_t *answer_rules(AnswerContext *context, const treb_position *pos, treb_error *error);

/* The strategies that come with the program, and what was proven of each; of a position only those of its ending, with
 * what they play, and by which advice: the whole of the tree that is followed. `pos` may be NULL. Tables are not asked. */
json_t *answer_strategies(AnswerContext *context, const treb_position *pos, treb_error *error);

/* Counts, histograms and longest lines of one material. */
json_t *answer_stats(AnswerContext *context, const char *material, treb_error *error);

#endif
