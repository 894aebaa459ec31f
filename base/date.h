/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The date of a profile, as GHC writes it ("Sat Nov 21 02:07 2026"), and seconds since 1970. UTC.
 */
#ifndef HPF_DATE_H
#define HPF_DATE_H

#include <stdbool.h>
#include <stdint.h>

#include "hpfile/str.h"

#define HPF__DATE_BYTES 22 /* with the NUL */

/* Years up to 9999; later ones become the last second of that. */
void hpf__date_write(char *out, uint64_t unix_s);

/* Parses a date, also with seconds, as ctime writes it. Returns false for a text of another form.
 * Ignores the day of the week. */
bool hpf__date_parse(hpf_str text, uint64_t *unix_s);

#endif
