/* convert.c - see convert.h.
 *
 * A conversion leads to a cell of a solved slice, its child: of a sub-ending after a capture, of another ending with
 * as many men after a promotion, or of the same ending after a push. Quiet moves are found in the same way, where they
 * are needed: they lead to the same slice. Two kinds of loop find all conversions of a
 * plane:
 *
 *   forward    the moving man is a king or a pawn, whose squares are fixed in the plane: for every
 *              arrangement of the other men the move is possible or not, and leads to one child cell;
 *   backward   a piece captures: for every arrangement after the capture, make retro-moves of the
 *              capturing piece along its lines, and give each cell it reaches the child's value.
 *
 * After a capture the capturer is on the square of its victim, so both loops run over a 64th of the cells, except for
 * pawn moves and captures of pawns. */
#include "gen/solve/children.h"

#include <assert.h>
#include <string.h>

#include "core/chess/movegen.h"

/* A child as seen from one plane of the parent. */
typedef struct ChildView {
    PliesArray code, dtc;
    const uint64_t *legal, *cursed, *stalemate;
    bool has_dtc;
    /* The cells of all squares of the last man lie side by side and in order in the child too. */
    bool straight;
    uint64_t base;
    const uint8_t *square; /* by a square in the parent: where it is in the child */
    const uint32_t *const *step; /* by the parent's man: see Child */
} ChildView;

typedef struct Way Way;

/* One move in one plane. */
typedef struct Pass {
    const Converter *c;
    const Conversion *move;
    const Outcomes *out;
    SolvedBuffer *fetched;
    treb_status *status; /* first error of fetching planes */
    treb_error *error;
    ChildView view, en_passant[2];
    int captures;
    const uint8_t *king; /* their squares */
    const Way *way; /* directions of the last man, if he moves quietly */
    int ways;
    bool facts; /* not only the best of all moves is asked for */
    int loops; /* number of men to loop over; these men */
    int8_t man[KERNEL_MEN_MAX];
    uint64_t first;   /* first cell of the lane in the plane */
    uint64_t blocked; /* squares of kings and pawns: a capturer cannot come from there */
} Pass;

/* Sets the arrays of a view: those of the child, or those of a plane that is fetched. */
static bool view_arrays(ChildView *view, const Pass *p, const Child *child, uint32_t plane)
{
    const SolvedArrays *solved = child->solved;
    const SliceProvider *provider = p->c->provider;
    SolvedArrays fetched = {.by_plane = true};
    if (solved->by_plane) {
        *p->status = provider->plane(provider->context, child->layout, solved, child->side, plane,
                                     p->move->push, p->fetched, &fetched, p->error);
        if (*p->status != TREB_OK) return false;
        solved = &fetched;
        view->base = child->lane * layout_lane_cells(child->layout);
    }
    view->code = solved->value[child->side];
    view->legal = solved->legal[child->side];
    view->cursed = solved->cursed[child->side];
    view->dtc = solved->dtc[child->side];
    view->has_dtc = view->dtc.narrow != NULL || view->dtc.wide != NULL;
    view->stalemate = solved->stalemate[child->side];
    return true;
}

/* Returns how far a square of a man of the parent is from the first one in the child's cells. */
static inline uint64_t view_step(const ChildView *view, int man, int square)
{
    return view->step[man][view->square[square]];
}

