/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Prints the cost-centre stack when the program aborts (-xc).
 */
#ifndef HPP_ABORT_H
#define HPP_ABORT_H

/* Install and remove a handler of SIGABRT that prints the raising thread's cost-centre stack to
 * standard error, then does what the earlier handler did. */
void hpp__abort_watch(void);
void hpp__abort_unwatch(void);

#endif
