/* test_server_parts.c - unit tests of the server: the cache of responses, compression, workers, clients, and
 * the replies of routes when the time is up or a table is missing. */
#include <arpa/inet.h>
#include <cbor.h>
#include <check.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "json/context.h"
#include "server/headers.h"
#include "server/response_cache.h"
#include "server/cbor.h"
#include "server/connections.h"
#include "server/routes.h"
#include "server/workers.h"
#include "tests/support/suite.h"

/* ---- The cache of responses ------------------------------------------------------------------ */

static Response *make_served(size_t size, char fill)
{
    Reply reply = {.status = 200, .type = "text/plain", .cache_policy = CACHE_TABLE_SET};
    reply.body = malloc(size);
    ck_assert_ptr_nonnull(reply.body);
    memset(reply.body, fill, size);
    reply.size = size;
    Response *served = response_create(&reply);
    ck_assert_ptr_nonnull(served);
    ck_assert_ptr_null(reply.body);
    return served;
}

static void keep(ResponseCache *cache, int number, size_t size)
{
    char target[32];
    Response *served = make_served(size, (char)('a' + number % 26));
    snprintf(target, sizeof target, "/%d", number);
    response_cache_put(cache, target, served, cache);
    response_release(served);
}

static bool is_kept(ResponseCache *cache, int number)
{
    char target[32];
    const void *tag = NULL;
    snprintf(target, sizeof target, "/%d", number);
    Response *served = response_cache_get(cache, target, &tag);
    if (served == NULL) return false;
    ck_assert_ptr_eq(tag, cache);
    ck_assert_int_eq(served->body[0], 'a' + number % 26);
    response_release(served);
    return true;
}

START_TEST(answers_are_kept)
{
    ResponseCacheInfo info;
    ResponseCache *cache = response_cache_create(1 << 20);
    ck_assert(!is_kept(cache, 1));
    keep(cache, 1, 100);
    keep(cache, 2, 200);
    ck_assert(is_kept(cache, 1));
    ck_assert(is_kept(cache, 2));
    keep(cache, 1, 300); /* replaces the old one */
    response_cache_info(cache, &info);
    ck_assert_uint_eq(info.entries, 2);
    ck_assert_uint_eq(info.hits, 2);
    ck_assert_uint_eq(info.misses, 3);
    response_cache_free(cache);
}
END_TEST

START_TEST(answers_are_bounded)
{
    enum { MANY = 4000, BUDGET = 2 << 20 };
    ResponseCacheInfo info;
    ResponseCache *cache = response_cache_create(BUDGET);
    for (int i = 0; i < MANY; i++) {
        keep(cache, i, 1000);
        /* Responses that are requested often stay. */
        ck_assert(is_kept(cache, 0));
    }
    response_cache_info(cache, &info);
    ck_assert_uint_le(info.bytes, BUDGET);
    ck_assert_uint_lt(info.entries, MANY);
    ck_assert_uint_gt(info.entries, 300);
    ck_assert(is_kept(cache, MANY - 1));
    ck_assert(!is_kept(cache, 1));
    keep(cache, MANY, BUDGET); /* larger than the budget */
    ck_assert(!is_kept(cache, MANY));
    response_cache_free(cache);
    cache = response_cache_create(0);
    keep(cache, 1, 10);
    ck_assert(!is_kept(cache, 1));
    response_cache_free(cache);
}
END_TEST

/* A response from the cache outlives its entry and the cache. */
START_TEST(answers_outlive_the_cache)
{
    const void *tag;
    ResponseCache *cache = response_cache_create(1 << 20);
    keep(cache, 1, 5000);
    Response *served = response_cache_get(cache, "/1", &tag);
    response_cache_free(cache);
    ck_assert_int_eq(served->body[4999], 'b');
    response_compress(served);
    response_release(served);
}
END_TEST

/* ---- Compression ----------------------------------------------------------------------------- */

