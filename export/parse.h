/* parse.h - cells cut into symbols, so that they take as few bits as can be. Private to export/. */
#ifndef TREB_EXPORT_PARSE_H
#define TREB_EXPORT_PARSE_H

#include "export/pairs.h"

enum { PARSE_BIT = 256 /* costs are in bits / PARSE_BIT */ };

/* What the symbols look like, and what they cost. Constant: any number of threads may use it. */
typedef struct Parser Parser;

/* `cost`: by symbol. NULL: out of memory. */
Parser *parser_make(const Pairs *pairs, const uint32_t *cost);
void parser_free(Parser *parser); /* NULL is allowed */

/* Room for a thread. NULL: out of memory. */
typedef struct ParseRoom ParseRoom;
ParseRoom *parse_room_make(void);
void parse_room_free(ParseRoom *room); /* NULL is allowed */

/* The symbols of a stretch, into *tokens, which has room for one a cell. All cells have values that
 * have symbols. Returns how many there are. */
size_t parse_stretch(const Parser *parser, ParseRoom *room, Stretch stretch, uint16_t *tokens);

#endif
