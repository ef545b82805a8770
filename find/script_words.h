/* script_words.h - finds comparisons in a condition that are never true, such as verdict == "won".
 * Private to find/. */
#ifndef TREB_FIND_SCRIPT_WORDS_H
#define TREB_FIND_SCRIPT_WORDS_H

#include <stdbool.h>

enum { SCRIPT_WORDS_SIZE = 240 };

/* Checks each comparison (== or ~=) of a name or of a field of a move with a text in quotes. The
 * text must be one of the words that the name can have. Returns false, and writes "LINE: reason",
 * if one is not. A name that the condition declares itself is not checked. The condition must be
 * right Lua. */
bool script_words_check(const char *condition, char why[SCRIPT_WORDS_SIZE]);

#endif
