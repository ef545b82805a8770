/* parts.h - what the files of the verifier share. Private to check/verify/.
 *
 *   store.c     the tables: found, opened, unpacked as needed
 *   value.c     what a position is worth, from tables and by its moves: the metrics' rules
 *   walk.c      positions in the order of their cells
 *   report.c    errors, and the threads' common progress
 *   loose.c     memory that may be given back at any time
 *   full.c      every position of a table, with what full.h lists
 *   flat.c      the arrays of a Syzygy file, unpacked
 *   checksum.c  files' checksums alone
 *   verify.c    the sample, the headers, the interface
 *
 * Our files and Syzygy's go through the same code. Distances are counted in the store's unit: a ply,
 * or half of one if Syzygy's files are checked. Twice the plies is then a distance that is known,
 * and 1 more one that may be a ply longer, as syzygy_dtz has it. Such values sort as the distances
 * do, so that the least or the most of the children, and 2, is what the parent's may be. */
#ifndef TREB_VERIFY_PARTS_H
#define TREB_VERIFY_PARTS_H

#include <stdatomic.h>

#include "core/chess/movegen.h"
#include "probe/syzygy/syzygy.h"
#include "check/verify/verify.h"

enum {
    VERIFY_NONE = 0xffff,  /* no distance known */
    VERIFY_PLIES = 4095,   /* distances are below */
    VERIFY_DISTANCES = 14, /* the metrics but WDL, as bits */
    VERIFY_ENTRIES_MAX = 4096,
    VERIFY_SLOTS = 2048,    /* of a thread's block cache, */
    VERIFY_CACHE = 64 << 20 /* which holds about so many bytes at most */
};

static inline unsigned metric_bit(int metric) { return 1u << metric; }

/* ---- the store ------------------------------------------------------------------------------- */

typedef struct VerifyEntry VerifyEntry;

/* The table that a capture, promotion or both leads to. */
typedef struct VerifyAfter {
    VerifyEntry *entry; /* NULL: bare kings */
    bool swapped;       /* its White is Black here */
} VerifyAfter;

typedef struct VerifyFile {
    Table *table; /* NULL: not installed */
    const TableHeader *header;
    bool like[2];                /* cells of a side have the numbers of the entry's index */
    _Atomic(uint8_t *) bytes[2]; /* a side unpacked, once it is */
    atomic_bool paged[2];        /* too large for that: read piece by piece */
} VerifyFile;

/* One material. Of the one under test only the files of the kind that is checked are open. */
struct VerifyEntry {
    Material material;
    bool symmetric;
    Index index; /* of White to move in the WDL table, or a plain one */
    VerifyFile file[TREB_METRICS];
    Syzygy *syzygy[TREB_DTZ + 1];                 /* NULL: not installed, or not needed */
    _Atomic(_Atomic(uint16_t) *) memo[2];         /* verdict and a distance, as far as known */
    VerifyAfter after[2][TREB_TYPES][TREB_TYPES]; /* mover, victim (king: none), promotion (or 0) */
};

typedef struct VerifyLoose VerifyLoose;

/* A material and all that play can lead to. Shared by threads. */
typedef struct VerifyStore {
    const VerifyOptions *options;
    unsigned ply; /* the unit of distances: 1, or 2 for Syzygy's files */
    SyzygyMaps maps;
    VerifyEntry **entry; /* the first is the one under test */
    size_t count;
    size_t juniors; /* so many after it are what its moves lead to; the rest comes after those */
    _Atomic(uint64_t) used; /* bytes; changed in critical sections only */
    uint64_t limit;
    uint64_t whole_limit; /* larger sides are not unpacked as a whole */
    /* Memory that may be given back: see loose.c. Of it a file that says what the process holds; -1:
     * there is none, and the system has to mind it alone. */
    VerifyLoose *loose;
    size_t looses;
    _Atomic(uint64_t) loose_bytes;
    int resident;
    _Atomic(uint64_t) resident_rest; /* what the process held when all of that was given back */
    _Atomic(int64_t) looks;          /* at it that may be left out */
    uint64_t page_bytes;
} VerifyStore;

/* A thread's view of the store. The first error stays; values are then meaningless. */
typedef struct VerifyReader {
    VerifyStore *store;
    TableDecoder *decoder;
    treb_error error;
    struct {
        const VerifyFile *file;
        uint64_t block;
        uint8_t *bytes;
        size_t size;
        int side;
    } slot[VERIFY_SLOTS];
} VerifyReader;

treb_status verify_store_open(VerifyStore *store, const Material *material,
                              const VerifyOptions *options, treb_error *error);
void verify_store_close(VerifyStore *store);

