/* tbprobe.c - the interfaces of Fathom and Pyrrhic, answered from Trebuchet's tables.
 *
 * Everything is in this one file, so that it can replace Fathom's or Pyrrhic's. The tbprobe.h that
 * stands beside it says which of the two it is. The shared library libfathom.so.1 is built from it
 * as well. It uses only the public header trebuchet.h. Engines compile it with their own flags and
 * standard, as C or as C++: that is why it has casts, and the compiler's built-in atomics and
 * thread-local variables.
 *
 * An engine's tbconfig.h, which tbprobe.h includes, may define any short name as a macro or a type.
 * So tbprobe.h is included late: all that probes is above it, where such macros do not exist yet.
 * Below it are only the functions of the interface, and their own names begin with tb_ or TB.
 * Names that the whole file knows begin with dropin, because the engine may have those of its own.
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
#include <dirent.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "trebuchet.h"
#include <unistd.h>

enum {
    DROPIN_PATH_SIZE = 4096,
    DROPIN_NAME_SIZE = 32,
    DROPIN_GATES = 64,
    DROPIN_CACHE_LINE = 128,
    DROPIN_LINE_PLIES = 32
};

/* Bytes of memory for unpacked tables, unless the environment variable TREBUCHET_CACHE says
 * otherwise. */
static const uint64_t dropin_cache_default = UINT64_C(256) << 20;

/* ---- The set of tables: Fathom's interface has only one -------------------------------------- */

/* Counts the probes that are using the set. */
typedef struct DropinGate {
    unsigned inside;
} __attribute__((aligned(DROPIN_CACHE_LINE))) DropinGate;

static treb_tables *dropin_current; /* NULL: none */
static DropinGate dropin_gates[DROPIN_GATES];
static pthread_mutex_t dropin_opening =
    PTHREAD_MUTEX_INITIALIZER; /* held while the set is replaced */
static unsigned dropin_threads;

/* The gate of this thread, from 1; 0 before its first probe. The model initial-exec is the fast
 * one. A shared library may use it, as it is loaded when the program starts; if it is loaded later,
 * the few bytes come from a reserve that the system keeps for this. */
static __thread unsigned dropin_own_gate __attribute__((tls_model("initial-exec")));

static unsigned dropin_choose_gate(void)
{
    unsigned order = __atomic_fetch_add(&dropin_threads, 1, __ATOMIC_RELAXED);
    return dropin_own_gate = 1 + order % DROPIN_GATES;
}

/* Returns the set, which stays open until dropin_leave is called. NULL if there is none;
 * dropin_leave is then not called. */
static inline const treb_tables *dropin_enter(void)
{
    if (__atomic_load_n(&dropin_current, __ATOMIC_RELAXED) == NULL) return NULL;
    unsigned gate = dropin_own_gate != 0 ? dropin_own_gate : dropin_choose_gate();
    unsigned *inside = &dropin_gates[gate - 1].inside;
    /* Sequentially consistent, as in dropin_close: either that sees this count, or this thread sees
     * no set. */
    __atomic_fetch_add(inside, 1, __ATOMIC_SEQ_CST);
    const treb_tables *tables = __atomic_load_n(&dropin_current, __ATOMIC_SEQ_CST);
    if (tables == NULL) __atomic_fetch_sub(inside, 1, __ATOMIC_RELEASE);
    return tables;
}

static inline void dropin_leave(void)
{
    __atomic_fetch_sub(&dropin_gates[dropin_own_gate - 1].inside, 1, __ATOMIC_RELEASE);
}

/* ---- Names of files -------------------------------------------------------------------------- */

/* What a file has, as an index into DropinTables.dropin_tables. */
enum { DROPIN_WDL, DROPIN_DTZ, DROPIN_DTC, DROPIN_DTM, DROPIN_KINDS };

static const struct DropinEnding {
    const char *text;
    int kind;
} dropin_endings[] = {{".wdl.treb", DROPIN_WDL}, {".rtbw", DROPIN_WDL},
                      {".dtz.treb", DROPIN_DTZ}, {".rtbz", DROPIN_DTZ},
                      {".dtc.treb", DROPIN_DTC}, {".dtm.treb", DROPIN_DTM}};
enum { DROPIN_ENDINGS = sizeof dropin_endings / sizeof *dropin_endings };

static bool dropin_ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), most = strlen(end);
    return length > most && strcmp(name + length - most, end) == 0;
}

/* Splits the name of a table, such as "KRPvKR.wdl.treb" or "KRPvKR.rtbw". Returns the length of the
 * material, and writes the number of its ending; 0 if it is no such name. */
static size_t dropin_split(const char *file, int *ending)
{
    size_t length = strspn(file, "KQRBNPv");
    if (length < 4 || length - 1 > TREB_MEN_MAX) return 0;
    for (*ending = 0; *ending < DROPIN_ENDINGS; ++*ending)
        if (strcmp(file + length, dropin_endings[*ending].text) == 0) return length;
    return 0;
}

/* The men of a pawn file (a solved pawn ending), whose name lists pieces and squares, such as
 * "Na2b3-Rc6.solved.treb". 0 if it is no such name. */
static unsigned dropin_men_of_pawn_file(const char *file)
{
    unsigned men = 2;
    size_t length = strspn(file, "NBRQabcdefgh12345678-");
    if (strcmp(file + length, ".solved.treb") != 0) return 0;
    for (size_t i = 0; i < length; i++)
        men += (file[i] >= 'a' && file[i] <= 'h') || strchr("NBRQ", file[i]) != NULL;
    return men;
}

/* ---- Folders --------------------------------------------------------------------------------- */

/* The folders of a path. */
typedef struct DropinFolders {
    char *text;
    const char **folder;
    size_t count;
} DropinFolders;

static void dropin_folders_free(DropinFolders *folders)
{
    free(folders->text);
    free(folders->folder);
    memset(folders, 0, sizeof *folders);
}

/* Whether a text begins with a word in lower case, itself in either case. */
static bool dropin_begins_with(const char *text, const char *word)
{
    for (; *word != '\0'; text++, word++)
        if (*text != *word && (*text < 'A' || *text > 'Z' || *text - 'A' + 'a' != *word))
            return false;
    return true;
}

