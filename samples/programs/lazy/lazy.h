/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The interface of a small lazy graph-reduction runtime.
 *
 * Every value is an object on a garbage-collected heap. A thunk is a suspended computation; its
 * code runs once, when it is evaluated, and the result overwrites it. Programs are written in C, as
 * a compiler for a lazy language would generate it: one function per piece of code, its arguments
 * and variables in slots of the runtime's own stack, where the collector finds them.
 *
 * Objects move, but only inside lz_eval and lz_call. A pointer that is needed after such a call
 * must be in a slot. Creating an object moves nothing, so such expressions can be nested.
 *
 * All code for the profiler is in profile.c and in the lines marked "Profiler:".
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

/* Code of a thunk or function. `slots` holds the arguments, then the free variables, then locals,
 * which are NULL. The result may be a thunk: the caller evaluates it. To return a value that was
 * created elsewhere, call lz_eval on it, which records a use. */
typedef lz_object *lz_code(lz_runtime *rt, lz_object **slots);

typedef enum lz_kind {
    LZ_CONSTRUCTOR,
    LZ_FUNCTION,
    LZ_PAP, /* a function of two arguments, and the first of them */
    LZ_THUNK,
    LZ_BLACKHOLE,   /* a thunk under evaluation */
    LZ_INDIRECTION, /* a thunk that has been evaluated: refers to its value */
    LZ_CELL,        /* a mutable reference */
    LZ_BYTES,       /* the number of bytes, then bytes; large ones never move */
    LZ_WEAK,        /* a weak pointer: key, value, finalizer, and the next one */
    LZ_DEAD_WEAK,   /* a weak pointer whose key is dead */
    LZ_TSO,         /* represents a thread in profiles */
    LZ_STACK,       /* represents the stack of a thread in profiles */
} lz_kind;

/* The properties that all objects of a class share. */
typedef struct lz_info {
    lz_kind kind;
    unsigned n_refs;   /* words of payload that are references; they are first */
    unsigned n_words;  /* all words of payload; at least 1 for a thunk */
    unsigned n_args;   /* of a function's code */
    unsigned n_locals; /* of a thunk's or function's code */
    lz_code *code;
    lz_static *srt;  /* the static object that the code refers to, or NULL */
    hpp_shape shape; /* Profiler: names and flags */
} lz_info;

/* The header of an object. Its payload of words follows. */
struct lz_object {
    const lz_info *info; /* after the object was copied: its new address plus 1 */
    hpp_header profile;  /* Profiler: its producer, and one more word */
};

static inline lz_object **lz_refs(lz_object *o)
{
    return (lz_object **)(void *)(o + 1);
}

/* ---- Static objects: functions, constructors without fields, top-level thunks (CAFs) --------- */

enum { LZ_STATIC_REFS = 2 };

struct lz_static {
    lz_object object;
    lz_object *refs[LZ_STATIC_REFS]; /* of a CAF: its value, after evaluation */
    hpp_cc *centre;                  /* Profiler: of a CAF, charged for its evaluation */
    lz_static *next;                 /* in the collector's list */
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

/* Evaluates to weak head normal form, and returns a constructor, a function, a cell, ... Records a
 * use of an object that was already evaluated, but not of the value that a thunk has just returned.
 */
lz_object *lz_eval(lz_runtime *rt, lz_object *o);

/* Calls an evaluated function with exactly as many arguments as it takes, and returns the evaluated
 * result. Unused arguments are NULL. */
lz_object *lz_call(lz_runtime *rt, lz_object *function, lz_object *first, lz_object *second);

/* Calls an evaluated function with one more argument. Returns the evaluated result, or a partial
 * application if the function takes two. */
lz_object *lz_apply(lz_runtime *rt, lz_object *function, lz_object *argument);

/* The same, suspended; the function need not be evaluated. */
lz_object *lz_apply_later(lz_runtime *rt, lz_object *function, lz_object *argument);

/* ---- Exceptions ------------------------------------------------------------------------------ */

/* Evaluates, and returns NULL if that raises an exception, whose message is stored. Thunks whose
 * evaluation it ended raise it again. */
lz_object *lz_try(lz_runtime *rt, lz_object *o, const char **message);

/* Raises an exception; with -xc, prints the cost-centre stack. If there is no lz_try, the program
 * ends with status 1: completes the profile, and prints the message to stderr. */
HPF_NORETURN void lz_raise(lz_runtime *rt, const char *message);

/* A call of a function that FUNCTION-like definitions have named: `name_function`. With
 * LZ_PROF_AUTO_CALLS, as with GHC's -fprof-auto-calls, each of these calls has a cost centre of its
 * own, with the name of the function. */
#ifdef LZ_PROF_AUTO_CALLS
#define LZ_CALL(rt, name, first, second)                                                           \
    __extension__({                                                                                \
        HPP_SCC_HERE(#name);                                                                       \
        lz_call(rt, &name##_function.object, first, second);                                       \
    })
#else
#define LZ_CALL(rt, name, first, second) lz_call(rt, &name##_function.object, first, second)
#endif

/* ---- Creating objects ------------------------------------------------------------------------ */

/* Creates an object of a class; unused references are NULL. */
lz_object *lz_new(lz_runtime *rt, const lz_info *info, lz_object *first, lz_object *second,
                  lz_object *third);

lz_object *lz_int(lz_runtime *rt, int64_t number);
int64_t lz_int_value(lz_object *o);

lz_object *lz_cell(lz_runtime *rt, lz_object *content);
lz_object *lz_bytes(lz_runtime *rt, size_t n_bytes);

/* Creates a weak pointer to `value`, which is alive as long as `key` is. The runtime keeps the weak
 * pointer until then, even if no object refers to it. */
lz_object *lz_weak(lz_runtime *rt, lz_object *key, lz_object *value);

/* Gives a weak pointer a finalizer: a thunk that is evaluated after the death of the key, when the
 * program yields. */
void lz_finalize(lz_object *weak, lz_object *finalizer);

/* Returns the value, or NULL if the key is dead. */
lz_object *lz_weak_value(lz_object *weak);

/* ---- Threads: they take turns, and only one runs at a time -------------------------------------
 */

/* Creates a thread that will evaluate `o` in its first turn; `name` may be NULL. */
void lz_fork(lz_runtime *rt, lz_object *o, const char *name);

/* Gives every other thread a turn, which ends when it yields or has finished. Objects may move. */
void lz_yield(lz_runtime *rt);

/* Returns the number of threads, with the main thread. */
size_t lz_n_threads(const lz_runtime *rt);

/* Makes a thunk a spark: a thread of its own evaluates it at the next lz_yield, unless it has a
 * value by then, or no object refers to it. */
void lz_spark(lz_runtime *rt, lz_object *o);

/* ---- Messages, for the event log (-l) -------------------------------------------------------- */

void lz_trace(lz_runtime *rt, const char *message);

/* Marks this moment in pictures of the profile. */
void lz_mark(lz_runtime *rt, const char *label);

/* Profiler: the cost centre of all top-level thunks of the program, main among them. */
extern hpp_cc lz_main_caf;

/* ---- Programs -------------------------------------------------------------------------------- */

/* Collects garbage, and takes a census if the program is profiled. */
void lz_census(lz_runtime *rt);

/* Prints a message to stderr and exits with status 1, for an error of the runtime. */
HPF_NORETURN void lz_fail(const char *message);

/* The main function of a program: parses the command line that README.md describes, and runs code
 * with `n` as its only argument. */
int lz_main(int argc, char **argv, const lz_info *program, int64_t default_n);

#endif
