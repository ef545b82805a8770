/* blocked_probe.h - the object of GET /v1/probe with values from a blocked-pawn table or a solution,
 * not from tables of the material. */
#ifndef TREB_JSON_BLOCKED_PROBE_H
#define TREB_JSON_BLOCKED_PROBE_H

#include <jansson.h>
#include <stdbool.h>

#include "pawns/blocked/blocked.h"

/* Where the values come from. */
typedef struct ProbeSource {
    const treb_position *pos;
    bool upper_bounds; /* the distances are upper bounds */
    bool distances;    /* DTC is known */
    const char *why;   /* message: why the other metrics are not known */
} ProbeSource;

/* The object of GET /v1/probe for the value of a position and its moves. Lists the moves if `list`.
 * The caller adds a member that names the source. */
json_t *answer_probe_object(const ProbeSource *from, const PawnValue *value, const PawnMove *moves,
                            int count, bool list);

/* The object of GET /v1/probe from a blocked-pawn table. The 50-move rule is ignored. */
json_t *answer_blocked_probe_json(Blocked *blocked, bool list, treb_error *error);

#endif
