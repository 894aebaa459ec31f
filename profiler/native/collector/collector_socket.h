/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Where programs hand their windows in: a socket in the abstract name space, and what comes through
 * it. Whoever connects must be of the same user, or descend from a given process; that is what the
 * kernel says, not what the caller says.
 */
#ifndef HPP_NATIVE_COLLECTOR_SOCKET_H
#define HPP_NATIVE_COLLECTOR_SOCKET_H

#include <stdbool.h>

#include "hpfile/error.h"
#include "native/window/window.h"

enum { HPP__SOCKET_NAME_BYTES = 64 };

typedef struct hpp__collector_socket {
    int fd; /* listening, non-blocking */
    char name[HPP__SOCKET_NAME_BYTES];
} hpp__collector_socket;

/* Listens under a name that nobody can guess. Errors: IO. */
hpf_status hpp__collector_socket_open(hpp__collector_socket *out, hpf_error *err);
void hpp__collector_socket_close(hpp__collector_socket *place);

/* One that has connected. Returns its descriptor, or -1: nobody is waiting. Strangers are sent
 * away: users other than ours who do not descend from `ancestor_id`. */
int hpp__collector_socket_accept(const hpp__collector_socket *place, uint32_t ancestor_id);

/* What a caller has sent. */
typedef struct hpp__greeting {
    hpp_window_hello hello; /* checked, its text terminated */
    uint32_t process_id;    /* as the kernel says */
    int file;               /* the window, now the receiver's; or -1 */
} hpp__greeting;

/* Reads from a caller: HPF_OK and its greeting; HPF_MORE when nothing has come yet; HPF_END when
 * nothing sensible will. */
hpf_status hpp__collector_socket_receive(int caller, hpp__greeting *out);

/* Tells one who sent a mark whether it was taken. */
void hpp__collector_socket_answer(int caller, bool taken);

#endif