/* Initialises a view from a plane with the kings on the given squares. Returns false if the kings touch. */
static bool view_init(ChildView *view, const Pass *p, const Child *child, const uint8_t king[2],
                      int promoted_square)
{
    const Converter *c = p->c;
    const int turned = (child->swap ? SYM_RANKS : 0) | (child->mirror ? SYM_FILES : 0);
    int kings[2], symmetry;
    for (int i = 0; i < 2; i++) kings[i ^ child->swap] = c->square[turned][king[i]];
    int coordinate = index_kings(child->layout->pawns, kings[0], kings[1], &symmetry);
    if (coordinate < 0) return false;
    view->square = c->square[symmetry ^ turned];
    view->step = child->step;
    const int32_t *place = child->solved->place;
    assert(place == NULL || place[coordinate] >= 0);
    uint32_t plane = (uint32_t)(place != NULL ? place[coordinate] : coordinate);
    size_t cells = child->solved->step != NULL ? child->solved->plane_cells : child->layout->plane_cells;
    if (child->subset != NULL) {
        const int8_t place = child->subset->place[view->square[promoted_square]];
        plane = plane * (uint32_t)child->subset->squares + (uint32_t)place;
        cells /= 64;
    }
    view->base = plane * cells + child->lane * layout_lane_cells(child->layout);
    if (child->promoted != NULL) view->base += child->promoted[view->square[promoted_square]];
    if (!view_arrays(view, p, child, plane)) return false;
    const uint32_t *last = c->layout->men > 0 ? child->step[c->layout->men - 1] : NULL;
    view->straight =
        symmetry == 0 && turned == 0 && last != NULL && last[1] == 1;
    return true;
}

typedef struct Outcome {
    uint8_t verdict;
    int16_t dtc, dtm;
} Outcome;

/* Returns the verdict of a legal cell of a child for the side that has moved there. */
static inline uint8_t verdict_of(bool cursed, unsigned code)
{
    if (code == PLIES_OPEN) return 1 + TREB_DRAW;
    if (code % 2 == 0) return 1 + (cursed ? TREB_CURSED_WIN : TREB_WIN);
    return 1 + (cursed ? TREB_BLESSED_LOSS : TREB_LOSS);
}

static inline int16_t dtm_of(unsigned code)
{
    if (code == PLIES_OPEN) return OUTCOME_DRAW;
    return (int16_t)(code % 2 == 0 ? OUTCOME_WIN - (code + 1) : code + 1);
}

/* Returns the outcome of a capture or promotion to cell `cell` for the side that makes it. */
static inline Outcome view_outcome(const ChildView *view, uint64_t cell)
{
    static const int16_t at_once[1 + WDL_VALUES] = {
        OUTCOME_NONE, 1, 1, OUTCOME_DRAW, OUTCOME_WIN - 1, OUTCOME_WIN - 1};
    unsigned code = array_plies(&view->code, cell);
    if (code == PLIES_OPEN && !(view->legal[cell >> 6] >> (cell & 63) & 1))
        return (Outcome){0, OUTCOME_NONE, OUTCOME_NONE};
    bool cursed = view->cursed && (view->cursed[cell >> 6] >> (cell & 63) & 1);
    uint8_t verdict = verdict_of(cursed, code);
    return (Outcome){verdict, at_once[verdict], dtm_of(code)};
}

/* Returns the outcome of a push. The distance to conversion goes on counting in the child. */
static inline Outcome view_push_outcome(const ChildView *view, uint64_t cell)
{
    Outcome o = view_outcome(view, cell);
    if (!view->has_dtc || o.dtc == OUTCOME_NONE || o.dtc == OUTCOME_DRAW) return o;
    unsigned plies = array_plies(&view->dtc, cell) + 1u;
    o.dtc = o.dtc > OUTCOME_DRAW ? OUTCOME_WIN - plies : plies;
    return o;
}

static inline void improve(const Pass *p, uint64_t cell, Outcome o)
{
    const Outcomes *out = p->out;
    if (o.verdict > out->verdict[cell]) out->verdict[cell] = o.verdict;
    if (p->facts && p->move->victim != NO_MAN && o.verdict > out->capture[cell])
        out->capture[cell] = o.verdict;
    if (p->facts && !p->move->push && o.verdict > out->ends[cell]) out->ends[cell] = o.verdict;
    if (out->dtm && o.dtm > out->dtm[cell]) out->dtm[cell] = o.dtm;
    if (out->dtc && o.dtc > out->dtc[cell]) out->dtc[cell] = o.dtc;
}

