/* symbols_sample.h - samples (table_sample.h) with codec symbols: writes them and reads them
 * back. */
#ifndef TREB_TESTS_SUPPORT_SYMBOLS_SAMPLE_H
#define TREB_TESTS_SUPPORT_SYMBOLS_SAMPLE_H

#include "tests/support/symbols.h"
#include "tests/support/table_sample.h"

/* Clears the bits of the last byte that hold no cell, and limits values to those of a table with
 * plies. */
static inline void tidy_data(const TableHeader *header, uint8_t *data)
{
    uint64_t bytes = table_side_bytes(header);
    unsigned last = (unsigned)(header->index.size % header->per_byte), bits = 8 / header->per_byte;
    if (header->width == 2)
        for (uint64_t i = 1; i < bytes; i += 2) data[i] &= 0xf;
    if (last > 0) data[bytes - 1] &= (uint8_t)((1u << last * bits) - 1);
}

static inline Sample make_coded_sample(const char *material, treb_metric metric, unsigned per_byte,
                                       unsigned width, unsigned stored, unsigned block_bytes)
{
    static const uint8_t orders[2][INDEX_AXES_MAX] = {{0, 1}, {1, 0}};
    Sample sample = make_sample(material, metric, per_byte, width, stored);
    TableHeader *header = &sample.header;
    Material m = header->index.material;
    header->codec = TABLE_SYMBOLS;
    header->pad = 1;
    header->base = per_byte > 1 ? 1u << 8 / per_byte : 0;
    ck_assert(index_init_square_colors(&header->index, &m, NULL));
    for (int s = 0; s < 2; s++) {
        TableSide *side = &header->side[s];
        side->index = header->index;
        if (!side->stored) continue;
        /* The side gets an order of its own if there are axes to exchange. */
        if (header->index.axes == 2)
            ck_assert(index_init_square_colors(&side->index, &m, orders[s]));
        side->code.block_bytes = block_bytes;
        side->code.count = 1;
        free(sample.data[s]);
        sample.data[s] = make_data(header, 77u + (unsigned)s);
        tidy_data(header, sample.data[s]);
        if (per_byte > 1)
            for (int v = 0; v < WDL_VALUES; v++)
                if (side->codes[v] > header->base) side->codes[v] = (uint16_t)header->base;
    }
    return sample;
}

static inline void must_write_coded(Sample *sample)
{
    treb_error error = {0};
    uint64_t size = 0;
    struct stat info;
    char path[PATH_SIZE];
    path_of_sample(sample, path);
    treb_status status = symbols_write(directory, &sample->header, sample->data, &size, &error);
    ck_assert_msg(status == TREB_OK, "%s", error.text);
    ck_assert(stat(path, &info) == 0 && size == (uint64_t)info.st_size);
}

/* Returns the value of a cell of a sample. */
static inline unsigned sample_cell(const Sample *sample, int side, uint64_t cell)
{
    const TableHeader *h = &sample->header;
    const uint8_t *at = sample->data[side] + cell / h->per_byte * h->width;
    if (h->width == 2) return at[0] | (unsigned)at[1] << 8;
    unsigned bits = 8 / h->per_byte;
    return at[0] >> cell % h->per_byte * bits & ((1u << bits) - 1);
}

/* Compares single cells: every `step`th one, and the last. */
static inline void compare_cells(const Sample *sample, const Table *table, int side, uint64_t step)
{
    uint64_t cells = sample->header.index.size;
    treb_error error = {0};
    for (uint64_t i = 0; i < cells; i = i + step < cells || i == cells - 1 ? i + step : cells - 1) {
        int code = table_read_cell(table, WAIT_FOR_ALL, side, i, NULL, &error);
        /* No ck_assert for each cell: assertions are slow. */
        if (code != (int)sample_cell(sample, side, i))
            ck_abort_msg("side %d, cell %d: %d %s", side, (int)i, code, error.text);
    }
}

static inline void must_read_coded(const Sample *sample, uint64_t step)
{
    char path[PATH_SIZE];
    treb_error error;
    path_of_sample(sample, path);
    must_read(sample); /* header and blocks */
    Table *table = table_open(path, &error);
    ck_assert_msg(table != NULL, "%s", error.text);
    const TableHeader *header = table_header(table);
    ck_assert_int_eq(header->codec, TABLE_SYMBOLS);
    for (int s = 0; s < 2; s++) {
        const Index *a = &sample->header.side[s].index, *b = &header->side[s].index;
        if (!sample->header.side[s].stored) continue;
        ck_assert_mem_eq(a->order, b->order, sizeof a->order);
        ck_assert_mem_eq(a->stride, b->stride, sizeof a->stride);
        ck_assert_uint_eq(header->side[s].code.block_bytes,
                          sample->header.side[s].code.block_bytes);
        ck_assert_uint_eq(header->side[s].code.count, sample->header.side[s].code.count);
        compare_cells(sample, table, s, step);
    }
    table_close(table);
}

#endif
