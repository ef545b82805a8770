/* tbprobe.c - Fathom's interface, answered from Trebuchet's tables: see tbprobe.h.
 *
 * Everything is in this one file, so that it can replace Fathom's. The shared library
 * libfathom.so.1 is built from it as well. It uses only the public header trebuchet.h. Engines
 * compile it with their own flags and standard, as C or as C++: that is why it has casts, and the
 * compiler's built-in atomics and thread-local variables.
 *
 * Fathom does not allow tb_init or tb_free while other threads probe. Engines call them all the
 * same, when a GUI changes an option during a search. So each probe counts itself in, uses the set
 * of tables, and counts itself out. tb_init and tb_free first take the set away and then wait until
 * no probe is inside. Probes that begin meanwhile fail, as they do without tables.
 *
 * If all threads used one counter its cache line would move between the cores with every probe. So
 * there are many counters (gates), each with a cache line of its own. Threads are assigned to them
 * in turn. Two threads that share a gate are a little slower, but still correct. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "tbprobe.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <trebuchet.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, NAME_SIZE = 32, GATES = 64, CACHE_LINE = 128 };

/* Bytes of memory for unpacked tables, unless the environment variable TREBUCHET_CACHE says
 * otherwise. */
static const uint64_t cache_default = UINT64_C(256) << 20;

unsigned TB_LARGEST;
int TB_MaxCardinality, TB_MaxCardinalityDTM;

/* ---- The set of tables: Fathom's interface has only one
 * ---------------------------------------- */

/* Counts the probes that are using the set. */
typedef struct Gate {
    unsigned inside;
} __attribute__((aligned(CACHE_LINE))) Gate;

static treb_tables *current; /* NULL: none */
static Gate gates[GATES];
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER; /* held while the set is replaced */
static unsigned threads_seen;

/* The gate of this thread, from 1; 0 before its first probe. The model initial-exec is the fast
 * one. A shared library may use it, as it is loaded when the program starts; if it is loaded later,
 * the few bytes come from a reserve that the system keeps for this. */
static __thread unsigned own_gate __attribute__((tls_model("initial-exec")));

static unsigned choose_gate(void)
{
    unsigned order = __atomic_fetch_add(&threads_seen, 1, __ATOMIC_RELAXED);
    return own_gate = 1 + order % GATES;
}

/* Returns the set, which stays open until leave is called. NULL if there is none; leave is then not
 * called. */
static inline const treb_tables *enter(void)
{
    if (__atomic_load_n(&current, __ATOMIC_RELAXED) == NULL) return NULL;
    unsigned *inside = &gates[(own_gate != 0 ? own_gate : choose_gate()) - 1].inside;
    /* Sequentially consistent, as in close_set: either close_set sees this count, or this thread
     * sees no set. */
    __atomic_fetch_add(inside, 1, __ATOMIC_SEQ_CST);
    const treb_tables *tables = __atomic_load_n(&current, __ATOMIC_SEQ_CST);
    if (tables == NULL) __atomic_fetch_sub(inside, 1, __ATOMIC_RELEASE);
    return tables;
}

static inline void leave(void)
{
    __atomic_fetch_sub(&gates[own_gate - 1].inside, 1, __ATOMIC_RELEASE);
}

/* ---- Folders --------------------------------------------------------------------------------- */

/* The folders of a path. */
typedef struct Folders {
    char *text;
    const char **folder;
    size_t count;
} Folders;

static void folders_free(Folders *folders)
{
    free(folders->text);
    free(folders->folder);
    memset(folders, 0, sizeof *folders);
}

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), most = strlen(end);
    return length > most && strcmp(name + length - most, end) == 0;
}

/* Whether a folder is on a web server. */
static bool is_address(const char *folder)
{
    return strncasecmp(folder, "http://", 7) == 0 || strncasecmp(folder, "https://", 8) == 0;
}