static inline uint64_t parent_step(const Converter *c, int man, int square)
{
    return (uint64_t)square << 6 * (c->layout->men - 1 - man);
}

static inline Outcome worse(Outcome a, Outcome b)
{
    return (Outcome){a.verdict < b.verdict ? a.verdict : b.verdict, a.dtc < b.dtc ? a.dtc : b.dtc,
                     a.dtm < b.dtm ? a.dtm : b.dtm};
}

/* Turns an outcome for the side to move into the outcome for its opponent one ply earlier. */
static Outcome before_capture(Outcome o)
{
    static const int16_t at_once[1 + WDL_VALUES] = {
        OUTCOME_NONE, OUTCOME_WIN - 2, OUTCOME_WIN - 2, OUTCOME_DRAW, 2, 2};
    if (o.verdict == 0) return o;
    unsigned dtm = o.dtm;
    dtm = dtm > OUTCOME_DRAW   ? OUTCOME_WIN - dtm + 1
          : dtm < OUTCOME_DRAW ? OUTCOME_WIN - dtm - 1
                               : dtm;
    return (Outcome){2 + TREB_WIN - o.verdict, at_once[o.verdict], (int16_t)dtm};
}

/* Whether the opponent has no move but captures en passant after a double push from `cell`, by the rules of chess: for
 * the few cells where it matters and no set says so. */
static bool must_take(const Pass *p, uint64_t cell)
{
    const Converter *c = p->c;
    treb_position pos = {.turn = (uint8_t)!c->mover, .fullmove = 1};
    for (int color = 0; color < 2; color++) {
        position_put(&pos, color, TREB_KING, p->king[color]);
        uint64_t pawns = c->pawns[color];
        if (color == c->mover) pawns ^= square_bit(p->move->from) | square_bit(p->move->to);
        while (pawns) position_put(&pos, color, TREB_PAWN, bit_pop(&pawns));
    }
    for (int i = 0; i < c->layout->men; i++) {
        const LayoutMan *man = &c->layout->man[i];
        position_put(&pos, man->color, man->type, cell >> 6 * (c->layout->men - 1 - i) & 63);
    }
    return !movegen_any(&pos);
}

/* The opponent captures en passant if this is worse for the mover. If he has no other move he must capture. */
static Outcome with_en_passant(const Pass *p, uint64_t cell, uint64_t child, const uint64_t *cells,
                               Outcome o)
{
    const uint64_t *stalemate = p->view.stalemate;
    bool forced = stalemate && (stalemate[child >> 6] >> (child & 63) & 1);
    if (p->c->which == MOVES_ALL) forced = o.verdict == 1 + TREB_DRAW && must_take(p, cell);
    for (int e = 0; e < p->captures; e++) {
        Outcome taken = before_capture(view_outcome(&p->en_passant[e], cells[e]));
        if (taken.verdict == 0) continue;
        o = forced ? taken : worse(o, taken);
        forced = false;
    }
    return o;
}

static void forward_cell(const Pass *p, uint64_t cell, uint64_t child, const uint64_t *ep)
{
    Outcome o = p->move->push ? view_push_outcome(&p->view, child) : view_outcome(&p->view, child);
    if (o.verdict && p->captures) o = with_en_passant(p, cell, child, ep, o);
    improve(p, cell, o);
}

/* The outcomes of a move for all squares of the last man, whose cells lie side by side. Loops over them are written
 * so that the compiler vectorises them. */
typedef struct RowValues {
    uint8_t verdict[64]; /* 0: no such move */
    int16_t dtm[64], dtc[64];
} RowValues;

/* The squares of the last man that are wanted, and perhaps others beside them; no square if first == end. */
typedef struct Span {
    int first, end;
} Span;

static inline Span row_span(const Pass *p, uint64_t cell)
{
    const CellSet *wanted = p->out->wanted;
    if (wanted == NULL) return (Span){0, 64};
    const uint64_t word = wanted->words[cell >> 6];
    return word == 0 ? (Span){0, 0} : (Span){bit_first(word) & ~7, (bit_last(word) | 7) + 1};
}

