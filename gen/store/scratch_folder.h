/* scratch_folder.h - the folder of scratch files, and what their names say: which lasts, and for whom.
 *
 * "KRPvKR.dtm.solved" has the solved slices of a table, "KQRvKR-wq.dtm.solved" a cut; only what is complete is
 * called so. Of a table in the works that is saved all names have ".part": "KRPvKR.dtm.part" says how far it is,
 * "KRPvKR.dtm.solved.part" are its slices, and the others begin like the first. What else is being written has
 * IO_TEMPORARY in its name, and is of no use to a later run. */
#ifndef TREB_GEN_SCRATCH_FOLDER_H
#define TREB_GEN_SCRATCH_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/chess/material.h"
#include "trebuchet.h"

enum { SCRATCH_PATH = 4200, CUTS = 8 /* of a material: see WANT_CUT */ };

typedef struct ScratchFolder {
    char path[4096];
    bool mates; /* files have distances to mate, or else verdicts */
} ScratchFolder;

/* That of a folder of tables; it need not be there. */
void scratch_folder_name(ScratchFolder *folder, const char *directory, bool mates);

/* Makes it if need be. TREB_ERR_IO. */
treb_status scratch_folder_make(const ScratchFolder *folder, treb_error *error);

/* The path of a complete file, of sides or a cut. */
void scratch_folder_file(const ScratchFolder *folder, const Material *material, unsigned wanted,
                         char out[SCRATCH_PATH]);

/* The name of the file that says how far a table in the works is. */
void scratch_folder_saved(const ScratchFolder *folder, const Material *material, char *name,
                          size_t size);

/* Removes all that was saved of a table in the works. */
void scratch_folder_forget(const ScratchFolder *folder, const Material *material);

/* Removes what no run can use any more; or all, and the folder. */
void scratch_folder_clean(const ScratchFolder *folder, bool all);

/* Removes the files of all materials but those that are wanted. */
typedef bool ScratchWanted(void *context, const Material *material);
void scratch_folder_keep(const ScratchFolder *folder, ScratchWanted *wanted, void *context);

/* Bytes of all its files. */
uint64_t scratch_folder_bytes(const ScratchFolder *folder);

#endif
