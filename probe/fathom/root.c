/* root.c - probes at the root of a search: all moves with what they are worth.
 *
 * Moves come best first, as treb_probe_moves has them; Fathom's order is that of its move
 * generator. Nothing here has a state of its own, so that any number of threads may call. */
#include <string.h>

#include "probe/fathom/board.h"
#include "probe/fathom/current.h"

enum { LIST_MAX = FATHOM_MOVES_MAX - 1, CLOCK_MAX = UINT8_MAX, LINE_PLIES = 32 };

typedef struct Root {
    const treb_tables *tables;
    treb_position pos;
    treb_move move[LIST_MAX];
    size_t count;
} Root;

/* False if some move's value is not known. */
static bool root_list(Root *root, treb_metric metric)
{
    return treb_probe_moves(root->tables, &root->pos, metric, TREB_RULE_50, root->move, LIST_MAX,
                            &root->count, NULL) == TREB_OK;
}

/* What is beyond the 50-move rule is all one, but ranks must keep their sign. */
static uint16_t clock_of(unsigned rule50)
{
    return (uint16_t)(rule50 < CLOCK_MAX ? rule50 : CLOCK_MAX);
}

/* ---- One word for each move ------------------------------------------------------------------ */

/* Of a rounded distance Fathom takes the lesser. */
static unsigned result_of(const treb_position *pos, const treb_move *move)
{
    const treb_value *value = &move->value;
    treb_wdl wdl = treb_wdl_with_clock(value->wdl, value->plies[TREB_DTZ], pos->halfmove);
    return (unsigned)wdl << FATHOM_WDL_SHIFT | (unsigned)move->to << FATHOM_TO_SHIFT |
           (unsigned)move->from << FATHOM_FROM_SHIFT |
           board_promotes(move) << FATHOM_PROMOTES_SHIFT |
           (unsigned)board_is_ep(pos, move) << FATHOM_EP_SHIFT |
           (unsigned)value->plies[TREB_DTZ] << FATHOM_DTZ_SHIFT;
}

/* A position without moves. */
static unsigned result_of_end(const Root *root)
{
    treb_wdl wdl;
    if (treb_probe_wdl(root->tables, &root->pos, &wdl, NULL) != TREB_OK) return FATHOM_FAILED;
    return wdl == TREB_LOSS ? FATHOM_CHECKMATE : FATHOM_STALEMATE;
}

/* The best move's word says what the position itself is worth. */
static unsigned root_results(Root *root, unsigned *results)
{
    if (!root_list(root, TREB_DTZ)) return FATHOM_FAILED;
    if (root->count == 0) return result_of_end(root);
    if (results != NULL) {
        for (size_t i = 0; i < root->count; i++) results[i] = result_of(&root->pos, &root->move[i]);
        results[root->count] = FATHOM_FAILED;
    }
    return result_of(&root->pos, &root->move[0]);
}

unsigned tb_probe_root_impl(uint64_t white, uint64_t black, uint64_t kings, uint64_t queens,
                            uint64_t rooks, uint64_t bishops, uint64_t knights, uint64_t pawns,
                            unsigned rule50, unsigned ep, bool turn, unsigned *results)
{
    Root root;
    if (results != NULL) results[0] = FATHOM_FAILED;
    root.tables = current_enter();
    if (root.tables == NULL) return FATHOM_FAILED;
    board_read(&root.pos, white, black, kings, queens, rooks, bishops, knights, pawns, ep, turn);
    root.pos.halfmove = clock_of(rule50);
    unsigned result = root_results(&root, results);
    current_leave();
    return result;
}

/* ---- Ranks and scores ------------------------------------------------------------------------ */

/* A win that is in time whatever happens ranks 1000, one that just comes in time 900, and what
 * comes later below, by what it lacks. After a repetition wins in time are told apart as well, so
 * that the engine makes progress. Losses are alike unless the 50-move rule is near. */
static int rank_of(const treb_value *value, int clock, bool repeated)
{
    int plies = value->plies[TREB_DTZ], left = 1000 - (plies + clock);
    if (left < 1) left = 1;
    if (value->wdl == TREB_DRAW) return 0;
    if (value->wdl > TREB_DRAW) return plies + clock <= 99 && !repeated ? 1000 : left;
    return 2 * plies + clock < 100 ? -1000 : -left;
}

