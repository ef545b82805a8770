/* dtm50_writer.c - see dtm50_writer.h.
 *
 * The numbers of lists depend on the order in which threads find them, and how many there are is known only at the end.
 * So the lists of all cells wait, compressed, chunk by chunk (a chunk has the planes that a chunk of cells.h has). Then
 * the profiles of the file are chosen (profile_numbers.h). The cells become places (core/format/table_profile.h), side 0
 * is made from them like a side of other files with codec symbols, and the profiles that cells have of their own follow
 * as side 1 (own_profiles.h). */
#include "gen/write/dtm50_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/format/table_profile.h"
#include "core/system/error.h"
#include "core/system/io.h"
#include "core/system/spill_file.h"
#include "core/system/stop.h"
#include "gen/write/cells.h"
#include "gen/write/own_profiles.h"
#include "gen/write/profile_numbers.h"
#include "gen/write/reorder.h"
#include "gen/write/symbols_file.h"

struct Dtm50Writer {
    const Layout *layout;
    Index index; /* of the file, but for the order of axes */
    const Profiles *profiles;
    WriteOptions options;
    SpillFile spill;
    unsigned sides;       /* to move whose profiles are kept, a mask: one of them will be in the file */
    uint32_t chunks;      /* of a side of a slice */
    SpillChunk *chunk[2]; /* by side to move; those of slice `number` begin at number * chunks. NULL: not kept */
    TableStatistics statistics;
    Histograms *histograms;
    TableDelayed delayed[DELAYED_CLOCKS];
    uint64_t where[DELAYED_CLOCKS]; /* numbers of the slices with the positions of `delayed` */
};

/* The memory of a thread for one chunk. */
typedef struct ChunkMemory {
    uint32_t *profile, *plane; /* `plane`: of all lanes */
    uint8_t *packed;
} ChunkMemory;

static size_t chunk_cells(const Layout *layout)
{
    return cells_planes(layout) * layout_lane_cells(layout);
}

static bool chunk_init(ChunkMemory *memory, const Dtm50Writer *w)
{
    const size_t bytes = chunk_cells(w->layout) * sizeof *memory->profile;
    memory->profile = budget_alloc(w->options.budget, bytes);
    memory->plane = budget_alloc(w->options.budget, w->layout->plane_cells * sizeof *memory->plane);
    memory->packed = budget_alloc(w->options.budget, spill_bound(bytes));
    return memory->profile != NULL && memory->plane != NULL && memory->packed != NULL;
}

static void chunk_free(ChunkMemory *memory)
{
    budget_free(memory->profile);
    budget_free(memory->plane);
    budget_free(memory->packed);
}

/* Returns the planes of a chunk from `*first` on. */
static uint32_t chunk_planes(const Dtm50Writer *w, uint32_t chunk, uint32_t *first)
{
    const uint32_t most = cells_planes(w->layout);
    *first = chunk * most;
    return w->layout->kings - *first < most ? w->layout->kings - *first : most;
}

static size_t list_bytes(const Dtm50Writer *w)
{
    return w->layout->index.slices * w->chunks * sizeof(SpillChunk);
}

/* Finds the side to move that the DTM file of the table has; White if it has both. */
static treb_status find_turn(const Dtm50Writer *w, int *turn, treb_error *error)
{
    char name[TABLE_NAME_SIZE];
    *turn = TREB_WHITE;
    if (w->layout->symmetric) return TREB_OK;
    table_file_name(&w->layout->material, TREB_DTM, name);
    char *path = io_path(w->options.directory, name);
    if (path == NULL) return fail_memory(error);
    Table *mates = table_open(path, error);
    free(path);
    if (mates == NULL) return error->status;
    if (!table_header(mates)->side[TREB_WHITE].stored) *turn = TREB_BLACK;
    table_close(mates);
    return TREB_OK;
}

