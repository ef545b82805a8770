/* cmd_near.c - trebuchet near: positions of the same men nearby, with another verdict. */
#include <stdlib.h>
#include <string.h>

#include "cli/advice.h"
#include "cli/arguments.h"
#include "cli/cmd.h"
#include "cli/folders.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/signals.h"
#include "cli/text.h"
#include "core/chess/position.h"
#include "find/near.h"

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

/* Writes "Kd3-d4, Pe2-e4". */
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
        printf(": none within %d %s of %d %s\n", args->query.moves,
               cli_plural((uint64_t)args->query.moves, "move", "moves"), args->query.men,
               cli_plural((uint64_t)args->query.men, "man", "men"));
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

static const CliOption options[] = {
    {"show", 'n', "N", CLI_NUMBER(NearArgs, shown, 1, NEAR_SHOWN_MAX),
     "up to N positions for each side (default: 5)"},
    {"men", 0, "N", CLI_NUMBER(NearArgs, men, 1, TREB_MEN_MAX),
     "at most N men stand on other squares (default: 2)"},
    {"moves", 0, "N", CLI_NUMBER(NearArgs, moves, 1, NEAR_MOVES_MAX),
     "at most N moves away (default: 4)"},
    {"turn", 0, "COLOR", CLI_TURN(NearArgs, query.turn),
     "only positions with this side to move: white or black (default: either)"},
    CLI_OPTION_JSON("print one JSON object"),
    CLI_OPTION_TABLES(NearArgs, dirs),
    CLI_OPTION_HELP,
    CLI_OPTIONS_END};

static const CliCommand near_command = {
    .name = "near",
    .synopsis = "trebuchet near [options] FEN",
    .about = "Finds the nearest positions of the same men in which one side has a better result: "
             "positions that this side can aim for and that the other side should avoid. The "
             "distance between two positions is the number of moves that carry the men from one "
             "to the other, each on an empty board. It is 0 for the same position with the other "
             "side to move.\n"
             "Positions that a capture wins at once are left out. Castling, en passant and the "
             "50-move rule are ignored.",
    .options = options,
    .notes = "Exit codes: 0 answered, even if there are none, 1 failed, 2 wrong command line or "
             "impossible position, 3 no table for the position, 130 stopped."};

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
                   : cli_fail_tables("near", &error, &args->dirs);
    free(near);
    return code == CLI_OK && atomic_load(args->query.stop) ? CLI_STOPPED : code;
}

int cli_near(int argc, char **argv)
{
    NearArgs args = {.query = {.turn = FIND_EITHER}, .shown = 5, .men = 2, .moves = 4};
    int code = cli_options(&near_command, &args, argc, argv);
    if (code < 0) {
        code = cli_read_fen("near", argc - optind, argv + optind, &args.query.pos);
        args.query.pos.ep = args.query.pos.castling = 0;
        treb_tables *tables = code == CLI_OK ? cli_open_tables("near", &args.dirs) : NULL;
        if (code == CLI_OK) code = tables != NULL ? run(&args, tables) : CLI_FAILED;
        code = cli_close_tables("near", tables, code);
    }
    cli_dirs_free(&args.dirs);
    return cli_finish("near", code);
}
