/* solved_games.c - lets the example engine win games with a pawn file, over UCI.
 *
 *     solved_games [-n GAMES] ENGINE FOLDER FEN
 *
 * FOLDER has the pawn file of the position FEN, which the side to move wins, and nothing else. GAMES games
 * are played, against the longest defence, random moves, and a mix of both in turn. After each move of the
 * engine, the file must still say that it wins, and the game must end with mate. Then as many games are
 * played without the engine: the winner plays the first move of treb_probe_moves by DTZ, as programs with
 * Fathom's calls do. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <trebuchet.h>
#include <unistd.h>

#include "engine_process.h"

enum { PLIES_MAX = 400, TEXT = 4096 };

typedef struct Game {
    treb_tables *tables;
    FILE *to, *from;
    const char *fen;
    char moves[PLIES_MAX * TREB_UCI_SIZE + 1];
    uint64_t seed;
} Game;

static uint64_t next_random(Game *g)
{
    uint64_t x = g->seed += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ x >> 31;
}

static bool ask_engine(Game *g, char move[TREB_UCI_SIZE])
{
    char line[TEXT];
    fprintf(g->to, "position fen %s moves%s\ngo depth 1\n", g->fen, g->moves);
    fflush(g->to);
    while (fgets(line, sizeof line, g->from) != NULL)
        if (sscanf(line, "bestmove %5s", move) == 1) return true;
    return false;
}

/* Chooses the move of the side to move. Returns false at the end of the game. */
static bool choose(Game *g, const treb_position *pos, bool winner, bool engine, unsigned kind,
                   char move[TREB_UCI_SIZE])
{
    treb_move list[TREB_MOVES_MAX];
    size_t count;
    treb_probe_moves(g->tables, pos, TREB_DTZ, TREB_RULE_50, list, TREB_MOVES_MAX, &count, NULL);
    if (count == 0) return false;
    size_t number = 0;
    if (!winner && (kind == 1 || (kind == 2 && next_random(g) >> 40 & 1)))
        number = (size_t)((next_random(g) >> 32) % count);
    if (winner && engine) return ask_engine(g, move);
    strcpy(move, list[number].uci);
    return true;
}

/* Plays a game. Returns whether the winner mates. */
static bool play(Game *g, bool engine, unsigned kind, unsigned *plies)
{
    treb_position pos;
    treb_error error;
    treb_value value;
    char move[TREB_UCI_SIZE] = "";
    g->moves[0] = '\0';
    if (treb_position_from_fen(g->fen, &pos, &error) != TREB_OK) return false;
    const int side = pos.turn;
    for (*plies = 0; *plies < PLIES_MAX; ++*plies) {
        const bool winner = pos.turn == side;
        treb_status status = treb_probe_root(g->tables, &pos, &value, &error);
        if (winner && (status != TREB_OK || value.rule != TREB_WIN)) {
            printf("FAULT: the win is not known any more (%s)\n", status ? error.text : "no win");
            return false;
        }
        if (!choose(g, &pos, winner, engine, kind, move))
            return !winner && status == TREB_OK && value.rule == TREB_LOSS;
        if (treb_position_play(&pos, move, &pos, &error) != TREB_OK) {
            printf("FAULT: %s is no move\n", move);
            return false;
        }
        strcat(strcat(g->moves, " "), move);
    }
    printf("FAULT: no end\n");
    return false;
}

int main(int argc, char **argv)
{
    unsigned games = 3, faults = 0, all = 0;
    treb_error error;
    for (int option; (option = getopt(argc, argv, "n:")) != -1;) {
        if (option != 'n') return 2;
        games = (unsigned)strtoul(optarg, NULL, 10);
    }
    if (argc - optind != 3) {
        fprintf(stderr, "usage: %s [-n GAMES] ENGINE FOLDER FEN\n", argv[0]);
        return 2;
    }
    const char *folder = argv[optind + 1];
    Game g = {.fen = argv[optind + 2], .seed = 1};
    g.tables = treb_tables_open(&folder, 1, &error);
    if (g.tables == NULL) {
        fprintf(stderr, "%s\n", error.text);
        return EXIT_FAILURE;
    }
    pid_t pid = engine_start(argv[optind], &g.to, &g.from);
    if (pid < 0) return EXIT_FAILURE;
    fprintf(g.to, "setoption name TablesPath value %s\n", folder);
    for (unsigned i = 0; i < 2 * games; i++) {
        unsigned plies;
        if (play(&g, i < games, i % 3, &plies)) {
            all += plies;
            continue;
        }
        faults++;
        printf("    position fen %s moves%s\n", g.fen, g.moves);
    }
    fprintf(g.to, "quit\n");
    fclose(g.to);
    fclose(g.from);
    int status = 1;
    waitpid(pid, &status, 0);
    treb_tables_close(g.tables);
    printf("%u games, %u plies, %u faults\n", 2 * games, all, faults);
    return faults == 0 && status == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
