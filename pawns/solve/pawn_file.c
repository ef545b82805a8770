/* pawn_file.c - see pawn_file.h.
 *
 * Structures are solved once more, in order of potential: this gives the plies in which wins leave
 * their structure. With more than 100 plies the 50-move rule turns a win into something that is
 * unknown here: such wins are open in the file, and so are values that rest only on them. */
#include "pawns/solve/pawn_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "pawns/solve/proof_tree.h"

enum { COMPRESSION_LEVEL = 9, PIECES_MOST = 2 };

/* A structure that goes into the file. */
typedef struct Kept {
    Structure *structure;
    StructureKey key; /* in the orientation of files */
} Kept;

/* The cells of one side to move, cut into blocks. */
typedef struct Stream {
    uint8_t *block;
    size_t filled;   /* number of cells in `block` */
    uint64_t number; /* of the block */
} Stream;

typedef struct Writing {
    ProofGraph *graph;
    PawnFileProgress *progress;
    void *context;
    PawnFileWritten *out;
    treb_error *error;
    Kept *kept;
    TableStructure *list; /* the structures of the file; NULL when the header owns them */
    size_t count, capacity;
    uint16_t
        *plies; /* room for the plies of the largest structure, by winner, side to move and cell */
    uint8_t *cell[2]; /* room for its cells in the file, by side to move */
    size_t room;      /* words of a set of the largest structure */
    TableHeader header;
    TableWriter *writer;
    TableEncoder *encoder;
    uint8_t *packed;
    Stream stream[2];
    Table *old; /* an older file, or NULL */
    TableDecoder *decoder;
    uint8_t *old_block;
    uint64_t old_number; /* 2 * number of the block in `old_block` + side; UINT64_MAX: none */
} Writing;

/* ---- Which structures
 * -------------------------------------------------------------------------- */

/* The key of a structure in the format of files. */
static StructureKey file_key(const CellsKey *key)
{
    StructureKey out = {{key->pawns[0], key->pawns[1]}, {0}};
    for (int i = 0; i < key->pieces; i++)
        out.piece[i] = (uint8_t)(key->piece[i].color << 3 | key->piece[i].type);
    return out;
}

/* Marks a child without pieces. */
static void mark_child(void *context, EdgeChild *child)
{
    const ProofGraph *graph = context;
    if (child->structure == NULL && !child->beyond)
        child->structure = proof_graph_find(graph, &child->key);
    if (child->structure != NULL && child->key.pieces == 0)
        child->structure->last_round = graph->round;
}

static bool is_kept(const ProofGraph *graph, const Structure *f)
{
    return f->last_round == graph->round && f->oracle == NULL && f->key.pieces <= PIECES_MOST;
}

static bool keep(Writing *w, Structure *f)
{
    if (w->count == w->capacity) {
        size_t capacity = w->capacity ? 2 * w->capacity : 256;
        Kept *grown = realloc(w->kept, capacity * sizeof *grown);
        if (grown == NULL) return false;
        w->kept = grown;
        w->capacity = capacity;
    }
    Kept *k = &w->kept[w->count++];
    *k = (Kept){.structure = f, .key = file_key(&f->key)};
    structure_orient(&k->key);
    if (cells_words(&f->key) > w->room) w->room = cells_words(&f->key);
    return true;
}

static int compare_kept(const void *left, const void *right)
{
    const Kept *a = left, *b = right;
    if (a->structure->potential != b->structure->potential)
        return a->structure->potential - b->structure->potential;
    return memcmp(&a->key, &b->key, sizeof a->key);
}

/* Lists the structures that the values of the root and its moves rest on, and all structures
 * without pieces below it, in order of potential. Mirror images of each other come one after the
 * other. */
static bool collect(Writing *w, const treb_position *pos, Structure *root)
{
    ProofGraph *graph = w->graph;
    if (!proof_tree_mark(graph, pos)) return false;
    root->last_round = graph->round;
    for (int p = PROOF_GRAPH_POTENTIALS - 1; p >= 0; p--)
        for (int i = 0; i < graph->count[p]; i++) {
            Structure *f = graph->by_potential[p][i];
            if (!is_kept(graph, f)) continue;
            if (f->key.pieces == 0) structure_each_child(f, mark_child, graph);
            if (!keep(w, f)) return false;
        }
    qsort(w->kept, w->count, sizeof *w->kept, compare_kept);
    return true;
}

/* ---- Solving again --------------------------------------------------------------------------- */

