/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The addresses of the fixtures' places, found by running them.
 */
#ifndef SYMBOL_PLACES_H
#define SYMBOL_PLACES_H

#include "hpprof/resolve.h"

#define FIXTURE(name) FIXTURES "/" name

typedef struct places places;

/* Loads a fixture and runs its function `function`. Aborts the test when it cannot. */
places *places_run(const char *path, const char *function);
void places_free(places *there);

/* The address of a place within the file, as for a sampled return address: 1 before it. `nth`
 * counts the calls from a place that is reached several times, from 0. */
uint64_t places_address(const places *there, const char *place, unsigned nth);

/* The address of an exported symbol within the file. */
uint64_t places_symbol(const places *there, const char *symbol);

/* The line of the comment "@marker" in a fixture's source. */
uint32_t places_line(const char *source, const char *marker);

/* A resolver with default options, or these. */
hpp_resolver *make_resolver(const hpp_resolver_options *options);

/* Returns the functions at an address of a file, whatever its build id. */
hpp_functions find_in(hpp_resolver *resolver, const char *path, uint64_t address);

/* Asserts that a text is `expected`. */
void assert_text(hpf_str text, const char *expected);

#endif
