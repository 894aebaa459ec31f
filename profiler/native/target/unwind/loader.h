/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The loaded objects, as the loader lists them; glibc has a function for that from 2.35 on.
 *
 * Threads: any, also signal handlers; nothing waits.
 */
#ifndef HPP_NATIVE_TARGET_UNWIND_LOADER_H
#define HPP_NATIVE_TARGET_UNWIND_LOADER_H

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#if !__GLIBC_PREREQ(2, 35)
struct dl_find_object {
    void *dlfo_map_start, *dlfo_map_end;
    struct link_map *dlfo_link_map;
    void *dlfo_eh_frame; /* the header of the unwind tables */
};
#endif

/* Finds the object that contains an address. An object with gaps between its segments, which only
 * the kernel leaves, may be listed by segment. */
bool hpp__loader_find(struct dl_find_object *out, uintptr_t address);

/* Extends an object to all its segments. */
void hpp__loader_widen(struct dl_find_object *object);

/* Returns the program headers of an object, and stores their number: 0 if they are not known. */
const Elf64_Phdr *hpp__loader_headers(uint32_t *n, const struct dl_find_object *object);

/* Returns whether the loader is adding or removing objects now. */
bool hpp__loader_is_changing(void);

#endif