/* Whether a folder is on a web server. */
static bool dropin_is_address(const char *folder)
{
    return dropin_begins_with(folder, "http://") || dropin_begins_with(folder, "https://");
}

/* Whether a folder has tables of any kind: the verdicts may be in one folder and the distances in
 * another. A folder on a server is assumed to have some. */
static bool dropin_holds_tables(const char *folder)
{
    bool found = false;
    if (dropin_is_address(folder)) return true;
    DIR *list = opendir(folder);
    if (list == NULL) return false;
    for (struct dirent *e; !found && (e = readdir(list)) != NULL;)
        found = dropin_ends_with(e->d_name, ".treb") || dropin_ends_with(e->d_name, ".rtbw") ||
                dropin_ends_with(e->d_name, ".rtbz");
    closedir(list);
    return found;
}

/* Lists the folders of a path that have tables. False: out of memory; *out must be freed in that
 * case, too. */
static bool dropin_folders_of(const char *path, DropinFolders *out)
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
        if (dropin_holds_tables(folder)) out->folder[out->count++] = folder;
    return true;
}

/* ---- Tables in the program's memory ---------------------------------------------------------- */

/* Pyrrhic's newer interface lets a program have tables in its own memory, and names a function that
 * gives the bytes of a table, by its material and the ending of its name. */
typedef bool DropinLoad(const char *material, const char *ending, const unsigned char **bytes,
                        size_t *size);

typedef struct DropinBlob {
    char name[DROPIN_NAME_SIZE];
    const unsigned char *bytes;
    size_t size;
} DropinBlob;

typedef struct DropinBlobs {
    DropinBlob *blob;
    size_t count, room;
} DropinBlobs;

static DropinLoad *dropin_load; /* NULL: none. Read and written with the mutex locked */
static DropinBlobs dropin_blobs;

/* Asks for the tables of a material and adds those that there are. False: out of memory. */
static bool dropin_add_blobs(DropinBlobs *blobs, const char *material)
{
    for (int k = 0; k < DROPIN_ENDINGS; k++) {
        DropinBlob blob;
        /* Sources have files of Trebuchet's format only. */
        if (!dropin_ends_with(dropin_endings[k].text, "treb")) continue;
        if (!dropin_load(material, dropin_endings[k].text, &blob.bytes, &blob.size)) continue;
        strcpy(blob.name, material);
        strcat(blob.name, dropin_endings[k].text);
        if (blobs->count == blobs->room) {
            size_t room = blobs->room * 2 + 16;
            DropinBlob *more = (DropinBlob *)realloc(blobs->blob, room * sizeof *more);
            if (more == NULL) return false;
            blobs->blob = more;
            blobs->room = room;
        }
        blobs->blob[blobs->count++] = blob;
    }
    return true;
}

/* Replaces a side's men without the king by the next: "Q", "R", "B", "N", "P", "QQ", "QR" ... */
static void dropin_next_men(char *men)
{
    static const char order[] = "QRBNP";
    size_t length = strlen(men), i = length;
    while (i > 0 && men[i - 1] == 'P') i--;
    char next = i > 0 ? strchr(order, men[i - 1])[1] : 'Q';
    if (i == 0) men[++length] = '\0';
    for (i = i > 0 ? i - 1 : 0; i < length; i++) men[i] = next;
}

/* Asks for the tables of all materials. False: out of memory. */
static bool dropin_ask_for_all(DropinBlobs *blobs)
{
    enum { MOST = TREB_MEN_MAX - 2 };
    char material[DROPIN_NAME_SIZE], men[MOST + 2] = "Q";
    for (; strlen(men) <= MOST; dropin_next_men(men)) {
        char others[MOST + 2] = "";
        for (bool last = false; !last && strlen(men) + strlen(others) <= MOST;) {
            /* The stronger side first: it has more men, or comes earlier. */
            bool stronger = strlen(men) > strlen(others);
            strcpy(material, "K");
            strcat(material, stronger ? men : others);
            strcat(material, "vK");
            strcat(material, stronger ? others : men);
            if (!dropin_add_blobs(blobs, material)) return false;
            last = strcmp(men, others) == 0;
            dropin_next_men(others);
        }
    }
    return true;
}

static treb_status dropin_blobs_list(void *context, void (*add)(void *to, const char *file),
                                     void *to, treb_error *error)
{
    const DropinBlobs *blobs = (const DropinBlobs *)context;
    (void)error;
    for (size_t i = 0; i < blobs->count; i++) add(to, blobs->blob[i].name);
    return TREB_OK;
}

static treb_status dropin_blobs_open(void *context, const char *file, void **handle, uint64_t *size,
                                     treb_error *error)
{
    const DropinBlobs *blobs = (const DropinBlobs *)context;
    for (size_t i = 0; i < blobs->count; i++) {
        if (strcmp(blobs->blob[i].name, file) != 0) continue;
        *handle = &blobs->blob[i];
        *size = blobs->blob[i].size;
        return TREB_OK;
    }
    strcpy(error->text, "there is no such table in memory");
    return error->status = TREB_ERR_IO;
}

static treb_status dropin_blobs_read(void *context, void *handle, treb_read how, uint64_t offset,
                                     size_t size, void *out, treb_error *error)
{
    (void)context;
    (void)error;
    if (how == TREB_READ_BEGIN) return TREB_ERR_NOT_READY;
    memcpy(out, ((const DropinBlob *)handle)->bytes + offset, size);
    return TREB_OK;
}

static void dropin_blobs_close_file(void *context, void *handle)
{
    (void)context;
    (void)handle;
}

static void dropin_blobs_close(void *context)
{
    DropinBlobs *blobs = (DropinBlobs *)context;
    free(blobs->blob);
    memset(blobs, 0, sizeof *blobs);
}

/* Fills in a source that has the tables in memory. False: out of memory. */
static bool dropin_blobs_source(treb_source *out)
{
    if (!dropin_ask_for_all(&dropin_blobs)) {
        dropin_blobs_close(&dropin_blobs);
        return false;
    }
    out->name = "<embedded>";
    out->context = &dropin_blobs;
    out->list = dropin_blobs_list;
    out->open = dropin_blobs_open;
    out->read = dropin_blobs_read;
    out->close_file = dropin_blobs_close_file;
    out->close = dropin_blobs_close;
    return true;
}

