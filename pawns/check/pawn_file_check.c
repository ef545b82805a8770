/* pawn_file_check.c - see pawn_file_check.h.
 *
 * A win is proven if a move leads to a loss that is nearer or, by a capture or pawn move, to any
 * loss. A loss is proven if all moves lead to such wins. That a side does not win is proven, too,
 * if every position confirms it by its moves: the other side then has a move that holds until the
 * end of the game. So each cell is compared with the cells that its legal moves lead to, and with
 * nothing else. */
#include "pawns/check/pawn_file_check.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/chess/movegen.h"
#include "core/format/table_pawn.h"
#include "core/system/error.h"
#include "core/system/hash.h"

enum { BLOCKS = 1 << 11, TABLE_MEN = 5, FARTHEST = 1 << 16, PART = 4096 /* cells */ };

/* The state of one thread. */
typedef struct Checker {
    FileCheck check; /* its results */
    Table *table;
    const TableHeader *h;
    TableDecoder *decoder;
    uint8_t *block;          /* a cache of BLOCKS blocks; block n is in place n % BLOCKS */
    uint64_t number[BLOCKS]; /* by place: 2 * number of the block + side + 1; 0: none */
    uint64_t count[2][WDL_VALUES], open[2];
    uint32_t longest[2][WDL_VALUES];
    uint64_t share;     /* of 2^32 cells this number is checked; 0: all */
    bool missing;       /* tables that may know more about the position are missing */
    uint64_t at, first; /* number of the current part, and of the part with the first error */
    treb_error failure;
} Checker;

/* What is known of a position, for its side to move. */
typedef struct Known {
    bool wins, loses, no_win, no_loss;
    int plies; /* of a win or loss */
} Known;

/* ---- What the file and the tables say -------------------------------------------------------- */

/* Reads a cell; PAWN_CELL_OPEN after a failure, which is noted. */
static unsigned read_cell(Checker *c, int side, uint64_t cell)
{
    const unsigned bits = c->h->block_bits;
    const uint64_t block = cell >> bits, number = (block << 1 | (unsigned)side) + 1;
    const size_t place = (size_t)(number % BLOCKS);
    uint8_t *bytes = c->block + (place << bits);
    if (c->number[place] != number) {
        if (c->failure.status != TREB_OK) return PAWN_CELL_OPEN;
        c->number[place] = 0;
        if (table_read_block(c->table, c->decoder, side, block, bytes, &c->failure) != TREB_OK)
            return PAWN_CELL_OPEN;
        c->number[place] = number;
    }
    return bytes[cell & ((UINT64_C(1) << bits) - 1)];
}

static Known known_of_cell(unsigned cell)
{
    return (Known){pawn_cell_wins(cell), pawn_cell_loses(cell), pawn_cell_no_win(cell),
                   pawn_cell_no_loss(cell),
                   pawn_cell_wins(cell) || pawn_cell_loses(cell) ? (int)pawn_cell_plies(cell) : 0};
}

static Known known_of_value(int value)
{
    return (Known){value > 0, value < 0, value <= 0, value >= 0, FARTHEST};
}

/* Finds what is known of a position, captures en passant left out, by its cell or by tables; false
 * if neither knows it. */
static bool known_plainly(Checker *c, const treb_position *pos, Known *out)
{
    StructurePlace place;
    int value, men = bit_count(position_occupied(pos));
    const TableStructure *s =
        structure_place(pos, &place) ? table_find_structure(c->h, &place.key) : NULL;
    *out = (Known){.plies = FARTHEST};
    if (s != NULL) {
        unsigned cell = read_cell(c, place.turn, s->first + place.cell);
        *out = known_of_cell(cell);
        return true;
    }
    if (men == 2) *out = known_of_value(0);
    if (men == 2) return true;
    if (men > TABLE_MEN) return false;
    if (c->check.value == NULL || !c->check.value(c->check.context, pos, &value)) {
        c->missing = true;
        return false;
    }
    c->check.compared++;
    *out = known_of_value(value);
    return true;
}

/* ---- What the moves say ---------------------------------------------------------------------- */

/* What the moves of a position come to: `plies` to the next capture or pawn move. */
typedef struct MoveSummary {
    int moves, win_plies, loss_plies; /* FARTHEST: no move wins; a move is not known to lose */
    bool loses, no_win, no_loss;
} MoveSummary;