/* The numbers of Debian's library, which gives draws by the 50-move rule from 3 to 499. */
static int score_of(int rank, bool use_rule50)
{
    int size = rank < 0 ? -rank : rank, score = size < 803 ? 3 : size - 400;
    if (size == 0) return 0;
    if (size >= (use_rule50 ? 900 : 1)) score = FATHOM_MATE_SCORE;
    return rank < 0 ? -score : score;
}

/* Writes the best play after pv[0], to the end of what DTZ tells: the next capture, pawn move or
 * mate. */
static void predict(const Root *root, struct TbRootMove *out)
{
    treb_position at = root->pos;
    treb_move move = root->move[0];
    while (!(move.flags & TREB_MOVE_ZEROING) && out->pvSize < LINE_PLIES) {
        size_t count;
        if (treb_position_play(&at, move.uci, &at, NULL) != TREB_OK) return;
        if (treb_probe_moves(root->tables, &at, TREB_DTZ, TREB_RULE_50, &move, 1, &count, NULL) !=
            TREB_OK)
            return;
        if (count == 0 || move.value.wdl == TREB_DRAW) return;
        out->pv[out->pvSize++] = board_move(&move);
    }
}

static void write_move(const treb_move *move, int rank, int score, struct TbRootMove *out)
{
    out->move = board_move(move);
    out->pv[0] = out->move;
    out->pvSize = 1;
    out->tbRank = rank;
    out->tbScore = score;
}

int tb_probe_root_dtz(uint64_t white, uint64_t black, uint64_t kings, uint64_t queens,
                      uint64_t rooks, uint64_t bishops, uint64_t knights, uint64_t pawns,
                      unsigned rule50, unsigned castling, unsigned ep, bool turn, bool has_repeated,
                      bool use_rule50, struct TbRootMoves *results)
{
    Root root;
    results->size = 0;
    root.tables = castling == 0 ? current_enter() : NULL;
    if (root.tables == NULL) return 0;
    board_read(&root.pos, white, black, kings, queens, rooks, bishops, knights, pawns, ep, turn);
    root.pos.halfmove = clock_of(rule50);
    bool ok = root_list(&root, TREB_DTZ);
    for (size_t i = 0; ok && i < root.count; i++) {
        int rank = rank_of(&root.move[i].value, root.pos.halfmove, has_repeated);
        write_move(&root.move[i], rank, score_of(rank, use_rule50), &results->moves[i]);
        if (i == 0 && rank != 0) predict(&root, &results->moves[0]);
        results->size++;
    }
    current_leave();
    return ok;
}

int tb_probe_root_wdl(uint64_t white, uint64_t black, uint64_t kings, uint64_t queens,
                      uint64_t rooks, uint64_t bishops, uint64_t knights, uint64_t pawns,
                      unsigned rule50, unsigned castling, unsigned ep, bool turn, bool use_rule50,
                      struct TbRootMoves *results)
{
    static const int ranks[] = {-1000, -899, 0, 899, 1000};
    static const int scores[] = {-FATHOM_MATE_SCORE, -2, 0, 2, FATHOM_MATE_SCORE};
    Root root;
    results->size = 0;
    (void)rule50; /* as in Fathom: verdicts alone do not tell how far the clock will go */
    root.tables = castling == 0 ? current_enter() : NULL;
    if (root.tables == NULL) return 0;
    board_read(&root.pos, white, black, kings, queens, rooks, bishops, knights, pawns, ep, turn);
    bool ok = root_list(&root, TREB_WDL);
    for (size_t i = 0; ok && i < root.count; i++) {
        treb_wdl wdl = root.move[i].value.wdl;
        if (!use_rule50 && wdl != TREB_DRAW) wdl = wdl > TREB_DRAW ? TREB_WIN : TREB_LOSS;
        write_move(&root.move[i], ranks[wdl], scores[wdl], &results->moves[i]);
        results->size++;
    }
    current_leave();
    return ok;
}
