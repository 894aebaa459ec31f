/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A resolver for tests, in place of the real one: it knows the functions that it was told, at the
 * addresses that it was told.
 */
#ifndef TOY_RESOLVER_H
#define TOY_RESOLVER_H

#include "hpprof/resolve.h"

/* A function at an address, in the file's own terms. Several at one address are inlined, innermost
 * first. Texts are static. Known to all resolvers. */
typedef struct toy_function {
    uint64_t address;
    const char *name, *file;
    uint32_t line;
    const char *linkage; /* may be NULL */
    bool has_no_symbol;
} toy_function;

/* Ends with an entry without a name. Borrowed. */
void toy_resolver_functions(const toy_function *functions);

/* Counts the questions about addresses. */
extern uint64_t toy_resolver_lookups;

#endif
