/* mate50_full.c - checks DTM50 of every position for every number of plies left.
 *
 * The value of a position as a function of the plies left (mate50_functions.h) has a number, and a full check
 * keeps this number of each position. Passes over all cells fill them in and judge them:
 *
 *   claims   of the stored sides, as the files have them
 *   moves    of a side that is not stored: its functions follow from its moves, which all lead to a
 *            stored side or to other tables. Then of the stored sides, which are judged by theirs.
 *
 * A win is as short as its shortest move allows, so that a step of a child is a step of the parent one
 * ply later, and the least of all steps so far is the value. A loss is as long as its longest move
 * allows, so that what a child has up to its next step bounds the parent from below up to there. */
#include <stdlib.h>
#include <string.h>

#include "check/verify/mate50_functions.h"
#include "check/verify/passes.h"
#include "check/verify/walk.h"
#include "core/system/error.h"

typedef struct Mate50Check {
    VerifyReport *report;
    VerifyStore *store;
    VerifyEntry *entry;
    VerifyCount *count;
    int sides;
    bool stored[2];
    Mate50Functions *functions;
    uint32_t *number[2]; /* by side and cell */
} Mate50Check;

/* A thread that works on a side. */
typedef struct Mate50Worker {
    const Mate50Check *check;
    VerifyReader *reader;
    VerifyWalk walk;
    int side;
    uint64_t histogram[WDL_VALUES][VERIFY_PLIES];
} Mate50Worker;

typedef void (*Mate50Work)(Mate50Worker *w, const treb_position *pos);

static uint64_t key_of(const Mate50Worker *w) { return w->walk.at.cell * 2 + (uint64_t)w->side; }

/* ---- the function of a position by its moves ---------------------------------------------------- */

/* What the moves seen so far allow. */
typedef struct Moves50 {
    unsigned count;
    uint16_t win[MATE50_CLOCKS + 1];  /* shortest win that is new with so many plies left */
    uint16_t loss[MATE50_CLOCKS + 1]; /* longest loss up to so many plies left */
    int lost_from;                    /* all moves lose from so many plies left on */
} Moves50;

static void add_win(Moves50 *moves, int from, unsigned plies)
{
    if (from < MATE50_CLOCKS && plies < moves->win[from]) moves->win[from] = (uint16_t)plies;
}

static void add_loss(Moves50 *moves, int until, unsigned plies)
{
    if (until >= MATE50_CLOCKS) until = MATE50_CLOCKS - 1;
    if (plies > moves->loss[until]) moves->loss[until] = (uint16_t)plies;
}

static void add_lost_from(Moves50 *moves, int from)
{
    if (from > moves->lost_from) moves->lost_from = from;
}

/* Adds a capture or pawn move, after which the opponent has this value. */
static void add_zeroing(Moves50 *moves, int value)
{
    if (value < 0)
        add_win(moves, 1, mate50_plies(value) + 1);
    else if (value > 0)
        add_loss(moves, MATE50_CLOCKS, mate50_plies(value) + 1);
    add_lost_from(moves, value > 0 ? 1 : MATE50_CLOCKS);
}

/* Adds another move, after which the opponent has this function. */
static void add_quiet(Moves50 *moves, const Mate50Function *child)
{
    const bool lost = child->steps > 0 && child->win;
    for (int i = 0; i < child->steps; i++)
        if (!child->win)
            add_win(moves, child->left[i] + 1, child->plies[i] + 1u);
        else
            add_loss(moves, i + 1 < child->steps ? child->left[i + 1] : MATE50_CLOCKS,
                     child->plies[i] + 1u);
    add_lost_from(moves, lost ? child->left[0] + 1 : MATE50_CLOCKS);
}

/* Writes the value of the best move for each number of plies left. */
static void values_of_moves(const Moves50 *moves, const treb_position *pos,
                            int value[MATE50_CLOCKS])
{
    uint16_t win = VERIFY_NONE, loss = 0;
    const int mated = moves->count == 0 && position_in_check(pos) ? -MATE50_BEST : 0;
    value[0] = mated;
    for (int left = MATE50_CLOCKS - 1; left > 0; left--) {
        if (moves->loss[left] > loss) loss = moves->loss[left];
        value[left] = moves->count == 0          ? mated
                      : left >= moves->lost_from ? mate50_in(false, loss)
                                                 : 0;
    }
    for (int left = 1; left < MATE50_CLOCKS; left++) {
        if (moves->win[left] < win) win = moves->win[left];
        if (win != VERIFY_NONE) value[left] = mate50_in(true, win);
    }
}