/* Which side the DTM file has is not known before it is there. */
static unsigned sides_to_keep(const Dtm50Writer *w)
{
    int turn;
    treb_error not_yet;
    return find_turn(w, &turn, &not_yet) == TREB_OK ? 1u << turn : 1u << TREB_WHITE | 1u << TREB_BLACK;
}

/* Opens the file of the chunks: a new one, or as `state` says. */
static treb_status open_chunks(Dtm50Writer *w, State *state, treb_error *error)
{
    char path[4300];
    const bool named = w->options.path != NULL;
    if (named) snprintf(path, sizeof path, "%.4200s-%s", w->options.path, table_metric_name(TREB_DTM50));
    if (state == NULL) return spill_create(&w->spill, named ? path : NULL, w->options.scratch, 0, error);
    return spill_resume(&w->spill, path, state_get(state)) ? TREB_OK : fail_errno(error, "read", path);
}

treb_status dtm50_writer_put(const Dtm50Writer *w, State *state, treb_error *error)
{
    state_put(state, atomic_load(&w->spill.end));
    state_put(state, w->sides);
    state_put_bytes(state, &w->statistics, sizeof w->statistics);
    state_put_bytes(state, w->histograms, sizeof *w->histograms);
    state_put_bytes(state, w->delayed, sizeof w->delayed);
    state_put_bytes(state, w->where, sizeof w->where);
    for (int side = 0; side < 2; side++)
        if (w->sides >> side & 1) state_put_bytes(state, w->chunk[side], list_bytes(w));
    return spill_sync(&w->spill, error);
}

/* Reads what dtm50_writer_put saved, all but the end of the file. */
static treb_status get_state(Dtm50Writer *w, State *state, treb_error *error)
{
    state_get_bytes(state, &w->statistics, sizeof w->statistics);
    state_get_bytes(state, w->histograms, sizeof *w->histograms);
    state_get_bytes(state, w->delayed, sizeof w->delayed);
    state_get_bytes(state, w->where, sizeof w->where);
    for (int side = 0; side < 2; side++)
        if (w->sides >> side & 1) state_get_bytes(state, w->chunk[side], list_bytes(w));
    return state->failed ? fail(error, TREB_ERR_DAMAGED, "the checkpoint of an earlier run is damaged") : TREB_OK;
}

Dtm50Writer *dtm50_writer_new(const Layout *layout, const WriteOptions *options,
                              const Profiles *profiles, State *state, treb_error *error)
{
    Dtm50Writer *w = calloc(1, sizeof *w);
    if (w == NULL) {
        fail_memory(error);
        return NULL;
    }
    w->layout = layout;
    index_init_square_colors(&w->index, &layout->material, NULL);
    w->profiles = profiles;
    w->options = *options;
    w->chunks = (layout->kings + cells_planes(layout) - 1) / cells_planes(layout);
    treb_status status = open_chunks(w, state, error);
    w->spill.budget = options->budget;
    w->spill.keep = options->path == NULL ? options->keep / TREB_METRICS : 0;
    w->histograms = budget_calloc(options->budget, sizeof *w->histograms);
    /* Meanwhile the DTM file may have come. */
    w->sides = state != NULL ? (unsigned)state_get_most(state, 3) : sides_to_keep(w);
    bool enough = w->histograms != NULL;
    for (int side = 0; side < 2; side++) {
        if (!(w->sides >> side & 1)) continue;
        w->chunk[side] = budget_calloc(options->budget, list_bytes(w));
        enough = enough && w->chunk[side] != NULL;
    }
    if (status == TREB_OK && !enough) status = fail_memory(error);
    if (status == TREB_OK && state != NULL) status = get_state(w, state, error);
    if (status == TREB_OK) return w;
    dtm50_writer_abort(w);
    return NULL;
}

void dtm50_writer_abort(Dtm50Writer *w)
{
    if (w == NULL) return;
    for (int side = 0; side < 2; side++) budget_free(w->chunk[side]);
    spill_close(&w->spill);
    budget_free(w->histograms);
    free(w);
}

