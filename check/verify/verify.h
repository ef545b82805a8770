/* verify.h - checking tables against the rules alone.
 *
 * For every legal position of a table each metric must follow from its children as the plain move
 * generator finds them. That proves the values: a distance d rests on a child whose distance is one
 * less, or on a conversion into another table, down to mate at 0, so that by induction on d every
 * win and loss is right and as long as is said. What is left, the draws, have no winning move and a
 * drawing one or stalemate, so neither side can leave them. Tables of fewer men are taken as they
 * are: verify them as well. Nothing here is shared with the solver.
 *
 * Syzygy's files are proved in the same way. Where they say that a distance is n or n + 1 plies, a
 * full check settles which: with all shorter distances known, it is n if the moves make it n, else
 * n + 1. Then every position has one distance, and all are judged as those of our tables are; the
 * proof does not rest on how they were found. A sample only sees that what the file says and what
 * the moves leave possible have a distance in common. */
#ifndef TREB_VERIFY_H
#define TREB_VERIFY_H

#include "core/format/table.h"

enum { VERIFY_TEXT_SIZE = 512 };

/* Called now and then with the work done and to do of a phase, never from two threads at once.
 * Returning false ends the verification with TREB_ERR_ARGUMENT. */
typedef bool (*VerifyProgress)(void *context, const char *phase, uint64_t done, uint64_t total);

typedef struct VerifyOptions {
    const char *const *dirs; /* searched in order for each file */
    size_t dirs_count;
    bool syzygy;      /* the material's .rtbw and .rtbz are checked, not our files. Others that are
                         needed may be of either kind */
    bool full;        /* every position and the counts; else a sample */
    double share;     /* of the positions in a sample, 0 to 1; 0 for some 65000 cells a side */
    unsigned threads; /* 0: as many as OpenMP likes */
    uint64_t memory;  /* bytes to use at most; 0 for 12 GiB. Refused if a full check needs more */
    /* The folder of a scratch file, for a full check with less memory than it would like; NULL: that
     * of the table. The file has no name, and is gone when the process is. */
    const char *scratch;
    VerifyProgress progress; /* may be NULL */
    void *context;           /* for progress */
} VerifyOptions;

typedef struct VerifyResult {
    uint64_t positions; /* legal positions checked, of both sides to move, symmetric ones once */
    uint64_t blocks;    /* of our files, whose checksums were all compared */
    uint64_t errors;    /* 0: all that was looked at is right */
    unsigned metrics;   /* 1 << TREB_WDL and so on: the files that were found and checked */
    bool wdl_only;      /* no distances were at hand: verdicts agree with their children, which does
                           not prove that a win makes progress */
    bool rule_proved;   /* the DTZ table was there: where the 50-move rule bites is proved */
    char text[VERIFY_TEXT_SIZE]; /* the first error, with FEN, metric, what the table says and what
                                    the moves say; or why nothing could be checked; else "" */
} VerifyResult;

/* Checks the files of one material: the WDL table, which must be there, and those distance tables
 * that are. In either mode every block's checksum is compared and every longest line looked up;
 * counts, and that no line is longer, only in a full one.
 *
 * TREB_OK: no errors. TREB_ERR_DAMAGED: there are some, or a file cannot be read for what it
 * holds. Anything else: not checked, for want of a table (TREB_ERR_NO_TABLE) or of memory
 * (TREB_ERR_MEMORY); result->text has the words. */
treb_status verify_material(const Material *material, const VerifyOptions *options,
                            VerifyResult *result);

/* ---- checksums alone ------------------------------------------------------------------------- */

typedef struct VerifyChecksum {
    treb_status status; /* TREB_OK: all are right. TREB_ERR_DAMAGED: not. Else: not compared */
    uint64_t bytes;     /* of the file */
    double seconds;
    char text[VERIFY_TEXT_SIZE]; /* what is wrong; else "" */
} VerifyChecksum;

/* Called for each file in the order of the list, never from two threads at once. */
typedef void (*VerifyChecked)(void *context, size_t number, const VerifyChecksum *result);

/* Compares the checksums of files of all kinds, several at a time: of every block of ours, of the
 * whole of Syzygy's. Of the options `threads` and `progress`, in bytes, count. Files that are not
 * looked at because progress ended it, or for want of memory, are not told of. */
treb_status verify_checksums(const char *const *paths, size_t count, const VerifyOptions *options,
                             VerifyChecked checked, void *context);

#endif
