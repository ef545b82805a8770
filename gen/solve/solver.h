/* solver.h - the data of a solver, for the files of this folder. See solve.c for the method.
 *
 * solver.c creates a solver, setup.c sets up a slice, solve.c runs the loop over the plies and ply.c one ply of one
 * plane, ghosts.c exchanges data with other processes, resume.c saves and resumes. */
#ifndef TREB_GEN_SOLVE_SOLVER_H
#define TREB_GEN_SOLVE_SOLVER_H

#include <string.h>

#include "core/chess/bitboard.h"
#include "core/system/paged.h"
#include "gen/solve/buffers.h"
#include "gen/solve/ghosts.h"
#include "gen/solve/solve.h"

enum { CURSED_START = RULE_PLIES + 1 };

/* The cells that were just lost. Blocks of rows: see kernel.h. If the layout has a pair, the bits of `row_blocks` are
 * the squares of either man of the pair. */
typedef struct Frontier {
    uint64_t *set;        /* meaningful only in the blocks of rows in `row_blocks` */
    uint64_t *row_blocks; /* by kings: bit mask of the blocks of `set` that are not empty */
    /* By kings and block: bit mask of the rows that are not empty; NULL: not recorded. */
    uint64_t *rows;
} Frontier;

/* The sets that the loop over the plies of a metric works on, by side to move. */
typedef struct PlyLoop {
    uint64_t *not_won[2];   /* legal and not (yet) won */
    uint64_t *open[2];      /* cells that can turn out lost at this ply */
    Frontier lost_at[2][2]; /* by parity of the ply and side: cells lost at that ply */
    /* By parity and side, by kings: blocks of rows with cells won at that ply. */
    uint64_t *won_row_blocks[2][2];
    treb_metric metric;
} PlyLoop;

/* Facts that follow from looking at some of a position's moves, see plane.h. Tags of Solver.facts. */
enum {
    FACT_STALEMATE,
    FACT_CAPTURE_WINS,
    FACT_CAPTURE_DRAWS,
    FACT_PROMOTION_WINS, /* the last pawn's, to a queen, where no capture has the same verdict */
    FACT_PROMOTION_DRAWS,
    FACT_ZEROING_WINS,
    FACT_ENDS_WINS,
    FACT_ENDS,                  /* the best conversion by distance to mate completes bounds */
    FACT_BEST_CONVERSION_LOSES, /* there are conversions, and all lose */
    FACT_OPEN,                  /* can turn out lost without converting; only for a later run */
    FACTS
};

/* Tags of Solver.decided: plies and whether the cells are won. */
static inline unsigned decided_tag(unsigned plies, bool won) { return 2 * plies + won; }
static inline unsigned decided_plies(unsigned tag) { return tag / 2; }
static inline bool decided_won(unsigned tag) { return tag % 2; }

/* The stream of a plane and side in Solver.facts and Solver.decided. */
static inline uint32_t stream_of(uint32_t kings, int side) { return 2 * kings + (uint32_t)side; }

/* The stream in Solver.due: conversions of a plane and side that win, or that lose. Tags are plies. */
static inline uint32_t due_stream(uint32_t kings, int side, bool wins)
{
    return 2 * stream_of(kings, side) + wins;
}

struct Solver {
    SolverPlace place;
    const Layout *layout;
    PlanePartition partition; /* the planes that this process solves */
    Ghosts ghosts;            /* what other processes sent of theirs */
    const Kernel *kernel;
    unsigned metrics; /* to solve */
    /* With one man: pawns of each lane; all squares if the lane is not used. */
    uint64_t lane_pawns[KERNEL_LANES];
    /* Blocks of rows of a plane, and their size (kernel.h). */
    size_t row_block_count, row_block_words;
    size_t row_words; /* words of a row; 0: rows are not distinguished */
    PlyLoop loop;
    LogSpace *space; /* of the logs: */
    Log *facts;
    Log *due[TREB_METRICS];     /* conversions that win or lose, by the ply at which they count */
    Log *decided[TREB_METRICS]; /* cells won or lost, by ply */
    SolvedSlice slice;          /* the result */
    PlyCounts counts[TREB_METRICS];
    void *sets;         /* memory of the loop's sets; NULL: they are in `paged` */
    Paged paged;        /* file with the loop's sets */
    _Atomic int status; /* first error of the threads */
    treb_error *error;
    SolverProgress *progress; /* NULL allowed */
    const atomic_bool *stop;  /* NULL allowed */
    const SolverSaver *saver; /* NULL allowed */
    unsigned next; /* while the solver is saved: the ply that comes next; LOG_TAGS: none */
};

