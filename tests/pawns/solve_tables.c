/* solve_tables.c TABLES MATERIAL [STEP [-]] - solves all structures of a pawn ending, for example
 * KPvKP, or every STEPth structure, without mirror images; tables answer for positions with other
 * material. Compares verdict and distance of all positions, en passant included. STEP 0 takes the
 * structures in which a double push can be answered en passant. With a further argument the values
 * of all moves are known, and distances must be exact; else they are bounds.
 *
 * solve_tables.c TABLES COUNT [-] - solves COUNT random positions of kings and two or three pawns,
 * and compares verdict and moves with the ordinary tables. Every fourth has a right to capture en
 * passant if possible. With a third argument tables of three men may be used, as the command does.
 * A few positions may stay open. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/hash.h"
#include "pawns/check/audit.h"
#include "pawns/solve/search.h"
#include "pawns/solve/solve.h"
#include "pawns/solve/table_oracle.h"

static bool covers(void *context, const CellsKey *key)
{
    (void)context;
    return key->pieces + bit_count(cells_pawns(key)) <= 1;
}

/* Gives a right to capture en passant, of a pawn of the side that has just moved with two free
 * squares behind it. */
static void give_right(treb_position *pos)
{
    const int up = pos->turn == TREB_BLACK ? 8 : -8;
    uint64_t pawns = position_men_of(pos, !pos->turn, TREB_PAWN) & rank_bits(pos->turn ? 3 : 4);
    while (pawns != 0) {
        int square = bit_pop(&pawns);
        uint64_t behind = square_bit(square - up) | square_bit(square - 2 * up);
        if (position_occupied(pos) & behind) continue;
        pos->ep = (uint8_t)(square - up);
        if (position_check(pos, NULL) == TREB_OK && position_ep_legal(pos)) return;
        pos->ep = 0;
    }
}

static treb_position draw(uint64_t *state, bool right)
{
    for (;;) {
        treb_position pos = {.fullmove = 1, .turn = (uint8_t)(splitmix64(state) & 1)};
        int men[4][2] = {{TREB_WHITE, TREB_KING},
                         {TREB_BLACK, TREB_KING},
                         {TREB_WHITE, TREB_PAWN},
                         {TREB_BLACK, TREB_PAWN}};
        men[3][0] = (int)(splitmix64(state) % 3 == 0 ? TREB_WHITE : TREB_BLACK);
        for (int i = 0; i < 4; i++) {
            int square = (int)(splitmix64(state) % 64);
            if (right && i >= 2) square = 16 + square % 32;
            if (!bit_test(position_occupied(&pos), square))
                position_put(&pos, men[i][0], men[i][1], square);
        }
        if (bit_count(position_occupied(&pos)) < 4 || position_check(&pos, NULL) != TREB_OK)
            continue;
        if (right) give_right(&pos);
        if (!right || pos.ep != 0) return pos;
    }
}

