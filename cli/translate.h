/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a survey does not read, as two texts that it does: a `.hp` profile, and the labels and lines
 * for which that has no place (event/sidecar.h).
 */
#ifndef CENSUS_TRANSLATE_H
#define CENSUS_TRANSLATE_H

#include "hpfile/format.h"
#include "hpfile/sink.h"

/* The whole source. Neither sink is finished. Errors: those of reading and of memory. */
hpf_status translate_profile(hpf_format format, hpf_source *source, hpf_sink *profile,
                             hpf_sink *rest, hpf_error *err);

/* Of an event log without heap samples: the live bytes that the garbage collector measured, as
 * samples of one name. HPF_END: there are none. */
hpf_status translate_live(hpf_source *source, hpf_sink *profile, hpf_sink *rest, hpf_error *err);

#endif