/* Whether a folder has tables. A folder on a server is assumed to have some. */
static bool holds_tables(const char *folder)
{
    bool found = false;
    if (is_address(folder)) return true;
    DIR *list = opendir(folder);
    if (list == NULL) return false;
    for (struct dirent *e; !found && (e = readdir(list)) != NULL;)
        found = ends_with(e->d_name, ".treb") || ends_with(e->d_name, ".rtbw");
    closedir(list);
    return found;
}

/* Lists the folders of a path that have tables. False: out of memory; *out must be freed in that
 * case, too. */
static bool folders_of(const char *path, Folders *out)
{
    size_t most = 1;
    memset(out, 0, sizeof *out);
    if (path == NULL) return true;
    for (const char *c = path; *c != '\0'; c++) most += *c == ':';
    out->text = strdup(path);
    out->folder = (const char **)malloc(most * sizeof *out->folder);
    if (out->text == NULL || out->folder == NULL) return false;
    char *rest = out->text;
    for (char *folder; (folder = treb_next_place(&rest)) != NULL;)
        if (holds_tables(folder)) out->folder[out->count++] = folder;
    return true;
}

/* ---- The number of men ----------------------------------------------------------------------- */

/* Whether one of the folders has a readable file of that name. */
static bool is_there(const Folders *folders, const char *name)
{
    char path[PATH_SIZE];
    for (size_t i = 0; i < folders->count; i++) {
        size_t length = strlen(folders->folder[i]);
        if (length + NAME_SIZE + 2 > sizeof path) continue;
        memcpy(path, folders->folder[i], length);
        path[length] = '/';
        strcpy(path + length + 1, name);
        if (access(path, R_OK) == 0) return true;
    }
    return false;
}

/* The number of men of a file such as "KRPvKR.wdl.treb" or "KRPvKR.rtbw" if the folders have its
 * DTZ as well, else 0. Looks only at the names, as opening every file would cost time and
 * memory. */
static unsigned men_of(const Folders *folders, const char *file)
{
    enum { FORMATS = 2 };
    static const char *const verdicts[FORMATS] = {".wdl.treb", ".rtbw"};
    static const char *const distances[FORMATS] = {".dtz.treb", ".rtbz"};
    char name[NAME_SIZE];
    size_t length = strspn(file, "KQRBNPv");
    if (length < 4 || length - 1 > TREB_MEN_MAX || length + sizeof ".dtz.treb" > sizeof name)
        return 0;
    if (strcmp(file + length, verdicts[0]) != 0 && strcmp(file + length, verdicts[1]) != 0)
        return 0;
    memcpy(name, file, length);
    for (int i = 0; i < FORMATS; i++) {
        strcpy(name + length, distances[i]);
        if (is_there(folders, name)) return (unsigned)length - 1;
    }
    return 0;
}

/* The most men with verdicts and DTZ in an open set. The set lists its files in the order of
 * men. */
static unsigned most_men_of_set(const treb_tables *tables)
{
    treb_table_info info;
    for (size_t i = treb_tables_count(tables); i-- > 0;) {
        if (treb_tables_info(tables, i, &info, NULL) != TREB_OK || info.metric != TREB_WDL)
            continue;
        unsigned men = (unsigned)strlen(info.material) - 1;
        if (treb_tables_find(tables, info.material, TREB_DTZ, &info, NULL) == TREB_OK) return men;
    }
    return 0;
}

/* The most men with verdicts and DTZ. If a folder is on a server the set is asked. */
static unsigned most_men(const treb_tables *tables, const Folders *folders)
{
    unsigned most = 0;
    for (size_t i = 0; i < folders->count; i++)
        if (is_address(folders->folder[i])) return most_men_of_set(tables);
    for (size_t i = 0; i < folders->count; i++) {
        DIR *list = opendir(folders->folder[i]);
        if (list == NULL) continue;
        for (struct dirent *e; (e = readdir(list)) != NULL;) {
            unsigned men = men_of(folders, e->d_name);
            if (men > most) most = men;
        }
        closedir(list);
    }
    return most;
}

/* The most men of pawn files (solved pawn endings). Their names list pieces and squares:
 * "Na2b3-Rc6.solved.treb". */
