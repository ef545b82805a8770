/* checksum.h - the checksum of table files: XXH3 with 64 bits. */
#ifndef TREB_CORE_FORMAT_CHECKSUM_H
#define TREB_CORE_FORMAT_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Returns the checksum of `size` bytes. Takes about a microsecond for 4 KiB. */
uint64_t checksum(const uint8_t *bytes, size_t size, uint64_t seed);

#endif
