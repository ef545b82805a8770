/* clients.c - see clients.h. */
#include "server/clients.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { IPV4_BYTE = 12, IPV4_BITS = 8 * IPV4_BYTE, IP_BITS = 128 }; /* where IPv4 is in IPv6 */

/* ---- Names ----------------------------------------------------------------------------------- */

static bool is_loopback(const struct in6_addr *ip)
{
    enum { LOOPBACK = 127 }; /* the first byte */
    return IN6_IS_ADDR_V4MAPPED(ip) ? ip->s6_addr[IPV4_BYTE] == LOOPBACK : IN6_IS_ADDR_LOOPBACK(ip);
}

static bool is_local(const Address *address)
{
    return address->kind == ADDRESS_UNIX ||
           (address->kind == ADDRESS_IP && is_loopback(&address->ip));
}

static void name_ip(Client *client)
{
    enum { NETWORK = 8 }; /* bytes of the network that a provider gives to one customer */
    const struct in6_addr *ip = &client->address.ip;
    struct in6_addr network = {0};
    if (IN6_IS_ADDR_V4MAPPED(ip)) {
        inet_ntop(AF_INET, &ip->s6_addr[IPV4_BYTE], client->name, sizeof client->name);
        memcpy(client->key, client->name, sizeof client->key);
        return;
    }
    memcpy(&network, ip, client->local ? sizeof network : NETWORK);
    inet_ntop(AF_INET6, ip, client->name, sizeof client->name);
    inet_ntop(AF_INET6, &network, client->key, sizeof client->key);
}

static void name_client(Client *client, Address address)
{
    *client = (Client){.address = address, .local = is_local(&address)};
    if (address.kind == ADDRESS_IP) {
        name_ip(client);
        return;
    }
    const char *name = address.kind == ADDRESS_UNIX ? "unix" : "?";
    snprintf(client->name, sizeof client->name, "%s", name);
    snprintf(client->key, sizeof client->key, "%s", name);
}

static struct in6_addr mapped(const void *ipv4)
{
    struct in6_addr ip = {0};
    ip.s6_addr[IPV4_BYTE - 2] = ip.s6_addr[IPV4_BYTE - 1] = UINT8_MAX;
    memcpy(&ip.s6_addr[IPV4_BYTE], ipv4, sizeof ip.s6_addr - IPV4_BYTE);
    return ip;
}

void client_from_socket(Client *client, const struct sockaddr *address)
{
    Address out = {.kind = ADDRESS_NONE};
    if (address != NULL && address->sa_family == AF_UNIX) {
        out.kind = ADDRESS_UNIX;
    } else if (address != NULL && address->sa_family == AF_INET) {
        out.kind = ADDRESS_IP;
        out.ip = mapped(&((const struct sockaddr_in *)address)->sin_addr);
    } else if (address != NULL && address->sa_family == AF_INET6) {
        out.kind = ADDRESS_IP;
        out.ip = ((const struct sockaddr_in6 *)address)->sin6_addr;
    }
    name_client(client, out);
}

/* ---- Addresses as text ----------------------------------------------------------------------- */

static bool read_ip(const char *text, struct in6_addr *ip)
{
    struct in_addr ipv4;
    if (inet_pton(AF_INET, text, &ipv4) == 1) {
        *ip = mapped(&ipv4);
        return true;
    }
    return inet_pton(AF_INET6, text, ip) == 1;
}

/* Returns whether the text is empty or a port; either may follow an address. */
static bool is_port(const char *text)
{
    enum { DIGITS = 5 };
    if (*text == '\0') return true;
    size_t digits = *text == ':' ? strspn(text + 1, "0123456789") : 0;
    return digits > 0 && digits <= DIGITS && text[1 + digits] == '\0';
}

/* Reads "192.0.2.7", "192.0.2.7:80", "2001:db8::7", "[2001:db8::7]", "[2001:db8::7]:80". Returns false
 * for everything else, also for "unknown" and for a name that hides the address, "_abc". */
static bool read_node(const char *text, size_t length, Address *out)
{
    char node[CLIENT_NAME_SIZE + 8], *ip = node;
    if (length == 0 || length >= sizeof node) return false;
    memcpy(node, text, length);
    node[length] = '\0';
    if (node[0] == '[') {
        char *end = strchr(node, ']');
        if (end == NULL || !is_port(end + 1)) return false;
        *end = '\0';
        ip = node + 1;
        if (strchr(ip, ':') == NULL) return false;
    } else {
        char *colon = strchr(node, ':');
        if (colon != NULL && strchr(colon + 1, ':') == NULL) {
            if (strchr(node, '.') == NULL || !is_port(colon)) return false;
            *colon = '\0';
        }
    }
    out->kind = ADDRESS_IP;
    return read_ip(ip, &out->ip);
}

