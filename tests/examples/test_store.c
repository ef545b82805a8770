/* test_store.c - tests the memory of the example engine: which results it keeps and replaces, and what
 * happens if the engine is killed, or the store is full, damaged or shared. */
#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "examples/uci/store.h"
#include "tests/support/part.h"
#include "tests/support/suite.h"

enum { PAGE = 4096 };

static const char rooks[] = "8/2R5/3P4/8/3r4/8/k3p3/4K3 w - - 0 1";
static const char reti[] = "7K/8/k1P5/7p/8/8/8/8 w - - 0 1";

static char folder[64], path[96], text[MEMORY_TEXT];
static Tables tables = {.limit = TREB_MEN_MAX};
static Tt tt;

static void setup(void)
{
    strcpy(folder, "/tmp/test_store.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/m.mdb", folder);
    board_init();
    ck_assert_uint_eq(tt_resize(&tt, 1), 1);
}

static void teardown(void)
{
    char command[96];
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
    tt_free(&tt);
}

static Memory *open_memory(unsigned mib)
{
    Memory *m = memory_open(path, mib, text);
    ck_assert_msg(m != NULL, "%s", text);
    return m;
}

static Game game_of(const char *fen)
{
    Game g;
    Board b;
    ck_assert(tables_read_fen(fen, &b, NULL));
    game_start(&g, &b);
    return g;
}

/* Returns one of 3840 different endings with knights and a pawn, without check. */
static Game game_number(int n)
{
    Game g;
    Board b;
    board_clear(&b);
    board_put(&b, WHITE, KING, 0);
    board_put(&b, BLACK, KING, 63);
    board_put(&b, WHITE, KNIGHT, 8 + n % 24);
    board_put(&b, BLACK, KNIGHT, 32 + n / 24 % 16);
    board_put(&b, WHITE, PAWN, 48 + n / 384 % 5);
    b.turn = n / 1920 % 2;
    board_finish(&b);
    game_start(&g, &b);
    return g;
}

static Found found_at(const Game *g, int depth, int score, int which)
{
    Move moves[MOVES_MAX];
    Found found = {.depth = depth, .score = score, .length = 1};
    int count = board_moves(&g->board, false, moves);
    found.line[0] = moves[which % count];
    return found;
}

static void keep(Memory *m, const Game *g, const Found *found)
{
    ck_assert_msg(memory_keep(m, g, &tables, found, text), "%s", text);
}

static Found recall(const Memory *m, const Game *g)
{
    Found known;
    tt_clear(&tt);
    memory_recall(m, g, &tables, &tt, &known);
    return known;
}

static StoreCount look(StoreState state)
{
    StoreCount count;
    StoreState is = store_look(path, &count, text);
    ck_assert_msg(is == state, "%d: %s", (int)is, text);
    return count;
}

/* ---- Keeping results ------------------------------------------------------------------------------ */

START_TEST(deeper_alone)
{
    Memory *m = open_memory(64);
    Game g = game_of(rooks);
    const int depth[] = {6, 4, 6, 7}, right[] = {6, 6, 6, 7}, score[] = {10, 20, 30, 40},
              right_score[] = {10, 10, 10, 40};
    for (int i = 0; i < 4; i++) {
        Found found = found_at(&g, depth[i], score[i], i);
        keep(m, &g, &found);
        Found known = recall(m, &g);
        ck_assert_int_eq(known.depth, right[i]);
        ck_assert_int_eq(known.score, right_score[i]);
        ck_assert_int_eq(known.line[0], found_at(&g, 1, 0, right[i] == 7 ? 3 : 0).line[0]);
    }
    memory_close(m);
    /* The result is still there after the store was closed. */
    m = open_memory(64);
    ck_assert_int_eq(recall(m, &g).depth, 7);
    memory_close(m);
    ck_assert_uint_eq(look(STORE_GOOD).roots, 1);
}
END_TEST

static TtEntry near_of(const Board *b, int depth, int score)
{
    return (TtEntry){
        .key = tt_key(b), .score = (int16_t)score, .depth = (uint8_t)depth, .bound = BOUND_LOWER};
}

