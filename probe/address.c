/* address.c - see address.h. */
#include "probe/address.h"

#include <string.h>

#include "core/system/error.h"
#include "core/system/features.h"
#include "core/system/io.h"
#include "core/system/system.h"

/* The end of the first place in a list "PLACE:PLACE:...": its first colon. The colons after the
 * scheme and before the port of an address do not count. On Windows, where a path may have a colon, places end at a
 * semicolon. */
static char *end_of_place(char *place)
{
    if (*TREB_PLACE_SEPARATOR != ':') return place + strcspn(place, TREB_PLACE_SEPARATOR);
    if (!io_is_address(place)) return place + strcspn(place, ":");
    char *at = strstr(place, "://") + 3;
    if (*at == '[') at += strcspn(at, "]");
    at += strcspn(at, ":/");
    size_t digits = *at == ':' ? strspn(at + 1, "0123456789") : 0;
    if (digits > 0 && strchr(":/", at[1 + digits]) != NULL) at += 1 + digits;
    return at + strcspn(at, ":");
}

char *treb_next_place(char **rest)
{
    char *place = *rest;
    while (*place == *TREB_PLACE_SEPARATOR) place++;
    if (*place == '\0') return NULL;
    char *end = end_of_place(place);
    *rest = end;
    if (*end != '\0') *(*rest)++ = '\0';
    return place;
}

#if TREB_HTTP
#include "trebuchet-http.h"

typedef treb_status OpenSource(const char *address, const treb_http_options *options,
                               treb_source *out, treb_error *error);

/* Loads the installed library, unless the program has it, and returns its function, or NULL. The
 * library is never unloaded, as its threads run its code. */
static OpenSource *load(void)
{
#ifdef __ELF__
    /* Not NULL if the program is linked with libtrebuchet-http. */
#pragma weak treb_http_source
    if (treb_http_source != NULL) return treb_http_source;
#endif
    return (OpenSource *)system_load(TREB_HTTP_LIBRARY, "treb_http_source");
}

treb_status address_open(const char *address, treb_source *out, treb_error *error)
{
    treb_error why = {.status = TREB_OK};
    OpenSource *source = load();
    if (source == NULL)
        return fail(error, TREB_ERR_ARGUMENT,
                    "%.300s: reading tables over HTTP needs " TREB_HTTP_LIBRARY
                    ", which is not installed: install it, or copy the tables into a folder",
                    address);
    treb_status status = source(address, NULL, out, &why);
    return status == TREB_OK ? status : fail(error, status, "%s", why.text);
}

#else

treb_status address_open(const char *address, treb_source *out, treb_error *error)
{
    (void)out;
    return fail(error, TREB_ERR_UNSUPPORTED,
                "%.300s: tables on a web server are left out of this build of the library",
                address);
}

#endif
