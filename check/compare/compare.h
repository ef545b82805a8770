/* compare.h - compares two sets of tables position by position.
 *
 * It compares the answers of the library, not the contents of cells. Two files that give the same
 * answers may differ in cells that a capture or pawn move makes meaningless, and in the sides to
 * move that they store. Every legal position of a material is compared once for all metrics, in the
 * order of cells, up to the symmetries of the board, and with every possible capture en passant. If
 * both sides have the same men, only White to move is compared: Black to move is the same position
 * with colors exchanged.
 *
 * DTM50 is compared with every clock for the sides to move that one of the sets stores, otherwise with a
 * clock of 0: those values follow from the others. A position counts once. If its values differ, the
 * lowest clock is shown with which they do. */
#ifndef TREB_CHECK_COMPARE_COMPARE_H
#define TREB_CHECK_COMPARE_COMPARE_H

#include "core/chess/material.h"

/* One of the two sets: a folder of tables, or the folder of a single file. */
typedef struct CompareSet {
    treb_tables *tables;
    bool file; /* only one file is compared: that of this material and metric */
    Material material;
    treb_metric metric;
} CompareSet;

/* Opens a set. `path` is a folder or a file. The other files in the folder of a file are used as
 * well: the verdicts that its distances need, and the tables that captures lead to. If a folder has
 * a material's file in both formats, Trebuchet's is used; next to a single file, the files of its
 * format. Returns TREB_ERR_ARGUMENT if `path` is not named like a table. */
treb_status compare_open(CompareSet *set, const char *path, treb_error *error);
void compare_close(CompareSet *set);

/* Returns the metrics that a set has for a material, as bits 1 << metric; 0 if there is no verdict
 * file. `material` must be canonical. */
unsigned compare_metrics(const CompareSet *set, const Material *material);

/* Checks that the file of a metric can be opened. If not, *error says what is wrong. */
treb_status compare_check(const CompareSet *set, const Material *material, treb_metric metric,
                          treb_error *error);

/* Returns the canonical materials of a set, ordered by the number of men and by name. Materials
 * that are too weak to mate are left out, as the library answers them without tables. The caller
 * frees the list. Returns NULL if out of memory; *count is then 0. */
Material *compare_materials(const CompareSet *set, size_t *count);

enum { COMPARE_SHOWN_MAX = 1000 };

/* The answer of one set. */
typedef struct CompareValue {
    treb_status status; /* TREB_OK, or why there is no answer; then `text` is the message */
    treb_distance distance;
    char *text; /* NULL if there is an answer, or if out of memory */
} CompareValue;

typedef struct CompareCase {
    uint64_t key; /* sorts the positions in the order in which they are compared */
    char fen[TREB_FEN_SIZE];
    CompareValue value[2];
} CompareCase;

/* Counts of one metric. Distances are compared together with their verdicts. */
typedef struct CompareCount {
    uint64_t equal;
    uint64_t rounded; /* may be equal, because a Syzygy file rounds a distance */
    uint64_t different;
    uint64_t unknown;   /* one set or both have no answer */
    CompareCase *shown; /* the first positions that are different or unknown */
    size_t shown_count;
} CompareCount;

typedef struct CompareResult {
    uint64_t positions,
        en_passant; /* number of positions, and how many of them have a capture en passant */
    CompareCount count[TREB_DTM50 + 1]; /* by metric */
} CompareResult;

/* Called now and then. Returns false to end the comparison. */
typedef bool (*CompareProgress)(void *context, uint64_t done, uint64_t total);

typedef struct CompareOptions {
    unsigned threads; /* 0: the number that OpenMP chooses */
    uint64_t memory;  /* bytes for unpacked tables and notes; if it is very small, more is used */
    unsigned shown;   /* maximum number of differences to keep for each metric */
    CompareProgress progress;
    void *context;
} CompareOptions;

/* Compares a material by the given metrics, which both sets must have. Returns TREB_ERR_MEMORY if
 * out of memory; `result` then has the counts up to that point. compare_result_free frees the
 * result in either case. */
treb_status compare_material(const CompareSet *a, const CompareSet *b, const Material *material,
                             unsigned metrics, const CompareOptions *options, CompareResult *result,
                             treb_error *error);
void compare_result_free(CompareResult *result);

#endif
