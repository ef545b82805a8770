/* full.c - checks every position of a table.
 *
 * Verdict and distances of a cell are packed into one word, so that a move costs one access to
 * memory. The words of both sides to move are filled in passes over all cells:
 *
 *   verdicts    of both sides: what is stored, or what a capture does if that is better
 *   distances   of the side that is stored; where a table leaves out what is won at once, 1
 *   moves       of the other side first: its distances follow from its moves, which all lead to the
 *               stored side or to other tables, and its verdicts are judged; then of the stored
 *               side, whose distances are judged as well
 *
 * Where metrics have different sides stored, the distances that one side lacks are filled in before
 * the others are judged by it. */
#include <stdlib.h>
#include <string.h>

#include "verify/parts.h"

enum { CHUNK = 1 << 14 };

/* A cell's word: bits 0 to 2 the verdict, then the distances. All bits set: no legal position. */
#define WORD_ILLEGAL UINT32_MAX
static const struct {
    unsigned shift, most; /* `most` stands for VERIFY_NONE */
} field[TREB_METRICS] = {{0, 7}, {3, 511}, {12, 1023}, {22, 1023}};

typedef struct Full {
    VerifyReport *report;
    VerifyStore *store;
    VerifyEntry *entry;
    const Index *index; /* of the WDL table, and so of the words */
    int sides;          /* 1 if the material is symmetric */
    unsigned metrics;   /* distances that have a table */
    unsigned stored[2]; /* those of them that have the side */
    uint32_t *word[2];
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

static unsigned word_get(uint32_t word, int metric)
{
    unsigned value = word >> field[metric].shift & field[metric].most;
    return metric != TREB_WDL && value == field[metric].most ? VERIFY_NONE : value;
}

static uint32_t word_set(uint32_t word, int metric, unsigned value)
{
    if (value > field[metric].most) value = field[metric].most;
    return (word & ~(field[metric].most << field[metric].shift)) | value << field[metric].shift;
}

static VerifyValue word_value(uint32_t word)
{
    return (VerifyValue){.verdict = (uint8_t)(word & 7),
                         .plies = {VERIFY_NONE, (uint16_t)word_get(word, TREB_DTZ),
                                   (uint16_t)word_get(word, TREB_DTC),
                                   (uint16_t)word_get(word, TREB_DTM)}};
}

/* ---- children -------------------------------------------------------------------------------- */

/* The word of a position of the table, by its men. */
static uint32_t word_of(const Full *full, const treb_position *pos)
{
    treb_position swapped;
    if (full->sides == 1 && pos->turn == TREB_BLACK) {
        position_swap_colors(pos, &swapped);
        pos = &swapped;
    }
    return full->word[pos->turn][index_of_position(full->index, pos)];
}

/* The group's coordinate once one of its men has moved. */
static uint32_t moved_group(const IndexGroup *group, const treb_position *pos, int from, int to)
{
    uint8_t squares[TREB_MEN_MAX];
    uint64_t men = position_men_of(pos, group->color, group->type);
    men ^= square_bit(from) | square_bit(to);
    for (int i = 0; men != 0; i++) squares[i] = (uint8_t)bit_pop(&men);
    return index_group(squares, group->count);
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
        *coordinate = index->group[group].count == 1
                          ? (uint32_t)to
                          : moved_group(&index->group[group], pos, from, to);
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
        return w->full->word[pos->turn ^ 1][cell];
    }
    treb_position child;
    position_make(pos, m, &child);
    return word_of(w->full, &child);
}

/* After a pawn's push, which may allow en passant. */
static VerifyValue pushed_value(const Worker *w, const treb_position *child, unsigned metrics)
{
    VerifyValue value = word_value(word_of(w->full, child));
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

static void quiet_add(Quiet *quiet, uint32_t word)
{
    unsigned verdict = word & 7;
    quiet->moves++;
    quiet->seen |= 1u << verdict;
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        uint32_t plies = word & field[m].most << field[m].shift;
        if (verdict < TREB_DRAW && plies < quiet->least[m]) quiet->least[m] = plies;
        if (verdict > TREB_DRAW && plies > quiet->most[m]) quiet->most[m] = plies;
    }
}

