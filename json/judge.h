/* judge.h - judges a game by the tables: the value of each position, and what each move gave away. For
 * the server's /v1/games and for `trebuchet probe FILE`. */
#ifndef TREB_JSON_JUDGE_H
#define TREB_JSON_JUDGE_H

#include "core/pgn/pgn_read.h"
#include "json/answer.h"

enum { JUDGE_UNKNOWN = -1 };

/* "bad_move", "bad_fen": the code for the error of a game or a line. */
const char *judge_code(treb_status status);

typedef enum Judgement {
    JUDGE_NOTHING, /* a good move, or an unknown one */
    JUDGE_DUBIOUS, /* still a draw under the 50-move rule, but worse without it */
    JUDGE_CURSED, /* worse only because of the 50-move rule: a win that now comes too late, or a loss
                      that would have come too late before */
    JUDGE_BLUNDER /* gives away a win or a draw */
} Judgement;

/* "dubious", "cursed", "blunder"; NULL for none. */
const char *judge_word(Judgement judgement);

/* The NAG of a judgement: 6 (?!), 2 (?), 4 (??), or 0. */
unsigned judge_nag(Judgement judgement);

typedef struct JudgedPosition {
    treb_position pos;
    int verdict;      /* a treb_wdl for the side to move, with the clock; or JUDGE_UNKNOWN */
    json_t *probe;    /* the object of answer_probe, or NULL */
    treb_error error; /* why `probe` is NULL */
    bool mate, stalemate;
} JudgedPosition;

/* Values a position, with its moves ordered by the metric. A position that no table knows is not an
 * error. */
void judge_position(AnswerContext *context, const treb_position *pos, treb_metric metric,
                    JudgedPosition *out);
void judge_free(JudgedPosition *judged);

/* Returns a distance by the name of its member, "dtz_plies"; -1 if it is null or missing. */
int judge_plies(const json_t *value, const char *member);

/* Returns the best known move, an object of the probe's moves. Returns NULL if no move is known, or if
 * all known moves lose and others are unknown. */
const json_t *judge_best(const JudgedPosition *judged);

/* Returns the member "verdict" of an object, or JUDGE_UNKNOWN. */
int judge_verdict(const json_t *value);

/* A move of a game, or the start of the game. */
typedef struct JudgeStep {
    size_t ply;                     /* 0: the start, where only `position` is set */
    const JudgedPosition *position; /* after the move */
    const JudgedPosition *before;
    const PgnMove *move;
    const char *uci, *san;
    int verdict_before, verdict_after; /* for the side that makes the move; or JUDGE_UNKNOWN */
    Judgement judgement;
    const json_t *best; /* judge_best of the position before */
} JudgeStep;

/* Calls `see` for the start of a game and for at most `most` moves, until it returns false or the work
 * is stopped. */
void judge_game(AnswerContext *context, const PgnGame *game, treb_metric metric, size_t most,
                bool (*see)(void *to, const JudgeStep *step), void *to);

#endif
