/* statistics.h - counts the positions of solved slices: verdicts, distances and longest lines. */
#ifndef TREB_GEN_WRITE_STATISTICS_H
#define TREB_GEN_WRITE_STATISTICS_H

#include "core/format/table.h"
#include "gen/solve/plane.h"
#include "gen/solve/processes.h"

typedef struct TableStatistics {
    uint64_t count
        [2]
        [WDL_VALUES]; /* by side to move; each order of like men counts until statistics_finish */
    uint32_t longest[TREB_METRICS][2][WDL_VALUES];
    uint64_t where[TREB_METRICS][2]
                  [WDL_VALUES]; /* number of the slice with the position of `fen` */
    char fen[TREB_METRICS][2][WDL_VALUES]
            [TABLE_FEN_SIZE]; /* the first position with the longest distance */
} TableStatistics;

/* Number of positions by metric, side to move, verdict and plies. */
typedef struct Histograms {
    uint64_t of[TREB_METRICS][2][WDL_VALUES][PLIES_MOST + 1];
} Histograms;

/* What is counted plane by plane: wins and losses that the 50-move rule turns into draws.
 * plane_statistics_new sets *planes to NULL if the slice has none. It returns false if out of
 * memory. */
typedef struct PlaneStatistics PlaneStatistics;
bool plane_statistics_new(const SolvedSlice *slice, PlaneStatistics **planes);
void plane_statistics_free(PlaneStatistics *planes);

/* Counts a plane of a side to move, with all distances that files need. Called by the threads of
 * one team; each plane must come once. */
void statistics_add_plane(PlaneStatistics *planes, const Plane *plane, int side, uint32_t kings);

/* Adds up what all processes have counted. `planes` may be NULL. Collective. */
void plane_statistics_sum(PlaneStatistics *planes, const Processes *processes);

/* Adds a slice. The result does not depend on the order of slices, which may come from several
 * threads. With processes, each of which has some planes, it is collective. Returns
 * TREB_ERR_MEMORY or TREB_ERR_IO on failure. */
treb_status statistics_add_slice(TableStatistics *statistics, Histograms *histograms,
                                 uint64_t number, const SolvedSlice *slice,
                                 const PlaneStatistics *planes, MemoryBudget *budget,
                                 const Processes *processes, treb_error *error);

/* Writes the FEN of a cell of a plane, with a clock. */
void statistics_fen(const SolvedSlice *slice, int side, uint32_t kings, size_t cell, unsigned clock,
                    char out[TABLE_FEN_SIZE]);

/* Turns the counts into counts of positions, where like men are not distinguished. */
void statistics_finish(TableStatistics *statistics, Histograms *histograms, const Layout *layout);

#endif
