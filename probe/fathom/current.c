/* current.c - see current.h. */
#include "probe/fathom/current.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "probe/fathom/fathom.h"

enum { PATH_SIZE = 4096, NAME_SIZE = 32 };

/* Bytes of unpacked blocks where TREBUCHET_CACHE does not say otherwise. */
static const uint64_t cache_default = UINT64_C(256) << 20;

Current current;
_Thread_local unsigned current_own_gate __attribute__((tls_model("initial-exec")));
unsigned TB_LARGEST;
int TB_MaxCardinality, TB_MaxCardinalityDTM;

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER; /* of all that replaces the set */
static _Atomic unsigned threads_seen;

unsigned current_choose_gate(void)
{
    unsigned order = atomic_fetch_add_explicit(&threads_seen, 1, memory_order_relaxed);
    return current_own_gate = 1 + order % CURRENT_GATES;
}

/* ---- Folders --------------------------------------------------------------------------------- */

/* A path cut at its colons. */
typedef struct Folders {
    char *text;
    const char **folder;
    size_t count;
} Folders;

static void folders_free(Folders *folders)
{
    free(folders->text);
    free(folders->folder);
    *folders = (Folders){0};
}

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), most = strlen(end);
    return length > most && strcmp(name + length - most, end) == 0;
}

static bool holds_tables(const char *folder)
{
    bool found = false;
    DIR *list = opendir(folder);
    if (list == NULL) return false;
    for (struct dirent *e; !found && (e = readdir(list)) != NULL;)
        found = ends_with(e->d_name, ".treb") || ends_with(e->d_name, ".rtbw");
    closedir(list);
    return found;
}

/* Those folders of a path that hold tables. False without memory; *out is to be freed all the
 * same. */
static bool folders_of(const char *path, Folders *out)
{
    size_t most = 1;
    *out = (Folders){0};
    if (path == NULL) return true;
    for (const char *c = path; *c != '\0'; c++) most += *c == ':';
    out->text = strdup(path);
    out->folder = malloc(most * sizeof *out->folder);
    if (out->text == NULL || out->folder == NULL) return false;
    char *rest = out->text;
    for (char *folder; (folder = strsep(&rest, ":")) != NULL;)
        if (*folder != '\0' && holds_tables(folder)) out->folder[out->count++] = folder;
    return true;
}

/* ---- What there is --------------------------------------------------------------------------- */

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

/* The men of "KRPvKR.wdl.treb" or "KRPvKR.rtbw" if distances are there as well, else 0. Told by the
 * names, as opening every file would cost time and memory. */
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

static unsigned most_men(const Folders *folders)
{
    unsigned most = 0;
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

/* ---- The set --------------------------------------------------------------------------------- */

/* Reads "512M": bytes, or with K, M, G or T (and an optional B or iB) so many times 1024. */
static uint64_t cache_bytes(const char *text)
{
    static const char units[] = "KMGT";
    char *end;
    if (text == NULL || *text < '0' || *text > '9') return cache_default;
    unsigned long long number = strtoull(text, &end, 10);
    const char *unit = memchr(units, *end & ~0x20, strlen(units));
    unsigned shift = unit != NULL ? 10 * (unsigned)(unit - units + 1) : 0;
    if (unit != NULL) end++;
    if (strcmp(end, "") != 0 && strcmp(end, "B") != 0 && strcmp(end, "iB") != 0)
        return cache_default;
    return number > UINT64_MAX >> shift ? UINT64_MAX : (uint64_t)number << shift;
}

/* Programs read these at any time. Fathom's two names of its limit are kept alike; of DTM tables
 * there are none to tell, as nothing in its header asks them. */
static void set_largest(unsigned men)
{
    __atomic_store_n(&TB_LARGEST, men, __ATOMIC_RELAXED);
    __atomic_store_n(&TB_MaxCardinality, (int)men, __ATOMIC_RELAXED);
}

/* Takes the set away and closes it once nobody uses it. Under the mutex. */
static void close_set(void)
{
    set_largest(0);
    treb_tables *tables = atomic_exchange_explicit(&current.tables, NULL, memory_order_seq_cst);
    if (tables == NULL) return;
    const struct timespec moment = {0, 50000};
    for (int i = 0; i < CURRENT_GATES; i++)
        while (atomic_load_explicit(&current.gate[i].inside, memory_order_seq_cst) != 0)
            nanosleep(&moment, NULL);
    treb_tables_close(tables);
}

/* Nothing is asked for: no path, "" or "<empty>", the value that UCI has for an empty text. */
static bool is_empty(const char *path)
{
    return path == NULL || *path == '\0' || strcmp(path, "<empty>") == 0;
}

static bool open_set(const char *path)
{
    Folders folders;
    treb_tables *tables = NULL;
    bool ok = folders_of(path, &folders);
    if (ok && folders.count == 0) {
        folders_free(&folders);
        ok = folders_of(getenv("TREBUCHET_PATH"), &folders);
    }
    if (!ok || folders.count == 0) goto cleanup;
    tables = treb_tables_open(folders.folder, folders.count, NULL);
    ok = tables != NULL;
    if (!ok) goto cleanup;
    treb_tables_set_memory(tables, cache_bytes(getenv("TREBUCHET_CACHE")));
    atomic_store_explicit(&current.tables, tables, memory_order_seq_cst);
    set_largest(most_men(&folders));
cleanup:
    folders_free(&folders);
    return ok;
}

bool current_open(const char *path)
{
    pthread_mutex_lock(&opening);
    close_set();
    bool ok = is_empty(path) || open_set(path);
    pthread_mutex_unlock(&opening);
    return ok;
}

void current_close(void)
{
    pthread_mutex_lock(&opening);
    close_set();
    pthread_mutex_unlock(&opening);
}
