/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census hpc, and the program under the name hpc: the coverage tool of GHC.
 */
#include "cmd.h"
#include "hpc/hpc.h"

static int run(const cmd *self, int argc, char **argv)
{
    (void)self;
    hpc_be_census();
    return hpc_run(argc, argv);
}

static int run_as_program(const cmd *self, int argc, char **argv)
{
    (void)self;
    return hpc_run(argc, argv);
}

const cmd cmd_hpc = {
    .name = "hpc",
    .summary = "Report the coverage of Haskell programs, like GHC's hpc",
    .operands = "COMMAND ...",
    .run = run,
    .run_as_program = run_as_program,
};