/* Makes `rule` answer instead of the oracle, and forgets the answers so far. */
static void ask_again(ProofGraph *graph, PawnFileRule *rule)
{
    graph->limits.oracle.value = rule;
    for (int p = 0; p < PROOF_GRAPH_POTENTIALS; p++)
        for (int i = 0; i < graph->count[p]; i++) {
            Structure *f = graph->by_potential[p][i];
            size_t bytes = cells_words(&f->key) * sizeof(uint64_t);
            if (f->oracle == NULL) continue;
            for (int side = 0; side < 2; side++) {
                memset(f->asked[side], 0, bytes);
                memset(f->stuck[side], 0, bytes);
                for (int winner = 0; winner < 2; winner++)
                    memset(f->won[SURE][winner][side], 0, bytes);
            }
        }
}

/* Gives the levels of a winner sets of their own, with the same cells. False without memory. */
static bool separate_levels(Structure *f, int winner)
{
    size_t bytes = cells_words(&f->key) * sizeof(uint64_t);
    if (!structure_decided_for(f, winner)) return true;
    for (int side = 0; side < 2; side++)
        for (int level = MAYBE; level < LEVELS; level++) {
            uint64_t *copy = malloc(bytes);
            if (copy == NULL) return false;
            memcpy(copy, f->won[SURE][winner][side], bytes);
            f->won[level][winner][side] = copy;
        }
    f->decided = false;
    return true;
}

/* Unlinks a child that is not in the file and has no oracle. */
static void forget(void *context, EdgeChild *child)
{
    const Structure *f = child->structure;
    if (f != NULL && f->oracle == NULL && !is_kept(context, f)) child->structure = NULL;
}

/* Makes wins that come too late for the 50-move rule open. `plies` is by winner, side to move and
 * cell. */
static bool open_late_wins(Structure *f, uint16_t *const plies[2][2])
{
    for (int winner = 0; winner < 2; winner++)
        for (int side = 0; side < 2; side++)
            for (size_t w = 0; w < cells_words(&f->key); w++) {
                uint64_t late = 0;
                for (uint64_t left = f->won[SURE][winner][side][w]; left != 0;) {
                    int king = bit_pop(&left);
                    if (plies[winner][side][w << 6 | (size_t)king] > PAWN_PLIES_MAX)
                        late |= square_bit(king);
                }
                if (late == 0) continue;
                if (!separate_levels(f, winner)) return false;
                f->won[SURE][winner][side][w] &= ~late;
            }
    return true;
}

static bool solve_again(Writing *w, Structure *f)
{
    const size_t cells = 64 * cells_words(&f->key);
    StructurePlies found = {.exact = false};
    for (int i = 0; i < 4; i++) found.plies[i / 2][i % 2] = w->plies + (size_t)i * cells;
    memset(w->plies, 0xff, 4 * cells * sizeof *w->plies);
    proof_graph_link(w->graph, f);
    structure_each_child(f, forget, w->graph);
    for (int winner = 0; winner < 2; winner++)
        if (!separate_levels(f, winner)) return false;
    return structure_solve(f, &found) && open_late_wins(f, found.plies);
}

/* ---- Cells ----------------------------------------------------------------------------------- */

static unsigned cell_value(const Writing *w, const Structure *f, int side, size_t word, int king)
{
    const size_t cell = word << 6 | (size_t)king, cells = 64 * cells_words(&f->key);
    const uint16_t *won = w->plies + cells * (size_t)(2 * side + side);
    const uint16_t *lost = w->plies + cells * (size_t)(2 * !side + side);
    if (!bit_test(f->legal[side][word], king)) return PAWN_CELL_DRAW;
    if (bit_test(f->won[SURE][side][side][word], king)) return PAWN_CELL_WIN + won[cell];
    if (bit_test(f->won[SURE][!side][side][word], king)) return PAWN_CELL_LOSS + lost[cell];
    bool may_win = bit_test(f->won[MAYBE][side][side][word], king);
    bool may_lose = bit_test(f->won[MAYBE][!side][side][word], king);
    if (may_win) return may_lose ? PAWN_CELL_OPEN : PAWN_CELL_NO_LOSS;
    return may_lose ? PAWN_CELL_NO_WIN : PAWN_CELL_DRAW;
}

