/* search_walk.c - see search_walk.h.
 *
 * For each winner, and for "is won" and "is not won" each, the wanted cells start two trails, one
 * for each side to move. Quiet moves lead from the one trail to the other within the structure;
 * then edges lead out of it. A win is proven by positions that are won, a hold by positions that
 * are not won. So a trail leads only to cells that are guessed to be the same as its start. The
 * side that has the choice (the winner on trails of won cells, the other side on the others) needs
 * one move; for the other side all moves must be followed. */
#include "pawns/solve/search_walk.h"

#include <stdlib.h>
#include <string.h>

#include "pawns/solve/move_choice.h"
#include "pawns/solve/recapture.h"
#include "pawns/solve/wanted.h"

/* Most bytes of structures with pieces that a round takes in (but always one); a smaller limit
 * while structures with several pieces, which are large, may be taken in. */
enum { ROUND_BYTES = 256 << 20, ROUND_BYTES_SEVERAL = 64 << 20 };

/* Whether a structure is left to a later round. Of many large structures that might help, a few are
 * mostly enough: once they are solved the others are not needed any more. */
static bool put_off(Search *search, const EdgeChild *child)
{
    const bool few = search->pieces > 1 && !search->graph->limits.all;
    const uint64_t most = few ? ROUND_BYTES_SEVERAL : ROUND_BYTES;
    bool later = child->key.pieces > 0 && search->bytes > 0 &&
                 search->bytes + structure_bytes_most(&child->key) > most;
    search->put_off = search->put_off || later;
    return later;
}

/* Takes an unknown child in, if the round allows it. False if the graph failed. */
static bool take_in(Search *search, const EdgeChild *child)
{
    ProofGraph *graph = search->graph;
    if (child->beyond || child->key.pieces > search->pieces)
        search->missed++;
    else if (proof_graph_find(graph, &child->key) != NULL)
        return true;
    else if (!put_off(search, child) &&
             proof_graph_add(graph, &child->key, true, BOTH_WINNERS) != NULL) {
        search->added++;
        search->bytes += child->key.pieces > 0 ? structure_bytes_most(&child->key) : 0;
    } else
        search->missed++;
    return !graph->failed;
}

/* One trail: the cells of a structure with `side` to move that matter to whether `winner` wins. */
typedef struct Trail {
    Search *search;
    Structure *structure;
    int winner, side;
    bool won;        /* the cells are guessed to be won; else not to be won */
    uint64_t *cells; /* the trail */
    uint64_t *use;   /* those of its cells that use the current edge */
    uint64_t *room;  /* a set to work in */
} Trail;

/* Whether the side to move needs one move only. */
static bool trail_chooses(const Trail *t) { return (t->side == t->winner) == t->won; }

/* Whether some cells of an unknown child, `side` to move, are guessed to be won or not won as the
 * trail wants. */
static bool guessed_any(const Trail *t, const CellsKey *key, int side, const uint64_t *cells)
{
    Guess guess;
    uint64_t likely[CELLS_ROW];
    guess_start(&guess, key, t->winner);
    for (size_t row = 0; row < cells_rows(key); row++) {
        const uint64_t *at = cells + row * CELLS_ROW;
        if (!cells_row_any(at)) continue;
        guess_row(&guess, side, row, likely);
        for (int i = 0; i < CELLS_ROW; i++)
            if (at[i] & (t->won ? likely[i] : ~likely[i])) return true;
    }
    return false;
}

/* Follows the answers en passant to a double push; `cells` are those after the push. */
static bool follow_answers(const Trail *t, const Edge *edge, const uint64_t *cells)
{
    size_t words = cells_words(&edge->child.key);
    uint64_t *there = calloc(words, sizeof *there), any = 0;
    bool good = there != NULL;
    if (good) edge_successors_en_passant(edge, cells, there);
    for (size_t w = 0; w < words && good; w++) any |= there[w];
    for (int i = 0; i < edge->captures && good && any; i++) {
        const EdgeChild *answer = &edge->answer[i];
        if (answer->structure != NULL)
            good =
                wanted_add(t->search->graph, answer->structure, t->winner, t->side, there, t->won);
        else if (guessed_any(t, &answer->key, t->side, there))
            good = take_in(t->search, answer);
    }
    free(there);
    return good;
}

