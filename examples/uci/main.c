/* main.c - the UCI protocol: reads commands while another thread searches.
 *
 * An invalid line is answered with `info string` and changes nothing. */
#include <ctype.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "memory.h"
#include "score.h"

static const char start_fen[] = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

enum { HASH_DEFAULT = 64, HASH_MAX = 65536, MEMORY_DEFAULT = 64, MEMORY_MAX = 262144 };
enum { MEN_MAX = 32 };
enum { STORE_DEFAULT = 64, STORE_MAX = 1048576, SECONDS_UNKEPT = 5 };

typedef struct Engine {
    Game game;
    Tables tables;
    Tt tt;
    char *path; /* folders of the tables */
    unsigned memory_mib;
    unsigned warm_mib; /* MiB of verdicts to read when tables are opened */
    bool always_wait;  /* wait for a disk, even with a clock running */
    int overhead_ms;
    Memory *memory; /* or NULL */
    bool remember;
    char *store; /* the path of the memory */
    unsigned store_mib;
    Found known, found; /* from the memory before the search; by the search */
    double kept;        /* time at which `found` was last put into the memory */
    Limits limits;      /* of the present search */
    atomic_bool stop;
    bool searching; /* the thread must be joined */
    pthread_t thread;
} Engine;

/* ---- Reading words ----------------------------------------------------------------------------------- */

static const char *next_word(char **rest) { return strtok_r(NULL, " \t\r\n", rest); }

static long long to_number(const char *word, long long least, long long most)
{
    long long n = word ? strtoll(word, NULL, 10) : 0;
    return n < least ? least : n > most ? most : n;
}

static bool is(const char *word, const char *other) { return word && strcmp(word, other) == 0; }

/* ---- Output --------------------------------------------------------------------------------- */

static void format_score(int score, char out[32])
{
    if (score >= SCORE_MATE_MIN)
        snprintf(out, 32, "mate %d", (SCORE_MATE - score + 1) / 2);
    else if (score <= -SCORE_MATE_MIN)
        snprintf(out, 32, "mate -%d", (SCORE_MATE + score) / 2);
    else
        snprintf(out, 32, "cp %d", score);
}

/* Prints the line by one call, so that lines of two threads never mix. */
static void report(const SearchInfo *info)
{
    char line[PLY_MAX * MOVE_TEXT + 1] = "", score[32];
    size_t at = 0;
    for (int i = 0; i < info->length; i++) {
        char move[MOVE_TEXT];
        board_move_text(info->line[i], move);
        at += (size_t)snprintf(line + at, sizeof line - at, " %s", move);
    }
    format_score(info->score, score);
    double seconds = info->seconds > 1e-6 ? info->seconds : 1e-6;
    printf("info depth %d score %s nodes %llu nps %.0f hashfull %d tbhits %llu time %.0f pv%s\n",
           info->depth, score, (unsigned long long)info->nodes, (double)info->nodes / seconds,
           info->full, (unsigned long long)info->hits, 1000 * seconds, line);
    fflush(stdout);
}

static void say(const char *text, const char *more)
{
    printf("info string %s%s\n", text, more);
    fflush(stdout);
}

static void identify(const Engine *e)
{
    printf("id name Trebuchet example\nid author the Trebuchet project\n");
    printf("option name Hash type spin default %d min 1 max %d\n", HASH_DEFAULT, HASH_MAX);
    printf("option name TablesPath type string default %s\n", *e->path ? e->path : "<empty>");
    printf("option name TablesMemory type spin default %d min 0 max %d\n", MEMORY_DEFAULT,
           MEMORY_MAX);
    printf("option name TablesMen type spin default %d min 0 max %d\n", MEN_MAX, MEN_MAX);
    printf("option name TablesWarm type spin default 0 min 0 max %d\n", MEMORY_MAX);
    printf("option name TablesWait type check default false\n");
    printf("option name TablesTrace type string default <empty>\n");
    printf("option name Memory type check default false\n");
    printf("option name MemoryPath type string default <empty>\n");
    printf("option name MemorySize type spin default %d min 1 max %d\n", STORE_DEFAULT, STORE_MAX);
    printf("option name MoveOverhead type spin default 20 min 0 max 5000\n");
    printf("uciok\n");
    fflush(stdout);
}

/* ---- Searching ------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void keep(Engine *e)
{
    char text[MEMORY_TEXT];
    if (!memory_keep(e->memory, &e->game, &e->tables, &e->found, text)) say("memory: ", text);
    e->kept = now();
}

/* Keeps the results of a long analysis from time to time, so that they are not lost if it never ends. */
static void note(void *context, const Found *found)
{
    Engine *e = context;
    (void)found;
    if (e->memory && now() - e->kept > SECONDS_UNKEPT) keep(e);
}