/* ---- What the tables are --------------------------------------------------------------------- */

/* What tb_init tells the program. */
typedef struct DropinTables {
    unsigned dropin_men; /* of the largest material with verdicts, or of the largest pawn file */
    unsigned dropin_tables[DROPIN_KINDS]; /* number of materials by kind of table */
} DropinTables;

static void dropin_add_men(DropinTables *found, unsigned men)
{
    if (men > found->dropin_men) found->dropin_men = men;
}

static void dropin_add_table(DropinTables *found, unsigned men, int kind)
{
    found->dropin_tables[kind]++;
    if (kind == DROPIN_WDL) dropin_add_men(found, men);
}

/* Asks an open set, which opens each file: for folders on servers and tables in memory. */
static void dropin_survey_set(const treb_tables *tables, DropinTables *found)
{
    treb_table_info info;
    for (size_t i = 0; i < treb_tables_count(tables); i++) {
        if (treb_tables_info(tables, i, &info, NULL) != TREB_OK) continue;
        unsigned men = (unsigned)strlen(info.material) - 1;
        if (info.metric == TREB_WDL) dropin_add_table(found, men, DROPIN_WDL);
        if (info.metric == TREB_DTZ) dropin_add_table(found, men, DROPIN_DTZ);
        if (info.metric == TREB_DTC) dropin_add_table(found, men, DROPIN_DTC);
        if (info.metric == TREB_DTM) dropin_add_table(found, men, DROPIN_DTM);
    }
}

/* Whether an earlier folder has the table that was found in a folder, or the folder itself has it
 * in a format that is listed earlier. */
static bool dropin_known_already(const DropinFolders *folders, size_t number, const char *file,
                                 size_t length, int ending)
{
    char path[DROPIN_PATH_SIZE];
    for (size_t i = 0; i <= number; i++) {
        size_t size = strlen(folders->folder[i]);
        if (size + DROPIN_NAME_SIZE + 2 > sizeof path) continue;
        memcpy(path, folders->folder[i], size);
        path[size++] = '/';
        memcpy(path + size, file, length);
        for (int k = 0; k < DROPIN_ENDINGS; k++) {
            if (dropin_endings[k].kind != dropin_endings[ending].kind) continue;
            if (i == number && k >= ending) continue;
            strcpy(path + size + length, dropin_endings[k].text);
            if (access(path, F_OK) == 0) return true;
        }
    }
    return false;
}

/* Looks at the names of the files, as opening each would cost time and memory. */
static void dropin_survey_folders(const DropinFolders *folders, DropinTables *found)
{
    for (size_t i = 0; i < folders->count; i++) {
        DIR *list = opendir(folders->folder[i]);
        if (list == NULL) continue;
        for (struct dirent *e; (e = readdir(list)) != NULL;) {
            int ending;
            size_t length = dropin_split(e->d_name, &ending);
            dropin_add_men(found, dropin_men_of_pawn_file(e->d_name));
            if (length > 0 && !dropin_known_already(folders, i, e->d_name, length, ending))
                dropin_add_table(found, (unsigned)length - 1, dropin_endings[ending].kind);
        }
        closedir(list);
    }
}

static void dropin_survey(const treb_tables *tables, const DropinFolders *folders,
                          DropinTables *found)
{
    bool remote = false;
    for (size_t i = 0; i < folders->count; i++) remote |= dropin_is_address(folders->folder[i]);
    if (remote || dropin_blobs.count > 0)
        dropin_survey_set(tables, found);
    else
        dropin_survey_folders(folders, found);
}

/* ---- Opening and closing --------------------------------------------------------------------- */

/* Reads a size: "512M" is 512 * 1024 * 1024 bytes. K, M, G and T are allowed, each with an optional
 * B or iB. */
static uint64_t dropin_cache_bytes(const char *text)
{
    static const char units[] = "KMGT";
    char *end;
    if (text == NULL || *text < '0' || *text > '9') return dropin_cache_default;
    unsigned long long number = strtoull(text, &end, 10);
    const char *unit = (const char *)memchr(units, *end & ~0x20, strlen(units));
    unsigned shift = unit != NULL ? 10 * (unsigned)(unit - units + 1) : 0;
    if (unit != NULL) end++;
    if (strcmp(end, "") != 0 && strcmp(end, "B") != 0 && strcmp(end, "iB") != 0)
        return dropin_cache_default;
    return number > UINT64_MAX >> shift ? UINT64_MAX : (uint64_t)number << shift;
}

/* Takes the set away, waits until no probe uses it, and closes it. The caller holds the mutex. */
static void dropin_close(void)
{
    treb_tables *tables =
        __atomic_exchange_n(&dropin_current, (treb_tables *)NULL, __ATOMIC_SEQ_CST);
    if (tables == NULL) return;
    const struct timespec moment = {0, 50000};
    for (int i = 0; i < DROPIN_GATES; i++)
        while (__atomic_load_n(&dropin_gates[i].inside, __ATOMIC_SEQ_CST) != 0)
            nanosleep(&moment, NULL);
    treb_tables_close(tables);
}

/* Whether a path means no folders: NULL, "", "<empty>", which is how UCI writes an empty text, or
 * Pyrrhic's "<embedded>". */
static bool dropin_is_empty(const char *path)
{
    return path == NULL || *path == '\0' || strcmp(path, "<empty>") == 0 ||
           strcmp(path, "<embedded>") == 0;
}

/* Opens the folders and the tables in memory. NULL: a folder cannot be read, or memory is out. */
static treb_tables *dropin_open_places(const DropinFolders *folders)
{
    treb_source *place = (treb_source *)calloc(folders->count + 1, sizeof *place);
    treb_tables *tables = NULL;
    if (place == NULL) return NULL;
    for (size_t i = 0; i < folders->count; i++) place[i].name = folders->folder[i];
    if (dropin_load == NULL)
        tables = treb_tables_open_sources(place, folders->count, NULL);
    else if (dropin_blobs_source(&place[folders->count]))
        tables = treb_tables_open_sources(place, folders->count + 1, NULL);
    free(place);
    return tables;
}

