/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The progress line: overwritten in place, wiped at the end.
 */
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double PATIENCE_S = 1.0;
static const double INTERVAL_S = 0.1;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

progress progress_begin(void)
{
    progress begun = {.is_terminal = isatty(STDERR_FILENO) == 1};
    if (begun.is_terminal) {
        begun.due_s = now_s() + PATIENCE_S;
    }
    return begun;
}

void progress_show(progress *line, const char *name, uint64_t done_bytes, uint64_t total_bytes)
{
    if (!line->is_terminal || now_s() < line->due_s) {
        return;
    }
    if (total_bytes > 0) {
        fprintf(stderr, "\r%.50s: %3.0f%% of %.0f MB\033[K", name,
                100.0 * (double)done_bytes / (double)total_bytes, (double)total_bytes / 1e6);
    } else {
        fprintf(stderr, "\r%.50s: %.0f MB\033[K", name, (double)done_bytes / 1e6);
    }
    line->is_shown = true;
    line->due_s = now_s() + INTERVAL_S;
}

void progress_wipe(progress *line)
{
    if (line->is_shown) {
        fputs("\r\033[K", stderr);
        line->is_shown = false;
    }
}