static unsigned men_of_pawn_files(const Folders *folders)
{
    static const char end[] = ".solved.treb";
    unsigned most = 0;
    for (size_t i = 0; i < folders->count; i++) {
        DIR *list = is_address(folders->folder[i]) ? NULL : opendir(folders->folder[i]);
        if (list == NULL) continue;
        for (struct dirent *e; (e = readdir(list)) != NULL;) {
            unsigned men = 2;
            size_t length = strspn(e->d_name, "NBRQabcdefgh12345678-");
            if (strcmp(e->d_name + length, end) != 0) continue;
            for (size_t k = 0; k < length; k++)
                men += (e->d_name[k] >= 'a' && e->d_name[k] <= 'h') || strchr("NBRQ", e->d_name[k]);
            if (men > most) most = men;
        }
        closedir(list);
    }
    return most;
}

/* ---- Opening and closing --------------------------------------------------------------------- */

/* Reads a size: "512M" is 512 * 1024 * 1024 bytes. K, M, G and T are allowed, each with an optional
 * B or iB. */
static uint64_t cache_bytes(const char *text)
{
    static const char units[] = "KMGT";
    char *end;
    if (text == NULL || *text < '0' || *text > '9') return cache_default;
    unsigned long long number = strtoull(text, &end, 10);
    const char *unit = (const char *)memchr(units, *end & ~0x20, strlen(units));
    unsigned shift = unit != NULL ? 10 * (unsigned)(unit - units + 1) : 0;
    if (unit != NULL) end++;
    if (strcmp(end, "") != 0 && strcmp(end, "B") != 0 && strcmp(end, "iB") != 0)
        return cache_default;
    return number > UINT64_MAX >> shift ? UINT64_MAX : (uint64_t)number << shift;
}

/* Programs may read these at any time. Fathom has two names for its limit, which get the same
 * value. TB_MaxCardinalityDTM stays 0, as nothing in Fathom's header probes DTM. */
static void set_largest(unsigned men)
{
    __atomic_store_n(&TB_LARGEST, men, __ATOMIC_RELAXED);
    __atomic_store_n(&TB_MaxCardinality, (int)men, __ATOMIC_RELAXED);
}

/* Takes the set away, waits until no probe uses it, and closes it. The caller holds the mutex. */
static void close_set(void)
{
    set_largest(0);
    treb_tables *tables = __atomic_exchange_n(&current, (treb_tables *)NULL, __ATOMIC_SEQ_CST);
    if (tables == NULL) return;
    const struct timespec moment = {0, 50000};
    for (int i = 0; i < GATES; i++)
        while (__atomic_load_n(&gates[i].inside, __ATOMIC_SEQ_CST) != 0) nanosleep(&moment, NULL);
    treb_tables_close(tables);
}

/* Whether a path means no tables: NULL, "" or "<empty>", which is how UCI writes an empty text. */
static bool is_empty(const char *path)
{
    return path == NULL || *path == '\0' || strcmp(path, "<empty>") == 0;
}

/* Opens the tables of the folders for probes. Returns true if there are no folders. */
static bool open_folders(const Folders *folders)
{
    if (folders->count == 0) return true;
    treb_tables *tables = treb_tables_open(folders->folder, folders->count, NULL);
    if (tables == NULL) return false;
    treb_tables_set_memory(tables, cache_bytes(getenv("TREBUCHET_CACHE")));
    __atomic_store_n(&current, tables, __ATOMIC_SEQ_CST);
    unsigned men = most_men(tables, folders), solved = men_of_pawn_files(folders);
    set_largest(men > solved ? men : solved);
    return true;
}

static bool open_path(const char *path)
{
    Folders folders;
    bool ok = folders_of(path, &folders);
    if (ok && folders.count == 0) {
        folders_free(&folders);
        ok = folders_of(getenv("TREBUCHET_PATH"), &folders);
    }
    ok = ok && open_folders(&folders);
    folders_free(&folders);
    return ok;
}

