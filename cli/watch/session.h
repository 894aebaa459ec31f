/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Watching profiles from the command line: opens inputs and views, and runs the event loop until
 * the user, the input or a signal ends it.
 */
#ifndef CENSUS_WATCH_SESSION_H
#define CENSUS_WATCH_SESSION_H

#include "cmd.h"
#include "plot/plot_setup.h"

#include "views.h"

/* Members of the options of a command. */
typedef struct session_options {
    double window_s;
    bool once;
} session_options;

/* Their rows; `base` is the offset of a session_options. */
#define SESSION_OPTIONS(base)                                                                      \
    OPT(0, "window", OPT_DURATION, (base) + offsetof(session_options, window_s), "TIME",           \
        "show only the last part of the profile, such as 30s, 5m or 2h (default: all of it)",      \
        .low = 1e-3, .high = 1e9),                                                                 \
        OPT(0, "once", OPT_FLAG, (base) + offsetof(session_options, once), NULL,                   \
            "exit when the profile is complete")

/* What is watched; all is borrowed. */
typedef struct session_inputs {
    char *const *words; /* paths, "-" and addresses */
    size_t n;
    bool may_fail; /* those that cannot be read are left out, after a message */
} session_inputs;

/* Watches until the end. `views` says which views; the rest of it is set here. Returns an exit
 * status, after messages. */
int session_run(const cmd *self, const plot_values *plot, const session_options *options,
                const session_inputs *inputs, const watch_views *views);

#endif