START_TEST(compression)
{
    Response *small = make_served(RESPONSE_GZIP_LEAST - 1, 'a'), *large = make_served(100000, 'a');
    response_compress(small);
    ck_assert_ptr_null(atomic_load(&small->gzip));
    response_compress(large);
    struct MHD_Response *gzip = atomic_load(&large->gzip);
    ck_assert_ptr_nonnull(gzip);
    response_compress(large);
    ck_assert_ptr_eq(atomic_load(&large->gzip), gzip);
    ck_assert_str_eq(MHD_get_response_header(gzip, "Content-Encoding"), "gzip");
    ck_assert_str_eq(MHD_get_response_header(gzip, "Vary"), "Accept-Encoding");
    ck_assert_str_eq(MHD_get_response_header(large->plain, "Vary"), "Accept-Encoding");
    ck_assert_ptr_null(MHD_get_response_header(large->plain, "Content-Encoding"));
    ck_assert_str_ne(MHD_get_response_header(gzip, "ETag"),
                     MHD_get_response_header(large->plain, "ETag"));
    response_release(small);
    response_release(large);
    /* A body that does not get smaller is not compressed. */
    Reply reply = {.status = 200, .type = "text/plain", .cache_policy = CACHE_TABLE_SET, .size = 5000};
    reply.body = malloc(reply.size);
    uint32_t noise = 1;
    for (size_t i = 0; i < reply.size; i++)
        reply.body[i] = (char)((noise = noise * 69069 + 1) >> 24);
    Response *random = response_create(&reply);
    response_compress(random);
    ck_assert_ptr_null(atomic_load(&random->gzip));
    response_release(random);
}
END_TEST

/* ---- Workers --------------------------------------------------------------------------------- */

/* Bounds of waiting items: light and heavy, in total and of one client. */
enum { QUEUE = 1024, QUEUE_EACH = 256, HEAVY = QUEUE / 8, HEAVY_EACH = QUEUE_EACH / 8 };

/* An item that counts. If `held`, it does not end before its gate is opened. */
typedef struct Gate {
    atomic_bool open;
    atomic_int done, refused, now, most;
} Gate;

typedef struct Counted {
    WorkItem job;
    Gate *gate;
    bool held;
} Counted;

static void run_counted(WorkItem *job)
{
    Counted *counted = (Counted *)job;
    Gate *gate = counted->gate;
    int now = atomic_fetch_add(&gate->now, 1) + 1, most = atomic_load(&gate->most);
    while (now > most && !atomic_compare_exchange_weak(&gate->most, &most, now)) continue;
    while (counted->held && !atomic_load(&gate->open)) usleep(200);
    atomic_fetch_sub(&gate->now, 1);
    atomic_fetch_add(&gate->done, 1);
}

static void refuse_counted(WorkItem *job) { atomic_fetch_add(&((Counted *)job)->gate->refused, 1); }

static Counted counted(Gate *gate, const char *client_key, bool held)
{
    return (Counted){{.run = run_counted, .refuse = refuse_counted, .client_key = client_key}, gate, held};
}

/* Adds items of one client; returns the number that were accepted. */
static int add(Workers *workers, Counted *jobs, int count, Gate *gate, const char *client_key, bool held,
               WorkKind kind)
{
    int added = 0;
    for (int i = 0; i < count; i++) {
        jobs[i] = counted(gate, client_key, held);
        added += workers_add(workers, &jobs[i].job, kind) == WORKERS_ADDED;
    }
    return added;
}

/* Waits until a number is reached, for a limited time. */
static void await(atomic_int *number, int value)
{
    for (int i = 0; i < 100000 && atomic_load(number) < value; i++) usleep(100);
    ck_assert_int_ge(atomic_load(number), value);
}

START_TEST(workers_do_all)
{
    enum { JOBS = 200, CLIENTS = 5 };
    static Counted jobs[CLIENTS][JOBS];
    static const char *const names[CLIENTS] = {"a", "b", "c", "d", "e"};
    Gate gate = {.open = true};
    Workers *workers = workers_start(3, QUEUE, QUEUE_EACH);
    for (int i = 0; i < CLIENTS; i++)
        ck_assert_int_eq(add(workers, jobs[i], JOBS, &gate, names[i], false, WORK_LIGHT), JOBS);
    workers_stop(workers);
    ck_assert_int_eq(gate.done, CLIENTS * JOBS);
    ck_assert_int_eq(gate.refused, 0);
}
END_TEST

/* One client has as many items as it may, and none of them ends. Light and heavy items of others are still
 * done. */
