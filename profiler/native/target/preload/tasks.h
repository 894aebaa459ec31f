/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The other threads of the process, as the kernel lists them.
 */
#ifndef HPP_NATIVE_TARGET_PRELOAD_TASKS_H
#define HPP_NATIVE_TARGET_PRELOAD_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Calls `visit` for all threads but the calling one; for none if there is no /proc. It can leave
 * out some if others end meanwhile: then the kernel's list ends early. */
void hpp__tasks_visit(void (*visit)(uint32_t thread_id));

/* Reads the beginning of a thread's status, and ends it with a 0. Returns false if there is none.
 */
bool hpp__task_status(uint32_t thread_id, char *status, size_t n_bytes);

#endif
