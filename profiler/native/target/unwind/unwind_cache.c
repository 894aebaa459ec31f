/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The table is open-addressed; entries lie in the pool in the order in which they were made.
 */
#include "unwind_cache.h"

enum {
    FIRST_SLOTS = 64,
    MAX_SLOTS = 1 << 16,
    FIRST_BLOCK_BYTES = 32 << 10,
    INDEX_BITS = 13,
};

/* Returns the key of what follows a word of an entry: the entry's address and the word's index. */
static uint64_t child_key(const hpp_unwind_cache_entry *entry, uint32_t index)
{
    return (uint64_t)1 << 63 | (uint64_t)(uintptr_t)entry << INDEX_BITS | index;
}

_Static_assert(HPP_UNWIND_CACHE_MAX_WORDS + HPP_UNWIND_CACHE_BATCH <= 1 << INDEX_BITS,
               "indices fit below addresses");

/* ---- memory -------------------------------------------------------------------------------- */

/* Returns the size of a block, which is as large as all blocks before it together. */
static size_t block_bytes(uint32_t block)
{
    return (size_t)FIRST_BLOCK_BYTES << (block > 0 ? block - 1 : 0);
}

/* Takes memory of a pool. Returns NULL if the pool is used up. */
static void *take_memory(hpp_unwind_cache_pool *pool, size_t n_bytes)
{
    while (pool->blocks[pool->block] == NULL ||
           n_bytes > block_bytes(pool->block) - pool->used_bytes) {
        uint32_t next = pool->blocks[pool->block] == NULL ? pool->block : pool->block + 1;
        if (next == HPP_UNWIND_CACHE_N_BLOCKS) {
            return NULL;
        }
        if (pool->blocks[next] == NULL) {
            pool->blocks[next] = hpp__map_cache(block_bytes(next));
            if (pool->blocks[next] == NULL) {
                return NULL;
            }
        }
        pool->block = next;
        pool->used_bytes = 0;
    }
    void *memory = pool->blocks[pool->block] + pool->used_bytes;
    pool->used_bytes += (uint32_t)n_bytes;
    return memory;
}

bool hpp__unwind_cache_begin(hpp_unwind_cache_table *out)
{
    *out = (hpp_unwind_cache_table){
        .slots = hpp__map_cache(FIRST_SLOTS * sizeof(hpp_unwind_cache_slot)),
        .mask_bytes = (FIRST_SLOTS - 1) * sizeof(hpp_unwind_cache_slot)};
    return out->slots != NULL;
}

void hpp__unwind_cache_forget(hpp_unwind_cache_table *cache)
{
    hpp__clear(cache->slots, cache->mask_bytes + sizeof(*cache->slots));
    cache->n_entries = 0;
    cache->gap.key = 0;
    cache->pool.block = 0;
    cache->pool.used_bytes = 0;
}

/* ---- the table ----------------------------------------------------------------------------- */

static uint64_t n_slots(const hpp_unwind_cache_table *cache)
{
    return cache->mask_bytes / sizeof(hpp_unwind_cache_slot) + 1;
}

/* Returns the slot of a key, or the free one where it belongs. */
static hpp_unwind_cache_slot *find_slot(const hpp_unwind_cache_table *cache, uint64_t a, uint64_t b)
{
    hpp_unwind_cache_slot *slot = hpp__unwind_cache_slot_of(cache, a, b);
    while (slot->entry != NULL && (slot->a != a || slot->b != b)) {
        slot = slot + 1 == cache->slots + n_slots(cache) ? cache->slots : slot + 1;
    }
    return slot;
}

/* Makes a table four times as large. Returns false, and leaves it as it is, without memory. */
static bool grow(hpp_unwind_cache_table *cache)
{
    uint64_t n_old = n_slots(cache);
    hpp_unwind_cache_slot *old = cache->slots;
    hpp_unwind_cache_slot *fresh =
        n_old < MAX_SLOTS ? hpp__map_cache(4 * n_old * sizeof(*fresh)) : NULL;
    if (fresh == NULL) {
        return false;
    }
    cache->slots = fresh;
    cache->mask_bytes = (4 * n_old - 1) * sizeof(*fresh);
    for (uint64_t i = 0; i < n_old; i++) {
        if (old[i].entry != NULL) {
            *find_slot(cache, old[i].a, old[i].b) = old[i];
        }
    }
    hpp__unmap(old, n_old * sizeof(*old));
    return true;
}

