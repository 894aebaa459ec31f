/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The tree of cost-centre stacks: interned nodes that are never freed.
 *
 * A hash table from (parent, cost centre) to the child makes equal stacks the same node; it holds
 * true children only. A cost centre that is in the stack already leads back to where it is, which
 * is how recursion is folded (GHC since 7.4: rts/Profiling.c, RECURSION_TRUNCATES). Threads
 * remember both kinds of edges, so that all this runs once per thread and edge.
 */
#include "ccs.h"

#include <pthread.h>
#include <stdlib.h>

enum {
    BLOCK_STACKS = 256, /* stacks per allocation */
    MIN_TABLE_SLOTS = 1024,
};

/* Stacks by number, HPP_N_BUILTINS + 1 and on. */
typedef struct block {
    hpp_ccs stacks[BLOCK_STACKS];
    hpp_costs retired[BLOCK_STACKS];
} block;

static hpp_cc builtin_centres[HPP_N_BUILTINS] = {
#define BUILTIN(which, label, module, next)                                                        \
    [which] = {label, module, "<built-in>", HPP_CC_UNCOUNTED, (which) + 1, next}
    BUILTIN(HPP_CCS_MAIN, "MAIN", "MAIN", NULL),
    BUILTIN(HPP_CCS_SYSTEM, "SYSTEM", "SYSTEM", &builtin_centres[HPP_CCS_MAIN]),
    BUILTIN(HPP_CCS_GC, "GC", "GC", &builtin_centres[HPP_CCS_SYSTEM]),
    BUILTIN(HPP_CCS_OVERHEAD, "OVERHEAD_of", "PROFILING", &builtin_centres[HPP_CCS_GC]),
    BUILTIN(HPP_CCS_DONT_CARE, "DONT_CARE", "MAIN", &builtin_centres[HPP_CCS_OVERHEAD]),
    BUILTIN(HPP_CCS_PINNED, "PINNED", "SYSTEM", &builtin_centres[HPP_CCS_DONT_CARE]),
    BUILTIN(HPP_CCS_IDLE, "IDLE", "IDLE", &builtin_centres[HPP_CCS_PINNED]),
#undef BUILTIN
};

static hpp_costs builtin_retired[HPP_N_BUILTINS];

static const hpp_ccs builtins[HPP_N_BUILTINS] = {
#define BUILTIN(which, parent, depth)                                                              \
    [which] = {&builtin_centres[which], parent, depth, (which) + 1, &builtin_retired[which]}
    BUILTIN(HPP_CCS_MAIN, NULL, 1),
    BUILTIN(HPP_CCS_SYSTEM, &builtins[HPP_CCS_MAIN], 2),
    BUILTIN(HPP_CCS_GC, &builtins[HPP_CCS_MAIN], 2),
    BUILTIN(HPP_CCS_OVERHEAD, &builtins[HPP_CCS_MAIN], 2),
    BUILTIN(HPP_CCS_DONT_CARE, &builtins[HPP_CCS_MAIN], 2),
    BUILTIN(HPP_CCS_PINNED, &builtins[HPP_CCS_MAIN], 2),
    BUILTIN(HPP_CCS_IDLE, &builtins[HPP_CCS_MAIN], 2),
#undef BUILTIN
};

static const hpp_ccs *const main_stack = &builtins[HPP_CCS_MAIN];

/* Everything that grows. `mutex` guards it; `newest` may be read without. */
static struct {
    pthread_mutex_t mutex;
    block **blocks;
    uint32_t n_blocks;
    uint32_t n_stacks;     /* built-in ones included */
    const hpp_ccs **slots; /* open addressing by parent and centre; a power of two */
    uint32_t n_slots;
    hpp_cc *newest;
    uint32_t n_centres;
} tree = {
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .n_stacks = HPP_N_BUILTINS,
    .newest = &builtin_centres[HPP_CCS_IDLE],
    .n_centres = HPP_N_BUILTINS,
};

