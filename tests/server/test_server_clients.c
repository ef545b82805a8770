/* test_server_clients.c - the identity of a client: by its address, and behind proxies, with headers that
 * a client may have forged. */
#include <arpa/inet.h>
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "server/clients.h"
#include "tests/support/suite.h"

static Client from(const char *text)
{
    Client client;
    struct sockaddr local = {.sa_family = AF_UNIX};
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    if (strcmp(text, "unix") == 0)
        client_from_socket(&client, &local);
    else if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
        client_from_socket(&client, (struct sockaddr *)&v4);
    else if (inet_pton(AF_INET6, text, &v6.sin6_addr) == 1)
        client_from_socket(&client, (struct sockaddr *)&v6);
    else
        client_from_socket(&client, NULL);
    return client;
}

START_TEST(clients_by_address)
{
    static const struct {
        const char *address, *name, *key;
        bool local;
    } cases[] = {{"192.0.2.7", "192.0.2.7", "192.0.2.7", false},
                 {"127.0.0.1", "127.0.0.1", "127.0.0.1", true},
                 {"127.8.9.1", "127.8.9.1", "127.8.9.1", true},
                 {"::1", "::1", "::1", true},
                 {"::ffff:127.0.0.1", "127.0.0.1", "127.0.0.1", true},
                 {"::ffff:192.0.2.7", "192.0.2.7", "192.0.2.7", false},
                 {"2001:db8:1:2:3:4:5:6", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::", false},
                 {"unix", "unix", "unix", true},
                 {"?", "?", "?", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Client client = from(cases[i].address);
        ck_assert_str_eq(client.name, cases[i].name);
        ck_assert_str_eq(client.key, cases[i].key);
        ck_assert_int_eq(client.local, cases[i].local);
    }
}
END_TEST

/* ---- Trusted proxies ------------------------------------------------------------------------- */

START_TEST(networks)
{
    static const struct {
        const char *network, *address;
        bool trusted;
    } cases[] = {
        {"192.0.2.7", "192.0.2.7", true},
        {"192.0.2.7", "192.0.2.8", false},
        {"192.0.2.7", "::ffff:192.0.2.7", true},
        {"::ffff:192.0.2.7", "192.0.2.7", true},
        {"10.0.0.0/8", "10.255.0.1", true},
        {"10.0.0.0/8", "11.0.0.1", false},
        {"10.1.2.3/8", "10.9.9.9", true},
        {"192.0.2.128/25", "192.0.2.127", false},
        {"192.0.2.128/25", "192.0.2.129", true},
        {"172.16.0.0/12", "172.31.255.255", true},
        {"172.16.0.0/12", "172.32.0.0", false},
        {"192.0.2.7/32", "192.0.2.7", true},
        {"192.0.2.7/32", "192.0.2.6", false},
        {"0.0.0.0/0", "203.0.113.9", true},
        {"0.0.0.0/0", "2001:db8::1", false},
        {"::/0", "2001:db8::1", true},
        {"::/0", "203.0.113.9", false},
        {"::1", "::1", true},
        {"::1", "127.0.0.1", false},
        {"2001:db8::/33", "2001:db8:7fff::1", true},
        {"2001:db8::/33", "2001:db8:8000::1", false},
        {"2001:db8::1/128", "2001:db8::2", false},
        {"unix", "unix", true},
        {"unix", "127.0.0.1", false},
        {"127.0.0.1", "unix", false},
        {"0.0.0.0/0", "?", false},
        {"unix", "?", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Proxies proxies = {0};
        Client client = from(cases[i].address);
        ck_assert(!proxies_trust(&proxies, &client.address));
        ck_assert_int_eq(proxies_add(&proxies, cases[i].network), PROXIES_ADDED);
        ck_assert_msg(proxies_trust(&proxies, &client.address) == cases[i].trusted, "%s: %s",
                      cases[i].network, cases[i].address);
    }
}
END_TEST

START_TEST(no_networks)
{
    static const char *const cases[] = {"",
                                        "/",
                                        "/8",
                                        "10.0.0.0/",
                                        "10.0.0.0/33",
                                        "10.0.0.0/-1",
                                        "10.0.0.0/8/8",
                                        "10.0.0.0/ 8",
                                        "10.0.0.0/8 ",
                                        "10.0.0.0/4294967304",
                                        "10.0.0",
                                        "10.0.0.0.0",
                                        "010.0.0.256",
                                        "::1/129",
                                        "[::1]",
                                        "::1%lo",
                                        "2001:db8::12345",
                                        "localhost",
                                        "Unix",
                                        "unix/8",
                                        "all",
                                        "0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0001",
                                        NULL};
    Proxies proxies = {0};
    for (int i = 0; cases[i] != NULL; i++)
        ck_assert_msg(proxies_add(&proxies, cases[i]) == PROXIES_WRONG, "'%s'", cases[i]);
    ck_assert(proxies.count == 0 && !proxies.unix_socket);
    for (int i = 0; i < PROXIES_MAX; i++)
        ck_assert_int_eq(proxies_add(&proxies, "10.0.0.0/8"), PROXIES_ADDED);
    ck_assert_int_eq(proxies_add(&proxies, "10.0.0.0/8"), PROXIES_FULL);
}
END_TEST

/* ---- Behind proxies -------------------------------------------------------------------------- */

/* The lines of a header, with newlines between them; NULL: there is no such header. */
static HeaderLines lines_of(char *text)
{
    HeaderLines lines = {.count = 0};
    while (text != NULL) header_lines_add(&lines, strsep(&text, "\n"));
    return lines;
}

/* Finds the client behind `peer`, which is a trusted proxy if it is 127.0.0.1 or in 10.0.0.0/8 or
 * 2001:db8:a::/48. */
static bool behind_peer(const char *peer, const char *forwarded_for, const char *forwarded,
                        Client *client)
{
    static const char *const trusted[] = {"127.0.0.1", "10.0.0.0/8", "2001:db8:a::/48"};
    char for_text[8192], text[8192];
    Proxies proxies = {0};
    Client proxy = from(peer);
    for (int i = 0; i < 3; i++) ck_assert_int_eq(proxies_add(&proxies, trusted[i]), PROXIES_ADDED);
    if (forwarded_for != NULL) snprintf(for_text, sizeof for_text, "%s", forwarded_for);
    if (forwarded != NULL) snprintf(text, sizeof text, "%s", forwarded);
    HeaderLines a = lines_of(forwarded_for != NULL ? for_text : NULL);
    HeaderLines b = lines_of(forwarded != NULL ? text : NULL);
    return client_behind(&proxies, &proxy, &a, &b, client);
}

static bool behind(const char *forwarded_for, const char *forwarded, Client *client)
{
    return behind_peer("127.0.0.1", forwarded_for, forwarded, client);
}

typedef struct BehindCase {
    const char *header, *name;
    bool local;
} BehindCase;

static void check_case(const BehindCase *c, const char *forwarded_for, const char *forwarded)
{
    Client client;
    ck_assert(behind(forwarded_for, forwarded, &client));
    ck_assert_msg(strcmp(client.name, c->name) == 0, "'%s': %s, not %s", c->header, client.name,
                  c->name);
    ck_assert_msg(client.local == c->local, "'%s'", c->header);
}

START_TEST(no_header)
{
    Client client;
    ck_assert(!behind(NULL, NULL, &client));
    ck_assert_str_eq(client.name, "127.0.0.1");
    ck_assert(client.local);
}
END_TEST

START_TEST(x_forwarded_for)
{
    static const BehindCase cases[] = {
        {"203.0.113.9", "203.0.113.9", false},
        {" 203.0.113.9\t", "203.0.113.9", false},
        {"203.0.113.9:4711", "203.0.113.9", false},
        {"2001:db8::7", "2001:db8::7", false},
        {"[2001:db8::7]", "2001:db8::7", false},
        {"[2001:db8::7]:443", "2001:db8::7", false},
        {"::ffff:203.0.113.9", "203.0.113.9", false},
        /* Entries to the left of the last untrusted one do not count. */
        {"198.51.100.1, 203.0.113.9", "203.0.113.9", false},
        {"127.0.0.1, 203.0.113.9", "203.0.113.9", false},
        {"127.0.0.1,203.0.113.9", "203.0.113.9", false},
        {"garbage\", 203.0.113.9", "203.0.113.9", false},
        {"127.0.0.1\n203.0.113.9", "203.0.113.9", false},
        {"203.0.113.9\n198.51.100.1, 10.0.0.2", "198.51.100.1", false},
        /* Several trusted proxies. */
        {"198.51.100.1, 203.0.113.9, 10.0.0.2", "203.0.113.9", false},
        {"203.0.113.9, 10.1.1.1, 2001:db8:a::5, 10.0.0.2", "203.0.113.9", false},
        {"203.0.113.9\n10.0.0.2\n10.0.0.3", "203.0.113.9", false},
        {"10.0.0.7", "10.0.0.7", false},
        {"10.0.0.7, 10.0.0.8", "10.0.0.7", false},
        {"127.0.0.1", "127.0.0.1", true},
        {"127.0.0.1, 127.0.0.1", "127.0.0.1", true},
        {"127.0.0.1, 10.0.0.2", "127.0.0.1", false}, /* the other machine's own address */
        /* Empty entries do not count. */
        {", 203.0.113.9 ,,", "203.0.113.9", false},
        {"203.0.113.9\n\n", "203.0.113.9", false},
        /* If an entry is unreadable, the client is the proxy that wrote it, and never local. */
        {"unknown", "127.0.0.1", false},
        {"unknown, 10.0.0.2", "10.0.0.2", false},
        {"127.0.0.1, x, 10.0.0.2", "10.0.0.2", false},
        {"127.0.0.1 127.0.0.1", "127.0.0.1", false},
        {"203.0.113.9:", "127.0.0.1", false},
        {"203.0.113.9:99999999", "127.0.0.1", false},
        {"203.0.113.9:80x", "127.0.0.1", false},
        {"[2001:db8::7", "127.0.0.1", false},
        {"[2001:db8::7]x", "127.0.0.1", false},
        {"[203.0.113.9]", "127.0.0.1", false},
        {"1234:80", "127.0.0.1", false},
        {"fe80::1%eth0", "127.0.0.1", false},
        {"203.0.113", "127.0.0.1", false},
        {"3405803785", "127.0.0.1", false},
        {"\"203.0.113.9\"", "127.0.0.1", false},
        {"203.0.113.9;for=127.0.0.1", "127.0.0.1", false},
        {"203.0.113.9\xff", "127.0.0.1", false},
        {"", "127.0.0.1", false},
        {" , ", "127.0.0.1", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i], cases[i].header, NULL);
}
END_TEST

START_TEST(forwarded)
{
    static const BehindCase cases[] = {
        {"for=203.0.113.9", "203.0.113.9", false},
        {"For=\"203.0.113.9:47011\"", "203.0.113.9", false},
        {"FOR=\"[2001:db8::7]:80\"", "2001:db8::7", false},
        {"for=\"[2001:db8::7]\"", "2001:db8::7", false},
        {"for=[2001:db8::7]:80", "2001:db8::7", false}, /* without its quotes */
        {"proto=http;for=203.0.113.9;by=10.0.0.2", "203.0.113.9", false},
        {" by=10.0.0.2 ; for=203.0.113.9 ;", "203.0.113.9", false},
        {"for=198.51.100.1, for=203.0.113.9;host=\"a;b,c\"", "203.0.113.9", false},
        {"for=203.0.113.9;host=\"for=127.0.0.1,\\\"\"", "203.0.113.9", false},
        {"for=198.51.100.1\nfor=203.0.113.9", "203.0.113.9", false},
        {"for=198.51.100.1, for=203.0.113.9, for=10.0.0.2", "203.0.113.9", false},
        {"for=127.0.0.1, for=203.0.113.9", "203.0.113.9", false},
        {"for=127.0.0.1", "127.0.0.1", true},
        {"for=127.0.0.1, for=10.0.0.2", "127.0.0.1", false},
        {", for=203.0.113.9,,", "203.0.113.9", false},
        {"for=unknown", "127.0.0.1", false},
        {"for=_hidden, for=10.0.0.2", "10.0.0.2", false},
        {"by=203.0.113.9", "127.0.0.1", false},
        {"for=127.0.0.1, proto=http", "127.0.0.1", false},
        /* An opening quote cannot hide the entries after it. */
        {"for=127.0.0.1;x=\", for=203.0.113.9", "127.0.0.1", false},
        {"for=127.0.0.1;x=\", for=\"203.0.113.9\"", "127.0.0.1", false},
        {"for=127.0.0.1;x=\"\\, for=\"203.0.113.9\"", "127.0.0.1", false},
        {"for=127.0.0.1;x=\"\nfor=203.0.113.9", "203.0.113.9", false},
        {"for=203.0.113.9;for=127.0.0.1", "127.0.0.1", false},
        {"for=\"203.0.113.9\\\"\"", "127.0.0.1", false},
        {"for=\"203.0.113.9", "127.0.0.1", false},
        {"for=\"203.0.113.9\\", "127.0.0.1", false},
        {"for=\"\"", "127.0.0.1", false},
        {"for=", "127.0.0.1", false},
        {"for", "127.0.0.1", false},
        {"for =203.0.113.9", "127.0.0.1", false},
        {"203.0.113.9", "127.0.0.1", false},
        {"for=203.0.113.9 x", "127.0.0.1", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i], NULL, cases[i].header);
}
END_TEST

/* A proxy writes one of the two headers and passes the other on as the client wrote it. */
START_TEST(both)
{
    static const struct {
        const char *forwarded_for, *forwarded, *name;
        bool local;
    } cases[] = {
        {"203.0.113.9", "for=203.0.113.9", "203.0.113.9", false},
        {"203.0.113.9", "for=127.0.0.1", "127.0.0.1", false},
        {"127.0.0.1", "for=203.0.113.9", "127.0.0.1", false},
        {"203.0.113.9", "for=198.51.100.1", "127.0.0.1", false},
        {"203.0.113.9", "garbage", "127.0.0.1", false},
        {"garbage", "for=203.0.113.9", "127.0.0.1", false},
        {"garbage", "garbage", "127.0.0.1", false},
        {"unknown", "for=127.0.0.1", "127.0.0.1", false},
        {"127.0.0.1", "for=127.0.0.1", "127.0.0.1", true},
        {"127.0.0.1", "for=127.0.0.1, for=10.0.0.2", "127.0.0.1", false},
        {"127.0.0.1, 10.0.0.2", "for=127.0.0.1", "127.0.0.1", false},
        {"198.51.100.1, 203.0.113.9", "for=203.0.113.9, for=10.0.0.2", "203.0.113.9", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        BehindCase one = {cases[i].forwarded, cases[i].name, cases[i].local};
        check_case(&one, cases[i].forwarded_for, cases[i].forwarded);
    }
}
END_TEST

/* A proxy on another machine cannot make a client local. */
START_TEST(remote_proxy)
{
    static const char *const names[] = {"127.0.0.1", "::1", "127.9.9.9", "203.0.113.9", "garbage"};
    Client client;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char line[64];
        snprintf(line, sizeof line, "for=\"[%s]\"", names[i]);
        if (strchr(names[i], ':') == NULL) snprintf(line, sizeof line, "for=%s", names[i]);
        ck_assert(behind_peer("10.0.0.2", names[i], NULL, &client));
        ck_assert_msg(!client.local, "%s", names[i]);
        ck_assert_str_eq(client.name, strcmp(names[i], "garbage") ? names[i] : "10.0.0.2");
        ck_assert(behind_peer("10.0.0.2", NULL, line, &client));
        ck_assert_msg(!client.local, "%s", line);
    }
}
END_TEST

/* Very long headers, and many of them. */
START_TEST(long_headers)
{
    char text[8000] = "";
    for (int i = 0; i < 600; i++) strcat(text, "10.0.0.2, ");
    char *end = strchr(text, '\0');
    strcpy(end - 2, "");
    BehindCase one = {"many", "10.0.0.2", false};
    check_case(&one, text, NULL);
    text[0] = '\0';
    for (int i = 0; i < 40; i++) strcat(text, "for=203.0.113.9, ");
    one = (BehindCase){"too many of Forwarded", "127.0.0.1", false};
    check_case(&one, NULL, text);
    memset(text, ',', 7000);
    text[7000] = '\0';
    check_case(&one, text, NULL);
    memset(text, '1', 7000);
    check_case(&one, text, NULL);
    text[0] = '\0';
    for (int i = 0; i < HEADER_LINES; i++) strcat(text, i > 0 ? "\n10.0.0.2" : "203.0.113.9");
    one = (BehindCase){"as many lines as there may be", "203.0.113.9", false};
    check_case(&one, text, NULL);
    strcat(text, "\n203.0.113.9");
    one = (BehindCase){"one more", "127.0.0.1", false};
    check_case(&one, text, NULL);
}
END_TEST

/* Clients behind one proxy have different keys; IPv6 clients by network. */
START_TEST(keys)
{
    Client a, b;
    ck_assert(behind("2001:db8:1:2::3", NULL, &a) && behind("2001:db8:1:2::4", NULL, &b));
    ck_assert_str_eq(a.key, "2001:db8:1:2::");
    ck_assert_str_eq(b.key, a.key);
    ck_assert_str_ne(b.name, a.name);
    ck_assert(behind("203.0.113.9", NULL, &a) && behind("203.0.113.8", NULL, &b));
    ck_assert_str_ne(b.key, a.key);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("server_clients");
    TCase *tests = tcase_create("clients");
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, clients_by_address);
    tcase_add_test(tests, networks);
    tcase_add_test(tests, no_networks);
    tcase_add_test(tests, no_header);
    tcase_add_test(tests, x_forwarded_for);
    tcase_add_test(tests, forwarded);
    tcase_add_test(tests, both);
    tcase_add_test(tests, remote_proxy);
    tcase_add_test(tests, long_headers);
    tcase_add_test(tests, keys);
    return run_suite(suite);
}
