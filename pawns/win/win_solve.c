/* win_solve.c - see win_solve.h. */
#include "pawns/win/win_solve.h"

#include <stdlib.h>
#include <string.h>

#include "pawns/cells/retrograde.h"

/* Sets of cells of the structure. */
typedef struct Sets {
    uint64_t *legal[2], *check;
    uint64_t *win;    /* White has an edge that wins */
    uint64_t *escape; /* Black has an edge that does not lose */
    uint64_t *room, *won, *lost;
} Sets;

static void sets_start(Sets *s, uint64_t *at, size_t words)
{
    uint64_t **set[WIN_SETS] = {&s->legal[0], &s->legal[1], &s->check, &s->win,
                                &s->escape,   &s->room,     &s->won,   &s->lost};
    memset(at, 0, WIN_SETS * words * sizeof *at);
    for (int i = 0; i < WIN_SETS; i++, at += words) *set[i] = at;
}

/* ---- White's edges --------------------------------------------------------------------------- */

static void win_by_pawn(const CellsKey *key, const ConversionKind *kind, const WinStructure *to,
                        uint64_t *win)
{
    const uint64_t path = win_edge_path(kind);
    uint64_t room[CELLS_ROW];
    for (size_t row = 0; row < cells_rows(key); row++) {
        if (key->pieces > 0 && bit_test(path | cells_pawns(key), (int)row)) continue;
        const uint64_t *lost = win_lost_row(to, kind->promo != 0 ? (size_t)kind->to : row, room);
        for (int king = 0; king < CELLS_ROW; king++)
            if (!bit_test(path, king)) win[row * CELLS_ROW + king] |= lost[king] & ~path;
    }
}

static void win_by_king(const CellsKey *key, const ConversionKind *kind, const WinStructure *to,
                        uint64_t *win)
{
    uint64_t room[CELLS_ROW];
    for (size_t row = 0; row < cells_rows(key); row++) {
        if (key->pieces > 0 && bit_test(cells_pawns(key), (int)row)) continue;
        const uint64_t *lost = win_lost_row(to, row, room);
        for (uint64_t from = king_attacks(kind->to); from != 0;)
            win[row * CELLS_ROW + (size_t)bit_pop(&from)] |= lost[kind->to];
    }
}

static void win_by_queen(const CellsKey *key, const ConversionKind *kind, const WinStructure *to,
                         uint64_t *win)
{
    uint64_t room[CELLS_ROW];
    cells_piece_predecessors(key, 0, (size_t)kind->to, win_lost_row(to, (size_t)kind->to, room),
                             win);
}

/* ---- Black's edges --------------------------------------------------------------------------- */

/* Whether Black can leave a row by an edge of a pawn, whose path is given, or of the king. */
static bool row_has(const CellsKey *key, const ConversionKind *kind, size_t row, uint64_t path)
{
    if (key->pieces == 0) return true;
    if (kind->victim == 0) return kind->mover == CONVERSION_KING || (int)row == kind->to;
    return !bit_test(path | cells_pawns(key), (int)row);
}

/* Ors into `out` the cells of a row from which a black edge leads to `set`, a row of cells with
 * White to move. */
static void add_predecessors(const ConversionKind *kind, size_t row, const uint64_t *set,
                             uint64_t *out)
{
    if (kind->mover == CONVERSION_PAWN) {
        const uint64_t path = win_edge_path(kind);
        for (int king = 0; king < CELLS_ROW; king++)
            out[king] |= bit_test(path, king) ? 0 : set[king] & ~path;
        return;
    }
    const int square = kind->victim == 0 ? (int)row : kind->to;
    for (int king = 0; king < CELLS_ROW; king++)
        out[king] |= king_attacks(square) & -(set[king] >> square & 1);
}

static void escape(const CellsKey *key, const WinEdge *edge, const WinStructure *to,
                   uint64_t *escapes)
{
    const ConversionKind *kind = &edge->kind;
    const uint64_t path = kind->mover == CONVERSION_PAWN ? win_edge_path(kind) : 0;
    uint64_t room[CELLS_ROW];
    for (size_t row = 0; row < cells_rows(key); row++)
        if (row_has(key, kind, row, path))
            add_predecessors(kind, row, win_not_won_row(to, kind->victim == 0 ? 0 : row, room),
                             escapes + row * CELLS_ROW);
}