/* Combines two proven values of a cell. */
static unsigned combine(unsigned a, unsigned b)
{
    bool a_open = a >= PAWN_CELL_OPEN && a <= PAWN_CELL_NO_WIN;
    bool b_open = b >= PAWN_CELL_OPEN && b <= PAWN_CELL_NO_WIN;
    if (!a_open && !b_open) return a < b ? a : b;
    if (!a_open || !b_open) return a_open ? b : a;
    bool no_win = pawn_cell_no_win(a) || pawn_cell_no_win(b);
    bool no_loss = pawn_cell_no_loss(a) || pawn_cell_no_loss(b);
    if (no_win) return no_loss ? PAWN_CELL_DRAW : PAWN_CELL_NO_WIN;
    return no_loss ? PAWN_CELL_NO_LOSS : PAWN_CELL_OPEN;
}

/* The row of the file, after a symmetry, for a row of the structure. */
static size_t row_in_file(const CellsKey *key, int symmetry, size_t row)
{
    size_t out = 0;
    int first = 0;
    for (int i = 0; i < key->pieces && symmetry & SYM_RANKS; i++) first += key->piece[i].color;
    for (int i = 0; i < key->pieces; i++) {
        int from = first > 0 ? (i + key->pieces - first) % key->pieces : i;
        out = out << 6 | (size_t)index_symmetry_square(symmetry, cells_square(key, row, from));
    }
    return out;
}

/* Combines the cells of a structure with those in w->cell, by one symmetry. */
static void take_cells(Writing *w, const Structure *f, int symmetry)
{
    const bool swap = symmetry & SYM_RANKS;
    for (size_t row = 0; row < cells_rows(&f->key); row++) {
        const size_t to = row_in_file(&f->key, symmetry, row) << 12;
        for (int i = 0; i < 2 * 4096; i++) {
            const int side = i >> 12, white = i >> 6 & 63, black = i & 63;
            const int first = index_symmetry_square(symmetry, swap ? black : white);
            const int second = index_symmetry_square(symmetry, swap ? white : black);
            uint8_t *cell = &w->cell[swap ? !side : side][to | (size_t)(first << 6 | second)];
            *cell =
                (uint8_t)combine(*cell, cell_value(w, f, side, row << 6 | (size_t)white, black));
        }
    }
}

/* Does so by all symmetries that give the key of the file: a structure may be its own mirror
 * image. */
static void take_all_cells(Writing *w, const Kept *k)
{
    static const int symmetries[] = {0, SYM_FILES, SYM_RANKS, SYM_FILES | SYM_RANKS};
    const StructureKey start = file_key(&k->structure->key);
    for (int i = 0; i < 4; i++) {
        StructureKey image = structure_transform(&start, symmetries[i]);
        if (memcmp(&image, &k->key, sizeof image) == 0) take_cells(w, k->structure, symmetries[i]);
    }
}

