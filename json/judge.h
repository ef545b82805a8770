/* judge.h - games judged by the tables: what each position is worth, and what each move gave away.
 * One judge for the server's /v1/games and for `trebuchet probe FILE`. */
#ifndef TREB_ANSWER_JUDGE_H
#define TREB_ANSWER_JUDGE_H

#include "json/answer.h"
#include "core/pgn/pgn_read.h"

enum { JUDGE_UNKNOWN = -1 };

/* "bad_move", "bad_fen": the word for a game's fault, or that of a line. */
const char *judge_code(treb_status status);

typedef enum Judgement {
    JUDGE_NOTHING, /* no fault, or not known */
    JUDGE_DUBIOUS, /* a draw as before by the 50-move rule, but worse without it */
    JUDGE_CURSED,  /* the result is lost, but only by the 50-move rule: a win now comes too late, or
                      a loss no longer does */
    JUDGE_BLUNDER  /* the result is lost: a win or a draw */
} Judgement;

/* "dubious", "cursed", "blunder"; NULL for none. */
const char *judge_word(Judgement judgement);

/* The NAG of a judgement: 6 (?!), 2 (?), 4 (??), or 0. */
unsigned judge_nag(Judgement judgement);

typedef struct JudgedPosition {
    treb_position pos;
    int verdict;      /* a treb_wdl, the clock included, for the side to move; or JUDGE_UNKNOWN */
    json_t *probe;    /* the object of answer_probe, or NULL */
    treb_error error; /* why there is none */
    bool mate, stalemate;
} JudgedPosition;

/* Values a position; the moves are ordered by the metric. What no table knows is no failure. */
void judge_position(AnswerContext *context, const treb_position *pos, treb_metric metric,
                    JudgedPosition *out);
void judge_free(JudgedPosition *judged);

/* A distance by its member, "dtz_plies"; -1 if it is not known, or there is none. */
int judge_plies(const json_t *value, const char *member);

/* The best move known, an object of the probe's moves; NULL if none is known, or if all that are known
 * lose and others are not known. */
const json_t *judge_best(const JudgedPosition *judged);

/* The verdict that an object has as its member "verdict", or JUDGE_UNKNOWN. */
int judge_verdict(const json_t *value);

/* A move of a game, or its start. */
typedef struct JudgeStep {
    size_t ply;                     /* 0: the start; nothing below but `position` is there then */
    const JudgedPosition *position; /* after the move */
    const JudgedPosition *before;
    const PgnMove *move;
    const char *uci, *san;
    int verdict_before, verdict_after; /* for the side that moves; or JUDGE_UNKNOWN */
    Judgement judgement;
    const json_t *best; /* the best move known before; NULL if there is none */
} JudgeStep;

/* Goes through a game from its start and through at most `most` moves, until `see` says false or the
 * work is stopped. */
void judge_game(AnswerContext *context, const PgnGame *game, treb_metric metric, size_t most,
                bool (*see)(void *to, const JudgeStep *step), void *to);

#endif
