/* job.h - making one table: carries out one step of a plan. */
#ifndef TREB_GEN_JOB_H
#define TREB_GEN_JOB_H

#include "gen/context.h"
#include "gen/report.h"

/* Makes the table of a step. The steps before it must be done. TREB_OK also if the run was stopped. */
treb_status job_run(GenContext *gen, const GenerateStep *step, GenerateReport *report,
                    treb_error *error);

#endif
