/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Addresses to listen at, and the files of sockets.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "scratch.h"
#include "watch/web/http_listen.h"

static void expect_url(const char *where, const char *host, bool is_loopback)
{
    http_listener at;
    hpf_error err = {0};
    char url[400];
    char expected[400];
    cr_assert_eq(http_listen(&at, where, &err), HPF_OK, "%s: %s", where, err.message);
    cr_expect_eq(at.is_loopback, is_loopback, "%s", where);
    cr_expect_eq(at.is_every_address, !is_loopback, "%s", where);
    cr_expect_gt(at.port, 0);
    snprintf(expected, sizeof expected, "http://%s:%u/x/", host, at.port);
    http_listener_url(&at, "/x/", url, sizeof url);
    cr_expect_str_eq(url, expected);
    http_listener_close(&at);
    cr_expect_eq(at.fd, -1);
}

Test(http_listen, addresses)
{
    char own[256] = "";
    gethostname(own, sizeof own - 1);
    expect_url(NULL, "127.0.0.1", true);
    expect_url("", "127.0.0.1", true);
    expect_url(":0", "127.0.0.1", true);
    expect_url("0", "127.0.0.1", true);
    expect_url("127.0.0.1", "127.0.0.1", true);
    expect_url("127.0.0.1:0", "127.0.0.1", true);
    expect_url("localhost:0", "localhost", true);
    expect_url("0.0.0.0:0", own, false);
}

/* Some machines have no IPv6. */
Test(http_listen, addresses_of_ipv6)
{
    http_listener at;
    if (http_listen(&at, "[::1]:0", NULL) != HPF_OK) {
        cr_skip_test("no IPv6 here");
    }
    http_listener_close(&at);
    expect_url("[::1]:0", "[::1]", true);
    expect_url("[::1]", "[::1]", true);
    expect_url("::1", "[::1]", true);
}

Test(http_listen, reports_port_in_use)
{
    http_listener one;
    http_listener other;
    hpf_error err = {0};
    char where[32];
    cr_assert_eq(http_listen(&one, NULL, NULL), HPF_OK);
    snprintf(where, sizeof where, "127.0.0.1:%u", one.port);
    cr_expect_eq(http_listen(&other, where, &err), HPF_ERR_IO);
    cr_expect(strstr(err.message, "in use"), "%s", err.message);
    http_listener_close(&other);
    http_listener_close(&one);
}

Test(http_listen, rejects_invalid_addresses)
{
    static const char *const rows[] = {
        "127.0.0.1:65536", "127.0.0.1:http", "127.0.0.1:-1", "[::1",
        "[::1]80",         "[::1]:x",        "unix:",        ":123456",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        http_listener at;
        hpf_error err = {0};
        cr_expect_neq(http_listen(&at, rows[i], &err), HPF_OK, "%s", rows[i]);
        cr_expect_eq(err.status, HPF_ERR_ARGUMENT, "%s: %s", rows[i], err.message);
        cr_expect_eq(at.fd, -1);
    }
}

/* Writes "unix:PATH" with a path in a new folder to `where`, and returns PATH. */
static const char *begin_path(char where[640])
{
    scratch_begin();
    snprintf(where, 640, "unix:%s", scratch_path("s"));
    return where + strlen("unix:");
}

Test(http_listen, socket_is_private_and_removed_at_the_end)
{
    char where[640];
    http_listener at;
    struct stat st;
    const char *path = begin_path(where);
    mode_t before = umask(0);
    cr_assert_eq(http_listen(&at, where, NULL), HPF_OK);
    umask(before);
    cr_assert_eq(lstat(path, &st), 0);
    cr_expect(S_ISSOCK(st.st_mode));
    cr_expect_eq(st.st_mode & 07777, 0600);
    http_listener_close(&at);
    cr_expect_neq(lstat(path, &st), 0);
    scratch_end();
}

Test(http_listen, replaces_unused_socket)
{
    char where[640];
    http_listener at;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = begin_path(where);
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    cr_assert_eq(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    close(fd);
    cr_assert_eq(http_listen(&at, where, NULL), HPF_OK);
    http_listener_close(&at);
    scratch_end();
}

Test(http_listen, keeps_socket_in_use)
{
    char where[640];
    http_listener one;
    http_listener other;
    hpf_error err = {0};
    struct stat st;
    const char *path = begin_path(where);
    cr_assert_eq(http_listen(&one, where, NULL), HPF_OK);
    cr_expect_eq(http_listen(&other, where, &err), HPF_ERR_IO);
    cr_expect(strstr(err.message, "in use"), "%s", err.message);
    http_listener_close(&other);
    cr_expect_eq(lstat(path, &st), 0);
    http_listener_close(&one);

    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    cr_assert_geq(fd, 0);
    close(fd);
    cr_expect_eq(http_listen(&other, where, NULL), HPF_ERR_IO);
    cr_expect_eq(lstat(path, &st), 0);
    unlink(path);
    scratch_end();
}

Test(http_listen, keeps_socket_that_replaced_its_own)
{
    char where[640];
    http_listener one;
    http_listener other;
    struct stat st;
    const char *path = begin_path(where);
    cr_assert_eq(http_listen(&one, where, NULL), HPF_OK);
    unlink(path);
    cr_assert_eq(http_listen(&other, where, NULL), HPF_OK);
    http_listener_close(&one);
    cr_expect_eq(lstat(path, &st), 0);
    http_listener_close(&other);
    cr_expect_neq(lstat(path, &st), 0);
    scratch_end();
}
