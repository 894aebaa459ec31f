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

/* Writes the command to the socket, which does not block. False: not now. */
bool control_send(int fd, control_command command);

#endif
