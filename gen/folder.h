/* folder.h - one run at a time in a folder of tables. */
#ifndef TREB_GEN_FOLDER_H
#define TREB_GEN_FOLDER_H

#include "trebuchet.h"

/* A lock on a folder. It ends with the process that holds it, however that ends. */
typedef struct FolderLock {
    int file;
} FolderLock;

/* TREB_ERR_IO if another process holds the lock, which the text then names, or if the folder cannot
 * be opened. On file systems without locks it succeeds without one. */
treb_status folder_lock(FolderLock *lock, const char *directory, treb_error *error);
void folder_unlock(FolderLock *lock);

#endif
