/* listen.h - the socket that the server listens on. */
#ifndef TREB_SERVER_LISTEN_H
#define TREB_SERVER_LISTEN_H

#include "trebuchet.h"

enum { LISTEN_URL_SIZE = 128 };

/* Listens on a name or address ("127.0.0.1", "::1", "[::]", "localhost") and a port; "0" picks a
 * free one. Writes the address of the page. -1 after saying what is wrong. */
int listen_open(const char *bind, const char *port, char url[LISTEN_URL_SIZE], treb_error *error);

#endif
