/* file_check.c - see file_check.h. */
#include "pawns/file_check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pawns/file.h"

/* A file, in its own orientation. */
typedef struct CheckReader {
    FileCheck *check;
    const TableHeader *h;
    uint16_t *cell[2]; /* by side to move */
    uint64_t count[2][WDL_VALUES], open[2];
    uint32_t longest[2][WDL_VALUES];
    bool loose; /* a rank may be too high */
} CheckReader;

/* What the moves of a placement say for one winner. */
typedef struct Gathered {
    unsigned least, most; /* ranks of moves that surely win */
    int moves, quiet, sure, open, open_captures;
} Gathered;

/* ---- What all checks share ------------------------------------------------------------------- */

void file_check_error(FileCheck *check, const treb_position *pos, const char *words, ...)
{
    char fen[TREB_FEN_SIZE];
    int used = 0;
    if (check->errors++ > 0) return;
    if (pos != NULL) {
        position_to_fen(pos, fen);
        used = snprintf(check->text, sizeof check->text, "%s: ", fen);
    }
    va_list list;
    va_start(list, words);
    vsnprintf(check->text + used, sizeof check->text - (size_t)used, words, list);
    va_end(list);
}

treb_status file_check_give_up(FileCheck *check, treb_status status, const char *text)
{
    check->errors++;
    snprintf(check->text, sizeof check->text, "%.399s", text);
    return status;
}

/* ---- Cells ----------------------------------------------------------------------------------- */

static const char *rank_text(unsigned rank, char out[16])
{
    if (rank == RANK_NONE) return "no rank";
    if (rank == RANK_OPEN) return "open";
    if (rank == RANK_WON) return "won";
    snprintf(out, 16, "rank %u", rank);
    return out;
}

static unsigned placement_rank(const CheckReader *r, const treb_position *pos, int winner)
{
    int white = position_king(pos, TREB_WHITE), black = position_king(pos, TREB_BLACK);
    return r->cell[pos->turn][table_ranks_cell(r->h, winner, white, black)];
}

/* Of the position after the capture of a pawn. */
static unsigned taken_rank(const CheckReader *r, const treb_position *child, int pawn, int winner)
{
    int side = child->turn, number = 0;
    for (int square = 0; square < pawn; square++)
        number += bit_test(r->h->ranks.pawns[side], square);
    return r->cell[side][table_ranks_taken(r->h, winner, number, position_king(child, side))];
}

/* A capture's cells must not claim that both win, nor contradict the tables. */
static void check_taken(CheckReader *r, const treb_position *child, int pawn)
{
    unsigned rank[2] = {taken_rank(r, child, pawn, 0), taken_rank(r, child, pawn, 1)};
    int value = 0, men = bit_count(position_occupied(child));
    r->check->captures++;
    for (int winner = 0; winner < 2; winner++)
        if (rank[winner] < RANK_WON) file_check_error(r->check, child, "a rank after a capture");
    if (rank[0] == RANK_WON && rank[1] == RANK_WON)
        file_check_error(r->check, child, "both sides win");
    if (men > 5 || r->check->value == NULL || !r->check->value(r->check->context, child, &value))
        return;
    r->check->compared++;
    for (int winner = 0; winner < 2; winner++) {
        bool wins = value != 0 && (value > 0) == (winner == child->turn);
        if (rank[winner] == (wins ? RANK_NONE : RANK_WON))
            file_check_error(r->check, child, "%s %s here, but not in the tables",
                             winner ? "Black" : "White", wins ? "does not win" : "wins");
    }
}

/* ---- The result of the game ------------------------------------------------------------------ */

static void gather_move(Gathered *g, unsigned rank, bool capture)
{
    g->moves++;
    if (rank == RANK_OPEN) {
        g->open++;
        g->open_captures += capture;
    }
    if (rank >= RANK_OPEN) return;
    unsigned plies = capture ? 1 : rank + 1;
    if (g->sure == 0 || plies < g->least) g->least = plies;
    if (g->sure == 0 || plies > g->most) g->most = plies;
    g->sure++;
}

