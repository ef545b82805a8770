/* audit_run.c - see audit_run.h. */
#include "pawns/check/audit_run.h"

#include <stdarg.h>
#include <string.h>

void audit_fault(AuditRun *run, const treb_position *pos, const char *format, ...)
{
    char text[TREB_FEN_SIZE + 160];
    run->report->faults++;
    if (run->options->fault == NULL) return;
    position_to_fen(pos, text);
    size_t length = strlen(text);
    length += (size_t)snprintf(text + length, sizeof text - length, ": ");
    va_list args;
    va_start(args, format);
    vsnprintf(text + length, sizeof text - length, format, args);
    va_end(args);
    run->options->fault(run->options->context, text);
}
