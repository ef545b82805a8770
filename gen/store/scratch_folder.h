/* scratch_folder.h - the folder of scratch files, and their names.
 *
 * "KRPvKR.dtm.solved" has the solved slices of a table, "KQRvKR-wq.dtm.solved" a subset of them. Only complete files
 * have such names. The files of a table that is saved while it is made have ".part" in their names: "KRPvKR.dtm.part"
 * says how far the table is, "KRPvKR.dtm.solved.part" has its slices, and the names of the others begin like the
 * first. Other files that are being written have IO_TEMPORARY in their names. They are of no use to a later run. */
#ifndef TREB_GEN_STORE_SCRATCH_FOLDER_H
#define TREB_GEN_STORE_SCRATCH_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/chess/material.h"
#include "trebuchet.h"

enum { SCRATCH_PATH = 4200, SUBSETS = 8 /* number of subsets of a material: see WANT_SUBSET */ };

/* What is stored of a cell that is won or lost: who wins, the distance to mate, or that at a fresh clock under the
 * 50-move rule. Files of another kind are not used. */
typedef enum StoredValues { STORED_VERDICTS, STORED_MATES, STORED_MATES50 } StoredValues;

typedef struct ScratchFolder {
    char path[4096];
    StoredValues values; /* of the files */
} ScratchFolder;

/* Sets the folder of scratch files that belongs to a folder of tables. It need not exist. */
void scratch_folder_name(ScratchFolder *folder, const char *directory, StoredValues values);

/* Creates the folder if it does not exist. TREB_ERR_IO. */
treb_status scratch_folder_make(const ScratchFolder *folder, treb_error *error);

/* Writes the path of a complete file, of sides or a subset. */
void scratch_folder_file(const ScratchFolder *folder, const Material *material, unsigned wanted,
                         char out[SCRATCH_PATH]);

/* Writes the path of the file that says how far a table is. */
void scratch_folder_saved(const ScratchFolder *folder, const Material *material,
                          char out[SCRATCH_PATH]);

/* Removes all that was saved of a table that is not complete. */
void scratch_folder_forget(const ScratchFolder *folder, const Material *material);

/* Removes the files that no run can use any more; or all files, and the folder. */
void scratch_folder_clean(const ScratchFolder *folder, bool all);

/* Removes the files of all materials for which `wanted` is false. */
typedef bool ScratchWanted(void *context, const Material *material);
void scratch_folder_keep(const ScratchFolder *folder, ScratchWanted *wanted, void *context);

/* Returns the bytes of all files in the folder. */
uint64_t scratch_folder_bytes(const ScratchFolder *folder);

#endif