static void check_stall(WorkKind kind)
{
    enum { HOSTILE = HEAVY_EACH, OTHERS = 10 };
    static Counted hostile[HOSTILE], light[OTHERS], heavy[OTHERS];
    Gate held = {.open = false}, light_gate = {.open = true}, heavy_gate = {.open = true};
    Workers *workers = workers_start(2, QUEUE, QUEUE_EACH);
    ck_assert_int_eq(add(workers, hostile, HOSTILE, &held, "hostile", true, kind), HOSTILE);
    await(&held.now, 1);
    usleep(20000);
    ck_assert_int_eq(add(workers, light, OTHERS, &light_gate, "b", false, WORK_LIGHT), OTHERS);
    ck_assert_int_eq(add(workers, heavy, OTHERS, &heavy_gate, "c", false, WORK_HEAVY), OTHERS);
    await(&light_gate.done, OTHERS);
    await(&heavy_gate.done, OTHERS);
    /* It gets at most the configured number of threads, and one fewer for heavy items. */
    ck_assert_int_eq(held.most, kind == WORK_LIGHT ? 2 : 1);
    ck_assert_int_eq(held.done, 0);
    held.open = true;
    workers_stop(workers);
    ck_assert_int_eq(held.done, HOSTILE);
}

START_TEST(light_jobs_stall_nobody) { check_stall(WORK_LIGHT); }
END_TEST

START_TEST(heavy_jobs_stall_nobody) { check_stall(WORK_HEAVY); }
END_TEST

/* With many such clients, each has an item running, and a new client gets its turn. */
START_TEST(many_hostile_clients)
{
    enum { HOSTILE = WORKERS_SPARE, EACH = 3 }; /* the first may get two threads */
    static Counted hostile[HOSTILE][EACH];
    char names[HOSTILE][8];
    Gate held = {.open = false}, gate = {.open = true};
    Workers *workers = workers_start(2, QUEUE, QUEUE_EACH);
    for (int i = 0; i < HOSTILE; i++) {
        snprintf(names[i], sizeof names[i], "h%d", i);
        ck_assert_int_eq(add(workers, hostile[i], EACH, &held, names[i], true, WORK_LIGHT), EACH);
    }
    await(&held.now, HOSTILE);
    Counted one;
    add(workers, &one, 1, &gate, "b", false, WORK_LIGHT);
    await(&gate.done, 1);
    held.open = true;
    workers_stop(workers);
    ck_assert_int_eq(held.done, HOSTILE * EACH);
}
END_TEST

/* More items of many clients may wait than of one; heavy items leave threads for light ones. */
START_TEST(heavy_jobs_leave_threads)
{
    enum { HOSTILE = 30 };
    static Counted hostile[HOSTILE];
    char names[HOSTILE][8];
    Gate held = {.open = false}, gate = {.open = true};
    Workers *workers = workers_start(4, QUEUE, QUEUE_EACH);
    for (int i = 0; i < HOSTILE; i++) {
        snprintf(names[i], sizeof names[i], "h%d", i);
        ck_assert_int_eq(add(workers, &hostile[i], 1, &held, names[i], true, WORK_HEAVY), 1);
    }
    await(&held.now, 4 + WORKERS_SPARE / 2);
    usleep(20000);
    ck_assert_int_eq(held.now, 4 + WORKERS_SPARE / 2);
    Counted light[3];
    add(workers, light, 3, &gate, "b", false, WORK_LIGHT);
    await(&gate.done, 3);
    held.open = true;
    workers_stop(workers);
    ck_assert_int_eq(held.done, HOSTILE);
}
END_TEST

/* Clients take turns: with all threads but one held, the first item of each client is done before the
 * second of any. */
typedef struct Noted {
    WorkItem job;
    char name;
    char *log;
    atomic_int *count;
} Noted;

static void run_noted(WorkItem *job)
{
    Noted *noted = (Noted *)job;
    noted->log[atomic_fetch_add(noted->count, 1)] = noted->name;
}

