/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A message is four bytes of magic, the version, the length of a name space, the name space, and
 * the number of the command in it.
 */
#include "eventlog_socket.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>

#define MAGIC      "\xF0\x9E\x97\x8C"
#define VERSION    "\x00"
#define NAME_SPACE "eventlog-socket"

static const char beginning[] = MAGIC VERSION "\x0F" NAME_SPACE;
_Static_assert(sizeof NAME_SPACE - 1 == 0x0F, "the length in front of the name space");

static const struct {
    const char *name;
    char number;
    const char *text;
} commands[] = {
    [SOCKET_START_TICKS] = {"start-ticks", 1, "ticks switched on"},
    [SOCKET_STOP_TICKS] = {"stop-ticks", 2, "ticks switched off"},
    [SOCKET_START_HEAP_PROFILE] = {"start", 3, "sampling switched on"},
    [SOCKET_STOP_HEAP_PROFILE] = {"stop", 4, "sampling switched off"},
    [SOCKET_TAKE_CENSUS] = {"census", 5, "sample requested"},
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

bool socket_command_send(int fd, socket_command command)
{
    char message[sizeof beginning];
    memcpy(message, beginning, sizeof beginning - 1);
    message[sizeof beginning - 1] = commands[command].number;
    ssize_t n = send(fd, message, sizeof message, MSG_NOSIGNAL);
    if (n >= 0 && (size_t)n < sizeof message) {
        errno = EAGAIN;
    }
    return n == (ssize_t)sizeof message;
}

bool socket_command_find(const char *name, socket_command *command)
{
    for (int i = 0; i < N_COMMANDS; i++) {
        if (strcmp(name, commands[i].name) == 0) {
            *command = (socket_command)i;
            return true;
        }
    }
    return false;
}

const char *socket_command_text(socket_command command)
{
    return commands[command].text;
}
