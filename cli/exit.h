/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the program's exit status says.
 */
#ifndef CENSUS_EXIT_H
#define CENSUS_EXIT_H

enum {
    EXIT_DONE = 0,   /* did what was asked, help and version included */
    EXIT_FAILED = 1, /* bad input, or the system said no */
    EXIT_MISUSED = 2 /* bad usage: nothing was read or written */
};

#endif