void hpp__ccs_lock(void)
{
    pthread_mutex_lock(&tree.mutex);
}

void hpp__ccs_unlock(void)
{
    pthread_mutex_unlock(&tree.mutex);
}

/* ---- cost centres ---- */

static void declare(hpp_cc *centre)
{
    if (centre->id == 0) {
        centre->id = ++tree.n_centres;
        centre->next = tree.newest;
        HPP_RELEASE_STORE(&tree.newest, centre);
    }
}

void hpp_cc_declare(hpp_cc *centre)
{
    hpp__ccs_lock();
    declare(centre);
    hpp__ccs_unlock();
}

const hpp_cc *hpp_cc_newest(void)
{
    return HPP_ACQUIRE_LOAD(&tree.newest);
}

/* ---- the table of children ---- */

/* Returns the slot of a child, or the free one for it. */
static const hpp_ccs **find_slot(const hpp_ccs **slots, uint32_t n_slots, const hpp_ccs *parent,
                                 const hpp_cc *centre)
{
    uint64_t mixed =
        ((uint64_t)parent->id << 32 ^ (uintptr_t)centre) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t i = (uint32_t)(mixed >> 32) & (n_slots - 1);
    while (slots[i] && (slots[i]->parent != parent || slots[i]->centre != centre)) {
        i = (i + 1) & (n_slots - 1);
    }
    return &slots[i];
}

/* Keeps the table at most half full; false without memory, when it was just that. */
static bool reserve_slot(void)
{
    if (tree.n_slots > 0 && tree.n_stacks < tree.n_slots / 2) {
        return true;
    }
    uint32_t n_slots = tree.n_slots > 0 ? tree.n_slots * 2 : MIN_TABLE_SLOTS;
    const hpp_ccs **slots = calloc(n_slots, sizeof *slots);
    if (!slots) {
        return false;
    }
    for (uint32_t i = 0; i < tree.n_slots; i++) {
        if (tree.slots[i]) {
            *find_slot(slots, n_slots, tree.slots[i]->parent, tree.slots[i]->centre) =
                tree.slots[i];
        }
    }
    free(tree.slots);
    tree.slots = slots;
    tree.n_slots = n_slots;
    return true;
}

/* Returns room for one more stack, zeroed; NULL without memory. */
static hpp_ccs *reserve_stack(void)
{
    uint32_t index = tree.n_stacks - HPP_N_BUILTINS;
    if (index == tree.n_blocks * BLOCK_STACKS) {
        block **blocks = realloc(tree.blocks, (tree.n_blocks + 1) * sizeof *blocks);
        if (!blocks) {
            return NULL;
        }
        tree.blocks = blocks;
        blocks[tree.n_blocks] = calloc(1, sizeof **blocks);
        if (!blocks[tree.n_blocks]) {
            return NULL;
        }
        tree.n_blocks++;
    }
    block *b = tree.blocks[index / BLOCK_STACKS];
    hpp_ccs *ccs = &b->stacks[index % BLOCK_STACKS];
    ccs->retired = &b->retired[index % BLOCK_STACKS];
    return ccs;
}

static const hpp_ccs *make_child(const hpp_ccs *parent, hpp_cc *centre)
{
    hpp_ccs *child = reserve_slot() ? reserve_stack() : NULL;
    if (!child) {
        return NULL;
    }
    declare(centre);
    child->centre = centre;
    child->parent = parent;
    child->depth = parent->depth + 1;
    child->id = ++tree.n_stacks;
    *find_slot(tree.slots, tree.n_slots, parent, centre) = child;
    return child;
}

const hpp_ccs *hpp__ccs_child(const hpp_ccs *parent, hpp_cc *centre)
{
    for (const hpp_ccs *ccs = parent; ccs; ccs = ccs->parent) {
        if (ccs->centre == centre) {
            return ccs;
        }
    }
    hpp__ccs_lock();
    const hpp_ccs *child =
        tree.n_slots > 0 ? *find_slot(tree.slots, tree.n_slots, parent, centre) : NULL;
    if (!child) {
        child = make_child(parent, centre);
    }
    hpp__ccs_unlock();
    return child;
}