static bool replace_set(const char *path)
{
    pthread_mutex_lock(&opening);
    close_set();
    bool ok = is_empty(path) || open_path(path);
    pthread_mutex_unlock(&opening);
    return ok;
}

bool tb_init(const char *path) { return replace_set(path); }

/* Programs call this that were built when tb_init was an inline function of the header. Debian's
 * ethereal-chess is one, but Debian's libfathom1 no longer has the function. */
bool tb_init_impl(const char *path) { return replace_set(path); }

void tb_free(void) { replace_set(NULL); }

/* ---- Positions and moves --------------------------------------------------------------------- */

static const uint64_t file_a = UINT64_C(0x0101010101010101), file_h = UINT64_C(0x8080808080808080);

/* Whether a pawn of the side to move stands beside the pawn that could be captured. Fathom ignores
 * an en passant square that no pawn can capture on, wherever it is, so a probe must not fail
 * because of one. */
static bool ep_useful(const treb_position *pos, unsigned ep)
{
    if (ep > 63 || (ep >> 3 != 2 && ep >> 3 != 5)) return false;
    uint64_t taken = UINT64_C(1) << (pos->turn == TREB_WHITE ? ep - 8 : ep + 8);
    uint64_t beside = (taken & ~file_a) >> 1 | (taken & ~file_h) << 1;
    return (beside & pos->by_color[pos->turn] & pos->by_type[TREB_PAWN]) != 0;
}

/* Fills a position in place, member by member. Copying a complete structure would have to wait for
 * the members just written, which costs up to a tenth of a probe. */
static inline void read_board(treb_position *pos, uint64_t white, uint64_t black, uint64_t kings,
                              uint64_t queens, uint64_t rooks, uint64_t bishops, uint64_t knights,
                              uint64_t pawns, unsigned ep, bool turn)
{
    pos->by_color[TREB_WHITE] = white;
    pos->by_color[TREB_BLACK] = black;
    pos->by_type[TREB_PAWN] = pawns;
    pos->by_type[TREB_KNIGHT] = knights;
    pos->by_type[TREB_BISHOP] = bishops;
    pos->by_type[TREB_ROOK] = rooks;
    pos->by_type[TREB_QUEEN] = queens;
    pos->by_type[TREB_KING] = kings;
    pos->turn = turn ? TREB_WHITE : TREB_BLACK;
    pos->castling = 0;
    pos->halfmove = 0;
    pos->fullmove = 1;
    pos->ep = ep != 0 && ep_useful(pos, ep) ? (uint8_t)ep : 0;
}

/* The promotion as Fathom numbers it: 1 for a queen to 4 for a knight; 0 for none. */
static unsigned promotes(const treb_move *move)
{
    return move->promotion != 0 ? TREB_QUEEN + 1u - move->promotion : 0;
}

/* Whether a move captures en passant: a pawn leaves its file and goes to the en passant square. */
static bool is_ep(const treb_position *pos, const treb_move *move)
{
    return pos->ep != 0 && move->to == pos->ep && ((move->from ^ move->to) & 7) != 0 &&
           (pos->by_type[TREB_PAWN] >> move->from & 1) != 0;
}

static TbMove short_move(const treb_move *move)
{
    return (TbMove)(promotes(move) << 12 | (unsigned)move->from << 6 | move->to);
}

/* ---- Search ---------------------------------------------------------------------------------- */

unsigned tb_probe_wdl_impl(uint64_t white, uint64_t black, uint64_t kings, uint64_t queens,
                           uint64_t rooks, uint64_t bishops, uint64_t knights, uint64_t pawns,
                           unsigned ep, bool turn)
{
    treb_position pos;
    treb_wdl wdl;
    const treb_tables *tables = enter();
    if (tables == NULL) return TB_RESULT_FAILED;
    read_board(&pos, white, black, kings, queens, rooks, bishops, knights, pawns, ep, turn);
    treb_status status = treb_probe_wdl(tables, &pos, &wdl, NULL);
    leave();
    return status == TREB_OK ? (unsigned)wdl : TB_RESULT_FAILED;
}

