/* SPDX-License-Identifier: BSD-2-Clause */
#include "python_place.h"

#include <string.h>

#include "native/unwind/unwind_rules.h"
#include "native/window/trie.h"

enum {
    FIRST_JOINTS = 1 << 8,
    MAX_JOINTS = 1 << 14,
    MAX_NATIVE_FRAMES = 128, /* inside of the innermost Python frame; outer ones are left out */
};

/* A native stack below a Python stack. A new one replaces an older one. */
typedef struct joint {
    uint32_t python, key;
    hpp_place place;
} joint;

typedef struct hpp_python_stacks {
    joint *joints; /* by hash */
    uint32_t joints_mask, n_missed;
    hpp_python_chain chain, interrupted;
} hpp_python_stacks;

bool hpp__python_place_begins(uint32_t node)
{
    if (hpp__evaluator_end == 0 || node == 0) {
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
        char *memory = hpp__map(sizeof(hpp_python_stacks) + MAX_JOINTS * sizeof(joint));
        if (memory == NULL) {
            return NULL;
        }
        hpp_python_stacks *stacks = (hpp_python_stacks *)(void *)memory;
        stacks->joints = (joint *)(void *)(stacks + 1);
        stacks->joints_mask = FIRST_JOINTS - 1;
        self->python = stacks;
    }
    return self->python;
}

static joint *joint_of(const hpp_python_stacks *stacks, uint32_t python, uint32_t key)
{
    uint64_t hash = ((uint64_t)python << 32 | key) * 0x9e3779b97f4a7c15;
    return &stacks->joints[hash >> 32 & stacks->joints_mask];
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

hpp_place hpp__python_place(hpp_thread *self, uint32_t key)
{
    hpp_python_stacks *stacks = stacks_of(self);
    uint32_t python;
    if (stacks == NULL || !hpp__frames_node(&python, &stacks->chain, thread_state(key), false)) {
        return lose_place(self);
    }
    joint *found = joint_of(stacks, python, key);
    if (HPP_LIKELY(found->key == key && found->python == python)) {
        return found->place;
    }
    uint32_t site = site_below(python, key);
    if (site == 0) {
        return lose_place(self);
    }
    hpp_place place = {site, hpp__thread_cell(self, site)};
    if (++stacks->n_missed > stacks->joints_mask && stacks->joints_mask < MAX_JOINTS - 1) {
        stacks->joints_mask = 2 * stacks->joints_mask + 1;
        stacks->n_missed = 0;
    }
    *joint_of(stacks, python, key) = (joint){python, key, place};
    return place;
}

uint32_t hpp__python_place_interrupted(hpp_thread *self, uint32_t key)
{
    hpp_python_stacks *stacks = self != NULL ? stacks_of(self) : NULL;
    uint32_t python = 0;
    bool is_found = stacks == NULL ||
                    hpp__frames_node(&python, &stacks->interrupted, hpp__python.own_thread(), true);
    return is_found ? site_below(python, key) : 0;
}

void hpp__python_places_forget(hpp_thread *thread)
{
    if (thread->python != NULL) {
        memset(thread->python->joints, 0, (thread->python->joints_mask + 1) * sizeof(joint));
    }
}