/* Opens tables for probes. Returns true if there is no place that could have any. */
static bool dropin_open_folders(const DropinFolders *folders, DropinTables *found)
{
    if (folders->count == 0 && dropin_load == NULL) return true;
    treb_tables *tables = dropin_open_places(folders);
    if (tables == NULL) return false;
    treb_tables_set_memory(tables, dropin_cache_bytes(getenv("TREBUCHET_CACHE")));
    dropin_survey(tables, folders, found);
    __atomic_store_n(&dropin_current, tables, __ATOMIC_SEQ_CST);
    return true;
}

/* Opens the tables of a path, and says what they are. */
static bool dropin_open(const char *path, DropinTables *found)
{
    DropinFolders folders;
    memset(found, 0, sizeof *found);
    const bool empty = dropin_is_empty(path);
    bool ok = dropin_folders_of(empty ? NULL : path, &folders);
    if (ok && folders.count == 0 && !empty) {
        dropin_folders_free(&folders);
        ok = dropin_folders_of(getenv("TREBUCHET_PATH"), &folders);
    }
    ok = ok && dropin_open_folders(&folders, found);
    dropin_folders_free(&folders);
    return ok;
}

/* ---- Positions and moves --------------------------------------------------------------------- */

static const uint64_t dropin_file_a = UINT64_C(0x0101010101010101),
                      dropin_file_h = UINT64_C(0x8080808080808080);

/* Whether a pawn of the side to move stands beside the pawn that could be captured. Fathom ignores
 * an en passant square that no pawn can capture on, wherever it is, so a probe must not fail
 * because of one. */
static bool dropin_ep_useful(const treb_position *pos, unsigned ep)
{
    if (ep > 63 || (ep >> 3 != 2 && ep >> 3 != 5)) return false;
    uint64_t taken = UINT64_C(1) << (pos->turn == TREB_WHITE ? ep - 8 : ep + 8);
    uint64_t beside = (taken & ~dropin_file_a) >> 1 | (taken & ~dropin_file_h) << 1;
    return (beside & pos->by_color[pos->turn] & pos->by_type[TREB_PAWN]) != 0;
}

/* Fills a position in place, member by member. Copying a complete structure would have to wait for
 * the members just written, which costs up to a tenth of a probe. */
static inline void dropin_read_board(treb_position *pos, uint64_t white, uint64_t black,
                                     uint64_t kings, uint64_t queens, uint64_t rooks,
                                     uint64_t bishops, uint64_t knights, uint64_t pawns,
                                     unsigned ep, bool turn)
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
    pos->ep = ep != 0 && dropin_ep_useful(pos, ep) ? (uint8_t)ep : 0;
}

/* The promotion as Fathom numbers it: 1 for a queen to 4 for a knight; 0 for none. */
static unsigned dropin_promotes(const treb_move *move)
{
    return move->promotion != 0 ? TREB_QUEEN + 1u - move->promotion : 0;
}

/* Whether a move captures en passant: a pawn leaves its file and goes to the en passant square. */
static bool dropin_is_ep(const treb_position *pos, const treb_move *move)
{
    return pos->ep != 0 && move->to == pos->ep && ((move->from ^ move->to) & 7) != 0 &&
           (pos->by_type[TREB_PAWN] >> move->from & 1) != 0;
}

/* A move in 16 bits: to, from, promotion as Fathom has them. Pyrrhic has en passant as well. */
enum { DROPIN_EP_MOVE = 0x8000 };

static uint16_t dropin_short_move(const treb_position *pos, const treb_move *move)
{
    return (uint16_t)((dropin_is_ep(pos, move) ? (unsigned)DROPIN_EP_MOVE : 0) |
                      dropin_promotes(move) << 12 | (unsigned)move->from << 6 | move->to);
}

/* ---- Search ---------------------------------------------------------------------------------- */

static const unsigned dropin_failed = 0xffffffffu;

/* Whether a capture wins. Fathom and Pyrrhic look at captures first, and then need no table of the
 * position itself. */
static bool dropin_capture_wins(const treb_tables *tables, const treb_position *pos)
{
    treb_move move[TREB_MOVES_MAX];
    size_t count;
    treb_probe_moves(tables, pos, TREB_WDL, TREB_RULE_50, move, TREB_MOVES_MAX, &count, NULL);
    for (size_t i = 0; i < count; i++) {
        const treb_value *value = &move[i].value;
        if ((move[i].flags & TREB_MOVE_CAPTURE) != 0 && value->status[TREB_WDL] == TREB_OK &&
            value->wdl == TREB_WIN)
            return true;
    }
    return false;
}

static inline unsigned dropin_wdl(uint64_t white, uint64_t black, uint64_t kings, uint64_t queens,
                                  uint64_t rooks, uint64_t bishops, uint64_t knights,
                                  uint64_t pawns, unsigned ep, bool turn)
{
    treb_position pos;
    treb_wdl wdl;
    const treb_tables *tables = dropin_enter();
    if (tables == NULL) return dropin_failed;
    dropin_read_board(&pos, white, black, kings, queens, rooks, bishops, knights, pawns, ep, turn);
    treb_status status = treb_probe_wdl(tables, &pos, &wdl, NULL);
    if (status == TREB_ERR_NO_TABLE && dropin_capture_wins(tables, &pos)) {
        status = TREB_OK;
        wdl = TREB_WIN;
    }
    dropin_leave();
    return status == TREB_OK ? (unsigned)wdl : dropin_failed;
}

/* ---- The root: all moves and their values ---------------------------------------------------- */

/* Moves are in the order of treb_probe_moves, the best first. Fathom lists them in the order of its
 * move generator. */

typedef struct DropinRoot {
    const treb_tables *tables;
    treb_position pos;
    treb_move move[TREB_MOVES_MAX];
    size_t count;
} DropinRoot;

/* Whether it is the position's own table of verdicts that is missing, and not one that a capture or
 * promotion leads to, which has other men. Positions of so many men never have a table. */
