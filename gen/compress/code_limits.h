/* form.h - what codes may be like. */
#ifndef TREB_GEN_COMPRESS_CODE_LIMITS_H
#define TREB_GEN_COMPRESS_CODE_LIMITS_H

#include "core/format/code.h"

/* What a file's format allows, and what symbols take in it. */
typedef struct CodeLimits {
    unsigned symbols;     /* at most; CODE_SYMBOLS_MAX or less */
    unsigned symbol_bits; /* of each in the file, beside its code words */
    /* Cells that are ENCODE_UP_TO | n may have any value up to limit[n]: 31 of them, in ascending
     * order. NULL: up to n. */
    const uint8_t *up_to;
} CodeLimits;

#endif
