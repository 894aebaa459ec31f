/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The stack of open functions, the cache of children, and the way from a call to the innermost open
 * function.
 */
#include "centres.h"

#include <string.h>

enum {
    MAX_FRAMES = 1 << 16,     /* deeper functions are not entered */
    FIRST_CHILDREN = 1 << 10, /* places in use */
    MAX_CHILDREN = 1 << 18,   /* places that there are */
    MAX_INNER_FRAMES = 64,    /* between an open function and an allocation */
    SITE_FLAG = 1 << 15,      /* in keys: the child is a site, the address a call */
};

/* ---- children -------------------------------------------------------------------------------- */

/* What has no counter is counted here. */
static hpp_centre_counter uncounted;

/* The cache grows when more was looked up in vain than it has places. What it has stays valid. */
static void keep_child(hpp_centres *c, uint32_t parent, uint64_t key, uint32_t child)
{
    const size_t n_bytes = sizeof(hpp_centre_child);
    if (++c->n_missed > c->children_mask / n_bytes &&
        c->children_mask < (MAX_CHILDREN - 1) * n_bytes) {
        c->children_mask = 2 * c->children_mask + n_bytes;
        c->n_missed = 0;
    }
    hpp_centre_child *place = hpp__centres_place_of(c, parent, key);
    bool is_entered = key >> HPP_CENTRE_FLAG_BITS & (HPP_NODE_ENTRY | HPP_NODE_SCOPE);
    hpp_centre_counter *counter = is_entered ? c->find_counter(child) : NULL;
    c->counters[place - c->children] = counter != NULL ? counter : &uncounted;
    *(volatile hpp_centre_child *)place = (hpp_centre_child){key, parent | (uint64_t)child << 32};
}

/* Forgets all children if objects have been loaded or unloaded. */
static void renew_children(hpp_centres *c)
{
    uint32_t generation = atomic_load_explicit(&hpp__generation, memory_order_acquire);
    if (HPP_UNLIKELY(c->generation != generation)) {
        memset(c->children, 0, c->children_mask + sizeof(*c->children));
        c->generation = generation;
    }
}

/* Returns the node of an address or number below `parent`; 0 if the window is full. */
static HPP_NO_INLINE uint32_t make_child(hpp_centres *c, uint32_t parent, uint64_t key)
{
    uint16_t flags = (uint16_t)(key >> HPP_CENTRE_FLAG_BITS);
    uintptr_t address = key & (((uintptr_t)1 << HPP_CENTRE_FLAG_BITS) - 1);
    uint32_t child = 0;
    if (flags & (HPP_NODE_ENTRY | HPP_NODE_SCOPE)) {
        for (uint32_t node = parent; node != 0 && child == 0; node = hpp__trie_look(node)->parent) {
            const hpp_window_node *record = hpp__trie_look(node);
            child = record->address == address && record->flags == flags ? node : 0;
        }
    }
    if (child == 0) {
        bool is_return = (flags & (HPP_NODE_ENTRY | HPP_NODE_EXACT)) == 0;
        hpp_module module;
        uint16_t number = 0;
        if (!(flags & HPP_NODE_SCOPE) && hpp__modules_find(&module, address - is_return)) {
            number = module.number;
        }
        child = hpp__trie_node(parent, address, number, flags);
    }
    if (child != 0) {
        keep_child(c, parent, key, child);
    }
    return child;
}

static inline uint32_t child_of(hpp_centres *c, uint32_t parent, uint64_t key)
{
    uint32_t child = hpp__centres_find(c, parent, key);
    return HPP_LIKELY(child != 0) ? child : make_child(c, parent, key);
}

uint32_t hpp__centres_site(hpp_centres *c, uint32_t node, hpp_call call)
{
    uint64_t key = hpp__centres_key(call, SITE_FLAG);
    uint32_t site = hpp__centres_find(c, node, key);
    if (HPP_UNLIKELY(site == 0)) {
        site = hpp__trie_site(node, call);
        if (site != 0) {
            keep_child(c, node, key, site);
        }
    }
    return site;
}

/* ---- open functions -------------------------------------------------------------------------- */

static bool is_on_stack(const hpp_centres *c, uintptr_t address)
{
    return address >= c->stack_low && address < c->stack_end;
}

/* Also closes those on other stacks, as of a signal handler that ended by longjmp. Does nothing
 * while another stack is in use. */
void hpp__centres_skip(hpp_centres *c, uintptr_t sp)
{
    hpp_centre_frame *top = c->top;
    if (!is_on_stack(c, sp)) {
        return;
    }
    while (top > c->frames + 1 &&
           (top[-1].frame_pointer < sp || !is_on_stack(c, top[-1].frame_pointer))) {
        top--;
    }
    if (top < c->top) {
        c->current = top->before;
        c->top = top;
    }
}

/* A frame may have several open functions, if some were inlined; these have the same return
 * address. With another one, the frame belongs to a call that was skipped. */
static HPP_NO_INLINE void close_skipped(hpp_centres *c, uintptr_t frame_pointer,
                                        uintptr_t return_address)
{
    hpp__centres_skip(c, frame_pointer);
    hpp_centre_frame *top = c->top;
    while (top[-1].frame_pointer == frame_pointer && top[-1].return_address != return_address) {
        top--;
        c->current = top->before;
        c->top = top;
    }
}

