/* text_file.c - see text_file.h. */
#include "core/system/text_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/tool.h"

/* Reads what is left of a file. */
static char *read_rest(FILE *file, size_t *size)
{
    char *text = NULL;
    size_t room = 0;
    *size = 0;
    do {
        room = room > 0 ? 2 * room : 4096;
        char *grown = realloc(text, room + 1);
        if (grown == NULL) break;
        text = grown;
        *size += fread(text + *size, 1, room - *size, file);
    } while (*size == room);
    if (*size < room && !ferror(file)) {
        text[*size] = '\0';
        return text;
    }
    free(text);
    return NULL;
}

char *text_file_read(const char *path, size_t *size)
{
    size_t own;
    FILE *file = strcmp(path, "-") == 0 ? stdin : tool_open(path, "r");
    if (file == NULL) return NULL;
    char *text = read_rest(file, size != NULL ? size : &own);
    const int reason = errno;
    if (file != stdin) fclose(file);
    errno = reason;
    return text;
}
