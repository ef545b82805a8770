/* stats_scan.h - how the distances of an ending are spread, by probing its positions. */
#ifndef TREB_CLI_STATS_SCAN_H
#define TREB_CLI_STATS_SCAN_H

#include "index.h"

enum { SCAN_PLIES = 4096 };

typedef struct ScanRequest {
    const treb_tables *tables;
    Index index; /* of the table, so that its blocks are read one after another */
    treb_metric metric;
    uint64_t width; /* one cell is looked at of so many; 1: all */
    unsigned threads;
    bool progress; /* draw it on stderr */
} ScanRequest;

/* Positions of the full board, like men told apart no more than the table does, en passant left
 * out. Wins of both sides to move together. */
typedef struct ScanResult {
    uint64_t positions;             /* legal, of either side to move */
    uint64_t looked_at;             /* probes made: symmetric positions once */
    uint64_t wins[2];               /* by winner */
    uint64_t plies[2][SCAN_PLIES];  /* by winner and distance */
    uint64_t cursed[2][SCAN_PLIES]; /* those of them that the 50-move rule makes draws */
} ScanResult;

/* TREB_OK or the first failure met. The outcome does not depend on the number of threads. */
treb_status stats_scan(const ScanRequest *request, ScanResult *result, treb_error *error);

#endif
