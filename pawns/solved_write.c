/* solved_write.c - writing solved pawn endings: see solved.h.
 *
 * Families are solved once more, the least potential first, as one knows only then in how many plies a
 * win leaves its family. Of wins that take more than 100 the 50-move rule makes something that is not
 * known here: they are open then, and so what rests on them alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pawns/needed.h"
#include "pawns/solved.h"
#include "core/system/error.h"

enum { COMPRESSION_LEVEL = 9, PIECES_MOST = 2 };

/* A family on its way into the file. */
typedef struct Kept {
    Family *family;
    SolvedKey key; /* as the file has it */
} Kept;

/* Cells of one side to move, cut into blocks as they come. */
typedef struct Stream {
    uint8_t *block;
    size_t filled;
    uint64_t number;
} Stream;

typedef struct Writing {
    Lattice *lattice;
    SolvedTell *tell;
    void *context;
    SolvedWritten *out;
    treb_error *error;
    Kept *kept;
    SolvedStructure *list; /* until the header has it */
    size_t count, capacity;
    uint16_t *rank;   /* room for the ranks of the largest family */
    uint8_t *cell[2]; /* its cells */
    size_t room;
    TableHeader header;
    TableWriter *writer;
    TableEncoder *encoder;
    uint8_t *packed;
    Stream stream[2];
    Table *old; /* an older file, or NULL */
    TableDecoder *decoder;
    uint8_t *old_block;
    uint64_t old_number; /* of the block, with the side as its lowest bit; UINT64_MAX: none */
} Writing;

/* ---- Which families -------------------------------------------------------------------------- */

static SolvedKey solved_key(const CellsKey *key)
{
    SolvedKey out = {{key->pawns[0], key->pawns[1]}, {0}};
    for (int i = 0; i < key->men; i++)
        out.piece[i] = (uint8_t)(key->man[i].color << 3 | key->man[i].type);
    return out;
}

/* Marks what captures and pawn moves lead to as long as kings and pawns are all. */
static void meet(void *context, EdgeChild *child)
{
    const Lattice *lattice = context;
    if (child->family == NULL && !child->beyond) child->family = lattice_find(lattice, &child->key);
    if (child->family != NULL && child->key.men == 0) child->family->met = lattice->round;
}

static bool is_kept(const Lattice *lattice, const Family *f)
{
    return f->met == lattice->round && f->oracle == NULL && f->key.men <= PIECES_MOST;
}

static bool keep(Writing *w, Family *f)
{
    if (w->count == w->capacity) {
        size_t capacity = w->capacity ? 2 * w->capacity : 256;
        Kept *grown = realloc(w->kept, capacity * sizeof *grown);
        if (grown == NULL) return false;
        w->kept = grown;
        w->capacity = capacity;
    }
    Kept *k = &w->kept[w->count++];
    *k = (Kept){.family = f, .key = solved_key(&f->key)};
    solved_orient(&k->key);
    if (cells_words(&f->key) > w->room) w->room = cells_words(&f->key);
    return true;
}

static int compare_kept(const void *left, const void *right)
{
    const Kept *a = left, *b = right;
    if (a->family->potential != b->family->potential)
        return a->family->potential - b->family->potential;
    return memcmp(&a->key, &b->key, sizeof a->key);
}

/* Lists the families that the root rests on, and all below it that have no pieces, the least first; twins,
 * of which one is the other's mirror image, come one after the other. */
static bool collect(Writing *w, const treb_position *pos, Family *root)
{
    Lattice *lattice = w->lattice;
    if (!needed_mark(lattice, pos)) return false;
    root->met = lattice->round;
    for (int p = LATTICE_POTENTIALS - 1; p >= 0; p--)
        for (int i = 0; i < lattice->count[p]; i++) {
            Family *f = lattice->by_potential[p][i];
            if (!is_kept(lattice, f)) continue;
            if (f->key.men == 0) family_each_child(f, meet, lattice);
            if (!keep(w, f)) return false;
        }
    qsort(w->kept, w->count, sizeof *w->kept, compare_kept);
    return true;
}

/* ---- Solving again --------------------------------------------------------------------------- */

/* Tables are asked anew. */
static void ask_again(Lattice *lattice, SolvedRule *rule)
{
    lattice->limits.oracle.value = rule;
    for (int p = 0; p < LATTICE_POTENTIALS; p++)
        for (int i = 0; i < lattice->count[p]; i++) {
            Family *f = lattice->by_potential[p][i];
            size_t bytes = cells_words(&f->key) * sizeof(uint64_t);
            if (f->oracle == NULL) continue;
            for (int side = 0; side < 2; side++) {
                memset(f->filled[side], 0, bytes);
                memset(f->stuck[side], 0, bytes);
                for (int winner = 0; winner < 2; winner++)
                    memset(f->won[SURE][winner][side], 0, bytes);
            }
        }
}

