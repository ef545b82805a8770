/* clients.h - who asks: the client at the other end of a connection, or behind proxies that we
 * trust. Clients are told apart by this for limits and in the log. No HTTP library in here. */
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
    char name[CLIENT_NAME_SIZE];  /* its address as text; "unix", "?" */
    char owner[CLIENT_NAME_SIZE]; /* the same, but of IPv6 the network: a client has a whole one */
    bool local;                   /* it is on this machine */
} Client;

/* Fills in who is at the other end of a socket; NULL: nobody knows. */
void client_from_socket(Client *client, const struct sockaddr *address);

/* ---- Proxies that we trust ------------------------------------------------------------------- */

typedef struct Network {
    struct in6_addr address; /* IPv4 as ::ffff:a.b.c.d */
    unsigned bits;           /* that count, of 128 */
} Network;

enum { PROXIES_MAX = 32 };

typedef struct Proxies {
    Network network[PROXIES_MAX];
    unsigned count;
    bool unix_socket; /* whoever comes by the Unix socket */
} Proxies;

typedef enum ProxiesAdded { PROXIES_ADDED, PROXIES_WRONG, PROXIES_FULL } ProxiesAdded;

/* Adds an address ("192.0.2.7", "::1"), a network ("10.0.0.0/8", "2001:db8::/32"), or "unix". */
ProxiesAdded proxies_add(Proxies *proxies, const char *text);

bool proxies_trust(const Proxies *proxies, const Address *address);

/* The lines of a header that may be there several times, in the order in which they came. */
enum { HEADER_LINES = 16 };

typedef struct HeaderLines {
    const char *line[HEADER_LINES];
    unsigned count; /* may be larger: then there were more lines than these */
} HeaderLines;

void header_lines_add(HeaderLines *lines, const char *line);

/* Fills in for whom a trusted proxy asks, by "X-Forwarded-For" and "Forwarded" (RFC 7239). Each
 * proxy adds, on the right, the address it was asked from; what is left of the last that we do not
 * trust anyone may have written. So it is the right-most address not trusted, or the left-most
 * if all are. Where that cannot be read, it is the proxy that said it, and the client is not local.
 * A proxy writes one header and may pass the other on as the client wrote it: so if both are there
 * and do not agree, neither is believed, and the client is the proxy. False, and a copy of the
 * proxy, if neither is there. */
bool client_behind(const Proxies *proxies, const Client *proxy, const HeaderLines *forwarded_for,
                   const HeaderLines *forwarded, Client *client);

#endif
