/* text_file.h - reads a text at once. */
#ifndef TREB_CORE_SYSTEM_TEXT_FILE_H
#define TREB_CORE_SYSTEM_TEXT_FILE_H

#include <stddef.h>

/* Returns the bytes of a file, or of standard input if the path is "-", and a zero behind them. The caller frees them.
 * NULL: see errno. `size` may be NULL. */
char *text_file_read(const char *path, size_t *size);

#endif
