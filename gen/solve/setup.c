/* setup.c - a solver's memory, and what a slice starts from. */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "gen/solve/solver.h"

/* ---- memory ---------------------------------------------------------------------------------- */

/* Places all sets, and the distances of `metrics`. */
static void place_all(Solver *s, unsigned metrics, Layout *layout)
{
    const Shape *shape = s->shape;
    const size_t set = shape->words * sizeof(uint64_t), kings = shape->kings;
    for (int side = 0; side < 2; side++) {
        uint64_t **sets[] = {&s->slice.legal[side],         &s->slice.won[side],
                             &s->slice.lost[side],          &s->slice.stalemate[side],
                             &s->slice.capture_wins[side],  &s->slice.capture_draws[side],
                             &s->slice.zeroing_wins[side],  &s->slice.ends_wins[side],
                             &s->loop.unwon[side],          &s->loop.open[side],
                             &s->loop.pending[side],        &s->loop.held[side],
                             &s->start.converts[side],      &s->start.must[side],
                             &s->start.mated[side],         &s->start.losable[side],
                             &s->loop.lost_at[0][side].set, &s->loop.lost_at[1][side].set};
        for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
            *sets[i] = layout_place(layout, set);
        for (int parity = 0; parity < 2; parity++) {
            s->loop.lost_at[parity][side].slabs = layout_place(layout, kings * sizeof(uint64_t));
            s->loop.won_slabs[parity][side] = layout_place(layout, kings * sizeof(uint64_t));
        }
        size_t next = kings * s->slab_count * sizeof(Plies);
        s->loop.next_pending[side] = layout_place(layout, next);
        s->loop.next_held[side] = layout_place(layout, next);
        if (metrics >> TREB_DTM & 1) {
            s->slice.ends_best[side] = layout_place(layout, set);
            s->start.ends[side] = layout_place(layout, set);
        }
        for (int metric = TREB_DTZ; metric < TREB_METRICS; metric++)
            if (metrics >> metric & 1)
                s->slice.distance[metric][side] =
                    layout_place(layout, shape->cells * sizeof(Plies));
    }
}

/* Without pawns DTC is seldom anything but DTZ, and gets memory only when it is. */
static unsigned metrics_placed(const Solver *s)
{
    return s->shape->pawns ? s->metrics : s->metrics & ~(1u << TREB_DTC);
}

static void solver_describe(Solver *s, const Shape *shape, unsigned metrics)
{
    memset(s, 0, sizeof *s);
    s->shape = s->slice.shape = shape;
    s->slice.counts = s->counts;
    s->metrics = metrics | 1u << TREB_DTZ;
    s->slab_count = shape->men >= 3 ? 64 : 1;
    s->slab_words = shape->plane_words / s->slab_count;
}

Solver *solver_new(const Shape *shape, unsigned metrics, Ledger *ledger)
{
    Layout layout = {NULL, 0};
    Solver *s = malloc(sizeof *s);
    if (s == NULL) return NULL;
    solver_describe(s, shape, metrics);
    s->ledger = ledger;
    s->kernel = kernel_best();
    place_all(s, metrics_placed(s), &layout);
    s->sets = ledger_alloc(ledger, layout.size);
    layout = (Layout){s->sets, 0};
    if (s->sets != NULL) {
        place_all(s, metrics_placed(s), &layout);
        return s;
    }
    free(s);
    return NULL;
}

static size_t place_dtc(Solver *s, void *memory)
{
    Layout layout = {memory, 0};
    for (int side = 0; side < 2; side++)
        s->slice.distance[TREB_DTC][side] = layout_place(&layout, s->shape->cells * sizeof(Plies));
    return layout.size;
}

bool solver_add_dtc(Solver *s)
{
    if (s->shape->pawns) return true;
    if (s->dtc == NULL) s->dtc = ledger_alloc(s->ledger, place_dtc(s, NULL));
    place_dtc(s, s->dtc);
    return s->dtc != NULL;
}

void solver_adopt(Solver *s, const Shape *shape) { s->shape = s->slice.shape = shape; }

void solver_free(Solver *s)
{
    if (s == NULL) return;
    ledger_free(s->sets);
    ledger_free(s->dtc);
    free(s);
}

void solver_watch(Solver *s, _Atomic unsigned *ply) { s->watch = ply; }

/* ---- the work space of a thread -------------------------------------------------------------- */

