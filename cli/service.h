/* service.h - the protocol of a service manager such as systemd, without its library: it passes sockets to
 * a service (sd_listen_fds(3)) and receives messages (sd_notify(3)). */
#ifndef TREB_CLI_SERVICE_H
#define TREB_CLI_SERVICE_H

/* Returns the socket that was passed to this process, -1 if there is none, -2 if there are several. */
int service_socket(void);

/* Sends a message such as "READY=1" to the service manager, if there is one. */
void service_notify(const char *state);

#endif
