/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Debugging information from the servers that the user has named in DEBUGINFOD_URLS.
 */
#ifndef HPP_SYMBOL_DEBUGINFOD_H
#define HPP_SYMBOL_DEBUGINFOD_H

#include <stddef.h>
#include <stdint.h>

/* The path of a local copy, to be freed; NULL when no server has it, or the client library of
 * elfutils is not on this machine. May take as long as the servers take. */
char *hpp__debuginfod_fetch(const uint8_t *build_id, size_t n_build_id);

#endif
