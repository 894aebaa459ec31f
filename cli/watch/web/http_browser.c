/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs xdg-open in its own session, without our signals and terminal.
 */
#include "http_browser.h"

#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && value[0];
}

bool http_browser_is_possible(void)
{
    return is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
}

void http_browser_tunnel(char *out, size_t room, unsigned port)
{
    const char *connection = getenv("SSH_CONNECTION");
    char host[256] = "", ssh_port[16] = "22";
    const struct passwd *user = getpwuid(getuid());
    /* The addresses and ports of the client and of this machine. */
    if (!connection || sscanf(connection, "%*s %*s %255s %15s", host, ssh_port) < 1) {
        gethostname(host, sizeof host - 1);
    }
    bool has_port = strcmp(ssh_port, "22") != 0;
    snprintf(out, room, "ssh -N -L %u:127.0.0.1:%u %s%s%s%s%s", port, port, has_port ? "-p " : "",
             has_port ? ssh_port : "", has_port ? " " : "", user ? user->pw_name : "",
             user ? "@" : "");
    strncat(out, host, room - strlen(out) - 1);
}

static const char *folder(void)
{
    return is_set("XDG_RUNTIME_DIR") ? getenv("XDG_RUNTIME_DIR")
           : is_set("TMPDIR")        ? getenv("TMPDIR")
                                     : "/tmp";
}

static bool write_file(http_browser *out, const char *url)
{
    static const char suffix[] = ".html";
    int length = snprintf(out->path, sizeof out->path, "%s/census-XXXXXX%s", folder(), suffix);
    int fd = length > 0 && (size_t)length < sizeof out->path
                 ? mkstemps(out->path, (int)sizeof suffix - 1)
                 : -1;
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file) {
        out->path[0] = '\0';
        return false;
    }
    fprintf(file,
            "<!doctype html>\n<meta charset=\"utf-8\">\n<title>census</title>\n"
            "<meta http-equiv=\"refresh\" content=\"0; url=%s\">\n<a href=\"%s\">%s</a>\n",
            url, url, url);
    return fclose(file) == 0;
}

static bool prepare(posix_spawnattr_t *how, posix_spawn_file_actions_t *files)
{
    sigset_t none;
    sigset_t pipe;
    sigemptyset(&none);
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    bool is_ready = posix_spawnattr_setsigmask(how, &none) == 0 &&
                    posix_spawnattr_setsigdefault(how, &pipe) == 0 &&
                    posix_spawnattr_setflags(how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                                      POSIX_SPAWN_SETSID) == 0;
    for (int fd = 0; fd <= 2 && is_ready; fd++) {
        is_ready = posix_spawn_file_actions_addopen(files, fd, "/dev/null", O_RDWR, 0) == 0;
    }
    return is_ready;
}

void http_browser_open(http_browser *out, const char *url)
{
    char command[] = "xdg-open";
    char *argv[] = {command, out->path, NULL};
    posix_spawnattr_t how;
    posix_spawn_file_actions_t files;
    *out = (http_browser){.pid = 0};
    if (!write_file(out, url)) {
        return;
    }
    posix_spawnattr_init(&how);
    posix_spawn_file_actions_init(&files);
    if (!prepare(&how, &files) ||
        posix_spawnp(&out->pid, command, &files, &how, argv, environ) != 0) {
        out->pid = 0;
    }
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
}

void http_browser_close(http_browser *browser)
{
    if (browser->path[0]) {
        unlink(browser->path);
    }
    if (browser->pid > 0) {
        waitpid(browser->pid, NULL, WNOHANG);
    }
    *browser = (http_browser){.pid = 0};
}
