/* squares_svg.c - the corresponding squares as an SVG picture: see squares.h.
 *
 * Squares of the attacking king have a filled mark, squares of the defending king a ring; equal
 * numbers and colours belong together. */
#include "pawns/solve/squares.h"

enum { CELL = 64, MARGIN = 28, BOARD = 8 * CELL, PANEL = 290 };

static const char *const palette[] = {"#1f6fb4", "#c8402f", "#2d8a4e", "#8a4fb0",
                                      "#b8730a", "#0e8a8f", "#b03a7a", "#5a6b1f",
                                      "#4a5568", "#7a4a2b", "#3b4cc0", "#a3322b"};
enum { COLORS = sizeof palette / sizeof *palette };

static int left_of(int square) { return MARGIN + CELL * square_file(square); }
static int top_of(int square) { return MARGIN + CELL * (7 - square_rank(square)); }

static void put_board(FILE *out)
{
    for (int square = 0; square < 64; square++)
        fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n",
                left_of(square), top_of(square), CELL, CELL,
                (square_file(square) + square_rank(square)) % 2 ? "#f3ead7" : "#d9c4a0");
    fprintf(out,
            "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
            "stroke=\"#6b5a3c\" stroke-width=\"1.5\"/>\n",
            MARGIN, MARGIN, BOARD, BOARD);
    fprintf(out, "<g font-size=\"13\" fill=\"#6b5a3c\" text-anchor=\"middle\">\n");
    for (int i = 0; i < 8; i++) {
        fprintf(out, "<text x=\"%d\" y=\"%d\">%c</text>\n", MARGIN + CELL * i + CELL / 2,
                MARGIN + BOARD + 19, 'a' + i);
        fprintf(out, "<text x=\"%d\" y=\"%d\">%d</text>\n", MARGIN - 14,
                MARGIN + BOARD - CELL * i - CELL / 2 + 5, i + 1);
    }
    fprintf(out, "</g>\n");
}

/* Draws a king or pawn in a box of 64 by 64. */
static void draw_man(FILE *out, int square, int color, int type, const char *opacity)
{
    static const char pawn[] =
        "M32 13a9 9 0 0 1 6.2 15.5c5 2.6 7 6.4 6.3 10.5h-4c.8 5 3.6 8.4 8.5 11.5v5H15v-5c4.9-3.1 "
        "7.7-6.5 8.5-11.5h-4c-.7-4.1 1.3-7.9 6.3-10.5A9 9 0 0 1 32 13z";
    static const char king[] =
        "M30 7h4v4h4v4h-4v4.5c2.2 1.2 3.6 3.2 4.2 5.7C42 21.600 53 20.500 54 30c.6 6.200-5.500 "
        "9.500-7.500 14V55h-29V44C15.500 39.500 9.400 36.200 10 30c1-9.500 12-8.400 15.800-4.800.6-2.500 "
        "2-4.500 4.200-5.700V15h-4v-4h4z";
    fprintf(out,
            "<path transform=\"translate(%d %d)\" d=\"%s\" fill=\"%s\" stroke=\"%s\" "
            "stroke-width=\"2\" stroke-linejoin=\"round\" opacity=\"%s\"/>\n",
            left_of(square), top_of(square), type == TREB_KING ? king : pawn,
            color == TREB_WHITE ? "#fffdf8" : "#2b2622",
            color == TREB_WHITE ? "#2b2622" : "#0f0d0b", opacity);
}

static void put_men(FILE *out, const treb_position *pos)
{
    for (int color = 0; color < 2; color++) {
        for (uint64_t pawns = pos->by_type[TREB_PAWN] & pos->by_color[color]; pawns != 0;)
            draw_man(out, bit_pop(&pawns), color, TREB_PAWN, "1");
        draw_man(out, position_king(pos, color), color, TREB_KING, "1");
    }
}

/* ---- Marks ----------------------------------------------------------------------------------- */

/* Puts a mark at a place of a square: filled for the attacker, else a ring. */
static void put_mark(FILE *out, int x, int y, int group, bool filled, bool small)
{
    const char *color = palette[group % COLORS];
    int radius = small ? 11 : 16;
    char text[8];
    squares_mark(group, text);
    fprintf(
        out,
        "<circle cx=\"%d\" cy=\"%d\" r=\"%d\" fill=\"%s\" stroke=\"%s\" "
        "stroke-width=\"2.5\"/>\n<text x=\"%d\" y=\"%d\" font-size=\"%d\" fill=\"%s\">%s</text>\n",
        x, y, radius, filled ? color : "#fffdf8", color, x, y + (small ? 5 : 6), small ? 13 : 18,
        filled ? "#ffffff" : color, text);
}

/* Puts the marks of one square: one in the middle, or several smaller ones side by side; in the
 * corners if a king stands there. */