START_TEST(neighbourhood)
{
    Memory *m = open_memory(64);
    Game g = game_of(rooks), after = g, other = game_of(reti);
    Found found = found_at(&g, 6, 10, 0);
    found.near[0] = near_of(&other.board, 5, 55);
    found.near_count = 1;
    keep(m, &g, &found);
    recall(m, &g);
    TtEntry e = tt_find(&tt, &other.board, 0);
    ck_assert(e.kept && e.depth == 5 && e.score == 55 && e.bound == BOUND_LOWER);
    /* A record is replaced by a deeper one. At equal depth, a bound is replaced by one that says more. */
    static const struct {
        int depth, score, right;
        Bound bound;
    } next[] = {{4, 66, 55, BOUND_EXACT}, {5, 54, 55, BOUND_LOWER}, {5, 56, 56, BOUND_LOWER},
                {5, 60, 60, BOUND_EXACT}, {5, 61, 60, BOUND_EXACT}, {5, 62, 60, BOUND_LOWER},
                {6, 77, 77, BOUND_LOWER}, {6, 78, 78, BOUND_UPPER}};
    for (size_t i = 0; i < sizeof next / sizeof *next; i++) {
        found.near[0] = near_of(&other.board, next[i].depth, next[i].score);
        found.near[0].bound = next[i].bound;
        keep(m, &g, &found);
        recall(m, &g);
        ck_assert_int_eq(tt_find(&tt, &other.board, 0).score, next[i].right);
    }

    /* The position two plies later is a neighbour, and its neighbourhood is loaded too. */
    game_play(&after, board_parse_move(&after.board, "d6d7"));
    game_play(&after, board_parse_move(&after.board, "d4d7"));
    Found later = found_at(&after, 8, -300, 0);
    Board child;
    ck_assert(board_make(&after.board, later.line[0], &child));
    later.near[0] = near_of(&child, 7, 88);
    later.near_count = 1;
    keep(m, &after, &later);
    recall(m, &g);
    e = tt_find(&tt, &after.board, 0);
    ck_assert(e.depth == 8 && e.score == -300 && e.bound == BOUND_EXACT);
    ck_assert_int_eq(tt_find(&tt, &child, 0).score, 88);

    /* A deeper search deletes the records of the shallower one, but not the links to later positions. */
    found = found_at(&g, 7, 10, 0);
    keep(m, &g, &found);
    recall(m, &g);
    ck_assert_int_eq(tt_find(&tt, &other.board, 0).bound, BOUND_NONE);
    ck_assert_int_eq(tt_find(&tt, &after.board, 0).score, -300);
    memory_close(m);
    StoreCount count = look(STORE_GOOD);
    ck_assert_uint_eq(count.roots, 2);
    ck_assert_uint_eq(count.records, 1);
}
END_TEST

static int reports, first_depth, last_depth;
static uint64_t first_nodes, last_nodes;

static void hear(const SearchInfo *info)
{
    if (reports++ == 0) {
        first_depth = info->depth;
        first_nodes = info->nodes;
    }
    last_depth = info->depth;
    last_nodes = info->nodes;
}

/* Searches with an empty transposition table. Returns the number of nodes. */
static uint64_t search(Memory *m, const Game *g, Limits limits)
{
    static Found known, found;
    atomic_bool stop = false;
    uint64_t nodes = 0;
    SearchSetup s = {.game = g,
                     .limits = &limits,
                     .tables = &tables,
                     .tt = &tt,
                     .stop = &stop,
                     .report = hear,
                     .nodes = &nodes,
                     .known = m ? &known : NULL,
                     .found = m ? &found : NULL};
    tt_clear(&tt);
    reports = 0;
    if (m) memory_recall(m, g, &tables, &tt, &known);
    ck_assert(search_run(&s) != 0);
    if (m) keep(m, g, &found);
    return nodes;
}

START_TEST(goes_on)
{
    Memory *m = open_memory(64);
    Game g = game_of(rooks);
    search(m, &g, (Limits){.depth = 6});
    ck_assert_int_eq(first_depth, 1);
    /* The known depth is reported at once. */
    ck_assert_uint_eq(search(m, &g, (Limits){.depth = 6}), 0);
    ck_assert_int_eq(first_depth, 6);
    /* Many short searches complete the next iterations, although none has enough nodes for one. */
    uint64_t alone = search(NULL, &g, (Limits){.depth = 8}), part = alone / 40;
    int parts = 0, depth = 6;
    while (depth < 8 && parts++ < 160) {
        search(m, &g, (Limits){.nodes = part});
        ck_assert_uint_eq(first_nodes, 0);
        ck_assert_int_ge(first_depth, depth);
        depth = recall(m, &g).depth;
    }
    ck_assert_msg(depth == 8, "%d parts of 40", parts);
    memory_close(m);
}
END_TEST

