/* scratch.c - entries, and the list at the end of a scratch file: see scratch.h. */
#include "gen/store/scratch.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/chess/bitboard.h"
#include "gen/store/scratch_chunks.h"

const uint64_t scratch_mark = UINT64_C(0x394543494c535254); /* "TRSLICE" and a version */

/* ---- Entries --------------------------------------------------------------------------------- */

void entry_free(StoreEntry *entry)
{
    if (entry == NULL) return;
    for (uint32_t b = 0; b < entry->groups; b++) {
        for (int i = 0; i < 2 * PARTS; i++) {
            part_unload(&entry->group[b]->side[i / PARTS], i % PARTS);
            free(entry->group[b]->side[i / PARTS].chunk[i % PARTS]);
        }
        free(entry->group[b]->slice);
        free(entry->group[b]);
    }
    free(entry->group);
    free(entry->group_of);
    free(entry->lane_of);
    free(entry->word);
    spill_close(&entry->spill);
    partition_free(&entry->partition);
    layout_free(&entry->layout);
    free(entry);
}

bool entry_divide(StoreEntry *entry, const Processes *processes)
{
    if (processes == NULL) return true;
    assert(entry->subset.squares == 0 && entry->groups == 0);
    PlanePartition *partition = &entry->partition;
    if (!partition_init(partition, &entry->layout, processes)) return false;
    entry->planes = partition->planes;
    for (uint32_t i = 0; i < partition->ghosts[0]; i++)
        partition->place[0][partition->ghost_plane[0][i]] = PLACE_NONE;
    return true;
}

/* Finds the squares of the men, the last one not counted, in the words that are kept. Returns the number of words. */
static size_t kept_words(const Layout *layout, const Promoted read[2], uint64_t squares[KERNEL_MEN_MAX])
{
    Promoted all = read[0];
    size_t words = layout->men < 2 ? layout->plane_words : 1;
    promoted_add(&all, &read[1]);
    for (int man = 0; man < layout->men - 1; man++) {
        squares[man] = promoted_squares(&all, layout, man);
        words *= (size_t)bit_count(squares[man]);
    }
    return words;
}

static void set_words(StoreEntry *entry, size_t words)
{
    entry->plane_words = words;
    entry->plane_cells = 64 * words;
}

void entry_resize(StoreEntry *entry, const Promoted read[2])
{
    uint64_t squares[KERNEL_MEN_MAX];
    set_words(entry, kept_words(&entry->layout, read, squares));
}

bool entry_restrict(StoreEntry *entry, const Promoted read[2])
{
    const Layout *layout = &entry->layout;
    const int last = layout->men - 1;
    uint64_t squares[KERNEL_MEN_MAX];
    const size_t words = kept_words(layout, read, squares);
    if (words == layout->plane_words) return true;
    if ((entry->word = malloc(words * sizeof *entry->word)) == NULL) return false;
    set_words(entry, words);
    for (int s = 0; s < 64; s++) entry->step[last][s] = (uint32_t)s;
    uint32_t step = 64;
    for (int man = last - 1; man >= 0; man--) {
        for (uint32_t s = 0, place = 0; s < 64; s++)
            if (bit_test(squares[man], (int)s)) entry->step[man][s] = step * place++;
        step *= (uint32_t)bit_count(squares[man]);
    }
    size_t count = 0;
    for (size_t w = 0; w < layout->plane_words; w++) {
        bool kept = true;
        for (int man = 0; man < last; man++) kept &= bit_test(squares[man], w >> 6 * (last - 1 - man) & 63);
        if (kept) entry->word[count++] = (uint32_t)w;
    }
    return true;
}

StoreEntry *entry_new(const Material *material, unsigned wanted, MemoryBudget *budget)
{
    StoreEntry *entry = calloc(1, sizeof *entry);
    Layout layout;
    if (entry == NULL || !layout_init(&layout, material)) {
        free(entry);
        return NULL;
    }
    *entry = entry_layout(&layout, wanted);
    entry->spill.file = -1;
    entry->budget = budget;
    uint64_t slices = entry->layout.index.slices;
    entry->group_of = malloc(slices * sizeof *entry->group_of);
    entry->lane_of = calloc(slices, 1);
    if (entry->group_of == NULL || entry->lane_of == NULL) {
        entry_free(entry);
        return NULL;
    }
    for (uint64_t s = 0; s < slices; s++) entry->group_of[s] = NO_GROUP;
    return entry;
}

