/* pairs.c - see pairs.h.
 *
 * The sequence begins with each run of one value split into items whose lengths are powers of two.
 * The symbols for these need not be found pair by pair, and a sample of many cells gives a short
 * sequence. Each pair has a count and a list of its places, so that the time to replace a pair is
 * proportional to its number of occurrences. */
#include "gen/compress/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/hash.h"
#include "gen/compress/runs.h"
#include "gen/compress/values.h"

enum {
    LEVELS = 9,     /* number of powers of two up to PAIRS_LONGEST */
    BREAK = 0xffff, /* in the sequence: the end of a stretch, or an item that is no longer used */
    NONE = UINT32_MAX
};

/* Two symbols that stand next to each other. */
typedef struct Pair {
    uint16_t left, right;
    uint32_t count;
    uint32_t first, last; /* its list of places; the pair may be gone from some of them */
} Pair;

/* An element of the sequence. Its fields are used together, so they are in one line of the cache. */
typedef struct Item {
    uint32_t next, previous;
    uint16_t symbol;
} Item;

/* An item at which a pair begins, and the next place in the list of that pair. */
typedef struct Place {
    uint32_t item, next;
} Place;

typedef struct Candidate {
    uint32_t count, pair;
} Candidate;

typedef struct Learner {
    Pairs *pairs;
    uint32_t least;
    unsigned most;
    uint16_t run[ENCODE_VALUES][LEVELS]; /* symbols for 2^level cells of a value; BREAK: none */
    Item *item;                          /* the sequence */
    size_t items;
    Pair *pair;
    uint32_t pair_count, pair_capacity;
    uint32_t *slot; /* hash table of pairs */
    uint32_t slot_mask;
    Place *place;
    uint32_t place_count, place_capacity, place_free;
    Candidate *heap; /* the most frequent pair first; the counts of pairs may have become lower */
    uint32_t heap_count;
} Learner;

static uint16_t add_symbol(Pairs *pairs, unsigned left, unsigned right)
{
    unsigned s = pairs->count++;
    pairs->left[s] = (uint16_t)left;
    pairs->right[s] = (uint16_t)right;
    pairs->length[s] =
        right == CODE_LEAF ? 1 : (uint16_t)(pairs->length[left] + pairs->length[right]);
    pairs->used[s] = 0;
    return (uint16_t)s;
}

/* ---- The sequence ---------------------------------------------------------------------------- */

typedef struct RunCounts {
    uint64_t times[ENCODE_VALUES][LEVELS];
} RunCounts;

static void count_levels(const Run *runs, size_t count, RunCounts *counts)
{
    memset(counts, 0, sizeof *counts);
    for (size_t r = 0; r < count; r++)
        for (int l = 0; l < LEVELS && runs[r].length >> l; l++)
            counts->times[runs[r].value][l] += runs[r].length >> l;
}

static void count_lengths(Pairs *pairs, const Run *runs, size_t count)
{
    memset(pairs->runs, 0, sizeof pairs->runs);
    for (size_t r = 0; r < count; r++) {
        uint32_t length = runs[r].length;
        pairs->runs[runs[r].value][length <= PAIRS_LONGEST ? length : PAIRS_LONGEST + 1]++;
    }
}

/* Adds the symbols for values and for frequent runs of a power of two cells. */
static void add_runs(Learner *learner, const RunCounts *counts, const bool *present)
{
    Pairs *pairs = learner->pairs;
    memset(learner->run, 0xff, sizeof learner->run);
    for (unsigned v = 0; v < ENCODE_VALUES; v++)
        if (present[v]) learner->run[v][0] = add_symbol(pairs, v, CODE_LEAF);
    pairs->values = pairs->count;
    for (unsigned v = 0; v < ENCODE_VALUES; v++)
        for (int l = 1; l < LEVELS && counts->times[v][l] >= learner->least; l++) {
            if (pairs->count >= learner->most) return;
            unsigned half = learner->run[v][l - 1];
            learner->run[v][l] = add_symbol(pairs, half, half);
        }
}

static void put(Learner *learner, uint16_t symbol)
{
    uint32_t i = (uint32_t)learner->items++;
    if (learner->item == NULL) return;
    learner->item[i] = (Item){i + 1, i - 1, symbol}; /* before the first: NONE */
}

static void put_run(Learner *learner, Run run)
{
    for (int l = LEVELS; l-- > 0;) {
        uint16_t symbol = learner->run[run.value][l];
        if (symbol == BREAK) continue;
        for (uint32_t n = run.length >> l; n > 0; n--) put(learner, symbol);
        run.length &= (UINT32_C(1) << l) - 1;
    }
}

/* Writes the sequence. Only counts its items if its memory is not allocated yet. */
static void put_runs(Learner *learner, const Run *runs, size_t count)
{
    learner->items = 0;
    for (size_t r = 0; r < count; r++) {
        if (runs[r].length == 0)
            put(learner, BREAK);
        else
            put_run(learner, runs[r]);
    }
    put(learner, BREAK);
}

