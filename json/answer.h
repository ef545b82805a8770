/* answer.h - answers to the questions of the HTTP API and of `--json`, as JSON objects.
 *
 * This is built on the public library and on jansson, and knows nothing of HTTP. There are two
 * dialects: lila-tablebase's (answer_standard, answer_mainline), where distances are signed and a
 * move is seen by the opponent, and Trebuchet's own (all others), where the name of each value says
 * its unit and a move is seen by the side that makes it.
 *
 * Every function here returns a new object, or NULL and an error. Each is in a file of its own:
 * answer_probe in answer_probe.c. Functions of this folder begin with answer_, not json_, which is
 * jansson's prefix; builders of parts of an object end in _json, and functions that add members
 * begin with answer_put_. */
#ifndef TREB_JSON_ANSWER_H
#define TREB_JSON_ANSWER_H

#include "json/context.h"

enum { ANSWER_BATCH_MAX = 1000, ANSWER_LINE_MAX = 1024, ANSWER_GAMES_MAX = 1000 };

/* ---- lila-tablebase's dialect ---------------------------------------------------------------- */

/* The object of GET /standard, from a blocked-pawn table where tables end. Castling rights and any
 * number of men are allowed: what no table covers is null. *failure is the first failure other than
 * a missing table, or else the first missing table, or TREB_OK. Returns NULL if the position is
 * impossible. */
json_t *answer_standard(AnswerContext *context, const treb_position *pos, treb_error *failure);

/* The object of GET /standard/mainline: best play by DTZ, until the 50-move rule ends the game. */
json_t *answer_mainline(AnswerContext *context, const treb_position *pos, treb_error *error);

/* ---- Trebuchet's dialect --------------------------------------------------------------------- */

typedef struct AnswerProbe {
    treb_metric metric; /* order of the moves; TREB_WDL: the first known of DTM, DTC, DTZ */
    bool moves;         /* list the moves */
} AnswerProbe;

/* The object of GET /v1/probe. Every legal position has an answer: unknown values are null, and
 * "unknown" says why. Where tables end a blocked-pawn table may answer. Sets missing_material in the
 * context. */
json_t *answer_probe(AnswerContext *context, const treb_position *pos, const AnswerProbe *options,
                     treb_error *error);

/* The object of GET /v1/line: the best line by a metric (TREB_WDL: the first known) and a rule.
 * Where tables end the line comes from blocked-pawn tables, which ignore the rule. */
json_t *answer_line(AnswerContext *context, const treb_position *pos, treb_metric metric,
                    treb_rule rule, treb_error *error);

/* The object of POST /v1/batch, from the body of the request: many positions, each with an answer or
 * an error. TREB_ERR_ARGUMENT if the body is malformed. */
json_t *answer_batch(AnswerContext *context, const char *body, size_t size, treb_error *error);

/* The object of POST /v1/games, from a pasted text: games in PGN, or one position per line as FEN,
 * EPD or link. Each position is valued and each move judged, up to ANSWER_GAMES_MAX positions in
 * total. TREB_ERR_ARGUMENT if the text is empty. */
json_t *answer_games(AnswerContext *context, const char *text, size_t size, treb_error *error);

/* The object of GET /v1/tables: the installed tables. */
json_t *answer_tables(AnswerContext *context, treb_error *error);

/* The object of GET /v1/blocked: a position with blocked pawns, from its own table. Nothing is
 * solved. `attacker` is the side whose squares correspond to the defender's (TREB_WHITE or
 * TREB_BLACK; -1: the winner). TREB_ERR_POSITION if the pawns are not blocked, TREB_ERR_NO_TABLE if
 * there is no file. */
json_t *answer_blocked(AnswerContext *context, const treb_position *pos, int attacker,
                       treb_error *error);

typedef struct AnswerRandom {
    const char *material;
    int turn;           /* TREB_WHITE or TREB_BLACK, with colours as in the table; -1: either */
    int verdict;        /* a treb_wdl for the side to move; -1: any */
    treb_metric metric; /* of `plies`; TREB_WDL: any distance */
    int plies;
    uint64_t seed;
} AnswerRandom;

/* The object of GET /v1/random: a random position of a material. TREB_ERR_ARGUMENT if no position
 * with the verdict and the distance was found. */
json_t *answer_random(AnswerContext *context, const AnswerRandom *request, treb_error *error);

/* The object of GET /v1/shift and `trebuchet shift --json`: all men of a position shifted together to
 * each place on the board, with the value of each place for either side to move. */
json_t *answer_shift(AnswerContext *context, const treb_position *pos, treb_error *error);

/* The object of GET /v1/rules: what the built-in rules of thumb for the position's ending say,
 * whether they are right here, and how often they are right in the whole ending. */
json_t *answer_rules(AnswerContext *context, const treb_position *pos, treb_error *error);

/* The object of GET /v1/strategies: the built-in strategies and what was proved of each. With `pos`,
 * only those for its ending, each with the move that it plays, the advice that it follows and the
 * whole tree that the advice leads to. `pos` may be NULL. No table is probed. */
json_t *answer_strategies(AnswerContext *context, const treb_position *pos, treb_error *error);

/* The object of GET /v1/stats: counts, histograms and longest lines of one material. */
json_t *answer_stats(AnswerContext *context, const char *material, treb_error *error);

#endif
