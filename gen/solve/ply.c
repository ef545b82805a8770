/* ply.c - see ply.h.
 *
 * Work is skipped by blocks of rows (kernel.h): a ply only visits blocks of a plane that some man can reach by a move
 * from a block in which cells were decided at the ply before. If the layout has a pair, a set of blocks is given by
 * the squares of either man of the pair. */
#include "gen/solve/ply.h"

#include <string.h>

#include "gen/solve/packed.h"

/* Returns the squares that `symmetry` takes to `squares`. */
static uint64_t unsymmetry(int symmetry, uint64_t squares)
{
    if (symmetry & SYM_DIAGONAL) squares = flip_diagonal(squares);
    if (symmetry & SYM_RANKS) squares = flip_ranks(squares);
    if (symmetry & SYM_FILES) squares = flip_files(squares);
    return squares;
}

void ply_decide(Solver *s, uint32_t kings, int side, bool won, unsigned n, const uint64_t *set,
                uint64_t row_blocks, Buffers *t)
{
    treb_error error;
    t->counts->of[side][won][n] += solver_positions(s, kings, set, row_blocks);
    Log *log = s->decided[s->loop.metric];
    const size_t size = log_pack(log, set, row_blocks, &t->log_buffer);
    treb_status status = log_add_packed(log, stream_of(kings, side), decided_tag(n, won), size,
                                        &t->log_buffer, &error);
    if (status != TREB_OK) solver_fail(s, status, &error);
    if (s->partition.ghosted_by[side][kings])
        ghosts_send(s, kings, side, won, n, log_packed(&t->log_buffer), size);
}

/* Like row_blocks_reached, for planes that have no separate blocks: returns all or nothing. */
static uint64_t plane_reached(const Solver *s, uint32_t kings, int side, const uint64_t *row_blocks)
{
    const KingLink *link = s->layout->link[kings][side];
    if (row_blocks[kings]) return KERNEL_ALL;
    for (int i = 0, links = s->layout->links[kings][side]; i < links; i++)
        if (row_blocks[link[i].kings]) return KERNEL_ALL;
    return 0;
}

/* With a pair: returns the squares of both men in all non-empty rows. `of` has, for each block in `row_blocks`, the
 * non-empty rows. Without a pair: returns `row_blocks`. */
static uint64_t squares_of_rows(const Solver *s, uint64_t row_blocks, const uint64_t *of)
{
    uint64_t squares = row_blocks;
    for (uint64_t left = row_blocks; left && s->layout->pair;) squares |= of[bit_pop(&left)];
    return squares;
}

/* With a pair: returns the squares of both men in all non-empty rows of a set, which is read in the blocks of
 * `row_blocks`. Without a pair: returns `row_blocks`. */
static uint64_t squares_in(const Solver *s, const uint64_t *set, uint64_t row_blocks)
{
    uint64_t squares = row_blocks;
    for (uint64_t left = row_blocks; left && s->layout->pair;) {
        size_t row_block = (size_t)bit_pop(&left);
        for (size_t row = row_block + 1; row < 64; row++)
            if (!(squares >> row & 1) &&
                any_cell(set + s->row_words * (64 * row_block + row), s->row_words))
                squares |= square_bit(row);
    }
    return squares;
}

/* Returns the blocks of plane `kings` that quiet moves of `side` reach from the changed `row_blocks`, given by kings,
 * of all planes. */
static uint64_t row_blocks_reached(const Solver *s, uint32_t kings, int side,
                                   const uint64_t *row_blocks)
{
    const Layout *layout = s->layout;
    if (s->row_block_count == 1) return plane_reached(s, kings, side, row_blocks);
    uint64_t own = row_blocks[kings], reached = own;
    if (own && own != KERNEL_ALL && layout->man[0].color == side)
        for (uint64_t left = own; left && reached != KERNEL_ALL;)
            reached |= piece_attacks(layout->man[0].type, bit_pop(&left), 0);
    for (int i = 0; i < layout->links[kings][side]; i++) {
        KingLink link = layout->link[kings][side][i];
        reached |= unsymmetry(link.symmetry, row_blocks[link.kings]);
    }
    return reached;
}

/* A set of cells of one plane. Outside these rows it is empty, or must not be read. */
typedef struct RowSet {
    uint64_t *cells;
    KernelRows rows;
} RowSet;

