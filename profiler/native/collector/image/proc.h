/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads /proc. Every function may fail at any time, since processes end.
 */
#ifndef HPP_NATIVE_COLLECTOR_IMAGE_PROC_H
#define HPP_NATIVE_COLLECTOR_IMAGE_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "native/window/window.h"

/* Reads the beginning of a small file as text. Returns false if there is none. */
bool hpp__proc_read_text(const char *path, char *out, size_t n_bytes);

/* Returns whether a file of a mapping, by its path in /proc/PID/maps, is the profiler's: its
 * library, which census attach passes on in a memory file, or memory that it shares with the
 * program. */
bool hpp__proc_is_own_file(const char *path);

/* Returns whether a file is shared memory of any kind, and not on a disk. */
bool hpp__proc_is_shared_memory(const char *path);

/* Copies memory of a process. Returns false unless all of it can be read. */
bool hpp__proc_read_memory(uint32_t process_id, void *out, uint64_t address, size_t n_bytes);

/* Returns a new array of the states of the threads in a process that has a window; NULL without
 * memory. It is empty if they cannot be read. */
hpp_thread_state *hpp__proc_read_threads(uint32_t process_id, const hpp_window_head *head,
                                         size_t *n_out);

/* The anonymous memory of a process that does not run. hpp__proc_memory_read does what
 * hpp__proc_read_memory does, but the kernel need not copy each page that the process has shared
 * with another one since a fork. */
typedef struct hpp__proc_memory {
    uint32_t process_id;
    int file; /* -1: none, it is read by hpp__proc_read_memory */
} hpp__proc_memory;

hpp__proc_memory hpp__proc_memory_open(uint32_t process_id);
void hpp__proc_memory_close(hpp__proc_memory *memory);
bool hpp__proc_memory_read(const hpp__proc_memory *memory, void *out, uint64_t address,
                           size_t n_bytes);

/* Returns the status of a process that has ended, as waitpid does; -2 if it is not known: before
 * Linux 6.15, of a process that was waited for already. */
int hpp__proc_wait_status(uint32_t process_id, int pidfd);

/* Return the parent of a process, and the process that traces it; 0 if there is none. */
uint32_t hpp__proc_parent(uint32_t process_id);
uint32_t hpp__proc_tracer(uint32_t process_id);

/* Returns the number that the Yama security module has at `path`, normally HPP__PTRACE_SCOPE; 0 if
 * there is no such module. */
#define HPP__PTRACE_SCOPE "/proc/sys/kernel/yama/ptrace_scope"
uint32_t hpp__proc_ptrace_scope(const char *path);

/* Returns the state of a thread in one letter, as /proc has it: 'Z' or 'X' if it has ended. */
char hpp__proc_thread_state(uint32_t process_id, uint32_t thread_id);

/* Returns the id that a thread has in the innermost name space that it is in; 0 if it has ended. */
uint32_t hpp__proc_id_inside(uint32_t process_id, uint32_t thread_id);

enum { HPP__PROC_ROOT_BYTES = 32 };

/* Stores the path of the root folder of a process. Returns it, or NULL if the process sees the same
 * files as this one. */
const char *hpp__proc_root(uint32_t process_id, char out[HPP__PROC_ROOT_BYTES]);

/* The same for the paths in /proc/PID/maps: they begin at the root of this process, as long as both
 * have the same mounts. */
const char *hpp__proc_root_of_maps(uint32_t process_id, char out[HPP__PROC_ROOT_BYTES]);

/* Returns the seccomp mode of a process: 0 is none. */
uint32_t hpp__proc_seccomp(uint32_t process_id);

/* Returns the number of seccomp filters of a thread; 0 before Linux 5.9. */
uint64_t hpp__proc_filters(uint32_t process_id, uint32_t thread_id);

/* Returns how often a thread has waited so far. */
uint64_t hpp__proc_switches(uint32_t process_id, uint32_t thread_id);

/* Returns whether a signal waits that a thread does not block. */
bool hpp__proc_has_signals(uint32_t process_id, uint32_t thread_id);

/* Return the resident bytes, or -1, and those of the page tables, or 0. */
double hpp__proc_resident_bytes(uint32_t process_id);
double hpp__proc_page_table_bytes(uint32_t process_id);

/* Reads the processor time of all threads so far. */
bool hpp__proc_cpu_ns(uint32_t process_id, uint64_t *out_ns);

/* Reads the name of a thread, with its NUL. Returns false if it has ended. */
enum { HPP__THREAD_NAME_BYTES = 16 };
bool hpp__proc_thread_name(uint32_t process_id, uint32_t thread_id,
                           char out[HPP__THREAD_NAME_BYTES]);

/* Reads the beginning of the command line, its words separated by blanks: what the process was
 * started with, or the title that it gave itself since. Returns false if it has ended. */
bool hpp__proc_command(uint32_t process_id, char *out, size_t n_bytes);

/* The executable of a process, identified by numbers. hpp__proc_program returns false if it is
 * unknown. */
typedef struct hpp__program_id {
    uint64_t device, inode;
} hpp__program_id;
bool hpp__proc_program(uint32_t process_id, hpp__program_id *out);

/* Returns whether `process_id` is `ancestor_id` or descends from it. */
bool hpp__proc_descends(uint32_t process_id, uint32_t ancestor_id);

/* Returns whether any other process that is younger than this one was started with `text` in its
 * environment, or has a mapping with it in its name: programs that are profiled hide the former. */
bool hpp__proc_any_with(const char *text);

/* Open /proc/PID/pagemap (or return -1), and count the pages of [begin, begin + n_bytes) that
 * exist, in memory or swapped out. */
int hpp__proc_open_pagemap(uint32_t process_id);
uint64_t hpp__proc_touched_bytes(int pagemap, uint64_t begin, uint64_t n_bytes);

/* Store which of `n_pages` from `begin` exist, and which are in memory; all if it is unknown. */
void hpp__proc_touched_pages(int pagemap, uint64_t begin, size_t n_pages, bool *out);
void hpp__proc_resident_pages(int pagemap, uint64_t begin, size_t n_pages, bool *out);

#endif
