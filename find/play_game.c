/* play_game.c - see play.h: plays single games with a strategy, and many games to compare with the
 * proof. */
#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "core/system/hash.h"
#include "find/play_proof.h"

/* ---- A game ---------------------------------------------------------------------------------- */

static treb_status play_move(PlayGame *game, treb_position *pos, Move m, int advice,
                             treb_error *error)
{
    if (game->moves == game->room) {
        size_t room = game->room ? 2 * game->room : 64;
        PlayMove *grown = realloc(game->move, room * sizeof *grown);
        if (grown == NULL) return fail_memory(error);
        game->move = grown;
        game->room = room;
    }
    game->move[game->moves++] = (PlayMove){m, advice};
    position_make(pos, m, pos);
    return TREB_OK;
}

static treb_status defend(const PlayQuery *query, const treb_position *pos, uint64_t *random,
                          Move *out, treb_error *error)
{
    if (random != NULL) {
        Move moves[MOVES_MAX];
        uint64_t count = (uint64_t)movegen_legal(pos, moves);
        *out = moves[splitmix64(random) % count];
        return TREB_OK;
    }
    treb_move best[TREB_MOVES_MAX];
    size_t count;
    treb_status status = treb_probe_moves(query->tables, pos, TREB_DTC, TREB_RULE_NONE, best,
                                          TREB_MOVES_MAX, &count, error);
    if (status == TREB_OK) *out = move_make(best[0].from, best[0].to, best[0].promotion);
    return status;
}

/* Whether the game ends at this position. `changed` says that the last move changed the
 * material. */
static treb_status ends_here(const PlayQuery *query, const treb_position *pos, bool changed,
                             bool *over, PlayGame *game, treb_error *error)
{
    bool wins = false;
    *over = true;
    if (pos->turn == TREB_BLACK && !movegen_any(pos)) {
        game->end = position_in_check(pos) ? PLAY_MATE : PLAY_STALEMATE;
        return TREB_OK;
    }
    treb_status status = play_white_wins(query->tables, pos, &wins, error);
    game->end = wins ? PLAY_SUB_ENDING : PLAY_THROWN;
    *over = changed || !wins;
    return status;
}

/* The positions at which plans were made in a game. When one occurs for the third time, the game
 * goes in circles. */
typedef struct History {
    treb_position *pos;
    size_t count, room;
} History;

static treb_status note_place(History *history, const treb_position *pos, bool *circle,
                              treb_error *error)
{
    treb_position place = *pos;
    int seen = 0;
    place.halfmove = place.fullmove = 0;
    for (size_t i = 0; i < history->count; i++) seen += position_equal(&history->pos[i], &place);
    *circle = seen >= 2;
    if (history->count == history->room) {
        size_t room = history->room ? 2 * history->room : 64;
        treb_position *grown = realloc(history->pos, room * sizeof *grown);
        if (grown == NULL) return fail_memory(error);
        history->pos = grown;
        history->room = room;
    }
    history->pos[history->count++] = place;
    return TREB_OK;
}

typedef struct GameRun {
    const PlayQuery *query;
    Strategy *strategy;
    uint64_t *random;
    PlayGame *game;
    treb_position pos;
    Plan plan;
    uint32_t node; /* node of the plan with White's next move; 0: a new plan is needed */
    History history;
} GameRun;

static treb_status move_white(GameRun *run, bool *over, treb_error *error)
{
    treb_status status = TREB_OK;
    if (run->node == 0) {
        bool circle;
        status = note_place(&run->history, &run->pos, &circle, error);
        if (status == TREB_OK)
            status = strategy_plan(run->strategy, &run->pos, run->query->stop, &run->plan, error);
        run->game->end = circle ? PLAY_CIRCLE : PLAY_NO_ADVICE;
        *over = circle || run->plan.advice < 0;
        if (*over || status != TREB_OK) return status;
        run->node = 1;
    }
    const Move m = plan_move(&run->plan, run->plan.node[run->node].move);
    const bool changed = play_changes_material(&run->pos, m);
    status = play_move(run->game, &run->pos, m, run->plan.advice, error);
    return status == TREB_OK ? ends_here(run->query, &run->pos, changed, over, run->game, error)
                             : status;
}

