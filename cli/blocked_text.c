/* blocked_text.c - see blocked_text.h. */
#include "cli/blocked_text.h"

#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "json/blocked_table.h"

enum { LINE_MOVES = 512, WRAP = 96 };

static const char *const colors[2] = {"White", "Black"};

static const char *plies_text(int plies, char out[32])
{
    snprintf(out, 32, "%d %s", plies, cli_plural((uint64_t)plies, "ply", "plies"));
    return out;
}

/* ---- The verdict ----------------------------------------------------------------------------- */

static void print_goal_verdict(const Blocked *b, const PawnValue *v)
{
    char plies[32];
    bool take = b->request.goal == GOAL_TAKE;
    if (v->verdict == VERDICT_DRAW) {
        printf("No distance: neither king can force %s.\n",
               take ? "the capture of an undefended pawn" : "its way to the goal");
        return;
    }
    const char *color = colors[v->verdict == VERDICT_BLACK];
    if (take)
        printf("Distance %d: %s's king takes a pawn on ply %d.\n", v->plies, color, v->plies + 1);
    else
        printf("Distance %d: %s's king reaches the goal in %s.\n", v->plies, color,
               plies_text(v->plies, plies));
}

/* Says why a win may take fewer plies than printed. The search ends as soon as the result is proved,
 * but a move that was not examined may win sooner. */
static const char *upper_bound_reason(const Blocked *b)
{
    if (b->file != NULL)
        return "Fewer plies are possible: the blocked-pawn table leaves some placements open.";
    if (!b->request.all)
        return "The result is proved, but fewer plies are possible. With --squares or --table,\n"
               "more is examined, which takes longer and usually finds the exact number.";
    return "Fewer plies are possible: more --memory, more --pieces or --tables of 5 men may\n"
           "find the exact number.";
}

static void print_exact_verdict(const Blocked *b, const PawnValue *v)
{
    char plies[32];
    switch (v->verdict) {
    case VERDICT_DRAW:
        puts("Draw.");
        break;
    case VERDICT_OPEN:
        printf("Open: ");
        if (v->can[0] && v->can[1])
            puts("both a win of White and a win of Black are possible.");
        else
            printf("%s cannot win; whether %s can is not known.\n", colors[v->can[0]],
                   colors[!v->can[0]]);
        puts(b->file != NULL
                 ? "Making the table again with more --memory or --pieces may decide it."
                 : "More --memory, more --pieces or --tables of 5 men may decide it.");
        break;
    default:
        printf("%s wins", colors[v->verdict == VERDICT_BLACK]);
        if (v->plies == 0)
            printf(": mate");
        else if (v->plies > 0)
            printf(": %s%s to mate or the first capture", b->upper_bounds ? "at most " : "",
                   plies_text(v->plies, plies));
        puts(".");
        if (b->upper_bounds && v->plies > 0) puts(upper_bound_reason(b));
    }
}

/* ---- The moves ------------------------------------------------------------------------------- */

static const char *group_of(const Blocked *b, const PawnMove *m)
{
    if (m->goal) return "reaching the goal";
    if (b->request.goal != GOAL_EXACT) {
        if (m->leaves) return "taking a pawn, which is not the goal";
        if (m->value.verdict == VERDICT_DRAW) return "no distance";
    }
    switch (m->value.verdict) {
    case VERDICT_WHITE:
        return b->request.goal == GOAL_EXACT ? "White wins" : "White's king reaches the goal";
    case VERDICT_BLACK:
        return b->request.goal == GOAL_EXACT ? "Black wins" : "Black's king reaches the goal";
    case VERDICT_DRAW:
        return "drawing";
    default:
        return m->value.can[0] ? m->value.can[1] ? "open" : "open: White wins or draws"
                               : "open: Black wins or draws";
    }
}

static void print_moves(const Blocked *b, const PawnMove *move, int count)
{
    const char *group = "";
    if (count == 0) return;
    puts("\n  Move       plies from here, including the move");
    for (int i = 0; i < count; i++) {
        const char *now = group_of(b, &move[i]);
        if (strcmp(now, group) != 0) printf("  %s\n", now);
        group = now;
        if (move[i].value.plies < 0)
            printf("    %-8s%s\n", move[i].san, move[i].leaves ? "   -  capture" : "   -");
        else
            printf("    %-8s%4d%s\n", move[i].san, move[i].value.plies,
                   move[i].leaves ? "  capture" : "");
    }
}

/* ---- The line -------------------------------------------------------------------------------- */

static void put_word(int *column, const char *word)
{
    int length = (int)strlen(word);
    if (*column && *column + 1 + length > WRAP) {
        printf("\n  ");
        *column = 0;
    }
    printf(*column ? " %s" : "%s", word);
    *column += length + 1;
}

static void print_line(const treb_position *start, const PawnMove *move, int count)
{
    int column = 0, number = start->fullmove;
    bool white = start->turn == TREB_WHITE;
    printf("\nBest play\n  ");
    for (int i = 0; i < count; i++, white = !white) {
        char word[32];
        if (white)
            snprintf(word, sizeof word, "%d.%s", number, move[i].san);
        else
            snprintf(word, sizeof word, i ? "%.0d%s" : "%d...%s", i ? 0 : number, move[i].san);
        if (!white) number++;
        put_word(&column, word);
    }
    putchar('\n');
}

static void print_end(LineEnd end, const treb_position *last)
{
    char fen[TREB_FEN_SIZE];
    position_to_fen(last, fen);
    switch (end) {
    case LINE_END_TABLES:
        printf("  and the tables have the rest: trebuchet line '%s'\n", fen);
        break;
    case LINE_END_PIECES:
        printf("  and wins; the play after this is not shown: %s\n", fen);
        break;
    case LINE_END_OPEN:
        printf("  and the rest is open: %s\n", fen);
        break;
    case LINE_END_CAPTURE:
        printf(
            "  and wins; the play after the capture is shown by\n  trebuchet blocked --solve '%s'\n",
            fen);
        break;
    case LINE_END_CAPACITY:
        puts("  ...");
        break;
    default:
        break;
    }
}

void blocked_text_line(const treb_position *start, const PawnMove *move, int count, LineEnd end,
                       const treb_position *last)
{
    print_line(start, move, count);
    print_end(end, last);
}

bool blocked_text_answer(Blocked *b, const treb_tables *tables)
{
    const treb_position *pos = &b->request.pos;
    PawnValue value =
        blocked_value(b, pos->turn, position_king(pos, TREB_WHITE), position_king(pos, TREB_BLACK));
    PawnMove *move = malloc(LINE_MOVES * sizeof *move);
    treb_position last;
    LineEnd end;
    int count = move != NULL ? blocked_moves(b, move) : -1;
    if (count >= 0) {
        cli_print_board(pos);
        if (count == 0 && value.verdict == VERDICT_DRAW)
            puts("Stalemate: a draw.");
        else if (b->request.goal == GOAL_EXACT)
            print_exact_verdict(b, &value);
        else
            print_goal_verdict(b, &value);
        print_moves(b, move, count);
        count = blocked_line(b, move, LINE_MOVES, &end, &last);
    }
    if (count > 0) {
        if (answer_tables_go_on(tables, end, &last)) end = LINE_END_TABLES;
        blocked_text_line(pos, move, count, end, &last);
    }
    free(move);
    return count >= 0;
}

bool blocked_text_svg(const char *command, const char *path, const Placements *placements,
                      const Squares *squares)
{
    FILE *file = cli_open_output(command, path);
    if (file == NULL) return false;
    squares_print_svg(file, placements, squares);
    return cli_close_output(command, path, file);
}
