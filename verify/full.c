/* full.c - checks every position of a table.
 *
 * Verdict and distances of a cell are packed into one word, so that a move costs one access to
 * memory. The words of both sides to move are filled in passes over all cells:
 *
 *   verdicts    of both sides: what is stored, or what a capture does if that is better
 *   distances   of the side that is stored; where a table leaves out what is won at once, 1; where
 *               it has bounds, completed
 *   moves       of the other side first: its distances follow from its moves, which all lead to the
 *               stored side or to other tables, and its verdicts are judged; then of the stored
 *               side, whose distances are judged as well
 *
 * Where metrics have different sides stored, the distances that one side lacks are filled in before
 * the others are judged by it.
 *
 * Of Syzygy's files the distances are filled in for both sides before any is judged, and settled:
 *
 *   rounding    positions whose distance is n or n + 1, by rising n: n if the moves say so, where
 *               all children that are nearer to their end have been settled; else n + 1
 *
 * What is then judged is one distance for each position. */
#include <stdlib.h>
#include <string.h>

#include "verify/parts.h"

enum {
    CHUNK = 1 << 14,
    RUN = 64, /* words looked through at a stroke */
    SAID = TREB_DTC,
    ROUNDS = 4096 /* more than any distance of a Syzygy file's */
};

/* A cell's word: bits 0 to 2 the verdict, then the distances. All bits set: no legal position. */
#define WORD_ILLEGAL UINT32_MAX
typedef struct Field {
    unsigned shift, most; /* `most` stands for VERIFY_NONE */
} Field;
static const Field our_fields[TREB_METRICS] = {{0, 7}, {3, 511}, {12, 1023}, {22, 1023}};

/* Of Syzygy's files, which have no DTC, that field has what the file says of DTZ. */
static const Field syzygy_fields[TREB_METRICS] = {
    {0, 7}, {3, 2 * ROUNDS - 1}, {16, 2 * ROUNDS - 1}, {29, 0}};

typedef struct Full {
    VerifyReport *report;
    VerifyStore *store;
    VerifyEntry *entry;
    const Index *index; /* of the words */
    bool syzygy;
    unsigned ply; /* the unit of distances */
    const Field *field;
    uint32_t mask[TREB_METRICS]; /* the fields' bits */
    int sides;                   /* 1 if the material is symmetric */
    unsigned metrics;            /* distances that have a table */
    unsigned stored[2];          /* those of them that have the side, at least for some pawns */
    uint32_t *word[2];
    VerifyFlat flat; /* the Syzygy file at hand */
    /* Rounded distances: by chunk, bit n % 64 if one may be n or n + 1; whether any is; which are
     * settled now. */
    uint64_t *open[2];
    atomic_bool *rounds;
    unsigned round;
    uint8_t group[2][TREB_TYPES]; /* the index's group of such men */
    VerifyCount *count;
} Full;

/* A thread at work on a side. */
typedef struct Worker {
    const Full *full;
    VerifyReader *reader;
    VerifyWalk walk;
    VerifyCount *count;
    int side;
} Worker;

static unsigned word_get(const Full *full, uint32_t word, int metric)
{
    unsigned most = full->field[metric].most, value = word >> full->field[metric].shift & most;
    return metric != TREB_WDL && value == most ? VERIFY_NONE : value;
}

static uint32_t word_set(const Full *full, uint32_t word, int metric, unsigned value)
{
    const Field *field = &full->field[metric];
    if (value > field->most) value = field->most;
    return (word & ~full->mask[metric]) | value << field->shift;
}

static VerifyValue word_value(const Full *full, uint32_t word)
{
    return (VerifyValue){.verdict = (uint8_t)(word & 7),
                         .plies = {VERIFY_NONE, (uint16_t)word_get(full, word, TREB_DTZ),
                                   (uint16_t)word_get(full, word, TREB_DTC),
                                   (uint16_t)word_get(full, word, TREB_DTM)}};
}

/* Distances of a symmetric material may be settled while others are read. */
static uint32_t word_load(const uint32_t *at) { return __atomic_load_n(at, __ATOMIC_RELAXED); }

/* ---- children -------------------------------------------------------------------------------- */

