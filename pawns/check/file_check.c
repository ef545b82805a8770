/* file_check.c - what the checks of files share: see file_check.h. */
#include "pawns/check/file_check.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/chess/position.h"

void file_check_error(FileCheck *check, const treb_position *pos, const char *format, ...)
{
    char fen[TREB_FEN_SIZE];
    int used = 0;
    if (check->errors++ > 0) return;
    if (pos != NULL) {
        position_to_fen(pos, fen);
        used = snprintf(check->text, sizeof check->text, "%s: ", fen);
    }
    va_list list;
    va_start(list, format);
    vsnprintf(check->text + used, sizeof check->text - (size_t)used, format, list);
    va_end(list);
}

treb_status file_check_give_up(FileCheck *check, treb_status status, const char *text)
{
    check->errors++;
    snprintf(check->text, sizeof check->text, "%.399s", text);
    return status;
}