/* ---- The root: all moves and their values ---------------------------------------------------- */

/* Moves are in the order of treb_probe_moves, the best first. Fathom lists them in the order of its
 * move generator. */

enum { LIST_MAX = TB_MAX_MOVES - 1, CLOCK_MAX = UINT8_MAX, LINE_PLIES = 32 };

typedef struct Root {
    const treb_tables *tables;
    treb_position pos;
    treb_move move[LIST_MAX];
    size_t count;
} Root;

/* Whether moves without a known value cannot be better than the first move, as a pawn file knows
 * the verdict of the position. If so they are removed from the list, where they are last. */
static bool first_is_best(Root *root, treb_metric metric)
{
    treb_wdl verdict;
    const treb_value *best = &root->move[0].value;
    if (root->count == 0 || best->status[TREB_WDL] != TREB_OK) return false;
    if (best->wdl != TREB_DRAW && best->status[metric] != TREB_OK) return false;
    if (best->rule != TREB_WIN &&
        (treb_probe_wdl(root->tables, &root->pos, &verdict, NULL) != TREB_OK ||
         verdict != best->wdl))
        return false;
    while (root->move[root->count - 1].value.status[TREB_WDL] != TREB_OK) root->count--;
    return true;
}

/* Lists the moves. False if the value of a move is not known that may be the best. */
static bool list_moves(Root *root, treb_metric metric)
{
    treb_status status = treb_probe_moves(root->tables, &root->pos, metric, TREB_RULE_50,
                                          root->move, LIST_MAX, &root->count, NULL);
    return status == TREB_OK || (status == TREB_ERR_NO_TABLE && first_is_best(root, metric));
}

/* Limits the clock. Larger numbers make no difference, except that a rank might get the wrong
 * sign. */
static uint16_t clock_of(unsigned rule50)
{
    return (uint16_t)(rule50 < CLOCK_MAX ? rule50 : (unsigned)CLOCK_MAX);
}

/* ---- The root: results ----------------------------------------------------------------------- */

/* The result of a move. If DTZ is rounded Fathom takes the smaller number, and so does this. */
static unsigned word_of(const treb_position *pos, const treb_move *move)
{
    const treb_value *value = &move->value;
    treb_wdl wdl = treb_wdl_with_clock(value->wdl, value->plies[TREB_DTZ], pos->halfmove);
    return (unsigned)wdl << TB_RESULT_WDL_SHIFT | (unsigned)move->to << TB_RESULT_TO_SHIFT |
           (unsigned)move->from << TB_RESULT_FROM_SHIFT |
           promotes(move) << TB_RESULT_PROMOTES_SHIFT |
           (unsigned)is_ep(pos, move) << TB_RESULT_EP_SHIFT |
           (unsigned)value->plies[TREB_DTZ] << TB_RESULT_DTZ_SHIFT;
}

/* The result of a position without moves. */
static unsigned word_of_end(const Root *root)
{
    treb_wdl wdl;
    if (treb_probe_wdl(root->tables, &root->pos, &wdl, NULL) != TREB_OK) return TB_RESULT_FAILED;
    return wdl == TREB_LOSS ? TB_RESULT_CHECKMATE : TB_RESULT_STALEMATE;
}

/* Returns the result of the best move, and fills `results` unless it is NULL. */
static unsigned words_of(Root *root, unsigned *results)
{
    if (!list_moves(root, TREB_DTZ)) return TB_RESULT_FAILED;
    if (root->count == 0) return word_of_end(root);
    if (results != NULL) {
        for (size_t i = 0; i < root->count; i++) results[i] = word_of(&root->pos, &root->move[i]);
        results[root->count] = TB_RESULT_FAILED;
    }
    return word_of(&root->pos, &root->move[0]);
}

