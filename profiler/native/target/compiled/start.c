/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Starts the run time of a program before the constructors of its shared objects, which may call
 * functions of the program, such as its operator new. Linked into programs only (`-u`): shared
 * objects cannot have such functions.
 */
#include "shadow.h"

extern void (*const census_cc_first)(void);

__attribute__((section(".preinit_array"), used,
               visibility("hidden"))) void (*const census_cc_first)(void) = census_cc_start;
