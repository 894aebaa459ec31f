/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Quantities drawn as lines over the bands. They come from the sidecar file of a profile,
 * BASE.lines for BASE.hp, or from an event log.
 */
#ifndef CENSUS_OVERLAY_H
#define CENSUS_OVERLAY_H

#include "hprender/render.h"

#include "input.h"
#include "name_list.h"

/* Adds the sidecar file of the profile to the survey, if it exists. An error in it is a warning. */
void overlay_add(input *in);

/* Sets the quantities to draw in `options`: `wanted` is the argument of --overlay, or NULL. `names`
 * must live as long as the options. Each name must be a quantity of one of the inputs; without
 * inputs, names are not checked. Returns false after a message; there is nothing to free then. */
bool overlay_choose(hpr_options *options, name_list *names, const char *wanted, const input *inputs,
                    size_t n_inputs);

#endif
