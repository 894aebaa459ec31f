/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One profile in, one text out: what census report, info and convert share.
 */
#ifndef CENSUS_PROFILE_COMMAND_H
#define CENSUS_PROFILE_COMMAND_H

#include "cmd.h"
#include "input.h"

#include "hpfile/sink.h"

/* Writes the output of the command. Does not finish the sink. */
typedef hpf_status profile_command_write(const input *in, const void *values, hpf_sink *sink,
                                         hpf_error *err);

/* Help of the option that sets limits.log_profile. */
#define PROFILE_OPTION_HELP                                                                        \
    "event log with several heap profiles: use profile number N (default: the first)"

typedef struct profile_command {
    const hpf_format *from;    /* NULL: detect it */
    hpf_survey_options limits; /* window, and number of the heap profile in an event log */
    const char *output;        /* path; NULL and "-" are standard output */
    profile_command_write *write;
    profile_command_write
        *write_log; /* for event logs, which are then not surveyed; NULL: use `write` */
    profile_command_write
        *write_prof; /* for .prof reports, which are then not surveyed; NULL: use `write` */
    bool (*prepare)(input *in,
                    void *values); /* called after a survey; returns false after a message */
    void *values;                  /* passed to all functions */
} profile_command;

/* Runs the command with the one operand left in argv. Returns an exit status; failures print a
 * message. */
int profile_command_run(const cmd *self, const profile_command *f, int argc, char **argv);

#endif
