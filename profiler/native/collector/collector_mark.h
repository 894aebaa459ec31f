/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Which collector profiles a process.
 */
#ifndef HPP_NATIVE_COLLECTOR_COLLECTOR_MARK_H
#define HPP_NATIVE_COLLECTOR_COLLECTOR_MARK_H

#include <stdbool.h>
#include <stdint.h>

/* Returns whether a collector that runs, other than the one of `settings` (hpp_variables.run), has
 * a window of the process. */
bool hpp__mark_finds_other(uint32_t process_id, const char *settings);

#endif
