/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Pure functions over texts.
 */
#include "http_guard.h"
#include "hpfile/error.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_HOST_LENGTH = 255 };

static const char control_word[] = "/control/", source_word[] = "/source/",
                  question_word[] = "/question/";

/* Always compares the whole token, so that the time reveals nothing. */
static bool is_same_token(const char *token, const char *text)
{
    unsigned char differences = 0;
    for (size_t i = 0; i < HTTP_TOKEN_LENGTH; i++) {
        differences |= (unsigned char)(token[i] ^ text[i]);
    }
    return differences == 0;
}

/* Returns the place of data for servers that a path names. */
static http_place data_place(const char *path)
{
    return strcmp(path, "/metrics") == 0               ? HTTP_METRICS
           : strcmp(path, "/debug/pprof/heap") == 0    ? HTTP_HEAP
           : strcmp(path, "/debug/pprof/allocs") == 0  ? HTTP_ALLOCS
           : strcmp(path, "/debug/pprof/profile") == 0 ? HTTP_PROFILE
                                                       : HTTP_NOWHERE;
}

/* Returns the place that a path below the secret names. Takes the same time for all wrong tokens.
 */
static http_place place_below_secret(const http_guard *guard, const char *path)
{
    if (path[0] != '/' || strlen(path) < 1 + HTTP_TOKEN_LENGTH ||
        !is_same_token(guard->token, path + 1)) {
        return HTTP_NOWHERE;
    }
    const char *rest = path + 1 + HTTP_TOKEN_LENGTH;
    return strcmp(rest, "/") == 0                                        ? HTTP_PAGE
           : strcmp(rest, "/events") == 0                                ? HTTP_EVENTS
           : strncmp(rest, source_word, sizeof source_word - 1) == 0     ? HTTP_SOURCE
           : strncmp(rest, question_word, sizeof question_word - 1) == 0 ? HTTP_QUESTION
           : strncmp(rest, control_word, sizeof control_word - 1) == 0   ? HTTP_CONTROL
                                                                         : data_place(rest);
}

const char *http_guard_rest(const char *path)
{
    return strchr(path + 1 + HTTP_TOKEN_LENGTH + 1, '/') + 1;
}

/* Copies a host without its port. Returns false if the port is invalid. */
static bool split_host(const char *host, char name[MOST_HOST_LENGTH + 1])
{
    const char *bracket = host[0] == '[' ? strchr(host, ']') : NULL;
    size_t n = bracket ? (size_t)(bracket + 1 - host) : strcspn(host, ":");
    const char *rest = host + n;
    if (n == 0 || n > MOST_HOST_LENGTH) {
        return false;
    }
    if (*rest == ':') {
        rest += 1 + strspn(rest + 1, "0123456789");
    }
    memcpy(name, host, n);
    name[n] = '\0';
    return *rest == '\0';
}

static bool is_ipv6_text(const char *name, struct in6_addr *out)
{
    char inside[INET6_ADDRSTRLEN];
    size_t n = strlen(name);
    if (n < 3 || n - 2 >= sizeof inside || name[0] != '[' || name[n - 1] != ']') {
        return false;
    }
    memcpy(inside, name + 1, n - 2);
    inside[n - 2] = '\0';
    return inet_pton(AF_INET6, inside, out) == 1;
}

static bool is_address(const char *name)
{
    struct in_addr four;
    struct in6_addr six;
    return inet_pton(AF_INET, name, &four) == 1 || is_ipv6_text(name, &six);
}

static bool is_local(const char *name)
{
    struct in_addr four;
    struct in6_addr six;
    return strcasecmp(name, "localhost") == 0 ||
           (inet_pton(AF_INET, name, &four) == 1 && ntohl(four.s_addr) >> 24 == 127) ||
           (is_ipv6_text(name, &six) && IN6_IS_ADDR_LOOPBACK(&six));
}

bool http_guard_knows_host(const http_guard *guard, const char *host)
{
    char name[MOST_HOST_LENGTH + 1];
    if (!split_host(host, name)) {
        return false;
    }
    return is_local(name) || (guard->name[0] && strcasecmp(name, guard->name) == 0) ||
           (guard->has_all_addresses && is_address(name));
}

/* Returns whether the request has the secret as a bearer token. */
static bool has_bearer(const http_guard *guard, const http_request *request)
{
    static const char scheme[] = "Bearer ";
    const size_t n = sizeof scheme - 1;
    const char *given = request->authorization;
    return given && strncasecmp(given, scheme, n) == 0 && strlen(given + n) == HTTP_TOKEN_LENGTH &&
           is_same_token(guard->token, given + n);
}

