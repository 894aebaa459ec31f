/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The abstract socket to which programs send their windows. A client must belong to the same user
 * or descend from a given process, according to the kernel.
 */
#ifndef HPP_NATIVE_COLLECTOR_COLLECTOR_SOCKET_H
#define HPP_NATIVE_COLLECTOR_COLLECTOR_SOCKET_H

#include <stdbool.h>

#include "hpfile/error.h"
#include "native/window/window.h"

enum { HPP__SOCKET_NAME_BYTES = 64 };

typedef struct hpp__collector_socket {
    int fd; /* listening, non-blocking */
    char name[HPP__SOCKET_NAME_BYTES];
} hpp__collector_socket;

/* Listens under a random name. Errors: IO. */
hpf_status hpp__collector_socket_open(hpp__collector_socket *out, hpf_error *err);
void hpp__collector_socket_close(hpp__collector_socket *place);

/* Listens under the same name in the network name space of a process, if that is another one; else
 * `out->fd` is -1. Errors: IO if it cannot be entered. */
hpf_status hpp__collector_socket_open_inside(hpp__collector_socket *out,
                                             const hpp__collector_socket *same_name,
                                             uint32_t process_id, hpf_error *err);

/* Accepts a client. Returns its descriptor, or -1 if none is waiting. Rejects clients of other
 * users that do not descend from `ancestor_id`. */
int hpp__collector_socket_accept(const hpp__collector_socket *place, uint32_t ancestor_id);

/* The message of a client. */
typedef struct hpp__greeting {
    hpp_window_hello hello; /* checked, its text terminated */
    uint32_t process_id;    /* from the kernel */
    int file;               /* the window, to be closed by the receiver; or -1 */
    int helper;             /* the socket of the helper, the same */
} hpp__greeting;

/* Reads from a client. Returns HPF_OK and its message; HPF_MORE if it has not come yet; HPF_END if
 * it is invalid or the client has left. */
hpf_status hpp__collector_socket_receive(int caller, hpp__greeting *out);

/* Closes the descriptors of a message. */
void hpp__greeting_close(const hpp__greeting *greeting);

/* Answers a client that sent a mark, or wants a heap snapshot. */
void hpp__collector_socket_answer(int caller, bool taken);

#endif