/* Returns the number of a position's cell as it is kept. */
static uint32_t number_of(const Mate50Check *check, const treb_position *pos)
{
    treb_position swapped;
    if (check->sides == 1 && pos->turn == TREB_BLACK) {
        position_swap_colors(pos, &swapped);
        pos = &swapped;
    }
    return check->number[pos->turn][index_of_position(&check->entry->index, pos)];
}

/* Returns the value, with 100 plies left, of a position of the table that a pawn push led to. */
static int pushed_value(Mate50Worker *w, const treb_position *child)
{
    Mate50Function function;
    Move moves[MOVES_MAX];
    treb_position bare = *child;
    bare.ep = 0;
    mate50_functions_get(w->check->functions, number_of(w->check, &bare), &function);
    const int rest = mate50_function_value(&function, RULE_PLIES);
    if (child->ep == 0 || !position_ep_legal(child)) return rest;
    int best = movegen_any(&bare) ? rest : -MATE50_BEST - 1;
    const int count = movegen_captures(child, moves);
    for (int i = 0; i < count; i++) {
        treb_position after;
        if (!move_is_ep(child, moves[i])) continue;
        VerifyEntry *entry = verify_after(w->check->entry, child, moves[i], &after);
        const int made =
            entry == NULL ? 0 : mate50_before(verify_mate50(w->reader, entry, &after, RULE_PLIES));
        if (made > best) best = made;
    }
    return best;
}

static void add_move(Mate50Worker *w, const treb_position *pos, Move m, Moves50 *moves)
{
    Mate50Function function;
    treb_position child;
    VerifyEntry *after = verify_after(w->check->entry, pos, m, &child);
    moves->count++;
    if (after != w->check->entry) {
        add_zeroing(moves, after == NULL ? 0 : verify_mate50(w->reader, after, &child, RULE_PLIES));
    } else if (move_is_zeroing(pos, m)) {
        add_zeroing(moves, pushed_value(w, &child));
    } else {
        mate50_functions_get(w->check->functions, number_of(w->check, &child), &function);
        add_quiet(moves, &function);
    }
}

static void values_by_moves(Mate50Worker *w, const treb_position *pos, int value[MATE50_CLOCKS])
{
    Moves50 all = {.count = 0};
    Move moves[MOVES_MAX];
    const int count = movegen_legal(pos, moves);
    memset(all.win, 0xff, sizeof all.win);
    for (int i = 0; i < count && w->reader->error.status == TREB_OK; i++)
        add_move(w, pos, moves[i], &all);
    values_of_moves(&all, pos, value);
}

/* ---- what each pass does with a position ------------------------------------------------------- */

/* Keeps the function that has the given values. */
static void keep(Mate50Worker *w, const int value[MATE50_CLOCKS])
{
    Mate50Function function;
    const Mate50Check *check = w->check;
    const int fault = mate50_function_of(value, &function);
    if (fault != 0)
        verify_report_error(check->report, key_of(w),
                            "%s: with %d plies left the winner needs more than with fewer",
                            table_metric_name(TREB_DTM50), fault);
    if (fault != 0) function.steps = 0;
    const uint32_t number = mate50_functions_number(check->functions, &function);
    if (number == MATE50_FUNCTION_ILLEGAL) verify_report_no_memory(check->report);
    check->number[w->side][w->walk.at.cell] = number;
}

static void do_claim(Mate50Worker *w, const treb_position *pos)
{
    int value[MATE50_CLOCKS];
    verify_mate50_claim(w->reader, w->check->entry, pos, value);
    if (w->reader->error.status == TREB_OK) keep(w, value);
}

static void count_value(Mate50Worker *w, int value)
{
    const unsigned plies = mate50_plies(value);
    if (value == 0 || plies >= VERIFY_PLIES) return;
    w->histogram[value > 0 ? TREB_WIN : TREB_LOSS][plies] +=
        index_weight(&w->check->entry->index, &w->walk.men);
}

