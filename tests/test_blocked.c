/* test_blocked.c - kings among blocked pawns: the book's tables, a checker of its own, and known
 * structures. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocked.h"

static const char book_fen[] = "8/8/2p5/k1p1K3/p1P5/P7/8/8 w - - 0 1";

static int square_of(const char *name) { return name[0] - 'a' + 8 * (name[1] - '1'); }

static uint64_t squares_of(const char *names)
{
    uint64_t set = 0;
    for (; *names; names += names[2] ? 3 : 2) set |= square_bit(square_of(names));
    return set;
}

static treb_position position(const char *fen)
{
    treb_position pos;
    ck_assert_int_eq(position_from_fen(fen, &pos, NULL), TREB_OK);
    return pos;
}

static Blocked *solve_take(const char *fen, const char *from, bool safe)
{
    BlockedRequest request = {
        .pos = position(fen), .goal = BLOCKED_TAKE, .from = squares_of(from), .safe = safe};
    treb_error error;
    Blocked *b = blocked_solve(&request, &error);
    ck_assert_msg(b != NULL, "%s", error.text);
    return b;
}

/* ---- The book ------------------------------------------------------------------------------ */

/* One cell of the book's tables. */
static void compare_cell(const Blocked *b, int side, int white, int black, const char *cell)
{
    char found[8];
    int rank = b->by[TREB_WHITE].rank[side][white][black];
    if (!blocked_is_legal(b, side, white, black))
        strcpy(found, "H");
    else if (bit_test(b->by[TREB_WHITE].won[side][white], black))
        snprintf(found, sizeof found, "%d", rank % 1000);
    else
        strcpy(found, side == TREB_WHITE ? "*" : "-");
    ck_assert_msg(strcmp(found, cell) == 0, "%c to move, squares %d and %d: %s, the book has %s",
                  side ? 'b' : 'w', white, black, found, cell);
}

START_TEST(book_tables)
{
    Blocked *b = solve_take(book_fen, "c7,d6,d7", true);
    FILE *file = fopen("tests/data/corresponding-squares.tsv", "r");
    ck_assert_ptr_nonnull(file);
    char line[256], cell[12][8];
    int column[12], columns = 0, cells = 0;
    while (fgets(line, sizeof line, file)) {
        int words = 0;
        for (char *word = strtok(line, "\t\n#"); word && words < 12; word = strtok(NULL, "\t\n"))
            snprintf(cell[words++], 8, "%s", word);
        if (strchr(cell[0], 's')) { /* "# stm ..." */
            columns = words;
            for (int i = 2; i < words; i++) column[i] = square_of(cell[i]);
            continue;
        }
        for (int i = 2; i < columns; i++, cells++)
            compare_cell(b, cell[0][0] == 'b', square_of(cell[1]), column[i], cell[i]);
    }
    fclose(file);
    ck_assert_int_eq(cells, 280);
    BlockedValue start = blocked_value(b, TREB_WHITE, square_of("e5"), square_of("a5"));
    ck_assert_int_eq(start.verdict, BLOCKED_WHITE);
    ck_assert_int_eq(start.plies, 16);
    blocked_free(b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("blocked");
    TCase *book = tcase_create("book");
    tcase_add_test(book, book_tables);
    suite_add_tcase(suite, book);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
