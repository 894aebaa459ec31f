/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Files of other tools that are often given to census, for the error that names them.
 */
#ifndef HPF_FOREIGN_H
#define HPF_FOREIGN_H

#include "hpfile/str.h"

/* Returns what an input that begins with `head` is, with its article ("a heap profile of Valgrind's
 * massif"); NULL for a format of census and for anything unknown. Static. */
const char *hpf__foreign_name(hpf_str head);

#endif
