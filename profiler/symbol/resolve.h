/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names for addresses: functions, with what was inlined there, files and lines.
 *
 * Debugging information is read by libdw, from the object itself, from its separate debug file (by
 * build id or debug link), or from a debuginfod server where that is asked for. Without any, the
 * symbol table names the function; without that, the bounds of the function in the unwind tables
 * do: `module+0x1234` is the function's first address in the file's own terms, so that all places
 * in one function have one name. (A part that the compiler moved elsewhere has bounds and a name of
 * its own.) An address is looked up once.
 *
 * Names are for `.hp` files as well: they have no control characters and no blank before a digit;
 * no blank follows a comma in them.
 *
 * Threads: one resolver, one thread at a time.
 */
#ifndef HPP_SYMBOL_RESOLVE_H
#define HPP_SYMBOL_RESOLVE_H

#include <stdbool.h>

#include "hpfile/event.h"

typedef struct hpp_resolver hpp_resolver;

/* An object file, as a program had it mapped. */
typedef struct hpp_object_file {
    const char *path;        /* as the program saw it; "" for generated code */
    const uint8_t *build_id; /* NULL: none */
    size_t n_build_id;
} hpp_object_file;

/* A function at an address. Texts are borrowed until the resolver is destroyed, never NULL, and end
 * with a NUL; equal texts are equal pointers. */
typedef struct hpp_function {
    hpf_str name;    /* demangled, without parameters: "std::vector<int>::push_back" */
    hpf_str linkage; /* as in the object file; empty when there is none */
    hpf_str module;  /* the file's name without folders: "libc.so.6"; "[generated]" for path "" */
    hpf_str file;    /* source file with its folders, as the compiler recorded it; or empty */
    uint32_t line;   /* 0: unknown. For an inlined function's caller, where it was inlined */
    bool is_inlined; /* into the next of the list */
    bool has_symbol; /* false: the name is `module+0x1234` */
} hpp_function;

/* The functions at one address, innermost first: inlined ones, then the one that holds the code. At
 * least one, and never the same one twice in a row. */
typedef struct hpp_functions {
    const hpp_function *list;
    size_t n;
} hpp_functions;

/* Options of a resolver. Zero is a sensible default. */
typedef struct hpp_resolver_options {
    bool without_inlines; /* and without lines: symbol tables only; quicker */
    bool with_debuginfod; /* ask servers (DEBUGINFOD_URLS) for what is not on this machine; waits */
    const char *debug_folder; /* of separate debug files; NULL: /usr/lib/debug. Copied */
} hpp_resolver_options;

/* Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpp_resolver_create(hpp_resolver **out,
                                                    const hpp_resolver_options *options,
                                                    hpf_error *err);
HPF_API void hpp_resolver_destroy(hpp_resolver *resolver);

/* Makes an object known. Returns its number, for hpp_resolver_find; the same object has the same
 * number. Its file is opened when an address of it is first looked up; a file whose build id is
 * another by then is not used. Never fails: what cannot be read has names without symbols. */
HPF_API uint32_t hpp_resolver_object(hpp_resolver *resolver, const hpp_object_file *object);

/* What is at an address, in the file's own terms (virtual address minus load bias). For a return
 * address the caller subtracts 1 first. Borrowed until the resolver is destroyed. */
HPF_API hpp_functions hpp_resolver_find(hpp_resolver *resolver, uint32_t object, uint64_t address);

/* Generated code: the function of process `process_id` at an address in no object, from
 * /tmp/perf-PID.map where a program writes one, else "[generated]". */
HPF_API hpp_functions hpp_resolver_find_generated(hpp_resolver *resolver, uint32_t process_id,
                                                  uint64_t address);

/* Visits the files in which addresses were found that no symbol covers, with their number. What is
 * no file ("", "[vdso]") is left out. Stops at the first visit that returns other than 0, and
 * returns that. */
typedef int hpp_visit_object_file(hpf_str path, uint64_t n_addresses, void *context);
HPF_API int hpp_resolver_each_unnamed(hpp_resolver *resolver, hpp_visit_object_file *visit,
                                      void *context);

/* What names lack in this build or on this machine, as words to follow "not there: "; "" when they
 * lack nothing. */
HPF_API const char *hpp_resolver_missing(void);

#endif