static void *search_thread(void *context)
{
    Engine *e = context;
    const SearchSetup setup = {.game = &e->game,
                               .limits = &e->limits,
                               .tables = &e->tables,
                               .tt = &e->tt,
                               .stop = &e->stop,
                               .report = report,
                               .always_wait = e->always_wait,
                               .known = e->memory ? &e->known : NULL,
                               .found = e->memory ? &e->found : NULL,
                               .note = note,
                               .context = e};
    if (e->memory) memory_recall(e->memory, &e->game, &e->tables, &e->tt, &e->known);
    e->kept = now();
    Move best = search_run(&setup);
    char text[MOVE_TEXT] = "0000"; /* mate or stalemate */
    if (best) board_move_text(best, text);
    printf("bestmove %s\n", text);
    fflush(stdout);
    if (e->memory) keep(e); /* while the opponent thinks */
    return NULL;
}

static void wait_for_search(Engine *e)
{
    if (e->searching) pthread_join(e->thread, NULL);
    e->searching = false;
}

static void stop_search(Engine *e)
{
    atomic_store(&e->stop, true);
    wait_for_search(e);
}

/* Waits for the end of the search, before a command that must not run during it. Only an infinite
 * search is stopped; any other search ends by itself, so a file of commands can be piped in. */
static void finish_search(Engine *e)
{
    if (e->limits.infinite) atomic_store(&e->stop, true);
    wait_for_search(e);
}

typedef struct Clock {
    double left[2], increment[2]; /* milliseconds */
    double move_time;
    int moves_to_go;
} Clock;

/* Sets the time for the move: a share of the time left, at most 80 % of it. */
static void share_time(const Engine *e, const Clock *c, Limits *limits)
{
    int us = e->game.board.turn;
    if (c->move_time > 0) {
        double ms = c->move_time - e->overhead_ms;
        limits->seconds = (ms > 1 ? ms : 1) / 1000;
    } else if (c->left[us] > 0) {
        double moves = c->moves_to_go > 0 && c->moves_to_go < 30 ? c->moves_to_go : 30;
        double left = c->left[us] - e->overhead_ms;
        double share = left / moves + 0.8 * c->increment[us];
        if (share > left * 0.8) share = left * 0.8;
        if (share < 1) share = 1;
        limits->enough = share / 2000;
        limits->seconds = share / 1000;
    }
}

static void read_search_moves(const Engine *e, char **rest, Limits *limits)
{
    for (const char *word; (word = next_word(rest)) != NULL;) {
        Move m = board_parse_move(&e->game.board, word);
        if (m == 0) {
            say("no legal move to search: ", word);
        } else if (limits->move_count < MOVES_MAX) {
            limits->moves[limits->move_count++] = m;
        }
    }
}

/* Returns false if the command was `go perft`, which is then done. */
static bool read_limits(Engine *e, char **rest, Limits *limits)
{
    const long long hours = 1000ll * 3600 * 1000;
    Clock c = {0};
    const char *word;
    while ((word = next_word(rest)) != NULL) {
        if (is(word, "infinite") || is(word, "ponder")) {
            limits->infinite = true;
        } else if (is(word, "searchmoves")) {
            read_search_moves(e, rest, limits); /* the last option of the line */
        } else if (is(word, "perft")) {
            int depth = (int)to_number(next_word(rest), 0, 20);
            printf("nodes %llu\n", (unsigned long long)board_perft(&e->game.board, depth));
            fflush(stdout);
            return false;
        } else if (is(word, "depth")) {
            limits->depth = (int)to_number(next_word(rest), 1, DEPTH_MAX);
        } else if (is(word, "mate")) {
            limits->mate = (int)to_number(next_word(rest), 1, DEPTH_MAX);
        } else if (is(word, "nodes")) {
            limits->nodes = (uint64_t)to_number(next_word(rest), 1, INT64_MAX);
        } else if (is(word, "movetime")) {
            c.move_time = (double)to_number(next_word(rest), 1, hours);
        } else if (is(word, "wtime") || is(word, "btime")) {
            c.left[word[0] == 'b'] = (double)to_number(next_word(rest), 1, hours);
        } else if (is(word, "winc") || is(word, "binc")) {
            c.increment[word[0] == 'b'] = (double)to_number(next_word(rest), 0, hours);
        } else if (is(word, "movestogo")) {
            c.moves_to_go = (int)to_number(next_word(rest), 1, 1000);
        }
    }
    share_time(e, &c, limits);
    return true;
}