/* The word of a position of the table, by its men. */
static uint32_t word_of(const Full *full, const treb_position *pos)
{
    treb_position swapped;
    if (full->sides == 1 && pos->turn == TREB_BLACK) {
        position_swap_colors(pos, &swapped);
        pos = &swapped;
    }
    return word_load(&full->word[pos->turn][index_of_position(full->index, pos)]);
}

/* The group's coordinate once one of its men has moved. */
static uint32_t moved_group(const IndexGroup *group, const treb_position *pos, int from, int to)
{
    uint8_t squares[TREB_MEN_MAX];
    uint64_t men = position_men_of(pos, group->color, group->type);
    men ^= square_bit(from) | square_bit(to);
    for (int i = 0; men != 0; i++) squares[i] = (uint8_t)bit_pop(&men);
    return index_group(group, squares);
}

/* The axis that a quiet move changes, and its new coordinate; -1 if the child has to be turned
 * before it can be numbered. */
static int moved_axis(const Worker *w, const treb_position *pos, Move m, uint32_t *coordinate)
{
    const Index *index = w->full->index;
    int from = move_from(m), to = move_to(m);
    if (w->walk.twofold || w->full->sides == 1) return -1;
    if (!bit_test(pos->by_type[TREB_KING], from)) {
        int group = w->full->group[pos->turn][position_piece_at(pos, from, NULL)];
        bool single = index->group[group].count == 1 && !index->group[group].by_shade;
        *coordinate = single ? (uint32_t)to : moved_group(&index->group[group], pos, from, to);
        return 1 + group;
    }
    int white = pos->turn == TREB_WHITE ? to : w->walk.men.king[TREB_WHITE];
    int black = pos->turn == TREB_BLACK ? to : w->walk.men.king[TREB_BLACK], symmetry;
    bool diagonal = white % 9 == 0 && black % 9 == 0;
    if (!index->pawns && diagonal) return -1;
    *coordinate = (uint32_t)index_kings(index->pawns, white, black, &symmetry);
    return symmetry == 0 ? INDEX_KINGS_AXIS : -1;
}

static uint32_t quiet_word(const Worker *w, const treb_position *pos, Move m)
{
    uint32_t coordinate = 0;
    int axis = moved_axis(w, pos, m, &coordinate);
    if (axis >= 0) {
        int64_t steps = (int64_t)coordinate - (int64_t)w->walk.coordinate[axis];
        uint64_t cell = w->walk.cell + (uint64_t)(steps * (int64_t)w->full->index->stride[axis]);
        return word_load(&w->full->word[pos->turn ^ 1][cell]);
    }
    treb_position child;
    position_make(pos, m, &child);
    return word_of(w->full, &child);
}

/* After a pawn's push, which may allow en passant. */
static VerifyValue pushed_value(const Worker *w, const treb_position *child, unsigned metrics)
{
    VerifyValue value = word_value(w->full, word_of(w->full, child));
    if (child->ep == 0 || !position_ep_legal(child)) return value;
    return verify_with_ep(w->reader, w->full->entry, child, &value, metrics);
}

static unsigned pushed_verdict(void *context, const treb_position *child)
{
    return pushed_value(context, child, 0).verdict;
}

/* Quiet moves, most of all moves by far, as words: the fields are compared where they stand. */
typedef struct Quiet {
    unsigned moves, seen;                             /* as in a tally */
    uint32_t least[TREB_METRICS], most[TREB_METRICS]; /* of lost and of won children */
} Quiet;

static void quiet_add(const Full *full, Quiet *quiet, uint32_t word)
{
    unsigned verdict = word & 7;
    quiet->moves++;
    quiet->seen |= 1u << verdict;
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        uint32_t plies = word & full->mask[m];
        if (verdict < TREB_DRAW && plies < quiet->least[m]) quiet->least[m] = plies;
        if (verdict > TREB_DRAW && plies > quiet->most[m]) quiet->most[m] = plies;
    }
}

/* Adds the quiet moves together: for each, a distance is one more than the child's. */
static void quiet_tally(const Full *full, const Quiet *quiet, VerifyTally *tally)
{
    tally->moves += quiet->moves;
    tally->quiet |= quiet->seen;
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        unsigned least = verify_one_more(word_get(full, quiet->least[m], m), full->ply);
        unsigned most = verify_one_more(word_get(full, quiet->most[m], m), full->ply);
        if (quiet->seen & (1 << TREB_LOSS | 1 << TREB_BLESSED_LOSS))
            verify_tally_distance(tally, true, m, least);
        if (quiet->seen & (1 << TREB_CURSED_WIN | 1 << TREB_WIN))
            verify_tally_distance(tally, false, m, most);
    }
}

