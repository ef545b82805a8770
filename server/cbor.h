/* cbor.h - JSON values as CBOR (RFC 8949). */
#ifndef TREB_SERVER_CBOR_H
#define TREB_SERVER_CBOR_H

#include <jansson.h>

/* Returns a value as CBOR, and its size in bytes. The caller frees it. Returns NULL if there is no
 * memory. */
char *cbor_of_json(const json_t *value, size_t *size);

#endif
