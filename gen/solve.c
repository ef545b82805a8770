/* solve.c - see solve.h.
 *
 * Distances grow ply by ply. With "won" and "lost" for the side to move,
 *
 *     lost at n   legal, no quiet move leads to a position that is not yet won for the opponent, and
 *                 every conversion loses in at most n
 *     won at n    legal, some quiet move leads to a position lost at n - 1, or some conversion wins in n
 *
 * both as set operations on planes (kernel.h): the positions with a quiet move into a set are its
 * un-moves. The three metrics run the same loop and differ in what a conversion counts:
 *
 *     DTZ   1 if it wins or loses under the 50-move rule, 101 if it does so without it only
 *     DTC   1 for captures and promotions, 1 more than after it for a push
 *     DTM   1 more than after it
 *
 * Before the loop a metric's bytes hold each cell's best conversion. A cell whose conversion wins
 * waits in `pending` until n reaches its byte; a cell that can only lose by converting is `held` back
 * until n does. When a cell is decided its byte becomes n.
 *
 * Work is skipped by rows (kernel.h): a ply looks only at rows that some man can reach from a row in
 * which something changed the ply before. Within a ply losses go first: they read what was won
 * before this ply, wins read what was lost before it, and no plane is written that another reads. */
#include "solve.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bitboard.h"
#include "convert.h"

enum { NEVER = 255, CURSED_START = SOLVE_RULE_PLIES + 1 };

typedef struct Frontier {
    uint64_t *set;  /* cells just lost; meaningful in the rows named */
    uint64_t *rows; /* by kings: rows of `set` that are not empty */
} Frontier;

struct Solver {
    Slice slice;
    const Shape *shape;
    const Kernel *kernel;
    unsigned metrics;
    size_t slabs, slab_words;     /* of a plane, as kernel rows are masked */
    uint64_t *unwon[2];           /* legal, not (yet) won */
    uint64_t *open[2];            /* may yet turn out lost */
    uint64_t *pending[2];         /* a conversion wins in distance[...] plies */
    uint64_t *held[2];            /* lost, if at all, not before distance[...] plies */
    uint64_t *converts[2];        /* some conversion wins */
    uint64_t *must[2];            /* the best conversion loses */
    uint64_t *mated[2];
    uint64_t *losable[2];         /* what `open` starts from */
    Frontier lost_at[2][2];       /* by parity of the ply, side */
    uint64_t *won_rows[2][2];     /* likewise: rows in which something was won */
    uint8_t *next_pending[2], *next_held[2]; /* by kings and slab */
    uint8_t *bytes[2];            /* of the metric being solved */
    _Atomic unsigned *watch;      /* told the ply; NULL allowed */
};

/* ---- memory ----------------------------------------------------------------------------------- */

/* Large arrays are swept again and again: large pages spare the processor most of the cost of
 * finding them. */
static void *aligned_bytes(size_t size)
{
    enum { HUGE = 2 << 20 };
    size_t unit = size >= 2 * (size_t)HUGE ? HUGE : 64, rounded = (size + unit - 1) & ~(unit - 1);
    void *bytes = aligned_alloc(unit, rounded);
#ifdef MADV_HUGEPAGE
    if (bytes && unit == HUGE) madvise(bytes, rounded, MADV_HUGEPAGE);
#endif
    return bytes;
}

