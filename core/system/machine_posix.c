/* machine_posix.c - machine.h for systems with POSIX; what only Linux tells is asked for there. */
#ifndef _WIN32
#include "core/system/machine.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Reads the number after a word at the start of a line: "MemAvailable:" or "inactive_file". */
static bool read_field(const char *path, const char *word, uint64_t *out)
{
    char line[256];
    unsigned long long value;
    bool found = false;
    FILE *file = fopen(path, "re");
    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) {
        size_t length = strlen(word);
        if (strncmp(line, word, length) != 0 || sscanf(line + length, "%llu", &value) != 1)
            continue;
        *out = value;
        found = true;
    }
    if (file != NULL) fclose(file);
    return found;
}

/* ---- Control groups -------------------------------------------------------------------------- */

/* The files of a memory controller. The kernel has two interfaces to control groups. */
typedef struct Controller {
    const char *folder, *limit, *used, *cache;
} Controller;

static const Controller controllers[] = {
    {"", "memory.max", "memory.current", "inactive_file "},
    {"/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "}};

/* Returns the bytes left below the limit of one group, whose files are in `folder`; UINT64_MAX if
 * it has no limit. File contents that the kernel keeps in memory count as used, but the kernel
 * drops them when memory is needed. */
static uint64_t group_free(const Controller *c, const char *folder)
{
    char path[2 * PATH_MAX];
    uint64_t limit, used, cache = 0;
    snprintf(path, sizeof path, "%.7000s/%s", folder, c->limit);
    if (!read_field(path, "", &limit))
        return UINT64_MAX; /* no such file, or its content is
                                                             "max" */
    snprintf(path, sizeof path, "%.7000s/%s", folder, c->used);
    if (!read_field(path, "", &used)) return UINT64_MAX;
    snprintf(path, sizeof path, "%.7000s/memory.stat", folder);
    read_field(path, c->cache, &cache);
    used -= cache < used ? cache : used;
    return used < limit ? limit - used : 0;
}

/* Returns the least of a group and all groups above it. In a container the folders of the groups
 * above may be missing; the top folder is then the container's own group. */
static uint64_t groups_free(const Controller *c, const char *mount, const char *group)
{
    char folder[2 * PATH_MAX];
    uint64_t least = UINT64_MAX;
    int top = snprintf(folder, sizeof folder, "%.1000s%s", mount, c->folder);
    snprintf(folder + top, sizeof folder - (size_t)top, "%.4000s", group);
    for (;;) {
        uint64_t bytes = group_free(c, folder);
        if (bytes < least) least = bytes;
        char *slash = strrchr(folder + top, '/');
        if (slash == NULL) return least;
        *slash = '\0';
    }
}

/* Reads lines such as "0::/user.slice" and "4:memory:/x". */
uint64_t machine_group_memory(const char *groups, const char *mount)
{
    char line[PATH_MAX];
    uint64_t least = UINT64_MAX;
    FILE *file = fopen(groups, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *names = strchr(line, ':'), *group = names != NULL ? strchr(names + 1, ':') : NULL;
        if (group == NULL) continue;
        *group++ = '\0';
        group[strcspn(group, "\n")] = '\0';
        bool second = strcmp(names, ":") == 0;
        if (!second && strcmp(names, ":memory") != 0) continue;
        uint64_t bytes = groups_free(&controllers[second ? 0 : 1], mount, group);
        if (bytes < least) least = bytes;
    }
    if (file != NULL) fclose(file);
    return least;
}

/* ---- Memory and disk ------------------------------------------------------------------------- */

/* Returns the bytes left below the limit of `ulimit -v`. */
static uint64_t limit_free(void)
{
    struct rlimit limit;
    uint64_t pages;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
    if (!read_field("/proc/self/statm", "", &pages)) return limit.rlim_cur;
    uint64_t used = pages * (uint64_t)sysconf(_SC_PAGESIZE);
    return used < limit.rlim_cur ? limit.rlim_cur - used : 0;
}

uint64_t machine_free_memory(void)
{
    uint64_t kilobytes, least = limit_free(),
                        group = machine_group_memory("/proc/self/cgroup", "/sys/fs/cgroup");
    if (group < least) least = group;
    if (read_field("/proc/meminfo", "MemAvailable:", &kilobytes) && 1024 * kilobytes < least)
        least = 1024 * kilobytes;
    return least;
}

int machine_held_open(void) { return open("/proc/self/statm", O_RDONLY | O_CLOEXEC); }

bool machine_held(int file, uint64_t *all, uint64_t *mapped)
{
    char text[96] = "";
    unsigned long long resident, shared;
    if (file < 0 || pread(file, text, sizeof text - 1, 0) <= 0) return false;
    if (sscanf(text, "%*u %llu %llu", &resident, &shared) != 2) return false;
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    *all = resident * page;
    *mapped = shared * page;
    return true;
}

uint64_t machine_free_disk(const char *folder)
{
    char path[PATH_MAX];
    struct statvfs disk;
    int length = snprintf(path, sizeof path, "%s", folder);
    if (length <= 0 || length >= PATH_MAX) return 0;
    while (statvfs(path, &disk) != 0) {
        char *slash = strrchr(path, '/');
        if (strcmp(path, ".") == 0 || strcmp(path, "/") == 0) return 0;
        if (slash == NULL)
            strcpy(path, ".");
        else
            slash[slash == path] = '\0';
    }
    if (disk.f_blocks == 0) return UINT64_MAX;
    return (uint64_t)(geteuid() == 0 ? disk.f_bfree : disk.f_bavail) * disk.f_frsize;
}
#endif