static void tally_moves(const Worker *w, const treb_position *pos, VerifyTally *tally)
{
    Move moves[MOVES_MAX];
    int count = movegen_legal(pos, moves);
    uint64_t special = pos->by_type[TREB_PAWN], enemy = pos->by_color[pos->turn ^ 1];
    Quiet quiet = {.least = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}};
    verify_tally_init(tally, w->full->ply);
    for (int i = 0; i < count; i++) {
        if (!bit_test(special, move_from(moves[i])) && !bit_test(enemy, move_to(moves[i]))) {
            quiet_add(w->full, &quiet, quiet_word(w, pos, moves[i]));
            continue;
        }
        VerifyKind kind = verify_kind(pos, moves[i]);
        unsigned wanted = verify_wanted(kind, w->full->metrics);
        VerifyValue value;
        if (kind == KIND_CONVERSION) {
            value = verify_convert(w->reader, w->full->entry, pos, moves[i], wanted);
        } else {
            treb_position child;
            position_make(pos, moves[i], &child);
            value = pushed_value(w, &child, wanted);
        }
        verify_tally_add(tally, kind, &value);
    }
    quiet_tally(w->full, &quiet, tally);
}

/* ---- what is done with a cell ---------------------------------------------------------------- */

/* Whether a table could not be read. What was made of its values since means nothing. */
static bool unread(const Worker *w) { return w->reader->error.status != TREB_OK; }

static uint64_t error_key(const Worker *w) { return w->walk.cell * 2 + (uint64_t)w->side; }

static void report_code(const Worker *w, const treb_position *pos, int metric, unsigned code)
{
    char fen[TREB_FEN_SIZE];
    position_to_fen(pos, fen);
    verify_report_error(w->full->report, error_key(w),
                        "%s: the %s table has code %u, which it does not explain", fen,
                        table_metric_name(metric), code);
}

static const char *syzygy_ending(const Worker *w) { return w->full->flat.wdl ? ".rtbw" : ".rtbz"; }

/* The Syzygy file says nothing of a position. */
static void report_nothing(const Worker *w, const treb_position *pos)
{
    char fen[TREB_FEN_SIZE];
    position_to_fen(pos, fen);
    verify_report_error(w->full->report, error_key(w), "%s: the %s file has no value for it", fen,
                        syzygy_ending(w));
}

/* It says two things: at least one is wrong. */
static void report_twin(const Worker *w, const treb_position *pos, const char *says,
                        const char *twin)
{
    char fen[TREB_FEN_SIZE];
    position_to_fen(pos, fen);
    verify_report_error(w->full->report, error_key(w),
                        "%s: the %s file says %s, but %s of its mirror image", fen,
                        syzygy_ending(w), says, twin);
}

/* The verdict that the Syzygy file has, and captures make better. */
static int syzygy_verdict_of(const Worker *w, const treb_position *pos, int captures)
{
    const VerifyFlat *flat = &w->full->flat;
    int verdict = verify_flat_value(flat, pos, 0, false);
    int twin = verify_flat_value(flat, pos, 0, true);
    if (verdict == -1 || twin == -1) report_nothing(w, pos);
    if (captures > verdict) verdict = captures;
    if (twin >= 0 && captures > twin) twin = captures;
    if (twin >= 0 && verdict >= 0 && twin != verdict)
        report_twin(w, pos, verify_verdict_text((unsigned)verdict),
                    verify_verdict_text((unsigned)twin));
    return verdict;
}

/* Where a file has the position that is looked at. */
static uint64_t file_cell(const Worker *w, const VerifyFile *file)
{
    return file->like[w->side] ? w->walk.cell
                               : verify_walk_cell(&w->walk, &file->header->side[w->side].index);
}

