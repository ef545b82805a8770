/* solve_tables.c TABLES MATERIAL [STEP [-]] - solves all structures of an ending of pawns, KPvKP, of two that mirror
 * each other one, or every STEPth of these, tables answering for what has other men, and compares verdict and distance
 * of all positions, en passant included. STEP 0 takes those in which a double push may be answered so.
 * With another argument all that moves lead to is known, and distances must be exact; else they are bounds.
 *
 * solve_tables.c TABLES COUNT [-] - solves COUNT random positions of kings and two or three pawns on the spot, and
 * compares verdict and moves with the ordinary tables. Every fourth has a right to take en passant if it may. With a
 * third argument the tables of three men may be asked, as the command does. Some may stay open, but few. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pawns/audit.h"
#include "pawns/solve.h"
#include "pawns/table_value.h"

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static bool covers(void *context, const CellsKey *key)
{
    (void)context;
    return key->men + bit_count(cells_pawns(key)) <= 1;
}

/* A pawn of the side that has just moved, with its two squares behind it free. */
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
        treb_position pos = {.fullmove = 1, .turn = (uint8_t)(next_random(state) & 1)};
        int men[4][2] = {{TREB_WHITE, TREB_KING},
                         {TREB_BLACK, TREB_KING},
                         {TREB_WHITE, TREB_PAWN},
                         {TREB_BLACK, TREB_PAWN}};
        men[3][0] = (int)(next_random(state) % 3 == 0 ? TREB_WHITE : TREB_BLACK);
        for (int i = 0; i < 4; i++) {
            int square = (int)(next_random(state) % 64);
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

/* Who wins, as blocked/ has it. */
static BlockedVerdict truth(const treb_tables *tables, const treb_position *pos)
{
    treb_wdl wdl;
    treb_error error;
    if (!movegen_any(pos))
        return !position_in_check(pos) ? BLOCKED_DRAW : pos->turn ? BLOCKED_WHITE : BLOCKED_BLACK;
    if (bit_count(position_occupied(pos)) < 3) return BLOCKED_DRAW;
    if (treb_probe_wdl(tables, pos, &wdl, &error) != TREB_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    if (wdl == TREB_DRAW) return BLOCKED_DRAW;
    return (wdl > TREB_DRAW) == (pos->turn == TREB_WHITE) ? BLOCKED_WHITE : BLOCKED_BLACK;
}

typedef struct Tally {
    int positions, moves, open, wrong;
    int ruled,
        soonest; /* wins of which it is known when the clock goes back, and as soon as by the tables */
} Tally;

static void compare(const treb_position *pos, const BlockedValue *value, BlockedVerdict is,
                    Tally *tally)
{
    char fen[TREB_FEN_SIZE];
    bool right = value->verdict == is;
    if (value->verdict == BLOCKED_OPEN) {
        tally->open++;
        right = is == BLOCKED_DRAW || value->can[is == BLOCKED_BLACK];
    }
    if (right) return;
    position_to_fen(pos, fen);
    printf("%s: verdict %d, the table has %d\n", fen, (int)value->verdict, (int)is);
    tally->wrong++;
}

/* No capture, pawn move or mate comes sooner than the tables say. */
static void check_rule(const treb_tables *tables, const Solve *s, Tally *tally)
{
    char fen[TREB_FEN_SIZE];
    treb_distance dtz;
    const bool won = s->value.verdict == BLOCKED_WHITE || s->value.verdict == BLOCKED_BLACK;
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
    LatticeLimits limits = {.memory = UINT64_C(512) << 20, .men = 2};
    treb_error error;
    if (use) {
        limits.covers = covers;
        limits.oracle = (FamilyOracle){tables, table_value, table_distance};
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

/* All with these pawns; what one thread makes of some of them. */
typedef struct All {
    treb_tables *tables;
    Lattice *lattice;
    Distances *distances;
    int pawns[2]; /* as an ending has them */
    bool known;   /* all that moves lead to */
    uint64_t structures, positions, rights, wrong, undecided, exact, won;
} All;

/* Pawn structures, of two that mirror each other one. */
typedef struct Structures {
    CellsKey *key;
    size_t count, capacity;
    int pawns[2];
} Structures;

static bool other_men(void *context, const CellsKey *key)
{
    const All *all = context;
    return key->men > 0 || bit_count(key->pawns[0]) != all->pawns[0] ||
           bit_count(key->pawns[1]) != all->pawns[1];
}

/* The tables answer for fewer than three men as well: these draw. */
static bool any_value(void *context, const treb_position *pos, int *out)
{
    const All *all = context;
    *out = 0;
    return bit_count(position_occupied(pos)) < 3 || table_value(all->tables, pos, out);
}

/* Takes in all that moves lead to. */
static bool take_all(Lattice *lattice, const CellsKey *key)
{
    Family *f = lattice_find(lattice, key);
    if (f == NULL) f = lattice_add(lattice, key, true, FAMILY_BOTH);
    if (f == NULL) return false;
    for (int i = 0; i < 2 * 64 && f->oracle == NULL; i++) {
        if (i / 2 >= f->edges[i % 2]) continue;
        const Edge *edge = &f->edge[i % 2][i / 2];
        if (edge->child.family == NULL && !take_all(lattice, &edge->child.key)) return false;
        for (int j = 0; j < edge->captures; j++)
            if (!take_all(lattice, &edge->answer[j].key)) return false;
    }
    return true;
}

/* Bounds must hold. */
static bool distance_right(All *all, const treb_position *pos, int winner, int plies, Distance *d)
{
    all->won++;
    if (!distance_of(all->distances, pos, winner, d)) return false;
    all->exact += d->least == d->most;
    return d->least <= plies && plies <= d->most && (!all->known || d->least == d->most);
}

static void compare_position(All *all, const treb_position *pos)
{
    BlockedValue value;
    treb_distance table = {0};
    treb_error error;
    Family *family;
    Cell cell;
    Distance d = {-1, -1};
    const BlockedVerdict is = truth(all->tables, pos);
    if (!settle_position(all->lattice, pos, &value, &family, &cell)) exit(1);
    all->positions++;
    all->undecided += value.verdict == BLOCKED_OPEN;
    bool right = value.verdict == is || value.verdict == BLOCKED_OPEN;
    if (value.verdict == BLOCKED_WHITE || value.verdict == BLOCKED_BLACK) {
        if (treb_probe_dtc(all->tables, pos, &table, &error) != TREB_OK) {
            fprintf(stderr, "%s\n", error.text);
            exit(1);
        }
        right = right && distance_right(all, pos, value.verdict == BLOCKED_WHITE ? 0 : 1,
                                        (int)table.plies, &d);
    }
    if (right) return;
    char fen[TREB_FEN_SIZE];
    position_to_fen(pos, fen);
    if (all->wrong++ < 20)
        printf("%s: verdict %d, %d to %d plies; the tables have %d and %d\n", fen,
               (int)value.verdict, d.least, d.most, (int)is, (int)table.plies);
}

/* All placements of the kings, and of each where a pawn may just have come that can be taken. */
static void compare_family(All *all, const CellsKey *key)
{
    Family *f = lattice_find(all->lattice, key);
    if (f == NULL) f = lattice_add(all->lattice, key, true, FAMILY_BOTH);
    if (f == NULL || (all->known && !take_all(all->lattice, key))) exit(1);
    if (!lattice_resolve(all->lattice, f, NULL)) exit(1);
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

/* Whether a double push may be answered en passant. */
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

/* Places the pawns that are left, each behind the one before it of its colour. */
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

/* Every so often all is forgotten: with a queen structures take much memory. */
static void begin_anew(All *all)
{
    enum { MEMORY = 1 << 27 };
    const LatticeLimits limits = {.memory = UINT64_C(2) << 30,
                                  .men = 2,
                                  .covers = other_men,
                                  .oracle = {all, any_value, NULL}};
    if (all->lattice != NULL && all->lattice->bytes < MEMORY) return;
    distances_free(all->distances);
    if (all->lattice != NULL) lattice_free(all->lattice);
    all->lattice = lattice_new(&limits);
    all->distances =
        all->lattice != NULL ? distances_new(all->lattice, UINT64_C(1) << 30, false) : NULL;
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
    CellsKey key = {.men = 0};
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
        /* Those that are close have much in common. */
#pragma omp for schedule(dynamic, 256)
        for (size_t i = 0; i < structures.count; i++) {
            if (step > 0 ? i % (size_t)step != 0 : !may_take(&structures.key[i])) continue;
            begin_anew(&all);
            compare_family(&all, &structures.key[i]);
        }
        distances_free(all.distances);
        if (all.lattice != NULL) lattice_free(all.lattice);
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
