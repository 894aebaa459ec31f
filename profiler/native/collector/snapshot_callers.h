/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Who waits for a heap snapshot of a process: the sockets of `census mark --snapshot`. Each is
 * answered when an image has been taken for it, and when the file is there (hpp_snapshot_answer).
 *
 * Threads: any.
 */
#ifndef HPP_NATIVE_COLLECTOR_SNAPSHOT_CALLERS_H
#define HPP_NATIVE_COLLECTOR_SNAPSHOT_CALLERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { HPP__MOST_SNAPSHOT_CALLERS = 8 };

typedef struct hpp__snapshot_callers {
    pthread_mutex_t lock;
    struct hpp__snapshot_caller {
        int fd;
        bool has_image;
    } all[HPP__MOST_SNAPSHOT_CALLERS];
    size_t n;
} hpp__snapshot_callers;

void hpp__snapshot_callers_init(hpp__snapshot_callers *callers);
void hpp__snapshot_callers_finish(hpp__snapshot_callers *callers);

/* Keeps a copy of a descriptor. One for which there is no room is not answered. */
void hpp__snapshot_callers_add(hpp__snapshot_callers *callers, int fd);

/* An image has been taken for all that wait; it was no use; it has become a file, or not. */
void hpp__snapshot_callers_taken(hpp__snapshot_callers *callers);
void hpp__snapshot_callers_missed(hpp__snapshot_callers *callers);
void hpp__snapshot_callers_written(hpp__snapshot_callers *callers, bool is_written);

/* There will be no further image: closes the sockets of those that wait for one. */
void hpp__snapshot_callers_drop(hpp__snapshot_callers *callers);

#endif
