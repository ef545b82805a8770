/* setup.c - what a slice starts from. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "gen/solve/solver.h"

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
        bool distinct = alive && shape_cell(s->shape, 64 * w) == 64 * w;
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

/* Brings what was found of a pair for either man into the rows where it is kept. */
static void fold_pair(uint64_t *set, size_t row_words)
{
    for (size_t low = 0; low < 64; low++)
        for (size_t high = low; high < 64; high++) {
            uint64_t *kept = set + row_words * (64 * low + high),
                     *other = set + row_words * (64 * high + low);
            for (size_t w = 0; w < row_words && low < high; w++) kept[w] |= other[w];
            memset(other, 0, row_words * sizeof *other);
        }
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
        if (s->shape->man[i].color != color || (s->shape->pair && i == 1)) continue;
        /* Either man of a pair may give check: the first is looked at in all rows. */
        plane.pair = s->shape->pair && i > 0;
        plane_fill_man(s, i, target, man);
        s->kernel->unmove(&plane, i, s->shape->man[i].type, man, KERNEL_ROWS_ALL, out,
                          KERNEL_ROWS_ALL);
    }
    if (s->shape->pair) fold_pair(out, s->row_words);
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

void solver_legal(const Solver *s, uint32_t kings, int side, uint64_t *legal, uint64_t *check,
                  uint64_t *room)
{
    size_t words = s->shape->plane_words;
    if (s->shape->men == 0) {
        lanes_fill(s, kings, side, legal, check);
    } else {
        memset(check, 0, words * sizeof *check);
        plane_checks(s, kings, side, room, check);
        plane_fill_valid(s, kings, legal);
    }
    for (size_t w = 0; w < words; w++) legal[w] &= ~check[w];
}

/* Legal positions of both sides; and whoever is in check when the other moves is in check when he
 * moves: kept for later. */
static void setup_legal(Solver *s, uint32_t kings, Buffers *t)
{
    for (int side = 0; side < 2; side++) {
        uint64_t *legal = plane_at(s, s->loop.unwon[side], kings);
        uint64_t *check = plane_at(s, s->loop.lost_at[0][!side].set, kings);
        solver_legal(s, kings, side, legal, t->a, t->b);
        memcpy(check, t->a, s->shape->plane_words * sizeof *check);
        t->legal[side] += solver_positions(s, kings, legal, KERNEL_ALL);
    }
}

void solver_halo_legal(Solver *s, uint32_t number, Buffers *t)
{
    const int side = number >= s->share.halo[0];
    uint32_t kings = s->share.halo_plane[side][number - (side ? s->share.halo[0] : 0)];
    solver_legal(s, kings, side, unwon_at(s, side, kings), t->a, t->b);
    solver_nothing_new(s, kings, side);
}

/* Ors into `out` all cells from which a quiet move of `side` leads to one that the other has not won. */
static void plane_unmove_all(const Solver *s, uint32_t kings, int side, uint64_t *out)
{
    KernelPlane plane = plane_of(s, kings);
    const Shape *shape = s->shape;
    for (int i = 0; i < shape->links[kings][side]; i++) {
        ShapeLink link = shape->link[kings][side][i];
        s->kernel->merge(&plane, link.symmetry, unwon_at(s, !side, link.kings), KERNEL_ROWS_ALL,
                         out, KERNEL_ROWS_ALL);
    }
    for (int i = 0; i < shape->men; i++)
        if (shape->man[i].color == side)
            s->kernel->unmove(&plane, i, shape->man[i].type, unwon_at(s, !side, kings),
                              KERNEL_ROWS_ALL, out, KERNEL_ROWS_ALL);
}

static uint64_t little_endian(uint64_t x)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(x);
#else
    return x;
#endif
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

/* Where the solver notes what falls due: see Solver.due. */
typedef struct Due {
    Solver *s;
    uint32_t kings;
    int side;
    const uint64_t *wins, *must; /* cells with a conversion that wins; where the best one loses */
    Buffers *t;
    treb_error *error;
} Due;

/* Cells of which the verdict of the best conversion is one of two: under the 50-move rule in 1 ply, or
 * without it in 101. */
static treb_status due_zeroing(const Due *d, bool wins)
{
    Solver *s = d->s;
    const uint8_t *verdict = d->t->outcomes.verdict;
    const uint64_t *cells = wins ? d->wins : d->must;
    uint64_t *set = d->t->a;
    treb_status status = TREB_OK;
    for (int late = 0; late < 2 && status == TREB_OK; late++) {
        unsigned least = wins ? 1 + TREB_CURSED_WIN : 1 + TREB_LOSS;
        for (size_t w = 0; w < s->shape->plane_words; w++) {
            uint64_t above = cells[w] ? bytes_above(verdict + 64 * w, least) : 0;
            set[w] = cells[w] & ((wins != late) ? above : ~above);
            if (late) d->t->late |= set[w] != 0;
        }
        status = log_add(s->due[TREB_DTZ], due_stream(d->kings, d->side, wins),
                         late ? CURSED_START : 1, set, KERNEL_ALL, &d->t->room, d->error);
    }
    return status;
}