static bool list_items(Learner *learner, const Run *runs, size_t count)
{
    put_runs(learner, runs, count);
    learner->item = malloc(learner->items * sizeof *learner->item);
    if (learner->item == NULL) return false;
    put_runs(learner, runs, count);
    return true;
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

static uint32_t slot_of(const Learner *learner, unsigned left, unsigned right)
{
    uint32_t key = (uint32_t)left << 16 | right;
    uint32_t at = (uint32_t)((key * HASH_FACTOR) >> 32) & learner->slot_mask;
    for (;; at = (at + 1) & learner->slot_mask) {
        uint32_t p = learner->slot[at];
        if (p == NONE || (learner->pair[p].left == left && learner->pair[p].right == right))
            return at;
    }
}

static bool grow_pairs(Learner *learner)
{
    uint32_t capacity = learner->pair_capacity ? 2 * learner->pair_capacity : 1 << 14;
    Pair *pair = realloc(learner->pair, capacity * sizeof *pair);
    if (pair != NULL) learner->pair = pair;
    Candidate *heap = realloc(learner->heap, capacity * sizeof *heap);
    if (heap != NULL) learner->heap = heap;
    uint32_t *slot = realloc(learner->slot, 4 * (size_t)capacity * sizeof *slot);
    if (slot != NULL) learner->slot = slot;
    if (pair == NULL || heap == NULL || slot == NULL) return false;
    learner->pair_capacity = capacity;
    learner->slot_mask = 4 * capacity - 1;
    memset(slot, 0xff, 4 * (size_t)capacity * sizeof *slot);
    for (uint32_t p = 0; p < learner->pair_count; p++)
        slot[slot_of(learner, pair[p].left, pair[p].right)] = p;
    return true;
}

static uint32_t new_place(Learner *learner)
{
    uint32_t at = learner->place_free;
    if (at != NONE) {
        learner->place_free = learner->place[at].next;
        return at;
    }
    if (learner->place_count == learner->place_capacity) {
        uint32_t capacity = learner->place_capacity ? 2 * learner->place_capacity : 1 << 16;
        Place *place = realloc(learner->place, capacity * sizeof *place);
        if (place == NULL) return NONE;
        learner->place = place;
        learner->place_capacity = capacity;
    }
    return learner->place_count++;
}

/* Counts the pair that begins at an item, and notes its place. Returns false if memory runs out. */
static bool add_pair(Learner *learner, uint32_t item)
{
    unsigned left = learner->item[item].symbol;
    unsigned right = learner->item[learner->item[item].next].symbol;
    const Pairs *pairs = learner->pairs;
    if (pairs->length[left] + pairs->length[right] > PAIRS_LONGEST) return true;
    if (learner->pair_count == learner->pair_capacity && !grow_pairs(learner)) return false;
    uint32_t slot = slot_of(learner, left, right), p = learner->slot[slot];
    if (p == NONE) {
        p = learner->slot[slot] = learner->pair_count++;
        learner->pair[p] = (Pair){(uint16_t)left, (uint16_t)right, 0, NONE, NONE};
    }
    uint32_t place = new_place(learner);
    if (place == NONE) return false;
    Pair *pair = &learner->pair[p];
    learner->place[place] = (Place){item, NONE};
    if (pair->last == NONE)
        pair->first = place;
    else
        learner->place[pair->last].next = place;
    pair->last = place;
    pair->count++;
    return true;
}

static void uncount_pair(Learner *learner, unsigned left, unsigned right)
{
    uint32_t p = learner->slot[slot_of(learner, left, right)];
    if (p != NONE && learner->pair[p].count > 0) learner->pair[p].count--;
}

/* ---- The most frequent pair ------------------------------------------------------------------ */

static bool comes_before(Candidate a, Candidate b)
{
    return a.count != b.count ? a.count > b.count : a.pair < b.pair;
}

static void heap_push(Learner *learner, Candidate new)
{
    uint32_t at = learner->heap_count++;
    for (; at > 0 && comes_before(new, learner->heap[(at - 1) / 2]); at = (at - 1) / 2)
        learner->heap[at] = learner->heap[(at - 1) / 2];
    learner->heap[at] = new;
}

static Candidate heap_pop(Learner *learner)
{
    Candidate *heap = learner->heap, top = heap[0], moved = heap[--learner->heap_count];
    uint32_t at = 0, end = learner->heap_count;
    for (uint32_t child; (child = 2 * at + 1) < end; at = child) {
        if (child + 1 < end && comes_before(heap[child + 1], heap[child])) child++;
        if (!comes_before(heap[child], moved)) break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
    return top;
}

static void push_new(Learner *learner, uint32_t from)
{
    for (uint32_t p = from; p < learner->pair_count; p++)
        if (learner->pair[p].count >= learner->least)
            heap_push(learner, (Candidate){learner->pair[p].count, p});
}

/* Returns the most frequent pair, or NONE if no pair occurs often enough to become a symbol. */
static uint32_t most_frequent(Learner *learner)
{
    while (learner->heap_count > 0) {
        Candidate top = heap_pop(learner);
        uint32_t count = learner->pair[top.pair].count;
        if (count == top.count) return top.pair;
        if (count >= learner->least) heap_push(learner, (Candidate){count, top.pair});
    }
    return NONE;
}

/* ---- Replacing ------------------------------------------------------------------------------- */

static bool replace_at(Learner *learner, uint32_t number, unsigned symbol)
{
    Item *item = &learner->item[number], *right = &learner->item[item->next];
    const uint32_t number_before = item->previous;
    Item *after = &learner->item[right->next];
    const Item *before = number_before != NONE ? &learner->item[number_before] : NULL;
    bool has_before = before != NULL && before->symbol != BREAK;
    bool has_after = after->symbol != BREAK;
    if (has_before) uncount_pair(learner, before->symbol, item->symbol);
    if (has_after) uncount_pair(learner, right->symbol, after->symbol);
    item->symbol = (uint16_t)symbol;
    right->symbol = BREAK;
    item->next = right->next;
    after->previous = number;
    return (!has_before || add_pair(learner, number_before)) &&
           (!has_after || add_pair(learner, number));
}

/* Asks the processor for what replace_pair reads next: the item of a place, and the place after it.
 * The places of a pair are all over the memory; without this the time goes in waiting for them. */
static void prefetch_place(const Learner *learner, uint32_t place)
{
    if (place == NONE) return;
    const Place *next = &learner->place[place];
    __builtin_prefetch(&learner->item[next->item], 1);
    if (next->next != NONE) __builtin_prefetch(&learner->place[next->next], 1);
}

/* Adds a symbol for a pair and puts it wherever the pair occurs. Returns false if memory runs out. */
static bool replace_pair(Learner *learner, uint32_t p)
{
    unsigned left = learner->pair[p].left, right = learner->pair[p].right;
    unsigned symbol = add_symbol(learner->pairs, left, right);
    uint32_t from = learner->pair_count, place = learner->pair[p].first;
    learner->pair[p].first = learner->pair[p].last = NONE;
    while (place != NONE) {
        Place here = learner->place[place];
        prefetch_place(learner, here.next);
        learner->place[place].next = learner->place_free;
        learner->place_free = place;
        place = here.next;
        const Item *item = &learner->item[here.item];
        if (item->symbol != left || learner->item[item->next].symbol != right) continue;
        if (!replace_at(learner, here.item, symbol)) return false;
    }
    learner->pair[p].count = 0;
    push_new(learner, from);
    return true;
}

static bool learn(Learner *learner)
{
    if (!grow_pairs(learner)) return false;
    for (uint32_t i = 0; i + 1 < learner->items; i++)
        if (learner->item[i].symbol != BREAK && learner->item[i + 1].symbol != BREAK &&
            !add_pair(learner, i))
            return false;
    push_new(learner, 0);
    while (learner->pairs->count < learner->most) {
        uint32_t p = most_frequent(learner);
        if (p == NONE) break;
        if (!replace_pair(learner, p)) return false;
    }
    for (uint32_t i = 0; i < learner->items; i++)
        if (learner->item[i].symbol != BREAK) learner->pairs->used[learner->item[i].symbol]++;
    return true;
}

bool pairs_learn(Pairs *pairs, const Run *runs, size_t count, const PairsParams *params)
{
    Learner *learner = calloc(1, sizeof *learner);
    RunCounts *counts = malloc(sizeof *counts);
    bool done = learner != NULL && counts != NULL;
    if (done) {
        learner->pairs = pairs;
        learner->least = params->least;
        learner->most = params->most;
        learner->place_free = NONE;
        pairs->count = 0;
        count_levels(runs, count, counts);
        count_lengths(pairs, runs, count);
        add_runs(learner, counts, params->present);
        done = list_items(learner, runs, count) && learn(learner);
        free(learner->item);
        free(learner->pair);
        free(learner->slot);
        free(learner->place);
        free(learner->heap);
    }
    free(counts);
    free(learner);
    return done;
}

void pairs_drop(Pairs *pairs, const bool *drop)
{
    uint16_t now[CODE_SYMBOLS_MAX];
    bool keep[CODE_SYMBOLS_MAX] = {false};
    for (unsigned s = pairs->count; s-- > 0;) {
        keep[s] = keep[s] || !drop[s] || s < pairs->values;
        if (!keep[s] || s < pairs->values) continue;
        keep[pairs->left[s]] = keep[pairs->right[s]] = true;
    }
    unsigned count = 0;
    for (unsigned s = 0; s < pairs->count; s++) {
        if (!keep[s]) continue;
        bool value = s < pairs->values;
        pairs->left[count] = value ? pairs->left[s] : now[pairs->left[s]];
        pairs->right[count] = value ? CODE_LEAF : now[pairs->right[s]];
        pairs->length[count] = pairs->length[s];
        pairs->used[count] = pairs->used[s];
        now[s] = (uint16_t)count++;
    }
    pairs->count = count;
}