/* Gives a winner's levels sets of their own, all the same. */
static bool part_levels(Family *f, int winner)
{
    size_t bytes = cells_words(&f->key) * sizeof(uint64_t);
    if (!family_settled(f, winner)) return true;
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

/* What is not in the file is not known. */
static void forget(void *context, EdgeChild *child)
{
    const Family *f = child->family;
    if (f != NULL && f->oracle == NULL && !is_kept(context, f)) child->family = NULL;
}

/* Opens the wins that come too late. Ranks are by winner, side to move and cell. */
static bool open_late_wins(Family *f, uint16_t *const rank[2][2])
{
    for (int winner = 0; winner < 2; winner++)
        for (int side = 0; side < 2; side++)
            for (size_t w = 0; w < cells_words(&f->key); w++) {
                uint64_t late = 0;
                for (uint64_t left = f->won[SURE][winner][side][w]; left != 0;) {
                    int king = bit_pop(&left);
                    if (rank[winner][side][w << 6 | (size_t)king] > SOLVED_PLIES)
                        late |= square_bit(king);
                }
                if (late == 0) continue;
                if (!part_levels(f, winner)) return false;
                f->won[SURE][winner][side][w] &= ~late;
            }
    return true;
}

static bool solve_again(Writing *w, Family *f)
{
    const size_t cells = 64 * cells_words(&f->key);
    FamilyRanks ranks = {.exact = false};
    for (int i = 0; i < 4; i++) ranks.rank[i / 2][i % 2] = w->rank + (size_t)i * cells;
    memset(w->rank, 0xff, 4 * cells * sizeof *w->rank);
    lattice_join(w->lattice, f);
    family_each_child(f, forget, w->lattice);
    for (int winner = 0; winner < 2; winner++)
        if (!part_levels(f, winner)) return false;
    return family_solve(f, &ranks) && open_late_wins(f, ranks.rank);
}

/* ---- Cells ----------------------------------------------------------------------------------- */

static unsigned cell_value(const Writing *w, const Family *f, int side, size_t word, int king)
{
    const size_t cell = word << 6 | (size_t)king, cells = 64 * cells_words(&f->key);
    const uint16_t *won = w->rank + cells * (size_t)(2 * side + side);
    const uint16_t *lost = w->rank + cells * (size_t)(2 * !side + side);
    if (!bit_test(f->legal[side][word], king)) return SOLVED_DRAW;
    if (bit_test(f->won[SURE][side][side][word], king)) return SOLVED_WIN + won[cell];
    if (bit_test(f->won[SURE][!side][side][word], king)) return SOLVED_LOSS + lost[cell];
    bool may_win = bit_test(f->won[MAYBE][side][side][word], king);
    bool may_lose = bit_test(f->won[MAYBE][!side][side][word], king);
    if (may_win) return may_lose ? SOLVED_OPEN : SOLVED_NO_LOSS;
    return may_lose ? SOLVED_NO_WIN : SOLVED_DRAW;
}

/* What two proofs come to. */
static unsigned join(unsigned a, unsigned b)
{
    bool a_open = a >= SOLVED_OPEN && a <= SOLVED_NO_WIN;
    bool b_open = b >= SOLVED_OPEN && b <= SOLVED_NO_WIN;
    if (!a_open && !b_open) return a < b ? a : b;
    if (!a_open || !b_open) return a_open ? b : a;
    bool no_win = solved_no_win(a) || solved_no_win(b);
    bool no_loss = solved_no_loss(a) || solved_no_loss(b);
    if (no_win) return no_loss ? SOLVED_DRAW : SOLVED_NO_WIN;
    return no_loss ? SOLVED_NO_LOSS : SOLVED_OPEN;
}

/* The row of the file that has the pieces of a row of the family. */
static size_t row_in_file(const CellsKey *key, int symmetry, size_t row)
{
    size_t out = 0;
    int first = 0;
    for (int i = 0; i < key->men && symmetry & SYM_RANKS; i++) first += key->man[i].color;
    for (int i = 0; i < key->men; i++) {
        int from = first > 0 ? (i + key->men - first) % key->men : i;
        out = out << 6 | (size_t)index_symmetry_square(symmetry, cells_square(key, row, from));
    }
    return out;
}

/* Joins a family's cells to what is there of the structure, by one symmetry. */
static void take_cells(Writing *w, const Family *f, int symmetry)
{
    const bool swap = symmetry & SYM_RANKS;
    for (size_t row = 0; row < cells_rows(&f->key); row++) {
        const size_t to = row_in_file(&f->key, symmetry, row) << 12;
        for (int i = 0; i < 2 * 4096; i++) {
            const int side = i >> 12, white = i >> 6 & 63, black = i & 63;
            const int first = index_symmetry_square(symmetry, swap ? black : white);
            const int second = index_symmetry_square(symmetry, swap ? white : black);
            uint8_t *cell = &w->cell[swap ? !side : side][to | (size_t)(first << 6 | second)];
            *cell = (uint8_t)join(*cell, cell_value(w, f, side, row << 6 | (size_t)white, black));
        }
    }
}

/* By all that lead to it: a structure may be its own mirror image, of which as much is known. */
static void take_all_cells(Writing *w, const Kept *k)
{
    static const int symmetries[] = {0, SYM_FILES, SYM_RANKS, SYM_FILES | SYM_RANKS};
    const SolvedKey start = solved_key(&k->family->key);
    for (int i = 0; i < 4; i++) {
        SolvedKey image = solved_transform(&start, symmetries[i]);
        if (memcmp(&image, &k->key, sizeof image) == 0) take_cells(w, k->family, symmetries[i]);
    }
}

static void count_cells(Writing *w, const SolvedKey *key)
{
    CellsKey board = {{key->pawns[0], key->pawns[1]}, {{0, 0}}, 0, 0};
    for (int i = 0; i < PIECES_MOST && key->piece[i] != 0; i++)
        board.man[board.men++] =
            (CellsMan){(uint8_t)(key->piece[i] >> 3), (uint8_t)(key->piece[i] & 7)};
    for (size_t row = 0; row < cells_rows(&board); row++)
        for (int side = 0; side < 2; side++) {
            uint64_t legal[CELLS_ROW];
            TableSide *to = &w->header.side[side];
            cells_legal_row(&board, side, row, legal);
            for (size_t king = 0; king < CELLS_ROW; king++)
                for (uint64_t left = legal[king]; left != 0;) {
                    unsigned cell = w->cell[side][row << 12 | king << 6 | (size_t)bit_pop(&left)];
                    w->out->positions++;
                    if (cell >= SOLVED_OPEN && cell < SOLVED_WIN) {
                        w->header.solved.open[side]++;
                        w->out->open++;
                        continue;
                    }
                    int verdict = cell == SOLVED_DRAW ? TREB_DRAW
                                  : solved_wins(cell) ? TREB_WIN
                                                      : TREB_LOSS;
                    unsigned plies = cell == SOLVED_DRAW ? 0 : solved_plies(cell);
                    to->count[verdict]++;
                    if (plies > to->longest[verdict]) to->longest[verdict] = plies;
                }
        }
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

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

static bool end_structure(Writing *w, const SolvedKey *key)
{
    const size_t cells = (size_t)solved_cells(key);
    count_cells(w, key);
    return put_cells(w, 0, w->cell[0], cells) && put_cells(w, 1, w->cell[1], cells);
}

/* ---- An older file --------------------------------------------------------------------------- */

/* Joins what the older file has of a structure. */
static bool take_old(Writing *w, const SolvedKey *key)
{
    const SolvedStructure *s = w->old != NULL ? solved_find(table_header(w->old), key) : NULL;
    if (s == NULL) return true;
    const unsigned bits = table_header(w->old)->block_bits;
    for (int side = 0; side < 2; side++)
        for (uint64_t i = 0, cells = solved_cells(key); i < cells; i++) {
            const uint64_t at = s->first + i, number = (at >> bits) << 1 | (unsigned)side;
            if (number != w->old_number && table_read_block(w->old, w->decoder, side, at >> bits,
                                                            w->old_block, w->error) != TREB_OK)
                return false;
            w->old_number = number;
            w->cell[side][i] =
                (uint8_t)join(w->cell[side][i], w->old_block[at & ((UINT64_C(1) << bits) - 1)]);
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
        /* None, or one that is damaged: it is written anew. One that cannot be read now may know more. */
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
    const SolvedStructure *a = left, *b = right;
    return memcmp(&a->key, &b->key, sizeof a->key);
}

/* The structures of an older file that the new one would not have. */
static bool add_old(Writing *w, const TableSolved *old, uint32_t *count)
{
    const uint32_t fresh = *count;
    SolvedStructure *sorted = malloc((fresh + 1) * sizeof *sorted);
    if (sorted == NULL) return false;
    memcpy(sorted, w->list, fresh * sizeof *sorted);
    qsort(sorted, fresh, sizeof *sorted, compare_structures);
    for (uint32_t i = 0; i < old->structures; i++) {
        const SolvedStructure *s = &old->structure[i];
        if (bsearch(s, sorted, fresh, sizeof *sorted, compare_structures) != NULL) continue;
        if (solved_cells(&s->key) / 64 > w->room) w->room = (size_t)solved_cells(&s->key) / 64;
        w->list[(*count)++].key = s->key;
        w->out->kept++;
    }
    free(sorted);
    return true;
}

/* The structures of the file: those of the families, then others that an older one has. */
static bool make_list(Writing *w, uint32_t *count)
{
    const TableSolved *old = w->old != NULL ? &table_header(w->old)->solved : NULL;
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
    w->rank = malloc(4 * 64 * w->room * sizeof *w->rank);
    w->encoder = table_encoder_new(COMPRESSION_LEVEL, NULL, 0);
    w->packed = malloc(table_block_bound(&w->header));
    bool good = w->rank != NULL && w->encoder != NULL && w->packed != NULL;
    for (int side = 0; side < 2; side++) {
        w->cell[side] = malloc(64 * w->room);
        w->stream[side].block = malloc(full);
        good = good && w->cell[side] != NULL && w->stream[side].block != NULL;
    }
    return good;
}

/* All structures in the order of the list, with the families solved as they come. */
static bool write_structures(Writing *w)
{
    const uint32_t structures = w->header.solved.structures;
    size_t at = 0;
    for (uint32_t i = 0; i < structures; i++) {
        const SolvedKey *key = &w->header.solved.structure[i].key;
        w->out->stopped = w->tell != NULL && w->tell(w->context, i, structures);
        if (w->out->stopped) return false;
        for (int side = 0; side < 2; side++)
            memset(w->cell[side], SOLVED_OPEN, (size_t)solved_cells(key));
        for (; at < w->count && memcmp(&w->kept[at].key, key, sizeof *key) == 0; at++) {
            if (!solve_again(w, w->kept[at].family)) return fail_memory(w->error), false;
            take_all_cells(w, &w->kept[at]);
        }
        if (!take_old(w, key) || !end_structure(w, key)) return false;
    }
    for (int side = 0; side < 2; side++)
        if (w->stream[side].filled > 0 && !end_block(w, side)) return false;
    return true;
}

static bool write_all(Writing *w, const SolvedKey *root, const char *directory)
{
    uint32_t count;
    if (!open_old(w, directory)) return false;
    if (!make_list(w, &count)) return fail_memory(w->error), false;
    bool fits = table_solved_header(root, w->list, count, &w->header);
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
    free(w->rank);
    free(w->packed);
    free(w->old_block);
}

treb_status solved_write(Solve *solve, SolvedRule *rule, const char *directory, SolvedTell *tell,
                         void *context, SolvedWritten *out, treb_error *error)
{
    Cell cell;
    CellsKey key;
    treb_error unused;
    *out = (SolvedWritten){.name = ""};
    if (error == NULL) error = &unused;
    Lattice *lattice = solve->lattice;
    Family *root =
        cells_from_position(&solve->pos, &key, &cell) ? lattice_find(lattice, &key) : NULL;
    if (root == NULL) return fail(error, TREB_ERR_ARGUMENT, "there is nothing to write");
    if (root->oracle != NULL)
        return fail(error, TREB_ERR_ARGUMENT,
                    "the tables have this position: there is nothing to write");
    Writing w = {.lattice = lattice,
                 .tell = tell,
                 .context = context,
                 .out = out,
                 .error = error,
                 .old_number = UINT64_MAX};
    SolvedKey name = solved_key(&key);
    solved_orient(&name);
    table_solved_name(&name, out->name);
    ask_again(lattice, rule);
    bool good = collect(&w, &solve->pos, root);
    if (!good) fail_memory(error);
    good = good && write_all(&w, &name, directory);
    if (good && !lattice_sound(lattice)) {
        fail(error, TREB_ERR_IO, "a table could not be read");
        good = false;
    }
    out->structures = w.header.solved.structures;
    writing_end(&w);
    return good || out->stopped ? TREB_OK : error->status;
}
