/* finished.c - see finished.h. */
#include "gen/solve/finished.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/chess/bitboard.h"
#include "core/system/error.h"
#include "gen/solve/finished_codes.h"
#include "gen/solve/setup.h"

enum { VERDICTS = FINISHED_VERDICTS, MATES = FINISHED_MATES, FILES = FINISHED_FILES };

enum {
    NO_VERDICT = 0x40, /* not among the values 0 to 1 + TREB_WIN */
    MATES_SIZE = (1 + WDL_VALUES) * TABLE_CODES_MAX
};

struct FinishedTable {
    const Layout *layout;
    const Processes *processes; /* NULL: this process alone */
    Table *table[FILES];        /* NULL: not read, or the first process reads it for all */
    FinishedFacts facts;
    FinishedCodes codes[FILES];
    Solver *solver; /* of it only what the legal positions of a plane follow from */
    SolvedSlice slice;
    int side; /* that was read last; -1: none */
    Converter *converter[SLICE_LANES];
    Promoted promoted[2]; /* by side to move: the cells that are read */
    bool partly;          /* not all cells of the side are read, but these: */
    CellSet wanted;
    /* What codes of the side mean. By code: 1 + verdict, or NO_VERDICT. By 1 + verdict and code: the outcome by distance
     * to mate, -1 if the code has no meaning. 0 and OUTCOME_NONE if the side is not stored. */
    uint8_t verdict_of[256];
    int16_t *mate_of;
};

/* ---- Tables ---------------------------------------------------------------------------------- */

/* Finds the cells of the side to move that are read in a plane. */
static void choose_wanted(FinishedTable *t)
{
    const Layout *layout = t->layout;
    const Promoted *promoted = &t->promoted[t->side];
    t->partly = promoted_any(promoted);
    memset(t->wanted.words, t->partly ? 0 : 0xff, layout->plane_words * sizeof *t->wanted.words);
    memset(t->wanted.squares, 0, sizeof t->wanted.squares);
    if (!t->partly) return;
    for (size_t c = 0; c < layout->plane_cells; c++) {
        uint8_t square[KERNEL_MEN_MAX];
        for (int i = 0; i < layout->men; i++) square[i] = c >> 6 * (layout->men - 1 - i) & 63;
        if (!promoted_suits(promoted, layout->pawns, layout->man, square, layout->men)) continue;
        t->wanted.words[c / 64] |= UINT64_C(1) << c % 64;
        for (int i = 0; i < layout->men; i++) t->wanted.squares[i] |= square_bit(square[i]);
    }
}

static treb_status allocate(FinishedTable *t, MemoryBudget *budget, treb_error *error)
{
    treb_status status = TREB_OK;
    t->solver = calloc(1, sizeof *t->solver);
    t->mate_of = malloc(MATES_SIZE * sizeof *t->mate_of);
    t->wanted.words = malloc(t->layout->plane_words * sizeof *t->wanted.words);
    if (t->solver == NULL || t->mate_of == NULL || t->wanted.words == NULL)
        return fail_memory(error);
    t->solver->layout = t->layout;
    t->solver->slice.layout = t->layout;
    t->solver->row_words = solver_row_words(t->layout);
    t->solver->kernel = kernel_best();
    for (int f = 0; f < FILES && status == TREB_OK && t->facts.file[f].read; f++) {
        t->codes[f] = (FinishedCodes){.file = &t->facts.file[f],
                                      .table = t->table[f],
                                      .processes = t->processes,
                                      .slice = &t->slice,
                                      .promoted = t->promoted};
        status = finished_codes_init(&t->codes[f], budget, error);
    }
    return status;
}

/* Opens the files, in the first process, and tells the others what they need of them. */
static treb_status open_files(FinishedTable *t, const char *directory, unsigned metrics,
                              treb_error *error)
{
    const Processes *processes = t->processes;
    treb_status status = TREB_OK;
    if (processes == NULL || processes->index == 0)
        status = finished_files_open(directory, &t->layout->material, metrics, t->table, &t->facts,
                                     error);
    if (processes != NULL && status == TREB_OK)
        processes->broadcast(processes->context, &t->facts, sizeof t->facts);
    return status;
}

treb_status finished_open(const char *directory, const Layout *layout, unsigned metrics,
                          const Promoted promoted[2], const Processes *processes, MemoryBudget *budget,
                          FinishedTable **out, treb_error *error)
{
    FinishedTable *t = *out = calloc(1, sizeof *t);
    if (t == NULL) return fail_memory(error);
    t->layout = t->slice.layout = layout;
    t->processes = processes;
    memcpy(t->promoted, promoted, sizeof t->promoted);
    t->side = -1;
    treb_status status = open_files(t, directory, metrics, error);
    if (status == TREB_OK) status = allocate(t, budget, error);
    if (status == TREB_OK) {
        t->slice.solver = t->solver;
        t->slice.finished = t;
        t->slice.metrics = metrics & 1u << TREB_DTM;
        t->slice.cursed = t->facts.needs.cursed;
        t->slice.plies[TREB_DTM] = t->facts.needs.plies;
        return TREB_OK;
    }
    finished_close(t);
    *out = NULL;
    return status;
}

