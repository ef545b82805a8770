/* terminal.c - see terminal.h. */
#include "cli/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/parse.h"
#include "cli/text.h"
#include "core/chess/position.h"
#include "core/system/tool.h"

void cli_print_board(const treb_position *pos)
{
    static const char letters[2][TREB_TYPES + 1] = {"PNBRQK", "pnbrqk"};
    for (int rank = 7; rank >= 0; rank--) {
        printf("  %d ", rank + 1);
        for (int file = 0; file < 8; file++) {
            int color = 0, type = position_piece_at(pos, 8 * rank + file, &color);
            printf(" %c", type < 0 ? '.' : letters[color][type]);
        }
        putchar('\n');
    }
    printf("     a b c d e f g h     %s to move", pos->turn == TREB_WHITE ? "White" : "Black");
    if (pos->ep) printf(", en passant on %c%d", 'a' + pos->ep % 8, 1 + pos->ep / 8);
    if (pos->halfmove)
        printf(", 50-move clock at %d %s", pos->halfmove,
               cli_plural(pos->halfmove, "ply", "plies"));
    puts("\n");
}

int cli_columns(void)
{
    if (tool_columns() >= 20) return tool_columns();
    const char *columns = tool_variable("COLUMNS");
    uint64_t number;
    if (columns != NULL && cli_parse_number(columns, 20, 1000, &number)) return (int)number;
    return 80;
}
