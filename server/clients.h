/* clients.h - the client that sent a request: the other end of the connection, or a client behind
 * trusted proxies. Limits and the log go by it. This module does not use the HTTP library. */
#ifndef TREB_SERVER_CLIENTS_H
#define TREB_SERVER_CLIENTS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

typedef enum AddressKind { ADDRESS_NONE, ADDRESS_UNIX, ADDRESS_IP } AddressKind;

typedef struct Address {
    AddressKind kind;
    struct in6_addr ip; /* IPv4 as ::ffff:a.b.c.d */
} Address;

enum { CLIENT_NAME_SIZE = INET6_ADDRSTRLEN };

typedef struct Client {
    Address address;
    char name[CLIENT_NAME_SIZE]; /* its address as text; "unix", "?" */
    char
        key[CLIENT_NAME_SIZE]; /* name for limits: of an IPv6 address the /64 network, as one client
                                    has a whole network */
    bool local;                /* the client is on this machine */
} Client;

/* Sets the client at the other end of a socket. `address` may be NULL: unknown. */
void client_from_socket(Client *client, const struct sockaddr *address);

/* ---- Trusted proxies ------------------------------------------------------------------------- */

typedef struct Network {
    struct in6_addr address; /* IPv4 as ::ffff:a.b.c.d */
    unsigned bits;           /* length of the prefix, of 128 */
} Network;

enum { PROXIES_MAX = 32 };

typedef struct Proxies {
    Network network[PROXIES_MAX];
    unsigned count;
    bool unix_socket; /* trust every peer on the Unix socket */
} Proxies;

typedef enum ProxiesAdded { PROXIES_ADDED, PROXIES_WRONG, PROXIES_FULL } ProxiesAdded;

/* Adds an address ("192.0.2.7", "::1"), a network ("10.0.0.0/8", "2001:db8::/32"), or "unix". */
ProxiesAdded proxies_add(Proxies *proxies, const char *text);

bool proxies_trust(const Proxies *proxies, const Address *address);

/* The lines of a header that may occur several times, in the order in which they arrived. */
enum { HEADER_LINES = 16 };

typedef struct HeaderLines {
    const char *line[HEADER_LINES];
    unsigned count; /* may be larger than HEADER_LINES: the other lines were dropped */
} HeaderLines;

void header_lines_add(HeaderLines *lines, const char *line);

/* Finds the client behind a trusted proxy from "X-Forwarded-For" and "Forwarded" (RFC 7239).
 *
 * Each proxy appends the address that it received the request from. Only trusted proxies are
 * believed, so the client is the right-most address that is not trusted, or the left-most address if
 * all are trusted. If an entry is unreadable, the client is the proxy that wrote it, and it is not
 * local.
 *
 * A proxy may write one of the headers and pass the other on as the client wrote it. So if both are
 * there and disagree, neither is believed and the client is the proxy. If neither is there, returns
 * false, and *client is a copy of the proxy. */
bool client_behind(const Proxies *proxies, const Client *proxy, const HeaderLines *forwarded_for,
                   const HeaderLines *forwarded, Client *client);

#endif
