/* parse.h - cuts cells into symbols so that they take as few bits as possible. Private to
 * gen/compress and gen/syzygy. */
#ifndef TREB_GEN_COMPRESS_PARSE_H
#define TREB_GEN_COMPRESS_PARSE_H

#include "gen/compress/pairs.h"

#include "gen/compress/runs.h"

enum { PARSE_BIT = 256 /* costs are in bits / PARSE_BIT */ };

/* Returns log2(n) in bits / PARSE_BIT; n is at least 1. Uses integers only, so that the result does
 * not depend on the machine. */
uint32_t parse_log(uint64_t n);

/* The symbols and their costs, prepared for parsing. It does not change: any number of threads may
 * use it at a time. */
typedef struct Parser Parser;

/* How thoroughly to search. Each level gives a few percent fewer bytes than the level before it and
 * takes more time. */
typedef enum ParseEffort {
    PARSE_FASTEST, /* tries only the most likely end of each run */
    PARSE_FAST,
    PARSE_GOOD,
    PARSE_BEST
} ParseEffort;

/* `cost`: the cost of each symbol; not used after the call. `pairs` and `values` must stay valid as
 * long as the parser. Returns NULL if memory runs out. */
Parser *parser_make(const Pairs *pairs, const RunValues *values, const uint32_t *cost,
                    ParseEffort effort);
void parser_free(Parser *parser); /* NULL is allowed */

/* The working memory of one thread. parse_buffer_make returns NULL if memory runs out. */
typedef struct ParseBuffer ParseBuffer;
ParseBuffer *parse_buffer_make(void);
void parse_buffer_free(ParseBuffer *buffer); /* NULL is allowed */

/* `size` consecutive cells. */
typedef struct Stretch {
    const uint8_t *cells;
    size_t size;
} Stretch;

/* Cuts a stretch into symbols and writes them to `tokens`, which must have an element for each cell.
 * A cell that allows several values gets the one that costs least. Returns the number of symbols. */
size_t parse_stretch(const Parser *parser, ParseBuffer *buffer, Stretch stretch, uint16_t *tokens);

/* Returns the number of runs of `count` symbols, and writes the runs if `runs` is not NULL. */
size_t parser_runs(const Parser *parser, const uint16_t *tokens, size_t count, Run *runs);

#endif
