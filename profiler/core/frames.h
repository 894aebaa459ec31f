/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The whole stack behind a band, for formats that can hold it.
 */
#ifndef HPP_FRAMES_H
#define HPP_FRAMES_H

#include "hpfile/breakdown.h"
#include "hpfile/frame.h"
#include "hpprof/census.h"

/* The frames of the stack that a band stands for, innermost first and without the outermost (MAIN).
 * Fills at most `room` and returns how many there are; 0 for bands that are no stack. Texts are
 * borrowed from the heap. */
size_t hpp__census_frames(const hpp_census *census, uint32_t band_index, hpf_frame *frames,
                          size_t room);

/* What a breakdown is called in event logs. */
hpf_breakdown hpp__breakdown_in_log(hpp_breakdown breakdown);

#endif