START_TEST(clients_take_turns)
{
    enum { HOLDERS = 2 + WORKERS_SPARE, EACH = 20 };
    static Counted holder[HOLDERS];
    static Noted noted[3][EACH];
    char names[HOLDERS][8], log[3 * EACH] = {0};
    static const char *const clients[3] = {"x", "y", "z"};
    atomic_int count = 0;
    Gate held[2] = {{.open = false}, {.open = false}};
    Workers *workers = workers_start(2, QUEUE, QUEUE_EACH);
    for (int i = 0; i < HOLDERS; i++) {
        snprintf(names[i], sizeof names[i], "h%d", i);
        ck_assert_int_eq(add(workers, &holder[i], 1, &held[i == 0], names[i], true, WORK_LIGHT), 1);
    }
    await(&held[0].now, HOLDERS - 1);
    await(&held[1].now, 1);
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < EACH; i++) {
            noted[c][i] = (Noted){{.run = run_noted, .refuse = refuse_counted, .client_key = clients[c]},
                                  *clients[c],
                                  log,
                                  &count};
            ck_assert_int_eq(workers_add(workers, &noted[c][i].job, WORK_LIGHT), WORKERS_ADDED);
        }
    held[1].open = true; /* one thread for all three */
    await(&count, 3 * EACH);
    for (int i = 0; i < 3 * EACH; i += 3)
        ck_assert(log[i] != log[i + 1] && log[i + 1] != log[i + 2] && log[i] != log[i + 2]);
    held[0].open = true;
    workers_stop(workers);
}
END_TEST

/* With one running item for each client, counts the items that may wait. */
static void check_bound(WorkKind kind, int most, int each)
{
    enum { CLIENTS = 5, ROOM = QUEUE_EACH + 10 };
    static Counted first[CLIENTS], jobs[CLIENTS][ROOM];
    static const char *const names[CLIENTS] = {"a", "b", "c", "d", "e"};
    Gate held = {.open = false};
    Workers *workers = workers_start(2, QUEUE, QUEUE_EACH);
    for (int c = 0; c < CLIENTS; c++)
        ck_assert_int_eq(add(workers, &first[c], 1, &held, names[c], true, kind), 1);
    await(&held.now, CLIENTS);
    for (int c = 0; c < CLIENTS; c++) {
        bool all = c == CLIENTS - 1; /* the other clients have used up the total */
        ck_assert_int_eq(add(workers, jobs[c], each + 10, &held, names[c], true, kind),
                         all ? most - each * c : each);
        Counted extra = counted(&held, names[c], true);
        ck_assert_int_eq(workers_add(workers, &extra.job, kind),
                         all ? WORKERS_FULL : WORKERS_CLIENT_FULL);
    }
    ck_assert_uint_eq(workers_waiting(workers), (unsigned)most);
    ck_assert_uint_eq(workers_running(workers), CLIENTS);
    held.open = true;
    workers_stop(workers);
    ck_assert_int_eq(held.done, most + CLIENTS);
}

START_TEST(jobs_are_bounded)
{
    check_bound(WORK_HEAVY, HEAVY, HEAVY_EACH);
    check_bound(WORK_LIGHT, QUEUE, QUEUE_EACH);
}
END_TEST

/* Waiting items are refused at once while others run, and no more are accepted. */
START_TEST(closing_refuses)
{
    enum { JOBS = 20 };
    static Counted jobs[JOBS];
    Gate held = {.open = false};
    Workers *workers = workers_start(2, QUEUE, QUEUE_EACH);
    ck_assert_int_eq(add(workers, jobs, JOBS, &held, "a", true, WORK_LIGHT), JOBS);
    await(&held.now, 2);
    workers_close(workers);
    ck_assert_int_eq(held.refused, JOBS - 2);
    ck_assert_uint_eq(workers_waiting(workers), 0);
    ck_assert_uint_eq(workers_running(workers), 2);
    Counted late = counted(&held, "b", false);
    ck_assert_int_eq(workers_add(workers, &late.job, WORK_LIGHT), WORKERS_CLOSED);
    held.open = true;
    workers_stop(workers);
    ck_assert_int_eq(held.done, 2);
}
END_TEST

/* ---- Connections ----------------------------------------------------------------------------- */

static struct sockaddr_in6 address_of(const char *text)
{
    struct sockaddr_in6 address = {.sin6_family = AF_INET6};
    ck_assert_int_eq(inet_pton(AF_INET6, text, &address.sin6_addr), 1);
    return address;
}

static Connection *connect_from(Connections *connections, const char *text)
{
    struct sockaddr_in6 address = address_of(text);
    return connections_add(connections, -1, (struct sockaddr *)&address);
}

