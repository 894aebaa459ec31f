/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The whole stack of a band, for formats that store it.
 */
#ifndef HPP_FRAMES_H
#define HPP_FRAMES_H

#include "hpfile/breakdown.h"
#include "hpfile/frame.h"
#include "hpprof/census.h"

/* Stores up to `room` frames of a band's stack, innermost first, without the outermost (MAIN).
 * Returns the number of frames of the stack; 0 for a band that is not a stack. Texts are borrowed
 * from the heap. */
size_t hpp__census_frames(const hpp_census *census, uint32_t band_index, hpf_frame *frames,
                          size_t room);

#endif
