/* blocked.h - kings among blocked pawns: ranks of all placements of the two kings, what the
 * position is really worth, and the squares that correspond.
 *
 * Two questions can be asked. With a goal (GOAL_TAKE, GOAL_REACH) the kings are all that
 * moves and a rank is the plies until a king reaches the goal. GOAL_EXACT asks for the result of
 * the game: every capture, pawn move and promotion below the position counts, and a rank is the
 * plies to mate or to the first capture with the result kept (docs/metrics.md). */
#ifndef TREB_BLOCKED_BLOCKED_H
#define TREB_BLOCKED_BLOCKED_H

#include <stdio.h>

#include "pawns/settle.h"
#include "pawns/squares.h"
#include "core/format/table_ranks.h"

enum { BLOCKED_WHY_SIZE = 160 };

typedef struct BlockedRequest {
    treb_position pos;
    TableGoal goal;
    uint64_t from;      /* GOAL_TAKE: squares that the king takes from; 0 for any */
    uint64_t target;    /* GOAL_REACH: the squares */
    bool safe;          /* GOAL_TAKE: only where the other king attacks no pawn */
    bool all;           /* GOAL_EXACT: settle all placements of `region`, not the position alone */
    uint64_t region[2]; /* by king */
    LatticeLimits limits; /* GOAL_EXACT */
} BlockedRequest;

/* Of one winner, the attacker: by side to move and white king, the black king a bit or an index. */
typedef struct BlockedRanks {
    uint64_t won[2][64];
    uint64_t open[2][64]; /* not known whether won */
    uint16_t rank[2][64][64];
} BlockedRanks;

/* What captures lead to, of one winner: by the side to move then and the square of its pawn that
 * was taken, on which the other king now stands; its own king's square a bit. */
typedef struct BlockedTaken {
    uint64_t won[2][64], open[2][64];
} BlockedTaken;

typedef struct Blocked {
    BlockedRequest request;
    CellsKey key;
    uint64_t legal[2][64];
    BlockedRanks by[2];    /* by attacker */
    bool upper_bounds;     /* ranks may be too high, as not everything is known */
    BlockedTaken taken[2]; /* GOAL_EXACT: by winner, if `settled` */
    bool settled;          /* what captures lead to is in `taken`, as far as it is known */
    char *file;            /* the rank file that it was read from; NULL if it was solved */
    Lattice *lattice;      /* GOAL_EXACT, if it was solved; else NULL */
    Family *family;
} Blocked;

/* TREB_OK if kings and blocked pawns are all there is; else TREB_ERR_POSITION and `why` names the
 * man at fault. */
treb_status blocked_check(const treb_position *pos, char why[BLOCKED_WHY_SIZE]);

/* Solves. NULL with the reason on failure; free with blocked_free. */
Blocked *blocked_solve(const BlockedRequest *request, treb_error *error);
void blocked_free(Blocked *blocked);

/* Of a legal placement of the kings. In the goal modes a placement is won if its rank says so for
 * the attacker; if for both, it is the lower rank's. */
BlockedValue blocked_value(const Blocked *blocked, int side, int white_king, int black_king);
bool blocked_is_legal(const Blocked *blocked, int side, int white_king, int black_king);

/* Settles what all captures lead to, as far as memory allows, and ranks anew with what is then
 * known. False on failure. Does nothing without a lattice. */
bool blocked_settle_captures(Blocked *blocked);

/* Whether the position is decided, and with `all` every placement of the request's region. */
bool blocked_is_decided(const Blocked *blocked, bool all);

/* All legal moves of the position asked about, best first. In exact mode what captures lead to is
 * settled if memory allows. Writes at most MOVES_MAX; returns the number, -1 on failure. */
int blocked_moves(Blocked *blocked, BlockedMove out[MOVES_MAX]);

/* The best play of both sides from the position asked about: the winner on the shortest way, the
 * loser on the longest. `last` is where it ends. Returns the number of moves, -1 on failure. */
int blocked_line(Blocked *blocked, BlockedMove *out, int capacity, BlockedEnd *end,
                 treb_position *last);

/* What its ranks say of all placements: of the ranks who wins, or who reaches the goal. */
void blocked_placements(const Blocked *blocked, Placements *out);

/* The side whose win is of interest: the winner's of the position, else the one that wins more
 * placements. */
int blocked_attacker(const Blocked *blocked);

/* ---- Rank files (core/format/table_ranks.h) --------------------------------------------------------- */

/* The name of the file that answers a request, which blocked_check has accepted. */
void blocked_file_name(const BlockedRequest *request, char out[RANKS_NAME_SIZE]);

/* Reads a file that answers a request: no lattice is needed then. NULL with the reason on failure,
 * TREB_ERR_NO_TABLE if there is no such file. */
Blocked *blocked_load(const char *path, const BlockedRequest *request, treb_error *error);

/* Looks for the file in folders. NULL with TREB_ERR_NO_TABLE if it is in none of them. */
Blocked *blocked_find(const char *const *directories, size_t count, const BlockedRequest *request,
                      treb_error *error);

/* The names of all rank files of some folders, in order and each once; folders that cannot be read
 * are passed over. False without memory. */
typedef struct BlockedNames {
    char **name;
    size_t count;
} BlockedNames;

bool blocked_names(const char *const *directories, size_t count, BlockedNames *out);
bool blocked_names_add(BlockedNames *names, const char *name);
void blocked_names_free(BlockedNames *names);

/* Writes what was solved with `all` and no region, after blocked_settle_captures, into a directory.
 * The file appears when it is complete, in place of an older one. */
treb_status blocked_save(const Blocked *blocked, const char *directory, treb_error *error);

/* ---- Renderers ------------------------------------------------------------------------------- */

void blocked_print_tsv(FILE *out, const Blocked *blocked, int attacker, const uint64_t region[2]);
void blocked_print_table(FILE *out, const Blocked *blocked, int attacker, int side,
                         const uint64_t region[2]);

#endif
