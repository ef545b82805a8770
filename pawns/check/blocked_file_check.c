/* blocked_file_check.c - see blocked_file_check.h. */
#include "pawns/check/blocked_file_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pawns/blocked/blocked_file.h"

/* A file that is being checked, in its own orientation. */
typedef struct CheckReader {
    FileCheck *check;
    const TableHeader *h;
    uint16_t *cell[2]; /* by side to move */
    uint64_t count[2][WDL_VALUES], open[2];
    uint32_t longest[2][WDL_VALUES];
    bool may_be_high; /* distances may be too high, as something is open */
} CheckReader;

/* What the moves of a placement come to, for one winner. */
typedef struct MoveSummary {
    unsigned least, most; /* distances of the moves that surely win */
    int moves, quiet, sure, open, open_captures;
} MoveSummary;

/* ---- Cells ----------------------------------------------------------------------------------- */

static const char *distance_text(unsigned distance, char out[16])
{
    if (distance == DISTANCE_NONE) return "no distance";
    if (distance == DISTANCE_OPEN) return "open";
    if (distance == DISTANCE_WON) return "won";
    snprintf(out, 16, "distance %u", distance);
    return out;
}

static unsigned placement_distance(const CheckReader *r, const treb_position *pos, int winner)
{
    int white = position_king(pos, TREB_WHITE), black = position_king(pos, TREB_BLACK);
    return r->cell[pos->turn][table_blocked_cell(r->h, winner, white, black)];
}

/* The value after the capture of the pawn on `pawn`. */
static unsigned capture_distance(const CheckReader *r, const treb_position *child, int pawn,
                                 int winner)
{
    int side = child->turn, number = 0;
    for (int square = 0; square < pawn; square++)
        number += bit_test(r->h->blocked.pawns[side], square);
    return r->cell[side][table_blocked_taken(r->h, winner, number, position_king(child, side))];
}

/* Checks the cells of a position after a capture: at most one side wins, and the tables do not
 * contradict. */
static void check_capture(CheckReader *r, const treb_position *child, int pawn)
{
    unsigned distance[2] = {capture_distance(r, child, pawn, 0),
                            capture_distance(r, child, pawn, 1)};
    int value = 0, men = bit_count(position_occupied(child));
    r->check->captures++;
    for (int winner = 0; winner < 2; winner++)
        if (distance[winner] < DISTANCE_WON)
            file_check_error(r->check, child, "a distance after a capture");
    if (distance[0] == DISTANCE_WON && distance[1] == DISTANCE_WON)
        file_check_error(r->check, child, "both sides win");
    if (men > 5 || r->check->value == NULL || !r->check->value(r->check->context, child, &value))
        return;
    r->check->compared++;
    for (int winner = 0; winner < 2; winner++) {
        bool wins = value != 0 && (value > 0) == (winner == child->turn);
        if (distance[winner] == (wins ? DISTANCE_NONE : DISTANCE_WON))
            file_check_error(r->check, child, "%s %s here, but not in the tables",
                             winner ? "Black" : "White", wins ? "does not win" : "wins");
    }
}

/* ---- The result of the game ------------------------------------------------------------------ */

static void gather_move(MoveSummary *g, unsigned distance, bool capture)
{
    g->moves++;
    if (distance == DISTANCE_OPEN) {
        g->open++;
        g->open_captures += capture;
    }
    if (distance >= DISTANCE_OPEN) return;
    unsigned plies = capture ? 1 : distance + 1;
    if (g->sure == 0 || plies < g->least) g->least = plies;
    if (g->sure == 0 || plies > g->most) g->most = plies;
    g->sure++;
}

static unsigned expected_exact(CheckReader *r, const treb_position *pos, int winner,
                               const MoveSummary *g)
{
    bool loses = pos->turn != winner;
    if (g->moves == 0) return loses && position_in_check(pos) ? 0 : DISTANCE_NONE;
    if (loses && g->sure == g->moves) return g->most;
    if (loses) return g->sure + g->open == g->moves ? DISTANCE_OPEN : DISTANCE_NONE;
    if (g->sure == 0) return g->open ? DISTANCE_OPEN : DISTANCE_NONE;
    if (g->open_captures && g->least > 1) r->may_be_high = true;
    return g->least;
}