static inline void row_best8(uint8_t *best, const uint8_t *value, Span of)
{
    for (int s = of.first; s < of.end; s++) best[s] = value[s] > best[s] ? value[s] : best[s];
}

static inline void row_best16(int16_t *best, const int16_t *value, Span of)
{
    for (int s = of.first; s < of.end; s++) best[s] = value[s] > best[s] ? value[s] : best[s];
}

/* Does what improve does, for a row. */
static void row_improve(const Pass *p, uint64_t cell, const RowValues *row, Span of)
{
    const Outcomes *out = p->out;
    row_best8(out->verdict + cell, row->verdict, of);
    if (p->facts && p->move->victim != NO_MAN) row_best8(out->capture + cell, row->verdict, of);
    if (p->facts && !p->move->push) row_best8(out->ends + cell, row->verdict, of);
    if (out->dtm) row_best16(out->dtm + cell, row->dtm, of);
    if (out->dtc) row_best16(out->dtc + cell, row->dtc, of);
}

/* Writes the outcomes by distances; `code` says who wins, and the distance after the move is `plies`. */
static inline void row_outcomes(const Plies *code, const uint8_t *verdict, const Plies *plies,
                                Span of, int16_t *out)
{
    for (int s = of.first; s < of.end; s++) {
        int16_t d = (int16_t)(plies[s] + 1), win = (int16_t)(OUTCOME_WIN - d);
        int16_t o = code[s] & 1 ? d : win;
        o = code[s] == PLIES_OPEN ? OUTCOME_DRAW : o;
        out[s] = verdict[s] == 0 ? OUTCOME_NONE : o;
    }
}

/* Reads a child's codes for all squares of the last man, and which of them are legal. */
static inline void row_codes(const ChildView *view, int man, uint64_t child, Span of, Plies *code,
                             uint8_t *legal)
{
    if (view->straight) {
        const uint8_t *narrow = view->code.narrow;
        if (narrow != NULL)
            for (int s = of.first; s < of.end; s++) code[s] = narrow_plies(narrow[child + s]);
        else
            memcpy(code, view->code.wide + child, 64 * sizeof *code);
        uint64_t bits = view->legal[child >> 6];
        for (int s = of.first; s < of.end; s++) legal[s] = bits >> s & 1;
        return;
    }
    for (int s = of.first; s < of.end; s++) {
        uint64_t at = child + view_step(view, man, s);
        code[s] = array_plies(&view->code, at);
        legal[s] = view->legal[at >> 6] >> (at & 63) & 1;
    }
}

/* Removes the moves that leave the last man on some squares. */
static void row_remove(RowValues *row, uint64_t squares)
{
    while (squares) {
        int s = bit_pop(&squares);
        row->verdict[s] = 0;
        row->dtm[s] = row->dtc[s] = OUTCOME_NONE;
    }
}

static inline void row_values_of(const Pass *p, int man, uint64_t child, Span of, RowValues *row)
{
    static const Plies nothing[64];
    const ChildView *view = &p->view;
    const Outcomes *out = p->out;
    Plies code[64], dtc[64];
    uint8_t legal[64];
    row_codes(view, man, child, of, code, legal);
    for (int s = of.first; s < of.end; s++) {
        uint8_t v = code[s] & 1 ? 1 + TREB_LOSS : 1 + TREB_WIN;
        v = code[s] == PLIES_OPEN ? 1 + TREB_DRAW : v;
        row->verdict[s] = legal[s] ? v : 0;
    }
    for (int s = of.first; s < of.end && view->cursed; s++) {
        uint64_t at = child + view_step(view, man, s);
        if (legal[s] && (view->cursed[at >> 6] >> (at & 63) & 1))
            row->verdict[s] = verdict_of(true, code[s]);
    }
    if (out->dtm) row_outcomes(code, row->verdict, code, of, row->dtm);
    if (out->dtc == NULL) return;
    const Plies *plies = nothing;
    if (p->move->push && view->has_dtc) {
        for (int s = of.first; s < of.end; s++) dtc[s] = array_plies(&view->dtc, child + view_step(view, man, s));
        plies = dtc;
    }
    row_outcomes(code, row->verdict, plies, of, row->dtc);
}

