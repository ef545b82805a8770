/* tables.c - see tables.h. */
#include "tables.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "eval.h"
#include "score.h"

/* ---- Opening --------------------------------------------------------------------------------- */

enum { FOLDERS_MAX = 64 };

bool tables_open(Tables *t, const char *path, unsigned memory_mib, treb_error *error)
{
    const char *folder[FOLDERS_MAX];
    size_t count = 0;
    char *copy = strdup(path), *rest = copy;
    treb_tables *set = NULL;
    if (copy == NULL) {
        *error = (treb_error){.status = TREB_ERR_MEMORY, .text = "out of memory", .metric = -1};
        return false;
    }
    for (char *at; (at = treb_next_place(&rest)) != NULL;)
        if (count < FOLDERS_MAX) folder[count++] = at;
    if (count > 0) set = treb_tables_open(folder, count, error);
    free(copy);
    if (count > 0 && set == NULL) return false;
    tables_close(t);
    if (set == NULL) return true;
    t->set = set;
    t->men = treb_tables_men(set);
    treb_tables_set_memory(set, (uint64_t)memory_mib << 20);
    /* A thread of the library fetches what probes find missing. If the thread cannot be started,
     * searches with a clock use only files that tables_warm or a waiting search has opened. */
    treb_tables_set_fetch(set, TREB_FETCH_THREAD, NULL);
    return true;
}

void tables_warm(Tables *t, unsigned mib)
{
    if (t->set) treb_tables_warm(t->set, TREB_WDL, (uint64_t)mib << 20, NULL, NULL, NULL);
}

void tables_close(Tables *t)
{
    treb_tables_close(t->set);
    t->set = NULL;
    t->men = 0;
}

/* ---- Positions ------------------------------------------------------------------------------- */

/* Squares, types and colours have equal numbers in the engine and in the library, so this takes a few
 * nanoseconds. */
static treb_position to_position(const Board *b)
{
    treb_position pos = {.by_color = {b->all[WHITE], b->all[BLACK]},
                         .turn = b->turn,
                         .ep = b->ep,
                         .castling = b->castling,
                         .halfmove =
                             (uint16_t)(b->halfmove < UINT16_MAX ? b->halfmove : UINT16_MAX),
                         .fullmove = 1};
    for (int type = 0; type < TYPES; type++)
        pos.by_type[type] = b->men[WHITE][type] | b->men[BLACK][type];
    return pos;
}

bool tables_read_fen(const char *fen, Board *out, treb_error *error)
{
    treb_position pos;
    if (treb_position_from_fen(fen, &pos, error) != TREB_OK) return false;
    board_clear(out);
    for (int color = 0; color < 2; color++)
        for (int type = 0; type < TYPES; type++)
            for (uint64_t men = pos.by_color[color] & pos.by_type[type]; men;)
                board_put(out, color, type, bit_pop(&men));
    out->turn = pos.turn;
    out->ep = pos.ep;
    out->castling = pos.castling;
    out->halfmove = pos.halfmove;
    board_finish(out);
    return true;
}

void tables_write_fen(const Board *b, char out[TREB_FEN_SIZE])
{
    treb_position pos = to_position(b);
    treb_position_to_fen(&pos, out);
}

int tables_men(const Tables *t) { return t->men < t->limit ? t->men : t->limit; }

/* No table has positions with castling rights. The engine searches these until the rights are gone. */
static bool may_ask(const Tables *t, const Board *b)
{
    int men = bit_count(b->all[WHITE] | b->all[BLACK]);
    return t->set && b->castling == 0 && men <= tables_men(t);
}

bool tables_know(const Tables *t, const Board *b)
{
    treb_wdl verdict;
    if (!may_ask(t, b)) return false;
    treb_position pos = to_position(b);
    treb_status status = treb_probe_wdl_try(t->set, &pos, &verdict, NULL);
    return status == TREB_OK || status == TREB_ERR_NOT_READY;
}

/* ---- Waiting or not -------------------------------------------------------------------------- */

/* A read from a disk takes milliseconds, in which a search visits thousands of positions. With a slow
 * disk, engines have lost games on time. So a search with a clock never waits: a position whose data is
 * not in memory is evaluated, like a position that no table has, while the library fetches the data for
 * the next probe. A search to a depth or a number of nodes waits, so its result is reproducible. */
static treb_status ask_wdl(Tables *t, const treb_position *pos, treb_wdl *out)
{
    if (t->patient) return treb_probe_wdl(t->set, pos, out, NULL);
    treb_status status = treb_probe_wdl_try(t->set, pos, out, NULL);
    t->lacked += status == TREB_ERR_NOT_READY;
    return status;
}

static treb_status ask_distance(const Tables *t, const treb_position *pos, treb_metric metric,
                                treb_distance *out)
{
    if (t->patient) return treb_probe_distance(t->set, pos, metric, out, NULL);
    return treb_probe_distance_try(t->set, pos, metric, out, NULL);
}

