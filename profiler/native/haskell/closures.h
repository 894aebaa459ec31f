/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The closures of a Haskell heap: what their info tables say, how large they are, and what GHC's
 * own profile by closure type (-hT) calls them.
 *
 * A closure begins with the address of its code, and its info table ends there
 * (rts/storage/InfoTables.h, as with TABLES_NEXT_TO_CODE on x86-64). Each table is read once. One
 * is a table only if it is before code, its type exists, and its sizes are possible.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_HASKELL_CLOSURES_H
#define HPP_NATIVE_HASKELL_CLOSURES_H

#include "base/text.h"
#include "megablocks.h"

/* What is known of the closures with an info table. */
typedef struct hpp__haskell_info {
    uint64_t address;
    uint8_t type;                 /* hpp_haskell_type */
    uint32_t n_pointers, n_words; /* of the payload */
    uint64_t bitmap;              /* of a frame: its size and which of its words are no pointers */
    uint64_t table;               /* what its code refers to (SRT); 0: nothing */
    bool is_application;          /* a thunk of the run-time system that applies a function */
    uint8_t owner;                /* of its code: hpp__haskell_owner (names.h) */
    uint64_t n_closures, n_bytes; /* that were reached */
} hpp__haskell_info;

/* Those of these closures which apply the same function, select from closures of one kind, or are
 * the stacks of threads that are in the same code. */
typedef struct hpp__haskell_use {
    uint32_t info, subject; /* indices; subject UINT32_MAX: not known */
    uint64_t n_closures, n_bytes;
} hpp__haskell_use;

/* What symbols say of the run-time system; 0: not known. */
enum { HPP__HASKELL_APPLICATIONS = 7 };
typedef struct hpp__haskell_variables {
    uint64_t stables, n_stables; /* the table of stable pointers */
    uint64_t weaks; /* where the list of weak pointers of the non-moving collector begins */
    uint64_t applications[HPP__HASKELL_APPLICATIONS]; /* code of thunks that apply a function */
} hpp__haskell_variables;

typedef struct hpp__haskell_closures {
    hpp__haskell_heap *heap;                 /* borrowed */
    const hpp__haskell_variables *variables; /* borrowed */
    hpp__haskell_info *infos;
    size_t n_infos, infos_capacity;
    hpp__map info_at;         /* address -> index + 1, or NOT_AN_INFO */
    uint32_t recent[1 << 10]; /* by address: index + 1 of one that was used */
    hpp__haskell_use *uses;
    size_t n_uses, uses_capacity;
    hpp__map use_of; /* info and subject -> index + 1 */
} hpp__haskell_closures;

void hpp__haskell_closures_finish(hpp__haskell_closures *closures);

/* Returns the info table at an address, or NULL. It is valid until the next call. */
hpp__haskell_info *hpp__haskell_info_at(hpp__haskell_closures *closures, uint64_t address);

/* Returns how many words a closure has, of which the first `n` are given; 0 if it is impossible. */
uint64_t hpp__haskell_closure_words(const hpp__haskell_closures *closures,
                                    const hpp__haskell_info *info, const uint64_t *words, size_t n);

/* Returns whether closures are named by what they apply or select from, or by a stack. */
static inline bool hpp__haskell_has_subject(const hpp__haskell_info *info)
{
    return info->type == HPP_HASKELL_PAP || info->type == HPP_HASKELL_AP ||
           info->type == HPP_HASKELL_THUNK_SELECTOR || info->type == HPP_HASKELL_TSO ||
           info->type == HPP_HASKELL_STACK || info->is_application;
}

/* Returns the pointer to that in the first `n` words of such a closure, of a stack to its innermost
 * frame; 0: there are too few. */
static inline uint64_t hpp__haskell_subject(const hpp__haskell_info *info, const uint64_t *words,
                                            size_t n)
{
    size_t place = info->type == HPP_HASKELL_AP || info->type == HPP_HASKELL_TSO ? 3 : 2;
    return place < n ? words[place] : 0;
}

/* Returns the number of the use of closures with an info table and a subject, from 1, a new one if
 * needed; 0 without memory. `subject` NULL: not known. */
uint32_t hpp__haskell_use_number(hpp__haskell_closures *closures, uint32_t info,
                                 const hpp__haskell_info *subject);

/* Replaces `out` by the name of closures: "package:Module.Constructor", or the type. */
void hpp__haskell_closure_name(const hpp__haskell_closures *closures, const hpp__haskell_info *info,
                               hpp__text *out);

static inline bool hpp__haskell_is_constructor(uint8_t type)
{
    return type >= HPP_HASKELL_CONSTR && type <= HPP_HASKELL_CONSTR_NOCAF;
}

static inline bool hpp__haskell_is_frame(uint8_t type)
{
    return (type >= HPP_HASKELL_RET_BCO && type <= HPP_HASKELL_STOP_FRAME) ||
           (type >= HPP_HASKELL_ATOMICALLY_FRAME && type <= HPP_HASKELL_CATCH_STM_FRAME);
}

#endif
