/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A mark, or the request of a heap snapshot, from outside: the window of the process, which is
 * mapped in it, has the name of the collector's socket.
 */
#include "collector_mark.h"
#include "hpprof/collector.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "native/collector/image/freezer.h"
#include "native/window/window.h"

static const char profiler_has_ended[] = "its profiler has ended";
enum { PATIENCE_MS = 5000, IMAGE_PATIENCE_MS = 60000, SOCKET_NAME_BYTES = 100 };

/* Reads the name of the socket from a line of mappings. */
static bool read_socket_name(const char *line, char out[SOCKET_NAME_BYTES])
{
    static const char begin[] = "/memfd:" HPP_WINDOW_NAME;
    const char *name = strstr(line, begin);
    size_t length = name ? strcspn(name += sizeof begin - 1, " \n") : 0;
    if (length == 0 || length >= SOCKET_NAME_BYTES) {
        return false;
    }
    memcpy(out, name, length);
    out[length] = '\0';
    return true;
}

static hpf_status find_socket(long process_id, char out[SOCKET_NAME_BYTES], hpf_error *err)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/maps", process_id);
    FILE *file = fopen(path, "re");
    if (!file) {
        return hpf_error_set_os(err, errno, "cannot read its data in /proc");
    }
    char *line = NULL;
    size_t room = 0;
    bool is_found = false;
    while (!is_found && getline(&line, &room, file) > 0) {
        is_found = read_socket_name(line, out);
    }
    free(line);
    fclose(file);
    return is_found ? HPF_OK : hpf_error_set(err, HPF_ERR_ARGUMENT, "it is not being profiled");
}

static int connect_to(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(name);
    memcpy(address.sun_path + 1, name, length);
    socklen_t n = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, n) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

bool hpp__mark_finds_other(uint32_t process_id, const char *settings)
{
    char path[64], name[SOCKET_NAME_BYTES];
    char *line = NULL;
    size_t room = 0;
    bool is_found = false;
    snprintf(path, sizeof path, "/proc/%u/maps", (unsigned)process_id);
    FILE *file = fopen(path, "re");
    while (file && !is_found && getline(&line, &room, file) > 0) {
        if (read_socket_name(line, name) && !strstr(settings, name)) {
            int fd = connect_to(name);
            is_found = fd >= 0;
            hpf__close(fd);
        }
    }
    free(line);
    if (file) {
        fclose(file);
    }
    return is_found;
}

/* Sends a message and waits for the answer. */
static hpf_status send_message(int fd, hpp_hello_kind kind, long process_id, hpf_str label,
                               hpf_error *err)
{
    hpp_window_hello hello = {.kind = kind, .process_id = (uint32_t)process_id};
    memcpy(hello.magic, HPP_WINDOW_MAGIC, sizeof hello.magic);
    size_t most = sizeof hello.text - 1;
    memcpy(hello.text, label.data, label.length < most ? label.length : most);
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    char answer = 0;
    bool is_sent = send(fd, &hello, sizeof hello, MSG_NOSIGNAL) == (ssize_t)sizeof hello;
    if (is_sent && poll(&ready, 1, PATIENCE_MS) <= 0) {
        return hpf_error_set(err, HPF_ERR_IO, "its profiler does not answer");
    }
    if (!is_sent || read(fd, &answer, 1) != 1) {
        return hpf_error_set(err, HPF_ERR_IO, profiler_has_ended);
    }
    return answer ? HPF_OK : hpf_error_set(err, HPF_ERR_ARGUMENT, "it is not being profiled");
}

/* Waits until a heap snapshot is written: a minute for its image, and then until the collector
 * answers, or ends. */
static hpf_status wait_for_snapshot(int fd, hpf_error *err)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    char answer = 0;
    for (int patience_ms = IMAGE_PATIENCE_MS; answer != HPP_SNAPSHOT_WRITTEN; patience_ms = -1) {
        int n = poll(&ready, 1, patience_ms);
        if (n == 0) {
            return hpf_error_set(err, HPF_ERR_IO,
                                 "no heap snapshot for a minute: it is written when the program "
                                 "allocates memory again");
        }
        if (n < 0 || read(fd, &answer, 1) != 1) {
            return hpf_error_set(err, HPF_ERR_IO, "it has ended before its heap snapshot");
        }
        if (answer == HPP_SNAPSHOT_FAILED) {
            return hpf_error_set(err, HPF_ERR_IO, "its heap snapshot could not be written");
        }
    }
    return HPF_OK;
}

static hpf_status notify(long process_id, hpp_hello_kind kind, hpf_str label, hpf_error *err)
{
    char name[SOCKET_NAME_BYTES];
    hpf_status status = find_socket(process_id, name, err);
    if (status != HPF_OK) {
        return status;
    }
    int fd = connect_to(name);
    if (fd < 0) {
        return hpf_error_set(err, HPF_ERR_IO, profiler_has_ended);
    }
    status = send_message(fd, kind, process_id, label, err);
    if (status == HPF_OK && kind == HPP_HELLO_SNAPSHOT) {
        status = wait_for_snapshot(fd, err);
    }
    close(fd);
    return status;
}

hpf_status hpp_mark_process(long process_id, hpf_str label, hpf_error *err)
{
    return notify(process_id, HPP_HELLO_MARK, label, err);
}

hpf_status hpp_snapshot_process(long process_id, hpf_error *err)
{
    hpf_status status = hpp__freezer_check(err);
    return status == HPF_OK ? notify(process_id, HPP_HELLO_SNAPSHOT, HPF_STR(""), err) : status;
}
