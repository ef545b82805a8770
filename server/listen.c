/* listen.c - see listen.h. */
#include "server/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "core/system/error.h"

enum { BACKLOG = 1024 };

/* ---- Addresses and ports --------------------------------------------------------------------- */

/* A socket that no process started later gets, and on which nobody waits. */
static int open_socket(int family)
{
#ifdef SOCK_CLOEXEC
    return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
#else
    int fd = socket(family, SOCK_STREAM, 0);
    if (fd >= 0) fcntl(fd, F_SETFD, FD_CLOEXEC);
    if (fd >= 0) fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
#endif
}

static int open_one(const struct addrinfo *address)
{
    int on = 1, off = 0;
    int fd = open_socket(address->ai_family);
    if (fd < 0) return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); /* inherited by connections */
    /* The address :: accepts IPv4 as well, whatever the system's default. */
    if (address->ai_family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (bind(fd, address->ai_addr, address->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0) return fd;
    int reason = errno;
    close(fd);
    errno = reason;
    return -1;
}

static void write_url(int fd, char url[LISTEN_URL_SIZE])
{
    struct sockaddr_storage address = {0};
    socklen_t length = sizeof address;
    char host[80] = "?", port[8] = "?";
    bool known = getsockname(fd, (struct sockaddr *)&address, &length) == 0;
    if (known && address.ss_family == AF_UNIX) {
        const struct sockaddr_un *name = (const struct sockaddr_un *)&address;
        snprintf(url, LISTEN_URL_SIZE, "unix:%.*s", (int)sizeof name->sun_path, name->sun_path);
        return;
    }
    if (known)
        getnameinfo((struct sockaddr *)&address, length, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(url, LISTEN_URL_SIZE, strchr(host, ':') ? "http://[%s]:%s/" : "http://%s:%s/", host,
             port);
}

/* Removes the brackets of "[::1]". */
static void strip_brackets(const char *text, char *out, size_t size)
{
    size_t length = strlen(text);
    bool bracketed = length > 2 && text[0] == '[' && text[length - 1] == ']';
    snprintf(out, size, "%.*s", (int)(bracketed ? length - 2 : length), text + bracketed);
}

treb_status listen_tcp(Listening *out, const char *bind, const char *port, treb_error *error)
{
    char host[256];
    struct addrinfo hints = {.ai_family = AF_UNSPEC,
                             .ai_socktype = SOCK_STREAM,
                             .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    treb_status status = TREB_OK;
    *out = (Listening){.fd = -1};
    strip_brackets(bind, host, sizeof host);
    int problem = getaddrinfo(host, port, &hints, &found);
    if (problem != 0)
        return fail(error, TREB_ERR_ARGUMENT, "cannot listen on '%s', port %s: %s", bind, port,
                    gai_strerror(problem));
    for (const struct addrinfo *a = found; a != NULL && out->fd < 0; a = a->ai_next)
        out->fd = open_one(a);
    if (out->fd >= 0)
        write_url(out->fd, out->url);
    else if (errno == EADDRINUSE)
        status = fail(error, TREB_ERR_IO,
                      "port %s of %s is taken by another program: choose another with --port, or 0 "
                      "for a free one",
                      port, bind);
    else if (errno == EACCES)
        status = fail(error, TREB_ERR_IO,
                      "not allowed to listen on port %s: ports below 1024 need privileges", port);
    else
        status = fail(error, TREB_ERR_IO, "cannot listen on '%s', port %s: %s", bind, port,
                      strerror(errno));
    freeaddrinfo(found);
    return status;
}

/* ---- Unix sockets ---------------------------------------------------------------------------- */

/* Returns whether a program listens on a socket's file. */
static bool is_listened_to(const struct sockaddr_un *address)
{
    int fd = open_socket(AF_UNIX);
    if (fd < 0) return true;
    /* Any other error, such as a full queue, means that a program listens. */
    bool gone = connect(fd, (const struct sockaddr *)address, sizeof *address) != 0 &&
                (errno == ECONNREFUSED || errno == ENOENT);
    close(fd);
    return !gone;
}

/* Removes an old socket that no program listens on. Fails if another file is in the way. */
static treb_status remove_stale(const struct sockaddr_un *address, treb_error *error)
{
    struct stat file;
    const char *path = address->sun_path;
    if (lstat(path, &file) != 0) return TREB_OK;
    if (!S_ISSOCK(file.st_mode))
        return fail(error, TREB_ERR_IO, "%s exists and is not a socket: choose another name", path);
    if (is_listened_to(address))
        return fail(error, TREB_ERR_IO, "another program listens on %s", path);
    if (unlink(path) == 0 || errno == ENOENT) return TREB_OK;
    return fail(error, TREB_ERR_IO, "cannot remove the old socket %s: %s", path, strerror(errno));
}

/* Locks the folder of a socket, so that of two servers that start at a time neither removes the
 * other's socket. Goes on without the lock after a second. Returns a file descriptor to close, or
 * -1. */
static int lock_folder(const char *path)
{
    enum { TRIES = 50, PAUSE = 20 * 1000 * 1000 };
    char copy[sizeof((struct sockaddr_un *)0)->sun_path];
    snprintf(copy, sizeof copy, "%s", path);
    int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; fd >= 0 && i < TRIES && flock(fd, LOCK_EX | LOCK_NB) != 0; i++)
        nanosleep(&(struct timespec){.tv_nsec = PAUSE}, NULL);
    return fd;
}

/* Creates the socket. It gets its permissions before listen(), so that no client can connect earlier. */
static treb_status open_unix(Listening *out, const struct sockaddr_un *address, unsigned mode,
                             treb_error *error)
{
    const char *path = address->sun_path;
    treb_status status = remove_stale(address, error);
    if (status != TREB_OK) return status;
    out->fd = open_socket(AF_UNIX);
    if (out->fd >= 0 && bind(out->fd, (const struct sockaddr *)address, sizeof *address) == 0) {
        if (chmod(path, mode) == 0 && lstat(path, &out->file) == 0 &&
            listen(out->fd, BACKLOG) == 0) {
            snprintf(out->path, sizeof out->path, "%s", path);
            return TREB_OK;
        }
        int reason = errno;
        unlink(path);
        errno = reason;
    }
    int reason = errno;
    if (out->fd >= 0) close(out->fd);
    return fail(error, TREB_ERR_IO, "cannot listen on %s: %s", path, strerror(reason));
}

treb_status listen_unix(Listening *out, const char *path, unsigned mode, treb_error *error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    *out = (Listening){.fd = -1};
    if (*path == '\0' || strlen(path) >= sizeof address.sun_path)
        return fail(error, TREB_ERR_ARGUMENT,
                    "the name of a Unix socket has from 1 to %zu bytes, not %zu",
                    sizeof address.sun_path - 1, strlen(path));
    strcpy(address.sun_path, path);
    int lock = lock_folder(path);
    treb_status status = open_unix(out, &address, mode, error);
    if (lock >= 0) close(lock);
    if (status == TREB_OK) write_url(out->fd, out->url);
    return status;
}

/* ---- Any socket ------------------------------------------------------------------------------ */

treb_status listen_passed(Listening *out, int fd, treb_error *error)
{
    int listens = 0, type = 0;
    socklen_t length = sizeof listens, type_length = sizeof type;
    *out = (Listening){.fd = fd};
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) != 0 || !listens ||
        getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_length) != 0 || type != SOCK_STREAM)
        return fail(error, TREB_ERR_ARGUMENT,
                    "the file passed by LISTEN_FDS is not a socket that listens for connections");
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    write_url(fd, out->url);
    return TREB_OK;
}

void listen_close(Listening *listening)
{
    struct stat now;
    /* Do not remove a socket that another server has created since. No server replaces a socket that
     * is being listened on. */
    if (listening->path[0] != '\0' && lstat(listening->path, &now) == 0 &&
        now.st_dev == listening->file.st_dev && now.st_ino == listening->file.st_ino)
        unlink(listening->path);
    close(listening->fd);
}
