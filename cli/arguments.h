/* arguments.h - positions and materials on the command line. */
#ifndef TREB_CLI_ARGUMENTS_H
#define TREB_CLI_ARGUMENTS_H

#include <stdbool.h>

#include "trebuchet.h"

/* Reads `count` words as one position: a FEN, an EPD or a link (core/pgn/position_text.h). Returns
 * CLI_OK, or an exit code after reporting what is wrong. */
int cli_read_fen(const char *command, int count, char **words, treb_position *out);

/* Reads the name of a material and writes it as tables spell it, with the colours exchanged if
 * necessary. `name` has MATERIAL_NAME_SIZE bytes. Returns false after reporting what is wrong. */
bool cli_read_material(const char *command, const char *text, char name[24]);

/* Says on standard error that a material, which cli_read_material accepted, is answered with the colours
 * exchanged, if it is: KPvKR as KRvKP. */
void cli_tell_exchange(const char *command, const char *text);

/* Returns whether a text that is not a material is probably meant as one: it has only letters,
 * begins with a king and has another king later. */
bool cli_like_material(const char *text);

#endif
