/* solved_check.c - whether solved pawn endings are right: see solved.h.
 *
 * A win is a proof if some move leads to a loss that is nearer, or, by a capture or pawn move, to any
 * loss; a loss if all moves lead to such wins. That nobody wins is a proof, too, as long as every
 * position says of its moves what it needs: who holds then has a move to the end of the game. So each
 * cell is compared with those that its legal moves lead to, and with nothing else. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pawns/solved.h"
#include "core/system/error.h"

enum { BLOCKS = 1 << 11, TABLE_MEN = 5, FARTHEST = 1 << 16, PART = 4096 /* cells */ };

/* One thread's. */
typedef struct Checker {
    FileCheck check; /* what it has found */
    Table *table;
    const TableHeader *h;
    TableDecoder *decoder;
    uint8_t *block;          /* BLOCKS of them, each in the place that its number has */
    uint64_t number[BLOCKS]; /* 1 more than the number, with the side as its lowest bit; 0: none */
    uint64_t count[2][WDL_VALUES], open[2];
    uint32_t longest[2][WDL_VALUES];
    uint64_t share;     /* of 2^32 cells so many are looked at; 0: all */
    bool lacking;       /* of the position: tables that may say more are not there */
    uint64_t at, first; /* parts: at hand; that of the first error */
    treb_error failure;
} Checker;

/* What is known of a position, for its side to move. */
typedef struct Known {
    bool wins, loses, no_win, no_loss;
    int plies; /* of a win or loss */
} Known;

/* ---- What the file says ---------------------------------------------------------------------- */

/* Of a cell; SOLVED_OPEN after a failure, which is kept. */
static unsigned read_cell(Checker *c, int side, uint64_t cell)
{
    const unsigned bits = c->h->block_bits;
    const uint64_t block = cell >> bits, number = (block << 1 | (unsigned)side) + 1;
    const size_t place = (size_t)(number % BLOCKS);
    uint8_t *bytes = c->block + (place << bits);
    if (c->number[place] != number) {
        if (c->failure.status != TREB_OK) return SOLVED_OPEN;
        c->number[place] = 0;
        if (table_read_block(c->table, c->decoder, side, block, bytes, &c->failure) != TREB_OK)
            return SOLVED_OPEN;
        c->number[place] = number;
    }
    return bytes[cell & ((UINT64_C(1) << bits) - 1)];
}

static Known known_of_cell(unsigned cell)
{
    return (Known){solved_wins(cell), solved_loses(cell), solved_no_win(cell), solved_no_loss(cell),
                   solved_wins(cell) || solved_loses(cell) ? (int)solved_plies(cell) : 0};
}

static Known known_of_value(int value)
{
    return (Known){value > 0, value < 0, value <= 0, value >= 0, FARTHEST};
}

/* Of a position without the right to take en passant, by its cell or by tables; false if neither has
 * it. */
static bool known_plainly(Checker *c, const treb_position *pos, Known *out)
{
    SolvedPlace place;
    int value, men = bit_count(position_occupied(pos));
    const SolvedStructure *s = solved_place(pos, &place) ? solved_find(c->h, &place.key) : NULL;
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
        c->lacking = true;
        return false;
    }
    c->check.compared++;
    *out = known_of_value(value);
    return true;
}

/* ---- What moves say -------------------------------------------------------------------------- */

/* What the moves of a position come to: `plies` to the next capture or pawn move. */
typedef struct Gathered {
    int moves, win_plies, loss_plies; /* FARTHEST: no win; not all lose */
    bool loses, no_win, no_loss;
} Gathered;

static Gathered gather_none(void)
{
    return (Gathered){.win_plies = FARTHEST, .loses = true, .no_win = true};
}

static void gather_move(Gathered *g, const Known *child, bool zeroing)
{
    int plies = zeroing ? 1 : child->plies + 1;
    g->moves++;
    if (child->loses && plies < g->win_plies) g->win_plies = plies;
    if (child->wins && plies > g->loss_plies) g->loss_plies = plies;
    g->loses = g->loses && child->wins;
    g->no_win = g->no_win && child->no_loss;
    g->no_loss = g->no_loss || child->no_win;
}

/* What moves make known of a position, or the rules if there is none. */
static Known known_of_moves(const Gathered *g, const treb_position *pos)
{
    if (g->moves == 0 && position_in_check(pos)) return (Known){.loses = true, .no_win = true};
    if (g->moves == 0) return known_of_value(0);
    return (Known){g->win_plies < FARTHEST, g->loses, g->no_win, g->no_loss,
                   g->win_plies < FARTHEST ? g->win_plies : g->loss_plies};
}

static Known known_after(Checker *c, const treb_position *pos, int depth);

static Gathered gather(Checker *c, const treb_position *pos, int depth)
{
    Move moves[MOVES_MAX];
    Gathered g = gather_none();
    int count = movegen_legal(pos, moves);
    for (int i = 0; i < count; i++) {
        treb_position child;
        bool zeroing = move_is_zeroing(pos, moves[i]);
        position_make(pos, moves[i], &child);
        Known known = known_after(c, &child, depth);
        /* What stands in the same structure must get nearer. */
        if (!zeroing && known.plies >= FARTHEST) known.wins = known.loses = false;
        gather_move(&g, &known, zeroing);
    }
    return g;
}

