/* estimate.h - what making tables would take: for `gen --estimate`, and for advice to make some.
 * All figures that anyone is told come from here. */
#ifndef TREB_CLI_ESTIMATE_H
#define TREB_CLI_ESTIMATE_H

#include <jansson.h>

#include "gen/generate.h"

typedef struct Estimate {
    GeneratePlan plan;
    size_t tables;      /* to write, each with a file a metric */
    size_t worst;       /* the step that takes most memory */
    uint64_t positions; /* to solve */
    uint64_t memory;    /* bytes at a time */
    uint64_t result;    /* bytes of the files, roughly */
    uint64_t scratch;   /* bytes of scratch files beside them while it runs, roughly */
    double pace;        /* see estimate_pace; 0: not measured */
} Estimate;

/* What it takes to make the tables of some materials and all that they need, as far as they are not
 * in options->directory, which need not exist. To be freed if TREB_OK. Opens every file that is
 * there: some ms for a hundred tables. */
treb_status estimate_make(const GenerateOptions *options, const Material *materials, size_t count,
                          Estimate *out, treb_error *error);
void estimate_free(Estimate *estimate);

/* Measures how fast this machine makes a small ending, in a temporary folder, compared with the one whose figures
 * are known: a second or two, spent only where it would take a minute and more. Without it no time is told. */
void estimate_pace(Estimate *estimate, const GenerateOptions *options);

/* Seconds that a step takes, about, at a pace. */
double estimate_step_seconds(const GenerateStep *step, const GenerateOptions *options, double pace);

/* How they divide, at pace 1. */
typedef struct EstimateTime {
    double solve, write;
} EstimateTime;
EstimateTime estimate_step_time(const GenerateStep *step, const GenerateOptions *options);

/* Rough bytes of the files that one step of the plan writes, and of its scratch file. */
uint64_t estimate_step_result(const GenerateStep *step, const GenerateOptions *options);
uint64_t estimate_step_scratch(const GenerateStep *step, const GenerateOptions *options);

/* The part of a refusal that is about the folder: it may not be written, or has not the room. As
 * estimate_refusal, from which it differs in that memory is left aside. */
bool estimate_disk_refusal(const Estimate *estimate, const GenerateOptions *options, char *why,
                           size_t size);

/* Why this machine cannot do it, as "takes 2.1 TB of memory, and 21.6 GB may be taken"; false, with
 * nothing written, if it can. */
bool estimate_refusal(const Estimate *estimate, const GenerateOptions *options, char *why,
                      size_t size);

/* The lines and the object of `gen --estimate`. The object is NULL without memory. */
void estimate_print(const Estimate *estimate, const GenerateOptions *options);
json_t *estimate_json(const Estimate *estimate, const GenerateOptions *options);
/* Of one step, and of the whole. */
json_t *estimate_step_json(const GenerateStep *step, const GenerateOptions *options, double pace);
json_t *estimate_total_json(const Estimate *estimate, const GenerateOptions *options);

#endif