/* ---- looking up ---------------------------------------------------------------------------- */

/* The first word that differs, and its value on the stack. */
typedef struct difference {
    uint32_t index;
    uintptr_t value;
} difference;

static uintptr_t word_offset(const hpp_unwind_cache_entry *entry, uint32_t index)
{
    const hpp_unwind_cache_batch *batch =
        &hpp__unwind_cache_batches(entry)[index / HPP_UNWIND_CACHE_BATCH];
    return (uintptr_t)(intptr_t)(int32_t)batch->offsets[index % HPP_UNWIND_CACHE_BATCH];
}

static uintptr_t word_value(const hpp_unwind_cache_entry *entry, uint32_t index)
{
    return hpp__unwind_cache_batches(entry)[index / HPP_UNWIND_CACHE_BATCH]
        .values[index % HPP_UNWIND_CACHE_BATCH];
}

HPP_ALWAYS_INLINE bool word_agrees(const hpp_unwind_cache_batch *batch, uint32_t index,
                                   uintptr_t base)
{
    uintptr_t place = base + (uintptr_t)(intptr_t)(int32_t)batch->offsets[index];
    return hpp__memory_word(place) == batch->values[index];
}

_Static_assert(HPP_UNWIND_CACHE_BATCH == 4, "these are all words of a batch");
HPP_ALWAYS_INLINE uint32_t count_agreeing_in(const hpp_unwind_cache_batch *batch, uintptr_t base)
{
    return !word_agrees(batch, 0, base)   ? 0
           : !word_agrees(batch, 1, base) ? 1
           : !word_agrees(batch, 2, base) ? 2
           : !word_agrees(batch, 3, base) ? 3
                                          : 4;
}

/* Returns the number of equal words before the first different one, at most `n`. Compares one by
 * one: a word is mapped only if all words before it are equal. */
HPP_UNSANITIZED static uint32_t count_agreeing(const hpp_unwind_cache_entry *entry, uint32_t n,
                                               uintptr_t sp)
{
    const hpp_unwind_cache_batch *batch = hpp__unwind_cache_batches(entry);
    uint32_t i = 0;
    for (; i + HPP_UNWIND_CACHE_BATCH <= n; i += HPP_UNWIND_CACHE_BATCH, batch++) {
        uint32_t n_here = count_agreeing_in(batch, sp - 8);
        if (n_here < HPP_UNWIND_CACHE_BATCH) {
            return i + n_here;
        }
    }
    while (i < n && word_agrees(batch, i % HPP_UNWIND_CACHE_BATCH, sp - 8)) {
        i++;
    }
    return i;
}

static bool find_difference(difference *out, const hpp_unwind_cache_entry *entry, hpp_caller caller)
{
    bool fp_differs = ((caller.fp ^ entry->fp) & entry->fp_mask) != 0;
    uint32_t n = fp_differs ? entry->fp_index : entry->n_words;
    uint32_t index = count_agreeing(entry, n, caller.sp);
    if (index < n) {
        *out = (difference){index, hpp__memory_word(caller.sp - 8 + word_offset(entry, index))};
    } else {
        *out = (difference){index, caller.fp};
    }
    return index < n || fp_differs;
}

/* Returns the slot of a first entry. Moves it to the place where its search begins, which the
 * inline functions check, so that frequent entries are mostly there. */
static hpp_unwind_cache_slot *find_first(const hpp_unwind_cache_table *cache, hpp_caller caller,
                                         uint64_t key)
{
    hpp_unwind_cache_slot *slot = find_slot(cache, key, caller.sp);
    if (slot->entry == NULL) {
        return find_slot(cache, key | HPP_UNWIND_CACHE_FOREIGN, caller.sp);
    }
    hpp_unwind_cache_slot *begin = hpp__unwind_cache_slot_of(cache, key, caller.sp);
    if (slot != begin) {
        hpp_unwind_cache_slot other = *begin;
        *begin = *slot;
        *slot = other;
    }
    return begin;
}

/* Stores where the entry of a stack that was not found belongs: by its difference from `last`, the
 * last entry that it was compared with. */
