/* setup.c - see setup.h. */
#include "gen/solve/setup.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"

/* ---- Planes ---------------------------------------------------------------------------------- */

/* Writes all cells in which no two men share a square. */
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
    for (size_t w = 0; w < s->layout->plane_words; w++) {
        uint64_t occupied = plane.occupied;
        bool distinct = alive && layout_cell(s->layout, 64 * w) == 64 * w;
        for (int m = 0; m < men - 1; m++) {
            uint64_t bit = square_bit(w >> 6 * m & 63);
            distinct &= !(occupied & bit);
            occupied |= bit;
        }
        out[w] = distinct ? ~occupied : 0;
    }
}

/* Writes all cells with man `man` on `square`. */
static void plane_fill_man(const Solver *s, int man, int square, uint64_t *out)
{
    int men = s->layout->men;
    if (man == men - 1) {
        for (size_t w = 0; w < s->layout->plane_words; w++) out[w] = square_bit(square);
        return;
    }
    int shift = 6 * (men - 2 - man);
    for (size_t w = 0; w < s->layout->plane_words; w++)
        out[w] = (w >> shift & 63) == (size_t)square ? UINT64_MAX : 0;
}

/* A set that was computed with both orders of a pair: moves all cells to the rows in which the pair is kept. */
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

/* Adds to `out` the cells in which `color` attacks the other king. `man` is overwritten. */
static void plane_checks(const Solver *s, uint32_t kings, int color, uint64_t *man, uint64_t *out)
{
    KernelPlane plane = plane_of(s, kings);
    int target = s->layout->king[kings][!color];
    size_t words = s->layout->plane_words / layout_lanes(s->layout);
    for (int lane = 0; lane < s->slice.lanes; lane++)
        if (pawns_attack(color, s->slice.pawns[lane][color]) & square_bit(target))
            memset(out + lane * words, 0xff, words * sizeof *out);
    for (int i = 0; i < s->layout->men; i++) {
        if (s->layout->man[i].color != color || (s->layout->pair && i == 1)) continue;
        /* Either man of a pair can give check: the first one is computed in all rows. */
        plane.pair = s->layout->pair && i > 0;
        plane_fill_man(s, i, target, man);
        s->kernel->retro_move(&plane, i, s->layout->man[i].type, man, KERNEL_ROWS_ALL, out,
                              KERNEL_ROWS_ALL);
    }
    if (s->layout->pair) fold_pair(out, s->row_words);
}

/* ---- Setting up ------------------------------------------------------------------------------ */

