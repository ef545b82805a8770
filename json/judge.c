/* judge.c - see judge.h. Values come from answer_probe, so they include everything that it can derive. */
#include "json/judge.h"

#include <string.h>

#include "core/system/error.h"
#include "json/answer.h"
#include "json/coverage.h"
#include "json/words.h"

/* ---- Words ----------------------------------------------------------------------------------- */

const char *judge_code(treb_status status)
{
    return status == TREB_ERR_ARGUMENT ? "bad_move" : answer_code(status);
}

const char *judge_word(Judgement judgement)
{
    static const char *const words[] = {NULL, "dubious", "cursed", "blunder"};
    return words[judgement];
}

unsigned judge_nag(Judgement judgement)
{
    static const unsigned nags[] = {0, 6, 2, 4};
    return nags[judgement];
}

int judge_verdict(const json_t *value)
{
    const char *word = json_string_value(json_object_get(value, "verdict"));
    treb_wdl wdl;
    return word != NULL && answer_verdict_of(word, &wdl) ? (int)wdl : JUDGE_UNKNOWN;
}

int judge_plies(const json_t *value, const char *member)
{
    const json_t *plies = json_object_get(value, member);
    return json_is_integer(plies) ? (int)json_integer_value(plies) : -1;
}

/* Returns the verdict for the other side. */
static int turned(int verdict)
{
    return verdict == JUDGE_UNKNOWN ? JUDGE_UNKNOWN : TREB_WIN - verdict;
}

/* ---- Positions ------------------------------------------------------------------------------- */

void judge_position(AnswerContext *context, const treb_position *pos, treb_metric metric,
                    JudgedPosition *out)
{
    const AnswerProbe options = {.metric = metric, .moves = true};
    *out = (JudgedPosition){.pos = *pos};
    if (!movegen_any(pos)) {
        out->mate = position_in_check(pos);
        out->stalemate = !out->mate;
    }
    out->probe = answer_probe(context, pos, &options, &out->error);
    out->verdict = out->probe != NULL ? judge_verdict(out->probe) : JUDGE_UNKNOWN;
}

void judge_free(JudgedPosition *judged)
{
    json_decref(judged->probe);
    judged->probe = NULL;
}

const json_t *judge_best(const JudgedPosition *judged)
{
    size_t i;
    const json_t *move, *best = NULL;
    int verdict = JUDGE_UNKNOWN;
    json_array_foreach(json_object_get(judged->probe, "moves"), i, move)
    {
        if (judge_verdict(move) <= verdict) continue;
        best = move;
        verdict = judge_verdict(move);
    }
    /* Where other moves are unknown, a losing move is not the best, and neither is one that is worse
     * than the position's own value. */
    if (judged->verdict == JUDGE_UNKNOWN) return verdict == TREB_LOSS ? NULL : best;
    return verdict < judged->verdict ? NULL : best;
}

/* Values a position of a game. Most have far more men than any table of `men` men at most. */
static void judge_quickly(AnswerContext *context, const treb_position *pos, treb_metric metric,
                          int men, JudgedPosition *out)
{
    if (!answer_beyond_tables(pos, men)) {
        judge_position(context, pos, metric, out);
        return;
    }
    *out = (JudgedPosition){.pos = *pos, .verdict = JUDGE_UNKNOWN};
    if (answer_covered(pos) == TREB_ERR_MEN)
        answer_fail_covered(TREB_ERR_MEN, &out->error);
    else
        fail(&out->error, TREB_ERR_NO_TABLE, "no table of so many men is installed");
    answer_note(context, out->error.status);
}

/* ---- Moves ----------------------------------------------------------------------------------- */

/* Returns the result of the game: -1 for a loss, 0 for a draw, 1 for a win. */
static int result_of(int verdict)
{
    return verdict == TREB_WIN ? 1 : verdict == TREB_LOSS ? -1 : 0;
}

static Judgement judgement_of(int before, int after)
{
    if (before == JUDGE_UNKNOWN || after == JUDGE_UNKNOWN || after >= before) return JUDGE_NOTHING;
    if (result_of(before) == result_of(after)) return JUDGE_DUBIOUS;
    bool ruled = (before == TREB_WIN && after == TREB_CURSED_WIN) ||
                 (before == TREB_BLESSED_LOSS && after == TREB_LOSS);
    return ruled ? JUDGE_CURSED : JUDGE_BLUNDER;
}

/* Returns the verdict of a move in the list of the position before it. */
static int verdict_of_move(const JudgedPosition *before, const char *uci)
{
    size_t i;
    const json_t *move;
    json_array_foreach(json_object_get(before->probe, "moves"), i, move)
    {
        const char *text = json_string_value(json_object_get(move, "uci"));
        if (text != NULL && strcmp(text, uci) == 0) return judge_verdict(move);
    }
    return JUDGE_UNKNOWN;
}

static void judge_move(const JudgedPosition *before, const JudgedPosition *after, JudgeStep *step)
{
    step->before = before;
    step->position = after;
    step->best = judge_best(before);
    step->verdict_before = before->verdict;
    step->verdict_after = verdict_of_move(before, step->uci);
    if (step->verdict_after == JUDGE_UNKNOWN) step->verdict_after = turned(after->verdict);
    /* A null move is no choice. If the position is unknown, its best known move is what could have been played. */
    int known = before->verdict != JUDGE_UNKNOWN ? before->verdict : judge_verdict(step->best);
    bool chosen = step->move->move != PGN_NULL_MOVE;
    step->judgement = chosen ? judgement_of(known, step->verdict_after) : JUDGE_NOTHING;
}

void judge_game(AnswerContext *context, const PgnGame *game, treb_metric metric, size_t most,
                bool (*see)(void *to, const JudgeStep *step), void *to)
{
    JudgedPosition before, after;
    if (!game->started || answer_stopped(context)) return;
    int men = treb_tables_men(context->tables);
    judge_quickly(context, &game->start, metric, men, &before);
    JudgeStep start = {.position = &before};
    bool on = see(to, &start);
    for (size_t i = 0; on && i < game->moves && i < most && !answer_stopped(context); i++) {
        char uci[UCI_SIZE], san[SAN_SIZE];
        treb_position next;
        JudgeStep step = {.ply = i + 1, .move = &game->move[i], .uci = uci, .san = san};
        pgn_write_move(&before.pos, game->move[i].move, uci, san);
        pgn_play(&before.pos, game->move[i].move, &next);
        judge_quickly(context, &next, metric, men, &after);
        judge_move(&before, &after, &step);
        on = !answer_stopped(context) && see(to, &step);
        judge_free(&before);
        before = after;
    }
    judge_free(&before);
}
