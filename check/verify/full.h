/* full.h - what the parts of a full check share. Private to check/verify/.
 *
 *   words.c    what is known of each position, compact: in memory, or in a scratch file
 *   unpack.c   a table's codes, brought from the order of its file into that of the words
 *   moves.c    what the moves of a position come to
 *   fill.c     what the table says of a position becomes its word
 *   passes.c   all positions of a side looked at, by several threads
 *   round.c    Syzygy's files: distances that may be a ply longer settled
 *   full.c     what memory is used for, and which passes there are */
#ifndef TREB_VERIFY_FULL_H
#define TREB_VERIFY_FULL_H

#include "check/verify/parts.h"

/* ---- words ----------------------------------------------------------------------------------- */

enum { VERIFY_ILLEGAL = 7 }; /* in place of a verdict: no legal position */

/* A part of a word: the verdict, or a distance. */
typedef struct VerifyField {
    unsigned shift;
    uint64_t most; /* stands for VERIFY_NONE */
    uint64_t mask; /* its bits in the word */
} VerifyField;

/* The verdict and the distances of all positions, a word for each: a move then costs one access to
 * memory. A word has 1, 2, 4 or 8 bytes, as few as hold what the table says is its longest line.
 *
 * Planes come one after the other: positions with the same pawns and kings. Moves of pieces stay in
 * the plane, and moves of a king lead to at most eight others. So those parts of a scratch file
 * that are in memory are used many times before others take their place. */
typedef struct VerifyWords {
    VerifyField field[TREB_METRICS];
    uint64_t attained; /* a bit, see VerifyAttained; 0: the words have none */
    unsigned bytes;    /* of a word */
    void *side[2];
    uint64_t side_bytes;
    bool on_disk;
    int file; /* if so, and the folder that it is in */
    const char *folder;
    uint64_t page_bytes;
} VerifyWords;

/* Chooses the words, for so many bits of each metric, and one more: always for distances that are completed,
 * else if there is room. */
void verify_words_layout(VerifyWords *words, const unsigned bits[TREB_METRICS], bool completed);

/* Takes memory for them, or makes a scratch file: an unnamed one in the folder, where `most` bytes
 * will be taken at the same time. Of several sides, two. */
treb_status verify_words_in_memory(VerifyWords *words, uint64_t cells, int sides,
                                   treb_error *error);
treb_status verify_words_on_disk(VerifyWords *words, VerifyStore *store, uint64_t cells, int sides,
                                 const char *folder, uint64_t most, treb_error *error);

/* Takes disk for some cells before they are filled in, and gives it back: they are then lost. In memory
 * nothing is to be done. */
treb_status verify_words_take(const VerifyWords *words, uint64_t first, uint64_t end,
                              treb_error *error);
void verify_words_drop(const VerifyWords *words, uint64_t first, uint64_t end);
void verify_words_free(VerifyWords *words);

/* Distances of a symmetric material may be filled in while others are read. */
static inline uint64_t verify_word(const VerifyWords *words, int side, uint64_t cell)
{
    const void *at = words->side[side];
    switch (words->bytes) {
    case 1:
        return __atomic_load_n((const uint8_t *)at + cell, __ATOMIC_RELAXED);
    case 2:
        return __atomic_load_n((const uint16_t *)at + cell, __ATOMIC_RELAXED);
    case 4:
        return __atomic_load_n((const uint32_t *)at + cell, __ATOMIC_RELAXED);
    default:
        return __atomic_load_n((const uint64_t *)at + cell, __ATOMIC_RELAXED);
    }
}

static inline void verify_word_put(const VerifyWords *words, int side, uint64_t cell, uint64_t word)
{
    void *at = words->side[side];
    switch (words->bytes) {
    case 1:
        __atomic_store_n((uint8_t *)at + cell, (uint8_t)word, __ATOMIC_RELAXED);
        break;
    case 2:
        __atomic_store_n((uint16_t *)at + cell, (uint16_t)word, __ATOMIC_RELAXED);
        break;
    case 4:
        __atomic_store_n((uint32_t *)at + cell, (uint32_t)word, __ATOMIC_RELAXED);
        break;
    default:
        __atomic_store_n((uint64_t *)at + cell, word, __ATOMIC_RELAXED);
    }
}

