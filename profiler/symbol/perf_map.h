/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names of generated code: virtual machines that compile at run time say what they made in
 * /tmp/perf-PID.map, a line "START LENGTH name" in hexadecimal for each function
 * (tools/perf/Documentation/jit-interface.txt of Linux). The file grows while the program runs.
 */
#ifndef HPP_SYMBOL_PERF_MAP_H
#define HPP_SYMBOL_PERF_MAP_H

#include "base/text.h"

typedef struct hpp__perf_map hpp__perf_map;

/* The path is copied; the file need not exist yet. NULL when there is no memory. */
hpp__perf_map *hpp__perf_map_create(const char *path);
void hpp__perf_map_destroy(hpp__perf_map *map);

/* The name of the function at an address; where several claim it, the last in the file. Reads what
 * was appended to the file if the address is in none so far. Empty: none. Borrowed until the next
 * call. */
hpf_str hpp__perf_map_find(hpp__perf_map *map, uint64_t address);

#endif
