/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The helper of a program of which images are taken: a process that shares the program's memory,
 * and nothing else. The collector asks it for images by a socket (window.h, hpp_image_request); it
 * forks, and the copy waits until the collector has read it.
 *
 * So no thread of the program is stopped or interrupted, and no system call of the program ends
 * earlier or later than without images. A fork copies private memory at one moment, also while
 * other threads write: it holds the lock of the address space, and a thread that writes meanwhile
 * writes either before the copy or after it.
 *
 * Copies are children of the helper. The helper is a child of the program that sends no signal when
 * it ends, and that only a wait with __WALL finds. It has a session of its own, no descriptors and
 * no signal handlers of the program, works in "/", and may make only the system calls that it
 * needs: a program that has dropped its privileges gains none by its memory. It ends with the
 * program, and with the collector.
 *
 * Before it forks, threads are asked to rest: one that comes to a function of this library notes
 * where it is, and waits until the fork is over. What other threads have in registers is not in the
 * image.
 */
#ifndef HPP_NATIVE_TARGET_PRELOAD_HELPER_H
#define HPP_NATIVE_TARGET_PRELOAD_HELPER_H

#include "native/target/counting/process_state.h"
#include "native/target/counting/stacks.h"
#include "native/target/counting/thread.h"

/* Starts the helper of this process, unless it has one or no images are wanted. Returns the
 * collector's end of the socket, or a negated errno. */
int hpp__helper_start(void);

/* Ends the helper, and waits until it has ended, so that nothing of the program outlives it. Copies
 * go on. May be called in signal handlers. Returns whether this process had one. */
bool hpp__helper_end(void);

/* Ends the helper for good if a wait with these options would find it. */
void hpp__helper_hide(long wait_options);

/* Notes the time of a mark for images. */
void hpp__helper_note_mark(uint64_t time_ns);

/* Waits until the fork is over. `block`: is about to be freed, or NULL. */
void hpp__helper_rest(const void *block);

/* Lets the calling thread rest if it should. */
static inline void hpp__rest_for_image(const void *block)
{
    if (HPP_UNLIKELY(hpp__should_rest())) {
        hpp__helper_rest(block);
    }
}

#endif
