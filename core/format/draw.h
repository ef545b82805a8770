/* draw.h - positions of endings that are drawn at random.
 *
 * The positions of an ending, and their images on the full board if these count, have numbers:
 * image + images * (side + sides * cell). Most numbers are positions. A draw chooses a number; where
 * that takes too long, since nearly all positions are wanted, every position gets a random key and
 * those with the smallest keys are the sample. All random numbers depend on the seed alone, so that
 * the library and `trebuchet find --sample` draw the same positions. */
#ifndef TREB_CORE_FORMAT_DRAW_H
#define TREB_CORE_FORMAT_DRAW_H

#include "core/chess/movegen.h"
#include "core/format/index.h"

enum {
    DRAW_EITHER = -1, /* either side to move */
    DRAW_IMAGES = 8,
    /* So many draws are made before they are counted: few, as a condition in Lua may take long, and what
     * a part found is lost if find is stopped. */
    DRAW_PART = 256,
    /* Where all positions get a key, the ending is gone through in parts of about so many cells, and a
     * position's number is its number in its part, and the part's above these bits. */
    DRAW_SCAN_CELLS = 1 << 14,
    DRAW_SCAN_BITS = 28
};

typedef struct Draw {
    Index index; /* without padding, in the usual order */
    bool symmetric;
    int turn;               /* the side to move, or DRAW_EITHER */
    unsigned sides, images; /* images: 1 if the full board does not count */
    uint64_t numbers;
} Draw;

/* Sets up the numbers of a canonical material. False if it has too many men, or too many numbers. */
bool draw_init(Draw *draw, const Material *material, int turn, bool board);

/* Writes the position of a number. False if it has none. */
bool draw_position(const Draw *draw, uint64_t number, treb_position *pos);

/* Which symmetry turns the position of a number into what was drawn of the full board. */
static inline unsigned draw_image(const Draw *draw, uint64_t number)
{
    return (unsigned)(number % draw->images);
}

/* Whether a smaller symmetry turns the position into the same image, so that this one does not
 * count. */
bool draw_is_repeated(const treb_position *pos, unsigned image);

/* Returns the number, below `numbers`, that draw `which` (from 0) chooses. */
uint64_t draw_number(uint64_t seed, uint64_t numbers, uint64_t which);

/* Returns the most draws to make among so many numbers; `costly` if looking at a position takes much
 * longer than drawing it. */
uint64_t draw_most(uint64_t numbers, bool costly);

/* Whether, after `done` draws of at most `most` found `count` of `size` positions, the rest of the
 * draws is likely not to be enough. */
bool draw_in_vain(uint64_t size, uint64_t count, uint64_t done, uint64_t most);

/* Returns the key of an image of a position of ending `which` (from 0). Those of one ending all
 * differ. */
uint64_t draw_key(uint64_t seed, uint64_t which, uint64_t number, unsigned image);

/* How a position is put on the board. */
typedef struct DrawTurning {
    int symmetry;
    bool exchange; /* of the colours, after the symmetry */
} DrawTurning;

/* Chooses how the position with a key (or number of its draw) is put on the board at random. `image`
 * is that of the full board if that counts, else -1. */
DrawTurning draw_turning(uint64_t seed, uint64_t key, const treb_position *pos, int image,
                         int turn);

/* Puts a position on the board so. `out` may be `pos`. */
void draw_turn(const treb_position *pos, DrawTurning turning, treb_position *out);

/* The numbers that were drawn, for a sample of at most `most` positions. */
typedef struct DrawSeen {
    uint64_t *place; /* a hash table: a number plus 1; 0 is an empty place */
    size_t places;
} DrawSeen;

/* False: out of memory. */
bool draw_seen_init(DrawSeen *seen, uint64_t most);

/* Whether a number is new; it is then noted. */
bool draw_seen_add(DrawSeen *seen, uint64_t number);

#endif
