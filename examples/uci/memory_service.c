/* memory_service.c - memory_command of memory.h: shows, checks and repairs a store, as programs of
 * BeBe+ did. */
#include <stdlib.h>
#include <string.h>

#include "score.h"
#include "store.h"

static const char usage[] =
    "trebuchet-uci memory ACTION STORE: shows, checks or repairs the memory of the engine.\n"
    "\n"
    "    info STORE        number of positions, size and maximum size\n"
    "    list STORE        depth, score, men of tables, FEN and line of every position,\n"
    "                      separated by tabs\n"
    "    show STORE FEN    what is known about a position and its moves\n"
    "    check STORE       reads the whole store; the status is 1 if something is damaged\n"
    "    repair STORE      replaces the store by a copy of its sound records; the old store\n"
    "                      becomes STORE.damaged\n"
    "\n"
    "Scores are hundredths of a pawn for the side to move, or `mate` and the number of moves.\n";

typedef struct Reader {
    Store store;
    MDB_txn *txn;
} Reader;

static int complain(const char *text)
{
    fprintf(stderr, "trebuchet-uci memory: %s\n", text);
    return 1;
}

static void print_score(int score)
{
    if (abs(score) < SCORE_MATE_MIN)
        printf("%d", score);
    else
        printf("mate %d", score > 0 ? (SCORE_MATE - score + 1) / 2 : -(SCORE_MATE + score) / 2);
}

static void print_line(const Root *root)
{
    for (int i = 0; i < STORE_LINE && root->line[i] != 0; i++) {
        char text[MOVE_TEXT];
        board_move_text(root->line[i], text);
        printf("%s%s", i ? " " : "", text);
    }
    printf("\n");
}

static int list(const Reader *r)
{
    MDB_cursor *cursor;
    MDB_val k, v;
    if (mdb_cursor_open(r->txn, r->store.roots, &cursor) != 0) return complain("cannot be read");
    while (mdb_cursor_get(cursor, &k, &v, MDB_NEXT) == 0) {
        uint64_t key;
        Root root;
        if (k.mv_size != sizeof key) continue;
        memcpy(&key, k.mv_data, sizeof key);
        if (!store_root(&r->store, r->txn, key, &root)) continue;
        printf("%d\t", root.record.depth);
        print_score(root.record.score);
        printf("\t%d\t%s\t", root.record.men, root.fen);
        print_line(&root);
    }
    mdb_cursor_close(cursor);
    return 0;
}

/* Prints what is known about the position after a move, from the point of view of the side that makes
 * the move. */
static void show_move(const Reader *r, const Board *child, Move m, int men)
{
    /* By the bound, which is for the other side. */
    static const char *const sign[] = {"", ">= ", "<= ", ""};
    uint64_t key = store_key(tt_key(child), men);
    char text[MOVE_TEXT];
    Root root;
    Record record;
    bool searched = store_root(&r->store, r->txn, key, &root);
    bool seen = store_record(&r->store, r->txn, key, &record);
    if (!searched && !seen) return;
    if (searched && (!seen || root.record.depth > record.depth)) record = root.record;
    board_move_text(m, text);
    printf("  %-5s  depth %2d  score %s", text, record.depth + 1, sign[record.bound & 3]);
    print_score(-record.score);
    printf("%s\n", searched ? "  (itself searched)" : "");
}

static bool show_root(const Reader *r, const Board *b, int men)
{
    Root root;
    Move moves[MOVES_MAX];
    Board child;
    if (!store_root(&r->store, r->txn, store_key(tt_key(b), men), &root)) return false;
    printf("%s\ndepth  %d", root.fen, root.record.depth);
    if (men) printf(", with tables of %d men", men);
    printf("\nscore  ");
    print_score(root.record.score);
    printf("\nline   ");
    print_line(&root);
    int count = board_moves(b, false, moves);
    for (int i = 0; i < count; i++)
        if (board_make(b, moves[i], &child)) show_move(r, &child, moves[i], men);
    return true;
}

static int show(const Reader *r, const char *fen)
{
    Board b;
    treb_error error;
    bool known = false;
    if (!tables_read_fen(fen, &b, &error)) return complain(error.text);
    for (int men = 0; men <= TREB_MEN_MAX; men++) known |= show_root(r, &b, men);
    return known ? 0 : complain("nothing is known of this position");
}

static void print_count(const char *path, const StoreCount *c)
{
    printf("%s\npositions searched     %zu\n", path, c->roots);
    printf("records beside them    %zu\n", c->records);
    printf("neighbours             %zu\n", c->links);
    printf("damaged                %zu\n", c->damaged);
    printf("size                   %.1f MiB, at most %.1f\n", (double)c->bytes / (1 << 20),
           (double)c->most / (1 << 20));
}

static int read_store(const char *action, const char *path, const char *fen)
{
    char text[MEMORY_TEXT];
    Reader r;
    if (!store_open(&r.store, path, 0, STORE_READ, text)) return complain(text);
    int status = 1;
    if (store_begin(&r.store, MDB_RDONLY, &r.txn) == 0) {
        status = strcmp(action, "list") == 0 ? list(&r) : show(&r, fen);
        mdb_txn_abort(r.txn);
    }
    store_close(&r.store);
    return status;
}

static int repair(const char *path, StoreState state)
{
    char text[MEMORY_TEXT];
    StoreCount count;
    if (state == STORE_GOOD) {
        printf("%s: nothing is damaged\n", path);
        return 0;
    }
    if (!store_repair(path, &count, text)) return complain(text);
    print_count(path, &count);
    printf("what there was before  %s.damaged\n", path);
    return 0;
}

int memory_command(int argc, char **argv)
{
    static const char *const actions[] = {"info", "list", "show", "check", "repair"};
    const char *action = argc > 0 ? argv[0] : "help", *path = argc > 1 ? argv[1] : "";
    char text[MEMORY_TEXT];
    StoreCount count;
    size_t i = 0;
    if (strcmp(action, "help") == 0 || strcmp(action, "--help") == 0) {
        printf("%s", usage);
        return 0;
    }
    while (i < 5 && strcmp(action, actions[i]) != 0) i++;
    if (i == 5 || argc != (strcmp(action, "show") == 0 ? 3 : 2)) {
        fprintf(stderr, "%s", usage);
        return 2;
    }
    StoreState state = store_look(path, &count, text);
    if (state == STORE_BAD) return complain(text);
    if (strcmp(action, "repair") == 0) return repair(path, state);
    if (state == STORE_DAMAGED) return complain(text);
    if (strcmp(action, "list") == 0 || strcmp(action, "show") == 0)
        return read_store(action, path, argc > 2 ? argv[2] : NULL);
    print_count(path, &count);
    return strcmp(action, "check") == 0 && state != STORE_GOOD;
}