/* Rows of a plane, as in KernelRows. `of` is only used if rows are distinguished. */
typedef struct FoundRows {
    uint64_t row_blocks, of[64];
} FoundRows;

static KernelRows rows_found(const Solver *s, const FoundRows *found)
{
    return (KernelRows){found->row_blocks, s->row_words > 0 ? found->of : NULL};
}

static void row_blocks_clear(const Solver *s, uint64_t *plane, uint64_t row_blocks)
{
    for (size_t row_block = 0; row_block < s->row_block_count; row_block++)
        if (row_block_in(s, row_blocks, row_block))
            memset(plane + row_block * s->row_block_words, 0, s->row_block_words * sizeof *plane);
}

/* Reads the conversions that are due at this ply, those that win or those that lose, into `found`. Returns the blocks
 * that were written: the others are not cleared. */
static uint64_t take_due(const PlaneTask *task, bool wins, uint64_t *found)
{
    Solver *s = task->s;
    const uint32_t stream = due_stream(task->kings, task->side, wins);
    uint64_t row_blocks = 0;
    while (solver_when_due(s, stream) == task->n) {
        treb_error error;
        LogEntry entry;
        treb_status status = log_take(solver_due(s), stream, &task->t->log_buffer, &entry, &error);
        if (status != TREB_OK) {
            solver_fail(s, status, &error);
            return 0;
        }
        if (row_blocks == 0) {
            row_blocks = log_entry_get(solver_due(s), &entry, found);
            continue;
        }
        row_blocks_clear(s, found, ~row_blocks);
        log_entry_or(solver_due(s), &entry, found);
        row_blocks = KERNEL_ALL;
    }
    return row_blocks;
}

static uint64_t words_with(const uint64_t *a, const uint64_t *b, size_t words)
{
    uint64_t any = 0;
    for (size_t w = 0; w < words; w++) any |= a[w] & ~b[w];
    return any;
}

/* Keeps of these rows only those with a cell in `a` that is not in `b`. */
static void keep_rows(const Solver *s, FoundRows *rows, const uint64_t *a, const uint64_t *b)
{
    uint64_t found = 0;
    for (size_t row_block = 0; row_block < s->row_block_count; row_block++) {
        size_t first = row_block * s->row_block_words;
        if (!row_block_in(s, rows->row_blocks, row_block)) continue;
        if (s->row_words == 0) {
            if (words_with(a + first, b + first, s->row_block_words))
                found |= row_block_bit(s, row_block);
            continue;
        }
        for (uint64_t left = rows->of[row_block]; left; left &= left - 1) {
            size_t row = first + s->row_words * (size_t)bit_first(left);
            if (!words_with(a + row, b + row, s->row_words)) rows->of[row_block] &= ~(left & -left);
        }
        if (rows->of[row_block]) found |= row_block_bit(s, row_block);
    }
    rows->row_blocks = found;
}

/* Finds the lost cells in the words of one block: those that are open and have no escape. Removes them from `open`.
 * Returns whether there are any. */
static bool words_lose(uint64_t *restrict open, const uint64_t *restrict escape,
                       uint64_t *restrict lost, size_t words)
{
    uint64_t any = 0;
    for (size_t w = 0; w < words; w++) {
        lost[w] = open[w] & ~escape[w];
        open[w] &= ~lost[w];
        any |= lost[w];
    }
    return any != 0;
}

/* Finds the newly won cells in the words of one block: those of `won` that were not won before. Leaves only these in
 * `won`. Returns whether there are any. */
static bool words_win(uint64_t *restrict won, uint64_t *restrict not_won, size_t words)
{
    uint64_t any = 0;
    for (size_t w = 0; w < words; w++) {
        uint64_t now = won[w] & not_won[w];
        won[w] = now;
        not_won[w] &= ~now;
        any |= now;
    }
    return any != 0;
}

/* Makes retro-moves with the men from number `first` to `last` that belong to the side to move. */
static void retro_move_men(const PlaneTask *task, int first, int last, RowSet in, RowSet out)
{
    const Layout *layout = task->s->layout;
    KernelPlane plane = plane_of(task->s, task->kings);
    for (int i = first; i <= last; i++)
        if (layout->man[i].color == task->side)
            task->s->kernel->retro_move(&plane, i, layout->man[i].type, in.cells, in.rows,
                                        out.cells, out.rows);
}