/* The loops over whole rows have a constant length. */
static void row_values(const Pass *p, int man, uint64_t child, Span of, RowValues *row)
{
    if (of.end - of.first == 64)
        row_values_of(p, man, child, (Span){0, 64}, row);
    else
        row_values_of(p, man, child, of, row);
}

/* Does what forward_cell does, for all squares of the last man. */
static void forward_row(const Pass *p, int man, uint64_t cell, uint64_t child)
{
    const Span of = row_span(p, cell);
    RowValues row;
    if (of.first == of.end) return;
    row_values(p, man, child, of, &row);
    if (p->move->between >= 0) row_remove(&row, square_bit(p->move->between));
    row_improve(p, cell, &row, of);
}

static inline uint64_t not_wanted(const Pass *p, int man)
{
    return p->out->wanted != NULL ? ~p->out->wanted->squares[man] : 0;
}

/* Returns the squares of a man on which the position is not wanted, or not kept in this cell: a pair is kept in one
 * order only. The other man of the pair is in `cell`, unless he is looped over later or is the moving man. */
static uint64_t left_out(const Pass *p, int man, uint64_t cell)
{
    const Layout *layout = p->c->layout;
    const int other = !man;
    bool placed = other < man || p->move->victim == other || p->move->man == man;
    if (!layout->pair || man > 1 || (p->move->man == other && p->move->man != man) || !placed)
        return not_wanted(p, man);
    uint64_t bit = square_bit(cell >> 6 * (layout->men - 1 - other) & 63);
    return not_wanted(p, man) | (man == 1 ? 2 * bit - 1 : ~(bit - 1));
}

/* Loops over the squares of man number `loop` of the list and of all men after him. */
static void forward(const Pass *p, int loop, uint64_t cell, uint64_t child, const uint64_t ep[2])
{
    if (loop == p->loops) {
        forward_cell(p, cell, child, ep);
        return;
    }
    int man = p->man[loop], between = p->move->between;
    uint64_t skipped = left_out(p, man, cell) | (between >= 0 ? square_bit(between) : 0);
    if (loop == p->loops - 1 && p->captures == 0) {
        uint64_t step = parent_step(p->c, man, 1);
        if (step == 1) {
            forward_row(p, man, cell, child);
            return;
        }
        for (int s = 0; s < 64; s++, cell += step)
            if (!bit_test(skipped, s)) forward_cell(p, cell, child + view_step(&p->view, man, s), ep);
        return;
    }
    for (int s = 0; s < 64; s++) {
        if (bit_test(skipped, s)) continue;
        uint64_t there[2];
        for (int e = 0; e < p->captures; e++) there[e] = ep[e] + view_step(&p->en_passant[e], man, s);
        forward(p, loop + 1, cell + parent_step(p->c, man, s), child + view_step(&p->view, man, s), there);
    }
}

/* Does the last loop of `backward`, over the squares of the last man. He takes no part in the capture, but can stand
 * in the way. */
static void backward_row(const Pass *p, int man, int to, uint64_t cell, uint64_t child,
                         uint64_t occupied)
{
    const int mover = p->move->man, type = p->c->layout->man[mover].type;
    const Span whole = {0, 64};
    RowValues all, row;
    uint64_t from = piece_attacks(type, to, occupied) & ~occupied & ~left_out(p, mover, cell);
    for (uint64_t rest = p->out->wanted != NULL ? from : 0; rest; rest &= rest - 1)
        if (p->out->wanted->words[(cell + parent_step(p->c, mover, bit_first(rest))) >> 6] == 0)
            from &= ~(rest & -rest);
    if (from == 0) return;
    row_values(p, man, child, whole, &all);
    row_remove(&all, occupied);
    while (from) {
        int square = bit_pop(&from);
        memcpy(&row, &all, sizeof row);
        row_remove(&row, squares_between(to, square) | square_bit(square));
        row_improve(p, cell + parent_step(p->c, mover, square), &row, whole);
    }
}

