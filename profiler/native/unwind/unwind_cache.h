/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What one thread remembers of the stacks that it has unwound: which words decided, and the place
 * that came out.
 *
 * An unwind reads words one after the other, and where it reads next follows from what it has read.
 * So all stacks with the same (pc, sp) form a decision tree. The first one seen is an entry under
 * (pc, sp) with all its words; one that differs from it in word i, and there has the value v, is an
 * entry under (first, i, v) with the words behind i only. Checking a stack is to compare the words
 * of the first entry, which nearly always agree; where they do not, to go to the entry under what
 * is there instead, and so on.
 *
 * In line, only a first entry is looked at, and all of its words are compared at once. Where other
 * stacks were seen under its (pc, sp), that would often be in vain: so the word in which the last
 * of them differed, the fork, is compared before.
 *
 * A search that comes to nothing ends where its stack belongs, and leaves a note of that, the gap:
 * so whoever then walks the stack need not hand over again the words that led there, nor are they
 * compared again.
 *
 * Entries are only added. When the memory is used up, all are forgotten.
 *
 * Threads: a cache belongs to one thread.
 */
#ifndef HPP_NATIVE_UNWIND_CACHE_H
#define HPP_NATIVE_UNWIND_CACHE_H

#include "unwind.h"
#include "native/window/window.h"

enum {
    HPP_UNWIND_CACHE_BATCH = 4, /* words are compared so many at a time, and filled up to that */
    HPP_UNWIND_CACHE_MAX_WORDS = 4096, /* deeper stacks are not remembered */
};

/* Where a call came from, as the entry of an exported function sees it. */
typedef struct hpp_caller {
    uintptr_t pc; /* return address */
    uintptr_t sp; /* stack pointer after the return: the canonical frame address of the callee */
    uintptr_t fp; /* rbp of the caller */
} hpp_caller;

/* What a call is counted for. `cell` is that of the thread's slot, and may be NULL (window full).
 */
typedef struct hpp_place {
    uint32_t site;
    hpp_window_cell *cell;
} hpp_place;

/* Words of a remembered stack: their places, in bytes from where the return address of the call is,
 * and their values. */
typedef struct hpp_unwind_cache_batch {
    uint32_t offsets[HPP_UNWIND_CACHE_BATCH];
    uintptr_t values[HPP_UNWIND_CACHE_BATCH];
} hpp_unwind_cache_batch;

/* A remembered stack, or the outer part of one; batches of words follow. The caller's rbp may be
 * among the words: `rbp_mask` is all ones then, and the return address of the call, which is the
 * same for all calls that come here, stands at `rbp_index`. */
typedef struct hpp_unwind_cache_entry {
    hpp_place place;
    const hpp_unwind_cache_batch *end; /* of the batches */
    uintptr_t rbp, rbp_mask;
    uint16_t rbp_index;
    uint16_t n_words;     /* with those that fill the last batch */
    uint32_t fork_offset; /* of a first entry; its value: hpp_unwind_cache_slot */
} hpp_unwind_cache_entry;

_Static_assert(sizeof(hpp_unwind_cache_entry) % sizeof(hpp_pair) == 0,
               "batches are aligned for pairs");

static inline const hpp_unwind_cache_batch *
hpp__unwind_cache_batches(const hpp_unwind_cache_entry *entry)
{
    return (const hpp_unwind_cache_batch *)(const void *)(entry + 1);
}

/* A first entry is under the pc, with the call in the bits above it, and the stack pointer; if some
 * of its words are on another stack than the thread's own, with HPP_UNWIND_CACHE_FOREIGN. Others:
 * unwind_cache.c. cache.c.
 */
typedef struct hpp_unwind_cache_slot {
    uint64_t a, b;
    hpp_unwind_cache_entry *entry; /* NULL: nothing here */
    uint64_t fork_value; /* of a first entry that is on the thread's own stack; at first, the
                            return address of the call stands in for a fork */
} hpp_unwind_cache_slot;

#define HPP_UNWIND_CACHE_FOREIGN ((uint64_t)1 << 62)

/* Where entries' memory comes from: blocks of growing size, used one after the other. */
enum { HPP_UNWIND_CACHE_N_BLOCKS = 8 };
typedef struct hpp_unwind_cache_pool {
    char *blocks[HPP_UNWIND_CACHE_N_BLOCKS];
    uint32_t block;      /* in use */
    uint32_t used_bytes; /* of it */
} hpp_unwind_cache_pool;

