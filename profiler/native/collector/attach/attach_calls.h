/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes a thread of a running process call functions.
 *
 * The thread is stopped once, by ptrace(2), and gets the registers of a stub: code of ours that
 * serves calls, on a stack of its own. From then on the thread does not need this process. The stub
 * waits a second for the next call; if none comes, it restores the registers, the vector registers,
 * errno and the signal mask by itself, and continues (or restarts) what the thread was in. So this
 * process may be killed at any instruction. If it lives, it takes the thread home with ptrace, so
 * that the kernel restarts an interrupted system call, with regard to signals that came meanwhile.
 */
#ifndef HPP_NATIVE_COLLECTOR_ATTACH_ATTACH_CALLS_H
#define HPP_NATIVE_COLLECTOR_ATTACH_ATTACH_CALLS_H

#include <sys/types.h>

#include "attach_objects.h"
#include "hpfile/error.h"
#include "native/collector/image/tracer.h"

enum { HPP__GUEST_STATE_BYTES = 16384, HPP__GUEST_TEXT_BYTES = 4096 };

typedef struct hpp__guest {
    hpp__tracer tracer;
    hpp__mappings mappings;
    hpp__traced *thread;
    uint64_t frame_at, stub_at, scratch_at, libc;
    uint32_t token;                     /* of this attachment */
    bool has_scratch;                   /* the stub has its scratch memory */
    bool is_transfer;                   /* the thread was in the midst of one */
    uint64_t mask;                      /* of signals */
    char state[HPP__GUEST_STATE_BYTES]; /* of the floating-point and vector registers */
    size_t n_state;
    void (*between)(void *context); /* set by the caller: called between two tries; or NULL */
    void *between_context;
} hpp__guest;

/* Stops a thread of a process that holds no lock that dlopen takes, and starts the stub. Call
 * hpp__guest_leave in any case. Other members of `*g` are zero before. Errors: ARGUMENT if there is
 * no such process; UNSUPPORTED; IO. */
hpf_status hpp__guest_enter(hpp__guest *g, uint32_t process_id, hpf_error *err);

/* Calls a function with `text`, copied into the process, as first argument unless that is NULL.
 * Stores what it returns. */
hpf_status hpp__guest_call(const hpp__guest *g, uint64_t function, const char *text,
                           const uint64_t arguments[3], uint64_t *result, hpf_error *err);

/* Copies at most `n_bytes` of a text of the process, with its NUL. */
void hpp__guest_read_text(const hpp__guest *g, uint64_t address, char *out, size_t n_bytes);

/* Makes the stub close a file of the process when it ends. */
bool hpp__guest_close_later(const hpp__guest *g, int file);

/* Takes the thread home. */
void hpp__guest_leave(hpp__guest *g);

#endif
