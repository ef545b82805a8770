/* machine_windows.c - machine.h for Windows. */
#ifdef _WIN32
#include "core/system/machine.h"

#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "core/system/system.h"
#include "core/system/tool.h"

uint64_t machine_free_memory(void)
{
    MEMORYSTATUSEX about = {.dwLength = sizeof about};
    if (!GlobalMemoryStatusEx(&about)) return UINT64_MAX;
    /* What is committed must fit into memory and the paging file. */
    return about.ullAvailPhys < about.ullAvailPageFile ? about.ullAvailPhys
                                                       : about.ullAvailPageFile;
}

uint64_t machine_group_memory(const char *groups, const char *mount)
{
    (void)groups;
    (void)mount;
    return UINT64_MAX;
}

/* Windows does not tell how much of what a process holds belongs to mapped files. It takes such pages back by itself
 * when memory is short. */
int machine_held_open(void) { return -1; }

bool machine_held(int file, uint64_t *all, uint64_t *mapped)
{
    (void)file;
    (void)all;
    (void)mapped;
    return false;
}

uint64_t machine_free_disk(const char *folder)
{
    ULARGE_INTEGER bytes;
    char path[TOOL_PATH];
    if (!tool_absolute(folder, path, sizeof path)) return 0;
    for (;;) {
        wchar_t *wide = system_wide(path);
        const bool found = wide != NULL && GetDiskFreeSpaceExW(wide, &bytes, NULL, NULL);
        free(wide);
        if (found) return bytes.QuadPart;
        char *slash = strrchr(path, '/');
        if (slash == NULL || slash == path || slash[1] == '\0') return 0;
        /* The slash stays in "C:/". */
        slash[slash[-1] == ':'] = '\0';
    }
}
#endif