/* A client has a limited number of connections, unless it is a trusted proxy. */
START_TEST(connections_of_a_client)
{
    ConnectionLimits limits = {.request = 1, .answer = 1, .each = 2};
    Connections connections;
    Connection *c[6];
    int pair[2];
    char byte;
    ck_assert_int_eq(proxies_add(&limits.proxies, "192.0.2.1"), PROXIES_ADDED);
    connections_init(&connections, &limits);
    for (int i = 0; i < 3; i++) {
        c[i] = connect_from(&connections, "::ffff:192.0.2.1");
        ck_assert(c[i] != NULL && c[i]->trusted);
    }
    c[3] = connect_from(&connections, "2001:db8::1");
    c[4] = connect_from(&connections, "2001:db8::2"); /* one client has the whole network */
    ck_assert(c[3] != NULL && c[4] != NULL && !c[3]->trusted);
    ck_assert_str_eq(c[4]->peer.name, "2001:db8::2");
    /* A connection beyond the limit is shut down. */
    struct sockaddr_in6 address = address_of("2001:db8::3");
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    ck_assert_ptr_null(connections_add(&connections, pair[0], (struct sockaddr *)&address));
    ck_assert_int_eq(read(pair[1], &byte, 1), 0);
    close(pair[0]);
    close(pair[1]);
    ck_assert_ptr_nonnull(c[5] = connect_from(&connections, "2001:db8:0:1::1"));
    connections_remove(&connections, c[3]);
    ck_assert_ptr_nonnull(c[3] = connect_from(&connections, "2001:db8::3"));
    for (int i = 0; i < 6; i++) connections_remove(&connections, c[i]);
    ck_assert_ptr_null(connections.first);
    connections_destroy(&connections);
}
END_TEST

/* A response being sent counts for the client that requested it, not for the proxy. */
START_TEST(answers_on_their_way)
{
    uint64_t own, all;
    Connections connections;
    connections_init(&connections, &(ConnectionLimits){.request = 1, .answer = 1, .each = 9});
    Connection *a = connect_from(&connections, "::ffff:192.0.2.1");
    Connection *b = connect_from(&connections, "::ffff:192.0.2.1");
    connections_send(&connections, a, "203.0.113.5", 100);
    connections_send(&connections, b, "192.0.2.1", 10);
    connections_sending(&connections, "203.0.113.5", &own, &all);
    ck_assert_uint_eq(own, 100);
    ck_assert_uint_eq(all, 110);
    connections_sending(&connections, "192.0.2.1", &own, &all);
    ck_assert_uint_eq(own, 10);
    connections_send(&connections, a, "203.0.113.5", 0);
    connections_send(&connections, a, "192.0.2.1", 1);
    connections_sending(&connections, "192.0.2.1", &own, &all);
    ck_assert_uint_eq(own, 11);
    connections_sending(&connections, "203.0.113.5", &own, &all);
    ck_assert_uint_eq(own, 0);
    connections_remove(&connections, a);
    connections_remove(&connections, b);
    connections_destroy(&connections);
}
END_TEST

/* ---- Routes: time, and advice ---------------------------------------------------------------- */

static Reply run_target(const char *target, const char *body, RouteCall call)
{
    static TableHolder holder;
    TableSet set = {.tables = treb_tables_open(NULL, 0, NULL)};
    Query query;
    Reply reply = {0};
    ck_assert_int_eq(query_parse(target, &query), QUERY_OK);
    const Route *route = route_find(query.path, &call.path_suffix);
    call.holder = &holder;
    call.set = &set;
    call.query = &query;
    call.body = body;
    call.size = strlen(body);
    route->run(&call, &reply);
    treb_tables_close(set.tables);
    ck_assert_ptr_nonnull(reply.body);
    return reply;
}

