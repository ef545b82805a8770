/* tt.c - see tt.h. */
#include "tt.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "score.h"

/* The clock is part of the key only when it is high, because only then does it affect the score. */
uint64_t tt_key(const Board *b)
{
    return b->halfmove < 24 ? b->key : b->key ^ (uint64_t)(b->halfmove / 8) * 0x9e3779b97f4a7c15ull;
}

static TtEntry *entry_of(const Tt *tt, uint64_t key) { return &tt->entries[key % tt->count]; }

/* In the table, wins are counted from the position, not from the root. */
static int score_to_table(int score, int ply)
{
    if (score >= SCORE_WIN_MIN) return score + ply;
    return score <= -SCORE_WIN_MIN ? score - ply : score;
}

static int score_from_table(int score, int ply)
{
    if (score >= SCORE_WIN_MIN) return score - ply;
    return score <= -SCORE_WIN_MIN ? score + ply : score;
}

/* Returns three quarters of the machine's memory, if it is known. Systems with POSIX let programs allocate more memory
 * than there is, and kill them when they use it; Windows does not. */
static size_t most_mib(void)
{
#ifdef _SC_PHYS_PAGES
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (size_t)(((uint64_t)pages * (uint64_t)size >> 20) * 3 / 4)
                                 : SIZE_MAX;
#else
    return SIZE_MAX;
#endif
}

size_t tt_resize(Tt *tt, size_t mib)
{
    size_t most = most_mib();
    tt_free(tt);
    if (mib > most) mib = most;
    for (; mib > 0; mib /= 2) {
        tt->count = (mib << 20) / sizeof(TtEntry);
        tt->entries = calloc(tt->count, sizeof(TtEntry));
        if (tt->entries != NULL) return mib;
    }
    tt->count = 0;
    return 0;
}

void tt_clear(Tt *tt)
{
    if (tt->entries) memset(tt->entries, 0, tt->count * sizeof(TtEntry));
}

void tt_free(Tt *tt)
{
    free(tt->entries);
    *tt = (Tt){0};
}

TtEntry tt_find(const Tt *tt, const Board *b, int ply)
{
    TtEntry found = {0};
    uint64_t key = tt_key(b);
    if (tt->count == 0 || entry_of(tt, key)->key != key) return found;
    found = *entry_of(tt, key);
    found.score = (int16_t)score_from_table(found.score, ply);
    return found;
}

void tt_store(Tt *tt, const Board *b, int ply, int depth, int score, Bound bound, Move move)
{
    if (tt->count == 0) return;
    uint64_t key = tt_key(b);
    TtEntry *e = entry_of(tt, key);
    /* A deep entry of the present search is not replaced by a shallow one. */
    if (e->key != key && e->age == tt->age && e->depth > depth + 2) return;
    if (move == 0 && e->key == key) move = e->move;
    *e = (TtEntry){.key = key,
                   .move = move,
                   .score = (int16_t)score_to_table(score, ply),
                   .depth = (uint8_t)depth,
                   .bound = (uint8_t)bound,
                   .age = tt->age};
}

void tt_load(Tt *tt, const TtEntry *entry)
{
    if (tt->count == 0) return;
    TtEntry *e = entry_of(tt, entry->key);
    if (e->key == entry->key && e->bound != BOUND_NONE && e->depth >= entry->depth) return;
    *e = *entry;
    e->kept = true;
    e->age = (uint8_t)(tt->age + 1);
}

int tt_full(const Tt *tt)
{
    int full = 0;
    if (tt->count < 1000) return 0;
    for (size_t i = 0; i < 1000; i++)
        full += tt->entries[i].bound != BOUND_NONE && tt->entries[i].age == tt->age;
    return full;
}