static void place_buffers(Buffers *t, const Solver *s, bool outcomes, Layout *layout)
{
    size_t plane = s->shape->plane_words * sizeof(uint64_t), cells = s->shape->plane_cells;
    t->a = layout_place(layout, plane);
    t->b = layout_place(layout, plane);
    t->counts = layout_place(layout, sizeof *t->counts);
    if (!outcomes) return;
    t->outcomes.verdict = layout_place(layout, cells);
    t->outcomes.capture = layout_place(layout, cells);
    t->outcomes.ends = layout_place(layout, cells);
    if (s->shape->pawns && s->metrics >> TREB_DTC & 1)
        t->outcomes.dtc = layout_place(layout, cells * sizeof *t->outcomes.dtc);
    if (s->metrics >> TREB_DTM & 1) {
        t->outcomes.dtm = layout_place(layout, cells * sizeof *t->outcomes.dtm);
        t->outcomes.ends_dtm = layout_place(layout, cells * sizeof *t->outcomes.ends_dtm);
    }
}

void buffers_free(Buffers *t) { ledger_free(t->memory); }

bool buffers_init(Buffers *t, const Solver *s, bool outcomes)
{
    Layout layout = {NULL, 0};
    memset(t, 0, sizeof *t);
    place_buffers(t, s, outcomes, &layout);
    t->memory = ledger_alloc(s->ledger, layout.size);
    if (t->memory == NULL) return false;
    layout = (Layout){t->memory, 0};
    place_buffers(t, s, outcomes, &layout);
    memset(t->counts, 0, sizeof *t->counts);
    return true;
}

uint64_t solver_memory(const Shape *shape, unsigned metrics, int threads)
{
    Solver s;
    Buffers t;
    Layout sets = {NULL, 0}, buffers = {NULL, 0};
    solver_describe(&s, shape, metrics);
    place_all(&s, metrics_placed(&s), &sets);
    memset(&t, 0, sizeof t);
    place_buffers(&t, &s, true, &buffers);
    uint64_t bytes = ledger_cost(sets.size) + threads * ledger_cost(buffers.size);
    /* DTC may turn out to be needed. */
    if (!shape->pawns && s.metrics >> TREB_DTC & 1) bytes += ledger_cost(place_dtc(&s, NULL));
    return bytes;
}

/* ---- planes ---------------------------------------------------------------------------------- */

/* All cells in which no two men share a square. */
static void plane_fill_valid(const Solver *s, uint32_t kings, uint64_t *out)
{
    KernelPlane plane = plane_of(s, kings);
    int men = plane.men;
    bool alive =
        bit_count(plane.occupied) == 2 + bit_count(s->slice.pawns[0][0] | s->slice.pawns[0][1]);
    if (men == 1) {
        for (int lane = 0; lane < KERNEL_LANES; lane++)
            out[lane] = bit_count(plane.lane[lane]) == 2 + bit_count(s->lane_pawns[lane])
                            ? ~plane.lane[lane]
                            : 0;
        return;
    }
    for (size_t w = 0; w < s->shape->plane_words; w++) {
        uint64_t occupied = plane.occupied;
        bool distinct = alive;
        for (int m = 0; m < men - 1; m++) {
            uint64_t bit = square_bit(w >> 6 * m & 63);
            distinct &= !(occupied & bit);
            occupied |= bit;
        }
        out[w] = distinct ? ~occupied : 0;
    }
}

/* All cells with man `man` on `square`. */
static void plane_fill_man(const Solver *s, int man, int square, uint64_t *out)
{
    int men = s->shape->men;
    if (man == men - 1) {
        for (size_t w = 0; w < s->shape->plane_words; w++) out[w] = square_bit(square);
        return;
    }
    int shift = 6 * (men - 2 - man);
    for (size_t w = 0; w < s->shape->plane_words; w++)
        out[w] = (w >> shift & 63) == (size_t)square ? UINT64_MAX : 0;
}

/* Ors into `out` the cells in which `color` attacks the other king. */
static void plane_checks(const Solver *s, uint32_t kings, int color, uint64_t *man, uint64_t *out)
{
    KernelPlane plane = plane_of(s, kings);
    int target = s->shape->king[kings][!color];
    size_t words = s->shape->plane_words / shape_lanes(s->shape);
    for (int lane = 0; lane < s->slice.lanes; lane++)
        if (pawns_attack(color, s->slice.pawns[lane][color]) & square_bit(target))
            memset(out + lane * words, 0xff, words * sizeof *out);
    for (int i = 0; i < s->shape->men; i++) {
        if (s->shape->man[i].color != color) continue;
        plane_fill_man(s, i, target, man);
        s->kernel->unmove(&plane, i, s->shape->man[i].type, man, KERNEL_ALL, out, KERNEL_ALL);
    }
}

