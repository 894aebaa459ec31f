/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Takes images of a running process.
 *
 * The collector stops all threads, and lets one of them fork in the middle of what it does
 * (tracer.h). The copy is stopped before its first instruction, and never runs: it is memory that
 * the collector reads. Then the threads go on. So the program pauses for the fork alone, all
 * threads and the memory are of the same moment, and no code, lock or signal handler of the program
 * or of the preload library has a part in it.
 *
 * The copy has no file descriptors, and its end sends no signal: wait, SIGCHLD and a subreaper of
 * the program see nothing. Until its parent, the program, has reaped it, which the next stop does,
 * it is a zombie that wait4 finds with __WALL only. If this process ends, the kernel kills the
 * copy.
 *
 * Threads: use a freezer in one thread, always the same. Images may be read and closed in others,
 * before the freezer is finished.
 */
#ifndef HPP_NATIVE_FREEZER_H
#define HPP_NATIVE_FREEZER_H

#include <stdatomic.h>

#include "image.h"
#include "native/window/window_reader.h"
#include "tracer.h"

/* The number of open images of a small process, and of any other, is limited: the kernel copies the
 * pages that a process writes to while an image is open. */
enum { HPP__MAX_COPIES = 8, HPP__MAX_LARGE_COPIES = 2 };

/* A copy of the process. */
typedef struct hpp__copy {
    _Atomic int state;
    uint32_t id;
    int64_t id_in_program; /* in its name space of process ids */
} hpp__copy;

/* The era that begins with an image, before the program goes on. */
typedef struct hpp__next_era {
    hpp_window_head *control; /* writable; NULL: the image has no lives */
    uint32_t number;
    bool wants_deaths; /* the program is to report deaths of blocks that the image has */
} hpp__next_era;

typedef struct hpp__freezer {
    hpp__tracer tracer;
    hpp_window_gates gates; /* of the last image */
    hpp__copy copies[HPP__MAX_COPIES];
    size_t max_copies;      /* set by the caller; HPP__MAX_LARGE_COPIES at first */
    hpp__next_era next_era; /* set by the caller */
} hpp__freezer;

/* Checks that images can be taken of programs of this processor. Error: UNSUPPORTED. */
hpf_status hpp__freezer_check(hpf_error *err);

void hpp__freezer_init(hpp__freezer *freezer, uint32_t process_id);
void hpp__freezer_finish(hpp__freezer *freezer);

/* Takes an image of the process whose window is read by `reader`. Errors, with reasons that
 * complete "no image, since ...": UNSUPPORTED if the process cannot be traced; IO if it cannot
 * fork; LIMIT if it does not stop in time, or too many images are open; MEMORY. */
hpf_status hpp__freezer_take(hpp__image **out, hpp__freezer *freezer,
                             const hpp__window_reader *reader, hpf_error *err);

/* Returns whether another image may be open. */
bool hpp__freezer_has_room(hpp__freezer *freezer);

/* Lets the process reap the copies of images that were closed; it need not live. */
void hpp__freezer_reap(hpp__freezer *freezer);

#endif
