/* scratch_parts.c - see scratch_parts.h. */
#include "gen/store/scratch_parts.h"

#include <string.h>

#include "core/system/error.h"

StoreEntry entry_layout(const Layout *layout, unsigned wanted)
{
    StoreEntry entry = {.layout = *layout, .wanted = wanted};
    bool subset = subset_init(&entry.subset, layout, wanted);
    entry.planes = layout->kings * (subset ? (uint32_t)entry.subset.squares : 1);
    entry.plane_words = subset ? layout->plane_words / 64 : layout->plane_words;
    entry.plane_cells = 64 * entry.plane_words;
    return entry;
}

/* ---- Arrays ---------------------------------------------------------------------------------- */

static size_t value_size(StoredFormat format) { return format.wide ? sizeof(Plies) : 1; }

size_t part_plies_bytes(const StoreEntry *entry, StoredFormat format, int part)
{
    return part == PART_PUSHES && !format.dtc ? 0 : entry->plane_cells * value_size(format);
}

int part_sets(StoredFormat format, int part)
{
    return part == PART_VALUES && format.cursed ? 2 : 1;
}

size_t entry_set_bytes(const StoreEntry *entry) { return entry->plane_words * sizeof(uint64_t); }

size_t part_bytes(const StoreEntry *entry, StoredFormat format, int part, uint32_t planes)
{
    return planes * (part_plies_bytes(entry, format, part) +
                     (size_t)part_sets(format, part) * entry_set_bytes(entry));
}

uint64_t part_cost(const StoreEntry *entry, StoredFormat format, int part)
{
    return budget_cost(part_bytes(entry, format, part, entry->planes));
}

void part_place(const StoreEntry *entry, StoredFormat format, int part, uint32_t planes,
                void *memory, int color, SolvedArrays *out)
{
    size_t plies = part_plies_bytes(entry, format, part);
    uint64_t *sets = (uint64_t *)(void *)((uint8_t *)memory + planes * plies);
    PliesArray array = {plies && !format.wide ? memory : NULL,
                        plies && format.wide ? memory : NULL};
    if (part == PART_PUSHES) {
        out->dtc[color] = array;
        out->stalemate[color] = sets;
        return;
    }
    out->value[color] = array;
    out->legal[color] = sets;
    out->cursed[color] = format.cursed ? sets + planes * entry->plane_words : NULL;
}

StoredFormat stored_format(const SolvedSlice *slice)
{
    StoredFormat format = {slice->cursed, false, slice->metrics >> TREB_DTC & 1};
    /* A draw is stored as a byte of all ones, so distances must be less. */
    for (int m = TREB_DTC; m < TREB_METRICS; m++)
        if (slice->metrics >> m & 1)
            format.wide |= slice->plies[slice_metric(slice, (treb_metric)m)] > NARROW_MOST;
    return format;
}

uint64_t stored_side_bytes(const StoreEntry *entry, const StoredSide *side)
{
    uint64_t bytes = 0;
    for (int part = 0; part < PARTS; part++)
        if (side->kept[part]) bytes += part_cost(entry, side->format, part);
    return bytes;
}

void part_unload(StoredSide *side, int part)
{
    budget_free(side->kept[part]);
    side->kept[part] = NULL;
    for (int color = 0; color < 2; color++) {
        if (part == PART_PUSHES) {
            side->solved.dtc[color] = (PliesArray){NULL, NULL};
            side->solved.stalemate[color] = NULL;
        } else {
            side->solved.value[color] = (PliesArray){NULL, NULL};
            side->solved.legal[color] = side->solved.cursed[color] = NULL;
        }
    }
}

bool part_alloc(const StoreEntry *entry, StoredSide *side, int color, int part)
{
    void *memory =
        budget_alloc(entry->budget, part_bytes(entry, side->format, part, entry->planes));
    if (memory == NULL) return false;
    side->kept[part] = memory;
    part_place(entry, side->format, part, entry->planes, memory, color, &side->solved);
    return true;
}

/* ---- From solved planes to arrays ------------------------------------------------------------ */

unsigned part_plane_parts(const SolvedSlice *slice, int part)
{
    bool dtm = slice->metrics >> TREB_DTM & 1, dtc = slice->metrics >> TREB_DTC & 1;
    if (part == PART_PUSHES) return PLANE_STALEMATE | (dtc ? PLANE_DISTANCE << TREB_DTC : 0);
    return (dtm ? PLANE_DISTANCE << TREB_DTM : 0) | (slice->finished != NULL ? PLANE_MOVES : 0);
}

/* Where the 64 cells of word `word` of an entry's plane are in the solver's plane: side by side, or at a distance of
 * 64 cells. `square` is the number of the subset's square. */
typedef struct Cells64 {
    size_t first;
    bool strided;
} Cells64;

