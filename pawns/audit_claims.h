/* audit_claims.h - what is claimed of a position: the part of an audit that reads families. */
#ifndef TREB_BLOCKED_AUDIT_CLAIMS_H
#define TREB_BLOCKED_AUDIT_CLAIMS_H

#include "pawns/audit.h"

/* The families by pawns and pieces. */
typedef struct AuditMap {
    bool retakes; /* promoted pieces that can be taken at once have been looked at */
    Family **slot;
    size_t slots; /* a power of two */
    bool failed;  /* an oracle could not answer */
} AuditMap;

/* Whether each player wins, at SURE and MAYBE: of an unknown position neither and both. */
typedef struct AuditClaim {
    bool won[2][2]; /* by level and winner */
} AuditClaim;

bool audit_map_init(AuditMap *map, const Lattice *lattice);
void audit_map_free(AuditMap *map);

/* Of a position without its right to take en passant, and with it. */
AuditClaim audit_claim_plain(AuditMap *map, const treb_position *pos);
AuditClaim audit_claim(AuditMap *map, const treb_position *pos);

/* Sets up the position of a cell. False if it is none. */
bool audit_place(const Family *f, Cell cell, int side, treb_position *pos);

/* Whether the men of a family are in the order that cells have: an audit relies on it. */
bool audit_ordered(const Family *f);

#endif