static MoveSummary summary_start(void)
{
    return (MoveSummary){.win_plies = FARTHEST, .loses = true, .no_win = true};
}

static void summary_add(MoveSummary *g, const Known *child, bool zeroing)
{
    int plies = zeroing ? 1 : child->plies + 1;
    g->moves++;
    if (child->loses && plies < g->win_plies) g->win_plies = plies;
    if (child->wins && plies > g->loss_plies) g->loss_plies = plies;
    g->loses = g->loses && child->wins;
    g->no_win = g->no_win && child->no_loss;
    g->no_loss = g->no_loss || child->no_win;
}

/* What is known of a position by its moves; without moves it is mate or stalemate. */
static Known known_of_moves(const MoveSummary *g, const treb_position *pos)
{
    if (g->moves == 0 && position_in_check(pos)) return (Known){.loses = true, .no_win = true};
    if (g->moves == 0) return known_of_value(0);
    return (Known){g->win_plies < FARTHEST, g->loses, g->no_win, g->no_loss,
                   g->win_plies < FARTHEST ? g->win_plies : g->loss_plies};
}

static Known known_after(Checker *c, const treb_position *pos, int depth);

static MoveSummary summarize_moves(Checker *c, const treb_position *pos, int depth)
{
    Move moves[MOVES_MAX];
    MoveSummary g = summary_start();
    int count = movegen_legal(pos, moves);
    for (int i = 0; i < count; i++) {
        treb_position child;
        bool zeroing = move_is_zeroing(pos, moves[i]);
        position_make(pos, moves[i], &child);
        Known known = known_after(c, &child, depth);
        /* Within a structure a win needs a distance, which becomes smaller. */
        if (!zeroing && known.plies >= FARTHEST) known.wins = known.loses = false;
        summary_add(&g, &known, zeroing);
    }
    return g;
}

/* Adds captures en passant to what is known of a position without them. */
static void add_en_passant(Checker *c, const treb_position *pos, Known *known)
{
    Move moves[MOVES_MAX];
    int count = movegen_legal(pos, moves), captures = 0;
    for (int i = 0; i < count; i++) captures += move_is_ep(pos, moves[i]);
    /* If they are the only moves, the cell says mate or stalemate, which does not count. */
    if (captures == count) *known = (Known){.loses = true, .no_win = true};
    for (int i = 0; i < count; i++) {
        treb_position child;
        if (!move_is_ep(pos, moves[i])) continue;
        position_make(pos, moves[i], &child);
        Known after = known_after(c, &child, 0);
        known->wins = known->wins || after.loses;
        known->loses = known->loses && after.wins;
        known->no_win = known->no_win && after.no_loss;
        known->no_loss = known->no_loss || after.no_win;
    }
}

/* What is known of a position after a move: by its cell or tables; if these do not decide it, by
 * its own moves as well, `depth` moves ahead. */
static Known known_after(Checker *c, const treb_position *pos, int depth)
{
    Known known;
    if (!movegen_any(pos)) return known_of_moves(&(MoveSummary){0}, pos);
    if (known_plainly(c, pos, &known) && position_ep_legal(pos)) add_en_passant(c, pos, &known);
    const bool decided = known.wins || known.loses || (known.no_win && known.no_loss);
    if (decided || depth == 0) return known;
    const MoveSummary g = summarize_moves(c, pos, depth - 1);
    const Known more = known_of_moves(&g, pos);
    known.no_win = known.no_win || more.no_win;
    known.no_loss = known.no_loss || more.no_loss;
    if (!more.wins && !more.loses) return known;
    return more;
}

/* ---- Positions ------------------------------------------------------------------------------- */

static void check_position(Checker *c, const treb_position *pos, unsigned cell)
{
    const Known claim = known_of_cell(cell);
    c->missing = false;
    const MoveSummary g = summarize_moves(c, pos, 1);
    const bool over = g.moves == 0, mated = over && position_in_check(pos);
    const char *wrong = NULL;
    if (cell >= PAWN_CELLS)
        wrong = "a cell without meaning";
    else if (claim.wins && (g.win_plies > claim.plies || claim.plies == 0))
        wrong = "a win, but no move is known to keep it and to get nearer";
    else if (claim.loses && !(over ? mated : g.loses && g.loss_plies <= claim.plies))
        wrong = "a loss, but a move is not known to lose so soon";
    else if (claim.no_win && !(over || g.no_win))
        wrong = "no win, but a move may win";
    else if (claim.no_loss && !(over ? !mated : g.no_loss))
        wrong = "no loss, but no move is known to hold";
    if (wrong == NULL) return;
    if (c->missing && cell < PAWN_CELLS) {
        c->check.missing++;
        return;
    }
    if (c->check.errors == 0) c->first = c->at;
    file_check_error(&c->check, pos, "%s", wrong);
}