START_TEST(refuted)
{
    Memory *m = open_memory(64);
    Game g = game_of(rooks), after = g;
    search(m, &g, (Limits){.depth = 6});
    Found known = recall(m, &g);
    ck_assert_int_ge(known.length, 2);
    game_play(&after, known.line[0]);
    game_play(&after, known.line[1]);
    /* A shallower search of a position after the known move does not refute it. */
    Found later = found_at(&after, 4, known.score - 200, 0);
    keep(m, &after, &later);
    search(m, &g, (Limits){.depth = 6});
    ck_assert_int_eq(first_depth, 6);
    later.depth = 5;
    keep(m, &after, &later);
    search(m, &g, (Limits){.depth = 6});
    ck_assert_int_eq(first_depth, 1);
    memory_close(m);
}
END_TEST

START_TEST(repeated)
{
    static const char *const moves[] = {"c7c8", "d4d3", "c8c7", "d3d4"};
    Memory *m = open_memory(64);
    Game g = game_of("8/2R5/3P4/8/3r4/8/k3p3/4K3 w - - 4 9");
    search(m, &g, (Limits){.depth = 5});
    for (int i = 0; i < 4; i++) game_play(&g, board_parse_move(&g.board, moves[i]));
    /* The result of the first occurrence is not used for the second one, nor the other way round. */
    search(m, &g, (Limits){.depth = 6});
    ck_assert_int_eq(first_depth, 1);
    ck_assert_int_eq(recall(m, &g).depth, 5);
    /* A search of some moves only is not kept. */
    Game other = game_of(reti);
    Limits some = {.depth = 3, .moves = {board_parse_move(&other.board, "h8g8")}, .move_count = 1};
    search(m, &other, some);
    ck_assert_int_eq(recall(m, &other).depth, 0);
    memory_close(m);
}
END_TEST

START_TEST(other_tables)
{
    Memory *m = open_memory(64);
    Game g = game_of(rooks);
    Found found = found_at(&g, 6, 10, 0);
    keep(m, &g, &found);
    /* A search with tables uses only results of searches with tables. */
    tables.men = 4;
    ck_assert_int_eq(recall(m, &g).depth, 0);
    found = found_at(&g, 3, 99, 0);
    keep(m, &g, &found);
    ck_assert_int_eq(recall(m, &g).score, 99);
    tables.men = 0;
    ck_assert_int_eq(recall(m, &g).score, 10);
    memory_close(m);
}
END_TEST

/* ---- Killed, shared, full --------------------------------------------------------------------- */

