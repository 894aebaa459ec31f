/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Takes images of a running process.
 *
 * The process has a helper that shares its memory, and forks when it is asked to
 * (preload/helper.h). The copy waits, and is memory that the collector reads. No thread of the
 * process is stopped, and no system call is interrupted. One that needs the lock of the address
 * space, or comes to the preload library, waits while the copy is made.
 *
 * The image of a thread that waits is exact, and so is the image of one that rests in the preload
 * library. Others are moving: where they were is not known.
 *
 * A copy ends when it is closed, and when this process ends. It is not a child of the program.
 *
 * Threads: use a freezer in one thread, always the same. Images may be read and closed in others,
 * before the freezer is finished.
 */
#ifndef HPP_NATIVE_COLLECTOR_IMAGE_FREEZER_H
#define HPP_NATIVE_COLLECTOR_IMAGE_FREEZER_H

#include <stdatomic.h>

#include "image.h"
#include "native/window/window_reader.h"
#include "thread_looks.h"

/* The number of open images of a small process, and of any other, is limited: the kernel copies the
 * pages that a process writes to while an image is open. */
enum { HPP__MAX_COPIES = 8, HPP__MAX_LARGE_COPIES = 2 };

/* A copy of the process. */
typedef struct hpp__copy {
    _Atomic bool is_open;
    uint32_t id;
    int pidfd;
} hpp__copy;

/* The era that begins with an image. */
typedef struct hpp__next_era {
    hpp_window_head *control; /* writable; NULL: the image has no lives */
    int window;               /* the file */
    uint32_t number;
    bool wants_deaths; /* the program is to report deaths of blocks that the image has */
} hpp__next_era;

typedef struct hpp__freezer {
    uint32_t process_id;
    int link;                        /* to the helper and the copies, or -1 */
    bool has_ended;                  /* the helper */
    uint32_t number;                 /* of the last request */
    hpp__thread_looks before, after; /* the last image */
    hpp__copy copies[HPP__MAX_COPIES];
    int n_more_tries;       /* for an image in which all threads wait or rest */
    size_t max_copies;      /* set by the caller; HPP__MAX_LARGE_COPIES at first */
    hpp__next_era next_era; /* set by the caller */
    bool waits_for_one; /* set by the caller: an image needs one thread that rests, if any run */
} hpp__freezer;

/* Checks that images can be taken of programs of this processor. Error: UNSUPPORTED. */
hpf_status hpp__freezer_check(hpf_error *err);

/* Takes over the collector's end of the socket of the helper; -1 is none. */
void hpp__freezer_init(hpp__freezer *freezer, uint32_t process_id, int link);
void hpp__freezer_finish(hpp__freezer *freezer);

/* Takes an image of the process whose window is read by `reader`. It is to be filled, before the
 * next one is taken; the process may go on, and end. Errors, with reasons that complete "no image,
 * since ...": UNSUPPORTED if its memory may not be read, or it has no helper; IO if it cannot fork;
 * LIMIT if too many images are open; MEMORY. */
hpf_status hpp__freezer_take(hpp__image **out, hpp__freezer *freezer,
                             const hpp__window_reader *reader, hpf_error *err);

/* Fills an image with what its copy has. Errors: IO, MEMORY, LIMIT, SYNTAX; close it then. */
hpf_status hpp__freezer_fill(hpp__image *image, hpp__freezer *freezer,
                             const hpp__window_reader *reader, hpf_error *err);

/* Returns whether the helper has ended, for instance since the program is about to exit. */
bool hpp__freezer_has_ended(hpp__freezer *freezer);

/* Returns whether an image is open. */
bool hpp__freezer_is_open(const hpp__freezer *freezer);

/* Ends the helper. Open images stay. */
void hpp__freezer_end_helper(hpp__freezer *freezer);

/* Returns whether another image may be open. */
bool hpp__freezer_has_room(hpp__freezer *freezer);

#endif