static void count_position(Checker *c, int side, unsigned cell)
{
    c->check.placements++;
    if (cell >= PAWN_CELL_OPEN && cell < PAWN_CELL_WIN) {
        c->open[side]++;
        return;
    }
    int verdict = cell == PAWN_CELL_DRAW ? TREB_DRAW : pawn_cell_wins(cell) ? TREB_WIN : TREB_LOSS;
    unsigned plies = cell == PAWN_CELL_DRAW ? 0 : pawn_cell_plies(cell);
    c->count[side][verdict]++;
    if (plies > c->longest[side][verdict]) c->longest[side][verdict] = plies;
}

/* Sets up the position of a cell as the format document describes it; false if it is not legal. */
static bool position_of(const TableStructure *s, int side, uint64_t cell, treb_position *pos)
{
    int men = 0, square[STRUCTURE_PIECES + 2];
    while (men < STRUCTURE_PIECES && s->key.piece[men] != 0) men++;
    for (int i = men + 1; i >= 0; i--, cell >>= 6) square[i] = (int)(cell & 63);
    uint64_t taken = s->key.pawns[0] | s->key.pawns[1];
    *pos = (treb_position){.turn = (uint8_t)side, .fullmove = 1};
    for (int i = 0; i < men + 2; i++) {
        if (bit_test(taken, square[i])) return false;
        taken |= square_bit(square[i]);
    }
    for (int color = 0; color < 2; color++) {
        for (uint64_t pawns = s->key.pawns[color]; pawns != 0;)
            position_put(pos, color, TREB_PAWN, bit_pop(&pawns));
        position_put(pos, color, TREB_KING, square[men + color]);
    }
    for (int i = 0; i < men; i++)
        position_put(pos, s->key.piece[i] >> 3, s->key.piece[i] & 7, square[i]);
    return position_check(pos, NULL) == TREB_OK;
}

/* The structure that a cell belongs to. */
static const TableStructure *structure_at(const TablePawn *s, uint64_t cell)
{
    uint32_t low = 0, high = s->structures;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (s->structure[middle].first <= cell)
            low = middle;
        else
            high = middle;
    }
    return &s->structure[low];
}

/* Checks one part: all placements of the kings with the pieces on the same squares, for one side to
 * move. */
static void check_part(Checker *c, uint64_t part)
{
    const uint64_t begin = part / 2 * PART;
    const TableStructure *s = structure_at(&c->h->pawn, begin);
    const int side = (int)(part & 1);
    c->at = part;
    if (c->check.stop != NULL && atomic_load(c->check.stop)) return;
    for (uint64_t at = begin; at < begin + PART; at++) {
        treb_position pos;
        if (c->share > 0 && at * HASH_FACTOR >> 32 >= c->share) continue;
        if (!position_of(s, side, at - s->first, &pos)) continue;
        unsigned cell = read_cell(c, side, at);
        if (c->failure.status != TREB_OK) return;
        count_position(c, side, cell);
        if (cell != PAWN_CELL_OPEN) check_position(c, &pos, cell);
    }
}

/* ---- The file -------------------------------------------------------------------------------- */

static void checker_free(Checker *c)
{
    if (c == NULL) return;
    table_decoder_free(c->decoder);
    free(c->block);
    free(c);
}

/* NULL: no memory. */
static Checker *checker_new(Table *table, const FileCheck *check, uint64_t share)
{
    Checker *c = calloc(1, sizeof *c);
    if (c == NULL) return NULL;
    c->table = table;
    c->h = table_header(table);
    c->share = share;
    c->check.value = check->value;
    c->check.context = check->context;
    c->check.stop = check->stop;
    c->block = malloc((size_t)BLOCKS << c->h->block_bits);
    c->decoder = table_decoder_new();
    if (c->block != NULL && c->decoder != NULL) return c;
    checker_free(c);
    return NULL;
}

/* Adds the results of a thread. The text of the error in the first part is kept, so that it does
 * not depend on threads. */