/* Where the last search in vain ended: `n_known` words, the innermost, are as remembered; the next
 * one is at `address` (0: it is rbp) and differs, so the stack belongs under `a` and `b`. */
typedef struct hpp_unwind_cache_gap {
    uint64_t key; /* of the call that was looked for; 0: there is no gap */
    uintptr_t sp;
    uint64_t a, b; /* `a` is 0 of a stack that is the first one */
    uintptr_t address;
    uint32_t n_known;
    bool is_own; /* all words of the others are on the thread's own stack */
} hpp_unwind_cache_gap;

typedef struct hpp_unwind_cache_table {
    hpp_unwind_cache_slot *slots;
    uint64_t mask_bytes; /* (number of slots - 1) * the size of one */
    uint64_t n_entries;
    hpp_unwind_cache_gap gap;
    hpp_unwind_cache_pool pool;
} hpp_unwind_cache_table;

/* Makes an empty table. False: there is no memory. */
bool hpp__unwind_cache_begin(hpp_unwind_cache_table *out);
void hpp__unwind_cache_forget(hpp_unwind_cache_table *cache);
void hpp__unwind_cache_end(hpp_unwind_cache_table *cache);

/* The place of a call whose stack is remembered, or false, and then there is a gap. `call` is an
 * hpp_call. */
bool hpp__unwind_cache_find(hpp_place *out, hpp_unwind_cache_table *cache, const hpp_caller *caller,
                            uint32_t call);

/* Whether the gap is that of a call, whose stack turned out to be on the thread's own or not, and
 * how many of its words are known. */
bool hpp__unwind_cache_has_gap(uint32_t *n_known, hpp_unwind_cache_table *cache,
                               const hpp_caller *caller, uint32_t call, bool are_own);

/* Remembers the stack that there is a gap for, as hpp__unwind_cache_has_gap has said. The words are
 * those behind the known ones, in the order in which they were needed. */
void hpp__unwind_cache_add(hpp_unwind_cache_table *cache, hpp_caller caller, const hpp_word *words,
                           uint32_t n_words, hpp_place place);

/* ---- the usual case, in line --------------------------------------------------------------- */

static inline uint64_t hpp__unwind_cache_key(uintptr_t pc, uint32_t call)
{
    return pc | (uint64_t)call << 56;
}

/* The slot where the search for a key begins. */
static inline hpp_unwind_cache_slot *hpp__unwind_cache_slot_of(const hpp_unwind_cache_table *cache,
                                                               uint64_t a, uint64_t b)
{
    uint64_t hash = (a + 8 * b) * 0x9e3779b97f4a7c15;
    return (hpp_unwind_cache_slot *)(void *)((char *)cache->slots +
                                             (hash >> 32 & cache->mask_bytes));
}

/* Compares the words of a first entry; all of them must be readable. */
HPP_UNSANITIZED static inline bool hpp__unwind_cache_agrees(const hpp_unwind_cache_slot *first,
                                                            uintptr_t sp, uintptr_t fp)
{
    const hpp_unwind_cache_entry *entry = first->entry;
    const char *base = (const char *)sp - 8;
    if (hpp__memory_word((uintptr_t)base + entry->fork_offset) != first->fork_value) {
        return false;
    }
    const hpp_unwind_cache_batch *batch = hpp__unwind_cache_batches(entry);
    const hpp_unwind_cache_batch *end = entry->end;
    hpp_pair low = hpp__pair_of((fp ^ entry->rbp) & entry->rbp_mask);
    hpp_pair high = hpp__pair_of(0);
    do {
        uint64_t one = hpp__two_offsets(&batch->offsets[0]);
        uint64_t other = hpp__two_offsets(&batch->offsets[2]);
        low |= hpp__pair_at(base + (uint32_t)one, base + (one >> 32)) ^
               hpp__pair_in(&batch->values[0]);
        high |= hpp__pair_at(base + (uint32_t)other, base + (other >> 32)) ^
                hpp__pair_in(&batch->values[2]);
    } while (++batch != end);
    return hpp__pair_is_zero(low | high);
}

#endif
