/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A thread's cache of unwound stacks: the stack words that each unwind depended on, and its result,
 * a place.
 *
 * An unwind reads words one after the other; the address of the next follows from those before. So
 * all stacks with the same (pc, sp) form a decision tree. The first one is an entry under (pc, sp)
 * with all its words. One that differs from it in word i, which has the value v, is an entry under
 * (first, i, v) with the words after i only. A lookup compares the words of the first entry, which
 * are nearly always equal. If a word differs, it continues with the entry under the new value, and
 * so on.
 *
 * The inline functions look only at a first entry, and compare all of its words at once. If there
 * are other stacks under its (pc, sp), that would often fail; so the word in which the last of them
 * differed, the fork, is compared before.
 *
 * A failed lookup ends where its stack belongs in the tree, and stores that place as the gap. After
 * the walk, only the words after the gap are added.
 *
 * Entries are only added. When the memory is used up, the cache is cleared.
 *
 * While images of the process are taken, slots and entries are zero in a child of fork. If it was
 * called by the handler of a signal that came during a lookup, that finds nothing: no pointer is
 * read twice, and an entry of zeros has no words.
 *
 * Threads: a cache belongs to one thread.
 */
#ifndef HPP_NATIVE_TARGET_UNWIND_UNWIND_CACHE_H
#define HPP_NATIVE_TARGET_UNWIND_UNWIND_CACHE_H

#include "unwind.h"
#include "native/window/window.h"

enum {
    HPP_UNWIND_CACHE_BATCH = 4,        /* words are compared in batches of this size, padded */
    HPP_UNWIND_CACHE_MAX_WORDS = 4096, /* longer stacks are not cached */
};

/* The caller's registers at the entry of an exported function. */
typedef struct hpp_caller {
    uintptr_t pc; /* return address */
    uintptr_t sp; /* stack pointer after the return: the canonical frame address of the callee */
    uintptr_t fp; /* fp of the caller */
} hpp_caller;

/* The counters of a call. `cell` is in the thread's slot, and may be NULL (window full). */
typedef struct hpp_place {
    uint32_t site;
    hpp_window_cell *cell;
} hpp_place;

/* Words of a cached stack: their addresses, in bytes from 8 bytes below the caller's stack pointer,
 * and their values. */
typedef struct hpp_unwind_cache_batch {
    uint32_t offsets[HPP_UNWIND_CACHE_BATCH];
    uintptr_t values[HPP_UNWIND_CACHE_BATCH];
} hpp_unwind_cache_batch;

/* A cached stack, or the outer part of one; batches of words follow. If the caller's fp is among
 * the words, `fp_mask` is all ones, and the word at `fp_index` is a neutral one
 * instead: one that is equal whenever the words before it are. */
typedef struct hpp_unwind_cache_entry {
    hpp_place place;
    const hpp_unwind_cache_batch *end; /* of the batches */
    uintptr_t fp, fp_mask;
    uint16_t fp_index;
    uint16_t n_words; /* with the padding of the last batch */
    union {
        uint32_t fork_offset;  /* of a first entry; its value: hpp_unwind_cache_slot */
        uint32_t parent_index; /* of another: index of the word that differs in its parent */
    };
    struct hpp_unwind_cache_entry *child; /* the last one that was found below it, or NULL */
    uintptr_t child_value;                /* that the word has in the child's stacks */
} hpp_unwind_cache_entry;

_Static_assert(sizeof(hpp_unwind_cache_entry) % sizeof(hpp_pair) == 0,
               "batches are aligned for pairs");

static inline const hpp_unwind_cache_batch *
hpp__unwind_cache_batches(const hpp_unwind_cache_entry *entry)
{
    return (const hpp_unwind_cache_batch *)(const void *)(entry + 1);
}

/* The key of a first entry is the pc, with the call in the bits above it, and the stack pointer;
 * with HPP_UNWIND_CACHE_FOREIGN if some of its words are not on the thread's own stack. See
 * unwind_cache.c for other keys. */
typedef struct hpp_unwind_cache_slot {
    uint64_t a, b;
    hpp_unwind_cache_entry *entry; /* NULL: free */
    uint64_t fork_value; /* of a first entry on the thread's own stack; without a fork, the one of
                            a neutral word */
} hpp_unwind_cache_slot;

#define HPP_UNWIND_CACHE_FOREIGN ((uint64_t)1 << 62)