static void command_go(Engine *e, char **rest)
{
    finish_search(e);
    e->limits = (Limits){0};
    if (!read_limits(e, rest, &e->limits)) return;
    const Limits *l = &e->limits;
    if (l->depth == 0 && l->mate == 0 && l->nodes == 0 && l->seconds <= 0)
        e->limits.infinite = true; /* a bare `go` */
    atomic_store(&e->stop, false);
    e->searching = pthread_create(&e->thread, NULL, search_thread, e) == 0;
    if (!e->searching) {
        say("cannot start a thread", "");
        printf("bestmove 0000\n");
        fflush(stdout);
    }
}

/* ---- Positions and options ------------------------------------------------------------------- */

static void command_position(Engine *e, char **rest)
{
    char fen[256] = "";
    treb_error error;
    Board board;
    Game game;
    const char *word = next_word(rest);
    finish_search(e);
    if (is(word, "startpos")) {
        strcpy(fen, start_fen);
        word = next_word(rest);
    } else if (is(word, "fen")) {
        while ((word = next_word(rest)) != NULL && !is(word, "moves"))
            if (strlen(fen) + strlen(word) + 2 < sizeof fen) strcat(strcat(fen, word), " ");
    }
    if (!tables_read_fen(fen, &board, &error)) {
        say("position: ", error.text);
        return;
    }
    game_start(&game, &board);
    if (is(word, "moves")) {
        while ((word = next_word(rest)) != NULL) {
            Move m = board_parse_move(&game.board, word);
            if (m == 0) {
                say("position: no legal move: ", word);
                return;
            }
            game_play(&game, m);
        }
    }
    e->game = game;
}

static void set_path(Engine *e, const char *path)
{
    treb_error error;
    char text[64];
    char *copy = strdup(is(path, "<empty>") ? "" : path);
    if (copy == NULL || !tables_open(&e->tables, copy, e->memory_mib, &error)) {
        say("TablesPath: ", copy ? error.text : "out of memory");
        free(copy);
        return;
    }
    free(e->path);
    e->path = copy;
    if (e->warm_mib > 0) tables_warm(&e->tables, e->warm_mib);
    tt_clear(&e->tt); /* its scores are from other tables */
    snprintf(text, sizeof text, "%zu files, up to %d men",
             e->tables.set ? treb_tables_count(e->tables.set) : 0, e->tables.men);
    say("tables: ", text);
}

static void set_trace(Engine *e, const char *path)
{
    if (e->tables.trace) fclose(e->tables.trace);
    e->tables.trace = NULL;
    if (*path == '\0' || is(path, "<empty>")) return;
    e->tables.trace = fopen(path, "w");
    if (e->tables.trace == NULL) say("TablesTrace: cannot write ", path);
}

static void set_memory(Engine *e, unsigned mib)
{
    e->memory_mib = mib;
    if (e->tables.set) treb_tables_set_memory(e->tables.set, (uint64_t)mib << 20);
}

static void set_hash(Engine *e, const char *value)
{
    char text[96];
    long long asked = to_number(value, 1, LLONG_MAX);
    size_t got = tt_resize(&e->tt, (size_t)(asked < HASH_MAX ? asked : HASH_MAX));
    if ((size_t)asked == got) return;
    snprintf(text, sizeof text, "%lld MiB cannot be had: going on with %zu", asked, got);
    say("Hash: ", text);
}

static void open_memory(Engine *e)
{
    char text[MEMORY_TEXT];
    memory_close(e->memory);
    e->memory = NULL;
    if (!e->remember || *e->store == '\0') return;
    e->memory = memory_open(e->store, e->store_mib, text);
    say(e->memory ? "memory: " : "memory: none, as ", text);
}

static void set_store(Engine *e, const char *path)
{
    char *copy = strdup(is(path, "<empty>") ? "" : path);
    if (copy == NULL) {
        say("MemoryPath: out of memory", "");
        return;
    }
    free(e->store);
    e->store = copy;
    open_memory(e);
}

static void set_option(Engine *e, const char *name, const char *value)
{
    if (strcasecmp(name, "Hash") == 0) {
        set_hash(e, value);
    } else if (strcasecmp(name, "TablesPath") == 0) {
        set_path(e, value);
    } else if (strcasecmp(name, "TablesMemory") == 0) {
        set_memory(e, (unsigned)to_number(value, 0, MEMORY_MAX));
    } else if (strcasecmp(name, "TablesMen") == 0) {
        e->tables.limit = (int)to_number(value, 0, MEN_MAX);
        tt_clear(&e->tt);
    } else if (strcasecmp(name, "TablesWarm") == 0) {
        e->warm_mib = (unsigned)to_number(value, 0, MEMORY_MAX);
        if (e->warm_mib > 0) tables_warm(&e->tables, e->warm_mib);
    } else if (strcasecmp(name, "TablesWait") == 0) {
        e->always_wait = strcasecmp(value, "true") == 0;
    } else if (strcasecmp(name, "TablesTrace") == 0) {
        set_trace(e, value);
    } else if (strcasecmp(name, "Memory") == 0) {
        e->remember = strcasecmp(value, "true") == 0;
        open_memory(e);
    } else if (strcasecmp(name, "MemoryPath") == 0) {
        set_store(e, value);
    } else if (strcasecmp(name, "MemorySize") == 0) {
        e->store_mib = (unsigned)to_number(value, 1, STORE_MAX);
        open_memory(e);
    } else if (strcasecmp(name, "MoveOverhead") == 0) {
        e->overhead_ms = (int)to_number(value, 0, 5000);
    } else {
        say("no such option: ", name);
    }
}