/* Whether the trail leaves out a promotion until the THOROUGH stages: promotions to less than a
 * queen hardly ever help the side that makes them. */
static bool skips(const Trail *t, const Edge *edge)
{
    if (t->search->breadth == THOROUGH || trail_chooses(t) || t->won) return false;
    for (int i = 0; i < edge->child.key.pieces; i++)
        if (edge->place[i] == EDGE_NEW && edge->child.key.piece[i].type != TREB_QUEEN) return true;
    return false;
}

/* Sets t->use to the cells from which the edge is guessed to lead to what the trail looks for.
 * After a double push the answers en passant may decide, so all cells with the push are taken. */
static void find_sought(const Trail *t, const Edge *edge)
{
    if (edge->captures > 0)
        edge_sources(t->structure, t->side, edge, t->use);
    else
        edge_guessed_sources(t->structure, t->side, edge, t->winner, t->won, t->room, t->use);
}

static bool any_used(const Trail *t)
{
    uint64_t any = 0;
    for (size_t w = 0; w < cells_words(&t->structure->key); w++) any |= t->use[w];
    return any != 0;
}

/* Sets t->use to the cells of the trail that use an edge; false if there are none. */
static bool find_users(const Trail *t, const Edge *edge)
{
    find_sought(t, edge);
    for (size_t w = 0; w < cells_words(&t->structure->key); w++) t->use[w] &= t->cells[w];
    return any_used(t);
}

/* For a promotion, by the side that does not choose, to an unknown structure: where a recapture of
 * the new piece leads to what the trail wants, the structure after the recapture is enough. Follows
 * it, and removes these cells from t->use. */
static bool follow_recaptures(const Trail *t, const Edge *edge)
{
    if (!edge->promotes || edge->child.structure != NULL || trail_chooses(t)) return true;
    const size_t words = cells_words(&t->structure->key), after = cells_words(&edge->answer->key);
    uint64_t *back = calloc(words + after, sizeof *back), *there = back + words, any = 0;
    if (back == NULL) return false;
    Structure *to = edge->answer->structure;
    const int level = to != NULL && structure_decided_for(to, t->winner) ? SURE : GUESS;
    recapture_predecessors(t->structure, t->side, edge, (RecaptureGoal){t->winner, level, t->won},
                           back);
    for (size_t w = 0; w < words; w++) {
        back[w] &= t->use[w];
        t->use[w] &= ~back[w];
        any |= back[w];
    }
    bool good = true;
    if (any != 0 && to != NULL) {
        recapture_successors(t->structure, t->side, edge, back, there);
        good = wanted_add(t->search->graph, to, t->winner, t->side, there, t->won);
    } else if (any != 0)
        good = take_in(t->search, edge->answer);
    free(back);
    return good;
}

/* Follows an edge from the cells t->use. */
static bool follow_edge(const Trail *t, const Edge *edge)
{
    Structure *to = edge->child.structure;
    if (edge->captures == 0 && to == NULL) return take_in(t->search, &edge->child);
    uint64_t *there = calloc(cells_words(&edge->child.key), sizeof *there);
    if (there == NULL) return false;
    edge_successors(t->structure, t->side, edge, t->use, there);
    bool good = true;
    if (to != NULL)
        good = wanted_add(t->search->graph, to, t->winner, !t->side, there, t->won);
    else if (guessed_any(t, &edge->child.key, !t->side, there))
        good = take_in(t->search, &edge->child);
    good = good && (edge->captures == 0 || follow_answers(t, edge, there));
    free(there);
    return good;
}

/* Whether an edge leads to nothing that is still open for a winner. */
static bool edge_closed(const Edge *edge, int winner)
{
    const Structure *to = edge->child.structure;
    return to != NULL && structure_decided_for(to, winner) && edge->captures == 0;
}

/* Follows the edges of a trail, those to known structures first. If the side to move chooses, each
 * cell follows one edge only and is removed from t->cells then. */