static void do_moves(Mate50Worker *w, const treb_position *pos)
{
    int made[MATE50_CLOCKS];
    Mate50Function claim;
    const Mate50Check *check = w->check;
    values_by_moves(w, pos, made);
    if (w->reader->error.status != TREB_OK) return;
    count_value(w, made[RULE_PLIES]);
    if (!check->stored[w->side]) {
        keep(w, made);
        return;
    }
    mate50_functions_get(check->functions, check->number[w->side][w->walk.at.cell], &claim);
    for (int left = 0; left < MATE50_CLOCKS; left++) {
        const int says = mate50_function_value(&claim, left);
        if (says == made[left]) continue;
        verify_mate50_report(check->report, pos, key_of(w), left, says, made[left]);
        return;
    }
}

/* ---- passes ------------------------------------------------------------------------------------ */

static void run_chunk(Mate50Worker *w, Mate50Work work, uint64_t from, uint64_t to)
{
    verify_walk_seek(&w->walk, &w->check->entry->index, from);
    for (uint64_t cell = from; cell < to; cell++, verify_walk_next(&w->walk)) {
        if (!verify_walk_valid(&w->walk)) continue;
        treb_position pos = *verify_walk_position(&w->walk);
        pos.turn = (uint8_t)w->side;
        if (!verify_legal(&pos)) continue;
        work(w, &pos);
        if (w->reader->error.status != TREB_OK) return;
    }
}

static void add_histogram(VerifyCount *count, const Mate50Worker *w)
{
    for (int v = 0; v < WDL_VALUES; v++)
        for (int p = 0; p < VERIFY_PLIES; p++) count->mate50[w->side][v][p] += w->histogram[v][p];
}

static void run_worker(const Mate50Check *check, Mate50Work work, int side, _Atomic(uint64_t) *next)
{
    const uint64_t cells = check->entry->index.size;
    Mate50Worker *w = calloc(1, sizeof *w);
    VerifyReader *reader = verify_reader_new(check->store);
    if (w == NULL || reader == NULL) verify_report_no_memory(check->report);
    while (w != NULL && reader != NULL && !atomic_load(&check->report->stop)) {
        const uint64_t from = atomic_fetch_add(next, VERIFY_CHUNK);
        const uint64_t to = cells - from < VERIFY_CHUNK ? cells : from + VERIFY_CHUNK;
        if (from >= cells) break;
        w->check = check;
        w->reader = reader;
        w->side = side;
        verify_memory_reclaim(&check->store->memory);
        run_chunk(w, work, from, to);
        if (reader->error.status != TREB_OK) verify_report_fail(check->report, &reader->error);
        verify_report_progress(check->report, to - from);
    }
#pragma omp critical(verify_count)
    if (w != NULL && w->check != NULL) add_histogram(check->count, w);
    free(w);
    verify_reader_free(reader);
}

static void run_pass(const Mate50Check *check, Mate50Work work, int side, const char *phase)
{
    _Atomic(uint64_t) next = 0;
    if (atomic_load(&check->report->stop)) return;
    verify_report_phase(check->report, phase, check->entry->index.size);
#pragma omp parallel num_threads(verify_threads(check->report->options))
    run_worker(check, work, side, &next);
}

static void run_passes(const Mate50Check *check)
{
    static const char *const claims[] = {"DTM50, White to move", "DTM50, Black to move"};
    static const char *const moves[] = {"DTM50 moves, White to move", "DTM50 moves, Black to move"};
    for (int s = 0; s < check->sides; s++)
        if (check->stored[s]) run_pass(check, do_claim, s, claims[s]);
    for (int stored = 0; stored < 2; stored++)
        for (int s = 0; s < check->sides; s++)
            if (check->stored[s] == (stored == 1)) run_pass(check, do_moves, s, moves[s]);
}

void verify_mate50_full(VerifyReport *report, VerifyStore *store, VerifyCount *count)
{
    VerifyEntry *entry = store->entry[0];
    Mate50Check check = {.report = report,
                         .store = store,
                         .entry = entry,
                         .count = count,
                         .sides = entry->symmetric ? 1 : 2,
                         .functions = mate50_functions_new()};
    const uint64_t bytes = entry->index.size * sizeof *check.number[0];
    bool memory =
        check.functions != NULL && verify_claim(&store->memory, bytes * (uint64_t)check.sides);
    for (int s = 0; s < check.sides && memory; s++) {
        check.stored[s] = verify_mate50_stored(entry, s);
        check.number[s] = calloc(entry->index.size, sizeof *check.number[s]);
        memory = check.number[s] != NULL;
    }
    if (memory)
        run_passes(&check);
    else
        verify_report_no_memory(report);
    for (int s = 0; s < 2; s++) free(check.number[s]);
    mate50_functions_free(check.functions);
}