static inline unsigned outcome_plies(int16_t outcome)
{
    return (unsigned)(outcome > OUTCOME_DRAW ? OUTCOME_WIN - outcome : outcome);
}

/* Cells by what the metric counts for their best conversion: sorted by counting. */
static treb_status due_sorted(const Due *d, Log *log, const int16_t *outcome, bool wins)
{
    const uint64_t *cells = wins ? d->wins : d->must;
    uint32_t *first = d->t->first, *cell = d->t->cell;
    size_t words = d->s->shape->plane_words;
    unsigned least = LOG_TAGS, most = 0;
    treb_status status = TREB_OK;
    for (size_t w = 0; w < words; w++)
        for (uint64_t bits = cells[w]; bits; bits &= bits - 1) {
            unsigned plies = outcome_plies(outcome[64 * w + bit_first(bits)]);
            least = plies < least ? plies : least;
            most = plies > most ? plies : most;
            first[plies + 1]++; /* all are 0 between calls */
        }
    if (least > most) return TREB_OK;
    if (most > PLIES_MOST) return fail_plies(d->s->shape, d->error);
    for (unsigned p = least; p <= most; p++) first[p + 1] += first[p];
    for (size_t w = 0; w < words; w++)
        for (uint64_t bits = cells[w]; bits; bits &= bits - 1) {
            uint32_t c = (uint32_t)(64 * w) + (uint32_t)bit_first(bits);
            cell[first[outcome_plies(outcome[c])]++] = c;
        }
    uint32_t start = 0;
    for (unsigned p = least; p <= most && status == TREB_OK; start = first[p++])
        status = log_add_cells(log, due_stream(d->kings, d->side, wins), p, cell + start,
                               first[p] - start, &d->t->room, d->error);
    memset(first + least, 0, (most - least + 2) * sizeof *first);
    return status;
}

static treb_status setup_due(const Due *d)
{
    const Outcomes *o = &d->t->outcomes;
    treb_status status = TREB_OK;
    for (int wins = 0; wins < 2 && status == TREB_OK; wins++) {
        status = due_zeroing(d, wins);
        if (status == TREB_OK && o->dtc) status = due_sorted(d, d->s->due[TREB_DTC], o->dtc, wins);
        if (status == TREB_OK && o->dtm) status = due_sorted(d, d->s->due[TREB_DTM], o->dtm, wins);
    }
    return status;
}

/* What captures and other moves tell of one word. */
static uint64_t word_fact(const Outcomes *o, int fact, size_t w)
{
    const uint8_t *capture = o->capture + 64 * w;
    switch (fact) {
    case FACT_CAPTURE_WINS:
        return bytes_above(capture, TREB_WIN);
    case FACT_CAPTURE_DRAWS:
        return bytes_above(capture, TREB_DRAW) & ~bytes_above(capture, 1 + TREB_DRAW);
    case FACT_ZEROING_WINS:
        return bytes_above(o->verdict + 64 * w, TREB_WIN);
    case FACT_ENDS_WINS:
        return bytes_above(o->ends + 64 * w, 1 + TREB_DRAW);
    default:
        return word_ends(o->dtm + 64 * w, o->ends_dtm + 64 * w);
    }
}

static treb_status setup_facts(Solver *s, uint32_t kings, int side, Buffers *t, treb_error *error)
{
    static const uint8_t facts[] = {FACT_CAPTURE_WINS, FACT_CAPTURE_DRAWS, FACT_ZEROING_WINS,
                                    FACT_ENDS_WINS, FACT_ENDS};
    const uint64_t *legal = plane_at(s, s->loop.unwon[side], kings);
    treb_status status = TREB_OK;
    for (size_t f = 0; f < sizeof facts && status == TREB_OK; f++) {
        if (facts[f] == FACT_ENDS && t->outcomes.dtm == NULL) continue;
        for (size_t w = 0; w < s->shape->plane_words; w++)
            t->a[w] = legal[w] ? word_fact(&t->outcomes, facts[f], w) & legal[w] : 0;
        status =
            log_add(s->facts, stream_of(kings, side), facts[f], t->a, KERNEL_ALL, &t->room, error);
        for (size_t w = 0; w < s->shape->plane_words && facts[f] == FACT_ZEROING_WINS; w++)
            t->zeroing_wins[side] += (uint64_t)bit_count(t->a[w]);
    }
    return status;
}

