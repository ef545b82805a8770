/* wrap.h - text wrapped between words, as PGN is. */
#ifndef TREB_ANSWER_WRAP_H
#define TREB_ANSWER_WRAP_H

#include <stddef.h>
#include <stdio.h>

enum { WRAP_COLUMNS = 80 };

typedef struct Wrap {
    FILE *out;
    size_t column;
} Wrap;

/* Puts words that spaces part, each where there is room for it. */
void wrap_words(Wrap *wrap, const char *text);

/* Puts one text that has no spaces, or keeps them. */
void wrap_word(Wrap *wrap, const char *word);

#endif
