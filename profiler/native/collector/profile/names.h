/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The functions of profiled programs: interned, with names that fit into `.hp` files, and
 * classified by whose they are (hpfile/frame.h), which decides what names the producer of an
 * allocation.
 *
 * One set of names serves all processes of a run.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_COLLECTOR_PROFILE_NAMES_H
#define HPP_NATIVE_COLLECTOR_PROFILE_NAMES_H

#include <stdbool.h>

#include "hpfile/frame.h"
#include "hpprof/resolve.h"
#include "native/window/window.h"

/* A function. The same name in the same module is the same pointer. */
typedef struct hpp__function {
    hpf_str label;       /* its name without blanks */
    hpf_str name;        /* as the resolver has it; valid as long as the resolver */
    hpf_str module;      /* without folders and blanks */
    hpf_str source;      /* where it begins, "src/parse.c:12", or only the file; or empty */
    uint32_t start_line; /* 0: unknown */
    uint32_t index;      /* dense, from 0 */
    hpf_frame_owner owner;
    bool is_overhead; /* represents all functions of the preload library */
    bool is_start;    /* calls main, or the function of a thread: its callers are not part of the
                         program */
    bool is_nameless; /* of the C library, without a symbol: it may call main */
    bool is_module;   /* represents all functions of a module without symbols: "[module]" */
    bool is_python;   /* a function of a Python program */
    hpp_call call; /* HPP_CALL_NEW or HPP_CALL_NEW_ARRAY for operator new, else HPP_CALL_MALLOC */
    const struct hpp__function *plain; /* of a function at a line: the function; else itself */
} hpp__function;

/* A place in a function. */
typedef struct hpp__frame {
    const hpp__function *function;
    hpf_str path;  /* of the file; empty: unknown */
    hpf_str file;  /* its last part */
    uint32_t line; /* 0: unknown */
} hpp__frame;

typedef struct hpp__frames {
    const hpp__frame *list; /* innermost first */
    size_t n;               /* at least 1 */
} hpp__frames;

typedef struct hpp__names hpp__names;

/* Creates names. `skip` is as for hpf_frame_rules_create. All functions without a
 * symbol in a module are one, "[module]". Errors: MEMORY; ARGUMENT for an invalid expression. */
hpf_status hpp__names_create(hpp__names **out, const char *const *skip, size_t n_skip,
                             hpf_error *err);
void hpp__names_destroy(hpp__names *names);

/* Registers a module; `root` is as in hpp_object_file. Returns its number. */
uint32_t hpp__names_object(hpp__names *names, const hpp_window_module *module, const char *root);

/* Returns the functions at an address, as in resolve.h. Valid until the next call; n is 0 without
 * memory. */
hpp__frames hpp__names_at(hpp__names *names, uint32_t object, uint64_t address);
hpp__frames hpp__names_generated(hpp__names *names, uint32_t process_id, uint64_t address);

/* Returns the function of a frame, but with the line of the frame as its source, which is empty if
 * the line is not known; each line has a function of its own. The function itself if no source is
 * known; NULL without memory. */
const hpp__function *hpp__names_at_line(hpp__names *names, const hpp__frame *frame);

/* Returns the cost centre of a scope as a function; NULL without memory. */
const hpp__function *hpp__names_scope(hpp__names *names, const hpp_window_scope *scope);

/* Returns the function of a Python program's code, "module.qualified_name", and its file. The
 * function is NULL without memory. */
hpp__frame hpp__names_python(hpp__names *names, const hpp_window_code *code);

/* What an object is called that no function has allocated. */
typedef struct hpp__object_name {
    hpf_str name, module; /* the name may have blanks */
    hpf_str file;         /* of its source, or empty */
    uint32_t line;
} hpp__object_name;

/* Returns a new pseudo-function with the name of such objects; NULL without memory. */
const hpp__function *hpp__names_object_kind(hpp__names *names, const hpp__object_name *name);

/* Returns a pseudo-function with the static name `text`; NULL without memory. */
const hpp__function *hpp__names_special(hpp__names *names, hpf_str text);

/* Makes no more names, from now on; to be called in any thread. Then hpp__names_are_final. */
void hpp__names_hurry(hpp__names *names);
bool hpp__names_are_final(const hpp__names *names);

/* Returns the resolver. */
hpp_resolver *hpp__names_resolver(hpp__names *names);

/* Copies `text` to `out`, which has room for it, in the form of names: without blanks next to
 * punctuation, with '_' for other blanks, and '?' for control characters. Returns the length. */
size_t hpp__names_clean(char *out, hpf_str text);

#endif
