/* lattice.c - see lattice.h. */
#include "pawns/lattice.h"

#include <assert.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

Lattice *lattice_new(const LatticeLimits *limits)
{
    Lattice *lattice = calloc(1, sizeof *lattice);
    if (lattice == NULL) return NULL;
    lattice->limits = *limits;
    lattice->unscouted = limits->unscouted;
    return lattice;
}

static void dismiss_scouts(Lattice *lattice)
{
    const bool any = lattice->scout[0] != NULL || lattice->scout[1] != NULL;
    for (int winner = 0; winner < 2; winner++) {
        scout_free(lattice->scout[winner]);
        lattice->scout[winner] = NULL;
    }
    lattice->unscouted = true;
#ifdef __GLIBC__
    /* What other threads had for them the allocator would keep for these. */
    if (any) malloc_trim(0);
#else
    (void)any;
#endif
}

void lattice_free(Lattice *lattice)
{
    if (lattice == NULL) return;
    dismiss_scouts(lattice);
    for (int p = 0; p < LATTICE_POTENTIALS; p++) {
        for (int i = 0; i < lattice->count[p]; i++) family_free(lattice->by_potential[p][i]);
        free(lattice->by_potential[p]);
    }
    free(lattice);
}

/* ---- Finding and adding ---------------------------------------------------------------------- */

static size_t bucket_of(const CellsKey *key)
{
    uint64_t hash = key->pawns[0] * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 29 ^ key->pawns[1]) * UINT64_C(0xbf58476d1ce4e5b9);
    for (int i = 0; i < key->men; i++)
        hash = (hash ^ hash >> 31) + (unsigned)(key->man[i].color << 3 | key->man[i].type) * 77u;
    hash *= UINT64_C(0x94d049bb133111eb);
    return (size_t)(hash >> 40) % LATTICE_BUCKETS;
}

Family *lattice_find(const Lattice *lattice, const CellsKey *key)
{
    Family *family = lattice->bucket[bucket_of(key)];
    while (family != NULL && memcmp(&family->key, key, sizeof *key) != 0) family = family->next;
    return family;
}

static bool list_family(Lattice *lattice, Family *family)
{
    int p = family->potential;
    if (lattice->count[p] == lattice->capacity[p]) {
        int capacity = lattice->capacity[p] ? 2 * lattice->capacity[p] : 8;
        Family **grown = realloc(lattice->by_potential[p], capacity * sizeof *grown);
        if (grown == NULL) return false;
        lattice->by_potential[p] = grown;
        lattice->capacity[p] = capacity;
    }
    lattice->by_potential[p][lattice->count[p]++] = family;
    return true;
}

static void forget_retakes(Family *family)
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < family->edges[side]; i++) family->edge[side][i].promotes = false;
}

/* What solving a family takes beside it, of which so many bytes are kept: its outcomes, trails and ranks. */
static uint64_t work_of(uint64_t bytes) { return 2 * bytes; }

uint64_t lattice_held(const Lattice *l)
{
    return l->bytes + l->wanted + l->work + scout_bytes(l->scout[0]) + scout_bytes(l->scout[1]);
}

static bool has_room(const Lattice *l, uint64_t bytes)
{
    return lattice_held(l) + bytes <= l->limits.memory;
}

bool lattice_room(Lattice *lattice, uint64_t bytes)
{
    if (!has_room(lattice, bytes)) dismiss_scouts(lattice);
    const bool room = has_room(lattice, bytes);
    lattice->full = lattice->full || !room; /* what is smaller may have room yet */
    return room;
}

/* The same for a family of so many bytes, and what it takes to solve it. One that takes more than half of all there is would
 * leave too little for others; without the first there is nothing. */
static bool room_for_family(Lattice *lattice, uint64_t bytes, uint64_t more)
{
    const uint64_t work = work_of(bytes), before = lattice->work;
    const bool small = lattice->families == 0 || bytes + work <= lattice->limits.memory / 2;
    if (!small) lattice->full = true;
    return small && lattice_room(lattice, more + (work > before ? work - before : 0));
}

