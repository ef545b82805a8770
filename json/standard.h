/* standard.h - what lila-tablebase's dialect tells of a position. */
#ifndef TREB_ANSWER_STANDARD_H
#define TREB_ANSWER_STANDARD_H

#include "json/answer.h"

/* Of two moves the one whose child comes first here is better; an unknown one may be a win. What
 * Syzygy is named for is won (lost) unless a rounded DTZ is one ply more. */
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

typedef struct Fields {
    Category category;
    bool checkmate, stalemate, insufficient;
    bool known[TREB_METRICS];
    int plies[TREB_METRICS]; /* signed; dtc too in plies until it is written */
    bool rounded;            /* DTZ may be one ply more */
} Fields;

/* Adds the members that a position and a move have in common. */
void standard_put_fields(json_t *object, const Fields *fields);

#endif