static unsigned expected_exact(CheckReader *r, const treb_position *pos, int winner,
                               const Gathered *g)
{
    bool loses = pos->turn != winner;
    if (g->moves == 0) return loses && position_in_check(pos) ? 0 : RANK_NONE;
    if (loses && g->sure == g->moves) return g->most;
    if (loses) return g->sure + g->open == g->moves ? RANK_OPEN : RANK_NONE;
    if (g->sure == 0) return g->open ? RANK_OPEN : RANK_NONE;
    if (g->open_captures && g->least > 1) r->loose = true;
    return g->least;
}

static void check_exact(CheckReader *r, const treb_position *pos)
{
    Move moves[MOVES_MAX];
    Gathered gathered[2] = {{0}};
    int count = movegen_legal(pos, moves);
    for (int i = 0; i < count; i++) {
        treb_position child;
        bool capture = move_is_capture(pos, moves[i]);
        position_make(pos, moves[i], &child);
        if (move_from(moves[i]) != position_king(pos, pos->turn)) {
            file_check_error(r->check, pos,
                             "a pawn can move, so that this is no blocked structure");
            return;
        }
        if (capture) check_taken(r, &child, move_to(moves[i]));
        for (int winner = 0; winner < 2; winner++) {
            unsigned rank = capture ? taken_rank(r, &child, move_to(moves[i]), winner)
                                    : placement_rank(r, &child, winner);
            gather_move(&gathered[winner], rank, capture);
        }
    }
    for (int winner = 0; winner < 2; winner++) {
        char has[16], wants[16];
        unsigned rank = placement_rank(r, pos, winner);
        unsigned expected = expected_exact(r, pos, winner, &gathered[winner]);
        if (rank == RANK_OPEN) r->loose = true;
        if (rank != expected)
            file_check_error(r->check, pos, "%s for %s, but its moves say %s", rank_text(rank, has),
                             winner ? "Black" : "White", rank_text(expected, wants));
    }
}

/* ---- A goal ---------------------------------------------------------------------------------- */

/* Rank 0. A legal capture is one of a pawn that nothing defends. */
static bool at_goal(const TableRanks *about, const treb_position *pos, int winner, int captures)
{
    int king = position_king(pos, winner), other = position_king(pos, !winner);
    if (about->goal == GOAL_REACH) return bit_test(about->squares, king);
    if (pos->turn != winner || captures == 0) return false;
    if (about->squares != 0 && !bit_test(about->squares, king)) return false;
    uint64_t own = position_men_of(pos, winner, TREB_PAWN);
    return !about->safe || (king_attacks(other) & own) == 0;
}

static unsigned expected_goal(CheckReader *r, const treb_position *pos, int winner)
{
    Move moves[MOVES_MAX];
    Gathered g = {0};
    int count = movegen_legal(pos, moves), captures = 0;
    for (int i = 0; i < count; i++) {
        treb_position child;
        if (move_is_capture(pos, moves[i])) {
            captures++;
            continue;
        }
        position_make(pos, moves[i], &child);
        gather_move(&g, placement_rank(r, &child, winner), false);
    }
    if (at_goal(&r->h->ranks, pos, winner, captures)) return 0;
    if (pos->turn == winner) return g.sure ? g.least : RANK_NONE;
    return g.sure > 0 && g.sure == g.moves && captures == 0 ? g.most : RANK_NONE;
}

static void check_goal(CheckReader *r, const treb_position *pos)
{
    for (int winner = 0; winner < 2; winner++) {
        char has[16], wants[16];
        unsigned rank = placement_rank(r, pos, winner), expected = expected_goal(r, pos, winner);
        if (rank != expected)
            file_check_error(r->check, pos, "%s for %s, but its moves say %s", rank_text(rank, has),
                             winner ? "Black" : "White", rank_text(expected, wants));
    }
}

/* ---- The file -------------------------------------------------------------------------------- */