/* ---- Trusted proxies ------------------------------------------------------------------------- */

ProxiesAdded proxies_add(Proxies *proxies, const char *text)
{
    char address[CLIENT_NAME_SIZE];
    Network network;
    size_t length = strcspn(text, "/");
    if (strcmp(text, "unix") == 0) {
        proxies->unix_socket = true;
        return PROXIES_ADDED;
    }
    if (length >= sizeof address) return PROXIES_WRONG;
    memcpy(address, text, length);
    address[length] = '\0';
    if (!read_ip(address, &network.address)) return PROXIES_WRONG;
    unsigned offset = strchr(address, ':') == NULL ? IPV4_BITS : 0;
    network.bits = IP_BITS;
    if (text[length] == '/') {
        const char *bits = text + length + 1;
        size_t digits = strspn(bits, "0123456789");
        if (digits == 0 || digits > 3 || bits[digits] != '\0') return PROXIES_WRONG;
        network.bits = offset + (unsigned)strtoul(bits, NULL, 10);
        if (network.bits > IP_BITS) return PROXIES_WRONG;
    }
    if (proxies->count == PROXIES_MAX) return PROXIES_FULL;
    proxies->network[proxies->count++] = network;
    return PROXIES_ADDED;
}

static bool is_within(const struct in6_addr *ip, const Network *network)
{
    /* A network of IPv6 addresses does not contain IPv4 addresses; not even "::/0" does. */
    if (IN6_IS_ADDR_V4MAPPED(ip) && network->bits < IPV4_BITS) return false;
    unsigned bytes = network->bits / 8, rest = network->bits % 8;
    if (memcmp(ip, &network->address, bytes) != 0) return false;
    unsigned mask = rest == 0 ? 0 : 0xff00u >> rest & 0xff;
    return rest == 0 || ((ip->s6_addr[bytes] ^ network->address.s6_addr[bytes]) & mask) == 0;
}

bool proxies_trust(const Proxies *proxies, const Address *address)
{
    if (address->kind == ADDRESS_UNIX) return proxies->unix_socket;
    if (address->kind != ADDRESS_IP) return false;
    for (unsigned i = 0; i < proxies->count; i++)
        if (is_within(&address->ip, &proxies->network[i])) return true;
    return false;
}

/* ---- The path of a request ------------------------------------------------------------------- */

void header_lines_add(HeaderLines *lines, const char *line)
{
    if (lines->count < HEADER_LINES) lines->line[lines->count] = line;
    lines->count++;
}

/* The path from the last proxy back to the client, as one header describes it. */
typedef struct Way {
    const Proxies *proxies;
    Address last; /* the node reached so far; the next entry is the node that sent it the request */
    bool there;   /* the header is present */
    bool found;   /* it has an entry */
    bool end;     /* `last` is the client, or a proxy that wrote an unreadable entry */
    bool wrong;   /* an entry is unreadable */
    bool remote;  /* a node on the path is on another machine */
} Way;

static void stop_wrong(Way *way) { way->end = way->wrong = true; }

/* Goes one step back: to the node that sent `last` the request. */
static void step(Way *way, const char *node, size_t length)
{
    Address address;
    way->found = true;
    if (!read_node(node, length, &address)) {
        stop_wrong(way);
        return;
    }
    way->last = address;
    way->remote |= !is_local(&address);
    way->end = !proxies_trust(way->proxies, &address);
}

/* Follows the nodes of a line of X-Forwarded-For, from the right. */
static void follow_forwarded_for(Way *way, const char *line)
{
    size_t end = strlen(line);
    while (!way->end) {
        size_t start = end;
        while (start > 0 && line[start - 1] != ',') start--;
        size_t first = start, last = end;
        while (first < last && (line[first] == ' ' || line[first] == '\t')) first++;
        while (last > first && (line[last - 1] == ' ' || line[last - 1] == '\t')) last--;
        if (last > first) step(way, line + first, last - first);
        if (start == 0) break;
        end = start - 1;
    }
}

/* ---- Forwarded: for=192.0.2.7;proto=http, for="[2001:db8::7]:80" ------------------------------ */

