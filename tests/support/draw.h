/* draw.h - random legal positions of a material. Every run draws identical ones. */
#ifndef TREB_TESTS_SUPPORT_DRAW_H
#define TREB_TESTS_SUPPORT_DRAW_H

#include <string.h>

#include "core/chess/material.h"
#include "core/chess/position.h"
#include "tests/support/random.h"

/* Draws random squares. Returns false if they do not give a legal position. */
static inline bool draw_position(const Material *m, uint64_t *seed, treb_position *pos)
{
    memset(pos, 0, sizeof *pos);
    pos->fullmove = 1;
    pos->turn = next_random(seed) >> 40 & 1;
    for (int color = 0; color < 2; color++) {
        for (int type = 0; type < TREB_TYPES; type++) {
            for (int i = 0; i < m->count[color][type]; i++) {
                int sq = (int)(next_random(seed) >> 40 & 63);
                if (bit_test(position_occupied(pos), sq)) return false;
                position_put(pos, color, type, sq);
            }
        }
    }
    return position_check(pos, NULL) == TREB_OK;
}

#endif
