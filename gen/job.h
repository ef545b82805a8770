/* job.h - the work on one table: its slices in order, into the store and into files; saved while it is made,
 * if it is large. */
#ifndef TREB_GEN_JOB_H
#define TREB_GEN_JOB_H

#include "gen/generate.h"
#include "gen/works.h"

/* Carries out one step of a plan. What went before it must be there. */
treb_status job_run(Works *works, const GenerateStep *step, GenerateReport *report,
                    treb_error *error);

#endif
