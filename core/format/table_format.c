/* table_format.c - see table_format.h: constants, sizes and checksums that readers and writers of
 * table files share. */
#include "core/format/table_format.h"

#include "core/format/checksum.h"

const uint8_t format_magic[8] = {0x89, 'T', 'R', 'E', 'B', '\r', '\n', 0x1a};
const uint8_t format_zstd_magic[FORMAT_ZSTD_MAGIC_SIZE] = {0x28, 0xb5, 0x2f, 0xfd};
const char format_no_memory[] = "out of memory";

const char *format_side_name(int side) { return side == TREB_WHITE ? "white" : "black"; }

/* ---- Sizes ----------------------------------------------------------------------------------- */

uint64_t table_side_bytes(const TableHeader *header)
{
    uint64_t units = header->index.size / header->per_byte;
    if (header->index.size % header->per_byte) units++;
    return units * header->width;
}

uint64_t table_side_blocks(const TableHeader *header)
{
    return ((table_side_bytes(header) - 1) >> header->block_bits) + 1;
}

uint64_t format_first_entry(const TableHeader *header, int side)
{
    uint64_t entry = 0;
    if (header->codec == TABLE_SYMBOLS) return 0;
    for (int s = 0; s < side; s++)
        if (header->side[s].stored) entry += table_side_blocks(header);
    return entry;
}

size_t format_block_size(const TableHeader *header, uint64_t block)
{
    uint64_t full = UINT64_C(1) << header->block_bits;
    uint64_t left = table_side_bytes(header) - (block << header->block_bits);
    return (size_t)(left < full ? left : full);
}

/* ---- Checksums ------------------------------------------------------------------------------- */

uint32_t format_page_checksum(const uint8_t *page, size_t size, uint64_t number)
{
    return (uint32_t)checksum(page + PAGE_AT_LENGTHS, size - PAGE_AT_LENGTHS, number);
}

uint64_t format_checksum(const uint8_t *bytes, size_t size)
{
    return checksum(bytes + FORMAT_AT_VERSION, size - FORMAT_AT_VERSION, 0);
}

void format_seal(uint8_t *bytes, size_t size)
{
    format_put64(bytes + FORMAT_AT_CHECKSUM, format_checksum(bytes, size));
}

uint32_t table_block_checksum(const uint8_t *block, size_t size)
{
    return (uint32_t)checksum(block, size, 0);
}
