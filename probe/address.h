/* address.h - sources that are named by an address, such as https://host/path/: libtrebuchet-http
 * has them, which is looked for when it is needed. Private to probe/. */
#ifndef TREB_PROBE_ADDRESS_H
#define TREB_PROBE_ADDRESS_H

#include "trebuchet.h"

/* The source of an address. */
treb_status address_open(const char *address, treb_source *out, treb_error *error);

#endif
