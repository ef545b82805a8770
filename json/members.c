/* members.c - see members.h. */
#include "json/members.h"

#include "core/chess/material.h"
#include "core/chess/movegen.h"
#include "json/put.h"
#include "json/words.h"

bool answer_insufficient(const treb_position *pos)
{
    const uint64_t *men = pos->by_type, light = UINT64_C(0x55aa55aa55aa55aa);
    if (men[TREB_PAWN] | men[TREB_ROOK] | men[TREB_QUEEN]) return false;
    if (__builtin_popcountll(pos->by_color[0] | pos->by_color[1]) <= 3) return true;
    if (men[TREB_KNIGHT]) return false;
    return (men[TREB_BISHOP] & light) == 0 || (men[TREB_BISHOP] & ~light) == 0;
}

json_t *answer_verdict_json(const treb_value *value, const treb_position *pos)
{
    if (treb_value_doubt(value, pos->halfmove) != TREB_DOUBT_NONE) return json_null();
    return json_text(answer_verdict(treb_value_rule(value, pos->halfmove)));
}

static const char *state_of(const treb_position *pos)
{
    if (!movegen_any(pos)) return position_in_check(pos) ? "checkmate" : "stalemate";
    return answer_insufficient(pos) ? "insufficient_material" : "ongoing";
}

void answer_put_position(json_t *object, const treb_position *pos)
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

void answer_put_distances(json_t *object, const treb_value *value)
{
    static const char *const names[TREB_METRICS] = {NULL, "dtz_plies", "dtc_plies", "dtm_plies"};
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        bool known = value->status[TREB_WDL] == TREB_OK && value->status[m] == TREB_OK;
        bool drawn = known && value->wdl == TREB_DRAW;
        bool bound = value->rounded[m] == TREB_AT_MOST;
        put(object, names[m],
            known && !drawn && !bound ? json_integer(value->plies[m]) : json_null());
        if (known && !drawn && bound) put(object, "at_most_plies", json_integer(value->plies[m]));
    }
    put(object, "dtz_rounded", json_boolean(value->rounded[TREB_DTZ] == TREB_ROUNDED));
    put(object, "dtm50_plies", answer_has_mate50(value) ? json_integer(value->dtm50) : json_null());
}

bool answer_has_mate50(const treb_value *value)
{
    return value->status[TREB_WDL] == TREB_OK && value->dtm50_status == TREB_OK &&
           (value->rule == TREB_WIN || value->rule == TREB_LOSS);
}
