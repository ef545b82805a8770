/* blocked_print.c - distances of placements as text: see blocked.h. */
#include "pawns/blocked/blocked.h"

/* The distance of a placement as text: "16"; "+" for a win without a distance; "?" if it is open;
 * else `none`. */
static void placement_text(const Blocked *b, int attacker, int side, int white, int black,
                           const char *none, char out[16])
{
    const BlockedDistances *from = &b->by_winner[attacker];
    if (bit_test(from->won[side][white], black)) {
        if (from->plies[side][white][black] == DISTANCE_NONE)
            snprintf(out, 16, "+");
        else
            snprintf(out, 16, "%d", from->plies[side][white][black]);
    } else {
        snprintf(out, 16, "%s", bit_test(from->open[side][white], black) ? "?" : none);
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
                char w[3], k[3], plies[16];
                if (!blocked_is_legal(b, side, white, black)) continue;
                square_name(white, w);
                square_name(black, k);
                placement_text(b, attacker, side, white, black, "-", plies);
                fprintf(out, "%c\t%s\t%s\t%s\n", side == TREB_WHITE ? 'w' : 'b', w, k, plies);
            }
        }
}

/* Lists the squares of a set in the order of the table, file by file; returns their number. */
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
