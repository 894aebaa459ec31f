/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Numbers of Linux that the headers of glibc 2.31 (Debian 11) do not have.
 */
#ifndef HPP_NATIVE_MACHINE_LINUX_NUMBERS_H
#define HPP_NATIVE_MACHINE_LINUX_NUMBERS_H

#include <sys/mman.h>
#include <sys/syscall.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif
#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

#endif
