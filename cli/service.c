/* service.c - see service.h. */
#include "cli/service.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cli/parse.h"

#ifndef SOCK_CLOEXEC
#define SOCK_CLOEXEC 0 /* where there is no systemd */
#endif

int service_socket(void)
{
    enum { FIRST = 3, MOST = 1024 };
    const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");
    uint64_t process, count;
    /* If the number is not ours, the sockets are for another process. */
    if (pid == NULL || !cli_parse_number(pid, 1, INT32_MAX, &process) ||
        process != (uint64_t)getpid())
        return -1;
    if (fds == NULL || !cli_parse_number(fds, 1, MOST, &count)) return -1;
    return count == 1 ? FIRST : -2;
}

void service_notify(const char *state)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = getenv("NOTIFY_SOCKET");
    size_t length = path != NULL ? strlen(path) : 0;
    if (length < 2 || length >= sizeof address.sun_path) return;
    memcpy(address.sun_path, path, length);
    /* "@" stands for a zero byte: the abstract name of a socket, which is not a file. */
    if (address.sun_path[0] == '@') address.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return;
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&address, size);
    close(fd);
}
