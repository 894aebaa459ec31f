/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lines over the bands: from the file beside a profile, BASE.lines for BASE.hp, or from an event
 * log itself, and which of them are asked for.
 */
#ifndef CENSUS_OVERLAY_H
#define CENSUS_OVERLAY_H

#include "input.h"
#include "name_list.h"
#include "plot_options.h"

/* Adds the file beside the profile to its survey, and says in `options` which lines are drawn;
 * `names` must stay as long as these. False: a message was printed, and there is nothing to free. A
 * file that nobody named is no reason to fail: of what is wrong in it there is a warning. */
bool overlay_read(input *in, const plot_values *values, hpr_options *options, name_list *names);

#endif