StoredGroup *entry_group(StoreEntry *entry, const uint64_t *slice, int lanes)
{
    if (entry->group_of[slice[0]] != NO_GROUP) return entry->group[entry->group_of[slice[0]]];
    if (entry->groups == entry->capacity) {
        uint32_t capacity = entry->capacity ? 2 * entry->capacity : 32;
        StoredGroup **grown = realloc(entry->group, capacity * sizeof *grown);
        if (grown == NULL) return NULL;
        entry->group = grown;
        entry->capacity = capacity;
    }
    StoredGroup *group = calloc(1, sizeof *group);
    if (group == NULL) return NULL;
    group->slice = malloc(lanes * sizeof *group->slice);
    if (group->slice == NULL) {
        free(group);
        return NULL;
    }
    entry->group[entry->groups] = group;
    memcpy(group->slice, slice, lanes * sizeof *slice);
    group->lanes = lanes;
    for (int i = 0; i < 2; i++) {
        group->side[i].solved.subset = entry->subset.squares > 0 ? &entry->subset : NULL;
        group->side[i].solved.place = entry->partition.place[0];
        group->side[i].solved.step = entry->word != NULL ? entry->step : NULL;
        group->side[i].solved.plane_cells = entry->plane_cells;
    }
    for (int lane = 0; lane < lanes; lane++) {
        entry->group_of[slice[lane]] = entry->groups;
        entry->lane_of[slice[lane]] = lane;
    }
    entry->groups++;
    return group;
}

/* ---- The list at the end of a file ----------------------------------------------------------- */

static void put_part(const StoreEntry *entry, const StoredSide *side, int part, State *state)
{
    state_put(state, side->chunk[part] != NULL);
    if (side->chunk[part] != NULL)
        state_put_bytes(state, side->chunk[part], part_chunks(entry) * sizeof *side->chunk[part]);
}

static void get_part(const StoreEntry *entry, StoredSide *side, int part, State *state)
{
    if (state_get_most(state, 1) == 0) return;
    size_t bytes = part_chunks(entry) * sizeof *side->chunk[part];
    side->chunk[part] = malloc(bytes);
    if (side->chunk[part] == NULL)
        state->failed = true;
    else
        state_get_bytes(state, side->chunk[part], bytes);
}

void entry_put(const StoreEntry *entry, State *state)
{
    state_put(state, entry->groups);
    state_put(state, entry->wanted);
    state_put(state, atomic_load(&entry->spill.end));
    for (uint32_t b = 0; b < entry->groups; b++) {
        const StoredGroup *group = entry->group[b];
        state_put(state, (uint64_t)group->lanes);
        state_put(state, (uint64_t)group->level);
        state_put_bytes(state, group->slice, (size_t)group->lanes * sizeof *group->slice);
        for (int color = 0; color < 2; color++) {
            const StoredSide *side = &group->side[color];
            state_put_bytes(state, &side->format, sizeof side->format);
            for (int part = 0; part < PARTS; part++) put_part(entry, side, part, state);
        }
    }
}

static bool get_group(StoreEntry *entry, State *state)
{
    uint64_t slice[SLICE_LANES], lanes = state_get_most(state, SLICE_LANES),
                                 level = state_get_most(state, INT32_MAX);
    state_get_bytes(state, slice, lanes * sizeof *slice);
    for (uint64_t lane = 0; lane < lanes; lane++)
        if (slice[lane] >= entry->layout.index.slices || entry->group_of[slice[lane]] != NO_GROUP)
            return false;
    StoredGroup *group = lanes > 0 && !state->failed ? entry_group(entry, slice, (int)lanes) : NULL;
    if (group == NULL) return false;
    group->level = (int)level;
    for (int color = 0; color < 2; color++) {
        StoredSide *side = &group->side[color];
        state_get_bytes(state, &side->format, sizeof side->format);
        for (int part = 0; part < PARTS; part++) get_part(entry, side, part, state);
    }
    return !state->failed;
}

bool entry_get(StoreEntry *entry, State *state)
{
    uint64_t groups = state_get(state), wanted = state_get_most(state, WANT_END - 1);
    atomic_store(&entry->spill.end, state_get(state));
    if (state->failed || (entry->subset.squares ? wanted != entry->wanted : wanted > WANT_SIDES))
        return false;
    entry->wanted = (unsigned)wanted;
    for (uint64_t b = 0; b < groups; b++)
        if (!get_group(entry, state)) return false;
    return true;
}

treb_status entry_write_list(const StoreEntry *entry, treb_error *error)
{
    State state = {0};
    entry_put(entry, &state);
    treb_status status = spill_put_list(&entry->spill, &state, error);
    state_free(&state);
    return status;
}

StoreEntry *entry_open(const char *path, const Material *m, unsigned wanted, MemoryBudget *budget)
{
    SpillFile spill;
    State state;
    treb_error error;
    if (spill_open(&spill, path, scratch_mark, &state, &error) != TREB_OK) return NULL;
    StoreEntry *entry = entry_new(m, wanted, budget);
    if (entry != NULL) {
        entry->spill = spill;
        entry->complete = entry_get(entry, &state) && state.at == state.size;
    } else {
        spill_close(&spill);
    }
    state_free(&state);
    if (entry != NULL && entry->complete) return entry;
    entry_free(entry);
    return NULL;
}