static void each_set(Solver *s, void (*visit)(uint64_t **set, size_t words, void *context),
                     void *context)
{
    size_t words = s->shape->words, kings = s->shape->kings;
    for (int side = 0; side < 2; side++) {
        uint64_t **sets[] = {&s->slice.legal[side],     &s->slice.won[side],
                             &s->slice.lost[side],      &s->slice.stalemate[side],
                             &s->slice.capture_wins[side], &s->slice.capture_draws[side],
                             &s->slice.zeroing_wins[side], &s->slice.ends_wins[side], &s->unwon[side],
                             &s->open[side],            &s->pending[side],
                             &s->held[side],            &s->converts[side],
                             &s->must[side],            &s->mated[side],
                             &s->losable[side],         &s->lost_at[0][side].set,
                             &s->lost_at[1][side].set};
        for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) visit(sets[i], words, context);
        for (int parity = 0; parity < 2; parity++) {
            visit(&s->lost_at[parity][side].rows, kings, context);
            visit(&s->won_rows[parity][side], kings, context);
        }
        visit((uint64_t **)&s->next_pending[side], kings * s->slabs / 8 + 8, context);
        visit((uint64_t **)&s->next_held[side], kings * s->slabs / 8 + 8, context);
        for (int metric = TABLE_DTZ; metric < TABLE_METRICS; metric++)
            if (s->metrics >> metric & 1)
                visit((uint64_t **)&s->slice.distance[metric][side], s->shape->cells / 8, context);
    }
}

static void allocate_set(uint64_t **set, size_t words, void *context)
{
    bool *failed = context;
    *set = aligned_bytes(words * sizeof **set);
    if (*set == NULL) *failed = true;
}

static void free_set(uint64_t **set, size_t words, void *context)
{
    (void)words;
    (void)context;
    free(*set);
}

static void count_set(uint64_t **set, size_t words, void *context)
{
    (void)set;
    *(uint64_t *)context += words * sizeof **set;
}

static void solver_describe(Solver *s, const Shape *shape, unsigned metrics)
{
    memset(s, 0, sizeof *s);
    s->shape = s->slice.shape = shape;
    s->metrics = metrics | 1u << TABLE_DTZ;
    s->slabs = shape->men >= 3 ? 64 : 1;
    s->slab_words = shape->plane_words / s->slabs;
}

Solver *solver_new(const Shape *shape, unsigned metrics)
{
    Solver *s = malloc(sizeof *s);
    if (s == NULL) return NULL;
    solver_describe(s, shape, metrics);
    s->kernel = kernel_best();
    bool failed = false;
    each_set(s, allocate_set, &failed);
    if (failed) {
        solver_free(s);
        return NULL;
    }
    return s;
}

void solver_adopt(Solver *s, const Shape *shape) { s->shape = s->slice.shape = shape; }

void solver_free(Solver *s)
{
    if (s == NULL) return;
    each_set(s, free_set, NULL);
    free(s);
}

void solver_watch(Solver *s, _Atomic unsigned *ply) { s->watch = ply; }

uint64_t solver_memory(const Shape *shape, unsigned metrics)
{
    Solver s;
    uint64_t bytes = 0;
    solver_describe(&s, shape, metrics);
    each_set(&s, count_set, &bytes);
    return bytes;
}

/* ---- planes ----------------------------------------------------------------------------------- */

/* Buffers of one thread. */
typedef struct Scratch {
    uint64_t *a, *b, *c; /* planes */
    Outcomes outcomes;
} Scratch;

static void scratch_free(Scratch *t)
{
    free(t->a);
    free(t->b);
    free(t->c);
    free(t->outcomes.verdict);
    free(t->outcomes.capture);
    free(t->outcomes.ends);
    free(t->outcomes.dtc);
    free(t->outcomes.dtm);
}

static bool scratch_init(Scratch *t, const Solver *s, bool outcomes)
{
    size_t plane = s->shape->plane_words * sizeof(uint64_t), cells = s->shape->plane_cells;
    memset(t, 0, sizeof *t);
    t->a = aligned_bytes(plane);
    t->b = aligned_bytes(plane);
    t->c = aligned_bytes(plane);
    bool ok = t->a && t->b && t->c;
    if (outcomes) {
        t->outcomes.verdict = aligned_bytes(cells);
        t->outcomes.capture = aligned_bytes(cells);
        t->outcomes.ends = aligned_bytes(cells);
        ok = ok && t->outcomes.verdict && t->outcomes.capture && t->outcomes.ends;
        if (s->shape->pawns && s->metrics >> TABLE_DTC & 1)
            ok = (t->outcomes.dtc = aligned_bytes(2 * cells)) != NULL && ok;
        if (s->metrics >> TABLE_DTM & 1)
            ok = (t->outcomes.dtm = aligned_bytes(2 * cells)) != NULL && ok;
    }
    if (!ok) scratch_free(t);
    return ok;
}

