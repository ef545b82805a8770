/* verify.h - checks tables against the rules of chess alone.
 *
 * For every legal position of a table, each metric must follow from the children of the position,
 * which the plain move generator finds. This proves the values. A distance d rests on a child whose
 * distance is one less, or on a conversion into another table, down to mate at 0. By induction on
 * d, every win and loss is right and has the right length. The other positions, the draws, have no
 * winning move, and have a drawing move or are stalemate; so neither side can leave the draws.
 * Tables of fewer men are assumed to be right: verify them as well. Nothing here is shared with the
 * solver.
 *
 * Syzygy files are proved in the same way. Where a file says that a distance is n or n + 1 plies, a
 * full check finds out which: with all shorter distances known, it is n if the moves result in n,
 * otherwise n + 1. Then every position has one distance, and all are judged like those of
 * Trebuchet's tables. The proof does not depend on how the distances were found. A sample only
 * checks that the file and the moves allow a common distance. */
#ifndef TREB_CHECK_VERIFY_VERIFY_H
#define TREB_CHECK_VERIFY_VERIFY_H

#include "core/format/table.h"

enum { VERIFY_TEXT_SIZE = 512 };

/* Called now and then with the amount of work done and the total amount of work of a phase, never
 * by two threads at once. If it returns false, the verification ends with TREB_ERR_ARGUMENT. */
typedef bool (*VerifyProgress)(void *context, const char *phase, uint64_t done, uint64_t total);

typedef struct VerifyOptions {
    const char *const *dirs; /* searched in this order for each file */
    size_t dirs_count;
    /* check the .rtbw and .rtbz file of the material, not Trebuchet's files. Other files that
     * are needed may be of either kind */
    bool syzygy;
    bool full; /* check every position and the counts; otherwise a sample */
    double
        share; /* part of the positions in a sample, 0 to 1; 0 for about 65000 cells of each side */
    unsigned threads; /* 0: the number that OpenMP chooses */
    uint64_t memory; /* maximum number of bytes; 0 for 12 GiB. A full check that needs more fails */
    /* Folder of the scratch file that a full check uses if memory is short; NULL: the folder of the
     * table. The file has no name, and the system deletes it when the process ends. */
    const char *scratch;
    VerifyProgress progress; /* may be NULL */
    void *context;           /* passed to progress */
} VerifyOptions;

typedef struct VerifyResult {
    /* number of legal positions checked, of both sides to move, symmetric ones once */
    uint64_t positions;
    uint64_t blocks; /* number of blocks in Trebuchet's files; the checksums of all were compared */
    uint64_t errors; /* number of errors; 0: everything that was checked is right */
    unsigned metrics; /* bits 1 << TREB_WDL and so on: the files that were found and checked */
    /* there was no distance table: the verdicts agree with their children, which does not prove
     * that a win makes progress */
    bool wdl_only;
    /* there was a DTZ table: which wins and losses the 50-move rule turns into draws is proved */
    bool rule_proved;
    char text
        /* the first error, with the FEN, the metric, what the table says and what the moves say;
         * or why nothing could be checked; otherwise "" */
        [VERIFY_TEXT_SIZE];
} VerifyResult;

/* Checks the files of one material: the WDL table, which must be installed, and the distance tables
 * that are installed. A sample and a full check both compare the checksum of every block and look
 * up every longest line. Only a full check verifies the counts, and that no line is longer.
 *
 * Returns TREB_OK if there are no errors. Returns TREB_ERR_DAMAGED if there are errors, or if the
 * contents of a file cannot be read. Any other status means that the files were not checked, for
 * example because a table is missing (TREB_ERR_NO_TABLE) or memory is short (TREB_ERR_MEMORY);
 * result->text says why. */
treb_status verify_material(const Material *material, const VerifyOptions *options,
                            VerifyResult *result);

/* ---- checksums alone ------------------------------------------------------------------------- */

typedef struct VerifyChecksum {
    treb_status
        /* TREB_OK: all are right. TREB_ERR_DAMAGED: one is wrong. Otherwise: not compared */
        status;
    uint64_t bytes; /* size of the file */
    double seconds;
    char text[VERIFY_TEXT_SIZE]; /* what is wrong; otherwise "" */
} VerifyChecksum;

/* Called for each file in the order of the list, never by two threads at once. */
typedef void (*VerifyChecksumCallback)(void *context, size_t number, const VerifyChecksum *result);

/* Compares the checksums of files of all kinds, several files at a time: the checksums of every
 * block of Trebuchet's files, and the checksum of a whole Syzygy file. Only `threads` and
 * `progress` (in bytes) of the options are used. If the progress callback ends it or memory runs
 * out, `checked` is not called for the remaining files. */
treb_status verify_checksums(const char *const *paths, size_t count, const VerifyOptions *options,
                             VerifyChecksumCallback checked, void *context);

#endif
