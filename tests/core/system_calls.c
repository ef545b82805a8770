/* system_calls.c - tries core/system/system.h and thread.h in a folder, the argument: on Linux, and on Windows with wine.
 * Prints the first fault and returns 1, or prints "right". */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/system.h"
#include "core/system/thread.h"

#define REQUIRE(what)                                                                              \
    if (!(what)) {                                                                                 \
        printf("line %d: not " #what ": errno %d\n", __LINE__, errno);                             \
        exit(1);                                                                                   \
    }

static const char *const names[] = {"with space.txt", "Sch\xc3\xb6n \xe2\x99\x9a.txt", "lines.txt"};
enum { NAMES = 3 };

static const char *place(const char *folder, const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* A SystemEntry: notes which of the names are there. */
static bool note(void *context, const char *name)
{
    for (int i = 0; i < NAMES; i++)
        if (strcmp(name, names[i]) == 0) *(unsigned *)context |= 1u << i;
    return true;
}

/* Bytes that a text file would change: no translation of line ends, no end at a Ctrl-Z. */
static void files(const char *folder)
{
    static const char text[] = "a\nb\r\nc\x1a" "d";
    char back[16], other[4096];
    SystemFile about, again;
    unsigned seen = 0;
    for (int i = 0; i < NAMES; i++) {
        int file = system_open(place(folder, names[i]), SYSTEM_CREATE);
        REQUIRE(file >= 0)
        REQUIRE(system_write(file, text, sizeof text, 0) == sizeof text)
        REQUIRE(system_about(file, &about) && about.kind == SYSTEM_FILE && about.size == sizeof text)
        REQUIRE(system_flush(file) && system_close(file))
        REQUIRE(system_open(place(folder, names[i]), SYSTEM_CREATE) < 0 && errno == EEXIST)
        file = system_open(place(folder, names[i]), SYSTEM_READ);
        REQUIRE(file >= 0 && system_read(file, back, sizeof back, 0) == sizeof text)
        REQUIRE(memcmp(back, text, sizeof text) == 0)
        REQUIRE(system_read(file, back, 1, sizeof text) == 0)
        REQUIRE(system_about(file, &again) && again.number == about.number && again.device == about.device)
        REQUIRE(system_close(file))
    }
    REQUIRE(system_list(folder, note, &seen) && seen == 7)
    REQUIRE(!system_list(place(folder, "nothing"), note, &seen) && errno == ENOENT)
    REQUIRE(system_open(place(folder, "nothing"), SYSTEM_READ) < 0 && errno == ENOENT)
    REQUIRE(system_about_path(folder, &about) && about.kind == SYSTEM_FOLDER)
    snprintf(other, sizeof other, "%s/%s", folder, names[1]);
    REQUIRE(system_rename(place(folder, names[0]), other))
    REQUIRE(!system_about_path(place(folder, names[0]), &about) && errno == ENOENT)
    int open = system_open(other, SYSTEM_UPDATE);
    REQUIRE(open >= 0 && system_delete(other))
    REQUIRE(system_read(open, back, 1, 0) == 1 && system_close(open))
    REQUIRE(system_delete(place(folder, names[2])))
}

/* A file with 5 GiB that takes a few pages of the disk. */
static void large_file(const char *folder)
{
    const uint64_t at = UINT64_C(5) << 30;
    char back[8];
    SystemFile about;
    int file = system_open(folder, SYSTEM_UNNAMED);
    REQUIRE(file >= 0 && system_cut(file, at))
    REQUIRE(system_write(file, "beyond", 6, at) == 6)
    REQUIRE(system_about(file, &about) && about.size == at + 6)
    REQUIRE(system_read(file, back, sizeof back, at) == 6 && memcmp(back, "beyond", 6) == 0)
    const char *map = (const char *)system_map(file, at + 6);
    if (sizeof(void *) > 4) {
        REQUIRE(map != NULL && memcmp(map + at, "beyond", 6) == 0 && map[at - 1] == 0)
        system_advise(map + at, 6, SYSTEM_SOON);
        system_unmap(map, at + 6);
    } else {
        REQUIRE(map == NULL && errno == EFBIG)
    }
    REQUIRE(system_cut(file, 3) && system_about(file, &about) && about.size == 3 && system_close(file))
}

static void memory(void)
{
    const size_t size = 9 << 20;
    for (int large = 0; large < 2; large++) {
        char *at = (char *)system_pages(size, large, system_page());
        REQUIRE(at != NULL && at[0] == 0 && at[size - 1] == 0)
        memset(at, 1, size);
        system_pages_drop(at + system_page(), system_page());
        REQUIRE(at[0] == 1 && (at[system_page()] | 1) == 1)
        system_pages_free(at, size);
    }
    char *room = (char *)system_room(size);
    REQUIRE(room != NULL)
    memset(room, 1, size);
    system_room_free(room, size);
    REQUIRE(system_runs(system_process()) && system_files_most() >= 16)
    char text[64] = "";
    system_reason(ENOENT, text, sizeof text);
    REQUIRE(text[0] != '\0')
    REQUIRE(system_load("no such library", "function") == NULL)
}

static struct {
    ThreadMutex mutex;
    ThreadCondition condition;
    int count;
} shared;
static int begun;

static void begin(void) { begun++; }

static void *count(void *once)
{
    thread_once((ThreadOnce *)once, begin);
    for (int i = 0; i < 10000; i++) {
        mutex_lock(&shared.mutex);
        shared.count++;
        condition_broadcast(&shared.condition);
        mutex_unlock(&shared.mutex);
    }
    return NULL;
}

static void threads(void)
{
    static ThreadOnce once = THREAD_ONCE_INIT;
    Thread thread[3];
    REQUIRE(mutex_init(&shared.mutex) && condition_init(&shared.condition))
    for (int i = 0; i < 3; i++) REQUIRE(thread_start(&thread[i], count, &once))
    mutex_lock(&shared.mutex);
    while (shared.count < 30000) condition_wait(&shared.condition, &shared.mutex);
    mutex_unlock(&shared.mutex);
    for (int i = 0; i < 3; i++) thread_join(thread[i]);
    REQUIRE(begun == 1 && shared.count == 30000 && mutex_try(&shared.mutex))
    mutex_unlock(&shared.mutex);
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    files(argv[1]);
    large_file(argv[1]);
    memory();
    threads();
    puts("right");
    return 0;
}
