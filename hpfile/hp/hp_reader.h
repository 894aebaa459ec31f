/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The reader of `.hp` text. Its functions do the same as in detect/reader.h.
 */
#ifndef HPF_HP_READER_H
#define HPF_HP_READER_H

#include "hpfile/event.h"

typedef struct hpf__hp_reader hpf__hp_reader;

hpf__hp_reader *hpf__hp_create(const hpf_events *events, void *context,
                               const hpf_reader_options *options);
hpf_status hpf__hp_feed(hpf__hp_reader *reader, const char *bytes, size_t n_bytes, hpf_error *err);
hpf_status hpf__hp_finish(hpf__hp_reader *reader, hpf_error *err);
void hpf__hp_revisit(hpf__hp_reader *reader, const hpf_events *events, void *context);
hpf_status hpf__hp_settle(hpf__hp_reader *reader, hpf_error *err);
hpf_str hpf__hp_name(const hpf__hp_reader *reader, hpf_name name);
bool hpf__hp_is_between(const hpf__hp_reader *reader);
void hpf__hp_destroy(hpf__hp_reader *reader);

#endif
