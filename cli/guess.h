/* guess.h - guesses the word that a mistyped word was meant to be. */
#ifndef TREB_CLI_GUESS_H
#define TREB_CLI_GUESS_H

#include <stddef.h>

/* Returns the one of `count` words that is nearest to `word`: it has the same beginning, or differs by one or
 * two mistakes (a letter too many, a letter missing, another letter, two letters exchanged). Returns NULL if
 * none is near. */
const char *guess_word(const char *word, const char *const *words, size_t count);

#endif
