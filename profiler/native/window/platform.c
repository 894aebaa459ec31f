/* SPDX-License-Identifier: BSD-2-Clause */
#include "platform.h"

#include <sys/resource.h>

enum { ADDRESS_SPACE_SHARE = 4 };

_Atomic uint32_t hpp__isolation;
atomic_bool hpp__has_no_time_stamp;

static _Atomic uint64_t taken_bytes; /* of address space */

bool hpp__claim_addresses(size_t n_bytes)
{
    struct rlimit limit = {0};
    long error = hpp__syscall(SYS_prlimit64, 0, RLIMIT_AS, 0, (long)&limit, 0, 0);
    uint64_t taken = atomic_fetch_add(&taken_bytes, n_bytes) + n_bytes;
    if (error == 0 && limit.rlim_cur != RLIM_INFINITY &&
        taken > limit.rlim_cur / ADDRESS_SPACE_SHARE) {
        atomic_fetch_sub(&taken_bytes, n_bytes);
        return false;
    }
    return true;
}

void hpp__unclaim_addresses(size_t n_bytes)
{
    atomic_fetch_sub(&taken_bytes, n_bytes);
}

void *hpp__map(size_t n_bytes)
{
    if (!hpp__claim_addresses(n_bytes)) {
        return NULL;
    }
    long place = hpp__syscall(SYS_mmap, 0, (long)n_bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place < 0 && place >= -4095) {
        atomic_fetch_sub(&taken_bytes, n_bytes);
        return NULL;
    }
    /* Neither reserved nor dumped: so the collector knows the mapping, which holds nothing of the
     * program (native/graph/roots.h). */
    hpp__syscall(SYS_madvise, place, (long)n_bytes, MADV_DONTDUMP, 0, 0, 0);
    return (void *)place;
}

void hpp__unmap(void *place, size_t n_bytes)
{
    hpp__syscall(SYS_munmap, (long)place, (long)n_bytes, 0, 0, 0, 0);
    atomic_fetch_sub(&taken_bytes, n_bytes);
}
