/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The loaded objects: their unwind tables, and their records in the window.
 *
 * An object is found without a lock, and recorded when it is first found
 * on a stack. A generation is a period in which no object is unloaded or replaced. In a new
 * generation, an object is the same one if it has the same name and build id.
 *
 * Threads: any, also signal handlers; nothing waits.
 */
#ifndef HPP_NATIVE_TARGET_UNWIND_MODULES_H
#define HPP_NATIVE_TARGET_UNWIND_MODULES_H

#include "cfi.h"
#include "native/window/platform.h"

typedef struct hpp_module {
    uintptr_t begin, end;
    uintptr_t bias; /* address = bias + address in the file's own terms */
    hpp_cfi_tables tables;
    uint16_t number; /* index in the window plus 1; 0: the window is full */
    bool is_loader;  /* ld.so */
} hpp_module;

/* Finds the object that contains an address. */
bool hpp__modules_find(hpp_module *out, uintptr_t address);

/* Returns whether an address is in any object. */
bool hpp__modules_hold(uintptr_t address);

/* Starts a new generation, after objects may have changed. Returns it. */
uint32_t hpp__modules_new_generation(void);

/* The generation: from 1. */
extern HPP_HIDDEN _Atomic uint32_t hpp__generation;

#endif
