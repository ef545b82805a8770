/* audit_run.h - the state of an audit, and how it reports faults. */
#ifndef TREB_PAWNS_CHECK_AUDIT_RUN_H
#define TREB_PAWNS_CHECK_AUDIT_RUN_H

#include "core/system/error.h"
#include "pawns/check/audit.h"
#include "pawns/check/audit_claims.h"

typedef struct AuditRun {
    const ProofGraph *graph;
    Blocked *b; /* the solution with distances; NULL in solve_audit() */
    AuditMap map;
    const AuditOptions *options;
    AuditReport *report;
    uint64_t all; /* number of positions to check */
} AuditRun;

/* Reports a fault: a position and what is wrong. */
void audit_fault(AuditRun *run, const treb_position *pos, const char *format, ...)
    PRINTF_LIKE(3, 4);

#endif
