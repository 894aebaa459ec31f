/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Telling where the program was when it aborted.
 */
#ifndef HPP_ABORT_H
#define HPP_ABORT_H

/* From now on, SIGABRT first prints the cost-centre stack of the thread that raised it on standard
 * error, then does what it did before. */
void hpp__abort_watch(void);
void hpp__abort_unwatch(void);

#endif
