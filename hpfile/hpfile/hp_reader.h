/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the parts of a survey need from readers beside the public interface.
 */
#ifndef HPF_HP_READER_H
#define HPF_HP_READER_H

#include "hpfile/reader.h"

/* The bytes fed next begin at `offset` of the input. Only for a reader that has read nothing. */
void hpf__reader_start_at(hpf_reader *reader, uint64_t offset);

/* Whether everything fed is read: no statement and no sample is unfinished. */
bool hpf__reader_is_at_rest(const hpf_reader *reader);

/* The time of the first sample must not be less than this. */
double hpf__reader_time(const hpf_reader *reader);

/* Takes over the names of `later`: names[n] becomes the number here of its name n. */
hpf_status hpf__reader_join_names(hpf_reader *reader, const hpf_reader *later, hpf_name *names,
                                  hpf_error *err);

/* Goes on as if it had read, at rest, what `later` read; takes what that left unfinished. */
hpf_status hpf__reader_join(hpf_reader *reader, const hpf_reader *later, const hpf_name *names,
                            hpf_error *err);

#endif
