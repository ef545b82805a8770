/* headers.h - parsing of request headers. This module does not use the HTTP library. In all functions
 * a value of NULL means that there is no such header. */
#ifndef TREB_SERVER_HEADERS_H
#define TREB_SERVER_HEADERS_H

#include <stdbool.h>
#include <stdint.h>

/* Returns whether Accept-Encoding allows gzip. */
bool headers_accept_gzip(const char *value);

/* Returns whether Accept prefers CBOR to JSON: by weight, then by order. */
bool headers_prefer_cbor(const char *value);

/* Returns whether If-None-Match names one of these entity tags (with quotes): that of the plain form
 * or that of the compressed one. */
bool headers_match_etag(const char *value, const char *etag, const char *gzip_etag);

/* Which part of a file the value of a Range header asks for. Several ranges count as none. */
typedef enum RangeAsked { RANGE_NONE, RANGE_PART, RANGE_BEYOND } RangeAsked;

RangeAsked headers_range(const char *value, uint64_t whole, uint64_t *at, uint64_t *size);

#endif
