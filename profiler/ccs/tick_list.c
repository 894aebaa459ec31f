/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A ring: a writer reserves a slot, fills it in, and stores the stack last; the reader waits for
 * that, and empties the slot before it gives it back.
 */
#include "tick_list.h"

#include <stdlib.h>

#include "ccs.h"

static hpp__tick *ring;
static hpp_clock ring_clock;
static uint64_t n_begun, n_taken, n_lost;
static bool is_on;

bool hpp__tick_list_start(hpp_clock clock)
{
    ring = ring ? ring : calloc(HPP__TICK_LIST_ROOM, sizeof *ring);
    ring_clock = clock;
    HPP_RELAXED_STORE(&n_lost, 0);
    HPP_RELEASE_STORE(&is_on, ring != NULL);
    return ring != NULL;
}

void hpp__tick_list_stop(void)
{
    hpp__tick dropped;
    HPP_RELEASE_STORE(&is_on, false);
    while (hpp__tick_list_take(&dropped)) {
    }
}

void hpp__tick_list_add(const hpp_ccs *stack, uint64_t n_ticks)
{
    if (!HPP_ACQUIRE_LOAD(&is_on)) {
        return;
    }
    uint64_t at = HPP_RELAXED_LOAD(&n_begun);
    do {
        if (at - HPP_ACQUIRE_LOAD(&n_taken) >= HPP__TICK_LIST_ROOM) {
            HPP_RELAXED_ADD(&n_lost, n_ticks);
            return;
        }
    } while (!HPP_RELAXED_REPLACE(&n_begun, &at, at + 1));
    hpp__tick *tick = &ring[at % HPP__TICK_LIST_ROOM];
    tick->time_ns = ring_clock.now_ns(ring_clock.context);
    tick->n = (uint32_t)n_ticks;
    HPP_RELEASE_STORE(&tick->stack_id, hpp_ccs_id(stack));
}

bool hpp__tick_list_take(hpp__tick *tick)
{
    hpp__tick *oldest = ring ? &ring[n_taken % HPP__TICK_LIST_ROOM] : NULL;
    uint32_t stack_id = oldest ? HPP_ACQUIRE_LOAD(&oldest->stack_id) : 0;
    if (stack_id == 0) {
        return false;
    }
    *tick = (hpp__tick){oldest->time_ns, oldest->n, stack_id};
    HPP_RELAXED_STORE(&oldest->stack_id, 0);
    HPP_RELEASE_STORE(&n_taken, n_taken + 1);
    return true;
}

uint64_t hpp__tick_list_n_lost(void)
{
    return HPP_RELAXED_LOAD(&n_lost);
}