static bool is_read(const http_request *request)
{
    return strcmp(request->method, "GET") == 0 || strcmp(request->method, "HEAD") == 0;
}

static bool is_command(const http_guard *guard, const http_request *request)
{
    return strcmp(request->method, "POST") == 0 &&
           place_below_secret(guard, request->path) == HTTP_CONTROL;
}

/* Returns whether the request comes from our page, or not from a page. The browser sends the same
 * host and port in Origin and Host, even if ports are forwarded. */
static bool is_own_origin(const http_request *request)
{
    static const char scheme[] = "http://";
    const size_t n = sizeof scheme - 1;
    return request->n_origins == 0 || (request->n_origins == 1 && request->origin &&
                                       strncmp(request->origin, scheme, n) == 0 &&
                                       strcasecmp(request->origin + n, request->host) == 0);
}

unsigned http_guard_judge(const http_guard *guard, const http_request *request, http_place *where)
{
    *where = HTTP_NOWHERE;
    if (!is_read(request) && !is_command(guard, request)) {
        return 405;
    }
    if (request->n_headers > HTTP_MOST_HEADERS) {
        return 431;
    }
    if (request->has_body) {
        return 400;
    }
    if (request->n_hosts != 1 || !request->host || !http_guard_knows_host(guard, request->host)) {
        return 404;
    }
    http_place place = data_place(request->path);
    if (place != HTTP_NOWHERE && !has_bearer(guard, request)) {
        return 401;
    }
    place = place != HTTP_NOWHERE ? place : place_below_secret(guard, request->path);
    if (place == HTTP_NOWHERE || (place == HTTP_CONTROL && is_read(request))) {
        return 404;
    }
    if (place == HTTP_CONTROL && !is_own_origin(request)) {
        return 403;
    }
    *where = place;
    return 200;
}

/* Random tokens, which can be kept in a file. */

bool http_make_secret(char *out, size_t n_bytes)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[HTTP_TOKEN_BYTES];
    if (n_bytes > sizeof bytes) {
        errno = EINVAL;
        return false;
    }
    if (getrandom(bytes, n_bytes, 0) != (ssize_t)n_bytes) {
        return false;
    }
    for (size_t i = 0; i < n_bytes; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    out[2 * n_bytes] = '\0';
    return true;
}

static hpf_status read_token(char out[HTTP_TOKEN_LENGTH + 1], int fd, const char *path,
                             hpf_error *err)
{
    char text[HTTP_TOKEN_LENGTH + 2] = "";
    struct stat st;
    if (fstat(fd, &st) != 0) {
        return hpf_error_set_os(err, errno, "cannot read %s", path);
    }
    if (!S_ISREG(st.st_mode)) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT, "%s: the token must be in a regular file",
                             path);
    }
    if (st.st_uid != geteuid()) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT,
                             "%s belongs to another user, who would know the token", path);
    }
    ssize_t n = read(fd, text, sizeof text - 1);
    if (n < 0) {
        return hpf_error_set_os(err, errno, "cannot read %s", path);
    }
    if (st.st_mode & (S_IRWXG | S_IRWXO)) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT, "%s can be read by other users: use chmod 600",
                             path);
    }
    if (strspn(text, "0123456789abcdef") != HTTP_TOKEN_LENGTH ||
        (n > HTTP_TOKEN_LENGTH && text[HTTP_TOKEN_LENGTH] != '\n')) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT,
                             "%s: expected a token of %d hexadecimal digits in the first line",
                             path, HTTP_TOKEN_LENGTH);
    }
    memcpy(out, text, HTTP_TOKEN_LENGTH);
    out[HTTP_TOKEN_LENGTH] = '\0';
    return HPF_OK;
}

static bool write_token(int fd, char token[HTTP_TOKEN_LENGTH + 1])
{
    if (!http_make_secret(token, HTTP_TOKEN_BYTES)) {
        return false;
    }
    token[HTTP_TOKEN_LENGTH] = '\n';
    bool is_written = write(fd, token, HTTP_TOKEN_LENGTH + 1) == HTTP_TOKEN_LENGTH + 1;
    token[HTTP_TOKEN_LENGTH] = '\0';
    return is_written;
}

hpf_status http_token_from_file(char out[HTTP_TOKEN_LENGTH + 1], const char *path, hpf_error *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    hpf_status status = HPF_OK;
    if (fd >= 0) {
        status =
            write_token(fd, out) ? HPF_OK : hpf_error_set_os(err, errno, "cannot write %s", path);
    } else if (errno == EEXIST &&
               (fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)) >= 0) {
        status = read_token(out, fd, path, err);
    } else {
        return hpf_error_set_os(err, errno, "cannot open %s", path);
    }
    close(fd);
    return status;
}
