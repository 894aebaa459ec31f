/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Stacks as the file format of speedscope (docs/formats/speedscope.md), which its page and other
 * viewers of flame graphs open: frames with their places, and one or several profiles of them.
 */
#ifndef HPFILE_SPEEDSCOPE_H
#define HPFILE_SPEEDSCOPE_H

#include "hpfile/sink.h"
#include "hpfile/stacks.h"

HPF_BEGIN_DECLS

/* The units of the format. */
typedef enum hpf_speedscope_unit {
    HPF_SPEEDSCOPE_NONE,
    HPF_SPEEDSCOPE_NANOSECONDS,
    HPF_SPEEDSCOPE_MICROSECONDS,
    HPF_SPEEDSCOPE_BYTES,
} hpf_speedscope_unit;

/* Samples in the order in which they are shown. */
typedef struct hpf_speedscope_profile {
    hpf_str name;
    hpf_speedscope_unit unit;
    const uint32_t *stacks; /* by sample */
    const double *weights;  /* by sample, in the unit; not negative */
    size_t n_samples;
} hpf_speedscope_profile;

/* Writes a whole file. `name` says of what it is. Errors: only the ones that the sink keeps. */
HPF_API void hpf_speedscope_write(hpf_sink *sink, hpf_str name, const hpf_stacks *stacks,
                                  const hpf_speedscope_profile *profiles, size_t n_profiles);

HPF_END_DECLS
#endif