/* Sets `any` to the cells of one row in which Black has an edge. */
static void find_any_edge(const CellsKey *key, size_t row, const uint64_t *legal,
                          uint64_t any[CELLS_ROW])
{
    WinEdge edge[WIN_EDGES_MAX];
    const int edges = win_edges(key, TREB_BLACK, edge);
    memset(any, 0, CELLS_ROW * sizeof *any);
    for (int i = 0; i < edges; i++) {
        const ConversionKind *kind = &edge[i].kind;
        uint64_t there[CELLS_ROW];
        if (kind->promo != 0) {
            for (int king = 0; king < CELLS_ROW; king++)
                any[king] |= win_promotes(key, &edge[i], row, king, legal[king]);
        } else if (row_has(key, kind, row,
                           kind->mover == CONVERSION_PAWN ? win_edge_path(kind) : 0)) {
            cells_legal_row(&edge[i].to, TREB_WHITE, kind->victim == 0 ? 0 : row, there);
            add_predecessors(kind, row, there, any);
        }
    }
}

/* Removes stalemates from the positions that Black can lose: no quiet move, no edge and no check.
 * `s->room` has the cells with a quiet move. */
static void remove_stalemates(const CellsKey *key, const Sets *s, uint64_t *losable)
{
    uint64_t any[CELLS_ROW];
    for (size_t row = 0; row < cells_rows(key); row++) {
        uint64_t stuck[CELLS_ROW], some = 0;
        for (int i = 0; i < CELLS_ROW; i++) {
            const size_t w = row * CELLS_ROW + i;
            some |= stuck[i] = s->legal[TREB_BLACK][w] & losable[w] & ~s->room[w] & ~s->check[w];
        }
        if (some == 0) continue;
        find_any_edge(key, row, s->legal[TREB_BLACK] + row * CELLS_ROW, any);
        for (int i = 0; i < CELLS_ROW; i++) losable[row * CELLS_ROW + i] &= ~(stuck[i] & ~any[i]);
    }
}

/* A promotion of Black is an escape unless White can capture the new piece and still win. `after`
 * is the structure after the capture. */
static void escape_by_promotion(const CellsKey *key, const WinEdge *edge, const WinStructure *after,
                                const Sets *s)
{
    const int square = edge->kind.to;
    uint64_t room[CELLS_ROW];
    memset(s->room, 0, cells_words(key) * sizeof *s->room);
    if (after->key.pieces > 0)
        cells_piece_predecessors(&after->key, 0, (size_t)square,
                                 win_lost_row(after, (size_t)square, room), s->room);
    for (size_t row = 0; row < cells_rows(key); row++) {
        if (key->pieces > 0 && bit_test(cells_pawns(key), (int)row)) continue;
        const uint64_t lost = win_lost_row(after, after->key.pieces > 0 ? row : 0, room)[square];
        for (int king = 0; king < CELLS_ROW; king++) {
            const size_t w = row * CELLS_ROW + king;
            const uint64_t can = win_promotes(key, edge, row, king, s->legal[TREB_BLACK][w]);
            const uint64_t taken = s->room[w] | (bit_test(king_attacks(square), king) ? lost : 0);
            s->escape[w] |= can & ~taken;
        }
    }
}

/* ---- Pawns alone ----------------------------------------------------------------------------- */

enum { FAR = RETROGRADE_FAR, GUESSED = 12 };

/* Sets `plies`, by cell with White to move, to the plies to White's promotion that her edges
 * allow. */
static void find_plies(const WinSearch *search, const WinStructure *f, const Sets *s,
                       uint8_t plies[64 * CELLS_ROW])
{
    WinEdge edge[WIN_EDGES_MAX];
    memset(plies, FAR, 64 * CELLS_ROW);
    const int edges = win_edges(&f->key, TREB_WHITE, edge);
    for (int i = 0; i < edges; i++) {
        const ConversionKind *kind = &edge[i].kind;
        const WinStructure *to = search->structure[f->child[i]];
        uint64_t room[CELLS_ROW];
        const bool king = kind->mover == CONVERSION_KING;
        const uint64_t path = king ? 0 : win_edge_path(kind),
                       from = king ? king_attacks(kind->to) : ~path;
        const uint64_t *lost = win_lost_row(to, kind->promo != 0 ? (size_t)kind->to : 0, room);
        for (uint64_t left = from; left != 0;) {
            const int at = bit_pop(&left), there = king ? kind->to : at;
            for (uint64_t cells = lost[there] & s->win[at] & ~path; cells != 0;) {
                const int black = bit_pop(&cells);
                int n = to->key.pieces > 0  ? 1
                        : to->plies == NULL ? GUESSED
                                            : win_plies(to, there, black) + 1;
                if (n > FAR - 1) n = FAR - 1;
                if (n < plies[64 * at + black]) plies[64 * at + black] = (uint8_t)n;
            }
        }
    }
}

