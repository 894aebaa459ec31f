/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A child of a node is found in the trie without a look at the frames outside of it: children are
 * made only for functions that are not on the stack.
 */
#include "recursion.h"

#include "cfi_entry.h"
#include "modules.h"
#include "native/window/trie.h"

/* Code that belongs together. */
typedef struct code_range {
    uintptr_t begin, end;
} code_range;

static code_range function_at(uintptr_t place)
{
    hpp_module module;
    hpp_cfi_entry entry;
    bool is_found = hpp__modules_find(&module, place) &&
                    hpp__cfi_entry_find(&entry, &module.tables, place) == HPP_CFI_FOUND;
    return is_found ? (code_range){entry.begin, entry.end} : (code_range){place, place + 1};
}

/* Returns the node outside of the function's call on the stack, or the stack itself if there is
 * none. */
static uint32_t cut_back(const hpp_call_edge *edge)
{
    bool is_python = edge->flags & HPP_NODE_PYTHON;
    uintptr_t code = edge->address >> 32 << 32;
    code_range function = is_python ? (code_range){code, code + ((uintptr_t)1 << 32)}
                                    : function_at(edge->address - 1);
    for (uint32_t at = edge->stack; at != 0;) {
        const hpp_window_node *frame = hpp__trie_look(at);
        if (frame->flags & HPP_NODE_EXACT) {
            break;
        }
        uintptr_t place = frame->address - !is_python;
        if (frame->module_index == edge->module_number && place >= function.begin &&
            place < function.end && is_python == ((frame->flags & HPP_NODE_PYTHON) != 0)) {
            return frame->parent;
        }
        at = frame->parent;
    }
    return edge->stack;
}

HPP_NO_INLINE hpp_folded_stack hpp__recursion_fold(const hpp_call_edge *edge)
{
    uint32_t stack = edge->stack;
    uint32_t node = hpp__trie_find_node(stack, edge->address, edge->module_number, edge->flags);
    if (node == 0) {
        stack = edge->flags & HPP_NODE_EXACT ? stack : cut_back(edge);
        node = hpp__trie_node(stack, edge->address, edge->module_number, edge->flags);
    }
    return (hpp_folded_stack){node, stack != edge->stack};
}

/* Returns the place of a call: near its stack's number, so that a program with few stacks touches
 * few pages, and by the hash of its address, since a function calls many. */
static hpp_known_call *place_of(hpp_known_call *known, const hpp_call_edge *edge)
{
    enum { NEAR_BITS = 6 };
    uint64_t hash = (uint64_t)edge->address * 0x9e3779b97f4a7c15;
    return &known[(edge->stack + (hash >> (64 - NEAR_BITS))) & (HPP_N_KNOWN_CALLS - 1)];
}

hpp_folded_stack hpp__recursion_push(hpp_known_call *known, const hpp_call_edge *edge)
{
    hpp_known_call *place = place_of(known, edge);
    if (HPP_LIKELY(place->edge.address == edge->address && place->edge.stack == edge->stack &&
                   place->edge.module_number == edge->module_number &&
                   place->edge.flags == edge->flags)) {
        return place->stack;
    }
    hpp_folded_stack stack = hpp__recursion_fold(edge);
    if (stack.node != 0) {
        *place = (hpp_known_call){*edge, stack};
    }
    return stack;
}