/* The verdict by the tables. */
static PawnVerdict truth(const treb_tables *tables, const treb_position *pos)
{
    treb_wdl wdl;
    treb_error error;
    if (!movegen_any(pos))
        return !position_in_check(pos) ? VERDICT_DRAW : pos->turn ? VERDICT_WHITE : VERDICT_BLACK;
    if (bit_count(position_occupied(pos)) < 3) return VERDICT_DRAW;
    if (treb_probe_wdl(tables, pos, &wdl, &error) != TREB_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    if (wdl == TREB_DRAW) return VERDICT_DRAW;
    return (wdl > TREB_DRAW) == (pos->turn == TREB_WHITE) ? VERDICT_WHITE : VERDICT_BLACK;
}

typedef struct Tally {
    int positions, moves, open, wrong;
    int ruled,
        soonest; /* wins whose longest wait for a capture or pawn move is known, and is that of the tables */
} Tally;

static void compare(const treb_position *pos, const PawnValue *value, PawnVerdict is, Tally *tally)
{
    char fen[TREB_FEN_SIZE];
    bool right = value->verdict == is;
    if (value->verdict == VERDICT_OPEN) {
        tally->open++;
        right = is == VERDICT_DRAW || value->can[is == VERDICT_BLACK];
    }
    if (right) return;
    position_to_fen(pos, fen);
    printf("%s: verdict %d, the table has %d\n", fen, (int)value->verdict, (int)is);
    tally->wrong++;
}

/* Checks that no capture, pawn move or mate comes sooner than the tables say. */
static void check_rule(const treb_tables *tables, const Solve *s, Tally *tally)
{
    char fen[TREB_FEN_SIZE];
    treb_distance dtz;
    const bool won = s->value.verdict == VERDICT_WHITE || s->value.verdict == VERDICT_BLACK;
    if (!won || s->moves == 0 || s->rule.plies < 0 || s->pos.ep != 0) return;
    if (treb_probe_dtz(tables, &s->pos, &dtz, NULL) != TREB_OK) exit(1);
    tally->ruled++;
    tally->soonest += s->rule.first == (int)dtz.plies;
    if (s->rule.first >= (int)dtz.plies && s->rule.plies >= s->rule.first && s->rule.plies < 100)
        return;
    position_to_fen(&s->pos, fen);
    printf("%s: %d plies to a zeroing move, %d later on; the tables have %d\n", fen, s->rule.first,
           s->rule.plies, (int)dtz.plies);
    tally->wrong++;
}

static void check(treb_tables *tables, const treb_position *pos, bool use, Tally *tally)
{
    ProofGraphLimits limits = {.memory = UINT64_C(512) << 20, .pieces = 2};
    treb_error error;
    if (use) {
        limits.covers = covers;
        limits.oracle = (PositionOracle){tables, table_oracle_value, table_oracle_distance};
    }
    Solve *s = solve_position(pos, &limits, &error);
    if (s == NULL) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    tally->positions++;
    check_rule(tables, s, tally);
    compare(pos, &s->value, truth(tables, pos), tally);
    for (int i = 0; i < s->moves; i++) {
        treb_position child;
        position_make(pos, s->move[i].move, &child);
        compare(&child, &s->move[i].value, truth(tables, &child), tally);
        tally->moves++;
    }
    solve_free(s);
}

/* ---- All positions --------------------------------------------------------------------------- */

/* The work of one thread: some structures with these numbers of pawns. */
typedef struct All {
    treb_tables *tables;
    ProofGraph *graph;
    Distances *distances;
    int pawns[2]; /* numbers, by colour */
    bool known;   /* the values of all moves are known */
    uint64_t structures, positions, rights, wrong, undecided, exact, won;
} All;

/* A list of structures, without mirror images. */
typedef struct Structures {
    CellsKey *key;
    size_t count, capacity;
    int pawns[2];
} Structures;

static bool other_men(void *context, const CellsKey *key)
{
    const All *all = context;
    return key->pieces > 0 || bit_count(key->pawns[0]) != all->pawns[0] ||
           bit_count(key->pawns[1]) != all->pawns[1];
}

/* Answers with tables, and with a draw for fewer than three men. */
static bool any_value(void *context, const treb_position *pos, int *out)
{
    const All *all = context;
    *out = 0;
    return bit_count(position_occupied(pos)) < 3 || table_oracle_value(all->tables, pos, out);
}

/* Takes in all structures that moves lead to. */
static bool take_all(ProofGraph *graph, const CellsKey *key)
{
    Structure *f = proof_graph_find(graph, key);
    if (f == NULL) f = proof_graph_add(graph, key, true, BOTH_WINNERS);
    if (f == NULL) return false;
    for (int i = 0; i < 2 * 64 && f->oracle == NULL; i++) {
        if (i / 2 >= f->edges[i % 2]) continue;
        const Edge *edge = &f->edge[i % 2][i / 2];
        if (edge->child.structure == NULL && !take_all(graph, &edge->child.key)) return false;
        for (int j = 0; j < edge->captures; j++)
            if (!take_all(graph, &edge->answer[j].key)) return false;
    }
    return true;
}

/* Whether the bounds of a distance hold. */
static bool distance_right(All *all, const treb_position *pos, int winner, int plies, Distance *d)
{
    all->won++;
    if (!distance_of(all->distances, pos, winner, d)) return false;
    all->exact += d->least == d->most;
    return d->least <= plies && plies <= d->most && (!all->known || d->least == d->most);
}

static void compare_position(All *all, const treb_position *pos)
{
    PawnValue value;
    treb_distance table = {0};
    treb_error error;
    Structure *structure;
    Cell cell;
    Distance d = {-1, -1};
    const PawnVerdict is = truth(all->tables, pos);
    if (!evaluate_position(all->graph, pos, &value, &structure, &cell)) exit(1);
    all->positions++;
    all->undecided += value.verdict == VERDICT_OPEN;
    bool right = value.verdict == is || value.verdict == VERDICT_OPEN;
    if (value.verdict == VERDICT_WHITE || value.verdict == VERDICT_BLACK) {
        if (treb_probe_dtc(all->tables, pos, &table, &error) != TREB_OK) {
            fprintf(stderr, "%s\n", error.text);
            exit(1);
        }
        right = right && distance_right(all, pos, value.verdict == VERDICT_WHITE ? 0 : 1,
                                        (int)table.plies, &d);
    }
    if (right) return;
    char fen[TREB_FEN_SIZE];
    position_to_fen(pos, fen);
    if (all->wrong++ < 20)
        printf("%s: verdict %d, %d to %d plies; the tables have %d and %d\n", fen,
               (int)value.verdict, d.least, d.most, (int)is, (int)table.plies);
}

/* Compares all placements of the kings, and those with a right to capture en passant. */
static void compare_structure(All *all, const CellsKey *key)
{
    Structure *f = proof_graph_find(all->graph, key);
    if (f == NULL) f = proof_graph_add(all->graph, key, true, BOTH_WINNERS);
    if (f == NULL || (all->known && !take_all(all->graph, key))) exit(1);
    if (!search_decide(all->graph, f, NULL)) exit(1);
    all->structures++;
    for (int side = 0; side < 2; side++)
        for (Cell cell = 0; cell < 4096; cell++) {
            treb_position pos;
            if (!cell_in(f->legal[side], cell)) continue;
            cells_to_position(key, cell, side, &pos);
            compare_position(all, &pos);
            give_right(&pos);
            if (pos.ep == 0) continue;
            all->rights++;
            compare_position(all, &pos);
        }
}

static uint64_t pawns_beside(uint64_t pawns)
{
    uint64_t beside = 0;
    while (pawns != 0) {
        const int square = bit_pop(&pawns);
        if (square_file(square) > 0) beside |= square_bit(square - 1);
        if (square_file(square) < 7) beside |= square_bit(square + 1);
    }
    return beside;
}

/* Whether a double push can be answered en passant. */
static bool may_take(const CellsKey *key)
{
    const uint64_t white = (key->pawns[0] & rank_bits(1)) << 16,
                   black = (key->pawns[1] & rank_bits(6)) >> 16;
    return (pawns_beside(white) & key->pawns[1] & rank_bits(3)) ||
           (pawns_beside(black) & key->pawns[0] & rank_bits(4));
}

static bool is_mirrored(const CellsKey *key)
{
    const uint64_t white = flip_files(key->pawns[0]), black = flip_files(key->pawns[1]);
    return white != key->pawns[0] ? white > key->pawns[0] : black > key->pawns[1];
}

static void add_structure(Structures *all, const CellsKey *key)
{
    if (is_mirrored(key)) return;
    if (all->count == all->capacity) {
        all->capacity = 2 * all->capacity + 1024;
        all->key = realloc(all->key, all->capacity * sizeof *all->key);
        if (all->key == NULL) exit(1);
    }
    all->key[all->count++] = *key;
}

/* Places the remaining pawns, each on a higher square than the one of its colour before it. */
static void place_pawns(Structures *all, CellsKey *key)
{
    const int color = bit_count(key->pawns[0]) < all->pawns[0] ? 0 : 1;
    if (bit_count(key->pawns[color]) == all->pawns[color]) {
        add_structure(all, key);
        return;
    }
    for (int square = 8; square < 56; square++) {
        if (key->pawns[color] >> square != 0 || bit_test(cells_pawns(key), square)) continue;
        key->pawns[color] |= square_bit(square);
        place_pawns(all, key);
        key->pawns[color] &= ~square_bit(square);
    }
}

/* Starts with an empty graph from time to time: structures with a queen take much memory. */
static void begin_anew(All *all)
{
    enum { MEMORY = 1 << 27 };
    const ProofGraphLimits limits = {.memory = UINT64_C(2) << 30,
                                     .pieces = 2,
                                     .covers = other_men,
                                     .oracle = {all, any_value, NULL}};
    if (all->graph != NULL && all->graph->bytes < MEMORY) return;
    distances_free(all->distances);
    if (all->graph != NULL) proof_graph_free(all->graph);
    all->graph = proof_graph_new(&limits);
    all->distances =
        all->graph != NULL ? distances_new(all->graph, UINT64_C(1) << 30, false) : NULL;
    if (all->distances == NULL) exit(1);
}

static void add_up(All *sum, const All *part)
{
    sum->structures += part->structures;
    sum->positions += part->positions;
    sum->rights += part->rights;
    sum->wrong += part->wrong;
    sum->undecided += part->undecided;
    sum->exact += part->exact;
    sum->won += part->won;
}

static int compare_all(treb_tables *tables, const char *material, int step, bool known)
{
    Structures structures = {0};
    All sum = {0};
    CellsKey key = {.pieces = 0};
    int color = -1;
    for (; *material != '\0'; material++) {
        color += *material == 'K';
        structures.pawns[color & 1] += *material == 'P';
    }
    place_pawns(&structures, &key);
#pragma omp parallel
    {
        All all = {.tables = tables, .known = known};
        memcpy(all.pawns, structures.pawns, sizeof all.pawns);
        /* Neighbours in the list share many structures. */
#pragma omp for schedule(dynamic, 256)
        for (size_t i = 0; i < structures.count; i++) {
            if (step > 0 ? i % (size_t)step != 0 : !may_take(&structures.key[i])) continue;
            begin_anew(&all);
            compare_structure(&all, &structures.key[i]);
        }
        distances_free(all.distances);
        if (all.graph != NULL) proof_graph_free(all.graph);
#pragma omp critical
        add_up(&sum, &all);
    }
    free(structures.key);
    printf(
        "%llu structures, %llu positions, %llu of them with a right to take en passant, %llu undecided, %llu of %llu distances exact, %llu wrong\n",
        (unsigned long long)sum.structures, (unsigned long long)sum.positions,
        (unsigned long long)sum.rights, (unsigned long long)sum.undecided,
        (unsigned long long)sum.exact, (unsigned long long)sum.won, (unsigned long long)sum.wrong);
    return sum.wrong > 0 || sum.undecided > 0 || sum.structures == 0;
}

/* ---- The command ----------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    if (argc < 3) return 2;
    const char *folders[] = {argv[1]};
    treb_error error;
    Tally tally = {0};
    uint64_t state = 16;
    treb_tables *tables = treb_tables_open(folders, 1, &error);
    if (tables == NULL) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    if (!isdigit((unsigned char)argv[2][0])) {
        int failed = compare_all(tables, argv[2], argc > 3 ? atoi(argv[3]) : 1, argc > 4);
        treb_tables_close(tables);
        return failed;
    }
    for (int i = 0; i < atoi(argv[2]); i++) {
        treb_position pos = draw(&state, i % 4 == 3);
        check(tables, &pos, argc > 3, &tally);
    }
    treb_tables_close(tables);
    printf("%d positions, %d moves, %d open, %d of %d clocks as by the tables, %d wrong\n",
           tally.positions, tally.moves, tally.open, tally.soonest, tally.ruled, tally.wrong);
    return tally.wrong > 0 || 2 * tally.soonest < tally.ruled ||
           20 * tally.open > tally.positions + tally.moves;
}
