/* headers.h - what request headers say. No HTTP library in here. */
#ifndef TREB_SERVER_HEADERS_H
#define TREB_SERVER_HEADERS_H

#include <stdbool.h>

/* Whether Accept-Encoding allows gzip; NULL is no header. */
bool headers_accept_gzip(const char *value);

/* Whether Accept asks for CBOR rather than for JSON, by weight, then by order. NULL is no header.
 */
bool headers_prefer_cbor(const char *value);

/* Whether If-None-Match names this entity tag (given with its quotes), or the one of its compressed
 * form. NULL is no header. */
bool headers_match_etag(const char *value, const char *etag, const char *gzip_etag);

#endif
