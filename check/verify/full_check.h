/* full_check.h - the state of a full check. Private to check/verify/. */
#ifndef TREB_CHECK_VERIFY_FULL_CHECK_H
#define TREB_CHECK_VERIFY_FULL_CHECK_H

#include "check/verify/flat.h"
#include "check/verify/full.h"
#include "check/verify/report.h"
#include "check/verify/walk.h"
#include "check/verify/words.h"

/* What the files say of some cells of a side, in the order of the words. */
typedef struct VerifyBatch {
    int side;
    uint64_t first, end;         /* cells */
    uint8_t *memory;             /* of all that follow */
    uint8_t *code[TREB_METRICS]; /* of the width that the file has; NULL: not unpacked */
    bool again;                  /* the files' blocks have been read before */
} VerifyBatch;

/* What is remembered when a side's distances are filled in, as a bit of each word. */
typedef enum VerifyAttained {
    ATTAINED_NOTHING,
    ATTAINED_MATE, /* what verify_complete says */
    ATTAINED_ONCE /* a win in time, and every distance ends at once: nothing is better, whatever else is played */
} VerifyAttained;

enum { VERIFY_SAID = TREB_DTC }; /* field of the words for DTZ as a Syzygy file states it */

typedef struct VerifyFull {
    VerifyReport *report;
    VerifyStore *store;
    VerifyEntry *entry;
    const Index *index; /* of the words: the kings outermost within a slice, no padding */
    bool syzygy;
    unsigned ply;               /* the unit of distances */
    int sides;                  /* 1 if the material is symmetric */
    unsigned metrics;           /* distances that have a table */
    unsigned stored[2];         /* those of them that have the side, at least for some pawns */
    VerifyAttained attained[2]; /* by side */
    VerifyWords words;
    char *folder; /* of a scratch file */
    /* What is checked at a time: the slices of one place of the leading pawn, or all. */
    int stage, stages;
    uint64_t first, end; /* its cells */
    char phase[64];      /* what is told of it */
    uint16_t *planes[2]; /* by side to move: see passes.c. NULL: in the order of the cells */
    uint64_t batch_cells;
    VerifyBatch batch;
    VerifyFlat flat; /* the Syzygy file at hand */
    /* Rounded distances: by chunk, bit n % 64 if one may be n or n + 1; whether any is; which are
     * settled now. */
    uint64_t *open[2];
    atomic_bool *rounds;
    unsigned round;
    uint8_t group[2][TREB_TYPES]; /* the index's group of such men */
    VerifyCount *count;
} VerifyFull;

/* A thread at work on a side. */
typedef struct VerifyWorker {
    const VerifyFull *full;
    VerifyReader *reader;
    VerifyWalk walk;
    VerifyCount *count;
    int side;
} VerifyWorker;

/* What a pass does with a position. */
typedef void (*VerifyWork)(VerifyWorker *w, const treb_position *pos);

/* Whether a table could not be read. What was made of its values since means nothing. */
static inline bool verify_unread(const VerifyWorker *w)
{
    return w->reader->error.status != TREB_OK;
}

/* Errors come in the order of the cells. */
static inline uint64_t verify_error_key(const VerifyWorker *w)
{
    return w->walk.cell * 2 + (uint64_t)w->side;
}

static inline uint64_t verify_own_word(const VerifyWorker *w)
{
    return verify_word(&w->full->words, w->side, w->walk.cell);
}

static inline void verify_put_own(const VerifyWorker *w, uint64_t word)
{
    verify_word_put(&w->full->words, w->side, w->walk.cell, word);
}

#endif
