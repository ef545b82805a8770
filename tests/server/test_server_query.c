/* test_server_query.c - parsing of requests: targets, parameters, FENs, headers; and the log. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "server/headers.h"
#include "server/access_log.h"
#include "server/query.h"
#include "server/routes.h"
#include "tests/support/suite.h"

static const char *value(const Query *query, const char *name)
{
    bool twice;
    const char *text = query_get(query, name, &twice);
    ck_assert(!twice);
    return text;
}

START_TEST(targets)
{
    static const struct {
        const char *target, *path, *fen;
    } cases[] = {
        {"/standard?fen=8/8_w", "/standard", "8/8_w"},
        {"/standard?fen=8%2F8%20w", "/standard", "8/8 w"},
        {"/standard?fen=8/8+w", "/standard", "8/8 w"},
        {"/standard?fen=a%2Bb%25", "/standard", "a+b%"},
        {"/standard?x=1&fen=a&y", "/standard", "a"},
        {"/standard?&&fen=a&&", "/standard", "a"},
        {"/standard?fen=a=b?c", "/standard", "a=b?c"},
        {"/standard?%66en=a", "/standard", "a"},
        {"/standard?fen=", "/standard", ""},
        {"/standard?fen", "/standard", ""},
        {"/standard?FEN=a", "/standard", NULL},
        {"/standard?", "/standard", NULL},
        {"/standard", "/standard", NULL},
        {"/a+b%3Fc%20?fen=1", "/a+b?c ", "1"},
        {"http://host:80/standard?fen=a", "/standard", "a"},
        {"HTTP://host", "/", NULL},
        {"http://host?fen=a", "/", NULL},
        {"", "", NULL},
        {"*", "*", NULL},
        {"/\xff\x01", "/\xff\x01", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Query query;
        ck_assert_int_eq(query_parse(cases[i].target, &query), QUERY_OK);
        ck_assert_str_eq(query.path, cases[i].path);
        ck_assert_pstr_eq(value(&query, "fen"), cases[i].fen);
    }
}
END_TEST

START_TEST(bad_targets)
{
    static const char *const cases[] = {
        "/%",        "/%4",     "/%4g",      "/%g4",     "/a%00b",         "/?fen=%", "/?fen=%f",
        "/?fen=%zz", "/?%00=a", "/?fen=a%0", "/%?fen=a", "/?a=%20&fen=%%", NULL};
    Query query;
    for (int i = 0; cases[i] != NULL; i++) {
        ck_assert_msg(query_parse(cases[i], &query) == QUERY_ESCAPE, "%s", cases[i]);
        ck_assert_ptr_nonnull(query.path);
    }
    ck_assert_str_ne(query_status_text(QUERY_ESCAPE), "");
}
END_TEST

START_TEST(limits)
{
    Query query;
    char target[QUERY_TARGET_MAX + 2];
    memset(target, 'a', sizeof target);
    target[QUERY_TARGET_MAX + 1] = '\0';
    ck_assert_int_eq(query_parse(target, &query), QUERY_LONG);
    target[QUERY_TARGET_MAX] = '\0';
    ck_assert_int_eq(query_parse(target, &query), QUERY_OK);
    ck_assert_uint_eq(strlen(query.path), QUERY_TARGET_MAX);
    /* As many separators as fit; none may write beyond the buffer. */
    memset(target, '&', QUERY_TARGET_MAX);
    target[0] = '?';
    ck_assert_int_eq(query_parse(target, &query), QUERY_OK);
    ck_assert_uint_eq(query.count, 0);
    char many[256] = "/?";
    for (int i = 0; i < QUERY_PARAMETERS; i++) strcat(many, "a=1&");
    ck_assert_int_eq(query_parse(many, &query), QUERY_OK);
    ck_assert_uint_eq(query.count, QUERY_PARAMETERS);
    strcat(many, "b");
    ck_assert_int_eq(query_parse(many, &query), QUERY_PARAMETERS_MANY);
}
END_TEST

START_TEST(parameter_twice)
{
    Query query;
    bool twice;
    ck_assert_int_eq(query_parse("/?fen=a&metric=b&fen=c", &query), QUERY_OK);
    ck_assert_str_eq(query_get(&query, "fen", &twice), "a");
    ck_assert(twice);
    ck_assert_str_eq(query_get(&query, "metric", &twice), "b");
    ck_assert(!twice);
    ck_assert_ptr_null(query_get(&query, "x", &twice));
}
END_TEST

