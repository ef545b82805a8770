/* code_limits.h - the limits that a file format sets for its codes. */
#ifndef TREB_GEN_COMPRESS_CODE_LIMITS_H
#define TREB_GEN_COMPRESS_CODE_LIMITS_H

#include "core/format/code.h"

/* The limits of a code, and the size of its symbols in the file. */
typedef struct CodeLimits {
    unsigned symbols;     /* maximum number of symbols: CODE_SYMBOLS_MAX or less */
    unsigned symbol_bits; /* bits that the definition of a symbol takes in the file */
    /* A cell ENCODE_UP_TO | n allows any value up to up_to[n]. The array has 31 elements in ascending
     * order. If the pointer is NULL, the cell allows any value up to n. */
    const uint8_t *up_to;
} CodeLimits;

#endif
