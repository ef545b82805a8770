/* compare.h - two sets of tables, position by position.
 *
 * What is compared is what the library answers, not what stands in cells: those that a capture or
 * a pawn move makes meaningless, and sides to move that are not stored, differ between files that
 * say the same. Every legal position of a material is looked at once for all metrics, in the order
 * of cells, up to the symmetries of the board, and with every en passant capture that can be. Where
 * both sides have the same men White is to move: Black to move is the same position. */
#ifndef TREB_COMPARE_COMPARE_H
#define TREB_COMPARE_COMPARE_H

#include "core/chess/material.h"

/* One of the two: a folder of tables, or the folder of one file. */
typedef struct CompareSet {
    treb_tables *tables;
    bool file; /* one file alone is to be compared: of this material and metric */
    Material material;
    treb_metric metric;
} CompareSet;

/* `path` is a folder, or a file, which the others of its folder help to understand: the verdicts
 * for its distances, and what captures lead to. Where a material's file is there in both formats
 * ours counts, or, beside a file, that of its format. TREB_ERR_ARGUMENT if it is no such thing. */
treb_status compare_open(CompareSet *set, const char *path, treb_error *error);
void compare_close(CompareSet *set);

/* The metrics that a set has of a material, as bits 1 << metric: none without verdicts. `material`
 * is canonical. */
unsigned compare_metrics(const CompareSet *set, const Material *material);

/* Whether the file of a metric can be opened; what it lacks is in *error. */
treb_status compare_check(const CompareSet *set, const Material *material, treb_metric metric,
                          treb_error *error);

/* The canonical materials of a set, in the order of men and names; those with too little to mate,
 * which the library answers without tables, left out. The caller frees them. NULL: none, with
 * *count 0, or out of memory. */
Material *compare_materials(const CompareSet *set, size_t *count);

enum { COMPARE_SHOWN_MAX = 1000 };

/* What one set answers. */
typedef struct CompareValue {
    treb_status status; /* why there is no answer; then `text` says it, too */
    treb_distance distance;
    char *text; /* NULL if there is an answer, or out of memory */
} CompareValue;

typedef struct CompareCase {
    uint64_t key; /* in the order of positions */
    char fen[TREB_FEN_SIZE];
    CompareValue value[2];
} CompareCase;

/* Counts of one metric. Distances are compared with their verdicts. */
typedef struct CompareCount {
    uint64_t equal;
    uint64_t rounded; /* not known to be equal, but not different: as a Syzygy file rounds */
    uint64_t different;
    uint64_t unknown;   /* one of the sets has no answer, or both have none */
    CompareCase *shown; /* the first of the last two kinds */
    size_t shown_count;
} CompareCount;

typedef struct CompareResult {
    uint64_t positions, en_passant; /* in all, and of them with an en passant capture */
    CompareCount count[TREB_METRICS];
} CompareResult;

/* Called now and then; false ends the comparison. */
typedef bool (*CompareProgress)(void *context, uint64_t done, uint64_t total);

typedef struct CompareOptions {
    unsigned threads; /* 0: as OpenMP likes */
    uint64_t memory;  /* bytes for unpacked tables and notes; of little, more is taken */
    unsigned shown;   /* at most so many differences are kept for each metric */
    CompareProgress progress;
    void *context;
} CompareOptions;

/* Compares a material by the given metrics, which both sets must have. `result` is filled as far
 * as it came even if the status, for want of memory, is not TREB_OK; compare_result_free frees
 * it. */
treb_status compare_material(const CompareSet *a, const CompareSet *b, const Material *material,
                             unsigned metrics, const CompareOptions *options, CompareResult *result,
                             treb_error *error);
void compare_result_free(CompareResult *result);

#endif
