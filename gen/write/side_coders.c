/* side_coders.c - see side_coders.h.
 *
 * Slices of one class have the first pawn on the same square or on one near it, so they are
 * similar. Whether several codes are worth their cost is tested on one class in the middle of the
 * table. */
#include "gen/write/side_coders.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "gen/write/side_fill.h"
#include "gen/write/side_sample.h"
#include "gen/write/side_values.h"

enum {
    /* cells of the slices that codes are learned from, at most; at least one slice of each class */
    LEARN_CELLS = 512 << 20,
    STRETCH = 1 << 13, /* cells of a stretch: a part of what a code is learned from */
    STRETCHES = 2048,  /* about the largest number of stretches */
    CLASSES_FEW = 4,   /* classes of a side that takes less than LARGE_BYTES with one code */
    LARGE_BYTES = 3 << 20,
    MANY_BYTES = 384 << 10, /* sides that take less with one code are not divided */
    MANY_CELLS = 8 << 20,   /* tables with fewer cells are not divided */
    LEARN_AT_ONCE = 4,      /* most codes that are learned at the same time */
    /* cells of a class, from which the number of cells of a block is estimated */
    CLASS_SAMPLE_CELLS = 1 << 20
};

/* Bytes of a block. choose_block tries them in this order: distances begin with the first size,
 * verdicts with the second. These two were chosen by the time that reading a cell takes; the
 * smaller sizes are such that a page holds a whole number of blocks with their data. */
static const uint16_t block_sizes[] = {184, 64, 31, 20, 10};
enum { BLOCK_SIZES = sizeof block_sizes / sizeof *block_sizes };

/* ---- Classes --------------------------------------------------------------------------------- */

/* Small tables are never divided. */
unsigned side_classes_most(const Layout *layout, unsigned wanted)
{
    uint64_t cells = layout->kings * layout_lane_cells(layout) * layout->index.slices;
    if (!layout->pawns) return 1;
    return wanted > 0 ? wanted : cells >= MANY_CELLS ? CLASSES : 1;
}

/* A typical class: on the second file, in the middle of it. */
static unsigned middle_class(unsigned classes) { return classes / 4 + classes / 8; }

/* Divides the places of the first pawn, by file and then by rank, into `wanted` classes. */
static void divide(SideEncoder *s, unsigned wanted)
{
    const Index *index = &s->job->header->index;
    s->classes = wanted;
    for (unsigned c = 0; c < wanted; c++) {
        unsigned place = index_place_by_file(c * INDEX_PLACES / wanted);
        s->each[c] = (SliceClass){.first = index->lead_first[place] * index->second_radix};
    }
    for (unsigned c = 0; c < wanted; c++) {
        uint64_t end = c + 1 < wanted ? s->each[c + 1].first : index->slices;
        s->each[c].slices = end - s->each[c].first;
    }
}

/* ---- What a code is learned from ------------------------------------------------------------- */

/* What the code of a class is learned from: stretches of its slices, in their order. */
typedef struct TrainingCells {
    SliceClass *class;
    CoderCells *stretch;
    uint8_t *cells;
    size_t count, size; /* `count`: of stretches; `size`: cells of all stretches */
} TrainingCells;

/* A class needs fewer stretches than an undivided table, because its slices are similar. */
static size_t training_stretches(unsigned classes)
{
    return classes > 1 ? STRETCHES / 2 : STRETCHES;
}

static bool training_make(const SideEncoder *s, SliceClass *class, TrainingCells *training)
{
    size_t capacity = training_stretches(s->classes);
    *training = (TrainingCells){.class = class,
                                .stretch = malloc(capacity * sizeof *training->stretch),
                                .cells = budget_alloc(s->job->budget, capacity * STRETCH)};
    return training->stretch != NULL && training->cells != NULL;
}

static void training_free(TrainingCells *training)
{
    free(training->stretch);
    budget_free(training->cells);
    *training = (TrainingCells){0};
}

/* Cells of a slice of the sample. Those of a window are in the file's order already. */
static uint64_t sampled_cells(const SideEncoder *s)
{
    return s->sample.window != NULL ? s->sample.window->cells : s->reorder.cells;
}

static void copy_sampled(const SideEncoder *s, uint64_t first, size_t count, uint8_t *out)
{
    if (s->sample.window != NULL)
        memcpy(out, s->sample.cells + first, count);
    else
        cell_batch_copy(s, &s->sample, &s->reorder, first, count, out);
}

