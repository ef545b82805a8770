/* standard_fields.h - the members that describe a position in lila-tablebase's dialect. */
#ifndef TREB_JSON_STANDARD_FIELDS_H
#define TREB_JSON_STANDARD_FIELDS_H

#include <jansson.h>
#include <stdbool.h>

#include "trebuchet.h"

/* In the order in which moves are sorted: the move whose child has the first category is the best, so
 * an unknown move may be a win. CATEGORY_SYZYGY_WIN (LOSS): won (lost) unless the rounded DTZ is one
 * ply more. */
typedef enum Category {
    CATEGORY_LOSS,
    CATEGORY_UNKNOWN,
    CATEGORY_SYZYGY_LOSS,
    CATEGORY_MAYBE_LOSS,
    CATEGORY_BLESSED_LOSS,
    CATEGORY_DRAW,
    CATEGORY_CURSED_WIN,
    CATEGORY_MAYBE_WIN,
    CATEGORY_SYZYGY_WIN,
    CATEGORY_WIN
} Category;

typedef struct StandardFields {
    Category category;
    bool checkmate, stalemate, insufficient;
    bool known[TREB_METRICS];
    int plies[TREB_METRICS]; /* signed; negative if the side to move loses */
    bool rounded;            /* DTZ may be one ply more */
} StandardFields;

/* Returns the category as the other side sees it. */
Category standard_negated(Category category);

/* Returns a distance in the unit of the dialect: DTC in moves, others in plies. */
int standard_distance(const StandardFields *fields, int metric);

/* Adds the members that a position and a move have in common. */
void standard_put_fields(json_t *object, const StandardFields *fields);

#endif
