/* solve.c - see solve.h. */
#include "pawns/solve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"

enum { PIECES_A_SIDE = 1, LINE_PIECES = 1 };

/* Of the memory: what distances take, and then those of a line; and what the program takes for itself, unless that is
 * more than an eighth. */
enum { DISTANCES_SHARE = 16, PROGRAM = 16 << 20, PROGRAM_SHARE = 8 };

treb_status solve_check(const treb_position *pos, char why[SOLVE_WHY_SIZE])
{
    const char *text;
    treb_status status = position_check(pos, &text);
    why[0] = '\0';
    if (status != TREB_OK) {
        snprintf(why, SOLVE_WHY_SIZE, "%s", text);
        return status;
    }
    for (int color = 0; color < 2; color++) {
        uint64_t pieces = position_pieces(pos) & pos->by_color[color];
        if (bit_count(pieces) <= PIECES_A_SIDE) continue;
        snprintf(why, SOLVE_WHY_SIZE,
                 "%s has %d pieces: kings and pawns may stand, and one piece a side",
                 color == TREB_WHITE ? "White" : "Black", bit_count(pieces));
        return TREB_ERR_POSITION;
    }
    if (pos->castling != 0) {
        snprintf(why, SOLVE_WHY_SIZE, "there are castling rights, which are not looked at");
        return TREB_ERR_POSITION;
    }
    return TREB_OK;
}

/* The line by which a value follows from those of the moves, where these say more. */
static void take_from_moves(Solve *s)
{
    if (s->value.verdict != BLOCKED_OPEN || s->moves == 0) return;
    BlockedValue value = s->move[0].value;
    for (int i = 1; i < s->moves; i++) settle_take_better(&value, &s->move[i].value, s->pos.turn);
    value.plies = -1;
    s->value = value;
}

/* The distance by those of the moves, where the position's own structure does not tell. */
static void take_plies_from_moves(Solve *s)
{
    const bool wins = wins_for(s->value.verdict, s->pos.turn);
    for (int i = 0; i < s->moves; i++) {
        const BlockedValue *v = &s->move[i].value;
        if (wins && !(v->verdict == s->value.verdict && v->plies >= 0)) continue;
        if (!wins && v->plies < 0) {
            s->value.plies = -1;
            return;
        }
        if (s->value.plies < 0 || (wins ? v->plies < s->value.plies : v->plies > s->value.plies))
            s->value.plies = v->plies;
    }
    s->value.at_most = s->value.plies > 1;
}

/* How soon what is proven comes, when all is known. */
static bool find_distances(Solve *s)
{
    settle_hurry(s->lattice, s->distances, 1);
    bool good = settle_plies(s->distances, &s->pos, &s->value);
    for (int i = 0; i < s->moves && good; i++)
        good = settle_move_plies(s->distances, &s->pos, &s->move[i]);
    distances_hurry(s->distances, 0);
    if (s->value.plies < 0 && s->value.verdict != BLOCKED_DRAW && s->value.verdict != BLOCKED_OPEN)
        take_plies_from_moves(s);
    return good;
}

static bool list_moves(Solve *s)
{
    Move moves[MOVES_MAX];
    int count = movegen_legal(&s->pos, moves);
    for (int i = 0; i < count; i++) {
        BlockedMove *m = &s->move[i];
        treb_position child;
        Family *family;
        Cell cell;
        *m = (BlockedMove){.move = moves[i], .leaves = move_is_zeroing(&s->pos, moves[i])};
        move_to_uci(m->move, m->uci);
        move_to_san(&s->pos, m->move, m->san);
        position_make(&s->pos, m->move, &child);
        if (!settle_position(s->lattice, &child, &m->value, &family, &cell)) return false;
        s->moves++;
    }
    take_from_moves(s);
    const bool good = find_distances(s);
    settle_sort(s->move, s->moves, s->pos.turn);
    return good;
}

static bool is_won(const Solve *s) { return verdict_winner(s->value.verdict) >= 0; }

static bool find_rule(Solve *s)
{
    return !is_won(s) ||
           rule50_find(s->lattice, &s->pos, verdict_winner(s->value.verdict), &s->rule);
}

static bool solve(Solve *s)
{
    Family *family;
    Cell cell;
    /* A game that is over needs no lattice, which could not tell a stalemate from a draw. */
    if (!movegen_any(&s->pos)) {
        s->value = (BlockedValue){.verdict = BLOCKED_DRAW, .plies = 0};
        if (position_in_check(&s->pos))
            s->value.verdict = s->pos.turn == TREB_WHITE ? BLOCKED_BLACK : BLOCKED_WHITE;
        return true;
    }
    if (!settle_position(s->lattice, &s->pos, &s->value, &family, &cell)) return false;
    /* Before the moves, which may take all the time there is. */
    if (!s->lattice->stopped && !find_rule(s)) return false;
    return list_moves(s);
}

