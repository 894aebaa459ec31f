/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The frames of a thread's stack in an image: which function has put what there.
 *
 * A stack is unwound by the unwind tables of object files, from the thread's registers on. What
 * they do not describe in a simple form (code that was made at run time, handlers of signals,
 * stacks that a function has aligned) ends the walk, and the rest of the stack has no function.
 *
 * A function saves registers for its callers. Such a word belongs to the function that had put a
 * value into the register: the nearest outer one that has saved the register, too, since each does
 * so before it uses one. The same holds for the registers of the thread.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_COLLECTOR_ROOTS_THREAD_FRAMES_H
#define HPP_NATIVE_COLLECTOR_ROOTS_THREAD_FRAMES_H

#include "native/collector/image/image.h"
#include "hpprof/resolve.h"

/* A part of a stack: [begin, end). */
typedef struct hpp__stack_part {
    uint64_t begin, end;
    hpf_str function; /* valid until the resolver is destroyed; empty: not known */
} hpp__stack_part;

typedef struct hpp__thread_frames {
    hpp__stack_part *parts; /* sorted by address; they cover the stack from its beginning on */
    size_t n_parts, capacity;
    hpf_str registers[HPP__N_REGISTERS]; /* functions */
} hpp__thread_frames;

/* Finds the object of a code address, and the difference of addresses in memory and file. Returns
 * false if there is none. */
typedef bool hpp__find_object(const void *context, uint64_t address, uint32_t *object,
                              uint64_t *bias);

/* Unwinds the stack of a thread. Accepts zeroed frames; replaces what they have. Returns false
 * without memory. */
bool hpp__thread_frames_find(hpp__thread_frames *frames, const hpp__image *image,
                             const hpp__image_thread *thread, hpp_resolver *resolver,
                             hpp__find_object *find_object, const void *context);
void hpp__thread_frames_finish(hpp__thread_frames *frames);

/* Returns the part that contains an address; one without a function is the rest of the stack. */
hpp__stack_part hpp__thread_frames_part(const hpp__thread_frames *frames, uint64_t address);

#endif
