/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Maps the nodes of a window to stacks of functions. They follow the rules of GHC's cost-centre
 * stacks: a tree with the root MAIN, interned, without recursion (a function that is already on the
 * stack cuts it back). Inlined functions count as functions; the callers of main are left out.
 *
 * What is known of a node serves all nodes below it, so the work does not grow with the square of
 * the depth. A stack has HPP__MAX_FUNCTIONS different functions at most: further in, it begins
 * again at the root. The producer of a block is the frame that names its stack
 * (hpfile/frame.h).
 *
 * A stack of Python has the functions of Python only, and, if it keeps all frames, the C function
 * that allocated on top of them.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_COLLECTOR_PROFILE_NAMED_STACKS_H
#define HPP_NATIVE_COLLECTOR_PROFILE_NAMED_STACKS_H

#include "base/arena.h"
#include "hpprof/heap.h"
#include "base/map.h"
#include "base/text.h"
#include "native/collector/types/types.h"
#include "names.h"
#include "native/window/window_reader.h"

enum { HPP__MAX_FUNCTIONS = 4096, HPP__MAX_SKIPPED = 4096 };

/* A stack: `function` on top of `parent`. */
typedef struct hpp__stack {
    const hpp__function *function;
    const struct hpp__stack *parent; /* NULL: the root, or a special stack */
    uint32_t id;                     /* from 0 without gaps, parents before children */
    uint32_t depth;                  /* number of functions, without the root */
} hpp__stack;

/* Who made a block. */
typedef struct hpp__producer {
    const hpp__stack *stack; /* from `frame` on, or of all frames; cut to max_depth; NULL without
                                memory, or if the node is invalid */
    uint64_t return_address; /* of the call in that frame; 0: unknown */
    hpp__frame frame;        /* that names the stack, and its line */
    uint32_t node;           /* of the innermost function that is no allocator */
    hpp_call call;           /* HPP_CALL_NEW or HPP_CALL_NEW_ARRAY if that was skipped */
} hpp__producer;

/* A module of the window, with its number in the resolver. */
typedef struct hpp__known_module {
    uint32_t object; /* number + 1; 0: not registered yet */
    uint64_t bias;
} hpp__known_module;

/* The frame that names a stack, by its place among those of a node. */
typedef struct hpp__own {
    uint32_t node;
    uint16_t index; /* below HPP__FRAMES_MAX */
    uint16_t owner; /* hpf_frame_owner plus 1; 0: not known yet */
} hpp__own;

typedef struct hpp__named_stacks {
    hpp__names *names;                /* borrowed */
    const hpp__window_reader *reader; /* borrowed */
    uint32_t process_id;
    uint32_t max_depth;
    bool with_lines; /* the functions are those at lines; set before the first stack */
    bool keeps_all;  /* frames inside the one that names a stack, too; the same */
    bool skips_none; /* the innermost frame names a stack; the same */
    hpf_arena *arena;
    hpp__stack *root;
    const hpp__stack **by_id; /* all stacks of the tree */
    size_t by_id_capacity;
    uint32_t n_stacks;
    hpp__map children; /* id of the parent, index of the function -> stack */
    hpp__map cuts;     /* stack -> the same, cut to max_depth */
    uint32_t *of_node; /* id of the stack plus 1; 0: not known yet */
    hpp__known_module *modules;
    hpp__frame *scopes; /* by number - 1 */
    hpp__frame *codes;  /* of Python, by number; the line is from the last frame */
    const hpp__stack **of_site;
    size_t of_site_capacity, of_node_capacity, modules_capacity, scopes_capacity, codes_capacity;
    uint32_t *path; /* nodes from a known one to the one that is looked up */
    size_t path_capacity;
    uint32_t *python_of;   /* by node: its frame of Python (0: none), plus 1; 0: not known yet */
    uint8_t *is_allocator; /* by node: whether its function without a symbol is of an allocator,
                              plus 1; 0: not known yet */
    const hpp__function **c_of; /* by node: its function between Python and an allocation; NULL: not
                                   known yet */
    hpp__own *own_of;           /* by node */
    uint32_t *own_path;         /* nodes from one with a known frame to the one that is looked up */
    size_t own_of_capacity, own_path_capacity;
    size_t python_of_capacity, is_allocator_capacity, c_of_capacity;
    hpp__text type;      /* of the last producer's block */
    hpf_str *allocators; /* names of the allocators of the last producer, innermost first */
    size_t n_allocators, allocators_capacity;
} hpp__named_stacks;

/* Initialises stacks; `max_depth` 0 means no limit. Errors: MEMORY; call hpp__named_stacks_finish
 * in any case. */
hpf_status hpp__named_stacks_init(hpp__named_stacks *stacks, hpp__names *names,
                                  const hpp__window_reader *reader, uint32_t process_id,
                                  uint32_t max_depth, hpf_error *err);
void hpp__named_stacks_finish(hpp__named_stacks *stacks);

/* Returns the producer of a node, which is not 0. */
hpp__producer hpp__named_stacks_producer(hpp__named_stacks *stacks, uint32_t node);

/* Returns whether the blocks that were made at a node are parts of containers of a standard
 * library: nodes, arrays, texts. Stores how words refer to them; ROOM_TEXT: to those of any string.
 */
bool hpp__named_stacks_is_part(hpp__named_stacks *stacks, uint32_t node, hpp__room_layout *layout);

/* Returns what the site of a node says of its blocks, whose producer is given. Valid until the next
 * call. */
hpp__site_type hpp__named_stacks_type(hpp__named_stacks *stacks, uint32_t node,
                                      const hpp__producer *producer);

/* Returns the whole stack of a node, without skipping functions, for the time profile. NULL as
 * above. */
const hpp__stack *hpp__named_stacks_place(hpp__named_stacks *stacks, uint32_t node);

/* Returns the stack to which a site's costs belong, the root if it is unknown. */
const hpp__stack *hpp__named_stacks_of_site(hpp__named_stacks *stacks, uint32_t site);

/* Returns a new stack that has only the name of objects that no function has allocated. NULL
 * without memory. */
const hpp__stack *hpp__named_stacks_object_kind(hpp__named_stacks *stacks,
                                                const hpp__object_name *name);

/* Returns a special stack, which is not in the tree; the same one for the same text. NULL without
 * memory. */
const hpp__stack *hpp__named_stacks_special(hpp__named_stacks *stacks, hpf_str text);

/* The functions by which the census engine reads stacks; they need no context. */
extern const hpp_stacks hpp__named_stacks_view;

#endif
