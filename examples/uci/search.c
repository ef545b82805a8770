/* search.c - see search.h.
 *
 * Every legal move is searched to an equal depth (Shannon's type A). Nothing is pruned except by
 * alpha-beta. So the contribution of the tables is not hidden by heuristics. */
#include "search.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "eval.h"
#include "score.h"

typedef struct Search {
    const SearchSetup *setup;
    double start;
    uint64_t nodes;
    int depth; /* of the present iteration */
    bool stopped;
    bool hurry;                         /* must stop, but has no move yet */
    bool probing;                       /* probe the tables in the tree */
    bool going_on;                      /* continues where an earlier search stopped */
    uint64_t keys[GAME_KEYS + PLY_MAX]; /* keys of the game, then of the present line */
    int key_count;
    Move killer[PLY_MAX][2];
    Move line[PLY_MAX][PLY_MAX]; /* the best line from each ply */
    int length[PLY_MAX];
} Search;

/* ---- The game -------------------------------------------------------------------------------- */

void game_start(Game *g, const Board *b)
{
    g->board = *b;
    g->keys[0] = b->key;
    g->key_count = 1;
    g->played = 0;
}

void game_play(Game *g, Move m)
{
    Board child;
    if (!board_make(&g->board, m, &child)) return;
    g->before[1] = g->before[0];
    g->before[0] = g->board;
    g->played++;
    g->board = child;
    if (child.halfmove == 0) g->key_count = 0; /* no earlier position can occur again */
    if (g->key_count == GAME_KEYS) {
        g->key_count--;
        memmove(g->keys, g->keys + 1, (size_t)g->key_count * sizeof *g->keys);
    }
    g->keys[g->key_count++] = child.key;
}

static int times_seen(const void *context, const Board *b)
{
    const Game *g = context;
    int times = 0;
    if (b->halfmove == 0) return 0;
    for (int i = 0; i < g->key_count; i++) times += g->keys[i] == b->key;
    return times;
}

/* ---- Ends of lines --------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool is_over(const Search *s)
{
    const Limits *limits = s->setup->limits;
    if (limits->nodes && s->nodes > limits->nodes) return true;
    /* Looks at the clock often, because a node whose block must be unpacked takes a hundred times as
     * long as others. */
    if (s->nodes % 128 == 0 && limits->seconds > 0 && now() - s->start > limits->seconds)
        return true;
    return atomic_load_explicit(s->setup->stop, memory_order_relaxed);
}

/* Counts a node and returns whether the search must stop. The first iteration is always completed, so
 * that the move played was searched. If it should stop, it searches only two plies deep. */
static bool enter(Search *s)
{
    s->nodes++;
    if (!s->hurry && !s->stopped && is_over(s)) {
        s->hurry = s->depth == 1;
        s->stopped = s->depth > 1;
    }
    return s->stopped;
}

/* Whether a node is evaluated without searching its moves. */
static bool is_leaf(const Search *s, int ply)
{
    return ply >= PLY_MAX - 2 || (s->hurry && ply > 1);
}

/* The last key is that of `b`. One repetition counts as a draw, because the side that repeats can do it
 * again. */
static bool is_repetition(const Search *s, const Board *b)
{
    int first = s->key_count - 1 - b->halfmove;
    for (int i = s->key_count - 5; i >= 0 && i >= first; i -= 2)
        if (s->keys[i] == b->key) return true;
    return false;
}

/* Whether at most one minor piece is left, so that no mate is possible. */
static bool is_bare(const Board *b)
{
    for (int type = PAWN; type < KING; type++)
        if (type != KNIGHT && type != BISHOP && (b->men[WHITE][type] | b->men[BLACK][type]))
            return false;
    return bit_count(b->all[WHITE] | b->all[BLACK]) <= 3;
}

static bool is_draw(const Search *s, const Board *b)
{
    if (is_bare(b) || is_repetition(s, b)) return true;
    return b->halfmove >= 100 && (!board_in_check(b) || board_can_move(b));
}

/* ---- Order of moves -------------------------------------------------------------------------- */

typedef struct Picker {
    Move moves[MOVES_MAX];
    int value[MOVES_MAX];
    int count;
} Picker;

/* Sorts moves: the move of the table, captures of valuable men by cheap ones, promotions, killers, the
 * rest. */
