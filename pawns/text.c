/* text.c - ranks and corresponding squares as text: see blocked.h. */
#include "pawns/blocked.h"

/* ---- Ranks ----------------------------------------------------------------------------------- */

/* "16", "?" if it is open, or `none`. */
static void placement_text(const Blocked *b, int attacker, int side, int white, int black,
                           const char *none, char out[16])
{
    const BlockedRanks *ranks = &b->by[attacker];
    if (bit_test(ranks->won[side][white], black)) {
        if (ranks->rank[side][white][black] == RANK_NONE)
            snprintf(out, 16, "+");
        else
            snprintf(out, 16, "%d", ranks->rank[side][white][black]);
    } else {
        snprintf(out, 16, "%s", bit_test(ranks->open[side][white], black) ? "?" : none);
    }
}

void blocked_print_tsv(FILE *out, const Blocked *b, int attacker, const uint64_t region[2])
{
    fprintf(out, "# side_to_move\twhite_king\tblack_king\trank\n");
    for (int side = 0; side < 2; side++)
        for (uint64_t rows = region[TREB_WHITE]; rows != 0;) {
            int white = bit_pop(&rows);
            for (uint64_t columns = region[TREB_BLACK]; columns != 0;) {
                int black = bit_pop(&columns);
                char w[3], k[3], rank[16];
                if (!blocked_is_legal(b, side, white, black)) continue;
                square_name(white, w);
                square_name(black, k);
                placement_text(b, attacker, side, white, black, "-", rank);
                fprintf(out, "%c\t%s\t%s\t%s\n", side == TREB_WHITE ? 'w' : 'b', w, k, rank);
            }
        }
}

/* The squares of a set in the order of a table: by files. */
static int by_files(uint64_t set, int out[64])
{
    int count = 0;
    for (int file = 0; file < 8; file++)
        for (int rank = 0; rank < 8; rank++)
            if (bit_test(set, square_at(file, rank))) out[count++] = square_at(file, rank);
    return count;
}

void blocked_print_table(FILE *out, const Blocked *b, int attacker, int side,
                         const uint64_t region[2])
{
    int row[64], column[64];
    uint64_t free = ~cells_pawns(&b->key);
    int rows = by_files(region[TREB_WHITE] & free, row);
    int columns = by_files(region[TREB_BLACK] & free, column);
    fprintf(out, "%s to move; rows: the white king's square, columns: the black king's\n   ",
            side == TREB_WHITE ? "White" : "Black");
    char name[16];
    for (int i = 0; i < columns; i++) {
        square_name(column[i], name);
        fprintf(out, " %3s", name);
    }
    fputc('\n', out);
    for (int i = 0; i < rows; i++) {
        square_name(row[i], name);
        fprintf(out, " %s", name);
        for (int j = 0; j < columns; j++) {
            if (!blocked_is_legal(b, side, row[i], column[j]))
                snprintf(name, sizeof name, "H");
            else
                placement_text(b, attacker, side, row[i], column[j], side == TREB_WHITE ? "*" : "-",
                               name);
            fprintf(out, " %3s", name);
        }
        fputc('\n', out);
    }
}

/* ---- Corresponding squares ------------------------------------------------------------------- */

/* The marks of a square: "3", or "1,4" where a defender's square answers several. */
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
            /* White's king first, whoever attacks. */
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
                "%s's king attacks. When it steps on a square with a mark, %s must step on "
                "one with\nthe same mark: with both there, whoever has the move is worse off.\n\n",
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
        fprintf(out, "\nOf them, whoever moves loses: %d.\n", s->double_zugzwangs);
        print_zugzwangs(out, s, s->double_zugzwang);
    }
    if (s->open == 0) return;
    fprintf(out, "\nOpen are ");
    if (s->open >= 1000) fprintf(out, "%d,", s->open / 1000);
    fprintf(out, s->open >= 1000 ? "%03d" : "%d", s->open % 1000);
    fprintf(out, " placements of the kings, so that there may be more.\n");
}