static void check_exact(CheckReader *r, const treb_position *pos)
{
    Move moves[MOVES_MAX];
    MoveSummary summary[2] = {{0}};
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
        if (capture) check_capture(r, &child, move_to(moves[i]));
        for (int winner = 0; winner < 2; winner++) {
            unsigned distance = capture ? capture_distance(r, &child, move_to(moves[i]), winner)
                                        : placement_distance(r, &child, winner);
            gather_move(&summary[winner], distance, capture);
        }
    }
    for (int winner = 0; winner < 2; winner++) {
        char has[16], wants[16];
        unsigned distance = placement_distance(r, pos, winner);
        unsigned expected = expected_exact(r, pos, winner, &summary[winner]);
        if (distance == DISTANCE_OPEN) r->may_be_high = true;
        if (distance != expected)
            file_check_error(r->check, pos, "%s for %s, but its moves say %s",
                             distance_text(distance, has), winner ? "Black" : "White",
                             distance_text(expected, wants));
    }
}

/* ---- A goal ---------------------------------------------------------------------------------- */

/* Whether a winner has reached the goal: distance 0. A legal capture is always of a pawn that
 * nothing defends. */
static bool at_goal(const TableBlocked *about, const treb_position *pos, int winner, int captures)
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
    MoveSummary g = {0};
    int count = movegen_legal(pos, moves), captures = 0;
    for (int i = 0; i < count; i++) {
        treb_position child;
        if (move_is_capture(pos, moves[i])) {
            captures++;
            continue;
        }
        position_make(pos, moves[i], &child);
        gather_move(&g, placement_distance(r, &child, winner), false);
    }
    if (at_goal(&r->h->blocked, pos, winner, captures)) return 0;
    if (pos->turn == winner) return g.sure ? g.least : DISTANCE_NONE;
    return g.sure > 0 && g.sure == g.moves && captures == 0 ? g.most : DISTANCE_NONE;
}

static void check_goal(CheckReader *r, const treb_position *pos)
{
    for (int winner = 0; winner < 2; winner++) {
        char has[16], wants[16];
        unsigned distance = placement_distance(r, pos, winner),
                 expected = expected_goal(r, pos, winner);
        if (distance != expected)
            file_check_error(r->check, pos, "%s for %s, but its moves say %s",
                             distance_text(distance, has), winner ? "Black" : "White",
                             distance_text(expected, wants));
    }
}

/* ---- The file -------------------------------------------------------------------------------- */

/* Counts the verdict of a placement. */
static void count_placement(CheckReader *r, const treb_position *pos)
{
    unsigned white = placement_distance(r, pos, TREB_WHITE),
             black = placement_distance(r, pos, TREB_BLACK);
    /* With a goal both sides may have a distance: the smaller one counts, White's if they are
     * equal. */
    unsigned plies = white <= black ? white : black;
    int winner = white <= black ? TREB_WHITE : TREB_BLACK;
    bool decided = plies < DISTANCE_OPEN;
    if (plies == DISTANCE_OPEN) {
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
    const TableBlocked *about = &r->h->blocked;
    for (int i = 0; i < 2 * BLOCKED_PLACEMENTS; i++) {
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

/* Checks the counts of the header. */
static void check_header(CheckReader *r)
{
    bool same = r->open[0] == r->h->blocked.open[0] && r->open[1] == r->h->blocked.open[1];
    for (int i = 0; i < 2 * WDL_VALUES; i++) {
        const TableSide *side = &r->h->side[i / WDL_VALUES];
        same = same && side->count[i % WDL_VALUES] == r->count[i / WDL_VALUES][i % WDL_VALUES] &&
               side->longest[i % WDL_VALUES] == r->longest[i / WDL_VALUES][i % WDL_VALUES];
    }
    const char *text = !same ? "the counts in its header are not those of its cells"
                       : r->may_be_high && !r->h->blocked.upper_bounds
                           ? "distances may be too high, which its header denies"
                           : NULL;
    if (text != NULL) file_check_error(r->check, NULL, "%s", text);
}

static treb_status check_table(const Table *table, const char *path, FileCheck *check)
{
    CheckReader r = {.check = check, .h = table_header(table)};
    treb_error why;
    if (r.h->metric != TABLE_BLOCKED || !table_header_names(r.h, path))
        return file_check_give_up(check, TREB_ERR_DAMAGED, "its content is a different table than its name says");
    uint16_t *cells = malloc(2 * (size_t)r.h->index.size * sizeof *cells);
    if (cells == NULL) return file_check_give_up(check, TREB_ERR_MEMORY, "out of memory");
    r.cell[0] = cells;
    r.cell[1] = cells + r.h->index.size;
    treb_status status = blocked_file_read_cells(table, r.cell, &why);
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

treb_status blocked_file_check(const char *path, FileCheck *check)
{
    treb_error why;
    Table *table = table_open(path, &why);
    if (table == NULL) return file_check_give_up(check, why.status, why.text);
    treb_status status = check_table(table, path, check);
    table_close(table);
    return status;
}