static void picker_init(Picker *p, const Search *s, const Board *b, int ply, bool forcing,
                        Move first)
{
    p->count = board_moves(b, forcing, p->moves);
    for (int i = 0; i < p->count; i++) {
        Move m = p->moves[i];
        int value = 0;
        if (m == first)
            value = 1 << 20;
        else if (board_is_capture(b, m) || move_promotion(m)) {
            int victim = board_type_at(b, move_to(m)), man = board_type_at(b, move_from(m));
            value = 10000 + (victim >= 0 ? 10 * eval_man[victim] : 0) - eval_man[man];
            if (move_promotion(m)) value += eval_man[move_promotion(m)];
        } else if (m == s->killer[ply][0] || m == s->killer[ply][1])
            value = 1000;
        p->value[i] = value;
    }
}

/* Moves the best of the moves from `at` on to `at`, and returns it. */
static Move picker_next(Picker *p, int at)
{
    int best = at;
    for (int i = at + 1; i < p->count; i++)
        if (p->value[i] > p->value[best]) best = i;
    Move m = p->moves[best];
    p->moves[best] = p->moves[at];
    p->value[best] = p->value[at];
    p->moves[at] = m;
    return m;
}

static void note_killer(Search *s, const Board *b, int ply, Move m)
{
    if (board_is_capture(b, m) || move_promotion(m) || s->killer[ply][0] == m) return;
    s->killer[ply][1] = s->killer[ply][0];
    s->killer[ply][0] = m;
}

static void note_line(Search *s, int ply, Move m)
{
    int length = s->length[ply + 1];
    s->line[ply][0] = m;
    memcpy(s->line[ply] + 1, s->line[ply + 1], (size_t)length * sizeof(Move));
    s->length[ply] = length + 1;
}

/* ---- The search ------------------------------------------------------------------------------ */

/* Searches captures and promotions until the position is quiet, and all moves out of check. */
static int quiesce(Search *s, const Board *b, int ply, int alpha, int beta)
{
    int best = -SCORE_MATE + ply, score;
    s->length[ply] = 0;
    if (enter(s)) return 0;
    if (is_bare(b)) return 0;
    /* The tables come before the stand-pat bound, because their answer is final. */
    if (s->probing && tables_probe(s->setup->tables, b, ply, alpha, beta, &score)) return score;
    if (is_leaf(s, ply)) return eval_position(b);
    bool check = board_in_check(b);
    if (!check) best = eval_position(b);
    if (best >= beta) return best;
    if (best > alpha) alpha = best;

    Picker p;
    picker_init(&p, s, b, ply, !check, 0);
    for (int i = 0; i < p.count && best < beta; i++) {
        Board child;
        Move m = picker_next(&p, i);
        if (!board_make(b, m, &child)) continue;
        score = -quiesce(s, &child, ply + 1, -beta, -alpha);
        if (s->stopped) return 0;
        if (score > best) best = score;
        if (score > alpha) {
            alpha = score;
            note_line(s, ply, m);
        }
    }
    return best;
}

static int search(Search *s, const Board *b, int ply, int depth, int alpha, int beta);

/* Returns the score of a move. Except for the first move, it first tests with an empty window whether the
 * move is better than alpha. */
static int search_move(Search *s, const Board *child, int ply, int depth, int alpha, int beta,
                       bool first)
{
    int score = alpha + 1;
    s->keys[s->key_count++] = child->key;
    if (!first) score = -search(s, child, ply + 1, depth - 1, -alpha - 1, -alpha);
    if (first || (score > alpha && score < beta))
        score = -search(s, child, ply + 1, depth - 1, -beta, -alpha);
    s->key_count--;
    return score;
}

static void note_near(const Search *s, const Board *b, int depth)
{
    Found *found = s->setup->found;
    TtEntry e = tt_find(s->setup->tt, b, 0);
    if (e.bound != BOUND_NONE && e.depth >= depth && !tables_know(s->setup->tables, b))
        found->near[found->near_count++ % NEAR_MAX] = e;
}

/* A search that is stopped notes its completed work for the next search. At each node of the line that
 * it was searching, these are the moves before the move of this line, and the result of a shallower
 * search of the node. Shallow results are left out, because searching them again is cheap. The nodes come
 * from the leaves to the root; if there are too many, the first ones are overwritten. */
static void note_done(const Search *s, const Board *b, const Move *moves, int count, int depth)
{
    enum { DEPTH_WORTH_IT = 3 };
    if (s->setup->found == NULL) return;
    note_near(s, b, 1);
    for (int i = 0; i < count && depth >= DEPTH_WORTH_IT; i++) {
        Board child;
        if (board_make(b, moves[i], &child)) note_near(s, &child, depth);
    }
}