/* Reads "name NAME [value VALUE]". A value may contain spaces. */
static void command_setoption(Engine *e, char *rest)
{
    char *name = rest + strspn(rest, " \t");
    finish_search(e);
    if (strncmp(name, "name ", 5) != 0) {
        say("setoption: name and value are missing", "");
        return;
    }
    name += 5 + strspn(name + 5, " \t");
    char *value = strstr(name, " value"), *end = name + strcspn(name, "\r\n");
    *end = '\0';
    if (value) {
        *value = '\0';
        value += 6;
        value += strspn(value, " \t");
    } else {
        value = end;
    }
    for (char *last = name + strlen(name); last > name && isspace((unsigned char)last[-1]);)
        *--last = '\0';
    set_option(e, name, value);
}

/* ---- The main loop -------------------------------------------------------------------------------- */

/* Runs a command. Returns false for `quit`. */
static bool obey(Engine *e, char *line)
{
    char *rest;
    const char *word = strtok_r(line, " \t\r\n", &rest);
    if (word == NULL) return true;
    if (is(word, "quit")) {
        stop_search(e);
        return false;
    }
    if (is(word, "uci")) {
        identify(e);
    } else if (is(word, "isready")) {
        printf("readyok\n");
        fflush(stdout);
    } else if (is(word, "ucinewgame")) {
        finish_search(e);
        tt_clear(&e->tt);
        if (e->memory) memory_new_game(e->memory);
    } else if (is(word, "position")) {
        command_position(e, &rest);
    } else if (is(word, "go")) {
        command_go(e, &rest);
    } else if (is(word, "stop") || is(word, "ponderhit")) {
        stop_search(e);
    } else if (is(word, "setoption")) {
        command_setoption(e, rest);
    } else {
        say("unknown command: ", word);
    }
    return true;
}

static const char usage[] =
    "trebuchet-uci: a chess engine that speaks UCI on standard input and output.\n"
    "trebuchet-uci memory ACTION STORE: looks at what it remembers; `memory help` tells more.\n";

/* Reads a line of any length into *line, which grows. Returns false at the end of the input, or without memory. */
static bool read_line(char **line, size_t *capacity)
{
    size_t length = 0;
    for (;;) {
        if (*capacity - length < 2) {
            const size_t more = 2 * *capacity + 256;
            char *grown = realloc(*line, more);
            if (grown == NULL) return false;
            *line = grown;
            *capacity = more;
        }
        const size_t room = *capacity - length;
        if (fgets(*line + length, room < INT_MAX ? (int)room : INT_MAX, stdin) == NULL)
            return length > 0;
        length += strlen(*line + length);
        if (length > 0 && (*line)[length - 1] == '\n') return true;
    }
}

int main(int argc, char **argv)
{
    static Engine e = {.memory_mib = MEMORY_DEFAULT, .overhead_ms = 20, .store_mib = STORE_DEFAULT};
    const char *path = getenv("TREBUCHET_PATH");
    char *line = NULL;
    size_t capacity = 0;
    treb_error error;
    Board board;
    bool running = true;
    board_init();
    if (argc > 1 && is(argv[1], "memory")) return memory_command(argc - 2, argv + 2);
    if (argc > 1) {
        fputs(usage, is(argv[1], "--help") ? stdout : stderr);
        return is(argv[1], "--help") ? 0 : 2;
    }
    tables_read_fen(start_fen, &board, &error);
    game_start(&e.game, &board);
    e.tables.limit = MEN_MAX;
    e.path = strdup("");
    e.store = strdup("");
    tt_resize(&e.tt, HASH_DEFAULT);
    if (path) set_path(&e, path);
    while (running && read_line(&line, &capacity)) running = obey(&e, line);
    finish_search(&e);
    set_trace(&e, "");
    memory_close(e.memory);
    tables_close(&e.tables);
    tt_free(&e.tt);
    free(e.path);
    free(e.store);
    free(line);
    return 0;
}
