/* position_read.c - see position_read.h. */
#include "json/position_read.h"

#include "core/pgn/position_text.h"

treb_status answer_read_position(const char *text, treb_position *out, treb_error *error)
{
    PositionText read;
    treb_status status = position_text_read(text, &read, error);
    if (status == TREB_OK) *out = read.pos;
    return status;
}

treb_status answer_read_standard(const char *text, treb_position *out, treb_error *error)
{
    return position_text_standard(text, out, error);
}
