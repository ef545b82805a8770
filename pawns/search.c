/* search.c - looking for the families that are missing: see lattice.h. */
#include <stdlib.h>
#include <string.h>

#include "pawns/choice.h"
#include "pawns/lattice.h"
#include "pawns/retake.h"
#include "pawns/wanted.h"

/* How much of what might help is followed. Whoever is guessed to win, or to hold, needs one move: it follows one quiet
 * move from each position, or all; and promotions to less than a queen that the other side might make, or not. */
typedef enum Breadth { NARROW, BROAD, THOROUGH } Breadth;

/* Each stage is tried until it leads to nothing new. What a wide one would take in needlessly a narrow one before it
 * mostly leaves out. */
static const struct Stage {
    int men; /* pieces of families that may be taken in */
    Breadth breadth;
} stages[] = {{0, NARROW}, {1, NARROW}, {0, BROAD},    {0, THOROUGH}, {1, BROAD}, {1, THOROUGH},
              {2, NARROW}, {2, BROAD},  {2, THOROUGH}, {3, NARROW},   {3, BROAD}, {3, THOROUGH}};

/* Bytes of families with pieces that a round takes in, one at least; where those of several may be among them, which are
 * large, fewer. */
enum { ROUND_BYTES = 256 << 20, ROUND_BYTES_SEVERAL = 64 << 20 };

/* Families that a scout solves at first before it is the other's turn. */
enum { SCOUT_PATIENCE = 100000 };

/* What is tried without scouts. */
enum { FIRST_FAMILIES = 1000, FIRST_BYTES = 128 << 20 };

/* With less memory there are no scouts. */
enum { SCOUT_MEMORY = 64 << 20 };

typedef struct Search {
    Lattice *lattice;
    int men; /* pieces of families that may be taken in */
    Breadth breadth;
    uint64_t missed; /* needed ones that were not */
    uint64_t added;
    uint64_t bytes; /* of those added this round that have pieces */
    bool put_off;   /* more are left to a later round */
} Search;

/* Whether a family is better left to a later round. Of many large ones that might help a few
 * mostly do: with those solved the others are not asked for again. */
static bool put_off(Search *search, const EdgeChild *child)
{
    const bool few = search->men > 1 && !search->lattice->limits.all;
    const uint64_t most = few ? ROUND_BYTES_SEVERAL : ROUND_BYTES;
    bool later =
        child->key.men > 0 && search->bytes > 0 && search->bytes + family_bytes(&child->key) > most;
    search->put_off = search->put_off || later;
    return later;
}

/* Takes an unknown child in, if it may be. */
static bool take_in(Search *search, const EdgeChild *child)
{
    Lattice *lattice = search->lattice;
    if (child->beyond || child->key.men > search->men)
        search->missed++;
    else if (lattice_find(lattice, &child->key) != NULL)
        return true;
    else if (!put_off(search, child) &&
             lattice_add(lattice, &child->key, true, FAMILY_BOTH) != NULL) {
        search->added++;
        search->bytes += child->key.men > 0 ? family_bytes(&child->key) : 0;
    } else
        search->missed++;
    return !lattice->failed;
}

/* What is wanted of a family: in the game of one winner, one side to move, guessed to be won or
 * not. A win is proven by positions that are won, a hold by such as are not, so a trail leads only
 * to what is guessed to be the same. Whoever has the choice there needs one move; for the other all
 * must be looked at. */
typedef struct Trail {
    Search *search;
    Family *family;
    int winner, side;
    bool won;
    uint64_t *cells; /* of the family: where the trail is */
    uint64_t *use;   /* those of them that use an edge */
    uint64_t *room;
} Trail;

static bool trail_chooses(const Trail *t) { return (t->side == t->winner) == t->won; }

/* Whether some of a set of cells of an unknown child, `side` to move, are guessed to be as the trail would have them. */
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