static treb_status move_black(GameRun *run, bool *over, treb_error *error)
{
    Move m;
    treb_status status = defend(run->query, &run->pos, run->random, &m, error);
    if (status != TREB_OK) return status;
    const bool changed = play_changes_material(&run->pos, m);
    if (run->node != 0) run->node = plan_answer(&run->plan, run->node, m);
    status = play_move(run->game, &run->pos, m, -1, error);
    return status == TREB_OK ? ends_here(run->query, &run->pos, changed, over, run->game, error)
                             : status;
}

treb_status play_game(const PlayQuery *query, Strategy *strategy, const treb_position *pos,
                      uint64_t *random, PlayGame *game, treb_error *error)
{
    GameRun run = {
        .query = query, .strategy = strategy, .random = random, .game = game, .pos = *pos};
    bool over;
    game->moves = 0;
    treb_status status = ends_here(query, pos, false, &over, game, error);
    while (status == TREB_OK && !over)
        status = run.pos.turn == TREB_WHITE ? move_white(&run, &over, error)
                                            : move_black(&run, &over, error);
    plan_free(&run.plan);
    free(run.history.pos);
    return status;
}

void play_game_free(PlayGame *game)
{
    free(game->move);
    memset(game, 0, sizeof *game);
}

/* ---- Many ------------------------------------------------------------------------------------ */

/* Applies a symmetry of the board to a position. */
static void turn_board(const Index *index, treb_position *pos, unsigned symmetry)
{
    symmetry &= index->pawns ? SYM_FILES : 7;
    for (int c = 0; c < 2; c++)
        pos->by_color[c] = index_symmetry_board((int)symmetry, pos->by_color[c]);
    for (int type = TREB_PAWN; type < TREB_TYPES; type++)
        pos->by_type[type] = index_symmetry_board((int)symmetry, pos->by_type[type]);
}

static void count_game(Proof *proof, const PlayGame *game, int proven)
{
    PlayReport *r = proof->report;
    const int moves = (int)((game->moves + 1) / 2);
    r->games++;
    r->game[game->end]++;
    if (game->end <= PLAY_SUB_ENDING) {
        r->game_moves += (uint64_t)moves;
        if (moves > r->game_longest) r->game_longest = moves;
    }
    if (proven != 0 && (game->end > PLAY_SUB_ENDING || (int)game->moves > proven))
        r->contradicted++;
}

void play_games(Proof *proof)
{
    const PlayQuery *query = proof->query;
    Strategy *strategy = NULL;
    PlayGame game = {0};
    uint64_t state = query->seed;
    if (query->games == 0 || proof->report->of[TREB_WHITE].won == 0) return;
    proof->status = strategy_open(query->path, query->stop, &strategy, &proof->error);
    for (uint64_t g = 0; g < query->games && proof->status == TREB_OK && !play_stopped(query);
         g++) {
        uint64_t cell;
        treb_position pos;
        do cell = splitmix64(&state) % proof->index.size;
        while (proof->root[cell].edges == 0);
        play_position_of(proof, cell, &pos);
        turn_board(&proof->index, &pos, (unsigned)splitmix64(&state));
        const bool random = g % 2 == 1 || proof->report->longest_best < 0;
        proof->status =
            play_game(query, strategy, &pos, random ? &state : NULL, &game, &proof->error);
        if (proof->status == TREB_OK) count_game(proof, &game, proof->root[cell].plies);
        if (query->progress != NULL) query->progress(query->context, g + 1, query->games);
    }
    play_game_free(&game);
    strategy_free(strategy);
}
