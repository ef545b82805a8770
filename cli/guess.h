/* guess.h - which word was meant by one that is mistyped. */
#ifndef TREB_CLI_GUESS_H
#define TREB_CLI_GUESS_H

#include <stddef.h>

/* The one of `count` words that is nearest to `word`: one that begins as it does, or that a slip or
 * two turn into it: a letter too many, too few, another one, two exchanged. NULL if none is near. */
const char *guess_word(const char *word, const char *const *words, size_t count);

#endif