static bool dropin_own_is_missing(const treb_position *pos, const treb_error *error)
{
    static const char letters[] = "PNBRQK";
    if (__builtin_popcountll(pos->by_color[0] | pos->by_color[1]) > TREB_MEN_MAX) return true;
    if (error->metric != TREB_WDL) return false;
    for (int type = TREB_PAWN; type <= TREB_KING; type++) {
        int count = 0;
        for (const char *c = error->material; *c != '\0'; c++) count += *c == letters[type];
        if (count != __builtin_popcountll(pos->by_type[type])) return false;
    }
    return true;
}

/* Whether the first move is the best although some values are not known. That is so where a pawn
 * file answers: it knows the position's verdict, but not what each move is worth. Where a table
 * answers, and the table of a capture or promotion is missing, it may know the verdict as well, but
 * Fathom fails, and engines expect that. */
static bool dropin_first_is_best(DropinRoot *root, treb_metric metric, const treb_error *error)
{
    treb_wdl verdict;
    const treb_value *best = &root->move[0].value;
    if (root->count == 0 || best->status[TREB_WDL] != TREB_OK) return false;
    if (best->wdl != TREB_DRAW && best->status[metric] != TREB_OK) return false;
    return dropin_own_is_missing(&root->pos, error) &&
           treb_probe_wdl(root->tables, &root->pos, &verdict, NULL) == TREB_OK &&
           verdict == best->wdl;
}

/* A Syzygy file may have rounded a distance down. The position's own distance then shows that a
 * move takes longer than its value says: no win can be shorter, nor can the longest defence. */
static void dropin_correct(DropinRoot *root)
{
    treb_value own;
    if (root->count == 0 || root->move[0].value.rounded[TREB_DTZ] != TREB_ROUNDED) return;
    if (treb_probe_root(root->tables, &root->pos, &own, NULL) != TREB_OK) return;
    if (own.status[TREB_DTZ] != TREB_OK) return;
    for (size_t i = 0; i < root->count; i++) {
        treb_value *value = &root->move[i].value;
        bool wins = value->wdl == own.wdl && value->wdl > TREB_DRAW;
        bool defends = i == 0 && value->wdl == own.wdl && value->wdl < TREB_DRAW;
        if ((wins || defends) && value->plies[TREB_DTZ] < own.plies[TREB_DTZ])
            value->plies[TREB_DTZ] = own.plies[TREB_DTZ];
    }
}

/* Lists all legal moves. False if the value of a move is not known that may be the best. A move
 * whose value is not known, but is not the best, becomes a loss in 0 plies, which no move is. */
static bool dropin_list(DropinRoot *root, treb_metric metric)
{
    treb_error error;
    treb_status status = treb_probe_moves(root->tables, &root->pos, metric, TREB_RULE_50,
                                          root->move, TREB_MOVES_MAX, &root->count, &error);
    if (status != TREB_OK && status != TREB_ERR_NO_TABLE && status != TREB_ERR_MEN) return false;
    if (status != TREB_OK && !dropin_first_is_best(root, metric, &error)) return false;
    for (size_t i = 0; i < root->count; i++) {
        treb_value *value = &root->move[i].value;
        if (value->status[TREB_WDL] == TREB_OK) continue;
        memset(value, 0, sizeof *value);
        value->wdl = value->rule = TREB_LOSS;
    }
    if (metric == TREB_DTZ) dropin_correct(root);
    return true;
}

/* Limits the clock. Larger numbers make no difference, except that a rank might get the wrong
 * sign. */
static uint16_t dropin_clock(unsigned rule50)
{
    return (uint16_t)(rule50 < UINT8_MAX ? rule50 : (unsigned)UINT8_MAX);
}

/* ---- The root: results ----------------------------------------------------------------------- */

/* The bits of a result: verdict, to, from, promotion, en passant, DTZ. */
enum { DROPIN_TO = 4, DROPIN_FROM = 10, DROPIN_PROMOTES = 16, DROPIN_EP = 19, DROPIN_DTZ_AT = 20 };

/* The result of a move. If DTZ is rounded Fathom takes the smaller number, and so does this. */
static unsigned dropin_word(const treb_position *pos, const treb_move *move)
{
    const treb_value *value = &move->value;
    treb_wdl wdl = treb_wdl_with_clock(value->wdl, value->plies[TREB_DTZ], pos->halfmove);
    return (unsigned)wdl | (unsigned)move->to << DROPIN_TO | (unsigned)move->from << DROPIN_FROM |
           dropin_promotes(move) << DROPIN_PROMOTES |
           (unsigned)dropin_is_ep(pos, move) << DROPIN_EP |
           (unsigned)value->plies[TREB_DTZ] << DROPIN_DTZ_AT;
}

/* The result of a position without moves: a win for a mate, a draw for a stalemate. */
static unsigned dropin_word_of_end(const DropinRoot *root)
{
    treb_wdl wdl;
    if (treb_probe_wdl(root->tables, &root->pos, &wdl, NULL) != TREB_OK) return dropin_failed;
    return wdl == TREB_LOSS ? TREB_WIN : TREB_DRAW;
}

/* Returns the result of the best move. Fills `results` unless it is NULL: with at most `most`
 * results, and behind the last with a failure. */
static unsigned dropin_words(DropinRoot *root, unsigned *results, size_t most)
{
    if (!dropin_list(root, TREB_DTZ)) return dropin_failed;
    if (root->count == 0) return dropin_word_of_end(root);
    if (results != NULL) {
        size_t count = root->count < most ? root->count : most;
        for (size_t i = 0; i < count; i++) results[i] = dropin_word(&root->pos, &root->move[i]);
        results[count] = dropin_failed;
    }
    return dropin_word(&root->pos, &root->move[0]);
}

static unsigned dropin_root(uint64_t white, uint64_t black, uint64_t kings, uint64_t queens,
                            uint64_t rooks, uint64_t bishops, uint64_t knights, uint64_t pawns,
                            unsigned rule50, unsigned ep, bool turn, unsigned *results, size_t most)
{
    DropinRoot root;
    if (results != NULL) results[0] = dropin_failed;
    root.tables = dropin_enter();
    if (root.tables == NULL) return dropin_failed;
    dropin_read_board(&root.pos, white, black, kings, queens, rooks, bishops, knights, pawns, ep,
                      turn);
    root.pos.halfmove = dropin_clock(rule50);
    unsigned word = dropin_words(&root, results, most);
    dropin_leave();
    return word;
}

