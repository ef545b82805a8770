/* solve_tables.c TABLES COUNT [-] - solves COUNT random positions of kings and two or three pawns on the spot, and
 * compares verdict and moves with the ordinary tables. Every fourth has a right to take en passant if it may. With a
 * third argument the tables of three men may be asked, as the command does. Some may stay open, but few. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocked/audit.h"
#include "blocked/solve.h"
#include "blocked/table_value.h"

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

static void check(treb_tables *tables, const treb_position *pos, bool use, Tally *tally)
{
    LatticeLimits limits = {.memory = UINT64_C(512) << 20, .men = 2};
    treb_error error;
    if (use) {
        limits.covers = covers;
        limits.oracle = (FamilyOracle){tables, table_value};
    }
    Solve *s = solve_position(pos, &limits, &error);
    if (s == NULL) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    tally->positions++;
    compare(pos, &s->value, truth(tables, pos), tally);
    for (int i = 0; i < s->moves; i++) {
        treb_position child;
        position_make(pos, s->move[i].move, &child);
        compare(&child, &s->move[i].value, truth(tables, &child), tally);
        tally->moves++;
    }
    solve_free(s);
}

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
    for (int i = 0; i < atoi(argv[2]); i++) {
        treb_position pos = draw(&state, i % 4 == 3);
        check(tables, &pos, argc > 3, &tally);
    }
    treb_tables_close(tables);
    printf("%d positions, %d moves, %d open, %d wrong\n", tally.positions, tally.moves, tally.open,
           tally.wrong);
    return tally.wrong > 0 || 20 * tally.open > tally.positions + tally.moves;
}
