/* save.c - writing rank files. */
#include <stdlib.h>
#include <string.h>

#include "blocked/file.h"

enum { COMPRESSION_LEVEL = 19 };

/* ---- Cells ----------------------------------------------------------------------------------- */

static uint16_t rank_of(const BlockedRanks *ranks, int side, int white, int black)
{
    if (bit_test(ranks->open[side][white], black)) return RANK_OPEN;
    return bit_test(ranks->won[side][white], black) ? ranks->rank[side][white][black] : RANK_NONE;
}

static uint16_t taken_of(const BlockedTaken *taken, int side, int pawn, int king)
{
    if (bit_test(taken->open[side][pawn], king)) return RANK_OPEN;
    return bit_test(taken->won[side][pawn], king) ? RANK_WON : RANK_NONE;
}

/* The cells of one side, of the board's colour. */
static void fill_cells(const Blocked *b, const FileView *v, const TableHeader *h, int side,
                       uint16_t *out)
{
    for (uint64_t i = 0; i < h->index.size; i++) out[i] = RANK_NONE;
    for (int i = 0; i < 2 * 4096; i++) {
        int winner = i >> 12, first = i >> 6 & 63, second = i & 63;
        out[file_cell(v, h, winner, first, second)] = rank_of(&b->by[winner], side, first, second);
        if (bit_test(b->key.pawns[side], first))
            out[file_taken(v, h, winner, side, first, second)] =
                taken_of(&b->taken[winner], side, first, second);
    }
}

/* Makes the value map of a side, and codes of its cells. False if there are too many values, or no
 * memory. */
static bool make_map(TableSide *side, const uint16_t *cell, uint64_t cells, uint16_t *code)
{
    uint16_t *number = calloc(UINT16_MAX + 1, sizeof *number);
    unsigned count = 0;
    if (number == NULL) return false;
    for (uint64_t i = 0; i < cells; i++) number[cell[i]] = 1;
    for (unsigned value = 0; value <= UINT16_MAX; value++) count += number[value];
    if (count <= TABLE_CODES_MAX) side->plies[0] = malloc(count * sizeof *side->plies[0]);
    for (unsigned value = 0; value <= UINT16_MAX && side->plies[0] != NULL; value++) {
        if (number[value] == 0) continue;
        side->plies[0][side->codes[0]] = (uint16_t)value;
        number[value] = side->codes[0]++;
    }
    for (uint64_t i = 0; i < cells; i++) code[i] = number[cell[i]];
    free(number);
    return side->plies[0] != NULL;
}

/* ---- What is counted ------------------------------------------------------------------------- */

/* The placement as a position of the file. */
static void write_fen(const Blocked *b, const FileView *v, int side, int white, int black,
                      char out[TABLE_FEN_SIZE])
{
    treb_position pos;
    cells_to_position(&b->key, (Cell)(64 * white + black), side, &pos);
    if (v->symmetry & SYM_RANKS) position_swap_colors(&pos, &pos);
    if (v->symmetry & SYM_FILES) position_flip_files(&pos, &pos);
    pos.fullmove = 1;
    position_to_fen(&pos, out);
}

/* Counts what the cells of one side say, a side of the board. The placements come in the order of
 * the file, so that its bytes do not depend on how the board was turned. */
