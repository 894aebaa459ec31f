/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Where the roots of an image are: the memory of a process that is not the heap, but may point into
 * it.
 *
 * Roots are: writable segments of all loaded objects, also segments that are read-only after
 * relocation; of each thread the registers, the thread-local variables and the stack; and mappings
 * that the program has made itself. Not roots are mappings with live blocks in them (they are the
 * allocator's), the stacks of ended threads, which the C library keeps, and what belongs to the
 * profiler.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_COLLECTOR_ROOTS_ROOTS_H
#define HPP_NATIVE_COLLECTOR_ROOTS_ROOTS_H

#include "base/text.h"
#include "native/collector/image/image.h"
#include "thread_frames.h"
#include "hpprof/resolve.h"

/* What kind of memory a root is. */
typedef enum hpp__root_kind {
    HPP__ROOT_VARIABLE,  /* a variable of a module */
    HPP__ROOT_MODULE,    /* data of a module that no symbol covers */
    HPP__ROOT_STACK,     /* frames of a function, or a whole stack */
    HPP__ROOT_REGISTERS, /* of a thread */
    HPP__ROOT_TLS,       /* thread-local variables */
    HPP__ROOT_MAPPING,   /* memory that the program has mapped by itself */
    /* Of CPython (python_roots.h): */
    HPP__ROOT_GLOBAL,        /* a variable of a module in Python */
    HPP__ROOT_PYTHON_MODULE, /* a module in Python without its variables */
    HPP__ROOT_CLASS,
    HPP__ROOT_FRAME,       /* of a function that a thread runs */
    HPP__ROOT_INTERPRETER, /* all variables of the interpreter in C */
    /* Of a Haskell heap (haskell/references.h), in the order of hpp__haskell_root: */
    HPP__ROOT_CAF,
    HPP__ROOT_STABLE,
    HPP__ROOT_HASKELL_THREAD,
    HPP__ROOT_WEAK,
    HPP__ROOT_REST,
    HPP__N_ROOT_KINDS
} hpp__root_kind;

/* A loaded object. */
typedef struct hpp__root_module {
    const char *path; /* borrowed from the image */
    hpf_str name;
    uint64_t begin, end, bias;
    uint32_t object;      /* of the resolver */
    bool is_libc, is_own; /* is_own: the profiler's library */
} hpp__root_module;

typedef struct hpp__root_area {
    uint64_t begin, end;
    hpp__root_kind kind; /* VARIABLE: variables or other data of module `index` */
    uint32_t index;      /* of the module, the thread or the mapping */
} hpp__root_area;

typedef struct hpp__roots {
    const hpp__image *image; /* borrowed */
    hpp_resolver *resolver;  /* borrowed */
    hpp__root_module *modules;
    size_t n_modules, modules_capacity;
    hpp__root_area *areas; /* sorted by address */
    size_t n_areas, areas_capacity;
    const hpp__stacks *stacks; /* borrowed */
    uint64_t tls_bytes;        /* of the objects that were there at the start, at least */
    uint64_t own_tls_bytes;    /* of the program, up to the thread pointer; 0: not known */
    uint32_t program;          /* the module that these are of */
    uint32_t interpreter;      /* module that is the interpreter of Python; UINT32_MAX: none */
} hpp__roots;

/* Lists the roots of an image. `stacks` has the frames of the image before, and gets those of this
 * one. Errors: MEMORY. Call hpp__roots_finish in any case. */
hpf_status hpp__roots_init(hpp__roots *roots, const hpp__image *image, hpp__stacks *stacks,
                           hpp_resolver *resolver, hpf_error *err);
void hpp__roots_finish(hpp__roots *roots);

/* Finds a variable of a module by its name. */
bool hpp__roots_variable(const hpp__roots *roots, uint32_t module, const char *name,
                         uint64_t *address);

/* The order of frames: outer ones go before inner ones, the first thread's before those of others
 * with the same depth, all of them before those of the C library; what belongs to no known frame is
 * last, and a variable whose block the function has left. Of a frame, variables go first, then
 * those of inlined functions. */
enum {
    HPP__ORDER_LIBC = 3 * 2 * 2 * HPP__MAX_FRAMES,
    HPP__ORDER_LAST = 2 * HPP__ORDER_LIBC,
    HPP__STACK_ORDERS
};

/* Returns whether a part of a stack, or a register, with this order is the frame of main, or of
 * another function that the first thread has begun with. */
static inline bool hpp__order_is_of_main(uint32_t order)
{
    return order < 3;
}

/* A part of an area with a name of its own: [begin, end). */
typedef struct hpp__root_part {
    uint64_t begin, end;
    hpp__root_kind kind;
    hpf_str module;
    uint32_t order;  /* of stacks and registers: below HPP__STACK_ORDERS */
    bool is_skipped; /* no root: variables of the C library's allocator, frames of the profiler */
} hpp__root_part;

/* Returns the part of an area that contains an address, and replaces `name` by its name. */
hpp__root_part hpp__roots_part(const hpp__roots *roots, const hpp__root_area *area,
                               uint64_t address, hpp__text *name);

/* Returns whether the C library's allocator may have stored `word` in an area to remember free
 * memory: then it is the address of the header before the chunk that follows `block`, whose last 8
 * bytes belong to both. */
bool hpp__roots_is_chunk_header(const hpp__roots *roots, const hpp__root_area *area, uint64_t word,
                                const hpp__image_block *block);

#endif