/* A direction in which a piece moves. */
struct Way {
    int step;          /* from a square to the next */
    uint8_t there[64]; /* by square: all ones if the next square is on the board */
};

/* Writes the directions of a type of piece. Returns their number. */
static int list_ways(int type, Way out[8])
{
    static const int8_t ways[16][2] = {{0, 1}, {0, -1}, {1, 0},  {-1, 0},  {1, 1},  {1, -1},
                                       {-1, 1}, {-1, -1}, {1, 2}, {1, -2},  {-1, 2}, {-1, -2},
                                       {2, 1}, {2, -1}, {-2, 1}, {-2, -1}};
    const int first = type == TREB_KNIGHT ? 8 : type == TREB_BISHOP ? 4 : 0,
              end = type == TREB_KNIGHT ? 16 : type == TREB_ROOK ? 4 : 8;
    for (int w = first; w < end; w++) {
        Way *way = &out[w - first];
        way->step = 8 * ways[w][0] + ways[w][1];
        for (int s = 0; s < 64; s++) {
            const int rank = (s >> 3) + ways[w][0], file = (s & 7) + ways[w][1];
            way->there[s] = rank >= 0 && rank < 8 && file >= 0 && file < 8 ? 0xff : 0;
        }
    }
    return end - first;
}

enum { STEP_MOST = 17 };

/* Each square gets the best of the values that a piece reaches from it: values go back square by square, until the
 * square is not empty. `empty` is all ones where a square is empty. */
static void slide_bytes(const Way *way, int ways, int most, const uint8_t empty[64],
                        const uint8_t value[64], uint8_t best[64])
{
    uint8_t at[STEP_MOST + 64 + STEP_MOST] = {0};
    memset(best, 0, 64);
    for (int w = 0; w < ways; w++) {
        const uint8_t *next = at + STEP_MOST + way[w].step;
        memcpy(at + STEP_MOST, value, 64);
        for (int n = 0; n < most; n++) {
            uint8_t moved[64];
            for (int s = 0; s < 64; s++) {
                moved[s] = next[s] & way[w].there[s];
                best[s] = moved[s] > best[s] ? moved[s] : best[s];
                moved[s] &= empty[s];
            }
            memcpy(at + STEP_MOST, moved, 64);
        }
    }
}

static void slide_shorts(const Way *way, int ways, int most, const uint8_t empty[64],
                         const int16_t value[64], int16_t best[64])
{
    int16_t at[STEP_MOST + 64 + STEP_MOST] = {0};
    memset(best, 0, 64 * sizeof *best);
    for (int w = 0; w < ways; w++) {
        const int16_t *next = at + STEP_MOST + way[w].step;
        int16_t there[64], open[64];
        for (int s = 0; s < 64; s++) {
            there[s] = (int8_t)way[w].there[s];
            open[s] = (int8_t)(way[w].there[s] & empty[s]);
        }
        memcpy(at + STEP_MOST, value, 64 * sizeof *value);
        for (int n = 0; n < most; n++) {
            int16_t moved[64];
            for (int s = 0; s < 64; s++) {
                const int16_t v = next[s] & there[s];
                best[s] = v > best[s] ? v : best[s];
                moved[s] = next[s] & open[s];
            }
            memcpy(at + STEP_MOST, moved, 64 * sizeof *moved);
        }
    }
}

