/* draw.c - see draw.h. */
#include "core/format/draw.h"

#include <stdlib.h>

#include "core/system/hash.h"

/* ---- Random numbers -------------------------------------------------------------------------- */

/* What random numbers are for: they must not depend on each other. */
enum { FOR_DRAWS = 1, FOR_IMAGES, FOR_KEYS /* and one more for each ending */ };

/* Returns the state of a generator for purpose and number. */
static uint64_t random_state(uint64_t seed, uint64_t purpose, uint64_t number)
{
    return hash_mix(hash_mix(seed * HASH_FACTOR + purpose) + number * HASH_FACTOR_2);
}

static uint64_t random_below(uint64_t *state, uint64_t below)
{
    const uint64_t fair = UINT64_MAX - UINT64_MAX % below;
    uint64_t number;
    do number = splitmix64(state);
    while (number >= fair);
    return number % below;
}

uint64_t draw_number(uint64_t seed, uint64_t numbers, uint64_t which)
{
    uint64_t state = random_state(seed, FOR_DRAWS, which);
    return random_below(&state, numbers);
}

/* Different numbers and images have different keys. */
uint64_t draw_key(uint64_t seed, uint64_t which, uint64_t number, unsigned image)
{
    return random_state(seed, FOR_KEYS + which, number * DRAW_IMAGES + image);
}

/* ---- How many draws -------------------------------------------------------------------------- */

uint64_t draw_most(uint64_t numbers, bool costly)
{
    /* A position that is drawn takes longer than one that is gone to. */
    const uint64_t most = UINT64_C(1) << 32, draws = numbers / (costly ? 64 : 8) + (1 << 16);
    return draws < most ? draws : most;
}

bool draw_in_vain(uint64_t size, uint64_t count, uint64_t done, uint64_t most)
{
    const double found = count > 0 ? (double)count : 1;
    const double left = (double)size - (double)count;
    return left * (double)done / found > (double)most - (double)done;
}

/* ---- Symmetries ------------------------------------------------------------------------------ */

void draw_turn(const treb_position *pos, DrawTurning turning, treb_position *out)
{
    treb_position turned = *pos;
    for (int c = 0; c < 2; c++)
        turned.by_color[c] = index_symmetry_board(turning.symmetry, pos->by_color[c]);
    for (int t = 0; t < TREB_TYPES; t++)
        turned.by_type[t] = index_symmetry_board(turning.symmetry, pos->by_type[t]);
    if (turning.exchange)
        position_swap_colors(&turned, out);
    else
        *out = turned;
}

bool draw_is_repeated(const treb_position *pos, unsigned image)
{
    treb_position turned, other;
    draw_turn(pos, (DrawTurning){(int)image, false}, &turned);
    for (unsigned i = 0; i < image; i++) {
        draw_turn(pos, (DrawTurning){(int)i, false}, &other);
        if (position_equal(&turned, &other)) return true;
    }
    return false;
}

DrawTurning draw_turning(uint64_t seed, uint64_t key, const treb_position *pos, int image, int turn)
{
    uint64_t state = random_state(seed, FOR_IMAGES, key);
    const bool pawns = pos->by_type[TREB_PAWN] != 0;
    DrawTurning out = {.symmetry = image};
    if (image < 0) out.symmetry = (int)random_below(&state, pawns ? 2 : (uint64_t)DRAW_IMAGES);
    out.exchange = turn == DRAW_EITHER ? random_below(&state, 2) == 1 : pos->turn != turn;
    return out;
}

/* ---- Positions ------------------------------------------------------------------------------- */

bool draw_init(Draw *draw, const Material *material, int turn, bool board)
{
    *draw = (Draw){.symmetric = material_symmetric(material), .turn = turn};
    if (!index_init(&draw->index, material, NULL, 1)) return false;
    draw->sides = draw->symmetric || turn != DRAW_EITHER ? 1 : 2;
    draw->images = !board ? 1 : draw->index.pawns ? 2 : DRAW_IMAGES;
    return !__builtin_mul_overflow(draw->index.size, (uint64_t)draw->sides * draw->images,
                                   &draw->numbers);
}

bool draw_position(const Draw *draw, uint64_t number, treb_position *pos)
{
    const uint64_t place = number / draw->images, cell = place / draw->sides;
    IndexMen men;
    if (!index_to_men(&draw->index, cell, &men)) return false;
    int side = (int)(place % draw->sides);
    if (!draw->symmetric && draw->turn != DRAW_EITHER) side = draw->turn;
    index_men_to_position(&draw->index, &men, side, pos);
    if (square_attacked(pos, position_king(pos, !side), side)) return false;
    if (draw_is_repeated(pos, draw_image(draw, number))) return false;
    if (draw->symmetric && draw->turn == TREB_BLACK) position_swap_colors(pos, pos);
    return true;
}

/* ---- What was drawn -------------------------------------------------------------------------- */

bool draw_seen_init(DrawSeen *seen, uint64_t most)
{
    for (seen->places = 64; seen->places / 2 < most;) seen->places *= 2;
    seen->place = (uint64_t *)calloc(seen->places, sizeof *seen->place);
    return seen->place != NULL;
}

bool draw_seen_add(DrawSeen *seen, uint64_t number)
{
    size_t at = (size_t)hash_mix(number) & (seen->places - 1);
    while (seen->place[at] != 0) {
        if (seen->place[at] == number + 1) return false;
        at = (at + 1) & (seen->places - 1);
    }
    seen->place[at] = number + 1;
    return true;
}
