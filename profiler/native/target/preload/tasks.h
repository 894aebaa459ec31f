/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The other threads of the process, as the kernel lists them.
 */
#ifndef HPP_NATIVE_TARGET_PRELOAD_TASKS_H
#define HPP_NATIVE_TARGET_PRELOAD_TASKS_H

#include <stdint.h>

/* `directory` is a descriptor of the thread's directory in /proc, for this call only. */
typedef void hpp_visit_task(void *context, uint32_t thread_id, int directory);

/* Calls `visit` for all threads but the calling one; for none if there is no /proc. */
void hpp__tasks_visit(hpp_visit_task *visit, void *context);

#endif
