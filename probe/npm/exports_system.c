/* exports_system.c - core/system/system.h and thread.h for WebAssembly in a browser: no threads, no files. Those of the tables
 * come through the source in exports.c. What asks for files fails or does nothing. */
#include "core/system/system.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/thread.h"

/* ---- Files ----------------------------------------------------------------------------------- */

static int no_such_call(void)
{
    errno = ENOSYS;
    return -1;
}

bool system_list(const char *folder, SystemEntry *entry, void *context)
{
    (void)folder, (void)entry, (void)context;
    return no_such_call() == 0;
}

int system_open(const char *path, SystemOpen how) { return (void)path, (void)how, no_such_call(); }
bool system_close(int file) { return (void)file, true; }

bool system_about(int file, SystemFile *out)
{
    (void)file, (void)out;
    return no_such_call() == 0;
}

bool system_about_path(const char *path, SystemFile *out)
{
    (void)path, (void)out;
    return no_such_call() == 0;
}

ptrdiff_t system_read(int file, void *bytes, size_t size, uint64_t offset)
{
    (void)file, (void)bytes, (void)size, (void)offset;
    return no_such_call();
}

ptrdiff_t system_read_present(int file, void *bytes, size_t size, uint64_t offset)
{
    return system_read(file, bytes, size, offset);
}

ptrdiff_t system_write(int file, const void *bytes, size_t size, uint64_t offset)
{
    (void)file, (void)bytes, (void)size, (void)offset;
    return no_such_call();
}

bool system_present(int file, uint64_t offset, uint64_t size)
{
    (void)file, (void)offset, (void)size;
    return true;
}

void system_fetch(int file, uint64_t offset, uint64_t size)
{
    (void)file, (void)offset, (void)size;
}
void system_read_in_order(int file) { (void)file; }

bool system_cut(int file, uint64_t size) { return (void)file, (void)size, no_such_call() == 0; }
bool system_reserve(int file, uint64_t size) { return (void)file, (void)size, no_such_call() == 0; }
bool system_flush(int file) { return (void)file, no_such_call() == 0; }
bool system_flush_folder(const char *path) { return (void)path, no_such_call() == 0; }
bool system_rename(const char *from, const char *to)
{
    return (void)from, (void)to, no_such_call() == 0;
}
bool system_delete(const char *path) { return (void)path, no_such_call() == 0; }
unsigned system_files_most(void) { return 65536; }

/* ---- Memory ---------------------------------------------------------------------------------- */

const void *system_map(int file, uint64_t size)
{
    (void)file, (void)size;
    no_such_call();
    return NULL;
}

void system_unmap(const void *at, uint64_t size) { (void)at, (void)size; }

void system_advise(const void *at, uint64_t size, SystemAdvice advice)
{
    (void)at, (void)size, (void)advice;
}
size_t system_page(void) { return 4096; }

void *system_pages(size_t size, bool large, size_t before)
{
    (void)large, (void)before;
    return calloc(1, size);
}

void system_pages_free(void *at, size_t size)
{
    (void)size;
    free(at);
}

/* At the end of the memory, where a browser takes memory for what is touched: malloc would not leave the place alone. Nothing
 * can be given back, so what was freed is given out again. */
enum { WASM_PAGE = 65536 };

typedef struct Room {
    struct Room *next;
    size_t pages;
} Room;

static Room *free_rooms;

static size_t pages_of(size_t size) { return size / WASM_PAGE + (size % WASM_PAGE != 0); }

void *system_room(size_t size)
{
    const size_t pages = pages_of(size);
    for (Room **at = &free_rooms; *at != NULL; at = &(*at)->next)
        if ((*at)->pages == pages) {
            Room *found = *at;
            *at = found->next;
            return found;
        }
    const size_t first = __builtin_wasm_memory_grow(0, pages);
    return first != SIZE_MAX ? (void *)(first * WASM_PAGE) : NULL;
}

void system_room_free(void *at, size_t size)
{
    Room *room = at;
    *room = (Room){free_rooms, pages_of(size)};
    free_rooms = room;
}

void system_pages_drop(void *at, size_t size) { (void)at, (void)size; }
void *system_aligned(size_t unit, size_t size) { return aligned_alloc(unit, size); }
void system_aligned_free(void *at) { free(at); }

/* ---- Other ----------------------------------------------------------------------------------- */

uint64_t system_seconds(void) { return 0; } /* nothing leaves memory */
long system_process(void) { return 1; }
bool system_runs(long process) { return process == 1; }
void system_reason(int number, char *text, size_t size)
{
    snprintf(text, size, "error %d", number);
}

SystemFunction *system_load(const char *library, const char *function)
{
    (void)library, (void)function;
    return NULL;
}

/* ---- Threads --------------------------------------------------------------------------------- */

bool mutex_init(ThreadMutex *mutex) { return *mutex = 0, true; }
bool condition_init(ThreadCondition *condition) { return *condition = 0, true; }
void mutex_destroy(ThreadMutex *mutex) { (void)mutex; }
void mutex_lock(ThreadMutex *mutex) { (void)mutex; }
bool mutex_try(ThreadMutex *mutex) { return (void)mutex, true; }
void mutex_unlock(ThreadMutex *mutex) { (void)mutex; }
void condition_destroy(ThreadCondition *condition) { (void)condition; }
void condition_wait(ThreadCondition *condition, ThreadMutex *mutex)
{
    (void)condition, (void)mutex;
}
void condition_signal(ThreadCondition *condition) { (void)condition; }
void condition_broadcast(ThreadCondition *condition) { (void)condition; }

void thread_once(ThreadOnce *once, void (*function)(void))
{
    if (*once == 0) function();
    *once = 1;
}

bool thread_start(Thread *thread, ThreadFunction *function, void *context)
{
    (void)thread, (void)function, (void)context;
    return false;
}

void thread_join(Thread thread) { (void)thread; }