/* Follows a double push on to the answers en passant; `cells` are those after it. */
static bool follow_answers(const Trail *t, const Edge *edge, const uint64_t *cells)
{
    size_t words = cells_words(&edge->child.key);
    uint64_t *there = calloc(words, sizeof *there), any = 0;
    bool good = there != NULL;
    if (good) edge_push_en_passant(edge, cells, there);
    for (size_t w = 0; w < words && good; w++) any |= there[w];
    for (int i = 0; i < edge->captures && good && any; i++) {
        const EdgeChild *answer = &edge->answer[i];
        if (answer->family != NULL)
            good = want(t->search->lattice, answer->family, t->winner, t->side, there, t->won);
        else if (guessed_any(t, &answer->key, t->side, there))
            good = take_in(t->search, answer);
    }
    free(there);
    return good;
}

/* A promotion that the trail need not look at before there is no other hope: whoever makes it
 * hardly does better by it than by a queen. */
static bool skips(const Trail *t, const Edge *edge)
{
    if (t->search->breadth == THOROUGH || trail_chooses(t) || t->won) return false;
    for (int i = 0; i < edge->child.key.men; i++)
        if (edge->place[i] == EDGE_NEW && edge->child.key.man[i].type != TREB_QUEEN) return true;
    return false;
}

/* Sets t->use to the cells from which the edge leads to what the trail looks for, as far as is known. The answers to a
 * double push may be what counts. */
static void find_sought(const Trail *t, const Edge *edge)
{
    if (edge->captures > 0)
        edge_use(t->family, t->side, edge, t->use);
    else
        edge_guess(t->family, t->side, edge, t->winner, t->won, t->room, t->use);
}

static bool any_used(const Trail *t)
{
    uint64_t any = 0;
    for (size_t w = 0; w < cells_words(&t->family->key); w++) any |= t->use[w];
    return any != 0;
}

/* The cells of the trail that use an edge; false if there are none. */
static bool find_users(const Trail *t, const Edge *edge)
{
    find_sought(t, edge);
    for (size_t w = 0; w < cells_words(&t->family->key); w++) t->use[w] &= t->cells[w];
    return any_used(t);
}

/* A promotion by the other side to an unknown family: where the new piece can be taken so that it is as the trail would
 * have it, what that leads to is enough, and `use` loses the cells. */
static bool follow_retakes(const Trail *t, const Edge *edge)
{
    if (!edge->promotes || edge->child.family != NULL || trail_chooses(t)) return true;
    const size_t words = cells_words(&t->family->key), after = cells_words(&edge->answer->key);
    uint64_t *back = calloc(words + after, sizeof *back), *there = back + words, any = 0;
    if (back == NULL) return false;
    Family *to = edge->answer->family;
    const int level = to != NULL && family_settled(to, t->winner) ? SURE : GUESS;
    retake_pull(t->family, t->side, edge, (RetakeGoal){t->winner, level, t->won}, back);
    for (size_t w = 0; w < words; w++) {
        back[w] &= t->use[w];
        t->use[w] &= ~back[w];
        any |= back[w];
    }
    bool good = true;
    if (any != 0 && to != NULL) {
        retake_push(t->family, t->side, edge, back, there);
        good = want(t->search->lattice, to, t->winner, t->side, there, t->won);
    } else if (any != 0)
        good = take_in(t->search, edge->answer);
    free(back);
    return good;
}

static bool follow_edge(const Trail *t, const Edge *edge)
{
    Family *to = edge->child.family;
    if (edge->captures == 0 && to == NULL) return take_in(t->search, &edge->child);
    uint64_t *there = calloc(cells_words(&edge->child.key), sizeof *there);
    if (there == NULL) return false;
    edge_push(t->family, t->side, edge, t->use, there);
    bool good = true;
    if (to != NULL)
        good = want(t->search->lattice, to, t->winner, !t->side, there, t->won);
    else if (guessed_any(t, &edge->child.key, !t->side, there))
        good = take_in(t->search, &edge->child);
    good = good && (edge->captures == 0 || follow_answers(t, edge, there));
    free(there);
    return good;
}

