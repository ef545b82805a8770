/* address.h - sources named by an address, such as https://host/path/. libtrebuchet-http opens
 * them; it is loaded when the first address is opened. Private to probe/. */
#ifndef TREB_PROBE_ADDRESS_H
#define TREB_PROBE_ADDRESS_H

#include "trebuchet.h"

/* Opens the source of an address. Returns TREB_ERR_ARGUMENT if libtrebuchet-http is not
 * installed. */
treb_status address_open(const char *address, treb_source *out, treb_error *error);

#endif
