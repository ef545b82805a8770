/* values.h - what the byte of a cell means: one value, or a range of values that are all allowed. */
#ifndef TREB_GEN_COMPRESS_VALUES_H
#define TREB_GEN_COMPRESS_VALUES_H

#include <stdint.h>

/* A cell is a value below ENCODE_UP_TO, or ENCODE_ANY, or ENCODE_UP_TO | n. */
enum {
    ENCODE_ANY = 255, /* the value does not matter */
    /* ENCODE_UP_TO | n: any value is allowed from 0 to CodeLimits.up_to[n], or to n if that array is
     * NULL; n is at most 30 */
    ENCODE_UP_TO = 0xe0,
    ENCODE_LIMITS = ENCODE_ANY - ENCODE_UP_TO, /* number of limits: 31 */
    ENCODE_VALUES = ENCODE_UP_TO               /* number of values: 224 */
};

/* How often something occurs that is to get a value. The caller says what it is. */
typedef struct ValueCount {
    uint64_t count;
    unsigned value;
} ValueCount;

/* For qsort: the most frequent first. The callers number the values of each verdict in this order, so
 * that frequent wins and frequent losses have equal cells. */
static inline int values_by_count(const void *a, const void *b)
{
    const ValueCount *x = a, *y = b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

#endif