/* Where all is known of a winner there is nothing more to look for. */
static bool edge_closed(const Edge *edge, int winner)
{
    const Family *to = edge->child.family;
    return to != NULL && family_settled(to, winner) && edge->captures == 0;
}

/* Follows the edges: all of them or, by choice, for each cell the first, rather to known families.
 * What is left in t->cells found none. */
static bool follow_edges(const Trail *t)
{
    const Family *f = t->family;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < f->edges[t->side]; i++) {
            const Edge *edge = &f->edge[t->side][i];
            if ((edge->child.family == NULL) != round || edge_closed(edge, t->winner)) continue;
            if (!find_users(t, edge)) continue;
            if (!follow_retakes(t, edge)) return false;
            if (!any_used(t)) continue;
            if (round == 1 && edge->child.key.men > 1 && skips(t, edge)) {
                t->search->missed++;
                continue;
            }
            if (!follow_edge(t, edge)) return false;
            bool settled = trail_chooses(t) && edge->captures == 0;
            for (size_t w = 0; w < cells_words(&f->key) && settled; w++) t->cells[w] &= ~t->use[w];
        }
    return true;
}

/* Both sides' trails of one winner: quiet moves lead from the one to the other. */
typedef struct Walk {
    Search *search;
    Family *family;
    int winner;
    bool won;
    uint64_t *cells[2]; /* by side to move: where the trails lead */
    uint64_t *now[2];   /* those of them from which no quiet moves were followed yet */
    uint64_t *rows[2];  /* the rows of `now` */
    uint64_t *alike[2]; /* what is open and guessed as the trails are */
    uint64_t *stop;     /* where whoever has the choice needs no quiet move */
    uint64_t *use, *room, *reach;
    uint16_t *
        rank; /* plies of the guessed win with the other to move; NULL unless one move is chosen by it */
} Walk;

static bool walk_init(Walk *walk, Search *search, Family *f)
{
    size_t words = cells_words(&f->key), row_words = cells_row_words(&f->key);
    uint64_t *at = calloc(9 * words + 3 * row_words, sizeof *at);
    *walk = (Walk){.search = search, .family = f, .use = at};
    if (at == NULL) return false;
    walk->stop = at += words;
    walk->room = at += words;
    for (int side = 0; side < 2; side++) {
        walk->cells[side] = at += words;
        walk->now[side] = at += words;
        walk->alike[side] = at += words;
    }
    walk->rows[0] = at += words;
    walk->rows[1] = at += row_words;
    walk->reach = at += row_words;
    return true;
}

static void walk_free(Walk *walk)
{
    free(walk->use);
    free(walk->rank);
}

static Trail walk_trail(const Walk *walk, int side)
{
    return (Trail){walk->search, walk->family,      walk->winner, side,
                   walk->won,    walk->cells[side], walk->use,    walk->room};
}

/* Starts from what is wanted; false if there is nothing. */
static bool walk_start(Walk *walk, int winner, bool won)
{
    const Family *f = walk->family;
    uint64_t any = 0;
    walk->winner = winner;
    walk->won = won;
    for (int side = 0; side < 2; side++) {
        memset(walk->rows[side], 0, cells_row_words(&f->key) * sizeof(uint64_t));
        for (size_t w = 0; w < cells_words(&f->key); w++) {
            walk->alike[side][w] = word_guessed(f, winner, side, w, won);
            uint64_t wanted = f->wanted[winner][side][w] & walk->alike[side][w];
            walk->now[side][w] = walk->cells[side][w] = wanted;
            if (wanted)
                walk->rows[side][w / CELLS_ROW / 64] |= square_bit((int)(w / CELLS_ROW % 64));
            any |= wanted;
        }
    }
    return any != 0;
}

