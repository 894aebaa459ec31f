/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The loaded objects: where their unwind tables are, and their records in the window.
 *
 * An object is looked up by _dl_find_object, which takes no lock, and recorded when it is first
 * seen on a stack. Objects come and go; a generation is a time in which none went and none came in
 * the place of another. An object that is found again in a new generation is the same one if it has
 * the same name and build id.
 *
 * Threads: any, also in signal handlers; nothing waits.
 */
#ifndef HPP_NATIVE_MODULES_H
#define HPP_NATIVE_MODULES_H

#include "cfi.h"
#include "native/window/platform.h"

typedef struct hpp_module {
    uintptr_t begin, end;
    uintptr_t bias; /* address = bias + address in the file's own terms */
    hpp_cfi_tables tables;
    uint16_t number; /* index in the window plus 1; 0: the window is full */
    bool is_loader;  /* ld.so */
} hpp_module;

/* The object that an address is in. */
bool hpp__modules_find(hpp_module *out, uintptr_t address);

/* Whether an address is in any object. */
bool hpp__modules_hold(uintptr_t address);

/* What has been loaded may have changed. Returns the new generation. */
uint32_t hpp__modules_new_generation(void);

/* The generation: from 1. */
extern HPP_HIDDEN _Atomic uint32_t hpp__generation;

/* Whether the loader is at this moment adding or removing objects. */
bool hpp__modules_are_changing(void);

#endif