/* Makes retro-moves with the king: reads the cells not yet won in the planes that its moves lead to. */
static void retro_move_king(const PlaneTask *task, RowSet out)
{
    const Layout *layout = task->s->layout;
    KernelPlane plane = plane_of(task->s, task->kings);
    for (int i = 0; i < layout->links[task->kings][task->side]; i++) {
        KingLink link = layout->link[task->kings][task->side][i];
        task->s->kernel->merge(&plane, link.symmetry, not_won_at(task->s, !task->side, link.kings),
                               KERNEL_ROWS_ALL, out.cells, out.rows);
    }
}

/* Finds the rows, among the candidates in `row_blocks`, that have an open cell without an escape: a quiet move to a
 * cell that the opponent has not won. Moves that are cheap to compute come first, because fewer rows are left for the
 * others. Leaves the cells with an escape in t->a, for the found rows. */
static void rows_losing(const PlaneTask *task, uint64_t row_blocks, const uint64_t *open,
                        FoundRows *rows)
{
    const Solver *s = task->s;
    const int men = s->layout->men, cheap = men > 2 ? men - 2 : 0;
    uint64_t *escape = task->t->a, *here = not_won_at(s, !task->side, task->kings);
    row_blocks_clear(s, escape, row_blocks);
    rows->row_blocks = row_blocks;
    for (size_t row_block = 0; row_block < 64; row_block++)
        rows->of[row_block] =
            s->layout->pair ? row_blocks & ~(2 * square_bit(row_block) - 1) : UINT64_MAX;
    keep_rows(s, rows, open, escape);
    if (rows->row_blocks == 0) return;
    KernelRows own = rows_found(s, rows);
    retro_move_men(task, cheap, men - 1, (RowSet){here, own}, (RowSet){escape, own});
    keep_rows(s, rows, open, escape);
    if (rows->row_blocks == 0) return;
    retro_move_king(task, (RowSet){escape, rows_found(s, rows)});
    keep_rows(s, rows, open, escape);
    if (rows->row_blocks)
        retro_move_men(task, 0, cheap - 1, (RowSet){here, KERNEL_ROWS_ALL},
                       (RowSet){escape, rows_found(s, rows)});
}

/* Opens the cells that can only lose by a conversion that is due now and that are not won. Returns the blocks with
 * such cells. */
static uint64_t open_due(const PlaneTask *task)
{
    const Solver *s = task->s;
    uint64_t *due = task->t->b, row_blocks = take_due(task, false, due);
    uint64_t *open = plane_at(s, s->loop.open[task->side], task->kings);
    const uint64_t *not_won = plane_at(s, s->loop.not_won[task->side], task->kings);
    for (size_t row_block = 0; row_block < s->row_block_count; row_block++) {
        if (!row_block_in(s, row_blocks, row_block)) continue;
        Span span = row_block_span(s, row_block);
        for (size_t w = span.first; w < span.end; w++) open[w] |= due[w] & not_won[w];
    }
    return squares_in(s, due, row_blocks);
}

/* Moves the lost cells of one block from `open` to the frontier. If rows are distinguished, only of the found rows.
 * Returns whether there are any. */
static bool row_block_loses(const PlaneTask *task, size_t row_block, const FoundRows *rows,
                            uint64_t *open, Frontier *out)
{
    const Solver *s = task->s;
    const size_t first = row_block * s->row_block_words;
    const uint64_t *escape = task->t->a;
    uint64_t *lost = plane_at(s, out->set, task->kings);
    if (s->row_words == 0)
        return words_lose(open + first, escape + first, lost + first, s->row_block_words);
    uint64_t found = 0;
    for (size_t row = s->layout->pair ? row_block + 1 : 0; row < 64; row++) {
        size_t at = first + s->row_words * row;
        if (!(rows->of[row_block] >> row & 1))
            memset(lost + at, 0, s->row_words * sizeof *lost);
        else if (words_lose(open + at, escape + at, lost + at, s->row_words))
            found |= UINT64_C(1) << row;
    }
    out->rows[64 * task->kings + row_block] = found;
    return found != 0;
}