/* Finds where an edge does for whoever has the choice. */
static void find_stops(const Walk *walk)
{
    const Family *f = walk->family;
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

/* How soon the guessed win comes, by which its moves are chosen. */
static bool find_ranks(Walk *walk)
{
    const Family *f = walk->family;
    const int winner = walk->winner;
    size_t words = cells_words(&f->key);
    if (!walk->won || walk->search->breadth != NARROW) return true;
    if (walk->rank == NULL && (walk->rank = malloc(64 * words * sizeof *walk->rank)) == NULL)
        return false;
    memset(walk->rank, 0xff, 64 * words * sizeof *walk->rank);
    uint64_t *result = calloc(2 * words, sizeof *result);
    if (result == NULL) return false;
    Game game = {.key = &f->key,
                 .winner = winner,
                 .legal = {walk->alike[0], walk->alike[1]},
                 .won_at_1 = walk->stop,
                 .losable = walk->alike[!winner],
                 .won = result,
                 .lost = result + words};
    game.rank[!winner] = walk->rank;
    bool good = game_solve(&game);
    free(result);
    return good;
}

/* What the quiet moves of one side lead to that are to be followed; into `use`. */
static void walk_moves(const Walk *walk, int side)
{
    const Family *f = walk->family;
    const bool chooses = (side == walk->winner) == walk->won;
    if (!chooses || walk->search->breadth != NARROW) {
        cells_unmove(&f->key, side, walk->now[side], walk->rows[side], walk->use, walk->reach);
        return;
    }
    const Choice choice = {&f->key,
                           side,
                           walk->now[side],
                           walk->alike[!side],
                           walk->cells[!side],
                           walk->won ? walk->rank : NULL};
    choose_moves(&choice, walk->use);
}

/* Follows the quiet moves of one side. */
static void walk_ply(const Walk *walk, int side)
{
    const Family *f = walk->family;
    const size_t rows = cells_rows(&f->key), row_bytes = CELLS_ROW * sizeof(uint64_t);
    uint64_t *now = walk->now[side];
    const bool chooses = (side == walk->winner) == walk->won;
    cells_reach_rows(&f->key, side, walk->rows[side], walk->reach);
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
            uint64_t found = walk->use[w] & ~walk->cells[!side][w] & walk->alike[!side][w];
            if (found == 0) continue;
            walk->now[!side][w] |= found;
            walk->cells[!side][w] |= found;
            walk->rows[!side][row / 64] |= square_bit((int)(row % 64));
        }
}

static bool rows_any(const Family *f, const uint64_t *rows)
{
    return cells_next_row(&f->key, rows, 0) < cells_rows(&f->key);
}

/* Follows the trails of one winner within the family, then out of it. */
static bool walk_on(Walk *walk)
{
    find_stops(walk);
    if (!find_ranks(walk)) return false;
    while (rows_any(walk->family, walk->rows[0]) || rows_any(walk->family, walk->rows[1]))
        for (int side = 0; side < 2; side++)
            if (rows_any(walk->family, walk->rows[side])) walk_ply(walk, side);
    for (int side = 0; side < 2; side++) {
        Trail trail = walk_trail(walk, side);
        if (!follow_edges(&trail)) return false;
    }
    return true;
}

static bool search_family(Search *search, Family *f)
{
    Walk walk;
    if (f->wanted[0][0] == NULL) return true;
    f->met = search->lattice->round;
    if (f->only != FAMILY_BOTH) {
        if (!lattice_widen(search->lattice, f)) {
            wanted_end(search->lattice, f);
            return !search->lattice->failed;
        }
        search->added++;
    }
    if (!lattice_refresh(search->lattice, f)) return false;
    bool good = walk_init(&walk, search, f);
    for (int i = 0; i < 4 && good; i++)
        if (walk_start(&walk, i >> 1, i & 1)) good = walk_on(&walk);
    wanted_end(search->lattice, f);
    walk_free(&walk);
    return good;
}

static bool wanted_one(uint64_t *const wanted[2], size_t words)
{
    int count = 0;
    for (size_t w = 0; w < words; w++) count += bit_count(wanted[0][w]) + bit_count(wanted[1][w]);
    return count == 1;
}

