/* full_state.h - the state of a full check. Private to check/verify/. */
#ifndef TREB_CHECK_VERIFY_FULL_STATE_H
#define TREB_CHECK_VERIFY_FULL_STATE_H

#include "check/verify/flat.h"
#include "check/verify/full_check.h"
#include "check/verify/report.h"
#include "check/verify/walk.h"
#include "check/verify/words.h"

/* The codes that the files have for a range of cells of one side, in the order of the words. */
typedef struct VerifyBatch {
    int side;
    uint64_t first, end;         /* range of cells, `end` exclusive */
    uint8_t *memory;             /* one allocation that holds all arrays of `code` */
    uint8_t *code[TREB_METRICS]; /* as wide as in the file; NULL: not unpacked */
    bool again; /* the blocks of the files have been read before, and their checksums compared */
} VerifyBatch;

/* What the extra bit of a word (VerifyWords.attained) records when the distances of a side are
 * filled in. */
typedef enum VerifyAttained {
    ATTAINED_NOTHING,
    ATTAINED_MATE, /* the result `attained` of verify_complete */
    /* the position is a win in time, and by one move in every metric. No other move can be
     * better. */
    ATTAINED_AT_ONCE
} VerifyAttained;

/* The field of a word for DTZ as a Syzygy file states it. Syzygy files have no DTC. */
enum { VERIFY_STATED_DTZ = TREB_DTC };

typedef struct VerifyFullCheck {
    VerifyReport *report;
    VerifyStore *store;
    VerifyEntry *entry;
    /* numbers the words: in each slice the kings are the outermost axis, and there is no padding */
    const Index *index;
    bool syzygy;
    unsigned ply;     /* unit of distances: 1 or 2, see store.h */
    int sides;        /* number of sides to check: 1 if the material is symmetric */
    unsigned metrics; /* bits of the distance metrics that have a table */
    /* bits of those metrics whose table stores the side, for some pawns at least */
    unsigned stored[2];
    VerifyAttained attained[2]; /* by side to move */
    VerifyWords words;
    char *folder; /* folder of the scratch file; NULL: no scratch file */
    /* A check runs in stages. A stage covers the slices with the leading pawn on one square, or all
     * slices. */
    int stage, stages;
    uint64_t first, end; /* cells of the stage, `end` exclusive */
    char phase[64];      /* name of the phase, for the progress report */
    /* order of the planes by side to move, see passes.c; NULL: the order of the cells */
    uint16_t *planes[2];
    uint64_t batch_cells;
    VerifyBatch batch;
    VerifyFlat flat; /* the unpacked Syzygy file that the current pass needs */
    /* Rounded distances of Syzygy, see rounding.c. unresolved[side][chunk] has bit n % 64 set if
     * the chunk may have a position whose distance is n or n + 1. distances_unresolved[n] says
     * whether any position is of that kind. `round` is the n that is being resolved. */
    uint64_t *unresolved[2];
    atomic_bool *distances_unresolved;
    unsigned round;
    /* number of the index group that holds the men of this color and type */
    uint8_t group[2][TREB_TYPES];
    struct Mate50Group *mate50; /* NULL: there is no DTM50 file, or no memory for it yet */
    VerifyCount *count;
} VerifyFullCheck;

/* A thread that works on a side. */
typedef struct VerifyWorker {
    const VerifyFullCheck *full;
    VerifyReader *reader;
    VerifyWalk walk;
    VerifyCount *count;
    int side;
} VerifyWorker;

/* A function that a pass calls for each position. */
typedef void (*VerifyWork)(VerifyWorker *w, const treb_position *pos);

/* Whether the thread could not read a table. Values that were computed since then are
 * meaningless. */
static inline bool verify_read_failed(const VerifyWorker *w)
{
    return w->reader->error.status != TREB_OK;
}

/* The key of an error at the worker's position. Errors are sorted by cell, then by side. */
static inline uint64_t verify_error_key(const VerifyWorker *w)
{
    return w->walk.at.cell * 2 + (uint64_t)w->side;
}

static inline uint64_t verify_own_word(const VerifyWorker *w)
{
    return verify_word(&w->full->words, w->side, w->walk.at.cell);
}

static inline void verify_put_own(const VerifyWorker *w, uint64_t word)
{
    verify_word_put(&w->full->words, w->side, w->walk.at.cell, word);
}

#endif