/* When the time is up, or the server ends, every route gives only an error. */
START_TEST(time_is_up)
{
    static const char *const targets[] = {"/standard?fen=8/8/8/4k3/8/8/4P3/4K3_w",
                                          "/standard/mainline?fen=8/8/8/8/8/2K5/7Q/k7_w",
                                          "/v1/probe?fen=8/8/8/8/8/2K5/7Q/k7_w",
                                          "/v1/line?fen=8/8/8/8/8/2K5/7Q/k7_w",
                                          "/v1/blocked?fen=8/8/8/2p5/2P5/8/8/K6k_w",
                                          "/v1/batch",
                                          "/v1/games",
                                          "/v1/tables",
                                          "/v1/stats/KPvK"};
    static const char body[] = "{\"fens\":[\"8/8/8/8/8/2K5/7Q/k7 w\"]}";
    atomic_bool cancel = true, no = false;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        Reply reply = run_target(targets[i], body, (RouteCall){.cancel = &no, .deadline = 1});
        ck_assert_msg(reply.status == 503, "%s: %u", targets[i], reply.status);
        ck_assert_ptr_nonnull(strstr(reply.body, "\"time_up\""));
        ck_assert_int_eq(reply.cache_policy, CACHE_NEVER);
        free(reply.body);
        reply = run_target(targets[i], body, (RouteCall){.cancel = &cancel});
        ck_assert_msg(reply.status == 503, "%s: %u", targets[i], reply.status);
        ck_assert_ptr_nonnull(strstr(reply.body, "\"busy\""));
        free(reply.body);
        reply = run_target(targets[i], body,
                           (RouteCall){.cancel = &no, .deadline = clock_nanoseconds() + 60000000000});
        ck_assert_msg(reply.status != 503, "%s: %u", targets[i], reply.status);
        free(reply.body);
    }
}
END_TEST

/* ---- CBOR ------------------------------------------------------------------------------------ */

/* Returns whether an item equals a JSON value, with members in the same order. */
static bool same(const cbor_item_t *item, json_t *value)
{
    const char *name;
    json_t *member;
    size_t i = 0;
    bool all = true;
    switch (cbor_typeof(item)) {
    case CBOR_TYPE_UINT:
        return json_integer_value(value) == (json_int_t)cbor_get_int(item) &&
               json_is_integer(value);
    case CBOR_TYPE_NEGINT:
        return json_integer_value(value) == -1 - (json_int_t)cbor_get_int(item);
    case CBOR_TYPE_STRING:
        return json_is_string(value) && json_string_length(value) == cbor_string_length(item) &&
               memcmp(json_string_value(value), cbor_string_handle(item),
                      cbor_string_length(item)) == 0;
    case CBOR_TYPE_ARRAY:
        if (cbor_array_size(item) != json_array_size(value)) return false;
        json_array_foreach(value, i, member) all &= same(cbor_array_handle(item)[i], member);
        return all;
    case CBOR_TYPE_MAP:
        if (cbor_map_size(item) != json_object_size(value)) return false;
        json_object_foreach(value, name, member)
        {
            struct cbor_pair pair = cbor_map_handle(item)[i++];
            all &= cbor_string_length(pair.key) == strlen(name) &&
                   memcmp(cbor_string_handle(pair.key), name, strlen(name)) == 0 &&
                   same(pair.value, member);
        }
        return all;
    default:
        if (cbor_is_float(item) && !cbor_float_ctrl_is_ctrl(item))
            return cbor_float_get_float(item) == json_real_value(value);
        return cbor_is_null(item)
                   ? json_is_null(value)
                   : json_is_boolean(value) && cbor_get_bool(item) == json_is_true(value);
    }
}

static void compare_cbor(const char *data, size_t size, json_t *value)
{
    struct cbor_load_result result;
    cbor_item_t *item = cbor_load((const unsigned char *)data, size, &result);
    ck_assert_ptr_nonnull(item);
    ck_assert_uint_eq(result.read, size);
    ck_assert(same(item, value));
    cbor_decref(&item);
}

START_TEST(cbor_says_the_same)
{
    static const char text[] =
        "{\"a\":[0,-1,23,24,-24,-25,255,256,65536,-65537,4294967296,9223372036854775807,"
        "-9223372036854775808,1.5,true,false,"
        "null],\"\":\"\",\"b\":{},\"c\":[],\"\u00e9\":\"\u20ac\"}";
    json_t *value = json_loads(text, 0, NULL), *large = json_array();
    ck_assert_ptr_nonnull(value);
    for (int i = 0; i < 3000; i++) json_array_append(large, value);
    size_t size;
    char *data = cbor_of_json(large, &size);
    compare_cbor(data, size, large);
    free(data);
    json_decref(large);
    json_decref(value);
}
END_TEST

