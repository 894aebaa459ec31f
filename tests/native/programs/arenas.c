/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A library that puts the arenas of Python right behind a multiple of 4 GiB, one after the other,
 * where the lower halves of their addresses are small numbers.
 */
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void *mmap(void *address, size_t n_bytes, int protection, int flags, int file, off_t offset)
{
    static uintptr_t next = (uintptr_t)0x7e01 << 32;
    if (!address && (flags & MAP_ANONYMOUS) && (n_bytes == 256 << 10 || n_bytes == 1 << 20)) {
        address = (void *)next;
        next += n_bytes;
    }
    return (void *)syscall(SYS_mmap, address, n_bytes, protection, flags, file, offset);
}