/* Takes one of `every` stretches of `slices` slices of the sample, from slice `first` on. */
static void take_parts(const SideEncoder *s, TrainingCells *training, size_t first, size_t slices,
                       uint64_t every)
{
    uint64_t slice = sampled_cells(s), all = slices * slice;
    uint64_t parts = (all + STRETCH - 1) / STRETCH, taken = (parts + every - 1) / every;
    size_t left = training_stretches(s->classes) - training->count;
    if (taken > left) taken = left;
#pragma omp parallel for schedule(dynamic, 16)
    for (uint64_t i = 0; i < taken; i++) {
        uint64_t at = i * every * STRETCH, behind = all - at;
        CoderCells *to = &training->stretch[training->count + i];
        uint8_t *cells = training->cells + training->size + i * STRETCH;
        *to = (CoderCells){cells, behind < STRETCH ? (size_t)behind : STRETCH};
        copy_sampled(s, first * slice + at, to->size, cells);
    }
    for (uint64_t i = 0; i < taken; i++)
        training->size += training->stretch[training->count++].size;
}

/* Returns `every` for take_parts, so that there are about as many stretches as wanted. */
static uint64_t stretches_step(const SideEncoder *s, size_t slices)
{
    uint64_t parts = (slices * sampled_cells(s) + STRETCH - 1) / STRETCH;
    size_t wanted = training_stretches(s->classes);
    return parts > wanted ? (parts + wanted - 1) / wanted : 1;
}

/* Takes stretches from the sample, which is the whole table. */
static void take_from_sample(const SideEncoder *s, TrainingCells *training)
{
    const SliceClass *class = training->class;
    const CellBatch *sample = &s->sample;
    size_t first = 0, end;
    while (first < sample->count && sample->number[first] < class->first) first++;
    for (end = first; end < sample->count; end++)
        if (sample->number[end] - class->first >= class->slices) break;
    take_parts(s, training, first, end - first, stretches_step(s, end - first));
}

/* Number of slices of a class to learn from. */
static size_t slices_wanted(const SideEncoder *s, const SliceClass *class)
{
    uint64_t all = s->job->layout->index.slices, most = LEARN_CELLS / s->cells;
    if (most >= all) return (size_t) class->slices;
    uint64_t own = (uint64_t)((double)most * (double)class->slices / (double)all);
    return own < 1 ? 1 : (size_t)own;
}

/* Takes stretches from slices all over the class. These replace the sample, some slices at a
 * time. */
static treb_status take_from_slices(SideEncoder *s, TrainingCells *training, treb_error *error)
{
    const SliceClass *class = training->class;
    size_t wanted = slices_wanted(s, class),
           most = side_slices_in(s, side_sample_cells(s->job->large));
    uint64_t *number = malloc((wanted + 1) * sizeof *number);
    if (number == NULL) return fail_memory(error);
    size_t count = side_list_slices(s, class->first, class->slices, wanted, number);
    uint64_t every = stretches_step(s, count);
    treb_status status = TREB_OK;
    for (size_t at = 0; at < count && status == TREB_OK; at += most) {
        s->sample.count = count - at < most ? count - at : most;
        memcpy(s->sample.number, number + at, s->sample.count * sizeof *number);
        status = side_fill_batch(s, &s->sample, error);
        if (status == TREB_OK) take_parts(s, training, 0, s->sample.count, every);
    }
    free(number);
    return status;
}

/* Takes stretches from large slices: from as much of each slice as the sample can hold. */
static treb_status take_from_large(SideEncoder *s, TrainingCells *training, treb_error *error)
{
    const SliceClass *class = training->class;
    size_t count =
        side_list_slices(s, class->first, class->slices, (size_t) class->slices, s->sample.number);
    treb_status status = side_sample_window(s, &s->reorder, count > 0 ? count : 1, true, error);
    s->sample.count = count;
    if (status == TREB_OK) status = side_fill_batch(s, &s->sample, error);
    if (status == TREB_OK) take_parts(s, training, 0, count, stretches_step(s, count));
    return status;
}

static treb_status take_training(SideEncoder *s, SliceClass *class, TrainingCells *training,
                                 treb_error *error)
{
    if (!training_make(s, class, training)) return fail_memory(error);
    if (stop_asked(s->job->stop)) return stop_check(s->job->stop, error);
    if (s->large) return take_from_large(s, training, error);
    if (!side_sample_is_all(s)) return take_from_slices(s, training, error);
    take_from_sample(s, training);
    return TREB_OK;
}