START_TEST(accepting_gzip)
{
    static const char *const yes[] = {"gzip",
                                      "br, gzip",
                                      "GZIP",
                                      "deflate;q=1,gzip;q=0.1",
                                      "*",
                                      "gzip;Q=1.0, br",
                                      "x-gzip",
                                      "br;q=0, *;q=0.2",
                                      " gzip ; q=0.001",
                                      NULL};
    static const char *const no[] = {"",      "br",          "gzip;q=0", "gzip; q=0.000", "gzipped",
                                     "*;q=0", "*, gzip;q=0", "identity", ",,;,",          NULL};
    ck_assert(!headers_accept_gzip(NULL));
    for (int i = 0; yes[i] != NULL; i++) ck_assert_msg(headers_accept_gzip(yes[i]), "%s", yes[i]);
    for (int i = 0; no[i] != NULL; i++) ck_assert_msg(!headers_accept_gzip(no[i]), "%s", no[i]);
}
END_TEST

START_TEST(preferring_cbor)
{
    static const char *const yes[] = {"application/cbor",
                                      "Application/CBOR",
                                      " application/cbor ; q=0.1",
                                      "text/html, application/cbor",
                                      "application/cbor, application/json",
                                      "application/cbor, */*",
                                      "application/json;q=0.5, application/cbor;q=0.9",
                                      "application/json;q=0, application/cbor;q=0.1",
                                      "*/*;q=0.8,application/cbor",
                                      NULL};
    static const char *const no[] = {"",
                                     "*/*",
                                     "application/*",
                                     "application/json",
                                     "text/html,application/xhtml+xml,*/*;q=0.8",
                                     "application/json, application/cbor",
                                     "*/*, application/cbor",
                                     "application/cbor;q=0",
                                     "application/cbor;q=0.2, application/json;q=0.3",
                                     "application/cborg",
                                     "cbor",
                                     ",;,",
                                     NULL};
    ck_assert(!headers_prefer_cbor(NULL));
    for (int i = 0; yes[i] != NULL; i++) ck_assert_msg(headers_prefer_cbor(yes[i]), "%s", yes[i]);
    for (int i = 0; no[i] != NULL; i++) ck_assert_msg(!headers_prefer_cbor(no[i]), "%s", no[i]);
}
END_TEST

START_TEST(matching_etags)
{
    static const char *const yes[] = {"\"a\"",   "\"a-gzip\"",          "*", "\"x\", \"a\"",
                                      "W/\"a\"", "\"x,y\",\"a-gzip\" ", NULL};
    static const char *const no[] = {"",   "a",   "\"b\"",       "\"a", "\"ab\"",
                                     "W/", ", ,", "\"x,\"a\"\"", NULL};
    ck_assert(!headers_match_etag(NULL, "\"a\"", "\"a-gzip\""));
    for (int i = 0; yes[i] != NULL; i++)
        ck_assert_msg(headers_match_etag(yes[i], "\"a\"", "\"a-gzip\""), "%s", yes[i]);
    for (int i = 0; no[i] != NULL; i++)
        ck_assert_msg(!headers_match_etag(no[i], "\"a\"", "\"a-gzip\""), "%s", no[i]);
}
END_TEST

START_TEST(finding_routes)
{
    static const struct {
        const char *path, *label, *path_suffix;
    } cases[] = {
        {"/standard", "/standard", ""},
        {"/standard/", "/standard", "/"},
        {"/standard//", "none", ""},
        {"/standard/mainline", "/standard/mainline", ""},
        {"/standards", "none", ""},
        {"/v1/stats/KRvK", "/v1/stats/{material}", "KRvK"},
        {"/v1/stats/", "/v1/stats/{material}", ""},
        {"/v1/stats", "none", ""},
        {"/", "page", ""},
        {"", "none", ""},
        {"/../etc/passwd", "none", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path_suffix;
        const Route *route = route_find(cases[i].path, &path_suffix);
        ck_assert_str_eq(route->label, cases[i].label);
        ck_assert_str_eq(path_suffix, cases[i].path_suffix);
        ck_assert_ptr_eq(route_at(route_number(route)), route);
    }
    for (unsigned i = 0; i < route_count(); i++) ck_assert_uint_eq(route_number(route_at(i)), i);
}
END_TEST

START_TEST(escaping)
{
    char out[64];
    ck_assert_uint_eq(access_log_escape("a\"\\\n\x7f\xff~", out, sizeof out), strlen(out));
    ck_assert_str_eq(out, "\"a\\u0022\\u005c\\u000a\\u007f\\u00ff~\"");
    /* The text is cut before the end of the buffer, and never within an escape. */
    char small[16];
    size_t length = access_log_escape("\n\n\n\n\n\n", small, sizeof small);
    ck_assert_uint_lt(length, sizeof small);
    ck_assert_uint_eq((length - 2) % 6, 0);
    ck_assert_int_eq(small[length - 1], '"');
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("server_query");
    TCase *tests = tcase_create("query");
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, targets);
    tcase_add_test(tests, bad_targets);
    tcase_add_test(tests, limits);
    tcase_add_test(tests, parameter_twice);
    tcase_add_test(tests, accepting_gzip);
    tcase_add_test(tests, preferring_cbor);
    tcase_add_test(tests, matching_etags);
    tcase_add_test(tests, finding_routes);
    tcase_add_test(tests, escaping);
    return run_suite(suite);
}
