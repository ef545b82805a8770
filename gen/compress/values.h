/* values.h - what a cell may be. */
#ifndef TREB_GEN_COMPRESS_VALUES_H
#define TREB_GEN_COMPRESS_VALUES_H

#include <stdint.h>

/* A cell is a value below ENCODE_UP_TO or one of these. */
enum {
    ENCODE_ANY = 255, /* the value does not matter */
    /* ENCODE_UP_TO | n: any value will do from 0 to limit[n] of the form, or to n; n is at most 30 */
    ENCODE_UP_TO = 0xe0,
    ENCODE_LIMITS = ENCODE_ANY - ENCODE_UP_TO,
    ENCODE_VALUES = ENCODE_UP_TO
};

/* How often something is there that gets a value. */
typedef struct ValueCount {
    uint64_t count;
    unsigned value;
} ValueCount;

/* For qsort: the frequent ones first, so that wins and losses have the same values. */
static inline int values_by_count(const void *a, const void *b)
{
    const ValueCount *x = a, *y = b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

#endif
