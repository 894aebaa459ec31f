/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Parts of the preload library in a program of a test: a thread with a slot, and a helper that
 * takes images. Link it with preload/helper.c.
 */
#ifndef HELPED_PROGRAM_H
#define HELPED_PROGRAM_H

#include <stdbool.h>

/* In the program, whose window exists: begins, and sends the collector's end of the helper's socket
 * through `link`, which it closes. */
bool helped_program_begin(int link);

/* In the test: receives it, and closes `link`. Returns -1 on failure. */
int helped_program_receive(int link);

#endif