/* Searches all moves. Returns the score of the best one, or of mate or stalemate. */
static int search_moves(Search *s, const Board *b, int ply, int depth, int alpha, int beta,
                        Move first)
{
    Picker p;
    Move best_move = 0;
    int best = board_in_check(b) ? -SCORE_MATE + ply : 0, floor = alpha, legal = 0;
    picker_init(&p, s, b, ply, false, first);
    for (int i = 0; i < p.count && (legal == 0 || best < beta); i++) {
        Board child;
        Move m = picker_next(&p, i);
        if (!board_make(b, m, &child)) continue;
        int score = search_move(s, &child, ply, depth, alpha, beta, legal++ == 0);
        if (s->stopped) {
            note_done(s, b, p.moves, i, depth - 1);
            return 0;
        }
        if (legal == 1 || score > best) {
            best = score;
            best_move = m;
        }
        if (score > alpha) {
            alpha = score;
            note_line(s, ply, m);
        }
    }
    if (legal == 0 || s->hurry) return best;
    if (best >= beta) note_killer(s, b, ply, best_move);
    Bound bound = best >= beta ? BOUND_LOWER : best > floor ? BOUND_EXACT : BOUND_UPPER;
    tt_store(s->setup->tt, b, ply, depth, best, bound, best > floor ? best_move : 0);
    return best;
}

static bool tt_settles(const TtEntry *e, int depth, int alpha, int beta)
{
    if (e->bound == BOUND_NONE || e->depth < depth) return false;
    if (e->bound == BOUND_EXACT) return true;
    return e->bound == BOUND_LOWER ? e->score >= beta : e->score <= alpha;
}

static int search(Search *s, const Board *b, int ply, int depth, int alpha, int beta)
{
    int score;
    if (depth <= 0 && !board_in_check(b)) {
        /* A position at the horizon may be a draw by rule, too. */
        s->length[ply] = 0;
        if (is_draw(s, b)) return 0;
        return quiesce(s, b, ply, alpha, beta);
    }
    s->length[ply] = 0;
    if (enter(s)) return 0;
    if (is_draw(s, b)) return 0;
    /* An exact value ends the variation. An engine with a null move or other shortcuts should try them
     * after this line. */
    if (s->probing && tables_probe(s->setup->tables, b, ply, alpha, beta, &score)) return score;
    if (is_leaf(s, ply)) return eval_position(b);
    if (depth < 0) depth = 0; /* in check at the horizon */

    TtEntry entry = tt_find(s->setup->tt, b, ply);
    bool open = beta - alpha > 1; /* on the principal variation, which is shown in full */
    if ((!open || entry.kept) && tt_settles(&entry, depth, alpha, beta)) return entry.score;
    /* Normally, earlier iterations have left good first moves in the table. A search that continues an
     * earlier one lacks these moves, so it finds them by a shallower search. */
    if (s->going_on && entry.bound == BOUND_NONE && depth > 3) {
        search(s, b, ply, depth - 2, alpha, beta);
        if (s->stopped) return 0;
        s->length[ply] = 0;
        entry = tt_find(s->setup->tt, b, ply);
    }
    return search_moves(s, b, ply, depth, alpha, beta, entry.move);
}

/* ---- The root -------------------------------------------------------------------------------- */

static void report(const Search *s, int depth, int score, const Move *line, int length)
{
    const SearchSetup *setup = s->setup;
    SearchInfo info = {.depth = depth,
                       .score = score,
                       .nodes = s->nodes,
                       .hits = setup->tables->hits,
                       .seconds = now() - s->start,
                       .full = tt_full(setup->tt),
                       .line = line,
                       .length = length};
    setup->report(&info);
}

static void put_first(TablesRoot *root, int at)
{
    Move m = root->moves[at];
    memmove(root->moves + 1, root->moves, (size_t)at * sizeof(Move));
    root->moves[0] = m;
}

/* Searches all moves of `root` to `depth` and puts the best one first. Returns its score. */
static int iterate(Search *s, TablesRoot *root, int depth)
{
    int alpha = -SCORE_INFINITE;
    for (int i = 0; i < root->count; i++) {
        Board child;
        Move m = root->moves[i];
        board_make(&s->setup->game->board, m, &child);
        int score = search_move(s, &child, 0, depth, alpha, SCORE_INFINITE, i == 0);
        if (s->stopped) {
            note_done(s, &s->setup->game->board, root->moves, i, depth - 1);
            break;
        }
        if (score <= alpha) continue;
        alpha = score;
        note_line(s, 0, m);
        put_first(root, i);
    }
    return alpha;
}

