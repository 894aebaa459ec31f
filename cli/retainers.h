/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The members of retainer sets, which profiles of -hr only have the numbers of: from the report of
 * the same run, PROG.prof for PROG.hp or PROG.eventlog, or from one that is named.
 */
#ifndef CENSUS_RETAINERS_H
#define CENSUS_RETAINERS_H

#include "input.h"

/* Reads the sets for a profile that is surveyed. `path` NULL: those of the file beside it, if it is
 * a profile of retainers. False: a message was printed. A file that nobody named is no reason to
 * fail: of what is wrong in it there is a warning. */
bool retainers_read(input *in, const char *path);

/* The sets of the file beside the profile at `path`, for its survey to use while they are not
 * destroyed; NULL: none. */
hpf_retainer_sets *retainers_beside(hpf_survey *survey, const char *path);

#endif
