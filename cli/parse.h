/* parse.h - numbers, sizes and metrics as people write them. */
#ifndef TREB_CLI_PARSE_H
#define TREB_CLI_PARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "trebuchet.h"

/* Reads a whole number from `least` to `most`. Returns false if the text is not one. */
bool cli_parse_number(const char *text, uint64_t least, uint64_t most, uint64_t *out);

/* Reads "900M", "2GiB", "1.5g". A unit stands for a power of 1024. Returns false if the text is not
 * a size. */
bool cli_parse_size(const char *text, uint64_t *out);

/* Reads "wdl,dtz", "all" (without DTM50) or "all5" as a mask of 1 << metric. Returns 0 if the text is not such a list. */
unsigned cli_parse_metrics(const char *text);

#endif