/* Sorts the cells of a plane by their best conversion. */
static treb_status setup_plane(Solver *s, uint32_t kings, int side, Converter *const *converter,
                               Buffers *t, treb_error *error)
{
    const size_t words = s->shape->plane_words;
    const Outcomes *o = &t->outcomes;
    const uint32_t stream = stream_of(kings, side);
    outcomes_clear(o, s->shape->plane_cells);
    treb_status status = TREB_OK;
    for (int lane = 0; lane < s->slice.lanes && status == TREB_OK; lane++)
        status = converter_plane(converter[2 * lane + side], kings, lane, o, t->fetched, error);
    if (status != TREB_OK) return status;
    memset(t->a, 0, words * sizeof *t->a);
    plane_unmove_all(s, kings, side, t->a);
    const uint64_t *legal = plane_at(s, s->loop.unwon[side], kings);
    uint64_t *open = plane_at(s, s->loop.open[side], kings);
    uint64_t *check = plane_at(s, s->loop.lost_at[0][side].set, kings), *stuck = t->b;
    for (size_t w = 0; w < words; w++) {
        uint64_t any = bytes_above(o->verdict + 64 * w, 0);
        stuck[w] = legal[w] & ~(any | t->a[w]);
        open[w] = legal[w] & ~any & ~stuck[w];
        t->a[w] = stuck[w] & ~check[w];
        check[w] &= stuck[w]; /* from here on: mated */
    }
    if (s->shape->pawns)
        status = log_add(s->facts, stream, FACT_STALEMATE, t->a, KERNEL_ALL, &t->room, error);
    if (status == TREB_OK) status = setup_facts(s, kings, side, t, error);
    if (status == TREB_OK && s->saver != NULL)
        status = log_add(s->facts, stream, FACT_OPEN, open, KERNEL_ALL, &t->room, error);
    /* What is due: where conversions win, in a frontier that is not used yet; where the best one
     * loses. */
    uint64_t *wins = plane_at(s, s->loop.lost_at[1][side].set, kings), *must = t->b;
    for (size_t w = 0; w < words; w++) {
        const uint8_t *verdict = o->verdict + 64 * w;
        wins[w] = bytes_above(verdict, 1 + TREB_DRAW) & legal[w];
        must[w] = bytes_above(verdict, 0) & ~bytes_above(verdict, TREB_DRAW) & legal[w];
    }
    if (status == TREB_OK)
        status = log_add(s->facts, stream, FACT_MUST, must, KERNEL_ALL, &t->room, error);
    if (status == TREB_OK) status = setup_due(&(Due){s, kings, side, wins, must, t, error});
    return status;
}

/* In parallel: the legal positions of all planes, and with converters all else. */
static void setup_all(Solver *s, Converter *const *converter)
{
#pragma omp parallel
    {
        Buffers t;
        treb_error error;
        if (!buffers_init(&t, s, converter != NULL)) solver_fail(s, fail_memory(&error), &error);
#pragma omp for schedule(dynamic)
        for (uint32_t i = 0; i < s->share.planes + s->share.halo[0] + s->share.halo[1]; i++) {
            if (t.memory == NULL || solver_failed(s)) continue;
            if (i < s->share.planes)
                setup_legal(s, s->share.plane[i], &t);
            else
                solver_halo_legal(s, i - s->share.planes, &t);
            solver_mind(s);
        }
#pragma omp for schedule(dynamic)
        for (uint32_t task = 0; task < 2 * s->share.planes; task++) {
            if (converter == NULL || t.memory == NULL || solver_failed(s)) continue;
            treb_status own =
                setup_plane(s, s->share.plane[task / 2], task % 2, converter, &t, &error);
            solver_mind(s);
            if (s->watch != NULL) atomic_fetch_add(&s->watch->set_up, 1);
            if (own != TREB_OK) solver_fail(s, own, &error);
        }
        for (int side = 0; side < 2 && converter != NULL; side++) {
#pragma omp atomic
            s->slice.legal[side] += t.legal[side];
#pragma omp atomic
            s->slice.zeroing_wins[side] += t.zeroing_wins[side];
        }
#pragma omp critical(solver_setup)
        if (t.late) s->slice.dtc_is_dtz = false;
        buffers_free(&t);
    }
}

void solver_set_legal(Solver *s) { setup_all(s, NULL); }

treb_status solver_setup(Solver *s, const SolvedSource *source, treb_error *error)
{
    Converter *converter[2 * SLICE_LANES] = {NULL};
    treb_status status = TREB_OK;
    for (int side = 0; side < 2; side++) s->slice.legal[side] = s->slice.zeroing_wins[side] = 0;
    /* Without pawns the metrics differ only where the 50-move rule delays a conversion. */
    s->slice.dtc_is_dtz = !s->shape->pawns;
    log_space_clear(s->space);
    for (int i = 0; i < 2 * s->slice.lanes && status == TREB_OK; i++)
        status =
            converter_new(s->shape, s->slice.pawns[i / 2], i % 2, source, &converter[i], error);
    if (status == TREB_OK) {
        setup_all(s, converter);
        status = (treb_status)s->status;
    }
    for (int i = 0; i < 2 * s->slice.lanes; i++) converter_free(converter[i]);
    const Ranks *ranks = s->place.ranks;
    if (status == TREB_OK && ranks != NULL)
        s->slice.dtc_is_dtz = ranks->least(ranks->context, s->slice.dtc_is_dtz);
    return status;
}