/* Wants what was asked of a family. Of one position, that the other side does not win follows from a win, and where one
 * is guessed it is looked for only when nothing else is left. */
static bool want_guessed(const Search *search, Family *f, uint64_t *const wanted[2])
{
    const size_t words = cells_words(&f->key);
    uint64_t *cells = malloc(words * sizeof *cells);
    bool good = cells != NULL, one = wanted != NULL && wanted_one(wanted, words);
    for (int i = 0; i < 8 && good; i++) {
        const int winner = i >> 2, side = i >> 1 & 1;
        const bool won = i & 1;
        for (size_t w = 0; w < words; w++) {
            cells[w] = wanted != NULL ? wanted[side][w] : UINT64_MAX;
            if (one && !won && search->breadth == NARROW)
                cells[w] &= ~word_guessed(f, !winner, side, w, true);
        }
        good = want(search->lattice, f, winner, side, cells, won);
    }
    free(cells);
    return good;
}

/* One round: takes in what undecided cells lead to. */
static bool search_round(Search *search, Family *family, uint64_t *const wanted[2], bool all,
                         bool *done)
{
    Lattice *lattice = search->lattice;
    search->missed = search->added = search->bytes = 0;
    search->put_off = false;
    if (!lattice_update(lattice, all)) return false;
    if (!want_guessed(search, family, wanted)) return false;
    *done = family->wanted[0][0] == NULL;
    for (int p = LATTICE_POTENTIALS - 1; p >= 0 && !*done; p--)
        for (int i = 0; i < lattice->count[p]; i++) {
            Family *f = lattice->by_potential[p][i];
            if (f->wanted[0][0] != NULL && lattice_stopped(lattice)) return false;
            if (search->put_off && f->key.men > 0)
                wanted_end(lattice, f);
            else if (!search_family(search, f))
                return false;
        }
    return true;
}

/* ---- The scout's word ------------------------------------------------------------------------ */

/* The only wanted cell of a family; false if there are several. */
static bool one_wanted(const Family *f, uint64_t *const wanted[2], Cell *cell, int *side)
{
    const size_t words = cells_words(&f->key);
    if (wanted == NULL || !wanted_one(wanted, words)) return false;
    for (*side = 0; *side < 2; ++*side)
        for (size_t w = 0; w < words; w++)
            if (wanted[*side][w] != 0) {
                *cell = w << 6 | (Cell)bit_first(wanted[*side][w]);
                return true;
            }
    return false;
}

/* Takes in what a scout found. Of families with pieces no more is needed than what `winner` surely wins, which is found for
 * all cells at once in less time than tables are asked for those of one edge. */
static bool take_scouted(Lattice *lattice, const CellsKey *keys, size_t count, int winner)
{
    for (size_t i = 0; i < count; i++) {
        const CellsKey *key = &keys[i];
        Family *known = lattice_find(lattice, key);
        if (known != NULL &&
            (known->only == FAMILY_BOTH || known->only == winner || lattice_widen(lattice, known)))
            continue;
        if (known != NULL) return !lattice->failed;
        const bool pawns = key->men == 0;
        if (lattice_add(lattice, key, pawns, pawns ? FAMILY_BOTH : winner) == NULL)
            return !lattice->failed;
    }
    return true;
}

/* What a scout may hold: the lattice needs memory, too, and what it and the other scout have is theirs. */
static uint64_t scout_memory(const Lattice *lattice, int winner)
{
    const uint64_t all = lattice->limits.memory, most = all / 8 * 3;
    const uint64_t held = lattice_held(lattice) - scout_bytes(lattice->scout[winner]);
    const uint64_t left = held < all ? all - held : 0;
    return left < most ? left : most;
}

