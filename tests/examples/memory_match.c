/* memory_match.c - measures the value of the memory: the example engine with a memory plays against
 * itself without one.
 *
 *     memory_match [-e ENDINGS] [-g GAMES] [-n NODES] [-s SEED] [-v] [-0] FOLDER
 *
 * From each of ENDINGS random endings (40) of more than five men, GAMES games (60) are played, with an
 * empty memory before the first game. The colours are exchanged after each game. A move has NODES nodes
 * (4000). There is no clock and there are no tables, so a seed gives the same games on every machine.
 *
 * -v  The nodes of both sides vary at random from game to game, between NODES / 1.41 and NODES * 1.41.
 *     Without -v, the side without a memory repeats a game as soon as its opponent does.
 * -0  Neither side has a memory. This shows the effect of chance.
 *
 * The store is created in FOLDER, which should be in RAM, and removed. Prints a table in Markdown: results
 * and depths by the number of the game, and the number of lost games that repeated an earlier lost game
 * move for move. Prints to standard error the processor time of a move of the side with a memory. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "examples/uci/eval.h"
#include "core/system/hash.h"
#include "examples/uci/memory.h"

enum { PLIES_MAX = 300, GAMES_MAX = 600, PARTS = 10, HASH_MIB = 4, STORE_MIB = 256 };

static const char *const materials[] = {"KPPPvKPP",  "KPPPvKPPP", "KNPPvKBP", "KNPPvKNP",
                                        "KBPPvKBP",  "KBPPvKNPP", "KRPPvKRP", "KRPPvKRPP",
                                        "KRPvKBPPP", "KRNPvKRPP", "KQPPvKQP", "KQPvKRNPP"};
enum { MATERIALS = sizeof materials / sizeof *materials };

typedef struct Match {
    int endings, games;
    uint64_t nodes, seed;
    bool vary, none;
    char store[4096];
    Memory *memory;
    Tt tt[2]; /* of the side with a memory, and of the other side */
    Tables tables;
    /* For each part of the match: sums over endings of the mean score, and of its square. */
    double sum[PARTS], squares[PARTS];
    unsigned won[PARTS], drawn[PARTS], lost[PARTS];
    double depth[PARTS][2];
    unsigned moves[PARTS][2];
    double mib[PARTS];
    uint64_t losses[GAMES_MAX]; /* hashes of the moves of the lost games of this ending */
    int losses_count;
    unsigned again[PARTS];
    double recalling, searching, keeping; /* processor seconds */
} Match;

static int last_depth;

static void hear(const SearchInfo *info) { last_depth = info->depth; }

/* ---- Endings --------------------------------------------------------------------------------- */

static bool draw_board(uint64_t *state, const char *material, Board *b)
{
    static const char letters[] = "PNBRQK";
    char fen[TREB_FEN_SIZE];
    treb_error error;
    int color = WHITE;
    board_clear(b);
    b->turn = splitmix64(state) >> 40 & 1;
    for (const char *c = material; *c != '\0'; c++) {
        if (*c == 'v') {
            color = BLACK;
            continue;
        }
        int sq = (int)(splitmix64(state) >> 40 & 63);
        if (board_type_at(b, sq) >= 0) return false;
        board_put(b, color, (int)(strchr(letters, *c) - letters), sq);
    }
    board_finish(b);
    tables_write_fen(b, fen);
    return tables_read_fen(fen, b, &error);
}

static Move think(Match *m, const Game *g, int who, uint64_t nodes, Found *found, int *score);

/* Draws an ending in which no side is far ahead, by the evaluation and by a short search. */
static void draw_ending(Match *m, uint64_t *state, Game *g)
{
    enum { LEVEL = 120 };
    for (;;) {
        Board b;
        int score = 0;
        if (!draw_board(state, materials[splitmix64(state) % MATERIALS], &b)) continue;
        if (board_in_check(&b) || abs(eval_position(&b)) > LEVEL) continue;
        game_start(g, &b);
        tt_clear(&m->tt[1]);
        if (think(m, g, 1, m->nodes, NULL, &score) != 0 && abs(score) <= LEVEL) return;
    }
}

/* ---- Games ----------------------------------------------------------------------------------- */

static int last_score;

