/* SPDX-License-Identifier: BSD-2-Clause */
#include "python_place.h"

#include <string.h>

#include "native/target/unwind/unwind_rules.h"
#include "native/window/trie.h"

enum {
    FIRST_LEAVES = 1 << 8,
    MAX_LEAVES = 1 << 14,
    MAX_NATIVE_FRAMES = 128, /* inside of the innermost Python frame; outer ones are left out */
};

/* A native stack below an innermost Python frame and its callers. A new one replaces an older one.
 */
typedef struct leaf {
    hpp_python_place innermost;
    uint32_t callers, key;
    uint32_t deaths; /* of code objects, when it was stored */
    uint32_t site;
} leaf;

typedef struct hpp_python_stacks {
    leaf *leaves; /* by hash */
    uint32_t leaves_mask, n_missed;
    hpp_python_chain chain, interrupted;
} hpp_python_stacks;

bool hpp__python_place_begins(uint32_t node)
{
    if (!hpp__unwind_rules_has_evaluator() || node == 0) {
        return false;
    }
    const hpp_window_node *record = hpp__trie_look(node);
    while (record->parent != 0) {
        record = hpp__trie_look(record->parent);
    }
    return hpp__unwind_rules_is_evaluator(record->address - !(record->flags & HPP_NODE_EXACT));
}

static hpp_python_stacks *stacks_of(hpp_thread *self)
{
    if (self->python == NULL) {
        char *memory = hpp__map(sizeof(hpp_python_stacks) + MAX_LEAVES * sizeof(leaf));
        if (memory == NULL) {
            return NULL;
        }
        hpp_python_stacks *stacks = (hpp_python_stacks *)(void *)memory;
        stacks->leaves = (leaf *)(void *)(stacks + 1);
        stacks->leaves_mask = FIRST_LEAVES - 1;
        self->python = stacks;
    }
    return self->python;
}

static leaf *leaf_of(const hpp_python_stacks *stacks, hpp_python_place innermost, uint32_t callers,
                     uint32_t key)
{
    uint64_t hash = (innermost.instruction + innermost.code * 31 + ((uint64_t)callers << 40) +
                     ((uint64_t)key << 20)) *
                    0x9e3779b97f4a7c15;
    return &stacks->leaves[hash >> 32 & stacks->leaves_mask];
}

/* Returns the site of a native stack below a Python stack, 0: none; 0 if the window is full. */
static uint32_t site_below(uint32_t python, uint32_t key)
{
    uint32_t native = key & ((1u << HPP_PLACE_NODE_BITS) - 1);
    uint32_t frames[MAX_NATIVE_FRAMES];
    uint32_t n = 0;
    uint32_t node = python != 0 ? python : native;
    for (uint32_t at = native; python != 0 && n < MAX_NATIVE_FRAMES;) {
        uint32_t parent = hpp__trie_look(at)->parent;
        if (parent == 0) { /* the evaluation loop */
            break;
        }
        frames[n++] = at;
        at = parent;
    }
    while (n > 0 && node != 0) {
        const hpp_window_node *frame = hpp__trie_look(frames[--n]);
        node = hpp__trie_node(node, frame->address, frame->module_index, frame->flags);
    }
    hpp_call call = (hpp_call)(key >> HPP_PLACE_NODE_BITS & 31);
    return node != 0 ? hpp__trie_site(node, call) : 0;
}

static hpp_place lose_place(hpp_thread *self)
{
    atomic_fetch_add_explicit(&hpp__window->head.n_lost_stacks, 1, memory_order_relaxed);
    return (hpp_place){HPP_SITE_UNKNOWN, hpp__thread_cell(self, HPP_SITE_UNKNOWN)};
}

/* Blocks of Python's domains are allocated by the holder of the global lock. */
static const void *thread_state(uint32_t key)
{
    hpp_call call = (hpp_call)(key >> HPP_PLACE_NODE_BITS & 31);
    bool holds_lock = call == HPP_CALL_PYTHON_OBJECT || call == HPP_CALL_PYTHON_MEMORY;
    return holds_lock ? hpp__python.lock_holder() : hpp__python.own_thread();
}

/* Finds the place of a leaf that is not cached, and stores it. */
static HPP_NO_INLINE hpp_place make_place(hpp_thread *self, hpp_python_stack stack, uint32_t key)
{
    hpp_python_stacks *stacks = self->python;
    bool is_found = stack.found == HPP_FRAMES_FOUND;
    hpp_python_place innermost = is_found ? stack.innermost->place : (hpp_python_place){0};
    uint32_t python = stack.callers;
    bool is_pushed = !is_found || hpp__frames_push(&python, &stacks->chain, stack.innermost, false);
    uint32_t site = is_pushed ? site_below(python, key) : 0;
    if (site == 0) {
        return lose_place(self);
    }
    if (++stacks->n_missed > stacks->leaves_mask && stacks->leaves_mask < MAX_LEAVES - 1) {
        stacks->leaves_mask = 2 * stacks->leaves_mask + 1;
        stacks->n_missed = 0;
    }
    *leaf_of(stacks, innermost, stack.callers, key) =
        (leaf){innermost, stack.callers, key, stacks->chain.deaths, site};
    return (hpp_place){site, hpp__thread_cell(self, site)};
}

hpp_place hpp__python_place(hpp_thread *self, uint32_t key)
{
    hpp_python_stacks *stacks = stacks_of(self);
    if (HPP_UNLIKELY(stacks == NULL)) {
        return lose_place(self);
    }
    hpp_python_stack stack = hpp__frames_read(&stacks->chain, thread_state(key));
    if (HPP_UNLIKELY(stack.found != HPP_FRAMES_FOUND)) {
        return stack.found == HPP_FRAMES_NONE ? make_place(self, stack, key) : lose_place(self);
    }
    hpp_python_place innermost = stack.innermost->place;
    hpp_memory memory = HPP_ALL_MEMORY;
    leaf *found = leaf_of(stacks, innermost, stack.callers, key);
    bool is_same = found->innermost.instruction == innermost.instruction &&
                   found->innermost.code == innermost.code && found->callers == stack.callers &&
                   found->key == key &&
                   hpp__codes_lived(innermost.code, &found->deaths, stacks->chain.deaths, &memory);
    return HPP_LIKELY(is_same) ? (hpp_place){found->site, hpp__thread_old_cell(self, found->site)}
                               : make_place(self, stack, key);
}

uint32_t hpp__python_place_interrupted(hpp_thread *self, uint32_t key)
{
    hpp_python_stacks *stacks = self != NULL ? stacks_of(self) : NULL;
    if (stacks == NULL) {
        return site_below(0, key);
    }
    hpp_python_chain *chain = &stacks->interrupted;
    hpp_python_stack stack = hpp__frames_read_carefully(chain, hpp__python.own_thread());
    uint32_t python = stack.callers;
    switch (stack.found) {
    case HPP_FRAMES_NONE:
        return site_below(0, key);
    case HPP_FRAMES_FOUND:
        return hpp__frames_push(&python, chain, stack.innermost, true) ? site_below(python, key)
                                                                       : 0;
    default:
        return 0;
    }
}

void hpp__python_places_forget(hpp_thread *thread)
{
    if (thread->python != NULL) {
        memset(thread->python->leaves, 0, (thread->python->leaves_mask + 1) * sizeof(leaf));
    }
}
