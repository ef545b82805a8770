/* tally.h - counting a solved slice: verdicts, distances and longest lines. */
#ifndef TREB_GEN_WRITE_STATISTICS_H
#define TREB_GEN_WRITE_STATISTICS_H

#include "core/format/table.h"
#include "gen/solve/plane.h"
#include "gen/solve/processes.h"

typedef struct TableStatistics {
    uint64_t count[2][WDL_VALUES]; /* by side to move, like men one by one: see statistics_finish */
    uint32_t longest[TREB_METRICS][2][WDL_VALUES];
    uint64_t where[TREB_METRICS][2][WDL_VALUES]; /* the slice of that position */
    char fen[TREB_METRICS][2][WDL_VALUES]
            [TABLE_FEN_SIZE]; /* a longest position: the first of the first slice */
} TableStatistics;

/* Positions by metric, side to move, verdict and plies. */
typedef struct Histograms {
    uint64_t of[TREB_METRICS][2][WDL_VALUES][PLIES_MOST + 1];
} Histograms;

/* What is counted plane by plane, where the 50-move rule spoils wins: NULL where it does not. False: out
 * of memory. */
typedef struct PlaneStatistics PlaneStatistics;
bool plane_statistics_new(const SolvedSlice *slice, PlaneStatistics **planes);
void plane_statistics_free(PlaneStatistics *planes);

/* Takes a plane of a side, with the distances that are wanted; from the threads of one team. Each plane
 * must come once. */
void statistics_add_plane(PlaneStatistics *planes, const Plane *plane, int side, uint32_t kings);

/* What all processes have counted of their planes, together; planes may be NULL. */
void plane_statistics_sum(PlaneStatistics *planes, const Processes *processes);

/* Adds the slice of number `number`; with processes, of which each has some planes, all do so together. The outcome does not depend on the order of slices; slices may
 * come from several threads. TREB_ERR_MEMORY, TREB_ERR_IO. */
treb_status statistics_add_slice(TableStatistics *statistics, Histograms *histograms, uint64_t number, const SolvedSlice *slice,
                        const PlaneStatistics *planes, MemoryBudget *budget, const Processes *processes,
                        treb_error *error);

/* Brings counts to positions of the full board, like men not told apart. */
void statistics_finish(TableStatistics *statistics, Histograms *histograms, const Layout *layout);

#endif