/* Adds the quiet moves together: for each, a distance is one more than the child's. */
static void quiet_tally(const Quiet *quiet, VerifyTally *tally)
{
    tally->moves += quiet->moves;
    tally->quiet |= quiet->seen;
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        unsigned least = verify_one_more(word_get(quiet->least[m], m));
        unsigned most = verify_one_more(word_get(quiet->most[m], m));
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
    verify_tally_init(tally);
    for (int i = 0; i < count; i++) {
        if (!bit_test(special, move_from(moves[i])) && !bit_test(enemy, move_to(moves[i]))) {
            quiet_add(&quiet, quiet_word(w, pos, moves[i]));
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
    quiet_tally(&quiet, tally);
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

static void do_verdict(Worker *w, const treb_position *pos)
{
    const Full *full = w->full;
    VerifyFile *file = &full->entry->file[TREB_WDL];
    const TableSide *side = &file->header->side[w->side];
    uint32_t *word = &full->word[w->side][w->walk.cell];
    if (!verify_legal(pos)) {
        *word = WORD_ILLEGAL;
        return;
    }
    unsigned code = verify_code(w->reader, file, w->side, w->walk.cell);
    int verdict = TREB_LOSS, captures = verify_captures(w->reader, full->entry, pos);
    if (unread(w)) return;
    if (code < side->codes[0])
        verdict = side->plies[0][code];
    else
        report_code(w, pos, TREB_WDL, code);
    if (captures > verdict) verdict = captures;
    *word = (WORD_ILLEGAL & ~UINT32_C(7)) | (uint32_t)verdict;
    w->count->positions++;
    w->count->count[w->side][verdict] += index_weight(full->index, &w->walk.men);
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
            uint64_t cell =
                file->like_wdl ? w->walk.cell : verify_walk_cell(&w->walk, &file->header->index);
            unsigned code = verify_code(w->reader, file, w->side, cell);
            if (unread(w)) return;
            plies = verify_plies(file->header, w->side, verdict, code);
            if (plies == VERIFY_NONE) report_code(w, pos, m, code);
        }
        word = word_set(word, m, plies);
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
            *at = word_set(*at, m, made.plies[m]);
    return *at;
}

static void do_fill(Worker *w, const treb_position *pos)
{
    VerifyTally tally;
    tally_moves(w, pos, &tally);
    fill_distances(w, &tally);
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
                    .claim = word_value(fill_distances(w, &tally)),
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

/* One thread's share of a pass: chunks from a common counter, so that all end together. */
static void run_worker(const Full *full, Work work, int side, _Atomic(uint64_t) *next)
{
    Worker w = {.full = full, .side = side, .reader = verify_reader_new(full->store)};
    uint64_t size = full->index->size;
    w.count = calloc(1, sizeof *w.count);
    bool memory = w.reader != NULL && w.count != NULL;
    while (memory && !atomic_load(&full->report->stop)) {
        uint64_t from = atomic_fetch_add(next, CHUNK);
        if (from >= size) break;
        uint64_t to = size - from < CHUNK ? size : from + CHUNK;
        work_chunk(&w, work, from, to);
        if (unread(&w)) break;
        verify_report_progress(full->report, to - from);
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

static void run_pass(const Full *full, Work work, int side, const char *phase)
{
    _Atomic(uint64_t) next = 0;
    if (atomic_load(&full->report->stop)) return;
    verify_report_phase(full->report, phase, full->index->size);
#pragma omp parallel num_threads(verify_threads(full->report->options))
    run_worker(full, work, side, &next);
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

/* ---- the whole ------------------------------------------------------------------------------- */

static bool claim_memory(Full *full)
{
    VerifyStore *store = full->store;
    uint64_t words = full->index->size * sizeof(uint32_t) * (uint64_t)full->sides;
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
    Full full = {.report = report,
                 .store = store,
                 .entry = entry,
                 .index = &entry->file[TREB_WDL].header->index,
                 .sides = entry->symmetric ? 1 : 2,
                 .metrics = metrics & VERIFY_DISTANCES,
                 .count = count};
    for (int g = 0; g < full.index->groups; g++)
        full.group[full.index->group[g].color][full.index->group[g].type] = (uint8_t)g;
    for (int s = 0; s < 2; s++)
        for (int m = TREB_DTZ; m < TREB_METRICS; m++)
            if (full.metrics & metric_bit(m) && entry->file[m].header->side[s].stored)
                full.stored[s] |= metric_bit(m);
    if (claim_memory(&full))
        run_passes(&full);
    else
        verify_report_fail(report, &(treb_error){TREB_ERR_MEMORY, "a full check of this table "
                                                                  "needs more memory"});
    free(full.word[0]);
    free(full.word[1]);
}
