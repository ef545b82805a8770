/* engine_games.c - plays the example engine against the tables, over UCI.
 *
 *     engine_games [-n GAMES] [-s SEED] ENGINE TABLES
 *
 * - GAMES random won positions: the engine must mate against the longest defence of the tables. Each
 *   of its moves must be a fastest one among those that keep the win under the 50-move rule.
 * - A third as many won positions with a clock that leaves just enough time to win.
 * - A third as many drawn positions: each side makes 30 moves, the tables random drawing moves. The
 *   engine must hold the draw.
 * - A third as many lost positions: the first move of the engine must be one that loses slowest.
 *
 * A position has a random material of the set, with the men on random squares. One seed gives equal
 * positions in every run. Every fault is printed with its game. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <trebuchet.h>
#include <unistd.h>

#include "engine_process.h"

enum { PLIES_MAX = 600, DRAWN_PLIES = 60, MEN_MIN = 3 };

typedef struct Match {
    treb_tables *tables;
    uint64_t seed;
    pid_t pid;
    FILE *to, *from;
    char start[TREB_FEN_SIZE];
    char moves[PLIES_MAX * TREB_UCI_SIZE + 1]; /* of the game, each after a space */
    unsigned long long hits;                   /* number of answered probes in the last output of the engine */
    unsigned faults, plies, detours;
} Match;

static uint64_t next_random(Match *m)
{
    uint64_t x = m->seed += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

__attribute__((format(printf, 2, 3))) static void fault(Match *m, const char *format, ...)
{
    va_list args;
    m->faults++;
    va_start(args, format);
    printf("FAULT: ");
    vprintf(format, args);
    printf("\n    position fen %s moves%s\n", m->start, m->moves);
    va_end(args);
}

/* ---- The engine ------------------------------------------------------------------------------ */

static bool stop_engine(Match *m)
{
    int status = 1;
    fprintf(m->to, "quit\n");
    fclose(m->to);
    fclose(m->from);
    waitpid(m->pid, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Lets the engine search. Returns whether it played a move, which is written to `move`. */
static bool ask(Match *m, char move[TREB_UCI_SIZE])
{
    char line[2048];
    fprintf(m->to, "position fen %s moves%s\ngo depth 2\n", m->start, m->moves);
    fflush(m->to);
    m->hits = 0;
    while (fgets(line, sizeof line, m->from) != NULL) {
        const char *hits = strstr(line, " tbhits ");
        if (hits != NULL) m->hits = strtoull(hits + 8, NULL, 10);
        if (sscanf(line, "bestmove %5s", move) == 1) return true;
    }
    return false;
}

/* ---- Positions ------------------------------------------------------------------------------- */

/* Puts the men of a material, such as KRPvKR, on random squares. Returns false if the position is not
 * legal. */
static bool draw_position(Match *m, const char *material, treb_position *pos)
{
    static const char letters[] = "PNBRQK";
    int color = TREB_WHITE;
    *pos = (treb_position){.turn = next_random(m) >> 40 & 1, .fullmove = 1};
    for (const char *c = material; *c != '\0'; c++) {
        if (*c == 'v') {
            color = TREB_BLACK;
            continue;
        }
        uint64_t bit = UINT64_C(1) << (next_random(m) >> 40 & 63);
        if ((pos->by_color[0] | pos->by_color[1]) & bit) return false;
        pos->by_color[color] |= bit;
        pos->by_type[strchr(letters, *c) - letters] |= bit;
    }
    return treb_position_check(pos, NULL) == TREB_OK;
}

/* Finds a random position with this verdict under the 50-move rule. The clock is 0, or (`tight`) leaves
 * the winner just enough time. */
static void find_position(Match *m, treb_wdl verdict, bool tight, treb_position *pos,
                          treb_value *value)
{
    treb_table_info info;
    size_t count = treb_tables_count(m->tables);
    for (;;) {
        treb_tables_info(m->tables, next_random(m) % count, &info, NULL);
        if (strlen(info.material) - 1 < MEN_MIN) continue;
        for (int tries = 0; tries < 50; tries++) {
            if (!draw_position(m, info.material, pos)) continue;
            if (treb_probe_root(m->tables, pos, value, NULL) != TREB_OK) continue;
            if (value->rule != verdict || value->status[TREB_DTM] != TREB_OK) continue;
            if (tight) pos->halfmove = (uint16_t)(100 - value->plies[TREB_DTZ]);
            treb_position_to_fen(pos, m->start);
            m->moves[0] = '\0';
            return;
        }
    }
}

static void play(Match *m, treb_position *pos, const char *move)
{
    strcat(strcat(m->moves, " "), move);
    treb_position_play(pos, move, pos, NULL);
}

/* Returns the engine's move in the list of the tables, or NULL after reporting a fault. */
static const treb_move *ask_move(Match *m, const treb_move *list, size_t count)
{
    char text[TREB_UCI_SIZE];
    if (!ask(m, text)) {
        fault(m, "no answer");
        return NULL;
    }
    if (m->hits == 0) fault(m, "the tables were not asked");
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].uci, text) == 0) return &list[i];
    fault(m, "%s is no legal move", text);
    return NULL;
}

/* ---- Games ----------------------------------------------------------------------------------- */

