/* SPDX-License-Identifier: BSD-2-Clause
 *
 * __main__, the other name of the module of a Python script.
 */
#ifndef HPF_PYTHON_MAIN_H
#define HPF_PYTHON_MAIN_H

#include <stdbool.h>

#include "hpfile/str.h"

/* Returns whether an expression asks for __main__; NULL does not. */
bool hpf__names_main(const char *expression);

/* Returns the module of the Python script in a command line, as bands have it; empty if there is
 * none. */
hpf_str hpf__python_script(hpf_str command);

/* Writes a name in which the module of the script is __main__, and a NUL. `out` has room for
 * HPF__MAIN_ROOM(length of the name) bytes. */
#define HPF__MAIN_ROOM(length) (sizeof "__main__" * ((length) + 1))
void hpf__write_with_main(char *out, const char *name, hpf_str script);

#endif