/* Which bytes of a file of 1000 a Range header asks for. */
START_TEST(ranges)
{
    static const struct {
        const char *value;
        RangeAsked asked;
        uint64_t at, size;
    } cases[] = {{"bytes=0-0", RANGE_PART, 0, 1},
                 {"bytes=100-299", RANGE_PART, 100, 200},
                 {"Bytes=999-999", RANGE_PART, 999, 1},
                 {"bytes=900-", RANGE_PART, 900, 100},
                 {"bytes=0-999999", RANGE_PART, 0, 1000},
                 {"bytes=1-18446744073709551615", RANGE_PART, 1, 999},
                 {"bytes=-1", RANGE_PART, 999, 1},
                 {"bytes=-5000", RANGE_PART, 0, 1000},
                 {"bytes=1000-", RANGE_BEYOND, 0, 0},
                 {"bytes=1000-2000", RANGE_BEYOND, 0, 0},
                 {"bytes=-0", RANGE_BEYOND, 0, 0},
                 {"bytes=5-4", RANGE_NONE, 0, 0},
                 {"bytes=0-1,5-6", RANGE_NONE, 0, 0},
                 {"bytes=-", RANGE_NONE, 0, 0},
                 {"bytes=", RANGE_NONE, 0, 0},
                 {"bytes=a-b", RANGE_NONE, 0, 0},
                 {"bytes=1", RANGE_NONE, 0, 0},
                 {"bytes=--1", RANGE_NONE, 0, 0},
                 {"items=0-1", RANGE_NONE, 0, 0},
                 {"", RANGE_NONE, 0, 0},
                 {NULL, RANGE_NONE, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t at = 0, size = 0;
        RangeAsked asked = headers_range(cases[i].value, 1000, &at, &size);
        if (asked != cases[i].asked || at != cases[i].at || size != cases[i].size)
            ck_abort_msg("%s: %d, %d bytes from %d", cases[i].value, asked, (int)size, (int)at);
    }
    uint64_t at, size;
    ck_assert_int_eq(headers_range("bytes=0-", 0, &at, &size), RANGE_BEYOND); /* an empty file */
}
END_TEST

/* lila-tablebase's routes give CBOR on request, except for errors. */
START_TEST(cbor_where_it_is_wanted)
{
    static const struct {
        const char *target;
        bool cbor, negotiated;
    } cases[] = {{"/standard?fen=4k3/8/8/8/8/8/8/4K2R_w_K", true, true},
                 {"/standard/mainline?fen=7K/8/8/8/8/8/8/k7_w", true, true},
                 {"/standard?fen=x", false, true},
                 {"/standard/mainline?fen=8/8/8/4k3/8/8/4P3/4K3_w", false, true},
                 {"/v1/probe?fen=7K/8/8/8/8/8/8/k7_w", false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Reply json = run_target(cases[i].target, "", (RouteCall){0});
        Reply cbor = run_target(cases[i].target, "", (RouteCall){.format = REPLY_CBOR});
        json_t *value = json_loadb(json.body, json.size, 0, NULL);
        ck_assert_ptr_nonnull(value);
        ck_assert_str_eq(json.type, "application/json");
        ck_assert_str_eq(cbor.type, cases[i].cbor ? "application/cbor" : "application/json");
        ck_assert(json.negotiated == cases[i].negotiated && cbor.negotiated == json.negotiated);
        ck_assert(json.status == cbor.status && json.cache_policy == cbor.cache_policy);
        if (cases[i].cbor)
            compare_cbor(cbor.body, cbor.size, value);
        else
            ck_assert_str_eq(cbor.body, json.body);
        json_decref(value);
        free(json.body);
        free(cbor.body);
    }
}
END_TEST

/* Errors that lila-tablebase ignores are ignored only on its routes. */
START_TEST(lenient_routes)
{
    static const char *const fens[] = {"7K/8/8/8/8/8/8/k7", "7K/8/8/8/8/8/8/k7_w_KQkq",
                                       "7K/8/8/8/8/8/8/k7_w_-_a1", "7K/8/8/8/8/8/8/k7_w_-_e6"};
    for (size_t i = 0; i < sizeof fens / sizeof *fens; i++) {
        static const char *const routes[] = {"/standard", "/standard/mainline", "/v1/probe",
                                             "/v1/line"};
        for (int k = 0; k < 4; k++) {
            char target[128];
            snprintf(target, sizeof target, "%s?fen=%s", routes[k], fens[i]);
            Reply reply = run_target(target, "", (RouteCall){0});
            ck_assert_msg(reply.status == (k < 2 ? 200 : 400), "%s: %s", target, reply.body);
            free(reply.body);
        }
    }
}
END_TEST

static bool advise(const char *material, char *text, size_t size)
{
    if (strcmp(material, "KRPvKR") == 0) return false;
    snprintf(text, size, "gen %s", material);
    return true;
}

/* Only the owner gets advice, and only for tables that can be made. */
START_TEST(advice)
{
    static const struct {
        const char *target;
        bool owner;
        const char *found;
    } cases[] = {
        {"/v1/probe?fen=8/8/8/4k3/8/8/4P3/4K3_w", true, "\"advice\":\"gen KPvK\""},
        {"/v1/probe?fen=8/8/8/4k3/8/8/4P3/4K3_w", false, "\"advice\":null"},
        {"/v1/probe?fen=8/8/8/4k3/8/8/4p3/4K3_b", true, "\"advice\":\"gen KPvK\""},
        {"/v1/probe?fen=8/8/3R3k/8/8/8/rP6/3K4_b", true, "\"advice\":null"},
        {"/v1/probe?fen=7K/8/8/8/8/8/8/k7_w", true, "\"advice\":null"},
        {"/v1/line?fen=8/8/8/4k3/8/8/4P3/4K3_w", true, "\"advice\":\"gen KPvK\""},
        {"/v1/stats/KvKP", true, "\"advice\":\"gen KPvK\""},
        {"/v1/stats/KRvKRP", true, "\"advice\":null"},
        {"/v1/stats/KvKP", false, "\"advice\":null"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Reply reply =
            run_target(cases[i].target, "", (RouteCall){.advise = cases[i].owner ? advise : NULL});
        ck_assert_msg(strstr(reply.body, cases[i].found) != NULL, "%s: %s", cases[i].target,
                      reply.body);
        free(reply.body);
    }
}
END_TEST

/* A server without tables is not ready, unless this is allowed. */
START_TEST(health)
{
    Reply reply = run_target("/healthz", "", (RouteCall){0});
    ck_assert_uint_eq(reply.status, 503);
    ck_assert_str_eq(reply.body, "{\"status\":\"no_tables\",\"tables\":0,\"faulty\":0}");
    free(reply.body);
    reply = run_target("/healthz", "", (RouteCall){.allow_empty = true});
    ck_assert_uint_eq(reply.status, 200);
    ck_assert_str_eq(reply.body, "{\"status\":\"ok\",\"tables\":0,\"faulty\":0}");
    free(reply.body);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("server_parts");
    TCase *tests = tcase_create("parts");
    suite_add_tcase(suite, tests);
    tcase_set_timeout(tests, 30);
    tcase_add_test(tests, answers_are_kept);
    tcase_add_test(tests, answers_are_bounded);
    tcase_add_test(tests, answers_outlive_the_cache);
    tcase_add_test(tests, compression);
    tcase_add_test(tests, workers_do_all);
    tcase_add_test(tests, light_jobs_stall_nobody);
    tcase_add_test(tests, heavy_jobs_stall_nobody);
    tcase_add_test(tests, many_hostile_clients);
    tcase_add_test(tests, heavy_jobs_leave_threads);
    tcase_add_test(tests, clients_take_turns);
    tcase_add_test(tests, jobs_are_bounded);
    tcase_add_test(tests, closing_refuses);
    tcase_add_test(tests, connections_of_a_client);
    tcase_add_test(tests, answers_on_their_way);
    tcase_add_test(tests, health);
    tcase_add_test(tests, time_is_up);
    tcase_add_test(tests, cbor_says_the_same);
    tcase_add_test(tests, cbor_where_it_is_wanted);
    tcase_add_test(tests, ranges);
    tcase_add_test(tests, lenient_routes);
    tcase_add_test(tests, advice);
    return run_suite(suite);
}