/* ---- The root: ranks ------------------------------------------------------------------------- */

/* All moves with their ranks, and the line that begins with the first. */
typedef struct DropinRanked {
    unsigned dropin_count, dropin_plies;
    uint16_t dropin_move[TREB_MOVES_MAX];
    int dropin_rank[TREB_MOVES_MAX];
    uint16_t dropin_line[DROPIN_LINE_PLIES];
} DropinRanked;

/* The rank of a move by its DTZ. `clock` counts the plies since the last capture or pawn move. A
 * win that is safely within the 50-move rule has the rank `top`; one that is just within the rule
 * has `top` - 100, and one beyond it less, the longer the less. After a repetition all wins have
 * ranks by their length, so that the engine makes progress. Losses have -`top` unless the 50-move
 * rule is near. */
static int dropin_rank_by_dtz(const treb_value *value, int clock, bool repeated, int top)
{
    int plies = value->plies[TREB_DTZ], left = top - (plies + clock);
    if (left < 1) left = 1;
    if (value->wdl == TREB_DRAW) return 0;
    if (value->wdl > TREB_DRAW) return plies + clock <= 99 && !repeated ? top : left;
    return plies == 0 || 2 * plies + clock < 100 ? -top : -left;
}

/* The rank of a move by its verdict. */
static int dropin_rank_by_wdl(treb_wdl wdl, bool use_rule50, int top)
{
    int spoiled = use_rule50 ? top - 101 : top;
    if (wdl == TREB_DRAW) return 0;
    if (wdl > TREB_DRAW) return wdl == TREB_WIN ? top : spoiled;
    return wdl == TREB_LOSS ? -top : -spoiled;
}

/* Appends the best play after the first move, up to the next capture, pawn move or mate, as DTZ
 * knows no more. */
static void dropin_predict(const DropinRoot *root, DropinRanked *out)
{
    treb_position at = root->pos;
    treb_move move = root->move[0];
    while (!(move.flags & TREB_MOVE_ZEROING) && out->dropin_plies < DROPIN_LINE_PLIES) {
        size_t count;
        if (treb_position_play(&at, move.uci, &at, NULL) != TREB_OK) return;
        if (treb_probe_moves(root->tables, &at, TREB_DTZ, TREB_RULE_50, &move, 1, &count, NULL) !=
            TREB_OK)
            return;
        if (count == 0 || move.value.wdl == TREB_DRAW) return;
        out->dropin_line[out->dropin_plies++] = dropin_short_move(&at, &move);
    }
}

static void dropin_rank_all(const DropinRoot *root, bool by_dtz, bool repeated, bool use_rule50,
                            int top, DropinRanked *out)
{
    for (size_t i = 0; i < root->count; i++) {
        const treb_value *value = &root->move[i].value;
        out->dropin_move[i] = dropin_short_move(&root->pos, &root->move[i]);
        out->dropin_rank[i] = by_dtz ? dropin_rank_by_dtz(value, root->pos.halfmove, repeated, top)
                                     : dropin_rank_by_wdl(value->wdl, use_rule50, top);
    }
    out->dropin_count = (unsigned)root->count;
    if (root->count == 0) return;
    out->dropin_line[out->dropin_plies++] = out->dropin_move[0];
    if (by_dtz && out->dropin_rank[0] != 0) dropin_predict(root, out);
}

/* Lists all moves with their ranks, by DTZ or by verdicts alone. Returns whether all is known that
 * this needs. */
static bool dropin_rank(uint64_t white, uint64_t black, uint64_t kings, uint64_t queens,
                        uint64_t rooks, uint64_t bishops, uint64_t knights, uint64_t pawns,
                        unsigned rule50, unsigned ep, bool turn, bool by_dtz, bool repeated,
                        bool use_rule50, int top, DropinRanked *out)
{
    DropinRoot root;
    out->dropin_count = out->dropin_plies = 0;
    root.tables = dropin_enter();
    if (root.tables == NULL) return false;
    dropin_read_board(&root.pos, white, black, kings, queens, rooks, bishops, knights, pawns, ep,
                      turn);
    /* Verdicts alone do not say how many plies will pass, so the clock does not count. */
    root.pos.halfmove = by_dtz ? dropin_clock(rule50) : 0;
    bool known = dropin_list(&root, by_dtz ? TREB_DTZ : TREB_WDL);
    if (known) dropin_rank_all(&root, by_dtz, repeated, use_rule50, top, out);
    dropin_leave();
    return known;
}

/* ---- Attacks --------------------------------------------------------------------------------- */

/* The squares that up to `most` steps of `files` and `ranks` reach, until the first man of
 * `occupied`, which is included. A number beyond 63 is reduced to a square. */
static uint64_t dropin_ray(unsigned square, int files, int ranks, int most, uint64_t occupied)
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

/* The rays in all directions that turning and mirroring the step (a, b) gives. Pyrrhic's interface
 * has no attacks. */
__attribute__((unused)) static uint64_t dropin_rays(unsigned square, int a, int b, int most,
                                                    uint64_t occupied)
{
    uint64_t reached = 0;
    for (int way = 0; way < 4; way++) {
        int x = way & 1 ? -a : a, y = way & 2 ? -b : b;
        reached |= dropin_ray(square, x, y, most, occupied);
        reached |= dropin_ray(square, y, x, most, occupied);
    }
    return reached;
}

/* ==== The interface ===========================================================================
 *
 * From here on the engine's macros exist. A name that is neither Fathom's nor Pyrrhic's begins with
 * tb_ or dropin. */

#include "tbprobe.h"

/* The boards of a position, as parameters and as arguments. */
#define TBPROBE_BOARDS                                                                             \
    uint64_t tb_white, uint64_t tb_black, uint64_t tb_kings, uint64_t tb_queens,                   \
        uint64_t tb_rooks, uint64_t tb_bishops, uint64_t tb_knights, uint64_t tb_pawns
