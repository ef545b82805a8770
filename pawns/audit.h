/* audit.h - checks what has been solved, one position at a time, by the rules alone.
 *
 * Nothing of the solver is used: no edges, no sets moved as a whole, no games. Read are only the
 * families' sets, as claims. For each family every position is set up and its legal moves are
 * listed; those that leave the family lead to claims about other families, or to nothing known.
 * From this the least fixpoint is found anew by a plain list of positions ply by ply, and must be
 * what is claimed. As moves out of a family only ever lead to families of less potential, claims
 * that agree everywhere are all true: a circle of wins that hold each other up is found, too. */
#ifndef TREB_BLOCKED_AUDIT_H
#define TREB_BLOCKED_AUDIT_H

#include "pawns/blocked.h"
#include "pawns/solve.h"

typedef struct AuditOptions {
    /* Told now and then how many of all positions are done; true to stop. May be NULL. */
    bool (*stop)(void *context, uint64_t done, uint64_t all);
    /* Told of each fault: the position, what is claimed, and what the rules give. May be NULL. */
    void (*fault)(void *context, const char *text);
    void *context;
} AuditOptions;

typedef struct AuditReport {
    uint64_t families, positions; /* looked at */
    uint64_t answered;            /* of the positions, those that the oracle answers for */
    uint64_t faults;
    uint64_t loose; /* claims that are true but could be closer, as more has come to be known */
    bool stopped;
} AuditReport;

/* Checks the families of an exact solution, the ranks, the moves and the best line; the last two
 * may take in families first. False without memory, or if an oracle failed. */
bool blocked_audit(Blocked *b, const AuditOptions *options, AuditReport *report);

/* The same of any position that was solved, which has no ranks. */
bool solve_audit(Solve *solve, const AuditOptions *options, AuditReport *report);

#endif
