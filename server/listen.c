/* listen.c - see listen.h. */
#include "server/listen.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/error.h"

enum { BACKLOG = 1024 };

static int open_one(const struct addrinfo *address)
{
    int on = 1, off = 0;
    int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); /* inherited by connections */
    /* The address :: takes IPv4 as well, whatever the system's default. */
    if (address->ai_family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (bind(fd, address->ai_addr, address->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0) return fd;
    int reason = errno;
    close(fd);
    errno = reason;
    return -1;
}

static void write_url(int fd, char url[LISTEN_URL_SIZE])
{
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    char host[80] = "?", port[8] = "?";
    if (getsockname(fd, (struct sockaddr *)&address, &length) == 0)
        getnameinfo((struct sockaddr *)&address, length, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(url, LISTEN_URL_SIZE, strchr(host, ':') ? "http://[%s]:%s/" : "http://%s:%s/", host,
             port);
}

/* "[::1]" without its brackets. */
static void strip_brackets(const char *text, char *out, size_t size)
{
    size_t length = strlen(text);
    bool bracketed = length > 2 && text[0] == '[' && text[length - 1] == ']';
    snprintf(out, size, "%.*s", (int)(bracketed ? length - 2 : length), text + bracketed);
}

int listen_open(const char *bind, const char *port, char url[LISTEN_URL_SIZE], treb_error *error)
{
    char host[256];
    struct addrinfo hints = {.ai_family = AF_UNSPEC,
                             .ai_socktype = SOCK_STREAM,
                             .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    strip_brackets(bind, host, sizeof host);
    int problem = getaddrinfo(host, port, &hints, &found);
    if (problem != 0) {
        fail(error, TREB_ERR_ARGUMENT, "cannot listen on '%s', port %s: %s", bind, port,
             gai_strerror(problem));
        return -1;
    }
    int fd = -1;
    for (const struct addrinfo *a = found; a != NULL && fd < 0; a = a->ai_next) fd = open_one(a);
    if (fd >= 0)
        write_url(fd, url);
    else if (errno == EADDRINUSE)
        fail(error, TREB_ERR_IO,
             "port %s of %s is taken by another program: choose another with --port, or 0 for a "
             "free one",
             port, bind);
    else if (errno == EACCES)
        fail(error, TREB_ERR_IO,
             "not allowed to listen on port %s: ports below 1024 need privileges", port);
    else
        fail(error, TREB_ERR_IO, "cannot listen on '%s', port %s: %s", bind, port, strerror(errno));
    freeaddrinfo(found);
    return fd;
}