static bool follow_edges(const Trail *t)
{
    const Structure *f = t->structure;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < f->edges[t->side]; i++) {
            const Edge *edge = &f->edge[t->side][i];
            if ((edge->child.structure == NULL) != round || edge_closed(edge, t->winner)) continue;
            if (!find_users(t, edge)) continue;
            if (!follow_recaptures(t, edge)) return false;
            if (!any_used(t)) continue;
            if (round == 1 && edge->child.key.pieces > 1 && skips(t, edge)) {
                t->search->missed++;
                continue;
            }
            if (!follow_edge(t, edge)) return false;
            bool done = trail_chooses(t) && edge->captures == 0;
            for (size_t w = 0; w < cells_words(&f->key) && done; w++) t->cells[w] &= ~t->use[w];
        }
    return true;
}

/* The trails of both sides to move, which quiet moves connect. */
typedef struct Walk {
    Search *search;
    Structure *structure;
    int winner;
    bool won;
    uint64_t *cells[2];   /* by side to move: the trails */
    uint64_t *now[2];     /* their cells whose quiet moves were not followed yet */
    uint64_t *rows[2];    /* rows of `now` that are not empty */
    uint64_t *similar[2]; /* cells that are open and guessed as the trails want */
    uint64_t
        *stop; /* cells in which the side that chooses can use an edge and needs no quiet move */
    uint64_t *use, *room, *reach;
    /* Plies of the guessed win, loser to move, by which moves are chosen; NULL if they are not. */
    uint16_t *plies;
} Walk;

static bool walk_init(Walk *walk, Search *search, Structure *f)
{
    size_t words = cells_words(&f->key), row_words = cells_row_words(&f->key);
    uint64_t *at = calloc(9 * words + 3 * row_words, sizeof *at);
    *walk = (Walk){.search = search, .structure = f, .use = at};
    if (at == NULL) return false;
    walk->stop = at += words;
    walk->room = at += words;
    for (int side = 0; side < 2; side++) {
        walk->cells[side] = at += words;
        walk->now[side] = at += words;
        walk->similar[side] = at += words;
    }
    walk->rows[0] = at += words;
    walk->rows[1] = at += row_words;
    walk->reach = at += row_words;
    return true;
}

static void walk_free(Walk *walk)
{
    free(walk->use);
    free(walk->plies);
}

static Trail walk_trail(const Walk *walk, int side)
{
    return (Trail){walk->search, walk->structure,   walk->winner, side,
                   walk->won,    walk->cells[side], walk->use,    walk->room};
}

/* Starts the trails of a winner at the wanted cells; false if there are none. */
static bool walk_start(Walk *walk, int winner, bool won)
{
    const Structure *f = walk->structure;
    uint64_t any = 0;
    walk->winner = winner;
    walk->won = won;
    for (int side = 0; side < 2; side++) {
        memset(walk->rows[side], 0, cells_row_words(&f->key) * sizeof(uint64_t));
        for (size_t w = 0; w < cells_words(&f->key); w++) {
            walk->similar[side][w] = wanted_word(f, winner, side, w, won);
            uint64_t wanted = f->wanted[winner][side][w] & walk->similar[side][w];
            walk->now[side][w] = walk->cells[side][w] = wanted;
            if (wanted)
                walk->rows[side][w / CELLS_ROW / 64] |= square_bit((int)(w / CELLS_ROW % 64));
            any |= wanted;
        }
    }
    return any != 0;
}

/* Finds the cells in which an edge is enough for the side that chooses. */
static void find_stops(const Walk *walk)
{
    const Structure *f = walk->structure;
    int side = walk->won ? walk->winner : !walk->winner;
    Trail trail = walk_trail(walk, side);
    memset(walk->stop, 0, cells_words(&f->key) * sizeof *walk->stop);
    for (int i = 0; i < f->edges[side]; i++) {
        const Edge *edge = &f->edge[side][i];
        if (edge_closed(edge, walk->winner) || edge->captures > 0) continue;
        find_sought(&trail, edge);
        for (size_t w = 0; w < cells_words(&f->key); w++) walk->stop[w] |= walk->use[w];
    }
}