/* The name of a file of the kind that is checked. */
void verify_file_name(const VerifyStore *store, const Material *material, int metric,
                      char out[TABLE_NAME_SIZE]);

/* A table that the one under test needs is not there. */
treb_status verify_fail_missing(const VerifyStore *store, const Material *material, int metric,
                                treb_error *error);

/* NULL: out of memory. */
VerifyReader *verify_reader_new(VerifyStore *store);
void verify_reader_free(VerifyReader *reader);

/* The code of a cell, whichever way its side is kept; 0 once the reader has met an error. */
unsigned verify_code(VerifyReader *reader, VerifyFile *file, int side, uint64_t cell);

/* Reads one block of a side into `out`, of 2^block_bits bytes. */
bool verify_block(VerifyReader *reader, const VerifyFile *file, int side, uint64_t block,
                  uint8_t *out);

/* The memo of a side, or NULL if it would take too much memory. */
_Atomic(uint16_t) *verify_memo(VerifyStore *store, VerifyEntry *entry, int side);

/* There is more memory now: sides that were too large are looked at again when they are next needed. */
void verify_store_retry(VerifyStore *store);

/* Takes bytes off the memory allowed, and gives them back; false if there are not so many. */
bool verify_claim(VerifyStore *store, uint64_t bytes);
void verify_release(VerifyStore *store, uint64_t bytes);

/* ---- memory that may be given back ----------------------------------------------------------- */

void verify_loose_open(VerifyStore *store);
void verify_loose_close(VerifyStore *store);

/* Mapped memory whose pages may be given back at any time, until the store is closed or it is no
 * longer mapped, after which nothing is minded. False: out of memory. */
bool verify_loose_add(VerifyStore *store, const void *at, uint64_t bytes);

/* New memory that may become zeros again at any time. NULL: there is none. */
void *verify_loose_new(VerifyStore *store, uint64_t bytes);
void verify_loose_free(void *at, uint64_t bytes);

/* Claims what the process holds already: open tables have codes, and much else. */
void verify_loose_claim(VerifyStore *store);

/* Gives such memory back if the process holds more than it may. To be called now and then. */
void verify_loose_mind(VerifyStore *store);

/* ---- values ---------------------------------------------------------------------------------- */

/* What a position is worth to the side to move. */
typedef struct VerifyValue {
    uint8_t verdict;
    uint16_t plies[TREB_METRICS]; /* by metric; VERIFY_NONE for draws and what was not asked for */
} VerifyValue;

typedef enum VerifyKind { KIND_QUIET, KIND_PUSH, KIND_CONVERSION } VerifyKind;

/* What the moves of a position come to. */
typedef struct VerifyTally {
    unsigned ply; /* the unit of distances */
    unsigned moves;
    unsigned quiet, zeroing; /* bit v: some such move leads to verdict v of the opponent */
    uint16_t win[TREB_METRICS], loss[TREB_METRICS]; /* shortest win, longest loss */
} VerifyTally;

void verify_tally_init(VerifyTally *tally, unsigned ply);

static inline bool verify_decided(unsigned verdict) { return verdict != TREB_DRAW; }

static inline unsigned verify_one_more(unsigned plies, unsigned ply)
{
    return plies == VERIFY_NONE ? VERIFY_NONE : plies + ply;
}

/* An unknown distance shows: nothing is longer, and as the shortest it stands alone. */
static inline void verify_tally_distance(VerifyTally *tally, bool win, int metric, unsigned plies)
{
    uint16_t *at = win ? &tally->win[metric] : &tally->loss[metric];
    if (win ? plies < *at : plies > *at) *at = (uint16_t)plies;
}

static inline void verify_tally_add(VerifyTally *tally, VerifyKind kind, const VerifyValue *child)
{
    unsigned verdict = child->verdict, ply = tally->ply;
    tally->moves++;
    *(kind == KIND_QUIET ? &tally->quiet : &tally->zeroing) |= 1u << verdict;
    if (!verify_decided(verdict)) return;
    bool win = verdict < TREB_DRAW, counts = verdict == TREB_LOSS || verdict == TREB_WIN;
    unsigned dtz = counts ? ply : ply * (RULE_PLIES + 1), dtc = ply;
    if (kind == KIND_QUIET) dtz = verify_one_more(child->plies[TREB_DTZ], ply);
    if (kind != KIND_CONVERSION) dtc = verify_one_more(child->plies[TREB_DTC], ply);
    verify_tally_distance(tally, win, TREB_DTZ, dtz);
    verify_tally_distance(tally, win, TREB_DTC, dtc);
    verify_tally_distance(tally, win, TREB_DTM, verify_one_more(child->plies[TREB_DTM], ply));
}

