/* folder.h - locks on a folder of tables, for one run, or for several runs that make different tables.
 *
 * The locks are on files in the folder, which may be on another machine: ".trebuchet.lock" for the folder and
 * ".KRPvKR.lock" for a table. A lock ends with the process that holds it, however the process ends. The files are
 * removed when no run needs them. */
#ifndef TREB_GEN_FOLDER_H
#define TREB_GEN_FOLDER_H

#include "core/chess/material.h"
#include "trebuchet.h"

typedef struct LockFile {
    int file;
    char path[4200];
} LockFile;

typedef struct FolderLock {
    const char *directory; /* as given */
    LockFile folder;
} FolderLock;

/* Locks the folder for one run alone. TREB_ERR_IO if other runs make tables there, with a message that names one of
 * them, or if the folder cannot be written. On a file system without locks it succeeds without a lock. */
treb_status folder_lock(FolderLock *lock, const char *directory, treb_error *error);

/* Joins the runs in a folder. `*alone`: there were no other runs, and others must wait until this run calls
 * folder_share, so that it can remove old files. TREB_ERR_IO as above, and on a file system without locks. */
treb_status folder_join(FolderLock *lock, const char *directory, bool *alone, treb_error *error);
treb_status folder_share(FolderLock *lock, treb_error *error);

void folder_unlock(FolderLock *lock);

/* Locks a table, for a run that has joined the folder. Waits while another run makes the table, and calls `wait` from
 * time to time. If `wait` returns true the function returns STOPPED (core/system/stop.h). */
typedef bool FolderWait(void *context);
treb_status folder_lock_table(const FolderLock *lock, const Material *material, LockFile *table,
                              FolderWait *wait, void *context, treb_error *error);
void folder_unlock_table(LockFile *table);

#endif
