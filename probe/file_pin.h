/* file_pin.h - keeping a whole table unpacked in memory. Private to probe/. */
#ifndef TREB_PROBE_FILE_PIN_H
#define TREB_PROBE_FILE_PIN_H

#include "probe/file.h"

/* Opens a file and unpacks both sides to move, until the file is destroyed. A Syzygy file is not
 * unpacked but read and checked. Returns 0, or minus a treb_status. */
int file_pin(ProbeFile *file, treb_error *error);

#endif