static HPP_NO_INLINE void leave_gap(hpp_unwind_cache_gap *gap, hpp_unwind_cache_slot *first,
                                    const hpp_unwind_cache_entry *last, const difference *found)
{
    bool is_fp = last->fp_mask != 0 && found->index == last->fp_index;
    uintptr_t offset = word_offset(last, found->index);
    gap->a = child_key(last, found->index);
    gap->b = found->value;
    gap->address = is_fp ? 0 : gap->sp - 8 + offset;
    hpp_unwind_cache_entry *top = first->entry;
    if (last == top && !is_fp) {
        top->fork_offset = (uint32_t)offset;
        first->fork_value = word_value(last, found->index);
    }
}

/* Returns the entry for stacks that differ from an entry in one word, or NULL. Half of the time it
 * is the same as before, which saves a look into the table, a cache miss. */
static hpp_unwind_cache_entry *find_child(const hpp_unwind_cache_table *cache,
                                          hpp_unwind_cache_entry *entry, const difference *found)
{
    hpp_unwind_cache_entry *child = entry->child;
    if (child == NULL || entry->child_value != found->value ||
        child->parent_index != found->index) {
        child = find_slot(cache, child_key(entry, found->index), found->value)->entry;
        entry->child = child;
        entry->child_value = found->value;
    }
    return child;
}

bool hpp__unwind_cache_find(hpp_place *out, hpp_unwind_cache_table *cache, const hpp_caller *caller,
                            uint32_t call)
{
    uint64_t key = hpp__unwind_cache_key(caller->pc, call);
    hpp_unwind_cache_slot *first = find_first(cache, *caller, key);
    const hpp_unwind_cache_entry *last = NULL;
    difference found = {0};
    uint32_t n_known = 0;
    for (hpp_unwind_cache_entry *entry = first->entry; entry != NULL;) {
        n_known += found.index + (last != NULL);
        if (!find_difference(&found, entry, *caller)) {
            *out = entry->place;
            return true;
        }
        last = entry;
        entry = find_child(cache, entry, &found);
    }
    cache->gap = (hpp_unwind_cache_gap){.key = key,
                                        .sp = caller->sp,
                                        .n_known = n_known + found.index,
                                        .is_own = !(first->a & HPP_UNWIND_CACHE_FOREIGN)};
    if (last != NULL) {
        leave_gap(&cache->gap, first, last, &found);
    }
    return false;
}

/* ---- adding -------------------------------------------------------------------------------- */

/* A stack as it is to be remembered. */
typedef struct memorable {
    hpp_caller caller;
    const hpp_word *words;
    uint32_t n_words;
    bool are_own;
    hpp_place place;
} memorable;

static intptr_t offset_of(const memorable *stack, const hpp_word *word)
{
    return (intptr_t)(word->address - (stack->caller.sp - 8));
}

static bool has_near_words(const memorable *stack)
{
    for (uint32_t i = 0; i < stack->n_words; i++) {
        intptr_t offset = offset_of(stack, &stack->words[i]);
        if (stack->words[i].address != 0 &&
            (offset != (int32_t)offset || (stack->are_own && offset < 0))) {
            return false;
        }
    }
    return true;
}

static void put_word(hpp_unwind_cache_batch *batches, uint32_t index, intptr_t offset,
                     uintptr_t value)
{
    hpp_unwind_cache_batch *batch = &batches[index / HPP_UNWIND_CACHE_BATCH];
    batch->offsets[index % HPP_UNWIND_CACHE_BATCH] = (uint32_t)offset;
    batch->values[index % HPP_UNWIND_CACHE_BATCH] = value;
}

/* Stores the offset and the value of a neutral word for an entry of the words from `first` on: the
 * return address of the call if that is on the stack, else the word under whose value the entry is,
 * or one of its own. Returns false if there is none. */
static bool find_neutral_word(intptr_t *offset, uintptr_t *value, const memorable *stack,
                              uint32_t first)
{
    if (HPP_CALL_PUSHES) {
        *offset = 0;
        *value = stack->caller.pc;
        return true;
    }
    uint32_t i = first > 0 ? first - 1 : 0;
    uint32_t end = stack->are_own ? stack->n_words : first + 1; /* others may be unreadable yet */
    while (i < end && i < stack->n_words && stack->words[i].address == 0) {
        i++;
    }
    if (i >= end || i >= stack->n_words) {
        return false;
    }
    *offset = offset_of(stack, &stack->words[i]);
    *value = stack->words[i].value;
    return true;
}

/* Creates the entry for the words from `first` on; `offset` and `value` belong to a neutral word.
 * Returns NULL without memory. */
