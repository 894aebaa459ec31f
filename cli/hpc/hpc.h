/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The commands of hpc.
 */
#ifndef CENSUS_HPC_H
#define CENSUS_HPC_H

#include "hpc_options.h"

/* Runs the command that argv[1] names. Returns an exit status. */
int hpc_run(int argc, char **argv);

int hpc_run_report(const hpc_command *self, hpc_options *options);
int hpc_run_markup(const hpc_command *self, hpc_options *options);
int hpc_run_sum(const hpc_command *self, hpc_options *options);
int hpc_run_combine(const hpc_command *self, hpc_options *options);
int hpc_run_map(const hpc_command *self, hpc_options *options);
int hpc_run_overlay(const hpc_command *self, hpc_options *options);
int hpc_run_draft(const hpc_command *self, hpc_options *options);
int hpc_run_show(const hpc_command *self, hpc_options *options);

#endif