static int our_verdict(const Worker *w, const treb_position *pos, int captures)
{
    VerifyFile *file = &w->full->entry->file[TREB_WDL];
    const TableSide *side = &file->header->side[w->side];
    unsigned code = verify_code(w->reader, file, w->side, file_cell(w, file));
    int verdict = TREB_LOSS;
    if (unread(w)) return verdict;
    if (code < side->codes[0])
        verdict = side->plies[0][code];
    else
        report_code(w, pos, TREB_WDL, code);
    return captures > verdict ? captures : verdict;
}

static void do_verdict(Worker *w, const treb_position *pos)
{
    const Full *full = w->full;
    uint32_t *word = &full->word[w->side][w->walk.cell];
    if (!verify_legal(pos)) {
        *word = WORD_ILLEGAL;
        return;
    }
    int captures = verify_captures(w->reader, full->entry, pos);
    if (unread(w)) return;
    int verdict =
        full->syzygy ? syzygy_verdict_of(w, pos, captures) : our_verdict(w, pos, captures);
    if (verdict < TREB_LOSS) verdict = TREB_LOSS;
    *word = (WORD_ILLEGAL & ~UINT32_C(7)) | (uint32_t)verdict;
    w->count->positions++;
    w->count->count[w->side][verdict] += index_weight(full->index, &w->walk.men);
}

/* The distance of a position that the Syzygy file stores, and no move reveals. */
static unsigned syzygy_distance_of(const Worker *w, const treb_position *pos, unsigned verdict)
{
    const VerifyFlat *flat = &w->full->flat;
    int dtz = verify_flat_value(flat, pos, verdict, false);
    int twin = verify_flat_value(flat, pos, verdict, true);
    unsigned plies = verify_syzygy_plies(pos, verdict, dtz);
    if (dtz < 0 || twin == -1) {
        report_nothing(w, pos);
    } else if (twin >= 0 && twin != dtz) {
        char says[VERIFY_WORDS], other[VERIFY_WORDS];
        verify_value_text(verdict, plies, w->full->ply, says);
        verify_value_text(verdict, verify_syzygy_plies(pos, verdict, twin), w->full->ply, other);
        report_twin(w, pos, says, other);
    }
    return plies;
}

static void do_syzygy_distance(Worker *w, const treb_position *pos)
{
    const Full *full = w->full;
    uint32_t *at = &full->word[w->side][w->walk.cell], word = *at;
    unsigned verdict = word & 7, once = 0;
    if (verdict == TREB_DRAW || !syzygy_stores(full->flat.table, pos)) return;
    if (verdict > TREB_DRAW) {
        int captures = verify_captures(w->reader, full->entry, pos);
        once = verify_at_once(w->reader, full->entry, pos, verdict, captures, full->metrics,
                              pushed_verdict, w);
        if (unread(w)) return;
    }
    unsigned plies =
        once ? verify_once_plies(full->store, verdict) : syzygy_distance_of(w, pos, verdict);
    *at = word_set(full, word_set(full, word, TREB_DTZ, plies), SAID, plies);
}

static void do_distances(Worker *w, const treb_position *pos)
{
    const Full *full = w->full;
    uint32_t *at = &full->word[w->side][w->walk.cell], word = *at;
    unsigned verdict = word & 7, stored = full->stored[w->side], once = 0;
    if (verdict == TREB_DRAW) return;
    if (verdict > TREB_DRAW) {
        int captures = verify_captures(w->reader, full->entry, pos);
        once = verify_at_once(w->reader, full->entry, pos, verdict, captures, stored,
                              pushed_verdict, w);
    }
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        if (!(stored & metric_bit(m))) continue;
        unsigned plies = 1;
        if (!(once & metric_bit(m))) {
            VerifyFile *file = &full->entry->file[m];
            unsigned code = verify_code(w->reader, file, w->side, file_cell(w, file));
            if (unread(w)) return;
            plies = verify_plies(file->header, w->side, verdict, code);
            if (plies == VERIFY_NONE) report_code(w, pos, m, code);
            if (file->header->bounds)
                plies = verify_complete(w->reader, full->entry, pos, verdict, plies);
            if (unread(w)) return;
        }
        word = word_set(full, word, m, plies);
    }
    *at = word;
}

static void count_distances(Worker *w, const VerifyValue *value)
{
    unsigned weight = index_weight(w->full->index, &w->walk.men);
    for (int m = TREB_DTZ; m < TREB_METRICS; m++)
        if (value->plies[m] < VERIFY_PLIES)
            w->count->histogram[m][w->side][value->verdict][value->plies[m]] += weight;
}

