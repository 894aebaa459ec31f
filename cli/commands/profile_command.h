/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One profile in, one text out: what census report, info and convert have in common.
 */
#ifndef CENSUS_PROFILE_COMMAND_H
#define CENSUS_PROFILE_COMMAND_H

#include "cmd.h"
#include "input.h"

#include "hpfile/sink.h"

/* Writes what the command makes of a profile. The sink is neither finished nor destroyed. */
typedef hpf_status profile_command_write(const input *in, const void *values, hpf_sink *sink,
                                         hpf_error *err);

/* Help for the option that fills log_profile. */
#define PROFILE_OPTION_HELP                                                                        \
    "event log with several heap profiles: use profile number N (default: the first)"

typedef struct profile_command {
    const hpf_format *from; /* NULL: told by the content */
    const int *log_profile; /* which heap profile of an event log, by number; NULL: the first */
    const char *output;     /* a path; NULL and "-": standard output */
    profile_command_write *write;
    profile_command_write
        *write_log; /* for event logs, which are not surveyed then; NULL: as all others */
    profile_command_write *write_prof; /* the same for reports of time and allocation */
    bool (*prepare)(input *in, const void *values); /* after a survey; false: after a message */
    const void *values;                             /* for all of them */
} profile_command;

/* Runs the command on the one operand that must be left in argv. Returns an exit status, after a
 * message where something is wrong. */
int profile_command_run(const cmd *self, const profile_command *f, int argc, char **argv);

#endif