START_TEST(killed)
{
    enum { TIMES = 12 };
    int *done = mmap(NULL, sizeof *done, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert(done != MAP_FAILED);
    for (int i = 0; i < TIMES; i++) {
        int before = *done;
        pid_t child = fork();
        if (child == 0) {
            Memory *m = memory_open(path, 64, text);
            while (m != NULL) {
                Game g = game_number(*done);
                Found found = found_at(&g, 5, *done, 0);
                for (; found.near_count < 20; found.near_count++) {
                    Game near = game_number(*done + found.near_count);
                    found.near[found.near_count] = near_of(&near.board, 1 + *done % 50, 5);
                }
                if (!memory_keep(m, &g, &tables, &found, text)) break;
                ++*done;
            }
            _exit(1);
        }
        while (*done < before + 3) usleep(100);
        usleep((useconds_t)(i * 1000));
        kill(child, SIGKILL);
        int status;
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert(WIFSIGNALED(status));
        /* All results that were counted are kept, and perhaps one more that was not counted yet. */
        StoreCount count = look(STORE_GOOD);
        ck_assert_int_ge((int)count.roots, *done);
        ck_assert_int_le((int)count.roots, *done + 1);
    }
}
END_TEST

START_TEST(shared)
{
    enum { EACH = 100 };
    pid_t child[2];
    for (int who = 0; who < 2; who++) {
        child[who] = fork();
        if (child[who] != 0) continue;
        Memory *m = memory_open(path, 64, text);
        for (int i = 0; m != NULL && i < EACH; i++) {
            Game g = game_number(who + 2 * i);
            Found found = found_at(&g, 5, i, 0), known;
            if (!memory_keep(m, &g, &tables, &found, text)) _exit(1);
            memory_recall(m, &g, &tables, &tt, &known);
            if (known.score != i) _exit(1);
        }
        memory_close(m);
        _exit(m == NULL);
    }
    for (int who = 0; who < 2; who++) {
        int status;
        ck_assert_int_eq(waitpid(child[who], &status, 0), child[who]);
        ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    ck_assert_uint_eq(look(STORE_GOOD).roots, 2 * EACH);
}
END_TEST

static off_t size_of(const char *file)
{
    struct stat s;
    ck_assert_int_eq(stat(file, &s), 0);
    return s.st_size;
}

START_TEST(bounded)
{
    Memory *m = open_memory(1);
    int n = 0;
    for (bool kept = true; kept; n++) {
        ck_assert_int_lt(n, 10000);
        Game g = game_number(n);
        Found found = found_at(&g, 5, n, 0);
        for (; found.near_count < 20; found.near_count++) {
            Game near = game_number(20 * n + found.near_count);
            found.near[found.near_count] = near_of(&near.board, 4, 5);
        }
        kept = memory_keep(m, &g, &tables, &found, text);
    }
    ck_assert_ptr_nonnull(strstr(text, "full: "));
    ck_assert_int_le(size_of(path), 1 << 20);
    /* The message comes once, and the store is still used. */
    Game first = game_number(0), last = game_number(n - 1);
    Found found = found_at(&last, 5, 1, 0);
    keep(m, &last, &found);
    ck_assert_int_eq(recall(m, &last).depth, 0);
    ck_assert_int_eq(recall(m, &first).depth, 5);
    memory_close(m);
    ck_assert_uint_eq(look(STORE_GOOD).roots, (size_t)n - 1);
    m = open_memory(2);
    keep(m, &last, &found);
    ck_assert_int_eq(recall(m, &last).depth, 5);
    memory_close(m);
}
END_TEST

START_TEST(disk_full)
{
    Memory *m = open_memory(64);
    const struct rlimit little = {200000, RLIM_INFINITY}, enough = {RLIM_INFINITY, RLIM_INFINITY};
    bool kept = true;
    int n = 0;
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &little), 0);
    for (; kept && n < 10000; n++) {
        Game g = game_number(n);
        Found found = found_at(&g, 5, n, 0);
        kept = memory_keep(m, &g, &tables, &found, text);
    }
    setrlimit(RLIMIT_FSIZE, &enough);
    ck_assert_msg(!kept && strstr(text, "nothing is kept of this game: ") == text, "%s", text);
    Game first = game_number(0), last = game_number(n - 1);
    ck_assert_int_eq(recall(m, &first).depth, 5);
    /* In the next game, results are kept again. */
    memory_new_game(m);
    Found found = found_at(&last, 5, 1, 0);
    keep(m, &last, &found);
    memory_close(m);
    ck_assert_uint_eq(look(STORE_GOOD).roots, (size_t)n);
}
END_TEST

/* ---- Damage ------------------------------------------------------------------------------------ */

static void fill(int count)
{
    Memory *m = open_memory(64);
    for (int i = 0; i < count; i++) {
        Game g = game_number(i);
        Found found = found_at(&g, 5, i, 0);
        keep(m, &g, &found);
    }
    memory_close(m);
}

static char *read_all(size_t *size)
{
    *size = (size_t)size_of(path);
    char *data = malloc(*size);
    int fd = open(path, O_RDONLY);
    ck_assert(data != NULL && fd >= 0 && read(fd, data, *size) == (ssize_t)*size);
    close(fd);
    return data;
}

static void write_all(const char *data, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ck_assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    close(fd);
}

START_TEST(damaged_record)
{
    enum { COUNT = 30, HIT = 7 };
    char fen[TREB_FEN_SIZE], damaged[128];
    size_t size, hits = 0;
    StoreCount count;
    fill(COUNT);
    Game hit = game_number(HIT), whole = game_number(HIT + 1);
    tables_write_fen(&hit.board, fen);
    char *data = read_all(&size), *at = data;
    /* Free pages may contain the FEN too. */
    while ((at = memmem(at, size - (size_t)(at - data), fen, strlen(fen))) != NULL) {
        *at++ ^= 1;
        hits++;
    }
    ck_assert_uint_ge(hits, 1);
    write_all(data, size);
    free(data);

    ck_assert_uint_eq(look(STORE_DAMAGED_RECORDS).damaged, 1);
    Memory *m = open_memory(64);
    ck_assert_ptr_nonnull(strstr(text, "1 damaged records are not used"));
    ck_assert_int_eq(recall(m, &hit).depth, 0);
    ck_assert_int_eq(recall(m, &whole).depth, 5);
    ck_assert(!store_repair(path, &count, text));
    ck_assert_ptr_nonnull(strstr(text, "an engine has it open"));
    memory_close(m);

    ck_assert_msg(store_repair(path, &count, text), "%s", text);
    ck_assert_uint_eq(count.roots, COUNT - 1);
    ck_assert_uint_eq(look(STORE_GOOD).roots, COUNT - 1);
    snprintf(damaged, sizeof damaged, "%s.damaged", path);
    ck_assert_int_eq(size_of(damaged), (off_t)size);
    m = open_memory(64);
    ck_assert_int_eq(recall(m, &whole).score, HIT + 1);
    memory_close(m);
    /* An existing FILE.damaged is not overwritten. */
    ck_assert(!store_repair(path, &count, text));
    ck_assert_ptr_nonnull(strstr(text, "is there already"));
}
END_TEST