/* Fills in the distances that no table has. Returns the cell's word. */
static uint32_t fill_distances(const Worker *w, const VerifyTally *tally)
{
    const Full *full = w->full;
    uint32_t *at = &full->word[w->side][w->walk.cell];
    VerifyValue made = {.verdict = *at & 7};
    verify_tally_plies(tally, &made);
    for (int m = TREB_DTZ; m < TREB_METRICS; m++)
        if (full->metrics & ~full->stored[w->side] & metric_bit(m))
            *at = word_set(full, *at, m, made.plies[m]);
    return *at;
}

static void do_fill(Worker *w, const treb_position *pos)
{
    VerifyTally tally;
    tally_moves(w, pos, &tally);
    fill_distances(w, &tally);
}

/* The same where a Syzygy file has the other side to move of the position. */
static void do_syzygy_fill(Worker *w, const treb_position *pos)
{
    const Full *full = w->full;
    uint32_t *at = &full->word[w->side][w->walk.cell];
    VerifyTally tally;
    VerifyValue made = {.verdict = *at & 7};
    if (made.verdict == TREB_DRAW || syzygy_stores(full->entry->syzygy[TREB_DTZ], pos)) return;
    tally_moves(w, pos, &tally);
    verify_tally_plies(&tally, &made);
    *at = word_set(full, *at, TREB_DTZ, made.plies[TREB_DTZ]);
}

/* Settles a distance that may be a ply longer. Those that are shorter are settled. */
static void do_settle(Worker *w, const treb_position *pos)
{
    const Full *full = w->full;
    uint32_t *at = &full->word[w->side][w->walk.cell];
    VerifyTally tally;
    VerifyValue made = {.verdict = *at & 7};
    tally_moves(w, pos, &tally);
    verify_tally_plies(&tally, &made);
    unsigned plies = full->ply * (full->round + (made.plies[TREB_DTZ] > full->ply * full->round));
    __atomic_store_n(at, word_set(full, *at, TREB_DTZ, plies), __ATOMIC_RELAXED);
}

static void do_syzygy_moves(Worker *w, const treb_position *pos)
{
    const Full *full = w->full;
    uint32_t word = full->word[w->side][w->walk.cell];
    VerifyTally tally;
    tally_moves(w, pos, &tally);
    if (unread(w)) return;
    VerifyCase c = {.pos = pos,
                    .key = error_key(w),
                    .claim = word_value(full, word),
                    .said = word_get(full, word, SAID),
                    .tally = &tally,
                    .compare = full->metrics,
                    .known = full->metrics};
    verify_judge(full->report, &c);
}

/* Judges a position; its distances that no table has are filled in first. */
static void do_moves(Worker *w, const treb_position *pos)
{
    const Full *full = w->full;
    VerifyTally tally;
    tally_moves(w, pos, &tally);
    if (unread(w)) return;
    VerifyCase c = {.pos = pos,
                    .key = error_key(w),
                    .claim = word_value(full, fill_distances(w, &tally)),
                    .said = VERIFY_NONE,
                    .tally = &tally,
                    .compare = full->metrics,
                    .known = full->metrics};
    verify_judge(full->report, &c);
    if (c.claim.verdict != TREB_DRAW) count_distances(w, &c.claim);
}

/* ---- passes ---------------------------------------------------------------------------------- */

typedef void (*Work)(Worker *w, const treb_position *pos);

static void work_chunk(Worker *w, Work work, uint64_t from, uint64_t to)
{
    uint32_t *words = w->full->word[w->side];
    verify_walk_seek(&w->walk, w->full->index, from);
    for (uint64_t cell = from; cell < to; cell++, verify_walk_next(&w->walk)) {
        if (work == do_verdict) {
            if (!verify_walk_valid(&w->walk)) {
                words[cell] = WORD_ILLEGAL;
                continue;
            }
        } else if (words[cell] == WORD_ILLEGAL) {
            continue;
        }
        treb_position pos = *verify_walk_position(&w->walk);
        pos.turn = (uint8_t)w->side;
        work(w, &pos);
        if (unread(w)) return;
    }
}