/* Plays one ply of a won game. Returns false if the game is over, or after a fault. */
static bool won_ply(Match *m, treb_position *pos, bool engine, bool *detour)
{
    treb_move list[TREB_MOVES_MAX];
    treb_value value;
    size_t count;
    treb_probe_root(m->tables, pos, &value, NULL);
    treb_probe_moves(m->tables, pos, TREB_DTM, TREB_RULE_50, list, TREB_MOVES_MAX, &count, NULL);
    if (count == 0) {
        if (engine || value.rule != TREB_LOSS) fault(m, "no mate");
        return false;
    }
    if (!engine) {
        if (value.rule != TREB_LOSS) fault(m, "the win is gone");
        play(m, pos, list[0].uci);
        return value.rule == TREB_LOSS;
    }
    /* The clock may not leave enough time for the shortest mate. */
    if (list[0].value.plies[TREB_DTM] != value.plies[TREB_DTM]) *detour = true;
    const treb_move *move = ask_move(m, list, count);
    if (move == NULL) return false;
    m->plies++;
    bool best = move->value.rule == TREB_WIN &&
                move->value.plies[TREB_DTM] == list[0].value.plies[TREB_DTM];
    play(m, pos, move->uci);
    if (!best) fault(m, "%s instead of %s", move->uci, list[0].uci);
    return best;
}

static void play_won(Match *m, bool tight)
{
    treb_position pos;
    treb_value value;
    bool detour = false;
    int plies = 0;
    find_position(m, TREB_WIN, tight, &pos, &value);
    while (plies < PLIES_MAX && won_ply(m, &pos, plies % 2 == 0, &detour)) plies++;
    if (!detour && plies != value.plies[TREB_DTM])
        fault(m, "%d plies for a mate in %d", plies, value.plies[TREB_DTM]);
    if (plies == PLIES_MAX) fault(m, "no end");
    m->detours += detour;
}

static void play_drawn(Match *m)
{
    treb_position pos;
    treb_value value;
    find_position(m, TREB_DRAW, false, &pos, &value);
    for (int ply = 0; ply < DRAWN_PLIES; ply++) {
        treb_move list[TREB_MOVES_MAX];
        size_t count, drawing = 0;
        treb_probe_moves(m->tables, &pos, TREB_DTM, TREB_RULE_50, list, TREB_MOVES_MAX, &count,
                         NULL);
        while (drawing < count && list[drawing].value.rule == TREB_DRAW) drawing++;
        if (drawing == 0) return; /* stalemate */
        const treb_move *move = &list[next_random(m) % drawing];
        if (ply % 2 == 0) move = ask_move(m, list, count);
        if (move == NULL) return;
        bool holds = move->value.rule == TREB_DRAW;
        play(m, &pos, move->uci);
        if (!holds) {
            fault(m, "%s loses a draw", move->uci);
            return;
        }
    }
}

static void play_lost(Match *m)
{
    treb_position pos;
    treb_value value;
    treb_move list[TREB_MOVES_MAX];
    size_t count;
    find_position(m, TREB_LOSS, false, &pos, &value);
    if (value.plies[TREB_DTM] == 0) return; /* mated */
    treb_probe_moves(m->tables, &pos, TREB_DTM, TREB_RULE_50, list, TREB_MOVES_MAX, &count, NULL);
    const treb_move *move = ask_move(m, list, count);
    if (move != NULL && move->value.plies[TREB_DTM] != list[0].value.plies[TREB_DTM])
        fault(m, "%s does not hold out longest", move->uci);
}

static void play_match(Match *m, unsigned games)
{
    for (unsigned i = 0; i < games; i++) play_won(m, false);
    printf("%u won positions, %u moves of the engine; %u games slower for the 50-move rule\n",
           games, m->plies, m->detours);
    m->plies = m->detours = 0;
    for (unsigned i = 0; i < games / 3; i++) play_won(m, true);
    printf("%u with just time to win, %u moves; %u games slower for the rule\n", games / 3,
           m->plies, m->detours);
    for (unsigned i = 0; i < games / 3; i++) play_drawn(m);
    for (unsigned i = 0; i < games / 3; i++) play_lost(m);
    printf("%u drawn, %u lost positions\n", games / 3, games / 3);
}

int main(int argc, char **argv)
{
    unsigned games = 1000;
    Match m = {.seed = 1};
    treb_error error;
    for (int option; (option = getopt(argc, argv, "n:s:")) != -1;) {
        if (option == 'n') games = (unsigned)strtoul(optarg, NULL, 10);
        if (option == 's') m.seed = strtoull(optarg, NULL, 10);
        if (option == '?') return 2;
    }
    if (argc - optind != 2) {
        fprintf(stderr, "usage: %s [-n GAMES] [-s SEED] ENGINE TABLES\n", argv[0]);
        return 2;
    }
    const char *folder = argv[optind + 1];
    m.tables = treb_tables_open(&folder, 1, &error);
    if (m.tables == NULL || treb_tables_count(m.tables) == 0) {
        fprintf(stderr, "%s\n", m.tables ? "no tables" : error.text);
        return EXIT_FAILURE;
    }
    treb_tables_set_memory(m.tables, UINT64_C(1) << 30);
    m.pid = engine_start(argv[optind], &m.to, &m.from);
    if (m.pid < 0) {
        perror(argv[optind]);
        return EXIT_FAILURE;
    }
    fprintf(m.to, "setoption name TablesMemory value 1024\nsetoption name TablesPath value %s\n",
            folder);
    play_match(&m, games);
    if (!stop_engine(&m)) fault(&m, "the engine did not end well");
    treb_tables_close(m.tables);
    printf("%u faults\n", m.faults);
    return m.faults == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
