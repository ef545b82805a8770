/* machine.h - what this machine has to give right now. */
#ifndef TREB_CORE_MACHINE_H
#define TREB_CORE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes of memory that this process could still get: what the kernel says is available, or less
 * where the control group or a limit of the process allows less. UINT64_MAX if nothing tells. */
uint64_t machine_free_memory(void);

/* The part of it that control groups decide: `groups` is a file such as /proc/self/cgroup, `mount`
 * where the kernel shows the groups, /sys/fs/cgroup. UINT64_MAX if there is no limit. */
uint64_t machine_group_memory(const char *groups, const char *mount);

/* Bytes of memory that this process holds, and those of them that belong to mapped files or are shared. `file` is
 * what machine_held_open returned, so that asking takes a microsecond; -1, where nothing tells, is allowed. False:
 * it cannot be found out. Thread-safe. */
int machine_held_open(void);
bool machine_held(int file, uint64_t *all, uint64_t *mapped);

/* Bytes free on the file system of a folder; of a folder that is not there, of the one that it
 * would be made in, what is kept for root included if we are. 0 if that cannot be found out,
 * UINT64_MAX if the file system does not say. */
uint64_t machine_free_disk(const char *folder);

#endif
