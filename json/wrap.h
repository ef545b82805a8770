/* wrap.h - writes text wrapped between words, as PGN requires. */
#ifndef TREB_JSON_WRAP_H
#define TREB_JSON_WRAP_H

#include <stddef.h>
#include <stdio.h>

enum { WRAP_COLUMNS = 80 };

typedef struct Wrap {
    FILE *out;
    size_t column;
} Wrap;

/* Writes a text and may break the line at each space. */
void wrap_words(Wrap *wrap, const char *text);

/* Writes a text and does not break the line in it. */
void wrap_word(Wrap *wrap, const char *word);

#endif
