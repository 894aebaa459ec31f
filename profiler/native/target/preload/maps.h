/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Counts the memory that the program maps itself, as blocks of kind mmap: anonymous mappings,
 * private and shared, in whole pages, from the moment when the program may write to them until they
 * are unmapped. Address space that is only reserved (PROT_NONE) becomes blocks as far as mprotect
 * makes it writable. What is unmapped in the middle of a block leaves two.
 *
 * Memory that an allocator maps is not counted, since its blocks are: that is what is mapped while
 * a function of this library is on the stack or a Python allocator runs, or by the object that the
 * next malloc is in. The C library maps memory without these functions.
 */
#ifndef HPP_NATIVE_TARGET_PRELOAD_MAPS_H
#define HPP_NATIVE_TARGET_PRELOAD_MAPS_H

#include <stddef.h>
#include <stdint.h>

/* Counts the block of kind mmap that contains an address as unmapped: a pool reports what it keeps
 * there. Does nothing if there is none. */
void hpp__maps_disown(uintptr_t address);

#endif