static Cells64 find_cells(const StoreEntry *entry, int square, size_t word)
{
    const PromotionSubset *subset = &entry->subset;
    size_t cell = 64 * (entry->word != NULL ? entry->word[word] : word);
    if (subset->squares == 0) return (Cells64){layout_cell(&entry->layout, cell), false};
    int shift = 6 * (entry->layout.men - 1 - subset->man);
    size_t low = cell & (((size_t)1 << shift) - 1), on = (size_t)subset->square[square] << shift;
    if (shift == 0) return (Cells64){64 * cell + on, true};
    return (Cells64){layout_cell(&entry->layout, (cell >> shift) << (shift + 6) | on | low), false};
}

/* Returns the i-th of 64 cells. */
static size_t cell_apart(const Layout *layout, Cells64 from, size_t i)
{
    return layout_cell(layout, from.first + 64 * i);
}

static uint64_t gather_set(const Layout *layout, const uint64_t *set, Cells64 from)
{
    uint64_t bits = 0;
    if (!from.strided) return set[from.first / 64];
    for (size_t i = 0; i < 64; i++)
        bits |= (set[cell_apart(layout, from, i) / 64] >> from.first % 64 & 1) << i;
    return bits;
}

static void gather_plies(const Layout *layout, const Plies *plies, Cells64 from, Plies out[64])
{
    if (!from.strided)
        memcpy(out, plies + from.first, 64 * sizeof *out);
    else
        for (size_t i = 0; i < 64; i++) out[i] = plies[cell_apart(layout, from, i)];
}

static void put_plies(const PliesArray *array, size_t first, const Plies *plies)
{
    if (array->wide != NULL)
        memcpy(array->wide + first, plies, 64 * sizeof *plies);
    else /* PLIES_OPEN becomes a byte of all ones */
        for (int i = 0; i < 64; i++) array->narrow[first + i] = (uint8_t)plies[i];
}

/* Writes the distances of 64 cells that are won or lost, and PLIES_OPEN for the others. */
static void decided_plies(const Layout *layout, const Plane *plane, const Plies *plies,
                          Cells64 from, Plies out[64])
{
    const Kernel *kernel = kernel_best();
    uint64_t won = gather_set(layout, plane->won, from);
    uint64_t lost = gather_set(layout, plane->lost, from);
    uint64_t decided = won | lost;
    if (plies != NULL) {
        gather_plies(layout, plies, from, out);
        kernel->pick(&decided, 1, 0, out, out);
        return;
    }
    for (int i = 0; i < 64; i++) out[i] = PLIES_OPEN;
    kernel->mark(&won, 1, 1, out);
    kernel->mark(&lost, 1, 2, out);
}

void part_put_plane(const StoreEntry *entry, const Plane *plane, int square, uint32_t at, int part,
                    const SolvedArrays *to, int color)
{
    const Layout *layout = &entry->layout;
    const size_t words = entry->plane_words, first = at * words;
    for (size_t w = 0; w < words; w++) {
        Cells64 from = find_cells(entry, square, w);
        Plies plies[64];
        if (part == PART_VALUES) {
            to->legal[color][first + w] = gather_set(layout, plane->legal, from);
            if (to->cursed[color])
                to->cursed[color][first + w] = gather_set(layout, plane->cursed, from);
            if (to->legal[color][first + w] == 0 && to->value[color].narrow != NULL) {
                memset(to->value[color].narrow + 64 * (first + w), 0xff, 64);
                continue;
            }
            decided_plies(layout, plane, plane->distance[TREB_DTM], from, plies);
            put_plies(&to->value[color], 64 * (first + w), plies);
            continue;
        }
        to->stalemate[color][first + w] = gather_set(layout, plane->stalemate, from);
        if (plane->distance[TREB_DTC] == NULL) continue;
        decided_plies(layout, plane, plane->distance[TREB_DTC], from, plies);
        put_plies(&to->dtc[color], 64 * (first + w), plies);
    }
}

treb_status side_fill(const StoreEntry *entry, StoredSide *side, int color,
                      const SolvedSlice *slice, bool pushes, treb_error *error)
{
    const uint32_t *own = entry->partition.plane; /* NULL: all planes */
    const int parts = pushes ? PARTS : 1;
    treb_status status = TREB_OK;
    unsigned needed = 0;
    side->format = stored_format(slice);
    for (int part = 0; part < parts; part++) {
        needed |= part_plane_parts(slice, part);
        if (!part_alloc(entry, side, color, part)) return fail_memory(error);
    }
#pragma omp parallel
    {
        Plane plane;
        bool ready = plane_init(&plane, slice->layout, needed, entry->budget);
#pragma omp for schedule(dynamic, 4)
        for (uint32_t i = 0; i < entry->planes; i++) {
            treb_error mine;
            const uint32_t kings = own != NULL ? own[i] : i;
            treb_status done =
                ready ? plane_read(&plane, slice, color, kings, &mine) : fail_memory(&mine);
            for (int part = 0; part < parts && done == TREB_OK; part++)
                part_put_plane(entry, &plane, 0, i, part, &side->solved, color);
            if (done == TREB_OK) continue;
#pragma omp critical(scratch_error)
            {
                status = done;
                *error = mine;
            }
        }
        plane_free(&plane);
    }
    return status;
}
