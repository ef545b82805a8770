/* fuzz_request.c - libFuzzer target: reading a request must be safe for any input. The input is a target
 * and then, each after a newline, an Accept-Encoding (also read as Accept, X-Forwarded-For and Forwarded),
 * an If-None-Match, and the body of a batch and of games. The routes that only probe are run without any
 * table, and their answers must be JSON. */
#include <stdlib.h>
#include <string.h>

#include "server/clients.h"
#include "server/headers.h"
#include "server/jobs.h"
#include "server/access_log.h"
#include "server/query.h"
#include "server/routes.h"
#include "server/table_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) abort();
}

/* A text in a line of the log must be a JSON string, whatever the client has sent. */
static void check_escaped(const char *text)
{
    static char out[ACCESS_LOG_LINE];
    access_log_escape(text, out, sizeof out);
    json_t *value = json_loads(out, JSON_DECODE_ANY, NULL);
    require(json_is_string(value));
    json_decref(value);
}

static void check_reply(Reply *reply)
{
    require(reply->status >= 200 && reply->status < 600);
    if (reply->asset == NULL) {
        json_t *value = json_loadb(reply->body, reply->size, 0, NULL);
        require(json_is_object(value));
        require((reply->status != 200) == (json_object_get(value, "error") != NULL));
        json_decref(value);
    }
    free(reply->body);
}

/* Leaves out routes that give plain text, files, the state of the server or background jobs. */
static bool is_pure(const Route *route)
{
    if (route->run == jobs_find || route->run == jobs_look || route->run == table_file_run)
        return false;
    return route->work != ROUTE_QUICK || strcmp(route->label, "none") == 0;
}

static void run_route(TableHolder *holder, TableSet *set, const Query *query, const char *body)
{
    const char *path_suffix;
    Reply reply = {0};
    const Route *route = route_find(query->path, &path_suffix);
    if (!is_pure(route)) return;
    RouteCall call = {.holder = holder,
                      .set = set,
                      .query = query,
                      .path_suffix = path_suffix,
                      .body = body,
                      .size = strlen(body)};
    route->run(&call, &reply);
    check_reply(&reply);
}

/* Whatever the headers say, the name of a client needs no escaping. */
static void check_client(const char *text)
{
    Proxies proxies = {.unix_socket = true};
    HeaderLines lines = {.line = {text}, .count = 1}, none = {.count = 0};
    Client proxy = {.address = {.kind = ADDRESS_UNIX}, .name = "unix", .local = true}, client;
    require(proxies_add(&proxies, "10.0.0.0/8") == PROXIES_ADDED);
    for (int i = 0; i < 3; i++) {
        require(client_behind(&proxies, &proxy, i != 1 ? &lines : &none, i != 0 ? &lines : &none,
                              &client));
        require(strspn(client.name, "0123456789abcdefunix:.") == strlen(client.name));
        require(!client.local || client.address.kind == ADDRESS_IP);
    }
    proxies_add(&proxies, text);
}

/* Whatever the header says, the range lies in the file. */
static void check_range(const char *text)
{
    enum { WHOLE = 1000 };
    uint64_t at = 0, size = 0;
    if (headers_range(text, WHOLE, &at, &size) == RANGE_PART)
        require(at < WHOLE && size > 0 && size <= WHOLE - at);
}

static void run_post(const char *path, TableHolder *holder, TableSet *set, const char *body)
{
    Query query;
    require(query_parse(path, &query) == QUERY_OK);
    run_route(holder, set, &query, body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static TableHolder holder;
    static TableSet set;
    if (set.tables == NULL) set.tables = treb_tables_open(NULL, 0, NULL);
    char *text = malloc(size + 1), *rest = text;
    if (text == NULL) return 0;
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    const char *target = strsep(&rest, "\n");
    const char *accept = rest != NULL ? strsep(&rest, "\n") : "";
    const char *match = rest != NULL ? strsep(&rest, "\n") : "";
    const char *body = rest != NULL ? rest : "";
    Query query;
    headers_accept_gzip(accept);
    headers_prefer_cbor(accept);
    check_client(accept);
    headers_match_etag(match, "\"abc\"", "\"abc-gzip\"");
    check_range(match);
    check_escaped(target);
    if (query_parse(target, &query) == QUERY_OK) run_route(&holder, &set, &query, body);
    run_post("/v1/batch", &holder, &set, body);
    run_post("/v1/games", &holder, &set, body);
    free(text);
    return 0;
}
