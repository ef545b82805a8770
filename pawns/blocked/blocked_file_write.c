/* blocked_file_write.c - writes blocked-pawn tables: see blocked_file.h. */
#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "pawns/blocked/blocked_file.h"
#include "pawns/blocked/blocked_file_view.h"

enum { COMPRESSION_LEVEL = 19 };

/* ---- Cells ----------------------------------------------------------------------------------- */

static uint16_t distance_cell(const BlockedDistances *from, int side, int white, int black)
{
    if (bit_test(from->open[side][white], black)) return DISTANCE_OPEN;
    return bit_test(from->won[side][white], black) ? from->plies[side][white][black]
                                                   : DISTANCE_NONE;
}

static uint16_t capture_cell(const BlockedCaptures *from, int side, int pawn, int king)
{
    if (bit_test(from->open[side][pawn], king)) return DISTANCE_OPEN;
    return bit_test(from->won[side][pawn], king) ? DISTANCE_WON : DISTANCE_NONE;
}

/* Fills in the cells of one side to move, a side of the board. */
static void fill_cells(const Blocked *b, const BlockedFileView *v, const TableHeader *h, int side,
                       uint16_t *out)
{
    for (uint64_t i = 0; i < h->index.size; i++) out[i] = DISTANCE_NONE;
    for (int i = 0; i < 2 * 4096; i++) {
        int winner = i >> 12, first = i >> 6 & 63, second = i & 63;
        out[view_cell(v, h, winner, first, second)] =
            distance_cell(&b->by_winner[winner], side, first, second);
        if (bit_test(b->key.pawns[side], first))
            out[view_capture_cell(v, h, winner, side, first, second)] =
                capture_cell(&b->captures[winner], side, first, second);
    }
}

/* Numbers the values that occur, in ascending order. `number`, by value, is not 0 for values that
 * occur; it gets their numbers. */
static treb_status number_values(TableSide *side, uint16_t number[UINT16_MAX + 1],
                                 treb_error *error)
{
    unsigned count = 0;
    for (unsigned value = 0; value <= UINT16_MAX; value++) count += number[value] != 0;
    if (count > TABLE_CODES_MAX)
        return fail(
            error, TREB_ERR_ARGUMENT,
            "a blocked-pawn table holds at most %d different distances for a side to move, and "
            "there are %u",
            TABLE_CODES_MAX, count);
    side->plies[0] = malloc(count * sizeof *side->plies[0]);
    if (side->plies[0] == NULL) return fail_memory(error);
    for (unsigned value = 0; value <= UINT16_MAX; value++) {
        if (number[value] == 0) continue;
        side->plies[0][side->codes[0]] = (uint16_t)value;
        number[value] = side->codes[0]++;
    }
    return TREB_OK;
}

/* Makes the value map of a side to move, and the codes of its cells. */
static treb_status make_map(TableSide *side, const uint16_t *cell, uint64_t cells, uint16_t *code,
                            treb_error *error)
{
    uint16_t *number = calloc(UINT16_MAX + 1, sizeof *number);
    if (number == NULL) return fail_memory(error);
    for (uint64_t i = 0; i < cells; i++) number[cell[i]] = 1;
    treb_status status = number_values(side, number, error);
    for (uint64_t i = 0; i < cells && status == TREB_OK; i++) code[i] = number[cell[i]];
    free(number);
    return status;
}

/* ---- What is counted ------------------------------------------------------------------------- */

/* Writes the FEN of a placement in the orientation of the file. */
static void write_fen(const Blocked *b, const BlockedFileView *v, int side, int white, int black,
                      char out[TABLE_FEN_SIZE])
{
    treb_position pos;
    cells_to_position(&b->key, (Cell)(64 * white + black), side, &pos);
    if (v->symmetry & SYM_RANKS) position_swap_colors(&pos, &pos);
    if (v->symmetry & SYM_FILES) position_flip_files(&pos, &pos);
    pos.fullmove = 1;
    position_to_fen(&pos, out);
}

/* Counts the values of one side to move, a side of the board, for the header. The placements come
 * in the order of the file, so that the bytes of the file do not depend on the orientation of the
 * board. */