/* Overwrites each page in turn, and truncates the file after each page: there must be no crash and a
 * clear message, and a repair must save what is readable. */
START_TEST(damaged_pages)
{
    enum { COUNT = 60 };
    size_t size, saved = 0, seen = 0;
    fill(COUNT);
    char *whole = read_all(&size), *data = malloc(size), damaged[128];
    ck_assert_ptr_nonnull(data);
    snprintf(damaged, sizeof damaged, "%s.damaged", path);
    for (size_t at = 0; at < 2 * size; at += (test_part() > 1 ? 2 : 1) * (size_t)PAGE) {
        StoreCount count;
        memcpy(data, whole, size);
        if (at < size) memset(data + at, 0x5a, PAGE);
        write_all(data, at < size ? size : at - size);
        StoreState state = store_look(path, &count, text);
        Memory *m = memory_open(path, 64, text);
        ck_assert((m == NULL) == (state > STORE_DAMAGED_RECORDS) || at == size);
        memory_close(m);
        if (state != STORE_DAMAGED) continue;
        seen++;
        ck_assert_ptr_nonnull(strstr(text, "is damaged"));
        if (!store_repair(path, &count, text)) {
            ck_assert_ptr_nonnull(strstr(text, "nothing in it can be read"));
            continue;
        }
        saved++;
        look(STORE_GOOD);
        ck_assert_int_eq(unlink(damaged), 0);
    }
    ck_assert_uint_ge(seen, 2);
    ck_assert_uint_ge(saved, 1);
    free(whole);
    free(data);
}
END_TEST

static void set_version(const char *key, const char *version)
{
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi main;
    MDB_val k = store_val(key, strlen(key)), v = store_val(version, strlen(version));
    ck_assert_int_eq(mdb_env_create(&env), 0);
    ck_assert_int_eq(mdb_env_open(env, path, MDB_NOSUBDIR, 0600), 0);
    ck_assert_int_eq(mdb_txn_begin(env, NULL, 0, &txn), 0);
    ck_assert_int_eq(mdb_dbi_open(txn, NULL, 0, &main), 0);
    ck_assert_int_eq(mdb_put(txn, main, &k, &v, 0), 0);
    ck_assert_int_eq(mdb_txn_commit(txn), 0);
    mdb_env_close(env);
}

static void refused(const char *why)
{
    ck_assert_ptr_null(memory_open(path, 64, text));
    ck_assert_msg(strstr(text, why) != NULL, "%s", text);
}

START_TEST(not_ours)
{
    char junk[2 * PAGE];
    fill(3);
    set_version("version", "trebuchet-uci memory 0");
    refused("was written by another version");
    ck_assert_int_eq(unlink(path), 0);
    set_version("fruit", "apple");
    refused("is no memory of this engine's");
    memset(junk, 'x', sizeof junk);
    write_all(junk, sizeof junk);
    refused("is no store of LMDB's");
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    refused(path);
    ck_assert_int_eq(rmdir(path), 0);
    strcat(path, "/in/no/folder");
    refused("No such file or directory");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("memory");
    TCase *tests = tcase_create("memory");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, deeper_alone);
    tcase_add_test(tests, neighbourhood);
    tcase_add_test(tests, goes_on);
    tcase_add_test(tests, refuted);
    tcase_add_test(tests, repeated);
    tcase_add_test(tests, other_tables);
    tcase_add_test(tests, killed);
    tcase_add_test(tests, shared);
    tcase_add_test(tests, bounded);
    tcase_add_test(tests, disk_full);
    tcase_add_test(tests, damaged_record);
    tcase_add_test(tests, damaged_pages);
    tcase_add_test(tests, not_ours);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