unsigned dtm50_writer_sides(const Dtm50Writer *w) { return w->sides; }

/* ---- Adding slices --------------------------------------------------------------------------- */

/* Copies the cells of a slice from a plane of all lanes. */
static void copy_lane(const Layout *layout, const uint32_t *plane, int lane, uint32_t *out)
{
    const size_t cells = layout_lane_cells(layout);
    memcpy(out, plane + (size_t)lane * cells, cells * sizeof *out);
}

static treb_status add_chunk(Dtm50Writer *w, const uint64_t *number, const Dtm50 *dtm50, int side,
                             uint32_t chunk, const ChunkMemory *memory, treb_error *error)
{
    const size_t cells = layout_lane_cells(w->layout);
    treb_status status = TREB_OK;
    uint32_t first, planes = chunk_planes(w, chunk, &first);
    for (int lane = 0; lane < dtm50_slice(dtm50)->lanes && status == TREB_OK; lane++) {
        for (uint32_t k = 0; k < planes; k++) {
            dtm50_profiles(dtm50, side, first + k, memory->plane);
            copy_lane(w->layout, memory->plane, lane, memory->profile + k * cells);
        }
        status = spill_write(&w->spill, memory->profile, planes * cells * sizeof *memory->profile,
                             memory->packed, &w->chunk[side][number[lane] * w->chunks + chunk], error);
    }
    return status;
}

/* Adds the delays of a group of slices. Of positions that are delayed as long the first one counts. Other threads may add
 * other groups. */
static void add_delays(Dtm50Writer *w, const uint64_t *number, const Dtm50 *dtm50)
{
    const Dtm50Delays *delays = dtm50_delays(dtm50);
    const SolvedSlice *slice = dtm50_slice(dtm50);
#pragma omp critical(dtm50_writer)
    for (int i = 0; i < DELAYED_CLOCKS; i++) {
        TableDelayed *table = &w->delayed[i];
        table->count += delays->count[i];
        for (int lane = 0; lane < slice->lanes; lane++) {
            const Dtm50Delay *longest = &delays->longest[i][lane];
            const int more = (longest->dtm50 - longest->dtm) - (table->dtm50 - table->dtm);
            if (longest->dtm50 == 0 || more < 0 || (more == 0 && number[lane] > w->where[i])) continue;
            w->where[i] = number[lane];
            table->dtm = longest->dtm;
            table->dtm50 = longest->dtm50;
            statistics_fen(slice, longest->side, longest->kings, longest->cell, longest->clock, table->fen);
        }
    }
}

treb_status dtm50_writer_add(Dtm50Writer *w, const uint64_t *number, const Dtm50 *dtm50,
                             treb_error *error)
{
    treb_status status = TREB_OK;
#pragma omp parallel
    {
        ChunkMemory memory;
        const bool enough = chunk_init(&memory, w);
#pragma omp for schedule(dynamic)
        for (uint32_t i = 0; i < 2 * w->chunks; i++) {
            treb_error mine;
            if (!(w->sides >> i % 2 & 1)) continue;
            treb_status own = enough ? add_chunk(w, number, dtm50, (int)(i % 2), i / 2, &memory, &mine)
                                     : fail_memory(&mine);
            if (own == TREB_OK) continue;
#pragma omp critical(dtm50_error)
            {
                status = own;
                *error = mine;
            }
        }
        chunk_free(&memory);
    }
    if (status != TREB_OK) return status;
    add_delays(w, number, dtm50);
    return statistics_add_slice(&w->statistics, w->histograms, number[0], dtm50_slice(dtm50), NULL,
                                w->options.budget, NULL, error);
}

/* ---- The profiles of the file ----------------------------------------------------------------- */

typedef treb_status UseCells(void *context, uint64_t number, uint32_t chunk, const uint32_t *profile,
                             size_t cells, treb_error *error);