static void count_side(const Blocked *b, const BlockedFileView *v, int side, const uint16_t *cell,
                       TableHeader *h)
{
    int there = view_side(v, side);
    TableSide *to = &h->side[there];
    for (int i = 0; i < 4096; i++) {
        bool swap = v->symmetry & SYM_RANKS;
        int first = view_square(v, i >> 6), second = view_square(v, i & 63);
        int white = swap ? second : first, black = swap ? first : second;
        if (!blocked_is_legal(b, side, white, black)) continue;
        unsigned of[2];
        for (int winner = 0; winner < 2; winner++)
            of[winner] = cell[table_blocked_cell(h, winner, i >> 6, i & 63)];
        /* With a goal both sides may have a distance: the smaller one counts, White's if they are
         * equal. */
        int winner = of[TREB_WHITE] <= of[TREB_BLACK] ? TREB_WHITE : TREB_BLACK;
        unsigned plies = of[winner];
        if (plies == DISTANCE_OPEN) {
            h->blocked.open[there]++;
            continue;
        }
        int verdict = plies == DISTANCE_NONE ? TREB_DRAW : winner == there ? TREB_WIN : TREB_LOSS;
        if (to->count[verdict]++ > 0 && plies <= to->longest[verdict]) continue;
        if (verdict == TREB_DRAW) continue;
        to->longest[verdict] = plies;
        write_fen(b, v, side, white, black, to->longest_fen[verdict]);
    }
}

/* ---- The file -------------------------------------------------------------------------------- */

static treb_status add_side(TableWriter *writer, const TableHeader *h, int side,
                            const uint16_t *code, treb_error *error)
{
    size_t full = (size_t)1 << h->block_bits, bytes = (size_t)table_side_bytes(h);
    size_t capacity = table_block_bound(h), size = 0;
    TableEncoder *encoder = table_encoder_new(COMPRESSION_LEVEL, NULL, 0);
    uint8_t *plain = calloc(1, full), *packed = malloc(capacity);
    if (encoder != NULL && plain != NULL && packed != NULL) {
        for (uint64_t i = 0; i < h->index.size; i++)
            for (unsigned part = 0; part < h->width; part++)
                plain[i * h->width + part] = (uint8_t)(code[i] >> 8 * part);
        size = table_encode_block(encoder, plain, bytes, packed, capacity);
    }
    treb_status status = size == 0 ? fail_memory(error)
                                   : table_writer_add(writer, side, 0, packed, size,
                                                      table_block_checksum(plain, bytes), error);
    table_encoder_free(encoder);
    free(plain);
    free(packed);
    return status;
}

static treb_status write_file(const TableHeader *h, uint16_t *const code[2], const char *directory,
                              treb_error *error)
{
    treb_status status = TREB_OK;
    TableWriter *writer = table_writer_open(directory, h, NULL, 0, error);
    if (writer == NULL) return error->status;
    for (int side = 0; side < 2 && status == TREB_OK; side++)
        status = add_side(writer, h, side, code[side], error);
    if (status == TREB_OK) return table_writer_finish(writer, h, NULL, error);
    table_writer_abort(writer);
    return status;
}

static treb_status save(const Blocked *b, BlockedFileView *view, TableHeader *h, uint16_t *room,
                        const char *directory, treb_error *error)
{
    uint64_t cells = h->index.size;
    uint16_t *code[2] = {room, room + cells}, *plies = room + 2 * cells;
    for (int side = 0; side < 2; side++) {
        int there = view_side(view, side);
        fill_cells(b, view, h, side, plies);
        count_side(b, view, side, plies, h);
        treb_status status = make_map(&h->side[there], plies, cells, code[there], error);
        if (status != TREB_OK) return status;
        if (h->side[there].codes[0] > 256) h->width = 2;
    }
    return write_file(h, code, directory, error);
}

treb_status blocked_file_write(const Blocked *b, const char *directory, treb_error *error)
{
    BlockedFileView view = blocked_file_view(&b->request);
    TableHeader header;
    treb_error why;
    if (error == NULL) error = &why;
    if (b->request.goal == GOAL_EXACT && !b->captures_known)
        return fail(error, TREB_ERR_ARGUMENT, "what captures lead to is not known");
    view.about.upper_bounds = b->upper_bounds;
    if (!table_blocked_header(&view.about, &header))
        return fail(error, TREB_ERR_ARGUMENT, "too many pawns for a blocked-pawn table");
    uint16_t *room = malloc(3 * (size_t)header.index.size * sizeof *room);
    treb_status status =
        room != NULL ? save(b, &view, &header, room, directory, error) : fail_memory(error);
    table_header_free(&header);
    free(room);
    return status;
}