static hpp_unwind_cache_entry *make_entry(hpp_unwind_cache_table *cache, const memorable *stack,
                                          uint32_t first, intptr_t offset, uintptr_t value)
{
    uint32_t n = stack->n_words - first;
    uint32_t n_batches = n == 0 ? 1 : (n + HPP_UNWIND_CACHE_BATCH - 1) / HPP_UNWIND_CACHE_BATCH;
    uint32_t words_bytes = n_batches * (uint32_t)sizeof(hpp_unwind_cache_batch);
    hpp_unwind_cache_entry *entry = take_memory(&cache->pool, sizeof(*entry) + words_bytes);
    if (entry == NULL) {
        return NULL;
    }
    hpp_unwind_cache_batch *batches = (hpp_unwind_cache_batch *)(void *)(entry + 1);
    *entry = (hpp_unwind_cache_entry){.place = stack->place,
                                      .end = batches + n_batches,
                                      .n_words = (uint16_t)(n_batches * HPP_UNWIND_CACHE_BATCH)};
    for (uint32_t i = 0; i < n_batches * HPP_UNWIND_CACHE_BATCH; i++) {
        const hpp_word *word = i < n ? &stack->words[first + i] : NULL;
        if (word != NULL && word->address != 0) {
            put_word(batches, i, offset_of(stack, word), word->value);
            continue;
        }
        put_word(batches, i, offset, value);
        if (word != NULL) {
            entry->fp = word->value;
            entry->fp_mask = UINTPTR_MAX;
            entry->fp_index = (uint16_t)i;
        }
    }
    return entry;
}

static void add(hpp_unwind_cache_table *cache, const memorable *stack, hpp_unwind_cache_slot *slot,
                uint64_t a, uint64_t b, uint32_t first)
{
    intptr_t offset;
    uintptr_t value;
    if (!find_neutral_word(&offset, &value, stack, first)) {
        return;
    }
    hpp_unwind_cache_entry *entry = make_entry(cache, stack, first, offset, value);
    if (entry == NULL) {
        hpp__unwind_cache_forget(cache);
        return;
    }
    if (first > 0) {
        entry->parent_index = (uint32_t)a % (1 << INDEX_BITS);
    } else {
        entry->fork_offset = (uint32_t)offset;
    }
    *slot = (hpp_unwind_cache_slot){a, b, entry, .fork_value = value};
    cache->n_entries++;
    if (cache->n_entries > n_slots(cache) / 2 && !grow(cache) &&
        cache->n_entries > n_slots(cache) / 4 * 3) {
        hpp__unwind_cache_forget(cache);
    }
}

bool hpp__unwind_cache_has_gap(uint32_t *n_known, hpp_unwind_cache_table *cache,
                               const hpp_caller *caller, uint32_t call, bool are_own)
{
    hpp_unwind_cache_gap *gap = &cache->gap;
    uint64_t key = hpp__unwind_cache_key(caller->pc, call);
    if (gap->key != key || gap->sp != caller->sp) {
        return false;
    }
    if (gap->a == 0 || (are_own && !gap->is_own)) {
        *gap = (hpp_unwind_cache_gap){.key = key, .sp = caller->sp, .is_own = are_own};
    }
    *n_known = gap->n_known;
    return gap->is_own == are_own;
}

/* Returns whether the words begin where the search ended. They do not if this walk used other rules
 * than the earlier ones. */
static bool is_continued(const hpp_unwind_cache_gap *gap, const memorable *stack)
{
    return gap->a == 0 || (stack->n_words > 0 && stack->words[0].value == gap->b &&
                           stack->words[0].address == gap->address);
}

void hpp__unwind_cache_add(hpp_unwind_cache_table *cache, hpp_caller caller, const hpp_word *words,
                           uint32_t n_words, hpp_place place)
{
    const hpp_unwind_cache_gap gap = cache->gap;
    memorable stack = {caller, words, n_words, gap.is_own, place};
    cache->gap.key = 0;
    if (n_words > HPP_UNWIND_CACHE_MAX_WORDS || !has_near_words(&stack) ||
        !is_continued(&gap, &stack)) {
        return;
    }
    uint64_t a = gap.a != 0 ? gap.a : gap.key | (gap.is_own ? 0 : HPP_UNWIND_CACHE_FOREIGN);
    uint64_t b = gap.a != 0 ? gap.b : gap.sp;
    add(cache, &stack, find_slot(cache, a, b), a, b, gap.a != 0);
}