static treb_status ask_moves(const Tables *t, const treb_position *pos, treb_metric metric,
                             treb_move *out, size_t room, size_t *count)
{
    if (t->patient)
        return treb_probe_moves(t->set, pos, metric, TREB_RULE_50, out, room, count, NULL);
    return treb_probe_moves_try(t->set, pos, metric, TREB_RULE_50, out, room, count, NULL);
}

/* Repeats the probe until the data has arrived, for at most *seconds. */
static treb_status ask_moves_for(const Tables *t, const treb_position *pos, treb_metric metric,
                                 treb_move *out, size_t *count, double *seconds,
                                 const atomic_bool *stop)
{
    const struct timespec moment = {0, 1000000};
    treb_status status;
    while ((status = ask_moves(t, pos, metric, out, TREB_MOVES_MAX, count)) == TREB_ERR_NOT_READY &&
           *seconds > 0 && !atomic_load(stop)) {
        nanosleep(&moment, NULL);
        *seconds -= 1e-3;
    }
    return status;
}

/* ---- The root -------------------------------------------------------------------------------- */

static Move to_move(const treb_move *m) { return move_make(m->from, m->to, m->promotion); }

/* Whether unknown moves cannot be better than the first move. A pawn file has many unknown moves,
 * because the proof does not need them. */
static bool best_does(Tables *t, const treb_position *pos, const treb_move *list, size_t count)
{
    treb_wdl verdict;
    if (count == 0 || list[0].value.status[TREB_WDL] != TREB_OK) return false;
    if (list[0].value.rule == TREB_WIN) return list[0].value.status[TREB_DTZ] == TREB_OK;
    return ask_wdl(t, pos, &verdict) == TREB_OK && verdict == list[0].value.wdl;
}

/* Keeps the moves of `list` that are in root->moves and have the result of the first of them. */
static size_t keep_best(treb_move *list, size_t count, const TablesRoot *root)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        bool allowed = false;
        for (int k = 0; k < root->count; k++) allowed |= root->moves[k] == to_move(&list[i]);
        allowed &= list[i].value.status[TREB_WDL] == TREB_OK;
        if (allowed && (kept == 0 || list[i].value.rule == list[0].value.rule))
            list[kept++] = list[i];
    }
    return kept;
}

/* Returns the first move that leads to a position seen least often, because the winner must not repeat
 * positions. */
static size_t choose_new(const treb_move *list, size_t count, const Board *b, TablesSeen *seen,
                         const void *game)
{
    size_t best = 0;
    int least = 0;
    for (size_t i = 0; i < count; i++) {
        Board child;
        board_make(b, to_move(&list[i]), &child);
        int times = seen(game, &child);
        if (i == 0 || times < least) {
            best = i;
            least = times;
        }
        if (times == 0) break;
    }
    return best;
}

static int score_of_move(const treb_value *v)
{
    int win = SCORE_WIN - v->plies[TREB_DTZ];
    if (v->dtm50_status == TREB_OK)
        win = SCORE_MATE - v->dtm50;
    else if (v->status[TREB_DTM] == TREB_OK)
        win = SCORE_MATE - v->plies[TREB_DTM];
    switch (v->rule) {
    case TREB_WIN:
        return win;
    case TREB_LOSS:
        return -win;
    default:
        return SCORE_CURSED * ((int)v->rule - TREB_DRAW);
    }
}

/* treb_probe_moves sorts the moves by the result under the 50-move rule with the present clock, then by
 * the shortest mate (the longest for the losing side). DTM50 is the shortest mate that the rule allows; it
 * needs its files where DTM is longer than the rest of the clock. With DTM the win is kept, but the mate may
 * not be the fastest that the rule allows. Without DTM, DTZ makes enough progress. With verdicts alone, all
 * moves that keep the verdict are left, and the search must find the way. In a draw, all moves that draw are
 * left, and the search hopes for a mistake of the opponent. */
bool tables_root(Tables *t, const Board *b, TablesSeen *seen, const void *game, double seconds,
                 const atomic_bool *stop, TablesRoot *root)
{
    static const treb_metric order[] = {TREB_DTM50, TREB_DTM, TREB_DTZ, TREB_WDL};
    treb_move list[TREB_MOVES_MAX];
    size_t count = 0, best = 0;
    treb_status status = TREB_ERR_NO_TABLE;
    treb_metric metric = TREB_WDL;
    if (!may_ask(t, b)) return false;
    treb_position pos = to_position(b);
    for (size_t i = 0; i < 4 && status != TREB_OK; i++) {
        metric = order[i];
        status = ask_moves_for(t, &pos, metric, list, &count, &seconds, stop);
        if (status == TREB_ERR_NO_TABLE && metric == TREB_DTZ && best_does(t, &pos, list, count))
            status = TREB_OK;
    }
    if (status != TREB_OK) return false;
    t->hits += count;
    count = keep_best(list, count, root);
    if (count == 0) return false;

    treb_wdl result = list[0].value.rule;
    root->decided = result != TREB_DRAW && metric != TREB_WDL;
    if (root->decided) {
        if (result > TREB_DRAW) best = choose_new(list, count, b, seen, game);
        root->score = score_of_move(&list[best].value);
        list[0] = list[best];
        count = 1;
    }
    root->count = (int)count;
    for (size_t i = 0; i < count; i++) root->moves[i] = to_move(&list[i]);
    return true;
}

