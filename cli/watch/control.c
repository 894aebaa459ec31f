/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A message is four bytes of magic, the version, the length of a name space and the name space, and
 * the number of the command in it.
 */
#include "control.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>

#define MAGIC      "\xF0\x9E\x97\x8C"
#define VERSION    "\x00"
#define NAME_SPACE "eventlog-socket"

static const char beginning[] = MAGIC VERSION "\x0F" NAME_SPACE;
_Static_assert(sizeof NAME_SPACE - 1 == 0x0F, "the length in front of the name space");

bool control_send(int fd, control_command command)
{
    static const char numbers[] = {
        [CONTROL_START_HEAP_PROFILE] = 3,
        [CONTROL_STOP_HEAP_PROFILE] = 4,
        [CONTROL_TAKE_CENSUS] = 5,
    };
    char message[sizeof beginning];
    memcpy(message, beginning, sizeof beginning - 1);
    message[sizeof beginning - 1] = numbers[command];
    return send(fd, message, sizeof message, MSG_NOSIGNAL) == (ssize_t)sizeof message;
}
