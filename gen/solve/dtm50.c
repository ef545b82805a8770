/* dtm50.c - see dtm50.h.
 *
 * What is known before is read plane by plane: distances to mate, and the best conversions. Then dtm50_passes.c finds
 * the values, and at last those at a fresh clock become a slice.
 *
 * Memory is what limits a large slice. So arrays are by place (places.h), profiles are kept only of the sides that
 * a file may have, and the distance to mate of a cell waits where its value will be. */
#include "gen/solve/dtm50.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "core/system/memory_layout.h"
#include "core/system/stop.h"
#include "gen/solve/dtm50_passes.h"

/* ---- What is known before -------------------------------------------------------------------- */

/* Reads the distances to mate of a plane. */
static treb_status read_mates(Dtm50 *d, Plane *plane, int side, uint32_t kings, treb_error *error)
{
    Plies *value = dtm50_plane(d, d->value, side, kings);
    treb_status status = plane_read(plane, &d->s->slice, side, kings, error);
    if (status != TREB_OK) return status;
    for (size_t i = 0; i < d->layout->plane_cells; i++) {
        const size_t place = places_of(&d->places, i);
        const bool decided = (plane->won[i / 64] | plane->lost[i / 64]) >> i % 64 & 1;
        if (place != PLACES_NONE)
            value[place] = VALUE_WAITING | (decided ? plane->distance[TREB_DTM][i] : VALUE_NONE);
    }
    return TREB_OK;
}

static Plies plies_of_outcome(int16_t outcome)
{
    if (outcome == OUTCOME_NONE || outcome == OUTCOME_DRAW) return VALUE_NONE;
    return (Plies)(outcome > OUTCOME_DRAW ? OUTCOME_WIN - outcome : outcome);
}

/* Finds the best conversions of a plane. */
static treb_status read_zeroing(Dtm50 *d, Converter *const *converter, const Outcomes *o,
                                SolvedBuffer *fetched, int side, uint32_t kings, treb_error *error)
{
    Plies *zeroing = dtm50_plane(d, d->zeroing, side, kings);
    treb_status status = TREB_OK;
    outcomes_clear(o, d->layout->plane_cells);
    for (int lane = 0; lane < d->slice.lanes && status == TREB_OK; lane++)
        status = converter_plane(converter[2 * lane + side], kings, lane, o, fetched, error);
    for (size_t i = 0; i < d->layout->plane_cells; i++) {
        const size_t place = places_of(&d->places, i);
        if (place != PLACES_NONE) zeroing[place] = plies_of_outcome(o->dtm[i]);
    }
    return status;
}

static void place_outcomes(Outcomes *o, const Layout *layout, MemoryLayout *arrays)
{
    o->verdict = memory_layout_place(arrays, layout->plane_cells);
    o->capture = memory_layout_place(arrays, layout->plane_cells);
    o->ends = memory_layout_place(arrays, layout->plane_cells);
    o->dtm = memory_layout_place(arrays, layout->plane_cells * sizeof *o->dtm);
}

typedef struct Reader {
    Plane plane;
    Outcomes outcomes;
    SolvedBuffer fetched[CONVERTER_BUFFERS];
    void *memory;
} Reader;

static bool reader_init(Reader *r, const Dtm50 *d)
{
    MemoryLayout arrays = {NULL, 0};
    memset(r, 0, sizeof *r);
    place_outcomes(&r->outcomes, d->layout, &arrays);
    if (!plane_init(&r->plane, d->layout, PLANE_DISTANCE << TREB_DTM, d->budget)) return false;
    r->memory = budget_alloc(d->budget, arrays.size);
    arrays = (MemoryLayout){r->memory, 0};
    if (r->memory != NULL) place_outcomes(&r->outcomes, d->layout, &arrays);
    return r->memory != NULL;
}

static void reader_free(Reader *r)
{
    plane_free(&r->plane);
    budget_free(r->memory);
    for (int i = 0; i < CONVERTER_BUFFERS; i++) free(r->fetched[i].bytes);
}

/* Reads all planes, in parallel. */
static void read_planes(Dtm50 *d, Converter *const *converter)
{
#pragma omp parallel
    {
        Reader r;
        treb_error error;
        const bool enough = reader_init(&r, d);
        if (!enough) solver_fail(d->s, fail_memory(&error), &error);
#pragma omp for schedule(dynamic)
        for (uint32_t i = 0; i < 2 * d->layout->kings; i++) {
            const int side = (int)(i % 2);
            if (!enough || solver_failed(d->s)) continue;
            treb_status own = read_mates(d, &r.plane, side, i / 2, &error);
            if (own == TREB_OK)
                own = read_zeroing(d, converter, &r.outcomes, r.fetched, side, i / 2, &error);
            if (own != TREB_OK) solver_fail(d->s, own, &error);
            log_rewind(d->s->decided[TREB_DTZ], stream_of(i / 2, side));
            log_rewind(d->s->decided[TREB_DTM], stream_of(i / 2, side));
        }
        reader_free(&r);
    }
}

static treb_status read_all(Dtm50 *d, const SliceProvider *provider, treb_error *error)
{
    Converter *converter[2 * SLICE_LANES] = {NULL};
    treb_status status = TREB_OK;
    for (int i = 0; i < 2 * d->slice.lanes && status == TREB_OK; i++)
        status = converter_new(d->layout, d->slice.pawns[i / 2], i % 2, MOVES_CONVERSIONS, provider,
                               &converter[i], error);
    if (status == TREB_OK) read_planes(d, converter);
    for (int i = 0; i < 2 * d->slice.lanes; i++) converter_free(converter[i]);
    return status == TREB_OK ? (treb_status)d->s->status : status;
}

/* ---- A slice --------------------------------------------------------------------------------- */

