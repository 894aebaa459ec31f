/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The settings from `census run`, and whether this process is being profiled. See process.h.
 */
#ifndef HPP_NATIVE_TARGET_COUNTING_PROCESS_STATE_H
#define HPP_NATIVE_TARGET_COUNTING_PROCESS_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "native/window/platform.h"

typedef struct hpp_settings {
    char socket_name[108];
    uint32_t root_id;
    bool has_children;
    uint64_t window_bytes;
    uint32_t tick_us;
    uint32_t verify_every;
    bool has_images, has_peak_images, has_maps;
    bool has_python_frames, has_thread_events, has_throws;
    uint64_t rate_bytes; /* 0: all blocks are counted */
    uint64_t biography_bytes, seed;
    uint64_t small_bytes; /* window.h */
} hpp_settings;

/* Complete once hpp__alive() has returned true. */
extern HPP_HIDDEN hpp_settings hpp__settings;

typedef struct hpp_alive_page {
    _Alignas(HPP_LARGEST_PAGE_BYTES) _Atomic uint32_t is_alive;
    _Atomic uint32_t has_own_window; /* window_writer.h */
    char rest[HPP_LARGEST_PAGE_BYTES - 2 * sizeof(uint32_t)];
} hpp_alive_page;
extern HPP_HIDDEN hpp_alive_page hpp__alive_page;

/* Values of is_alive. */
enum {
    HPP_ALIVE = 1,
    HPP_ALIVE_EXACT = 2,   /* the lives of all blocks are followed (exact.h) */
    HPP_ALIVE_SAMPLED = 4, /* samples of blocks are counted only (rate.h) */
    HPP_ALIVE_RESTING = 8, /* added: threads are to rest (helper.h) */
};

/* The value of is_alive while the process is alive, for forked children. */
extern HPP_HIDDEN _Atomic uint32_t hpp__alive_kind;

/* Returns whether this process is profiled and has a window of its own. */
static inline bool hpp__alive(void)
{
    return atomic_load_explicit(&hpp__alive_page.is_alive, memory_order_acquire) != 0;
}

/* Returns the same, if there is nothing else to do for each block than to count it. */
static inline bool hpp__alive_to_count(void)
{
    return atomic_load_explicit(&hpp__alive_page.is_alive, memory_order_acquire) == HPP_ALIVE;
}

/* Returns whether threads are to rest for an image. */
static inline bool hpp__should_rest(void)
{
    return atomic_load_explicit(&hpp__alive_page.is_alive, memory_order_relaxed) >=
           HPP_ALIVE_RESTING;
}

/* Reads the settings from `given`, or if that is NULL from the environment. Returns false if there
 * is no collector to connect to. */
bool hpp__settings_read(const char *given);

/* Copies the words of the command line, each with its NUL, into zeroed memory. */
void hpp__command_copy(char *to, size_t n_bytes);

/* Maps hpp__alive_page so that the kernel clears it in forked children. */
bool hpp__alive_page_map(void);

/* Returns the environment on the initial stack. */
char **hpp__initial_environment(void);

#endif
