/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Scripts with which shells complete command lines, from the tables of options.
 */
#ifndef CENSUS_COMPLETION_H
#define CENSUS_COMPLETION_H

/* Prints the script for "bash", "zsh" or "fish" to standard output. Returns an exit status. */
int completion_print(const char *shell);

#endif
