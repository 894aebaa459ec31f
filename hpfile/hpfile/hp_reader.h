/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the parts of a survey need from readers beside the public interface.
 */
#ifndef HPF_HP_READER_H
#define HPF_HP_READER_H

#include "hpfile/reader.h"

/* The bytes fed next begin at `offset` of the input. Only for a reader that has read nothing. */
void hpf__reader_start_at(hpf_reader *reader, uint64_t offset);

/* Whether `later`, which began at this offset, read what this reader would have read: everything
 * fed here is read, no statement and no sample is unfinished, and time does not go back. */
bool hpf__reader_fits(const hpf_reader *reader, const hpf_reader *later);

/* Takes over the names of `later`: names[n] becomes the number here of its name n. */
hpf_status hpf__reader_join_names(hpf_reader *reader, const hpf_reader *later, hpf_name *names,
                                  hpf_error *err);

/* Goes on as if it had read what `later` read, which fits; takes what that left unfinished. */
hpf_status hpf__reader_join(hpf_reader *reader, const hpf_reader *later, const hpf_name *names,
                            hpf_error *err);

#endif
