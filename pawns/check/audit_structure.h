/* audit_structure.h - checks all positions of one structure. */
#ifndef TREB_PAWNS_CHECK_AUDIT_STRUCTURE_H
#define TREB_PAWNS_CHECK_AUDIT_STRUCTURE_H

#include "pawns/check/audit_run.h"

/* Distances found again, by level (SURE, MAYBE), winner, side to move and cell; DISTANCE_NONE where
 * there is none. */
typedef struct AuditPlies {
    uint16_t *plies[2][2][2];
} AuditPlies;

/* Number of positions of a structure to check. */
uint64_t audit_structure_positions(const Structure *f);

/* Checks a structure. Writes the distances to `plies` unless that is NULL. False without memory. */
bool audit_structure(AuditRun *run, const Structure *f, const AuditPlies *plies);

/* Checks a structure with an oracle: the cells that the oracle was asked for. False if the oracle
 * cannot answer. */
bool audit_answers(AuditRun *run, const Structure *f);

#endif
