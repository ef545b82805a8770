/* finished_codes.h - the codes that a file of a finished table has for a group of slices.
 *
 * They are kept plane by plane, as the solver reads them, but within a plane in the order of the file: so whole rows of
 * the file are copied at a time, and only the few cells of one plane are looked up by their men. */
#ifndef TREB_GEN_SOLVE_FINISHED_CODES_H
#define TREB_GEN_SOLVE_FINISHED_CODES_H

#include "core/system/memory_budget.h"
#include "gen/solve/finished_files.h"
#include "gen/solve/processes.h"
#include "gen/solve/promoted.h"
#include "gen/solve/slice_group.h"
#include "gen/solve/solved_slice.h"

typedef struct FinishedCodes {
    const struct FinishedFile *file;
    const Table *table;            /* NULL: the first of `processes` reads it for all */
    const Processes *processes;    /* NULL: this process alone */
    const SolvedSlice *slice;      /* the slices that are read; its layout is set before */
    const Promoted *promoted;      /* by side to move: the cells that are read */
    int side;                      /* that `place` is for; -1: none */
    const Index *from;             /* numbering of this side */
    bool wide;                     /* a code has two bytes */
    size_t lane, plane;            /* codes of a slice in a plane; of a plane */
    size_t stride[INDEX_AXES_MAX]; /* by axis: from a coordinate of a group to the next */
    uint32_t *place;               /* by cell of a plane: the place of its code in the plane */
    uint8_t *lane_of;              /* by slice: its lane in the group, or NO_LANE */
    uint8_t *codes;
} FinishedCodes;

/* Claims memory for codes whose other members are set. TREB_ERR_MEMORY; finished_codes_free is to be called in either
 * case. */
treb_status finished_codes_init(FinishedCodes *codes, MemoryBudget *budget, treb_error *error);
void finished_codes_free(FinishedCodes *codes); /* also allowed for a FinishedCodes of zeros */

/* Reads the codes of a group, of a side to move that the file has. All processes must call it. Returns the errors of
 * table_read_block, or TREB_ERR_MEMORY. */
treb_status finished_codes_read(FinishedCodes *codes, const SliceGroup *group, int side,
                                treb_error *error);

/* Writes the codes of those cells of a word that are `wanted`, at least one; for others perhaps anything. */
void finished_codes_word(const FinishedCodes *codes, uint32_t kings, size_t w, uint64_t wanted,
                         uint16_t out[64]);

/* Bytes that they claim, with codes of `width` bytes. */
uint64_t finished_codes_memory(const Layout *layout, unsigned width);

#endif