/* Adds the captures en passant to what is known of a position without them. */
static void add_en_passant(Checker *c, const treb_position *pos, Known *known)
{
    Move moves[MOVES_MAX];
    int count = movegen_legal(pos, moves), captures = 0;
    for (int i = 0; i < count; i++) captures += move_is_ep(pos, moves[i]);
    /* Without another move what the cell says, mate or stalemate, is not so. */
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

/* Of a position that a move leads to: by its cell, or tables; where these do not decide it, by its own
 * moves as well, so many moves ahead. */
static Known known_after(Checker *c, const treb_position *pos, int depth)
{
    Known known;
    if (!movegen_any(pos)) return known_of_moves(&(Gathered){0}, pos);
    if (known_plainly(c, pos, &known) && position_ep_legal(pos)) add_en_passant(c, pos, &known);
    const bool decided = known.wins || known.loses || (known.no_win && known.no_loss);
    if (decided || depth == 0) return known;
    const Gathered g = gather(c, pos, depth - 1);
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
    c->lacking = false;
    const Gathered g = gather(c, pos, 1);
    const bool over = g.moves == 0, mated = over && position_in_check(pos);
    const char *wrong = NULL;
    if (cell >= SOLVED_CELLS)
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
    if (c->lacking && cell < SOLVED_CELLS) {
        c->check.missing++;
        return;
    }
    if (c->check.errors == 0) c->first = c->at;
    file_check_error(&c->check, pos, "%s", wrong);
}

static void count_position(Checker *c, int side, unsigned cell)
{
    c->check.placements++;
    if (cell >= SOLVED_OPEN && cell < SOLVED_WIN) {
        c->open[side]++;
        return;
    }
    int verdict = cell == SOLVED_DRAW ? TREB_DRAW : solved_wins(cell) ? TREB_WIN : TREB_LOSS;
    unsigned plies = cell == SOLVED_DRAW ? 0 : solved_plies(cell);
    c->count[side][verdict]++;
    if (plies > c->longest[side][verdict]) c->longest[side][verdict] = plies;
}

/* The position of a cell, by the format's own words; false if there is none. */
static bool position_of(const SolvedStructure *s, int side, uint64_t cell, treb_position *pos)
{
    int men = 0, square[SOLVED_PIECES + 2];
    while (men < SOLVED_PIECES && s->key.piece[men] != 0) men++;
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

/* The structure that a cell is of. */
static const SolvedStructure *structure_at(const TableSolved *s, uint64_t cell)
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

/* All squares of the kings, with other pieces where they are: of one structure. */
static void check_part(Checker *c, uint64_t part)
{
    const uint64_t begin = part / 2 * PART;
    const SolvedStructure *s = structure_at(&c->h->solved, begin);
    const int side = (int)(part & 1);
    c->at = part;
    if (c->check.stop != NULL && atomic_load(c->check.stop)) return;
    for (uint64_t at = begin; at < begin + PART; at++) {
        treb_position pos;
        if (c->share > 0 && at * UINT64_C(0x9e3779b97f4a7c15) >> 32 >= c->share) continue;
        if (!position_of(s, side, at - s->first, &pos)) continue;
        unsigned cell = read_cell(c, side, at);
        if (c->failure.status != TREB_OK) return;
        count_position(c, side, cell);
        if (cell != SOLVED_OPEN) check_position(c, &pos, cell);
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

/* Adds what a thread has found. Of errors that of the first part is told, whoever met it. */
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
        same = same && c->open[side] == c->h->solved.open[side];
        for (int v = 0; v < WDL_VALUES; v++)
            same = same && c->count[side][v] == c->h->side[side].count[v] &&
                   c->longest[side][v] == c->h->side[side].longest[v];
    }
    if (!same)
        file_check_error(&c->check, NULL, "the counts in its header are not those of its cells");
}

/* For about so many positions; 0 if there are no more than that. */
static uint64_t share_of(const TableHeader *h, uint64_t most)
{
    uint64_t positions = 0;
    for (int side = 0; side < 2; side++) {
        positions += h->solved.open[side];
        for (int v = 0; v < WDL_VALUES; v++) positions += h->side[side].count[v];
    }
    if (most == 0 || positions <= most) return 0;
    return (uint64_t)((double)most / (double)positions * 4294967296.0) + 1;
}

/* Looks at all cells, with several threads; the sum is in `sum`. */
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

treb_status solved_check_file(const char *path, FileCheck *check)
{
    treb_error why;
    Table *table = table_open(path, &why);
    if (table == NULL) return file_check_give_up(check, why.status, why.text);
    const TableHeader *h = table_header(table);
    treb_status status = TREB_ERR_DAMAGED;
    Checker *sum = calloc(1, sizeof *sum);
    if ((int)h->metric != TABLE_SOLVED || !table_header_names(h, path)) {
        file_check_give_up(check, status, "its name is not that of its content");
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