static KernelPlane plane_of(const Solver *s, uint32_t kings)
{
    const uint8_t *king = s->shape->king[kings];
    return (KernelPlane){s->shape->men, square_bit(king[0]) | square_bit(king[1]) |
                                            s->slice.pawns[0][0] | s->slice.pawns[0][1]};
}

static uint64_t *plane_at(const Solver *s, uint64_t *set, uint32_t kings)
{
    return set + (size_t)kings * s->shape->plane_words;
}

/* The squares that symmetry takes into `squares`. */
static uint64_t unsymmetry(int symmetry, uint64_t squares)
{
    if (symmetry & SYM_DIAGONAL) squares = flip_diagonal(squares);
    if (symmetry & SYM_RANKS) squares = flip_ranks(squares);
    if (symmetry & SYM_FILES) squares = flip_files(squares);
    return squares;
}

/* All cells in which no two men share a square. */
static void plane_fill_valid(const Solver *s, uint32_t kings, uint64_t *out)
{
    KernelPlane plane = plane_of(s, kings);
    int men = plane.men;
    bool alive = bit_count(plane.occupied) == 2 + bit_count(s->slice.pawns[0][0] | s->slice.pawns[0][1]);
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
    if (pawns_attack(color, s->slice.pawns[0][color]) & square_bit(target)) {
        memset(out, 0xff, s->shape->plane_words * sizeof *out);
        return;
    }
    for (int i = 0; i < s->shape->men; i++) {
        if (s->shape->man[i].color != color) continue;
        plane_fill_man(s, i, target, man);
        s->kernel->unmove(&plane, i, s->shape->man[i].type, man, KERNEL_ALL, out, KERNEL_ALL);
    }
}

/* ---- setting up ------------------------------------------------------------------------------- */

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

static void setup_legal(Solver *s, uint32_t kings, Scratch *t)
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
        uint64_t *check = plane_at(s, s->mated[!side], kings);
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

static uint8_t plies_of(unsigned outcome)
{
    unsigned plies = outcome > OUTCOME_DRAW ? OUTCOME_WIN - outcome : outcome;
    return plies > CODE_MOST ? NEVER : plies;
}

