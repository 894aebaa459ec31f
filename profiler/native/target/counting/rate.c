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

__extension__ typedef unsigned __int128 uint128;

enum { FRACTION_BITS = 32 };

/* Returns the product of a number and one below 1, which is in units of 2^-64. */
static uint64_t product(uint64_t a, uint64_t b)
{
    return (uint64_t)((uint128)a * b >> 64);
}

/* Returns 2^32 times -ln(x / 2^64), for x > 0. Each square gives a binary digit. */
static uint64_t minus_logarithm(uint64_t x)
{
    int n_zeros = __builtin_clzll(x);
    uint64_t mantissa = x << n_zeros, fraction = 0;
    for (int i = 0; i < FRACTION_BITS; i++) {
        uint128 square = (uint128)mantissa * mantissa;
        int bit = (int)(square >> 127);
        mantissa = (uint64_t)(square >> (63 + bit));
        fraction = fraction << 1 | (uint64_t)bit;
    }
    const uint64_t ln_2 = 0xb17217f7d1cf79ab; /* times 2^64 */
    return product((((uint64_t)n_zeros + 1) << FRACTION_BITS) - fraction, ln_2);
}

/* Returns 1 - exp(-n / mean) in units of 2^-64: the series, of n / mean by a power of 2. */
static uint64_t share_sampled(uint64_t n_bytes, uint64_t mean_bytes)
{
    int n_halves = 0;
    while (n_bytes >> n_halves > mean_bytes / 8) {
        n_halves++;
    }
    uint64_t x = (uint64_t)(((uint128)n_bytes << (64 - n_halves)) / mean_bytes) + 1;
    uint64_t rest = UINT64_MAX;
    for (uint64_t i = 6; i > 1; i--) {
        rest = UINT64_MAX - product(x, rest) / i;
    }
    uint64_t share = product(x, rest);
    for (; n_halves > 0; n_halves--) {
        share += product(share, UINT64_MAX - share); /* 1 - (1 - share)^2 */
    }
    return share;
}

uint64_t hpp__chance_bytes(uint64_t *state, uint64_t mean_bytes)
{
    uint64_t exponential = minus_logarithm(hpp__chance_next(state) | 1);
    return (uint64_t)((uint128)mean_bytes * exponential >> FRACTION_BITS) + 1;
}

uint64_t hpp__chance_represented(uint64_t n_bytes, uint64_t mean_bytes)
{
    uint64_t size = n_bytes > 0 ? n_bytes : 1, share = share_sampled(size, mean_bytes);
    return (uint64_t)((((uint128)size << 64) + share / 2) / share);
}

/* Threads get different numbers, by their slots. */
uint64_t hpp__chance_begin(void)
{
    uint64_t start = hpp__settings.seed != 0 ? hpp__settings.seed : hpp__time_stamp() | 1;
    uint64_t state = start + (hpp__self != NULL ? hpp__self->slot_index : 0) * UINT64_C(1000003);
    hpp__chance_next(&state);
    return state != 0 ? state : 1;
}
