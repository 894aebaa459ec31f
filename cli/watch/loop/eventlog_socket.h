/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Commands to programs that send their event log through eventlog-socket with its control server
 * (version 0 of the protocol). Commands are written to the same socket; other programs do not read
 * them.
 */
#ifndef CENSUS_WATCH_EVENTLOG_SOCKET_H
#define CENSUS_WATCH_EVENTLOG_SOCKET_H

#include <stdbool.h>

typedef enum socket_command {
    SOCKET_START_TICKS, /* of processor time, by cost centre: programs built with -prof */
    SOCKET_STOP_TICKS,
    SOCKET_START_HEAP_PROFILE, /* the kind is set by the -h option of the program */
    SOCKET_STOP_HEAP_PROFILE,
    SOCKET_TAKE_CENSUS,
} socket_command;

/* Writes the command to the socket, without blocking. Returns false with errno; EAGAIN: the program
 * does not read commands. */
bool socket_command_send(int fd, socket_command command);

/* Finds a command by the name that pages send: "start", "stop", "census", "start-ticks",
 * "stop-ticks". Returns false if there is none. */
bool socket_command_find(const char *name, socket_command *command);

/* Returns a message for a command that was sent: "sample requested". */
const char *socket_command_text(socket_command command);

#endif
