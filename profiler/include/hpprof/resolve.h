/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names for addresses: functions, inlined functions, files and lines.
 *
 * Debugging information comes from the object, from its separate debug file (by build id or debug
 * link), or from the debuginfod servers in DEBUGINFOD_URLS. Without any, the symbol table names the
 * function; without that, the function is named by its first address, which the unwind tables know:
 * `module+0x1234`. (A part of a function that the compiler moved elsewhere has bounds and a name of
 * its own.) Each address is looked up once.
 *
 * Names fit into `.hp` files: they have no control characters, no blank before a digit and no blank
 * after a comma.
 *
 * Threads: use a resolver in one thread at a time.
 */
#ifndef HPPROF_RESOLVE_H
#define HPPROF_RESOLVE_H

#include <stdbool.h>

#include "hpprof/function.h"

HPF_BEGIN_DECLS

typedef struct hpp_resolver hpp_resolver;

/* An object file, as a program had it mapped. */
typedef struct hpp_object_file {
    const char *path;        /* as the program saw it; "" for generated code */
    const uint8_t *build_id; /* NULL: none */
    size_t n_build_id;
    const char *root; /* where the program sees its files, such as "/proc/PID/root"; NULL: here */
} hpp_object_file;

/* Options of a resolver. All zero is a sensible default. */
typedef struct hpp_resolver_options {
    size_t size;              /* of the struct (hpfile/version.h) */
    bool symbols_only;        /* read symbol tables only: no inlined functions, no lines; faster */
    const char *debug_folder; /* of separate debug files; NULL: /usr/lib/debug. Copied */
} hpp_resolver_options;

/* Creates a resolver. `options` may be NULL. Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpp_resolver_create(hpp_resolver **out,
                                                    const hpp_resolver_options *options,
                                                    hpf_error *err);
HPF_API void hpp_resolver_destroy(hpp_resolver *resolver);

/* Registers an object. Returns its number for hpp_resolver_find; the same object has the same
 * number. Never fails: an object that cannot be read has names without symbols. The file is opened
 * at the first lookup, and ignored if it has another build id by then. */
HPF_API uint32_t hpp_resolver_object(hpp_resolver *resolver, const hpp_object_file *object);

/* Returns whether the object, or a separate debug file with its build id, was found. */
HPF_API bool hpp_resolver_is_found(hpp_resolver *resolver, uint32_t object);

/* Returns the address, in the file's own terms, of the byte at an offset in the file. */
HPF_API uint64_t hpp_resolver_address(hpp_resolver *resolver, uint32_t object, uint64_t offset);

/* Returns the functions at an address, in the file's own terms (virtual address minus load bias).
 * For a return address, the caller subtracts 1 first. */
HPF_API hpp_functions hpp_resolver_find(hpp_resolver *resolver, uint32_t object, uint64_t address);

/* Visits the files with addresses that no symbol covers, and the number of these addresses. Leaves
 * out what is not a file ("", "[vdso]"). Stops at the first visit that does not return 0, and
 * returns its value. */
typedef int hpp_visit_object_file(hpf_str path, uint64_t n_addresses, void *context);
HPF_API int hpp_resolver_each_unnamed(hpp_resolver *resolver, hpp_visit_object_file *visit,
                                      void *context);

HPF_END_DECLS
#endif
