/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The clock of progress, of the event loop and of its views.
 */
#ifndef CENSUS_CLOCK_H
#define CENSUS_CLOCK_H

#include <time.h>

/* Returns the time of CLOCK_MONOTONIC, in seconds. */
static inline double clock_now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

#endif
