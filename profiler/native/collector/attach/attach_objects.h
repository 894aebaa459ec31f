/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the objects of a process and their symbols in its memory. No file is read: the one at the
 * path of an object may be another by now, or change meanwhile. What the memory says is untrusted.
 */
#ifndef HPP_NATIVE_COLLECTOR_ATTACH_ATTACH_OBJECTS_H
#define HPP_NATIVE_COLLECTOR_ATTACH_ATTACH_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A mapping. `base` is where its object begins, or 0. The path is cut if it is long. */
typedef struct hpp__mapping {
    uint64_t begin, end, base;
    bool is_executable;
    char path[256];
} hpp__mapping;

typedef struct hpp__mappings {
    uint32_t process_id;
    hpp__mapping *all;
    size_t n, capacity;
} hpp__mappings;

/* Reads the mappings of a process again. Returns false if there are none. */
bool hpp__mappings_read(hpp__mappings *m, uint32_t process_id);
void hpp__mappings_free(hpp__mappings *m);

/* Return the mapping that contains an address, the first one of a file whose name matches a
 * shell pattern, and the first one that overlaps [begin, end); NULL if there is none. */
const hpp__mapping *hpp__mappings_at(const hpp__mappings *m, uint64_t address);
const hpp__mapping *hpp__mappings_named(const hpp__mappings *m, const char *pattern);
const hpp__mapping *hpp__mappings_overlap(const hpp__mappings *m, uint64_t begin, uint64_t end);

/* Returns the address of a symbol that the object at `base` defines for others, or 0. Stores its
 * size unless `n_bytes` is NULL. */
uint64_t hpp__memory_symbol(uint32_t process_id, uint64_t base, const char *name,
                            uint64_t *n_bytes);

/* Finds bytes after the end of an object's code, in its last page, that are unused or contain
 * `code` already. Returns their address, or 0. */
uint64_t hpp__memory_room(const hpp__mappings *m, const void *code, size_t n_bytes);

#endif
