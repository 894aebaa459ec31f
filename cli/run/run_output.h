/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The files of a run: which ones -o asks for, and names that no earlier run has.
 */
#ifndef CENSUS_RUN_OUTPUT_H
#define CENSUS_RUN_OUTPUT_H

#include <limits.h>

#include "cmd.h"
#include "options/opt.h"

typedef struct run_output {
    const char *name; /* `given` or `program`, without suffix and number */
    char program[NAME_MAX];
    bool is_given;
    bool with_recording, with_hp, with_eventlog, with_prof; /* -o asks for them */
    bool has_bare_name;                                     /* -o gives a name without suffix */
    opt_list pictures;                                      /* that -o asks for, also pages */
    char given[PATH_MAX];
    char base[PATH_MAX];          /* of the names of all files but pictures */
    char reserved[PATH_MAX + 16]; /* a file that keeps the name until it is written; "": none */
} run_output;

/* Names the files by a command, whose words end with NULL: by the script or module of an
 * interpreter, else by the program. Call it before the others. */
void run_output_name(run_output *out, char *const *words);

/* Reads the arguments of -o, which may give another name. Returns EXIT_DONE, or an exit status
 * after a message. */
int run_output_read(run_output *out, const cmd *self, const opt_list *files);

/* Chooses the base: replaces %r, %p, %h and %% in the name, and appends the first number with which
 * no file exists with one of `suffixes`, which end with NULL. Creates the first of these files.
 * Checks that pictures can be written. Returns EXIT_DONE, or an exit status after a message. */
int run_output_open(run_output *out, const cmd *self, long process_id, const char *const *suffixes);

/* Removes the file that was created, unless something was written to it. */
void run_output_close(run_output *out);

/* Chooses the base again, if it has the number of the process, which is known now. */
int run_output_set_process(run_output *out, const cmd *self, long process_id,
                           const char *const *suffixes);

/* Stores the path of a picture. Returns NULL after the last one. */
const char *run_output_picture(const run_output *out, size_t index, long process_id,
                               char path[PATH_MAX]);

#endif
