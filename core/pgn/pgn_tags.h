/* pgn_tags.h - the tags of a game. */
#ifndef TREB_CORE_PGN_PGN_TAGS_H
#define TREB_CORE_PGN_PGN_TAGS_H

#include "core/pgn/pgn_reading.h"

/* A longer text before a quote is no name. */
enum { TAG_NAME_MAX = 200 };

/* A tag that has not been taken yet. */
typedef struct TagHead {
    size_t at;   /* characters before the name */
    bool quoted; /* the value is in quotes */
    char name[TAG_NAME_MAX + 1];
} TagHead;

/* Looks whether a tag begins here. */
bool pgn_tags_peek(TextReader *s, TagHead *head);

/* Returns whether, among moves, the tags of another game begin here. */
bool pgn_tags_begin(TextReader *s);

/* Returns whether the tag `name` is the first of another game. Without an empty line before it
 * (`apart`) that is so only in a list of nothing but events, or of nothing but positions. */
bool pgn_tags_begin_another(const PgnGame *g, const char *name, bool apart);

/* Reads a tag, and adds it to the game. */
void pgn_tags_take(Reading *r, const TagHead *head);

/* Adds a tag whose texts are kept already. */
void pgn_tags_add(Reading *r, size_t name, size_t value);

#endif