#define TBPROBE_THE_BOARDS                                                                         \
    tb_white, tb_black, tb_kings, tb_queens, tb_rooks, tb_bishops, tb_knights, tb_pawns

/* What a score is worth that is a sure win, and a win that the 50-move rule spoils. */
#ifdef TBPROBE_PYRRHIC
enum {
    TBPROBE_TOP = 0x40000,
    TBPROBE_MOVE = TBPROBE_PYRRHIC_OLD ? 0xffff & ~DROPIN_EP_MOVE : 0xffff
};
#else
enum { TBPROBE_TOP = 1000, TBPROBE_MOVE = 0xffff & ~DROPIN_EP_MOVE };
#endif

/* ---- Tables ---------------------------------------------------------------------------------- */

#ifdef TBPROBE_PYRRHIC
int TB_LARGEST;
#if !TBPROBE_PYRRHIC_OLD
int TB_NUM_WDL, TB_NUM_DTM, TB_NUM_DTZ;
#endif
#else
unsigned TB_LARGEST;
int TB_MaxCardinality, TB_MaxCardinalityDTM;
#endif

/* Says which tables are open. Programs may read these variables at any time. */
static void tb_publish(const DropinTables *tb_found)
{
#ifdef TBPROBE_PYRRHIC
    __atomic_store_n(&TB_LARGEST, (int)tb_found->dropin_men, __ATOMIC_RELAXED);
#if !TBPROBE_PYRRHIC_OLD
    __atomic_store_n(&TB_NUM_WDL, (int)tb_found->dropin_tables[DROPIN_WDL], __ATOMIC_RELAXED);
    __atomic_store_n(&TB_NUM_DTZ, (int)tb_found->dropin_tables[DROPIN_DTZ], __ATOMIC_RELAXED);
    __atomic_store_n(&TB_NUM_DTM, (int)tb_found->dropin_tables[DROPIN_DTM], __ATOMIC_RELAXED);
#endif
#else
    /* Fathom has two names for its limit, which get one value. TB_MaxCardinalityDTM stays 0, as
     * nothing in Fathom's header probes DTM. */
    __atomic_store_n(&TB_LARGEST, tb_found->dropin_men, __ATOMIC_RELAXED);
    __atomic_store_n(&TB_MaxCardinality, (int)tb_found->dropin_men, __ATOMIC_RELAXED);
#endif
}

/* Closes the tables and opens others, unless `tb_reopen` is false. */
static bool tb_replace(const char *tb_path, bool tb_reopen)
{
    DropinTables tb_found = {0, {0}};
    pthread_mutex_lock(&dropin_opening);
    tb_publish(&tb_found);
    dropin_close();
    bool tb_opened = !tb_reopen || dropin_open(tb_path, &tb_found);
    tb_publish(&tb_found);
    pthread_mutex_unlock(&dropin_opening);
    return tb_opened;
}

bool tb_init(const char *tb_path) { return tb_replace(tb_path, true); }

void tb_free(void) { tb_replace(NULL, false); }

#if defined(TBPROBE_PYRRHIC) && !TBPROBE_PYRRHIC_OLD

static tb_loader_fn tb_loader;

static bool tb_ask_loader(const char *tb_name, const char *tb_suffix,
                          const unsigned char **tb_bytes, size_t *tb_size)
{
    pyrrhic_tb_blob tb_blob = {NULL, 0};
    if (!tb_loader(tb_name, tb_suffix, &tb_blob)) return false;
    *tb_bytes = tb_blob.data;
    *tb_size = tb_blob.size;
    return true;
}

void tb_set_loader(tb_loader_fn tb_function)
{
    pthread_mutex_lock(&dropin_opening);
    tb_loader = tb_function;
    dropin_load = tb_function != NULL ? tb_ask_loader : NULL;
    pthread_mutex_unlock(&dropin_opening);
}

#endif

/* ---- Probes ---------------------------------------------------------------------------------- */

#ifdef TBPROBE_PYRRHIC

unsigned tb_probe_wdl(TBPROBE_BOARDS, unsigned tb_ep, bool tb_turn)
{
    return dropin_wdl(TBPROBE_THE_BOARDS, tb_ep, tb_turn);
}

unsigned tb_probe_root(TBPROBE_BOARDS, unsigned tb_rule50, unsigned tb_ep, bool tb_turn,
                       unsigned *tb_results)
{
    return dropin_root(TBPROBE_THE_BOARDS, tb_rule50, tb_ep, tb_turn, tb_results, TB_MAX_MOVES - 1);
}

#else

/* Programs call this that were built when tb_init was an inline function of the header. Debian's
 * ethereal-chess is one, but Debian's libfathom1 no longer has the function. */
bool tb_init_impl(const char *tb_path) { return tb_replace(tb_path, true); }

unsigned tb_probe_wdl_impl(TBPROBE_BOARDS, unsigned tb_ep, bool tb_turn)
{
    return dropin_wdl(TBPROBE_THE_BOARDS, tb_ep, tb_turn);
}

unsigned tb_probe_root_impl(TBPROBE_BOARDS, unsigned tb_rule50, unsigned tb_ep, bool tb_turn,
                            unsigned *tb_results)
{
    return dropin_root(TBPROBE_THE_BOARDS, tb_rule50, tb_ep, tb_turn, tb_results, TB_MAX_MOVES - 1);
}

#endif

/* ---- Moves with ranks ------------------------------------------------------------------------ */

#if !defined(TBPROBE_PYRRHIC) || TBPROBE_PYRRHIC_OLD

/* The score of a rank by DTZ, as in Fathom and as in Pyrrhic: up to five pawns, or half a pawn, for
 * a win that the 50-move rule spoils. */
static int tb_score_by_dtz(int tb_rank, bool tb_use_rule50)
{
    int tb_size = tb_rank < 0 ? -tb_rank : tb_rank, tb_score;
    if (tb_size == 0) return TBPROBE_SCORE_DRAW;
    if (tb_size >= (tb_use_rule50 ? TBPROBE_TOP - 100 : 1)) {
        tb_score = TBPROBE_SCORE_MATE;
    } else {
#ifdef TBPROBE_PYRRHIC
        tb_score = tb_size < TBPROBE_TOP - 197 ? 3 : tb_size - (TBPROBE_TOP - 200);
        tb_score = tb_score * TBPROBE_SCORE_PAWN / 200;
#else
        tb_score = tb_size < 803 ? 3 : tb_size - 4 * TBPROBE_SCORE_PAWN;
#endif
    }
    return tb_rank < 0 ? -tb_score : tb_score;
}

