/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Commands to a program that sends its event log by eventlog-socket, built with its control server
 * (version 0 of its protocol): messages that are written to the same socket. A program without
 * leaves them unread.
 */
#ifndef CENSUS_WATCH_CONTROL_H
#define CENSUS_WATCH_CONTROL_H

#include <stdbool.h>

typedef enum control_command {
    CONTROL_START_HEAP_PROFILE, /* which kind, the program's -h says */
    CONTROL_STOP_HEAP_PROFILE,
    CONTROL_TAKE_CENSUS,
} control_command;

/* Writes the command to the socket, which does not block. False, with errno, when it cannot;
 * EAGAIN: the program does not read what it is sent. */
bool control_send(int fd, control_command command);

/* A command by its name, as pages send it: "start", "stop", "census". False: it is none. */
bool control_find(const char *name, control_command *command);

/* What was done when it was sent, for people: "a sample was asked for". */
const char *control_text(control_command command);

#endif
