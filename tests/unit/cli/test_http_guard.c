/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Accepted and rejected requests, as tables.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "watch/web/http_guard.h"

#define TOKEN "00112233445566778899aabbccddeeff"

static const http_guard local = {.token = TOKEN, .name = "127.0.0.1"};
static const http_guard named = {.token = TOKEN, .name = "heap.example"};
static const http_guard everywhere = {.token = TOKEN, .name = "box", .has_all_addresses = true};

static unsigned judge(http_request request, http_place *where)
{
    return http_guard_judge(&local, &request, where);
}

static http_request good(const char *path)
{
    return (http_request){
        .method = "GET", .path = path, .host = "localhost:1", .n_hosts = 1, .n_headers = 1};
}

Test(http_guard, places)
{
    static const struct {
        const char *path;
        http_place place;
    } rows[] = {
        {"/" TOKEN "/", HTTP_PAGE},
        {"/" TOKEN "/events", HTTP_EVENTS},
        {"/" TOKEN "/metrics", HTTP_METRICS},
        {"/" TOKEN "/metrics/", HTTP_NOWHERE},
        {"/" TOKEN "/debug/pprof/heap", HTTP_HEAP},
        {"/" TOKEN "/debug/pprof/allocs", HTTP_ALLOCS},
        {"/" TOKEN "/debug/pprof/profile", HTTP_PROFILE},
        {"/" TOKEN "/debug/pprof/", HTTP_NOWHERE},
        {"/" TOKEN, HTTP_NOWHERE},
        {"/" TOKEN "/events/", HTTP_NOWHERE},
        {"/" TOKEN "//", HTTP_NOWHERE},
        {"/" TOKEN "/../etc/passwd", HTTP_NOWHERE},
        {"/" TOKEN "/%65vents", HTTP_NOWHERE},
        {"//" TOKEN "/", HTTP_NOWHERE},
        {"http://localhost/" TOKEN "/", HTTP_NOWHERE},
        {"/00112233445566778899aabbccddeefe/", HTTP_NOWHERE},
        {"/10112233445566778899aabbccddeeff/", HTTP_NOWHERE},
        {"/00112233445566778899AABBCCDDEEFF/", HTTP_NOWHERE},
        {"/0011/", HTTP_NOWHERE},
        {"/", HTTP_NOWHERE},
        {"/favicon.ico", HTTP_NOWHERE},
        {"*", HTTP_NOWHERE},
        {"", HTTP_NOWHERE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        http_place place;
        unsigned status = judge(good(rows[i].path), &place);
        cr_expect_eq(place, rows[i].place, "%s", rows[i].path);
        cr_expect_eq(status, place == HTTP_NOWHERE ? 404 : 200, "%s", rows[i].path);
    }
}

Test(http_guard, hosts)
{
    static const struct {
        const char *host;
        bool is_local, is_named, is_everywhere;
    } rows[] = {
        {"localhost", 1, 1, 1},
        {"LocalHost:8000", 1, 1, 1},
        {"127.0.0.1", 1, 1, 1},
        {"127.0.0.1:43210", 1, 1, 1},
        {"127.9.9.9:1", 1, 1, 1},
        {"[::1]", 1, 1, 1},
        {"[::1]:80", 1, 1, 1},
        {"[0:0::1]:80", 1, 1, 1},
        {"heap.example:80", 0, 1, 0},
        {"HEAP.example", 0, 1, 0},
        {"box:80", 0, 0, 1},
        {"192.168.1.2:80", 0, 0, 1},
        {"[fe80::1]:80", 0, 0, 1},
        {"evil.example", 0, 0, 0},
        {"evil.example:80", 0, 0, 0},
        {"localhost.evil.example", 0, 0, 0},
        {"127.0.0.1.evil.example", 0, 0, 0},
        {"127.0.0.1@evil.example", 0, 0, 0},
        {"evil.heap.example", 0, 0, 0},
        {"localhost:80@evil.example", 0, 0, 0},
        {"localhost:80 evil.example", 0, 0, 0},
        {"localhost:-1", 0, 0, 0},
        {"127.1", 0, 0, 0},
        {"2130706433", 0, 0, 0},
        {"[::1", 0, 0, 0},
        {"[]", 0, 0, 0},
        {"::1", 0, 0, 0},
        {":80", 0, 0, 0},
        {"", 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *host = rows[i].host;
        cr_expect_eq(http_guard_knows_host(&local, host), rows[i].is_local, "%s", host);
        cr_expect_eq(http_guard_knows_host(&named, host), rows[i].is_named, "%s", host);
        cr_expect_eq(http_guard_knows_host(&everywhere, host), rows[i].is_everywhere, "%s", host);
    }
}

Test(http_guard, rejects_long_host)
{
    char host[400];
    memset(host, 'a', sizeof host);
    host[sizeof host - 1] = '\0';
    cr_assert(!http_guard_knows_host(&local, host));
}

Test(http_guard, rejects_invalid_requests)
{
    http_place where;
    http_request r = good("/" TOKEN "/");
    cr_expect_eq(judge(r, &where), 200);
    r.method = "HEAD";
    cr_expect_eq(judge(r, &where), 200);
    static const char *const methods[] = {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "get", ""};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        r.method = methods[i];
        cr_expect_eq(judge(r, &where), 405, "%s", methods[i]);
        cr_expect_eq(where, HTTP_NOWHERE);
    }
    cr_expect_eq(judge(good("/" TOKEN "/control/0/stop"), &where), 404); /* nothing to be read */
    r = good("/" TOKEN "/");
    r.has_body = true;
    cr_expect_eq(judge(r, &where), 400);
    r = good("/" TOKEN "/");
    r.n_headers = HTTP_MOST_HEADERS + 1;
    cr_expect_eq(judge(r, &where), 431);
    r = good("/" TOKEN "/");
    r.n_hosts = 2;
    cr_expect_eq(judge(r, &where), 404);
    r.n_hosts = 0;
    r.host = NULL;
    cr_expect_eq(judge(r, &where), 404);
    r = good("/" TOKEN "/");
    r.host = "evil.example";
    cr_expect_eq(judge(r, &where), 404);
    cr_expect_eq(where, HTTP_NOWHERE);
}

Test(http_guard, metrics_take_a_bearer_token)
{
    static const struct {
        const char *path, *authorization;
        unsigned status;
    } rows[] = {
        {"/metrics", "Bearer " TOKEN, 200},
        {"/metrics", "bearer " TOKEN, 200},
        {"/metrics", NULL, 401},
        {"/metrics", "", 401},
        {"/metrics", "Bearer ", 401},
        {"/metrics", TOKEN, 401},
        {"/metrics", "Bearer " TOKEN "0", 401},
        {"/metrics", "Bearer 00112233445566778899aabbccddeefe", 401},
        {"/metrics", "Basic " TOKEN, 401},
        {"/metrics/", "Bearer " TOKEN, 404},
        {"/debug/pprof/heap", NULL, 401},
        {"/debug/pprof/allocs", NULL, 401},
        {"/debug/pprof/profile", NULL, 401},
        {"/events", "Bearer " TOKEN, 404},
        {"/", "Bearer " TOKEN, 404},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        http_place where;
        http_request r = good(rows[i].path);
        r.authorization = rows[i].authorization;
        cr_expect_eq(judge(r, &where), rows[i].status, "row %zu", i);
        cr_expect_eq(where, rows[i].status == 200 ? HTTP_METRICS : HTTP_NOWHERE, "row %zu", i);
    }
}

Test(http_guard, commands_need_post_from_own_page)
{
    static const struct {
        const char *origin;
        size_t n_origins;
        unsigned status;
    } rows[] = {
        {NULL, 0, 200},
        {"http://localhost:80", 1, 200},
        {"http://LOCALHOST:80", 1, 200},
        {"http://localhost:80", 2, 403},
        {"http://localhost:81", 1, 403},
        {"http://localhost", 1, 403},
        {"https://localhost:80", 1, 403},
        {"http://evil.example", 1, 403},
        {"null", 1, 403},
        {"", 1, 403},
        {NULL, 1, 403},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        http_place where;
        http_request r = good("/" TOKEN "/control/0/stop");
        r.method = "POST";
        r.host = "localhost:80";
        r.origin = rows[i].origin;
        r.n_origins = rows[i].n_origins;
        cr_expect_eq(judge(r, &where), rows[i].status, "row %zu", i);
        cr_expect_eq(where, rows[i].status == 200 ? HTTP_CONTROL : HTTP_NOWHERE, "row %zu", i);
    }
    cr_expect_str_eq(http_guard_rest("/" TOKEN "/control/0/stop"), "0/stop");
    cr_expect_str_eq(http_guard_rest("/" TOKEN "/source/0/612e63"), "0/612e63");
    cr_expect_str_eq(http_guard_rest("/" TOKEN "/question/74"), "74");
}
