/* report.h - the errors of a check, and the progress of its threads. Private to check/verify/. */
#ifndef TREB_CHECK_VERIFY_REPORT_H
#define TREB_CHECK_VERIFY_REPORT_H

#include "check/verify/value.h"

/* How many threads to run. */
int verify_threads(const VerifyOptions *options);

/* What the threads of a check have in common. */
typedef struct VerifyReport {
    const VerifyOptions *options;
    VerifyResult *result;
    treb_status status; /* not TREB_OK: stop */
    uint64_t key;       /* of the error in result->text: the least one stays */
    const char *phase;
    uint64_t done, total;
    atomic_bool stop;
} VerifyReport;

void verify_report_phase(VerifyReport *report, const char *phase, uint64_t total);

/* Adds work done and tells of it. Thread-safe. */
void verify_report_progress(VerifyReport *report, uint64_t done);

/* For an error in no position: behind those. */
#define VERIFY_KEY_LAST UINT64_MAX

/* "win in 13 or 14 plies". */
enum { VERIFY_WORDS = 64 };
void verify_value_text(unsigned verdict, unsigned plies, unsigned ply, char out[VERIFY_WORDS]);
const char *verify_verdict_text(unsigned verdict);

/* Keeps why the check cannot go on. Thread-safe. */
void verify_report_fail(VerifyReport *report, const treb_error *error);
void verify_report_no_memory(VerifyReport *report);

/* Counts an error; `key` orders them. Thread-safe. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void verify_report_error(VerifyReport *report, uint64_t key, const char *words, ...);

/* A position under judgement: what its table claims and what its moves come to. */
typedef struct VerifyCase {
    const treb_position *pos;
    uint64_t key;
    VerifyValue claim;
    const VerifyTally *tally;
    unsigned said;    /* of a Syzygy file: DTZ as it stands there; VERIFY_NONE: as claimed */
    unsigned compare; /* metrics whose claim is to be compared */
    unsigned known;   /* metrics that the children's values have */
} VerifyCase;

void verify_judge(VerifyReport *report, const VerifyCase *c);

#endif