/* Calls `use` with the profiles of all chunks, one after the other: in the order of the slices in the file. */
static treb_status each_chunk(const Dtm50Writer *w, int turn, UseCells *use, void *context, treb_error *error)
{
    ChunkMemory memory;
    const Index *own = &w->layout->index;
    uint64_t *number = calloc(own->slices, sizeof *number); /* by slice in the file */
    treb_status status = chunk_init(&memory, w) && number != NULL ? TREB_OK : fail_memory(error);
    for (uint64_t i = 0; i < own->slices && number != NULL; i++)
        number[index_slice_in(&w->index, own, i, index_slice_place(own, i))] = i;
    for (uint64_t i = 0; i < own->slices * w->chunks && status == TREB_OK; i++) {
        const uint64_t slice = number[i / w->chunks];
        const SpillChunk *chunk = &w->chunk[turn][slice * w->chunks + i % w->chunks];
        if (chunk->size == 0) continue;
        status = stop_check(w->options.stop, error);
        if (status == TREB_OK) status = spill_read(&w->spill, chunk, memory.packed, memory.profile, error);
        if (status == TREB_OK)
            status = use(context, slice, (uint32_t)(i % w->chunks), memory.profile,
                         chunk->size / sizeof *memory.profile, error);
    }
    free(number);
    chunk_free(&memory);
    return status;
}

/* A UseCells. */
static treb_status count_cells(void *context, uint64_t number, uint32_t chunk,
                               const uint32_t *profile, size_t cells, treb_error *error)
{
    uint64_t *count = context;
    (void)number, (void)chunk, (void)error;
    for (size_t i = 0; i < cells; i++)
        if (profile[i] != PROFILE_ANY) count[profile[i]]++;
    return TREB_OK;
}

/* Chooses the profiles of the file. */
static treb_status number_lists(const Dtm50Writer *w, TableProfiles *out, ProfileNumbers **numbers, treb_error *error)
{
    uint64_t *cells = calloc(profiles_count(w->profiles), sizeof *cells); /* by list */
    treb_status status =
        cells != NULL ? each_chunk(w, out->turn, count_cells, cells, error) : fail_memory(error);
    if (status == TREB_OK) {
        *numbers = profile_numbers_new(w->profiles, cells, w->options.budget, out);
        if (*numbers == NULL) status = fail_memory(error);
    }
    free(cells);
    return status;
}

/* ---- Places ---------------------------------------------------------------------------------- */

typedef struct Places50 {
    const ProfileNumbers *numbers;
    Cells *cells;
    Plies *place;
} Places50;

/* A UseCells. */
static treb_status write_places(void *context, uint64_t number, uint32_t chunk,
                                const uint32_t *profile, size_t cells, treb_error *error)
{
    const Places50 *p = context;
    for (size_t i = 0; i < cells; i++) {
        const uint32_t place =
            profile[i] == PROFILE_ANY ? PROFILE_ANY : profile_numbers_place(p->numbers, profile[i]);
        p->place[i] = place == PROFILE_ANY ? (Plies)CELL_FREE : (Plies)place;
    }
    return cells_write(p->cells, number, 0, chunk, p->place, error);
}

static treb_status make_places(const Dtm50Writer *w, const ProfileNumbers *numbers, int turn, Cells **out,
                               treb_error *error)
{
    const CellsPlace kept = {.directory = w->options.scratch,
                              .budget = w->options.budget,
                              .keep = w->options.keep / TREB_METRICS,
                              .stop = w->options.stop};
    const Places50 p = {numbers, cells_new(w->layout, TREB_DTM50, 1, &kept, error),
                        budget_alloc(w->options.budget, chunk_cells(w->layout) * sizeof(Plies))};
    *out = p.cells;
    treb_status status = p.cells != NULL ? TREB_OK : error->status;
    if (status == TREB_OK && p.place == NULL) status = fail_memory(error);
    if (status == TREB_OK) status = each_chunk(w, turn, write_places, (void *)(uintptr_t)&p, error);
    budget_free(p.place);
    return status;
}