/* Counts the values of a structure for the header. */
static void count_cells(Writing *w, const StructureKey *key)
{
    CellsKey board = {{key->pawns[0], key->pawns[1]}, {{0, 0}}, 0, 0};
    for (int i = 0; i < PIECES_MOST && key->piece[i] != 0; i++)
        board.piece[board.pieces++] =
            (CellsPiece){(uint8_t)(key->piece[i] >> 3), (uint8_t)(key->piece[i] & 7)};
    for (size_t row = 0; row < cells_rows(&board); row++)
        for (int side = 0; side < 2; side++) {
            uint64_t legal[CELLS_ROW];
            TableSide *to = &w->header.side[side];
            cells_legal_row(&board, side, row, legal);
            for (size_t king = 0; king < CELLS_ROW; king++)
                for (uint64_t left = legal[king]; left != 0;) {
                    unsigned cell = w->cell[side][row << 12 | king << 6 | (size_t)bit_pop(&left)];
                    w->out->positions++;
                    if (cell >= PAWN_CELL_OPEN && cell < PAWN_CELL_WIN) {
                        w->header.pawn.open[side]++;
                        w->out->open++;
                        continue;
                    }
                    int verdict = cell == PAWN_CELL_DRAW ? TREB_DRAW
                                  : pawn_cell_wins(cell) ? TREB_WIN
                                                         : TREB_LOSS;
                    unsigned plies = cell == PAWN_CELL_DRAW ? 0 : pawn_cell_plies(cell);
                    to->count[verdict]++;
                    if (plies > to->longest[verdict]) to->longest[verdict] = plies;
                }
        }
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* Writes the block of a side that is filled so far. */
static bool end_block(Writing *w, int side)
{
    Stream *s = &w->stream[side];
    size_t size = table_encode_block(w->encoder, s->block, s->filled, w->packed,
                                     table_block_bound(&w->header));
    if (size == 0) return fail_memory(w->error), false;
    uint32_t checksum = table_block_checksum(s->block, s->filled);
    treb_status status =
        table_writer_add(w->writer, side, s->number, w->packed, size, checksum, w->error);
    s->filled = 0;
    s->number++;
    return status == TREB_OK;
}

static bool put_cells(Writing *w, int side, const uint8_t *cells, size_t count)
{
    Stream *s = &w->stream[side];
    const size_t full = (size_t)1 << w->header.block_bits;
    while (count > 0) {
        size_t part = full - s->filled < count ? full - s->filled : count;
        memcpy(s->block + s->filled, cells, part);
        s->filled += part;
        cells += part;
        count -= part;
        if (s->filled == full && !end_block(w, side)) return false;
    }
    return true;
}

static bool end_structure(Writing *w, const StructureKey *key)
{
    const size_t cells = (size_t)structure_cells(key);
    count_cells(w, key);
    return put_cells(w, 0, w->cell[0], cells) && put_cells(w, 1, w->cell[1], cells);
}

/* ---- An older file --------------------------------------------------------------------------- */

/* Combines the cells with those that the older file has of a structure. */
static bool take_old(Writing *w, const StructureKey *key)
{
    const TableStructure *s =
        w->old != NULL ? table_find_structure(table_header(w->old), key) : NULL;
    if (s == NULL) return true;
    const unsigned bits = table_header(w->old)->block_bits;
    for (int side = 0; side < 2; side++)
        for (uint64_t i = 0, cells = structure_cells(key); i < cells; i++) {
            const uint64_t at = s->first + i, number = (at >> bits) << 1 | (unsigned)side;
            if (number != w->old_number && table_read_block(w->old, w->decoder, side, at >> bits,
                                                            w->old_block, w->error) != TREB_OK)
                return false;
            w->old_number = number;
            w->cell[side][i] =
                (uint8_t)combine(w->cell[side][i], w->old_block[at & ((UINT64_C(1) << bits) - 1)]);
        }
    return true;
}

static bool open_old(Writing *w, const char *directory)
{
    char path[4400];
    treb_error why;
    snprintf(path, sizeof path, "%.4000s/%.223s", directory, w->out->name);
    w->old = table_open(path, &why);
    if (w->old == NULL) {
        /* No file, or a damaged one: a new one is written. A file that cannot be read for another
         * reason is kept, as it may know more. */
        if (why.status == TREB_ERR_NO_TABLE || why.status == TREB_ERR_DAMAGED) return true;
        *w->error = why;
        return false;
    }
    w->decoder = table_decoder_new();
    w->old_block = malloc((size_t)1 << table_header(w->old)->block_bits);
    if (w->decoder != NULL && w->old_block != NULL) return true;
    return fail_memory(w->error), false;
}

/* ---- The file -------------------------------------------------------------------------------- */

static int compare_structures(const void *left, const void *right)
{
    const TableStructure *a = left, *b = right;
    return memcmp(&a->key, &b->key, sizeof a->key);
}

/* Adds the structures of an older file that the new one would not have. */
static bool add_old(Writing *w, const TablePawn *old, uint32_t *count)
{
    const uint32_t fresh = *count;
    TableStructure *sorted = malloc((fresh + 1) * sizeof *sorted);
    if (sorted == NULL) return false;
    memcpy(sorted, w->list, fresh * sizeof *sorted);
    qsort(sorted, fresh, sizeof *sorted, compare_structures);
    for (uint32_t i = 0; i < old->structures; i++) {
        const TableStructure *s = &old->structure[i];
        if (bsearch(s, sorted, fresh, sizeof *sorted, compare_structures) != NULL) continue;
        if (structure_cells(&s->key) / 64 > w->room)
            w->room = (size_t)structure_cells(&s->key) / 64;
        w->list[(*count)++].key = s->key;
        w->out->kept++;
    }
    free(sorted);
    return true;
}

/* Lists the structures of the file: those of the graph, then others of an older file. */
static bool make_list(Writing *w, uint32_t *count)
{
    const TablePawn *old = w->old != NULL ? &table_header(w->old)->pawn : NULL;
    size_t most = w->count + (old != NULL ? old->structures : 0);
    w->list = malloc(most * sizeof *w->list);
    if (w->list == NULL) return false;
    *count = 0;
    for (size_t i = 0; i < w->count; i++)
        if (i == 0 || memcmp(&w->kept[i - 1].key, &w->kept[i].key, sizeof w->kept[i].key) != 0)
            w->list[(*count)++].key = w->kept[i].key;
    return old == NULL || add_old(w, old, count);
}

static bool make_room(Writing *w)
{
    const size_t full = (size_t)1 << w->header.block_bits;
    w->plies = malloc(4 * 64 * w->room * sizeof *w->plies);
    w->encoder = table_encoder_new(COMPRESSION_LEVEL, NULL, 0);
    w->packed = malloc(table_block_bound(&w->header));
    bool good = w->plies != NULL && w->encoder != NULL && w->packed != NULL;
    for (int side = 0; side < 2; side++) {
        w->cell[side] = malloc(64 * w->room);
        w->stream[side].block = malloc(full);
        good = good && w->cell[side] != NULL && w->stream[side].block != NULL;
    }
    return good;
}

/* Solves and writes all structures in the order of the list. */
static bool write_structures(Writing *w)
{
    const uint32_t structures = w->header.pawn.structures;
    size_t at = 0;
    for (uint32_t i = 0; i < structures; i++) {
        const StructureKey *key = &w->header.pawn.structure[i].key;
        w->out->stopped = w->progress != NULL && w->progress(w->context, i, structures);
        if (w->out->stopped) return false;
        for (int side = 0; side < 2; side++)
            memset(w->cell[side], PAWN_CELL_OPEN, (size_t)structure_cells(key));
        for (; at < w->count && memcmp(&w->kept[at].key, key, sizeof *key) == 0; at++) {
            if (!solve_again(w, w->kept[at].structure)) return fail_memory(w->error), false;
            take_all_cells(w, &w->kept[at]);
        }
        if (!take_old(w, key) || !end_structure(w, key)) return false;
    }
    for (int side = 0; side < 2; side++)
        if (w->stream[side].filled > 0 && !end_block(w, side)) return false;
    return true;
}

static bool write_all(Writing *w, const StructureKey *root, const char *directory)
{
    uint32_t count;
    if (!open_old(w, directory)) return false;
    if (!make_list(w, &count)) return fail_memory(w->error), false;
    bool fits = table_pawn_header(root, w->list, count, &w->header);
    w->list = NULL;
    if (!fits) return fail(w->error, TREB_ERR_ARGUMENT, "too many structures for a file"), false;
    if (!make_room(w)) return fail_memory(w->error), false;
    w->writer = table_writer_open(directory, &w->header, NULL, 0, w->error);
    if (w->writer == NULL || !write_structures(w)) return false;
    TableWriter *writer = w->writer;
    w->writer = NULL;
    return table_writer_finish(writer, &w->header, &w->out->bytes, w->error) == TREB_OK;
}

static void writing_end(Writing *w)
{
    if (w->writer != NULL) table_writer_abort(w->writer);
    table_encoder_free(w->encoder);
    table_decoder_free(w->decoder);
    table_close(w->old);
    table_header_free(&w->header);
    for (int side = 0; side < 2; side++) {
        free(w->cell[side]);
        free(w->stream[side].block);
    }
    free(w->kept);
    free(w->list);
    free(w->plies);
    free(w->packed);
    free(w->old_block);
}

treb_status pawn_file_write(Solve *solve, PawnFileRule *rule, const char *directory,
                            PawnFileProgress *progress, void *context, PawnFileWritten *out,
                            treb_error *error)
{
    Cell cell;
    CellsKey key;
    treb_error unused;
    *out = (PawnFileWritten){.name = ""};
    if (error == NULL) error = &unused;
    ProofGraph *graph = solve->graph;
    Structure *root =
        cells_from_position(&solve->pos, &key, &cell) ? proof_graph_find(graph, &key) : NULL;
    if (root == NULL) return fail(error, TREB_ERR_ARGUMENT, "there is nothing to write");
    if (root->oracle != NULL)
        return fail(error, TREB_ERR_ARGUMENT,
                    "the tables have this position: there is nothing to write");
    Writing w = {.graph = graph,
                 .progress = progress,
                 .context = context,
                 .out = out,
                 .error = error,
                 .old_number = UINT64_MAX};
    StructureKey name = file_key(&key);
    structure_orient(&name);
    table_pawn_name(&name, out->name);
    ask_again(graph, rule);
    bool good = collect(&w, &solve->pos, root);
    if (!good) fail_memory(error);
    good = good && write_all(&w, &name, directory);
    if (good && !proof_graph_sound(graph)) {
        fail(error, TREB_ERR_IO, "a table could not be read");
        good = false;
    }
    out->structures = w.header.pawn.structures;
    writing_end(&w);
    return good || out->stopped ? TREB_OK : error->status;
}

static bool is_name(const char *name) { return table_pawn_is_name(name, NULL); }

bool pawn_file_names(const char *const *directories, size_t count, FileNames *out)
{
    return file_names_add_folders(out, directories, count, is_name);
}
