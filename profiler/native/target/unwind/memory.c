/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Tests whether memory is readable by rt_sigprocmask with an invalid operation: the kernel first
 * copies the set, so it returns EFAULT if the set cannot be read, else EINVAL, and changes nothing.
 */
#include "memory.h"

#include <errno.h>
#include <signal.h>

enum { PAGE_BYTES = 4096, NO_SUCH_WAY = 0x7fff };

static bool page_is_readable(uintptr_t page)
{
    return hpp__syscall(SYS_rt_sigprocmask, NO_SUCH_WAY, (long)page, 0, 8, 0, 0) == -EINVAL;
}

static bool has_page(hpp_memory *memory, uintptr_t page)
{
    if (page == 0 || (page != memory->page && !page_is_readable(page))) {
        return false;
    }
    memory->page = page;
    return true;
}

bool hpp__memory_has(hpp_memory *memory, uintptr_t address)
{
    uintptr_t first = address & ~(uintptr_t)(PAGE_BYTES - 1);
    uintptr_t last = (address + 7) & ~(uintptr_t)(PAGE_BYTES - 1);
    return last >= first && has_page(memory, first) && (last == first || has_page(memory, last));
}