/* Ends the use of the slices that the moves of the group lead to. */
static void free_converters(FinishedTable *t)
{
    for (int lane = 0; lane < SLICE_LANES; lane++) {
        converter_free(t->converter[lane]);
        t->converter[lane] = NULL;
    }
}

void finished_close(FinishedTable *t)
{
    if (t == NULL) return;
    free_converters(t);
    for (int f = 0; f < FILES; f++) finished_codes_free(&t->codes[f]);
    finished_files_close(t->table);
    free(t->solver);
    free(t->mate_of);
    free(t->wanted.words);
    free(t);
}

uint64_t finished_memory(const Layout *layout, unsigned metrics)
{
    const unsigned width = material_men(&layout->material) > PLIES_BYTE_MEN ? 2 : 1;
    return finished_codes_memory(layout, 1) +
           (metrics >> TREB_DTM & 1 ? finished_codes_memory(layout, width) : 0);
}

/* ---- Reading a group ------------------------------------------------------------------------- */

/* Prepares what the codes of the side mean. */
static void learn_codes(FinishedTable *t)
{
    const TableSide *verdicts = &table_header(t->table[VERDICTS])->side[t->side];
    for (unsigned c = 0; c < 256; c++)
        t->verdict_of[c] =
            c < verdicts->codes[0] ? (uint8_t)(1 + verdicts->plies[0][c]) : NO_VERDICT;
    if (t->table[MATES] == NULL) return;
    const TableSide *mates = &table_header(t->table[MATES])->side[t->side];
    memset(t->mate_of, 0, MATES_SIZE * sizeof *t->mate_of);
    for (int v = 0; v < WDL_VALUES && mates->stored; v++)
        for (unsigned c = 0; c < TABLE_CODES_MAX && v != TREB_DRAW; c++) {
            const bool good = c < mates->codes[v] && mates->plies[v][c] <= PLIES_MOST;
            const int16_t plies = good ? (int16_t)mates->plies[v][c] : 0;
            t->mate_of[(1 + v) * TABLE_CODES_MAX + c] = !good           ? -1
                                                        : v > TREB_DRAW ? OUTCOME_WIN - plies
                                                                        : plies;
        }
}

/* Prepares reading another side. */
static void choose_side(FinishedTable *t, int side)
{
    const Processes *processes = t->processes;
    t->side = side;
    choose_wanted(t);
    if (t->table[VERDICTS] != NULL) learn_codes(t);
    if (processes == NULL) return;
    processes->broadcast(processes->context, t->verdict_of, sizeof t->verdict_of);
    processes->broadcast(processes->context, t->mate_of, MATES_SIZE * sizeof *t->mate_of);
}

static void begin_group(FinishedTable *t, const SliceGroup *group, int side)
{
    SolvedSlice *slice = &t->solver->slice;
    free_converters(t);
    if (side != t->side) choose_side(t, side);
    slice->lanes = t->slice.lanes = group->lanes;
    memcpy(slice->pawns, group->pawns, sizeof slice->pawns);
    memcpy(t->slice.pawns, group->pawns, sizeof t->slice.pawns);
    t->slice.mirrored = 0;
    for (int lane = 0; lane < group->lanes && t->layout->pawns; lane++)
        if (index_pawns_mirror(&t->layout->index, group->pawns[lane]) < 0)
            t->slice.mirrored |= UINT64_C(1) << lane;
    for (int i = 0; i < KERNEL_LANES; i++)
        t->solver->lane_pawns[i] =
            i < group->lanes ? group->pawns[i][0] | group->pawns[i][1] : UINT64_MAX;
}

treb_status finished_read(FinishedTable *t, const SliceGroup *group, int side,
                          const SliceProvider *provider, const SolvedSlice **out, treb_error *error)
{
    treb_status status = TREB_OK;
    begin_group(t, group, side);
    for (int f = 0; f < FILES && status == TREB_OK; f++)
        if (t->facts.file[f].read && t->facts.file[f].stored[side])
            status = finished_codes_read(&t->codes[f], group, side, error);
    for (int lane = 0; lane < group->lanes && status == TREB_OK; lane++)
        status = converter_new(t->layout, group->pawns[lane], side, t->facts.needs.moves[side],
                               provider, &t->converter[lane], error);
    *out = &t->slice;
    return status;
}

/* ---- Planes ---------------------------------------------------------------------------------- */

