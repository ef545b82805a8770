/* squares_text.c - corresponding squares as text: see squares.h. */
#include "pawns/solve/squares.h"

/* The marks of a square: "3", or "1,4" if a square of the defender answers several groups. */
static void marks_of(const Squares *s, int square, bool attacker, char out[32])
{
    int at = 0;
    out[0] = '\0';
    for (int i = 0; i < s->groups && at < 24; i++) {
        char mark[8];
        uint64_t set = attacker ? s->group[i].squares : s->group[i].answers;
        if (!bit_test(set, square)) continue;
        squares_mark(i, mark);
        at += snprintf(out + at, 32 - at, at ? ",%s" : "%s", mark);
    }
}

static void print_board(FILE *out, const treb_position *pos, const Squares *s, bool attacker)
{
    const uint64_t pawns = pos->by_type[TREB_PAWN];
    for (int rank = 7; rank >= 0; rank--) {
        fprintf(out, "  %d ", rank + 1);
        for (int file = 0; file < 8; file++) {
            int square = square_at(file, rank);
            char text[32];
            marks_of(s, square, attacker, text);
            if (bit_test(pawns & pos->by_color[TREB_WHITE], square))
                snprintf(text, sizeof text, "P");
            if (bit_test(pawns & pos->by_color[TREB_BLACK], square))
                snprintf(text, sizeof text, "p");
            fprintf(out, " %5s", text[0] ? text : ".");
        }
        fputc('\n', out);
    }
    fprintf(out, "    ");
    for (int file = 0; file < 8; file++) fprintf(out, " %5c", 'a' + file);
    fputc('\n', out);
}

static void print_set(FILE *out, uint64_t set)
{
    for (bool first = true; set != 0; first = false) {
        char name[3];
        square_name(bit_pop(&set), name);
        fprintf(out, first ? "%s" : " %s", name);
    }
}

static void print_zugzwangs(FILE *out, const Squares *s, const uint64_t pairs[64])
{
    int column = 0;
    for (int a = 0; a < 64; a++)
        for (uint64_t left = pairs[a]; left != 0;) {
            char mine[3], theirs[3];
            int d = bit_pop(&left);
            square_name(a, mine);
            square_name(d, theirs);
            /* White's king always comes first. */
            fprintf(out, "%sK%s-K%s",
                    column % 8 ? "  "
                    : column   ? "\n  "
                               : "  ",
                    s->attacker == TREB_WHITE ? mine : theirs,
                    s->attacker == TREB_WHITE ? theirs : mine);
            column++;
        }
    if (column) fputc('\n', out);
}

void squares_print(FILE *out, const Placements *p, const Squares *s)
{
    static const char *const colors[2] = {"White", "Black"};
    const char *attacker = colors[s->attacker], *defender = colors[!s->attacker];
    if (s->groups == 0) {
        fprintf(out, "No squares correspond.\n");
    } else {
        fprintf(out,
                "%s's king attacks. When it steps on a square with a mark, %s's king must step on "
                "a\nsquare with the same mark: with both kings there, the side to move is worse "
                "off.\n\n",
                attacker, defender);
        fprintf(out, "%s's king:\n", attacker);
        print_board(out, &p->pos, s, true);
        fprintf(out, "\n%s's king:\n", defender);
        print_board(out, &p->pos, s, false);
        fputc('\n', out);
        for (int i = 0; i < s->groups; i++) {
            char mark[8];
            squares_mark(i, mark);
            fprintf(out, "  %3s  ", mark);
            print_set(out, s->group[i].squares);
            fprintf(out, "  :  ");
            print_set(out, s->group[i].answers);
            fputc('\n', out);
        }
    }
    fprintf(out, "\nMutual zugzwangs: %d. With the move %s does not win there, and %s loses.\n",
            s->zugzwangs, attacker, defender);
    print_zugzwangs(out, s, s->zugzwang);
    if (s->double_zugzwangs > 0) {
        fprintf(out, "\nIn %d of them the side to move loses, whichever it is.\n",
                s->double_zugzwangs);
        print_zugzwangs(out, s, s->double_zugzwang);
    }
    if (s->open == 0) return;
    fprintf(out, "\nOpen: ");
    if (s->open >= 1000) fprintf(out, "%d,", s->open / 1000);
    fprintf(out, s->open >= 1000 ? "%03d" : "%d", s->open % 1000);
    fprintf(out, " placements of the kings. There may be more zugzwangs.\n");
}
