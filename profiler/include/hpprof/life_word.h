/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The biography word of an object. Bit 63: used at least once. Bits 32-62: the era of creation.
 * Bits 0-31: the era of the last use. (Park and Marlow, "Implementation of Lag/Drag/Void/Use
 * Profiling": LDV words.) An object without a biography has 0; it counts as created in the era of
 * its first use, or of the first census that visits it.
 *
 * Threads: any thread may use an object at any time; two threads in one era write the same value.
 */
#ifndef HPPROF_LIFE_WORD_H
#define HPPROF_LIFE_WORD_H

#include <stdint.h>

#include "hpprof/compiler.h"

#define HPP_LIFE_USED (UINT64_C(1) << 63)
#define HPP_MAX_ERA   UINT32_C(0x7fffffff)

/* Returns the word of an object created in `era`. */
static inline uint64_t hpp_life_created_in(uint32_t era)
{
    return (uint64_t)era << 32;
}

/* Returns the word after a use in `era`. Era 0 means that the profile has no biography. */
static inline uint64_t hpp_life_after_use(uint64_t life, uint32_t era)
{
    return era == 0 ? life : ((life >> 32 << 32) | HPP_LIFE_USED | era);
}

static inline int hpp_life_is_used(uint64_t life)
{
    return (life & HPP_LIFE_USED) != 0;
}

static inline uint32_t hpp_life_creation_era(uint64_t life)
{
    return (uint32_t)(life >> 32) & HPP_MAX_ERA;
}

static inline uint32_t hpp_life_last_use_era(uint64_t life)
{
    return (uint32_t)life;
}

/* Update a word in a header: when its object is created, and when it is used. */
static inline void hpp_life_create(uint64_t *life_word, uint32_t era)
{
    HPP_RELAXED_STORE(life_word, hpp_life_created_in(era));
}

static inline void hpp_life_use(uint64_t *life_word, uint32_t era)
{
    uint64_t life = HPP_RELAXED_LOAD(life_word);
    if (hpp_life_last_use_era(life) != era) {
        life |= hpp_life_creation_era(life) == 0 ? hpp_life_created_in(era) : 0;
        HPP_RELAXED_STORE(life_word, hpp_life_after_use(life, era));
    }
}

#endif