static bool allocate(Dtm50 *d, unsigned sides)
{
    bool ok = places_init(&d->places, d->layout, d->budget) &&
              (d->counts = budget_calloc(d->budget, TREB_METRICS * sizeof *d->counts)) != NULL;
    const size_t places = d->layout->kings * d->places.count;
    for (int side = 0; side < 2 && ok; side++) {
        d->value[side] = budget_alloc(d->budget, places * sizeof(Plies));
        d->zeroing[side] = budget_alloc(d->budget, places * sizeof(Plies));
        ok = d->value[side] && d->zeroing[side];
        for (int parity = 0; parity < 2 && ok; parity++) {
            d->changed[parity][side] = calloc(d->layout->kings, sizeof(Changes));
            ok = d->changed[parity][side] != NULL;
        }
        if (!ok || !(sides >> side & 1)) continue;
        d->profile[side] = budget_alloc(d->budget, places * sizeof *d->profile[side]);
        ok = d->profile[side] != NULL;
        for (size_t i = 0; i < places && ok; i++) d->profile[side][i] = PROFILE_ANY;
    }
    return ok;
}

static void free_changes(Dtm50 *d)
{
    for (int i = 0; i < 4; i++) {
        Changes *changes = d->changed[i / 2][i % 2];
        for (uint32_t k = 0; changes != NULL && k < d->layout->kings; k++) free(changes[k].of);
        free(changes);
        d->changed[i / 2][i % 2] = NULL;
    }
}

void dtm50_free(Dtm50 *d)
{
    if (d == NULL) return;
    free_changes(d);
    for (int side = 0; side < 2; side++) {
        budget_free(d->value[side]);
        budget_free(d->zeroing[side]);
        budget_free(d->profile[side]);
    }
    places_free(&d->places);
    budget_free(d->counts);
    free(d);
}

/* Counts the positions of a plane by their value. */
static void count_plane(Dtm50 *d, int side, uint32_t kings)
{
    const Plies *value = dtm50_plane(d, d->value, side, kings);
    const unsigned weight = slice_weight(&d->slice, kings);
    for (size_t i = 0; i < d->layout->plane_cells; i++) {
        const size_t word = kings * d->layout->plane_words + i / 64, place = places_of(&d->places, i);
        if (place == PLACES_NONE || value[place] >= VALUE_NONE) continue;
        const Plies plies = value[place];
        d->counts[TREB_DTM].of[side][plies & 1][plies] +=
            (weight - (slice_mirrored(&d->slice, word) >> i % 64 & 1)) << d->layout->pair;
        if (plies > d->slice.plies[TREB_DTM]) d->slice.plies[TREB_DTM] = plies;
    }
}

/* Makes the slice that the store and the writer read: its distances to mate are the values at a fresh clock. */
static void finish_slice(Dtm50 *d)
{
    SolvedSlice *slice = &d->slice;
    d->counts[TREB_DTZ] = slice->counts[TREB_DTZ];
    slice->counts = d->counts;
    slice->metrics = 1u << TREB_DTM;
    slice->cursed = false;
    slice->plies[TREB_DTM] = 0;
    slice->places = &d->places;
    for (int side = 0; side < 2; side++) {
        slice->mates[side] = d->value[side];
        for (uint32_t k = 0; k < d->layout->kings; k++) count_plane(d, side, k);
    }
}

treb_status dtm50_run(Solver *s, const SliceProvider *provider, Profiles *profiles, unsigned sides,
                      Dtm50 **out, treb_error *error)
{
    Dtm50 *d = *out = calloc(1, sizeof *d);
    if (d == NULL) return fail_memory(error);
    d->s = s;
    d->layout = s->layout;
    d->profiles = profiles;
    d->budget = s->place.logs.budget;
    d->slice = s->slice;
    treb_status status = allocate(d, sides) ? TREB_OK : fail_memory(error);
    if (status == TREB_OK) status = read_all(d, provider, error);
    if (status == TREB_OK) {
        s->error = error;
        dtm50_passes(d);
        status = (treb_status)s->status;
    }
    free_changes(d);
    if (status == TREB_OK) finish_slice(d);
    if (status == TREB_OK && stop_asked(s->stop)) status = STOPPED;
    if (status == TREB_OK) return TREB_OK;
    dtm50_free(d);
    *out = NULL;
    return status;
}

/* ---- The result ------------------------------------------------------------------------------ */

const SolvedSlice *dtm50_slice(const Dtm50 *d) { return &d->slice; }

const Dtm50Delays *dtm50_delays(const Dtm50 *d) { return &d->delays; }

void dtm50_profiles(const Dtm50 *d, int side, uint32_t kings, uint32_t *out)
{
    const uint32_t *profile = d->profile[side] + kings * d->places.count;
    const uint64_t *first = d->places.first;
    for (size_t i = 0; i < d->layout->plane_cells; i++)
        out[i] = first == NULL || first[i / 64] >> i % 64 & 1 ? profile[places_of(&d->places, i)]
                                                              : PROFILE_ANY;
}

uint64_t dtm50_memory(const Layout *layout, int profiles, int threads)
{
    const size_t all = layout->kings * places_count(layout);
    /* The changes of two numbers of plies left take less than a byte for each place. */
    return places_memory(layout) + 4 * budget_cost(all * sizeof(Plies)) + 2 * budget_cost(all) +
           (unsigned)profiles * budget_cost(all * sizeof(uint32_t)) +
           budget_cost(TREB_METRICS * sizeof(PlyCounts)) +
           (uint64_t)threads *
               (dtm50_passes_memory(layout) + plane_memory(layout, PLANE_DISTANCE << TREB_DTM) +
                6 * budget_cost(layout->plane_cells));
}