/* Whether the oracle answers for a family. To look for the tables of a material and of all that it can turn into takes
 * longer than to solve a family, so that it is done once. */
static bool is_covered(Lattice *lattice, const CellsKey *key)
{
    const LatticeLimits *limits = &lattice->limits;
    if (limits->covers == NULL) return false;
    uint32_t material = 1;
    for (int color = 0; color < 2; color++)
        material = material << 4 | (uint32_t)bit_count(key->pawns[color]);
    for (int i = 0; i < CELLS_MEN_MAX; i++)
        material = material << 4 |
                   (i < key->men ? (uint32_t)(key->man[i].color << 3 | key->man[i].type) : 0);
    uint32_t *known =
        &lattice->covered[material * UINT32_C(0x9e3779b1) >> 16 & (LATTICE_MATERIALS - 1)];
    if (*known >> 1 != material)
        *known = material << 1 | limits->covers(limits->oracle.context, key);
    return *known & 1;
}

Family *lattice_add(Lattice *lattice, const CellsKey *key, bool ask, int only)
{
    const bool covered = ask && is_covered(lattice, key);
    assert(lattice_find(lattice, key) == NULL);
    const uint64_t bytes = family_bytes(key);
    if (!room_for_family(lattice, bytes, bytes)) return NULL;
    Family *family = family_new(key);
    if (family != NULL && !room_for_family(lattice, bytes, bytes + family->edge_bytes)) {
        family_free(family);
        return NULL;
    }
    if (family != NULL) family->failed = &lattice->family_failed;
    if (family != NULL && !covered) family->only = (int8_t)only;
    if (family != NULL && lattice->limits.all) forget_retakes(family);
    if (family != NULL && covered) {
        family->oracle = &lattice->limits.oracle;
        family->solved = family->decided = true;
    }
    if (family == NULL || !family_allocate(family) || !list_family(lattice, family)) {
        family_free(family);
        lattice->failed = true;
        return NULL;
    }
    Family **bucket = &lattice->bucket[bucket_of(key)];
    family->next = *bucket;
    *bucket = family;
    family->changed = true;
    lattice->families++;
    lattice->bytes += family_bytes_now(family);
    if (work_of(bytes) > lattice->work) lattice->work = work_of(bytes);
    return family;
}

bool lattice_widen(Lattice *lattice, Family *family)
{
    const uint64_t before = family_bytes_now(family), bytes = family_bytes(&family->key);
    if (!room_for_family(lattice, bytes, bytes - before)) return false;
    if (!family_widen(family)) {
        lattice->failed = true;
        return false;
    }
    lattice->bytes += family_bytes_now(family) - before;
    return true;
}

bool lattice_sound(Lattice *lattice)
{
    lattice->failed = lattice->failed || __atomic_load_n(&lattice->family_failed, __ATOMIC_RELAXED);
    return !lattice->failed;
}

/* ---- Solving --------------------------------------------------------------------------------- */

/* Joining a family to what has come to be known. */
typedef struct Link {
    const Lattice *lattice;
    bool changed; /* one of its children has */
} Link;

static void link_child(void *context, EdgeChild *child)
{
    Link *link = context;
    Family *family = child->family;
    if (family == NULL && !child->beyond) family = lattice_find(link->lattice, &child->key);
    /* The empty sets of one that is not solved yet would say that nobody wins there. */
    if (family == NULL || !family->solved) return;
    child->family = family;
    link->changed = link->changed || family->changed;
}

bool lattice_join(const Lattice *lattice, Family *family)
{
    Link link = {.lattice = lattice};
    family_each_child(family, link_child, &link);
    return link.changed;
}

/* Differs whenever what is known or guessed does, but for what 64 bits of a hash may miss: something would stay open then
 * that need not. */
