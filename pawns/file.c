/* file.c - reading rank files. */
#include "pawns/file.h"

#include <stdlib.h>
#include <string.h>

#include "pawns/ranks.h"
#include "core/system/error.h"

FileView file_view(const BlockedRequest *r)
{
    FileView view = {.ranks = {.goal = (int)r->goal, .safe = r->goal == GOAL_TAKE && r->safe}};
    for (int color = 0; color < 2; color++)
        view.ranks.pawns[color] = position_men_of(&r->pos, color, TREB_PAWN);
    if (r->goal == GOAL_TAKE) view.ranks.squares = r->from;
    if (r->goal == GOAL_REACH) view.ranks.squares = r->target;
    view.symmetry = table_ranks_orient(&view.ranks);
    return view;
}

void blocked_file_name(const BlockedRequest *request, char out[RANKS_NAME_SIZE])
{
    FileView view = file_view(request);
    table_ranks_name(&view.ranks, out);
}

/* ---- Cells ----------------------------------------------------------------------------------- */

treb_status file_read_cells(const Table *table, uint16_t *const out[2], treb_error *error)
{
    const TableHeader *h = table_header(table);
    TableDecoder *decoder = table_decoder_new();
    uint8_t *block = malloc((size_t)1 << h->block_bits);
    treb_status status = decoder != NULL && block != NULL ? TREB_OK : fail_memory(error);
    uint64_t held = UINT64_MAX;
    for (uint64_t i = 0; status == TREB_OK && i < 2 * h->index.size; i++) {
        int side = i >= h->index.size;
        uint64_t cell = i - (side ? h->index.size : 0), wanted = table_cell_block(h, cell);
        if (cell == 0 || wanted != held) {
            status = table_read_block(table, decoder, side, wanted, block, error);
            if (status != TREB_OK) break;
        }
        held = wanted;
        unsigned code = table_cell_code(h, block, cell);
        if (code >= h->side[side].codes[0]) {
            status = fail(error, TREB_ERR_DAMAGED, "%.400s: %s side: a code without a rank",
                          table_path(table), side ? "black" : "white");
            break;
        }
        out[side][cell] = h->side[side].plies[0][code];
    }
    table_decoder_free(decoder);
    free(block);
    return status;
}

static bool same(const TableRanks *a, const TableRanks *b)
{
    return a->pawns[0] == b->pawns[0] && a->pawns[1] == b->pawns[1] && a->goal == b->goal &&
           a->squares == b->squares && a->safe == b->safe;
}

/* A rank of a placement. False if there is no such rank. */
static bool note_placement(Blocked *b, int winner, int side, int white, int black, unsigned rank)
{
    BlockedRanks *to = &b->by[winner];
    bool legal = bit_test(b->legal[side][white], black);
    if (!legal || rank == RANK_NONE) return true;
    if (rank == RANK_OPEN) to->open[side][white] |= square_bit(black);
    if (rank >= RANK_WON) return rank == RANK_OPEN && b->request.goal == GOAL_EXACT;
    to->won[side][white] |= square_bit(black);
    to->rank[side][white][black] = (uint16_t)rank;
    return true;
}

static bool note_taken(Blocked *b, int winner, int side, int pawn, int king, unsigned rank)
{
    BlockedTaken *to = &b->taken[winner];
    if (rank == RANK_WON) to->won[side][pawn] |= square_bit(king);
    if (rank == RANK_OPEN) to->open[side][pawn] |= square_bit(king);
    return rank >= RANK_WON;
}

/* From the file's cells to the board. */
static bool take_cells(Blocked *b, const FileView *v, const TableHeader *h, uint16_t *const cell[2])
{
    bool good = true;
    for (int i = 0; i < 4 * 4096 && good; i++) {
        int winner = i >> 13, side = i >> 12 & 1, white = i >> 6 & 63, black = i & 63;
        unsigned rank = cell[file_side(v, side)][file_cell(v, h, winner, white, black)];
        good = note_placement(b, winner, side, white, black, rank);
    }
    for (int i = 0; i < 4 * 4096 && good && b->request.goal == GOAL_EXACT; i++) {
        int winner = i >> 13, side = i >> 12 & 1, pawn = i >> 6 & 63, king = i & 63;
        if (!bit_test(b->key.pawns[side], pawn)) continue;
        unsigned rank = cell[file_side(v, side)][file_taken(v, h, winner, side, pawn, king)];
        good = note_taken(b, winner, side, pawn, king, rank);
    }
    return good;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static Blocked *read_table(const Table *table, const BlockedRequest *request, treb_error *error)
{
    const TableHeader *h = table_header(table);
    const char *path = table_path(table);
    FileView view = file_view(request);
    if (h->metric != TABLE_RANKS || !same(&h->ranks, &view.ranks)) {
        fail(error, TREB_ERR_DAMAGED, "%.400s: its name is not that of its content", path);
        return NULL;
    }
    Blocked *b = ranks_new(request);
    uint16_t *cells = malloc(2 * (size_t)h->index.size * sizeof *cells);
    uint16_t *side[2] = {cells, cells != NULL ? cells + h->index.size : NULL};
    if (b == NULL || cells == NULL || (b->file = strdup(path)) == NULL) {
        fail_memory(error);
    } else if (file_read_cells(table, side, error) == TREB_OK) {
        b->upper_bounds = h->ranks.upper_bounds;
        b->settled = request->goal == GOAL_EXACT;
        if (take_cells(b, &view, h, side)) {
            free(cells);
            return b;
        }
        fail(error, TREB_ERR_DAMAGED, "%.400s: a cell has a rank that it cannot have", path);
    }
    free(cells);
    blocked_free(b);
    return NULL;
}

Blocked *blocked_load(const char *path, const BlockedRequest *request, treb_error *error)
{
    char why[BLOCKED_WHY_SIZE];
    treb_status status = blocked_check(&request->pos, why);
    if (status != TREB_OK) {
        fail(error, status, "%s", why);
        return NULL;
    }
    Table *table = table_open(path, error);
    if (table == NULL) return NULL;
    Blocked *b = read_table(table, request, error);
    table_close(table);
    return b;
}

Blocked *blocked_find(const char *const *directories, size_t count, const BlockedRequest *request,
                      treb_error *error)
{
    char name[RANKS_NAME_SIZE];
    blocked_file_name(request, name);
    for (size_t i = 0; i < count; i++) {
        treb_error why;
        size_t size = strlen(directories[i]) + sizeof name + 1;
        char *path = malloc(size);
        if (path == NULL) {
            fail_memory(error);
            return NULL;
        }
        snprintf(path, size, "%s/%s", directories[i], name);
        Blocked *b = blocked_load(path, request, &why);
        free(path);
        if (b == NULL && why.status == TREB_ERR_NO_TABLE) continue;
        if (b == NULL && error != NULL) *error = why;
        return b;
    }
    fail(error, TREB_ERR_NO_TABLE, "there is no blocked-pawn table %s", name);
    return NULL;
}
