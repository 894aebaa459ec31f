/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A node's stack is its caller's with its own functions on top; both are remembered.
 */
#include "base/arena.h"
#include "named_stacks.h"

#include "base/array.h"
#include "hpfile/str.h"
#include "native/collector/image/proc.h"
#include "native/collector/types/containers.h"
#include "symbol/resolve.h"

/* Returns how many elements an array by node is to have: more than there are nodes now. */
static size_t room_for(const hpp__named_stacks *s, uint32_t node)
{
    size_t n = s->reader->n_nodes + (size_t)s->reader->n_nodes / 4;
    return node < n ? n : node + (size_t)1;
}
#define ROOM_FOR_NODE(s, array, node)                                                              \
    ((node) < (s)->array##_capacity ||                                                             \
     HPF__ARRAY_RESERVE_ZEROED((s)->array, (s)->array##_capacity, room_for(s, node)))

/* ---- The tree ---- */

static hpp__stack *new_stack(hpp__named_stacks *s, const hpp__function *function,
                             const hpp__stack *parent)
{
    hpp__stack *stack = hpf_arena_alloc(s->arena, sizeof *stack);
    if (!stack || !function ||
        !HPF__ARRAY_RESERVE_ZEROED(s->by_id, s->by_id_capacity, s->n_stacks + (size_t)1)) {
        return NULL;
    }
    *stack = (hpp__stack){function, parent, s->n_stacks, parent ? parent->depth + 1 : 0};
    s->by_id[s->n_stacks++] = stack;
    return stack;
}

/* Returns the stack cut back to `function`, or NULL if the function is not on it. */
static const hpp__stack *cut_back(const hpp__stack *stack, const hpp__function *function)
{
    while (stack && stack->function->plain != function->plain) {
        stack = stack->parent;
    }
    return stack;
}

/* Returns whether a function without a symbol is shown as the one below it: a function of the same
 * module that has a name. */
static bool is_hidden_by(const hpp__stack *stack, const hpp__function *function)
{
    return function->is_module && stack->function->owner != HPF_FRAME_OF_ALLOCATOR &&
           hpf_str_equal(stack->function->module, function->module);
}

/* Returns the stack with `function` on top; NULL without memory, and for NULL. The caller of main
 * may have no symbol: then it is on the root, or on a function that has one. */
static const hpp__stack *push(hpp__named_stacks *s, const hpp__stack *stack,
                              const hpp__function *function)
{
    if (!stack || !function) {
        return NULL;
    }
    if (function->is_start || (stack == s->root && function->is_nameless)) {
        return s->root;
    }
    if (is_hidden_by(stack, function)) {
        return stack;
    }
    stack = stack->depth < HPP__MAX_FUNCTIONS ? stack : s->root;
    uint64_t key = (uint64_t)(stack->id + 1) << 32 | function->index;
    const uint64_t *known = hpp__map_find(&s->children, key);
    if (known) {
        return (const hpp__stack *)(uintptr_t)*known;
    }
    const hpp__stack *child = cut_back(stack, function);
    child = child && child->function != function ? push(s, child->parent, function) : child;
    child = child ? child : new_stack(s, function, stack);
    uint64_t *place = child ? hpp__map_add(&s->children, key) : NULL;
    if (place) {
        *place = (uintptr_t)child;
    }
    return child;
}

/* Functions are pushed from the outermost in. */
static const hpp__stack *push_frames(hpp__named_stacks *s, const hpp__stack *stack,
                                     hpp__frames frames, size_t from)
{
    for (size_t i = frames.n; i > from && stack; i--) {
        const hpp__frame *frame = &frames.list[i - 1];
        stack =
            push(s, stack, s->with_lines ? hpp__names_at_line(s->names, frame) : frame->function);
    }
    return frames.n > from ? stack : NULL;
}

/* The same for frames in the function that opened the stack. Only what was inlined without
 * reporting its entry is pushed: the frames up to the first one that is on the stack, or to the
 * function itself. If frames before `from` were skipped, they are on the stack, too. */
static const hpp__stack *push_inside(hpp__named_stacks *s, const hpp__stack *opened,
                                     hpp__frames frames, size_t from)
{
    size_t n = from;
    while (n + 1 < frames.n && !cut_back(opened, frames.list[n].function)) {
        n++;
    }
    const hpp__stack *cut = from > 0 ? cut_back(opened, frames.list[n].function) : NULL;
    const hpp__stack *stack = cut ? cut : opened;
    return n > from ? push_frames(s, stack, (hpp__frames){frames.list, n}, from) : stack;
}

/* ---- Depth ---- */

/* Returns a stack of the `n` innermost functions. */
static const hpp__stack *copy_top(hpp__named_stacks *s, const hpp__stack *stack, uint32_t n)
{
    const hpp__function *functions[64];
    const hpp__stack *copy = s->root;
    while (n > 0) {
        /* A batch from `n` on, outermost first. */
        uint32_t n_batch = n < 64 ? n : 64;
        const hpp__stack *at = stack;
        for (uint32_t i = 0; i < n - n_batch; i++) {
            at = at->parent;
        }
        for (uint32_t i = 0; i < n_batch; i++, at = at->parent) {
            functions[i] = at->function;
        }
        for (uint32_t i = n_batch; i > 0; i--) {
            copy = push(s, copy, functions[i - 1]);
        }
        n -= n_batch;
    }
    return copy;
}

static const hpp__stack *no_deeper(hpp__named_stacks *s, const hpp__stack *stack)
{
    if (!stack || s->max_depth == 0 || stack->depth <= s->max_depth) {
        return stack;
    }
    uint64_t *place = hpp__map_add(&s->cuts, (uintptr_t)stack);
    if (!place) {
        return NULL;
    }
    if (*place == 0) {
        *place = (uintptr_t)copy_top(s, stack, s->max_depth);
    }
    return (const hpp__stack *)(uintptr_t)*place;
}

/* ---- Nodes ---- */

/* Returns a module, or NULL if it is invalid. Valid until the next call. */
static const hpp__known_module *module_at(hpp__named_stacks *s, uint32_t index)
{
    hpp_window_module module;
    if (index < s->modules_capacity && s->modules[index].object != 0) {
        return &s->modules[index];
    }
    if (!hpp__window_reader_module(s->reader, index, &module) ||
        !HPF__ARRAY_RESERVE_ZEROED(s->modules, s->modules_capacity, index + (size_t)1)) {
        return NULL;
    }
    char root[HPP__PROC_ROOT_BYTES];
    const char *other = hpp__proc_root(s->process_id, root);
    s->modules[index] =
        (hpp__known_module){hpp__names_object(s->names, &module, other) + 1, module.bias};
    return &s->modules[index];
}

/* Returns the cost centre of a scope, or no frame. */
static hpp__frames frame_of_scope(hpp__named_stacks *s, uint64_t number)
{
    hpp_window_scope scope;
    hpp__frames none = {NULL, 0};
    if (!hpp__window_reader_scope(s->reader, number, &scope) ||
        !HPF__ARRAY_RESERVE_ZEROED(s->scopes, s->scopes_capacity, number)) {
        return none;
    }
    hpp__frame *frame = &s->scopes[number - 1];
    if (!frame->function) {
        frame->function = hpp__names_scope(s->names, &scope);
    }
    return frame->function ? (hpp__frames){frame, 1} : none;
}

/* Returns the function and line of a frame of Python, or no frame. */
static hpp__frames frame_of_code(hpp__named_stacks *s, uint64_t address)
{
    hpp_window_code code;
    hpp__frames none = {NULL, 0};
    uint64_t number = address >> 32;
    if (!hpp__window_reader_code(s->reader, number, &code) ||
        !HPF__ARRAY_RESERVE_ZEROED(s->codes, s->codes_capacity, number + 1)) {
        return none;
    }
    hpp__frame *frame = &s->codes[number];
    if (!frame->function) {
        *frame = hpp__names_python(s->names, &code);
    }
    frame->line = (uint32_t)address;
    return frame->function ? (hpp__frames){frame, 1} : none;
}

/* Returns the functions at a node; none if no more names are made. A return address may be after
 * the end of its function. */
static hpp__frames frames_at(hpp__named_stacks *s, const hpp_window_node *node)
{
    if (hpp__names_are_final(s->names)) {
        return (hpp__frames){NULL, 0};
    }
    if (node->flags & HPP_NODE_SCOPE) {
        return frame_of_scope(s, node->address);
    }
    if (node->flags & HPP_NODE_PYTHON) {
        return frame_of_code(s, node->address);
    }
    bool is_instruction = node->flags & (HPP_NODE_EXACT | HPP_NODE_ENTRY);
    uint64_t address = node->address - (is_instruction ? 0 : 1);
    const hpp__known_module *module =
        node->module_index ? module_at(s, node->module_index - 1u) : NULL;
    hpp__frames frames = module
                             ? hpp__names_at(s->names, module->object - 1, address - module->bias)
                             : hpp__names_generated(s->names, s->process_id, address);
    bool is_function = (node->flags & HPP_NODE_ENTRY) && frames.n > 0;
    return is_function ? (hpp__frames){&frames.list[frames.n - 1], 1} : frames;
}

/* Returns the stack of a node whose parent has the stack `callers`, without its frames before
 * `from`; NULL without memory. */
static const hpp__stack *push_node(hpp__named_stacks *s, const hpp__stack *callers,
                                   const hpp_window_node *node, hpp__frames frames, size_t from)
{
    return node->flags & HPP_NODE_INSIDE && callers && frames.n > from
               ? push_inside(s, callers, frames, from)
               : push_frames(s, callers, frames, from);
}

/* Returns the cached stack of a node, or NULL. */
static const hpp__stack *known_stack(const hpp__named_stacks *s, uint32_t node)
{
    uint32_t number = node < s->of_node_capacity ? s->of_node[node] : 0;
    return node == 0 ? s->root : number != 0 ? s->by_id[number - 1] : NULL;
}

/* Stores the nodes from `node` outwards to one with a cached stack. Returns their number; 0 without
 * memory, or for an invalid node. */
static size_t find_path(hpp__named_stacks *s, uint32_t node)
{
    size_t n = 0;
    while (!known_stack(s, node)) {
        hpp_window_node record;
        if (!hpp__window_reader_node(s->reader, node, &record) ||
            !HPF__ARRAY_RESERVE(s->path, s->path_capacity, n + 1)) {
            return 0;
        }
        s->path[n++] = node;
        node = record.parent;
    }
    return n;
}

static const hpp__stack *whole_stack(hpp__named_stacks *s, uint32_t node)
{
    if (known_stack(s, node)) {
        return known_stack(s, node);
    }
    if (!ROOM_FOR_NODE(s, of_node, node)) {
        return NULL;
    }
    const hpp__stack *stack = NULL;
    for (size_t i = find_path(s, node); i > 0; i--) {
        hpp_window_node record;
        if (!hpp__window_reader_node(s->reader, s->path[i - 1], &record)) {
            return NULL;
        }
        stack = push_node(s, known_stack(s, record.parent), &record, frames_at(s, &record), 0);
        if (!stack) {
            return NULL;
        }
        s->of_node[s->path[i - 1]] = stack->id + 1;
    }
    return stack;
}

static bool is_python(const hpp__named_stacks *s, uint32_t node)
{
    hpp_window_node record;
    return hpp__window_reader_node(s->reader, node, &record) && record.flags & HPP_NODE_PYTHON;
}

/* Returns the owner of a node that is a frame of Python, or the last one. */
static hpf_frame_owner owner_of_python(hpp__named_stacks *s, uint32_t node)
{
    hpp_window_node record;
    hpp__frames frames = {NULL, 0};
    if (hpp__window_reader_node(s->reader, node, &record) && record.flags & HPP_NODE_PYTHON) {
        frames = frames_at(s, &record);
    }
    return frames.n == 0   ? HPF_FRAME_OF_ALLOCATOR
           : s->skips_none ? HPF_FRAME_OF_PROGRAM
                           : frames.list[0].function->owner;
}

/* Returns the frame of Python that names a node's stack; 0: there is none. */
static uint32_t find_python(hpp__named_stacks *s, uint32_t node)
{
    hpp_window_node record;
    size_t n = 0;
    if (s->reader->n_codes <= 1 || /* there are no frames of Python */
        !ROOM_FOR_NODE(s, python_of, node)) {
        return 0;
    }
    while (node != 0 && s->python_of[node] == 0 &&
           hpp__window_reader_node(s->reader, node, &record) &&
           HPF__ARRAY_PUSH(s->path, n, s->path_capacity, node)) {
        node = record.parent;
    }
    uint32_t found = s->python_of[node] > 0 ? s->python_of[node] - 1 : 0;
    while (n > 0) {
        uint32_t at = s->path[--n];
        if (is_python(s, at) && owner_of_python(s, at) <= owner_of_python(s, found)) {
            found = at;
        }
        s->python_of[at] = found + 1;
    }
    return found;
}

const hpp__stack *hpp__named_stacks_place(hpp__named_stacks *s, uint32_t node)
{
    uint32_t python = find_python(s, node);
    return no_deeper(s, whole_stack(s, python != 0 ? python : node));
}

/* Returns whether a function without a symbol, whose caller is at `node`, belongs to an allocator:
 * only such functions of its module are between it and one that is skipped. */
static bool is_of_allocator(hpp__named_stacks *s, const hpp__function *function, uint32_t node)
{
    size_t n = 0;
    hpp_window_node record;
    bool is_allocator = function->owner == HPF_FRAME_OF_ALLOCATOR;
    if (!ROOM_FOR_NODE(s, is_allocator, node)) {
        return false;
    }
    while (function->is_module && node != 0 && hpp__window_reader_node(s->reader, node, &record)) {
        hpp__frames frames = frames_at(s, &record);
        if (frames.n == 0 || !hpf_str_equal(frames.list[0].function->module, function->module)) {
            is_allocator = false;
            break;
        }
        if (s->is_allocator[node] != 0) {
            is_allocator = s->is_allocator[node] - 1 != 0;
            break;
        }
        if (!HPF__ARRAY_PUSH(s->path, n, s->path_capacity, node)) {
            return false;
        }
        function = frames.list[0].function;
        is_allocator = function->owner == HPF_FRAME_OF_ALLOCATOR;
        node = record.parent;
    }
    while (n > 0) {
        s->is_allocator[s->path[--n]] = (uint8_t)(is_allocator + 1);
    }
    return is_allocator;
}

/* Collects the names of the functions at a node and around it, innermost first, up to the first one
 * outside the libraries: they say what is allocated. */
static void find_allocators(hpp__named_stacks *s, uint32_t node)
{
    hpp_window_node record;
    s->n_allocators = 0;
    for (; node != 0 && hpp__window_reader_node(s->reader, node, &record); node = record.parent) {
        hpp__frames frames = frames_at(s, &record);
        for (size_t i = 0; i < frames.n; i++) {
            hpf_str name = frames.list[i].function->name;
            bool is_wrapper = frames.list[i].function->owner == HPF_FRAME_OF_ALLOCATOR;
            if (s->n_allocators == HPP__MAX_SKIPPED ||
                (!is_wrapper && !hpp__container_is_of_library(name)) ||
                !HPF__ARRAY_PUSH(s->allocators, s->n_allocators, s->allocators_capacity, name)) {
                return; /* without memory, the type may be unknown */
            }
        }
    }
}

bool hpp__named_stacks_is_part(hpp__named_stacks *s, uint32_t node, hpp__room_layout *layout)
{
    find_allocators(s, node);
    bool is_object = hpp__container_type(&s->type, s->allocators, s->n_allocators);
    hpf_str type = hpp__text_str(&s->type);
    *layout = hpf_str_begins(type, "text of ") ? HPP__ROOM_TEXT : hpp__room_layout_of(type);
    return !is_object && type.length > 0;
}

/* Returns the type of the variable that the call at a node returned to, by debugging information.
 */
static hpf_str type_of_variable(hpp__named_stacks *s, uint32_t node, bool *is_object)
{
    hpp_window_node record;
    if (!hpp__window_reader_node(s->reader, node, &record) || record.module_index == 0 ||
        record.flags & (HPP_NODE_EXACT | HPP_NODE_ENTRY | HPP_NODE_SCOPE)) {
        return HPF_STR("");
    }
    const hpp__known_module *module = module_at(s, record.module_index - 1u);
    return module ? hpp__resolver_result_type(hpp__names_resolver(s->names), module->object - 1,
                                              record.address - module->bias, is_object)
                  : HPF_STR("");
}

hpp__site_type hpp__named_stacks_type(hpp__named_stacks *s, uint32_t node,
                                      const hpp__producer *producer)
{
    hpp__site_type type = {.naming = HPP__NAMED_BY_CONTAINER};
    find_allocators(s, node);
    type.is_object = hpp__container_type(&s->type, s->allocators, s->n_allocators);
    type.type = hpp__text_str(&s->type);
    if (s->type.length == 0) {
        type.naming = HPP__NAMED_BY_VARIABLE;
        type.type = type_of_variable(s, producer->node, &type.is_object);
    }
    bool is_known = type.type.length > 0 && !s->type.is_short;
    return is_known ? type : (hpp__site_type){.type = HPF_STR("")};
}

/* Returns the innermost function of frames that has a name and is no allocator, or NULL. */
static const hpp__function *find_named(hpp__frames frames)
{
    for (size_t i = 0; i < frames.n; i++) {
        const hpp__function *function = frames.list[i].function;
        if (function->owner != HPF_FRAME_OF_ALLOCATOR && !function->is_module) {
            return function;
        }
    }
    return NULL;
}

/* Returns the innermost function between a frame of Python and the allocation at `node` that has a
 * name and is no allocator, or NULL. */
static const hpp__function *find_c_function(hpp__named_stacks *s, uint32_t node)
{
    static const hpp__function none;
    const hpp__function *found = NULL;
    hpp_window_node record;
    size_t n = 0;
    if (!ROOM_FOR_NODE(s, c_of, node)) {
        return NULL;
    }
    while (!found && node != 0 && hpp__window_reader_node(s->reader, node, &record) &&
           !(record.flags & HPP_NODE_PYTHON) &&
           HPF__ARRAY_PUSH(s->path, n, s->path_capacity, node)) {
        found = s->c_of[node] ? s->c_of[node] : find_named(frames_at(s, &record));
        node = record.parent;
    }
    while (n > 0) {
        s->c_of[s->path[--n]] = found ? found : &none;
    }
    return found == &none ? NULL : found;
}

/* Returns the producer of a node in a function of Python, whose node is `python`. */
static hpp__producer python_producer(hpp__named_stacks *s, uint32_t node, uint32_t python)
{
    hpp__producer producer = {.call = HPP_CALL_MALLOC, .node = python};
    hpp_window_node record;
    uint32_t innermost = python;
    if (s->keeps_all) {
        for (innermost = node; !is_python(s, innermost); innermost = record.parent) {
            (void)hpp__window_reader_node(s->reader, innermost, &record);
        }
    }
    const hpp__stack *stack = whole_stack(s, innermost);
    if (!stack || !hpp__window_reader_node(s->reader, python, &record)) {
        return producer;
    }
    hpp__frames frames = frames_at(s, &record);
    if (frames.n == 0) {
        return producer;
    }
    producer.frame = frames.list[0];
    const hpp__function *inner = s->keeps_all ? find_c_function(s, node) : NULL;
    if (inner && s->with_lines) { /* the line of the Python function counts */
        inner = hpp__names_at_line(s->names, &(hpp__frame){.function = inner});
    }
    producer.stack = no_deeper(s, inner ? push(s, stack, inner) : stack);
    return producer;
}

/* Returns the owner of a frame at a node with this parent. It may name other functions. */
static hpf_frame_owner owner_of(hpp__named_stacks *s, const hpp__function *function,
                                uint32_t parent)
{
    bool is_allocator = function->is_module && function->owner != HPF_FRAME_OF_ALLOCATOR &&
                        is_of_allocator(s, function, parent);
    return is_allocator ? HPF_FRAME_OF_ALLOCATOR : function->owner;
}

/* Passes over the allocators around a node: stores the call, and returns the node of the first
 * other function; the node itself if there is none. */
static uint32_t pass_allocators(hpp__named_stacks *s, uint32_t node, hpp_call *call)
{
    hpp_window_node record;
    uint32_t at = node;
    for (int n = 0; at != 0 && n < HPP__MAX_SKIPPED; n++, at = record.parent) {
        hpp__frames frames = {NULL, 0};
        if (hpp__window_reader_node(s->reader, at, &record)) {
            frames = frames_at(s, &record);
        }
        for (size_t i = 0; i < frames.n; i++) {
            const hpp__function *function = frames.list[i].function;
            if (owner_of(s, function, record.parent) != HPF_FRAME_OF_ALLOCATOR) {
                return at;
            }
            *call = function->call != HPP_CALL_MALLOC ? function->call : *call;
            frames = function->is_module ? frames_at(s, &record) : frames; /* as they were */
        }
        if (frames.n == 0) {
            break;
        }
    }
    return node;
}

/* Returns the innermost frame of the first owner at a node; `owner` is 0 if no names are made. */
static hpp__own own_at(hpp__named_stacks *s, uint32_t node, const hpp_window_node *record)
{
    hpp__own own = {0};
    hpp__frames frames = frames_at(s, record);
    for (size_t i = 0; i < frames.n; i++) {
        const hpp__function *function = frames.list[i].function;
        bool is_own = s->skips_none && !function->is_overhead;
        uint32_t owner = is_own ? HPF_FRAME_OF_PROGRAM : owner_of(s, function, record->parent);
        frames = function->is_module ? frames_at(s, record) : frames; /* as they were */
        if (i == 0 || owner + 1 < own.owner) {
            own = (hpp__own){node, (uint16_t)i, (uint16_t)(owner + 1)};
        }
    }
    return own;
}

/* Returns the frame that names the stack of a node, as hpf_frame_rules_own; `owner` is 0 without
 * one. What is known of a node serves all nodes below it. */
static hpp__own find_own(hpp__named_stacks *s, uint32_t node)
{
    hpp__own own = {0};
    size_t n = 0;
    if (!ROOM_FOR_NODE(s, own_of, node)) {
        return own;
    }
    while (node != 0 && s->own_of[node].owner == 0 && own.owner != HPF_FRAME_OF_PROGRAM + 1) {
        hpp_window_node record;
        if (!hpp__window_reader_node(s->reader, node, &record) ||
            !HPF__ARRAY_PUSH(s->own_path, n, s->own_path_capacity, node)) {
            return (hpp__own){0};
        }
        own = s->own_of[node] = own_at(s, node, &record);
        if (own.owner == 0) {
            return own;
        }
        node = record.parent;
    }
    own = own.owner != HPF_FRAME_OF_PROGRAM + 1 && node != 0 ? s->own_of[node] : own;
    while (n > 0) {
        hpp__own *at = &s->own_of[s->own_path[--n]];
        own = own.owner == 0 || at->owner <= own.owner ? *at : own;
        *at = own;
    }
    return own;
}

hpp__producer hpp__named_stacks_producer(hpp__named_stacks *s, uint32_t node)
{
    uint32_t python = find_python(s, node);
    hpp_window_node record;
    hpp__producer producer = {.call = HPP_CALL_MALLOC};
    if (python != 0) {
        return python_producer(s, node, python);
    }
    producer.node = pass_allocators(s, node, &producer.call);
    hpp__own own = find_own(s, node);
    if (own.owner == 0 || !hpp__window_reader_node(s->reader, own.node, &record)) {
        return producer;
    }
    const hpp__stack *stack = whole_stack(s, s->keeps_all ? node : record.parent);
    hpp__frames frames = frames_at(s, &record);
    producer.return_address = record.address + (record.flags & HPP_NODE_EXACT ? 1 : 0);
    if (own.index < frames.n) {
        producer.frame = frames.list[own.index];
        stack = s->keeps_all ? stack : push_node(s, stack, &record, frames, own.index);
        producer.stack = no_deeper(s, stack);
        if (producer.stack && is_hidden_by(producer.stack, producer.frame.function)) {
            producer.frame.function = producer.stack->function;
        }
    }
    return producer;
}

const hpp__stack *hpp__named_stacks_special(hpp__named_stacks *s, hpf_str text)
{
    const hpp__function *function = hpp__names_special(s->names, text);
    uint64_t *place = function ? hpp__map_add(&s->children, function->index) : NULL;
    if (place && *place == 0) {
        *place = (uintptr_t)new_stack(s, function, NULL);
    }
    return place ? (const hpp__stack *)(uintptr_t)*place : NULL;
}

const hpp__stack *hpp__named_stacks_object_kind(hpp__named_stacks *s, const hpp__object_name *name)
{
    return new_stack(s, hpp__names_object_kind(s->names, name), s->root);
}

const hpp__stack *hpp__named_stacks_of_site(hpp__named_stacks *s, uint32_t site)
{
    hpp_window_site record;
    if (!HPF__ARRAY_RESERVE_ZEROED(s->of_site, s->of_site_capacity, site + (size_t)1)) {
        return s->root;
    }
    if (!s->of_site[site] && site == HPP_SITE_INHERITED) {
        s->of_site[site] = hpp__named_stacks_special(s, HPF_STR("INHERITED"));
    } else if (!s->of_site[site] && site >= HPP_FIRST_SITE &&
               hpp__window_reader_site(s->reader, site, &record) && record.node != 0) {
        s->of_site[site] = hpp_call_is_block(record.call)
                               ? hpp__named_stacks_producer(s, record.node).stack
                               : hpp__named_stacks_place(s, record.node);
    }
    return s->of_site[site] ? s->of_site[site] : s->root;
}

/* ---- Looking in ---- */

static hpf_str label(const void *stack, void *context)
{
    (void)context;
    return ((const hpp__stack *)stack)->function->label;
}

/* A C function that a function of Python has called belongs to the module of that. */
static hpf_str module(const void *stack, void *context)
{
    (void)context;
    const hpp__stack *at = stack;
    bool is_called = at->parent && at->parent->function->is_python && !at->function->is_python;
    return (is_called ? at->parent : at)->function->module;
}

static const void *parent(const void *stack, void *context)
{
    (void)context;
    return ((const hpp__stack *)stack)->parent;
}

static uint64_t id(const void *stack, void *context)
{
    (void)context;
    return ((const hpp__stack *)stack)->id;
}

static hpf_str source(const void *stack, void *context)
{
    (void)context;
    return ((const hpp__stack *)stack)->function->source;
}

static hpf_str function_source(const void *stack, void *context)
{
    const hpp__function *function = ((const hpp__stack *)stack)->function;
    (void)context;
    return function->plain != function ? function->plain->source : HPF_STR("");
}

const hpp_stacks hpp__named_stacks_view = {.label = label,
                                           .module = module,
                                           .parent = parent,
                                           .id = id,
                                           .source = source,
                                           .function_source = function_source};

/* ---- Life ---- */

hpf_status hpp__named_stacks_init(hpp__named_stacks *s, hpp__names *names,
                                  const hpp__window_reader *reader, uint32_t process_id,
                                  uint32_t max_depth, hpf_error *err)
{
    *s = (hpp__named_stacks){
        .names = names, .reader = reader, .process_id = process_id, .max_depth = max_depth};
    s->arena = hpf_arena_create();
    s->root = s->arena ? new_stack(s, hpp__names_special(names, HPF_STR("MAIN")), NULL) : NULL;
    return s->root ? HPF_OK : hpf_error_set_memory(err);
}

void hpp__named_stacks_finish(hpp__named_stacks *s)
{
    hpp__map_finish(&s->children);
    hpp__map_finish(&s->cuts);
    free(s->by_id);
    free(s->of_node);
    free(s->of_site);
    free(s->modules);
    free(s->scopes);
    free(s->codes);
    free(s->path);
    free(s->python_of);
    free(s->c_of);
    free(s->is_allocator);
    free(s->own_of);
    free(s->own_path);
    free(s->allocators);
    hpp__text_finish(&s->type);
    hpf_arena_destroy(s->arena);
    *s = (hpp__named_stacks){0};
}
