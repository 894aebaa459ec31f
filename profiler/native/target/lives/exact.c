/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lives by address, the blocks used in an era, and the beginning of eras.
 */
#include "exact.h"

#include <string.h>

#include "lives.h"
#include "native/target/compiled/shadow.h"
#include "native/target/counting/thread.h"

enum {
    LIST_CHUNK = 1 << 16, /* addresses */
    MAX_LIST_CHUNKS = 1 << 14,
};

/* ---- lives ----------------------------------------------------------------------------------- */

typedef _Atomic uint64_t life_word; /* life_table.h */

static _Atomic(life_word *) *leaves; /* HPP_MAX_LIFE_LEAVES */

/* Returns the word of a granule; NULL if there is none and no memory, or `makes` is false. */
static life_word *word_of(uintptr_t granule, bool makes)
{
    uintptr_t index = granule / HPP_GRANULES_PER_LIFE_LEAF;
    life_word *leaf = NULL;
    if (index < HPP_MAX_LIFE_LEAVES) {
        leaf = atomic_load_explicit(&leaves[index], memory_order_acquire);
    }
    if (HPP_UNLIKELY(leaf == NULL && makes && index < HPP_MAX_LIFE_LEAVES)) {
        life_word *fresh = hpp__map(HPP_LIFE_LEAF_BYTES);
        if (fresh != NULL && !atomic_compare_exchange_strong(&leaves[index], &leaf, fresh)) {
            hpp__unmap(fresh, HPP_LIFE_LEAF_BYTES);
        } else {
            leaf = fresh;
        }
    }
    return leaf != NULL ? leaf + granule % HPP_GRANULES_PER_LIFE_LEAF : NULL;
}

static hpp_life life_of(uint64_t word, hpp_block block)
{
    return (hpp_life){.site = block.site,
                      .birth = (uint32_t)word,
                      .last_use =
                          (uint32_t)(word >> HPP_LIFE_LAST_USE_SHIFT) & HPP_LIFE_LAST_USE_MASK,
                      .is_drag = (word & HPP_LIFE_IS_DRAG) != 0,
                      .bytes = block.size_bytes};
}

static uint64_t word_for(const hpp_life *life)
{
    return life->birth | (uint64_t)life->last_use << HPP_LIFE_LAST_USE_SHIFT |
           (life->is_drag ? HPP_LIFE_IS_DRAG : 0);
}

/* ---- the shadow ------------------------------------------------------------------------------ */

/* Blocks do not share granules, so the last byte may stand for more than the block has. */
static void set_shadow(uintptr_t address, uint64_t n_bytes, int value)
{
    uint64_t n = (n_bytes + (1 << HPP_SHADOW_SHIFT) - 1) >> HPP_SHADOW_SHIFT;
    memset((void *)(uintptr_t)hpp__shadow_of(address), value, n);
}

static void watch(uintptr_t address)
{
    set_shadow(address, hpp__blocks_get((const void *)address).size_bytes, 0xff);
}

/* ---- blocks of an era ------------------------------------------------------------------------ */

/* Addresses of blocks that were used in an era; some may be there twice, or not be blocks any more.
 */
typedef struct era_list {
    _Atomic uint32_t n;
    _Atomic(_Atomic uintptr_t *) chunks[MAX_LIST_CHUNKS];
} era_list;

/* The lists of this era, and of the one before. */
static HPP_LARGE era_list lists[2];
static _Atomic uint32_t current_list;
static atomic_flag is_stepping = ATOMIC_FLAG_INIT;

static void add_to_list(uintptr_t address)
{
    era_list *list = &lists[atomic_load(&current_list)];
    uint32_t i = atomic_fetch_add(&list->n, 1);
    if (i / LIST_CHUNK >= MAX_LIST_CHUNKS) {
        atomic_fetch_sub(&list->n, 1);
        return;
    }
    _Atomic(_Atomic uintptr_t *) *place = &list->chunks[i / LIST_CHUNK];
    _Atomic uintptr_t *chunk = atomic_load(place);
    if (HPP_UNLIKELY(chunk == NULL)) {
        _Atomic uintptr_t *fresh = hpp__map(LIST_CHUNK * sizeof(*fresh));
        if (fresh == NULL) {
            return;
        }
        if (atomic_compare_exchange_strong(place, &chunk, fresh)) {
            chunk = fresh;
        } else {
            hpp__unmap(fresh, LIST_CHUNK * sizeof(*fresh));
        }
    }
    atomic_store(&chunk[i % LIST_CHUNK], address);
}

