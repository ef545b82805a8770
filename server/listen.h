/* listen.h - the socket that the server listens on. */
#ifndef TREB_SERVER_LISTEN_H
#define TREB_SERVER_LISTEN_H

#include <sys/stat.h>
#include <sys/un.h>

#include "trebuchet.h"

enum { LISTEN_URL_SIZE = 128 };

typedef struct Listening {
    int fd;
    char url[LISTEN_URL_SIZE];                            /* "http://[::1]:8080/", "unix:/run/x" */
    char path[sizeof((struct sockaddr_un *)0)->sun_path]; /* of a Unix socket made here, or "" */
    struct stat file;                                     /* that, to know it again */
} Listening;

/* These listen, and return TREB_OK, or else say what is wrong. */

/* On a name or address ("127.0.0.1", "::1", "[::]", "localhost") and a port; "0" picks a free one.
 */
treb_status listen_tcp(Listening *out, const char *bind, const char *port, treb_error *error);

/* On a Unix socket, a file with these permissions. One that is left from a server that is gone is
 * replaced, any other file is not. */
treb_status listen_unix(Listening *out, const char *path, unsigned mode, treb_error *error);

/* On a socket that was opened by whoever started us. */
treb_status listen_passed(Listening *out, int fd, treb_error *error);

/* Closes it and removes its file. */
void listen_close(Listening *listening);

#endif
