/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lines over the bands: from the file beside a profile, BASE.lines for BASE.hp, or from an event
 * log itself, and which of them are asked for.
 */
#ifndef CENSUS_OVERLAY_H
#define CENSUS_OVERLAY_H

#include "hprender/render.h"

#include "input.h"
#include "name_list.h"

/* Adds the file at `path` to a profile's survey; NULL: what is beside the profile, if anything.
 * False: a message was printed. A file that nobody named is no reason to fail: of what is wrong in
 * it there is a warning. */
bool overlay_add(input *in, const char *path);

/* Says in `options` which lines are drawn: `wanted` is the word of --overlay, or NULL. `names` must
 * stay as long as these. The names must be of lines of the inputs; without inputs, these are yet to
 * come. False: a message was printed, and there is nothing to free. */
bool overlay_choose(hpr_options *options, name_list *names, const char *wanted, const input *inputs,
                    size_t n_inputs);

#endif
