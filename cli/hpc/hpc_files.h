/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The files of coverage: finding and reading them, with messages.
 */
#ifndef CENSUS_HPC_FILES_H
#define CENSUS_HPC_FILES_H

#include "coverage/module_text.h"
#include "coverage/tix.h"
#include "hpfile/source.h"

#include "hpc_options.h"

/* The contents of a file. All zero is none. */
typedef struct hpc_file {
    char *path; /* NULL: none is open */
    int fd;
    hpf_source *source; /* for messages about places in it */
    hpf__buffer bytes;
} hpc_file;

/* Reads a whole file. Errors: from hpf_source. The file is to be closed in either case. */
hpf_status hpc_file_read(hpc_file *file, const char *path, hpf_error *err);
hpf_str hpc_file_text(const hpc_file *file);
void hpc_file_close(hpc_file *file);

/* Returns `folder`/`name` with a suffix, without the folder if `name` begins with a slash; the
 * caller frees it. NULL without memory. */
char *hpc_join_path(const char *folder, const char *name, const char *suffix);

/* Creates the folders of the path of a file. Returns false after a message. */
bool hpc_make_folders(const char *path);

/* Reads the .tix file of exactly this path, without the modules that are not included. Returns
 * false after a message. */
bool hpc_read_tix(hpc_tix *tix, const char *path, const hpc_options *options);

/* Reads the .tix file of a program: "run" and "run.exe" stand for "run.tix". Makes the other
 * operands modules to include. Returns EXIT_DONE, or another status after a message, which is
 * `message` and the name if there is no such file. */
int hpc_read_program(hpc_tix *tix, const hpc_command *command, hpc_options *options,
                     const char *message);

/* Finds and reads the .mix file of a module; `tix` is NULL if any hash will do. Returns false after
 * a message. Warns if `tix` has another number of counts than the file has boxes. */
bool hpc_read_mix(hpc_mix *mix, const char *module, const hpc_tix_module *tix,
                  const hpc_options *options);

/* The .mix file and the text of a module. */
typedef struct hpc_module {
    hpc_mix mix;
    hpc_file file;         /* the text, */
    hpc_module_text lines; /* and its lines */
} hpc_module;

/* Finds and reads the .mix file of a module, as hpc_read_mix does, and the text that it is about.
 * Returns false after a message. The module is to be closed in either case. */
bool hpc_read_module(hpc_module *m, const hpc_command *command, const char *module,
                     const hpc_tix_module *tix, const hpc_options *options);
void hpc_module_close(hpc_module *m);

#endif