/* ---- setting up ------------------------------------------------------------------------------ */

/* The same two for kings and pawns alone, where a bit is a slice. */
static void lanes_fill(const Solver *s, uint32_t kings, int color, uint64_t *valid,
                       uint64_t *checks)
{
    const uint8_t *king = s->shape->king[kings];
    uint64_t squares = square_bit(king[0]) | square_bit(king[1]);
    *valid = *checks = 0;
    for (int lane = 0; lane < s->slice.lanes; lane++) {
        const uint64_t *pawns = s->slice.pawns[lane];
        if ((pawns[0] | pawns[1]) & squares) continue;
        *valid |= UINT64_C(1) << lane;
        if (pawns_attack(color, pawns[color]) & square_bit(king[!color]))
            *checks |= UINT64_C(1) << lane;
    }
}

static void setup_legal(Solver *s, uint32_t kings, Buffers *t)
{
    size_t words = s->shape->plane_words;
    for (int side = 0; side < 2; side++) {
        uint64_t *legal = plane_at(s, s->slice.legal[side], kings);
        if (s->shape->men == 0) {
            lanes_fill(s, kings, side, legal, t->a);
        } else {
            memset(t->a, 0, words * sizeof *t->a);
            plane_checks(s, kings, side, t->b, t->a);
            plane_fill_valid(s, kings, legal);
        }
        for (size_t w = 0; w < words; w++) legal[w] &= ~t->a[w];
        /* Whoever is in check when the other moves is in check when he moves: kept for later. */
        uint64_t *check = plane_at(s, s->start.mated[!side], kings);
        memcpy(check, t->a, words * sizeof *check);
    }
}

/* Ors into `out` all cells from which a quiet move of `side` leads into `set`. */
static void plane_unmove_all(const Solver *s, uint32_t kings, int side, uint64_t *set,
                             uint64_t *out)
{
    KernelPlane plane = plane_of(s, kings);
    const Shape *shape = s->shape;
    for (int i = 0; i < shape->links[kings][side]; i++) {
        ShapeLink link = shape->link[kings][side][i];
        s->kernel->merge(shape->men, link.symmetry, plane_at(s, set, link.kings), out, KERNEL_ALL);
    }
    for (int i = 0; i < shape->men; i++)
        if (shape->man[i].color == side)
            s->kernel->unmove(&plane, i, shape->man[i].type, plane_at(s, set, kings), KERNEL_ALL,
                              out, KERNEL_ALL);
}

static uint64_t little_endian(uint64_t x)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(x);
#else
    return x;
#endif
}

/* These loops are written so that the compiler makes vector code of them. */
static void fill_plies(const int16_t *restrict outcome, size_t cells, Plies *restrict plies)
{
    for (size_t i = 0; i < cells; i++) {
        int16_t o = outcome[i], win = (int16_t)(OUTCOME_WIN - o), d = o > OUTCOME_DRAW ? win : o;
        plies[i] = (Plies)(d > PLIES_MOST ? NEVER : d);
    }
}

static void fill_zeroing(const uint8_t *restrict verdict, size_t cells, Plies *restrict plies)
{
    for (size_t i = 0; i < cells; i++) {
        uint8_t v = verdict[i];
        Plies counts = v == 1 + TREB_LOSS || v == 1 + TREB_WIN ? 1 : 0;
        Plies cursed = v == 1 + TREB_BLESSED_LOSS || v == 1 + TREB_CURSED_WIN ? CURSED_START : 0;
        plies[i] = counts | cursed;
    }
}

/* Writes what each metric counts for the best conversion of every cell. */
static void setup_distances(Solver *s, uint32_t kings, int side, const Outcomes *o)
{
    size_t cells = s->shape->plane_cells, base = kings * cells;
    fill_zeroing(o->verdict, cells, s->slice.distance[TREB_DTZ][side] + base);
    if (o->dtc) fill_plies(o->dtc, cells, s->slice.distance[TREB_DTC][side] + base);
    if (o->dtm) fill_plies(o->dtm, cells, s->slice.distance[TREB_DTM][side] + base);
}

