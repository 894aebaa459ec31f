/* SPDX-License-Identifier: BSD-2-Clause
 *
 * rt_sigprocmask copies the set in before it looks at what it is to do with it: told to do nothing
 * that exists, it answers EFAULT where the set cannot be read, else EINVAL, and changes nothing.
 */
#include "memory.h"

#include <errno.h>
#include <signal.h>

enum { PAGE_BYTES = 4096, NO_SUCH_WAY = 0x7fff };

static bool page_is_readable(uintptr_t page)
{
    return hpp__syscall(SYS_rt_sigprocmask, NO_SUCH_WAY, (long)page, 0, 8, 0, 0) != -EFAULT;
}

static bool has_page(hpp_memory *memory, uintptr_t page)
{
    if (page == memory->page) {
        return true;
    }
    if (page == 0 || !page_is_readable(page)) {
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
