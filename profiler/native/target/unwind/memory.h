/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads words of the program's stacks. The thread's own stack is readable from the stack pointer to
 * its end; for other addresses, a system call checks first.
 */
#ifndef HPP_NATIVE_TARGET_UNWIND_MEMORY_H
#define HPP_NATIVE_TARGET_UNWIND_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "native/window/platform.h"

/* Memory that is readable during a walk. */
typedef struct hpp_memory {
    uintptr_t low, end; /* the used part of the own stack; 0, 0: none */
    uintptr_t page;     /* start of the page that was last checked; 0: none */
} hpp_memory;

/* Returns whether the word at an address can be read. */
bool hpp__memory_has(hpp_memory *memory, uintptr_t address);

static inline bool hpp__memory_is_own(const hpp_memory *memory, uintptr_t address)
{
    return address >= memory->low && address < memory->end && memory->end - address >= 8;
}

/* Returns the word at an address, which must be readable. */
HPP_UNSANITIZED static inline uintptr_t hpp__memory_word(uintptr_t address)
{
    struct unaligned {
        uintptr_t word;
    } __attribute__((packed, may_alias));
    return ((const struct unaligned *)address)->word;
}

static inline bool hpp__memory_read(uintptr_t *out, hpp_memory *memory, uintptr_t address)
{
    if (HPP_UNLIKELY(!hpp__memory_is_own(memory, address)) && !hpp__memory_has(memory, address)) {
        return false;
    }
    *out = hpp__memory_word(address);
    return true;
}

#endif