static void put_marks(FILE *out, const treb_position *pos, const Squares *s, int square)
{
    struct {
        int group;
        bool filled;
    } mark[4];
    int marks = 0;
    for (int i = 0; i < s->groups && marks < 4; i++) {
        if (bit_test(s->group[i].squares, square)) {
            mark[marks].group = i;
            mark[marks++].filled = true;
        }
        if (marks < 4 && bit_test(s->group[i].answers, square)) {
            mark[marks].group = i;
            mark[marks++].filled = false;
        }
    }
    bool small = marks > 1 || bit_test(pos->by_type[TREB_KING], square);
    static const int place[4][2] = {{-18, -18}, {18, 18}, {18, -18}, {-18, 18}};
    for (int i = 0; i < marks; i++)
        put_mark(out, left_of(square) + CELL / 2 + (small ? place[i][0] : 0),
                 top_of(square) + CELL / 2 + (small ? place[i][1] : 0), mark[i].group,
                 mark[i].filled, small);
}

/* ---- The panel ------------------------------------------------------------------------------- */

/* Writes the squares of a set, at most `most`. */
static void put_set(FILE *out, uint64_t set, int most)
{
    for (int i = 0; set != 0; i++) {
        char name[3];
        if (i == most) {
            fprintf(out, " \xe2\x80\xa6");
            return;
        }
        square_name(bit_pop(&set), name);
        fprintf(out, i ? " %s" : "%s", name);
    }
}

static int put_groups(FILE *out, const Squares *s, int x, int y, int bottom)
{
    for (int i = 0; i < s->groups && y < bottom; i++, y += 30) {
        fprintf(out, "<g text-anchor=\"middle\" font-weight=\"bold\">");
        put_mark(out, x + 11, y - 5, i, true, true);
        fprintf(out, "</g><text x=\"%d\" y=\"%d\">", x + 30, y);
        put_set(out, s->group[i].squares, 5);
        fprintf(out, " <tspan fill=\"#8a7a5c\">needs</tspan> ");
        put_set(out, s->group[i].answers, 3);
        fprintf(out, "</text>\n");
    }
    return y;
}

static void put_zugzwangs(FILE *out, const Squares *s, int x, int y)
{
    bool twice = s->double_zugzwangs > 0;
    const uint64_t *pairs = twice ? s->double_zugzwang : s->zugzwang;
    int column = 0, all = twice ? s->double_zugzwangs : s->zugzwangs, listed = 0;
    fprintf(out, "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%s: %d</text>\n", x, y,
            twice ? "The side to move loses" : "Mutual zugzwangs", all);
    for (int a = 0; a < 64; a++)
        for (uint64_t left = pairs[a]; left != 0;) {
            char mine[3], theirs[3];
            square_name(a, mine);
            square_name(bit_pop(&left), theirs);
            if (column == 0) y += 20;
            if (y > MARGIN + BOARD) continue;
            bool white = s->attacker == TREB_WHITE;
            fprintf(out, "<text x=\"%d\" y=\"%d\">K%s\xe2\x80\x93K%s</text>\n", x + 76 * column, y,
                    white ? mine : theirs, white ? theirs : mine);
            column = (column + 1) % 3;
            listed++;
        }
    if (listed < all)
        fprintf(out, "<text x=\"%d\" y=\"%d\">\xe2\x80\xa6 and %d more</text>\n", x,
                MARGIN + BOARD + 19, all - listed);
}

static void put_panel(FILE *out, const Squares *s)
{
    static const char *const colors[2] = {"White", "Black"};
    int x = MARGIN + BOARD + 24, y = MARGIN + 16;
    fprintf(out, "<g font-size=\"14\" fill=\"#2b2622\">\n");
    fprintf(out,
            "<text x=\"%d\" y=\"%d\" font-size=\"17\" font-weight=\"bold\">Corresponding "
            "squares</text>\n",
            x, y);
    fprintf(out, "<text x=\"%d\" y=\"%d\">filled: %s's king attacks</text>\n", x, y + 24,
            colors[s->attacker]);
    fprintf(out, "<text x=\"%d\" y=\"%d\">ring: where %s's king must be then</text>\n", x, y + 43,
            colors[!s->attacker]);
    y = put_groups(out, s, x, y + 78, MARGIN + BOARD - 110);
    put_zugzwangs(out, s, x, y + 14);
    fprintf(out, "</g>\n");
}

void squares_print_svg(FILE *out, const Placements *p, const Squares *s)
{
    char fen[TREB_FEN_SIZE];
    int width = MARGIN + BOARD + 24 + PANEL, height = 2 * MARGIN + BOARD + 4;
    position_to_fen(&p->pos, fen);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" font-structure=\"Helvetica,Arial,sans-serif\">\n"
            "<title>Corresponding squares of %s</title>\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#fffdf8\"/>\n",
            width, height, width, height, fen, width, height);
    put_board(out);
    put_men(out, &p->pos);
    fprintf(out, "<g text-anchor=\"middle\" font-weight=\"bold\">\n");
    for (int square = 0; square < 64; square++) put_marks(out, &p->pos, s, square);
    fprintf(out, "</g>\n");
    put_panel(out, s);
    fprintf(out, "</svg>\n");
}