/* Finds the plies of the guessed wins, by which moves are chosen. False without memory. */
static bool find_plies(Walk *walk)
{
    const Structure *f = walk->structure;
    const int winner = walk->winner;
    size_t words = cells_words(&f->key);
    if (!walk->won || walk->search->breadth != NARROW) return true;
    if (walk->plies == NULL && (walk->plies = malloc(64 * words * sizeof *walk->plies)) == NULL)
        return false;
    memset(walk->plies, 0xff, 64 * words * sizeof *walk->plies);
    uint64_t *result = calloc(2 * words, sizeof *result);
    if (result == NULL) return false;
    Retrograde problem = {.key = &f->key,
                          .winner = winner,
                          .legal = {walk->similar[0], walk->similar[1]},
                          .won_at_1 = walk->stop,
                          .losable = walk->similar[!winner],
                          .won = result,
                          .lost = result + words};
    problem.plies[!winner] = walk->plies;
    bool good = retrograde_solve(&problem);
    free(result);
    return good;
}

/* Ors into walk->use the cells that the quiet moves of one side to be followed lead to. */
static void walk_moves(const Walk *walk, int side)
{
    const Structure *f = walk->structure;
    const bool chooses = (side == walk->winner) == walk->won;
    if (!chooses || walk->search->breadth != NARROW) {
        cells_quiet_moves(&f->key, side, walk->now[side], walk->rows[side], walk->use, walk->reach);
        return;
    }
    const MoveChoice choice = {&f->key,
                               side,
                               walk->now[side],
                               walk->similar[!side],
                               walk->cells[!side],
                               walk->won ? walk->plies : NULL};
    move_choice_find(&choice, walk->use);
}

/* Follows the quiet moves of one side. */
static void walk_ply(const Walk *walk, int side)
{
    const Structure *f = walk->structure;
    const size_t rows = cells_rows(&f->key), row_bytes = CELLS_ROW * sizeof(uint64_t);
    uint64_t *now = walk->now[side];
    const bool chooses = (side == walk->winner) == walk->won;
    cells_reached_rows(&f->key, side, walk->rows[side], walk->reach);
    for (size_t row = 0; (row = cells_next_row(&f->key, walk->reach, row)) < rows; row++)
        memset(walk->use + row * CELLS_ROW, 0, row_bytes);
    if (chooses)
        for (size_t w = 0; w < rows * CELLS_ROW; w++) now[w] &= ~walk->stop[w];
    walk_moves(walk, side);
    for (size_t row = 0; (row = cells_next_row(&f->key, walk->rows[side], row)) < rows; row++)
        memset(now + row * CELLS_ROW, 0, row_bytes);
    memset(walk->rows[side], 0, cells_row_words(&f->key) * sizeof(uint64_t));
    for (size_t row = 0; (row = cells_next_row(&f->key, walk->reach, row)) < rows; row++)
        for (size_t w = row * CELLS_ROW; w < (row + 1) * CELLS_ROW; w++) {
            uint64_t found = walk->use[w] & ~walk->cells[!side][w] & walk->similar[!side][w];
            if (found == 0) continue;
            walk->now[!side][w] |= found;
            walk->cells[!side][w] |= found;
            walk->rows[!side][row / 64] |= square_bit((int)(row % 64));
        }
}

static bool rows_any(const Structure *f, const uint64_t *rows)
{
    return cells_next_row(&f->key, rows, 0) < cells_rows(&f->key);
}

/* Follows the trails within the structure, then out of it. */
static bool walk_on(Walk *walk)
{
    find_stops(walk);
    if (!find_plies(walk)) return false;
    while (rows_any(walk->structure, walk->rows[0]) || rows_any(walk->structure, walk->rows[1]))
        for (int side = 0; side < 2; side++)
            if (rows_any(walk->structure, walk->rows[side])) walk_ply(walk, side);
    for (int side = 0; side < 2; side++) {
        Trail trail = walk_trail(walk, side);
        if (!follow_edges(&trail)) return false;
    }
    return true;
}

bool search_walk(Search *search, Structure *f)
{
    Walk walk;
    if (f->wanted[0][0] == NULL) return true;
    f->last_round = search->graph->round;
    if (f->only_winner != BOTH_WINNERS) {
        if (!proof_graph_widen(search->graph, f)) {
            wanted_end(search->graph, f);
            return !search->graph->failed;
        }
        search->added++;
    }
    if (!proof_graph_refresh(search->graph, f)) return false;
    bool good = walk_init(&walk, search, f);
    for (int i = 0; i < 4 && good; i++)
        if (walk_start(&walk, i >> 1, i & 1)) good = walk_on(&walk);
    wanted_end(search->graph, f);
    walk_free(&walk);
    return good;
}
