/* cmd_shift.c - trebuchet shift: a position shifted to every place on the board. */
#include <stdlib.h>
#include <string.h>

#include "cli/advice.h"
#include "cli/arguments.h"
#include "cli/cmd.h"
#include "cli/folders.h"
#include "cli/options.h"
#include "cli/output.h"
#include "core/chess/position.h"
#include "find/shift.h"
#include "json/answer_shift.h"

static const char *const colors[2] = {"White", "Black"};

enum { NAMES_SIZE = 512, SHOWN_MOVES = 4 };

typedef struct ShiftArgs {
    CliDirs dirs;
    treb_position pos;
    bool list, tsv;
    const char *svg;
} ShiftArgs;

/* ---- Words ----------------------------------------------------------------------------------- */

/* Writes "Kg1, Kf1 and 3 more": moves of the position given or of one of its places. */
static void name_moves(const treb_position *pos, int turn, const Move *moves, int count,
                       char out[NAMES_SIZE])
{
    size_t length = 0;
    out[0] = '\0';
    for (int i = 0; i < count && i < SHOWN_MOVES; i++) {
        char name[SAN_SIZE];
        shift_move_name(pos, turn, moves[i], name);
        length += (size_t)snprintf(out + length, NAMES_SIZE - length, "%s%s", i ? ", " : "", name);
    }
    if (count > SHOWN_MOVES)
        snprintf(out + length, NAMES_SIZE - length, " and %d more", count - SHOWN_MOVES);
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void print_group_side(const Shift *shift, const ShiftGroup *group, int turn)
{
    char names[NAMES_SIZE];
    const int *count = group->count[turn];
    int possible = group->places - count[SHIFT_IMPOSSIBLE];
    printf("    %s to move: ", colors[turn]);
    if (possible == 0) {
        puts("impossible");
        return;
    }
    if (!group->one_verdict[turn]) {
        for (int r = 2, first = 1; r >= 0; r--)
            if (count[r] > 0) {
                printf("%s%s in %d", first ? "" : ", ", shift_result_text(r), count[r]);
                first = 0;
            }
        putchar('\n');
        return;
    }
    int result = count[0] ? 0 : count[1] ? 1 : 2;
    fputs(shift_result_text(result), stdout);
    if (possible < group->places) printf(" where it is possible");
    if (result > 0 && group->commons[turn] > 0) {
        name_moves(&shift->pos, turn, group->common[turn], group->commons[turn], names);
        printf(" by %s", names);
    } else if (result > 0) {
        printf(", by different moves");
    }
    putchar('\n');
}

static char letter(int turn, int result)
{
    static const char of_white[] = "-=+x", of_black[] = "+=-x";
    return (turn == TREB_WHITE ? of_white : of_black)[result];
}

static void fill_map(const Shift *shift, int turn, char map[64])
{
    memset(map, '.', 64);
    for (int i = 0; i < shift->places; i++)
        map[position_king(&shift->place[i].pos, TREB_WHITE)] =
            letter(turn, shift->place[i].result[turn]);
}

static void print_maps(const Shift *shift)
{
    char map[2][64];
    for (int turn = 0; turn < 2; turn++) fill_map(shift, turn, map[turn]);
    printf("\n    %-21s%s\n", "White to move", "Black to move");
    for (int rank = 7; rank >= 0; rank--) {
        for (int turn = 0; turn < 2; turn++) {
            printf("  %d", rank + 1);
            for (int file = 0; file < 8; file++) printf(" %c", map[turn][8 * rank + file]);
            fputs(turn == 0 ? "  " : "\n", stdout);
        }
    }
    puts("    a b c d e f g h      a b c d e f g h");
}

/* Writes "draw by Ke5" or "draw by any" for one place. */
static void place_words(const ShiftPlace *place, int turn, char out[NAMES_SIZE])
{
    char names[NAMES_SIZE];
    const int result = place->result[turn];
    if (place->kept[turn] == 0) {
        snprintf(out, NAMES_SIZE, "%s", shift_result_text(result));
        return;
    }
    name_moves(&place->pos, turn, place->keep[turn], place->kept[turn], names);
    snprintf(out, NAMES_SIZE, "%s by %.480s", shift_result_text(result),
             place->kept[turn] == place->moves[turn] ? "any" : names);
}

/* Prints the places of a group. The numbers run through all groups. */
static void print_places(const Shift *shift, int edge, int *number)
{
    for (int i = 0; i < shift->places; i++) {
        const ShiftPlace *place = &shift->place[i];
        char words[2][NAMES_SIZE], king[3];
        if ((int)place->edge != edge) continue;
        square_name(position_king(&place->pos, TREB_WHITE), king);
        for (int turn = 0; turn < 2; turn++) place_words(place, turn, words[turn]);
        printf("    %3d  K%s  %-36s  %s\n", ++*number, king, words[0], words[1]);
    }
}

static void print_text(const Shift *shift, bool list)
{
    char fen[TREB_FEN_SIZE];
    int number = 0;
    position_to_fen(&shift->pos, fen);
    printf("%s\n%d place%s\n", fen, shift->places, shift->places == 1 ? "" : "s");
    for (int edge = 0; edge < SHIFT_EDGES; edge++) {
        const ShiftGroup *group = &shift->group[edge];
        if (group->places == 0) continue;
        printf("\n  %s: %d place%s\n", shift_edge_text((ShiftEdge)edge), group->places,
               group->places == 1 ? "" : "s");
        for (int turn = 0; turn < 2; turn++) print_group_side(shift, group, turn);
        if (list) print_places(shift, edge, &number);
    }
    print_maps(shift);
}

static void print_tsv(const Shift *shift)
{
    puts("fen\tgroup\twhite\twhite_moves\tblack\tblack_moves");
    for (int i = 0; i < shift->places; i++) {
        const ShiftPlace *place = &shift->place[i];
        char fen[TREB_FEN_SIZE];
        shift_place_fen(place, fen);
        printf("%s\t%s", fen, shift_edge_text(place->edge));
        for (int turn = 0; turn < 2; turn++) {
            printf("\t%s\t", shift_result_text(place->result[turn]));
            for (int k = 0; k < place->kept[turn]; k++) {
                char name[SAN_SIZE];
                shift_move_name(&place->pos, turn, place->keep[turn][k], name);
                printf("%s%s", k ? " " : "", name);
            }
        }
        putchar('\n');
    }
}

/* ---- The picture ----------------------------------------------------------------------------- */

static const char *fill_of(char letter)
{
    switch (letter) {
    case '+':
        return "#7fbf7f";
    case '=':
        return "#d8d8d8";
    case '-':
        return "#e08a8a";
    case 'x':
        return "#ffffff";
    default:
        return "#f6f6f6";
    }
}

static void draw_map(FILE *out, const Shift *shift, int turn, int left)
{
    enum { SIZE = 32, TOP = 32 };
    char map[64];
    fill_map(shift, turn, map);
    fprintf(out, "<text x=\"%d\" y=\"22\">%s to move</text>\n", left, colors[turn]);
    for (int square = 0; square < 64; square++) {
        int x = left + SIZE * (square & 7), y = TOP + SIZE * (7 - (square >> 3));
        fprintf(out,
                "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\" stroke=\"#999\"/>",
                x, y, SIZE, SIZE, fill_of(map[square]));
        if (map[square] != '.')
            fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%c</text>", x + SIZE / 2,
                    y + 22, map[square]);
        if (square % 8 == 7) putc('\n', out);
    }
    for (int i = 0; i < 8; i++)
        fprintf(out,
                "<text x=\"%d\" y=\"%d\" class=\"s\" text-anchor=\"middle\">%c</text>"
                "<text x=\"%d\" y=\"%d\" class=\"s\" text-anchor=\"end\">%d</text>\n",
                left + SIZE * i + SIZE / 2, TOP + 8 * SIZE + 16, 'a' + i, left - 4,
                TOP + SIZE * (7 - i) + 20, i + 1);
}

