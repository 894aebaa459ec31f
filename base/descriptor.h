/* SPDX-License-Identifier: BSD-2-Clause
 *
 * File descriptors.
 */
#ifndef HPF_DESCRIPTOR_H
#define HPF_DESCRIPTOR_H

#include <unistd.h>

/* Closes a descriptor; -1 is none. */
static inline void hpf__close(int fd)
{
    if (fd >= 0) {
        close(fd);
    }
}

#endif