/* Records that a block has not been used for an era. */
static void rest(uintptr_t address, uint32_t era)
{
    life_word *word = word_of(address / HPP_GRANULE_BYTES, false);
    hpp_block block = hpp__blocks_get((const void *)address);
    uint64_t before = word != NULL && block.site != 0 ? atomic_load(word) : 0;
    hpp_life life = life_of(before, block);
    if (life.last_use == 0 || life.is_drag || life.last_use + 1 >= era) {
        return;
    }
    if (atomic_compare_exchange_strong(word, &before, before | HPP_LIFE_IS_DRAG)) {
        hpp__life_rest(&life, era);
    }
}

static void each_of(era_list *list, uint32_t era, void (*visit)(uintptr_t address, uint32_t era))
{
    uint32_t n = atomic_load(&list->n);
    for (uint32_t i = 0; i < n; i++) {
        _Atomic uintptr_t *chunk = atomic_load(&list->chunks[i / LIST_CHUNK]);
        uintptr_t address = chunk != NULL ? atomic_load(&chunk[i % LIST_CHUNK]) : 0;
        if (address != 0) {
            visit(address, era);
        }
    }
}

static void watch_again(uintptr_t address, uint32_t era)
{
    (void)era;
    watch(address);
}

/* Added to the address of a thread's newest block that was there when an era began. */
enum { WAS_THERE = 1 };

/* Ends the creation of threads' newest blocks that were there when the era before began. A thread
 * may be filling one that is younger: an era can begin in a signal handler, or by another thread.
 * (The numbers of eras do not tell: a thread that waits for a processor comes to a later one.) */
static void end_creations(void)
{
    uint32_t n = atomic_load(&hpp__window->head.n_slots);
    for (uint32_t i = 0; i < n; i++) {
        uintptr_t newest = atomic_load(&hpp__thread_at(i)->newest);
        bool was_there = newest & WAS_THERE;
        if (newest != 0 &&
            atomic_compare_exchange_strong(&hpp__thread_at(i)->newest, &newest,
                                           was_there ? 0 : newest | WAS_THERE) &&
            was_there) {
            watch(newest & ~(uintptr_t)WAS_THERE);
        }
    }
}

/* A use that another thread records meanwhile is in the list, or that thread sees the new era and
 * enters the block in the other list. */
static HPP_NO_INLINE void step(void)
{
    if (atomic_flag_test_and_set(&is_stepping)) {
        return;
    }
    uint32_t era = atomic_load(&hpp__window->head.wanted_era);
    if (era > hpp__lives_era()) {
        uint32_t ended = atomic_load(&current_list);
        era_list *before = &lists[1 - ended];
        each_of(before, era, rest);
        atomic_store(&before->n, 0);
        atomic_store(&current_list, 1 - ended);
        atomic_store(&hpp__window->head.era, era);
        end_creations();
        each_of(&lists[ended], era, watch_again);
    }
    atomic_flag_clear(&is_stepping);
}

