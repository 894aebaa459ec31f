/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Boxes are inserted from the last to the first. Spans nest as deeply as expressions do, which may
 * be thousands of levels in generated text: lists that wait are on a stack of our own.
 */
#include "coverage/box_tree.h"

#include "base/array.h"

/* Lists of nodes into which a box is to be inserted. */
typedef struct list_stack {
    hpc_box_node ***items;
    size_t n, capacity;
} list_stack;

static bool push_box(hpc_box_node *node, uint32_t box, hpf_arena *arena)
{
    hpc_box_link *link = hpf_arena_alloc(arena, sizeof *link);
    if (link) {
        *link = (hpc_box_link){box, node->boxes};
        node->boxes = link;
    }
    return link != NULL;
}

static bool is_same(hpc_span a, hpc_span b)
{
    return hpc_span_is_inside(a, b) && hpc_span_is_inside(b, a);
}

/* Inserts a box into the nodes of a list that contain it. Returns their number, or -1 without
 * memory. */
static int insert_below(hpc_box_node *first, hpc_span span, uint32_t box, list_stack *waiting,
                        hpf_arena *arena)
{
    int n = 0;
    for (hpc_box_node *node = first; node; node = node->next) {
        if (!hpc_span_is_inside(span, node->span)) {
            continue;
        }
        n = 1;
        bool is_done =
            is_same(span, node->span)
                ? push_box(node, box, arena)
                : HPF__ARRAY_PUSH(waiting->items, waiting->n, waiting->capacity, &node->children);
        if (!is_done) {
            return -1;
        }
    }
    return n;
}

/* Makes a node at the start of a list, and moves the nodes that it contains below it. */
static bool insert_node(hpc_box_node **list, hpc_span span, uint32_t box, hpf_arena *arena)
{
    hpc_box_node *made = hpf_arena_alloc(arena, sizeof *made);
    if (!made || !push_box(made, box, arena)) {
        return false;
    }
    made->span = span;
    hpc_box_node **inside = &made->children, **outside = &made->next;
    for (hpc_box_node *node = *list, *next; node; node = next) {
        next = node->next;
        node->next = NULL;
        hpc_box_node ***to = hpc_span_is_inside(node->span, span) ? &inside : &outside;
        **to = node;
        *to = &node->next;
    }
    *list = made;
    return true;
}

hpf_status hpc_box_tree_build(hpc_box_node **root, const hpc_mix *mix, size_t n_boxes,
                              hpf_arena *arena, hpf_error *err)
{
    list_stack waiting = {NULL, 0, 0};
    bool has_memory = true;
    *root = NULL;
    for (size_t i = n_boxes; i > 0 && has_memory; i--) {
        hpc_span span = mix->boxes[i - 1].span;
        has_memory = HPF__ARRAY_PUSH(waiting.items, waiting.n, waiting.capacity, root);
        while (has_memory && waiting.n > 0) {
            hpc_box_node **list = waiting.items[--waiting.n];
            int n = insert_below(*list, span, (uint32_t)(i - 1), &waiting, arena);
            has_memory = n > 0 || (n == 0 && insert_node(list, span, (uint32_t)(i - 1), arena));
        }
    }
    free(waiting.items);
    return has_memory ? HPF_OK : hpf_error_set_memory(err);
}