/* ---- Profiles of cells ----------------------------------------------------------------------- */

typedef struct OwnCells {
    const Dtm50Writer *w;
    const ProfileNumbers *numbers;
    OwnProfiles *own;
    TableWriter *writer; /* NULL: the cells are counted */
    Reorder order;       /* of side 1 */
} OwnCells;

static treb_status use_own(const OwnCells *o, uint64_t cell, uint32_t list, treb_error *error)
{
    if (list == PROFILE_ANY || !profile_numbers_own(o->numbers, list)) return TREB_OK;
    if (o->writer != NULL) return own_profiles_add(o->own, o->writer, cell, list, error);
    own_profiles_count(o->own, cell, list);
    return TREB_OK;
}

/* Looks for cells with profiles of their own in a plane, in the order of the file, in which axis 0, the kings, is the
 * outermost; `cell` is its first one. */
static treb_status use_plane(const OwnCells *o, const uint32_t *profile, uint64_t cell, treb_error *error)
{
    const Reorder *r = &o->order;
    const uint64_t end = cell + r->index.stride[INDEX_KINGS_AXIS];
    uint32_t at[INDEX_AXES_MAX] = {0};
    treb_status status = TREB_OK;
    for (; cell < end && status == TREB_OK; cell++) {
        const uint32_t *here = profile;
        for (int i = 1; i < r->axes; i++) here += r->offset[i][at[i]];
        status = use_own(o, cell, *here, error);
        for (int i = r->axes - 1; i > 0 && ++at[i] == r->radix[i]; i--) at[i] = 0;
    }
    return status;
}

/* A UseCells. */
static treb_status use_own_cells(void *context, uint64_t number, uint32_t chunk,
                                 const uint32_t *profile, size_t cells, treb_error *error)
{
    const OwnCells *o = context;
    const Index *own = &o->w->layout->index, *index = &o->order.index;
    const uint64_t slice = index_slice_in(index, own, number, index_slice_place(own, number));
    const size_t each = layout_lane_cells(o->w->layout);
    uint32_t first;
    treb_status status = TREB_OK;
    (void)chunk_planes(o->w, chunk, &first);
    for (size_t k = 0; k < cells / each && status == TREB_OK; k++)
        status = use_plane(o, profile + k * each,
                           slice * index->slice_size + (first + k) * index->stride[INDEX_KINGS_AXIS], error);
    return status;
}

/* Makes the codes of side 1. */
static treb_status count_own(OwnCells *o, TableHeader *header, treb_error *error)
{
    o->own = own_profiles_new(o->w->profiles);
    if (o->own == NULL || !reorder_init(&o->order, o->w->layout, NULL)) return fail_memory(error);
    treb_status status = each_chunk(o->w, header->profiles.turn, use_own_cells, o, error);
    header->side[1].index = o->order.index;
    return status == TREB_OK ? own_profiles_code(o->own, &header->side[1], error) : status;
}

/* ---- The file -------------------------------------------------------------------------------- */

static void start_header(const Dtm50Writer *w, TableHeader *h)
{
    h->metric = TREB_DTM50;
    h->codec = TABLE_SYMBOLS;
    h->pad = h->width = h->per_byte = 1;
    h->base = 256;
    h->block_bits = SYMBOLS_BLOCK_BITS;
    h->index = w->index;
}

