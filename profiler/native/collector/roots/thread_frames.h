/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The frames of a thread's stack in an image: which function has put what there.
 *
 * A stack is unwound by the unwind tables of object files, from the thread's registers on. What
 * they do not describe in a simple form (code that was made at run time, handlers of signals) ends
 * the walk. Of the rest of the stack, and of a thread whose registers are not known, the frames of
 * an earlier image count whose return addresses are still there: outer frames stay for long. What
 * remains has no function.
 *
 * The frame pointer of a thread that waits in a system call is not known. A function that needs it,
 * as without optimisation, has it below the address to which the function returns.
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

enum { HPP__MAX_FRAMES = 1024 /* of a walk */ };
#define HPP__NO_FRAME UINT32_MAX

/* The object of a code address. */
typedef struct hpp__code_object {
    uint32_t object; /* of the resolver */
    uint64_t bias;   /* the difference of addresses in memory and file */
    bool is_own;     /* the profiler's library */
    bool is_libc;
} hpp__code_object;

typedef struct hpp__stack_frame {
    uint64_t cfa; /* its end */
    uint64_t return_address;
    hpp__code_object code;
    uint64_t pc;      /* in the file's own terms */
    hpf_str function; /* valid until the resolver is destroyed; empty: not known */
    uint32_t depth;   /* number from the outside, of the C library's function that calls main on */
} hpp__stack_frame;

/* A part of a stack: [begin, end). */
typedef struct hpp__stack_part {
    uint64_t begin, end;
    uint32_t frame; /* to which it belongs; HPP__NO_FRAME: not known */
} hpp__stack_part;

typedef struct hpp__thread_frames {
    uint32_t thread_id;
    hpp__stack_frame *frames; /* innermost first */
    hpp__stack_part *parts;   /* sorted by address */
    size_t n_frames, frames_capacity, n_parts, parts_capacity;
    uint32_t registers[HPP__N_REGISTERS]; /* frames */
} hpp__thread_frames;

/* The frames of all threads of an image, which are kept until the next one. All zero: none. */
typedef struct hpp__stacks {
    hpp__thread_frames *threads; /* in the order of the image */
    size_t n;
} hpp__stacks;

/* Finds the object of a code address. Returns false if there is none. */
typedef bool hpp__find_object(const void *context, uint64_t address, hpp__code_object *out);

/* Finds the frames of all threads, and replaces those of the image before. Returns false without
 * memory. Call hpp__thread_frames_finish in any case. */
bool hpp__thread_frames_find(hpp__stacks *stacks, const hpp__image *image, hpp_resolver *resolver,
                             hpp__find_object *find_object, const void *context);
void hpp__thread_frames_finish(hpp__stacks *stacks);

/* Returns the frame whose value a register has that functions save for their callers; NULL: none
 * has saved it, or it is no such register. */
const hpp__stack_frame *hpp__thread_frames_saver(const hpp__thread_frames *frames, int number);

/* Returns whether a frame of a function of the program is known. */
bool hpp__thread_frames_has_own(const hpp__thread_frames *frames);

/* Returns the part that contains an address, or what is between two parts. */
hpp__stack_part hpp__thread_frames_part(const hpp__thread_frames *frames, uint64_t address);

#endif