/* Goes to a cell further on. */
static void walk_to(VerifyWalk *walk, uint64_t cell)
{
    enum { NEAR = 16 };
    if (cell - walk->cell > NEAR) verify_walk_seek(walk, walk->index, cell);
    while (walk->cell < cell) verify_walk_next(walk);
}

static bool any_word(const uint32_t *words, uint32_t mask, uint32_t bits)
{
    uint32_t found = 0;
    for (int i = 0; i < RUN; i++) found |= (words[i] & mask) == bits;
    return found != 0;
}

/* Settles those cells of a chunk whose turn it is. */
static void settle_chunk(Worker *w, uint64_t from, uint64_t to)
{
    const Full *full = w->full;
    const uint32_t *words = full->word[w->side], mask = full->mask[TREB_DTZ];
    uint32_t bits = (full->ply * full->round + 1) << full->field[TREB_DTZ].shift;
    if (!(full->open[w->side][from / CHUNK] >> full->round % 64 & 1)) return;
    verify_walk_seek(&w->walk, full->index, from);
    for (uint64_t cell = from; cell < to; cell++) {
        if (cell % RUN == 0 && to - cell >= RUN && !any_word(words + cell, mask, bits)) {
            cell += RUN - 1;
            continue;
        }
        if ((words[cell] & mask) != bits) continue;
        walk_to(&w->walk, cell);
        treb_position pos = *verify_walk_position(&w->walk);
        pos.turn = (uint8_t)w->side;
        do_settle(w, &pos);
        if (unread(w)) return;
    }
}

/* Finds what is to be settled in a chunk. */
static void find_open(Worker *w, uint64_t from, uint64_t to)
{
    const Full *full = w->full;
    uint64_t open = 0;
    for (uint64_t cell = from; cell < to; cell++) {
        unsigned plies = word_get(full, full->word[w->side][cell], TREB_DTZ);
        if (plies == VERIFY_NONE || plies % full->ply == 0) continue;
        plies /= full->ply;
        open |= UINT64_C(1) << plies % 64;
        if (!atomic_load_explicit(&full->rounds[plies], memory_order_relaxed))
            atomic_store(&full->rounds[plies], true);
    }
    full->open[w->side][from / CHUNK] = open;
}

static void add_count(VerifyCount *sum, const VerifyCount *part)
{
    sum->positions += part->positions;
    for (int side = 0; side < 2; side++)
        for (int v = 0; v < WDL_VALUES; v++) {
            sum->count[side][v] += part->count[side][v];
            for (int m = 0; m < TREB_METRICS; m++)
                for (int p = 0; p < VERIFY_PLIES; p++)
                    sum->histogram[m][side][v][p] += part->histogram[m][side][v][p];
        }
}

typedef void (*Chunk)(Worker *w, uint64_t from, uint64_t to);

/* What a pass does: something with each position, or with each chunk. */
typedef struct Pass {
    Work work;
    Chunk chunk;
    int side;
    bool silent;
} Pass;

/* One thread's share of a pass: chunks from a common counter, so that all end together. */
static void run_worker(const Full *full, const Pass *pass, _Atomic(uint64_t) *next)
{
    Worker w = {.full = full, .side = pass->side, .reader = verify_reader_new(full->store)};
    uint64_t size = full->index->size;
    w.count = calloc(1, sizeof *w.count);
    bool memory = w.reader != NULL && w.count != NULL;
    while (memory && !atomic_load(&full->report->stop)) {
        uint64_t from = atomic_fetch_add(next, CHUNK);
        if (from >= size) break;
        uint64_t to = size - from < CHUNK ? size : from + CHUNK;
        if (pass->chunk != NULL)
            pass->chunk(&w, from, to);
        else
            work_chunk(&w, pass->work, from, to);
        if (unread(&w)) break;
        if (!pass->silent) verify_report_progress(full->report, to - from);
    }
    if (!memory)
        verify_report_no_memory(full->report);
    else if (unread(&w))
        verify_report_fail(full->report, &w.reader->error);
#pragma omp critical(verify_count)
    if (memory) add_count(full->count, w.count);
    free(w.count);
    verify_reader_free(w.reader);
}

static void run_threads(const Full *full, const Pass *pass)
{
    _Atomic(uint64_t) next = 0;
    if (atomic_load(&full->report->stop)) return;
#pragma omp parallel num_threads(verify_threads(full->report->options))
    run_worker(full, pass, &next);
}