/* One scout's turn. False if that failed or was stopped. */
static bool ask_scout(Lattice *lattice, const Family *family, Cell cell, int side, int winner,
                      uint64_t patience, ScoutResult *result)
{
    const ScoutLimits limits = {scout_memory(lattice, winner), lattice->limits.stop,
                                lattice->limits.stop_context};
    CellsKey *keys;
    size_t count;
    if (lattice->scout[winner] == NULL)
        lattice->scout[winner] = scout_new(&family->key, winner, &limits);
    if (lattice->scout[winner] == NULL) {
        lattice->unscouted = true;
        *result = SCOUT_NO_MEMORY;
        return true;
    }
    scout_allow(lattice->scout[winner], limits.memory);
    *result = scout_win(lattice->scout[winner], &family->key, cell, side, patience, &keys, &count);
    if (*result == SCOUT_STOPPED) lattice->stopped = true;
    bool good = !lattice->stopped;
    if (*result == SCOUT_WON) {
        lattice->favourite = winner;
        good = take_scouted(lattice, keys, count, winner);
    }
    free(keys);
    return good;
}

/* Whether scouts can tell who wins what is wanted: one position, its cell and the side to move then. */
static bool can_scout(const Lattice *lattice, const Family *f, uint64_t *const wanted[2],
                      Cell *cell, int *side)
{
    const LatticeLimits *limits = &lattice->limits;
    return !lattice->unscouted && !limits->all && limits->men > 0 &&
           limits->memory >= SCOUT_MEMORY && f->key.men == 0 && one_wanted(f, wanted, cell, side);
}

/* Asks the scouts in turns who wins a position, and takes in what that rests on, which the search then solves. False if
 * that failed or was stopped. */
static bool ask_scouts(Lattice *lattice, const Family *family, Cell cell, int side)
{
    bool asked[2] = {false, false}; /* to the end */
    for (uint64_t patience = SCOUT_PATIENCE; !lattice->unscouted && !(asked[0] && asked[1]);
         patience *= 2)
        for (int i = 0; i < 2 && !lattice->unscouted; i++) {
            const int winner = i == 0 ? lattice->favourite : !lattice->favourite;
            ScoutResult result;
            if (asked[winner]) continue;
            if (!ask_scout(lattice, family, cell, side, winner, patience, &result)) return false;
            if (result == SCOUT_WON) return true;
            asked[winner] = result != SCOUT_UNDECIDED;
        }
    return true;
}

/* Goes through the stages until all that is wanted is decided, or nothing leads on, or there are as many families and
 * bytes as a first try may take. False if it failed or was stopped. */
static bool search_stages(Lattice *lattice, Family *family, uint64_t *const wanted[2],
                          uint64_t families, uint64_t bytes, bool *done)
{
    Search search = {.lattice = lattice};
    for (size_t i = 0; i < sizeof stages / sizeof *stages && !*done; i++) {
        if (stages[i].men > lattice->limits.men) continue;
        search.men = stages[i].men;
        search.breadth = stages[i].breadth;
        /* Only what the search meets is solved again, until that leads to nothing new. */
        for (bool all = true; !*done; all = search.added == 0) {
            if (lattice->families > families || lattice->bytes > bytes) return true;
            if (!search_round(&search, family, wanted, all, done)) return false;
            if (all && search.added == 0) break;
        }
        if (search.missed == 0 && search.breadth != NARROW) break;
    }
    return true;
}

bool lattice_resolve(Lattice *lattice, Family *family, uint64_t *const wanted[2])
{
    bool done = false, good = true;
    Cell cell;
    int side;
    if (!lattice_sound(lattice)) return false;
    if (can_scout(lattice, family, wanted, &cell, &side)) {
        /* What is found at once needs no scouts. */
        good = search_stages(lattice, family, wanted, lattice->families + FIRST_FAMILIES,
                             lattice->bytes + FIRST_BYTES, &done);
        good = good && (done || ask_scouts(lattice, family, cell, side));
    }
    good = good && (done || search_stages(lattice, family, wanted, UINT64_MAX, UINT64_MAX, &done));
    if (!good) lattice->failed = lattice->failed || !lattice->stopped;
    return good;
}
