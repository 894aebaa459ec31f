/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reading a plain file in several places at once.
 */
#ifndef HPF_SOURCE_FILE_H
#define HPF_SOURCE_FILE_H

#include "hpfile/source.h"

/* Size of the source if it is a regular file, not compressed, of which nothing was given out yet;
 * else 0. */
uint64_t hpf__source_file_bytes(hpf_source *source);

/* At most `room` bytes at `offset`; fewer, or 0, at the end of the file. May be called by several
 * threads. */
hpf_status hpf__source_file_read(const hpf_source *source, uint64_t offset, char *into, size_t room,
                                 size_t *n_read, hpf_error *err);

/* hpf_source_next goes on at `offset`, as if all before it had been given out. */
void hpf__source_file_seek(hpf_source *source, uint64_t offset);

#endif