/* Puts what was counted into the header. */
static treb_status complete_header(const Dtm50Writer *w, TableHeader *h, treb_error *error)
{
    for (int i = 0; i < 2 * WDL_VALUES; i++) {
        const int side = i / WDL_VALUES, v = i % WDL_VALUES;
        TableSide *s = &h->side[side];
        const char *fen = w->statistics.fen[TREB_DTM][side][v];
        s->count[v] = w->statistics.count[side][v];
        s->longest[v] = w->statistics.longest[TREB_DTM][side][v];
        memcpy(s->longest_fen[v], fen, TABLE_FEN_SIZE);
        if (fen[0] == '\0') continue;
        const size_t bytes = ((size_t)s->longest[v] + 1) * sizeof *s->histogram[v];
        s->histogram[v] = malloc(bytes);
        if (s->histogram[v] == NULL) return fail_memory(error);
        memcpy(s->histogram[v], w->histograms->of[TREB_DTM][side][v], bytes);
    }
    memcpy(h->delayed, w->delayed, sizeof h->delayed);
    return TREB_OK;
}

static treb_status write_file(const Dtm50Writer *w, TableHeader *header, Cells *cells, OwnCells *own,
                              uint64_t *file_size, treb_error *error)
{
    const SymbolsJob job = {.layout = w->layout,
                            .scratch = w->options.scratch,
                            .budget = w->options.budget,
                            .directory = w->options.directory,
                            .metric = TREB_DTM50,
                            .verdicts = cells,
                            .cells = cells,
                            .effort = w->options.effort,
                            .classes = w->options.classes,
                            .large = w->options.large,
                            .stop = w->options.stop,
                            .progress = w->options.progress,
                            .at_once = 1,
                            .statistics = &w->statistics,
                            .histograms = w->histograms,
                            .header = header};
    treb_status status = symbols_file_write(&job, &own->writer, error);
    if (status == TREB_OK && header->side[1].stored) {
        status = each_chunk(w, header->profiles.turn, use_own_cells, own, error);
        if (status == TREB_OK) status = own_profiles_finish(own->own, own->writer, error);
    }
    if (status == TREB_OK) status = complete_header(w, header, error);
    if (status == TREB_OK) return table_writer_finish(own->writer, header, file_size, error);
    if (own->writer != NULL) table_writer_abort(own->writer);
    return status;
}

/* The result already has the same numbers if other files were written too. */
static void count_positions(const Dtm50Writer *w, WriteResult *result)
{
    memcpy(result->statistics.count, w->statistics.count, sizeof w->statistics.count);
    result->positions = 0;
    for (int side = 0; side < 2; side++)
        for (int v = 0; v < WDL_VALUES; v++) result->positions += w->statistics.count[side][v];
}

treb_status dtm50_writer_finish(Dtm50Writer *w, WriteResult *result, treb_error *error)
{
    TableHeader header = {0};
    Cells *cells = NULL;
    ProfileNumbers *numbers = NULL;
    OwnCells own = {.w = w};
    statistics_finish(&w->statistics, w->histograms, w->layout);
    count_positions(w, result);
    start_header(w, &header);
    treb_status status = find_turn(w, &header.profiles.turn, error);
    if (status == TREB_OK) status = number_lists(w, &header.profiles, &numbers, error);
    own.numbers = numbers;
    if (status == TREB_OK) status = count_own(&own, &header, error);
    if (status == TREB_OK) status = make_places(w, numbers, header.profiles.turn, &cells, error);
    if (status == TREB_OK) status = write_file(w, &header, cells, &own, &result->file_size[TREB_DTM50], error);
    cells_free(cells);
    own_profiles_free(own.own);
    reorder_free(&own.order);
    table_header_free(&header);
    profile_numbers_free(numbers);
    dtm50_writer_abort(w);
    return status == STOPPED ? TREB_OK : status;
}

uint64_t dtm50_writer_memory(const Layout *layout, int threads)
{
    const size_t bytes = chunk_cells(layout) * sizeof(uint32_t);
    return budget_cost(sizeof(Histograms)) + cells_memory(layout, NULL) +
           (uint64_t)threads * (budget_cost(bytes) + budget_cost(spill_bound(bytes)) +
                                budget_cost(layout->plane_cells * sizeof(uint32_t)));
}
