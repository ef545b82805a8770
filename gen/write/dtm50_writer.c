/* dtm50_writer.c - see dtm50_writer.h.
 *
 * The numbers of lists depend on the order in which threads find them, and how many there are is known only at the end.
 * So the lists of all cells wait, compressed, chunk by chunk (a chunk has the planes that a chunk of cells.h has). Then
 * the profiles of the file are chosen (profile_numbers.h). The cells become digits (core/format/table_profile.h), and
 * the file is made from them like other files with codec symbols. */
#include "gen/write/dtm50_writer.h"

#include <stdlib.h>
#include <string.h>

#include "core/format/table_profile.h"
#include "core/system/error.h"
#include "core/system/io.h"
#include "core/system/spill_file.h"
#include "core/system/stop.h"
#include "gen/write/cells.h"
#include "gen/write/profile_numbers.h"
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

Dtm50Writer *dtm50_writer_new(const Layout *layout, const WriteOptions *options,
                              const Profiles *profiles, treb_error *error)
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
    treb_status status = spill_create(&w->spill, NULL, options->scratch, 0, error);
    w->spill.budget = options->budget;
    w->spill.keep = options->keep / TREB_METRICS;
    w->histograms = budget_calloc(options->budget, sizeof *w->histograms);
    w->sides = sides_to_keep(w);
    bool enough = w->histograms != NULL;
    for (int side = 0; side < 2; side++) {
        if (!(w->sides >> side & 1)) continue;
        w->chunk[side] = budget_calloc(options->budget, list_bytes(w));
        enough = enough && w->chunk[side] != NULL;
    }
    if (status == TREB_OK && !enough) status = fail_memory(error);
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
    return statistics_add_slice(&w->statistics, w->histograms, number[0], dtm50_slice(dtm50), NULL,
                                w->options.budget, NULL, error);
}

/* ---- The profiles of the file ----------------------------------------------------------------- */

/* Returns the number of a slice in the file. */
static uint64_t slice_in_file(const Dtm50Writer *w, uint64_t number)
{
    const Index *own = &w->layout->index;
    return index_slice_in(&w->index, own, number, index_slice_place(own, number));
}

typedef treb_status UseCells(void *context, uint64_t number, uint32_t chunk, const uint32_t *profile,
                             size_t cells, treb_error *error);

