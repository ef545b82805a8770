/* finished.c - see finished.h. */
#include "gen/solve/finished.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/chess/bitboard.h"
#include "core/format/table_order.h"
#include "core/system/error.h"
#include "gen/solve/setup.h"
#include "gen/solve/subset.h"

/* The files that are read: verdicts and, where they are solved, distances to mate. */
enum { VERDICTS, MATES, FILES };

enum { NO_LANE = SLICE_LANES, NO_VERDICT = 0x40 /* not among the values 0 to 1 + TREB_WIN */ };

static const treb_metric metric_of[FILES] = {TREB_WDL, TREB_DTM};

struct FinishedTable {
    const Layout *layout;
    MemoryBudget *budget;
    Table *table[FILES]; /* NULL: not read */
    FinishedNeeds needs;
    Solver *solver; /* of it only what the legal positions of a plane follow from */
    SolvedSlice slice;
    int side; /* that was read last */
    Converter *converter[SLICE_LANES];
    uint8_t *lane_of; /* by slice: its lane in the group, or NO_LANE */
    /* By cell of a plane: the cell with like men in ascending order, whose code is in the file. NULL: the same cell. */
    uint32_t *ascending;
    unsigned promotions; /* the subsets that are read; 0: all cells */
    uint64_t *wanted;    /* the cells of these subsets in a plane; NULL: all */
    uint8_t *codes[FILES]; /* of all cells of the group, in the solver's order */
    /* What codes of the side mean. By code: 1 + verdict, or NO_VERDICT. By 1 + verdict and code: the outcome by distance
     * to mate, -1 if the code has no meaning. 0 and OUTCOME_NONE if the side is not stored. */
    uint8_t verdict_of[256];
    int16_t *mate_of;
};

/* ---- What is needed -------------------------------------------------------------------------- */

static bool is_read(int file, unsigned metrics)
{
    return file == VERDICTS || metrics >> metric_of[file] & 1;
}

static treb_status open_files(const char *directory, const Material *material, unsigned metrics,
                              Table *table[FILES], treb_error *error)
{
    for (int f = 0; f < FILES; f++) {
        char name[TABLE_NAME_SIZE], path[4200];
        table[f] = NULL;
        if (!is_read(f, metrics)) continue;
        table_file_name(material, metric_of[f], name);
        snprintf(path, sizeof path, "%.4000s/%s", directory, name);
        table[f] = table_open(path, error);
        if (table[f] != NULL) continue;
        for (; f >= 0; f--) table_close(table[f]);
        return error->status;
    }
    return TREB_OK;
}

static void close_files(Table *table[FILES])
{
    for (int f = 0; f < FILES; f++) table_close(table[f]);
}

static bool stores(const Table *table, int side)
{
    return table == NULL || table_header(table)->side[side].stored;
}

static treb_status find_needs(Table *const table[FILES], FinishedNeeds *needs, treb_error *error)
{
    const TableHeader *verdicts = table_header(table[VERDICTS]),
                      *mates = table[MATES] != NULL ? table_header(table[MATES]) : NULL;
    *needs = (FinishedNeeds){0};
    for (int side = 0; side < 2; side++) {
        const bool stored = stores(table[VERDICTS], side) && stores(table[MATES], side),
                   bounds = verdicts->bounds || (mates != NULL && mates->bounds);
        needs->moves[side] = !stored ? MOVES_ALL : bounds ? MOVES_COMPLETING : MOVES_CAPTURES;
        const TableSide *s = &verdicts->side[side];
        needs->cursed |= s->count[TREB_CURSED_WIN] > 0 || s->count[TREB_BLESSED_LOSS] > 0;
        for (int v = 0; v < WDL_VALUES && mates != NULL; v++)
            if (mates->side[side].longest[v] > needs->plies)
                needs->plies = mates->side[side].longest[v];
    }
    if (needs->moves[TREB_WHITE] != MOVES_ALL || needs->moves[TREB_BLACK] != MOVES_ALL)
        return TREB_OK;
    return fail(error, TREB_ERR_NO_TABLE, "%s and %s: no side to move is in both",
                fail_path(table_path(table[VERDICTS])), fail_path(table_path(table[MATES])));
}

