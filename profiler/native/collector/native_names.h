/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions as profiles name them: interned, with names that a `.hp` file can hold, and with a
 * verdict on what they are. Functions that only hand memory on - malloc and its family, operator
 * new, standard allocators, the wrappers that everyone has, and what the user says - are passed
 * over when the producer of an allocation is named.
 *
 * One set of names serves all processes of a run.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_NAMES_H
#define HPP_NATIVE_NAMES_H

#include <stdbool.h>

#include "symbol/resolve.h"
#include "native/window/window.h"

/* A function. The same name in the same module is the same pointer. */
typedef struct hpp__function {
    hpf_str label;  /* its name without blanks */
    hpf_str module; /* without folders and blanks */
    hpf_str file;   /* one that it has code from, its last part; or empty */
    uint32_t index; /* dense, from 0 */
    bool is_passed_over;
    bool is_overhead; /* stands for all functions of the preload library */
    bool is_start; /* calls main, or the function of a thread: what is further out is nothing that
                      a program is made of */
    bool is_nameless; /* of the C library, without a symbol: maybe such a function */
    hpp_call call; /* HPP_CALL_NEW or HPP_CALL_NEW_ARRAY for operator new, else HPP_CALL_MALLOC */
} hpp__function;

/* A place in a function. */
typedef struct hpp__frame {
    const hpp__function *function;
    hpf_str file;  /* its last part; empty: unknown */
    uint32_t line; /* 0: unknown */
} hpp__frame;

typedef struct hpp__frames {
    const hpp__frame *list; /* innermost first */
    size_t n;               /* at least 1 */
} hpp__frames;

typedef struct hpp__names hpp__names;

/* `skip` are POSIX extended regular expressions that add to the functions passed over; one that
 * begins with nothing else is found anywhere in a name. Errors: MEMORY; ARGUMENT for an expression
 * that is none. */
hpf_status hpp__names_create(hpp__names **out, const char *const *skip, size_t n_skip,
                             const hpp_resolver_options *options, hpf_error *err);
void hpp__names_destroy(hpp__names *names);

/* Makes a module known; returns its number. */
uint32_t hpp__names_object(hpp__names *names, const hpp_window_module *module);

/* The functions at a place of the code, `address` as resolve.h has it. Borrowed until the next
 * call; n 0 without memory. */
hpp__frames hpp__names_at(hpp__names *names, uint32_t object, uint64_t address);
hpp__frames hpp__names_generated(hpp__names *names, uint32_t process_id, uint64_t address);

/* A function that is none, to stand for something; NULL without memory. `text` is static. */
const hpp__function *hpp__names_special(hpp__names *names, hpf_str text);

/* Nanoseconds spent looking up so far, and addresses looked up. */
typedef struct hpp__naming_costs {
    uint64_t spent_ns;
    uint64_t n_addresses;
} hpp__naming_costs;
hpp__naming_costs hpp__names_costs(const hpp__names *names);

/* The resolver, for what it has to say at the end. */
hpp_resolver *hpp__names_resolver(hpp__names *names);

/* Writes `text` to `out`, which has room for as many bytes, as names are written: without blanks
 * beside punctuation, and with '_' for all others. Returns the length. */
size_t hpp__names_clean(char *out, hpf_str text);

#endif
