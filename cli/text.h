/* text.h - numbers, sizes and times as people read them, and the program's name. */
#ifndef TREB_CLI_TEXT_H
#define TREB_CLI_TEXT_H

#include <stdint.h>

/* The program's name in messages: "trebuchet", or that of another program with the same
 * subcommands. */
extern const char *cli_program;

/* Writes "1.2 GB", "17.5 MB", "42 B". */
void cli_format_size(uint64_t bytes, char out[16]);

/* Writes 1234567 as "1,234,567". */
void cli_format_count(uint64_t count, char out[32]);

/* Writes "0:07", "12:34", "1:02:03". */
void cli_format_time(double seconds, char out[16]);

/* Returns `one` if count is 1, else `many`: cli_plural(n, "ply", "plies"). */
const char *cli_plural(uint64_t count, const char *one, const char *many);

#endif
