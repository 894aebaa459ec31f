/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The commands of hpc.
 */
#ifndef CENSUS_HPC_H
#define CENSUS_HPC_H

#include "hpc_options.h"

/* Runs the command that argv[1] names. Returns an exit status. */
int hpc_run(int argc, char **argv);

#endif