/* The metrics that have to be known of a child for those wanted of the parent. */
static inline unsigned verify_wanted(VerifyKind kind, unsigned metrics)
{
    if (kind == KIND_CONVERSION) return metrics & metric_bit(TREB_DTM);
    if (kind == KIND_PUSH) return metrics & ~metric_bit(TREB_DTZ);
    return metrics;
}

/* The distances of a position of the given verdict. */
void verify_tally_plies(const VerifyTally *tally, VerifyValue *value);

static inline VerifyKind verify_kind(const treb_position *pos, Move m)
{
    if (move_promo(m) != 0 || move_is_capture(pos, m)) return KIND_CONVERSION;
    return bit_test(pos->by_type[TREB_PAWN], move_from(m)) ? KIND_PUSH : KIND_QUIET;
}

/* The value, for the opponent, after a capture or promotion in a position of `entry`. */
VerifyValue verify_convert(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                           Move m, unsigned metrics);

/* The same as far as it may change the DTM of a position that is a win in `plies` or less, or else a loss in so
 * many or more. An opponent who loses later or wins sooner has any number that says so, and not all his moves
 * are looked at; one who wins what should be won, or loses what should be lost, has none. */
VerifyValue verify_convert_within(VerifyReader *reader, VerifyEntry *entry,
                                  const treb_position *pos, Move m, bool win, unsigned plies);

/* The value of a position of `entry`, colours as in the table. En passant counts. */
VerifyValue verify_evaluate(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                            unsigned metrics);

/* The value, for the opponent, after any move of the given kind, as far as those metrics of the
 * parent need it. */
VerifyValue verify_child(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos, Move m,
                         VerifyKind kind, unsigned metrics);

/* The same as verify_evaluate, where the value without en passant is already known. */
VerifyValue verify_with_ep(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                           const VerifyValue *without, unsigned metrics);

/* The verdict of the best capture; -1 if there are none. */
int verify_captures(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos);

/* Distances of 1 that a table need not store: a win by capture or pawn move for DTZ, by capture
 * or promotion for DTC; and DTZ of 101 in Syzygy's files. As bits of metrics; `captures` is what
 * verify_captures said. `push` gives
 * a position's verdict after a pawn's push. */
typedef unsigned (*VerifyPush)(void *context, const treb_position *child);
unsigned verify_at_once(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                        unsigned verdict, int captures, unsigned metrics, VerifyPush push,
                        void *context);

/* DTZ of a win at once. */
static inline unsigned verify_once_plies(const VerifyStore *store, unsigned verdict)
{
    return store->ply * (verdict == TREB_WIN ? 1 : RULE_PLIES + 1);
}

/* What a value of a .rtbz file means, from syzygy_dtz. Of those mated, whom it counts a ply or two,
 * 0; VERIFY_NONE if it is no distance. */
unsigned verify_syzygy_plies(const treb_position *pos, unsigned verdict, int dtz);

/* What captures and the last pawn's promotion make of the DTM `plies` in a cell of a file of bounds:
 * the distance. VERIFY_NONE stays. For the verifier this is as good as a look at the bound itself. With `moves` for
 * what all moves make of the position, and `some` for these alone, the bound of a win is right if it
 * is no less than `moves`, and equal to it unless `some` is. As `some` is never less than `moves`, that is
 * to say that the lesser of the bound and `some` is `moves`. Of losses the same with the greater.
 * `attained`, unless NULL: one of those moves was found to lead to just that distance, and for a win in time to an
 * opponent who loses in time. */
unsigned verify_complete(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                         unsigned verdict, unsigned plies, bool *attained);

/* The plies that a code stands for, or VERIFY_NONE. */
static inline unsigned verify_plies(const TableHeader *h, int side, unsigned verdict, unsigned code)
{
    const TableSide *s = &h->side[side];
    return code < s->codes[verdict] ? s->plies[verdict][code] : VERIFY_NONE;
}

/* ---- walking --------------------------------------------------------------------------------- */

/* A cell, and the men on it. */
typedef struct VerifyWalk {
    const Index *index;
    uint64_t cell;
    uint32_t coordinate[INDEX_AXES_MAX]; /* by axis */
    uint32_t radix[INDEX_AXES_MAX];      /* by axis, with padding */
    int first[INDEX_AXES_MAX];           /* by axis: where its men are in IndexMen.square */
    IndexMen men;
    treb_position level[INDEX_AXES_MAX + 1]; /* the pawns and the men of so many axes */
    bool clash[INDEX_AXES_MAX + 1];          /* men share a square, or the cell is padding */
    bool twofold;                            /* the men stand in two orientations */
    bool mirrored;                           /* the pawns are their own mirror image */
    unsigned place;                          /* of the first leading pawn: see core/format/index.h */
} VerifyWalk;

