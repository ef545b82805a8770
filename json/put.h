/* put.h - short names for building JSON objects. */
#ifndef TREB_JSON_PUT_H
#define TREB_JSON_PUT_H

#include <jansson.h>

/* Sets a member of a new object and takes over `value`. Names are constants of the program, so they
 * need no check for UTF-8. */
static inline void put(json_t *object, const char *name, json_t *value)
{
    json_object_set_new_nocheck(object, name, value);
}

/* A string that is known to be ASCII. */
static inline json_t *json_text(const char *ascii) { return json_string_nocheck(ascii); }

#endif