treb_status finished_needs(const char *directory, const Material *material, unsigned metrics,
                           FinishedNeeds *needs, treb_error *error)
{
    Table *table[FILES];
    treb_status status = open_files(directory, material, metrics, table, error);
    if (status != TREB_OK) return status;
    status = find_needs(table, needs, error);
    close_files(table);
    return status;
}

static treb_status check_file(const Table *table, treb_error *error)
{
    treb_status status = TREB_OK;
    for (int side = 0; side < 2; side++) {
        if (!stores(table, side)) continue;
#pragma omp parallel
        {
            TableDecoder *decoder = table_decoder_new();
            uint8_t *room = malloc((size_t)1 << table_header(table)->block_bits);
#pragma omp for schedule(dynamic, 64)
            for (uint64_t p = 0; p < table_side_parts(table, side); p++) {
                treb_error mine;
                treb_status own = decoder != NULL && room != NULL
                                      ? table_check_part(table, decoder, side, p, room, &mine)
                                      : fail_memory(&mine);
                if (own == TREB_OK) continue;
#pragma omp critical(finished_error)
                {
                    status = own;
                    *error = mine;
                }
            }
            table_decoder_free(decoder);
            free(room);
        }
    }
    return status;
}

treb_status finished_check(const char *directory, const Material *material, unsigned metrics,
                           treb_error *error)
{
    Table *table[FILES];
    treb_status status = open_files(directory, material, metrics, table, error);
    if (status != TREB_OK) return status;
    for (int f = 0; f < FILES && status == TREB_OK; f++)
        if (table[f] != NULL) status = check_file(table[f], error);
    close_files(table);
    return status;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static bool has_like_men(const Layout *layout)
{
    for (int g = 0; g < layout->index.groups; g++)
        if (layout->index.group[g].count > 1) return true;
    return false;
}

/* Writes the squares of the men in a cell of a plane, by group, those of like men in ascending order. */
static void cell_squares(const Layout *layout, size_t cell, uint8_t *out)
{
    for (int g = 0; g < layout->index.groups; g++) {
        const int count = layout->index.group[g].count;
        for (int i = 0; i < count; i++) {
            uint8_t square = cell >> 6 * (layout->men - 1 - layout->first[g] - i) & 63;
            int at = i;
            for (; at > 0 && out[at - 1] > square; at--) out[at] = out[at - 1];
            out[at] = square;
        }
        out += count;
    }
}

static size_t squares_cell(const Layout *layout, const uint8_t *square)
{
    size_t cell = 0;
    for (int g = 0; g < layout->index.groups; square += layout->index.group[g++].count)
        for (int i = 0; i < layout->index.group[g].count; i++)
            cell |= (size_t)square[i] << 6 * (layout->men - 1 - layout->first[g] - i);
    return cell;
}

static bool init_ascending(FinishedTable *t)
{
    if (!has_like_men(t->layout)) return true;
    t->ascending = malloc(t->layout->plane_cells * sizeof *t->ascending);
    if (t->ascending == NULL) return false;
    for (size_t c = 0; c < t->layout->plane_cells; c++) {
        uint8_t square[TREB_MEN_MAX];
        cell_squares(t->layout, c, square);
        t->ascending[c] = (uint32_t)squares_cell(t->layout, square);
    }
    return true;
}

/* Whether a man of a kind on this square puts a cell into a subset that is read. */
static bool in_subset(const FinishedTable *t, int color, int type, int square)
{
    return t->promotions & wanted_subset(color, type) &&
           subset_promotes_on(t->layout, color, square);
}

static bool init_wanted(FinishedTable *t)
{
    const Layout *layout = t->layout;
    if (t->promotions == 0) return true;
    t->wanted = calloc(layout->plane_words, sizeof *t->wanted);
    for (size_t c = 0; c < layout->plane_cells && t->wanted != NULL; c++)
        for (int i = 0; i < layout->men; i++)
            if (in_subset(t, layout->man[i].color, layout->man[i].type,
                          c >> 6 * (layout->men - 1 - i) & 63))
                t->wanted[c / 64] |= UINT64_C(1) << c % 64;
    return t->wanted != NULL;
}

static size_t codes_bytes(const FinishedTable *t, int file)
{
    return t->layout->cells * table_header(t->table[file])->width;
}

static treb_status allocate(FinishedTable *t, treb_error *error)
{
    const Layout *layout = t->layout;
    t->lane_of = malloc(layout->index.slices);
    t->solver = calloc(1, sizeof *t->solver);
    t->mate_of = malloc((1 + WDL_VALUES) * TABLE_CODES_MAX * sizeof *t->mate_of);
    bool ok = t->lane_of != NULL && t->solver != NULL && t->mate_of != NULL && init_ascending(t) &&
              init_wanted(t);
    for (int f = 0; f < FILES && ok; f++) {
        if (t->table[f] == NULL) continue;
        t->codes[f] = budget_alloc(t->budget, codes_bytes(t, f));
        ok = t->codes[f] != NULL;
    }
    if (!ok) return fail_memory(error);
    memset(t->lane_of, NO_LANE, layout->index.slices);
    t->solver->layout = layout;
    t->solver->slice.layout = layout;
    t->solver->row_words = solver_row_words(layout);
    t->solver->kernel = kernel_best();
    return TREB_OK;
}

treb_status finished_open(const char *directory, const Layout *layout, unsigned metrics,
                          unsigned promotions, MemoryBudget *budget, FinishedTable **out,
                          treb_error *error)
{
    FinishedTable *t = *out = calloc(1, sizeof *t);
    if (t == NULL) return fail_memory(error);
    t->layout = layout;
    t->budget = budget;
    t->promotions = promotions;
    treb_status status = open_files(directory, &layout->material, metrics, t->table, error);
    if (status == TREB_OK) status = find_needs(t->table, &t->needs, error);
    if (status == TREB_OK) status = allocate(t, error);
    if (status == TREB_OK) {
        t->slice.layout = layout;
        t->slice.solver = t->solver;
        t->slice.finished = t;
        t->slice.metrics = metrics & 1u << TREB_DTM;
        t->slice.cursed = t->needs.cursed;
        t->slice.plies[TREB_DTM] = t->needs.plies;
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
    close_files(t->table);
    for (int f = 0; f < FILES; f++) budget_free(t->codes[f]);
    free(t->solver);
    free(t->lane_of);
    free(t->mate_of);
    free(t->wanted);
    free(t->ascending);
    free(t);
}

uint64_t finished_memory(const Layout *layout, unsigned metrics)
{
    const unsigned width = material_men(&layout->material) > PLIES_BYTE_MEN ? 2 : 1;
    return budget_cost(layout->cells) +
           (metrics >> TREB_DTM & 1 ? budget_cost(width * layout->cells) : 0);
}

/* ---- Reading a group ------------------------------------------------------------------------- */

/* The files of a side may number slices differently from the solver. */
typedef struct FileOrder {
    const FinishedTable *t;
    TableOrder order;
} FileOrder;

static uint64_t slice_first(const void *context, uint64_t slice, unsigned place)
{
    const FileOrder *o = context;
    const Layout *layout = o->t->layout;
    const uint8_t lane = o->t->lane_of[index_slice_in(&layout->index, o->order.from, slice, place)];
    return lane != NO_LANE ? lane * layout_lane_cells(layout) : TABLE_ORDER_NOWHERE;
}

/* Leaves out the coordinates of a group that put no cell into a subset, if there is only one kind of promotion. */
static void leave_out(FileOrder *o, int g)
{
    const FinishedTable *t = o->t;
    const IndexGroup *group = &o->order.from->group[g];
    if (t->promotions != wanted_subset(group->color, group->type)) return;
    o->order.sparse = true;
    for (uint32_t c = 0; c < group->radix; c++) {
        uint8_t square[TREB_MEN_MAX];
        bool wanted = false;
        index_group_squares(group, c, square);
        for (int i = 0; i < group->count; i++)
            wanted |= in_subset(t, group->color, group->type, square[i]);
        if (!wanted) o->order.term[1 + g][c] = TABLE_ORDER_NOWHERE;
    }
}

static bool order_init(FileOrder *o, const FinishedTable *t, const Table *table)
{
    const Layout *layout = t->layout;
    o->t = t;
    if (!table_order_init(&o->order, table_header(table), t->side)) return false;
    o->order.slice = slice_first;
    o->order.context = o;
    const Index *from = o->order.from;
    for (uint32_t k = 0; k < layout->kings; k++)
        o->order.term[INDEX_KINGS_AXIS][k] = k * layout->plane_cells;
    for (int g = 0; g < from->groups; g++)
        for (uint32_t c = 0; c < from->group[g].radix; c++) {
            uint8_t square[TREB_MEN_MAX];
            uint64_t sum = 0;
            index_group_squares(&from->group[g], c, square);
            for (int i = 0; i < from->group[g].count; i++)
                sum |= (uint64_t)square[i] << 6 * (layout->men - 1 - layout->first[g] - i);
            o->order.term[1 + g][c] = sum;
        }
    for (int g = 0; g < from->groups; g++) leave_out(o, g);
    return true;
}

/* A part of a file: the blocks that have cells of a group. */
typedef struct Blocks {
    uint64_t first, end;
} Blocks;

static int compare_blocks(const void *a, const void *b)
{
    const Blocks *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Lists the blocks that have slices of a group, each once. Returns the number of parts. */
static int find_blocks(const FileOrder *o, const SliceGroup *group, Blocks out[SLICE_LANES])
{
    const Index *from = o->order.from, *to = &o->t->layout->index;
    int parts = 0;
    for (int lane = 0; lane < group->lanes; lane++) {
        uint64_t slice = index_slice_in(from, to, group->number[lane],
                                        index_slice_place(to, group->number[lane]));
        out[lane].first = slice * from->slice_size / o->order.block_cells;
        out[lane].end = ((slice + 1) * from->slice_size - 1) / o->order.block_cells + 1;
    }
    qsort(out, (size_t)group->lanes, sizeof *out, compare_blocks);
    for (int lane = 0; lane < group->lanes; lane++) {
        Blocks next = out[lane];
        if (parts > 0 && next.first < out[parts - 1].end) next.first = out[parts - 1].end;
        if (next.first < next.end) out[parts++] = next;
    }
    return parts;
}

static treb_status read_blocks(const Table *table, const FileOrder *o, Blocks blocks, uint8_t *out,
                               treb_error *error)
{
    treb_status status = TREB_OK;
#pragma omp parallel
    {
        TableDecoder *decoder = table_decoder_new();
        uint8_t *bytes = malloc((size_t)1 << table_header(table)->block_bits);
#pragma omp for schedule(dynamic, 4)
        for (uint64_t b = blocks.first; b < blocks.end; b++) {
            treb_error mine;
            treb_status own = decoder != NULL && bytes != NULL
                                  ? table_read_block(table, decoder, o->t->side, b, bytes, &mine)
                                  : fail_memory(&mine);
            if (own == TREB_OK) {
                table_order_copy(&o->order, b, bytes, out);
                continue;
            }
#pragma omp critical(finished_error)
            {
                status = own;
                *error = mine;
            }
        }
        table_decoder_free(decoder);
        free(bytes);
    }
    return status;
}

static treb_status read_codes(FinishedTable *t, const SliceGroup *group, int file,
                              treb_error *error)
{
    FileOrder o;
    Blocks blocks[SLICE_LANES];
    treb_status status =
        order_init(&o, t, t->table[file]) ? TREB_OK : fail_memory(error);
    if (status == TREB_OK) {
        const int parts = find_blocks(&o, group, blocks);
        for (int i = 0; i < parts && status == TREB_OK; i++)
            status = read_blocks(t->table[file], &o, blocks[i], t->codes[file], error);
    }
    table_order_free(&o.order);
    return status;
}

/* Prepares what the codes of the side mean. */
static void learn_codes(FinishedTable *t)
{
    const TableSide *verdicts = &table_header(t->table[VERDICTS])->side[t->side];
    for (unsigned c = 0; c < 256; c++)
        t->verdict_of[c] =
            c < verdicts->codes[0] ? (uint8_t)(1 + verdicts->plies[0][c]) : NO_VERDICT;
    if (t->table[MATES] == NULL) return;
    const TableSide *mates = &table_header(t->table[MATES])->side[t->side];
    memset(t->mate_of, 0, (1 + WDL_VALUES) * TABLE_CODES_MAX * sizeof *t->mate_of);
    for (int v = 0; v < WDL_VALUES && mates->stored; v++)
        for (unsigned c = 0; c < TABLE_CODES_MAX && v != TREB_DRAW; c++) {
            const bool good = c < mates->codes[v] && mates->plies[v][c] <= PLIES_MOST;
            const int16_t plies = good ? (int16_t)mates->plies[v][c] : 0;
            t->mate_of[(1 + v) * TABLE_CODES_MAX + c] =
                !good ? -1 : v > TREB_DRAW ? OUTCOME_WIN - plies : plies;
        }
}

static void begin_group(FinishedTable *t, const SliceGroup *group, int side)
{
    SolvedSlice *slice = &t->solver->slice;
    free_converters(t);
    t->side = side;
    learn_codes(t);
    memset(t->lane_of, NO_LANE, t->layout->index.slices);
    slice->lanes = t->slice.lanes = group->lanes;
    memcpy(slice->pawns, group->pawns, sizeof slice->pawns);
    memcpy(t->slice.pawns, group->pawns, sizeof t->slice.pawns);
    t->slice.mirrored = 0;
    for (int lane = 0; lane < group->lanes; lane++) {
        t->lane_of[group->number[lane]] = (uint8_t)lane;
        if (t->layout->pawns &&
            index_pawns_mirror(&t->layout->index, group->pawns[lane]) < 0)
            t->slice.mirrored |= UINT64_C(1) << lane;
    }
    for (int i = 0; i < KERNEL_LANES; i++)
        t->solver->lane_pawns[i] =
            i < group->lanes ? group->pawns[i][0] | group->pawns[i][1] : UINT64_MAX;
}

treb_status finished_read(FinishedTable *t, const SliceGroup *group, int side,
                          const SliceProvider *provider, const SolvedSlice **out,
                          treb_error *error)
{
    treb_status status = TREB_OK;
    begin_group(t, group, side);
    for (int f = 0; f < FILES && status == TREB_OK; f++)
        if (t->table[f] != NULL && stores(t->table[f], side))
            status = read_codes(t, group, f, error);
    for (int lane = 0; lane < group->lanes && status == TREB_OK; lane++)
        status = converter_new(t->layout, group->pawns[lane], side, t->needs.moves[side], provider,
                               &t->converter[lane], error);
    *out = &t->slice;
    return status;
}

/* ---- Planes ---------------------------------------------------------------------------------- */

/* Whether the positions of a plane and lane stand in two orientations. Then the file has only one of both cells. */
static bool is_twofold(const FinishedTable *t, uint32_t kings, int lane)
{
    const uint8_t *king = t->layout->king[kings];
    return t->layout->pawns ? t->slice.mirrored >> lane & 1
                            : king[0] % 9 == 0 && king[1] % 9 == 0;
}

/* Returns the number in `codes` of the cell that a file has for such a position. */
static size_t twofold_place(const FinishedTable *t, int file, uint32_t kings, int lane, size_t cell)
{
    const Layout *layout = t->layout;
    const Index *from = &table_header(t->table[file])->side[t->side].index;
    IndexMen men = {.king = {layout->king[kings][0], layout->king[kings][1]},
                    .pawns = {t->slice.pawns[lane][0], t->slice.pawns[lane][1]}};
    int symmetry;
    cell_squares(layout, cell, men.square);
    index_of_men(from, &men);
    kings = (uint32_t)index_kings(layout->pawns, men.king[0], men.king[1], &symmetry);
    cell = squares_cell(layout, men.square);
    /* With only kings and pawns the cells of a plane are lanes. */
    return kings * layout->plane_cells + (size_t)lane * layout_lane_cells(layout) + cell;
}

static treb_status fail_code(const FinishedTable *t, int file, treb_error *error)
{
    return fail(error, TREB_ERR_DAMAGED, "%s: a cell has a code without meaning",
                fail_path(table_path(t->table[file])));
}

static unsigned code_at(const FinishedTable *t, int file, size_t place)
{
    const uint8_t *codes = t->codes[file];
    if (table_header(t->table[file])->width == 1) return codes[place];
    return codes[2 * place] | (unsigned)codes[2 * place + 1] << 8;
}

/* Reads the codes of a word. Where cells are twofold, only those of legal positions. */
static void word_codes(const FinishedTable *t, int file, uint32_t kings, size_t w, uint64_t legal,
                       uint16_t out[64])
{
    const int men = t->layout->men;
    const size_t first = kings * t->layout->plane_cells;
    const bool narrow = table_header(t->table[file])->width == 1;
    const uint8_t *codes = t->codes[file] + first;
    if (t->ascending != NULL && narrow)
        for (int i = 0; i < 64; i++) out[i] = codes[t->ascending[64 * w + (size_t)i]];
    else if (narrow)
        for (int i = 0; i < 64; i++) out[i] = codes[64 * w + (size_t)i];
    else
        for (size_t c = 64 * w; c < 64 * (w + 1); c++)
            *out++ = (uint16_t)code_at(t, file,
                                       first + (t->ascending != NULL ? t->ascending[c] : c));
    if (!narrow) out -= 64;
    if (t->layout->pawns && t->slice.mirrored == 0) return;
    for (; legal; legal &= legal - 1) {
        const int i = bit_first(legal), lane = men == 0 ? i : men == 1 ? (int)w : 0;
        const size_t cell = men == 0 ? 0 : men == 1 ? (size_t)i : 64 * w + (size_t)i;
        if (is_twofold(t, kings, lane))
            out[i] = (uint16_t)code_at(t, file, twofold_place(t, file, kings, lane, cell));
        else if (!t->layout->pawns)
            return;
    }
}

/* Writes 1 + the verdicts of the legal cells of a word, 0 for the others. False: a code has no meaning. */
static bool word_verdicts(const FinishedTable *t, const Plane *p, uint32_t kings, size_t w,
                          uint64_t check, uint8_t out[64])
{
    const bool stored = stores(t->table[VERDICTS], t->side);
    const uint8_t *moves = p->outcomes.verdict + 64 * w;
    const uint64_t legal = p->legal[w];
    uint16_t code[64];
    uint8_t bad = 0;
    if (stored) word_codes(t, VERDICTS, kings, w, legal, code);
    for (int i = 0; i < 64; i++) {
        uint8_t verdict = stored ? t->verdict_of[code[i] & 0xff]
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
    uint16_t code[64] = {0};
    int16_t outcome[64], bad = 0;
    if (stores(t->table[MATES], t->side))
        word_codes(t, MATES, kings, w, p->won[w] | p->lost[w], code);
    for (int i = 0; i < 64; i++) {
        outcome[i] = t->mate_of[verdict[i] * TABLE_CODES_MAX + (code[i] & (TABLE_CODES_MAX - 1))];
        bad |= outcome[i];
    }
    for (int i = 0; i < 64; i++) {
        const int16_t o = outcome[i] > moves[i] ? outcome[i] : moves[i];
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
    if (t->needs.cursed)
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
    for (size_t w = 0; w < layout->plane_words && t->wanted != NULL; w++)
        p->legal[w] &= t->wanted[w];
    p->outcomes.wanted = t->wanted;
    outcomes_clear(&p->outcomes, layout->plane_cells);
    for (int lane = 0; lane < t->slice.lanes && status == TREB_OK; lane++)
        status = converter_plane(t->converter[lane], kings, lane, &p->outcomes, p->fetched, error);
    for (size_t w = 0; w < layout->plane_words && status == TREB_OK; w++)
        status = plane_word(t, p, kings, w, error);
    return status;
}
