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
} hpp_object_file;

/* Options of a resolver. All zero is a sensible default. */
typedef struct hpp_resolver_options {
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

/* Returns the functions at an address, in the file's own terms (virtual address minus load bias).
 * For a return address, the caller subtracts 1 first. */
HPF_API hpp_functions hpp_resolver_find(hpp_resolver *resolver, uint32_t object, uint64_t address);

/* Says that processes may have generated code since the last call. */
HPF_API void hpp_resolver_expect_code(hpp_resolver *resolver);

/* Returns the function of process `process_id` at an address in no object (generated code), from
 * /tmp/perf-PID.map if the program writes one, else "[generated]". For an address that is unknown,
 * the file is read again if it has changed, once after each hpp_resolver_expect_code. */
HPF_API hpp_functions hpp_resolver_find_generated(hpp_resolver *resolver, uint32_t process_id,
                                                  uint64_t address);

/* Finds the variable at an address of an object, in the file's own terms. Without one, returns
 * false and stores the next variable's addresses in `*out`, or 0 and 0. */
HPF_API bool hpp_resolver_variable(hpp_resolver *resolver, uint32_t object, uint64_t address,
                                   hpp_variable *out);

/* Finds the rule for the caller of the function at an address. Returns false if the unwind tables
 * have none, or one that is not of this simple form. */
HPF_API bool hpp_resolver_caller(hpp_resolver *resolver, uint32_t object, uint64_t address,
                                 hpp_caller_rule *out);

/* Finds the variable that contains the 8 bytes at an offset from the canonical frame address of a
 * function, whose code is at `address` (hpp_resolver_caller). Without one, returns false and stores
 * the place between its neighbours in `*out`. Only variables count that are in memory as long as
 * the function is there: for these, debugging information gives a place relative to the frame. */
HPF_API bool hpp_resolver_local(hpp_resolver *resolver, uint32_t object, uint64_t address,
                                int64_t offset, hpp_local *out);

/* Finds the variable of an object by its name in the symbol table; its address is one of the file's
 * own. */
HPF_API bool hpp_resolver_variable_named(hpp_resolver *resolver, uint32_t object, const char *name,
                                         uint64_t *address);

/* Returns the type of the object that a call returned a pointer to, by the debugging information of
 * the code at `address` after it: "struct node" in C, "ns::Node" in C++. Empty if it is not known.
 */
HPF_API hpf_str hpp_resolver_result_type(hpp_resolver *resolver, uint32_t object, uint64_t address,
                                         bool *is_structure);

/* Visits the files with addresses that no symbol covers, and the number of these addresses. Leaves
 * out what is not a file ("", "[vdso]"). Stops at the first visit that does not return 0, and
 * returns its value. */
typedef int hpp_visit_object_file(hpf_str path, uint64_t n_addresses, void *context);
HPF_API int hpp_resolver_each_unnamed(hpp_resolver *resolver, hpp_visit_object_file *visit,
                                      void *context);

/* Returns what this build lacks, to be followed by "not built in"; "" if it lacks nothing. */
HPF_API const char *hpp_resolver_missing(void);

HPF_END_DECLS
#endif
