/* cmd_near.c - trebuchet near: positions of the same men nearby, with another verdict. */
#include <stdlib.h>
#include <string.h>

#include "cli/json.h"
#include "cli/options.h"
#include "core/chess/position.h"
#include "find/near.h"

static const char usage[] =
    "Usage: trebuchet near [options] FEN\n"
    "\n"
    "Finds the nearest positions of the same men in which a side has a better result:\n"
    "what it may aim for, and the other had better avoid. How near they are is the\n"
    "sum of the moves that would carry men from here to there, on an empty board; 0\n"
    "is the position itself with the other side to move.\n"
    "Positions that a capture wins at once are passed over. Castling, en passant and\n"
    "the 50-move rule are left aside.\n"
    "\n"
    "  -n, --show N         up to N positions for each side (default: 5)\n"
    "      --men N          at most N men stand elsewhere (default: 2)\n"
    "      --moves N        at most N moves away (default: 4)\n"
    "      --turn COLOR     with this side to move there: white or black (default:\n"
    "                       either)\n"
    "      --json           print one JSON object\n"
    "  -t, --tables DIR     look for tables in DIR; may be given several times\n"
    "  -h, --help           this text\n"
    "\n"
    "Exit codes: 0 answered, also if there are none, 1 failed, 2 no such position, 3\n"
    "no table for it, 130 stopped.\n";

typedef struct NearArgs {
    NearQuery query;
    CliDirs dirs;
    uint64_t shown, men, moves;
} NearArgs;

/* ---- Words ----------------------------------------------------------------------------------- */

static const char *result_text(int result)
{
    return result > 0 ? "White wins" : result < 0 ? "Black wins" : "draw";
}

/* "Kd3-d4, Pe2-e4". */
static void name_path(const treb_position *pos, const NearPlace *place, char out[128])
{
    static const char letters[] = "PNBRQK";
    size_t length = (size_t)snprintf(out, 128, "%s", place->count ? "" : "the other side to move");
    for (int i = 0; i < place->count; i++) {
        Move m = place->path[i];
        int type = position_piece_at(pos, move_from(m), NULL), from = move_from(m), to = move_to(m);
        length += (size_t)snprintf(out + length, 128 - length, "%s%c%c%d-%c%d", i ? ", " : "",
                                   letters[type], 'a' + square_file(from), 1 + square_rank(from),
                                   'a' + square_file(to), 1 + square_rank(to));
    }
}

static void print_side(const NearArgs *args, const Near *near, int side)
{
    const char *color = side == TREB_WHITE ? "White" : "Black";
    int best = side == TREB_WHITE ? 1 : -1;
    if (near->result == best) return;
    printf("\nBetter for %s", color);
    if (near->count[side] == 0) {
        printf(": none within %d moves of %d men\n", args->query.moves, args->query.men);
        return;
    }
    puts("");
    for (int i = 0; i < near->count[side]; i++) {
        const NearPlace *place = &near->better[side][i];
        char fen[TREB_FEN_SIZE], path[128];
        position_to_fen(&place->pos, fen);
        name_path(&args->query.pos, place, path);
        printf("  %d  %-24s %-10s  %s\n", place->moves, path, result_text(place->result), fen);
    }
}

static json_t *json_side(const NearArgs *args, const Near *near, int side)
{
    json_t *list = json_array();
    for (int i = 0; i < near->count[side]; i++) {
        const NearPlace *place = &near->better[side][i];
        char fen[TREB_FEN_SIZE], path[128];
        json_t *object = json_object();
        position_to_fen(&place->pos, fen);
        name_path(&args->query.pos, place, path);
        json_object_set_new(object, "fen", json_string(fen));
        json_object_set_new(object, "result", json_string(result_text(place->result)));
        json_object_set_new(object, "moves", json_integer(place->moves));
        json_object_set_new(object, "men", json_integer(place->count));
        json_object_set_new(object, "path", json_string(path));
        json_array_append_new(list, object);
    }
    return list;
}

static int print(const NearArgs *args, const Near *near)
{
    char fen[TREB_FEN_SIZE];
    position_to_fen(&args->query.pos, fen);
    if (!cli_json_wanted()) {
        printf("%s\n%s\n", fen, result_text(near->result));
        for (int side = 0; side < 2; side++) print_side(args, near, side);
        return CLI_OK;
    }
    json_t *object = json_object();
    json_object_set_new(object, "fen", json_string(fen));
    json_object_set_new(object, "result", json_string(result_text(near->result)));
    json_object_set_new(object, "looked", json_integer((json_int_t)near->looked));
    json_object_set_new(object, "better_for_white", json_side(args, near, TREB_WHITE));
    json_object_set_new(object, "better_for_black", json_side(args, near, TREB_BLACK));
    return cli_json_answer("near", object);
}

/* ---- The command ----------------------------------------------------------------------------- */

enum { MEN = CLI_OPTION_OWN, MOVES, TURN };

static bool set_option(void *near, int c, const char *value)
{
    NearArgs *args = near;
    if (c == 'n') return cli_set_number("near", "--show", value, 1, NEAR_SHOWN_MAX, &args->shown);
    if (c == MEN) return cli_set_number("near", "--men", value, 1, TREB_MEN_MAX, &args->men);
    if (c == MOVES)
        return cli_set_number("near", "--moves", value, 1, NEAR_MOVES_MAX, &args->moves);
    return cli_set_turn("near", value, &args->query.turn);
}

static int run(NearArgs *args, const treb_tables *tables)
{
    treb_error error;
    Near *near = malloc(sizeof *near);
    if (near == NULL) return cli_no_memory("near");
    args->query.tables = tables;
    args->query.stop = cli_catch_signals();
    args->query.men = (int)args->men;
    args->query.moves = (int)args->moves;
    args->query.shown = (int)args->shown;
    int code = near_find(&args->query, near, &error) == TREB_OK
                   ? print(args, near)
                   : cli_fail("near", &error, &args->dirs);
    free(near);
    return code == CLI_OK && atomic_load(args->query.stop) ? CLI_STOPPED : code;
}

int cli_near(int argc, char **argv)
{
    static const struct option options[] = {{"show", 1, NULL, 'n'},
                                            {"men", 1, NULL, MEN},
                                            {"moves", 1, NULL, MOVES},
                                            {"turn", 1, NULL, TURN},
                                            {"json", 0, NULL, CLI_OPTION_JSON},
                                            {"tables", 1, NULL, 't'},
                                            {"help", 0, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    NearArgs args = {.query = {.turn = FIND_EITHER}, .shown = 5, .men = 2, .moves = 4};
    const CliOptions reader = {"near", usage, "n:t:h", options, &args.dirs, set_option};
    int code = cli_options(&reader, &args, argc, argv);
    if (code < 0) {
        code = cli_read_fen("near", argc - optind, argv + optind, &args.query.pos);
        args.query.pos.ep = args.query.pos.castling = 0;
        treb_tables *tables = code == CLI_OK ? cli_open_tables("near", &args.dirs) : NULL;
        if (code == CLI_OK) code = tables != NULL ? run(&args, tables) : CLI_FAILED;
        treb_tables_close(tables);
    }
    cli_dirs_free(&args.dirs);
    return cli_finish("near", code);
}
