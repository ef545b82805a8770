/* wanted.c - see wanted.h. */
#include "blocked/wanted.h"

#include <stdlib.h>

bool wanted_start(Family *f)
{
    size_t words = cells_words(&f->key);
    for (int i = 0; i < 4; i++) {
        uint64_t **set = &f->wanted[i / 2][i % 2];
        if (*set == NULL && (*set = calloc(words, sizeof(uint64_t))) == NULL) return false;
    }
    return true;
}

void wanted_end(Family *f)
{
    for (int i = 0; i < 4; i++) {
        free(f->wanted[i / 2][i % 2]);
        f->wanted[i / 2][i % 2] = NULL;
    }
}

uint64_t word_guessed(const Family *f, int winner, int side, size_t w, bool won)
{
    uint64_t guess = f->won[GUESS][winner][side][w];
    return word_open(f, winner, side, w) & f->legal[side][w] & (won ? guess : ~guess);
}

bool want(Family *f, int winner, int side, const uint64_t *cells, bool won)
{
    for (size_t w = 0; w < cells_words(&f->key); w++) {
        uint64_t found = word_guessed(f, winner, side, w, won) & (cells ? cells[w] : UINT64_MAX);
        if (found == 0) continue;
        if (!wanted_start(f)) return false;
        f->wanted[winner][side][w] |= found;
    }
    return true;
}
