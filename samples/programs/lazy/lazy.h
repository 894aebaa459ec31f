/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A small lazy graph-reduction runtime: what a program sees of it.
 *
 * Everything is an object on a garbage-collected heap. A thunk is a suspended computation; to
 * evaluate it is to run its code, once, and to overwrite it with the result. Programs are written
 * in C, as a compiler for a lazy language would write them: one function per piece of code, its
 * arguments and variables in slots of the runtime's own stack, where the collector finds them.
 *
 * The one rule: objects move, but only inside lz_eval and lz_call. A pointer that is needed after
 * such a call has to be in a slot. Making objects moves nothing, so expressions nest freely.
 *
 * All that concerns the profiler is in profile.c and in the lines marked "Profiler:".
 */
#ifndef LAZY_H
#define LAZY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hpprof/runtime.h"
#include "hpprof/scope.h"

typedef struct lz_runtime lz_runtime;
typedef struct lz_object lz_object;
typedef struct lz_static lz_static;

/* Code of a thunk or function. `slots` hold the arguments, then the free variables, then locals,
 * which are NULL. The result may be a thunk: it is evaluated by the caller. To return a value that
 * somebody else has made, use lz_eval on it: that is a use. */
typedef lz_object *lz_code(lz_runtime *rt, lz_object **slots);

typedef enum lz_kind {
    LZ_CONSTRUCTOR,
    LZ_FUNCTION,
    LZ_THUNK,
    LZ_BLACKHOLE,   /* a thunk under evaluation */
    LZ_INDIRECTION, /* a thunk that has been evaluated: leads to its value */
    LZ_CELL,        /* a mutable reference */
    LZ_BYTES,       /* bytes, their number first; large ones are never copied */
    LZ_WEAK,        /* a weak pointer: key, value, and the next one */
    LZ_DEAD_WEAK,   /* its key is gone */
    LZ_STACK,       /* the stack, as the profiler sees it */
} lz_kind;

/* What objects of one class have in common. */
typedef struct lz_info {
    lz_kind kind;
    unsigned n_refs;   /* words of payload that are references; they come first */
    unsigned n_words;  /* words of payload in all; at least 1 for a thunk */
    unsigned n_args;   /* of a function's code */
    unsigned n_locals; /* of a thunk's or function's code */
    lz_code *code;
    lz_static *srt;  /* the static object that the code refers to, or NULL */
    hpp_shape shape; /* Profiler: names and flags */
} lz_info;

/* The header of an object. Its payload of words follows. */
struct lz_object {
    const lz_info *info; /* in the heap that is left behind: the object's new address plus 1 */
    hpp_header profile;  /* Profiler: who made it, and a word more */
};

static inline lz_object **lz_refs(lz_object *o)
{
    return (lz_object **)(void *)(o + 1);
}

/* ---- Static objects: functions, constructors without fields, top-level thunks (CAFs) --------- */

enum { LZ_STATIC_REFS = 2 };

struct lz_static {
    lz_object object;
    lz_object *refs[LZ_STATIC_REFS]; /* of a CAF: its value, once it has one */
    hpp_cc *centre;                  /* Profiler: of a CAF, who pays for its evaluation */
    lz_static *next;                 /* the collector's list */
    unsigned found_by;               /* the number of the last collection that reached it */
};

/* ---- Defining classes of objects ------------------------------------------------------------- */

#define LZ_TEXT(literal)                                                                           \
    {                                                                                              \
        (literal), sizeof(literal) - 1                                                             \
    }
#define LZ_SHAPE(what, of_type, of_kind, with_flags)                                               \
    {                                                                                              \
        .description = LZ_TEXT(what), .type = LZ_TEXT(of_type), .module = LZ_TEXT(HPP_MODULE),     \
        .kind = LZ_TEXT(of_kind), .flags = (with_flags)                                            \
    }

#define LZ_CONSTRUCTOR_INFO(what, of_type, refs, words)                                            \
    {                                                                                              \
        .kind = LZ_CONSTRUCTOR, .n_refs = (refs), .n_words = (words),                              \
        .shape = LZ_SHAPE(what, of_type, "CONSTR", 0)                                              \
    }
#define LZ_THUNK_INFO(what, refs, locals, run)                                                     \
    {                                                                                              \
        .kind = LZ_THUNK, .n_refs = (refs), .n_words = (refs) > 0 ? (refs) : 1,                    \
        .n_locals = (locals), .code = (run), .shape = LZ_SHAPE(what, "*", "THUNK", HPP_RETAINER)   \
    }
#define LZ_FUNCTION_INFO(what, args, refs, locals, run)                                            \
    {                                                                                              \
        .kind = LZ_FUNCTION, .n_args = (args), .n_refs = (refs), .n_words = (refs),                \
        .n_locals = (locals), .code = (run), .shape = LZ_SHAPE(what, "->*", "FUN", 0)              \
    }
#define LZ_STATIC_FUNCTION_INFO(what, args, locals, run, refers_to)                                \
    {                                                                                              \
        .kind = LZ_FUNCTION, .n_args = (args), .n_locals = (locals), .code = (run),                \
        .srt = (refers_to), .shape = LZ_SHAPE(what, "->*", "FUN_STATIC", HPP_STATIC)               \
    }
#define LZ_CAF_INFO(what, locals, run, refers_to)                                                  \
    {                                                                                              \
        .kind = LZ_THUNK, .n_words = 1, .n_locals = (locals), .code = (run), .srt = (refers_to),   \
        .shape = LZ_SHAPE(what, "*", "THUNK_STATIC", HPP_STATIC | HPP_RETAINER)                    \
    }

/* ---- Evaluation ------------------------------------------------------------------------------ */

/* Evaluates to weak head normal form: the result is a constructor, a function, a cell, ... What has
 * been evaluated before is used thereby; the very first value of a thunk is not, it is handed over.
 */
lz_object *lz_eval(lz_runtime *rt, lz_object *o);

/* Calls a function, which is evaluated, with exactly as many arguments as it takes; evaluates the
 * result. Arguments that it does not take are NULL. */
lz_object *lz_call(lz_runtime *rt, lz_object *function, lz_object *first, lz_object *second);

/* ---- Making objects -------------------------------------------------------------------------- */

/* An object of a class; absent references are NULL. */
lz_object *lz_new(lz_runtime *rt, const lz_info *info, lz_object *first, lz_object *second,
                  lz_object *third);

lz_object *lz_int(lz_runtime *rt, int64_t number);
int64_t lz_int_value(lz_object *o);

lz_object *lz_cell(lz_runtime *rt, lz_object *content);
lz_object *lz_bytes(lz_runtime *rt, size_t n_bytes);

/* A weak pointer to `value`, which is alive as long as `key` is. It is kept by the runtime, whether
 * anything leads to it or not. */
lz_object *lz_weak(lz_runtime *rt, lz_object *key, lz_object *value);

/* The value, or NULL when the key is gone. */
lz_object *lz_weak_value(lz_object *weak);

/* ---- Programs -------------------------------------------------------------------------------- */

/* Collects, and takes a census if the program is profiled. */
void lz_census(lz_runtime *rt);

/* Prints a message to stderr and ends the program. */
HPF_NORETURN void lz_fail(const char *message);

/* The main function of a program: runs code, with `n` as its only argument, under the options that
 * README.md tells of. */
int lz_main(int argc, char **argv, const lz_info *program, int64_t default_n);

#endif
