/* form.h - what codes may be like. */
#ifndef TREB_GEN_FORM_H
#define TREB_GEN_FORM_H

#include "core/code.h"

/* What a file's format allows, and what symbols take in it. */
typedef struct CodeForm {
    unsigned symbols;     /* at most; CODE_SYMBOLS_MAX or less */
    unsigned symbol_bits; /* of each in the file, beside its code words */
} CodeForm;

#endif