/* Prepares an entry: closes what was skipped. Returns false if too many functions are open. */
static bool prepare(hpp_centres *c, uintptr_t frame_pointer, uintptr_t return_address)
{
    const hpp_centre_frame *last = &c->top[-1];
    if (HPP_UNLIKELY(frame_pointer >= last->frame_pointer) &&
        (frame_pointer > last->frame_pointer || return_address != last->return_address)) {
        close_skipped(c, frame_pointer, return_address);
    }
    if (HPP_UNLIKELY(c->generation !=
                     atomic_load_explicit(&hpp__generation, memory_order_relaxed))) {
        renew_children(c);
    }
    return HPP_LIKELY(c->top != c->end);
}

bool hpp__centres_enter(hpp_centres *c, uint64_t key, uintptr_t frame_pointer,
                        uintptr_t return_address)
{
    if (!prepare(c, frame_pointer, return_address)) {
        return false;
    }
    uint32_t parent = (uint32_t)c->current;
    uint32_t child = child_of(c, parent, key);
    if (HPP_LIKELY(child != 0)) {
        hpp__centres_count(c, hpp__centres_place_of(c, parent, key));
    }
    hpp__centres_open(c, HPP_LIKELY(child != 0) ? child : c->current, frame_pointer,
                      return_address);
    return true;
}

bool hpp__centres_enter_under(hpp_centres *c, uint32_t node, uintptr_t frame_pointer,
                              uintptr_t return_address)
{
    bool has_room = prepare(c, frame_pointer, return_address);
    if (has_room) {
        hpp__centres_open(c, node, frame_pointer, return_address);
    }
    return has_room;
}

void hpp__centres_leave(hpp_centres *c, uintptr_t frame_pointer)
{
    if (!hpp__centres_leave_usual(c, frame_pointer)) {
        hpp__centres_skip(c, frame_pointer);
        (void)hpp__centres_leave_usual(c, frame_pointer);
    }
}

/* ---- places ---------------------------------------------------------------------------------- */

uint32_t hpp__centres_node(hpp_centres *c, hpp_walk walk)
{
    uint64_t keys[MAX_INNER_FRAMES];
    uint32_t n = 0;
    hpp_step step = HPP_STEP_UP;
    bool is_inside = false;
    hpp__centres_skip(c, walk.sp);
    renew_children(c);
    uintptr_t opened = c->top[-1].frame_pointer;
    bool is_elsewhere = c->stack_end != 0 && !is_on_stack(c, walk.sp);
    if (c->top == c->frames + 1 || is_elsewhere) {
        return 0;
    }
    while (!is_inside) {
        uintptr_t sp = walk.sp;
        uint16_t flags = (uint16_t)((walk.is_exact ? HPP_NODE_EXACT : 0) |
                                    (walk.is_guessed ? HPP_NODE_GUESSED : 0));
        uint64_t key = hpp__centres_key(walk.pc, flags);
        hpp_word words[HPP_MAX_STEP_WORDS];
        uint32_t n_words = 0;
        step =
            hpp__walk_step(&walk, hpp__unwind_rules_find(hpp__walk_place(&walk)), words, &n_words);
        is_inside = opened >= sp && opened < walk.sp;
        keys[n++] = key | (is_inside ? hpp__centres_key(0, HPP_NODE_INSIDE) : 0);
        if (!is_inside && (step != HPP_STEP_UP || n == MAX_INNER_FRAMES)) {
            return 0;
        }
    }
    uint32_t node = (uint32_t)c->current;
    while (n > 0) {
        node = child_of(c, node, keys[--n]);
        if (node == 0) {
            return 0;
        }
    }
    return node;
}

/* ---- life ------------------------------------------------------------------------------------ */

void hpp__centres_forget(hpp_centres *c, uintptr_t stack_low, uintptr_t stack_end)
{
    c->current = 0;
    c->top = c->frames + 1;
    c->stack_low = stack_low;
    c->stack_end = stack_end;
}

hpp_centres *hpp__centres_create(hpp_find_counter *find_counter)
{
    size_t n_frame_bytes = MAX_FRAMES * sizeof(hpp_centre_frame);
    size_t n_child_bytes = MAX_CHILDREN * sizeof(hpp_centre_child);
    size_t n_counter_bytes = MAX_CHILDREN * sizeof(hpp_centre_counter *);
    char *memory = hpp__map(n_child_bytes + n_frame_bytes + n_counter_bytes + sizeof(hpp_centres));
    if (memory == NULL) {
        return NULL;
    }
    hpp_centres *c = (hpp_centres *)(memory + n_child_bytes + n_frame_bytes + n_counter_bytes);
    c->find_counter = find_counter;
    c->counters = (hpp_centre_counter **)(memory + n_child_bytes + n_frame_bytes);
    c->children = (hpp_centre_child *)memory;
    c->children_mask = (FIRST_CHILDREN - 1) * sizeof(hpp_centre_child);
    c->frames = (hpp_centre_frame *)(memory + n_child_bytes);
    c->frames->frame_pointer = UINTPTR_MAX;
    c->end = c->frames + MAX_FRAMES;
    hpp__centres_forget(c, 0, 0);
    return c;
}
