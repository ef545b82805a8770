/* blocked_file.c - reads blocked-pawn tables: see blocked_file.h. */
#include "pawns/blocked/blocked_file.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "pawns/blocked/blocked_file_view.h"

BlockedFileView blocked_file_view(const BlockedRequest *r)
{
    BlockedFileView view = {
        .about = {.goal = (int)r->goal, .safe = r->goal == GOAL_TAKE && r->safe}};
    for (int color = 0; color < 2; color++)
        view.about.pawns[color] = position_men_of(&r->pos, color, TREB_PAWN);
    if (r->goal == GOAL_TAKE) view.about.squares = r->from;
    if (r->goal == GOAL_REACH) view.about.squares = r->target;
    view.symmetry = table_blocked_orient(&view.about);
    return view;
}

void blocked_file_name(const BlockedRequest *request, char out[TABLE_LONG_NAME_SIZE])
{
    BlockedFileView view = blocked_file_view(request);
    table_blocked_name(&view.about, out);
}

/* ---- Cells ----------------------------------------------------------------------------------- */

treb_status blocked_file_read_cells(const Table *table, uint16_t *const out[2], treb_error *error)
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
            status = fail(error, TREB_ERR_DAMAGED, "%.400s: %s side: a code without a distance",
                          table_path(table), side ? "black" : "white");
            break;
        }
        out[side][cell] = h->side[side].plies[0][code];
    }
    table_decoder_free(decoder);
    free(block);
    return status;
}

/* Whether two files would answer the same request. */
static bool same(const TableBlocked *a, const TableBlocked *b)
{
    return a->pawns[0] == b->pawns[0] && a->pawns[1] == b->pawns[1] && a->goal == b->goal &&
           a->squares == b->squares && a->safe == b->safe;
}

/* Notes the distance of a placement. False if a placement cannot have it. */
static bool note_placement(Blocked *b, int winner, int side, int white, int black, unsigned plies)
{
    BlockedDistances *to = &b->by_winner[winner];
    bool legal = bit_test(b->legal[side][white], black);
    if (!legal || plies == DISTANCE_NONE) return true;
    if (plies == DISTANCE_OPEN) to->open[side][white] |= square_bit(black);
    if (plies >= DISTANCE_WON) return plies == DISTANCE_OPEN && b->request.goal == GOAL_EXACT;
    to->won[side][white] |= square_bit(black);
    to->plies[side][white][black] = (uint16_t)plies;
    return true;
}

/* Notes the value after a capture. False if it cannot have it. */
static bool note_captured(Blocked *b, int winner, int side, int pawn, int king, unsigned plies)
{
    BlockedCaptures *to = &b->captures[winner];
    if (plies == DISTANCE_WON) to->won[side][pawn] |= square_bit(king);
    if (plies == DISTANCE_OPEN) to->open[side][pawn] |= square_bit(king);
    return plies >= DISTANCE_WON;
}

/* Notes all cells of the file on the board. */
static bool take_cells(Blocked *b, const BlockedFileView *v, const TableHeader *h,
                       uint16_t *const cell[2])
{
    bool good = true;
    for (int i = 0; i < 4 * 4096 && good; i++) {
        int winner = i >> 13, side = i >> 12 & 1, white = i >> 6 & 63, black = i & 63;
        unsigned plies = cell[view_side(v, side)][view_cell(v, h, winner, white, black)];
        good = note_placement(b, winner, side, white, black, plies);
    }
    for (int i = 0; i < 4 * 4096 && good && b->request.goal == GOAL_EXACT; i++) {
        int winner = i >> 13, side = i >> 12 & 1, pawn = i >> 6 & 63, king = i & 63;
        if (!bit_test(b->key.pawns[side], pawn)) continue;
        unsigned plies =
            cell[view_side(v, side)][view_capture_cell(v, h, winner, side, pawn, king)];
        good = note_captured(b, winner, side, pawn, king, plies);
    }
    return good;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static Blocked *read_table(const Table *table, const BlockedRequest *request, treb_error *error)
{
    const TableHeader *h = table_header(table);
    const char *path = table_path(table);
    BlockedFileView view = blocked_file_view(request);
    if (h->metric != TABLE_BLOCKED || !same(&h->blocked, &view.about)) {
        fail(error, TREB_ERR_DAMAGED, "%.400s: its content is a different table than its name says", path);
        return NULL;
    }
    Blocked *b = blocked_new(request);
    uint16_t *cells = malloc(2 * (size_t)h->index.size * sizeof *cells);
    uint16_t *side[2] = {cells, cells != NULL ? cells + h->index.size : NULL};
    if (b == NULL || cells == NULL || (b->file = strdup(path)) == NULL) {
        fail_memory(error);
    } else if (blocked_file_read_cells(table, side, error) == TREB_OK) {
        b->upper_bounds = h->blocked.upper_bounds;
        b->captures_known = request->goal == GOAL_EXACT;
        if (take_cells(b, &view, h, side)) {
            free(cells);
            return b;
        }
        fail(error, TREB_ERR_DAMAGED, "%.400s: a cell has a distance that it cannot have", path);
    }
    free(cells);
    blocked_free(b);
    return NULL;
}

Blocked *blocked_file_read(const char *path, const BlockedRequest *request, treb_error *error)
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

Blocked *blocked_file_find(const char *const *directories, size_t count,
                           const BlockedRequest *request, treb_error *error)
{
    char name[TABLE_LONG_NAME_SIZE];
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
        Blocked *b = blocked_file_read(path, request, &why);
        free(path);
        if (b == NULL && why.status == TREB_ERR_NO_TABLE) continue;
        if (b == NULL && error != NULL) *error = why;
        return b;
    }
    fail(error, TREB_ERR_NO_TABLE, "there is no blocked-pawn table %s", name);
    return NULL;
}

bool blocked_file_names(const char *const *directories, size_t count, FileNames *out)
{
    *out = (FileNames){0};
    return file_names_add_folders(out, directories, count, table_blocked_is_name);
}