static inline unsigned verify_word_verdict(uint64_t word) { return word & 7; }

static inline unsigned verify_word_get(const VerifyWords *words, uint64_t word, int metric)
{
    const VerifyField *field = &words->field[metric];
    uint64_t value = word >> field->shift & field->most;
    return value == field->most ? VERIFY_NONE : (unsigned)value;
}

static inline uint64_t verify_word_set(const VerifyWords *words, uint64_t word, int metric,
                                       unsigned value)
{
    const VerifyField *field = &words->field[metric];
    uint64_t bits = value < field->most ? value : field->most;
    return (word & ~field->mask) | bits << field->shift;
}

/* A word without distances. */
static inline uint64_t verify_word_of(unsigned verdict) { return ~UINT64_C(7) | verdict; }

/* ---- the check ------------------------------------------------------------------------------- */

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

/* ---- unpack.c -------------------------------------------------------------------------------- */

/* Memory for the codes of a batch of so many cells. */
uint64_t verify_batch_bytes(const VerifyFull *full, uint64_t cells);

/* Unpacks the cells of the batch from files of these metrics that have the side. If that fails the
 * report has why. */
void verify_unpack(VerifyFull *full, unsigned metrics);

/* The code of the worker's position. */
unsigned verify_batch_code(const VerifyWorker *w, int metric);

/* ---- moves.c --------------------------------------------------------------------------------- */

VerifyValue verify_word_value(const VerifyFull *full, uint64_t word);

/* The moves of a position, by the words of what they lead to. */
void verify_tally_moves(const VerifyWorker *w, const treb_position *pos, VerifyTally *tally);

/* The same as far as is needed to see whether the DTM of the position's own word is right, which was completed
 * and is decided. If the moves then do not come to it, the DTM of the tally is nothing to go by. */
void verify_tally_completed(const VerifyWorker *w, const treb_position *pos, VerifyTally *tally);

/* A position's verdict after a pawn's push; `context` is the worker. */
unsigned verify_pushed_verdict(void *context, const treb_position *child);

/* ---- what is done with a position ------------------------------------------------------------ */

typedef void (*VerifyWork)(VerifyWorker *w, const treb_position *pos);

/* fill.c: words of what the files say */
void verify_do_verdict(VerifyWorker *w, const treb_position *pos);
void verify_do_distances(VerifyWorker *w, const treb_position *pos);
void verify_do_syzygy_distance(VerifyWorker *w, const treb_position *pos);

/* Of distances that no file has. */
void verify_do_fill(VerifyWorker *w, const treb_position *pos);
void verify_do_syzygy_fill(VerifyWorker *w, const treb_position *pos);

/* Judges a position; its distances that no table has are filled in first. */
void verify_do_moves(VerifyWorker *w, const treb_position *pos);
void verify_do_syzygy_moves(VerifyWorker *w, const treb_position *pos);

/* ---- passes.c -------------------------------------------------------------------------------- */

enum { VERIFY_CHUNK = 1 << 14 /* cells that a thread takes at a time */ };

typedef void (*VerifyChunk)(VerifyWorker *w, uint64_t from, uint64_t to);

/* What a pass does: something with each position, or with each chunk; of the stage, or of the batch
 * alone. */
typedef struct VerifyPass {
    VerifyWork work;
    VerifyChunk chunk;
    int side;
    bool silent, batch;
} VerifyPass;

void verify_run_threads(const VerifyFull *full, const VerifyPass *pass);

/* Something with each position of a side: a phase of its own. */
void verify_run_pass(VerifyFull *full, VerifyWork work, int side, const char *phase);

/* The same with the codes of these metrics, batch by batch. */
void verify_run_batches(VerifyFull *full, VerifyWork work, unsigned metrics, int side,
                        const char *phase);

/* Chooses in which order planes are looked at. False: out of memory. */
bool verify_order_planes(VerifyFull *full);

/* ---- round.c --------------------------------------------------------------------------------- */

/* Memory for what follows; false: there is none. */
bool verify_settle_claim(VerifyFull *full);

/* Settles all distances that may be a ply longer, the shortest first. */
void verify_settle(VerifyFull *full);

enum { VERIFY_SAID = TREB_DTC }; /* the field that has DTZ as a Syzygy file says it */

#endif
