/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Whether a process runs a program that GHC compiled, and by which version: GHC's assembler code
 * leaves "GHC 9.0.2" among the comments of the file. Where these are stripped, the run-time system
 * still has the version for its messages, or one of GHC's packages in its name; as a library, it
 * has it in its name.
 */
#ifndef HPP_NATIVE_HASKELL_PROGRAM_H
#define HPP_NATIVE_HASKELL_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "layouts.h"

typedef struct hpp__haskell_program {
    char version[16];                 /* "9.0.2"; "" if it is not known */
    const hpp_haskell_layout *layout; /* NULL: this version's is not known */
} hpp__haskell_program;

/* The files of the last programs that GHC has not compiled. At first all zero. */
typedef struct hpp__other_programs {
    struct stat files[8];
    size_t n; /* that were stored */
} hpp__other_programs;

/* Returns whether a process runs a program of GHC. Those of `others` are not looked at again. */
bool hpp__haskell_program_find(hpp__haskell_program *out, uint32_t process_id,
                               hpp__other_programs *others);

#endif