/* Does the quiet moves of the last man, whose squares lie side by side, for one arrangement of the other men. */
static void quiet_row(const Pass *p, uint64_t cell, uint64_t child, uint64_t occupied)
{
    const int man = p->move->man, type = p->c->layout->man[man].type,
              most = type == TREB_KNIGHT ? 1 : 7;
    const Span of = row_span(p, cell);
    RowValues row, best;
    uint8_t empty[64];
    if (of.first == of.end) return;
    row_values(p, man, child, (Span){0, 64}, &row);
    row_remove(&row, occupied);
    for (int s = 0; s < 64; s++) empty[s] = occupied >> s & 1 ? 0 : 0xff;
    slide_bytes(p->way, p->ways, most, empty, row.verdict, best.verdict);
    if (p->out->dtm) slide_shorts(p->way, p->ways, most, empty, row.dtm, best.dtm);
    row_improve(p, cell, &best, of);
}

/* Loops over the arrangements of the other men. */
static void quiet_last(const Pass *p, int loop, uint64_t cell, uint64_t child, uint64_t occupied)
{
    if (loop == p->loops) {
        quiet_row(p, cell, child, occupied);
        return;
    }
    const int man = p->man[loop];
    const uint64_t skipped = occupied | left_out(p, man, cell);
    for (int s = 0; s < 64; s++)
        if (!bit_test(skipped, s))
            quiet_last(p, loop + 1, cell + parent_step(p->c, man, s), child + view_step(&p->view, man, s),
                       occupied | square_bit(s));
}

/* Loops over the arrangements after a capture by a piece on `to`, and makes its retro-moves. */
static void backward(const Pass *p, int loop, int to, uint64_t cell, uint64_t child,
                     uint64_t occupied)
{
    if (loop < p->loops) {
        int man = p->man[loop];
        if (loop == p->loops - 1 && parent_step(p->c, man, 1) == 1) {
            backward_row(p, man, to, cell, child, occupied);
            return;
        }
        uint64_t skipped = occupied | left_out(p, man, cell);
        for (int s = 0; s < 64; s++)
            if (!bit_test(skipped, s))
                backward(p, loop + 1, to, cell + parent_step(p->c, man, s),
                         child + view_step(&p->view, man, s), occupied | square_bit(s));
        return;
    }
    Outcome o = view_outcome(&p->view, child);
    if (o.verdict == 0) return;
    int man = p->move->man;
    uint64_t from = piece_attacks(p->c->layout->man[man].type, to, occupied) & ~occupied &
                    ~left_out(p, man, cell);
    while (from) improve(p, cell + parent_step(p->c, man, bit_pop(&from)), o);
}

static void pass_men(Pass *p)
{
    for (int i = 0; i < p->c->layout->men; i++)
        if (i != p->move->man && i != p->move->victim) p->man[p->loops++] = i;
}

static void piece_moves(Pass *p, const uint8_t king[2])
{
    const Conversion *move = p->move;
    if (!view_init(&p->view, p, &move->child, king, 0)) return;
    if (move->victim == NO_MAN && move->man == p->c->layout->men - 1) {
        Way way[8];
        p->ways = list_ways(p->c->layout->man[move->man].type, way);
        p->way = way;
        quiet_last(p, 0, p->first, p->view.base, p->blocked);
        return;
    }
    for (int to = 0; to < 64 && move->victim == NO_MAN; to++)
        if (!bit_test(p->blocked, to))
            backward(p, 0, to, p->first, p->view.base + view_step(&p->view, move->man, to),
                     p->blocked | square_bit(to));
    if (move->victim == NO_MAN) return;
    if (move->victim == PAWN_MAN) {
        backward(p, 0, move->to, p->first, p->view.base + view_step(&p->view, move->man, move->to),
                 p->blocked);
        return;
    }
    for (int to = 0; to < 64; to++)
        if (!bit_test(p->blocked | not_wanted(p, move->victim), to))
            backward(p, 0, to, p->first + parent_step(p->c, move->victim, to),
                     p->view.base + view_step(&p->view, move->man, to), p->blocked | square_bit(to));
}

