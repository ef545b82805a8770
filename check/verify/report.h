/* report.h - collects the errors of a check and the progress of its threads. Private to
 * check/verify/. */
#ifndef TREB_CHECK_VERIFY_REPORT_H
#define TREB_CHECK_VERIFY_REPORT_H

#include "check/verify/value.h"
#include "core/system/error.h"

/* Returns the number of threads to run. */
int verify_threads(const VerifyOptions *options);

/* What all threads of a check share. */
typedef struct VerifyReport {
    const VerifyOptions *options;
    VerifyResult *result;
    treb_status status; /* other than TREB_OK: why the check stopped */
    uint64_t key; /* key of the error in result->text: the error with the smallest key is kept */
    const char *phase;
    uint64_t done, total;
    atomic_bool stop;
} VerifyReport;

void verify_report_phase(VerifyReport *report, const char *phase, uint64_t total);

/* Adds `done` units of work and calls the progress callback. Thread-safe. */
void verify_report_progress(VerifyReport *report, uint64_t done);

/* Key of an error that belongs to no position: larger than the keys of positions. */
#define VERIFY_KEY_LAST UINT64_MAX

/* Writes a value as text: "win in 13 or 14 plies". */
enum { VERIFY_VALUE_TEXT_SIZE = 64 };
void verify_value_text(unsigned verdict, unsigned plies, unsigned ply,
                       char out[VERIFY_VALUE_TEXT_SIZE]);
const char *verify_verdict_text(unsigned verdict);

/* Stops the check and keeps the reason. Thread-safe. */
void verify_report_fail(VerifyReport *report, const treb_error *error);
void verify_report_no_memory(VerifyReport *report);

/* Stops the check because it needs so many bytes, which is more than the options allow. */
void verify_report_need(VerifyReport *report, uint64_t bytes);

/* Counts an error. The text of the error with the smallest key is kept. Thread-safe. */
#if defined(__GNUC__)
PRINTF_LIKE(3, 4)
#endif
void verify_report_error(VerifyReport *report, uint64_t key, const char *words, ...);

/* A position to judge: what its tables claim and what its moves result in. */
typedef struct VerifyCase {
    const treb_position *pos;
    uint64_t key;
    VerifyValue claim;
    const VerifyMoveSummary *summary;
    /* DTZ as a Syzygy file states it, for the message; VERIFY_NONE: the claimed DTZ */
    unsigned stated_dtz;
    unsigned compare; /* bits of the metrics whose claim is compared */
    unsigned known;   /* bits of the metrics that the summary knows */
} VerifyCase;

void verify_judge(VerifyReport *report, const VerifyCase *c);

#endif
