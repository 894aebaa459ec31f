/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census mark: adds a mark to the profile of a running program. The environment of the process
 * contains the address of its profiler; the process itself is not involved.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native/collector/collector.h"

#include "cmd.h"
#include "diag.h"

static const opt mark_options[] = {
    {0, NULL, OPT_FLAG, 0, NULL, NULL, NULL, 0, 0},
};

static int run(const cmd *self, int argc, char **argv)
{
    int status = EXIT_FAILED;
    if (!cmd_options(self, NULL, &argc, argv, &status)) {
        return status;
    }
    if (argc != 3) {
        return cmd_misused(self, "expected a process ID and a text");
    }
    char *end;
    errno = 0;
    long process_id = strtol(argv[1], &end, 10);
    if (!isdigit((unsigned char)argv[1][0]) || *end || errno || process_id <= 0) {
        return cmd_misused(self, "'%s' is not a process ID", argv[1]);
    }
    hpf_error err;
    hpf_str label = {argv[2], strlen(argv[2])};
    if (hpp_mark_process(process_id, label, &err) != HPF_OK) {
        diag_say("process %ld: %s", process_id, err.message);
        return EXIT_FAILED;
    }
    return EXIT_DONE;
}

const cmd cmd_mark = {
    .name = "mark",
    .summary = "Add a mark to the profile of a running program",
    .operands = "PID TEXT",
    .options = mark_options,
    .run = run,
};