/* ---- The codes ------------------------------------------------------------------------------- */

/* Keeps some of the stretches, from all over the class, for estimating the size of blocks. */
static bool keep_sample(const SideEncoder *s, const TrainingCells *training, SliceClass *class)
{
    size_t every = training->size / CLASS_SAMPLE_CELLS + 1;
    class->sample = budget_alloc(s->job->budget, CLASS_SAMPLE_CELLS + STRETCH);
    if (class->sample == NULL) return false;
    for (size_t i = 0; i < training->count && class->sample_cells < CLASS_SAMPLE_CELLS;
         i += every) {
        memcpy(class->sample + class->sample_cells, training->stretch[i].cells,
               training->stretch[i].size);
        class->sample_cells += training->stretch[i].size;
    }
    return true;
}

static bool learn_class(const SideEncoder *s, const TrainingCells *training, int threads,
                        treb_error *error)
{
    SliceClass *class = training->class;
    CoderSample sample = {.stretch = training->stretch,
                          .count = training->count,
                          .size = class->slices * s->reorder.index.slice_size,
                          .up_to = side_limits(s).up_to};
    CoderOptions options = {.effort = s->job->effort, .budget = s->job->budget, .threads = threads, .stop = s->job->stop};
    memcpy(sample.present, s->present, sizeof sample.present);
    class->coder = coder_learn(&sample, &options, error);
    if (class->coder == NULL) return false;
    return keep_sample(s, training, class) || fail_memory(error) == TREB_OK;
}

/* Bytes claimed while a code is learned. */
static uint64_t learn_memory(unsigned classes)
{
    return budget_cost(STRETCH * training_stretches(classes)) + coder_learn_memory();
}

/* Number of codes to learn at the same time: at least 1, and as many as memory allows if other
 * files are made meanwhile. */
static unsigned at_once(const SideEncoder *s)
{
    uint64_t most = 1 + side_spare_memory(s) / (2 * s->job->at_once * learn_memory(s->classes));
    if (most > (uint64_t)omp_get_max_threads()) most = (uint64_t)omp_get_max_threads();
    return most < LEARN_AT_ONCE ? (unsigned)most : LEARN_AT_ONCE;
}

/* Learns the codes of `count` classes at the same time. */
static treb_status learn_some(SideEncoder *s, SliceClass *class, int count, treb_error *error)
{
    TrainingCells training[LEARN_AT_ONCE] = {{0}};
    int threads = omp_get_max_threads() / count;
    treb_status status = TREB_OK;
    for (int i = 0; i < count && status == TREB_OK; i++)
        status = take_training(s, &class[i], &training[i], error);
    if (status == TREB_OK) {
#pragma omp parallel for num_threads(count)
        for (int i = 0; i < count; i++) {
            treb_error mine;
            if (learn_class(s, &training[i], threads > 0 ? threads : 1, &mine)) continue;
#pragma omp critical(encode_error)
            {
                status = mine.status;
                *error = mine;
            }
        }
    }
    for (int i = 0; i < count; i++) training_free(&training[i]);
    return status;
}

/* Learns the codes of all classes that have none yet. */
static treb_status learn(SideEncoder *s, treb_error *error)
{
    treb_status status = TREB_OK;
    unsigned end;
    for (unsigned c = 0; c < s->classes && status == TREB_OK; c = end) {
        const unsigned most = at_once(s);
        for (end = c; end < s->classes && end - c < most && s->each[end].coder == NULL;) end++;
        if (end == c)
            end++;
        else
            status = learn_some(s, &s->each[c], (int)(end - c), error);
    }
    return status;
}

/* ---- How many classes ------------------------------------------------------------------------ */

/* Adds the number of blocks that the sample of a class takes with a code. */
static treb_status count_blocks(const SliceClass *class, const Coder *coder, CoderBuffer *buffer,
                                unsigned block_bytes, uint64_t *count, treb_error *error)
{
    CodedBlocks blocks = {0};
    treb_status status = coder_encode(coder, buffer, class->sample, class->sample_cells,
                                      block_bytes, &blocks, error);
    *count += blocks.count;
    coder_blocks_free(&blocks);
    return status;
}

static void class_free(SliceClass *class)
{
    coder_free(class->coder);
    budget_free(class->sample);
    *class = (SliceClass){.first = class->first, .slices = class->slices};
}