int tables_line(const Tables *t, const Board *b, Move *out, int capacity)
{
    treb_position pos = to_position(b);
    int length = 0;
    while (length < capacity) {
        treb_move best;
        size_t count;
        treb_status status = ask_moves(t, &pos, TREB_DTM50, &best, 1, &count);
        if (status != TREB_OK) status = ask_moves(t, &pos, TREB_DTM, &best, 1, &count);
        bool bound = status == TREB_ERR_NO_TABLE && count > 0 && best.value.rounded[TREB_DTZ];
        if (bound && best.value.status[TREB_WDL] == TREB_OK) status = TREB_OK;
        if (status != TREB_OK || count == 0 || best.value.wdl == TREB_DRAW) break;
        out[length++] = to_move(&best);
        treb_position_play(&pos, best.uci, &pos, NULL);
    }
    return length;
}

/* ---- The tree -------------------------------------------------------------------------------- */

static void trace(const Tables *t, const char *what, const treb_position *pos)
{
    char fen[TREB_FEN_SIZE];
    if (t->trace == NULL) return;
    treb_position_to_fen(pos, fen);
    fprintf(t->trace, "%s %s\n", what, fen);
}

/* Probes the verdict with the clock of the position. Most nodes that a search probes come right after a
 * capture; then the verdict is enough. Otherwise DTZ says whether there is time left, unless it is rounded
 * and the last ply decides: then the search goes on. */
static bool probe_rule(Tables *t, const treb_position *pos, treb_wdl *out)
{
    treb_distance dtz;
    trace(t, "wdl", pos);
    if (ask_wdl(t, pos, out) != TREB_OK) return false;
    if (pos->halfmove == 0 || (*out != TREB_WIN && *out != TREB_LOSS)) return true;
    if (ask_distance(t, pos, TREB_DTZ, &dtz) != TREB_OK) return false;
    treb_value value = {.wdl = *out, .status = {[TREB_DTC] = TREB_ERR_NO_TABLE, [TREB_DTM] = TREB_ERR_NO_TABLE}};
    value.plies[TREB_DTZ] = dtz.plies;
    value.rounded[TREB_DTZ] = (uint8_t)dtz.rounded;
    if (treb_value_doubt(&value, pos->halfmove) != TREB_DOUBT_NONE) return false;
    *out = treb_value_rule(&value, pos->halfmove);
    return true;
}

/* Returns the score of a win. Without DTM, the evaluation measures progress. */
static int win_score(const Tables *t, const treb_position *pos, const Board *b, int ply, int sign)
{
    treb_distance dtm;
    trace(t, "dtm", pos);
    if (ask_distance(t, pos, TREB_DTM, &dtm) == TREB_OK) return SCORE_MATE - ply - dtm.plies;
    int progress = sign * eval_position(b) / 16;
    if (progress > 250) progress = 250;
    if (progress < -250) progress = -250;
    return SCORE_WIN - ply + progress;
}

/* Probes the verdict first. It costs a tenth of a microsecond, and most nodes need no more: a win is
 * above nearly every window of a search, and a loss below. Only if the window contains scores of wins,
 * on the principal variation or after a win was found, must the search compare two wins. Only then is
 * the distance worth its cost: several times that of a verdict if its block is in memory, and some
 * hundred times if a block must be unpacked. */
bool tables_probe(Tables *t, const Board *b, int ply, int alpha, int beta, int *score)
{
    treb_wdl rule;
    if (!may_ask(t, b)) return false;
    treb_position pos = to_position(b);
    if (!probe_rule(t, &pos, &rule)) return false;
    t->hits++;
    if (rule != TREB_WIN && rule != TREB_LOSS)
        *score = SCORE_CURSED * ((int)rule - TREB_DRAW);
    else if (rule == TREB_WIN)
        *score = beta <= SCORE_WIN_MIN ? SCORE_WIN_MIN : win_score(t, &pos, b, ply, 1);
    else
        *score = alpha >= -SCORE_WIN_MIN ? -SCORE_WIN_MIN : -win_score(t, &pos, b, ply, -1);
    return true;
}