/* Cells with White to move, sorted by these plies: those of ply n begin at `first[n]`. */
typedef struct Due {
    uint16_t first[FAR + 1], cell[64 * CELLS_ROW];
} Due;

static void sort_due(const uint64_t *win, const uint8_t plies[64 * CELLS_ROW], Due *due)
{
    uint16_t next[FAR + 1] = {0};
    memset(due->first, 0, sizeof due->first);
    for (int i = 0; i < CELLS_ROW; i++)
        for (uint64_t left = win[i]; left != 0;) due->first[plies[64 * i + bit_pop(&left)]]++;
    for (int n = 0, sum = 0; n <= FAR; n++) {
        next[n] = (uint16_t)sum;
        sum += due->first[n];
        due->first[n] = next[n];
    }
    for (int i = 0; i < CELLS_ROW; i++)
        for (uint64_t left = win[i]; left != 0;) {
            const int cell = 64 * i + bit_pop(&left);
            due->cell[next[plies[cell]]++] = (uint16_t)cell;
        }
}

/* Solves a structure without a queen, ply by ply; `found` gets the plies of the cells that Black
 * loses. */
static void solve_pawns(const WinSearch *search, const WinStructure *f, const Sets *s,
                        const uint64_t *losable, uint8_t found[64 * CELLS_ROW])
{
    uint8_t plies[64 * CELLS_ROW];
    Due due;
    uint64_t not_won[CELLS_ROW], open[CELLS_ROW], reach[CELLS_ROW], fresh[CELLS_ROW] = {0};
    for (int i = 0; i < CELLS_ROW; i++) {
        s->win[i] &= s->legal[TREB_WHITE][i];
        not_won[i] = s->legal[TREB_WHITE][i];
        open[i] = s->legal[TREB_BLACK][i] & losable[i];
    }
    find_plies(search, f, s, plies);
    sort_due(s->win, plies, &due);
    bool won = true, lost = false;
    for (int n = 0; n < FAR; n++) {
        uint64_t any = 0;
        /* Losses of this ply depend on the wins of earlier plies. */
        if (won) {
            memset(reach, 0, sizeof reach);
            cells_quiet_moves(&f->key, TREB_BLACK, not_won, NULL, reach, NULL);
        }
        uint64_t losses[CELLS_ROW];
        for (int i = 0; i < CELLS_ROW; i++) {
            losses[i] = won ? open[i] & ~reach[i] : 0;
            open[i] &= ~losses[i];
            s->lost[i] |= losses[i];
            for (uint64_t left = losses[i]; left != 0;) found[64 * i + bit_pop(&left)] = (uint8_t)n;
        }
        /* Wins of this ply depend on the losses of the ply before, and on White's edges. */
        memset(reach, 0, sizeof reach);
        if (lost) cells_quiet_moves(&f->key, TREB_WHITE, fresh, NULL, reach, NULL);
        for (int i = due.first[n]; i < due.first[n + 1]; i++)
            reach[due.cell[i] >> 6] |= square_bit(due.cell[i] & 63);
        won = false;
        for (int i = 0; i < CELLS_ROW; i++) {
            const uint64_t wins = reach[i] & not_won[i];
            not_won[i] &= ~wins;
            s->won[i] |= wins;
            any |= wins;
        }
        won = any != 0;
        any = 0;
        for (int i = 0; i < CELLS_ROW; i++) any |= fresh[i] = losses[i];
        lost = any != 0;
        if (!won && !lost && due.first[n + 1] == due.first[FAR]) break;
    }
}

/* ---- The structure
 * ------------------------------------------------------------------------------ */