void ply_losses(const PlaneTask *task)
{
    Solver *s = task->s;
    const uint32_t kings = task->kings;
    const int side = task->side;
    Frontier *out = &s->loop.lost_at[task->n & 1][side];
    uint64_t *open = plane_at(s, s->loop.open[side], kings), found = 0;
    FoundRows rows;
    out->row_blocks[kings] = 0;
    if (s->row_words > 0) memset(out->rows + 64 * kings, 0, 64 * sizeof *out->rows);
    uint64_t row_blocks =
        open_due(task) |
        row_blocks_reached(s, kings, side, s->loop.won_row_blocks[~task->n & 1][!side]);
    if (row_blocks == 0) return;
    rows_losing(task, row_blocks, open, &rows);
    for (size_t row_block = 0; row_block < s->row_block_count; row_block++)
        if (row_block_in(s, rows.row_blocks, row_block) &&
            row_block_loses(task, row_block, &rows, open, out))
            found |= row_block_bit(s, row_block);
    out->row_blocks[kings] =
        s->row_words > 0 ? squares_of_rows(s, found, out->rows + 64 * kings) : found;
    if (found)
        ply_decide(s, kings, side, false, task->n, plane_at(s, out->set, kings), found, task->t);
}

/* Returns the rows of a frontier in a plane. */
static KernelRows frontier_rows(const Solver *s, const Frontier *in, uint32_t kings)
{
    return (KernelRows){in->row_blocks[kings], s->row_words > 0 ? in->rows + 64 * kings : NULL};
}

/* Returns the cells of a plane that were just lost. If another process owns the plane, they are unpacked into t->b. */
static RowSet lost_in(const PlaneTask *task, const Frontier *in, uint32_t kings)
{
    const Solver *s = task->s;
    if (partition_owns(&s->partition, kings))
        return (RowSet){plane_at(s, in->set, kings), frontier_rows(s, in, kings)};
    uint64_t *lost = task->t->b, row_blocks = in->row_blocks[kings];
    uint64_t found =
        packed_get(s->kernel, s->ghosts.lost[!task->side][kings], s->layout->plane_words, lost);
    row_blocks_clear(s, lost, row_blocks & ~found);
    return (RowSet){lost, {row_blocks, NULL}};
}

/* Adds to t->a the cells from which a quiet move leads to a cell that was just lost. */
static void retro_move_lost(const PlaneTask *task, const Frontier *in, uint64_t row_blocks)
{
    const Solver *s = task->s;
    const Layout *layout = s->layout;
    const KernelPlane plane = plane_of(s, task->kings);
    const KernelRows all = {row_blocks, NULL};
    for (int i = 0; i < layout->links[task->kings][task->side]; i++) {
        KingLink link = layout->link[task->kings][task->side][i];
        uint64_t from = in->row_blocks[link.kings];
        if (layout->men >= 3) from = unsymmetry(link.symmetry, from);
        if (from == 0) continue;
        RowSet lost = lost_in(task, in, link.kings);
        s->kernel->merge(&plane, link.symmetry, lost.cells, lost.rows, task->t->a,
                         (KernelRows){from, NULL});
    }
    if (in->row_blocks[task->kings])
        retro_move_men(
            task, 0, layout->men - 1,
            (RowSet){plane_at(s, in->set, task->kings), frontier_rows(s, in, task->kings)},
            (RowSet){task->t->a, all});
}

void ply_wins(const PlaneTask *task)
{
    Solver *s = task->s;
    const uint32_t kings = task->kings;
    const int side = task->side;
    const Frontier *in = &s->loop.lost_at[~task->n & 1][!side];
    uint64_t *won_row_blocks = &s->loop.won_row_blocks[task->n & 1][side][kings];
    uint64_t *won = task->t->a;
    *won_row_blocks = 0;
    uint64_t due = take_due(task, true, won);
    uint64_t row_blocks = row_blocks_reached(s, kings, side, in->row_blocks);
    row_blocks_clear(s, won, row_blocks & ~due);
    row_blocks |= due;
    if (row_blocks == 0) return;
    retro_move_lost(task, in, row_blocks);
    uint64_t *not_won = plane_at(s, s->loop.not_won[side], kings), found = 0;
    for (size_t row_block = 0; row_block < s->row_block_count; row_block++) {
        if (!row_block_in(s, row_blocks, row_block)) continue;
        Span span = row_block_span(s, row_block);
        if (words_win(won + span.first, not_won + span.first, span.end - span.first))
            found |= row_block_bit(s, row_block);
    }
    *won_row_blocks = squares_in(s, won, found);
    if (found) ply_decide(s, kings, side, true, task->n, won, found, task->t);
}