/* Returns the words of a row if rows are distinguished: with four men, or with a pair. */
static inline size_t solver_row_words(const Layout *layout)
{
    return layout->men == 4 || layout->pair ? layout->plane_words / (64 * 64) : 0;
}

/* A plane and side to move at ply n. */
typedef struct PlaneTask {
    Solver *s;
    uint32_t kings;
    int side;
    unsigned n;
    Buffers *t;
} PlaneTask;

/* ---- Errors: solver_status.c ------------------------------------------------------------------ */

/* Records an error, unless there was one before. Thread-safe. */
void solver_fail(Solver *s, treb_status status, const treb_error *error);

/* Whether there was an error, or the solver is to stop. */
bool solver_failed(const Solver *s);

/* Fails because a distance is too long. */
treb_status fail_plies(const Layout *layout, treb_error *error);

/* ---- Planes: solver_planes.c ------------------------------------------------------------------ */

/* Number of positions (as in PlyCounts) that a set of cells of a plane stands for, in these blocks of rows. */
uint64_t solver_positions(const Solver *s, uint32_t kings, const uint64_t *set,
                          uint64_t row_blocks);

/* The log of the conversions that are due in the current loop. */
Log *solver_due(const Solver *s);

/* The ply at which the next conversion of a stream of this log is due; LOG_TAGS: none. Without pawns every conversion
 * counts one ply to conversion. */
unsigned solver_when_due(const Solver *s, uint32_t stream);

/* The words of a block of rows that can have cells. */
typedef struct Span {
    size_t first, end; /* words of a plane */
} Span;

static inline Span row_block_span(const Solver *s, size_t row_block)
{
    size_t first = row_block * s->row_block_words, end = first + s->row_block_words;
    return (Span){s->layout->pair ? first + s->row_words * (row_block + 1) : first, end};
}

/* The bit mask of one block of rows. */
static inline uint64_t row_block_bit(const Solver *s, size_t row_block)
{
    return s->row_block_count == 1 ? KERNEL_ALL : square_bit(row_block);
}

/* Whether a bit mask has a block of rows. */
static inline bool row_block_in(const Solver *s, uint64_t row_blocks, size_t row_block)
{
    return s->row_block_count == 1 ? row_blocks != 0 : row_blocks >> row_block & 1;
}

/* Where the sets are in a file: after each plane, gives memory back to the system if they take too much. */
static inline void solver_evict_if_needed(Solver *s)
{
    paged_mind(&s->paged, s->paged.bytes / s->layout->kings);
}

/* The cells of an own plane in a set. */
static inline uint64_t *plane_at(const Solver *s, uint64_t *set, uint32_t kings)
{
    return set + (size_t)s->partition.place[0][kings] * s->layout->plane_words;
}

/* The cells not yet won of an own plane or a ghost plane. */
static inline uint64_t *not_won_at(const Solver *s, int side, uint32_t kings)
{
    return s->loop.not_won[side] + (size_t)s->partition.place[side][kings] * s->layout->plane_words;
}

static inline bool any_cell(const uint64_t *set, size_t words)
{
    uint64_t any = 0;
    for (size_t w = 0; w < words; w++) any |= set[w];
    return any != 0;
}

/* Marks all rows of a plane as perhaps not empty. */
static inline void frontier_all(Frontier *frontier, uint32_t kings)
{
    frontier->row_blocks[kings] = KERNEL_ALL;
    if (frontier->rows != NULL) memset(frontier->rows + 64 * kings, 0xff, 64 * sizeof(uint64_t));
}

/* Notes that nothing was decided in a plane at the last two plies. */
static inline void solver_nothing_new(Solver *s, uint32_t kings, int side)
{
    for (int parity = 0; parity < 2; parity++)
        s->loop.lost_at[parity][side].row_blocks[kings] =
            s->loop.won_row_blocks[parity][side][kings] = 0;
}

/* The plane as the kernel wants it. */
static inline KernelPlane plane_of(const Solver *s, uint32_t kings)
{
    const uint8_t *king = s->layout->king[kings];
    uint64_t squares = square_bit(king[0]) | square_bit(king[1]);
    KernelPlane plane = {.men = s->layout->men,
                         .pair = s->layout->pair,
                         .occupied = squares | s->slice.pawns[0][0] | s->slice.pawns[0][1]};
    if (plane.men == 1)
        for (int i = 0; i < KERNEL_LANES; i++) plane.lane[i] = squares | s->lane_pawns[i];
    return plane;
}

#endif
