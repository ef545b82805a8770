/* parts.c - see parts.h. */
#include "json/parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/chess/material.h"
#include "core/chess/movegen.h"
#include "core/pgn/position_text.h"

const char *answer_code(treb_status status)
{
    switch (status) {
    case TREB_OK:
        return "ok";
    case TREB_ERR_FEN:
        return "bad_fen";
    case TREB_ERR_POSITION:
        return "bad_position";
    case TREB_ERR_CASTLING:
        return "castling";
    case TREB_ERR_MEN:
        return "too_many_men";
    case TREB_ERR_NO_TABLE:
        return "no_table";
    case TREB_ERR_DAMAGED:
        return "damaged";
    case TREB_ERR_IO:
        return "io";
    case TREB_ERR_MEMORY:
        return "memory";
    case TREB_ERR_NETWORK:
        return "network";
    case TREB_ERR_TIMEOUT:
        return "timeout";
    default:
        return "bad_request";
    }
}

const char *answer_verdict(treb_wdl wdl)
{
    static const char *const words[] = {"loss", "blessed_loss", "draw", "cursed_win", "win"};
    assert(wdl >= TREB_LOSS && wdl <= TREB_WIN);
    return words[wdl];
}

bool answer_verdict_of(const char *text, treb_wdl *out)
{
    for (int v = TREB_LOSS; v <= TREB_WIN; v++)
        if (strcmp(text, answer_verdict((treb_wdl)v)) == 0) {
            *out = (treb_wdl)v;
            return true;
        }
    return false;
}

bool answer_metric(const char *text, treb_metric *out)
{
    for (int m = TREB_DTZ; m < TREB_METRICS; m++)
        if (strcasecmp(text, treb_metric_text((treb_metric)m)) == 0) {
            *out = (treb_metric)m;
            return true;
        }
    return false;
}

const char *answer_rule_name(treb_rule rule) { return rule == TREB_RULE_50 ? "50" : "none"; }

bool answer_rule_of(const char *text, treb_rule *out)
{
    *out = strcmp(text, "none") == 0 ? TREB_RULE_NONE : TREB_RULE_50;
    return strcmp(text, answer_rule_name(*out)) == 0;
}

json_t *answer_error(const char *code, const char *message)
{
    json_t *text = json_string(message), *object = json_object();
    if (text == NULL) {
        /* Not UTF-8: a piece of the request that found its way into the message. */
        char *copy = strdup(message);
        for (char *c = copy; c != NULL && *c; c++)
            if ((unsigned char)*c >= 0x80) *c = '?';
        text = copy != NULL ? json_string(copy) : NULL;
        free(copy);
    }
    put(object, "code", json_text(code));
    put(object, "message", text != NULL ? text : json_text(code));
    return object;
}

bool answer_missing(const char *message, char material[24])
{
    _Static_assert(MATERIAL_NAME_SIZE <= 24, "room for a name");
    for (const char *c = message; *c; c++) {
        char word[MATERIAL_NAME_SIZE];
        Material found;
        size_t length = strspn(c, "KQRBNPv");
        if (length == 0) continue;
        if (length < sizeof word) {
            memcpy(word, c, length);
            word[length] = '\0';
            if (strchr(word, 'v') != NULL && material_parse(word, &found)) {
                material_canonical(&found);
                material_name(&found, material);
                return true;
            }
        }
        c += length - 1;
    }
    return false;
}

void answer_note(AnswerContext *context, treb_status status)
{
    if (status == TREB_ERR_NO_TABLE) context->lacks |= ANSWER_PARTIAL;
    if (status == TREB_ERR_DAMAGED) context->lacks |= ANSWER_DAMAGED;
    /* Who is stopped in the middle fails, too: that is no fault of its own. */
    bool failed = status == TREB_ERR_IO || status == TREB_ERR_MEMORY ||
                  status == TREB_ERR_NETWORK || status == TREB_ERR_TIMEOUT;
    if (failed && !(context->lacks & ANSWER_STOPPED)) context->lacks |= ANSWER_FAILED;
}