static bool write_svg(const char *path, const Shift *shift)
{
    FILE *out = cli_open_output("shift", path);
    if (out == NULL) return false;
    fputs("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 600 316\" width=\"600\" "
          "font-family=\"sans-serif\" font-size=\"15\">\n<style>.s { font-size: 11px; fill: #666; "
          "}</style>\n<rect width=\"600\" height=\"316\" fill=\"#fff\"/>\n",
          out);
    draw_map(out, shift, TREB_WHITE, 24);
    draw_map(out, shift, TREB_BLACK, 324);
    fputs("</svg>\n", out);
    return cli_close_output("shift", path, out);
}

/* ---- The command ----------------------------------------------------------------------------- */

static int run(ShiftArgs *args, const treb_tables *tables)
{
    treb_error error;
    Shift *shift = malloc(sizeof *shift);
    if (shift == NULL) return cli_no_memory("shift");
    int code = CLI_OK;
    bool plain = args->svg == NULL || strcmp(args->svg, "-") != 0;
    if (shift_find(tables, &args->pos, NULL, NULL, shift, &error) != TREB_OK)
        code = cli_fail_tables("shift", &error, &args->dirs);
    else if (args->svg != NULL && !write_svg(args->svg, shift))
        code = CLI_FAILED;
    else if (cli_json_wanted())
        code = cli_json_answer("shift", answer_shift_json(shift));
    else if (args->tsv)
        print_tsv(shift);
    else if (plain)
        print_text(shift, args->list);
    free(shift);
    return code;
}

