/* answer_games.c - the object of POST /v1/games: pasted games and positions, each position valued. */
#include <stdlib.h>
#include <string.h>

#include "core/pgn/input.h"
#include "core/system/error.h"
#include "json/answer.h"
#include "json/judge.h"
#include "json/put.h"
#include "json/words.h"

typedef struct Games {
    AnswerContext *context;
    json_t *list;
    size_t positions; /* valued so far */
    bool cut;         /* there were more than ANSWER_GAMES_MAX */
} Games;

/* ---- Texts ----------------------------------------------------------------------------------- */

/* A text that may be in Latin-1 instead of UTF-8, as in older games. */
static json_t *foreign_text(const char *text)
{
    json_t *string = json_string(text);
    if (string != NULL) return string;
    char *copy = malloc(2 * strlen(text) + 1), *to = copy;
    if (copy == NULL) return NULL;
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c >= 0x80) *to++ = (char)(0xc0 | c >> 6);
        *to++ = (char)(c >= 0x80 ? 0x80 | (c & 0x3f) : c);
    }
    *to = '\0';
    string = json_string(copy);
    free(copy);
    return string;
}

static void put_foreign(json_t *object, const char *name, const char *text)
{
    json_t *string = foreign_text(text);
    put(object, name, string != NULL ? string : json_null());
}

static void put_notes(json_t *object, const PgnGame *game, const PgnNotes *notes)
{
    json_t *nags = json_array();
    for (int i = 0; i < notes->nags; i++) json_array_append_new(nags, json_integer(notes->nag[i]));
    put(object, "nags", nags);
    put_foreign(object, "notes", pgn_text(game, notes->text));
}

/* ---- Positions and moves --------------------------------------------------------------------- */

static json_t *verdict_json(int verdict)
{
    return verdict != JUDGE_UNKNOWN ? json_text(answer_verdict((treb_wdl)verdict)) : json_null();
}

static void put_distances(json_t *object, const JudgedPosition *judged)
{
    static const char *const names[] = {"dtz_plies", "dtc_plies", "dtm_plies"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int plies = judge_plies(judged->probe, names[i]);
        put(object, names[i], plies >= 0 ? json_integer(plies) : json_null());
    }
}

static json_t *best_json(const json_t *best)
{
    static const char *const names[] = {"uci",       "san",       "verdict",
                                        "dtz_plies", "dtc_plies", "dtm_plies"};
    if (best == NULL) return json_null();
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        json_object_set(object, names[i], json_object_get(best, names[i]));
    return object;
}

static json_t *move_json(const PgnGame *game, const JudgeStep *step)
{
    char fen[TREB_FEN_SIZE];
    const char *word = judge_word(step->judgement);
    json_t *object = json_object();
    position_to_fen(&step->position->pos, fen);
    put(object, "uci", json_text(step->uci));
    put(object, "san", json_text(step->san));
    put(object, "fen", json_text(fen));
    put(object, "verdict_before", verdict_json(step->verdict_before));
    put(object, "verdict_after", verdict_json(step->verdict_after));
    put_distances(object, step->position);
    put(object, "judgement", word != NULL ? json_text(word) : json_null());
    put(object, "best", best_json(step->best));
    put_notes(object, game, &step->move->notes);
    return object;
}

typedef struct Listing {
    Games *games;
    const PgnGame *game;
    json_t *object, *moves;
} Listing;

static bool list_step(void *to, const JudgeStep *step)
{
    Listing *l = to;
    l->games->positions++;
    if (step->ply > 0) {
        json_array_append_new(l->moves, move_json(l->game, step));
    } else {
        put(l->object, "verdict", verdict_json(step->position->verdict));
        put_distances(l->object, step->position);
    }
    return true;
}

/* ---- Games ----------------------------------------------------------------------------------- */

/* Of tags with one name the first counts. */
static json_t *tags_json(const PgnGame *game)
{
    json_t *tags = json_object();
    for (size_t i = 0; i < game->tags; i++) {
        json_t *name = foreign_text(pgn_text(game, game->tag[i].name));
        const char *text = json_string_value(name);
        if (text != NULL && json_object_get(tags, text) == NULL)
            put_foreign(tags, text, pgn_text(game, game->tag[i].value));
        json_decref(name);
    }
    return tags;
}