/* Estimates the bytes of the divided side. The class in the middle tells how much a code of its
 * own saves compared to the common code. */
static treb_status try_class(const SideEncoder *s, const SliceClass *class, const Coder *common,
                             double *bytes, treb_error *error)
{
    enum {
        BLOCK = 10,
        /* ROUNDING: adds 1/50, because the code was learned from some of the cells that are
         * counted */
        ROUNDING = 50
    };
    CoderBuffer *buffer = coder_buffer_make(common);
    treb_status status = buffer != NULL ? TREB_OK : fail_memory(error);
    uint64_t by_own = 0, by_common = 1;
    if (status == TREB_OK)
        status = count_blocks(class, class->coder, buffer, BLOCK, &by_own, error);
    if (status == TREB_OK) status = count_blocks(class, common, buffer, BLOCK, &by_common, error);
    coder_buffer_free(buffer);
    by_own += by_own / ROUNDING;
    double fixed = (double)coder_code(class->coder, NULL) + TABLE_PAGE_SIZE / 2;
    *bytes = (double)s->bytes * (double)by_own / (double)by_common + s->classes * fixed;
    return status;
}

/* Divides the side if that saves more than 1/WORTH. Many codes take time, and memory when the
 * file is open. Afterwards one class has its code. */
static treb_status try_classes(SideEncoder *s, treb_error *error)
{
    enum { WORTH = 10 };
    unsigned count = s->bytes < LARGE_BYTES ? CLASSES_FEW : CLASSES;
    SliceClass whole = s->each[0];
    double all = (double)s->bytes + (double)coder_code(whole.coder, NULL), bytes = all;
    divide(s, count);
    SliceClass *middle = &s->each[middle_class(count)];
    treb_status status = learn_some(s, middle, 1, error);
    if (status == TREB_OK) status = try_class(s, middle, whole.coder, &bytes, error);
    if (bytes < all - all / WORTH) {
        class_free(&whole);
        return status;
    }
    class_free(middle);
    divide(s, 1);
    s->each[0] = whole;
    return status;
}

static treb_status choose_classes(SideEncoder *s, treb_error *error)
{
    unsigned most = side_classes_most(s->job->layout, s->job->classes);
    bool told = s->job->classes > 0;
    divide(s, told ? most : 1);
    if (told) return TREB_OK;
    treb_status status = learn_some(s, &s->each[0], 1, error);
    if (status != TREB_OK || most == 1 || s->bytes < MANY_BYTES) return status;
    return try_classes(s, error);
}

/* ---- The codes of a side --------------------------------------------------------------------- */

/* Chooses the size of blocks. A block holds at most 65,535 cells: where cells take almost no
 * bits, only small blocks get full. */
static treb_status choose_block(SideEncoder *s, treb_error *error)
{
    enum { FULL = CODER_BLOCK_CELLS / 2 };
    CoderBuffer *buffer = coder_buffer_make(s->each[0].coder);
    treb_status status = buffer != NULL ? TREB_OK : fail_memory(error);
    uint64_t cells = 0, blocks = 0;
    for (unsigned c = 0; c < s->classes; c++) cells += s->each[c].sample_cells;
    for (size_t i = s->job->metric == TREB_WDL; status == TREB_OK && i < BLOCK_SIZES; i++) {
        s->block_bytes = block_sizes[i];
        blocks = 0;
        for (unsigned c = 0; c < s->classes && status == TREB_OK; c++)
            status =
                count_blocks(&s->each[c], s->each[c].coder, buffer, s->block_bytes, &blocks, error);
        if (cells < FULL * blocks) break;
    }
    coder_buffer_free(buffer);
    for (unsigned c = 0; c < s->classes; c++) {
        budget_free(s->each[c].sample);
        s->each[c].sample = NULL;
    }
    return status;
}

treb_status side_learn(SideEncoder *s, treb_error *error)
{
    treb_status status = choose_classes(s, error);
    if (status == TREB_OK) status = learn(s, error);
    if (status == TREB_OK) status = choose_block(s, error);
    return status;
}

void side_free_coders(SideEncoder *s)
{
    for (unsigned c = 0; c < s->classes; c++) class_free(&s->each[c]);
}

uint64_t side_learn_memory(const Layout *layout, unsigned wanted)
{
    uint64_t sample = budget_cost(CLASS_SAMPLE_CELLS + STRETCH);
    return learn_memory(1) + (side_classes_most(layout, wanted) + 1) * sample;
}
