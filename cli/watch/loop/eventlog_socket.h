/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Commands to a program that sends its event log by eventlog-socket, built with its control server
 * (version 0 of its protocol): messages that are written to the same socket. A program without
 * leaves them unread.
 */
#ifndef CENSUS_WATCH_EVENTLOG_SOCKET_H
#define CENSUS_WATCH_EVENTLOG_SOCKET_H

#include <stdbool.h>

typedef enum socket_command {
    SOCKET_START_HEAP_PROFILE, /* which kind, the program's -h says */
    SOCKET_STOP_HEAP_PROFILE,
    SOCKET_TAKE_CENSUS,
} socket_command;

/* Writes the command to the socket, which does not block. False, with errno, when it cannot;
 * EAGAIN: the program does not read what it is sent. */
bool socket_command_send(int fd, socket_command command);

/* A command by its name, as pages send it: "start", "stop", "census". False: it is none. */
bool socket_command_find(const char *name, socket_command *command);

/* What was done when it was sent, for people: "a sample was asked for". */
const char *socket_command_text(socket_command command);

#endif