static const CliOption options[] = {
    {"list", 0, NULL, CLI_FLAG(ShiftArgs, list),
     "also list the places of every group: the square of the white king, then the verdict and the "
     "moves with White and with Black to move ('any': all moves)"},
    {"tsv", 0, NULL, CLI_FLAG(ShiftArgs, tsv),
     "one line per place, with tabs between: FEN with White to move, group, White's verdict and "
     "moves, Black's verdict and moves"},
    CLI_OPTION_JSON("print one JSON object"),
    {"svg", 0, "FILE", CLI_TEXT(ShiftArgs, svg),
     "write the maps as a picture; - is standard output"},
    CLI_OPTION_TABLES(ShiftArgs, dirs),
    CLI_OPTION_HELP,
    CLI_OPTIONS_END};

static const CliCommand shift_command = {
    .name = "shift",
    .synopsis = "trebuchet shift [options] FEN",
    .about =
        "Shifts the whole position to every place on the board where it fits. For each place, with "
        "either side to move, it finds the verdict and the moves that keep it. Places are grouped "
        "by the edges of the board that some man touches: none, a side, the top or bottom, or "
        "both. A group with one verdict, and with a move that keeps it everywhere, can be learned "
        "as one position.\n\n"
        "Maps show the verdict at the square of the white king: + White wins, = draw, - Black "
        "wins, x this side cannot be to move. Moves of a group are named as in the position given. "
        "En passant and the 50-move rule are ignored.",
    .options = options,
    .notes = "Exit codes: 0 answered, 1 failed, 2 wrong command line or impossible position, 3 no "
             "table for the position."};

int cli_shift(int argc, char **argv)
{
    ShiftArgs args = {.tsv = false};
    int code = cli_options(&shift_command, &args, argc, argv);
    if (code < 0 && args.svg != NULL && strcmp(args.svg, "-") == 0 &&
        (cli_json_wanted() || args.tsv)) {
        cli_error("shift",
                  "--svg - cannot be used with --json or --tsv: all print on standard output");
        code = cli_usage("shift");
    }
    if (code < 0) {
        code = cli_read_fen("shift", argc - optind, argv + optind, &args.pos);
        if (code == CLI_OK && args.pos.castling != 0) {
            cli_error("shift", "castling rights remain: no table covers them");
            code = CLI_USAGE;
        }
        if (code == CLI_OK) {
            treb_tables *tables = cli_open_tables("shift", &args.dirs);
            code = tables != NULL ? run(&args, tables) : CLI_FAILED;
            code = cli_close_tables("shift", tables, code);
        }
    }
    cli_dirs_free(&args.dirs);
    return cli_finish("shift", code);
}
