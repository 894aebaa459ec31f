/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The biography word of an object. Bit 63: used at least once. Bits 36-62: the era of creation.
 * Bits 28-35: how many eras later it was first used, exact up to 15, then rounded down to three
 * bits after the first. Bits 0-27: the era of the last use. (Park and Marlow, "Implementation of
 * Lag/Drag/Void/Use Profiling": LDV words.) An object without a biography has 0; it counts as
 * created in the era of its first use, or of the first census that visits it.
 *
 * Threads: any thread may use an object at any time; two threads in one era write the same value.
 */
#ifndef HPPROF_LIFE_WORD_H
#define HPPROF_LIFE_WORD_H

#include <stdint.h>

#include "hpprof/compiler.h"

#define HPP_LIFE_USED (UINT64_C(1) << 63)
#define HPP_MAX_ERA   UINT32_C(0x7ffffff)

enum { HPP_LIFE_LAG_SHIFT = 28, HPP_LIFE_CREATION_SHIFT = 36 };
#define HPP_LIFE_LAST_USE ((UINT64_C(1) << HPP_LIFE_LAG_SHIFT) - 1)

/* Returns the word of an object created in `era`. */
static inline uint64_t hpp_life_created_in(uint32_t era)
{
    return (uint64_t)era << HPP_LIFE_CREATION_SHIFT;
}

static inline int hpp_life_is_used(uint64_t life)
{
    return (life & HPP_LIFE_USED) != 0;
}

static inline uint32_t hpp_life_creation_era(uint64_t life)
{
    return (uint32_t)(life >> HPP_LIFE_CREATION_SHIFT) & HPP_MAX_ERA;
}

static inline uint32_t hpp_life_last_use_era(uint64_t life)
{
    return (uint32_t)(life & HPP_LIFE_LAST_USE);
}

/* Returns the word after a use in `era`. Era 0 means that the profile has no biography. */
static inline uint64_t hpp_life_after_use(uint64_t life, uint32_t era)
{
    if (era == 0) {
        return life;
    }
    if (!hpp_life_is_used(life)) {
        uint32_t lag = era - hpp_life_creation_era(life), shift = 0;
        while (lag >> shift > 15) {
            shift++;
        }
        life |= HPP_LIFE_USED | (uint64_t)(shift * 8 + (lag >> shift)) << HPP_LIFE_LAG_SHIFT;
    }
    return (life & ~HPP_LIFE_LAST_USE) | era;
}

/* Returns the era of the first use of an object that was used. */
static inline uint32_t hpp_life_first_use_era(uint64_t life)
{
    uint32_t lag = (uint32_t)(life >> HPP_LIFE_LAG_SHIFT) & 0xff;
    lag = lag < 16 ? lag : (lag % 8 + 8) << (lag / 8 - 1);
    return hpp_life_creation_era(life) + lag;
}

/* Returns the word of an object with these uses that was created in `era`. */
static inline uint64_t hpp_life_with_creation(uint64_t life, uint32_t era)
{
    return (life & ~hpp_life_created_in(HPP_MAX_ERA)) | hpp_life_created_in(era);
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
