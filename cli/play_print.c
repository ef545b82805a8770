/* play_print.c - see play_print.h. */
#include "cli/play_print.h"

#include <stdio.h>

#include "cli/output.h"
#include "cli/text.h"
#include "core/chess/position.h"
#include "core/chess/san.h"

/* ---- A test ---------------------------------------------------------------------------------- */

static double share(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print_totals(const PlayPrint *what, const PlayTotals *t, const char *turn)
{
    char won[32], wins[32];
    cli_format_count(t->won, won);
    cli_format_count(t->wins, wins);
    printf("%s, %s to move: ", what->material, turn);
    if (t->wins == t->won)
        printf("wins all %s won positions", won);
    else
        printf("wins %s of %s won positions (%.4g %%)", wins, won, share(t->wins, t->won));
    if (t->wins > 0) printf(", in %d move%s at most", t->longest, t->longest == 1 ? "" : "s");
    putchar('\n');
}

static void print_example(const PlayExample *e)
{
    char fen[TREB_FEN_SIZE], best[32] = "";
    position_to_fen(&e->pos, fen);
    if (e->best >= 0) snprintf(best, sizeof best, " (best %d)", e->best);
    if (e->moves >= 0)
        printf("    %4d %-5s%-10s  %s\n", e->moves, cli_plural((uint64_t)e->moves, "move", "moves"),
               best, fen);
    else
        printf("    %s%s\n", fen, best);
}

static void print_faults(const PlayReport *r)
{
    char here[32], all[32];
    for (int end = PLAY_NO_ADVICE; end < PLAY_ENDS; end++) {
        if (r->here[end] == 0) continue;
        cli_format_count(r->here[end], here);
        cli_format_count(r->of[TREB_WHITE].fault[end], all);
        printf("\n  %s: in %s positions with White to move", play_end_text((PlayEnd)end), here);
        if (end != PLAY_CIRCLE) printf("; Black can reach one from %s", all);
        putchar('\n');
        for (size_t i = 0; i < r->wrongs[end]; i++) print_example(&r->wrong[end][i]);
    }
}

/* Prints the positions in which most failures end, for the author of the strategy. */
static void print_places(const PlayPrint *what, const PlayReport *r)
{
    char count[32], fen[TREB_FEN_SIZE];
    if (r->place_count == 0) return;
    cli_format_count(r->place_count, count);
    printf("\n  failures end in %s position%s; the most frequent ones:\n", count,
           r->place_count == 1 ? "" : "s");
    for (size_t i = 0; i < r->places; i++) {
        const PlayPlace *p = &r->place[i];
        cli_format_count(p->failures, count);
        position_to_fen(&p->pos, fen);
        printf("    %15s  %s  %s", count, fen, play_end_text(p->end));
        if (p->advice >= 0) printf(" (%s)", strategy_advice(what->strategy, p->advice));
        putchar('\n');
    }
}

static void print_advice(const PlayPrint *what, const PlayReport *r)
{
    char count[32];
    puts("\n  advice, with the number of positions with White to move that follow it");
    for (int i = 0; i < strategy_advice_count(what->strategy); i++) {
        cli_format_count(r->followed[i], count);
        printf("    %15s  %5.1f %%  %s\n", count, share(r->followed[i], r->of[TREB_WHITE].won),
               strategy_advice(what->strategy, i));
    }
}

static void print_by_best(const PlayReport *r)
{
    char count[32];
    if (r->longest_best < 0) return;
    puts("\n  moves needed with best play, and moves that the strategy takes where it wins\n"
         "    needed        positions     mean  longest");
    for (int best = 0; best < PLAY_BEST_MAX; best++) {
        const PlayByBest *b = &r->by_best[best];
        if (b->count == 0) continue;
        cli_format_count(b->count, count);
        printf("    %6d  %15s  %7.2f  %7d\n", best, count, (double)b->sum / (double)b->count,
               b->longest);
    }
}

static void print_games(const PlayReport *r)
{
    char games[32], count[32];
    if (r->games == 0) return;
    uint64_t won = r->game[PLAY_MATE] + r->game[PLAY_SUB_ENDING];
    cli_format_count(r->games, games);
    cli_format_count(won, count);
    printf("\n  %s games: %s won", games, count);
    if (won > 0)
        printf(", in %.2f moves on average, %d at most", (double)r->game_moves / (double)won,
               r->game_longest);
    for (int end = PLAY_NO_ADVICE; end < PLAY_ENDS; end++)
        if (r->game[end] > 0) {
            cli_format_count(r->game[end], count);
            printf("; %s %s", play_end_text((PlayEnd)end), count);
        }
    printf("; %s\n", r->contradicted ? "NOT as proved" : "all agree with the proof");
}

void play_print(const PlayPrint *what, const PlayReport *r)
{
    print_totals(what, &r->of[TREB_WHITE], "White");
    print_totals(what, &r->of[TREB_BLACK], "Black");
    if (r->longest_best >= 0)
        printf("  with best play at most %d %s needed\n", r->longest_best,
               cli_plural((uint64_t)r->longest_best, "move is", "moves are"));
    print_faults(r);
    print_places(what, r);
    print_advice(what, r);
    print_by_best(r);
    if (r->worsts > 0) puts("\n  longest");
    for (size_t i = 0; i < r->worsts; i++) print_example(&r->worst[i]);
    print_games(r);
}

static json_t *json_totals(const PlayTotals *t)
{
    json_t *object = json_object(), *faults = json_object();
    json_object_set_new(object, "won", json_integer((json_int_t)t->won));
    json_object_set_new(object, "wins", json_integer((json_int_t)t->wins));
    json_object_set_new(object, "longest_moves", json_integer(t->longest));
    for (int end = PLAY_NO_ADVICE; end < PLAY_ENDS; end++)
        json_object_set_new(faults, play_end_text((PlayEnd)end),
                            json_integer((json_int_t)t->fault[end]));
    json_object_set_new(object, "can_end_in", faults);
    return object;
}

static json_t *json_examples(const PlayExample *example, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        char fen[TREB_FEN_SIZE];
        json_t *object = json_object();
        position_to_fen(&example[i].pos, fen);
        json_object_set_new(object, "fen", json_string(fen));
        json_object_set_new(object, "moves",
                            example[i].moves < 0 ? json_null() : json_integer(example[i].moves));
        json_object_set_new(object, "best_moves",
                            example[i].best < 0 ? json_null() : json_integer(example[i].best));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *json_faults(const PlayReport *r)
{
    json_t *object = json_object();
    for (int end = PLAY_NO_ADVICE; end < PLAY_ENDS; end++) {
        json_t *fault = json_object();
        json_object_set_new(fault, "positions", json_integer((json_int_t)r->here[end]));
        json_object_set_new(fault, "examples", json_examples(r->wrong[end], r->wrongs[end]));
        json_object_set_new(object, play_end_text((PlayEnd)end), fault);
    }
    return object;
}

static json_t *json_places(const PlayPrint *what, const PlayReport *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->places; i++) {
        const PlayPlace *p = &r->place[i];
        char fen[TREB_FEN_SIZE];
        json_t *object = json_object();
        position_to_fen(&p->pos, fen);
        json_object_set_new(object, "fen", json_string(fen));
        json_object_set_new(object, "end", json_string(play_end_text(p->end)));
        json_object_set_new(object, "positions", json_integer((json_int_t)p->failures));
        json_object_set_new(
            object, "advice",
            p->advice < 0 ? json_null() : json_string(strategy_advice(what->strategy, p->advice)));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *json_by_best(const PlayReport *r)
{
    json_t *list = json_array();
    for (int best = 0; best < PLAY_BEST_MAX; best++) {
        const PlayByBest *b = &r->by_best[best];
        if (b->count == 0) continue;
        json_t *object = json_object();
        json_object_set_new(object, "best_moves", json_integer(best));
        json_object_set_new(object, "positions", json_integer((json_int_t)b->count));
        json_object_set_new(object, "mean_moves",
                            cli_json_real((double)b->sum / (double)b->count, 3));
        json_object_set_new(object, "longest_moves", json_integer(b->longest));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *json_games(const PlayReport *r)
{
    json_t *object = json_object();
    json_object_set_new(object, "played", json_integer((json_int_t)r->games));
    json_object_set_new(object, "longest_moves", json_integer(r->game_longest));
    json_object_set_new(object, "against_proof", json_integer((json_int_t)r->contradicted));
    for (int end = 0; end < PLAY_ENDS; end++)
        json_object_set_new(object, play_end_text((PlayEnd)end),
                            json_integer((json_int_t)r->game[end]));
    return object;
}

int play_print_json(const PlayPrint *what, const PlayReport *r)
{
    json_t *object = json_object(), *advice = json_object();
    json_object_set_new(object, "strategy", cli_json_text(what->path));
    json_object_set_new(object, "material", json_string(what->material));
    json_object_set_new(object, "white_to_move", json_totals(&r->of[TREB_WHITE]));
    json_object_set_new(object, "black_to_move", json_totals(&r->of[TREB_BLACK]));
    json_object_set_new(object, "best_longest_moves",
                        r->longest_best < 0 ? json_null() : json_integer(r->longest_best));
    json_object_set_new(object, "fails", json_faults(r));
    json_object_set_new(object, "places", json_integer((json_int_t)r->place_count));
    json_object_set_new(object, "led_to", json_places(what, r));
    for (int i = 0; i < strategy_advice_count(what->strategy); i++)
        json_object_set_new(advice, strategy_advice(what->strategy, i),
                            json_integer((json_int_t)r->followed[i]));
    json_object_set_new(object, "followed", advice);
    json_object_set_new(object, "by_best", json_by_best(r));
    json_object_set_new(object, "longest", json_examples(r->worst, r->worsts));
    if (r->games > 0) json_object_set_new(object, "games", json_games(r));
    return cli_json_answer("play", object);
}

/* ---- A game ---------------------------------------------------------------------------------- */

void play_print_game(const PlayPrint *what, const treb_position *first, const PlayGame *game)
{
    treb_position pos = *first;
    char san[SAN_SIZE];
    int number = 1;
    for (size_t i = 0; i < game->moves; i++) {
        const PlayMove *m = &game->move[i];
        move_to_san(&pos, m->move, san);
        if (pos.turn == TREB_WHITE) {
            const bool last = i + 1 == game->moves;
            char reply[SAN_SIZE] = "";
            treb_position next;
            position_make(&pos, m->move, &next);
            if (!last) move_to_san(&next, game->move[i + 1].move, reply);
            printf("%4d. %-7s %-7s  %s\n", number++, san, reply,
                   strategy_advice(what->strategy, m->advice));
        } else if (i == 0) {
            printf("%4d. %-7s %s\n", number++, "...", san);
        }
        position_make(&pos, m->move, &pos);
    }
    const size_t moves = (game->moves + 1) / 2;
    printf("%s after %zu move%s\n", play_end_text(game->end), moves, moves == 1 ? "" : "s");
}

int play_print_game_json(const PlayPrint *what, const treb_position *first, const PlayGame *game)
{
    treb_position pos = *first;
    json_t *object = json_object(), *list = json_array();
    char fen[TREB_FEN_SIZE], san[SAN_SIZE], uci[UCI_SIZE];
    position_to_fen(&pos, fen);
    for (size_t i = 0; i < game->moves; i++) {
        json_t *move = json_object();
        move_to_san(&pos, game->move[i].move, san);
        move_to_uci(game->move[i].move, uci);
        json_object_set_new(move, "san", json_string(san));
        json_object_set_new(move, "uci", json_string(uci));
        if (pos.turn == TREB_WHITE)
            json_object_set_new(move, "advice",
                                json_string(strategy_advice(what->strategy, game->move[i].advice)));
        json_array_append_new(list, move);
        position_make(&pos, game->move[i].move, &pos);
    }
    json_object_set_new(object, "strategy", cli_json_text(what->path));
    json_object_set_new(object, "fen", json_string(fen));
    json_object_set_new(object, "moves", list);
    json_object_set_new(object, "end", json_string(play_end_text(game->end)));
    return cli_json_answer("play", object);
}