/* Writes what each metric counts for the best conversion of every cell. */
static void setup_distances(Solver *s, uint32_t kings, int side, const Outcomes *o)
{
    static const uint8_t zeroing[1 + WDL_VALUES] = {0, 1, CURSED_START, 0, CURSED_START, 1};
    size_t cells = s->shape->plane_cells, base = kings * cells;
    uint8_t *dtz = s->slice.distance[TABLE_DTZ][side] + base;
    for (size_t i = 0; i < cells; i++) dtz[i] = zeroing[o->verdict[i]];
    if (o->dtc) {
        uint8_t *dtc = s->slice.distance[TABLE_DTC][side] + base;
        for (size_t i = 0; i < cells; i++) dtc[i] = plies_of(o->dtc[i]);
    }
    if (o->dtm) {
        uint8_t *dtm = s->slice.distance[TABLE_DTM][side] + base;
        for (size_t i = 0; i < cells; i++) dtm[i] = plies_of(o->dtm[i]);
    }
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

/* Sorts the cells of a plane by their best conversion. */
static void setup_plane(Solver *s, uint32_t kings, int side, Converter *const *converter,
                        Scratch *t)
{
    size_t words = s->shape->plane_words;
    const Outcomes *o = &t->outcomes;
    outcomes_clear(o, s->shape->plane_cells);
    for (int lane = 0; lane < s->slice.lanes; lane++)
        converter_plane(converter[2 * lane + side], kings, lane, o);
    memset(t->a, 0, words * sizeof *t->a);
    plane_unmove_all(s, kings, side, s->slice.legal[!side], t->a);
    uint64_t *legal = plane_at(s, s->slice.legal[side], kings);
    uint64_t *check = plane_at(s, s->mated[side], kings);
    for (size_t w = 0; w < words; w++) {
        size_t at = kings * words + w;
        const uint8_t *verdict = o->verdict + 64 * w, *capture = o->capture + 64 * w;
        uint64_t any = bytes_above(verdict, 0), win = bytes_above(verdict, 1 + WDL_DRAW);
        uint64_t loss = any & ~bytes_above(verdict, WDL_DRAW);
        uint64_t stuck = legal[w] & ~(any | t->a[w]);
        s->converts[side][at] = win & legal[w];
        s->must[side][at] = loss & legal[w];
        s->slice.stalemate[side][at] = stuck & ~check[w];
        s->losable[side][at] = legal[w] & (~any | loss) & ~stuck;
        check[w] &= stuck; /* from here on: mated */
        s->slice.zeroing_wins[side][at] = bytes_above(verdict, WDL_WIN) & legal[w];
        s->slice.ends_wins[side][at] = bytes_above(o->ends + 64 * w, 1 + WDL_DRAW) & legal[w];
        s->slice.capture_wins[side][at] = bytes_above(capture, WDL_WIN) & legal[w];
        s->slice.capture_draws[side][at] =
            bytes_above(capture, WDL_DRAW) & ~bytes_above(capture, 1 + WDL_DRAW) & legal[w];
    }
    setup_distances(s, kings, side, o);
}

static void setup_all(Solver *s, Converter *const *converter, treb_status *status)
{
#pragma omp parallel
    {
        Scratch t;
        bool ok = scratch_init(&t, s, true);
        if (!ok) {
#pragma omp atomic write
            *status = TREB_ERR_MEMORY;
        }
#pragma omp for schedule(dynamic)
        for (uint32_t kings = 0; kings < s->shape->kings; kings++)
            if (ok) setup_legal(s, kings, &t);
#pragma omp for schedule(dynamic)
        for (uint32_t task = 0; task < 2 * s->shape->kings; task++)
            if (ok) setup_plane(s, task / 2, task % 2, converter, &t);
        if (ok) scratch_free(&t);
    }
}

static treb_status setup(Solver *s, const SolvedSource *source)
{
    Converter *converter[2 * SLICE_LANES] = {NULL};
    treb_status status = TREB_OK;
    for (int i = 0; i < 2 * s->slice.lanes && status == TREB_OK; i++) {
        converter[i] = converter_new(s->shape, s->slice.pawns[i / 2], i % 2, source);
        if (converter[i] == NULL) status = TREB_ERR_NO_TABLE;
    }
    if (status == TREB_OK) setup_all(s, converter, &status);
    for (int i = 0; i < 2 * s->slice.lanes; i++) converter_free(converter[i]);
    return status;
}

/* ---- one ply ---------------------------------------------------------------------------------- */

static size_t slab_index(const Solver *s, uint32_t kings, int slab)
{
    return (size_t)kings * s->slabs + slab;
}

/* Rows that quiet moves of `side` reach in plane `kings` from the changed `rows` of all planes. */
static uint64_t rows_reached(const Solver *s, uint32_t kings, int side, const uint64_t *rows)
{
    const Shape *shape = s->shape;
    uint64_t own = rows[kings], reached = own;
    if (shape->men >= 3 && own && own != KERNEL_ALL && shape->man[0].color == side)
        for (uint64_t left = own; left && reached != KERNEL_ALL;)
            reached |= piece_attacks(shape->man[0].type, bit_pop(&left), 0);
    for (int i = 0; i < shape->links[kings][side]; i++) {
        ShapeLink link = shape->link[kings][side][i];
        reached |= shape->men >= 3 ? unsymmetry(link.symmetry, rows[link.kings])
                                   : rows[link.kings];
    }
    return reached;
}

/* Takes the cells of `set` whose distance is n in the slabs where that is next; returns the slabs.
 * What was taken is written to `found`, in those slabs only. */
static uint64_t take_due(const Solver *s, uint32_t kings, uint64_t *set, uint8_t *next,
                         const uint8_t *bytes, unsigned n, uint64_t *found)
{
    uint64_t due = 0;
    for (size_t slab = 0; slab < s->slabs; slab++) {
        uint8_t *when = &next[slab_index(s, kings, slab)];
        if (*when != n) continue;
        size_t at = slab * s->slab_words, plane = (size_t)kings * s->shape->plane_words;
        *when = s->kernel->take(set + plane + at, s->slab_words, n, bytes + 64 * (plane + at),
                                found + at);
        due |= s->slabs == 1 ? KERNEL_ALL : square_bit(slab);
    }
    return due;
}

static bool slab_in(const Solver *s, uint64_t rows, size_t slab)
{
    return s->slabs == 1 ? rows != 0 : rows >> slab & 1;
}

static uint64_t slab_rows(const Solver *s, size_t slab)
{
    return s->slabs == 1 ? KERNEL_ALL : square_bit(slab);
}

static void rows_clear(const Solver *s, uint64_t *plane, uint64_t rows)
{
    for (size_t slab = 0; slab < s->slabs; slab++)
        if (slab_in(s, rows, slab))
            memset(plane + slab * s->slab_words, 0, s->slab_words * sizeof *plane);
}

/* Of `rows`, those with a cell in a & ~b & ~c. */
static uint64_t rows_with(const Solver *s, uint64_t rows, const uint64_t *a, const uint64_t *b,
                          const uint64_t *c)
{
    uint64_t found = 0;
    for (size_t slab = 0; slab < s->slabs; slab++) {
        if (!slab_in(s, rows, slab)) continue;
        uint64_t any = 0;
        for (size_t w = slab * s->slab_words, end = w + s->slab_words; w < end; w++)
            any |= a[w] & ~b[w] & ~c[w];
        if (any) found |= slab_rows(s, slab);
    }
    return found;
}

/* Un-moves the king and the men from `first` to `last` from the rows `in_rows` of `set`. */
static void unmove_men(const Solver *s, uint32_t kings, int side, int first, int last,
                       const uint64_t *set, uint64_t in_rows, uint64_t *out, uint64_t out_rows)
{
    KernelPlane plane = plane_of(s, kings);
    for (int i = first; i <= last; i++)
        if (s->shape->man[i].color == side)
            s->kernel->unmove(&plane, i, s->shape->man[i].type, set, in_rows, out, out_rows);
}

static void ply_losses(Solver *s, uint32_t kings, int side, unsigned n, Scratch *t)
{
    const Shape *shape = s->shape;
    Frontier *out = &s->lost_at[n & 1][side];
    out->rows[kings] = 0;
    uint64_t *open = plane_at(s, s->open[side], kings), *held = plane_at(s, s->held[side], kings);
    uint64_t rows = take_due(s, kings, s->held[side], s->next_held[side], s->bytes[side], n, t->b);
    rows |= rows_reached(s, kings, side, s->won_rows[~n & 1][!side]);
    if (rows == 0) return;
    uint64_t *escape = t->a;
    rows_clear(s, escape, rows);
    rows = rows_with(s, rows, open, held, escape);
    uint64_t *unwon = plane_at(s, s->unwon[!side], kings);
    int cheap = shape->men > 2 ? shape->men - 2 : 0;
    unmove_men(s, kings, side, cheap, shape->men - 1, unwon, rows, escape, rows);
    if (rows) rows = rows_with(s, rows, open, held, escape);
    if (rows == 0) return;
    for (int i = 0; i < shape->links[kings][side]; i++) {
        ShapeLink link = shape->link[kings][side][i];
        s->kernel->merge(shape->men, link.symmetry, plane_at(s, s->unwon[!side], link.kings),
                         escape, rows);
    }
    rows = rows_with(s, rows, open, held, escape);
    if (rows == 0) return;
    unmove_men(s, kings, side, 0, cheap - 1, unwon, KERNEL_ALL, escape, rows);
    uint64_t *lost = plane_at(s, out->set, kings), found = 0;
    for (size_t slab = 0; slab < s->slabs; slab++) {
        if (!slab_in(s, rows, slab)) continue;
        uint64_t any = 0;
        size_t first = slab * s->slab_words;
        for (size_t w = first; w < first + s->slab_words; w++) {
            lost[w] = open[w] & ~held[w] & ~escape[w];
            open[w] &= ~lost[w];
            any |= lost[w];
        }
        if (any == 0) continue;
        found |= slab_rows(s, slab);
        s->kernel->mark(lost + first, s->slab_words, n,
                        s->bytes[side] + 64 * ((size_t)kings * shape->plane_words + first));
    }
    out->rows[kings] = found;
}

static void ply_wins(Solver *s, uint32_t kings, int side, unsigned n, Scratch *t)
{
    const Shape *shape = s->shape;
    const Frontier *in = &s->lost_at[~n & 1][!side];
    uint64_t *won_rows = &s->won_rows[n & 1][side][kings];
    *won_rows = 0;
    uint64_t due = take_due(s, kings, s->pending[side], s->next_pending[side], s->bytes[side], n,
                            t->a);
    uint64_t rows = rows_reached(s, kings, side, in->rows);
    rows_clear(s, t->a, rows & ~due);
    rows |= due;
    if (rows == 0) return;
    for (int i = 0; i < shape->links[kings][side]; i++) {
        ShapeLink link = shape->link[kings][side][i];
        uint64_t from = in->rows[link.kings];
        if (shape->men >= 3) from = unsymmetry(link.symmetry, from);
        if (from)
            s->kernel->merge(shape->men, link.symmetry, plane_at(s, in->set, link.kings), t->a,
                             from);
    }
    if (in->rows[kings])
        unmove_men(s, kings, side, 0, shape->men - 1, plane_at(s, in->set, kings), in->rows[kings],
                   t->a, rows);
    uint64_t *unwon = plane_at(s, s->unwon[side], kings), found = 0;
    uint64_t *pending = plane_at(s, s->pending[side], kings);
    uint64_t *held = plane_at(s, s->held[side], kings);
    for (size_t slab = 0; slab < s->slabs; slab++) {
        if (!slab_in(s, rows, slab)) continue;
        uint64_t any = 0;
        size_t first = slab * s->slab_words;
        for (size_t w = first; w < first + s->slab_words; w++) {
            t->a[w] &= unwon[w];
            /* The byte of a decided cell no longer speaks of its conversion. */
            unwon[w] &= ~t->a[w];
            pending[w] &= ~t->a[w];
            held[w] &= ~t->a[w];
            any |= t->a[w];
        }
        if (any == 0) continue;
        found |= slab_rows(s, slab);
        s->kernel->mark(t->a + first, s->slab_words, n,
                        s->bytes[side] + 64 * ((size_t)kings * shape->plane_words + first));
    }
    *won_rows = found;
}

/* ---- a metric --------------------------------------------------------------------------------- */

/* Prepares a metric: nothing decided but the mates. */
static void metric_start(Solver *s, uint32_t kings, int side, Scratch *t)
{
    size_t words = s->shape->plane_words, at = (size_t)kings * words;
    uint64_t mates = 0;
    for (size_t w = at; w < at + words; w++) {
        s->unwon[side][w] = s->slice.legal[side][w];
        s->open[side][w] = s->losable[side][w];
        s->pending[side][w] = s->converts[side][w];
        s->held[side][w] = s->must[side][w] & s->losable[side][w];
        s->lost_at[0][side].set[w] = s->mated[side][w];
        mates |= s->mated[side][w];
    }
    s->lost_at[0][side].rows[kings] = mates ? KERNEL_ALL : 0;
    s->lost_at[1][side].rows[kings] = 0;
    s->won_rows[0][side][kings] = s->won_rows[1][side][kings] = 0;
    uint8_t *bytes = s->bytes[side] + 64 * at;
    s->kernel->mark(s->mated[side] + at, words, 0, bytes);
    for (size_t slab = 0; slab < s->slabs; slab++) {
        size_t first = slab * s->slab_words, index = slab_index(s, kings, slab);
        /* No conversion takes 0 plies: this only looks for the least. */
        s->next_pending[side][index] = s->kernel->take(
            s->pending[side] + at + first, s->slab_words, 0, bytes + 64 * first, t->a);
        s->next_held[side][index] = s->kernel->take(s->held[side] + at + first, s->slab_words, 0,
                                                    bytes + 64 * first, t->a);
    }
}

/* The next ply at which a conversion is due, from n on; NEVER if none. */
static unsigned next_due(const Solver *s, unsigned n)
{
    unsigned least = NEVER;
    size_t entries = (size_t)s->shape->kings * s->slabs;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < entries; i++) {
            unsigned a = s->next_pending[side][i], b = s->next_held[side][i];
            if (a >= n && a < least) least = a;
            if (b >= n && b < least) least = b;
        }
    return least;
}