/* Whether deeper iterations are not needed. */
static bool is_enough(const Search *s, int depth, int score, int moves)
{
    const Limits *limits = s->setup->limits;
    int mate = SCORE_MATE - abs(score); /* in plies */
    if (limits->infinite) return false;
    if (limits->mate && score > 0 && mate <= 2 * limits->mate - 1) return true;
    if (limits->enough <= 0) return false;
    return moves == 1 || mate <= depth || now() - s->start > limits->enough;
}

/* ---- Continuing an earlier search ------------------------------------------------------------ */

/* Whether results for this position may be used and kept: all moves are searched, and the position is new
 * in the game. Otherwise another repetition may draw, which changes the score. */
static bool is_first_time(const Search *s)
{
    const SearchSetup *setup = s->setup;
    return setup->limits->move_count == 0 && times_seen(setup->game, &setup->game->board) <= 1;
}

static bool is_move(const Board *b, Move m)
{
    Move moves[MOVES_MAX];
    int count = board_moves(b, false, moves);
    for (int i = 0; i < count; i++)
        if (moves[i] == m) return true;
    return false;
}

/* Plays the moves of a line on `b`, at most `most`, up to the first illegal one. Returns their number. */
static int follow(Board *b, const Move *line, int length, int most)
{
    int done = 0;
    for (; done < length && done < most; done++) {
        Board child;
        if (!is_move(b, line[done]) || !board_make(b, line[done], &child)) break;
        *b = child;
    }
    return done;
}

/* Extends a line that ended at a position from the memory: by the known line if it begins like this one,
 * then by exact entries of the transposition table. */
static void extend_line(Search *s, int depth)
{
    const Found *known = s->setup->known;
    Board b = s->setup->game->board;
    int length = s->length[0];
    if (length < known->length &&
        memcmp(s->line[0], known->line, (size_t)length * sizeof(Move)) == 0) {
        memcpy(s->line[0], known->line, (size_t)known->length * sizeof(Move));
        length = known->length;
    }
    length = follow(&b, s->line[0], length, PLY_MAX);
    while (length < depth && length < PLY_MAX) {
        TtEntry e = tt_find(s->setup->tt, &b, 0);
        if (e.bound != BOUND_EXACT || follow(&b, &e.move, 1, 1) == 0) break;
        s->line[0][length++] = e.move;
    }
    s->length[0] = length;
}

/* Whether the memory has a deeper search of a position after the known move, with a clearly worse score,
 * for example because a game was lost there. */
static bool is_refuted(const Search *s, const Board *after, const Found *known)
{
    enum { WORSE = 50 };
    Move replies[MOVES_MAX];
    int count = board_moves(after, false, replies);
    for (int i = 0; i < count; i++) {
        Board child;
        if (!board_make(after, replies[i], &child)) continue;
        TtEntry e = tt_find(s->setup->tt, &child, 2);
        bool tells = e.bound == BOUND_EXACT || e.bound == BOUND_UPPER;
        if (e.kept && tells && e.depth > known->depth - 2 && e.score < known->score - WORSE)
            return true;
    }
    return false;
}

/* Puts the known move first and its line into s->line. Returns false if the known result must not be
 * used. */
static bool go_on(Search *s, TablesRoot *root)
{
    const SearchSetup *setup = s->setup;
    const Found *known = setup->known;
    Board b = setup->game->board, child;
    int at = 0;
    if (known->depth == 0 || known->length == 0 || !is_first_time(s)) return false;
    while (at < root->count && root->moves[at] != known->line[0]) at++;
    if (at == root->count || !board_make(&b, root->moves[at], &child)) return false;
    if (times_seen(setup->game, &child) > 0 || is_refuted(s, &child, known)) return false;
    put_first(root, at);
    s->length[0] = follow(&b, known->line, known->length, PLY_MAX);
    memcpy(s->line[0], known->line, (size_t)s->length[0] * sizeof(Move));
    s->going_on = true;
    return true;
}

static void note_found(const Search *s, int depth, int score)
{
    Found *found = s->setup->found;
    found->depth = depth;
    found->score = score;
    found->length = s->length[0];
    memcpy(found->line, s->line[0], (size_t)found->length * sizeof(Move));
}

