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
 * Entries are only added. When the memory is used up, all are forgotten.
 *
 * Threads: a memo belongs to one thread.
 */
#ifndef HPP_NATIVE_MEMO_H
#define HPP_NATIVE_MEMO_H

#include "unwind.h"
#include "window.h"

enum {
    HPP_MEMO_BATCH = 4,        /* words are compared so many at a time, and filled up to that */
    HPP_MEMO_MAX_WORDS = 4096, /* deeper stacks are not remembered */
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

/* A remembered stack, or the outer part of one. The words follow: their places from the stack
 * pointer of the call, then their values. The caller's rbp may be among them: `rbp_mask` is all
 * ones then, and a word that is the same for all calls stands at `rbp_index`. */
typedef struct hpp_memo_entry {
    hpp_place place;
    uintptr_t rbp, rbp_mask;
    uint32_t rbp_index;
    uint32_t n_words; /* a multiple of HPP_MEMO_BATCH */
    bool is_own;      /* all words are on the thread's own stack */
} hpp_memo_entry;

static inline const int32_t *hpp__memo_offsets(const hpp_memo_entry *entry)
{
    return (const int32_t *)(const void *)(entry + 1);
}

static inline const uintptr_t *hpp__memo_values(const hpp_memo_entry *entry)
{
    return (const uintptr_t *)(const void *)(hpp__memo_offsets(entry) + entry->n_words);
}

/* Under (a, b): for a first entry, the pc with the call in the bits above it, and the stack
 * pointer. */
typedef struct hpp_memo_slot {
    uint64_t a, b;
    const hpp_memo_entry *entry; /* NULL: nothing here */
    uint64_t unused;
} hpp_memo_slot;

/* Where entries' memory comes from: blocks of growing size, used one after the other. */
enum { HPP_MEMO_N_BLOCKS = 8 };
typedef struct hpp_memo_pool {
    char *blocks[HPP_MEMO_N_BLOCKS];
    uint32_t block;      /* in use */
    uint32_t used_bytes; /* of it */
} hpp_memo_pool;

typedef struct hpp_memo_table {
    hpp_memo_slot *slots;
    uint64_t mask; /* number of slots - 1 */
    uint64_t n_entries;
    hpp_memo_pool pool;
} hpp_memo_table;

/* Makes an empty table. False: there is no memory. */
bool hpp__memo_begin(hpp_memo_table *out);
void hpp__memo_forget(hpp_memo_table *memo);
void hpp__memo_end(hpp_memo_table *memo);

/* The place of a call whose stack is remembered. `call` is an hpp_call. */
bool hpp__memo_find(hpp_place *out, const hpp_memo_table *memo, hpp_caller caller, uint32_t call);

/* Remembers a stack. The words are in the order in which they were needed. */
void hpp__memo_add(hpp_memo_table *memo, hpp_caller caller, uint32_t call, const hpp_word *words,
                   uint32_t n_words, bool is_own, hpp_place place);

static inline uint64_t hpp__memo_key(hpp_caller caller, uint32_t call)
{
    return caller.pc | (uint64_t)call << 56;
}

static inline uint64_t hpp__memo_hash(uint64_t a, uint64_t b)
{
    uint64_t hash = (a + b * 0x9e3779b97f4a7c15) * 0xd6e8feb86659fd93;
    return hash >> 32;
}

/* Compares the words of an entry whose words are all on the thread's own stack. Not zero: some
 * differ. */
HPP_UNSANITIZED static inline uintptr_t hpp__memo_differs(const hpp_memo_entry *entry,
                                                          hpp_caller caller)
{
    const int32_t *offset = hpp__memo_offsets(entry);
    const int32_t *end = offset + entry->n_words;
    const uintptr_t *value = hpp__memo_values(entry);
    uintptr_t difference = (caller.fp ^ entry->rbp) & entry->rbp_mask;
    for (; offset < end; offset += HPP_MEMO_BATCH, value += HPP_MEMO_BATCH) {
        difference |= hpp__memory_word(caller.sp + (uintptr_t)(intptr_t)offset[0]) ^ value[0];
        difference |= hpp__memory_word(caller.sp + (uintptr_t)(intptr_t)offset[1]) ^ value[1];
        difference |= hpp__memory_word(caller.sp + (uintptr_t)(intptr_t)offset[2]) ^ value[2];
        difference |= hpp__memory_word(caller.sp + (uintptr_t)(intptr_t)offset[3]) ^ value[3];
        if (HPP_UNLIKELY(difference != 0)) {
            break;
        }
    }
    return difference;
}

#endif
