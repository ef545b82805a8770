/* cbor.h - JSON values as CBOR (RFC 8949). */
#ifndef TREB_SERVER_CBOR_H
#define TREB_SERVER_CBOR_H

#include <jansson.h>

/* A value as CBOR, which the caller frees, and its size. NULL without memory. */
char *cbor_of_json(const json_t *value, size_t *size);

#endif
