/* parse.h - cells cut into symbols, so that they take as few bits as can be. Private to code/. */
#ifndef TREB_GEN_COMPRESS_PARSE_H
#define TREB_GEN_COMPRESS_PARSE_H

#include "gen/compress/pairs.h"

#include "gen/compress/runs.h"

enum { PARSE_BIT = 256 /* costs are in bits / PARSE_BIT */ };

/* log2 in bits / PARSE_BIT, of 1 or more. The same on any machine. */
uint32_t parse_log(uint64_t n);

/* What the symbols look like, and what they cost. Constant: any number of threads may use it. */
typedef struct Parser Parser;

/* How hard to try: for each a few percent less than the one before, and more time. */
typedef enum ParseEffort {
    PARSE_FASTEST, /* to learn from: a run ends where most of its kind do */
    PARSE_FAST,
    PARSE_GOOD,
    PARSE_BEST
} ParseEffort;

/* `cost`: by symbol. NULL: out of memory. */
Parser *parser_make(const Pairs *pairs, const RunValues *values, const uint32_t *cost,
                    ParseEffort effort);
void parser_free(Parser *parser); /* NULL is allowed */

/* Room for a thread. NULL: out of memory. */
typedef struct ParseBuffer ParseBuffer;
ParseBuffer *parse_buffer_make(void);
void parse_buffer_free(ParseBuffer *buffer); /* NULL is allowed */

/* Cells that stand one behind the other. */
typedef struct Stretch {
    const uint8_t *cells;
    size_t size;
} Stretch;

/* The symbols of a stretch, into *tokens, which has room for one a cell. Cells that name no value
 * get the one that costs least. Returns how many symbols there are. */
size_t parse_stretch(const Parser *parser, ParseBuffer *buffer, Stretch stretch, uint16_t *tokens);

/* The runs of some symbols: returns how many there are, and writes them if `runs` is not NULL. */
size_t parser_runs(const Parser *parser, const uint16_t *tokens, size_t count, Run *runs);

#endif
