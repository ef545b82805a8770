/* estimate.h - estimates of the memory, disk space and time that making tables takes, for
 * `gen --estimate`, `plan` and the advice about missing tables. */
#ifndef TREB_CLI_ESTIMATE_H
#define TREB_CLI_ESTIMATE_H

#include <jansson.h>

#include "gen/generate.h"

typedef struct Estimate {
    GeneratePlan plan;
    size_t tables;      /* number of tables to write, each with one file per metric */
    size_t worst;       /* index of the step that needs most memory */
    size_t read;        /* number of tables that are there, from whose files others get what they need */
    uint64_t positions; /* number of positions to solve */
    uint64_t memory;    /* bytes of memory needed at the same time */
    uint64_t result;    /* approximate bytes of the files */
    uint64_t scratch;   /* approximate bytes of the scratch files that exist while it runs */
    double pace;        /* see estimate_pace; 0: not measured */
} Estimate;

/* Estimates what it takes to make the tables of some materials and all tables that they need, except
 * those that exist in options->directory. That folder may be missing. The caller frees the estimate if
 * the result is TREB_OK. Opens every file in the folder, which takes some ms for a hundred tables. */
treb_status estimate_make(const GenerateOptions *options, const Material *materials, size_t count,
                          Estimate *out, treb_error *error);
void estimate_free(Estimate *estimate);

/* Measures how fast this machine makes a small ending in a temporary folder, relative to the machine on
 * which the constants of estimate.c were measured. This takes a second or two, so it is done only if the
 * tables take more than a minute. pace is 0 if that fails; then no time is printed. */
void estimate_pace(Estimate *estimate, const GenerateOptions *options);

/* Returns the approximate seconds that a step takes at a pace. */
double estimate_step_seconds(const GenerateStep *step, const GenerateOptions *options, double pace);

/* The seconds for solving and for writing at pace 1. */
typedef struct EstimateTime {
    double solve, write;
} EstimateTime;
EstimateTime estimate_step_time(const GenerateStep *step, const GenerateOptions *options);

/* Return the approximate bytes of the files that a step writes, and of its scratch file. */
uint64_t estimate_step_result(const GenerateStep *step, const GenerateOptions *options);
uint64_t estimate_step_scratch(const GenerateStep *step, const GenerateOptions *options);

/* Returns true and writes the reason if the folder is not writable or the disk has too little space.
 * Memory does not count here; otherwise like estimate_refusal. */
bool estimate_disk_refusal(const Estimate *estimate, const GenerateOptions *options, char *why,
                           size_t size);

/* If this machine cannot make the tables, writes the reason, as "takes 2.1 TB of memory, and 21.6 GB are
 * free", and returns true. */
bool estimate_refusal(const Estimate *estimate, const GenerateOptions *options, char *why,
                      size_t size);

/* Print the lines of `gen --estimate`, and return its JSON object (NULL without memory). */
void estimate_print(const Estimate *estimate, const GenerateOptions *options);
json_t *estimate_json(const Estimate *estimate, const GenerateOptions *options);
/* Return the JSON objects for one step and for the total. */
json_t *estimate_step_json(const GenerateStep *step, const GenerateOptions *options, double pace);
json_t *estimate_total_json(const Estimate *estimate, const GenerateOptions *options);

#endif
