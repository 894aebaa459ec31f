/* SPDX-License-Identifier: BSD-2-Clause */
#include "rate.h"

#include <stdint.h>

#include "process_state.h"
#include "thread.h"
#include "native/window/trie.h"

_Thread_local uint64_t hpp__bytes_to_count HPP_INITIAL_EXEC;
static _Thread_local uint64_t random_state HPP_INITIAL_EXEC; /* 0: none yet */
static _Thread_local uint32_t drawn_level HPP_INITIAL_EXEC;  /* of these bytes */

/* Draws the bytes until the next sample, with the mean of now. */
static void draw_bytes(void)
{
    uint32_t level = atomic_load_explicit(&hpp__window->head.rate_level, memory_order_relaxed);
    drawn_level = level < HPP_MAX_RATE_LEVEL ? level : HPP_MAX_RATE_LEVEL;
    hpp__bytes_to_count = hpp__chance_bytes(&random_state, hpp__settings.rate_bytes << drawn_level);
}

HPP_COLD HPP_ANY_STACK bool hpp__rate_is_due(size_t n_bytes)
{
    if (random_state == 0) {
        random_state = hpp__chance_begin();
        draw_bytes();
    }
    return n_bytes >= hpp__bytes_to_count;
}

HPP_COLD HPP_ANY_STACK bool hpp__rate_draw(size_t n_bytes, uint32_t *level)
{
    if (!hpp__rate_is_due(n_bytes)) {
        hpp__bytes_to_count -= n_bytes;
        return false;
    }
    *level = drawn_level;
    draw_bytes();
    return true;
}

hpp_weight hpp__rate_weigh(hpp_block block)
{
    if (!hpp__blocks_are_samples) {
        return (hpp_weight){block.size_bytes, 1};
    }
    uint32_t level = hpp__trie_site_call(block.site) >> HPP_CALL_RATE_SHIFT;
    uint64_t size = block.size_bytes > 0 ? block.size_bytes : 1;
    uint64_t bytes = hpp__chance_represented(size, hpp__settings.rate_bytes << level);
    return (hpp_weight){bytes, (uint32_t)((bytes + size / 2) / size)};
}

void hpp__rate_add_time(uint64_t begun_at)
{
    enum { LONGEST = 1 << 18 };
    uint64_t now = hpp__time_stamp(), ticks = now > begun_at ? now - begun_at : 0;
    atomic_fetch_add_explicit(&hpp__window->head.rate_ticks, ticks < LONGEST ? ticks : LONGEST,
                              memory_order_relaxed);
}

void hpp__rate_start(void)
{
    hpp__blocks_are_samples = hpp__settings.rate_bytes != 0;
    atomic_store(&hpp__alive_kind, hpp__blocks_are_samples ? HPP_ALIVE_SAMPLED : HPP_ALIVE);
}

void hpp__rate_forked(void)
{
    random_state = 0;
    hpp__bytes_to_count = 0;
}

/* Returns the natural logarithm of x > 0, by the series of the area tangent of its mantissa. */
static double logarithm(double x)
{
    union {
        double number;
        uint64_t bits;
    } parts = {x};
    int exponent = (int)(parts.bits >> 52) - 1023;
    parts.bits = (parts.bits & ~(UINT64_C(0xfff) << 52)) | UINT64_C(1023) << 52;
    double t = (parts.number - 1) / (parts.number + 1), square = t * t, sum = 0;
    for (int i = 21; i > 0; i -= 2) {
        sum = sum * square + 1.0 / i;
    }
    return 2 * t * sum + exponent * 0.69314718055994531;
}

/* Returns 1 - exp(-x) for x >= 0: by halves of x, until the series is short. */
static double share_sampled(double x)
{
    int n_halves = 0;
    for (; x > 0.1; n_halves++) {
        x /= 2;
    }
    double share = x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4 * (1 - x / 5 * (1 - x / 6)))));
    for (; n_halves > 0 && share < 1; n_halves--) {
        share *= 2 - share; /* 1 - (1 - share)^2 */
    }
    return share;
}

uint64_t hpp__chance_bytes(uint64_t *state, uint64_t mean_bytes)
{
    double chance = ((double)(hpp__chance_next(state) >> 12) + 0.5) / (double)(UINT64_C(1) << 52);
    return (uint64_t)(-(double)mean_bytes * logarithm(chance)) + 1;
}

uint64_t hpp__chance_represented(uint64_t n_bytes, uint64_t mean_bytes)
{
    double size = n_bytes > 0 ? (double)n_bytes : 1;
    return (uint64_t)(size / share_sampled(size / (double)mean_bytes) + 0.5);
}

/* Threads get different numbers, by their slots. */
uint64_t hpp__chance_begin(void)
{
    uint64_t start = hpp__settings.seed != 0 ? hpp__settings.seed : hpp__time_stamp() | 1;
    uint64_t state = start + (hpp__self != NULL ? hpp__self->slot_index : 0) * UINT64_C(1000003);
    hpp__chance_next(&state);
    return state != 0 ? state : 1;
}
