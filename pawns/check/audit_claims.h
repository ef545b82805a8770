/* audit_claims.h - what a solution claims about a position: the part of an audit that reads
 * structures. */
#ifndef TREB_PAWNS_CHECK_AUDIT_CLAIMS_H
#define TREB_PAWNS_CHECK_AUDIT_CLAIMS_H

#include "pawns/solve/proof_graph.h"

/* The structures by pawns and pieces: a hash table. */
typedef struct AuditMap {
    bool recaptures; /* the solver considered recaptures of promoted pieces */
    Structure **slot;
    size_t slots; /* a power of two */
    bool failed;  /* an oracle could not answer */
} AuditMap;

/* Whether each side wins, surely and maybe. For an unknown position neither side wins surely, and
 * both maybe. */
typedef struct AuditClaim {
    bool won[2][2]; /* by level (SURE, MAYBE) and winner */
} AuditClaim;

bool audit_map_init(AuditMap *map, const ProofGraph *graph);
void audit_map_free(AuditMap *map);

/* The claim about a position, captures en passant left out. */
AuditClaim audit_claim_plain(AuditMap *map, const treb_position *pos);

/* The claim about a position, captures en passant included. */
AuditClaim audit_claim(AuditMap *map, const treb_position *pos);

/* Sets up the position of a cell. False if it is not legal. */
bool audit_place(const Structure *f, Cell cell, int side, treb_position *pos);

/* Whether the pieces of a structure are in the order of cells_sort(), which the audit relies on. */
bool audit_ordered(const Structure *f);

#endif