Solve *solve_new(const treb_position *pos, const LatticeLimits *limits, treb_error *error)
{
    char why[SOLVE_WHY_SIZE];
    LatticeLimits most = *limits;
    treb_status status = solve_check(pos, why);
    if (status != TREB_OK) {
        fail(error, status, "%s", why);
        return NULL;
    }
    Solve *s = calloc(1, sizeof *s);
    const uint64_t distances = limits->memory / DISTANCES_SHARE;
    const uint64_t program = limits->memory / PROGRAM_SHARE;
    most.memory -= 2 * distances + (program < PROGRAM ? program : PROGRAM);
    if (s != NULL) s->lattice = lattice_new(&most);
    if (s != NULL && s->lattice != NULL) s->distances = distances_new(s->lattice, distances, false);
    if (s == NULL || s->distances == NULL) {
        solve_free(s);
        fail_memory(error);
        return NULL;
    }
    s->pos = *pos;
    s->rule.plies = -1;
    return s;
}

treb_status solve_run(Solve *s, treb_error *error)
{
    if (solve(s)) return TREB_OK;
    return fail(error, TREB_ERR_MEMORY, "out of memory, or a table could not be read");
}

Solve *solve_position(const treb_position *pos, const LatticeLimits *limits, treb_error *error)
{
    Solve *s = solve_new(pos, limits, error);
    if (s == NULL || solve_run(s, error) == TREB_OK) return s;
    solve_free(s);
    return NULL;
}

void solve_free(Solve *solve)
{
    if (solve == NULL) return;
    distances_free(solve->distances);
    lattice_free(solve->lattice);
    free(solve);
}

int solve_rule_plies(const Solve *s)
{
    const int now = s->rule.first + (int)s->pos.halfmove;
    return s->rule.plies < 0 ? -1 : now > s->rule.plies ? now : s->rule.plies;
}

SolveRule solve_rule(const Solve *s)
{
    enum { RULE_PLIES = 100 };
    if (s->moves == 0 || s->value.verdict == BLOCKED_DRAW) return SOLVE_RULE_NO;
    if (!is_won(s) || s->rule.plies < 0) return SOLVE_RULE_UNKNOWN;
    return s->rule.spoiled || solve_rule_plies(s) > RULE_PLIES ? SOLVE_RULE_MAYBE : SOLVE_RULE_NO;
}

bool solve_complete(const Solve *s)
{
    bool complete = s->value.verdict != BLOCKED_OPEN;
    for (int i = 0; i < s->moves; i++)
        complete = complete && s->move[i].value.verdict != BLOCKED_OPEN;
    return complete;
}

static void count_decided(const Family *f, SolveState *out)
{
    if (f->oracle != NULL || f->key.men > LINE_PIECES) return;
    for (int side = 0; side < 2; side++)
        for (size_t w = 0; w < cells_words(&f->key); w++) {
            const uint64_t legal = f->legal[side][w];
            out->positions += (uint64_t)bit_count(legal);
            if (f->solved)
                out->decided += (uint64_t)bit_count(legal & ~word_open(f, 0, side, w) &
                                                    ~word_open(f, 1, side, w));
        }
}

void solve_state(const Solve *s, SolveState *out)
{
    Move moves[MOVES_MAX];
    const Lattice *lattice = s->lattice;
    int count = movegen_legal(&s->pos, moves);
    *out = (SolveState){.structures = lattice->families, .bytes = lattice->bytes};
    for (int p = 0; p < LATTICE_POTENTIALS; p++)
        for (int i = 0; i < lattice->count[p]; i++) count_decided(lattice->by_potential[p][i], out);
    for (int i = 0; i < count; i++) {
        treb_position child;
        BlockedValue value;
        position_make(&s->pos, moves[i], &child);
        if (!settle_known(s->lattice, &child, &value) || value.verdict != BLOCKED_OPEN) continue;
        move_to_san(&s->pos, moves[i], out->open[out->moves++]);
    }
}

/* Of a table everything is asked. */
static void fill_all(Family *f)
{
    for (int side = 0; side < 2; side++)
        for (size_t w = 0; w < cells_words(&f->key); w++) family_fill(f, side, w, UINT64_MAX);
}

bool solve_placements(Solve *s, Placements *out)
{
    CellsKey key;
    Lattice *lattice = s->lattice;
    *out = (Placements){.pos = s->pos};
    uint64_t *legal[2] = {out->legal[0], out->legal[1]};
    cells_from_position(&s->pos, &key, NULL);
    cells_legal(&key, legal, NULL);
    memcpy(out->open[0], out->legal, sizeof out->legal);
    memcpy(out->open[1], out->legal, sizeof out->legal);
    Family *f = lattice_find(lattice, &key);
    /* If the game is over nothing was looked at. */
    if (f == NULL) f = lattice_add(lattice, &key, true, FAMILY_BOTH);
    if (f == NULL) return !lattice->failed;
    if (f->oracle != NULL)
        fill_all(f);
    else if (!lattice->stopped && !lattice_resolve(lattice, f, NULL) && !lattice->stopped)
        return false;
    for (int winner = 0; winner < 2; winner++)
        family_placements(f, winner, out->won[winner], out->open[winner]);
    return lattice_sound(lattice);
}

int solve_line(Solve *s, BlockedMove *out, int capacity, BlockedEnd *end, treb_position *last)
{
    SettleLine line = {
        .lattice = s->lattice, .out = out, .capacity = capacity, .men = LINE_PIECES, .pos = s->pos};
    bool good = settle_line_start(&line) && settle_line(&line, end);
    settle_line_end(&line);
    *last = line.pos;
    return good ? line.count : -1;
}