/* Finds what the edges of both sides come to. */
static void find_edges(const WinSearch *search, const WinStructure *f, const Sets *s)
{
    WinEdge edge[WIN_EDGES_MAX];
    const CellsKey *key = &f->key;
    const int edges = win_edges(key, TREB_WHITE, edge);
    for (int i = 0; i < edges; i++) {
        const WinStructure *to = search->structure[f->child[i]];
        if (edge[i].kind.mover == CONVERSION_PAWN)
            win_by_pawn(key, &edge[i].kind, to, s->win);
        else if (edge[i].kind.mover == CONVERSION_KING)
            win_by_king(key, &edge[i].kind, to, s->win);
        else
            win_by_queen(key, &edge[i].kind, to, s->win);
    }
    const int others = win_edges(key, TREB_BLACK, edge);
    for (int i = 0; i < others; i++) {
        const WinStructure *to = search->structure[f->child[edges + i]];
        if (edge[i].kind.promo != 0)
            escape_by_promotion(key, &edge[i], to, s);
        else
            escape(key, &edge[i], to, s->escape);
    }
}

/* Keeps the plies of a structure without a queen, whose sets are final. False without memory. */
static bool keep_plies(WinSearch *search, WinStructure *f, const uint8_t found[64 * CELLS_ROW])
{
    int count = 0, had = f->plies != NULL ? f->before[CELLS_ROW] : 0;
    for (int i = 0; i < CELLS_ROW; i++) {
        f->before[i] = (uint16_t)count;
        count += bit_count(f->lost[i]);
    }
    f->before[CELLS_ROW] = (uint16_t)count;
    uint8_t *plies = realloc(f->plies, (size_t)count + 1);
    if (plies == NULL) return false;
    __atomic_fetch_add(&search->bytes, (uint64_t)(count - had), __ATOMIC_RELAXED);
    f->plies = plies;
    for (int i = 0; i < CELLS_ROW; i++)
        for (uint64_t left = f->lost[i]; left != 0;) *plies++ = found[64 * i + bit_pop(&left)];
    return true;
}

/* Solves a structure with a queen. */
static bool solve_queen(const WinStructure *f, const Sets *s, const uint64_t *losable,
                        uint8_t *plies, uint64_t *work)
{
    const Retrograde problem = {.key = &f->key,
                                .winner = TREB_WHITE,
                                .legal = {s->legal[0], s->legal[1]},
                                .won_at_1 = s->win,
                                .losable = losable,
                                .won = s->won,
                                .lost = s->lost,
                                .lost_plies = plies,
                                .work = work};
    return retrograde_solve(&problem);
}

bool win_solve(WinSearch *search, WinStructure *f, uint8_t *plies)
{
    const size_t words = cells_words(&f->key);
    Sets s;
    WinBuffers *buffers = win_buffers(search);
    if (buffers == NULL) return false;
    win_structure_forget_exits(search, f);
    sets_start(&s, buffers->sets, words);
    uint64_t *check[2] = {s.room, s.check};
    cells_legal(&f->key, s.legal, check);
    find_edges(search, f, &s);
    memset(s.room, 0, words * sizeof *s.room);
    cells_quiet_moves(&f->key, TREB_BLACK, s.legal[TREB_WHITE], NULL, s.room, NULL);
    uint64_t *losable = s.escape;
    for (size_t w = 0; w < words; w++) losable[w] = ~s.escape[w];
    remove_stalemates(&f->key, &s, losable);
    uint8_t found[64 * CELLS_ROW];
    bool good = true;
    if (f->key.pieces == 0)
        solve_pawns(search, f, &s, losable, found);
    else
        good = solve_queen(f, &s, losable, f->plies != NULL ? f->plies : plies, buffers->work);
    for (size_t w = 0; w < words; w++) s.won[w] = s.legal[TREB_WHITE][w] & ~s.won[w];
    memcpy(f->not_won, s.won,
           2 * words * sizeof *s.won); /* f->lost, too: it comes next, like s.lost */
    if (f->key.pieces == 0) good = keep_plies(search, f, found);
    f->unsolved = false;
    __atomic_fetch_add(&search->solved, f->key.pieces > 0 ? WIN_QUEEN_COST : 1, __ATOMIC_RELAXED);
    return good;
}
