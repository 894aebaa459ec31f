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

/* Returns whether a file that no format recognises can be a heap profile in `.hp` format: empty, or
 * its first word is a keyword. */
bool hpf__may_be_hp(hpf_str head);

/* Writes the beginning of a file to `out`, for messages: one line, with bytes that are not
 * printable ASCII as `\xNN`. */
enum { HPF__SHOWN_BYTES = 100 };
void hpf__show_beginning(char out[HPF__SHOWN_BYTES], hpf_str head);

#endif