void hpp__exact_keep_up(void)
{
    if (HPP_UNLIKELY(atomic_load_explicit(&hpp__window->head.wanted_era, memory_order_relaxed) >
                     hpp__lives_era())) {
        step();
    }
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void begin_life(uintptr_t address, hpp_block block, void *context)
{
    (void)context;
    uintptr_t first = address / HPP_GRANULE_BYTES;
    uintptr_t end = (address + block.size_bytes + HPP_GRANULE_BYTES - 1) / HPP_GRANULE_BYTES;
    life_word *word = word_of(first, true);
    if (word == NULL) {
        atomic_fetch_add(&hpp__window->head.n_lost_lives, 1);
        return;
    }
    hpp_life life = hpp__life_begin(block.site, block.size_bytes, hpp__lives_era());
    atomic_store(word, word_for(&life));
    for (uintptr_t i = (first / HPP_LIFE_MARK_GRANULES + 1) * HPP_LIFE_MARK_GRANULES; i < end;
         i += HPP_LIFE_MARK_GRANULES) {
        word = word_of(i, true);
        if (word != NULL) {
            atomic_store_explicit(word, i - first, memory_order_relaxed);
        }
    }
}

void hpp__exact_begin(const void *block)
{
    hpp_block entered = hpp__blocks_get(block);
    hpp__exact_keep_up();
    if (entered.site == 0) {
        return;
    }
    begin_life((uintptr_t)block, entered, NULL);
    set_shadow((uintptr_t)block, entered.size_bytes, 0);
    uintptr_t created = (uintptr_t)block;
    if (hpp__self != NULL) {
        created = atomic_exchange(&hpp__self->newest, created);
    }
    if (created != 0) {
        watch(created & ~(uintptr_t)WAS_THERE);
    }
}

/* An image has the block as long as it has its life. So the report comes first: when an image does
 * not have the block any more, the report is complete. */
void hpp__exact_end(const void *block)
{
    hpp_block ending = hpp__blocks_get(block);
    if (ending.site == 0) {
        return;
    }
    hpp__exact_keep_up();
    uintptr_t newest = hpp__self != NULL ? atomic_load(&hpp__self->newest) : 0;
    while ((newest & ~(uintptr_t)WAS_THERE) == (uintptr_t)block &&
           !atomic_compare_exchange_weak(&hpp__self->newest, &newest, 0)) {
    }
    life_word *word = word_of((uintptr_t)block / HPP_GRANULE_BYTES, false);
    if (word != NULL && atomic_load(word) != 0) {
        hpp_life life = life_of(atomic_load(word), ending);
        hpp__life_report(&life, (uintptr_t)block);
        life = life_of(atomic_exchange(word, 0), ending);
        hpp__life_end(&life, hpp__lives_era());
    }
}

/* ---- uses ------------------------------------------------------------------------------------ */

/* Finds the block that contains an address, and its beginning. Site 0: there is none. */
static hpp_block find_block(uintptr_t *out_begin, uintptr_t address)
{
    uintptr_t i = address / HPP_GRANULE_BYTES;
    hpp_block block = hpp__blocks_get((const void *)(i * HPP_GRANULE_BYTES));
    while (block.site == 0 && i % HPP_LIFE_MARK_GRANULES != 0) {
        i--;
        block = hpp__blocks_get((const void *)(i * HPP_GRANULE_BYTES));
    }
    if (block.site == 0) {
        life_word *mark = word_of(i, false);
        uint64_t distance = mark != NULL ? atomic_load(mark) : 0;
        i -= distance <= i ? distance : 0;
        block = hpp__blocks_get((const void *)(i * HPP_GRANULE_BYTES));
    }
    *out_begin = i * HPP_GRANULE_BYTES;
    bool contains = address - *out_begin < block.size_bytes + HPP_GRANULE_BYTES;
    return contains ? block : (hpp_block){0};
}

/* Records a use in `era`, unless another thread has done so. */
static void record_use(uintptr_t begin, hpp_block block, uint32_t era)
{
    life_word *word = word_of(begin / HPP_GRANULE_BYTES, false);
    uint64_t before = word != NULL ? atomic_load(word) : 0;
    while (before != 0) {
        hpp_life life = life_of(before, block), used = life;
        if (life.last_use == era) {
            return;
        }
        used.last_use = era;
        used.is_drag = false;
        if (atomic_compare_exchange_weak(word, &before, word_for(&used))) {
            hpp__life_use(&life, era);
            return;
        }
    }
}

void hpp__exact_use(uintptr_t address)
{
    uintptr_t begin = address & ~(uintptr_t)((1 << HPP_SHADOW_SHIFT) - 1);
    hpp_block block = {0};
    if (hpp__exact_is_on()) {
        hpp__exact_keep_up();
        block = find_block(&begin, address);
    }
    if (block.site == 0) { /* what a block left behind */
        set_shadow(address & ~(uintptr_t)((1 << HPP_SHADOW_SHIFT) - 1), 1, 0);
        return;
    }
    uint32_t era;
    do { /* again if the era has ended: the access is still to come */
        era = hpp__lives_era();
        record_use(begin, block, era);
        set_shadow(begin, block.size_bytes, 0);
        add_to_list(begin);
        hpp__exact_keep_up();
    } while (HPP_UNLIKELY(hpp__lives_era() != era));
}

/* ---- life of the process --------------------------------------------------------------------- */

void hpp__exact_start(void)
{
    leaves = leaves != NULL ? leaves : hpp__map(HPP_MAX_LIFE_LEAVES * sizeof(*leaves));
    if (leaves == NULL) {
        return;
    }
    hpp__window->head.biography_bytes = 0;
    hpp__window->head.life_table = (uintptr_t)leaves;
    atomic_fetch_and(&hpp__window->head.events, ~(uint32_t)HPP_EVENT_NO_PAGEMAP);
    atomic_store(&hpp__alive_kind, HPP_ALIVE_EXACT);
    atomic_store(&hpp__alive_page.is_alive, HPP_ALIVE_EXACT);
}

static void watch_block(uintptr_t address, hpp_block block, void *context)
{
    begin_life(address, block, context);
    set_shadow(address, block.size_bytes, 0xff);
}

void hpp__exact_forked(void)
{
    atomic_flag_clear(&is_stepping);
    atomic_store(&lists[0].n, 0);
    atomic_store(&lists[1].n, 0);
    hpp__blocks_each(watch_block, NULL);
}

/* At the end, nothing more is used. */
__attribute__((destructor)) static void end(void)
{
    if (hpp__exact_is_on()) {
        each_of(&lists[1 - atomic_load(&current_list)], hpp__lives_era() + 1, rest);
    }
}