unsigned tb_probe_root_impl(uint64_t white, uint64_t black, uint64_t kings, uint64_t queens,
                            uint64_t rooks, uint64_t bishops, uint64_t knights, uint64_t pawns,
                            unsigned rule50, unsigned ep, bool turn, unsigned *results)
{
    Root root;
    if (results != NULL) results[0] = TB_RESULT_FAILED;
    root.tables = enter();
    if (root.tables == NULL) return TB_RESULT_FAILED;
    read_board(&root.pos, white, black, kings, queens, rooks, bishops, knights, pawns, ep, turn);
    root.pos.halfmove = clock_of(rule50);
    unsigned word = words_of(&root, results);
    leave();
    return word;
}

/* ---- The root: ranks and scores -------------------------------------------------------------- */

enum { MATE_SCORE = TB_VALUE_MATE - TB_MAX_MATE_PLY - 1 };

/* The rank of a move. `clock` counts the plies since the last capture or pawn move. A win that is
 * safely within the 50-move rule has 1000; one that is just within the rule has 900, and one beyond
 * it less, the longer the less. After a repetition all wins have ranks by their length, so that the
 * engine makes progress. Losses have -1000 unless the 50-move rule is near. */
static int rank_of(const treb_value *value, int clock, bool repeated)
{
    int plies = value->plies[TREB_DTZ], left = 1000 - (plies + clock);
    if (left < 1) left = 1;
    if (value->wdl == TREB_DRAW) return 0;
    if (value->wdl > TREB_DRAW) return plies + clock <= 99 && !repeated ? 1000 : left;
    return 2 * plies + clock < 100 ? -1000 : -left;
}

/* The score of a rank, as in Fathom. Draws by the 50-move rule have scores of up to five pawns. */
static int score_of(int rank, bool use_rule50)
{
    int size = rank < 0 ? -rank : rank, score = size < 803 ? 3 : size - 4 * TB_VALUE_PAWN;
    if (size == 0) return TB_VALUE_DRAW;
    if (size >= (use_rule50 ? 900 : 1)) score = MATE_SCORE;
    return rank < 0 ? -score : score;
}

/* Appends the best play after pv[0], up to the next capture, pawn move or mate, as DTZ knows no
 * more. */
static void predict(const Root *root, struct TbRootMove *out)
{
    treb_position at = root->pos;
    treb_move move = root->move[0];
    while (!(move.flags & TREB_MOVE_ZEROING) && out->pvSize < LINE_PLIES) {
        size_t count;
        if (treb_position_play(&at, move.uci, &at, NULL) != TREB_OK) return;
        if (treb_probe_moves(root->tables, &at, TREB_DTZ, TREB_RULE_50, &move, 1, &count, NULL) !=
            TREB_OK)
            return;
        if (count == 0 || move.value.wdl == TREB_DRAW) return;
        out->pv[out->pvSize++] = short_move(&move);
    }
}

static void write_move(const treb_move *move, int rank, int score, struct TbRootMove *out)
{
    out->move = short_move(move);
    out->pv[0] = out->move;
    out->pvSize = 1;
    out->tbRank = rank;
    out->tbScore = score;
}

int tb_probe_root_dtz(uint64_t white, uint64_t black, uint64_t kings, uint64_t queens,
                      uint64_t rooks, uint64_t bishops, uint64_t knights, uint64_t pawns,
                      unsigned rule50, unsigned castling, unsigned ep, bool turn, bool has_repeated,
                      bool use_rule50, struct TbRootMoves *results)
{
    Root root;
    results->size = 0;
    root.tables = castling == 0 ? enter() : NULL;
    if (root.tables == NULL) return 0;
    read_board(&root.pos, white, black, kings, queens, rooks, bishops, knights, pawns, ep, turn);
    root.pos.halfmove = clock_of(rule50);
    bool ok = list_moves(&root, TREB_DTZ);
    for (size_t i = 0; ok && i < root.count; i++) {
        int rank = rank_of(&root.move[i].value, root.pos.halfmove, has_repeated);
        write_move(&root.move[i], rank, score_of(rank, use_rule50), &results->moves[i]);
        if (i == 0 && rank != 0) predict(&root, &results->moves[0]);
        results->size++;
    }
    leave();
    return ok;
}