/* The score of a rank by verdict. */
static int tb_score_by_wdl(int tb_rank)
{
    if (tb_rank == TBPROBE_TOP) return TBPROBE_SCORE_MATE;
    if (tb_rank == -TBPROBE_TOP) return -TBPROBE_SCORE_MATE;
    return TBPROBE_SCORE_DRAW + (tb_rank > 0 ? 2 : tb_rank < 0 ? -2 : 0);
}

#endif

/* Writes the moves of a list with ranks, by DTZ or by verdicts. */
static void tb_write_moves(const DropinRanked *tb_list, bool tb_by_dtz, bool tb_use_rule50,
                           struct TbRootMoves *tb_results)
{
    unsigned tb_count = tb_list->dropin_count;
    if (tb_count > TB_MAX_MOVES - 1) tb_count = TB_MAX_MOVES - 1;
    for (unsigned tb_i = 0; tb_i < tb_count; tb_i++) {
        struct TbRootMove *tb_out = &tb_results->moves[tb_i];
        tb_out->move = (uint16_t)(tb_list->dropin_move[tb_i] & TBPROBE_MOVE);
        tb_out->tbRank = tb_list->dropin_rank[tb_i];
#if !defined(TBPROBE_PYRRHIC) || TBPROBE_PYRRHIC_OLD
        tb_out->tbScore = tb_by_dtz ? tb_score_by_dtz(tb_out->tbRank, tb_use_rule50)
                                    : tb_score_by_wdl(tb_out->tbRank);
        tb_out->pvSize = tb_i == 0 ? tb_list->dropin_plies : 1;
        tb_out->pv[0] = tb_out->move;
        for (unsigned tb_k = 1; tb_k < tb_out->pvSize; tb_k++)
            tb_out->pv[tb_k] = (uint16_t)(tb_list->dropin_line[tb_k] & TBPROBE_MOVE);
#else
        (void)tb_by_dtz;
        (void)tb_use_rule50;
#endif
    }
    tb_results->size = tb_count;
}

/* The functions differ in their parameters: Pyrrhic's have no castling rights, and its newer one by
 * DTZ does not ask for the 50-move rule, on which only scores depend. */
#ifdef TBPROBE_PYRRHIC
#define TBPROBE_POSITION TBPROBE_BOARDS, unsigned tb_rule50, unsigned tb_ep, bool tb_turn
enum { tb_castling = 0 };
#else
#define TBPROBE_POSITION                                                                           \
    TBPROBE_BOARDS, unsigned tb_rule50, unsigned tb_castling, unsigned tb_ep, bool tb_turn
#endif

#if defined(TBPROBE_PYRRHIC) && !TBPROBE_PYRRHIC_OLD
int tb_probe_root_dtz(TBPROBE_POSITION, bool tb_has_repeated, struct TbRootMoves *tb_results)
{
    const bool tb_use_rule50 = true;
#else
int tb_probe_root_dtz(TBPROBE_POSITION, bool tb_has_repeated, bool tb_use_rule50,
                      struct TbRootMoves *tb_results)
{
#endif
    DropinRanked tb_list;
    tb_results->size = 0;
    bool tb_known =
        tb_castling == 0 && dropin_rank(TBPROBE_THE_BOARDS, tb_rule50, tb_ep, tb_turn, true,
                                        tb_has_repeated, tb_use_rule50, TBPROBE_TOP, &tb_list);
    if (tb_known) tb_write_moves(&tb_list, true, tb_use_rule50, tb_results);
    return tb_known;
}

int tb_probe_root_wdl(TBPROBE_POSITION, bool tb_use_rule50, struct TbRootMoves *tb_results)
{
    DropinRanked tb_list;
    tb_results->size = 0;
    bool tb_known =
        tb_castling == 0 && dropin_rank(TBPROBE_THE_BOARDS, tb_rule50, tb_ep, tb_turn, false, false,
                                        tb_use_rule50, TBPROBE_TOP, &tb_list);
    if (tb_known) tb_write_moves(&tb_list, false, tb_use_rule50, tb_results);
    return tb_known;
}

/* ---- Helpers of Fathom: bits and attacks ----------------------------------------------------- */

#ifndef TBPROBE_PYRRHIC

unsigned tb_pop_count(uint64_t tb_set) { return (unsigned)__builtin_popcountll(tb_set); }

unsigned tb_lsb(uint64_t tb_set) { return tb_set != 0 ? (unsigned)__builtin_ctzll(tb_set) : 64; }

uint64_t tb_pop_lsb(uint64_t tb_set) { return tb_set & (tb_set - 1); }

uint64_t tb_rook_attacks(unsigned tb_square, uint64_t tb_occupied)
{
    return dropin_rays(tb_square, 0, 1, 7, tb_occupied);
}

uint64_t tb_bishop_attacks(unsigned tb_square, uint64_t tb_occupied)
{
    return dropin_rays(tb_square, 1, 1, 7, tb_occupied);
}

uint64_t tb_queen_attacks(unsigned tb_square, uint64_t tb_occupied)
{
    return dropin_rays(tb_square, 0, 1, 7, tb_occupied) |
           dropin_rays(tb_square, 1, 1, 7, tb_occupied);
}

uint64_t tb_king_attacks(unsigned tb_square)
{
    return dropin_rays(tb_square, 0, 1, 1, 0) | dropin_rays(tb_square, 1, 1, 1, 0);
}

uint64_t tb_knight_attacks(unsigned tb_square) { return dropin_rays(tb_square, 1, 2, 1, 0); }

uint64_t tb_pawn_attacks(unsigned tb_square, bool tb_is_white)
{
    int tb_forward = tb_is_white ? 1 : -1;
    return dropin_ray(tb_square, -1, tb_forward, 1, 0) | dropin_ray(tb_square, 1, tb_forward, 1, 0);
}

#endif