static uint64_t fingerprint(const Family *f)
{
    uint64_t hash = 0;
    for (int i = 0; i < 4 * LEVELS; i++) {
        const uint64_t *set = f->won[i / 4][i / 2 % 2][i % 2];
        if (i >= 4 && set == f->won[SURE][i / 2 % 2][i % 2]) continue;
        hash = XXH3_64bits_withSeed(set, cells_words(&f->key) * sizeof *set, hash);
    }
    return hash;
}

static bool solve_family(Lattice *lattice, Family *family)
{
    bool first = !family->solved;
    uint64_t before = first ? 0 : fingerprint(family), bytes = family_bytes_now(family);
    if (!family_solve(family, NULL)) return false;
    __atomic_fetch_sub(&lattice->bytes, bytes - family_bytes_now(family), __ATOMIC_RELAXED);
    family->stale = false;
    family->changed = family->changed || first || fingerprint(family) != before;
    return true;
}

static bool update_family(Lattice *lattice, Family *family, bool all)
{
    if (family->decided) return true;
    family->stale = lattice_join(lattice, family) || family->stale;
    if (family->solved && !(family->stale && (all || family->met == lattice->round))) return true;
    return solve_family(lattice, family);
}

bool lattice_refresh(Lattice *lattice, Family *family)
{
    if (!family->stale || family->decided || solve_family(lattice, family)) return true;
    lattice->failed = true;
    return false;
}

bool lattice_stopped(Lattice *lattice)
{
    const LatticeLimits *limits = &lattice->limits;
    if (limits->stop != NULL &&
        limits->stop(limits->stop_context, lattice->families, lattice->bytes))
        lattice->stopped = true;
    return lattice->stopped;
}

/* Whether there is room for several threads to solve families of a potential at once. */
static bool may_share(const Lattice *lattice, int potential)
{
    const int threads = omp_get_max_threads();
    uint64_t work = 0;
    if (lattice->count[potential] <= CELLS_FEW) return false;
    for (int i = 0; i < lattice->count[potential]; i++) {
        const Family *family = lattice->by_potential[potential][i];
        const uint64_t own = family->decided ? 0 : work_of(family_bytes(&family->key));
        if (own > work) work = own;
    }
    return has_room(lattice, (uint64_t)(threads - 1) * work);
}

/* How many families, from one on, are solved before it is asked whether to stop: what takes a moment. Whoever is asked
 * may look at all that is known, so that nobody may solve anything meanwhile. */
static int stretch(const Lattice *lattice, int potential, int from)
{
    enum { BYTES = 8 << 20 };
    const int least = 2 * omp_get_max_threads(), count = lattice->count[potential];
    uint64_t bytes = 0;
    int i = from;
    for (; i < count && (i - from < least || bytes < BYTES); i++)
        if (!lattice->by_potential[potential][i]->decided)
            bytes += family_bytes(&lattice->by_potential[potential][i]->key);
    return i;
}

/* Families of one potential do not lead to each other. */
static bool update_potential(Lattice *lattice, int potential, bool all)
{
    Family **family = lattice->by_potential[potential];
    const int count = lattice->count[potential];
    const bool together = may_share(lattice, potential);
    bool good = true;
    for (int at = 0, end; at < count && good; at = end) {
        if (lattice_stopped(lattice)) return false;
        end = together ? stretch(lattice, potential, at) : at + 1;
#pragma omp parallel for schedule(dynamic) reduction(&& : good) if (together)
        for (int i = at; i < end; i++) good = good && update_family(lattice, family[i], all);
    }
    lattice->failed = lattice->failed || !good;
    return good;
}

bool lattice_update(Lattice *lattice, bool all)
{
    for (int p = 0; p < LATTICE_POTENTIALS; p++)
        if (!update_potential(lattice, p, all)) return false;
    if (!lattice_sound(lattice)) return false;
    for (int p = 0; p < LATTICE_POTENTIALS; p++)
        for (int i = 0; i < lattice->count[p]; i++) lattice->by_potential[p][i]->changed = false;
    lattice->round++;
    return true;
}
