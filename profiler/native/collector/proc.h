/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the kernel says about a process. Everything may fail at any moment: processes end.
 */
#ifndef HPP_NATIVE_PROC_H
#define HPP_NATIVE_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes in memory, or -1. */
double hpp__proc_resident_bytes(uint32_t process_id);

/* Processor time of all its threads so far; false when it cannot be told. */
bool hpp__proc_cpu_ns(uint32_t process_id, uint64_t *out_ns);

/* The name of a thread, terminated; false when it has ended. */
enum { HPP__THREAD_NAME_BYTES = 16 };
bool hpp__proc_thread_name(uint32_t process_id, uint32_t thread_id,
                           char out[HPP__THREAD_NAME_BYTES]);

/* The file that it runs, as numbers that tell it from all others; false when it cannot be told. */
typedef struct hpp__program_id {
    uint64_t device, inode;
} hpp__program_id;
bool hpp__proc_program(uint32_t process_id, hpp__program_id *out);

/* Whether `process_id` is, or descends from, `ancestor_id`. */
bool hpp__proc_descends(uint32_t process_id, uint32_t ancestor_id);

/* Whether any process was started with, or forked from one with, `text` in its environment. */
bool hpp__proc_any_with(const char *text);

/* Opens /proc/PID/pagemap; -1. And how many of the pages of [begin, begin + n_bytes) are there,
 * in memory or swapped out. */
int hpp__proc_open_pagemap(uint32_t process_id);
uint64_t hpp__proc_touched_bytes(int pagemap, uint64_t begin, uint64_t n_bytes);

#endif