static json_t *error_json(const PgnGame *game)
{
    treb_status status = game->error.status;
    if (status == TREB_OK) return json_null();
    json_t *object = answer_error(judge_code(status), game->error.text);
    put(object, "line", json_integer((json_int_t)game->error_line));
    return object;
}

static void put_start(json_t *object, const PgnGame *game)
{
    char fen[TREB_FEN_SIZE];
    if (game->started) position_to_fen(&game->start, fen);
    put(object, "start", game->started ? json_text(fen) : json_null());
    put(object, "verdict", json_null());
    put(object, "dtz_plies", json_null());
    put(object, "dtc_plies", json_null());
    put(object, "dtm_plies", json_null());
}

/* Adds a game. Leaves out moves beyond the limit of positions. */
static void add_game(Games *games, const PgnGame *game)
{
    size_t left = ANSWER_GAMES_MAX - games->positions;
    Listing l = {.games = games, .game = game, .object = json_object(), .moves = json_array()};
    put(l.object, "line", json_integer((json_int_t)game->line));
    put(l.object, "tags", tags_json(game));
    put_start(l.object, game);
    put_notes(l.object, game, &game->notes);
    judge_game(games->context, game, TREB_WDL, left - 1, list_step, &l);
    if (game->moves >= left) games->cut = true;
    put(l.object, "moves", l.moves);
    put(l.object, "result", json_text(game->result));
    put(l.object, "error", error_json(game));
    /* A game without any position counts as one, as a text may have many bad lines. */
    if (!game->started) games->positions++;
    json_array_append_new(games->list, l.object);
}

/* Returns whether another game may be added. */
static bool has_room(Games *games)
{
    return games->positions < ANSWER_GAMES_MAX && !answer_stopped(games->context);
}

static treb_status read_games(Games *games, TextReader *source, PgnGame *game, treb_error *error)
{
    bool found;
    for (;;) {
        treb_status status = pgn_next(source, game, &found, error);
        if (status != TREB_OK || !found) return status;
        if (!has_room(games)) {
            games->cut = true;
            return TREB_OK;
        }
        add_game(games, game);
    }
}

/* Reads a line of text as a game without moves. */
static treb_status line_game(size_t number, const char *line, PgnGame *game, treb_error *error)
{
    PositionText position;
    treb_error why;
    if (position_text_read(line, &position, &why) == TREB_OK) {
        treb_status status = pgn_of_position(&position, game, error);
        game->line = number;
        return status;
    }
    pgn_free(game);
    game->line = game->error_line = number;
    strcpy(game->result, "*");
    fail(&game->error, why.status, "line %zu: %.400s", number, why.text);
    return TREB_OK;
}

static treb_status read_lines(Games *games, TextReader *source, PgnGame *game, treb_error *error)
{
    char line[POSITION_TEXT_MAX];
    bool cut;
    for (size_t number = 1; text_reader_line(source, line, sizeof line, &cut); number++) {
        if (input_skips(line)) continue;
        if (!has_room(games)) {
            games->cut = true;
            return TREB_OK;
        }
        treb_status status = line_game(number, line, game, error);
        if (status != TREB_OK) return status;
        add_game(games, game);
    }
    return TREB_OK;
}

static treb_status read_all(Games *games, TextReader *source, treb_error *error)
{
    PgnGame game = {0};
    treb_status status = input_kind(source) == INPUT_PGN ? read_games(games, source, &game, error)
                                                         : read_lines(games, source, &game, error);
    pgn_free(&game);
    if (status == TREB_OK && json_array_size(games->list) == 0)
        status = fail(error, TREB_ERR_ARGUMENT,
                      "there is nothing to read: send a PGN, FENs or EPDs one a line, or a link");
    return status;
}

json_t *answer_games(AnswerContext *context, const char *body, size_t size, treb_error *error)
{
    TextInMemory text = {body, size};
    TextReader *source = malloc(sizeof *source);
    if (source == NULL) {
        fail_memory(error);
        return NULL;
    }
    Games games = {.context = context, .list = json_array()};
    text_reader_begin(source, text_in_memory_read, &text);
    treb_status status = read_all(&games, source, error);
    free(source);
    json_t *object = NULL;
    if (status == TREB_OK) {
        object = json_object();
        put(object, "games", json_incref(games.list));
        put(object, "positions", json_integer((json_int_t)games.positions));
        put(object, "cut", json_boolean(games.cut));
    }
    json_decref(games.list);
    answer_stopped(context);
    return answer_unless_stopped(context, object, error);
}
