/* probe_json.h - a probed position as the JSON object that clients of lila-tablebase know. */
#ifndef TREB_CLI_PROBE_JSON_H
#define TREB_CLI_PROBE_JSON_H

#include <stdio.h>

#include "trebuchet.h"

/* Prints the object and a newline. Values that are not known are null. TREB_OK, or the first
 * failure that made one of them so; nothing is printed only if the position is refused. */
treb_status probe_json_print(FILE *out, const treb_tables *tables, const treb_position *pos,
                             treb_error *error);

#endif
