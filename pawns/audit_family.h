/* audit_family.h - checks all positions of one family. */
#ifndef TREB_BLOCKED_AUDIT_FAMILY_H
#define TREB_BLOCKED_AUDIT_FAMILY_H

#include "pawns/audit_run.h"

/* Ranks found anew, by level, winner, side to move and cell; RANK_NONE where there is none. */
typedef struct AuditRanks {
    uint16_t *rank[2][2][2];
} AuditRanks;

/* How many positions a family has to look at. */
uint64_t audit_family_positions(const Family *f);

/* Checks a family; writes the ranks unless NULL. False without memory. */
bool audit_family(AuditRun *run, const Family *f, const AuditRanks *ranks);

/* Checks a family whose values come from the oracle: those that it was asked for. */
bool audit_answers(AuditRun *run, const Family *f);

#endif
