/* values.h - what a cell may be. */
#ifndef TREB_GEN_VALUES_H
#define TREB_GEN_VALUES_H

/* A cell is a value below ENCODE_UP_TO or one of these. */
enum {
    ENCODE_ANY = 255, /* the value does not matter */
    /* ENCODE_UP_TO | n: any value will do from 0 to limit[n] of the form, or to n; n is at most 30 */
    ENCODE_UP_TO = 0xe0,
    ENCODE_LIMITS = ENCODE_ANY - ENCODE_UP_TO,
    ENCODE_VALUES = ENCODE_UP_TO
};

#endif
