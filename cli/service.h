/* service.h - what a service manager such as systemd passes to a service and hears from it: sockets
 * (sd_listen_fds(3)) and messages (sd_notify(3)), without its library. */
#ifndef TREB_CLI_SERVICE_H
#define TREB_CLI_SERVICE_H

/* The socket that was passed to this process, -1 if none was, -2 if there are several. */
int service_socket(void);

/* Tells that the service is ready, say; nothing without a service manager. */
void service_notify(const char *state);

#endif
