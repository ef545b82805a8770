/* machine.h - how much memory and disk space this machine has free at the moment. */
#ifndef TREB_CORE_SYSTEM_MACHINE_H
#define TREB_CORE_SYSTEM_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the bytes of memory that this process can still get: those that the kernel reports as
 * available, or fewer if the control group or a limit of the process allows fewer. UINT64_MAX if
 * nothing tells. */
uint64_t machine_free_memory(void);

/* Returns how many bytes of memory the control groups of this process still allow. `groups` is a
 * file such as /proc/self/cgroup, `mount` the folder where the kernel shows the groups,
 * /sys/fs/cgroup. UINT64_MAX if there is no limit. */
uint64_t machine_group_memory(const char *groups, const char *mount);

/* machine_held_open returns a descriptor for machine_held, or -1 if the system has no such file.
 * With the file kept open a call of machine_held takes a microsecond. machine_held writes the bytes
 * of memory that this process holds: all of them, and those that belong to mapped files or are
 * shared. `file` may be -1. Returns false if the numbers cannot be found out. Thread-safe. */
int machine_held_open(void);
bool machine_held(int file, uint64_t *all, uint64_t *mapped);

/* Returns the bytes free on the file system of a folder. If the folder does not exist, that of the
 * nearest folder above it which does. Space reserved for root counts if the process runs as root. 0
 * if it cannot be found out, UINT64_MAX if the file system does not report it. */
uint64_t machine_free_disk(const char *folder);

#endif