static void add_checker(Checker *sum, const Checker *part)
{
    FileCheck *to = &sum->check;
    const FileCheck *from = &part->check;
    if (from->errors > 0 && (to->errors == 0 || part->first < sum->first)) {
        sum->first = part->first;
        memcpy(to->text, from->text, sizeof to->text);
    }
    to->placements += from->placements;
    to->compared += from->compared;
    to->missing += from->missing;
    to->errors += from->errors;
    for (int side = 0; side < 2; side++) {
        sum->open[side] += part->open[side];
        for (int v = 0; v < WDL_VALUES; v++) {
            sum->count[side][v] += part->count[side][v];
            if (part->longest[side][v] > sum->longest[side][v])
                sum->longest[side][v] = part->longest[side][v];
        }
    }
    if (sum->failure.status == TREB_OK) sum->failure = part->failure;
}

static void check_header(Checker *c)
{
    bool same = true;
    for (int side = 0; side < 2; side++) {
        same = same && c->open[side] == c->h->pawn.open[side];
        for (int v = 0; v < WDL_VALUES; v++)
            same = same && c->count[side][v] == c->h->side[side].count[v] &&
                   c->longest[side][v] == c->h->side[side].longest[v];
    }
    if (!same)
        file_check_error(&c->check, NULL, "the counts in its header are not those of its cells");
}

/* The share of cells that gives about `most` positions; 0 if there are not more. */
static uint64_t share_of(const TableHeader *h, uint64_t most)
{
    uint64_t positions = 0;
    for (int side = 0; side < 2; side++) {
        positions += h->pawn.open[side];
        for (int v = 0; v < WDL_VALUES; v++) positions += h->side[side].count[v];
    }
    if (most == 0 || positions <= most) return 0;
    return (uint64_t)((double)most / (double)positions * 4294967296.0) + 1;
}

/* Checks all parts with several threads and adds the results to `sum`. */
static void check_parts(Checker *sum, Table *table, const FileCheck *check)
{
    const uint64_t parts = 2 * (sum->h->index.size / PART);
    const int threads = check->threads > 0 ? (int)check->threads : omp_get_max_threads();
#pragma omp parallel num_threads(threads)
    {
        Checker *c = checker_new(table, check, sum->share);
#pragma omp for schedule(dynamic, 16)
        for (uint64_t part = 0; part < parts; part++)
            if (c != NULL && c->failure.status == TREB_OK) check_part(c, part);
#pragma omp critical(solved_check)
        if (c != NULL)
            add_checker(sum, c);
        else
            fail_memory(&sum->failure);
        checker_free(c);
    }
}

static treb_status judge(Checker *sum, FileCheck *check)
{
    const bool stopped = check->stop != NULL && atomic_load(check->stop);
    if (sum->failure.status == TREB_OK && !stopped && sum->share == 0) check_header(sum);
    check->placements = sum->check.placements;
    check->compared = sum->check.compared;
    check->missing = sum->check.missing;
    check->errors = sum->check.errors;
    memcpy(check->text, sum->check.text, sizeof check->text);
    if (sum->failure.status != TREB_OK)
        return file_check_give_up(check, sum->failure.status, sum->failure.text);
    if (stopped) return file_check_give_up(check, TREB_ERR_IO, "stopped");
    if (check->errors > 0) return TREB_ERR_DAMAGED;
    if (check->missing == 0) return TREB_OK;
    snprintf(check->text, sizeof check->text,
             "%llu positions rest on tables that are not here; the others are right",
             (unsigned long long)check->missing);
    return TREB_ERR_NO_TABLE;
}

treb_status pawn_file_check(const char *path, FileCheck *check)
{
    treb_error why;
    Table *table = table_open(path, &why);
    if (table == NULL) return file_check_give_up(check, why.status, why.text);
    const TableHeader *h = table_header(table);
    treb_status status = TREB_ERR_DAMAGED;
    Checker *sum = calloc(1, sizeof *sum);
    if ((int)h->metric != TABLE_PAWN || !table_header_names(h, path)) {
        file_check_give_up(check, status, "its content is a different table than its name says");
    } else if (sum == NULL) {
        status = file_check_give_up(check, TREB_ERR_MEMORY, "out of memory");
    } else {
        sum->h = h;
        sum->share = share_of(h, check->most);
        check_parts(sum, table, check);
        status = judge(sum, check);
    }
    free(sum);
    table_close(table);
    return status;
}
