/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Bytes spooled to be read again: in memory up to 4 MiB, then in an unnamed temporary file.
 */
#ifndef HPF_SPOOL_H
#define HPF_SPOOL_H

#include "base/buffer.h"
#include "hpfile/event.h"

#define HPF__SPOOL_MEMORY_BYTES (4u << 20)

typedef struct hpf__spool {
    hpf__buffer memory; /* everything, while fd is -1 */
    int fd;
    uint64_t length;
    const char *directory; /* borrowed; NULL: /tmp */
} hpf__spool;

void hpf__spool_init(hpf__spool *spool, const char *directory);
hpf_status hpf__spool_append(hpf__spool *spool, hpf_str bytes, hpf_error *err);
/* Bytes [offset, offset + length), which must have been appended. */
hpf_status hpf__spool_read(hpf__spool *spool, uint64_t offset, void *into, size_t length,
                           hpf_error *err);
void hpf__spool_finish(hpf__spool *spool);

#endif