/* The memory of entries: blocks of growing size, used one after the other. */
enum { HPP_UNWIND_CACHE_N_BLOCKS = 8 };
typedef struct hpp_unwind_cache_pool {
    char *blocks[HPP_UNWIND_CACHE_N_BLOCKS];
    uint32_t block;      /* in use */
    uint32_t used_bytes; /* of it */
} hpp_unwind_cache_pool;

/* The end of the last failed lookup: the `n_known` innermost words are equal; the next one, at
 * `address` (0: fp), differs, so the stack belongs under `a` and `b`. */
typedef struct hpp_unwind_cache_gap {
    uint64_t key; /* of the call; 0: there is no gap */
    uintptr_t sp;
    uint64_t a, b; /* `a` is 0 for a first stack */
    uintptr_t address;
    uint32_t n_known;
    bool is_own; /* all words of the other stacks are on the thread's own stack */
} hpp_unwind_cache_gap;

typedef struct hpp_unwind_cache_table {
    hpp_unwind_cache_slot *slots;
    uint64_t mask_bytes; /* (number of slots - 1) * the size of one */
    uint64_t n_entries;
    hpp_unwind_cache_gap gap;
    hpp_unwind_cache_pool pool;
} hpp_unwind_cache_table;

/* Creates an empty cache; clears one. hpp__unwind_cache_begin returns false without memory. */
bool hpp__unwind_cache_begin(hpp_unwind_cache_table *out);
void hpp__unwind_cache_forget(hpp_unwind_cache_table *cache);

/* Finds the place of a call. Returns false if its stack is not cached; there is a gap then. `call`
 * is an hpp_call. */
bool hpp__unwind_cache_find(hpp_place *out, hpp_unwind_cache_table *cache, const hpp_caller *caller,
                            uint32_t call);

/* Returns whether the gap belongs to a call, and stores the number of its known words. `are_own`:
 * all words of its stack are on the thread's own stack. */
bool hpp__unwind_cache_has_gap(uint32_t *n_known, hpp_unwind_cache_table *cache,
                               const hpp_caller *caller, uint32_t call, bool are_own);

/* Adds the stack of the gap, after hpp__unwind_cache_has_gap has returned true. `words` are those
 * after the known ones, in the order of reading. */
void hpp__unwind_cache_add(hpp_unwind_cache_table *cache, hpp_caller caller, const hpp_word *words,
                           uint32_t n_words, hpp_place place);

/* ---- the usual case, in line --------------------------------------------------------------- */

static inline uint64_t hpp__unwind_cache_key(uintptr_t pc, uint32_t call)
{
    return pc | (uint64_t)call << 56;
}

/* Returns the slot where the search for a key begins. */
static inline hpp_unwind_cache_slot *hpp__unwind_cache_slot_of(const hpp_unwind_cache_table *cache,
                                                               uint64_t a, uint64_t b)
{
    uint64_t hash = (a + 8 * b) * 0x9e3779b97f4a7c15;
    return (hpp_unwind_cache_slot *)(void *)((char *)cache->slots +
                                             (hash >> 32 & cache->mask_bytes));
}

/* Returns whether the words of a first entry are equal to the words of the stack; all must be
 * readable. `entry` is that of the slot, read before its key (see above).
 */
HPP_UNSANITIZED static inline bool hpp__unwind_cache_agrees(const hpp_unwind_cache_slot *first,
                                                            const hpp_unwind_cache_entry *entry,
                                                            uintptr_t sp, uintptr_t fp)
{
    const char *base = (const char *)sp - 8;
    if (hpp__memory_word((uintptr_t)base + entry->fork_offset) != first->fork_value) {
        return false;
    }
    const hpp_unwind_cache_batch *batch = hpp__unwind_cache_batches(entry);
    const hpp_unwind_cache_batch *end = entry->end;
    hpp_pair low = hpp__pair_of((fp ^ entry->fp) & entry->fp_mask);
    hpp_pair high = hpp__pair_of(0);
    do {
        uint64_t one = hpp__two_offsets(&batch->offsets[0]);
        uint64_t other = hpp__two_offsets(&batch->offsets[2]);
        low |= hpp__pair_at(base + (uint32_t)one, base + (one >> 32)) ^
               hpp__pair_in(&batch->values[0]);
        high |= hpp__pair_at(base + (uint32_t)other, base + (other >> 32)) ^
                hpp__pair_in(&batch->values[2]);
    } while (++batch < end); /* NULL in a child of fork that began in between */
    return hpp__pair_is_zero(low | high);
}

#endif