static void run_pass(const Full *full, Work work, int side, const char *phase)
{
    const Pass pass = {.work = work, .side = side};
    if (atomic_load(&full->report->stop)) return;
    verify_report_phase(full->report, phase, full->index->size);
    run_threads(full, &pass);
}

/* Unpacks a side of a file of the table under test, all threads together. */
static void load_file(const Full *full, VerifyFile *file, int side)
{
    VerifyReport *report = full->report;
    uint64_t blocks = table_side_blocks(file->header);
    unsigned bits = file->header->block_bits;
    uint8_t *bytes = malloc(blocks << bits);
    if (bytes == NULL) {
        verify_report_no_memory(report);
        return;
    }
#pragma omp parallel num_threads(verify_threads(full->report->options))
    {
        VerifyReader *reader = verify_reader_new(full->store);
#pragma omp for schedule(dynamic, 16)
        for (uint64_t b = 0; b < blocks; b++)
            if (reader != NULL) verify_block(reader, file, side, b, bytes + (b << bits));
        if (reader == NULL)
            verify_report_no_memory(report);
        else if (reader->error.status != TREB_OK)
            verify_report_fail(report, &reader->error);
        verify_reader_free(reader);
    }
    if (atomic_load(&report->stop)) {
        free(bytes);
        return;
    }
    report->result->blocks += blocks;
    atomic_store(&file->bytes[side], bytes);
}

static void unload_file(const Full *full, VerifyFile *file, int side)
{
    uint64_t bytes = table_side_blocks(file->header) << file->header->block_bits;
    free(atomic_exchange(&file->bytes[side], NULL));
    verify_release(full->store, bytes);
}

/* Loads or unloads the files of the table under test: the WDL table or the distances. */
static void each_file(const Full *full, bool wdl,
                      void (*act)(const Full *full, VerifyFile *file, int side))
{
    for (int m = 0; m < TREB_METRICS; m++) {
        VerifyFile *file = &full->entry->file[m];
        if ((m == TREB_WDL) != wdl || file->table == NULL) continue;
        if (atomic_load(&full->report->stop)) return;
        for (int side = 0; side < 2; side++)
            if (file->header->side[side].stored) act(full, file, side);
    }
}

static void run_passes(const Full *full)
{
    each_file(full, true, load_file);
    for (int s = 0; s < full->sides; s++) run_pass(full, do_verdict, s, "verdicts");
    each_file(full, true, unload_file);
    each_file(full, false, load_file);
    for (int s = 0; s < full->sides; s++)
        if (full->stored[s] != 0) run_pass(full, do_distances, s, "distances");
    each_file(full, false, unload_file);
    /* A side's distances have to be filled in before the other is judged. */
    bool whole[2] = {full->stored[0] == full->metrics, full->stored[1] == full->metrics};
    int first = whole[0] ? 1 : 0;
    if (full->sides == 1) {
        run_pass(full, do_moves, 0, "moves");
        return;
    }
    if (!whole[0] && !whole[1]) {
        run_pass(full, do_fill, 0, "distances");
        first = 1;
    }
    run_pass(full, do_moves, first, "moves");
    run_pass(full, do_moves, first ^ 1, "moves");
}

/* ---- Syzygy's files -------------------------------------------------------------------------- */

/* Settles all distances that may be a ply longer, the shortest first. */
static void settle(Full *full)
{
    unsigned before = 0, last = 0;
    if (atomic_load(&full->report->stop)) return;
    for (int s = 0; s < full->sides; s++)
        run_threads(full, &(Pass){.chunk = find_open, .side = s, .silent = true});
    for (unsigned n = 0; n < ROUNDS; n++)
        if (atomic_load(&full->rounds[n])) last = n;
    verify_report_phase(full->report, "rounding", last);
    for (full->round = 0; full->round <= last; full->round++) {
        if (!atomic_load(&full->rounds[full->round])) continue;
        for (int s = 0; s < full->sides; s++)
            run_threads(full, &(Pass){.chunk = settle_chunk, .side = s, .silent = true});
        verify_report_progress(full->report, full->round - before);
        before = full->round;
    }
}

