/* generate.h - making tables: what is needed, in what order, and each of them. */
#ifndef TREB_GEN_GENERATE_H
#define TREB_GEN_GENERATE_H

#include <stdatomic.h>

#include "gen/write/writer.h"

/* What a long run is doing, for whoever looks in from another thread. */
typedef struct GenerateProgress {
    _Atomic int table;          /* number in the plan */
    _Atomic int phase;          /* GENERATE_... */
    _Atomic uint64_t done, all; /* slices of the table */
    _Atomic unsigned ply;       /* of the slice being solved */
    _Atomic uint64_t cells;     /* solved in all tables so far, both sides to move */
} GenerateProgress;

enum { GENERATE_SOLVE, GENERATE_COMPRESS, GENERATE_PHASES };

typedef struct GenerateOptions {
    const char *directory;      /* must exist */
    unsigned metrics;           /* 1 << TREB_WDL ...; verdicts are always written */
    int level;                  /* of zstd; 0 for the default */
    bool wide;                  /* see EmitOptions */
    uint64_t memory;            /* bytes to stay within; 0 for no bound */
    bool keep_scratch;          /* leave the scratch files for a later run */
    const atomic_bool *stop;    /* when true the run ends early; NULL allowed */
    GenerateProgress *progress; /* NULL allowed */
} GenerateOptions;

/* One table to make. */
typedef struct GenerateStep {
    Material material;
    bool emit;        /* its files are wanted and not there */
    unsigned seniors; /* other tables of the plan need its codes: a bit for each side to move */
    uint64_t cells, memory;
} GenerateStep;

typedef struct GeneratePlan {
    GenerateStep *step;
    size_t steps;
} GeneratePlan;

/* How a step went. */
typedef struct GenerateReport {
    EmitResult result;
    double seconds[GENERATE_PHASES]; /* of wall time */
    double total;
} GenerateReport;

/* Plans all files that are missing for the given materials (canonicalised) and their juniors, in an
 * order in which each finds what it needs. */
treb_status generate_plan(const GenerateOptions *options, const Material *materials, size_t count,
                          GeneratePlan *plan, treb_error *error);
void generate_plan_free(GeneratePlan *plan);

/* Whether the files of all `metrics` are there and open without an error. */
bool generate_complete(const char *directory, const Material *material, unsigned metrics);

/* Carries out a plan, calling `report` after each step. TREB_OK also when stopped early: see
 * `*stopped`. */
typedef void GenerateReporter(void *context, size_t step, const GenerateReport *report);
treb_status generate_run(const GenerateOptions *options, const GeneratePlan *plan,
                         GenerateReporter *report, void *context, bool *stopped, treb_error *error);

#endif
