/* wanted.c - see wanted.h. */
#include "pawns/solve/wanted.h"

#include <stdlib.h>

enum { SETS = 4 };

bool wanted_start(ProofGraph *graph, Structure *f)
{
    const size_t words = cells_words(&f->key);
    for (int i = 0; i < SETS; i++) {
        uint64_t **set = &f->wanted[i / 2][i % 2];
        if (*set != NULL) continue;
        if ((*set = calloc(words, sizeof(uint64_t))) == NULL) return false;
        graph->wanted += words * sizeof(uint64_t);
    }
    return true;
}

void wanted_end(ProofGraph *graph, Structure *f)
{
    for (int i = 0; i < SETS; i++) {
        uint64_t **set = &f->wanted[i / 2][i % 2];
        if (*set == NULL) continue;
        graph->wanted -= cells_words(&f->key) * sizeof(uint64_t);
        free(*set);
        *set = NULL;
    }
}

uint64_t wanted_word(const Structure *f, int winner, int side, size_t w, bool won)
{
    uint64_t guess = f->won[GUESS][winner][side][w];
    return word_open(f, winner, side, w) & f->legal[side][w] & (won ? guess : ~guess);
}

bool wanted_add(ProofGraph *graph, Structure *f, int winner, int side, const uint64_t *cells,
                bool won)
{
    const uint64_t bytes = SETS * cells_words(&f->key) * sizeof(uint64_t);
    for (size_t w = 0; w < cells_words(&f->key); w++) {
        uint64_t found = wanted_word(f, winner, side, w, won) & (cells ? cells[w] : UINT64_MAX);
        if (found == 0) continue;
        if (f->wanted[0][0] == NULL && !proof_graph_has_room(graph, bytes)) return true;
        if (!wanted_start(graph, f)) return false;
        f->wanted[winner][side][w] |= found;
    }
    return true;
}