static void run_syzygy_distances(Full *full)
{
    const Syzygy *table = full->entry->syzygy[TREB_DTZ];
    verify_flat_load(full->report, table, false, &full->flat);
    for (int s = 0; s < full->sides; s++)
        if (syzygy_has_side(table, s)) run_pass(full, do_syzygy_distance, s, "distances");
    verify_flat_free(&full->flat);
    for (int s = 0; s < full->sides; s++)
        if (full->sides == 2 && syzygy_has_side(table, s ^ 1))
            run_pass(full, do_syzygy_fill, s, "distances");
    settle(full);
}

static void run_syzygy(Full *full)
{
    verify_flat_load(full->report, full->entry->syzygy[TREB_WDL], true, &full->flat);
    for (int s = 0; s < full->sides; s++) run_pass(full, do_verdict, s, "verdicts");
    verify_flat_free(&full->flat);
    if (full->metrics != 0 && !atomic_load(&full->report->stop)) run_syzygy_distances(full);
    for (int s = 0; s < full->sides; s++) run_pass(full, do_syzygy_moves, s, "moves");
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* The larger of the two files, unpacked, and what is to be settled. */
static bool claim_syzygy(Full *full)
{
    uint64_t chunks = (full->index->size + CHUNK - 1) / CHUNK, most = 0;
    for (int m = TREB_WDL; m <= TREB_DTZ; m++) {
        const Syzygy *table = full->entry->syzygy[m];
        uint64_t bytes = table != NULL ? verify_flat_bytes(table, m == TREB_WDL) : 0;
        if (bytes > most) most = bytes;
    }
    if (!verify_claim(full->store, most + 2 * chunks * sizeof **full->open)) return false;
    full->rounds = calloc(ROUNDS, sizeof *full->rounds);
    for (int s = 0; s < full->sides; s++) full->open[s] = calloc(chunks, sizeof **full->open);
    return full->rounds != NULL && full->open[0] != NULL && full->open[full->sides - 1] != NULL;
}

static bool claim_memory(Full *full)
{
    VerifyStore *store = full->store;
    uint64_t words = full->index->size * sizeof(uint32_t) * (uint64_t)full->sides;
    if (full->syzygy && !claim_syzygy(full)) return false;
    for (int m = 0; m < TREB_METRICS; m++) {
        const VerifyFile *file = &full->entry->file[m];
        for (int side = 0; side < 2; side++)
            if (file->table != NULL && file->header->side[side].stored &&
                !verify_claim(store, table_side_blocks(file->header) << file->header->block_bits))
                return false;
    }
    if (!verify_claim(store, words)) return false;
    for (int s = 0; s < full->sides; s++) {
        full->word[s] = malloc(full->index->size * sizeof(uint32_t));
        if (full->word[s] == NULL) return false;
    }
    return true;
}

void verify_full(VerifyReport *report, VerifyStore *store, unsigned metrics, VerifyCount *count)
{
    VerifyEntry *entry = store->entry[0];
    bool syzygy = report->options->syzygy;
    Full full = {.report = report,
                 .store = store,
                 .entry = entry,
                 .index = &entry->index,
                 .syzygy = syzygy,
                 .ply = store->ply,
                 .field = syzygy ? syzygy_fields : our_fields,
                 .sides = entry->symmetric ? 1 : 2,
                 .metrics = metrics & VERIFY_DISTANCES,
                 .count = count};
    for (int m = 0; m < TREB_METRICS; m++) full.mask[m] = full.field[m].most << full.field[m].shift;
    for (int g = 0; g < full.index->groups; g++)
        full.group[full.index->group[g].color][full.index->group[g].type] = (uint8_t)g;
    for (int s = 0; s < 2 && !syzygy; s++)
        for (int m = TREB_DTZ; m < TREB_METRICS; m++)
            if (full.metrics & metric_bit(m) && entry->file[m].header->side[s].stored)
                full.stored[s] |= metric_bit(m);
    if (!claim_memory(&full))
        verify_report_fail(report, &(treb_error){TREB_ERR_MEMORY, "a full check of this table "
                                                                  "needs more memory"});
    else if (syzygy)
        run_syzygy(&full);
    else
        run_passes(&full);
    for (int s = 0; s < 2; s++) {
        free(full.word[s]);
        free(full.open[s]);
    }
    free(full.rounds);
}