/* ---- Iterative deepening ---------------------------------------------------------------------- */

static void deepen(Search *s, TablesRoot *root)
{
    const Limits *limits = s->setup->limits;
    int last = limits->depth && limits->depth < DEPTH_MAX ? limits->depth : DEPTH_MAX;
    if (limits->mate && 2 * limits->mate - 1 < last) last = 2 * limits->mate - 1;
    int first = 1;
    bool keep = s->setup->found != NULL && is_first_time(s);
    if (s->setup->known != NULL && go_on(s, root)) {
        const Found *known = s->setup->known;
        report(s, known->depth, known->score, s->line[0], s->length[0]);
        if (keep) note_found(s, known->depth, known->score);
        if (is_enough(s, known->depth, known->score, root->count)) return;
        first = known->depth + 1;
    }
    for (int depth = first; depth <= last && !s->stopped && !s->hurry; depth++) {
        s->depth = depth;
        int score = iterate(s, root, depth);
        if (score == -SCORE_INFINITE) break; /* stopped before the first move was completed */
        if (s->setup->known != NULL) extend_line(s, depth);
        report(s, depth, score, s->line[0], s->length[0]);
        if (keep && !s->stopped && !s->hurry) {
            note_found(s, depth, score);
            if (s->setup->note != NULL) s->setup->note(s->setup->context, s->setup->found);
        }
        if (is_enough(s, depth, score, root->count)) break;
    }
}

/* Reports the move of the tables and their line after it. */
static void report_decided(Search *s, const TablesRoot *root)
{
    enum { SHOWN = 8 };
    Board child;
    board_make(&s->setup->game->board, root->moves[0], &child);
    int length = tables_line(s->setup->tables, &child, s->line[0] + 1, SHOWN);
    s->line[0][0] = root->moves[0];
    report(s, 1, root->score, s->line[0], 1 + length);
}

static void legal_moves(const SearchSetup *setup, TablesRoot *root)
{
    Move moves[MOVES_MAX];
    const Limits *limits = setup->limits;
    Board child;
    int count = board_moves(&setup->game->board, false, moves);
    for (int i = 0; i < count; i++) {
        bool allowed = limits->move_count == 0;
        for (int k = 0; k < limits->move_count; k++) allowed |= limits->moves[k] == moves[i];
        if (allowed && board_make(&setup->game->board, moves[i], &child))
            root->moves[root->count++] = moves[i];
    }
}

/* Whether the search may wait for a disk. */
static bool is_unhurried(const SearchSetup *setup)
{
    const Limits *limits = setup->limits;
    return setup->always_wait || limits->depth || limits->nodes || limits->mate;
}

/* Returns the seconds to wait for the tables at the root, where their answer saves the whole search. */
static double patience(const Limits *limits)
{
    return limits->seconds > 0 && limits->seconds < 4 ? limits->seconds / 4 : 1;
}

Move search_run(const SearchSetup *setup)
{
    const struct timespec moment = {0, 2000000};
    Move best = 0;
    TablesRoot root = {.count = 0};
    Search *s = calloc(1, sizeof *s);
    if (s == NULL) return 0;
    s->setup = setup;
    s->start = now();
    s->key_count = setup->game->key_count;
    memcpy(s->keys, setup->game->keys, (size_t)s->key_count * sizeof *s->keys);
    if (setup->found != NULL) setup->found->depth = setup->found->near_count = 0;
    setup->tt->age++;
    setup->tables->hits = setup->tables->lacked = 0;
    setup->tables->patient = is_unhurried(setup);
    legal_moves(setup, &root);
    /* If the tables have the root, they have said which moves keep the result. They see no difference
     * between these moves, so the search chooses among them without tables. */
    s->probing = !tables_root(setup->tables, &setup->game->board, times_seen, setup->game,
                              patience(setup->limits), setup->stop, &root);
    if (root.decided)
        report_decided(s, &root);
    else if (root.count > 0)
        deepen(s, &root);
    if (root.count > 0) best = root.moves[0];
    if (setup->found != NULL && setup->found->near_count > NEAR_MAX)
        setup->found->near_count = NEAR_MAX;
    if (setup->nodes != NULL) *setup->nodes = s->nodes;
    while (setup->limits->infinite && !atomic_load(setup->stop)) nanosleep(&moment, NULL);
    free(s);
    return best;
}