/* Calls `use` with the profiles of all chunks of a part, one after the other. */
static treb_status each_chunk(const Dtm50Writer *w, const TableProfiles *profiles, uint32_t part,
                              UseCells *use, void *context, treb_error *error)
{
    ChunkMemory memory;
    treb_status status = chunk_init(&memory, w) ? TREB_OK : fail_memory(error);
    for (uint64_t i = 0; i < w->layout->index.slices * w->chunks && status == TREB_OK; i++) {
        const SpillChunk *chunk = &w->chunk[profiles->turn][i];
        if (chunk->size == 0 || slice_in_file(w, i / w->chunks) / profiles->slices != part) continue;
        status = stop_check(w->options.stop, error);
        if (status == TREB_OK) status = spill_read(&w->spill, chunk, memory.packed, memory.profile, error);
        if (status == TREB_OK)
            status = use(context, i / w->chunks, (uint32_t)(i % w->chunks), memory.profile,
                         chunk->size / sizeof *memory.profile, error);
    }
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

/* The lists of the solver as the file has them. */
typedef struct Numbering {
    const Dtm50Writer *w;
    ProfileNumbers *numbers;
    uint64_t *cells; /* by list: how many there are in a part */
    uint32_t *place; /* by list: its place in its class of a part */
} Numbering;

static treb_status count_part(const Numbering *n, const TableProfiles *profiles, uint32_t part,
                              treb_error *error)
{
    memset(n->cells, 0, profiles_count(n->w->profiles) * sizeof *n->cells);
    return each_chunk(n->w, profiles, part, count_cells, n->cells, error);
}

static uint32_t parts_of(const Dtm50Writer *w, const TableProfiles *profiles)
{
    return (uint32_t)((w->index.slices + profiles->slices - 1) / profiles->slices);
}

/* Makes the classes of all parts. If there is only one, its cells are counted already. */
static treb_status number_parts(const Numbering *n, TableProfiles *out, treb_error *error)
{
    const uint32_t parts = parts_of(n->w, out);
    treb_status status = TREB_OK;
    out->class_count = out->listed = out->most = 0;
    for (uint32_t part = 0; part < parts && status == TREB_OK; part++) {
        if (parts > 1) status = count_part(n, out, part, error);
        if (status == TREB_OK)
            status = profile_numbers_classes(n->numbers, n->cells, part, out, n->place, error);
    }
    return status;
}

/* Chooses the profiles of the file, and parts that are as large as they can be. */
static treb_status number_lists(Numbering *n, int turn, TableProfiles *out, treb_error *error)
{
    const Dtm50Writer *w = n->w;
    const uint32_t most = w->options.profiles > 0 ? w->options.profiles : TABLE_PROFILES_MAX;
    n->cells = calloc(profiles_count(w->profiles), sizeof *n->cells);
    n->place = calloc(profiles_count(w->profiles), sizeof *n->place);
    if (n->cells == NULL || n->place == NULL) return fail_memory(error);
    out->turn = turn;
    out->slices = (uint32_t)w->index.slices;
    treb_status status = count_part(n, out, 0, error);
    if (status != TREB_OK) return status;
    n->numbers = profile_numbers_new(w->profiles, n->cells, w->options.budget, out);
    if (n->numbers == NULL) return fail_memory(error);
    status = number_parts(n, out, error);
    while (status == TREB_OK && out->most > most && out->slices > 1) {
        out->slices = (out->slices + 1) / 2;
        status = number_parts(n, out, error);
    }
    return status == TREB_OK ? profile_numbers_digits(out, error) : status;
}

static void numbering_free(Numbering *n)
{
    profile_numbers_free(n->numbers);
    free(n->cells);
    free(n->place);
}

/* ---- The file -------------------------------------------------------------------------------- */

typedef struct Digits {
    const TableProfiles *profiles;
    const uint32_t *place; /* by list */
    Cells *cells;
    Plies *digit[2];
} Digits;

/* A UseCells. */
static treb_status write_digits(void *context, uint64_t number, uint32_t chunk,
                                const uint32_t *profile, size_t cells, treb_error *error)
{
    const Digits *d = context;
    const uint32_t direct = d->profiles->direct, base = TABLE_PROFILE_BASE;
    for (size_t i = 0; i < cells; i++) {
        d->digit[0][i] = d->digit[1][i] = CELL_FREE;
        const uint32_t n = profile[i] == PROFILE_ANY ? PROFILE_ANY : d->place[profile[i]];
        if (n == PROFILE_ANY) continue;
        d->digit[0][i] = (Plies)(n < direct ? n : direct + (n - direct) / base);
        if (n >= direct) d->digit[1][i] = (Plies)((n - direct) % base);
    }
    treb_status status = cells_write(d->cells, number, 0, chunk, d->digit[0], error);
    if (status == TREB_OK && direct < d->profiles->most)
        status = cells_write(d->cells, number, 1, chunk, d->digit[1], error);
    return status;
}

/* Writes the digits of all parts. */
static treb_status write_parts(const Numbering *n, const TableProfiles *profiles, Digits *d, treb_error *error)
{
    const uint32_t parts = parts_of(n->w, profiles);
    treb_status status = TREB_OK;
    for (uint32_t part = 0; part < parts && status == TREB_OK; part++) {
        TableProfiles again = {0}; /* its classes are those of the file; the places are needed */
        if (parts > 1) status = count_part(n, profiles, part, error);
        if (parts > 1 && status == TREB_OK)
            status = profile_numbers_classes(n->numbers, n->cells, part, &again, n->place, error);
        if (status == TREB_OK) status = each_chunk(n->w, profiles, part, write_digits, d, error);
        free(again.classes);
        free(again.list);
    }
    return status;
}

static treb_status make_digits(const Numbering *n, const TableProfiles *profiles, Cells **out,
                               treb_error *error)
{
    const Dtm50Writer *w = n->w;
    const size_t bytes = chunk_cells(w->layout) * sizeof(Plies);
    const CellsPlace kept = {.directory = w->options.scratch,
                              .budget = w->options.budget,
                              .keep = w->options.keep / TREB_METRICS,
                              .stop = w->options.stop};
    const unsigned sides = profiles->direct < profiles->most ? CELLS_BOTH : 1u;
    Digits d = {profiles, n->place, cells_new(w->layout, TREB_DTM50, sides, &kept, error),
                {budget_alloc(w->options.budget, bytes), budget_alloc(w->options.budget, bytes)}};
    *out = d.cells;
    treb_status status = d.cells != NULL ? TREB_OK : error->status;
    if (status == TREB_OK && !(d.digit[0] && d.digit[1])) status = fail_memory(error);
    if (status == TREB_OK) status = write_parts(n, profiles, &d, error);
    for (int i = 0; i < 2; i++) budget_free(d.digit[i]);
    return status;
}

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
    return TREB_OK;
}

static treb_status write_file(const Dtm50Writer *w, TableHeader *header, Cells *cells,
                              uint64_t *file_size, treb_error *error)
{
    TableWriter *writer = NULL;
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
    treb_status status = symbols_file_write(&job, &writer, error);
    if (status == TREB_OK) status = complete_header(w, header, error);
    if (status == TREB_OK) return table_writer_finish(writer, header, file_size, error);
    if (writer != NULL) table_writer_abort(writer);
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
    int turn;
    Numbering numbering = {.w = w};
    statistics_finish(&w->statistics, w->histograms, w->layout);
    count_positions(w, result);
    start_header(w, &header);
    treb_status status = find_turn(w, &turn, error);
    if (status == TREB_OK) status = number_lists(&numbering, turn, &header.profiles, error);
    if (status == TREB_OK) status = make_digits(&numbering, &header.profiles, &cells, error);
    if (status == TREB_OK) status = write_file(w, &header, cells, &result->file_size[TREB_DTM50], error);
    cells_free(cells);
    table_header_free(&header);
    numbering_free(&numbering);
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
