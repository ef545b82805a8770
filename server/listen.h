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
    char path[sizeof((struct sockaddr_un *)0)->sun_path]; /* of a Unix socket created here, or "" */
    struct stat file;                                     /* that file, to recognize it later */
} Listening;

/* Each of these starts to listen. Returns TREB_OK, or an error. */

/* Listens on a name or address ("127.0.0.1", "::1", "[::]", "localhost") and a port. The port "0"
 * picks a free one. */
treb_status listen_tcp(Listening *out, const char *bind, const char *port, treb_error *error);

/* Listens on a Unix socket, a file with permissions `mode`. Replaces a socket that no server listens
 * on any more, but no other file. */
treb_status listen_unix(Listening *out, const char *path, unsigned mode, treb_error *error);

/* Listens on a socket that the parent process has opened. */
treb_status listen_passed(Listening *out, int fd, treb_error *error);

/* Closes the socket and removes its file. */
void listen_close(Listening *listening);

#endif
