/* verify.h - checking tables against the rules alone.
 *
 * For every legal position of a table each metric must follow from its children as the plain move
 * generator finds them. That proves the values: a distance d rests on a child whose distance is one
 * less, or on a conversion into another table, down to mate at 0, so that by induction on d every
 * win and loss is right and as long as is said. What is left, the draws, have no winning move and a
 * drawing one or stalemate, so neither side can leave them. Tables of fewer men are taken as they
 * are: verify them as well. Nothing here is shared with the solver. */
#ifndef TREB_VERIFY_H
#define TREB_VERIFY_H

#include "core/table.h"

enum { VERIFY_TEXT_SIZE = 512 };

/* Called now and then with the work done and to do of a phase, never from two threads at once.
 * Returning false ends the verification with TREB_ERR_ARGUMENT. */
typedef bool (*VerifyProgress)(void *context, const char *phase, uint64_t done, uint64_t total);

typedef struct VerifyOptions {
    const char *const *dirs; /* searched in order for each file */
    size_t dirs_count;
    bool full;        /* every position and the counts; else a sample */
    double share;     /* of the positions in a sample, 0 to 1; 0 for some 65000 cells a side */
    unsigned threads; /* 0: as many as OpenMP likes */
    uint64_t memory;  /* bytes to use at most; 0 for 12 GiB. Refused if a full check needs more */
    VerifyProgress progress; /* may be NULL */
    void *context;           /* for progress */
} VerifyOptions;

typedef struct VerifyResult {
    uint64_t positions; /* legal positions checked, of both sides to move, symmetric ones once */
    uint64_t blocks;    /* blocks read and their checksums compared */
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

#endif