static void hear_score(const SearchInfo *info)
{
    last_score = info->score;
    hear(info);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Searches a move. With `found`, the side uses the memory, and its result is kept there. */
static Move think(Match *m, const Game *g, int who, uint64_t nodes, Found *found, int *score)
{
    static Found known;
    static atomic_bool stop;
    const Limits limits = {.nodes = nodes};
    const SearchSetup setup = {.game = g,
                               .limits = &limits,
                               .tables = &m->tables,
                               .tt = &m->tt[who],
                               .stop = &stop,
                               .report = hear_score,
                               .known = found ? &known : NULL,
                               .found = found};
    char text[MEMORY_TEXT];
    last_depth = last_score = 0;
    double start = now();
    if (found) memory_recall(m->memory, g, &m->tables, &m->tt[who], &known);
    m->recalling += now() - start;
    start = now();
    Move best = search_run(&setup);
    if (found) m->searching += now() - start;
    start = now();
    if (found && !memory_keep(m->memory, g, &m->tables, found, text)) {
        fprintf(stderr, "memory_match: %s\n", text);
        exit(1);
    }
    m->keeping += now() - start;
    *score = last_score;
    return best;
}

/* Whether at most one minor piece is left, so that no mate is possible. */
static bool is_bare(const Board *b)
{
    uint64_t minor = 0;
    for (int color = WHITE; color <= BLACK; color++)
        minor |= b->men[color][KNIGHT] | b->men[color][BISHOP] | b->men[color][KING];
    uint64_t all = b->all[WHITE] | b->all[BLACK];
    return all == minor && bit_count(all) <= 3;
}

static bool is_drawn(const Game *g, int plies)
{
    int times = 0;
    for (int i = 0; i < g->key_count; i++) times += g->keys[i] == g->board.key;
    return times >= 3 || g->board.halfmove >= 100 || is_bare(&g->board) || plies >= PLIES_MAX;
}

/* Notes a lost game. Returns whether it was lost before. */
static bool note_loss(Match *m, uint64_t moves)
{
    for (int i = 0; i < m->losses_count; i++)
        if (m->losses[i] == moves) return true;
    m->losses[m->losses_count++] = moves;
    return false;
}

/* Plays a game. Returns the result in half points for the side with the memory, which has `color`. */
static int play(Match *m, const Game *start, int color, const uint64_t nodes[2], int part)
{
    static Found found;
    Game g = *start;
    uint64_t moves = (uint64_t)color;
    tt_clear(&m->tt[0]);
    tt_clear(&m->tt[1]);
    if (m->memory) memory_new_game(m->memory);
    for (int plies = 0;; plies++) {
        int score, who = g.board.turn != color;
        if (!board_can_move(&g.board)) break;
        if (is_drawn(&g, plies)) return 1;
        Found *keeps = who == 0 && m->memory ? &found : NULL;
        Move move = think(m, &g, who, nodes[who], keeps, &score);
        m->depth[part][who] += last_depth;
        m->moves[part][who]++;
        moves = moves * UINT64_C(0x100000001b3) + move;
        game_play(&g, move);
    }
    if (!board_in_check(&g.board)) return 1;
    if (g.board.turn != color) return 2;
    m->again[part] += note_loss(m, moves);
    return 0;
}

static double store_mib(const Match *m)
{
    FILE *file = fopen(m->store, "rb");
    if (file == NULL) return 0;
    fseek(file, 0, SEEK_END);
    double size = (double)ftell(file) / (1 << 20);
    fclose(file);
    return size;
}

static void discard_store(const Match *m)
{
    char lock[4200];
    snprintf(lock, sizeof lock, "%s-lock", m->store);
    unlink(m->store);
    unlink(lock);
}

static void open_store(Match *m)
{
    char text[MEMORY_TEXT];
    discard_store(m);
    m->memory = m->none ? NULL : memory_open(m->store, STORE_MIB, text);
    if (m->memory || m->none) return;
    fprintf(stderr, "memory_match: %s\n", text);
    exit(1);
}

static uint64_t vary(const Match *m, uint64_t *state)
{
    double by = (double)(splitmix64(state) >> 11) / (double)(UINT64_C(1) << 53) - 0.5;
    return m->vary ? (uint64_t)((double)m->nodes * exp2(by)) : m->nodes;
}

static void play_ending(Match *m, int number)
{
    uint64_t state = m->seed + (uint64_t)number * UINT64_C(0x5851f42d4c957f2d);
    double points[PARTS] = {0};
    int played[PARTS] = {0};
    Game start;
    draw_ending(m, &state, &start);
    m->losses_count = 0;
    open_store(m);
    for (int game = 0; game < m->games; game++) {
        int part = game * PARTS / m->games;
        const uint64_t nodes[2] = {vary(m, &state), vary(m, &state)};
        int halves = play(m, &start, game % 2 ? BLACK : WHITE, nodes, part);
        ++*(halves == 2 ? &m->won[part] : halves == 1 ? &m->drawn[part] : &m->lost[part]);
        points[part] += halves / 2.0;
        played[part]++;
        m->mib[part] += store_mib(m) / m->endings / ((double)m->games / PARTS);
    }
    memory_close(m->memory);
    m->memory = NULL;
    discard_store(m);
    for (int part = 0; part < PARTS; part++) {
        double mean = points[part] / played[part];
        m->sum[part] += mean;
        m->squares[part] += mean * mean;
    }
}

/* ---- The table ------------------------------------------------------------------------------- */

static double elo(double score) { return 400 * log10(score / (1 - score)); }

/* Games from one ending are similar, so the error is that of the mean over endings. */
static void print_part(const Match *m, int part)
{
    double n = m->endings, score = m->sum[part] / n;
    double error = sqrt((m->squares[part] / n - score * score) / (n - 1));
    int first = part * m->games / PARTS + 1, last = (part + 1) * m->games / PARTS;
    printf("| %d to %d | %u | %u | %u | %u | %.1f ± %.1f | %+.0f ± %.0f | %.2f | %.2f | %.1f |\n",
           first, last, m->won[part], m->drawn[part], m->lost[part], m->again[part], 100 * score,
           100 * error, elo(score), 400 / log(10) * error / (score * (1 - score)),
           m->depth[part][0] / m->moves[part][0], m->depth[part][1] / m->moves[part][1],
           m->mib[part]);
}

static void print_table(const Match *m)
{
    printf(
        "| game | won | drawn | lost | the same way | score, %% | Elo | depth with | without | store, MiB |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (int part = 0; part < PARTS; part++) print_part(m, part);
}

int main(int argc, char **argv)
{
    static Match m = {.endings = 40, .games = 60, .nodes = 4000, .seed = 1};
    int option;
    while ((option = getopt(argc, argv, "e:g:n:s:v0")) != -1) {
        if (option == 'e') m.endings = atoi(optarg);
        if (option == 'g') m.games = atoi(optarg);
        if (option == 'n') m.nodes = strtoull(optarg, NULL, 10);
        if (option == 's') m.seed = strtoull(optarg, NULL, 10);
        if (option == 'v') m.vary = true;
        if (option == '0') m.none = true;
        if (option == '?') return 2;
    }
    if (argc - optind != 1 || m.endings < 2 || m.nodes == 0 || m.games % PARTS != 0 ||
        m.games <= 0 || m.games > GAMES_MAX) {
        fprintf(stderr,
                "memory_match [-e ENDINGS] [-g GAMES] [-n NODES] [-s SEED] [-v] [-0] FOLDER\n"
                "GAMES is a multiple of 10\n");
        return 2;
    }
    snprintf(m.store, sizeof m.store, "%s/memory-match-%d.mdb", argv[optind], (int)getpid());
    board_init();
    if (!tt_resize(&m.tt[0], HASH_MIB) || !tt_resize(&m.tt[1], HASH_MIB)) return 1;
    for (int i = 0; i < m.endings; i++) {
        play_ending(&m, i);
        fprintf(stderr, "\r%d of %d endings", i + 1, m.endings);
    }
    unsigned moves = 0;
    for (int part = 0; part < PARTS; part++) moves += m.moves[part][0];
    fprintf(stderr, "\n%u moves; recalling took %.0f us of each, searching %.0f, keeping %.0f\n",
            moves, 1e6 * m.recalling / moves, 1e6 * m.searching / moves, 1e6 * m.keeping / moves);
    print_table(&m);
    tt_free(&m.tt[0]);
    tt_free(&m.tt[1]);
    return 0;
}