/* The set of the 64 bytes that exceed `least`, all below 128. */
static uint64_t bytes_above(const uint8_t *bytes, unsigned least)
{
    uint64_t set = 0;
    for (int i = 0; i < 8; i++) {
        uint64_t eight;
        memcpy(&eight, bytes + 8 * i, 8);
        eight = little_endian(eight) + UINT64_C(0x0101010101010101) * (127 - least);
        /* The top bit of every byte, gathered into the highest byte. */
        eight = (eight >> 7 & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080);
        set |= (eight >> 56) << 8 * i;
    }
    return set;
}

/* The cells of a word whose best conversion is a capture or promotion, or as good as one. */
static uint64_t word_ends(const int16_t *restrict dtm, const int16_t *restrict ends)
{
    uint8_t same[64];
    for (int i = 0; i < 64; i++) same[i] = dtm[i] == ends[i];
    return bytes_above(same, 0);
}

/* Sorts the cells of a plane by their best conversion. */
static void setup_plane(Solver *s, uint32_t kings, int side, Converter *const *converter,
                        Buffers *t)
{
    size_t words = s->shape->plane_words;
    const Outcomes *o = &t->outcomes;
    outcomes_clear(o, s->shape->plane_cells);
    for (int lane = 0; lane < s->slice.lanes; lane++)
        converter_plane(converter[2 * lane + side], kings, lane, o);
    memset(t->a, 0, words * sizeof *t->a);
    plane_unmove_all(s, kings, side, s->slice.legal[!side], t->a);
    uint64_t *legal = plane_at(s, s->slice.legal[side], kings);
    uint64_t *check = plane_at(s, s->start.mated[side], kings);
    for (size_t w = 0; w < words; w++) {
        size_t at = kings * words + w;
        const uint8_t *verdict = o->verdict + 64 * w, *capture = o->capture + 64 * w;
        uint64_t any = bytes_above(verdict, 0), win = bytes_above(verdict, 1 + TREB_DRAW);
        uint64_t loss = any & ~bytes_above(verdict, TREB_DRAW);
        uint64_t stuck = legal[w] & ~(any | t->a[w]);
        s->start.converts[side][at] = win & legal[w];
        s->start.must[side][at] = loss & legal[w];
        s->slice.stalemate[side][at] = stuck & ~check[w];
        s->start.losable[side][at] = legal[w] & (~any | loss) & ~stuck;
        check[w] &= stuck; /* from here on: mated */
        s->slice.zeroing_wins[side][at] = bytes_above(verdict, TREB_WIN) & legal[w];
        s->slice.ends_wins[side][at] = bytes_above(o->ends + 64 * w, 1 + TREB_DRAW) & legal[w];
        s->slice.capture_wins[side][at] = bytes_above(capture, TREB_WIN) & legal[w];
        s->slice.capture_draws[side][at] =
            bytes_above(capture, TREB_DRAW) & ~bytes_above(capture, 1 + TREB_DRAW) & legal[w];
        if (o->dtm) s->start.ends[side][at] = word_ends(o->dtm + 64 * w, o->ends_dtm + 64 * w);
    }
    setup_distances(s, kings, side, o);
}

static bool setup_all(Solver *s, Converter *const *converter)
{
    bool enough = true;
#pragma omp parallel
    {
        Buffers t;
        bool ok = buffers_init(&t, s, true);
        if (!ok) {
#pragma omp atomic write
            enough = false;
        }
#pragma omp for schedule(dynamic)
        for (uint32_t kings = 0; kings < s->shape->kings; kings++)
            if (ok) setup_legal(s, kings, &t);
#pragma omp for schedule(dynamic)
        for (uint32_t task = 0; task < 2 * s->shape->kings; task++)
            if (ok) setup_plane(s, task / 2, task % 2, converter, &t);
        if (ok) buffers_free(&t);
    }
    return enough;
}

treb_status solver_setup(Solver *s, const SolvedSource *source, treb_error *error)
{
    Converter *converter[2 * SLICE_LANES] = {NULL};
    treb_status status = TREB_OK;
    for (int i = 0; i < 2 * s->slice.lanes && status == TREB_OK; i++)
        status =
            converter_new(s->shape, s->slice.pawns[i / 2], i % 2, source, &converter[i], error);
    if (status == TREB_OK && !setup_all(s, converter)) status = fail_memory(error);
    for (int i = 0; i < 2 * s->slice.lanes; i++) converter_free(converter[i]);
    return status;
}