static void count_side(const Blocked *b, const FileView *v, int side, const uint16_t *cell,
                       TableHeader *h)
{
    int there = file_side(v, side);
    TableSide *to = &h->side[there];
    for (int i = 0; i < 4096; i++) {
        bool swap = v->symmetry & SYM_RANKS;
        int first = file_square(v, i >> 6), second = file_square(v, i & 63);
        int white = swap ? second : first, black = swap ? first : second;
        if (!blocked_is_legal(b, side, white, black)) continue;
        unsigned rank[2];
        for (int winner = 0; winner < 2; winner++)
            rank[winner] = cell[table_ranks_cell(h, winner, i >> 6, i & 63)];
        /* Of two ranks, as goals may have, the lower counts, White's if they are the same. */
        int winner = rank[TREB_WHITE] <= rank[TREB_BLACK] ? TREB_WHITE : TREB_BLACK;
        unsigned plies = rank[winner];
        if (plies == RANK_OPEN) {
            h->ranks.open[there]++;
            continue;
        }
        int verdict = plies == RANK_NONE ? TREB_DRAW : winner == there ? TREB_WIN : TREB_LOSS;
        if (to->count[verdict]++ > 0 && plies <= to->longest[verdict]) continue;
        if (verdict == TREB_DRAW) continue;
        to->longest[verdict] = plies;
        write_fen(b, v, side, white, black, to->longest_fen[verdict]);
    }
}

/* ---- The file -------------------------------------------------------------------------------- */

static treb_status add_side(TableWriter *writer, const TableHeader *h, int side,
                            const uint16_t *code, treb_error *why)
{
    size_t full = (size_t)1 << h->block_bits, bytes = (size_t)table_side_bytes(h);
    size_t capacity = table_block_bound(h);
    TableEncoder *encoder = table_encoder_new(COMPRESSION_LEVEL, NULL, 0);
    uint8_t *plain = calloc(1, full), *packed = malloc(capacity);
    treb_status status = TREB_ERR_MEMORY;
    snprintf(why->text, sizeof why->text, "out of memory");
    if (encoder == NULL || plain == NULL || packed == NULL) goto cleanup;
    for (uint64_t i = 0; i < h->index.size; i++)
        for (unsigned part = 0; part < h->width; part++)
            plain[i * h->width + part] = (uint8_t)(code[i] >> 8 * part);
    size_t size = table_encode_block(encoder, plain, bytes, packed, capacity);
    if (size > 0)
        status = table_writer_add(writer, side, 0, packed, size, table_block_checksum(plain, bytes),
                                  why);
cleanup:
    if (status != TREB_OK) why->status = status;
    table_encoder_free(encoder);
    free(plain);
    free(packed);
    return status;
}

static treb_status write_file(const TableHeader *h, uint16_t *const code[2], const char *directory,
                              treb_error *why)
{
    TableWriter *writer = table_writer_open(directory, h, NULL, 0, why);
    if (writer == NULL) return why->status;
    for (int side = 0; side < 2; side++) {
        treb_status status = add_side(writer, h, side, code[side], why);
        if (status == TREB_OK) continue;
        table_writer_abort(writer);
        return status;
    }
    return table_writer_finish(writer, h, NULL, why);
}

treb_status blocked_save(const Blocked *b, const char *directory, treb_error *error)
{
    FileView view = file_view(&b->request);
    TableHeader header;
    treb_error why = {TREB_ERR_ARGUMENT, "too many pawns for a rank file"};
    view.ranks.upper_bounds = b->upper_bounds;
    if (!table_ranks_header(&view.ranks, &header)) return file_pass_on(&why, error);
    uint64_t cells = header.index.size;
    uint16_t *room = malloc(3 * (size_t)cells * sizeof *room), *code[2] = {room, room + cells};
    why = (treb_error){TREB_ERR_MEMORY, "out of memory"};
    treb_status status = room != NULL ? TREB_OK : TREB_ERR_MEMORY;
    for (int side = 0; side < 2 && status == TREB_OK; side++) {
        int there = file_side(&view, side);
        fill_cells(b, &view, &header, side, room + 2 * cells);
        count_side(b, &view, side, room + 2 * cells, &header);
        if (!make_map(&header.side[there], room + 2 * cells, cells, code[there]))
            status = TREB_ERR_MEMORY;
        else if (header.side[there].codes[0] > 256)
            header.width = 2;
    }
    if (status == TREB_OK) status = write_file(&header, code, directory, &why);
    if (status != TREB_OK) file_pass_on(&why, error);
    table_header_free(&header);
    free(room);
    return status;
}