/* Does what plane_fill_valid and plane_checks do for slices without men, in which a bit is a lane. */
static void lanes_fill(const Solver *s, uint32_t kings, int color, uint64_t *valid,
                       uint64_t *checks)
{
    const uint8_t *king = s->layout->king[kings];
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

void setup_plane_legal(const Solver *s, uint32_t kings, int side, uint64_t *legal, uint64_t *check,
                       uint64_t *scratch)
{
    size_t words = s->layout->plane_words;
    if (s->layout->men == 0) {
        lanes_fill(s, kings, side, legal, check);
    } else {
        memset(check, 0, words * sizeof *check);
        plane_checks(s, kings, side, scratch, check);
        plane_fill_valid(s, kings, legal);
    }
    for (size_t w = 0; w < words; w++) legal[w] &= ~check[w];
}

/* Finds the legal positions of a plane for both sides to move. The cells in which a side attacks the other king are
 * those in which the other side, when it moves, is in check: they are kept for setup_plane. */
static void setup_legal(Solver *s, uint32_t kings, Buffers *t)
{
    for (int side = 0; side < 2; side++) {
        uint64_t *legal = plane_at(s, s->loop.not_won[side], kings);
        uint64_t *check = plane_at(s, s->loop.lost_at[0][!side].set, kings);
        setup_plane_legal(s, kings, side, legal, t->a, t->b);
        memcpy(check, t->a, s->layout->plane_words * sizeof *check);
        t->legal[side] += solver_positions(s, kings, legal, KERNEL_ALL);
    }
}

void setup_ghost_legal(Solver *s, uint32_t number, Buffers *t)
{
    const int side = number >= s->partition.ghosts[0];
    uint32_t kings = s->partition.ghost_plane[side][number - (side ? s->partition.ghosts[0] : 0)];
    setup_plane_legal(s, kings, side, not_won_at(s, side, kings), t->a, t->b);
    solver_nothing_new(s, kings, side);
}

/* Adds to `out` all cells from which a quiet move of `side` leads to a cell that the opponent has not won. */
static void plane_retro_move_all(const Solver *s, uint32_t kings, int side, uint64_t *out)
{
    KernelPlane plane = plane_of(s, kings);
    const Layout *layout = s->layout;
    for (int i = 0; i < layout->links[kings][side]; i++) {
        KingLink link = layout->link[kings][side][i];
        s->kernel->merge(&plane, link.symmetry, not_won_at(s, !side, link.kings), KERNEL_ROWS_ALL,
                         out, KERNEL_ROWS_ALL);
    }
    for (int i = 0; i < layout->men; i++)
        if (layout->man[i].color == side)
            s->kernel->retro_move(&plane, i, layout->man[i].type, not_won_at(s, !side, kings),
                                  KERNEL_ROWS_ALL, out, KERNEL_ROWS_ALL);
}

uint64_t bytes_above(const uint8_t *bytes, unsigned least)
{
    uint64_t set = 0;
    for (int i = 0; i < 8; i++) {
        uint64_t eight;
        memcpy(&eight, bytes + 8 * i, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        eight = __builtin_bswap64(eight);
#endif
        eight += UINT64_C(0x0101010101010101) * (127 - least);
        /* Collects the top bit of every byte in the highest byte. */
        eight = (eight >> 7 & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080);
        set |= (eight >> 56) << 8 * i;
    }
    return set;
}

/* Returns the cells of a word in which one of the best conversions by distance to mate completes bounds. */
static uint64_t word_ends(const int16_t *restrict dtm, const int16_t *restrict ends)
{
    uint8_t same[64];
    for (int i = 0; i < 64; i++) same[i] = dtm[i] == ends[i];
    return bytes_above(same, 0);
}

/* A plane and side for which conversions are written to Solver.due. */
typedef struct Due {
    Solver *s;
    uint32_t kings;
    int side;
    /* Cells with a conversion that wins; cells whose best conversion loses. */
    const uint64_t *wins, *loses;
    Buffers *t;
    treb_error *error;
} Due;

/* Writes the conversions by DTZ. Which of two plies they are due at follows from the verdict: 1 if they win or lose
 * under the 50-move rule, 101 if they do so only without it. */
static treb_status due_zeroing(const Due *d, bool wins)
{
    Solver *s = d->s;
    const uint8_t *verdict = d->t->outcomes.verdict;
    const uint64_t *cells = wins ? d->wins : d->loses;
    uint64_t *set = d->t->a;
    treb_status status = TREB_OK;
    for (int late = 0; late < 2 && status == TREB_OK; late++) {
        unsigned least = wins ? 1 + TREB_CURSED_WIN : 1 + TREB_LOSS;
        for (size_t w = 0; w < s->layout->plane_words; w++) {
            uint64_t above = cells[w] ? bytes_above(verdict + 64 * w, least) : 0;
            set[w] = cells[w] & ((wins != late) ? above : ~above);
            if (late) d->t->late |= set[w] != 0;
        }
        status = log_add(s->due[TREB_DTZ], due_stream(d->kings, d->side, wins),
                         late ? CURSED_START : 1, set, KERNEL_ALL, &d->t->log_buffer, d->error);
    }
    return status;
}

static inline unsigned outcome_plies(int16_t outcome)
{
    return (unsigned)(outcome > OUTCOME_DRAW ? OUTCOME_WIN - outcome : outcome);
}

/* Writes the conversions by DTC or DTM: sorts the cells by the plies of their best conversion, with a counting sort. */
static treb_status due_sorted(const Due *d, Log *log, const int16_t *outcome, bool wins)
{
    const uint64_t *cells = wins ? d->wins : d->loses;
    uint32_t *first = d->t->first, *cell = d->t->cell;
    size_t words = d->s->layout->plane_words;
    unsigned least = LOG_TAGS, most = 0;
    treb_status status = TREB_OK;
    for (size_t w = 0; w < words; w++)
        for (uint64_t bits = cells[w]; bits; bits &= bits - 1) {
            unsigned plies = outcome_plies(outcome[64 * w + bit_first(bits)]);
            least = plies < least ? plies : least;
            most = plies > most ? plies : most;
            first[plies + 1]++; /* all are 0 between two calls */
        }
    if (least > most) return TREB_OK;
    if (most > PLIES_MOST) return fail_plies(d->s->layout, d->error);
    for (unsigned p = least; p <= most; p++) first[p + 1] += first[p];
    for (size_t w = 0; w < words; w++)
        for (uint64_t bits = cells[w]; bits; bits &= bits - 1) {
            uint32_t c = (uint32_t)(64 * w) + (uint32_t)bit_first(bits);
            cell[first[outcome_plies(outcome[c])]++] = c;
        }
    uint32_t start = 0;
    for (unsigned p = least; p <= most && status == TREB_OK; start = first[p++])
        status = log_add_cells(log, due_stream(d->kings, d->side, wins), p, cell + start,
                               first[p] - start, &d->t->log_buffer, d->error);
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

static uint64_t bytes_equal(const uint8_t *bytes, unsigned value)
{
    return bytes_above(bytes, value - 1) & ~bytes_above(bytes, value);
}

/* Returns the cells of a word for which a fact holds. */
static uint64_t word_fact(const Outcomes *o, int fact, size_t w)
{
    const uint8_t *capture = o->capture + 64 * w;
    switch (fact) {
    case FACT_CAPTURE_WINS:
        return bytes_above(capture, TREB_WIN);
    case FACT_CAPTURE_DRAWS:
        return bytes_equal(capture, 1 + TREB_DRAW);
    case FACT_PROMOTION_WINS:
        return bytes_above(o->completing + 64 * w, TREB_WIN) & ~bytes_above(capture, TREB_WIN);
    case FACT_PROMOTION_DRAWS:
        return bytes_equal(o->completing + 64 * w, 1 + TREB_DRAW) &
               ~bytes_equal(capture, 1 + TREB_DRAW);
    case FACT_ZEROING_WINS:
        return bytes_above(o->verdict + 64 * w, TREB_WIN);
    case FACT_ENDS_WINS:
        return bytes_above(o->ends + 64 * w, 1 + TREB_DRAW);
    default:
        return word_ends(o->dtm + 64 * w, o->ends_dtm + 64 * w);
    }
}

static bool has_fact(const Outcomes *o, int fact)
{
    if (fact == FACT_PROMOTION_WINS || fact == FACT_PROMOTION_DRAWS) return o->completing != NULL;
    return fact != FACT_ENDS || o->dtm != NULL;
}

static treb_status setup_facts(Solver *s, uint32_t kings, int side, Buffers *t, treb_error *error)
{
    static const uint8_t facts[] = {FACT_CAPTURE_WINS,    FACT_CAPTURE_DRAWS, FACT_PROMOTION_WINS,
                                    FACT_PROMOTION_DRAWS, FACT_ZEROING_WINS,  FACT_ENDS_WINS,
                                    FACT_ENDS};
    const uint64_t *legal = plane_at(s, s->loop.not_won[side], kings);
    treb_status status = TREB_OK;
    for (size_t f = 0; f < sizeof facts && status == TREB_OK; f++) {
        if (!has_fact(&t->outcomes, facts[f])) continue;
        for (size_t w = 0; w < s->layout->plane_words; w++)
            t->a[w] = legal[w] ? word_fact(&t->outcomes, facts[f], w) & legal[w] : 0;
        status = log_add(s->facts, stream_of(kings, side), facts[f], t->a, KERNEL_ALL,
                         &t->log_buffer, error);
        for (size_t w = 0; w < s->layout->plane_words && facts[f] == FACT_ZEROING_WINS; w++)
            t->zeroing_wins[side] += (uint64_t)bit_count(t->a[w]);
    }
    return status;
}

/* Finds what the conversions of a plane decide: stalemates, mates, open cells, facts, and what is due at which ply. */
static treb_status setup_plane(Solver *s, uint32_t kings, int side, Converter *const *converter,
                               Buffers *t, treb_error *error)
{
    const size_t words = s->layout->plane_words;
    const Outcomes *o = &t->outcomes;
    const uint32_t stream = stream_of(kings, side);
    outcomes_clear(o, s->layout->plane_cells);
    treb_status status = TREB_OK;
    for (int lane = 0; lane < s->slice.lanes && status == TREB_OK; lane++)
        status = converter_plane(converter[2 * lane + side], kings, lane, o, t->fetched, error);
    if (status != TREB_OK) return status;
    memset(t->a, 0, words * sizeof *t->a);
    plane_retro_move_all(s, kings, side, t->a);
    const uint64_t *legal = plane_at(s, s->loop.not_won[side], kings);
    uint64_t *open = plane_at(s, s->loop.open[side], kings);
    uint64_t *check = plane_at(s, s->loop.lost_at[0][side].set, kings), *stuck = t->b;
    for (size_t w = 0; w < words; w++) {
        uint64_t any = bytes_above(o->verdict + 64 * w, 0);
        stuck[w] = legal[w] & ~(any | t->a[w]);
        open[w] = legal[w] & ~any & ~stuck[w];
        t->a[w] = stuck[w] & ~check[w];
        check[w] &= stuck[w]; /* from here on this set has the mates */
    }
    if (s->layout->pawns)
        status = log_add(s->facts, stream, FACT_STALEMATE, t->a, KERNEL_ALL, &t->log_buffer, error);
    if (status == TREB_OK) status = setup_facts(s, kings, side, t, error);
    if (status == TREB_OK && s->saver != NULL)
        status = log_add(s->facts, stream, FACT_OPEN, open, KERNEL_ALL, &t->log_buffer, error);
    /* Cells with winning conversions, in a frontier that is not used yet, and cells whose best conversion loses. */
    uint64_t *wins = plane_at(s, s->loop.lost_at[1][side].set, kings), *loses = t->b;
    for (size_t w = 0; w < words; w++) {
        const uint8_t *verdict = o->verdict + 64 * w;
        wins[w] = bytes_above(verdict, 1 + TREB_DRAW) & legal[w];
        loses[w] = bytes_above(verdict, 0) & ~bytes_above(verdict, TREB_DRAW) & legal[w];
    }
    if (status == TREB_OK)
        status = log_add(s->facts, stream, FACT_BEST_CONVERSION_LOSES, loses, KERNEL_ALL,
                         &t->log_buffer, error);
    if (status == TREB_OK) status = setup_due(&(Due){s, kings, side, wins, loses, t, error});
    return status;
}

/* Sets up all planes in parallel. Without converters only the legal positions are found. */
static void setup_all(Solver *s, Converter *const *converter)
{
#pragma omp parallel
    {
        Buffers t;
        treb_error error;
        if (!buffers_init(&t, s, converter != NULL)) solver_fail(s, fail_memory(&error), &error);
#pragma omp for schedule(dynamic)
        for (uint32_t i = 0;
             i < s->partition.planes + s->partition.ghosts[0] + s->partition.ghosts[1]; i++) {
            if (t.memory == NULL || solver_failed(s)) continue;
            if (i < s->partition.planes)
                setup_legal(s, s->partition.plane[i], &t);
            else
                setup_ghost_legal(s, i - s->partition.planes, &t);
            solver_evict_if_needed(s);
        }
#pragma omp for schedule(dynamic)
        for (uint32_t task = 0; task < 2 * s->partition.planes; task++) {
            if (converter == NULL || t.memory == NULL || solver_failed(s)) continue;
            treb_status own =
                setup_plane(s, s->partition.plane[task / 2], task % 2, converter, &t, &error);
            solver_evict_if_needed(s);
            if (s->progress != NULL) atomic_fetch_add(&s->progress->set_up, 1);
            if (own != TREB_OK) solver_fail(s, own, &error);
        }
        for (int side = 0; side < 2 && converter != NULL; side++) {
#pragma omp atomic
            s->slice.legal[side] += t.legal[side];
#pragma omp atomic
            s->slice.zeroing_wins[side] += t.zeroing_wins[side];
        }
#pragma omp critical(setup_slice)
        if (t.late) s->slice.dtc_is_dtz = false;
        buffers_free(&t);
    }
}

void setup_legal_only(Solver *s) { setup_all(s, NULL); }

treb_status setup_slice(Solver *s, const SliceProvider *provider, treb_error *error)
{
    Converter *converter[2 * SLICE_LANES] = {NULL};
    treb_status status = TREB_OK;
    for (int side = 0; side < 2; side++) s->slice.legal[side] = s->slice.zeroing_wins[side] = 0;
    /* Without pawns the two metrics differ only where the 50-move rule delays a conversion. */
    s->slice.dtc_is_dtz = !s->layout->pawns;
    log_space_clear(s->space);
    for (int i = 0; i < 2 * s->slice.lanes && status == TREB_OK; i++)
        status =
            converter_new(s->layout, s->slice.pawns[i / 2], i % 2, MOVES_CONVERSIONS, provider,
                          &converter[i], error);
    if (status == TREB_OK) {
        setup_all(s, converter);
        status = (treb_status)s->status;
    }
    for (int i = 0; i < 2 * s->slice.lanes; i++) converter_free(converter[i]);
    const Processes *processes = s->place.processes;
    if (status == TREB_OK && processes != NULL)
        s->slice.dtc_is_dtz = processes->all_min(processes->context, s->slice.dtc_is_dtz);
    return status;
}