/* The verdict of a placement, for the counts. */
static void count_placement(CheckReader *r, const treb_position *pos)
{
    unsigned white = placement_rank(r, pos, TREB_WHITE), black = placement_rank(r, pos, TREB_BLACK);
    /* Of two ranks, as goals may have, the lower counts, White's if they are the same. */
    unsigned plies = white <= black ? white : black;
    int winner = white <= black ? TREB_WHITE : TREB_BLACK;
    bool decided = plies < RANK_OPEN;
    if (plies == RANK_OPEN) {
        r->open[pos->turn]++;
        return;
    }
    int verdict = !decided ? TREB_DRAW : winner == pos->turn ? TREB_WIN : TREB_LOSS;
    if (!decided) plies = 0;
    r->count[pos->turn][verdict]++;
    if (plies > r->longest[pos->turn][verdict]) r->longest[pos->turn][verdict] = plies;
}

static void check_placements(CheckReader *r)
{
    const TableRanks *about = &r->h->ranks;
    for (int i = 0; i < 2 * RANKS_PLACEMENTS; i++) {
        int white = i >> 6 & 63, black = i & 63;
        uint64_t pawns = about->pawns[0] | about->pawns[1];
        if (white == black || bit_test(pawns, white) || bit_test(pawns, black)) continue;
        treb_position pos = {.turn = (uint8_t)(i >> 12), .fullmove = 1};
        for (int square = 0; square < 64; square++)
            if (bit_test(pawns, square))
                position_put(&pos, bit_test(about->pawns[1], square), TREB_PAWN, square);
        position_put(&pos, TREB_WHITE, TREB_KING, white);
        position_put(&pos, TREB_BLACK, TREB_KING, black);
        if (position_check(&pos, NULL) != TREB_OK) continue;
        r->check->placements++;
        count_placement(r, &pos);
        if (about->goal == GOAL_EXACT)
            check_exact(r, &pos);
        else
            check_goal(r, &pos);
    }
}

/* What the header says of the whole. */
static void check_header(CheckReader *r)
{
    bool same = r->open[0] == r->h->ranks.open[0] && r->open[1] == r->h->ranks.open[1];
    for (int i = 0; i < 2 * WDL_VALUES; i++) {
        const TableSide *side = &r->h->side[i / WDL_VALUES];
        same = same && side->count[i % WDL_VALUES] == r->count[i / WDL_VALUES][i % WDL_VALUES] &&
               side->longest[i % WDL_VALUES] == r->longest[i / WDL_VALUES][i % WDL_VALUES];
    }
    const char *text = !same ? "the counts in its header are not those of its cells"
                       : r->loose && !r->h->ranks.upper_bounds
                           ? "ranks may be too high, which its header denies"
                           : NULL;
    if (text != NULL) file_check_error(r->check, NULL, "%s", text);
}

static treb_status check_table(const Table *table, const char *path, FileCheck *check)
{
    CheckReader r = {.check = check, .h = table_header(table)};
    treb_error why;
    if (r.h->metric != TABLE_RANKS || !table_header_names(r.h, path))
        return file_check_give_up(check, TREB_ERR_DAMAGED, "its name is not that of its content");
    uint16_t *cells = malloc(2 * (size_t)r.h->index.size * sizeof *cells);
    if (cells == NULL) return file_check_give_up(check, TREB_ERR_MEMORY, "out of memory");
    r.cell[0] = cells;
    r.cell[1] = cells + r.h->index.size;
    treb_status status = file_read_cells(table, r.cell, &why);
    if (status != TREB_OK) {
        file_check_give_up(check, status, why.text);
    } else {
        check_placements(&r);
        check_header(&r);
    }
    free(cells);
    if (status != TREB_OK) return status;
    return check->errors ? TREB_ERR_DAMAGED : TREB_OK;
}

treb_status blocked_check_file(const char *path, FileCheck *check)
{
    treb_error why;
    Table *table = table_open(path, &why);
    if (table == NULL) return file_check_give_up(check, why.status, why.text);
    treb_status status = check_table(table, path, check);
    table_close(table);
    return status;
}
