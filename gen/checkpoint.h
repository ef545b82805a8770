/* checkpoint.h - saving a table while it is made, so that a later run can resume.
 *
 * A table that takes long is saved every few minutes: between two groups of slices and, if slices are large, between
 * two plies. A file says how far the table is; the store, the sink and the logs of the solver have files of their own
 * beside it, which are named in it.
 *
 * If several processes solve the table, each saves its own part. They save together, because a state is of use only if
 * all processes have it. One process may have saved once more than another when all of them are killed: so each keeps
 * its last two states, and they resume from the last one that all have. */
#ifndef TREB_GEN_CHECKPOINT_H
#define TREB_GEN_CHECKPOINT_H

#include "gen/table_job.h"

/* Prepares the checkpoint of a job: whether the table is saved, where, and how often. */
treb_status checkpoint_init(TableJob *job, treb_error *error);

/* The saver for the solvers; NULL: they are not saved. */
const SolverSaver *checkpoint_saver(const TableJob *job);

/* Saves the groups before job->first. */
treb_status checkpoint_save(TableJob *job, treb_error *error);

/* Does so if the table is saved and enough time has passed. Collective. */
treb_status checkpoint_save_if_due(TableJob *job, treb_error *error);

/* To be called before a solver overwrites its log: saves if what was saved refers to it. */
treb_status checkpoint_release_log(TableJob *job, treb_error *error);

/* Opens the sink and the store's table from what an earlier run has saved. Returns false, with neither open, if there
 * is nothing that can be used. Collective. */
bool checkpoint_resume(TableJob *job);

#endif