bool answer_refused(treb_status status)
{
    return status == TREB_ERR_FEN || status == TREB_ERR_POSITION || status == TREB_ERR_CASTLING ||
           status == TREB_ERR_MEN || status == TREB_ERR_ARGUMENT;
}

json_t *answer_rule(const treb_value *value, const treb_position *pos)
{
    bool known = value->status[TREB_WDL] == TREB_OK;
    bool sure = value->status[TREB_DTZ] == TREB_OK || pos->halfmove == 0 ||
                (value->rule != TREB_WIN && value->rule != TREB_LOSS);
    /* The one ply that rounding leaves open may decide. */
    if (value->rounded[TREB_DTZ] == TREB_ROUNDED && value->plies[TREB_DTZ] + pos->halfmove == RULE_PLIES)
        sure = false;
    return known && sure ? json_text(answer_verdict(value->rule)) : json_null();
}

treb_status answer_covered(const treb_position *pos)
{
    if (bit_count(position_occupied(pos)) > TREB_MEN_MAX) return TREB_ERR_MEN;
    return pos->castling != 0 ? TREB_ERR_CASTLING : TREB_OK;
}

treb_status answer_fail_covered(treb_status status, treb_error *error)
{
    return fail(error, status,
                status == TREB_ERR_MEN ? "more than 8 men: no table has so many"
                                       : "castling rights remain: no table covers them");
}

treb_status answer_read_position(const char *text, treb_position *out, treb_error *error)
{
    PositionText read;
    treb_status status = position_text_read(text, &read, error);
    if (status == TREB_OK) *out = read.pos;
    return status;
}

static const char *state_of(const treb_position *pos)
{
    if (!movegen_any(pos)) return position_in_check(pos) ? "checkmate" : "stalemate";
    return answer_insufficient(pos) ? "insufficient_material" : "ongoing";
}

void answer_position(json_t *object, const treb_position *pos)
{
    char fen[TREB_FEN_SIZE], name[MATERIAL_NAME_SIZE] = "";
    int men = bit_count(position_occupied(pos));
    if (men <= TREB_MEN_MAX) {
        Material material = material_of_position(pos);
        material_canonical(&material);
        material_name(&material, name);
    }
    treb_position_to_fen(pos, fen);
    put(object, "fen", json_text(fen));
    put(object, "turn", json_text(answer_color(pos->turn)));
    put(object, "men", json_integer(men));
    put(object, "material", men > 2 && name[0] != '\0' ? json_text(name) : json_null());
    put(object, "state", json_text(state_of(pos)));
}

void answer_distances(json_t *object, const treb_value *value)
{
    static const char *const names[TREB_METRICS] = {NULL, "dtz_plies", "dtc_plies", "dtm_plies"};
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        bool known = value->status[TREB_WDL] == TREB_OK && value->status[m] == TREB_OK;
        bool drawn = known && value->wdl == TREB_DRAW;
        bool bound = value->rounded[m] == TREB_AT_MOST;
        put(object, names[m], known && !drawn && !bound ? json_integer(value->plies[m]) : json_null());
        if (known && !drawn && bound) put(object, "at_most_plies", json_integer(value->plies[m]));
    }
    put(object, "dtz_rounded", json_boolean(value->rounded[TREB_DTZ] == TREB_ROUNDED));
}

treb_metric answer_known_metric(const treb_value *value)
{
    static const treb_metric order[] = {TREB_DTM, TREB_DTC, TREB_DTZ};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (value->status[order[i]] == TREB_OK) return order[i];
    return TREB_WDL;
}

bool answer_insufficient(const treb_position *pos)
{
    const uint64_t *men = pos->by_type, light = UINT64_C(0x55aa55aa55aa55aa);
    if (men[TREB_PAWN] | men[TREB_ROOK] | men[TREB_QUEEN]) return false;
    if (__builtin_popcountll(pos->by_color[0] | pos->by_color[1]) <= 3) return true;
    if (men[TREB_KNIGHT]) return false;
    return (men[TREB_BISHOP] & light) == 0 || (men[TREB_BISHOP] & ~light) == 0;
}

const char *answer_color(int color) { return color == TREB_WHITE ? "white" : "black"; }