enum { FORWARDED_MAX = 32 }; /* proxies in a line */

typedef struct Node {
    const char *text;
    size_t length;
} Node;

static const char *skip_spaces(const char *at) { return at + strspn(at, " \t"); }

static bool is_token_char(char c)
{
    return isalnum((unsigned char)c) || (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

/* Reads a word or a quoted text. Returns the text after it, NULL if there is neither. No address needs
 * a backslash, so a quoted text with a backslash is simply an unreadable address. */
static const char *read_value(const char *at, Node *value)
{
    if (*at != '"') {
        value->text = at;
        /* Colons and brackets should be in quotes, but many programs omit the quotes. */
        while (is_token_char(*at) || *at == ':' || *at == '[' || *at == ']') at++;
        value->length = (size_t)(at - value->text);
        return value->length > 0 ? at : NULL;
    }
    value->text = ++at;
    for (; *at != '\0' && *at != '"'; at++)
        if (*at == '\\' && *++at == '\0') return NULL;
    value->length = (size_t)(at - value->text);
    return *at == '"' ? at + 1 : NULL;
}

/* Reads "for=...;by=...", the entry of one proxy. All of it must be well-formed, as a client that
 * writes an opening quote could otherwise hide the entries after it. Returns the text after the entry;
 * NULL if it is malformed. */
static const char *read_element(const char *at, Node *node)
{
    bool found = false;
    for (;; at++) {
        const char *name = at = skip_spaces(at);
        while (is_token_char(*at)) at++;
        size_t length = (size_t)(at - name);
        Node value = {at, 0};
        if (length > 0) {
            if (*at != '=') return NULL;
            at = read_value(at + 1, &value);
            if (at == NULL) return NULL;
        }
        if (length == 3 && strncasecmp(name, "for", 3) == 0) {
            if (found) return NULL; /* ambiguous */
            found = true;
            *node = value;
        }
        at = skip_spaces(at);
        if (*at != ';') return *at == ',' || *at == '\0' ? at : NULL;
    }
}

/* Reads a line of Forwarded from the left, as quotes require, then follows its nodes from the right. */
static void follow_forwarded(Way *way, const char *line)
{
    Node node[FORWARDED_MAX];
    unsigned count = 0;
    for (const char *at = line;; at++) {
        Node one = {"", 0};
        const char *start = skip_spaces(at);
        at = read_element(start, &one);
        if (at == NULL || count == FORWARDED_MAX) {
            stop_wrong(way);
            return;
        }
        if (at > start) node[count++] = one; /* lists may have empty entries */
        if (*at == '\0') break;
    }
    while (count > 0 && !way->end) {
        count--;
        step(way, node[count].text, node[count].length);
    }
}

/* ---- Both headers ---------------------------------------------------------------------------- */

typedef void Follow(Way *way, const char *line);

static Way follow(const Proxies *proxies, const Client *proxy, const HeaderLines *lines,
                  Follow *follow_line)
{
    Way way = {.proxies = proxies,
               .last = proxy->address,
               .there = lines->count > 0,
               .remote = !proxy->local};
    if (lines->count > HEADER_LINES) {
        stop_wrong(&way);
        return way;
    }
    for (unsigned i = lines->count; i > 0 && !way.end; i--) follow_line(&way, lines->line[i - 1]);
    if (way.there && !way.found) stop_wrong(&way);
    return way;
}

static bool is_same(const Way *a, const Way *b)
{
    return a->wrong == b->wrong && a->last.kind == b->last.kind &&
           (a->last.kind != ADDRESS_IP || memcmp(&a->last.ip, &b->last.ip, sizeof a->last.ip) == 0);
}

bool client_behind(const Proxies *proxies, const Client *proxy, const HeaderLines *forwarded_for,
                   const HeaderLines *forwarded, Client *client)
{
    Way way = follow(proxies, proxy, forwarded_for, follow_forwarded_for);
    Way other = follow(proxies, proxy, forwarded, follow_forwarded);
    *client = *proxy;
    if (!way.there && !other.there) return false;
    if (way.there && other.there && !is_same(&way, &other)) {
        client->local = false;
        return true;
    }
    if (!way.there) way = other;
    name_client(client, way.last);
    /* A 127.0.0.1 in an entry that another machine wrote means that other machine. */
    if (way.wrong || way.remote || other.remote) client->local = false;
    return true;
}