static bool ply_changed(const Solver *s, unsigned n)
{
    for (int side = 0; side < 2; side++)
        for (uint32_t k = 0; k < s->shape->kings; k++)
            if (s->lost_at[n & 1][side].rows[k] | s->won_rows[n & 1][side][k]) return true;
    return false;
}

/* Runs all plies of the metric whose distances are in s->bytes. */
static treb_status metric_run(Solver *s, unsigned *longest)
{
    treb_status status = TREB_OK;
    unsigned n = 1;
    bool more = true;
    uint32_t tasks = 2 * s->shape->kings;
    *longest = 0;
#pragma omp parallel
    {
        Scratch t;
        bool ok = scratch_init(&t, s, false);
        if (!ok) {
#pragma omp atomic write
            status = TREB_ERR_MEMORY;
        }
#pragma omp for schedule(dynamic)
        for (uint32_t i = 0; i < tasks; i++)
            if (ok) metric_start(s, i / 2, i % 2, &t);
        while (more) {
#pragma omp for schedule(dynamic, 4)
            for (uint32_t i = 0; i < tasks; i++)
                if (ok) ply_losses(s, i / 2, i % 2, n, &t);
#pragma omp for schedule(dynamic, 4)
            for (uint32_t i = 0; i < tasks; i++)
                if (ok) ply_wins(s, i / 2, i % 2, n, &t);
#pragma omp single
            {
                bool changed = ply_changed(s, n);
                if (changed) *longest = n;
                if (s->watch) atomic_store_explicit(s->watch, n, memory_order_relaxed);
                n++;
                if (!changed && n > 2) {
                    unsigned due = next_due(s, n);
                    /* Nothing happens before: both frontiers are empty. */
                    if (due == NEVER) more = false;
                    else n = due;
                }
                if (n > CODE_MOST) {
                    if (more) status = TREB_ERR_ARGUMENT;
                    more = false;
                }
                if (status != TREB_OK) more = false;
            }
        }
        if (ok) scratch_free(&t);
    }
    return status;
}

