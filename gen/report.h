/* report.h - how the making of a table went. */
#ifndef TREB_GEN_REPORT_H
#define TREB_GEN_REPORT_H

#include "gen/plan.h"

typedef struct GenerateReport {
    WriteResult result;
    double seconds[GENERATE_PHASES]; /* wall time by phase */
    double total;                    /* wall time */
    bool resumed;                    /* the run has resumed from what an earlier run saved */
    /* Only if processes solved the table together: */
    ProcessTraffic traffic; /* of all of them while they solved it */
    ProcessTraffic writing; /* of all of them while they wrote its files together */
    uint64_t sets;          /* bytes of the sets of positions in the process that has most */
    /* Bytes that the largest process has taken: until the table was solved, and until its files were written. */
    uint64_t largest[2];
} GenerateReport;

static inline double generate_writing(const GenerateReport *report)
{
    return report->seconds[GENERATE_COLLECT] + report->seconds[GENERATE_FINISH];
}

/* Adds what the processes sent to solve a table, or to write its files if they did so together. Collective. */
void report_solving(GenerateReport *report, const Layout *layout, const Processes *processes);
void report_writing(GenerateReport *report, const Layout *layout, const Processes *processes);

#endif
