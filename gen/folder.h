/* folder.h - who makes tables in a folder: one run, or several that make different tables.
 *
 * Locks are on files in the folder, which need not be on this machine: ".trebuchet.lock", and ".KRPvKR.lock" for a table.
 * They end with the process that holds them, however that ends, and the files are gone when nobody needs them. */
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

/* For one run alone. TREB_ERR_IO if others make tables there, of whom the text names one, or if the folder cannot be
 * written. On file systems without locks it succeeds without one. */
treb_status folder_lock(FolderLock *lock, const char *directory, treb_error *error);

/* For one of several. `alone` says that there were no others, and that others must wait until folder_share: it is the
 * time to tidy up. TREB_ERR_IO as above, and on file systems without locks. */
treb_status folder_join(FolderLock *lock, const char *directory, bool *alone, treb_error *error);
treb_status folder_share(FolderLock *lock, treb_error *error);

void folder_unlock(FolderLock *lock);

/* For whoever makes a table in a folder that it has joined: waits while another makes it. `wait` is then called now and
 * then, and ends it by returning true, with STOPPED (core/system/stop.h). */
typedef bool FolderWait(void *context);
treb_status folder_lock_table(const FolderLock *lock, const Material *material, LockFile *table,
                              FolderWait *wait, void *context, treb_error *error);
void folder_unlock_table(LockFile *table);

#endif
