/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Profiling of a program that runs already. `census attach` loads this library into it, when other
 * objects have found their malloc, and calls census_attach. That writes the address of each
 * function that this library exports over the addresses that objects have for the same name (their
 * global offset tables); objects that are loaded later get it when the program looks up a symbol.
 * census_detach writes the old addresses back. The library stays loaded, because threads may be in
 * it, and then only calls the next allocator.
 */
#ifndef HPP_NATIVE_TARGET_PRELOAD_ATTACH_H
#define HPP_NATIVE_TARGET_PRELOAD_ATTACH_H

#include <stdint.h>

#include "native/window/platform.h"

/* Starts profiling with the value of CENSUS_RUN. Returns 0, or 1 if the collector cannot be reached
 * or refuses. Called by the collector, in a thread that it has stopped. */
HPP_EXPORT int census_attach(const char *settings);
HPP_EXPORT int census_detach(void);

/* Returns the size of a block that existed before; 0 if there are none left. */
uint64_t hpp__inherited_size(void *block);

/* Counts such a block as freed; does nothing for a size of 0. */
void hpp__inherited_free(uint64_t n_bytes);

#endif
