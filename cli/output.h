/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What commands share when they write.
 */
#ifndef CENSUS_OUTPUT_H
#define CENSUS_OUTPUT_H

#include "hpfile/sink.h"

/* Bytes of a profile as text for people: what is no UTF-8, and control characters, become U+FFFD.
 */
void output_name(hpf_sink *sink, hpf_str name);

/* Finishes and destroys `sink`; NULL stands for one that could not be made. Says what went wrong,
 * naming it `name`. Returns an exit status. */
int output_close(hpf_sink *sink, const char *name);

#endif
