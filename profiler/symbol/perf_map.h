/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names of generated code. A virtual machine that compiles at run time writes /tmp/perf-PID.map,
 * with a line "START LENGTH name" in hexadecimal for each function (Linux:
 * tools/perf/Documentation/jit-interface.txt). The file grows while the program runs.
 */
#ifndef HPP_SYMBOL_PERF_MAP_H
#define HPP_SYMBOL_PERF_MAP_H

#include <stdbool.h>

#include "base/text.h"

typedef struct hpp__perf_map hpp__perf_map;

/* Creates a map. The path is copied; the file need not exist yet. Returns NULL without memory. */
hpp__perf_map *hpp__perf_map_create(const char *path);
void hpp__perf_map_destroy(hpp__perf_map *map);

/* Reads what is new in the file: all of it if it is another file, or has become shorter. Returns
 * whether there is anything new. */
bool hpp__perf_map_refresh(hpp__perf_map *map);

/* Returns the name of the function at an address, the last one in the file if there are several;
 * empty if there is none. Valid until the map is refreshed. */
hpf_str hpp__perf_map_find(const hpp__perf_map *map, uint64_t address);

#endif
