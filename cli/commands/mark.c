/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census mark: adds a mark to the profile of a running program. The environment of the process
 * contains the address of its profiler; the process itself is not involved.
 */
#include <stddef.h>

#include "hpprof/collector.h"

#include "cmd.h"
#include "diag.h"

typedef struct mark_values {
    bool snapshot;
} mark_values;

static const opt mark_options[] = {
    OPT(0, "snapshot", OPT_FLAG, offsetof(mark_values, snapshot), NULL,
        "write a heap snapshot, BASE.heapsnapshot, instead of a mark, or with TEXT in addition"),
    {.name = NULL},
};

static int run(const cmd *self, int argc, char **argv)
{
    mark_values values = {false};
    int status = EXIT_FAILED;
    if (!cmd_options(self, &values, &argc, argv, &status)) {
        return status;
    }
    if (argc != 3 && !(argc == 2 && values.snapshot)) {
        return cmd_misused(self, "expected a process ID and a text");
    }
    long process_id = cmd_process_id(argv[1]);
    if (process_id == 0) {
        return cmd_misused(self, "'%s' is not a process ID", argv[1]);
    }
    hpf_error err;
    hpf_status done = HPF_OK;
    if (argc == 3) {
        done = hpp_mark_process(process_id, hpf_str_of(argv[2]), &err);
    }
    if (done == HPF_OK && values.snapshot) {
        done = hpp_snapshot_process(process_id, &err);
    }
    if (done != HPF_OK) {
        diag_say("process %ld: %s", process_id, err.message);
        return EXIT_FAILED;
    }
    return EXIT_DONE;
}

const cmd cmd_mark = {
    .name = "mark",
    .summary = "Add a mark to the profile of a running program, or snapshot its heap",
    .operands = "PID [TEXT]",
    .options = mark_options,
    .run = run,
};