static void metric_select(Solver *s, TableMetric metric)
{
    for (int side = 0; side < 2; side++) {
        s->bytes[side] = s->slice.distance[metric][side];
        /* Without pawns every conversion is one, and the memory is seldom needed at all. */
        if (metric == TABLE_DTC && !s->shape->pawns) memset(s->bytes[side], 1, s->shape->cells);
    }
}

/* What was decided by the first metric holds for all. */
static void keep_results(Solver *s)
{
    size_t words = s->shape->words;
    for (int side = 0; side < 2; side++) {
#pragma omp parallel for
        for (size_t w = 0; w < words; w++) {
            s->slice.won[side][w] = s->slice.legal[side][w] & ~s->unwon[side][w];
            s->losable[side][w] &= ~s->open[side][w];
            s->slice.lost[side][w] = s->losable[side][w] | s->mated[side][w];
        }
    }
}

/* Whether a later metric decided what the first did: a distance too long for a byte stays open. */
static bool metric_complete(const Solver *s)
{
    uint64_t left = 0;
#pragma omp parallel for reduction(| : left)
    for (size_t w = 0; w < s->shape->words; w++)
        for (int side = 0; side < 2; side++)
            left |= s->open[side][w] | (s->slice.won[side][w] & s->unwon[side][w]);
    return left == 0;
}