/* ---- stacks as values ---- */

const hpp_ccs *hpp_ccs_builtin(hpp_builtin which)
{
    return &builtins[which];
}

const hpp_ccs *hpp_ccs_of_caf(hpp_cc *centre)
{
    return hpp_ccs_push(main_stack, centre);
}

/* Returns whether `function` has nothing to append: it is MAIN, or the stack of a CAF only. */
static bool is_bare(const hpp_ccs *function)
{
    return function == main_stack || (function->centre->flags & HPP_CC_CAF) != 0;
}

/* Pushes the part of `function` above its common prefix with `current`. The prefix ends where both
 * are the same node, or where `function` is bare. It is found from the top: first to equal depth,
 * then in step. A stack is at most as deep as the program has cost centres; the recursion is as
 * deep as the suffix. */
static const hpp_ccs *append_above(const hpp_ccs *current, const hpp_ccs *function,
                                   const hpp_ccs *prefix)
{
    if (function == prefix || is_bare(function)) {
        return current;
    }
    return hpp_ccs_push(append_above(current, function->parent, prefix), function->centre);
}

const hpp_ccs *hpp_ccs_append(const hpp_ccs *current, const hpp_ccs *function)
{
    if (function == current) {
        return current;
    }
    const hpp_ccs *a = current;
    const hpp_ccs *b = function;
    while (a->depth > b->depth) {
        a = a->parent;
    }
    while (b->depth > a->depth) {
        b = b->parent;
    }
    while (a != b) {
        a = a->parent;
        b = b->parent;
    }
    return append_above(current, function, b);
}

const hpp_cc *hpp_ccs_centre(const hpp_ccs *ccs)
{
    return ccs->centre;
}

const hpp_ccs *hpp_ccs_parent(const hpp_ccs *ccs)
{
    return ccs->parent;
}

uint32_t hpp_ccs_id(const hpp_ccs *ccs)
{
    return ccs->id;
}

uint32_t hpp_ccs_count(void)
{
    hpp__ccs_lock();
    uint32_t n_stacks = tree.n_stacks;
    hpp__ccs_unlock();
    return n_stacks;
}

const hpp_ccs *hpp_ccs_by_id(uint32_t id)
{
    if (id >= 1 && id <= HPP_N_BUILTINS) {
        return &builtins[id - 1];
    }
    const hpp_ccs *ccs = NULL;
    hpp__ccs_lock();
    if (id > HPP_N_BUILTINS && id <= tree.n_stacks) {
        uint32_t index = id - HPP_N_BUILTINS - 1;
        ccs = &tree.blocks[index / BLOCK_STACKS]->stacks[index % BLOCK_STACKS];
    }
    hpp__ccs_unlock();
    return ccs;
}

/* ---- stacks as producers of heap objects ---- */

static hpf_str stack_label(const void *stack, void *context)
{
    (void)context;
    return hpf_str_of(((const hpp_ccs *)stack)->centre->label);
}

static hpf_str stack_module(const void *stack, void *context)
{
    (void)context;
    return hpf_str_of(((const hpp_ccs *)stack)->centre->module);
}

static const void *stack_parent(const void *stack, void *context)
{
    (void)context;
    return ((const hpp_ccs *)stack)->parent;
}

static uint64_t stack_id(const void *stack, void *context)
{
    (void)context;
    return ((const hpp_ccs *)stack)->id;
}

static hpf_str stack_source(const void *stack, void *context)
{
    (void)context;
    return hpf_str_of(((const hpp_ccs *)stack)->centre->srcloc);
}

const hpp_stacks hpp_ccs_stacks = {
    .label = stack_label,
    .module = stack_module,
    .parent = stack_parent,
    .id = stack_id,
    .source = stack_source,
};