int tb_probe_root_wdl(uint64_t white, uint64_t black, uint64_t kings, uint64_t queens,
                      uint64_t rooks, uint64_t bishops, uint64_t knights, uint64_t pawns,
                      unsigned rule50, unsigned castling, unsigned ep, bool turn, bool use_rule50,
                      struct TbRootMoves *results)
{
    static const int ranks[] = {-1000, -899, 0, 899, 1000};
    static const int scores[] = {-MATE_SCORE, TB_VALUE_DRAW - 2, TB_VALUE_DRAW, TB_VALUE_DRAW + 2,
                                 MATE_SCORE};
    Root root;
    results->size = 0;
    (void)rule50; /* unused, as in Fathom: verdicts alone do not say how many plies will pass */
    root.tables = castling == 0 ? enter() : NULL;
    if (root.tables == NULL) return 0;
    read_board(&root.pos, white, black, kings, queens, rooks, bishops, knights, pawns, ep, turn);
    bool ok = list_moves(&root, TREB_WDL);
    for (size_t i = 0; ok && i < root.count; i++) {
        treb_wdl wdl = root.move[i].value.wdl;
        if (!use_rule50 && wdl != TREB_DRAW) wdl = wdl > TREB_DRAW ? TREB_WIN : TREB_LOSS;
        write_move(&root.move[i], ranks[wdl], scores[wdl], &results->moves[i]);
        results->size++;
    }
    leave();
    return ok;
}

/* ---- Helpers: bits and attacks --------------------------------------------------------------- */

unsigned tb_pop_count(uint64_t set) { return (unsigned)__builtin_popcountll(set); }

unsigned tb_lsb(uint64_t set) { return set != 0 ? (unsigned)__builtin_ctzll(set) : 64; }

uint64_t tb_pop_lsb(uint64_t set) { return set & (set - 1); }

/* The squares that up to `most` steps of `files` and `ranks` reach, until the first man of
 * `occupied`, which is included. A number beyond 63 is reduced to a square. */
static uint64_t ray(unsigned square, int files, int ranks, int most, uint64_t occupied)
{
    uint64_t reached = 0;
    int file = (int)(square & 7) + files, rank = (int)(square >> 3 & 7) + ranks;
    for (; most > 0 && file >= 0 && file < 8 && rank >= 0 && rank < 8; most--) {
        uint64_t to = UINT64_C(1) << (8 * rank + file);
        reached |= to;
        if ((occupied & to) != 0) break;
        file += files;
        rank += ranks;
    }
    return reached;
}

/* The rays in all directions that turning and mirroring the step (a, b) gives. */
static uint64_t rays(unsigned square, int a, int b, int most, uint64_t occupied)
{
    uint64_t reached = 0;
    for (int way = 0; way < 4; way++) {
        int x = way & 1 ? -a : a, y = way & 2 ? -b : b;
        reached |= ray(square, x, y, most, occupied) | ray(square, y, x, most, occupied);
    }
    return reached;
}

uint64_t tb_rook_attacks(unsigned square, uint64_t occupied)
{
    return rays(square, 0, 1, 7, occupied);
}

uint64_t tb_bishop_attacks(unsigned square, uint64_t occupied)
{
    return rays(square, 1, 1, 7, occupied);
}

uint64_t tb_queen_attacks(unsigned square, uint64_t occupied)
{
    return rays(square, 0, 1, 7, occupied) | rays(square, 1, 1, 7, occupied);
}

uint64_t tb_king_attacks(unsigned square)
{
    return rays(square, 0, 1, 1, 0) | rays(square, 1, 1, 1, 0);
}

uint64_t tb_knight_attacks(unsigned square) { return rays(square, 1, 2, 1, 0); }

uint64_t tb_pawn_attacks(unsigned square, bool white)
{
    int forward = white ? 1 : -1;
    return ray(square, -1, forward, 1, 0) | ray(square, 1, forward, 1, 0);
}