/* Without pawns the metrics differ only where the 50-move rule delays a conversion. */
static bool dtc_equals_dtz(const Solver *s)
{
    return !s->shape->pawns && !s->slice.cursed;
}

int solver_lanes(const Shape *shape)
{
    return shape->men == 0 && shape->pawns ? SLICE_LANES : 1;
}

treb_status solver_run(Solver *s, int lanes, const uint64_t pawns[][2], const SolvedSource *source,
                       const Slice **out)
{
    s->slice.lanes = lanes;
    memcpy(s->slice.pawns, pawns, lanes * sizeof *pawns);
    treb_status status = setup(s, source);
    if (status != TREB_OK) return status;
    metric_select(s, TABLE_DTZ);
    status = metric_run(s, &s->slice.plies[TABLE_DTZ]);
    if (status != TREB_OK) return status;
    keep_results(s);
    s->slice.cursed = s->slice.plies[TABLE_DTZ] > SOLVE_RULE_PLIES;
    s->slice.dtc_is_dtz = dtc_equals_dtz(s);
    for (int metric = TABLE_DTC; metric < TABLE_METRICS && status == TREB_OK; metric++) {
        if (!(s->metrics >> metric & 1)) continue;
        if (metric == TABLE_DTC && s->slice.dtc_is_dtz) continue;
        metric_select(s, metric);
        status = metric_run(s, &s->slice.plies[metric]);
        if (status == TREB_OK && !metric_complete(s)) status = TREB_ERR_ARGUMENT;
    }
    *out = &s->slice;
    return status;
}

void slice_codes(const Slice *slice, int side, uint8_t *code, uint64_t *cursed)
{
    const uint8_t *dtm = slice->distance[TABLE_DTM][side], *dtz = slice->distance[TABLE_DTZ][side];
#pragma omp parallel for
    for (size_t w = 0; w < slice->shape->words; w++) {
        uint64_t won = slice->won[side][w], lost = slice->lost[side][w], over = 0;
        uint64_t legal = slice->legal[side][w], stale = slice->stalemate[side][w];
        for (int b = 0; b < 64; b++) {
            size_t i = 64 * w + b;
            bool decided = (won | lost) >> b & 1;
            uint8_t c = decided            ? dtm ? dtm[i] : won >> b & 1 ? 1 : 2
                        : stale >> b & 1   ? CODE_STALEMATE
                        : legal >> b & 1   ? CODE_DRAW
                                           : CODE_ILLEGAL;
            code[i] = c;
            over |= (uint64_t)(decided && dtz[i] > SOLVE_RULE_PLIES) << b;
        }
        if (cursed) cursed[w] = over;
    }
}