static treb_status fail_code(const FinishedTable *t, int file, treb_error *error)
{
    const char *path = t->table[file] != NULL ? table_path(t->table[file]) : "a file";
    return fail(error, TREB_ERR_DAMAGED, "%s: a cell has a code without meaning", fail_path(path));
}

/* Writes 1 + the verdicts of the legal cells of a word, 0 for the others. False: a code has no meaning. */
static bool word_verdicts(const FinishedTable *t, const Plane *p, uint32_t kings, size_t w,
                          uint64_t check, uint8_t out[64])
{
    const bool stored = t->facts.file[VERDICTS].stored[t->side];
    const uint8_t *moves = p->outcomes.verdict + 64 * w;
    const uint64_t legal = p->legal[w];
    uint16_t code[64];
    uint8_t bad = 0;
    if (stored) finished_codes_word(&t->codes[VERDICTS], kings, w, legal, code);
    memset(out, 0, 64);
    for (int i = bit_first(legal); i <= bit_last(legal); i++) {
        uint8_t verdict = stored          ? t->verdict_of[code[i] & 0xff]
                          : moves[i] != 0 ? 0
                                          : 1 + (check >> i & 1 ? TREB_LOSS : TREB_DRAW);
        verdict = verdict > moves[i] ? verdict : moves[i];
        out[i] = legal >> i & 1 ? verdict : 0;
        bad |= out[i] & NO_VERDICT;
    }
    return bad == 0;
}

/* Writes the distances to mate of the cells of a word that are won or lost. False: a code has no meaning. */
static bool word_mates(const FinishedTable *t, const Plane *p, uint32_t kings, size_t w,
                       const uint8_t verdict[64])
{
    const int16_t *moves = p->outcomes.dtm + 64 * w;
    Plies *out = p->distance[TREB_DTM] + 64 * w;
    const uint64_t decided = p->won[w] | p->lost[w];
    uint16_t code[64] = {0};
    int16_t bad = 0;
    if (decided == 0) return true;
    if (t->facts.file[MATES].stored[t->side])
        finished_codes_word(&t->codes[MATES], kings, w, decided, code);
    for (int i = bit_first(decided); i <= bit_last(decided); i++) {
        const int16_t outcome = t->mate_of[verdict[i] * TABLE_CODES_MAX + (code[i] & (TABLE_CODES_MAX - 1))],
                      o = outcome > moves[i] ? outcome : moves[i];
        bad |= outcome;
        out[i] = (Plies)(o > OUTCOME_DRAW ? OUTCOME_WIN - o : o);
    }
    return bad >= 0;
}

static treb_status plane_word(const FinishedTable *t, Plane *p, uint32_t kings, size_t w,
                              treb_error *error)
{
    uint8_t verdict[64];
    const uint64_t check = p->cursed[w], legal = p->legal[w];
    if (legal == 0) {
        p->won[w] = p->lost[w] = p->cursed[w] = 0;
        return TREB_OK;
    }
    if (!word_verdicts(t, p, kings, w, check, verdict)) return fail_code(t, VERDICTS, error);
    p->won[w] = bytes_above(verdict, 1 + TREB_DRAW);
    p->lost[w] = legal & ~bytes_above(verdict, TREB_DRAW);
    p->cursed[w] = 0;
    if (t->facts.needs.cursed)
        p->cursed[w] = (p->won[w] & ~bytes_above(verdict, 1 + TREB_CURSED_WIN)) |
                       (p->lost[w] & bytes_above(verdict, 1 + TREB_LOSS));
    if (p->distance[TREB_DTM] != NULL && !word_mates(t, p, kings, w, verdict))
        return fail_code(t, MATES, error);
    return TREB_OK;
}

treb_status finished_plane(const FinishedTable *t, Plane *p, int side, uint32_t kings,
                           treb_error *error)
{
    const Layout *layout = t->layout;
    treb_status status = TREB_OK;
    assert(side == t->side);
    /* `cursed` has the cells in which this side is in check, until its words are replaced. */
    setup_plane_legal(t->solver, kings, !side, p->won, p->cursed, p->lost);
    setup_plane_legal(t->solver, kings, side, p->legal, p->won, p->lost);
    for (size_t w = 0; w < layout->plane_words; w++) p->legal[w] &= t->wanted.words[w];
    p->outcomes.wanted = t->partly ? &t->wanted : NULL;
    outcomes_clear(&p->outcomes, layout->plane_cells);
    for (int lane = 0; lane < t->slice.lanes && status == TREB_OK; lane++)
        status = converter_plane(t->converter[lane], kings, lane, &p->outcomes, p->fetched, error);
    for (size_t w = 0; w < layout->plane_words && status == TREB_OK; w++)
        status = plane_word(t, p, kings, w, error);
    return status;
}
