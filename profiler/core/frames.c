/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From a band to its key, from the key to a stack, and down the stack.
 */
#include "frames.h"

#include "census/census.h"
#include "hpfile/str.h"

static hpf_frame frame_of(const hpp_heap *heap, const void *stack)
{
    const hpp_stacks *stacks = heap->stacks;
    hpf_frame frame = {.label = stacks->label(stack, heap->context),
                       .module = stacks->module(stack, heap->context)};
    frame.source = stacks->source ? stacks->source(stack, heap->context) : HPF_STR("");
    frame.is_caf = hpf_str_is(frame.label, "CAF");
    return frame;
}

size_t hpp__census_frames(const hpp_census *c, uint32_t band_index, hpf_frame *frames, size_t room)
{
    uint32_t key = c->bands.key_of[band_index];
    size_t n = 0;
    if (c->breakdown != HPF_BREAKDOWN_COST_CENTRE || key == c->lost_key) {
        return 0;
    }
    const void *stack = c->keys.origins[key].stack;
    const void *below;
    for (; stack && (below = c->heap.stacks->parent(stack, c->heap.context)); stack = below) {
        if (n < room) {
            frames[n] = frame_of(&c->heap, stack);
        }
        n++;
    }
    return n;
}
