/* answer_random.c - the object of GET /v1/random: a random position of an ending, with a given verdict
 * or distance.
 *
 * Random positions are drawn until one matches. If that takes too many, as with rare distances, the
 * position is taken from the longest line of the ending, where each ply reduces the distance by one. */
#include <stdlib.h>
#include <string.h>

#include "core/chess/material.h"
#include "core/chess/movegen.h"
#include "core/system/error.h"
#include "core/system/hash.h"
#include "json/answer.h"
#include "json/put.h"

enum { DRAWS = 4096, LINE_MAX = 1024 };

typedef struct Draw {
    AnswerContext *context;
    const AnswerRandom *request;
    Material material;
    char name[MATERIAL_NAME_SIZE];
    uint64_t state; /* of the generator of random numbers */
} Draw;

/* Puts the men on random squares. Returns false if the position is illegal, or the game is over in it. */
static bool draw_position(Draw *d, treb_position *pos)
{
    *pos = (treb_position){.fullmove = 1};
    pos->turn =
        (uint8_t)(d->request->turn >= 0 ? d->request->turn : (int)(splitmix64(&d->state) >> 63));
    for (int color = 0; color < 2; color++)
        for (int type = 0; type < TREB_TYPES; type++)
            for (int i = 0; i < d->material.count[color][type]; i++) {
                uint64_t number = splitmix64(&d->state) >> 32;
                int square = (int)(type == TREB_PAWN ? 8 + number % 48 : number % 64);
                if (bit_test(position_occupied(pos), square)) return false;
                position_put(pos, color, type, square);
            }
    return position_ok(pos) && movegen_any(pos);
}

/* Returns whether a position belongs to the ending, and the game is not over in it. */
static bool is_of_ending(const Draw *d, const treb_position *pos)
{
    Material material = material_of_position(pos);
    material_canonical(&material);
    return material_equal(&material, &d->material) && movegen_any(pos);
}

/* Finds whether the position matches the request. */
static treb_status matches(const Draw *d, const treb_position *pos, bool *match, treb_error *error)
{
    const AnswerRandom *request = d->request;
    treb_distance distance = {0};
    *match = is_of_ending(d, pos);
    if (!*match) return TREB_OK;
    if (request->verdict < 0 && request->metric == TREB_WDL) return TREB_OK;
    treb_status status =
        treb_probe_distance(d->context->tables, pos, request->metric, &distance, error);
    *match = status == TREB_OK && (request->verdict < 0 || (int)distance.wdl == request->verdict) &&
             (request->metric == TREB_WDL ||
              (distance.wdl != TREB_DRAW && distance.plies == request->plies));
    return status;
}

static treb_status draw_matching(Draw *d, treb_position *pos, bool *found, treb_error *error)
{
    *found = false;
    for (int i = 0; i < DRAWS && !*found;) {
        if (i % 64 == 0 && answer_stopped(d->context)) return answer_fail_stopped(error);
        if (!draw_position(d, pos)) continue;
        i++;
        treb_status status = matches(d, pos, found, error);
        if (status != TREB_OK) return status;
    }
    return TREB_OK;
}

/* ---- From the longest line ------------------------------------------------------------------- */

/* Follows best play from a position for `plies` plies, or until it leaves the ending. */
static treb_status follow(Draw *d, const char *fen, int plies, treb_position *pos,
                          treb_error *error)
{
    treb_line_end end;
    treb_status status = treb_position_from_fen(fen, pos, error);
    while (status == TREB_OK && plies > 0) {
        treb_move move;
        size_t count;
        if (answer_stopped(d->context)) return answer_fail_stopped(error);
        status = treb_best_line(d->context->tables, pos, d->request->metric, TREB_RULE_NONE, &move,
                                1, &count, &end, error);
        if (status == TREB_OK && (count == 0 || !is_of_ending(d, pos))) break;
        if (status == TREB_OK) status = treb_position_play(pos, move.uci, pos, error);
        plies--;
    }
    return status;
}

/* Looks for a match on the longest lines of the table for the requested metric. */
static treb_status find_on_lines(Draw *d, treb_position *pos, bool *found, treb_error *error)
{
    treb_table_info info;
    const AnswerRandom *request = d->request;
    *found = false;
    if (request->metric == TREB_WDL) return TREB_OK;
    treb_status status =
        treb_tables_find(d->context->tables, d->name, request->metric, &info, error);
    for (int turn = 0; turn < 2 && status == TREB_OK; turn++)
        for (int v = TREB_LOSS; v <= TREB_WIN && !*found; v++) {
            int plies = (int)info.longest[turn][v] - request->plies;
            if (info.longest_fen[turn][v][0] == '\0' || plies < 0 || plies > LINE_MAX) continue;
            if (answer_stopped(d->context)) return answer_fail_stopped(error);
            /* A line that breaks off does not affect the others. */
            if (follow(d, info.longest_fen[turn][v], plies, pos, NULL) != TREB_OK) continue;
            if (request->turn >= 0 && pos->turn != request->turn) continue;
            if (matches(d, pos, found, NULL) != TREB_OK) *found = false;
        }
    return status;
}

/* ---- The object ------------------------------------------------------------------------------ */

static treb_status find(Draw *d, treb_position *pos, treb_error *error)
{
    bool found;
    treb_table_info info;
    treb_status status = treb_tables_find(d->context->tables, d->name, TREB_WDL, &info, error);
    if (status == TREB_OK) status = draw_matching(d, pos, &found, error);
    if (status == TREB_OK && !found) status = find_on_lines(d, pos, &found, error);
    if (status == TREB_OK && !found)
        status = fail(error, TREB_ERR_ARGUMENT,
                      "no position of %s with this verdict and distance was found", d->name);
    return status;
}

json_t *answer_random(AnswerContext *context, const AnswerRandom *request, treb_error *error)
{
    Draw d = {.context = context, .request = request, .state = request->seed};
    treb_position pos;
    char fen[TREB_FEN_SIZE];
    if (!material_parse(request->material, &d.material)) {
        fail(error, TREB_ERR_ARGUMENT, "no ending called '%.100s': write it like KRPvKR",
             request->material);
        return NULL;
    }
    material_canonical(&d.material);
    material_name(&d.material, d.name);
    treb_status status = material_men(&d.material) > TREB_MEN_MAX
                             ? fail(error, TREB_ERR_MEN, "more than 8 men: no table has so many")
                             : find(&d, &pos, error);
    answer_note(context, status);
    if (status != TREB_OK) return answer_unless_stopped(context, NULL, error);
    pos.halfmove = 0;
    pos.fullmove = 1;
    treb_position_to_fen(&pos, fen);
    json_t *object = json_object();
    put(object, "material", json_text(d.name));
    put(object, "fen", json_text(fen));
    return answer_unless_stopped(context, object, error);
}
