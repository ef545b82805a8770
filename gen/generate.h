/* generate.h - making tables: a plan (plan.h) carried out. */
#ifndef TREB_GEN_GENERATE_H
#define TREB_GEN_GENERATE_H

#include "gen/plan.h"

/* How a step went. */
typedef struct GenerateReport {
    WriteResult result;
    double seconds[GENERATE_PHASES]; /* of wall time */
    double total;
    bool resumed; /* from where an earlier run was */
    /* Of a table that ranks solved together: what all of them sent, and the most in a ply by one; how long all waited;
     * the same while they wrote its files together; and in bytes the sets of the largest share, and what the largest process
     * has taken by the time that all was solved, and written. */
    RankTraffic traffic, writing;
    uint64_t sets, largest[2];
} GenerateReport;

static inline double generate_writing(const GenerateReport *report)
{
    return report->seconds[GENERATE_COLLECT] + report->seconds[GENERATE_FINISH];
}

/* Whether a step has nothing left to do: its slices are in a scratch file of an earlier run. */
bool generate_solved_before(const GenerateStep *step, const GenerateOptions *options);

/* Whether a table is large enough to be saved while it is made: every few minutes, for a later run to go on
 * from if this one is cut short. */
bool generate_saved(const GenerateStep *step, const GenerateOptions *options);

/* Bytes of the scratch files of a folder that have a name. */
uint64_t generate_scratch(const GenerateOptions *options);

/* Removes a rank's own folder, once scratch files are all that is in it; unless somebody is making tables there. */
void generate_drop_scratch(const char *directory, bool mates);

/* Carries out a plan, calling `report` after each step. Ranks (options->ranks) do that together, with one plan: the
 * first writes the files, and each has a folder of its own for the rest (options->scratch or, but for the first,
 * options->directory). Of steps that are divided each solves a part; others it solves alone as far as it needs
 * them. A rank that cannot go on is to end the job. TREB_OK also when stopped early: see
 * `*stopped`. Refused before it starts, with TREB_ERR_MEMORY, if it does not fit into the memory
 * allowed, and with TREB_ERR_IO, if another run writes to the folder. While it runs OpenMP has a
 * single level of threads.
 *
 * Runs with options->only and options->shared, of one and the same list of materials and with the same scratch folder, share the folder:
 * each makes its table, waits for those that another is making, takes what others have solved, and leaves what missing
 * tables of the list will want. */
typedef void GenerateReporter(void *context, size_t step, const GenerateReport *report);
treb_status generate_run(const GenerateOptions *options, const GeneratePlan *plan,
                         GenerateReporter *report, void *context, bool *stopped, treb_error *error);

#endif
