/* SPDX-License-Identifier: BSD-2-Clause
 *
 * SIGPIPE is ignored, so that a closed pipe is a write error like any other and temporaries are
 * removed; but a program that is started gets it as we got it.
 */
#ifndef CENSUS_SIGPIPE_H
#define CENSUS_SIGPIPE_H

void sigpipe_ignore(void);

/* As it was before. */
void sigpipe_restore(void);

#endif
