/* solve.c - see solve.h. */
#include "pawns/solve/solve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "pawns/solve/search.h"

enum { PIECES_A_SIDE = 1, LINE_PIECES = 1 };

/* Shares of the memory: distances take 1/16, and those of a line 1/16 later; the program itself is
 * expected to take PROGRAM bytes, or 1/8 of the memory if that is less. */
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
                 "%s has %d pieces: only kings, pawns and one piece a side are allowed",
                 color == TREB_WHITE ? "White" : "Black", bit_count(pieces));
        return TREB_ERR_POSITION;
    }
    if (pos->castling != 0) {
        snprintf(why, SOLVE_WHY_SIZE, "castling rights are not supported");
        return TREB_ERR_POSITION;
    }
    return TREB_OK;
}

/* Takes the value from those of the moves if the position itself is open. */
static void take_from_moves(Solve *s)
{
    if (s->value.verdict != VERDICT_OPEN || s->moves == 0) return;
    PawnValue value = s->move[0].value;
    for (int i = 1; i < s->moves; i++) evaluate_take_better(&value, &s->move[i].value, s->pos.turn);
    value.plies = -1;
    s->value = value;
}

/* Takes the distance from those of the moves if the position's own structure does not give one. */
static void take_plies_from_moves(Solve *s)
{
    const bool wins = wins_for(s->value.verdict, s->pos.turn);
    for (int i = 0; i < s->moves; i++) {
        const PawnValue *v = &s->move[i].value;
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

/* Finds the distances of the position and its moves, whose verdicts are known. */
static bool find_distances(Solve *s)
{
    evaluate_set_time_limit(s->graph, s->distances, 1);
    bool good = evaluate_distance(s->distances, &s->pos, &s->value);
    for (int i = 0; i < s->moves && good; i++)
        good = evaluate_move_distance(s->distances, &s->pos, &s->move[i]);
    distances_set_time_limit(s->distances, 0);
    if (s->value.plies < 0 && s->value.verdict != VERDICT_DRAW && s->value.verdict != VERDICT_OPEN)
        take_plies_from_moves(s);
    return good;
}

static bool list_moves(Solve *s)
{
    Move moves[MOVES_MAX];
    int count = movegen_legal(&s->pos, moves);
    for (int i = 0; i < count; i++) {
        PawnMove *m = &s->move[i];
        treb_position child;
        Structure *structure;
        Cell cell;
        *m = (PawnMove){.move = moves[i], .leaves = move_is_zeroing(&s->pos, moves[i])};
        move_to_uci(m->move, m->uci);
        move_to_san(&s->pos, m->move, m->san);
        position_make(&s->pos, m->move, &child);
        if (!evaluate_position(s->graph, &child, &m->value, &structure, &cell)) return false;
        s->moves++;
    }
    take_from_moves(s);
    const bool good = find_distances(s);
    evaluate_sort_moves(s->move, s->moves, s->pos.turn);
    return good;
}

static bool is_won(const Solve *s) { return verdict_winner(s->value.verdict) >= 0; }

static bool find_rule(Solve *s)
{
    return !is_won(s) || rule50_find(s->graph, &s->pos, verdict_winner(s->value.verdict), &s->rule);
}

static bool solve(Solve *s)
{
    Structure *structure;
    Cell cell;
    /* A position without moves needs no search. */
    if (!movegen_any(&s->pos)) {
        s->value = (PawnValue){.verdict = VERDICT_DRAW, .plies = 0};
        if (position_in_check(&s->pos))
            s->value.verdict = s->pos.turn == TREB_WHITE ? VERDICT_BLACK : VERDICT_WHITE;
        return true;
    }
    if (!evaluate_position(s->graph, &s->pos, &s->value, &structure, &cell)) return false;
    /* Before the moves are solved, as that may take all the time. */
    if (!s->graph->stopped && !find_rule(s)) return false;
    return list_moves(s);
}

Solve *solve_new(const treb_position *pos, const ProofGraphLimits *limits, treb_error *error)
{
    char why[SOLVE_WHY_SIZE];
    ProofGraphLimits most = *limits;
    treb_status status = solve_check(pos, why);
    if (status != TREB_OK) {
        fail(error, status, "%s", why);
        return NULL;
    }
    Solve *s = calloc(1, sizeof *s);
    const uint64_t distances = limits->memory / DISTANCES_SHARE;
    const uint64_t program = limits->memory / PROGRAM_SHARE;
    most.memory -= 2 * distances + (program < PROGRAM ? program : PROGRAM);
    if (s != NULL) s->graph = proof_graph_new(&most);
    if (s != NULL && s->graph != NULL) s->distances = distances_new(s->graph, distances, false);
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

Solve *solve_position(const treb_position *pos, const ProofGraphLimits *limits, treb_error *error)
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
    proof_graph_free(solve->graph);
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
    if (s->moves == 0 || s->value.verdict == VERDICT_DRAW) return SOLVE_RULE_NO;
    if (!is_won(s) || s->rule.plies < 0) return SOLVE_RULE_UNKNOWN;
    return s->rule.spoiled || solve_rule_plies(s) > RULE_PLIES ? SOLVE_RULE_MAYBE : SOLVE_RULE_NO;
}

bool solve_complete(const Solve *s)
{
    bool complete = s->value.verdict != VERDICT_OPEN;
    for (int i = 0; i < s->moves; i++)
        complete = complete && s->move[i].value.verdict != VERDICT_OPEN;
    return complete;
}

static void count_decided(const Structure *f, SolveState *out)
{
    if (f->oracle != NULL || f->key.pieces > LINE_PIECES) return;
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
    const ProofGraph *graph = s->graph;
    int count = movegen_legal(&s->pos, moves);
    *out = (SolveState){.structures = graph->structures, .bytes = graph->bytes};
    for (int p = 0; p < PROOF_GRAPH_POTENTIALS; p++)
        for (int i = 0; i < graph->count[p]; i++) count_decided(graph->by_potential[p][i], out);
    for (int i = 0; i < count; i++) {
        treb_position child;
        PawnValue value;
        position_make(&s->pos, moves[i], &child);
        if (!evaluate_known(s->graph, &child, &value) || value.verdict != VERDICT_OPEN) continue;
        move_to_san(&s->pos, moves[i], out->open[out->moves++]);
    }
}

/* Asks the oracle for all cells of a structure. */
static void fill_all(Structure *f)
{
    for (int side = 0; side < 2; side++)
        for (size_t w = 0; w < cells_words(&f->key); w++)
            structure_ask_oracle(f, side, w, UINT64_MAX);
}

bool solve_placements(Solve *s, Placements *out)
{
    CellsKey key;
    ProofGraph *graph = s->graph;
    *out = (Placements){.pos = s->pos};
    uint64_t *legal[2] = {out->legal[0], out->legal[1]};
    cells_from_position(&s->pos, &key, NULL);
    cells_legal(&key, legal, NULL);
    memcpy(out->open[0], out->legal, sizeof out->legal);
    memcpy(out->open[1], out->legal, sizeof out->legal);
    Structure *f = proof_graph_find(graph, &key);
    /* The structure is unknown if the game is over in the position itself. */
    if (f == NULL) f = proof_graph_add(graph, &key, true, BOTH_WINNERS);
    if (f == NULL) return !graph->failed;
    if (f->oracle != NULL)
        fill_all(f);
    else if (!graph->stopped && !search_decide(graph, f, NULL) && !graph->stopped)
        return false;
    for (int winner = 0; winner < 2; winner++)
        structure_placements(f, winner, out->won[winner], out->open[winner]);
    return proof_graph_sound(graph);
}

int solve_line(Solve *s, PawnMove *out, int capacity, LineEnd *end, treb_position *last)
{
    BestLine line = {
        .graph = s->graph, .out = out, .capacity = capacity, .pieces = LINE_PIECES, .pos = s->pos};
    bool good = best_line_start(&line) && best_line_play(&line, end);
    best_line_end(&line);
    *last = line.pos;
    return good ? line.count : -1;
}
