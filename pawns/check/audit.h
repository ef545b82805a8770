/* audit.h - checks a solution, one position at a time, by the rules of chess alone.
 *
 * The audit uses nothing of the solver but the sets of its structures, which it reads as claims. In
 * each structure it sets up every position and lists its legal moves. Moves out of the structure
 * lead to claims about other structures, or to positions of which nothing is known. From these it
 * finds the wins again, as a least fixpoint, with a plain list of positions ply by ply, and
 * compares them with the claims. Moves out of a structure only lead to structures of smaller
 * potential. So if all comparisons agree all claims are true: wins that only rest on each other
 * would be found. */
#ifndef TREB_PAWNS_CHECK_AUDIT_H
#define TREB_PAWNS_CHECK_AUDIT_H

#include "pawns/blocked/blocked.h"
#include "pawns/solve/solve.h"

typedef struct AuditOptions {
    /* Called now and then with the number of positions that are done and the number of all; true
     * stops. May be NULL. */
    bool (*stop)(void *context, uint64_t done, uint64_t all);
    /* Called for each fault with the position, the claim and what the rules give. May be NULL. */
    void (*fault)(void *context, const char *text);
    void *context;
} AuditOptions;

typedef struct AuditReport {
    uint64_t structures, positions; /* checked */
    uint64_t answered;              /* those positions that an oracle answered for */
    uint64_t faults;
    uint64_t improvable; /* claims that are true but could be sharper, as more is known by now */
    bool stopped;
} AuditReport;

/* Checks the structures of a solution with GOAL_EXACT, its distances, moves and best line. Finding
 * moves and line may take in more structures first. False without memory, or if an oracle
 * failed. */
bool blocked_audit(Blocked *b, const AuditOptions *options, AuditReport *report);

/* Checks the structures of a solution, its moves and best line; its distances are not checked.
 * False without memory, or if an oracle failed. */
bool solve_audit(Solve *solve, const AuditOptions *options, AuditReport *report);

#endif