static void king_moves(Pass *p, const uint8_t king[2])
{
    const Conversion *move = p->move;
    uint64_t targets = king_attacks(king[p->c->mover]);
    targets &= move->victim == PAWN_MAN ? square_bit(move->to) : ~p->blocked;
    if (move->victim >= 0) targets &= ~not_wanted(p, move->victim);
    while (targets) {
        int to = bit_pop(&targets);
        uint8_t after[2] = {king[0], king[1]};
        after[p->c->mover] = to;
        if (!view_init(&p->view, p, &move->child, after, 0)) continue;
        uint64_t cell = p->first;
        if (move->victim >= 0) cell += parent_step(p->c, move->victim, to);
        forward(p, 0, cell, p->view.base, NULL);
    }
}

static void pawn_moves(Pass *p, const uint8_t king[2])
{
    const Conversion *move = p->move;
    uint64_t kings = square_bit(king[0]) | square_bit(king[1]);
    if (bit_test(kings, move->to) || (move->between >= 0 && bit_test(kings, move->between))) return;
    if (!view_init(&p->view, p, &move->child, king, move->to)) return;
    uint64_t ep[2] = {0, 0};
    for (int e = 0; e < move->captures; e++) {
        if (!view_init(&p->en_passant[e], p, &move->en_passant[e], king, 0)) continue;
        ep[e] = p->en_passant[e].base;
        p->captures = e + 1;
    }
    uint64_t cell = p->first;
    if (move->victim >= 0) cell += parent_step(p->c, move->victim, move->to);
    forward(p, 0, cell, p->view.base, ep);
}

void outcomes_clear(const Outcomes *out, size_t cells)
{
    memset(out->verdict, 0, cells);
    if (out->capture) memset(out->capture, 0, cells);
    if (out->ends) memset(out->ends, 0, cells);
    if (out->completing) memset(out->completing, 0, cells);
    if (out->dtc) memset(out->dtc, 0, cells * sizeof *out->dtc);
    if (out->dtm) memset(out->dtm, 0, cells * sizeof *out->dtm);
}

/* Adds the outcomes of the moves that complete cells, or of all others. */
static treb_status add_moves(const Converter *c, uint32_t kings, int lane, bool completes,
                             const Outcomes *out, SolvedBuffer fetched[CONVERTER_BUFFERS],
                             treb_error *error)
{
    treb_status status = TREB_OK;
    const uint8_t *king = c->layout->king[kings];
    for (int i = 0; i < c->moves && status == TREB_OK; i++) {
        Pass p;
        if (c->move[i].completes != completes) continue;
        p.fetched = &fetched[2 * lane + (c->move[i].between >= 0)];
        p.status = &status;
        p.error = error;
        p.c = c;
        p.move = &c->move[i];
        p.out = out;
        p.king = king;
        p.facts = c->which == MOVES_CONVERSIONS;
        p.captures = 0;
        p.loops = 0;
        p.first = lane * layout_lane_cells(c->layout);
        p.blocked = square_bit(king[0]) | square_bit(king[1]) | c->pawns[0] | c->pawns[1];
        pass_men(&p);
        if (p.move->man == KING_MAN)
            king_moves(&p, king);
        else if (p.move->man == PAWN_MAN)
            pawn_moves(&p, king);
        else
            piece_moves(&p, king);
    }
    return status;
}

treb_status converter_plane(const Converter *c, uint32_t kings, int lane, const Outcomes *out,
                            SolvedBuffer fetched[CONVERTER_BUFFERS], treb_error *error)
{
    treb_status status = add_moves(c, kings, lane, true, out, fetched, error);
    size_t cells = layout_lane_cells(c->layout), first = lane * cells;
    if (out->ends_dtm) memcpy(out->ends_dtm + first, out->dtm + first, cells * sizeof *out->dtm);
    if (out->completing) memcpy(out->completing + first, out->verdict + first, cells);
    return status == TREB_OK ? add_moves(c, kings, lane, false, out, fetched, error) : status;
}
