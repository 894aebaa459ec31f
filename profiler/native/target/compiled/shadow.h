/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Where the shadow of a program's memory is. The offset is in the code that `census cc` compiles
 * (cli/commands/cc.c). AddressSanitizer has the same one: compilers and the layout of processes
 * are made for it.
 */
#ifndef HPP_NATIVE_TARGET_COMPILED_SHADOW_H
#define HPP_NATIVE_TARGET_COMPILED_SHADOW_H

#include <stdint.h>

#define HPP_SHADOW_SHIFT  3
#define HPP_SHADOW_OFFSET ((uintptr_t)0x7fff8000)
#define HPP_SHADOW_BYTES  ((uintptr_t)1 << (47 - HPP_SHADOW_SHIFT)) /* of all addresses */

static inline volatile uint8_t *hpp__shadow_of(uintptr_t address)
{
    return (volatile uint8_t *)((address >> HPP_SHADOW_SHIFT) + HPP_SHADOW_OFFSET);
}

/* Reserves the shadow, unless another copy of the run time has done so. Runs before constructors.
 */
void census_cc_start(void);

/* Records a use of the block that contains an address whose shadow is set. */
void hpp__shadow_hit(uintptr_t address);

static inline void hpp__shadow_check(const void *address)
{
    if (__builtin_expect(*hpp__shadow_of((uintptr_t)address) != 0, 0)) {
        hpp__shadow_hit((uintptr_t)address);
    }
}

#endif