void verify_walk_seek(VerifyWalk *walk, const Index *index, uint64_t cell);
void verify_walk_next(VerifyWalk *walk);

/* Whether the cell stands for a placement of men, and is the one that does. */
bool verify_walk_valid(const VerifyWalk *walk);

/* The men; no side to move. */
static inline const treb_position *verify_walk_position(const VerifyWalk *walk)
{
    return &walk->level[walk->index->axes];
}

/* The number of the walk's cell in another index of the same material. */
uint64_t verify_walk_cell(const VerifyWalk *walk, const Index *other);

/* Whether the side not to move is not in check. */
static inline bool verify_legal(const treb_position *pos)
{
    return !square_attacked(pos, position_king(pos, pos->turn ^ 1), pos->turn);
}

/* ---- reporting ------------------------------------------------------------------------------- */

/* How many threads to run. */
int verify_threads(const VerifyOptions *options);

/* What the threads of a check have in common. */
typedef struct VerifyReport {
    const VerifyOptions *options;
    VerifyResult *result;
    treb_status status; /* not TREB_OK: stop */
    uint64_t key;       /* of the error in result->text: the least one stays */
    const char *phase;
    uint64_t done, total;
    atomic_bool stop;
} VerifyReport;

void verify_report_phase(VerifyReport *report, const char *phase, uint64_t total);

/* Adds work done and tells of it. Thread-safe. */
void verify_report_progress(VerifyReport *report, uint64_t done);

/* For an error in no position: behind those. */
#define VERIFY_KEY_LAST UINT64_MAX

/* "win in 13 or 14 plies". */
enum { VERIFY_WORDS = 64 };
void verify_value_text(unsigned verdict, unsigned plies, unsigned ply, char out[VERIFY_WORDS]);
const char *verify_verdict_text(unsigned verdict);

/* Keeps why the check cannot go on. Thread-safe. */
void verify_report_fail(VerifyReport *report, const treb_error *error);
void verify_report_no_memory(VerifyReport *report);

/* Compares all checksums of a stored side, with so many threads; what is in pages is not unpacked. Each is
 * `step` of progress. After one that is wrong it ends: then `error` says so. */
treb_status verify_side_checksums(VerifyReport *report, const Table *table, int side, int threads,
                                  uint64_t step, treb_error *error);

/* Counts an error; `key` orders them. Thread-safe. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void verify_report_error(VerifyReport *report, uint64_t key, const char *words, ...);

/* A position under judgement: what its table claims and what its moves come to. */
typedef struct VerifyCase {
    const treb_position *pos;
    uint64_t key;
    VerifyValue claim;
    const VerifyTally *tally;
    unsigned said;    /* of a Syzygy file: DTZ as it stands there; VERIFY_NONE: as claimed */
    unsigned compare; /* metrics whose claim is to be compared */
    unsigned known;   /* metrics that the children's values have */
} VerifyCase;

void verify_judge(VerifyReport *report, const VerifyCase *c);

/* ---- Syzygy's arrays ------------------------------------------------------------------------- */

/* All values of a file, in its own order. */
typedef struct VerifyFlat {
    const Syzygy *table;
    bool wdl;
    uint8_t *verdict[2][4]; /* by side to move and the leading pawn's file */
    uint16_t *dtz[4];
} VerifyFlat;

uint64_t verify_flat_bytes(const Syzygy *table, bool wdl);

/* Unpacks a file. If that fails the report has why, and nothing is kept. */
void verify_flat_load(VerifyReport *report, const Syzygy *table, bool wdl, VerifyFlat *flat);
void verify_flat_free(VerifyFlat *flat);

/* What the file has of a position, as it would be probed: a treb_wdl, or what syzygy_dtz says; -1:
 * nothing. `twin` asks for the mirror image's, see syzygy_twin; -2: it has none. The position's
 * side to move is stored. */
int verify_flat_value(const VerifyFlat *flat, const treb_position *pos, unsigned verdict,
                      bool twin);

/* ---- the whole ------------------------------------------------------------------------------- */

/* What was found in all positions, those of the full board for each cell. */
typedef struct VerifyCount {
    uint64_t positions; /* looked at */
    uint64_t count[2][WDL_VALUES];
    uint64_t histogram[TREB_METRICS][2][WDL_VALUES][VERIFY_PLIES]; /* by plies */
} VerifyCount;

/* Checks every position; fills `count` if nothing stops it. */
void verify_full(VerifyReport *report, VerifyStore *store, unsigned metrics, VerifyCount *count);

#endif
