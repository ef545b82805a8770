/* audit_run.h - an audit under way, and how it reports faults. */
#ifndef TREB_BLOCKED_AUDIT_RUN_H
#define TREB_BLOCKED_AUDIT_RUN_H

#include "pawns/audit_claims.h"

typedef struct AuditRun {
    const Lattice *lattice;
    Blocked *b; /* NULL: what was solved has no ranks */
    AuditMap map;
    const AuditOptions *options;
    AuditReport *report;
    uint64_t all; /* positions to look at */
} AuditRun;

/* Reports a fault: a position and what is wrong. */
void audit_fault(AuditRun *run, const treb_position *pos, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
