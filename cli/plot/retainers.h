/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Members of retainer sets. A recording of -hr has them; another profile has only their numbers,
 * and the members are in the report of the same run, PROG.prof for PROG.hp or PROG.eventlog.
 */
#ifndef CENSUS_RETAINERS_H
#define CENSUS_RETAINERS_H

#include "input.h"

/* Reads the sets for a surveyed profile from `path`; NULL: from the report of the profile, if it is
 * a profile by retainer. Returns false after a message. Errors in a file that was not named on the
 * command line are only warnings. */
bool retainers_read(input *in, const char *path);

/* Returns the sets of the profile at `path`, of this process of a recording (hpf_source_options),
 * which the survey then uses; NULL if there are none. The caller destroys them. */
hpf_retainer_sets *retainers_of_profile(hpf_survey *survey, const char *path, const char *process);

#endif
